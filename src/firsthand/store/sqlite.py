"""The embedded engine: one SQLite file through apsw, several processes, readers that never wait for writers."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import apsw

from firsthand.ports import Embedder, Head, JournalRow, Residue, Scrubbed
from firsthand.store.copying import copy_database, ends_of
from firsthand.store.engine import Connection
from firsthand.store.keys import KeyFile
from firsthand.store.migrating import adopt, expected_objects, objects, version_of
from firsthand.store.sql import SCHEMA_VERSION, queries
from firsthand.store.sqlite_read import SqliteReader
from firsthand.store.sqlite_write import SqliteWriter
from firsthand.store.sweep import (
    files_of,
    rehearse,
    release,
    sweep_columns,
    sweep_files,
    sweep_vectors,
    sweep_vocabulary,
)
from firsthand.store.translating import translated
from firsthand.vocabulary.errors import BrokenError, ConflictError

if TYPE_CHECKING:
    from firsthand.rules.residue import Needle

BUSY_TIMEOUT_MS: Final = 30_000
PRIVATE_MODE: Final = 0o600
SCRUB_TIMEOUT_MS: Final = 2_000
CHECKPOINT_PAGES: Final = 4_000
"""Pages of the write-ahead log, 16 MiB, after which a commit copies them into the file."""
LIST_SOURCE: Final = "json_each(?)"
KEYS_SUFFIX: Final = ".keys"
DEVICE_SUFFIX: Final = ".device"
DEVICE: Final = "device"
"""The one name in the file of the device's key."""


class SqliteStore:
    """Every space of one SQLite file."""

    def __init__(
        self,
        path: Path,
        *,
        synchronous: str = "FULL",
        vfs: str | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        self.embedder = embedder
        self._path = path
        self._vfs = vfs
        self._synchronous = synchronous
        self._queries = queries(LIST_SOURCE)
        self._keys = KeyFile(path.with_name(path.name + KEYS_SUFFIX))
        self._device = KeyFile(path.with_name(path.name + DEVICE_SUFFIX))
        self._local = threading.local()
        self._open: list[Connection] = []
        self._closed = False
        self._open_lock = threading.Lock()
        self._write_lock = threading.RLock()
        self._last: tuple[SqliteWriter, int, int] | None = None
        with translated():
            self._refuse_foreign()
            self._writer = self._connect(synchronous)
            self._journal = self._connect("NORMAL" if synchronous == "FULL" else synchronous)
            self._migrate()

    # ---- contexts --------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def reading(self, space: str) -> Generator[SqliteReader]:
        """A snapshot of a space for as long as the context lasts; nested uses share the outer snapshot."""
        connection = self._reader_connection()
        with translated():
            if connection.in_transaction:
                yield SqliteReader(connection, self._queries, space)
                return
            connection.execute("BEGIN")
            try:
                yield SqliteReader(connection, self._queries, space)
            finally:
                connection.execute("COMMIT")

    @contextlib.contextmanager
    def writing(self, space: str) -> Generator[SqliteWriter]:
        """The append lock of the file and one transaction."""
        with self._write_lock, translated(may_have_written=False):
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                version = self._pragma("data_version")
                writer = self._remembering(space, version)
                yield writer
                writer.finish()
            except BaseException:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise
            with translated(may_have_written=True):
                try:
                    self._writer.execute("COMMIT")
                except apsw.Error:
                    if self._writer.in_transaction:
                        self._writer.execute("ROLLBACK")
                    raise
            self._last = writer, version, self._writer.total_changes()

    def _remembering(self, space: str, version: int) -> SqliteWriter:
        """The writer of the transaction before, with what it remembers, if nobody has written since."""
        last, self._last = self._last, None
        if last is not None and last[0].space == space and last[1:] == (version, self._writer.total_changes()):
            return last[0]
        return SqliteWriter(self._writer, self._queries, space, self.embedder)

    def use(self, embedder: Embedder | None) -> None:
        """Have another embedder make the vectors of what is written from now on."""
        with self._write_lock:
            self.embedder, self._last = embedder, None

    def journal(self, space: str, rows: Sequence[JournalRow]) -> None:
        """Write receipts in one transaction that is not synced (design 04: bounded loss)."""
        q = self._queries
        with self._open_lock, translated():
            self._journal.execute("BEGIN IMMEDIATE")
            try:
                for row in rows:
                    self._journal.execute(
                        q["put_receipt"],
                        (space, row.recall_id, row.at, row.actor, row.session, row.nonce, row.digest),
                    )
                    self._journal.executemany(
                        q["put_delivery"],
                        [(space, r, row.recall_id, row.actor, i) for i, r in enumerate(row.delivered)],
                    )
                self._journal.execute("COMMIT")
            except BaseException:
                if self._journal.in_transaction:
                    self._journal.execute("ROLLBACK")
                raise

    # ---- keys, checks, facts ---------------------------------------------------------------------------------------

    def space_key(self, space: str) -> bytes:
        """The key of a space, made under the append lock on first use and synced before any entry needs it."""
        key = self._keys.get(space)
        if key is not None:
            return key
        with self.writing(space) as writer:
            # Another process may have made the key, and written under it, before this one had the lock.
            if writer.head().position and self._keys.get(space) is None:
                raise BrokenError(
                    "key_missing",
                    "the key file beside the database has no key for this space; restore it from the same backup",
                )
            return self._keys.make(space)

    def older_keys(self, space: str) -> tuple[bytes, ...]:
        """Keys that a space had before, newest first."""
        return self._keys.older(space)

    def take_key(self, space: str, key: bytes) -> None:
        """Give a space without entries the key that its other stores have; the same key again changes nothing."""
        with self.writing(space) as writer:
            if self._keys.get(space) == key:
                return
            if writer.head().position:
                raise ConflictError(
                    "space_has_key", "this space has entries under another key already; join before writing",
                    field="space", next_action="none",
                )  # fmt: skip
            self._keys.take(space, key)

    def copy_to(self, path: Path, progress: Callable[[int, int], None] | None) -> tuple[dict[str, Head], list[Path]]:
        """Copy the whole file as one consistent state, and what is kept beside it; each space's end, the files kept."""
        with translated():
            copy_database(self._path, path, progress, self._vfs)
            ends = {space: Head(*end) for space, end in ends_of(path).items()}
        path.chmod(0o600)
        kept: list[Path] = []
        # Keys are only ever added, so the file holds every key that an entry of the copy needs.
        for keys, suffix in ((self._keys, KEYS_SUFFIX), (self._device, DEVICE_SUFFIX)):
            if keys.path.exists():
                kept.append(keys.copy_to(path.with_name(path.name + suffix)))
        return ends, kept

    def device_key(self, space: str) -> bytes:
        """The secret of this device, made under the append lock on first use and synced before anything it signs."""
        key = self._device.get(DEVICE)
        if key is not None:
            return key
        with self.writing(space):
            return self._device.make(DEVICE)

    def check(self, space: str) -> list[str]:
        """What SQLite finds wrong with its own pages, indexes and constraints, and what is missing of our schema."""
        found: list[str] = []
        with translated():
            # On a connection of its own: `integrity_check` reads a word index through what the connection remembers of
            # it, and calls it corrupt if another connection has merged it since.
            connection = self._connect(self._synchronous)
            try:
                expected, held = expected_objects(), objects(connection)
                found += [f"schema: {o[0]} {o[1]} is not what this version made" for o in sorted(expected - held)]
                found += [f"schema: {o[0]} {o[1]} was not made by this version" for o in sorted(held - expected)]
                found += _faults(connection)
            finally:
                connection.close()
        return found

    def scrub(self) -> Scrubbed:
        """Empty the log into the file, give back its free pages, and empty the log again.

        A writer, or a reader that still looks at an old snapshot, blocks that: it is waited for a moment, and then
        reported.
        """
        with self._write_lock, translated():
            self._last = None
            connection = self._writer
            connection.execute(f"PRAGMA busy_timeout = {SCRUB_TIMEOUT_MS}")
            try:
                free = self._pragma("freelist_count")
                connection.execute("PRAGMA incremental_vacuum").fetchall()
                freed = free - self._pragma("freelist_count")
                busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").get
            except apsw.BusyError:
                return Scrubbed("blocked", 0)
            finally:
                connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
            return Scrubbed("blocked" if busy else "truncated", freed)

    def sweep(self, needles: Sequence[Needle], terms: Sequence[str], vectors: Sequence[bytes] = ()) -> list[Residue]:
        """Where the files hold any of these bytes, the word indexes all of these terms, and what is left of vectors."""
        with translated():
            connection = self._connect(self._synchronous)
            try:
                found, wanted = sweep_vectors(connection, vectors)
                found += sweep_files(files_of(self._path), [*needles, *wanted])
                seen = {r.form for r in found}
                unseen = [n for n in needles if n.form not in seen]
                found += sweep_columns(connection, self._path.name, unseen)
                return found + sweep_vocabulary(connection, terms)
            finally:
                connection.close()

    def rehearse(
        self,
        folder: Path,
        canary: str,
        planted: Mapping[str, bytes],
        needles: Sequence[Needle],
        vectors: Sequence[bytes],
    ) -> dict[str, int]:
        """How often a sweep finds a canary in each place of a store made for it, and each planted form in a file."""
        scratch = SqliteStore(folder / "canary.db", synchronous="OFF")
        try:
            return rehearse(scratch, scratch._writer, folder / "canary.db", canary, planted, needles, vectors)
        finally:
            release(files_of(folder / "canary.db"))
            scratch.close()

    @property
    def is_read_only(self) -> bool:
        """Whether nothing can be written to the file."""
        return self._writer.readonly("main")

    def files(self) -> list[str]:
        """The names of the store's files."""
        return [p.name for p in files_of(self._path)]

    def facts(self) -> dict[str, object]:
        """Where the store is, its size, engine and schema version, and how many receipts its journal holds."""
        size = sum(p.stat().st_size for p in self._files() if p.exists())
        with translated():
            receipts, last = self._reader_connection().execute(self._queries["receipt_count"]).get
        return {
            "receipts": receipts,
            "last_receipt": last,
            "path": str(self._path),
            "bytes": size,
            "engine": f"SQLite {apsw.sqlite_lib_version()} through apsw {apsw.apsw_version()}",
            "schema_version": SCHEMA_VERSION,
            "synchronous": self._synchronous,
            "embedder": self.embedder.identity if self.embedder is not None else None,
            "read_only": self.is_read_only,
            "key_file": str(self._keys.path),
            "key_file_mode": oct(self._keys.path.stat().st_mode & 0o777) if self._keys.path.exists() else None,
        }

    def close(self) -> None:
        """Close every connection of every thread."""
        with self._open_lock, translated():
            self._closed = True
            for connection in (*self._open, self._journal, self._writer):
                connection.close()
            self._open.clear()

    # ---- inside ----------------------------------------------------------------------------------------------------

    def _files(self) -> list[Path]:
        return [self._path.with_name(self._path.name + suffix) for suffix in ("", "-wal")]

    def _reader_connection(self) -> Connection:
        connection: Connection | None = getattr(self._local, "connection", None)
        if self._closed:
            raise BrokenError("store_closed", "the memory is closed; open it again", next_action="none")
        if connection is None:
            with translated():
                connection = self._connect(self._synchronous)
            self._local.connection = connection
            with self._open_lock:
                self._open.append(connection)
        return connection

    def _connect(self, synchronous: str) -> Connection:
        if not self._path.exists():
            self._path.touch(mode=PRIVATE_MODE)  # the log and its index take the mode of the file
        opened = apsw.Connection(str(self._path), vfs=self._vfs)
        opened.set_busy_timeout(BUSY_TIMEOUT_MS)
        # Without this SQLite plans a statement anew for each value bound to it, at three times the statement's cost.
        opened.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        connection = cast("Connection", opened)
        # An empty file is told how to give back pages; told to one that is not, it would be a write for nothing.
        if not self._path.exists() or not self._path.stat().st_size:
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        for pragma in (
            "journal_mode = WAL",
            f"synchronous = {synchronous}",
            "foreign_keys = ON",
            "recursive_triggers = ON",
            "secure_delete = ON",
            "cache_size = -65536",
            f"wal_autocheckpoint = {CHECKPOINT_PAGES}",
            "mmap_size = 268435456",
            "temp_store = MEMORY",
        ):
            connection.execute(f"PRAGMA {pragma}")
        return connection

    def _refuse_foreign(self) -> None:
        """Refuse a file of another program before anything of it is changed, and without making files beside it."""
        if not self._path.exists() or not self._path.stat().st_size:
            return
        unchanged = f"{self._path.absolute().as_uri()}?immutable=1"
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        look = cast("Connection", apsw.Connection(unchanged, flags=flags, vfs=self._vfs))
        try:
            version_of(look)
        except (apsw.CorruptError, apsw.NotADBError):
            return  # after a power loss the log may hold what the file does not: whoever reads both will tell
        finally:
            look.close()

    def _migrate(self) -> None:
        """Make the schema in an empty file, renew an older one, refuse that of another program or of a later version.

        A file that has it is opened without the append lock: who only reads does not wait for a writer.
        """
        if version_of(self._writer) == SCHEMA_VERSION:
            return
        with self._write_lock:
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                adopt(self._writer)
            except BaseException:
                self._writer.execute("ROLLBACK")
                raise
            self._writer.execute("COMMIT")

    def _pragma(self, name: str) -> int:
        return int(self._writer.execute(f"PRAGMA {name}").get)


def _faults(connection: Connection) -> list[str]:
    """What the engine's own checks say; where they find something, first table by table, to name the place."""
    whole = _said(connection, "integrity_check") + _said(connection, "foreign_key_check")
    if not whole:
        return []
    tables = sorted(name for kind, name, _, _ in objects(connection) if kind == "table")
    return [f"{t}: {said}" for t in tables for said in _said(connection, f"integrity_check('{t}')")] + whole


def _said(connection: Connection, pragma: str) -> list[str]:
    try:
        return [str(row[0]) for row in connection.execute(f"PRAGMA {pragma}") if row[0] != "ok"]
    except (apsw.CorruptError, apsw.SQLError, UnicodeDecodeError) as error:
        return [f"the check stopped with {type(error).__name__}"]
