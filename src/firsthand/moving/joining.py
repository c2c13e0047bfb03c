"""The key of a space, carried by hand to another store of it; never in an export, a pack or the ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from firsthand.moving.exporting import only_the_operator
from firsthand.moving.manifest import write_new
from firsthand.ports import Store
from firsthand.rules.access import Handle
from firsthand.vocabulary.errors import BrokenError, ConflictError, InvalidError
from firsthand.vocabulary.grants import check_slug
from firsthand.vocabulary.patterns import lazy_pattern

FORMAT: Final = "firsthand-space-key"
KEY_FILE_BYTES: Final = 4_096
_KEY: Final = lazy_pattern("[0-9a-f]{64}")


class SpaceKey(msgspec.Struct, frozen=True, kw_only=True):
    """A space and its key."""

    format: str
    space: str
    key: str


def write_key(store: Store, handle: Handle, path: Path) -> Path:
    """The key of a space in a new file for its owner alone: who has it can tell what the digests stand for."""
    only_the_operator(handle, "key")
    held = SpaceKey(format=FORMAT, space=handle.space, key=store.space_key(handle.space).hex())
    try:
        write_new(path, msgspec.json.encode(held, order="sorted"))
    except FileExistsError:
        raise ConflictError(
            "path_exists", "there is something at path already", field="path", next_action="fix_and_resubmit"
        ) from None
    except OSError:
        raise InvalidError("path_unwritable", "path cannot be written", field="path") from None
    return path


def read_key(path: Path) -> tuple[str, bytes]:
    """The space and key that `write_key` wrote."""
    try:
        with path.open("rb") as file:
            raw = file.read(KEY_FILE_BYTES)
    except OSError:
        raise InvalidError("path_missing", "there is no readable key file at path", field="path") from None
    try:
        held = msgspec.json.decode(raw, type=SpaceKey)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        held = None
    if held is None or held.format != FORMAT or not _KEY.fullmatch(held.key):
        raise BrokenError("key_file_unreadable", "the key file is damaged or of another program", field="path")
    return check_slug(held.space, "space"), bytes.fromhex(held.key)
