"""How the hooks of a memory fare: counted in a small file beside the database, which holds no words, for `doctor`."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Final

import msgspec

SUFFIX: Final = ".hooks"
FILE_BYTES: Final = 64 * 1024


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """Counts since the file was made. Instants in microseconds."""

    stored: int = 0
    spooled: int = 0
    dropped: int = 0
    failures: int = 0
    last_write_at: int | None = None
    last_event: str | None = None
    last_error: str | None = None
    last_error_at: int | None = None

    @property
    def is_failing(self) -> bool:
        """Whether nothing was stored since the last failure."""
        return self.last_error_at is not None and self.last_error_at > (self.last_write_at or 0)

    def with_stored(self, count: int, event: str, at: int) -> Health:
        """Episodes reached the ledger."""
        return msgspec.structs.replace(self, stored=self.stored + count, last_event=event, last_write_at=at)

    def with_failure(self, code: str, at: int, *, spooled: int = 0, dropped: int = 0) -> Health:
        """A call did not do all it should."""
        return msgspec.structs.replace(
            self, failures=self.failures + 1, spooled=self.spooled + spooled, dropped=self.dropped + dropped,
            last_error=code, last_error_at=at,
        )  # fmt: skip


def read(database: Path) -> Health:
    """What is known; nothing where no hook ever ran."""
    try:
        return _decoded(_path(database).read_bytes())
    except OSError:
        return Health()


def note(database: Path, change: Callable[[Health], Health]) -> None:
    """Change the counts, one process at a time; where they cannot be written they stay as they are."""
    with contextlib.suppress(OSError), _locked(_path(database)) as handle:
        health = change(_decoded(os.read(handle, FILE_BYTES)))
        os.lseek(handle, 0, os.SEEK_SET)
        os.ftruncate(handle, os.write(handle, msgspec.json.encode(health)))


def _path(database: Path) -> Path:
    return database.with_name(database.name + SUFFIX)


def _decoded(data: bytes) -> Health:
    """Counts that a killed process left half written start anew."""
    try:
        return msgspec.json.decode(data, type=Health)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return Health()


@contextlib.contextmanager
def _locked(path: Path) -> Generator[int]:
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        with contextlib.suppress(ImportError):  # Windows has no such lock: there two at once may count as one
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX)
        yield handle
    finally:
        os.close(handle)
