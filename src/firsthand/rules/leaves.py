"""A body's texts laid end to end: the one way to say where in a record something stands, whatever its kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, cast

import msgspec

from firsthand.vocabulary.entries import Body
from firsthand.vocabulary.instants import FOREVER
from firsthand.vocabulary.records import Payload

EVERYTHING: Final = (0, FOREVER)
"""The span of a whole body."""
FIRST: Final = ("text", "statement")
"""What a record is mainly: its spans are those of its citations."""
NOT_WORDS: Final = frozenset(
    (
        ("payload", "kind"), ("payload", "state"), ("payload", "outcome"), ("payload", "polarity"),
        ("payload", "volatility"), ("payload", "object", "type"), ("payload", "validity", "mode"),
    )
)  # fmt: skip
"""Fields whose values are words of this program, whatever is said."""
FREE: Final = frozenset(
    ("args", "result", "context", "params", "constraints", "conditions", "inputs_schema", "outputs_schema",
     "args_schema", "value", "metadata")
)  # fmt: skip
"""Fields that hold whatever JSON a caller gives: there a number is a word too."""
TITLES: Final = ("subject", "skill_name", "plan_id", "thread_id", "canonical_name")
"""What a record is about: it stands beside each of its other texts."""

Span = tuple[int, int]


class Leaf(NamedTuple):
    """One text of a body: where it stands, its place among the others, and what stands beside it."""

    path: tuple[str | int, ...]
    start: int
    text: str
    beside: str = ""

    @property
    def is_reason(self) -> bool:
        """Whether it says why, and not what."""
        return self.path == ("reason",)


class Veiled(NamedTuple):
    """A span and what stands there instead."""

    low: int
    high: int
    mark: str


def leaves(body: Body) -> list[Leaf]:
    """Every text of a body, in an order that follows from its kind alone; the reason comes last."""
    found: list[Leaf] = []
    at = 0
    for path, text, beside in _texts(body):
        found.append(Leaf(path, at, text, beside))
        at += len(text)
    return found


def veiled(body: Body, marks: Sequence[Veiled]) -> Body:
    """A body with marks in place of some spans of it."""
    if not marks:
        return body
    payload, reason = body.payload, body.reason
    plain: dict[str, Any] = _plain(payload) if payload is not None else {}
    for leaf in leaves(body):
        text = slice_of(leaf.text, [v._replace(low=v.low - leaf.start, high=v.high - leaf.start) for v in marks])
        if text == leaf.text:
            continue
        if leaf.is_reason:
            reason = text
        else:
            _put(plain, leaf.path[1:], text)
    if payload is not None:
        payload = msgspec.convert(plain, type=Payload)
    return msgspec.structs.replace(body, payload=payload, reason=reason)


def slice_of(text: str, marks: Sequence[Veiled], start: int = 0, stop: int | None = None) -> str:
    """Part of a text with marks in it: spans that overlap or touch show the first one's mark once."""
    stop = len(text) if stop is None else stop
    made: list[str] = []
    at, covered = start, start
    for low, high, mark in sorted(marks):
        low, high = max(low, start), min(high, stop)
        if low >= high:
            continue
        if low > at:
            made.append(text[at:low])
        if low >= covered:
            made.append(mark)
        covered = max(covered, high)
        at = max(at, high)
    return "".join(made) + text[at:stop]


Found = tuple[tuple[str | int, ...], str, str]


def _plain(payload: Payload) -> dict[str, Any]:
    """A payload as JSON holds it, to be changed in place."""
    return msgspec.json.decode(msgspec.json.encode(payload))


def _texts(body: Body) -> Iterator[Found]:
    if body.payload is not None:
        plain = _plain(body.payload)
        for first in FIRST:
            if isinstance(plain.get(first), str):
                yield ("payload", first), plain.pop(first), ""
        title = next((str(plain[t]) for t in TITLES if t in plain), "")
        yield from _inside(("payload",), plain, title, free=False)
    if body.reason is not None:
        yield ("reason",), body.reason, ""


def _inside(path: tuple[str | int, ...], value: object, beside: str, *, free: bool) -> Iterator[Found]:
    match value:
        case str() if path not in NOT_WORDS:
            yield path, value, beside
        case int() | float() if free and not isinstance(value, bool):
            yield path, str(value), beside
        case dict():
            held = cast("dict[str, object]", value)
            around = f"{beside} {_shallow(held)}" if free else beside
            for key, part in held.items():
                yield from _inside((*path, key), part, around, free=free or key in FREE)
        case list() | tuple():
            for number, part in enumerate(cast("Sequence[object]", value)):
                yield from _inside((*path, number), part, beside, free=free)
        case _:
            pass


def _shallow(held: dict[str, object]) -> str:
    """The names and texts of one mapping, which are read together."""
    return " ".join(part for key, text in held.items() for part in (key, text) if isinstance(part, str))


def _put(plain: Any, path: Sequence[str | int], text: str) -> None:
    for step in path[:-1]:
        plain = plain[step]
    plain[path[-1]] = text
