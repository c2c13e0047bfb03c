"""Writes of what is masked of stored words."""

from __future__ import annotations

from collections.abc import Sequence

from firsthand.ports import MaskRow
from firsthand.store.engine import SqlValue
from firsthand.store.remembering import Remembering


class MaskWrites(Remembering):
    """Masks, and the names in the index that they hide."""

    def _run(self, query: str, *values: SqlValue) -> None:
        self._connection.execute(self._q[query], (self._space, *values))

    def put_masks(self, entry_id: str, rows: Sequence[MaskRow]) -> None:
        """Replace what is masked of an entry's words."""
        self._run("drop_masks", entry_id)
        self._connection.executemany(self._q["put_mask"], [(self._space, *row) for row in rows])

    def mask_mentions(self, scope_id: str, vid: int, names: Sequence[str], *, masked: bool) -> None:
        """Leave names that a document mentions out of the index, or put them back."""
        rows = [(int(masked), self._space, scope_id, name, vid) for name in names]
        self._connection.executemany(self._q["mask_mention"], rows)
