"""JSON that somebody wrote by hand, changed where it has to be and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, cast

from firsthand.vocabulary.patterns import lazy_pattern

_SPACE: Final = lazy_pattern(r"[ \t\r\n]*")
_INDENT: Final = lazy_pattern(r"\{\r?\n([ \t]+)\"")
_DECODER: Final = json.JSONDecoder()
USUAL_INDENT: Final = "  "


class _Child(NamedTuple):
    """A member or an element: what stands before its value and after it, as written."""

    key: str | None
    before: str
    start: int
    value: Any
    after: str


def edited(text: str, wanted: dict[str, Any]) -> str:
    """The text with what differs from `wanted` changed: what goes leaves no trace, what is new stands at the end.

    Where that does not say `wanted`, as with a member that is there twice, all of it is written anew.
    """
    if not text.strip():
        return _anew(text, wanted)
    start, end = _after_space(text, 0), len(text.rstrip())
    new = _Edit(text).value(start, wanted, 0)
    return text[:start] + new + text[end:] if json.loads(new) == wanted else _anew(text, wanted)


def _anew(text: str, wanted: dict[str, Any]) -> str:
    """Settings as JSON, indented and ended as the file was."""
    new = json.dumps(wanted, indent=_indent_of(text), ensure_ascii=False)
    new += "\n" if text.endswith("\n") or not text else ""
    return new.replace("\n", "\r\n") if "\r\n" in text else new


def _indent_of(text: str) -> str:
    found = _INDENT.match(text.lstrip())
    return found[1] if found else USUAL_INDENT


class _Edit:
    """One text being changed; `depth` counts the objects and lists around a value."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._line = "\r\n" if "\r\n" in text else "\n"
        self._indent = _indent_of(text)
        self._in_lines = "\n" in text.strip()

    def value(self, start: int, wanted: Any, depth: int) -> str:
        """What stands at `start`, as it should."""
        now, end = _DECODER.raw_decode(self._text, start)
        if now == wanted and type(now) is type(wanted):
            return self._text[start:end]
        if isinstance(now, dict) and isinstance(wanted, dict):
            return self._object(start, end, cast("dict[str, Any]", now), cast("dict[str, Any]", wanted), depth)
        if isinstance(now, list) and isinstance(wanted, list):
            return self._list(start, end, cast("list[Any]", wanted), depth)
        return self._new(wanted, depth)

    def _object(self, start: int, end: int, now: dict[str, Any], wanted: dict[str, Any], depth: int) -> str:
        kept = [child for child in self._children(start) if child.key in wanted]
        parts = [
            child.before + self.value(child.start, wanted[cast("str", child.key)], depth + 1) + child.after
            for child in kept
        ]
        new = [
            f"{json.dumps(k, ensure_ascii=False)}: {self._new(v, depth + 1)}" for k, v in wanted.items() if k not in now
        ]
        return self._joined(start, end, kept, parts, new, depth)

    def _list(self, start: int, end: int, wanted: list[Any], depth: int) -> str:
        """Elements that are wanted as they are, or in whose place another stands; those that are left are new."""
        kept: list[_Child] = []
        parts: list[str] = []
        children = list(self._children(start))
        for place, child in enumerate(children):
            if len(parts) == len(wanted):
                break
            goes = child.value != wanted[len(parts)] and len(children) - place > len(wanted) - len(parts)
            if not goes:
                kept.append(child)
                parts.append(child.before + self.value(child.start, wanted[len(parts)], depth + 1) + child.after)
        new = [self._new(each, depth + 1) for each in wanted[len(parts) :]]
        return self._joined(start, end, kept, parts, new, depth)

    def _joined(self, start: int, end: int, kept: list[_Child], parts: list[str], new: list[str], depth: int) -> str:
        opening, closing = self._text[start], self._text[end - 1]
        if not parts and not new:
            return opening + closing
        inner = self._text[start + 1 : end - 1]
        tail = inner[len(inner.rstrip(" \t\r\n")) :] if kept else self._break(depth)
        before = kept[-1].before if kept else self._break(depth + 1)
        lead = before[: _after_space(before + opening, 0)] or (" " if kept or len(new) > 1 else "")
        parts = parts + [lead + each for each in new]
        return opening + ",".join(parts) + tail + closing

    def _break(self, depth: int) -> str:
        return self._line + self._indent * depth if self._in_lines else ""

    def _new(self, value: Any, depth: int) -> str:
        if not self._in_lines:
            return json.dumps(value, ensure_ascii=False)
        text = json.dumps(value, indent=self._indent, ensure_ascii=False)
        return text.replace("\n", self._line + self._indent * depth)

    def _children(self, start: int) -> Iterator[_Child]:
        """Members or elements in their order; space before a closing bracket belongs to none."""
        text, at = self._text, start + 1
        while True:
            begun = at
            at = _after_space(text, at)
            if text[at] in "]}":
                return
            key: str | None = None
            if text[start] == "{":
                key, at = _DECODER.raw_decode(text, at)
                at = _after_space(text, _after_space(text, at) + 1)
            value, end = _DECODER.raw_decode(text, at)
            following = _after_space(text, end)
            is_last = text[following] in "]}"
            yield _Child(key, text[begun:at], at, value, "" if is_last else text[end:following])
            at = following + (not is_last)


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    assert found is not None
    return found.end()
