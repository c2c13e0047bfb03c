"""Codex's session files: one JSON object to a line, under `~/.codex/sessions/YEAR/MONTH/DAY/rollout-….jsonl`."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import IO, Final, NamedTuple, cast

from firsthand.importers.blocks import TOOL_RESULT, TOOL_USE, Piece, Tools, plain_text
from firsthand.importers.intake import BATCH_LINES_DEFAULT, Captures, Line, OnError, Parsed, Progress, problem
from firsthand.importers.jsonlines import Fields, compact, decoded, list_of, numbered, object_of, text_of
from firsthand.importers.sources import USER, Format, MemoryOf, bring_in
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.instants import to_micros
from firsthand.vocabulary.limits import SESSION_LINE_BYTES, says_nothing
from firsthand.vocabulary.packets import ImportReport

HARNESS: Final = "codex"
ASSISTANT: Final = "Codex"
_BY_THE_PROGRAM: Final = re.compile(
    r"\s*(?:# AGENTS\.md instructions for "
    r"|<(?:environment_context|user_instructions|recommended_plugins|turn_aborted|skill|user_shell_command)\b)"
)
"""How texts begin that Codex itself writes in the user's place."""
_CALLS: Final = frozenset(("function_call", "custom_tool_call", "local_shell_call"))
_OUTPUTS: Final = frozenset(("function_call_output", "custom_tool_call_output"))


def import_codex(
    memory: Captures,
    source: Path | IO[bytes],
    *,
    name: str | None = None,
    speaker: str = USER,
    on_error: OnError = "skip",
    progress: Progress | None = None,
    batch: int = BATCH_LINES_DEFAULT,
    memory_of: MemoryOf | None = None,
) -> ImportReport:
    """Capture a session, or all sessions of a folder; running it again adds only what is new.

    Taken are the `response_item` lines: the user's turns (as `speaker`'s), Codex's words and calls of tools, and what
    tools gave back. The `event_msg` lines say the same again and are left out, as is reasoning, and what the program
    writes in the user's place. The thread is the session's id. Words have no ids: they are known by thread,
    instant and text, wherever the file lies. A forked session repeats its beginning under another thread. What the
    hooks of its owner kept is known, too. Where `memory_of` is
    given, it says for each file which memory its turns go to.
    """
    how = Format(partial(parse, user=speaker), "*.jsonl", ids_within=HARNESS)
    return bring_in(
        memory, source, how, name=name, on_error=on_error, progress=progress, batch=batch, memory_of=memory_of
    )


def parse(stream: IO[bytes], _name: str = "", *, user: str = USER) -> Parsed:
    """Every turn of a session in the order of the file, or what is wrong with a line."""
    session = _Session()
    for number, raw in numbered(stream, most=SESSION_LINE_BYTES):
        try:
            yield from _turns(number, decoded(raw, most=SESSION_LINE_BYTES), user, session)
        except InvalidError as error:
            yield problem(number, error)


class _Session:
    """What earlier lines of a file say about later ones; a forked session names its forebear after itself."""

    def __init__(self) -> None:
        self.thread: str | None = None
        self.tools = Tools()


class _Said(NamedTuple):
    piece: Piece
    speaker: str = ASSISTANT
    native_id: str | None = None


def _turns(number: int, fields: Fields, user: str, session: _Session) -> list[Line]:
    payload = object_of(fields, "payload")
    at = text_of(fields, "timestamp")
    match text_of(fields, "type"):
        case "session_meta":
            session.thread = session.thread or text_of(payload, "id")
            return []
        case "response_item":
            said = _said(payload, user, session.tools)
        case None:
            raise InvalidError("type_missing", "the line has no type, as every line of a session does", field="type")
        case _:
            return []
    return [
        Line(
            number=number,
            text=piece.text,
            speaker=piece.speaker(speaker),
            occurred_at=None if at is None else to_micros(at, "timestamp"),
            thread=session.thread,
            native_id=native_id,
            event_kind=piece.kind,
            origin=piece.tool,
            turn=piece.turn(HARNESS, session.thread, "reply" if speaker == ASSISTANT else "prompt"),
        )
        for piece, speaker, native_id in said
        if not says_nothing(piece.text)
    ]


def _said(payload: Fields, user: str, tools: Tools) -> list[_Said]:
    kind = text_of(payload, "type")
    call = text_of(payload, "call_id")
    if kind == "message":
        return _words(payload, user)
    if kind in _CALLS:
        name = text_of(payload, "name") or "shell"
        tools.called(call, name)
        return [_Said(Piece(f"{name} {_arguments(payload)}", kind=TOOL_USE, call=call), native_id=call)]
    if kind in _OUTPUTS:
        piece = Piece(_output(payload.get("output")), kind=TOOL_RESULT, tool=tools.answering(call), call=call)
        return [_Said(piece, native_id=None if call is None else f"{call}#output")]
    return []


def _words(payload: Fields, user: str) -> list[_Said]:
    """One text for each part of a message; what the program or its developer wrote is left out."""
    role = text_of(payload, "role")
    if role not in ("user", "assistant"):
        return []
    texts = [plain_text([part]) for part in list_of(payload, "content")]
    if role == "assistant":
        return [_Said(Piece(text)) for text in texts]
    return [_Said(Piece(text), user) for text in texts if not _BY_THE_PROGRAM.match(text)]


def _arguments(payload: Fields) -> str:
    """What a tool was called with: already text for most, an object for the shell."""
    for key in ("arguments", "input"):
        if isinstance(given := payload.get(key), str):
            return given
    return compact(payload.get("action"))


def _output(output: object) -> str:
    """Older files put the text into an object beside whether the call succeeded."""
    return plain_text(cast("Fields", output).get("content") if isinstance(output, dict) else output)
