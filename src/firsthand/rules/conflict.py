"""What competes at one instant: rank, lift and dispute among the claims of a unit (design 09.8)."""

from __future__ import annotations

from typing import Final, NamedTuple

from firsthand.rules.evidence import Grades
from firsthand.rules.succession import Held, contradicts
from firsthand.rules.trust import CANDIDATE, VALIDATED, independent_sources
from firsthand.vocabulary.entries import Claim, PolicyRules
from firsthand.vocabulary.instants import BEGINNING
from firsthand.vocabulary.kinds import Status

WAITING: Final = (VALIDATED, -1)
"""The rank of a claim that only restates what was taken back: the lowest of those that are no candidates."""


class Strand(NamedTuple):
    """Assertions of one claim that count alike at any instant, with the windows in which they hold."""

    tier: int
    voice: int
    source: str
    words: str
    echo: bool
    live: bool
    erased: bool
    restated: bool


def rank(strands: list[Strand], policy: PolicyRules) -> tuple[int, int]:
    """(tier, voice) of a claim at one instant; what restates a value that was taken back counts only to wait."""
    live = [s for s in strands if s.live]
    counted = _rank_of([s for s in live if not s.restated], policy)
    return WAITING if counted[0] == CANDIDATE < _rank_of(live, policy)[0] else counted


def _rank_of(live: list[Strand], policy: PolicyRules) -> tuple[int, int]:
    """Of what counts; two independent live sources lift a candidate."""
    tier = max((s.tier for s in live), default=CANDIDATE)
    if tier == CANDIDATE:
        voices = [(s.source, s.words) for s in live if not s.echo]
        if independent_sources(voices) >= policy.lift_needs_sources:
            tier = VALIDATED
        return tier, max((s.voice for s in live), default=0)
    return tier, max(s.voice for s in live if s.tier > CANDIDATE)


def disputes(
    claims: set[Claim], ranks: dict[Claim, tuple[int, int]], later: set[tuple[Claim, Claim]]
) -> dict[Claim, tuple[Status, Claim | None]]:
    """From the top rank down: only a claim left standing beats; equals are disputed (design 09.8)."""
    verdicts: dict[Claim, tuple[Status, Claim | None]] = {}
    standing: list[Claim] = []
    for level in sorted({ranks[c] for c in claims}, reverse=True):
        now: list[Claim] = []
        for claim in sorted((c for c in claims if ranks[c] == level), key=_by_id):
            beaten_by = [s for s in standing if contradicts(claim, s)]
            if not beaten_by and level != WAITING:
                now.append(claim)
            elif beaten_by and all((claim, s) in later for s in beaten_by):
                verdicts[claim] = ("disputed", beaten_by[0])
                verdicts |= dict.fromkeys(beaten_by, ("disputed", claim))
            else:
                verdicts[claim] = ("needs_review", min(beaten_by, key=_by_id, default=None))
        for claim in now:
            foes = [x for x in now if contradicts(claim, x)]
            if foes:
                verdicts[claim] = ("disputed", min(foes, key=_by_id))
        standing += now
    return verdicts


def later_observations(held: list[Held], grades: Grades) -> set[tuple[Claim, Claim]]:
    """(observed, typed): a trusted tool's observation that is later than every word for a person's value."""
    observed: dict[Claim, int] = {}
    spoken: dict[Claim, int] = {}
    for h in held:
        s = h.said
        if s.id not in grades.live or not s.claim.one:
            continue
        spoken[s.claim] = max(spoken.get(s.claim, BEGINNING), s.spoken)
        if s.basis == "observed" and s.trusted:
            observed[s.claim] = max(observed.get(s.claim, BEGINNING), s.spoken)
    return {(o, c) for o, at in observed.items() for c, last in spoken.items() if o != c and at > last}


def _by_id(claim: Claim) -> tuple[str, str, str, str, str, bool]:
    """Ties among claims end in their digests."""
    return claim.value, claim.subject, claim.predicate, claim.polarity, claim.conditions, claim.ambiguous
