"""Chat JSONL: one `{id, speaker, text, at, thread}` to a line, where id, at and thread may be left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from firsthand.importers.intake import (
    BATCH_LINES_DEFAULT,
    Captures,
    Line,
    OnError,
    Progress,
    called,
    problem,
    take_in,
)
from firsthand.importers.jsonlines import decoded, numbered, text_of
from firsthand.importers.sources import opened
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.instants import to_micros
from firsthand.vocabulary.packets import ImportProblem, ImportReport

FIELDS: Final = ("id", "speaker", "text", "at", "thread")
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def import_chat(
    memory: Captures,
    source: Path | IO[bytes],
    *,
    name: str | None = None,
    on_error: OnError = "skip",
    progress: Progress | None = None,
    batch: int = BATCH_LINES_DEFAULT,
) -> ImportReport:
    """Capture every line of a chat file; the same actor running it again adds nothing.

    `name` (default: the file's full path) is part of every line's identity: a file that moves, and a stream, needs one.
    Lines without an id are known by their words and by how many equal ones stand before them.
    A bad line is a numbered problem in the report, or with `on_error="stop"` an `InvalidError` that says how many
    lines were added; lines go in `batch` to a transaction, and a batch is in whole or not at all.
    """
    with opened(source) as stream:
        what = called(source, name)
        return take_in(memory, parse(stream), source=what, on_error=on_error, progress=progress, batch=batch)


def parse(stream: IO[bytes]) -> Iterator[Line | ImportProblem]:
    """Every line that is not blank, as a turn or as what is wrong with it; never more than one line in memory."""
    for number, raw in numbered(stream):
        try:
            yield _line(number, decoded(raw))
        except InvalidError as error:
            yield problem(number, error)


def _line(number: int, fields: dict[str, object]) -> Line:
    for key in fields:
        if key not in FIELDS:
            named = f" {key}" if _PLAIN_NAME.fullmatch(key) else ""
            raise InvalidError("field_unknown", f"the line has an unknown field{named}")
    at = text_of(fields, "at")
    return Line(
        number=number,
        text=_required(fields, "text"),
        speaker=_required(fields, "speaker"),
        occurred_at=None if at is None else to_micros(at, "at"),
        thread=text_of(fields, "thread"),
        native_id=_native_id(fields),
    )


def _required(fields: dict[str, object], key: str) -> str:
    value = text_of(fields, key)
    if value is None:
        raise InvalidError("field_missing", f"{key} is missing", field=key)
    return value


def _native_id(fields: dict[str, object]) -> str | None:
    value = fields.get("id")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return text_of(fields, "id")
