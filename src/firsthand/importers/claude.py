"""Claude's data export: `conversations.json`, one array of conversations, each a list of messages."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Final, cast

from firsthand.importers.blocks import Piece, Tools, pieces
from firsthand.importers.intake import BATCH_LINES_DEFAULT, Captures, Line, OnError, Parsed, Progress, problem
from firsthand.importers.json_array import ELEMENT_BYTES, elements
from firsthand.importers.jsonlines import Fields, decoded, list_of, text_of
from firsthand.importers.sources import USER, Format, bring_in, document
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.instants import to_micros
from firsthand.vocabulary.limits import says_nothing
from firsthand.vocabulary.packets import ImportReport

ASSISTANT: Final = "Claude"


def import_claude(
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

    A human's turns are `speaker`'s, the others Claude's; what tools gave back is the tool's, and the text of an
    attached file is the file's. Thinking is left out. An export does not say which of several branches is shown, so all
    messages are taken. The thread is the conversation's id, a turn's id its message's, with the block's place after
    the first. Problems count conversations from 1.
    """
    how = Format(partial(parse, user=speaker), "conversations*.json", ids_within="claude")
    return bring_in(memory, source, how, name=name, on_error=on_error, progress=progress, batch=batch)


def parse(stream: IO[bytes], _name: str = "", *, user: str = USER) -> Parsed:
    """Every turn of every conversation, or what is wrong; never more than one conversation in memory."""
    for number, raw in elements(stream):
        try:
            conversation = decoded(raw, what="conversation", most=ELEMENT_BYTES)
            thread = text_of(conversation, "uuid")
            messages = _messages(conversation)
        except InvalidError as error:
            yield problem(number, error)
            continue
        tools = Tools()
        for message in messages:
            try:
                yield from list(_turns(number, message, thread, user, tools))
            except InvalidError as error:
                yield problem(number, error)


def _messages(conversation: Fields) -> list[object]:
    if "chat_messages" not in conversation:
        raise InvalidError("not_a_conversation", "the conversation has no chat_messages", field="chat_messages")
    return list_of(conversation, "chat_messages")


def _turns(number: int, message: object, thread: str | None, user: str, tools: Tools) -> Iterator[Line]:
    """The turns of one message; a message with a bad block is bad as a whole."""
    if not isinstance(message, dict):
        raise InvalidError("message_invalid", "a message is not a JSON object", field="chat_messages")
    fields = cast("Fields", message)
    speaker = _speaker(fields, user)
    at, uuid = text_of(fields, "created_at"), text_of(fields, "uuid")
    occurred_at = None if at is None else to_micros(at, "created_at")
    for piece in _pieces(fields, tools):
        yield Line(
            number=number,
            text=piece.text,
            speaker=piece.speaker(speaker),
            occurred_at=occurred_at,
            thread=thread,
            native_id=piece.named(uuid),
            event_kind=piece.kind,
            origin=piece.tool,
        )
    for place, (file, text) in enumerate(_attachments(fields)):
        yield Line(
            number=number,
            text=text,
            speaker=document(file),
            occurred_at=occurred_at,
            thread=thread,
            native_id=None if uuid is None else f"{uuid}#attachment-{place}",
            origin=file,
        )


def _speaker(fields: Fields, user: str) -> str:
    match text_of(fields, "sender"):
        case "human":
            return user
        case "assistant":
            return ASSISTANT
        case _:
            raise InvalidError("sender_unknown", "sender is neither human nor assistant", field="sender")


def _pieces(fields: Fields, tools: Tools) -> list[Piece]:
    """The blocks of a message; older exports have its text alone."""
    found = list(pieces(list_of(fields, "content"), tools))
    text = text_of(fields, "text") or ""
    return found if found or says_nothing(text) else [Piece(text)]


def _attachments(fields: Fields) -> Iterator[tuple[str, str]]:
    """The name and the text of every attached file that has a text."""
    for attached in list_of(fields, "attachments"):
        if isinstance(attached, dict):
            file = cast("Fields", attached)
            text = text_of(file, "extracted_content") or ""
            if not says_nothing(text):
                yield text_of(file, "file_name") or "attachment", text
