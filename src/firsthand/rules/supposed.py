"""The past with entries that nobody wrote: what they would change, folded and not stored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from firsthand.rules.bearing import STONE_KEYS, bearings
from firsthand.rules.view import Entries
from firsthand.vocabulary.entries import Entry


class Supposed:
    """What is stored, and some entries more."""

    def __init__(self, entries: Entries, more: Sequence[Entry]) -> None:
        self._entries = entries
        self._more = {e.id: e for e in more}
        self._bearing: dict[str, list[Entry]] = defaultdict(list)
        for entry in more:
            for key in bearings(entry):
                self._bearing[key].append(entry)

    def get(self, entry_id: str) -> Entry | None:
        """The entry with this id."""
        return self._more.get(entry_id) or self._entries.get(entry_id)

    def bearing_on(self, key: str) -> Sequence[Entry]:
        """Entries found under `key`, in any order."""
        return [*self._entries.bearing_on(key), *self._bearing.get(key, ())]

    def scopes(self) -> tuple[str, ...]:
        """Every scope id in the space."""
        return self._entries.scopes()

    def has_stones(self) -> bool:
        """Whether any entry forbids a value, or would."""
        return self._entries.has_stones() or any(key.startswith(STONE_KEYS) for key in self._bearing)
