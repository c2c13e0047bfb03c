"""A disk that can lose power: what was written since a file's last sync may be gone, in part or torn, and is not there.

Writes go through to real files, so that every connection sees them, WAL and its shared memory work as in production,
and the disk's own memory of what a sync has made durable gives the file as it would be found after a power loss.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import apsw

SECTOR = 512


class Write(NamedTuple):
    """Bytes at an offset."""

    at: int
    data: bytes


class Truncate(NamedTuple):
    """A file cut, or grown with zeros, to a size."""

    size: int


class Disk(apsw.VFS):
    """A VFS whose files remember what is durable. `watch` is called around every write and sync."""

    def __init__(self, name: str, watch: Callable[[], None]) -> None:
        self.name = name
        self.syncs = 0
        self.writes = 0
        self._watch = watch
        self._durable: dict[str, bytearray] = {}
        self._pending: dict[str, list[Write | Truncate]] = {}
        self._lock = threading.RLock()
        super().__init__(name, base="")

    def found(self, choose: random.Random | None) -> dict[str, bytes]:
        """The files after a power loss now: without what was not synced, or with what chance kept of it."""
        with self._lock:
            return {path: bytes(self._after(path, choose)) for path in self._durable}

    def put(self, folder: Path, choose: random.Random | None) -> None:
        """Write the files found after a power loss now into a folder."""
        for path, data in self.found(choose).items():
            (folder / Path(path).name).write_bytes(data)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        if name is None:
            return apsw.VFSFile("", name, flags)
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        file = DiskFile(self, path, name, flags)
        with self._lock:
            self._durable.setdefault(path, bytearray())
            self._pending.setdefault(path, [])
        return file

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        super().xDelete(filename, syncdir)
        with self._lock:
            self._durable.pop(filename, None)
            self._pending.pop(filename, None)

    def changed(self, path: str, change: Write | Truncate) -> None:
        """Remember a change that no sync has made durable."""
        self._watch()
        with self._lock:
            self.writes += 1
            self._pending[path].append(change)
        self._watch()

    def synced(self, path: str) -> None:
        """Make every change of a file durable."""
        self._watch()
        with self._lock:
            self.syncs += 1
            for change in self._pending[path]:
                _apply(self._durable[path], change)
            self._pending[path].clear()
        self._watch()

    def _after(self, path: str, choose: random.Random | None) -> bytearray:
        data = bytearray(self._durable[path])
        if choose is None:
            return data
        for change in self._pending[path]:
            if isinstance(change, Truncate):
                if choose.random() < 0.5:
                    _apply(data, change)
                continue
            fate = choose.choice(("whole", "gone", "torn"))
            for start in range(0, len(change.data), SECTOR):
                if fate == "whole" or (fate == "torn" and choose.random() < 0.5):
                    _apply(data, Write(change.at + start, change.data[start : start + SECTOR]))
        return data


class DiskFile(apsw.VFSFile):
    """A file of a `Disk`; what it does not override, the shared memory of WAL included, is the real file's."""

    def __init__(self, disk: Disk, path: str, name: str | apsw.URIFilename, flags: list[int]) -> None:
        self._disk = disk
        self._path = path
        super().__init__("", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        super().xWrite(data, offset)
        self._disk.changed(self._path, Write(offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        super().xTruncate(newsize)
        self._disk.changed(self._path, Truncate(newsize))

    def xSync(self, flags: int) -> None:  # noqa: N802
        # The real file needs no sync: this process does not lose power.
        self._disk.synced(self._path)


def _apply(data: bytearray, change: Write | Truncate) -> None:
    if isinstance(change, Truncate):
        del data[change.size :]
        data.extend(bytes(change.size - len(data)))
        return
    end = change.at + len(change.data)
    if len(data) < end:
        data.extend(bytes(end - len(data)))
    data[change.at : end] = change.data
