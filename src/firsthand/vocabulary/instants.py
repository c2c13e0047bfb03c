"""Instants are integer microseconds UTC; intervals are half-open `[from, to)` (design 02)."""

from __future__ import annotations

import functools
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.patterns import lazy_pattern

FOREVER: Final = 2**63 - 1
"""An open end."""
BEGINNING: Final = -FOREVER
"""An open start."""
MICROSECONDS_PER_SECOND: Final = 1_000_000
MICROSECONDS_PER_DAY: Final = 86_400 * MICROSECONDS_PER_SECOND

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_HOW: Final = "write it like 2026-03-09T10:00Z"
_BARE_DATE: Final = lazy_pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

Instant = int | str | date | datetime
"""What callers may pass: microseconds, ISO 8601 with an offset, an aware datetime, or a bare date (midnight UTC)."""


def to_micros(value: Instant, field: str) -> int:
    """`value` in microseconds UTC; naive datetimes and anything unclear are refused."""
    match value:
        case bool():
            raise InvalidError("instant_invalid", f"{field} is not an instant; {_HOW}", field=field)
        case int():
            return _checked(value, field)
        case datetime():
            return _from_datetime(value, field)
        case date():
            return _from_datetime(datetime.combine(value, time(), UTC), field)
        case str():
            return _from_text(value, field)
        case _:
            raise InvalidError("instant_invalid", f"{field} is not an instant; {_HOW}", field=field)


def to_iso(micros: int) -> str:
    """ISO 8601 in UTC, as short as it is exact."""
    moment = _EPOCH + micros * _MICROSECOND
    if moment.microsecond:
        return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
    if moment.second:
        return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    return moment.strftime("%Y-%m-%dT%H:%MZ")


def to_date(micros: int) -> str:
    """The day alone, for people."""
    return _date_of_day(micros // MICROSECONDS_PER_DAY)


@functools.lru_cache(maxsize=4_096)
def _date_of_day(days: int) -> str:
    return (_EPOCH + timedelta(days=days)).strftime("%Y-%m-%d")


def _from_text(text: str, field: str) -> int:
    text = text.strip()
    try:
        # The parser stops at a NUL and never sees what follows.
        moment = datetime.fromisoformat(text if text.isprintable() else "")
    except ValueError:
        raise InvalidError("instant_invalid", f"{field} is not an ISO 8601 instant; {_HOW}", field=field) from None
    if _BARE_DATE.fullmatch(text):
        moment = moment.replace(tzinfo=UTC)
    return _from_datetime(moment, field)


def _from_datetime(moment: datetime, field: str) -> int:
    if moment.utcoffset() is None:
        raise InvalidError("instant_naive", f"{field} has no time zone; add one, such as a final Z", field=field)
    return _checked((moment - _EPOCH) // _MICROSECOND, field)


_LOWEST: Final = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND
_HIGHEST: Final = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND


def _checked(micros: int, field: str) -> int:
    if not _LOWEST <= micros <= _HIGHEST:
        raise InvalidError("instant_out_of_range", f"{field} is outside the years 1 to 9999", field=field)
    return micros
