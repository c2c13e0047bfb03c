"""What is kept of an event: the user's words, what a tool did, what the agent said."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from typing import Any, Final, cast

from firsthand.capture.clipping import clip
from firsthand.importers.session_turns import Part, turn_name
from firsthand.surfaces.hooks.events import Event
from firsthand.surfaces.hooks.spool import Who
from firsthand.surfaces.hooks.texts import clipped, fields_of
from firsthand.surfaces.hooks.texts import told as words_of
from firsthand.surfaces.hooks.transcripts import MARKUP, Turn, last_turn
from firsthand.vocabulary.limits import NAME_BYTES
from firsthand.vocabulary.patterns import lazy_pattern

SPEECH_BYTES: Final = 32 * 1024
TOOL_INPUT_BYTES: Final = 512
TOOL_RESULT_BYTES: Final = 1_024
REPLIES: Final = 20
"""How many of the agent's texts since the user last spoke are kept: the last ones."""
NOT_EVIDENCE: Final = frozenset(("TodoWrite", "update_plan"))
"""Tools that only keep the session's own list: it goes into the working record."""
_OURS: Final = lazy_pattern(r"(?:^|[\s/;&|(])firsthand(?:\s|$)")

Item = dict[str, Any]
"""Arguments of `capture`, as JSON."""


def taken(event: Event, who: Who, turns: list[Turn], now: int) -> list[Item]:
    """The episodes in an event; `turns` is the end of the transcript, where it was read."""
    match event.name:
        case "UserPromptSubmit":
            return list(_prompt(event, who, now))
        case "PostToolUse":
            return list(_tool(event, who, now))
        case "PreCompact" | "Stop" | "SessionEnd":
            return list(_replies(event, who, turns, now))
        case _:
            return []


def _prompt(event: Event, who: Who, now: int) -> Iterator[Item]:
    """The owner's speech; what the harness says in the user's place is its own."""
    text, whole = clip(event.prompt or "", SPEECH_BYTES)
    by_user = not MARKUP.match(event.prompt or "")
    if text:
        said = {"speaker": who.owner} if by_user else {"origin": who.harness}
        turns = [_turn(who, "prompt", text, nth=None)] if whole else []
        yield _item(text, "prompt", who, now, event.turn_id, turns=turns, **said)


def _tool(event: Event, who: Who, now: int) -> Iterator[Item]:
    tool = clipped(event.tool_name or "", NAME_BYTES)
    if not tool or tool in NOT_EVIDENCE or _asks_us(event):
        return
    given = clip(words_of(event.tool_input), TOOL_INPUT_BYTES)
    result = clip(words_of(event.tool_response), TOOL_RESULT_BYTES)
    text = f"{tool}: {given.text}\n{result.text}".strip()
    call = event.tool_use_id
    calls = [{"id": call or "call", "tool": tool}]
    turns = [_turn(who, "call", call)] if call and given.whole else []
    turns += [_turn(who, "result", call)] if call and result.whole else []
    yield _item(text, "tool", who, now, call, turns=turns, origin=tool, tool_graph=calls)


def _asks_us(event: Event) -> bool:
    """Whether a tool is this memory itself: what it answers is no evidence for anything."""
    command = fields_of(event.tool_input).get("command") or ""
    words = " ".join(map(str, cast("list[object]", command))) if isinstance(command, list) else str(command)
    return (event.tool_name or "").startswith("mcp__firsthand") or _OURS.search(words) is not None


def _replies(event: Event, who: Who, turns: list[Turn], now: int) -> Iterator[Item]:
    """What the agent said since the user last spoke; the harness may tell the last of it before it writes it down."""
    said = {
        clip(turn.text, SPEECH_BYTES): turn.at or now for turn in last_turn(turns) if turn.what == "replied"
    }  # fmt: skip
    said.setdefault(clip(event.last_assistant_message or "", SPEECH_BYTES), now)
    spoken = [(text, at, whole) for (text, whole), at in said.items() if text]
    for text, at, whole in spoken[-REPLIES:]:
        names = [_turn(who, "reply", text)] if whole else []
        yield _item(text, "reply", who, at, text, turns=names, speaker=who.harness)


def _turn(who: Who, part: Part, known_by: str, *, nth: int | None = 0) -> Item:
    """What an importer of the session's file calls it, too; only what is whole here is the same there."""
    return {"name": turn_name(who.harness, who.session, part, known_by), "nth": nth}


def _item(text: str, what: str, who: Who, at: int, known_by: str | None, **more: Any) -> Item:
    """An episode that is stored once, however often a harness tells of it: known by an id, or else by this call."""
    seen = known_by if known_by is not None else os.urandom(16).hex()
    parts = "\x00".join((who.scope, who.session, what, seen)).encode(errors="replace")
    key = f"hook:{hashlib.sha256(parts).hexdigest()[:40]}"
    return {
        "text": text, "event_kind": what, "thread": who.session, "occurred_at": at, "tags": [what],
        "idempotency_key": key, **more,
    }  # fmt: skip
