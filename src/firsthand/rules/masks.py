"""Which words of an entry are not shown, and which claims wait, because a tombstone meets them; skeletons alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from firsthand.rules.bearing import (
    CLAIMED,
    citing_key,
    is_absolute,
    masked_value_of,
    met_key,
    tombstone_key,
    tombstone_of,
    unit_of,
)
from firsthand.rules.leaves import EVERYTHING
from firsthand.rules.privacy import in_force, is_hidden, is_private, replaced_by
from firsthand.rules.tombstones import blocked, lifted
from firsthand.rules.trust import approvals
from firsthand.rules.view import Said, View
from firsthand.vocabulary.entries import Entry, Lift, Met, Revise, root_of


class Mask(NamedTuple):
    """A span of a body that is not shown, and the tombstone's entry. An absolute one binds at every time.

    What is private names no entry: who may not know of the withdrawal is not told of it.
    """

    low: int
    high: int
    stone: str
    absolute: bool


def masks_on(view: View, entry: Entry) -> frozenset[Mask]:
    """Everything that is not shown of an entry's words."""
    found: set[Mask] = set()
    for met in entry.skeleton.met:
        stone = view.get(met.of) if met.of else entry
        if stone is not None:
            found |= _masks(view, met, stone)
    for met, stone in _reaching(view, entry.id):
        found |= _masks(view, met, stone)
    if isinstance(entry.skeleton.edges, Revise) and entry.skeleton.record is None:
        backed, backing = _cited(view, entry.record_id)
        # What was only taken back is still shown where somebody else's word rests on it.
        found = {m for m in found | backed if m.absolute or not any(m.low < b and a < m.high for a, b in backing)}
    return frozenset(found | _rejected_itself(view, entry))


def _masks(view: View, met: Met, stone: Entry) -> set[Mask]:
    """The spans that a tombstone or a withdrawal masks, if it still holds."""
    if not met.spans:
        return set()
    if is_private(stone):
        return {_private(*span) for span in met.spans} if in_force(view, stone) else set()
    return {Mask(*span, stone.id, is_absolute(stone)) for span in met.spans} if _holds(view, stone) else set()


def _private(low: int, high: int) -> Mask:
    return Mask(low, high, "", True)


def doubts_on(view: View, said: Iterable[Said], approved: frozenset[str]) -> frozenset[str]:
    """Assertions that come near a tombstone: they displace nothing, lift nothing, and wait for review."""
    if not view.has_stones():
        return frozenset()
    return frozenset(s.id for s in said if s.id not in approved and doubted(view, s))


def doubted(view: View, said: Said) -> bool:
    """Whether an assertion's words come near a tombstone that still holds: then its claim waits for review."""
    entry = view.get(said.entry)
    if entry is None:
        return False
    stones = [view.get(met.of) for met in entry.skeleton.met if met.doubt]
    stones += [stone for met, stone in _reaching(view, entry.id) if met.doubt]
    return any(stone is not None and _holds(view, stone) for stone in stones)


def _holds(view: View, stone: Entry) -> bool:
    """Whether an entry forbids something, as it is believed here, and nobody lifted it."""
    return tombstone_of(stone) is not None and not lifted(view, stone.id)


def met_with(view: View, stone: Entry) -> set[str]:
    """Entries whose words a tombstone meets, told of by either side or by a third entry."""
    found = {met.of for met in stone.skeleton.reaches if not met.by}
    for other in view.bearing_on(met_key(stone.id)):
        found |= {met.of for met in other.skeleton.reaches if met.by == stone.id}
        found |= {other.id} if any(met.of == stone.id for met in other.skeleton.met) else set()
    return found


def _reaching(view: View, entry_id: str) -> Iterator[tuple[Met, Entry]]:
    """The tombstones that reach an entry's words, each with where."""
    for other in view.bearing_on(met_key(entry_id)):
        for met in other.skeleton.reaches:
            stone = view.get(met.by) if met.by else other
            if met.of == entry_id and stone is not None:
                yield met, stone


def bears_on_masks(entry: Entry) -> bool:
    """Whether what is masked may depend on how far an entry is believed."""
    skeleton = entry.skeleton
    told = skeleton.met or skeleton.reaches or tombstone_of(entry) is not None
    return bool(told) or isinstance(skeleton.edges, Lift)


def touched(view: View, entry: Entry, units: set[str]) -> set[str]:
    """Entries whose masks an entry may change, itself among them; `units`: what its fold settled."""
    found = {entry.id} | {met.of for met in entry.skeleton.reaches}
    edges = entry.skeleton.edges
    stones = [view.get(edges.of) if isinstance(edges, Lift) else entry, *replaced_by(view, entry)]
    for stone in stones:
        if stone is not None and masked_value_of(stone) is not None:
            found |= {stone.id} | met_with(view, stone)
    for unit in units:
        for said in view.said_in_unit(unit) if unit.startswith("u") else ():
            if view.bearing_on(tombstone_key(said.claim)) or view.account(said.record).shows:
                found |= {root_of(said.evidence), said.entry}
    return found


def _cited(view: View, record: str) -> tuple[set[Mask], set[tuple[int, int]]]:
    """Spans that backed what was rejected, taken back or withdrawn as private, and spans that still back a value that
    somebody took back."""
    found: set[Mask] = set()
    backing: set[tuple[int, int]] = set()
    if view.account(record).kind in CLAIMED:
        return found, backing
    for s in (s for e in view.bearing_on(citing_key(record)) for s in view.said_in(e) if s.evidence == record):
        low, high = s.span if s.span is not None else EVERYTHING
        if is_hidden(view, s):
            found.add(_private(low, high))
        if not view.bearing_on(tombstone_key(s.claim)):
            continue
        block = blocked(view, s, approvals(view, unit_of(s.scope, s.claim)))
        if block is None:
            backing.add((low, high))
            continue
        stone = view.get(block.entry)
        assert stone is not None
        found.add(Mask(low, high, block.entry, is_absolute(stone)))
    return found, backing


def _rejected_itself(view: View, entry: Entry) -> set[Mask]:
    """The words of a claim that may never come back; what was only taken back stays in its record's history."""
    for s in view.said_in(entry):
        if view.bearing_on(tombstone_key(s.claim)):
            block = blocked(view, s, frozenset())
            if block is not None and block.status == "rejected":
                return {Mask(*EVERYTHING, block.entry, True)}
    return set()
