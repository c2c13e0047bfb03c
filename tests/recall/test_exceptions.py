"""A global claim beside a conditional one is the default, except where the condition holds (design 09.7)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from stores import opened, reader_of, texts

from firsthand import Memory
from firsthand.recall import exceptions, fill
from firsthand.vocabulary.packets import Item

ASKED = "which port does the api have?"


def told(memory: Memory, **more: Any) -> tuple[str, str]:
    """A port, and another one in tests; their records."""
    default = memory.remember("The api has port 8080", subject="api", predicate="port", object=8080)
    test = memory.remember("The api has port 9090 in tests", subject="api", predicate="port", object=9090,
                           conditions={"environment": "test"}, **more)  # fmt: skip
    return default.record_id or "", test.record_id or ""


def default_of(memory: Memory, **asked: Any) -> Item:
    return next(i for i in memory.recall(ASKED, **asked).items if i.text == "The api has port 8080")


def test_the_default_names_its_exception_wherever_it_is_shown(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        default, test = told(memory)
        words = f"default, except on environment = test (see {test[:9]})"
        qualifier = default_of(memory).qualifier
        assert (qualifier.code, qualifier.text) == ("current", words)
        assert [(e.record_id, e.conditions) for e in qualifier.excepted] == [(test, (("environment", "test"),))]
        assert words in memory.recall(ASKED).render()
        assert words in memory.recall(ASKED).render("json")
        assert memory.read(default).item.qualifier.text == words
        explained = memory.explain(ASKED, default).qualifier
        assert explained is not None
        assert explained.text == words
        exception = next(i for i in memory.recall(ASKED).items if i.record_id == test)
        assert exception.qualifier.excepted == ()


def test_a_met_condition_outranks_the_default_and_one_that_fails_excepts_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        told(memory)
        for _ in range(9):
            memory.feedback(memory.recall(ASKED).recall_id, used=[default_of(memory).record_id], outcome="helped")
            exception = memory.recall("port 9090 in tests").items[0]
            memory.feedback(memory.recall(ASKED).recall_id, used=[exception.record_id], outcome="failed")
        question = "The api has port 8080?"
        unsure = memory.recall(question)
        assert texts(unsure)[0] == "The api has port 8080"
        tests = memory.recall(question, conditions={"environment": "test"})
        assert texts(tests) == ["The api has port 9090 in tests", "The api has port 8080"]
        assert tests.items[1].qualifier.excepted != ()
        live = memory.recall(question, conditions={"environment": "live"})
        assert [(i.text, i.qualifier.text) for i in live.items] == [("The api has port 8080", "current")]


def test_an_exception_that_is_gone_hidden_or_not_believed_is_none(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        _, test = told(memory)
        assert default_of(memory).qualifier.excepted
        memory.withdraw(test, reason="not now")
        assert default_of(memory).qualifier.text == "current"
        memory.restore(test, reason="now")
        assert default_of(memory).qualifier.excepted
        before = memory.ledger.head().received_at
        memory.retract(test, reason="no more")
        assert default_of(memory).qualifier.text == "current"
        assert default_of(memory, known_at=before).qualifier.excepted, "it was one then"


def test_who_may_not_see_an_exception_is_not_told_of_it(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        told(memory, sensitivity="high")
        assert default_of(memory).qualifier.excepted
        with reader_of(tmp_path) as reader:
            assert default_of(reader).qualifier.text == "current"


def test_where_many_values_hold_forks_denials_and_what_is_found_beside_it_are_exceptions(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        tabs = memory.remember("Ana prefers tabs", subject="Ana", predicate="prefers", object="tabs").record_id or ""
        milk = memory.remember("Ana prefers oat milk", subject="Ana", predicate="prefers", object="oat milk",
                               conditions={"drink": "coffee"}).record_id  # fmt: skip
        memory.remember("Ben prefers tea", subject="Ben", predicate="prefers", object="tea",
                        conditions={"day": "monday"})  # fmt: skip
        beside = memory.recall("what do Ana and Ben prefer?")
        assert {i.record_id: [e.record_id for e in i.qualifier.excepted] for i in beside.items}[tabs] == [milk]
        assert "default, except on drink = coffee" in beside.render()
        assert memory.recall("tabs", kinds=["semantic"]).items[0].qualifier.text == "current"
        assert memory.read(tabs).item.qualifier.text == "current"
        fork = memory.fork(tabs, object="spaces", conditions={"language": "python"}, reason="PEP 8").record_id
        assert [e.record_id for e in memory.read(tabs).item.qualifier.excepted] == [fork]
        denial = memory.remember("Ana does not like tabs in Go", subject="Ana", predicate="prefers", object="tabs",
                                 polarity="-", conditions={"language": "go"}).record_id  # fmt: skip
        assert {e.record_id for e in memory.read(tabs).item.qualifier.excepted} == {fork, denial}
        whole = next(i for i in memory.recall("what does Ana prefer?").items if i.record_id == tabs).qualifier
        assert {e.record_id for e in whole.excepted} == {fork, denial, milk}
        assert whole.text.count("default, except") == 1


def test_many_exceptions_are_counted(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        default, _ = told(memory)
        for n in range(4):
            memory.remember(subject="api", predicate="port", object=7000 + n, conditions={"environment": f"e{n}"})
        qualifier = memory.read(default).item.qualifier
        assert len(qualifier.excepted) == 5
        assert qualifier.text.endswith(" and 2 more")


def test_what_ends_says_so_besides(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        default = memory.remember(subject="api", predicate="port", object=8080, valid_to="2027-01-01").record_id or ""
        memory.remember(subject="api", predicate="port", object=9090, conditions={"environment": "test"})
        text = memory.read(default).item.qualifier.text
        assert text.startswith("current, until 2027-01-01; default, except on environment = test (see ")


@pytest.mark.parametrize(
    ("place", "name", "broken", "test"),
    [
        (exceptions, "_claims", lambda *given: {}, test_the_default_names_its_exception_wherever_it_is_shown),
        (fill, "with_exceptions_beside", list,
         test_where_many_values_hold_forks_denials_and_what_is_found_beside_it_are_exceptions),
        (fill, "_met_first", list,
         test_a_met_condition_outranks_the_default_and_one_that_fails_excepts_nothing),
        (exceptions, "contradicted", lambda *given: False,
         test_a_met_condition_outranks_the_default_and_one_that_fails_excepts_nothing),
        (exceptions, "_holds", lambda *given: True, test_an_exception_that_is_gone_hidden_or_not_believed_is_none),
    ],
)  # fmt: skip
def test_a_broken_exception_is_caught(
    place: Any, name: str, broken: Any, test: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, name, broken)
    with pytest.raises(AssertionError):
        test(tmp_path=tmp_path)
