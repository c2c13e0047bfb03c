"""When two sayings say the same thing: keyed digests of normalised names, values and sentences (design 09.2).

Digests of one space are equal on every store that shares its key, and say nothing to who does not have it.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Final

import msgspec

from firsthand.rules.normalise import name_key, statement_key
from firsthand.rules.predicates import cardinality_of, definition
from firsthand.rules.values import Value, value_key
from firsthand.vocabulary.entries import Body, Claim, Skeleton
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.grants import SPACE_WIDE
from firsthand.vocabulary.kinds import Cardinality, Polarity
from firsthand.vocabulary.records import TypedValue

DIGEST_HEX: Final = 24
"""96 bits: names, values and sentences under the space key."""
ID_HEX: Final = 40
"""160 bits: entries, bodies and the chain, which anyone may recompute."""
SALT_BYTES: Final = 16
NONCE_HEX: Final = 16
"""64 bits that a text written before its packet cannot hold."""


class Keyed:
    """Digests under one space's key; `versions`: this one, then those that are kept for what was written under them."""

    def __init__(self, key: bytes, older: Sequence[bytes] = ()) -> None:
        self.versions: tuple[Keyed, ...] = (self, *map(Keyed, older))
        # HMAC's two keyed states, made once and copied: a third of the cost of `hmac.digest` for a short text.
        block = key.ljust(64, b"\0")
        assert len(block) == 64, "a space key is at most one block"
        self._inner = hashlib.sha256(bytes(b ^ 0x36 for b in block))
        self._outer = hashlib.sha256(bytes(b ^ 0x5C for b in block))

    def digest(self, domain: str, text: str) -> str:
        """HMAC-SHA-256 of a text in a domain, so that a name never equals a sentence."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(f"{domain}\n{text}".encode())
        outer.update(inner.digest())
        return outer.hexdigest()[:DIGEST_HEX]

    def fence(self, chance: str) -> str:
        """The nonce of a packet: its half of chance, and this space's mark on it, so that we know our own again."""
        half = NONCE_HEX // 2
        assert len(chance) == half, "half of a nonce is chance"
        return chance + self.digest("fence", chance)[:half]

    def is_fence(self, nonce: str) -> bool:
        """Whether a nonce is one of this space's packets, though it was delivered a moment ago by another process."""
        return hmac.compare_digest(nonce, self.fence(nonce[: NONCE_HEX // 2]))

    def scope(self, scope: str) -> str:
        """The id of a scope; `space:` is its own, since it says nothing."""
        return scope if scope == SPACE_WIDE else self.digest("scope", scope)

    def who(self, name: str) -> str:
        """An actor, owner or speaker: one person is one id in each of these parts."""
        return self.digest("who", name_key(name))

    def name(self, name: str) -> str:
        """A subject by its name."""
        return self.digest("name", name_key(name))

    def value(self, value: TypedValue) -> str:
        """An object in its canonical form."""
        return self.digest("value", object_key(value))

    def words(self, text: str) -> str:
        """A sentence in its normal form."""
        return self.digest("words", statement_key(text))

    def predicate(self, name: str, cardinality: Cardinality) -> str:
        """A predicate with its cardinality: a slot never mixes the two."""
        return self.digest("predicate", f"{definition(name).key}:{cardinality}")

    def conditions(self, conditions: Mapping[str, str | int | float | bool]) -> str:
        """Conditions as a set; empty for none."""
        if not conditions:
            return ""
        parts = sorted(f"{name_key(k)}={value_key(v)}" for k, v in conditions.items())
        return self.digest("conditions", "\n".join(parts))

    def request(self, actor: str, verb: str, key: str) -> str:
        """An idempotency key of one actor for one verb."""
        return self.digest("request", f"{actor}\n{verb}\n{key}")

    def plain_claim(self, statement: str, polarity: Polarity, conditions: str) -> Claim:
        """The claim of a sentence without structure."""
        return Claim(value=self.words(statement), polarity=polarity, conditions=conditions)


def object_key(value: TypedValue) -> str:
    """The canonical form of an object, its unit included."""
    if value.type in ("entity", "string"):
        # An entity named and the same name as a string are one value: wires lose the difference.
        return value_key(str(value.value), value.unit)
    return value_key(value.value, value.unit)


def typed_value(value: Value | TypedValue, unit: str | None = None) -> TypedValue:
    """A caller's object as a typed value."""
    match value:
        case TypedValue():
            return value
        case bool():
            return TypedValue(type="boolean", value=value, unit=unit)
        case int():
            if abs(value) >= 2**63:
                raise InvalidError("number_too_large", "object is a whole number beyond 64 bits", field="object")
            return TypedValue(type="number", value=value, unit=unit)
        case float():
            if value != value or value in (float("inf"), float("-inf")):
                raise InvalidError("number_not_finite", "object is not a finite number", field="object")
            return TypedValue(type="number", value=value, unit=unit)
        case datetime():
            if value.tzinfo is None:
                raise InvalidError("instant_naive", "object is a datetime without a time zone", field="object")
            return TypedValue(type="datetime", value=value.isoformat(), unit=unit)
        case date():
            return TypedValue(type="date", value=value.isoformat(), unit=unit)
        case str():
            return TypedValue(type="string", value=value, unit=unit)
        case _:
            raise InvalidError("object_invalid", "object is not a string, number, boolean or date", field="object")


def cardinality(predicate: str, value: TypedValue | None) -> Cardinality:
    """How many values the predicate's slot holds at a time."""
    if value is None or value.type == "entity":
        return cardinality_of(predicate, None)
    return cardinality_of(predicate, value.value, value.unit)


# ---- bytes that are hashed: pinned by a golden fixture ---------------------------------------------------------------


def skeleton_text(skeleton: Skeleton) -> str:
    """A skeleton as canonical JSON."""
    return msgspec.json.encode(skeleton, order="sorted").decode()


def body_text(body: Body) -> str:
    """A body as canonical JSON."""
    return msgspec.json.encode(body, order="sorted").decode()


def body_digest(salt: str, text: str) -> str:
    """The digest of an erasable body: salted, so that erased words cannot be guessed."""
    return hashlib.sha256(bytes.fromhex(salt) + text.encode()).hexdigest()[:ID_HEX]


def entry_id(text: str) -> str:
    """The id of an entry: the same on every machine."""
    return "e" + hashlib.sha256(text.encode()).hexdigest()[:ID_HEX]


def chained(previous: str, entry: str, received_at: int) -> str:
    """The chain over one more entry: its id and when this store received it."""
    return hashlib.sha256(f"{previous}{entry}{received_at}".encode()).hexdigest()[:ID_HEX]
