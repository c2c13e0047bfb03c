"""One space inside one snapshot, and how its queries are asked."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from firsthand.store.engine import Connection, Row, SqlValue

_encode = msgspec.json.encode


class Snapshot:
    """A connection inside a transaction, the queries by name, and the space they are asked of."""

    def __init__(self, connection: Connection, queries: dict[str, str], space: str) -> None:
        self._connection = connection
        self._q = queries
        self._space = space

    @property
    def space(self) -> str:
        """The space read."""
        return self._space

    def _all(self, query: str, *values: SqlValue) -> list[Row]:
        return self._connection.execute(self._q[query], (self._space, *values)).fetchall()

    def _one(self, query: str, *values: SqlValue) -> Row | None:
        return self._connection.execute(self._q[query], (self._space, *values)).fetchone()


def array(values: Iterable[object]) -> str:
    """An array parameter for `json_each`."""
    return encoded(list(values))


def encoded(value: object) -> str:
    """A parameter for `json_each`."""
    return _encode(value).decode()
