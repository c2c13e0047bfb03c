"""What may not be said again, from skeletons alone (designs 03, 09.14, 09.15)."""

from __future__ import annotations

from typing import NamedTuple

from firsthand.rules.bearing import (
    consequences_of,
    tombstone_key,
    tombstone_of,
    tombstone_scopes,
    unit_of,
    value_digest,
)
from firsthand.rules.trust import approvals, is_own_word
from firsthand.rules.view import Hearing, Said, View
from firsthand.vocabulary.entries import Claim, Entry, Erase, Reach, Revise, Tombstone
from firsthand.vocabulary.grants import SPACE_WIDE
from firsthand.vocabulary.instants import FOREVER


class Block(NamedTuple):
    """Why an assertion does not count, and the entry that says so."""

    status: str
    entry: str


def covers(reach: Reach, said: Said, *, by_person: bool, approved: bool) -> bool:
    """Whether a correct, change or retract reaches an assertion, whether its gateway had seen it or not (09.4)."""
    if approved and not by_person:
        return False
    return said.spoken <= reach.spoken and (reach.everyone or reach.source in (said.source, said.owner))


def blocked(view: View, said: Said, approved: frozenset[str], replacing: tuple[str, ...] = ()) -> Block | None:
    """The strongest tombstone that binds an assertion.

    The gateway asks the same before the assertion exists, and says which heads the revision would be `replacing`.
    """
    hit: Block | None = None
    for entry in view.bearing_on(tombstone_key(said.claim)):
        tombstone = tombstone_of(entry)
        if tombstone is None or not _binds(entry, said) or lifted(view, entry.id) or _destroyed(view, entry, said):
            continue
        if tombstone.absolute:
            return Block("rejected", entry.id)
        if hit is None and _bound_provisionally(view, entry, tombstone, said, approved, replacing):
            hit = Block("retracted", entry.id)
    return hit


def forbidding(view: View, scope: str, claim: Claim) -> Block | None:
    """The strongest tombstone on a value in a scope that nobody lifted, whoever it binds."""
    found: Block | None = None
    for entry in view.bearing_on(tombstone_key(claim)):
        tombstone = tombstone_of(entry)
        if tombstone is None or entry.skeleton.scope not in (scope, SPACE_WIDE) or lifted(view, entry.id):
            continue
        if tombstone.absolute:
            return Block("rejected", entry.id)
        found = found or Block("retracted", entry.id)
    return found


def restates(view: View, said: Said) -> bool:
    """Whether a new source repeats what was provisionally taken back, and nobody it speaks for says so in own words.

    It binds nobody but its backers, so such a word is kept and waits for review (design 03).
    """
    for entry in view.bearing_on(tombstone_key(said.claim)):
        tombstone = tombstone_of(entry)
        if tombstone is None or tombstone.absolute or not _binds(entry, said) or lifted(view, entry.id):
            continue
        hearing = _hearing(view, entry, tombstone)
        anew = hearing.anew.get(said.source, FOREVER)
        if _reach(entry).spoken < said.spoken < anew and said.source not in hearing.unreached:
            return True
    return False


def lifted(view: View, tombstone_entry: str) -> bool:
    """Whether a person lifted it."""
    return view.is_lifted(tombstone_entry)


def _binds(entry: Entry, said: Said) -> bool:
    return entry.skeleton.scope in (said.scope, SPACE_WIDE)


def _destroyed(view: View, entry: Entry, said: Said) -> bool:
    """Whether a saying that an erasure forbids was destroyed, by whichever: it still closes what it closed (09.3)."""
    return isinstance(entry.skeleton.edges, Erase) and view.erased(said.entry)


def _bound_provisionally(
    view: View,
    entry: Entry,
    tombstone: Tombstone,
    said: Said,
    approved: frozenset[str],
    replacing: tuple[str, ...],
) -> bool:
    """Retracted itself, or a restatement by a source that had backed it and has not spoken anew in its own words."""
    reach = _reach(entry)
    by_person = entry.skeleton.author.role == "person"
    if said.id in approved and not by_person:
        return False  # design 09.6: what a person approved is ended only by a person
    if covers(reach, said, by_person=by_person, approved=said.id in approved):
        return True
    hearing = _hearing(view, entry, tombstone)
    if said.source not in hearing.backers:
        return False
    anew = hearing.anew.get(said.source, FOREVER)
    if said.spoken > reach.spoken and _brings_back(view, entry, said, replacing):
        anew = min(anew, said.spoken)
    return said.spoken < anew


def _hearing(view: View, entry: Entry, tombstone: Tombstone) -> Hearing:
    """Every assertion of the forbidden value, wherever the tombstone binds, heard once for each look at the past."""
    if entry.id in view.hearings:
        return view.hearings[entry.id]
    reach, digest = _reach(entry), value_digest(tombstone)
    by_person = entry.skeleton.author.role == "person"
    hearing = view.hearings[entry.id] = Hearing({reach.source}, {}, set())
    for unit in {unit_of(s, tombstone) for s in tombstone_scopes(entry.skeleton.scope, view.scopes())}:
        approved = approvals(view, unit)
        for s in view.said_in_unit(unit):
            if value_digest(s.claim) != digest:
                continue
            if covers(reach, s, by_person=by_person, approved=s.id in approved):
                hearing.backers.add(s.source)
            elif s.spoken <= reach.spoken:
                hearing.unreached.add(s.source)
            elif _brings_back(view, entry, s):
                hearing.anew[s.source] = min(hearing.anew.get(s.source, s.spoken), s.spoken)
    return hearing


def _brings_back(view: View, entry: Entry, said: Said, replacing: tuple[str, ...] = ()) -> bool:
    return is_own_word(said) or _corrects_back(view, entry, said, replacing)


def _corrects_back(view: View, correction: Entry, said: Said, replacing: tuple[str, ...]) -> bool:
    """Whether an owner's agent takes back the correction it made itself (design 09.14)."""
    author, entry = correction.skeleton.author, view.get(said.entry)
    if entry is not None:
        replacing = entry.skeleton.edges.supersedes if isinstance(entry.skeleton.edges, Revise) else ()
    return correction.id in replacing and author.owner == said.owner and author.role != "person"


def _reach(entry: Entry) -> Reach:
    consequences = consequences_of(entry)
    assert consequences is not None, "a provisional tombstone comes with its reach"
    return consequences.reach
