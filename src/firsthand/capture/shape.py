"""The shape of what comes in: plain values as structs, every fault named by its field (gateway step 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

import msgspec

from firsthand.vocabulary import limits
from firsthand.vocabulary.citing import Cite
from firsthand.vocabulary.converting import convert, too_deep
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.kinds import KINDS, SENSITIVITIES, Basis, Sensitivity
from firsthand.vocabulary.patterns import lazy_pattern
from firsthand.vocabulary.records import Payload

_RECORD_ID: Final = lazy_pattern(r"r[0-9a-f]{40}")
_ENTRY_ID: Final = lazy_pattern(r"e[0-9a-f]{40}")
_RECORD_ID_START: Final = lazy_pattern(r"r[0-9a-f]{7,40}")
BASES: Final[tuple[Basis, ...]] = ("stated", "observed", "inferred")


class _AnyPayload(msgspec.Struct):
    """Holds a payload of any kind, so that a tagged union can be read by name."""

    payload: Payload


class _AnyEvidence(msgspec.Struct):
    """Holds citations, so that a fault in one is named by its place."""

    evidence: tuple[Cite, ...]


def record_id(text: str, field: str = "record_id") -> str:
    """A text that has the form of a record id."""
    if not isinstance(text, str) or not _RECORD_ID.fullmatch(text):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidError(
            "record_id_invalid", f"{field} does not have the form of a record id; take one from a receipt", field=field
        )
    return text


def entry_id(text: str, field: str = "entry_id") -> str:
    """A text that has the form of an entry id."""
    if not isinstance(text, str) or not _ENTRY_ID.fullmatch(text):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidError(
            "entry_id_invalid", f"{field} does not have the form of an entry id; take one from a receipt", field=field
        )
    return text


def is_record_id_start(text: object) -> bool:
    """Whether a text can be the beginning of a record id."""
    return isinstance(text, str) and _RECORD_ID_START.fullmatch(text) is not None


def sensitivity(value: object) -> Sensitivity:
    """A sensitivity by its name."""
    if value not in SENSITIVITIES:
        allowed = ", ".join(SENSITIVITIES)
        raise InvalidError("sensitivity_unknown", f"sensitivity is one of {allowed}", field="sensitivity")
    return value


def basis(value: object) -> Basis:
    """What a caller may say a claim is based on."""
    if value not in BASES:
        raise InvalidError("basis_unknown", f"basis is one of {', '.join(BASES)}", field="basis")
    return cast("Basis", value)


def payload(value: object) -> Payload:
    """A payload from a struct or a plain mapping with its `kind`; a struct is checked as strictly as a mapping."""
    if isinstance(value, Mapping) and value.get("kind") not in KINDS:  # pyright: ignore[reportUnknownMemberType]
        raise InvalidError("kind_unknown", f"payload.kind is one of {', '.join(KINDS)}", field="payload")
    return convert({"payload": plain(cast("object", value), "payload")}, _AnyPayload, "payload").payload


def plain(value: object, field: str) -> Any:
    """Structs and what they hold as plain JSON values, so that a conversion checks them too."""
    try:
        return msgspec.to_builtins(value)
    except RecursionError:
        raise too_deep() from None
    except (TypeError, ValueError):
        raise InvalidError("shape_invalid", f"{field} holds something that is not JSON", field=field) from None


def evidence(value: object) -> tuple[Cite, ...]:
    """Citations, each checked: a record id, and a quote or a span of it."""
    if not isinstance(value, list | tuple):
        raise InvalidError(
            "evidence_invalid", "evidence is a list of firsthand.cite(record_id, quote=…)", field="evidence"
        )
    given = cast("Sequence[object]", value)
    limits.check_count(len(given), most=limits.EVIDENCE_PER_WRITE, field="evidence")
    cited = convert({"evidence": plain(given, "evidence")}, _AnyEvidence, "evidence").evidence
    for c in cited:
        record_id(c.record_id, "evidence")
        if c.quote is not None and c.span is not None:
            raise InvalidError("cite_overspecified", "evidence takes a quote or a span, not both", field="evidence")
        if c.quote is not None:
            limits.check_bytes(c.quote, most=limits.EPISODE_TEXT_BYTES, field="evidence")
    return cited


def switch(value: object, field: str) -> bool:
    """A yes or no that is one."""
    if not isinstance(value, bool):
        raise InvalidError("switch_invalid", f"{field} is true or false", field=field)
    return value


def texts(value: object, field: str) -> tuple[str, ...]:
    """A list of strings; one string alone is not a list of its letters."""
    if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in cast("list[object]", value)):
        raise InvalidError("list_invalid", f"{field} is a list of strings", field=field)
    return tuple(cast("Sequence[str]", value))
