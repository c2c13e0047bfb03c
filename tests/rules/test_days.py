from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firsthand.rules.days import day_of, instant_of, month_of, moved, season_of, week_of, weekend_of, year_of

days = st.dates(date(1000, 1, 1), date(8899, 12, 31))


@given(days, st.integers(0, 86_400_000_000 - 1))
def test_every_instant_of_a_day_is_on_that_day(day: date, later: int) -> None:
    assert day_of(instant_of(day.toordinal()) + later) == day


@pytest.mark.parametrize("far", [-(2**62), 2**63 - 1])
def test_an_instant_too_far_off_has_no_day(far: int) -> None:
    assert day_of(far) is None
    assert day_of(0) == date(1970, 1, 1)


@given(days)
def test_a_week_runs_from_monday_and_ends_in_its_weekend(day: date) -> None:
    first, last = week_of(day)
    assert date.fromordinal(first).weekday() == 0
    assert first <= day.toordinal() < last
    assert weekend_of(day) == (last - 2, last)


@given(st.integers(1000, 8900))
def test_months_and_seasons_tile_the_year(year: int) -> None:
    assert [month_of(year, at)[1] for at in range(1, 12)] == [month_of(year, at)[0] for at in range(2, 13)]
    assert (month_of(year, 1)[0], month_of(year, 12)[1]) == year_of(year)
    assert [season_of(year, at)[1] for at in range(3)] == [season_of(year, at)[0] for at in range(1, 4)]
    assert month_of(year, 13) == month_of(year + 1, 1)
    assert month_of(year, 0) == month_of(year - 1, 12)


@given(days, st.sampled_from(["day", "week", "weekend", "month", "year"]), st.integers(0, 998))
def test_moving_further_moves_later_and_leaves_no_gap_but_between_weekends(day: date, unit: str, count: int) -> None:
    here, there = moved(day, unit, count), moved(day, unit, count + 1)
    assert here[1] == there[0] if unit != "weekend" else here[1] + 5 == there[0]
    assert moved(day, unit, -count)[0] <= here[0]
