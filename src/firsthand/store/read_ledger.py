"""Reads of the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from firsthand.ports import Head, LedgerRow
from firsthand.store.snapshot import Snapshot, array
from firsthand.vocabulary.entries import Entry, Skeleton
from firsthand.vocabulary.instants import FOREVER

GENESIS = "0" * 40

_skeletons = msgspec.json.Decoder(Skeleton)


class LedgerReads(Snapshot):
    """Entries by id, by place and by what they bear on."""

    def head(self) -> Head:
        """The end of the ledger."""
        row = self._one("head")
        return Head(*row) if row else Head(0, None, GENESIS, 0)

    def ledger_rows(self, after: int, limit: int) -> list[LedgerRow]:
        """Entries after a position, in order."""
        return [LedgerRow(*r) for r in self._all("ledger_rows", after, limit)]

    def position_of(self, entry_id: str) -> int | None:
        """The position of an entry."""
        row = self._one("position_of", entry_id)
        return row[0] if row else None

    def rows_of(self, entry_ids: Iterable[str]) -> dict[str, LedgerRow]:
        """Entries by id."""
        return {r[1]: LedgerRow(*r) for r in self._all("rows_of", array(entry_ids))}

    def rows_at(self, positions: Iterable[int]) -> list[LedgerRow]:
        """Entries by position, in order."""
        return [LedgerRow(*r) for r in self._all("rows_at", array(positions))]

    def get(self, entry_id: str) -> Entry | None:
        """The entry with this id."""
        row = self._one("skeleton_of", entry_id)
        return Entry(id=entry_id, skeleton=_skeletons.decode(row[0])) if row else None

    def scopes(self) -> tuple[str, ...]:
        """Every scope id of the space."""
        return tuple(r[0] for r in self._all("scope_rows"))

    def bearing_on(self, key: str) -> Sequence[Entry]:
        """Entries found under `key`."""
        return [self._decoded(i, s) for i, s in self._all("bearing_on", key)]

    def bearing_on_any(self, keys: Iterable[str], known_at: int | None = None) -> dict[str, list[Entry]]:
        """Entries found under each of several keys, of those received by an instant, or of all."""
        found: dict[str, list[Entry]] = {}
        for key, entry_id, text in self._all("bearing_on_any", array(keys), FOREVER if known_at is None else known_at):
            found.setdefault(key, []).append(self._decoded(entry_id, text))
        return found

    def last_bearing_on(self, key: str) -> int:
        """The position of the last entry found under `key`, or 0."""
        row = self._one("last_bearing_on", key)
        return (row[0] or 0) if row else 0

    def has_stones(self) -> bool:
        """Whether any entry forbids a value."""
        return self._one("has_stones") is not None

    def positions_bearing_on(self, key: str) -> list[int]:
        """Positions of entries found under `key`."""
        return [r[0] for r in self._all("positions_bearing_on", key)]

    def _decoded(self, entry_id: str, skeleton: str) -> Entry:
        return Entry(id=entry_id, skeleton=_skeletons.decode(skeleton))
