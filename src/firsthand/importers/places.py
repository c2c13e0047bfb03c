"""Where a session took place, as its file says."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from firsthand.importers.jsonlines import decoded, numbered, object_of
from firsthand.importers.sources import opened
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.limits import SESSION_LINE_BYTES

FOLDER: Final = "cwd"


def session_folder(file: Path) -> Path | None:
    """The folder that the first line of a session which names one says it was in: Claude Code's says it of every turn,
    Codex's of the session."""
    with opened(file) as stream:
        for _, raw in numbered(stream, most=SESSION_LINE_BYTES):
            if raw is not None and f'"{FOLDER}"'.encode() in raw and (found := _folder(raw)) is not None:
                return found
    return None


def _folder(raw: bytes) -> Path | None:
    try:
        fields = decoded(raw, most=SESSION_LINE_BYTES)
        named = fields.get(FOLDER) or object_of(fields, "payload").get(FOLDER)
    except InvalidError:
        return None  # the importer reports the line
    return Path(named) if isinstance(named, str) and "\0" not in named and Path(named).is_absolute() else None
