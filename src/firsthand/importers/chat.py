"""Chat JSONL: one `{id, speaker, text, at, thread}` to a line, where id, at and thread may be left out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, Final, cast

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
from firsthand.vocabulary.errors import AbsentError, InvalidError
from firsthand.vocabulary.instants import to_micros
from firsthand.vocabulary.limits import IMPORT_LINE_BYTES
from firsthand.vocabulary.packets import ImportProblem, ImportReport

FIELDS: Final = ("id", "speaker", "text", "at", "thread")
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_READ_BYTES: Final = len(_BYTE_ORDER_MARK) + IMPORT_LINE_BYTES + len(b"\r\n")


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
    for number, raw in _numbered(stream):
        try:
            yield _line(number, _object(raw))
        except InvalidError as error:
            yield problem(number, error)


def opened(source: Path | IO[bytes]) -> AbstractContextManager[IO[bytes]]:
    """The source as a stream; a stream that was handed in stays its owner's to close."""
    if not isinstance(source, Path):
        return nullcontext(source)
    try:
        return source.open("rb")
    except FileNotFoundError:
        raise AbsentError("source_absent", "there is no file at the source's path", field="source") from None
    except OSError as error:
        raise InvalidError("source_unreadable", "the source cannot be opened for reading", field="source") from error


def _numbered(stream: IO[bytes]) -> Iterator[tuple[int, bytes | None]]:
    """Lines from 1 without blank ones; `None` stands for one over its limit, whose rest is read past unkept."""
    number = 0
    while raw := stream.readline(_READ_BYTES):
        number += 1
        cut = len(raw) == _READ_BYTES and not raw.endswith(b"\n")
        while cut and (rest := stream.readline(_READ_BYTES)):
            cut = not rest.endswith(b"\n")
        if number == 1:
            raw = raw.removeprefix(_BYTE_ORDER_MARK)
        raw = raw.removesuffix(b"\n").removesuffix(b"\r")
        if len(raw) > IMPORT_LINE_BYTES:
            yield number, None
        elif raw.strip():
            yield number, raw


def _object(raw: bytes | None) -> dict[str, object]:
    if raw is None:
        raise InvalidError("line_too_long", f"the line is over its limit of {IMPORT_LINE_BYTES} bytes")
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise InvalidError("utf8_invalid", "the line is not valid UTF-8") from None
    try:
        decoded: object = json.loads(text, object_pairs_hook=_distinct)
    except (ValueError, RecursionError):
        raise InvalidError("json_invalid", "the line is not valid JSON") from None
    if not isinstance(decoded, dict):
        raise InvalidError("json_not_object", "the line is not a JSON object")
    return cast("dict[str, object]", decoded)


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Which of two values was meant cannot be known, so a repeated field is refused."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidError("field_repeated", "the line has the same field twice")
    return found


def _line(number: int, fields: dict[str, object]) -> Line:
    for key in fields:
        if key not in FIELDS:
            named = f" {key}" if _PLAIN_NAME.fullmatch(key) else ""
            raise InvalidError("field_unknown", f"the line has an unknown field{named}")
    at = _text(fields, "at")
    return Line(
        number=number,
        text=_required(fields, "text"),
        speaker=_required(fields, "speaker"),
        occurred_at=None if at is None else to_micros(at, "at"),
        thread=_text(fields, "thread"),
        native_id=_native_id(fields),
    )


def _required(fields: dict[str, object], key: str) -> str:
    value = _text(fields, key)
    if value is None:
        raise InvalidError("field_missing", f"{key} is missing", field=key)
    return value


def _text(fields: dict[str, object], key: str) -> str | None:
    """A number for `at` is refused too: it does not say whether it counts seconds or microseconds."""
    value = fields.get(key)
    if value is None or isinstance(value, str):
        return value
    raise InvalidError("field_not_text", f"{key} is not text", field=key)


def _native_id(fields: dict[str, object]) -> str | None:
    value = fields.get("id")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return _text(fields, "id")
