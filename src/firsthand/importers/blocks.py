"""Messages made of blocks, as Claude writes them: words, calls of tools, and what the tools gave back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, cast

from firsthand.capture.clipping import clean
from firsthand.importers.jsonlines import Fields, compact, list_of, text_of
from firsthand.importers.session_turns import Part, turn_name
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.limits import says_nothing

TOOL_USE: Final = "tool_use"
TOOL_RESULT: Final = "tool_result"
_CALLS_KEPT: Final = 1_000
"""A result that comes after so many other open calls no longer finds the name of its tool."""


class Piece(NamedTuple):
    """One thing that a message says; with a tool's name it is that tool's output, else the words of its speaker.

    `call` is the id of the tool's call, in the call and in its output.
    """

    text: str
    place: int = 0
    kind: str | None = None
    tool: str | None = None
    call: str | None = None

    def named(self, message: str | None) -> str | None:
        """The piece's own id: its message's, with its place where it is not the first."""
        return message if message is None or self.place == 0 else f"{message}#{self.place}"

    def turn(self, harness: str, session: str | None, by: Literal["prompt", "reply"]) -> str | None:
        """What a hook of this harness calls this part of a session, if it is told of it; spoken words are `by` one."""
        if session is None:
            return None
        if self.kind is None:
            return turn_name(harness, session, by, clean(self.text))
        part: Part = "call" if self.kind == TOOL_USE else "result"
        return None if self.call is None else turn_name(harness, session, part, self.call)

    def speaker(self, otherwise: str) -> str:
        """A tool speaks under a name that nobody else can have, so that no file puts words into somebody's mouth."""
        return otherwise if self.tool is None else f"tool:{self.tool}"


class Tools:
    """The tools that were called and have not answered yet: a result names only its call."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def called(self, call: str | None, name: str) -> None:
        if call is not None:
            self._names[call] = name
            if len(self._names) > _CALLS_KEPT:
                del self._names[next(iter(self._names))]

    def answering(self, call: str | None) -> str:
        return self._names.pop(call or "", "tool")


def pieces(content: object, tools: Tools) -> Iterator[Piece]:
    """What a message says, block by block; thinking and pictures are left out, and so is what says nothing."""
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not isinstance(content, list):
        raise InvalidError("field_not_list", "content is neither text nor a list of blocks", field="content")
    for place, block in enumerate(cast("list[object]", content)):
        if not isinstance(block, dict):
            raise InvalidError("block_invalid", "content holds a block that is not a JSON object", field="content")
        piece = _piece(cast("Fields", block), tools)
        if piece is not None and not says_nothing(piece.text):
            yield piece._replace(place=place)


def plain_text(content: object) -> str:
    """The words of what a tool gave back: a text, or blocks of which some are texts."""
    if isinstance(content, str):
        return content
    blocks = [cast("Fields", b) for b in list_of({"content": content}, "content") if isinstance(b, dict)]
    return "\n".join(text for block in blocks if (text := text_of(block, "text")))


def _piece(block: Fields, tools: Tools) -> Piece | None:
    match block.get("type"):
        case "text":
            return Piece(text_of(block, "text") or "")
        case "tool_use":
            name = text_of(block, "name") or "tool"
            call = text_of(block, "id")
            tools.called(call, name)
            return Piece(f"{name} {compact(block.get('input'))}", kind=TOOL_USE, call=call)
        case "tool_result":
            call = text_of(block, "tool_use_id")
            tool = tools.answering(call)
            return Piece(plain_text(block.get("content")), kind=TOOL_RESULT, tool=tool, call=call)
        case _:
            return None
