"""What one store rejected or erased by value, and what the other said of it, meet once both are in one ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pairs import START, Pair, believed, everything, files_of, look

import firsthand
from firsthand.rules.bearing import claims_of

LONG = "Noor says that the anchor word is {}."


def two(pair: Pair, trust: Any = "person") -> tuple[Any, Any]:
    """Two stores that know of each other; `b` believes `a` so far."""
    a, b = pair.memory("a"), pair.memory("b", "ben")
    pair.trusting(b, a, trust)
    pair.trusting(a, b)
    return a, b


def verified(*memories: Any) -> None:
    for memory in memories:
        assert memory.ledger.verify(deep=True).deep
        assert memory.ledger.rebuild().same


# ---- rejected on one side, said on the other -------------------------------------------------------------------------


def words_that_arrive(pair: Pair) -> None:
    a, b = two(pair)
    wrong = b.remember(subject="hull", predicate="uses", object="zqxtar")
    stone = b.reject(wrong.record_id, reason="never").entry_id
    talk = a.capture("The hull uses zqxtar. It rains.")
    near = a.remember("The hull was seen with zqxtar")
    free = a.remember("The mast was seen with zqxtar")
    pair.send(a, b)
    assert b.read(talk.record_id).item.text == f"[rejected: {stone}] It rains."
    assert b.read(near.record_id).item.status == "needs_review"
    assert b.read(free.record_id).item.status == "active"
    found = b.recall("zqxtar hull", limit=50)
    assert free.record_id in {i.record_id for i in found.items}
    assert "The hull" not in found.render()
    verified(b)
    b.lift(stone, reason="it may")
    assert b.read(talk.record_id).item.text == "The hull uses zqxtar. It rains."
    assert b.read(near.record_id).item.status == "active"
    verified(b)


def test_words_that_arrive_are_masked_and_wait_by_what_was_rejected_here_until_it_is_lifted(pair: Pair) -> None:
    words_that_arrive(pair)


def test_words_arrive_of_an_author_whose_name_was_erased_here(pair: Pair) -> None:
    a, b = two(pair)
    once = pair.memory("a", "dan", "agent", owner="ana").capture("Nothing new.")
    pair.send(a, b)
    stone = a.reject(value=("hull", "uses", "zqxtar"), reason="never").entry_id
    a.erase(once.record_id, reason_code="privacy")
    assert "dan" not in str(look(pair.path("a"), "SELECT body FROM entry"))
    talk = pair.memory("b", "dan", "agent", owner="ana").capture("The hull uses zqxtar. It rains.", speaker=None)
    pair.send(b, a)
    assert a.read(talk.record_id).item.text == f"[rejected: {stone}] It rains."
    verified(a)


def a_rejection_that_arrives(pair: Pair) -> None:
    a, b = two(pair)
    talk = b.capture("The hull uses zqxtar. It rains.")
    near = b.remember("The hull was seen with zqxtar")
    free = b.remember("The mast was seen with zqxtar")
    wrong = a.remember(subject="hull", predicate="uses", object="zqxtar")
    stone = a.reject(wrong.record_id, reason="never").entry_id
    pair.send(a, b)
    assert b.read(talk.record_id).item.text == f"[rejected: {stone}] It rains."
    assert b.read(near.record_id).item.status == "needs_review"
    assert b.read(free.record_id).item.status == "active"
    verified(b)
    a.lift(stone, reason="it may")
    pair.send(a, b)
    assert b.read(talk.record_id).item.text == "The hull uses zqxtar. It rains."
    assert b.read(near.record_id).item.status == "active"
    verified(b)


def test_our_words_are_masked_and_wait_by_a_rejection_that_arrives_until_its_lift_arrives(pair: Pair) -> None:
    a_rejection_that_arrives(pair)


def what_was_told_comes_back(pair: Pair) -> None:
    a, b = two(pair)
    b.capture("The hull uses zqxtar. It rains.")
    wrong = a.remember(subject="hull", predicate="uses", object="zqxtar")
    a.reject(wrong.record_id, reason="never")
    pair.send(a, b)
    pair.send(b, a)
    told = a.ledger.head().position
    assert pair.send(b, a).added == 0
    assert pair.send(a, b).added == 0
    assert a.ledger.head().position == told
    assert believed(pair.path("a")) == believed(pair.path("b"))
    verified(a, b)


def test_what_one_store_told_of_meetings_is_not_told_again(pair: Pair) -> None:
    what_was_told_comes_back(pair)


def a_rejection_believed_later(pair: Pair) -> None:
    a, b = two(pair, "agent")
    text = "The hull uses zqxtar. It rains."
    talk = b.capture(text)
    pair.send(b, a)
    wrong = a.remember(subject="hull", predicate="uses", object="zqxtar")
    stone = a.reject(wrong.record_id, reason="never").entry_id
    pair.send(a, b)
    assert a.read(talk.record_id).item.text == f"[rejected: {stone}] It rains."
    assert b.read(talk.record_id).item.text == text, "an agent's rejection binds nobody, whatever it says it reaches"
    verified(b)
    pair.trusting(b, a, "person")
    assert b.read(talk.record_id).item.text == f"[rejected: {stone}] It rains."
    verified(b)
    pair.trusting(b, a, "agent")
    assert b.read(talk.record_id).item.text == text
    verified(b)


def test_a_rejection_masks_as_far_as_its_store_is_believed_now(pair: Pair) -> None:
    a_rejection_believed_later(pair)


def a_rejection_that_knew_nothing_believed_later(pair: Pair) -> None:
    a, b = two(pair, "agent")
    text = "The hull uses zqxtar. It rains."
    talk = b.capture(text)
    wrong = a.remember(subject="hull", predicate="uses", object="zqxtar")
    stone = a.reject(wrong.record_id, reason="never").entry_id
    pair.send(a, b)
    pair.trusting(b, a, "person")
    assert pair.send(a, b).added == 0
    assert b.read(talk.record_id).item.text == f"[rejected: {stone}] It rains."
    held = b.ledger.head().position
    pair.send(a, b)
    assert b.ledger.head().position == held
    pair.trusting(b, a, "agent")
    assert b.read(talk.record_id).item.text == text
    verified(b)


def test_taking_in_again_tells_what_a_store_meets_that_is_believed_further_now(pair: Pair) -> None:
    a_rejection_that_knew_nothing_believed_later(pair)


# ---- erased by value on one side, held on the other ------------------------------------------------------------------


def held_by(memory: Any, word: str) -> dict[str, str]:
    """Words of a value in each way that an erasure elsewhere knows it again, and beside it what it does not say."""
    told = LONG.format(word)
    talk = memory.capture(told)
    records = {
        "sentence": talk.record_id,
        "short": memory.capture(f"anchor: {word}").record_id,
        "claim": memory.remember(subject="anchor", predicate="password", object=word).record_id,
        "skill": memory.remember(payload=firsthand.Competence(
            skill_name="mooring", triggers=(firsthand.Trigger(signal="wind"),),
            recipe=(firsthand.RecipeStep(step=told),),
        )).record_id,
        "paraphrase": memory.capture(f"Open the anchor by saying {word} to it aloud.").record_id,
        "other": memory.capture("The mast is oak. The sea was calm.").record_id,
    }  # fmt: skip
    return {what: str(record) for what, record in records.items()}


GONE = ("sentence", "short", "claim", "skill")
KEPT = ("paraphrase", "other")


def assert_gone(memory: Any, path: Path, records: dict[str, str]) -> None:
    blank = {entry[1:] for (entry,) in look(path, "SELECT entry_id FROM entry WHERE body IS NULL")}
    assert {what for what, record in records.items() if record[1:] in blank} == set(GONE)
    for what in KEPT:
        assert memory.read(records[what]).item.status == "active"


def erased_there(pair: Pair) -> None:
    a, b = two(pair)
    word = "zqxmvkpw"
    ours = held_by(b, word)
    a.capture(LONG.format(word))
    told = a.remember(subject="anchor", predicate="password", object=word)
    a.erase(told.record_id, reason_code="privacy")
    report = pair.send(a, b)
    assert report.erased_here >= len(GONE)
    assert_gone(b, pair.path("b"), ours)
    verified(b)
    assert b.capture(LONG.format(word)).code == "erased", "and what is fed again is cut"
    pair.send(b, a)
    assert believed(pair.path("a")) == believed(pair.path("b"))


def test_our_copies_of_what_was_erased_by_value_elsewhere_are_destroyed_by_our_own_erasure(pair: Pair) -> None:
    erased_there(pair)


def what_came_instead_is_left(pair: Pair) -> None:
    a, b = two(pair)
    said = {"subject": "hull", "predicate": "uses"}
    gone = b.remember(**said, object="zqxmvkpw")
    left = b.change(gone.record_id, object="zqxoak", since=START, reason="rebuilt")
    a.erase(a.remember(**said, object="zqxmvkpw").record_id, reason_code="privacy")
    pair.send(a, b)
    assert b"zqxmvkpw" not in files_of(pair.path("b"))
    assert [i.text for i in b.recall("hull", kinds=["semantic"]).items] == ["hull uses zqxoak"]
    assert b.read(left.record_id).item.status == "active"
    verified(b)


def test_what_came_instead_of_a_value_that_was_erased_elsewhere_is_left(pair: Pair) -> None:
    what_came_instead_is_left(pair)


def what_it_had_ended_stays_ended(pair: Pair) -> None:
    a, b = two(pair)
    said = {"subject": "hull", "predicate": "lives_in"}
    b.remember(**said, object="Berlin")
    b.remember(**said, object="Lisbon")
    a.erase(a.remember(**said, object="Lisbon").record_id, reason_code="privacy")
    pair.send(a, b)
    pair.send(b, a)
    for memory in (a, b):
        (left,) = memory.recall("where does hull live?", kinds=["semantic"]).items
        assert (left.text, left.qualifier.code) == ("hull lives in Berlin", "ended")
    verified(a, b)


def test_what_a_copy_had_ended_stays_ended_when_an_erasure_elsewhere_destroys_it(pair: Pair) -> None:
    what_it_had_ended_stays_ended(pair)


def erased_here(pair: Pair) -> None:
    a, b = two(pair)
    word = "zqxmvkpw"
    b.capture(LONG.format(word))
    told = b.remember(subject="anchor", predicate="password", object=word)
    b.erase(told.record_id, reason_code="privacy")
    theirs = held_by(a, word)
    pair.send(a, b)
    assert_gone(b, pair.path("b"), theirs)
    assert a.read(theirs["claim"]).item.status == "active"
    verified(b)
    pair.send(b, a)
    assert_gone(a, pair.path("a"), theirs)
    assert believed(pair.path("a")) == believed(pair.path("b"))
    verified(a)


def test_what_arrives_of_a_value_that_was_erased_here_keeps_no_word(pair: Pair) -> None:
    erased_here(pair)


def no_byte_is_left(pair: Pair) -> None:
    a, b = two(pair)
    word = "zqxmvkpw"
    b.capture(LONG.format(word))
    kept = b.capture("The mast is zqxoak.")
    a.capture(LONG.format(word))
    a.erase(value=("anchor", None, word), reason_code="privacy")
    pair.send(a, b)
    data = files_of(pair.path("b"))
    assert word.encode() not in data
    assert b"zqxoak" in data
    assert b.read(kept.record_id)
    with b._engine.store.reading(b.space) as reader:
        assert reader.unfinished_erasures() == []


def test_once_an_erasure_is_taken_in_no_byte_of_the_value_is_left_in_any_file(pair: Pair) -> None:
    no_byte_is_left(pair)


def test_an_import_is_done_though_others_keep_the_file_from_being_cleaned(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = two(pair)
    for memory in (a, b):
        memory.capture(LONG.format("zqxmvkpw"))
    a.erase(value=("anchor", None, "zqxmvkpw"), reason_code="privacy")

    def busy(*given: Any, **more: Any) -> Any:
        raise firsthand.BusyError("store_in_use", "busy")

    with monkeypatch.context() as patch:
        patch.setattr("firsthand.capture.certify._finish", busy)
        assert pair.send(a, b).erased_here
    assert b.facts()["erasures_owed"] == 1
    assert b.erasure.finish()
    assert b.facts()["erasures_owed"] == 0


def a_hold_stays(pair: Pair) -> None:
    a, b = two(pair)
    word = "zqxmvkpw"
    mine = b.capture(LONG.format(word))
    b.hold(mine.record_id, "case 7")
    theirs = a.capture("The rudder is loose, they say.")
    a.capture(LONG.format(word))
    pair.send(a, b)
    b.hold(theirs.record_id, "case 7")
    a.erase(value=("anchor", None, word), reason_code="privacy")
    a.erase(theirs.record_id, reason_code="privacy")
    pair.send(a, b)
    bodies = str(everything(pair.path("b")))
    assert word in bodies
    assert "The rudder is loose" in bodies
    assert {r.code for r in b.refusals().refusals} == {"legal_hold"}
    verified(b)
    for record in (mine, theirs):
        b.release_hold(record.record_id, "closed")
    pair.trusting(b, a, "agent")
    pair.trusting(b, a, "person")
    pair.send(a, b)
    bodies = str(everything(pair.path("b")))
    assert word not in bodies
    assert "The rudder is loose" not in bodies
    verified(b)


def test_what_is_under_legal_hold_here_stays_whatever_another_store_erases(pair: Pair) -> None:
    a_hold_stays(pair)


def one_source_is_one_source(pair: Pair) -> None:
    a, b = two(pair)
    text = "Thank you for all your help with this."
    mine = b.capture(text)
    theirs = a.capture(text)
    a.erase(theirs.record_id, reason_code="privacy")
    pair.send(a, b)
    assert b.read(mine.record_id).item.text == text
    verified(b)


def test_a_source_erased_by_its_id_elsewhere_takes_no_other_source_with_it(pair: Pair) -> None:
    one_source_is_one_source(pair)


def only_believed_erasures(pair: Pair) -> None:
    a, b = two(pair, "agent")
    word = "zqxmvkpw"
    ours = held_by(b, word)
    told = a.remember(subject="anchor", predicate="password", object=word)
    a.capture(LONG.format(word))
    a.erase(told.record_id, reason_code="privacy")
    pair.send(a, b)
    assert b.read(ours["sentence"]).item.text == LONG.format(word)
    pair.trusting(b, a, "person")
    pair.send(a, b)
    assert_gone(b, pair.path("b"), ours)
    verified(b)


def test_an_erasure_reaches_copies_only_with_a_person_behind_it(pair: Pair) -> None:
    only_believed_erasures(pair)


MUTANTS: dict[str, tuple[str, Any, Any]] = {
    "arriving words are told of nothing": (
        "firsthand.moving.importing.tell_meetings", lambda *given: None, words_that_arrive),
    "arriving rejections reach nothing here": ("firsthand.capture.arrivals.near", lambda *given: (),
                                               a_rejection_that_arrives),
    "meetings are told again": ("firsthand.capture.arrivals._Told.of", lambda self, met: False,
                                what_was_told_comes_back),
    "whatever is told masks": ("firsthand.rules.masks._holds", lambda view, stone: True,
                               a_rejection_that_knew_nothing_believed_later),
    "a registration masks nothing anew": ("firsthand.projection.bears_on_masks", lambda entry: False,
                                          a_rejection_believed_later),
    "a further belief tells nothing": (
        "firsthand.moving.importing._Intake._is_vouched_anew", lambda *given: False,
        a_rejection_that_knew_nothing_believed_later),
    "an erasure knows only its own entries": (
        "firsthand.moving.importing.destroy_copies", lambda *given: 0, erased_there),
    "an import skips fingerprints": ("firsthand.moving.copies._holding_of", lambda *given: iter(()), erased_here),
    "what an erasure elsewhere destroys stays in the file": (
        "firsthand.moving.importing.finish_if_others_let", lambda *given: None, no_byte_is_left),
    "what came instead says what it ended": (
        "firsthand.capture.sieve.told_in", claims_of, what_came_instead_is_left),
    "an erasure reopens what a copy had ended": (
        "firsthand.rules.tombstones._destroyed",
        lambda view, entry, said: said.entry in getattr(entry.skeleton.edges, "targets", ()),
        what_it_had_ended_stays_ended),
    "a hold is not asked for": ("firsthand.moving.copies.held_records", lambda *given: [], a_hold_stays),
    "a source is a value": (
        "firsthand.moving.copies._is_of_value", lambda entry: True, one_source_is_one_source),
}  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_meeting_is_caught(mutant: str, pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    place, broken, caught_by = MUTANTS[mutant]
    monkeypatch.setattr(place, broken)
    with pytest.raises((AssertionError, firsthand.FirsthandError)):
        caught_by(pair)
