"""What holds instead of a global claim under conditions: it then reads `default, except …` (design 09.7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from firsthand.ports import BeliefRow, Reader
from firsthand.recall.gated import shown_row
from firsthand.recall.group import Candidate
from firsthand.recall.plan import Plan
from firsthand.rules.access import Handle
from firsthand.rules.bearing import claim_digest, unit_of
from firsthand.rules.gate import stands
from firsthand.rules.normalise import name_key
from firsthand.rules.qualify import contradicted, excepting
from firsthand.rules.view import Said, said_by
from firsthand.veil import Veil
from firsthand.vocabulary.decoding import decode_body
from firsthand.vocabulary.entries import Claim, Entry
from firsthand.vocabulary.packets import Excepted, Item
from firsthand.vocabulary.records import Semantic

EXCEPTIONS_MOST: Final = 20


def exceptions(
    reader: Reader, handle: Handle, plan: Plan, row: BeliefRow, slot: Sequence[Said], forks: Sequence[Entry]
) -> tuple[Excepted, ...]:
    """The conditional claims that hold in the slot of a global one, or were forked from it, as far as they may be seen.

    `slot` is what is asserted in its slot, `forks` speak of records that succeed its own. What a given condition speaks
    against is no exception here.
    """
    if row.conditions is not None:
        return ()
    wanted = _claims(row, slot, forks)
    rows = [r for unit in sorted(wanted) for r in _rows(reader, plan, unit) if r.claim in wanted[unit]]
    rows = [r for r in rows if _holds(handle, plan, r)]
    locked = reader.locked({r.record_id for r in rows}, plan.clearance) if rows else set[str]()
    found = [e for r in rows if r.record_id not in locked and (e := _excepted(reader, plan, r)) is not None]
    return tuple(sorted(set(found), key=lambda e: e.record_id))[:EXCEPTIONS_MOST]


def with_exceptions_beside(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Global claims with the conditional ones found beside them of the same subject and predicate.

    Where a slot holds many values they are in no slot together, and only what is asked for together is told of.
    """
    conditional: dict[tuple[str, str, str], list[Item]] = {}
    for item in (c.item for c in candidates):
        key = _slot(item)
        if key is not None and item.qualifier.code == "current" and item.qualifier.conditions:
            conditional.setdefault(key, []).append(item)
    made: list[Candidate] = []
    for c in candidates:
        key = _slot(c.item)
        beside = conditional.get(key, []) if key is not None and not c.item.qualifier.conditions else []
        more = [Excepted(record_id=i.record_id, conditions=tuple(sorted(i.qualifier.conditions.items())))
                for i in beside]  # fmt: skip
        item = msgspec.structs.replace(c.item, qualifier=excepting(c.item.qualifier, more)) if more else c.item
        made.append(c if item is c.item else msgspec.structs.replace(c, item=item))
    return made


def _slot(item: Item) -> tuple[str, str, str] | None:
    """Scope, subject and predicate of a claim of its own in a slot of many values."""
    structure = item.structure
    if structure is None or structure.cardinality == "one" or structure.subject is None or structure.predicate is None:
        return None
    return item.scope, name_key(structure.subject), structure.predicate


def _claims(row: BeliefRow, slot: Iterable[Said], forks: Iterable[Entry]) -> dict[str, set[str | None]]:
    """Conditional claims by their units: other values of the slot or the denial of this one, and forks."""
    wanted: dict[str, set[str | None]] = {}
    own = (row.claim or "").rpartition("|")[0]
    for asserted, forked in ((slot, False), ((s for e in forks for s in said_by(e)), True)):
        for s in asserted:
            if not s.claim.conditions:
                continue
            unit = unit_of(s.scope, s.claim)
            if forked or (unit == row.unit and _value(s.claim) != own):
                wanted.setdefault(unit, set()).add(claim_digest(s.claim))
    return wanted


def _value(claim: Claim) -> str:
    """A claim without its conditions, as `claim_digest` begins."""
    return f"{claim.value}|{claim.polarity}"


def _rows(reader: Reader, plan: Plan, unit: str) -> list[BeliefRow]:
    """What is believed of a unit at the time asked about."""
    rows = list(reader.open_rows(unit))
    if plan.known_at is None:
        return rows
    docs = {d.vid for record in {r.record_id for r in rows} for d in reader.docs_of_record(record)}
    return [r for r in reader.beliefs(docs, plan.known_at) if r.unit == unit]


def _holds(handle: Handle, plan: Plan, row: BeliefRow) -> bool:
    """Whether it stands, undisputed, at the instant asked about, and its scope may be read; locks come after."""
    stands_now = row.status == "active" and stands(shown_row(row, frozenset((row.scope_id,))))
    return stands_now and row.valid_from <= plan.at < row.valid_to and handle.reads(row.scope_id)


def _excepted(reader: Reader, plan: Plan, row: BeliefRow) -> Excepted | None:
    """An exception in words, unless the recall's conditions rule it out."""
    stored = reader.rows_of([row.revision_id]).get(row.revision_id)
    body = decode_body(stored.body) if stored is not None and stored.body is not None else None
    payload = Veil(reader, [row.revision_id], plan.known_at).body(row.revision_id, body).payload if body else None
    if not isinstance(payload, Semantic) or contradicted(payload.validity.conditions, plan.conditions):
        return None
    return Excepted(record_id=row.record_id, conditions=tuple(sorted(payload.validity.conditions.items())))
