"""Turns that two programs of one owner tell of, such as a hook and an importer: kept once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from firsthand.ports import RequestRow, Writer
from firsthand.rules.access import Handle
from firsthand.vocabulary.turns import TurnName


class Named(NamedTuple):
    """What is known of the turns of a write: the first of them, where all are kept, and the names to note for it."""

    kept: RequestRow | None
    names: tuple[str, ...]


def named(handle: Handle, writer: Writer, turns: Sequence[TurnName], *, imported: bool) -> Named:
    """Look turns up. The next of a name is never kept yet, and takes the first place that is free.

    What was heard is known to whoever tells of it later, and what was imported to whoever hears of it later. One import
    is known to another by its idempotency keys alone, since the second may know better who spoke.
    """
    rows: list[RequestRow] = []
    names: dict[str, None] = {}
    for turn in turns:
        heard, read, known = _found(handle, writer, turn, imported=imported)
        if known is not None:
            rows.append(known)
        elif not imported or writer.request(read) is None:
            names[read if imported else heard] = None
    return Named(rows[0] if rows and len(rows) == len(turns) else None, tuple(names))


def _found(handle: Handle, writer: Writer, turn: TurnName, *, imported: bool) -> tuple[str, str, RequestRow | None]:
    """A turn's name as one that is heard and as one that is imported, and what it is known by here."""
    nth = turn.nth or 0
    while True:
        heard, read = (_digest(handle, turn.name, nth, how) for how in ("heard", "imported"))
        known = writer.request(heard) or (None if imported else writer.request(read))
        if known is None or turn.nth is not None:
            return heard, read, known
        nth += 1


def _digest(handle: Handle, name: str, nth: int, how: str) -> str:
    """A turn's name under its owner, whose programs may know of each other's turns, and its scope."""
    return handle.keyed.request(handle.ids.owner, f"turn {how}", f"{handle.scope_id}\n{nth}\n{name}")
