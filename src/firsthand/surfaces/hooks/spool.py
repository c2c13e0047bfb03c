"""What a hook could not store, in files beside the database until the next call stores it.

Each call writes a file of its own, so that hooks that run side by side need no lock. The name begins with that of the
database: a sweep looks into every file that does. Texts were masked before they came here.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

SUFFIX: Final = ".spool-"
FILES_MOST: Final = 200
BYTES_MOST: Final = 1024 * 1024
BEING_WRITTEN_SECONDS: Final = 60
"""A file that cannot be read is being written; after this time it never will be."""


class Who(msgspec.Struct, frozen=True, kw_only=True):
    """As whom, and where, a session is kept."""

    space: str
    scope: str
    owner: str
    harness: str
    session: str
    model: str | None = None


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """The episodes of one call: arguments of `capture`."""

    who: Who
    items: list[dict[str, Any]]


class Waiting(NamedTuple):
    """How much waits."""

    items: int
    bytes: int


def put(database: Path, batch: Batch) -> bool:
    """Keep a batch for later; False if it cannot be written, or there is no room: the oldest are kept."""
    data = msgspec.json.encode(batch)
    files = _files(database)
    if len(files) >= FILES_MOST or sum(map(_size, files)) + len(data) > BYTES_MOST:
        return False
    path = database.with_name(f"{database.name}{SUFFIX}{time.time_ns():020d}-{os.urandom(4).hex()}")
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
    except OSError:
        return False
    return True


def oldest_first(database: Path) -> list[Path]:
    """The files that wait."""
    return _files(database)


def read(path: Path) -> Batch | None:
    """A batch that waits; None if it is gone, or not whole."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Batch)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def is_abandoned(path: Path) -> bool:
    """Whether a file that cannot be read is not being written either."""
    try:
        return time.time() - path.stat().st_mtime > BEING_WRITTEN_SECONDS
    except OSError:
        return False


def drop(path: Path) -> None:
    """A batch waits no longer."""
    path.unlink(missing_ok=True)


def waiting(database: Path) -> Waiting:
    """How many episodes wait, and how many bytes they are."""
    files = _files(database)
    batches = [read(path) for path in files]
    return Waiting(sum(len(batch.items) for batch in batches if batch), sum(map(_size, files)))


def _files(database: Path) -> list[Path]:
    beginning = database.name + SUFFIX
    try:
        names = [name for name in os.listdir(database.parent) if name.startswith(beginning)]
    except OSError:
        return []
    return [database.with_name(name) for name in sorted(names)]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
