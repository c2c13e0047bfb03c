"""The fold: what one more entry changes, in one order-free, incremental answer (designs 03, 09.3).

`affected` names the units an entry can change; `settle_unit` reads what bears on a unit and says its rows. Folding
entries one by one in any causal order, folding them afresh, and replaying them with blank bodies give the same rows.
"""

from __future__ import annotations

from typing import NamedTuple

from firsthand.rules.bearing import (
    begins_plainly,
    citing_key,
    claims_of,
    consequences_of,
    heir_key,
    named_by,
    tombstone_key,
    tombstone_of,
    tombstone_scopes,
    unit_of,
)
from firsthand.rules.firsts import first_claim_row, first_row
from firsthand.rules.masks import met_with
from firsthand.rules.standing import Row, settle_unit
from firsthand.rules.view import Entries, View
from firsthand.vocabulary.entries import (
    Attend,
    Claim,
    Define,
    Entry,
    Erase,
    Lift,
    PolicyRules,
    Propose,
    Relate,
    Revise,
    Seal,
    Show,
)
from firsthand.vocabulary.grants import SPACE_WIDE

QUIET = (Attend, Define, Propose, Relate, Seal)
"""Entries that change no standing."""


class Change(NamedTuple):
    """The rows of every unit an entry could change, and how many entries were read to know."""

    rows: dict[str, frozenset[Row]]
    reads: int


def fold(entries: Entries, entry: Entry, policy: PolicyRules, *, fresh: bool = False) -> Change:
    """What `entry`, already among `entries`, changes. `fresh`: nothing can refer to it yet, as after a local write."""
    if fresh and begins_plainly(entry):
        return Change({entry.record_id: frozenset((first_row(entry, policy),))}, 0)
    view = View(entries, entry if fresh else None)
    claimed = first_claim_row(view, entry, policy) if fresh else None
    if claimed is not None:
        return Change({claimed.unit: frozenset((claimed,))}, view.reads)
    units = affected(view, entry, fresh=fresh)
    return Change({u: settle_unit(view, u, policy) for u in sorted(units)}, view.reads)


def fold_afresh(entries: Entries, every: tuple[Entry, ...], policy: PolicyRules) -> dict[str, frozenset[Row]]:
    """All rows of all units, from nothing: what the incremental answers have to equal."""
    view = View(entries)
    units = {u for e in every for u in _own_units(view, e)}
    return {u: settle_unit(view, u, policy) for u in sorted(units)}


def affected(view: View, entry: Entry, *, fresh: bool = False) -> set[str]:
    """Units that `entry` can change, with everything that rests on them, to a fixpoint."""
    if isinstance(entry.skeleton.edges, QUIET):
        return set()
    units = _own_units(view, entry)
    if fresh and _only_adds(view, entry):
        return units
    return _with_dependants(view, units | _named_units(view, entry), entry)


def _only_adds(view: View, entry: Entry) -> bool:
    """A new record whose words lift nothing and end no original: nothing changes where it is cited or copied."""
    if not isinstance(entry.skeleton.edges, Revise):
        return False  # a lift or a settle begins no record, and says something about others
    if entry.skeleton.record is not None or consequences_of(entry) is not None:
        return False
    if any(view.bearing_on(tombstone_key(c)) for c in claims_of(entry)):
        return False
    units = {unit_of(entry.skeleton.scope, c) for c in claims_of(entry)}
    return not any(_is_copied(view, record) for u in units for record in {s.record for s in view.said_in_unit(u)})


def _is_copied(view: View, record: str) -> bool:
    """Whether a linked copy of a record is held elsewhere, which ends as it does."""
    cited = (s for e in view.bearing_on(citing_key(record)) for s in view.said_in(e))
    return any(s.shares and s.evidence == record for s in cited)


def _own_units(view: View, entry: Entry) -> set[str]:
    """Units of the entry's record and of every claim and tombstone in it."""
    if isinstance(entry.skeleton.edges, QUIET):
        return set()
    scope = entry.skeleton.scope
    units = {unit_of(s, c) for c in claims_of(entry) for s in (scope, *_scopes_that_hear(view, c))}
    if not isinstance(entry.skeleton.edges, Erase | Lift):
        units |= view.units_of_record(entry.record_id)
    tombstone = tombstone_of(entry)
    if tombstone:
        units |= {unit_of(s, tombstone) for s in tombstone_scopes(scope, view.scopes())}
    return units


def _scopes_that_hear(view: View, claim: Claim) -> tuple[str, ...]:
    """Scopes where one more word for a claim tells who had backed it, or may say it anew: a space-wide stone's."""
    stones = ((e, tombstone_of(e)) for e in view.bearing_on(tombstone_key(claim)))
    heard = any(t is not None and not t.absolute and e.skeleton.scope == SPACE_WIDE for e, t in stones)
    return view.scopes() if heard else ()


def _named_units(view: View, entry: Entry) -> set[str]:
    """Units of what the entry names by id: lifted tombstones, settled contests, erased entries, heirs."""
    units: set[str] = set()
    for entry_id in named_by(entry):
        named = view.get(entry_id)
        if named is not None:
            units |= _own_units(view, named)
    for met in _met_by(view, entry):
        units |= view.units_of_record(met.record_id)
    if isinstance(entry.skeleton.edges, Show | Revise):
        for heir in _heirs(view, entry):
            units |= view.units_of_record(heir.record_id)
    return units


def _heirs(view: View, entry: Entry) -> list[Entry]:
    """What took the place of a claim, or copies it, in whichever of its records: they are shown or hidden together."""
    claims = {*claims_of(entry), *(s.claim for s in view.account(entry.record_id).said)}
    said = (s for unit in _own_units(view, entry) for s in view.said_in_unit(unit))
    records = {entry.record_id, *(s.record for s in said if s.claim in claims)}
    return [heir for record in sorted(records) for heir in view.bearing_on(heir_key(record))]


def _met_by(view: View, entry: Entry) -> list[Entry]:
    """Entries whose claims wait by what this entry tells of a tombstone, or by the one it is or lifts."""
    edges = entry.skeleton.edges
    met = {met.of for met in entry.skeleton.reaches}
    stone = view.get(edges.of) if isinstance(edges, Lift) else entry
    if stone is not None and tombstone_of(stone) is not None:
        met |= met_with(view, stone)
    return [found for entry_id in sorted(met) if (found := view.get(entry_id)) is not None]


def _with_dependants(view: View, units: set[str], entry: Entry) -> set[str]:
    """Units whose evidence is a record of one of these, to a fixpoint, cycles included."""
    todo = list(units)
    records = {entry.record_id}
    records |= {named.record_id for i in named_by(entry) if (named := view.get(i))}
    seen: set[str] = set()
    while todo or records:
        if todo:
            unit = todo.pop()
            records |= {unit} if unit.startswith("r") else {s.record for s in view.said_in_unit(unit)}
        for record in sorted(records - seen):
            seen.add(record)
            found = view.units_of_record(record) - units
            units |= found
            todo += found
            for citing in view.bearing_on(citing_key(record)):
                # Every unit of the citing record, not only the one that cites: sensitivity is the record's.
                found = view.units_of_record(citing.record_id) - units
                units |= found
                todo += found
        records -= seen
    return units
