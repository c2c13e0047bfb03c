"""Claude Code's session files: one JSON object to a line, under `~/.claude/projects/PROJECT/SESSION.jsonl`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Final

from firsthand.importers.blocks import Piece, Tools, pieces
from firsthand.importers.intake import BATCH_LINES_DEFAULT, Captures, Line, OnError, Parsed, Progress, problem
from firsthand.importers.jsonlines import Fields, decoded, numbered, object_of, text_of
from firsthand.importers.sources import USER, Format, MemoryOf, bring_in
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.instants import to_micros
from firsthand.vocabulary.limits import SESSION_LINE_BYTES
from firsthand.vocabulary.packets import ImportReport

HARNESS: Final = "claude-code"
ASSISTANT: Final = "Claude"
SUMMARY: Final = "summary"
_BY_THE_PROGRAM: Final = re.compile(
    r"\s*(?:<(?:command-|local-command-|bash-|system-reminder|task-notification|user-prompt-submit-hook)"
    r"|\[Request interrupted by user)"
)
"""How texts begin that Claude Code itself writes in the user's place."""


def import_claude_code(
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

    Taken are the user's turns (as `speaker`'s), Claude's words and calls of tools, what tools gave back (as the tool's,
    which is also their origin), and summaries (as Claude's). Not taken are thinking, pictures, and whatever else the
    program keeps. What it writes in the user's place is nobody's speech and left out; what it tells a subagent is
    Claude's. A turn's id is the line's `uuid`, with the block's place after the first; its thread is the session, or
    the subagent's part of it. Lines are known by their ids wherever the file lies, so a forked session adds only what
    it does not share; what the hooks of its owner kept is known, too.
    Where `memory_of` is given, it says for each file which memory its turns go to.
    """
    how = Format(partial(parse, user=speaker), "*.jsonl", ids_within=HARNESS)
    return bring_in(
        memory, source, how, name=name, on_error=on_error, progress=progress, batch=batch, memory_of=memory_of
    )


def parse(stream: IO[bytes], _name: str = "", *, user: str = USER) -> Parsed:
    """Every turn of a session in the order of the file, or what is wrong with a line."""
    tools = Tools()
    for number, raw in numbered(stream, most=SESSION_LINE_BYTES):
        try:
            yield from list(_turns(number, decoded(raw, most=SESSION_LINE_BYTES), user, tools))
        except InvalidError as error:
            yield problem(number, error)


def _turns(number: int, fields: Fields, user: str, tools: Tools) -> Iterator[Line]:
    """The turns of one line; a line with a bad block is bad as a whole."""
    match text_of(fields, "type"):
        case "user" | "assistant" as role:
            yield from _message(number, fields, user if role == "user" else ASSISTANT, tools)
        case "summary":
            leaf = text_of(fields, "leafUuid")
            yield Line(
                number=number,
                text=text_of(fields, "summary") or "",
                speaker=ASSISTANT,
                native_id=None if leaf is None else f"{leaf}#{SUMMARY}",
                event_kind=SUMMARY,
            )
        case None:
            raise InvalidError("type_missing", "the line has no type, as every line of a session does", field="type")
        case _:
            return


def _message(number: int, fields: Fields, speaker: str, tools: Tools) -> Iterator[Line]:
    message = object_of(fields, "message")
    if fields.get("isMeta") is True or message.get("model") == "<synthetic>":
        return
    compacted = fields.get("isCompactSummary") is True
    said_by_claude = compacted or fields.get("isSidechain") is True
    at = text_of(fields, "timestamp")
    for piece in pieces(message.get("content"), tools):
        if speaker != ASSISTANT and not compacted and _is_by_the_program(piece):
            continue
        yield Line(
            number=number,
            text=piece.text,
            speaker=piece.speaker(ASSISTANT if said_by_claude else speaker),
            occurred_at=None if at is None else to_micros(at, "timestamp"),
            thread=_thread(fields),
            native_id=piece.named(text_of(fields, "uuid")),
            event_kind=SUMMARY if compacted else piece.kind,
            origin=piece.tool,
            turn=_turn(fields, piece, by_the_user=speaker != ASSISTANT and not said_by_claude),
        )


def _turn(fields: Fields, piece: Piece, *, by_the_user: bool) -> str | None:
    """What a hook calls it. What a subagent says, and what is said to it, no hook hears."""
    between_claudes = fields.get("isSidechain") is True or fields.get("isCompactSummary") is True
    if piece.kind is None and between_claudes:
        return None
    return piece.turn(HARNESS, text_of(fields, "sessionId"), "prompt" if by_the_user else "reply")


def _is_by_the_program(piece: Piece) -> bool:
    return piece.tool is None and _BY_THE_PROGRAM.match(piece.text) is not None


def _thread(fields: Fields) -> str | None:
    """The session; what a subagent did is a thread of its own, since it is between Claude and itself."""
    session = text_of(fields, "sessionId")
    if fields.get("isSidechain") is not True or session is None:
        return session
    return f"{session}/{text_of(fields, 'agentId') or 'sidechain'}"
