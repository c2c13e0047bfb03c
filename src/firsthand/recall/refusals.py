"""Which writes were refused, in the scopes that may be read here; what they said was never kept."""

from __future__ import annotations

from typing import Final

from firsthand.ports import Reader, RefusalRow
from firsthand.recall.reading import position_in
from firsthand.rules.access import Handle
from firsthand.veil import may_know_of
from firsthand.vocabulary.instants import FOREVER
from firsthand.vocabulary.refusals import Refusal, RefusalPage

LOOKED_AT: Final = 500


def refusals(reader: Reader, handle: Handle, limit: int, cursor: str | None) -> RefusalPage:
    """Refusals newest first, a page at a time."""
    before = position_in(cursor)
    at = FOREVER if before is None else before
    found: list[RefusalRow] = []
    while len(found) <= limit and (rows := reader.refusals(at, LOOKED_AT)):
        found += [row for row in rows if handle.reads(row.scope_id)]
        at = rows[-1].number
    page = found[:limit]
    return RefusalPage(
        refusals=tuple(_view(reader, handle, row) for row in page),
        cursor=str(page[-1].number) if len(found) > limit else None,
    )


def _view(reader: Reader, handle: Handle, row: RefusalRow) -> Refusal:
    scope = reader.scope(row.scope_id)
    cause = row.cause_entry if row.cause_entry is not None and may_know_of(reader, handle, row.cause_entry) else None
    return Refusal(
        at=row.at,
        actor=reader.name("who", row.actor),
        verb=row.verb,
        code=row.code,
        scope=scope.name if scope is not None else None,
        cause_entry=cause,
        next_action=None if cause is None else "ask_person",
    )
