"""The space keys: one 0600 file beside the database, durable before the first entry that needs it (design 03)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection
from pathlib import Path
from typing import Final

import msgspec

from firsthand.vocabulary.errors import BrokenError

KEY_BYTES: Final = 32


class KeyFile:
    """Keys by space: one, or a list whose first is in use. The file is replaced whole, so a reader sees either."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._keys: dict[str, list[bytes]] = {}

    @property
    def path(self) -> Path:
        """Where the keys are."""
        return self._path

    def get(self, space: str) -> bytes | None:
        """The key of a space, if it has one."""
        if space not in self._keys:
            self._keys = self._read()
        held = self._keys.get(space)
        return held[0] if held else None

    def older(self, space: str) -> tuple[bytes, ...]:
        """Keys that a space had before, newest first: what was forbidden under them is still found."""
        return tuple(self._keys.get(space, ())[1:])

    def make(self, space: str) -> bytes:
        """Give a space its key; the caller holds the append lock, so that two processes cannot both do it."""
        keys = self._read()
        if space not in keys:
            keys[space] = [os.urandom(KEY_BYTES)]
            self._write(keys)
        self._keys = keys
        return keys[space][0]

    def take(self, space: str, key: bytes) -> None:
        """Give a space the key of its other stores; the caller holds the append lock, and no entry needs it."""
        keys = self._read()
        keys[space] = [key]
        self._write(keys)
        self._keys = keys

    def copy_to(self, path: Path) -> Path:
        """The same keys in another file."""
        KeyFile(path)._write(self._read())
        return path

    def differs(self, path: Path, used: Collection[str]) -> bool:
        """Whether another file has another key for a space that is in use here."""
        keys, more = self._read(), KeyFile(path)._read()
        return any(keys.get(space, held)[0] != held[0] for space, held in more.items() if space in used)

    def add(self, path: Path) -> None:
        """Take over the keys of another file."""
        self._write({**self._read(), **KeyFile(path)._read()})

    def _read(self) -> dict[str, list[bytes]]:
        try:
            raw = self._path.read_bytes()
        except FileNotFoundError:
            return {}
        try:
            held = msgspec.json.decode(raw, type=dict[str, str | list[str]])
            listed = {space: [keys] if isinstance(keys, str) else keys for space, keys in held.items()}
            return {space: [bytes.fromhex(key) for key in keys] for space, keys in listed.items() if keys}
        except (msgspec.DecodeError, ValueError):
            raise BrokenError("key_file_unreadable", "the key file beside the database is not readable") from None

    def _write(self, keys: dict[str, list[bytes]]) -> None:
        fresh = self._path.with_name(self._path.name + ".new")
        with contextlib.suppress(FileNotFoundError):
            fresh.unlink()
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            written = {s: k[0].hex() if len(k) == 1 else [each.hex() for each in k] for s, k in keys.items()}
            os.write(handle, msgspec.json.encode(written, order="deterministic"))
            os.fsync(handle)
        finally:
            os.close(handle)
        fresh.replace(self._path)
        sync_folder(self._path.parent)


def sync_folder(folder: Path) -> None:
    """Make a rename durable; Windows has no such call and needs none."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
