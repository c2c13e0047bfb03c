"""Calendar arithmetic in whole UTC days: each function returns a half-open pair of day ordinals."""

from datetime import date, timedelta

Days = tuple[int, int]
"""`[from, to)` in proleptic day ordinals (`date.toordinal`)."""

MICROSECONDS_PER_DAY = 86_400_000_000
_EPOCH_DAY = date(1970, 1, 1).toordinal()
_EARLIEST_DAY = date(1000, 1, 1).toordinal()
_LATEST_DAY = date(8900, 1, 1).toordinal()


def day_of(instant: int) -> date | None:
    """Return the UTC day of an instant, or nothing where it is too far off to do arithmetic with."""
    ordinal = _EPOCH_DAY + instant // MICROSECONDS_PER_DAY
    return date.fromordinal(ordinal) if _EARLIEST_DAY <= ordinal < _LATEST_DAY else None


def instant_of(ordinal: int) -> int:
    """Return the instant, in microseconds UTC, at which a day begins."""
    return (ordinal - _EPOCH_DAY) * MICROSECONDS_PER_DAY


def one_day(at: date) -> Days:
    """Return the day itself."""
    return at.toordinal(), at.toordinal() + 1


def month_of(year: int, month: int) -> Days:
    """Return a calendar month; months past December or before January run into the next or previous year."""
    first = year * 12 + month - 1
    return _first_of(first), _first_of(first + 1)


def season_of(year: int, season: int) -> Days:
    """Return a season of the northern year (0 winter, from December of the year before, to 3 autumn)."""
    return month_of(year, season * 3)[0], month_of(year, season * 3 + 3)[0]


def year_of(year: int) -> Days:
    """Return a calendar year."""
    return month_of(year, 1)[0], month_of(year + 1, 1)[0]


def week_of(at: date) -> Days:
    """Return the week, Monday to Sunday, that holds a day."""
    monday = at.toordinal() - at.weekday()
    return monday, monday + 7


def weekend_of(at: date) -> Days:
    """Return the Saturday and Sunday of the week that holds a day."""
    monday = at.toordinal() - at.weekday()
    return monday + 5, monday + 7


def moved(at: date, unit: str, count: int) -> Days:
    """Return the day, week, weekend, month or year that lies `count` of them after the one that holds a day."""
    if unit == "day":
        return one_day(at + timedelta(days=count))
    if unit == "week":
        return week_of(at + timedelta(weeks=count))
    if unit == "weekend":
        return weekend_of(at + timedelta(weeks=count))
    if unit == "month":
        return month_of(at.year, at.month + count)
    return year_of(at.year + count)


def _first_of(months: int) -> int:
    return date(months // 12, months % 12 + 1, 1).toordinal()
