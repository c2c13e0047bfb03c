"""An export on disk: a folder of files with entries as stored, and a signed list of them."""

from __future__ import annotations

import contextlib
import glob
import hashlib
import os
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import IO, Final, Literal, Self

import msgspec

from firsthand.ports import LedgerRow
from firsthand.rules.access import Handle
from firsthand.rules.identity import chained
from firsthand.rules.signing import DeviceKey, device_of, signed_by
from firsthand.vocabulary.errors import BrokenError, ConflictError, InvalidError
from firsthand.vocabulary.moves import Left
from firsthand.vocabulary.patterns import lazy_pattern

FORMAT: Final = "firsthand-export"
VERSION: Final = 1
MANIFEST: Final = "manifest.json"
MANIFEST_BYTES: Final = 256 * 1024 * 1024
FILE_BYTES: Final = 8 * 1024 * 1024
"""Where one file of entries ends and the next begins."""
GENESIS: Final = "0" * 40
FILE_MOST_BYTES: Final = 64 * 1024 * 1024
FOLDER_MODE: Final = 0o700
FILE_MODE: Final = 0o600
_NAME: Final = lazy_pattern(r"entries-[0-9]{6}\.jsonl")
_READ_BYTES: Final = 1024 * 1024

ExportKind = Literal["ledger", "pack"]


class FileOf(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One file of an export."""

    name: str
    bytes: int
    sha256: str
    entries: int


class ErasureOf(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One erasure: which entry says so, of which others, and why."""

    entry_id: str
    targets: tuple[str, ...]
    reason_code: str


class End(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the ledger ended that was exported."""

    position: int
    entry_id: str | None
    chain: str
    received_at: int


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an export holds. `key_check` tells spaces apart that have one name and different keys.

    `believed_as_agent`: those of a pack's entries that its store itself has from others, and believes only so far.
    """

    format: str
    version: int
    kind: ExportKind
    space: str
    key_check: str
    device: str
    key: str
    made_at: int
    head: End
    entries: int
    files: tuple[FileOf, ...]
    seals: tuple[str, ...] = ()
    erasures: tuple[ErasureOf, ...] = ()
    left_out: tuple[Left, ...] = ()
    believed_as_agent: tuple[str, ...] = ()
    signature: str = ""

    def signed(self, key: DeviceKey) -> Manifest:
        """The same with its signature."""
        return msgspec.structs.replace(self, signature=key.sign(self._signed_text()))

    def is_signed(self) -> bool:
        """Whether it is signed by the device it names."""
        return device_of(self.key) == self.device and signed_by(self.key, self.signature, self._signed_text())

    def _signed_text(self) -> str:
        unsigned = msgspec.structs.replace(self, signature="")
        return "firsthand export 1\n" + msgspec.json.encode(unsigned, order="sorted").decode()


def key_check(handle: Handle) -> str:
    """What only who has the space's key can say of it."""
    return handle.keyed.digest("key check", handle.space)


# ---- writing ---------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def new_folder(path: Path) -> Generator[Path]:
    """A folder that takes its name only once everything in it is written and synced."""
    if path.exists():
        raise ConflictError("path_exists", "there is something at path already", field="path",
                            next_action="fix_and_resubmit")  # fmt: skip
    if not path.parent.is_dir():
        raise InvalidError("folder_missing", "the folder that path is in does not exist", field="path")
    partial = beside(path, "partial")
    partial.mkdir(mode=FOLDER_MODE)
    try:
        yield partial
        partial.replace(path)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def beside(path: Path, what: str) -> Path:
    """A name of this process's own beside a place; what killed processes left under such names is removed."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.{what}-*"):
        if not _is_running(left.name.rpartition("-")[2]):
            shutil.rmtree(left)
    return path.with_name(f".{path.name}.{what}-{os.getpid()}")


def _is_running(process: str) -> bool:
    """Whether there is a process of this number; Windows has no way to ask that does no harm."""
    if os.name == "nt" or not process.isdecimal():
        return True
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return int(process) != os.getpid()


class EntryFiles:
    """Entries written one a line into numbered files, each hashed while it is written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: IO[bytes] | None = None
        self._hash = hashlib.sha256()
        self._bytes = self._entries = 0
        self.files: list[FileOf] = []
        self.entries = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *gone: object) -> None:
        if self._file is not None:
            self._file.close()

    def write(self, row: LedgerRow) -> None:
        """One entry, its skeleton and body exactly as stored."""
        line = msgspec.json.encode(row) + b"\n"
        if self._file is not None and self._bytes + len(line) > FILE_BYTES:
            self.close()
        if self._file is None:
            self._file = create(self._folder / self._name())
        self._file.write(line)
        self._hash.update(line)
        self._bytes += len(line)
        self._entries += 1
        self.entries += 1

    def _name(self) -> str:
        return f"entries-{len(self.files) + 1:06}.jsonl"

    def close(self) -> None:
        """End the file that is written, if there is one."""
        if self._file is None:
            return
        sync(self._file)
        self._file.close()
        name = self._name()
        found = FileOf(name=name, bytes=self._bytes, sha256=self._hash.hexdigest(), entries=self._entries)
        self.files.append(found)
        self._file, self._hash, self._bytes, self._entries = None, hashlib.sha256(), 0, 0


def create(path: Path) -> IO[bytes]:
    """A new file for its owner alone."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE), "wb")


def sync(file: IO[bytes]) -> None:
    """Wait until a file is on the disk."""
    file.flush()
    os.fsync(file.fileno())


def write_new(path: Path, data: bytes) -> None:
    """A new file for its owner alone, on the disk when this returns."""
    with create(path) as file:
        file.write(data)
        sync(file)


def in_lines(listed: msgspec.Struct) -> bytes:
    """A list as JSON that a person can read."""
    return msgspec.json.format(msgspec.json.encode(listed, order="sorted"), indent=1) + b"\n"


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """The list of a folder's files, written last."""
    write_new(folder / MANIFEST, in_lines(manifest))


# ---- reading ---------------------------------------------------------------------------------------------------------


def read_manifest(path: Path) -> Manifest:
    """The list of an export, if it is one, of a version that is known, and signed by the device it names."""
    raw = _read(path / MANIFEST if path.is_dir() else path)
    try:
        head = msgspec.json.decode(raw, type=dict[str, object])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise BrokenError("export_unreadable", "the manifest is damaged or of another program", field="path") from None
    if head.get("format") != FORMAT:
        raise InvalidError("not_an_export", "path is not a folder that `firsthand export` wrote", field="path")
    if head.get("version") != VERSION:
        raise InvalidError("export_version", "the export is of a version this one does not know", field="path")
    try:
        manifest = msgspec.json.decode(raw, type=Manifest)
    except msgspec.MsgspecError:
        raise BrokenError("export_unreadable", "the manifest is damaged", field="path") from None
    if not manifest.is_signed():
        raise BrokenError("export_forged", "the manifest is not as its device signed it", field="path")
    return manifest


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > MANIFEST_BYTES:
            raise InvalidError("export_too_large", f"the manifest is over {MANIFEST_BYTES} bytes", field="path")
        return path.read_bytes()
    except FileNotFoundError:
        raise InvalidError("path_missing", "there is no export at path", field="path") from None
    except OSError:
        raise InvalidError("path_unreadable", "path cannot be read", field="path") from None


def check_files(folder: Path, manifest: Manifest) -> None:
    """Raise unless every file is there and is byte for byte what was signed."""
    names = [file.name for file in manifest.files]
    if len(set(names)) != len(names) or not all(_NAME.fullmatch(name) for name in names):
        raise BrokenError("export_unreadable", "the manifest names files that no export has", field="path")
    for file in manifest.files:
        _check_file(folder / file.name, file)


def _check_file(path: Path, file: FileOf) -> None:
    if file.bytes > FILE_MOST_BYTES:
        raise InvalidError("export_too_large", f"a file of the export is over {FILE_MOST_BYTES} bytes", field="path")
    try:
        size = path.stat().st_size
        with path.open("rb") as opened:
            found = hashlib.file_digest(opened, "sha256").hexdigest() if size == file.bytes else ""
    except OSError:
        raise BrokenError(
            "export_incomplete", "a file of the export is missing", field="path", details={"file": file.name}
        ) from None
    if found != file.sha256:
        raise BrokenError(
            "export_damaged", "a file of the export is not as it was written", field="path",
            details={"file": file.name},
        )  # fmt: skip


def linked_rows(folder: Path, manifest: Manifest) -> Iterator[tuple[LedgerRow, str]]:
    """Every entry with the chain before it; a whole ledger has no gap, and ends where its manifest says."""
    chain, position, read = GENESIS, 0, 0
    whole = manifest.kind == "ledger"
    for row in rows_in(folder, manifest):
        if whole and (row.position != position + 1 or row.chain != chained(chain, row.entry_id, row.received_at)):
            raise BrokenError(
                "export_broken", "the chain of the exported ledger does not hold", field="path",
                details={"position": row.position},
            )  # fmt: skip
        yield row, chain
        chain, position, read = row.chain, row.position, read + 1
    if read != manifest.entries or (whole and (position, chain) != (manifest.head.position, manifest.head.chain)):
        raise BrokenError("export_incomplete", "the export holds other entries than its manifest says", field="path")


def rows_in(folder: Path, manifest: Manifest) -> Iterator[LedgerRow]:
    """Every entry of an export, file by file; each file's bytes are checked again, since they may have changed."""
    decode = msgspec.json.Decoder(LedgerRow).decode
    for file in manifest.files:
        data = (folder / file.name).read_bytes()
        if hashlib.sha256(data).hexdigest() != file.sha256:
            raise BrokenError("export_damaged", "a file of the export changed while it was read", field="path")
        for line in data.splitlines():
            try:
                yield decode(line)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                raise BrokenError("export_unreadable", "a line of the export is not an entry", field="path") from None
