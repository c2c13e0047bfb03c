"""Words that were erased by their value do not come in again; whatever else the same text says does."""

from __future__ import annotations

from pathlib import Path

import pytest
from erasing import canary, left, opened

import firsthand
from firsthand.capture import sieve
from firsthand.memory import Memory
from firsthand.vocabulary.entries import Body, Lift

LONG = "Noor says that the anchor word is {}."


def erased(memory: Memory, word: str, *texts: str) -> None:
    """Several texts that hold a value, and the claim, all erased by the value."""
    for text in texts:
        memory.capture(text)
    told = memory.remember(subject="anchor", predicate="password", object=word)
    done = memory.erase(told.record_id, reason_code="privacy")
    assert left(memory, word) == {}
    assert done.plan.fingerprints == sum(len(t) >= 20 for t in (*texts, f"anchor password {word}"))


def fed_again(folder: Path) -> None:
    word = canary(8)
    with opened(folder) as memory:
        erased(memory, word, LONG.format(word), f"anchor: {word}")
        again = memory.capture(f"Good morning. {LONG.format(word)}\nThe sea was calm, {LONG[:9]}.")
        assert (again.outcome, again.notes) == ("stored", ("erased_text_cut",))
        assert memory.read(again.record_id).item.text == f"Good morning. [erased]\nThe sea was calm, {LONG[:9]}."
        alone = memory.capture(LONG.format(word).upper())
        assert (alone.outcome, alone.code, alone.record_id) == ("refused", "erased", None)
        assert memory.remember(LONG.format(word)).code == "erased"
        assert memory.remember(subject="anchor", predicate="password", object=word).code == "tombstone_rejected"
        for short in (f"anchor's {word}", f"anchor: {word}", f"(anchor) '{word}'"):
            assert memory.capture(short).code == "erased"
        skill = firsthand.Competence(
            skill_name="mooring", triggers=(firsthand.Trigger(signal="wind"),),
            recipe=(firsthand.RecipeStep(step=LONG.format(word)),),
        )  # fmt: skip
        made = memory.remember(payload=skill)
        assert made.outcome in ("stored", "refused")
        memory.capture("The mast is oak.", reason=LONG.format(word), tags=(f"anchor {word}",))
        assert left(memory, word) == {}
        memory.ledger.rebuild()
        with opened(folder) as fresh:
            assert fresh.capture(LONG.format(word)).code == "erased"
            assert left(fresh, word) == {}
        assert memory.ledger.verify(deep=True).deep


def test_what_was_erased_is_cut_when_it_is_fed_again_and_the_rest_is_taken(tmp_path: Path) -> None:
    fed_again(tmp_path)


def what_nobody_claimed(folder: Path) -> None:
    word = canary(8)
    with opened(folder) as memory:
        memory.capture(LONG.format(word))
        memory.erase(value=("anchor", None, word), reason_code="privacy")
        assert memory.capture(f"anchor: {word}").code == "erased"
        assert memory.capture("anchor: steel").outcome == "stored"
        assert left(memory, word) == {}


def test_a_value_that_nobody_claimed_is_kept_out_of_short_sentences_too(tmp_path: Path) -> None:
    what_nobody_claimed(tmp_path)


def a_process_that_knew_nothing(folder: Path) -> None:
    word = canary(12)
    with opened(folder) as memory, opened(folder) as other:
        other.capture("The mast is oak.")
        erased(memory, word, LONG.format(word))
        assert other.capture(LONG.format(word)).code == "erased"
        assert left(other, word) == {}


def test_a_process_that_was_open_before_keeps_it_out_too(tmp_path: Path) -> None:
    a_process_that_knew_nothing(tmp_path)


def only_whole_sentences(folder: Path) -> None:
    word = canary(12)
    with opened(folder) as memory:
        erased(memory, word, LONG.format(word))
        for text in (
            f"A paraphrase: {word} is what opens the anchor now.",
            f"{LONG.format(word)[:-1]}, and the sea was calm.",
            f"The mast word is {word}.",
            "Noor says that the anchor word is another.",
            "The anchor is heavy.",
        ):
            told = memory.capture(text)
            assert told.outcome == "stored", text
            assert "erased_text_cut" not in told.notes, text


def test_a_part_of_a_sentence_or_a_paraphrase_is_not_cut(tmp_path: Path) -> None:
    only_whole_sentences(tmp_path)


def scopes_keep_out_their_own(folder: Path) -> None:
    from firsthand.vocabulary.grants import Grant

    word, here = canary(12), frozenset({"project:boat"})
    with opened(folder) as memory:
        with opened(folder, grant=Grant(read=here, write=here)) as narrow:
            erased(narrow, word, LONG.format(word))
        assert memory.capture(LONG.format(word)).code == "erased"
        assert memory.at(scope="team:yard").capture(LONG.format(word)).outcome == "stored"


def test_what_was_erased_in_one_scope_may_be_said_in_another(tmp_path: Path) -> None:
    scopes_keep_out_their_own(tmp_path)


def test_a_source_erased_by_its_id_is_kept_out_as_a_whole_and_its_sentences_are_not(tmp_path: Path) -> None:
    text = "Thank you for all your help with this. The mast is oak."
    with opened(tmp_path) as memory:
        talk = memory.capture(text)
        memory.erase(talk.record_id, reason_code="privacy")
        assert memory.capture(text).code == "erased"
        assert memory.capture("Thank you for all your help with this.").notes == ()


def lifted_by_a_person(folder: Path) -> None:
    word = canary(12)
    with opened(folder) as memory:
        talk = memory.capture(LONG.format(word))
        done = memory.erase(talk.record_id, reason_code="mistake")
        assert memory.capture(LONG.format(word)).code == "erased"
        assert done.certificate is not None
        gateway, handle = memory._engine.gateway, memory._handle
        with gateway.transaction(handle) as writer:
            gateway.append(handle, writer, Lift(of=done.certificate.id), gateway.words(Body(reason="it may"), 0))
        assert memory.capture(LONG.format(word)).outcome == "stored"


def test_a_person_who_lifts_the_erasure_lets_the_words_in_again(tmp_path: Path) -> None:
    lifted_by_a_person(tmp_path)


MUTANTS = {
    "nothing is cut": (
        "firsthand.capture.sieve.Cutter._is_kept_out", lambda self, sentence, *, short: False, fed_again),
    "short sentences are not told by both": (
        "firsthand.capture.sieve.Cutter._says_both", lambda self, sentence: False, fed_again),
    "what nobody claimed leaves no stone": (
        "firsthand.capture.erase._tombstones", lambda aim, found: [], what_nobody_claimed),
    "fingerprints are not kept": (
        "firsthand.capture.erase._fingerprints", lambda reader, handle, aim, found: (), fed_again),
    "fingerprints are read once": (
        "firsthand.store.sqlite_write.SqliteWriter.last_bearing_on", lambda self, key: 0, a_process_that_knew_nothing),
    "every sentence of a subject is cut": (
        "firsthand.capture.sieve.Cutter._is_kept_out", lambda self, sentence, *, short: "anchor" in sentence,
        only_whole_sentences),
    "every scope keeps out what one erased": (
        "firsthand.capture.sieve.KeptOut.cutter",
        lambda self, reader, scope: sieve.Cutter(self._keyed, reader, scope, list(self._kept.values())),
        scopes_keep_out_their_own),
    "a lift changes nothing": ("firsthand.capture.sieve.lifted", lambda view, entry: False, lifted_by_a_person),
}  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_sieve_is_caught(mutant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, broken, caught_by = MUTANTS[mutant]
    monkeypatch.setattr(place, broken)
    with pytest.raises((AssertionError, firsthand.FirsthandError)):
        caught_by(tmp_path)
