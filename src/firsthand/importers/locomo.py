"""LoCoMo conversations (Maharana et al., ACL 2024): one JSON file holding the sessions of two speakers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
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
from firsthand.importers.jsonlines import text_of
from firsthand.importers.sources import opened
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.instants import to_micros
from firsthand.vocabulary.packets import ImportProblem, ImportReport

CONVERSATION_BYTES_MAX: Final = 16 * 1024 * 1024
_SESSION: Final = re.compile(r"session_([1-9][0-9]{0,5})")
_SPOKEN: Final = re.compile(r"(\d{1,2}):(\d{2}) (am|pm) on (\d{1,2}) ([a-z]+),? (\d{4})", re.ASCII)
_MONTHS: Final[tuple[str, ...]] = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)  # written out, since strptime would read them in the machine's own language


def import_locomo(
    memory: Captures,
    path: Path | IO[bytes],
    *,
    name: str | None = None,
    on_error: OnError = "skip",
    progress: Progress | None = None,
    batch: int = BATCH_LINES_DEFAULT,
) -> ImportReport:
    """Capture every turn of one conversation; running it again adds nothing.

    A turn's text is its words and, where it shared a picture, `[image: caption]` on a line of its own. Its instant is
    its session's (to the minute, read as UTC), its thread `session_N`, its source id the `dia_id`. Problems count
    turns from 1 in the order of the conversation. Give each conversation its own scope: all use the same ids.
    """
    with opened(path) as stream:
        what = called(path, name)
        return take_in(memory, parse(stream), source=what, on_error=on_error, progress=progress, batch=batch)


def parse(stream: IO[bytes]) -> Iterator[Line | ImportProblem]:
    """Every turn in the order it was spoken, or what is wrong with it."""
    conversation = _conversation(stream)
    sessions = sorted(int(found[1]) for key in conversation if (found := _SESSION.fullmatch(key)))
    number = 0
    for session in sessions:
        thread = f"session_{session}"
        for turn in _turns(conversation[thread]):
            number += 1
            try:
                yield _line(number, turn, thread=thread, spoken=conversation.get(f"{thread}_date_time"))
            except InvalidError as error:
                yield problem(number, error)


def spoken_at(text: object) -> int:
    """`1:56 pm on 8 May, 2023` in microseconds UTC."""
    found = _SPOKEN.fullmatch(text.strip().lower()) if isinstance(text, str) else None
    if found is None or found[5] not in _MONTHS or not 1 <= int(found[1]) <= 12:
        raise InvalidError("instant_invalid", "date_time is not like 1:56 pm on 8 May, 2023", field="date_time")
    hour = int(found[1]) % 12 + (12 if found[3] == "pm" else 0)
    try:
        moment = datetime(int(found[6]), _MONTHS.index(found[5]) + 1, int(found[4]), hour, int(found[2]), tzinfo=UTC)
    except ValueError:
        raise InvalidError("instant_invalid", "date_time names no day of the calendar", field="date_time") from None
    return to_micros(moment, "date_time")


def _conversation(stream: IO[bytes]) -> dict[str, object]:
    raw = stream.read(CONVERSATION_BYTES_MAX + 1)
    if len(raw) > CONVERSATION_BYTES_MAX:
        raise InvalidError(
            "source_too_long", f"the file is over its limit of {CONVERSATION_BYTES_MAX} bytes", field="source"
        )
    try:
        found: object = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise InvalidError("json_invalid", "the file is not valid JSON in UTF-8", field="source") from None
    if not isinstance(found, dict) or not any(_SESSION.fullmatch(key) for key in cast("dict[str, object]", found)):
        raise InvalidError("not_a_conversation", "the file holds no session_1 of a conversation", field="source")
    return cast("dict[str, object]", found)


def _turns(session: object) -> list[object]:
    """A session that is no list is one bad turn, so that it is reported and not passed over."""
    return cast("list[object]", session) if isinstance(session, list) else [session]


def _line(number: int, turn: object, *, thread: str, spoken: object) -> Line:
    if not isinstance(turn, dict):
        raise InvalidError("turn_invalid", "the turn is not a JSON object")
    fields = cast("dict[str, object]", turn)
    words = text_of(fields, "text") or text_of(fields, "clean_text")
    caption = text_of(fields, "blip_caption")
    return Line(
        number=number,
        text="\n".join(part for part in (words, caption and f"[image: {caption}]") if part),
        speaker=text_of(fields, "speaker") or "",
        occurred_at=spoken_at(spoken),
        thread=thread,
        native_id=text_of(fields, "dia_id"),
    )
