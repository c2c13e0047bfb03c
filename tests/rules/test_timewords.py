from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firsthand.rules.timerules import RULES, compiled
from firsthand.rules.timewords import MAX_WINDOWS, Window, time_phrases, told, windows

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def at(text: str) -> int:
    return (datetime.fromisoformat(text).replace(tzinfo=UTC) - EPOCH) // timedelta(microseconds=1)


def span(text: str) -> Window:
    first, _, last = text.partition(" ")
    return Window(at(first), at(last) if last else at(first) + 86_400_000_000)


NOW = at("2023-08-16T12:30")  # a Wednesday


@pytest.mark.parametrize(
    ("text", "words", "meant"),
    [
        ("on 3 June, 2023 we met", "3 June, 2023", "2023-06-03"),
        ("the 3rd of June 2023", "3rd of June 2023", "2023-06-03"),
        ("December 1,2023", "December 1,2023", "2023-12-01"),
        ("Sept. 5th", "Sept. 5th", "2023-09-05"),
        ("due 2022-02-28", "2022-02-28", "2022-02-28"),
        ("in June", "June", "2023-06-01 2023-07-01"),
        ("in December", "December", "2023-12-01 2024-01-01"),
        ("since March", "since March", "2023-03-01 2023-04-01"),
        ("mid-August 2022", "August 2022", "2022-08-01 2022-09-01"),
        ("last March", "last March", "2023-03-01 2023-04-01"),
        ("last October", "last October", "2022-10-01 2022-11-01"),
        ("next June", "next June", "2024-06-01 2024-07-01"),
        ("this June", "this June", "2023-06-01 2023-07-01"),
        ("this August", "this August", "2023-08-01 2023-09-01"),
        ("last summer", "last summer", "2022-06-01 2022-09-01"),
        ("this summer", "this summer", "2023-06-01 2023-09-01"),
        ("next winter", "next winter", "2023-12-01 2024-03-01"),
        ("end of summer 2021", "summer 2021", "2021-06-01 2021-09-01"),
        ("during the fall", "during the fall", "2023-09-01 2023-12-01"),
        ("last Friday", "last Friday", "2023-08-11"),
        ("next friday", "next friday", "2023-08-18"),
        ("this Monday", "this Monday", "2023-08-14"),
        ("on Monday", "Monday", "2023-08-14"),
        ("on Saturday", "Saturday", "2023-08-19"),
        ("yesterday", "yesterday", "2023-08-15"),
        ("the day before yesterday", "day before yesterday", "2023-08-14"),
        ("Last  night", "Last  night", "2023-08-15"),
        ("tomorrow", "tomorrow", "2023-08-17"),
        ("two days ago", "two days ago", "2023-08-14"),
        ("a couple of weeks ago", "a couple of weeks ago", "2023-07-31 2023-08-07"),
        ("a month ago", "a month ago", "2023-07-01 2023-08-01"),
        ("10 years ago", "10 years ago", "2013-01-01 2014-01-01"),
        ("in three months", "in three months", "2023-11-01 2023-12-01"),
        ("over the last few weeks", "last few weeks", "2023-07-24 2023-08-17"),
        ("last week", "last week", "2023-08-07 2023-08-14"),
        ("this weekend", "this weekend", "2023-08-19 2023-08-21"),
        ("next month", "next month", "2023-09-01 2023-10-01"),
        ("last year", "last year", "2022-01-01 2023-01-01"),
        ("back in 2016", "2016", "2016-01-01 2017-01-01"),
        ("the week before August 3, 2023", "week before August 3, 2023", "2023-07-24 2023-07-31"),
        ("the day after 3 August 2023", "day after 3 August 2023", "2023-08-04"),
    ],
)
def test_time_words_mean_what_they_meant_on_the_day_they_were_said(text: str, words: str, meant: str) -> None:
    (phrase,) = time_phrases(text, NOW)
    assert text[phrase.begin : phrase.stop] == words
    assert phrase.window == span(meant)
    assert phrase.window in windows(text, NOW)


def test_on_a_sunday_last_weekend_is_not_the_one_that_is_running() -> None:
    assert time_phrases("last weekend", at("2023-08-20"))[0].window == span("2023-08-12 2023-08-14")
    assert time_phrases("this weekend", at("2023-08-20"))[0].window == span("2023-08-19 2023-08-21")


def test_in_december_this_winter_is_the_one_that_has_begun() -> None:
    assert time_phrases("this winter", at("2023-12-20"))[0].window == span("2023-12-01 2024-03-01")
    assert time_phrases("this winter", at("2023-08-20"))[0].window == span("2022-12-01 2023-03-01")


@pytest.mark.parametrize(
    "text",
    [
        "May I march on?",
        "it will fall, then spring back",
        "costs $2023 or 1.2023",
        "3 cats and 12 dogs",
        "last but not least",
    ],
)
def test_words_that_only_look_like_dates_mean_none(text: str) -> None:
    assert time_phrases(text, NOW) == []
    assert windows(text, NOW) == []
    assert windows(text + " in May 2023", NOW) == [span("2023-05-01 2023-06-01")]


@pytest.mark.parametrize("text", ["2022-02-30", "30 February 2022", "0 May 2022"])
def test_a_day_that_no_calendar_has_falls_back_to_the_month_or_year_it_names(text: str) -> None:
    (window,) = windows(text, NOW)
    assert window.start <= at("2022-02-01") or window.start == at("2022-05-01")
    assert window.end - window.start > 86_400_000_000


def test_a_query_that_names_no_year_means_each_of_the_last_ten_and_the_next() -> None:
    found = windows("camping in June", NOW)
    assert found[0] == span("2024-06-01 2024-07-01")
    assert found[-1] == span("2015-06-01 2015-07-01")
    assert len(found) == 10


def test_windows_do_not_repeat_and_are_bounded() -> None:
    assert windows("yesterday, I say yesterday", NOW) == [span("2023-08-15")]
    months = "January February April June July August September October November December"
    assert len(windows(months, NOW)) == MAX_WINDOWS


def test_several_phrases_come_in_the_order_of_the_text_without_overlap() -> None:
    found = time_phrases("in 2021, then on 3 June 2022 and last week", NOW)
    assert [phrase.window for phrase in found] == [
        span("2021-01-01 2022-01-01"),
        span("2022-06-03"),
        span("2023-08-07 2023-08-14"),
    ]
    assert all(first.stop <= second.begin for first, second in pairwise(found))


def test_a_text_tells_its_narrowest_time() -> None:
    assert told("last year, and yesterday too", NOW) == (span("2023-08-15"), True)
    assert told("I have done it for years", NOW) == (None, True)
    assert told("in March", NOW).has_time_words
    assert told("I may paint", NOW) == (None, False)


def test_an_instant_at_the_end_of_time_has_no_relative_dates() -> None:
    assert windows("yesterday", 2**63 - 1) == []
    assert windows("yesterday", NOW) == [span("2023-08-15")]


PIECES = """in last next this a few two 3 31 999 ago before after the of , January may march 3rd June day week weekend
months years summer winter fall Friday sunday yesterday tonight 2023 1999 2022-13-40 2020-02-29 İ"""
pieces = st.sampled_from([*PIECES.split(), "last\u00a0night"])
instants = st.datetimes(datetime(1000, 1, 1), datetime(8899, 12, 31)).map(lambda when: at(when.isoformat()))


@given(st.lists(pieces, max_size=8).map(" ".join), instants)
def test_any_heap_of_time_words_gives_windows_that_are_not_empty(text: str, now: int) -> None:
    for window in windows(text, now):
        assert window.start < window.end
    for phrase in time_phrases(text, now):
        assert 0 <= phrase.begin < phrase.stop <= len(text)
        assert phrase.window.start < phrase.window.end


@given(st.lists(pieces, max_size=6).map(" ".join))
def test_no_rule_matches_a_text_that_holds_none_of_its_words(text: str) -> None:
    words = set(text.lower().replace(",", " ").split())
    for rule in RULES:
        if compiled(rule.pattern).search(text):
            assert not rule.words.isdisjoint({*words, *(piece for word in words for piece in word.split("-"))}), rule
