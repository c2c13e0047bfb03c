"""A disk on which no file can be opened for writing: a memory on it can be read, whoever runs the test."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import apsw


class ReadOnlyFile(apsw.VFSFile):
    """A file that gives nobody a lock for writing, as the system gives none on what was opened for reading."""

    def xLock(self, level: int) -> None:  # noqa: N802
        if level > apsw.SQLITE_LOCK_SHARED:
            raise apsw.BusyError
        super().xLock(level)


class ReadOnlyDisk(apsw.VFS):
    """The default VFS, but every database file is opened for reading alone, as the system does for one it protects."""

    def __init__(self, *, default: bool) -> None:
        self._base = apsw.vfs_names()[0]
        super().__init__("read-only", base=self._base, makedefault=default)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        if flags[0] & apsw.SQLITE_OPEN_MAIN_DB:
            flags[0] &= ~(apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
            flags[0] |= apsw.SQLITE_OPEN_READONLY
            flags[1] = flags[0]
        return ReadOnlyFile(self._base, name, flags)


@contextlib.contextmanager
def read_only_disk() -> Iterator[None]:
    """Every file is opened for reading alone while this lasts."""
    disk = ReadOnlyDisk(default=True)
    try:
        yield
    finally:
        disk.unregister()
