"""What a tombstone hides of stored words, wherever they are shown or indexed: in one place for every reader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from firsthand.ports import MaskRow, Reader
from firsthand.rules.access import Handle
from firsthand.rules.bearing import citing_key
from firsthand.rules.leaves import Veiled, slice_of, veiled
from firsthand.vocabulary.entries import Body, Entry, Revise

WITHHELD: Final = "[withheld]"
"""A quote of evidence that was withdrawn, and every saying of what was withdrawn as private."""
UNREAD: Final = " \u2026 "
"""What stands in the index in place of words that are masked: nothing that is a word."""


def mark(stone: str) -> str:
    """What is read in place of what a tombstone hides, or of what is private."""
    return f"[rejected: {stone}]" if stone else WITHHELD


class Veil:
    """The masks on some entries, as who asks about a known time sees them; now unless one is given.

    `beside`: what else is masked, because of what is read beside them.
    """

    def __init__(
        self,
        reader: Reader,
        entry_ids: Iterable[str],
        known_at: int | None = None,
        beside: Mapping[str, Sequence[Veiled]] | None = None,
    ) -> None:
        self._marks = {entry_id: list(marks) for entry_id, marks in (beside or {}).items()}
        for row in reader.masks(set(entry_ids)) if reader.has_stones() else ():
            if known_at is None or row.since <= known_at:
                self._marks.setdefault(row.entry_id, []).append(Veiled(row.low, row.high, mark(row.stone)))

    def body(self, entry_id: str, body: Body) -> Body:
        """A body as it may be read."""
        marks = self._marks.get(entry_id)
        return veiled(body, marks) if marks else body

    def quote(self, entry_id: str, text: str, start: int, stop: int) -> str:
        """Part of an entry's first text as it may be read."""
        marks = self._marks.get(entry_id)
        return slice_of(text, marks, start, stop) if marks else text[start:stop]


def may_know_of(reader: Reader, handle: Handle, stone: str) -> bool:
    """Whether a caller may be told which entry forbids something, so that a person can lift it."""
    entry = reader.get(stone)
    if entry is None or not handle.reads(entry.skeleton.scope):
        return False
    rows = reader.beliefs_of_records([entry.skeleton.record]) if entry.skeleton.record is not None else []
    seen = not rows or handle.grant.audit or any(row.visibility != "hidden" for row in rows)
    return seen and all(row.sensitivity <= handle.clearance for row in rows)


def says_only_what_is_hidden(reader: Reader, root: Entry) -> bool:
    """Whether a record is no more than the saying of claims that are all withdrawn: it is out of sight with them."""
    if not (isinstance(root.skeleton.edges, Revise) and root.skeleton.edges.utterance):
        return False
    claims = {entry.record_id for entry in reader.bearing_on(citing_key(root.record_id))}
    rows = reader.beliefs_of_records(sorted(claims))
    return bool(rows) and all(row.visibility == "hidden" for row in rows)


def unread(body: Body, rows: Iterable[MaskRow]) -> Body:
    """A body as the index holds it."""
    return veiled(body, [Veiled(row.low, row.high, UNREAD) for row in rows])
