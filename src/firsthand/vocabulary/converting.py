"""Plain values as structs, every fault named by its field and never quoted."""

from __future__ import annotations

from typing import Final, TypeVar

import msgspec

from firsthand.vocabulary import limits
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.patterns import lazy_pattern

T = TypeVar("T")
_FIRST_NAME: Final = lazy_pattern(r"[a-z_]+")
_MISSING: Final = lazy_pattern(r"Object missing required field `([a-z_]+)`")
_TYPES: Final = lazy_pattern(r"Expected `([a-z |]+)`, got `([a-z]+)`")
_LENGTH: Final = lazy_pattern(r"Expected `(\w+)` of length (<=|>=) (\d+)")
_BOUND: Final = lazy_pattern(r"Expected `(?:int|float)` (<=|>=) (-?[\d.]+)")


def convert(value: object, into: type[T], field: str) -> T:
    """A plain value as a struct; what is wrong is named by its field, never quoted."""
    try:
        return msgspec.convert(value, into)
    except msgspec.ValidationError as error:
        place, fault = _fault(error)
        named = _FIRST_NAME.match(place)
        raise InvalidError(
            "shape_invalid", f"{place or field} {fault}", field=named.group() if named else field
        ) from None
    except RecursionError:
        raise too_deep() from None


def _fault(error: msgspec.ValidationError) -> tuple[str, str]:
    """Where msgspec found a fault and which: types and names of our own fields, never a word of the value."""
    said, _, path = str(error).rpartition(" - at `$")
    said, place = (said, path.rstrip("`").strip(".").removeprefix("payload.")) if said else (path, "")
    if missing := _MISSING.match(said):
        return place, f"lacks {missing[1]}; add it"
    if types := _TYPES.match(said):
        return place, f"must be {types[1]}, not {types[2]}"
    if length := _LENGTH.match(said):
        what = "characters" if length[1] == "str" else "elements"
        return place, f"must have {'at most' if length[2] == '<=' else 'at least'} {length[3]} {what}"
    if bound := _BOUND.match(said):
        return place, f"must be {'at most' if bound[1] == '<=' else 'at least'} {bound[2]}"
    if said.startswith("Object contains unknown field"):
        return place, "has a field that is not known here; leave it out"
    return place, "has a value that is not allowed here"


def too_deep() -> InvalidError:
    return InvalidError("json_too_deep", f"payload is nested deeper than {limits.JSON_DEPTH} levels", field="payload")
