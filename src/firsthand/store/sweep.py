"""Looks for bytes in every file of a store, without asking the engine what it thinks is in them."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from firsthand.ports import Residue
from firsthand.store.engine import Connection

if TYPE_CHECKING:
    from firsthand.rules.residue import Needle

CHUNK_BYTES: Final = 16 * 1024 * 1024
OFFSETS_TOLD: Final = 4


def files_of(path: Path) -> list[Path]:
    """The database and every file beside it that carries its name: log, shared memory, rollback journal, keys."""
    return sorted(p for p in path.parent.glob(path.name + "*") if p.is_file())


def sweep_files(paths: Sequence[Path], needles: Sequence[Needle]) -> list[Residue]:
    """Where any of these bytes stand, letters in either case; those too short to mean anything in bytes aside."""
    found: list[Residue] = []
    looked_for = [n for n in needles if not n.is_short]
    for path in paths:
        offsets: dict[Needle, list[int]] = {}
        for start, data in _chunks(path, max((len(n.data) for n in looked_for), default=0) + 2):
            for needle in looked_for:
                offsets.setdefault(needle, []).extend(start + at for at in _every(data, needle))
        for needle, places in offsets.items():
            if places:
                distinct = sorted(set(places))
                found.append(Residue(path.name, needle.form, len(distinct), tuple(distinct[:OFFSETS_TOLD])))
    return found


def sweep_columns(connection: Connection, where: str, needles: Sequence[Needle]) -> list[Residue]:
    """Columns that hold what counts only alone: in a file a column may begin where another one ends in a letter."""
    found: list[Residue] = []
    columns = connection.execute(
        "SELECT t.name, c.name FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c "
        "WHERE t.schema = 'main' AND t.type = 'table' AND c.type = 'TEXT'"
    ).fetchall()
    for needle in (n for n in needles if n.alone):
        times = 0
        for table, column in columns:
            held = f'SELECT "{column}" FROM "{table}" WHERE instr(lower("{column}"), ?)'
            for (text,) in connection.execute(held, (needle.data.decode(),)):
                times += any(True for _ in _every(str(text).encode().lower(), needle))
        if times:
            found.append(Residue(where, needle.form, times, ()))
    return found


def sweep_vocabulary(connection: Connection, terms: Sequence[str]) -> list[Residue]:
    """Documents of the word indexes that hold all of these terms, as the engine's own vocabulary says."""
    if not terms:
        return []
    found: list[Residue] = []
    for index in ("lex", "lex_rest"):
        table = f"temp.{index}_swept"
        connection.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS {table} USING fts5vocab('main', '{index}', 'instance')")
        holding = [{d for (d,) in connection.execute(f"SELECT doc FROM {table} WHERE term = ?", (t,))} for t in terms]
        together = set[object].intersection(*holding)
        if together:
            found.append(Residue(index, "vocabulary", len(together), ()))
    return found


def sweep_vectors(connection: Connection, vectors: Sequence[bytes]) -> tuple[list[Residue], list[Needle]]:
    """Vectors whose words are gone, and what to look for in the files: not what words that stay have as well.

    Texts of the same known words in another order, or beside others that are not known, have one vector.
    """
    from firsthand.rules.residue import vector_needle

    found = 0
    wanted: list[Needle] = []
    for vector in vectors:
        rows = connection.execute(_BLANK_OR_NOT, (vector,)).fetchall()
        found += sum(blank for (blank,) in rows)
        if all(blank for (blank,) in rows):
            wanted.append(vector_needle(vector))
    return [Residue("vector", "vector", found, ())] if found else [], wanted


_BLANK_OR_NOT: Final = (
    "SELECT e.body IS NULL FROM vector v LEFT JOIN doc d ON d.space_id = v.space_id AND d.vid = v.vid "
    "LEFT JOIN entry e ON e.space_id = d.space_id AND e.position = d.position WHERE v.packed = ?"
)


def _chunks(path: Path, overlap: int) -> Iterator[tuple[int, bytes]]:
    """A file in pieces that share their ends, in lower case; one that its last user closed meanwhile holds nothing."""
    try:
        handle = _handle(path)
    except FileNotFoundError:
        return
    start, kept = 0, b""
    while data := _read(handle, start + len(kept)):
        piece = kept + data
        yield start, piece.lower()
        kept = piece[-overlap:]
        start += len(piece) - len(kept)


_handles: dict[tuple[int, int], int] = {}
_handles_lock = threading.Lock()


def _handle(path: Path) -> int:
    """A handle on a file that is never closed again.

    Closing any handle on a file drops every POSIX lock this process has on it, SQLite's own included: other processes
    would then take the database for closed, and delete the log and the shared memory that we still use.
    """
    with _handles_lock:
        at = path.stat()
        key = (at.st_dev, at.st_ino)
        if key not in _handles:
            _handles[key] = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        return _handles[key]


def release(paths: Iterable[Path]) -> None:
    """Close the handles on files of a store that nobody has open any more."""
    with _handles_lock:
        for path in paths:
            at = path.stat()
            handle = _handles.pop((at.st_dev, at.st_ino), None)
            if handle is not None:
                os.close(handle)


def _read(handle: int, start: int) -> bytes:
    with _handles_lock:
        os.lseek(handle, start, os.SEEK_SET)
        return os.read(handle, CHUNK_BYTES)


def _every(data: bytes, needle: Needle) -> Iterator[int]:
    at = data.find(needle.data)
    while at >= 0:
        if not needle.alone or _is_alone(data, at, at + len(needle.data)):
            yield at
        at = data.find(needle.data, at + 1)


def _is_alone(data: bytes, at: int, end: int) -> bool:
    """Whether it is no part of a longer word. Behind its own size it is a word index's, or the end of one there."""
    before, after = data[at - 1 : at], data[end : end + 1]
    return not (before.isalnum() or after.isalnum() or before == bytes([end - at]))


class Sweeper(Protocol):
    """A store that can be swept."""

    def sweep(self, needles: Sequence[Needle], terms: Sequence[str], vectors: Sequence[bytes] = ()) -> list[Residue]:
        """Where the files hold any of these bytes, the word indexes all of these terms, and what is left of vectors."""
        ...


def rehearse(
    store: Sweeper,
    connection: Connection,
    path: Path,
    canary: str,
    planted: Mapping[str, bytes],
    needles: Sequence[Needle],
    vectors: Sequence[bytes],
) -> dict[str, int]:
    """Put a canary in each place a store has, then sweep it: how often it was seen in each."""
    beside = canary[: len(canary) // 2]
    for index in ("lex", "lex_rest"):
        # What comes before it in the index shares its beginning, so that the index holds only the end of the second.
        connection.execute(f"INSERT INTO {index} (rowid, terms) VALUES (1, ?), (2, ?)", (beside, canary))
        connection.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")
    for at, vector in enumerate(vectors):
        connection.execute("INSERT INTO vector (space_id, vid, packed) VALUES ('canary', ?, ?)", (at, vector))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    indexed = store.sweep(needles, (canary,))
    seen = {
        "end of a term": sum(r.times for r in indexed if r.where == path.name and r.form == "term_end"),
        **{f"vocabulary of {i}": sum(r.times for r in indexed if r.where == i) for i in ("lex", "lex_rest")},
    }
    if vectors:
        left = store.sweep((), (), vectors)
        seen["vector"] = sum(r.times for r in left if r.where == "vector")
        seen["vector in the file"] = sum(r.times for r in left if r.where == path.name)
    names = "INSERT INTO name (space_id, name_id, what, text) VALUES ('canary', ?, 'who', ?)"
    connection.execute(names, ("in the file", canary))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute(names, ("in the log", canary))
    for form, data in planted.items():
        path.with_name(f"{path.name}-{form}").write_bytes(data)
    whole = store.sweep(needles, (), vectors)
    for place, suffix in (("database", ""), ("write-ahead log", "-wal")):
        seen[place] = sum(r.times for r in whole if r.where == path.name + suffix)
    for form in planted:
        seen[form] = sum(r.times for r in whole if r.where == f"{path.name}-{form}" and r.form == form)
    return seen
