"""ChatGPT's data export: `conversations.json`, one array of conversations, each a tree of messages."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Final, cast

from firsthand.importers.blocks import TOOL_RESULT, TOOL_USE
from firsthand.importers.intake import BATCH_LINES_DEFAULT, Captures, Line, OnError, Parsed, Progress, problem
from firsthand.importers.json_array import ELEMENT_BYTES, elements
from firsthand.importers.jsonlines import Fields, decoded, list_of, object_of, text_of
from firsthand.importers.sources import USER, Format, bring_in
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.instants import to_micros
from firsthand.vocabulary.limits import says_nothing
from firsthand.vocabulary.packets import ImportReport

ASSISTANT: Final = "ChatGPT"
_NOT_SAID: Final = frozenset(("thoughts", "reasoning_recap", "user_editable_context", "model_editable_context"))
_MICROSECONDS: Final = 1_000_000


def import_chatgpt(
    memory: Captures,
    source: Path | IO[bytes],
    *,
    name: str | None = None,
    speaker: str = USER,
    on_error: OnError = "skip",
    progress: Progress | None = None,
    batch: int = BATCH_LINES_DEFAULT,
) -> ImportReport:
    """Capture an export, or all of a folder (`conversations*.json`); a later export adds only what is new.

    Of each conversation the branch is taken that ChatGPT shows: from `current_node` up to the root. What was edited
    away or answered anew is not what was said in the end. The user's turns are `speaker`'s, the others ChatGPT's, and
    what tools gave back is the tool's. System messages, hidden ones, custom instructions and reasoning are left out.
    The thread is the conversation's id, a turn's id its message's. Problems count conversations from 1.
    """
    how = Format(partial(parse, user=speaker), "conversations*.json", ids_within="chatgpt")
    return bring_in(memory, source, how, name=name, on_error=on_error, progress=progress, batch=batch)


def parse(stream: IO[bytes], _name: str = "", *, user: str = USER) -> Parsed:
    """Every turn of every conversation, or what is wrong; never more than one conversation in memory."""
    for number, raw in elements(stream):
        try:
            conversation = decoded(raw, what="conversation", most=ELEMENT_BYTES)
            thread = text_of(conversation, "conversation_id") or text_of(conversation, "id")
            branch = _branch(conversation)
        except InvalidError as error:
            yield problem(number, error)
            continue
        for node in branch:
            try:
                yield from _turn(number, node, thread, user)
            except InvalidError as error:
                yield problem(number, error)


def _branch(conversation: Fields) -> list[Fields]:
    """The nodes from the root down to the current one."""
    mapping = object_of(conversation, "mapping")
    branch: list[Fields] = []
    name = text_of(conversation, "current_node")
    while name is not None:
        if len(branch) == len(mapping):
            raise InvalidError("tree_broken", "the conversation's messages go round in a circle", field="mapping")
        if name not in mapping:
            raise InvalidError("tree_broken", "the conversation names a message that it does not hold", field="mapping")
        branch.append(object_of(mapping, name))
        name = text_of(branch[-1], "parent")
    if mapping and not branch:
        raise InvalidError("current_node_missing", "the conversation does not say which branch is its own")
    return branch[::-1]


def _turn(number: int, node: Fields, thread: str | None, user: str) -> Iterator[Line]:
    message = object_of(node, "message")
    author = object_of(message, "author")
    role = text_of(author, "role")
    text = _text(object_of(message, "content"))
    hidden = object_of(message, "metadata").get("is_visually_hidden_from_conversation") is True
    if role not in ("user", "assistant", "tool") or hidden or says_nothing(text):
        return
    tool = (text_of(author, "name") or "tool") if role == "tool" else None
    calls = role == "assistant" and text_of(message, "recipient") not in (None, "all")
    yield Line(
        number=number,
        text=text,
        speaker=f"tool:{tool}" if tool is not None else user if role == "user" else ASSISTANT,
        occurred_at=_instant(message),
        thread=thread,
        native_id=text_of(message, "id") or text_of(node, "id"),
        event_kind=TOOL_RESULT if tool is not None else TOOL_USE if calls else None,
        origin=tool,
    )


def _text(content: Fields) -> str:
    """The words of a message; pictures have none, and what was spoken has a transcript."""
    if text_of(content, "content_type") in _NOT_SAID:
        return ""
    if "parts" not in content:
        return text_of(content, "text") or ""
    parts = [cast("Fields", p) if isinstance(p, dict) else {"text": p} for p in list_of(content, "parts")]
    return "\n".join(text for part in parts if (text := text_of(part, "text")))


def _instant(message: Fields) -> int | None:
    """Seconds since 1970, with a fraction."""
    seconds = message.get("create_time")
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not math.isfinite(seconds):
        raise InvalidError("instant_invalid", "create_time is not a number of seconds", field="create_time")
    return to_micros(round(seconds * _MICROSECONDS), "create_time")
