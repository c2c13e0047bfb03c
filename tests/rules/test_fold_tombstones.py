"""What may not come back: absolute, provisional, lifted; and what that means in which scope."""

from __future__ import annotations

from typing import Any

import pytest
from scribe import (
    ANA,
    ANAS_AGENT,
    ANAS_IMPORT,
    ANAS_SPEECH,
    BEN,
    BENS_AGENT,
    BENS_SPEECH,
    LIVES_IN,
    PLAIN,
    PROBE,
    SCOPE,
    USES,
    Scribe,
    Voice,
    claim,
)  # fmt: skip

from firsthand.vocabulary.entries import Claim
from firsthand.vocabulary.instants import BEGINNING, FOREVER

BERLIN, LISBON = claim("berlin"), claim("lisbon")


def corrected() -> tuple[Scribe, str]:
    """Ana's agent said Berlin, Ana corrected it to Lisbon at 20; the record."""
    scribe = Scribe()
    record = scribe.remember(ANAS_AGENT, BERLIN, 10)
    assert record is not None
    scribe.correct(ANA, record, "lisbon", 20)
    return scribe, record


def test_a_correction_replaces_the_old_value_for_all_of_its_time_and_keeps_the_record() -> None:
    scribe, record = corrected()
    assert scribe.row(BERLIN).status == "retracted"
    assert scribe.shape(LISBON) == [(BEGINNING, FOREVER, "active")]
    assert scribe.row(LISBON).record == record


def test_a_persons_correction_overrides_all_words_spoken_before_it_and_an_agents_only_its_owners() -> None:
    for voice, status in ((ANA, "retracted"), (ANAS_AGENT, "disputed")):
        scribe = Scribe()
        record = scribe.remember(ANAS_AGENT, BERLIN, 10)
        scribe.remember(BENS_AGENT, BERLIN, 12)
        assert record is not None
        scribe.correct(voice, record, "lisbon", 20)
        assert scribe.row(BERLIN).status == status
        scribe.remember(BENS_AGENT, BERLIN, 15, elsewhere=True)
        assert scribe.row(BERLIN).status == status, "spoken before, arrived after"


@pytest.mark.parametrize("voice", [ANAS_AGENT, ANAS_IMPORT], ids=["her agent", "her import"])
def test_what_had_backed_a_corrected_value_cannot_restate_it(voice: Voice) -> None:
    scribe, _ = corrected()
    assert scribe.remember(voice, BERLIN, 30) is None
    scribe.remember(voice, BERLIN, 30, elsewhere=True)
    assert scribe.row(BERLIN).status == "retracted"
    assert scribe.rows == scribe.afresh()


@pytest.mark.parametrize("voice", [ANA, ANAS_SPEECH], ids=["typed", "hooked"])
def test_a_persons_own_word_spoken_after_a_provisional_tombstone_passes_it(voice: Voice) -> None:
    scribe, _ = corrected()
    assert scribe.remember(voice, BERLIN, 30) is not None
    assert scribe.shape(BERLIN) == [(30, FOREVER, "active")]
    assert scribe.remember(ANAS_AGENT, BERLIN, 40) is not None, "and her agent may say it again"


def test_a_persons_own_word_spoken_before_the_tombstone_does_not_pass_it() -> None:
    scribe, _ = corrected()
    scribe.remember(ANA, BERLIN, 15, elsewhere=True)
    assert scribe.row(BERLIN).status == "retracted"


def test_another_source_is_not_bound_by_a_provisional_tombstone() -> None:
    scribe, _ = corrected()
    assert scribe.remember(BENS_AGENT, BERLIN, 30) is not None
    assert scribe.rows_of(BERLIN)[-1].status == "needs_review"


def taken_back(verb: str, slot: tuple[str, str, bool], voice: Voice = ANA) -> tuple[Scribe, Claim]:
    """Ana's agent said it at 10; it was corrected or retracted at 20."""
    scribe, gone = Scribe(), claim("berlin", slot)
    record = scribe.remember(ANAS_AGENT, gone, 10)
    assert record is not None
    if verb == "correct":
        scribe.correct(voice, record, "lisbon", 20)
    else:
        scribe.retract(voice, record, 20)
    return scribe, gone


@pytest.mark.parametrize("verb", ["correct", "retract"])
@pytest.mark.parametrize("slot", [LIVES_IN, USES, PLAIN], ids=["one value", "many values", "a sentence"])
def test_a_new_source_that_restates_what_was_taken_back_waits_for_review(slot: Any, verb: str) -> None:
    scribe, gone = taken_back(verb, slot)
    assert scribe.remember(BENS_AGENT, gone, 30) is not None
    assert [r.status for r in scribe.rows_of(gone)] == ["needs_review"]
    if verb == "correct":
        assert scribe.row(claim("lisbon", slot)).status == "active"
    assert scribe.rows == scribe.afresh()


def test_a_new_source_stops_waiting_once_its_person_says_so_in_own_words() -> None:
    for voice in (BEN, BENS_SPEECH):
        scribe, gone = taken_back("correct", USES)
        scribe.remember(BENS_AGENT, gone, 30)
        scribe.remember(voice, gone, 40)
        assert scribe.rows_of(gone)[-1].status == "active"
        assert scribe.remember(BENS_AGENT, gone, 50) is not None
        assert scribe.rows_of(gone)[-1].status == "active"
        assert scribe.rows == scribe.afresh()


def test_a_lifted_tombstone_lets_a_new_source_speak() -> None:
    scribe, gone = taken_back("correct", USES)
    stone = scribe.entries.all()[-1]
    scribe.remember(BENS_AGENT, gone, 30)
    scribe.lift(ANA, stone, 40)
    assert scribe.rows_of(gone)[-1].status == "active"
    assert scribe.rows == scribe.afresh()


def test_who_had_said_it_before_and_was_not_reached_is_no_new_source() -> None:
    scribe, gone = taken_back("retract", LIVES_IN, ANAS_AGENT)
    scribe.remember(BENS_AGENT, LISBON, 25)
    scribe.remember(BENS_AGENT, gone, 30)
    assert scribe.shape(gone)[-1] == (30, FOREVER, "needs_review")
    scribe.remember(BENS_AGENT, gone, 15, elsewhere=True)
    assert scribe.shape(gone)[-1] == (30, FOREVER, "active"), "he had said it before, as is heard only now"
    assert scribe.rows == scribe.afresh()


def test_what_waits_for_review_neither_beats_nor_disputes_what_holds() -> None:
    scribe, gone = taken_back("correct", LIVES_IN, ANAS_AGENT)
    scribe.remember(BENS_AGENT, gone, 30)
    waiting, lisbon = scribe.rows_of(gone)[-1], scribe.row(LISBON)
    assert (waiting.status, waiting.challenged_by) == ("needs_review", lisbon.record)
    assert (lisbon.status, lisbon.challenged_by) == ("active", "")


def test_what_a_trusted_tool_sees_later_disputes_what_was_corrected_to() -> None:
    scribe, gone = taken_back("correct", LIVES_IN)
    scribe.remember(PROBE, gone, 30)
    assert scribe.rows_of(gone)[-1].status == "disputed"
    assert scribe.rows_of(LISBON)[-1].status == "disputed"


def test_a_retraction_takes_back_what_the_retractor_said_and_nothing_else() -> None:
    scribe = Scribe()
    record = scribe.remember(ANA, BERLIN, 10)
    scribe.remember(BEN, BERLIN, 12)
    assert record is not None
    scribe.retract(ANA, record, 20)
    assert (scribe.row(BERLIN).status, scribe.row(BERLIN).live_support) == ("active", 1)
    scribe.retract(BEN, record, 30)
    assert scribe.row(BERLIN).status == "retracted"


def test_a_retraction_leaves_what_a_person_approved_to_a_person() -> None:
    for voice, status in ((ANAS_AGENT, "active"), (ANA, "retracted")):
        scribe = Scribe()
        record = scribe.remember(ANA, BERLIN, 10)
        assert record is not None
        scribe.approve(ANA, record, 12)
        scribe.retract(voice, record, 20)
        assert scribe.row(BERLIN).status == status


@pytest.mark.parametrize("voice", [ANA, BEN, ANAS_SPEECH, BENS_AGENT, ANAS_IMPORT])
def test_an_absolute_tombstone_binds_whoever_says_it_before_or_after(voice: Voice) -> None:
    scribe = Scribe()
    scribe.remember(voice, BERLIN, 10)
    scribe.reject(ANA, BERLIN, 20)
    assert scribe.row(BERLIN).status == "rejected"
    assert scribe.remember(voice, BERLIN, 30) is None
    scribe.remember(voice, BERLIN, 30, elsewhere=True)
    assert scribe.row(BERLIN).status == "rejected"
    assert scribe.rows == scribe.afresh()


def test_only_a_person_lifts() -> None:
    scribe = Scribe()
    scribe.remember(ANAS_AGENT, BERLIN, 10)
    stone = scribe.reject(ANA, BERLIN, 20)
    scribe.lift(ANAS_AGENT, stone, 30)
    assert scribe.row(BERLIN).status == "rejected"
    scribe.lift(BEN, stone, 40)
    assert scribe.row(BERLIN).status == "active"
    assert scribe.rows == scribe.afresh()


def test_a_person_may_lift_a_provisional_tombstone_too() -> None:
    scribe, _ = corrected()
    stone = scribe.entries.all()[-1]
    scribe.lift(ANA, stone, 30)
    assert scribe.shape(BERLIN) == [(BEGINNING, 20, "active")]


def test_a_tombstone_binds_in_its_scope_and_space_wide_in_every_one() -> None:
    scribe = Scribe()
    for scope in ("team:x", "team:y"):
        scribe.remember(ANA, BERLIN, 10, scope=scope)
    scribe.reject(ANA, BERLIN, 20, scope="team:y")
    assert [scribe.row(BERLIN, s).status for s in ("team:x", "team:y")] == ["active", "rejected"]
    stone = scribe.reject(ANA, BERLIN, 30, scope="space:")
    assert [scribe.row(BERLIN, s).status for s in ("team:x", "team:y")] == ["rejected", "rejected"]
    assert scribe.remember(ANA, BERLIN, 40, scope="team:z") is None
    scribe.lift(ANA, stone, 50)
    assert [scribe.row(BERLIN, s).status for s in ("team:x", "team:y")] == ["active", "rejected"]
    assert scribe.rows == scribe.afresh()


def test_backers_of_a_space_wide_value_are_found_in_every_scope() -> None:
    scribe = Scribe()
    record = scribe.remember(ANAS_AGENT, BERLIN, 10, scope="space:")
    scribe.remember(BENS_AGENT, BERLIN, 12, scope=SCOPE)
    assert record is not None
    scribe.correct(ANA, record, "lisbon", 20)
    scribe.remember(BENS_AGENT, BERLIN, 30, scope="team:z", elsewhere=True)
    assert scribe.row(BERLIN, "team:z").status == "retracted", "Ben's agent had backed it, in another scope"
    assert scribe.rows == scribe.afresh()


def test_a_word_in_one_scope_refolds_the_others_that_a_space_wide_tombstone_binds() -> None:
    scribe = Scribe()
    record = scribe.remember(ANAS_AGENT, BERLIN, 10, scope="space:")
    assert record is not None
    scribe.correct(ANA, record, "lisbon", 20)
    scribe.remember(ANAS_AGENT, BERLIN, 40, scope="team:y", elsewhere=True)
    scribe.remember(BENS_AGENT, BERLIN, 40, scope="team:x", elsewhere=True)
    above = scribe.remember(BEN, claim("so there"), 45, scope="team:x", evidence=scribe.row(BERLIN, "team:x").record)
    assert above is not None
    assert [scribe.row(BERLIN, s).status for s in ("team:x", "team:y")] == ["needs_review", "retracted"]
    scribe.remember(ANA, BERLIN, 30, scope="team:z")
    assert scribe.row(BERLIN, "team:y").status == "active", "she has said it anew"
    assert scribe.rows == scribe.afresh()
    scribe.remember(BENS_AGENT, BERLIN, 15, scope="team:z", elsewhere=True)
    assert scribe.row(BERLIN, "team:x").status == "retracted", "he had backed it, as is heard only now"
    assert scribe.row(claim("so there"), "team:x").status == "pending_evidence"
    assert scribe.rows == scribe.afresh()


def test_a_tombstone_does_not_bind_the_opposite() -> None:
    scribe = Scribe()
    scribe.reject(ANA, BERLIN, 20)
    denied = claim("berlin", polarity="-")
    assert scribe.remember(ANA, denied, 30) is not None
    assert scribe.remember(ANA, claim("berlin", conditions="at work"), 30) is None, "conditions are no way around"


def test_a_change_leaves_no_tombstone() -> None:
    scribe = Scribe()
    record = scribe.remember(ANA, BERLIN, 10)
    assert record is not None
    scribe.change(ANA, record, "lisbon", 20)
    assert scribe.remember(ANAS_AGENT, BERLIN, 30) is not None


def test_a_correction_that_changes_no_value_leaves_no_tombstone() -> None:
    scribe = Scribe()
    record = scribe.remember(ANA, BERLIN, 10)
    assert record is not None
    scribe.correct(ANA, record, "berlin", 20)
    assert scribe.row(BERLIN).status == "active"


def test_an_agent_may_correct_back_its_own_correction() -> None:
    scribe = Scribe()
    record = scribe.remember(ANAS_AGENT, BERLIN, 10)
    assert record is not None
    for at, value, other in ((20, LISBON, BERLIN), (30, BERLIN, LISBON), (40, LISBON, BERLIN)):
        assert scribe.correct(ANAS_AGENT, record, value.value, at) == record
        assert scribe.rows_of(value)[-1].status == "active"
        assert scribe.row(other).status == "retracted"
    assert scribe.remember(ANAS_AGENT, LISBON, 50) is not None
    assert scribe.remember(ANAS_AGENT, BERLIN, 50) is None
    assert scribe.rows == scribe.afresh()


def test_an_agent_may_not_correct_back_what_a_person_corrected() -> None:
    scribe, record = corrected()
    assert scribe.correct(ANAS_AGENT, record, "berlin", 30) is None
    scribe.correct(ANAS_AGENT, record, "berlin", 30, elsewhere=True)
    assert scribe.row(BERLIN).status == "retracted"


def test_a_person_may_correct_back_anything() -> None:
    scribe, record = corrected()
    scribe.correct(ANAS_SPEECH, record, "berlin", 30)
    assert scribe.rows_of(BERLIN)[-1].status == "active"


def test_a_value_erased_may_not_come_back_and_its_row_says_erased() -> None:
    scribe = Scribe()
    scribe.remember(ANA, BERLIN, 10)
    scribe.erase_value(ANA, BERLIN, 20)
    assert scribe.row(BERLIN).status == "erased"
    assert scribe.remember(BEN, BERLIN, 30) is None
    scribe.remember(BEN, BERLIN, 30, elsewhere=True)
    assert {r.status for r in scribe.rows_of(BERLIN)} == {"erased"}
    assert scribe.rows == scribe.afresh()
