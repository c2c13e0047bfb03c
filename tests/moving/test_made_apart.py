"""What two stores made of one name or one claim, each for itself, is one once they exchanged it."""

from __future__ import annotations

import pytest
from pairs import Pair, believed, look

import firsthand

COPIES = "project:copies"


@pytest.fixture
def both(pair: Pair) -> tuple[firsthand.Memory, firsthand.Memory]:
    a, b = pair.memory("a"), pair.memory("b")
    pair.trusting(a, b)
    pair.trusting(b, a)
    return a, b


def exchange(pair: Pair, a: firsthand.Memory, b: firsthand.Memory) -> None:
    pair.send(a, b)
    pair.send(b, a)
    assert believed(pair.path("a")) == believed(pair.path("b"))


def told(memory: firsthand.Memory, query: str) -> list[str]:
    return [item.text for item in memory.recall(query, kinds=["semantic"]).items]


def test_a_subject_that_both_named_is_one_subject(pair: Pair, both: tuple[firsthand.Memory, firsthand.Memory]) -> None:
    a, b = both
    made = {memory.remember(subject="hull", predicate="uses", object="oak").record_id for memory in both}
    exchange(pair, a, b)
    again = a.remember(subject="hull", predicate="uses", object="oak")
    assert again.outcome == "reinforced"
    assert again.record_id in made
    assert told(a, "hull") == ["hull uses oak"]
    a.reject(value=("hull", "uses", "oak"), reason="it is ash")
    assert told(a, "hull") == []


def test_a_second_entity_of_a_name_that_both_had_is_still_another(
    pair: Pair, both: tuple[firsthand.Memory, firsthand.Memory]
) -> None:
    a, b = both
    for memory in both:
        memory.remember(subject="Sam", predicate="uses", object="oak")
    exchange(pair, a, b)
    first = a.recall("Sam", kinds=["entity"]).items
    assert first
    other = firsthand.Entity(canonical_name="Sam", distinct_from=tuple(i.record_id for i in first))
    a.remember(payload=other)
    receipt = a.remember(subject="Sam", predicate="uses", object="ash")
    assert {c.code for c in receipt.conflicts} == {"ambiguous"}


@pytest.mark.parametrize("shares", ["a", "b"])
def test_withdrawing_a_claim_that_both_made_reaches_the_copy_of_either(
    shares: str, pair: Pair, both: tuple[firsthand.Memory, firsthand.Memory]
) -> None:
    a, b = both
    made = {m: m.remember(subject="hull", predicate="uses", object="oak").record_id or "" for m in both}
    sharer = a if shares == "a" else b
    sharer.share(made[sharer], COPIES, reason="for all")
    exchange(pair, a, b)
    assert told(a.at(scope=COPIES), "hull") == ["hull uses oak"]
    b.withdraw(min(made.values()), reason="not now")
    exchange(pair, a, b)
    for memory in both:
        assert told(memory.at(scope=COPIES), "hull") == []
        assert memory.ledger.verify(deep=True).deep
    a.restore(min(made.values()), reason="now it may")
    exchange(pair, a, b)
    assert told(b.at(scope=COPIES), "hull") == ["hull uses oak"]


def test_withdrawing_a_claim_that_both_made_hides_what_it_did_not_know_of(
    pair: Pair, both: tuple[firsthand.Memory, firsthand.Memory]
) -> None:
    a, b = both
    ours = a.remember(subject="hull", predicate="uses", object="oak")
    theirs = b.remember(subject="hull", predicate="uses", object="oak")
    a.fork(ours.record_id, object="ash", conditions={"season": "dry"}, reason="there it is so")
    assert "hull uses ash" in told(a, "hull")
    b.withdraw(theirs.record_id, reason="not now")
    exchange(pair, a, b)
    assert told(a, "hull") == []
    assert a.ledger.verify(deep=True).deep


def test_a_claim_whose_first_words_were_erased_elsewhere_is_told_in_those_that_came_meanwhile(
    pair: Pair, both: tuple[firsthand.Memory, firsthand.Memory]
) -> None:
    a, b = both
    talk = b.capture("So, hull uses oak. Noted.")
    cited = [firsthand.cite(talk.record_id, quote="hull uses oak")]
    b.remember(subject="hull", predicate="uses", object="oak", evidence=cited)
    exchange(pair, a, b)
    assert a.remember(subject="hull", predicate="uses", object="oak").outcome == "reinforced"
    b.erase(talk.record_id, reason_code="asked")
    assert told(b, "hull") == []
    exchange(pair, a, b)
    for memory in both:
        assert told(memory, "hull") == ["hull uses oak"]
        assert memory.ledger.verify(deep=True).deep


def test_an_entity_named_anew_keeps_its_name_where_the_erasure_of_the_first_comes_after_it(
    pair: Pair, both: tuple[firsthand.Memory, firsthand.Memory]
) -> None:
    a, b = both
    talk = b.capture("So, hull uses oak. Noted.")
    cited = [firsthand.cite(talk.record_id, quote="hull uses oak")]
    b.remember(subject="hull", predicate="uses", object="oak", evidence=cited)
    exchange(pair, a, b)
    b.erase(talk.record_id, reason_code="asked")
    b.remember(subject="hull", predicate="uses", object="ash")
    exchange(pair, a, b)
    mentions = "SELECT d.kind FROM mention m JOIN doc d USING (space_id, vid) WHERE m.name = 'hull' ORDER BY 1"
    for memory, name in zip(both, "ab", strict=True):
        assert look(pair.path(name), mentions) == [("entity",), ("semantic",)]
        assert memory.ledger.verify(deep=True).deep
