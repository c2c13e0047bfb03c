"""The part of an apsw connection that the store uses, typed (apsw's own stubs need a newer Python than ours)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

SqlValue = str | int | float | bytes | None
Row = tuple[Any, ...]


class Cursor(Protocol):
    """Rows of one statement; `get` is the first row's only value, or the row, or None."""

    @property
    def get(self) -> Any: ...

    def __iter__(self) -> Iterator[Row]: ...

    def fetchall(self) -> list[Row]: ...

    def fetchone(self) -> Row | None: ...


class Copying(Protocol):
    """A copy of one database into another, page by page."""

    @property
    def done(self) -> bool: ...

    @property
    def remaining(self) -> int: ...

    @property
    def page_count(self) -> int: ...

    def step(self, npages: int = ...) -> bool: ...

    def __enter__(self) -> Copying: ...

    def __exit__(self, *gone: object) -> bool | None: ...


class Connection(Protocol):
    """One connection to one file."""

    @property
    def in_transaction(self) -> bool: ...

    def execute(self, statements: str, bindings: Sequence[SqlValue] = ...) -> Cursor: ...

    def executemany(self, statements: str, sequenceofbindings: Sequence[Sequence[SqlValue]]) -> Cursor: ...

    def changes(self) -> int: ...

    def total_changes(self) -> int: ...

    def readonly(self, name: str) -> bool: ...

    def backup(self, databasename: str, sourceconnection: Any, sourcedatabasename: str) -> Copying: ...

    def close(self, force: bool = ...) -> None: ...
