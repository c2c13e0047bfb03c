"""Who is believed: tier of one assertion, voice in a conflict, independence (designs 03, 09.5)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from firsthand.rules.bearing import unit_key
from firsthand.rules.view import Said, View
from firsthand.vocabulary.entries import Judge, PolicyRules

CANDIDATE, VALIDATED, FACT = 0, 1, 2
TIER_NAMES: Final = ("candidate", "validated_claim", "fact")

VOICE_AGENT, VOICE_ATTESTED, VOICE_PERSON = 0, 1, 2


def tier_of(said: Said, policy: PolicyRules, approved: bool) -> int:
    """The tier that policy gives one assertion."""
    if approved:
        return FACT
    if said.basis == "inferred":
        return CANDIDATE
    if said.role == "person" or said.attested:
        return VALIDATED
    if said.basis == "observed":
        return VALIDATED if said.trusted else CANDIDATE
    return VALIDATED if said.role == "agent" and policy.agent_statement_is_claim else CANDIDATE


def approvals(view: View, unit: str) -> frozenset[str]:
    """Assertions of a unit that a person approved: an approval binds to the assertions it saw (design 09.6)."""
    return frozenset(
        seen
        for e in view.bearing_on(unit_key(unit))
        if isinstance(e.skeleton.edges, Judge)
        and e.skeleton.edges.verb == "approve"
        and e.skeleton.author.role == "person"
        for seen in e.skeleton.edges.seen
    )


def voice_of(said: Said) -> int:
    """A person outranks attested speech, which outranks an agent's own words."""
    if said.role == "person":
        return VOICE_PERSON
    return VOICE_ATTESTED if said.attested else VOICE_AGENT


def is_own_word(said: Said) -> bool:
    """Whether it may bring back what was only provisionally taken back: typed or hooked speech, never an import."""
    typed = said.role == "person" and said.source == said.owner
    return not said.imported and said.basis != "inferred" and (said.attested or typed)


def independent_sources(voices: Iterable[tuple[str, str]]) -> int:
    """How many sources speak for themselves, of (source, digest of the words): the same words count once."""
    by_source: dict[str, set[str]] = {}
    for source, words in voices:
        by_source.setdefault(source, set()).add(words)
    taken: set[str] = set()
    count = 0
    for source in sorted(by_source, key=lambda s: (len(by_source[s]), s)):
        fresh = {w for w in by_source[source] if not w or w not in taken}
        if fresh:
            count += 1
            taken.add(min(fresh))
    return count
