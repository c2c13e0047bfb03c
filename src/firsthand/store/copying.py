"""A database copied while it is in use, and one put in the place of another, by the engine's own backup."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, cast

import apsw

from firsthand.store.engine import Connection
from firsthand.store.keys import KeyFile, sync_folder
from firsthand.vocabulary.errors import BusyError, ConflictError

PAGES_A_STEP: Final = 2_000
_NEXT_SPACE: Final = "SELECT min(space_id) FROM entry WHERE space_id > ?"
_HEAD: Final = (
    "SELECT position, entry_id, chain, received_at FROM entry WHERE space_id = ? ORDER BY position DESC LIMIT 1"
)


def copy_database(source: Path, target: Path, progress: Callable[[int, int], None] | None, vfs: str | None) -> None:
    """One consistent state of a database in a new file, whatever is written meanwhile."""
    opened, copy = _opened(source, vfs), _opened(target)
    try:
        # A read transaction holds one state for as long as the copying takes.
        opened.execute("BEGIN")
        opened.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        _copy(copy, opened, progress)
        copy.execute("PRAGMA journal_mode = DELETE").fetchall()
    finally:
        copy.close()
        opened.close()


def replace_database(live: Path, source: Path) -> None:
    """Put one database in the place of another that nobody has open; its readers see the old or the new one."""
    opened, target = _opened(source), _opened(live)
    try:
        target.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
        try:
            target.execute("BEGIN EXCLUSIVE")
            target.execute("COMMIT")
        except (apsw.BusyError, apsw.LockedError):
            raise BusyError(
                "store_in_use", "the database is open elsewhere; close every program that uses it", field="url"
            ) from None
        _copy(target, opened, None)
        target.execute("PRAGMA locking_mode = NORMAL; SELECT count(*) FROM sqlite_schema").fetchall()
        target.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    finally:
        target.close()
        opened.close()


def install_database(database: Path, target: Path, keys_suffix: str, device_suffix: str) -> None:
    """A database and what is kept beside it, in the place of another or of none, which keeps its own device."""
    used = ends_of(target) if target.exists() else {}
    keys, own = (path.with_name(path.name + keys_suffix) for path in (database, target))
    if keys.exists() and own.exists():
        if KeyFile(own).differs(keys, used):
            raise ConflictError(
                "other_key", "the backup has another key for a space of the live store", field="url",
                next_action="none",
            )  # fmt: skip
        KeyFile(own).add(keys)
    elif keys.exists():
        keys.replace(own)
    device, own_device = (path.with_name(path.name + device_suffix) for path in (database, target))
    if device.exists() and not own_device.exists():
        device.replace(own_device)
    if target.exists():
        replace_database(target, database)
    else:
        database.replace(target)
        sync_folder(target.parent)


def ends_of(path: Path) -> dict[str, tuple[int, str, str, int]]:
    """Position, entry, chain and time of receipt of the last entry of each space of a file."""
    connection = _opened(path)
    try:
        found: dict[str, tuple[int, str, str, int]] = {}
        space = connection.execute(_NEXT_SPACE, ("",)).get
        while space is not None:
            found[space] = connection.execute(_HEAD, (space,)).get
            space = connection.execute(_NEXT_SPACE, (space,)).get
        return found
    finally:
        connection.close()


def _opened(path: Path, vfs: str | None = None) -> Connection:
    return cast("Connection", apsw.Connection(str(path), vfs=vfs))


def _copy(target: Connection, source: Connection, progress: Callable[[int, int], None] | None) -> None:
    with target.backup("main", source, "main") as backup:
        while not backup.done:
            backup.step(PAGES_A_STEP)
            if progress is not None:
                progress(backup.page_count - backup.remaining, backup.page_count)
