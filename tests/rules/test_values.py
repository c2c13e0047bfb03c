from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firsthand.rules.values import is_scalar, unit_key, value_key

SAME = [
    (8080, "8080"),
    (8080, "8,080"),
    (8080, "8080.0"),
    (8080, 8080.0),
    (8080, " 8_080 "),
    (8080, "٨٠٨٠"),
    (1000, "1e3"),
    (1000, "1E+3"),
    (1234567, "1 234 567"),
    (1234567, "1'234'567"),
    (1234567.5, "1,234,567.50"),
    (-5, "−5"),
    (0, "-0"),
    (0.5, ".5"),
    (0.1, Decimal("0.10")),
    (10**30, "1e30"),
    (True, "true"),
    (False, "FALSE."),
    (date(2026, 3, 4), "2026-03-04"),
    (date(2026, 3, 4), "2026/3/4"),
    (date(2026, 3, 4), "4 March 2026"),
    (date(2026, 3, 4), "4th of March, 2026"),
    (date(2026, 3, 4), "March 4, 2026"),
    (date(2026, 3, 4), "Mar. 4 2026"),
    (date(2026, 3, 4), "4-Mar-2026"),
    (date(2026, 12, 25), "25/12/2026"),
    (date(2026, 12, 25), "12/25/2026"),
    (date(2026, 5, 5), "05.05.2026"),
    ("March 2026", "2026-03"),
    (datetime(2026, 3, 4, 10, tzinfo=UTC), "2026-03-04T10:00Z"),
    (datetime(2026, 3, 4, 10, tzinfo=UTC), "2026-03-04 12:00:00+02:00"),
    (datetime(2026, 3, 4, 10, tzinfo=timezone(timedelta(hours=1))), "2026-03-04 09:00 UTC"),
    (datetime(2026, 3, 4, 10), "2026-03-04T10:00"),
    ("Berlin", " berlin."),
    ("250 ms", "250 milliseconds"),
    ("5µs", "5 microseconds"),
    ("$5", "$5.00"),
    ("€1,200", "1200 EUR"),
]
DIFFERENT = [
    ("3.10", "3.1"),
    ("007", "7"),
    ("02134", 2134),
    ("yes", True),
    ("1", True),
    (1, True),
    ("5 Gb", "5 GB"),
    ("5 GiB", "5 GB"),
    ("5 ms", "5 μs"),
    ("5", "5%"),
    ("$5", "5 USD"),
    ("03/04/2026", "04/03/2026"),
    ("03/04/2026", date(2026, 4, 3)),
    ("2024.1.5", date(2024, 1, 5)),
    ("00/13/2026", date(2026, 1, 13)),
    (date(2026, 3, 4), datetime(2026, 3, 4)),
    (datetime(2026, 3, 4), datetime(2026, 3, 4, tzinfo=UTC)),
    ("10⁶", 106),
    ("5½", "51/2"),
    ("1,23", 123),
    ("1,234 567", 1234567),
    ("8080", "8O8O"),
    ("-5", "5"),
    (10**24, 10**25),
]
TEXTS = [
    "3.10",
    "1.2.3",
    "192.168.0.1",
    "+1 555 123 4567",
    "555-1234",
    "12:30",
    "1/2",
    "5 apples",
    "v1.2",
    "Smarch 2026",
]
TEXTS += [
    "2026-13-01",
    "2026-02-30",
    "31 Foo 2026",
    "Foo 31, 2026",
    "2026-13-01T10:00",
    "2026-03-04T25:00Z",
    "yes",
    "$x",
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_ways_to_write_one_value_give_one_key(one, other):
    assert value_key(one) == value_key(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_two_values_keep_two_keys(one, other):
    assert value_key(one) != value_key(other)


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_no_single_number_or_day_stays_a_text(text):
    assert value_key(text).startswith("s:")
    assert not is_scalar(text)
    assert is_scalar("8080")


@pytest.mark.parametrize(
    "names", ["ms millisecond MS", "GB gigabyte gb Gigabytes", "% percent", "km kilometres KM", "Mb Mbit"]
)
def test_the_names_of_a_unit_give_one_unit(names):
    assert len({unit_key(name) for name in names.split()}) == 1


def test_a_unit_may_stand_in_the_text_or_beside_it():
    assert value_key("250 ms") == value_key(250, "milliseconds") == value_key("250", "ms") == value_key("250ms", "ms")
    assert value_key("250 ms", "km") != value_key("250", "km")
    assert value_key(3, "Widgets") == value_key("3", "widgets")
    assert value_key("3.10", "EUR") == value_key(3.1, "EUR")


def test_the_ends_of_every_type_have_a_key():
    last = datetime.max.replace(tzinfo=timezone(-timedelta(hours=9)))
    assert all(map(is_scalar, [float("nan"), float("inf"), last, 10**9000]))
    assert not is_scalar("the end")


@given(st.integers())
def test_an_integer_equals_its_grouped_spelling_and_its_float(number):
    assert value_key(number) == value_key(f"{number:,}") == value_key(str(number)) == value_key(Decimal(number))
    if abs(number) < 2**53:
        assert value_key(float(number)) == value_key(number)


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_floats_have_one_key_only_if_they_are_equal(one, other):
    assert (value_key(one) == value_key(other)) == (one == other)


@given(st.datetimes(timezones=st.just(UTC)))
def test_an_instant_equals_its_iso_spelling(instant):
    assert (
        value_key(instant) == value_key(instant.isoformat()) == value_key(instant.isoformat(" ").replace("+00:00", "Z"))
    )


@given(st.text())
def test_every_text_has_a_typed_key(text):
    assert value_key(text)[:2] in {"s:", "n:", "d:", "t:", "b:"}
