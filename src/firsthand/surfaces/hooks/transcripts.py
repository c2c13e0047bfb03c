"""The end of a harness's transcript, as turns. Neither promises its format: a line that is not known is skipped.

Claude Code writes a JSON object a line: `type` (user, assistant), `isSidechain`, `isMeta`, `timestamp`, and
`message.content`: a string, or blocks of `type` text, tool_use (`name`, `input`), tool_result (`content`, `is_error`).
Codex writes `timestamp`, `type` (response_item, event_msg) and `payload`. What a user typed is an event_msg
user_message (a message of role user may be the harness's own), what the agent says a message of role assistant; what it
does is a function_call (`name`, `arguments`) or custom_tool_call (`name`, `input`), answered by `…_output` (`output`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import msgspec

from firsthand.surfaces.hooks.texts import decoded, told
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.instants import to_micros
from firsthand.vocabulary.patterns import lazy_pattern

TAIL_BYTES: Final = 256 * 1024
FAILED: Final = lazy_pattern(r"(?i)(?:exit code|exited with code|exit_code\"?):? ?[1-9]")
MARKUP: Final = lazy_pattern(r"\s*<[a-z]+(?:[-_][a-z]+)+[ >]")
"""What a harness says in the user's place, such as the output of a command of its own, begins with a tag like these."""


class _Block(msgspec.Struct):
    type: str = ""
    text: str | None = None
    name: str | None = None
    input: Any = None
    content: Any = None
    is_error: bool | None = None


class _Message(msgspec.Struct):
    content: str | list[_Block] = ""


class _Payload(msgspec.Struct):
    type: str = ""
    role: str | None = None
    message: Any = None
    content: Any = None
    name: str | None = None
    arguments: str | None = None
    input: Any = None
    output: Any = None


class _Line(msgspec.Struct):
    """A line of either transcript."""

    type: str = ""
    timestamp: str | None = None
    isSidechain: bool = False  # noqa: N815 - as it is written there
    isMeta: bool = False  # noqa: N815
    message: _Message | None = None
    payload: _Payload | None = None


class Turn(NamedTuple):
    """Something that happened in a session, in the order it happened."""

    what: Literal["asked", "replied", "called", "failed"]
    text: str
    at: int | None = None
    tool: str = ""
    input: Any = None


def read_turns(path: Path, most: int = TAIL_BYTES) -> list[Turn]:
    """The turns in the last `most` bytes of a transcript; none if there is no such file."""
    try:
        with path.open("rb") as file:
            start = max(0, file.seek(0, os.SEEK_END) - most)
            file.seek(start)
            lines = file.read(most).split(b"\n")
    except OSError:
        return []
    turns: list[Turn] = []
    for line in lines[1:] if start else lines:
        turns.extend(_turns_of(line))
    return turns


def last_turn(turns: list[Turn]) -> list[Turn]:
    """What happened since the user last asked for something."""
    asked = max((at for at, turn in enumerate(turns) if turn.what == "asked"), default=-1)
    return turns[asked + 1 :]


def _turns_of(data: bytes) -> Iterator[Turn]:
    try:
        line = decoded(data, _Line)
    except (ValueError, RecursionError):
        return
    if line.isSidechain or line.isMeta:
        return
    if line.message is not None and line.type in ("user", "assistant"):
        yield from _of_claude(line.type, line.message, _instant(line.timestamp))
    elif line.payload is not None:
        yield from _of_codex(line.payload, _instant(line.timestamp))


def _of_claude(role: str, message: _Message, at: int | None) -> Iterator[Turn]:
    content = message.content
    for block in [_Block(type="text", text=content)] if isinstance(content, str) else content:
        if block.type == "text" and role == "assistant":
            yield Turn("replied", block.text or "", at)
        elif block.type == "text" and not MARKUP.match(block.text or ""):
            yield Turn("asked", block.text or "", at)
        elif block.type == "tool_use":
            yield Turn("called", "", at, block.name or "", block.input)
        elif block.type == "tool_result" and block.is_error:
            yield Turn("failed", told(block.content), at)


def _of_codex(payload: _Payload, at: int | None) -> Iterator[Turn]:
    match payload.type:
        case "user_message" if isinstance(payload.message, str) and not MARKUP.match(payload.message):
            yield Turn("asked", payload.message, at)
        case "message" if payload.role == "assistant":
            yield Turn("replied", told(payload.content), at)
        case "function_call":
            yield Turn("called", "", at, payload.name or "", _arguments(payload.arguments))
        case "custom_tool_call":
            yield Turn("called", "", at, payload.name or "", {"input": payload.input})
        case "function_call_output" | "custom_tool_call_output" if FAILED.search(text := told(payload.output)):
            yield Turn("failed", text, at)
        case _:
            return


def _arguments(text: str | None) -> Any:
    """Codex writes the arguments of a call as JSON in a string."""
    try:
        return msgspec.json.decode(text or "null")
    except msgspec.MsgspecError:
        return None


def _instant(timestamp: str | None) -> int | None:
    try:
        return None if timestamp is None else to_micros(timestamp, "timestamp")
    except InvalidError:
        return None
