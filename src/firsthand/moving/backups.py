"""A backup is a folder: the database as one consistent state, what is kept beside it, and a list with hashes."""

from __future__ import annotations

import hashlib
import shutil
import time
from pathlib import Path
from typing import Final

import msgspec

from firsthand.moving.exporting import only_the_operator
from firsthand.moving.manifest import End, FileOf, in_lines, new_folder, write_new
from firsthand.moving.sealing import device_key
from firsthand.ports import Progress, Store
from firsthand.rules.access import Handle
from firsthand.vocabulary.errors import BrokenError, InvalidError, RefusedError
from firsthand.vocabulary.moves import BackupReport

FORMAT: Final = "firsthand-backup"
VERSION: Final = 1
MANIFEST: Final = "backup.json"
DATABASE: Final = "memory.db"
MANIFEST_BYTES: Final = 1024 * 1024


class BackupManifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a backup holds: its files, and where the ledger of each space ends."""

    format: str
    version: int
    files: tuple[FileOf, ...]
    kept: tuple[str, ...]
    spaces: dict[str, End]


def back_up(store: Store, handle: Handle, path: Path, progress: Progress | None) -> BackupReport:
    """Copy every space of the file while it is in use, with its keys."""
    only_the_operator(handle, "backup")
    started = time.perf_counter()
    device_key(store, handle.space)  # so that the restored store knows exports of this one as its own
    with new_folder(path) as folder:
        spaces, kept = store.copy_to(folder / DATABASE, progress)
        names = (DATABASE, *(file.name for file in kept))
        manifest = BackupManifest(
            format=FORMAT,
            version=VERSION,
            files=tuple(_file(folder / name) for name in names),
            kept=tuple(file.name for file in kept),
            spaces={space: End(**head._asdict()) for space, head in spaces.items()},
        )
        write_new(folder / MANIFEST, in_lines(manifest))
    return BackupReport(
        path=str(path),
        bytes=sum(file.bytes for file in manifest.files),
        spaces={space: end.position for space, end in manifest.spaces.items()},
        seconds=round(time.perf_counter() - started, 3),
    )


def read_backup(path: Path, *, without_kept: bool) -> tuple[BackupManifest, tuple[str, ...]]:
    """A backup's list, if its files are as they were written, and which kept files are missing.

    A backup without what is kept beside the database is refused unless `without_kept` says otherwise: without its
    keys a space cannot tell what it knows already.
    """
    manifest = _manifest(path)
    missing: list[str] = []
    for file in manifest.files:
        place = path / file.name
        if not place.is_file():
            if file.name not in manifest.kept:
                raise BrokenError("backup_incomplete", "the backup has no database", field="path")
            missing.append(file.name)
        elif _file(place) != file:
            raise BrokenError(
                "backup_damaged", "a file of the backup is not as it was written", field="path",
                details={"file": file.name},
            )  # fmt: skip
    if missing and not without_kept:
        raise RefusedError(
            "kept_missing", "the backup lacks a file that is kept beside the database", field="path",
            next_action="fix_and_resubmit", details={"missing": missing},
        )  # fmt: skip
    return manifest, tuple(missing)


def unpack(path: Path, manifest: BackupManifest, folder: Path) -> Path:
    """The files of a backup in another folder; where its database is then."""
    for file in manifest.files:
        if (path / file.name).is_file():
            shutil.copyfile(path / file.name, folder / file.name)
            (folder / file.name).chmod(0o600)
    return folder / DATABASE


def _manifest(path: Path) -> BackupManifest:
    try:
        with (path / MANIFEST).open("rb") as file:
            raw = file.read(MANIFEST_BYTES)
    except OSError:
        raise InvalidError("path_missing", "there is no backup at path", field="path") from None
    try:
        manifest = msgspec.json.decode(raw, type=BackupManifest)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        manifest = None
    if manifest is None or (manifest.format, manifest.version) != (FORMAT, VERSION):
        raise BrokenError("backup_unreadable", "the backup's list is damaged or of another program", field="path")
    names = [file.name for file in manifest.files]
    if DATABASE not in names or any(not name.startswith(DATABASE) or "/" in name for name in names):
        raise BrokenError("backup_unreadable", "the backup's list names files that no backup has", field="path")
    return manifest


def _file(path: Path) -> FileOf:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return FileOf(name=path.name, bytes=path.stat().st_size, sha256=digest, entries=0)
