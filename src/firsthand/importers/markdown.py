"""Memory files in Markdown: CLAUDE.md, AGENTS.md, and folders of such notes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from firsthand.importers.intake import BATCH_LINES_DEFAULT, Captures, Line, OnError, Parsed, Progress, problem
from firsthand.importers.jsonlines import numbered
from firsthand.importers.sources import Format, bring_in, document
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.limits import EPISODE_TEXT_BYTES, IMPORT_LINE_BYTES
from firsthand.vocabulary.packets import ImportReport

_HEADING: Final = re.compile(rb" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*")
_ITEM: Final = re.compile(rb" {0,3}(?:[-*+]|[0-9]{1,9}[.)])[ \t]")
_FENCE: Final = re.compile(rb"[ \t]*(`{3,}|~{3,})")
_RULE: Final = re.compile(rb" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*")
_UNDER: Final = " › ".encode()


def import_markdown(
    memory: Captures,
    source: Path | IO[bytes],
    *,
    name: str | None = None,
    on_error: OnError = "skip",
    progress: Progress | None = None,
    batch: int = BATCH_LINES_DEFAULT,
) -> ImportReport:
    """Capture every paragraph and list item of a file, or of every `*.md` in a folder; again, only what is new.

    Each becomes an episode, not a claim: what stands in such a file is mostly advice, nobody is named as its author,
    and a claim made of it would be somebody's word. The text is the headings above it and, below a blank line, the
    passage exactly, but for the marker of a list item: so its sentences stay its own, and are known again if they
    were rejected. It is
    the file's own word and has the file, by its name and folder, as its origin and thread. A file has no instants.
    Passages are known by their words and the file's path, or the `name` given for it; what was deleted there stays.
    """
    how = Format(parse, "*.md")
    return bring_in(memory, source, how, name=name, on_error=on_error, progress=progress, batch=batch)


def parse(stream: IO[bytes], name: str = "memory") -> Parsed:
    """Every passage in the order of the file, or what is wrong with it, by the line it begins at."""
    for passage in _passages(stream):
        try:
            if passage.says_nothing():
                continue
            yield Line(
                number=passage.number, text=passage.text(), speaker=document(name), thread=name, origin=name
            )  # fmt: skip
        except InvalidError as error:
            yield problem(passage.number, error)


@dataclass(slots=True)
class _Passage:
    """A paragraph, or a list item with all that is indented beneath it (`indent` is its own)."""

    number: int
    head: bytes
    indent: int | None = None
    lines: list[bytes] = field(default_factory=list[bytes])
    size: int = 0

    def add(self, blanks: int, raw: bytes | None) -> None:
        """The next line after so many blank ones; what is over the limit anyway is not kept."""
        self.size += blanks + (IMPORT_LINE_BYTES if raw is None else len(raw) + 1)
        if self.size <= EPISODE_TEXT_BYTES:
            self.lines += [*[b""] * blanks, raw or b""]

    def ends_before(self, raw: bytes, blanks: int) -> bool:
        if _HEADING.fullmatch(raw) or _RULE.fullmatch(raw):
            return True
        beneath = self.indent is not None and _indent(raw) > self.indent
        return not beneath and (blanks > 0 or _ITEM.match(raw) is not None)

    def says_nothing(self) -> bool:
        """Whether it is a bare list marker."""
        return self.size <= EPISODE_TEXT_BYTES and not any(line.strip() for line in self.lines)

    def text(self) -> str:
        if self.size > EPISODE_TEXT_BYTES:
            raise InvalidError("text_too_long", f"the passage is over its limit of {EPISODE_TEXT_BYTES} bytes")
        try:
            return b"\n".join([self.head, b"", *self.lines] if self.head else self.lines).decode()
        except UnicodeDecodeError:
            raise InvalidError("utf8_invalid", "the passage is not valid UTF-8") from None


def _passages(stream: IO[bytes]) -> Iterator[_Passage]:
    headings: list[tuple[int, bytes]] = []
    now: _Passage | None = None
    fence: bytes | None = None
    before = 0
    for number, raw in numbered(stream):
        blanks, before = number - before - 1, number
        line = raw or b""
        if fence is None:
            if now is not None and now.ends_before(line, blanks):
                yield now
                now = None
            if heading := _HEADING.fullmatch(line):
                headings = [*(h for h in headings if h[0] < len(heading[1])), (len(heading[1]), heading[2])]
                continue
            if _RULE.fullmatch(line):
                continue
        if now is None:
            now, blanks = _Passage(number, _UNDER.join(words for _, words in headings)), 0
            if marker := _ITEM.match(line):
                now.indent = _indent(line)
                raw = line[marker.end() :]
        now.add(blanks, raw)
        fence = _fence_after(fence, line)
    if now is not None:
        yield now


def _fence_after(fence: bytes | None, line: bytes) -> bytes | None:
    """The fence of a block of code that is open after this line: nothing in it ends a passage."""
    if fence is None:
        found = _FENCE.match(line)
        return None if found is None else found[1]
    bare = line.strip()
    closes = bare.startswith(fence) and not bare.strip(fence[:1])
    return None if closes else fence


def _indent(line: bytes) -> int:
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())
