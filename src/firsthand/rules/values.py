"""Typed values as keys: a number, a boolean or a date is the same value however it was written."""

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Final

from firsthand.rules.normalise import KEPT_CHARACTERS, KEPT_NAMES, folded, name_key, outer_bare, visible
from firsthand.vocabulary.patterns import lazy_pattern

Value = str | int | float | bool | Decimal | date | datetime

_ALIASES: Final = (
    "ns nanosecond nanoseconds",
    "us microsecond microseconds usec μs",
    "ms millisecond milliseconds msec msecs",
    "s second seconds sec secs",
    "min minute minutes mins",
    "h hour hours hr hrs",
    "d day days",
    "week weeks wk wks",
    "month months",
    "y year years yr yrs",
    "bit bits",
    "B byte bytes",
    "kB KB kilobyte kilobytes",
    "MB megabyte megabytes",
    "GB gigabyte gigabytes",
    "TB terabyte terabytes",
    "KiB kibibyte kibibytes",
    "MiB mebibyte mebibytes",
    "GiB gibibyte gibibytes",
    "TiB tebibyte tebibytes",
    "Mb Mbit megabit megabits",
    "Gb Gbit gigabit gigabits",
    "% percent pct",
    "mm millimetre millimetres millimeter millimeters",
    "cm centimetre centimetres centimeter centimeters",
    "m metre metres meter meters",
    "km kilometre kilometres kilometer kilometers kms",
    "mi mile miles",
    "in inch inches",
    "ft foot feet",
    "mg milligram milligrams",
    "g gram grams",
    "kg kilogram kilograms kilo kilos kgs",
    "lb pound pounds lbs",
    "ml mL millilitre millilitres milliliter milliliters",
    "l L litre litres liter liters",
    "Hz hertz",
    "kHz kilohertz",
    "MHz megahertz",
    "GHz gigahertz",
    "°C celsius",
    "°F fahrenheit",
    "EUR € euro euros",
    "GBP £",
    "USD US$",
    "$ dollar dollars",
)
_UNITS: Final = {visible(alias): line.split()[0] for line in _ALIASES for alias in line.split()}
# An unknown spelling of the case (`gb`, `MS`) is read loosely, unless two units differ in nothing else (Mb and MB).
_LOOSE: Final = {alias.lower(): unit for alias, unit in reversed(_UNITS.items())}

_SHORT: Final = 10**15
_WHOLE: Final = r"0|[1-9]\d{0,2}(?P<mark>[,_ '])\d{3}(?:(?P=mark)\d{3})*|[1-9]\d*|(?=\.\d)"
_FORM: Final = rf"(?P<sign>[+-]?)(?P<whole>{_WHOLE})(?:\.(?P<part>\d+))?(?:[eE](?P<power>[+-]?\d{{1,3}}))?"
_NUMBER: Final = lazy_pattern(_FORM)
_QUANTITY: Final = lazy_pattern(rf"(?P<amount>{_FORM}) ?(?P<unit>[^\d\s.,:;/+-]\S{{0,15}})")
_PRICE: Final = lazy_pattern(r"([+-]?)(US\$|[$€£]) ?(.+)")
_DATE: Final = lazy_pattern(r"(\d{4})([-/])(\d{1,2})\2(\d{1,2})")
_DAY_FIRST: Final = lazy_pattern(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})")
_MONTH_NAMES: Final = (
    "jan january|feb february|mar march|apr april|may|jun june|jul july|aug august|sep sept september|"
    "oct october|nov november|dec december"
)
_MONTHS: Final = {name: 1 + i for i, names in enumerate(_MONTH_NAMES.split("|")) for name in names.split()}
_DAY_MONTH: Final = lazy_pattern(r"(\d{1,2})(?:st|nd|rd|th)?(?: of)?[ -]([a-z]+)\.?,?[ -](\d{4})")
_MONTH_DAY: Final = lazy_pattern(r"([a-z]+)\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})")
_MONTH_YEAR: Final = lazy_pattern(r"([a-z]+)\.?,? (\d{4})")
_YEAR_MONTH: Final = lazy_pattern(r"(\d{4})-(0[1-9]|1[0-2])")
_INSTANT: Final = lazy_pattern(
    r"(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?) ?([Zz]|UTC|utc|[+-]\d{2}:?\d{2})?"
)


def value_key(value: Value, unit: str | None = None) -> str:
    """Return the form under which two values of a slot are compared, with a letter for its type in front.

    n number, b boolean, d date, t instant, s text. A string that reads as one of the first four *is* one, because
    wires and models lose the type: `"8080"` is 8080 and `"true"` is true; `yes` and `on` stay words.
    """
    if isinstance(value, str):
        return _kept_text_key(value, unit) if len(value) <= KEPT_CHARACTERS else _text_key(value, unit)
    if isinstance(value, bool):
        return _with_unit("b:true" if value else "b:false", unit)
    if isinstance(value, datetime):
        return _with_unit(_instant(value), unit)
    if isinstance(value, date):
        return _with_unit(f"d:{value.isoformat()}", unit)
    if isinstance(value, int) and -_SHORT < value < _SHORT:
        return _with_unit(f"n:{value}", unit)
    exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    return _with_unit(_number(exact), unit)


def unit_key(unit: str) -> str:
    """Return the one spelling of a unit: `milliseconds` and `msec` are `ms`, an unknown one is compared as a name."""
    seen = visible(unit)
    return _UNITS.get(seen) or _LOOSE.get(seen.lower()) or name_key(unit)


def is_scalar(value: Value, unit: str | None = None) -> bool:
    """Say whether a value is a number, a date, an instant or a boolean, written as such or as a string."""
    return value_key(value, unit)[0] != "s"


def _text_key(value: str, unit: str | None) -> str:
    text = outer_bare(visible(value))
    lower = text.lower()
    if lower in {"true", "false"}:
        return _with_unit(f"b:{lower}", unit)
    if any(map(str.isdigit, text)) and (typed := _typed(text, lower, unit)):
        return typed
    return _with_unit(f"s:{name_key(value)}", unit)


# Only short values are kept, as with names.
_kept_text_key = lru_cache(maxsize=KEPT_NAMES)(_text_key)


def _typed(text: str, lower: str, unit: str | None) -> str | None:
    """Read a text that holds a digit as a number, an amount, a date or an instant; None if it is none of them."""
    plain = folded(text)  # unifies dashes and minus signs; the case of a unit is taken from the text itself
    if (number := _read_number(plain, sure=bool(unit))) is not None:
        return _with_unit(number, unit)
    amount = _read_amount(text)
    if amount and (not unit or amount.endswith(f" {unit_key(unit)}")):
        return amount
    if day := _read_date(lower):
        return _with_unit(f"d:{day}", unit)
    if found := _INSTANT.fullmatch(text):
        return _with_unit(_read_instant(*found.groups()), unit) if _read_date(found[1]) else None
    return None


def _read_number(text: str, *, sure: bool) -> str | None:
    """Read a number, but leave `3.10` a text unless a unit says that it is one: as a version it is not 3.1."""
    found = _NUMBER.fullmatch(text)
    if not found:
        return None
    part = found["part"] or ""
    if not sure and not found["mark"] and part.endswith("0") and part.strip("0"):
        return None
    digits = re.sub(r"\D", "", found["whole"]) or "0"
    return _number(Decimal(f"{found['sign']}{digits}.{part or 0}E{found['power'] or 0}"))


def _read_amount(text: str) -> str | None:
    if price := _PRICE.fullmatch(text):
        number = _read_number(price[1] + price[3], sure=True)
        return number and _with_unit(number, price[2])
    found = _QUANTITY.fullmatch(text)
    if not found or unit_key(found["unit"]) not in _UNITS:
        return None
    number = _read_number(folded(found["amount"]), sure=True)
    return number and _with_unit(number, found["unit"])


def _read_date(text: str) -> str | None:
    """Read a date in a form that means one day (or month) only: 03/04/2026 stays a text, 25/12/2026 does not."""
    if found := _DATE.fullmatch(text):
        return _day(found[1], found[3], found[4])
    if found := _DAY_FIRST.fullmatch(text):
        low, high = sorted((int(found[1]), int(found[3])))
        return _day(found[4], low, high) if high > 12 or low == high else None
    if found := _DAY_MONTH.fullmatch(text):
        return _day(found[3], _MONTHS.get(found[2], 0), found[1])
    if found := _MONTH_DAY.fullmatch(text):
        return _day(found[3], _MONTHS.get(found[1], 0), found[2])
    if (found := _MONTH_YEAR.fullmatch(text)) and found[1] in _MONTHS:
        return f"{found[2]}-{_MONTHS[found[1]]:02}"
    return text if _YEAR_MONTH.fullmatch(text) else None


def _day(year: str, month: str | int, day: str | int) -> str | None:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None


def _read_instant(day: str, clock: str, zone: str | None) -> str:
    offset = "" if not zone else "+00:00" if zone.lower() in {"z", "utc"} else zone
    try:
        return _instant(datetime.fromisoformat(f"{day}T{clock}{offset}"))
    except ValueError:  # 25:61 is no time of day
        return f"s:{name_key(f'{day} {clock}{offset}')}"


def _instant(value: datetime) -> str:
    """Write an instant in UTC; one without a zone stays a wall clock of its own and equals no instant."""
    if value.utcoffset() is None:
        return f"t:{value.replace(tzinfo=None).isoformat()}"
    try:
        return f"t:{value.astimezone(UTC).replace(tzinfo=None).isoformat()}Z"
    except OverflowError:  # the first or last hours of the calendar
        return f"t:{value.isoformat()}"


def _number(value: Decimal) -> str:
    """Write a number exactly, without the zeros that carry nothing, and in powers of ten once it is long."""
    if not value.is_finite():
        return f"n:{str(value).lower()}"
    sign, digits, exponent = value.as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    kept = text.rstrip("0")
    if not kept:
        return "n:0"
    power = int(exponent) + len(text) - len(kept)
    if power > 24 or len(kept) + power < -24:
        body = f"{kept}e{power}"
    elif power >= 0:
        body = kept + "0" * power
    else:
        padded = kept.rjust(1 - power, "0")
        body = f"{padded[:power]}.{padded[power:]}"
    return f"n:{'-' if sign else ''}{body}"


def _with_unit(key: str, unit: str | None) -> str:
    return f"{key} {unit_key(unit)}" if unit else key
