"""Each mechanism that keeps a tombstone is broken on purpose, and a test that names its property must fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
import pytest
import test_stone_arrivals as arriving
import test_stone_beside as beside
import test_stone_checks as checks
import test_stone_masks as masks

import firsthand
from firsthand import Memory, projection, sighting, veil, wiring
from firsthand.capture import admitting, arrivals, engraving, gateway, plain, reaching, stones
from firsthand.recall import hydrate, rejections
from firsthand.recall.beside import Beside
from firsthand.rules import fold, identity, sentences, traces
from firsthand.rules import masks as rules
from firsthand.store.read_ledger import LedgerReads as Reads
from firsthand.store.write_masks import MaskWrites
from firsthand.vocabulary.entries import Body

CAUGHT = (AssertionError, pytest.fail.Exception, firsthand.FirsthandError, KeyError, StopIteration, ValueError)


class Mutant(NamedTuple):
    """What is broken, how, and the test that must see it."""

    what: str
    place: Any
    name: str
    broken: object
    caught_by: Callable[..., None]
    given: Mapping[str, Any] = MappingProxyType({})


def lower_case_only(text: str) -> str:
    return " ".join(text.lower().split())


def stored_all_the_same(handle: Any, reader: Any, body: Any, *given: Any) -> None:
    """Refuse nothing for its words."""


def keeps_a_candidate(self: Any, handle: Any, writer: Any, verb: str, code: str, **given: Any) -> Any:
    """A refusal that leaves something in the ledger."""
    edges = gateway.Define(what="who", id="refused")
    self.append(handle, writer, edges, self.words(Body(name="x"), 0))
    return GENUINE_REFUSE(self, handle, writer, verb, code, **given)


GENUINE_REFUSE = gateway.Gateway.refuse
GENUINE_MET = gateway.met_by
GENUINE_ENGRAVED = gateway.engraved
GENUINE_TOUCHED = rules.touched
GENUINE_LEAVES = sighting.leaves


def roots_alone(handle: Any, reader: Any, edges: Any, *given: Any) -> Any:
    """Looks only at what begins a record without a claim."""
    return () if getattr(edges, "supports", ()) else GENUINE_MET(handle, reader, edges, *given)


def episodes_unseen(handle: Any, reader: Any, edges: Any, *given: Any) -> Any:
    return () if getattr(edges, "record_kind", "") == "episodic" else GENUINE_MET(handle, reader, edges, *given)


def reaches_nothing(*given: Any) -> Any:
    return GENUINE_ENGRAVED(*given)._replace(reaches=())


def without_sentences(*given: Any) -> Any:
    done = GENUINE_ENGRAVED(*given)
    stone = engraving.stone_in(done.edges)
    if stone is None:
        return done
    return done._replace(edges=engraving._with(done.edges, msgspec.structs.replace(stone, sentences=())))


def says_it_again(*given: Any) -> Any:
    return GENUINE_ENGRAVED(*given)._replace(own=())


def forgets_rows_at_a_lift(view: Any, entry: Any, units: Any) -> Any:
    return {entry.id} if entry.kind == "lift" else GENUINE_TOUCHED(view, entry, units)


def first_text_only(body: Any) -> Any:
    return [leaf for leaf in GENUINE_LEAVES(body) if leaf.path[-1] in ("statement", "text")]


def nothing_hidden(body: Any, rows: Any) -> Any:
    return body


def across(test: Callable[[Memory], None]) -> Callable[..., None]:
    """A test of what one project rejects, on a memory of its own."""

    def run(tmp_path: Path) -> None:
        with beside.rejecting(tmp_path) as memory:
            test(memory)

    return run


MUTANTS = [
    Mutant("words are not looked at", stones, "meetings", lambda *given, **more: [],
           checks.test_a_sentence_with_subject_and_value_waits_for_review),
    Mutant("checked only where a record begins", gateway, "met_by", roots_alone,
           checks.test_a_sentence_with_subject_and_value_waits_for_review),
    Mutant("normalised by lower case only", identity, "statement_key", lower_case_only,
           checks.test_a_disguise_does_not_bring_back_what_was_rejected,
           {"sentence": checks.DISGUISES["look-alikes"]}),
    Mutant("seen as it was written", traces, "visible", lambda text: text,
           checks.test_a_value_is_found_however_it_is_written,
           {"value": "oat milk", "sentence": f"Ana likes {chr(0x200B).join('oat milk')}"}),
    Mutant("a number is joined to its letters in one way", traces.Sighted, "respelt", lambda self, first, count: set(),
           checks.test_a_value_is_found_however_it_is_written, {"value": "14 C", "sentence": "Ana has 14C now"}),
    Mutant("a sentence with a number is put in one way", sighting, "sayings", lambda text, sentence: {text},
           checks.test_a_whole_sentence_is_known_again_however_its_numbers_are_joined),
    Mutant("whatever follows a number is its unit", traces, "_may_be_unit", lambda *given: True,
           checks.test_what_only_resembles_a_number_with_its_letter_passes, {"sentence": "Ana has 14 C-clamps"}),
    Mutant("sentences are forgotten", gateway, "engraved", without_sentences,
           checks.test_a_disguise_does_not_bring_back_what_was_rejected, {"sentence": "Ana lives in Berlin"}),
    Mutant("a refused sentence is stored", admitting, "refused_words", stored_all_the_same,
           checks.test_a_disguise_does_not_bring_back_what_was_rejected, {"sentence": "Ana lives in Berlin"}),
    Mutant("a guess is a candidate", admitting, "refused_words", stored_all_the_same,
           checks.test_a_guess_that_comes_near_is_refused_and_one_that_does_not_is_a_candidate),
    Mutant("a refusal leaves an entry", gateway.Gateway, "refuse", keeps_a_candidate,
           checks.test_a_disguise_does_not_bring_back_what_was_rejected, {"sentence": "Ana lives in Berlin"}),
    Mutant("working memory is not looked at", plain, "refused_record", stored_all_the_same,
           checks.test_working_memory_and_entities_are_refused, {"payload": checks.RECORDS["a context"]}),
    Mutant("only statements are looked at", sighting, "leaves", first_text_only,
           checks.test_every_text_field_of_a_claim_is_looked_at, {"payload": checks.FIELDS["a recipe"]}),
    Mutant("aliases are other people", sighting.Scene, "is_about",
           lambda self, look, stone, speaker: any(k.name(n) == stone.subject for k in self._keyed.versions
                                                  for n in look.names),
           checks.test_every_name_of_the_subject_counts, {"name": "Annie"}),
    Mutant("who speaks is not asked", sighting, "speaks_of_itself", lambda sentence: False,
           masks.test_new_words_are_stored_and_masked_where_they_say_it),
    Mutant("a line break ends a sentence", sentences, "_windows",
           lambda text, low, high: [(low, text.find("\n", low)) if "\n" in text[low:high] else (low, high)],
           checks.test_two_sentences_apart_do_not_make_one),
    Mutant("a text is one sentence", sighting, "sentences", lambda text: [(0, len(text))],
           checks.test_two_sentences_apart_do_not_make_one),
    Mutant("what comes near stands", rules, "doubted", lambda view, said: False,
           checks.test_what_comes_near_displaces_and_lifts_nothing_until_a_person_decides),
    Mutant("a lift is not heard by what waits", fold, "_met_by", lambda view, entry: [],
           checks.test_what_was_lifted_may_be_said_again),
    Mutant("claims that another scope rejects are shown", Beside, "keep_out", lambda self, claims: None,
           across(beside.test_the_very_claim_is_left_out_though_its_subject_is_too_long_to_be_found_in_text)),
    Mutant("words that another scope rejects are shown", Beside, "marks", lambda self, stored: {},
           across(beside.test_an_episode_of_the_space_is_masked_where_it_says_it)),
    Mutant("sentences that another scope rejects are shown", Beside, "marks", lambda self, stored: {},
           across(beside.test_a_sentence_of_the_space_is_left_out_beside_the_project_that_rejected_it)),
    Mutant("quotes of what another scope rejects are shown", veil.Veil, "quote",
           lambda self, entry_id, text, start, stop: text[start:stop],
           across(beside.test_a_quote_from_the_space_is_masked_where_it_says_it)),
    Mutant("a lift is not heard across scopes", rejections, "lifted", lambda view, stone: False,
           across(beside.test_a_lift_shows_it_again)),
    Mutant("rejections are read once", Reads, "last_stone", lambda self: 1,
           across(beside.test_a_rejection_is_heard_at_once_by_a_memory_that_recalled_before)),
    Mutant("names of the other scope are not known", rejections, "Scene",
           lambda keyed, scope_ids, *given: sighting.Scene(keyed, (), *given),
           across(beside.test_what_is_known_by_another_name_is_known_across_scopes)),
    Mutant("older keys are not tried", wiring, "Keyed", lambda key, older: identity.Keyed(key),
           checks.test_what_was_forbidden_under_an_older_key_is_still_found),
    Mutant("new episodes are not masked", gateway, "met_by", episodes_unseen,
           masks.test_new_words_are_stored_and_masked_where_they_say_it),
    Mutant("stored words are not reached", gateway, "engraved", reaches_nothing,
           masks.test_what_backed_a_rejected_claim_and_what_holds_it_read_as_rejected),
    Mutant("only words put as the value was are reached", reaching, "_naming", lambda *given: set(),
           masks.test_a_spelling_is_masked_alike_before_and_after_the_rejection,
           {"value": 1000, "sentence": "Ana has 1,000 of them"}),
    Mutant("words that only look like the value are not reached", reaching, "_naming", lambda *given: set(),
           masks.test_a_spelling_is_masked_alike_before_and_after_the_rejection,
           {"value": "Berlin", "sentence": masks.SPELLINGS[0][1]}),
    Mutant("what backed it is shown", rules, "_cited", lambda view, record: (set(), set()),
           masks.test_a_quote_that_names_nobody_is_masked_where_it_backed_the_claim),
    Mutant("masks are not in the index", projection, "unread", nothing_hidden,
           masks.test_a_search_for_a_masked_word_finds_nothing),
    Mutant("masked names are still mentions", MaskWrites, "mask_mentions",
           lambda *given, **more: None, masks.test_a_search_for_a_masked_word_finds_nothing),
    Mutant("masks are not read", veil, "veiled", lambda body, marks: body,
           masks.test_what_backed_a_rejected_claim_and_what_holds_it_read_as_rejected),
    Mutant("quotes are not masked", veil, "slice_of",
           lambda text, marks, start=0, stop=None: text[start:stop],
           masks.test_what_backed_a_rejected_claim_and_what_holds_it_read_as_rejected),
    Mutant("a lift forgets rows", projection, "touched", forgets_rows_at_a_lift,
           masks.test_lifting_restores_every_word_and_every_row),
    Mutant("a correction masks the past", rules, "is_absolute", lambda entry: True,
           masks.test_a_correction_masks_from_its_own_time_on),
    Mutant("a rejection masks from now on", rules, "is_absolute", lambda entry: False,
           masks.test_a_rejection_masks_at_every_time_asked_about),
    Mutant("a reason says it again", gateway, "engraved", says_it_again,
           masks.test_the_reason_of_a_rejection_does_not_say_it_again),
    Mutant("a reason says it before", rejections.Hindsight, "marks", lambda self, stored: {},
           masks.test_a_reason_given_before_the_rejection_does_not_say_it_in_history),
    Mutant("words that arrive are not looked at", arrivals, "met_by", lambda *given: (),
           arriving.test_words_from_another_store_are_masked_by_a_tombstone_here),
    Mutant("tombstones that arrive reach nothing", arrivals, "near", lambda *given: iter(()),
           arriving.test_a_tombstone_from_another_store_masks_words_here_and_makes_claims_wait),
    Mutant("what was withdrawn is quoted", hydrate, "withdrawn", lambda *given: frozenset(),
           masks.test_withdrawn_evidence_is_withheld_and_comes_back_in_nothing),
]  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.what)
def test_a_broken_tombstone_is_caught(mutant: Mutant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The property holds as things are, and its test fails once the mechanism is broken."""
    for name in ("whole", "broken"):
        (tmp_path / name).mkdir()
    mutant.caught_by(tmp_path=tmp_path / "whole", **mutant.given)
    with monkeypatch.context() as patch:
        patch.setattr(mutant.place, mutant.name, mutant.broken)
        with pytest.raises(CAUGHT):
            mutant.caught_by(tmp_path=tmp_path / "broken", **mutant.given)


def test_every_mutant_is_told_apart() -> None:
    assert len({m.what for m in MUTANTS}) == len(MUTANTS)
