"""The ledger as it stood at a known time: what the grading of evidence then reads."""

from __future__ import annotations

from collections.abc import Sequence

from firsthand.ports import Reader
from firsthand.rules.view import Entries
from firsthand.vocabulary.entries import Entry


class Past:
    """The entries received by an instant; those that came from elsewhere count as far as they are believed now."""

    def __init__(self, reader: Reader, known_at: int) -> None:
        self._reader = reader
        self._known_at = known_at

    def get(self, entry_id: str) -> Entry | None:
        """The entry with this id: what was here then names only what was here before it."""
        return self._reader.get(entry_id)

    def bearing_on(self, key: str) -> Sequence[Entry]:
        """Entries found under `key` then."""
        return self._reader.bearing_on_any([key], self._known_at).get(key, [])

    def scopes(self) -> tuple[str, ...]:
        """Every scope id in the space: one that came later holds nothing of then."""
        return self._reader.scopes()

    def has_stones(self) -> bool:
        """Whether any entry forbids a value."""
        return self._reader.has_stones()


def entries_at(reader: Reader, known_at: int | None) -> Entries:
    """The entries a recall grades evidence by: all of them now, or those of a past."""
    return reader if known_at is None else Past(reader, known_at)
