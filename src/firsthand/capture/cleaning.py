"""Secrets masked and packets of ours cut in every text that comes in (gateway step 3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Generic, NamedTuple, TypeVar, cast

import msgspec

from firsthand.capture import bounds, fences, shape
from firsthand.capture.fences import MARK
from firsthand.capture.secrets import mask, may_hold
from firsthand.vocabulary import limits
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.packets import Masking
from firsthand.vocabulary.records import Episodic, Payload, Semantic

_NUL_IN_JSON: Final = "\\u0000"
P = TypeVar("P", bound=Payload)
IsOurs = Callable[[str], bool]
"""Whether a nonce is that of a packet this memory delivered."""
OWN_PACKET_CUT: Final = "[own packet cut]"
"""What stands where a text beside the main one was nothing but a packet of ours."""


class Cleaned(NamedTuple, Generic[P]):
    """A payload fit to be stored; with `nothing_left` its main text was nothing but packets of ours."""

    payload: P
    maskings: tuple[Masking, ...] = ()
    own_words: int = 0
    nothing_left: bool = False


def clean(payload: P, is_ours: IsOurs) -> Cleaned[P]:
    """A payload within its limits, our own packets cut out and typed secrets masked in every text of it."""
    main = _main(payload)
    cut = fences.cut(main[1], is_ours) if main is not None and MARK in main[1] else None
    nothing_left = cut is not None and cut.removed > 0 and fences.says_nothing(cut.text)
    reduced = payload
    if main is not None and cut is not None and cut.removed:
        reduced = msgspec.structs.replace(payload, **{main[0]: OWN_PACKET_CUT if nothing_left else cut.text})
    bounds.check(reduced)
    text = _json(reduced)
    if reduced is payload and MARK not in text and not may_hold(text):
        return Cleaned(payload)
    scrub = _Scrub(is_ours)
    scrubbed = scrub.value(msgspec.to_builtins(payload), str(payload.__struct_config__.tag))
    if not scrub.found and not scrub.cut:
        return Cleaned(payload)
    return Cleaned(shape.convert(scrubbed, type(payload), "payload"), tuple(scrub.found), scrub.cut, nothing_left)


def _main(payload: Payload) -> tuple[str, str] | None:
    match payload:
        case Episodic(text=text):
            return "text", text
        case Semantic(statement=statement):
            return "statement", statement
        case _:
            return None


class _Scrub:
    """Masks and cuts text after text, and keeps what was found; spans are in the text as given."""

    def __init__(self, is_ours: IsOurs) -> None:
        self.found: list[Masking] = []
        self.cut = 0
        self._is_ours = is_ours

    def text(self, text: str, field: str) -> str:
        masked = mask(text)
        self.found += [Masking(type=f.type, field=field, start=f.start, end=f.end) for f in masked.findings]
        cut = fences.cut(masked.text, self._is_ours)
        self.cut += cut.removed
        return OWN_PACKET_CUT if cut.removed and fences.says_nothing(cut.text) else cut.text

    def _pair(self, key: Any, value: Any, field: str) -> tuple[Any, Any]:
        named = self.value(key, field)
        return named, self.value(value, f"{field}.{named}")

    def value(self, value: Any, field: str) -> Any:
        match value:
            case str():
                return self.text(value, field)
            case dict():
                return dict(self._pair(k, v, field) for k, v in cast("dict[Any, Any]", value).items())
            case list() | tuple():
                elements = cast("list[Any]", value)
                return [self.value(v, f"{field}[{i}]") for i, v in enumerate(elements)]
            case _:
                return value


def _json(payload: Payload) -> str:
    """A payload as JSON, within the limit of a body; text that is not text is refused here for every field."""
    try:
        text = msgspec.json.encode(payload).decode()
    except UnicodeEncodeError:
        raise InvalidError(
            "text_not_unicode", "payload holds a lone surrogate, which is not text", field="payload"
        ) from None
    if len(text) > limits.BODY_BYTES:
        raise InvalidError(
            "payload_too_large", f"payload is over its limit of {limits.BODY_BYTES} bytes; split it", field="payload"
        )
    if _NUL_IN_JSON in text:
        bounds.check_tree(msgspec.to_builtins(payload), 0)
    return text


def reason(text: str | None, is_ours: IsOurs, *, required: bool) -> tuple[str | None, tuple[Masking, ...]]:
    """A reason within its limits, with its secrets masked and our own packets cut, and what was masked."""
    bounds.check_reason(text, required=required)
    if text is None:
        return None, ()
    scrub = _Scrub(is_ours)
    return scrub.text(text, "reason"), tuple(scrub.found)


def no_secret(text: str | None, field: str) -> None:
    """Refuse a secret as a name: it cannot be masked, since who and where are told apart by it."""
    if isinstance(text, str) and mask(text).findings:
        raise InvalidError("name_is_secret", f"{field} holds a secret, which no name may; use another", field=field)
