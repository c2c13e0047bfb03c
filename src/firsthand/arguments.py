"""Arguments of the verbs as payloads: checked, converted, every fault named by its field."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, cast

import msgspec

from firsthand.capture import shape
from firsthand.capture.claims import Claimed
from firsthand.rules.identity import typed_value
from firsthand.rules.normalise import folded
from firsthand.rules.wording import claim_words
from firsthand.vocabulary import limits
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.instants import BEGINNING, to_micros
from firsthand.vocabulary.records import Episodic, Payload, Semantic, TypedValue, Validity
from firsthand.vocabulary.turns import TurnName

Conditions = Mapping[str, str | int | float | bool]
Value = str | int | float | bool | date | datetime | TypedValue

_EPISODE_FIELDS = frozenset(Episodic.__struct_fields__) | {
    "sensitivity", "imported", "reason", "idempotency_key", "turns",
}  # fmt: skip
_CLAIM_FIELDS = frozenset(
    ("statement", "subject", "predicate", "object", "unit", "polarity", "conditions", "valid_from", "valid_to",
     "volatility", "tags", "metadata")
)  # fmt: skip
_RECORD_FIELDS = _CLAIM_FIELDS | {"payload", "basis", "sensitivity", "evidence", "reason", "idempotency_key"}
_DEFAULTS = {"polarity": "+", "volatility": "drift_prone"}


def _known(fields: Mapping[str, Any], known: frozenset[str]) -> None:
    if any(field not in known for field in fields):
        raise InvalidError(
            "field_unknown", f"an item has a field that is not one of {', '.join(sorted(known))}", field="items"
        )


def episode(fields: Mapping[str, Any]) -> Episodic:
    _known(fields, _EPISODE_FIELDS)
    if not isinstance(fields.get("text"), str):
        raise InvalidError("text_missing", "text is required and is a string", field="text")
    occurred = fields.get("occurred_at")
    plain = {k: v for k, v in fields.items() if k in Episodic.__struct_fields__ and v is not None}
    plain["occurred_at"] = None if occurred is None else to_micros(occurred, "occurred_at")
    for field in ("environment", "artifacts"):
        if plain.get(field):
            plain[field] = shape.plain(plain[field], field)
    for field in ("timeline", "tool_graph"):
        if plain.get(field):
            plain[field] = _dated(plain[field], field)
    return shape.convert(plain, Episodic, "capture")


def _dated(events: object, field: str) -> object:
    """Events or tool calls as plain values, with `at` in any form an instant may have."""
    if not isinstance(events, list | tuple):
        return events
    dated: list[Any] = []
    for event in cast("Sequence[object]", events):
        if isinstance(event, Mapping) and (at := cast("Mapping[str, Any]", event).get("at")) is not None:
            event = {**cast("Mapping[str, Any]", event), "at": to_micros(at, f"{field}.at")}
        dated.append(shape.plain(cast("object", event), field))
    return dated


def turns(given: object) -> tuple[TurnName, ...]:
    if not isinstance(given, list | tuple):
        raise InvalidError("shape_invalid", "turns is a list of names of turns", field="turns")
    parts = [shape.plain(turn, "turns") for turn in cast("Sequence[object]", given)]
    return tuple(shape.convert(part, TurnName, "turns") for part in parts)


def record(fields: Mapping[str, Any]) -> Payload:
    _known(fields, _RECORD_FIELDS)
    payload = fields.get("payload")
    if payload is not None:
        beside = [
            f for f in sorted(_CLAIM_FIELDS) if fields.get(f, _DEFAULTS.get(f)) not in (None, (), _DEFAULTS.get(f))
        ]
        if beside:
            raise InvalidError(
                "payload_unclear", f"payload already says what is remembered; {beside[0]} goes inside it",
                field=beside[0],
            )  # fmt: skip
        return shape.payload(payload)
    return semantic(fields)


def semantic(fields: Mapping[str, Any]) -> Semantic:
    value, unit = fields.get("object"), fields.get("unit")
    statement, subject, predicate = fields.get("statement"), fields.get("subject"), fields.get("predicate")
    for field in ("statement", "subject", "predicate", "unit"):
        if fields.get(field) is not None and not isinstance(fields[field], str):
            raise InvalidError("text_invalid", f"{field} is not text; give it as a string", field=field)
    if unit is not None and value is None:
        raise InvalidError("claim_incomplete", "a unit needs an object that it belongs to", field="unit")
    typed = None if value is None else typed_value(value, unit)
    if isinstance(value, TypedValue):
        typed = shape.convert(shape.plain(value, "object"), TypedValue, "object")
    polarity = fields.get("polarity", "+")
    if statement is None and subject is not None and predicate is not None:
        statement = claim_words(subject, predicate, typed, polarity)
    if statement is None:
        raise InvalidError("statement_missing", "give a statement, or subject, predicate and object", field="statement")
    start, end = fields.get("valid_from"), fields.get("valid_to")
    given = fields.get("conditions")
    if given is not None and not isinstance(given, Mapping):
        raise InvalidError("shape_invalid", "conditions is a mapping of names to values", field="conditions")
    conditions = {} if given is None else dict(cast("Mapping[str, Any]", given))
    validity = Validity(
        mode="conditional" if conditions else "timeboxed" if end is not None else "global",
        conditions=conditions,
        from_=None if start is None else to_micros(start, "valid_from"),
        to=None if end is None else to_micros(end, "valid_to"),
    )
    tags, metadata = fields.get("tags"), fields.get("metadata")
    plain: dict[str, Any] = {
        "statement": statement, "subject": subject, "predicate": predicate, "object": typed, "polarity": polarity,
        "validity": validity if not conditions else shape.plain(validity, "conditions"),
        "volatility": fields.get("volatility", "drift_prone"),
        "tags": () if tags is None else tags, "metadata": {} if metadata is None else metadata,
    }  # fmt: skip
    return shape.convert(plain, Semantic, "remember")


_TRIPLE = ("subject", "predicate", "object")
_VALUE_FIELDS = frozenset(("statement", "subject", "predicate", "object", "unit", "polarity"))


def value(given: object) -> Semantic:
    """A value that no record need have: a sentence, or subject, predicate and object."""
    if isinstance(given, str):
        limits.check_bytes(given, most=limits.STATEMENT_BYTES, field="value")
        return semantic({"statement": given})
    if isinstance(given, list | tuple) and len(cast("Sequence[object]", given)) == len(_TRIPLE):
        given = dict(zip(_TRIPLE, cast("Sequence[object]", given), strict=True))
    if not isinstance(given, Mapping):
        raise InvalidError("value_invalid", "value is a sentence, or subject, predicate and object", field="value")
    fields = cast("Mapping[str, Any]", given)
    if any(f not in _VALUE_FIELDS for f in fields):
        raise InvalidError("field_unknown", f"value has a field that is not one of {', '.join(sorted(_VALUE_FIELDS))}",
                           field="value")  # fmt: skip
    return semantic(fields)


def heads(expected: object) -> tuple[str, ...] | None:
    return None if expected is None else shape.texts(expected, "expected_heads")


def changes(**given: Any) -> dict[str, Any]:
    """What a revision changes: only what was given, in its checked form."""
    unit = given.pop("unit", None)
    changes = {field: value for field, value in given.items() if value is not None}
    for field in ("valid_from", "valid_to"):
        if field in changes:
            changes[field] = to_micros(changes[field], field)
    if "object" in changes:
        changes["object"] = typed_value(changes["object"], unit)
    elif unit is not None:
        raise InvalidError("claim_incomplete", "a unit needs an object that it belongs to", field="unit")
    if "statement" in changes:
        limits.check_bytes(changes["statement"], most=limits.STATEMENT_BYTES, field="statement")
    return shape.plain(changes, "conditions")


def renewer(changes: Mapping[str, Any]) -> Callable[[Claimed], Claimed]:
    """How the payload believed now becomes the new one; its statement is rewritten if only its object changed."""

    def renew(old: Claimed) -> Claimed:
        if not isinstance(old, Semantic):
            raise InvalidError("use_remember", "a skill or plan is revised by remembering it anew", field="record_id")
        given = changes.get("object")
        typed = old.object if given is None else shape.convert(given, TypedValue, "object")
        if given is not None and old.subject is None:
            raise InvalidError("claim_incomplete", "a plain sentence is revised by a new statement", field="object")
        polarity = changes.get("polarity", old.polarity)
        statement = changes.get("statement")
        if statement is None:
            statement = _restated(old, typed, polarity)
        elif given is None:
            check_still_names(old, statement)
        start = changes.get("valid_from", old.validity.from_)
        new = semantic(
            {
                "statement": statement, "subject": old.subject, "predicate": old.predicate, "object": typed,
                "polarity": polarity, "conditions": changes.get("conditions", old.validity.conditions),
                "valid_from": None if start == BEGINNING else start,
                "valid_to": changes.get("valid_to", old.validity.to),
                "volatility": old.volatility, "tags": old.tags, "metadata": old.metadata,
            }
        )  # fmt: skip
        if start != BEGINNING:
            return new
        return msgspec.structs.replace(new, validity=msgspec.structs.replace(new.validity, from_=start))

    return renew


def check_still_names(old: Semantic, statement: str) -> None:
    """A new sentence must not leave the old value standing in the structure behind it."""
    if old.object is None or isinstance(old.object.value, bool):
        return
    was = folded(str(old.object.value))
    if was in folded(old.statement) and was not in folded(statement):
        raise InvalidError(
            "object_missing", "the statement no longer names the record's object; give the new object too",
            field="object",
        )  # fmt: skip


def _restated(old: Semantic, value: TypedValue | None, polarity: str) -> str:
    """The old sentence with the new object in it, if the old one stands there word for word."""
    if polarity != old.polarity and old.subject is None:
        raise InvalidError(
            "statement_missing", "a plain sentence is turned round by a new statement", field="statement"
        )
    if value is not None and old.object is not None and polarity == old.polarity:
        was = rf"(?<!\w){re.escape(str(old.object.value))}(?!\w)"
        found = list(re.finditer(was, old.statement))
        if len(found) == 1:
            return old.statement[: found[0].start()] + str(value.value) + old.statement[found[0].end() :]
    if old.subject is not None and old.predicate is not None and (value != old.object or polarity != old.polarity):
        return claim_words(old.subject, old.predicate, value, polarity)
    return old.statement
