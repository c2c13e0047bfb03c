"""A database copied while it is in use, and one put in the place of another, by the engine's own backup."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, cast

import apsw

from firsthand.store.engine import Connection, Copying
from firsthand.store.keys import KeyFile, sync_folder
from firsthand.vocabulary.errors import BusyError, ConflictError

Ends = dict[str, tuple[int, str, str, int]]
"""Where the ledger of each space of a file ends."""

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


def replace_database(live: Path, source: Path, seen: Ends) -> bool:
    """Put one database in the place of another that nobody has open; its readers see the old or the new one.

    Whether it was done: not if the other one no longer ends where it was `seen` to.
    """
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
        if _ends(target) != seen:
            return False
        _copy(target, opened, None)
        target.execute("PRAGMA locking_mode = NORMAL; SELECT count(*) FROM sqlite_schema").fetchall()
        target.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return True
    finally:
        target.close()
        opened.close()


def install_database(database: Path, target: Path, seen: Ends, keys_suffix: str, device_suffix: str) -> bool:
    """A database and what is kept beside it, in the place of another or of none, which keeps its own device.

    Whether the database took its place: not if what is there now is no longer what was `seen`.
    """
    used = ends_of(target)
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
        return replace_database(target, database, seen)
    try:
        os.link(database, target)
    except FileExistsError:
        return False
    except OSError:
        database.replace(target)  # a file system without links
    sync_folder(target.parent)
    return True


def ends_of(path: Path) -> Ends:
    """Position, entry, chain and time of receipt of the last entry of each space of a file, if it is there."""
    if not path.exists():
        return {}
    connection = _opened(path)
    try:
        return _ends(connection)
    finally:
        connection.close()


def _ends(connection: Connection) -> Ends:
    found: Ends = {}
    space = connection.execute(_NEXT_SPACE, ("",)).get
    while space is not None:
        found[space] = connection.execute(_HEAD, (space,)).get
        space = connection.execute(_NEXT_SPACE, (space,)).get
    return found


def _opened(path: Path, vfs: str | None = None) -> Connection:
    return cast("Connection", apsw.Connection(str(path), vfs=vfs))


def _copy(target: Connection, source: Connection, progress: Callable[[int, int], None] | None) -> None:
    with target.backup("main", source, "main") as backup:
        while not backup.done:
            _copy_step(backup, progress)


def _copy_step(backup: Copying, progress: Callable[[int, int], None] | None) -> None:
    backup.step(PAGES_A_STEP)
    if progress is not None:
        progress(backup.page_count - backup.remaining, backup.page_count)
