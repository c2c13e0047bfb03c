"""The space keys: one 0600 file beside the database, durable before the first entry that needs it (design 03)."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Collection
from pathlib import Path
from typing import Final

import msgspec

from firsthand.vocabulary.errors import BrokenError

KEY_BYTES: Final = 32


class KeyFile:
    """Keys by space. The file is replaced whole, so a reader sees the old or the new one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._keys: dict[str, bytes] = {}

    @property
    def path(self) -> Path:
        """Where the keys are."""
        return self._path

    def get(self, space: str) -> bytes | None:
        """The key of a space, if it has one."""
        if space not in self._keys:
            self._keys = self._read()
        return self._keys.get(space)

    def make(self, space: str) -> bytes:
        """Give a space its key; the caller holds the append lock, so that two processes cannot both do it."""
        keys = self._read()
        if space not in keys:
            keys[space] = secrets.token_bytes(KEY_BYTES)
            self._write(keys)
        self._keys = keys
        return keys[space]

    def take(self, space: str, key: bytes) -> None:
        """Give a space the key of its other stores; the caller holds the append lock, and no entry needs it."""
        keys = self._read()
        keys[space] = key
        self._write(keys)
        self._keys = keys

    def copy_to(self, path: Path) -> Path:
        """The same keys in another file."""
        KeyFile(path)._write(self._read())
        return path

    def differs(self, path: Path, used: Collection[str]) -> bool:
        """Whether another file has another key for a space that is in use here."""
        keys, more = self._read(), KeyFile(path)._read()
        return any(keys.get(space, key) != key for space, key in more.items() if space in used)

    def add(self, path: Path) -> None:
        """Take over the keys of another file."""
        self._write({**self._read(), **KeyFile(path)._read()})

    def _read(self) -> dict[str, bytes]:
        try:
            raw = self._path.read_bytes()
        except FileNotFoundError:
            return {}
        try:
            held = msgspec.json.decode(raw, type=dict[str, str])
            return {space: bytes.fromhex(key) for space, key in held.items()}
        except (msgspec.DecodeError, ValueError):
            raise BrokenError("key_file_unreadable", "the key file beside the database is not readable") from None

    def _write(self, keys: dict[str, bytes]) -> None:
        fresh = self._path.with_name(self._path.name + ".new")
        with contextlib.suppress(FileNotFoundError):
            fresh.unlink()
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.write(handle, msgspec.json.encode({s: k.hex() for s, k in keys.items()}, order="deterministic"))
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
