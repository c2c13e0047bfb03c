"""`firsthand doctor --probe`: one live proof for each thing this memory says it can do."""

from __future__ import annotations

from typing import Final

import msgspec

from firsthand.selftest.outcomes import CheckResult, Outcome
from firsthand.selftest.runner import run_all

PROBES: Final = {
    "tombstone": ("tombstone.key_normalization_attack",),
    "trust state": ("gateway.model_cannot_claim_human_authority",),
    "two clocks": ("correction.survives_reindex",),
    "scope": ("scope.cross_tenant_absent", "scope.caller_cannot_widen"),
    "audit": ("life.history_of_every_life", "evidence.rebuild_from_retained"),
    "human review": ("review.a_person_decides",),
    "negative tests": ("tombstone.no_second_memory_unit", "life.recall_after_retract"),
}
"""Capability: the acceptance tests that show it."""


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """One capability, whether it was shown, and the sentence of proof or the reason why not."""

    capability: str
    outcome: Outcome
    proof: str


def probe_all() -> tuple[Probe, ...]:
    """Run the proofs on stores of their own."""
    names = [name for checks in PROBES.values() for name in checks]
    results = {result.name: result for result in run_all(only=names).results}
    return tuple(_probe(what, [results[name] for name in checks]) for what, checks in PROBES.items())


def _probe(capability: str, results: list[CheckResult]) -> Probe:
    worst = max(results, key=lambda r: ("pass", "unavailable", "fail").index(r.outcome))
    proof = " ".join(r.proof for r in results) if worst.outcome == "pass" else worst.proof
    return Probe(capability=capability, outcome=worst.outcome, proof=proof)
