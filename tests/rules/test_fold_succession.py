"""When a value holds: a source's later word closes its older one, and only while it stands."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from scribe import (
    ANA,
    ANAS_AGENT,
    ANAS_IMPORT,
    ANAS_SPEECH,
    BEN,
    BENS_AGENT,
    PROBE,
    SECOND_PROBE,
    USES,
    Scribe,
    claim,
    fold_in,
)  # fmt: skip

from firsthand.vocabulary.instants import BEGINNING, FOREVER

BERLIN, LISBON, HAMBURG = claim("berlin"), claim("lisbon"), claim("hamburg")
Undo = Callable[[Scribe, str], object]


def moved() -> tuple[Scribe, str]:
    """Ana lived in Berlin at 10 and in Lisbon at 20; the record that says Lisbon."""
    scribe = Scribe()
    scribe.remember(ANAS_SPEECH, BERLIN, 10)
    lisbon = scribe.remember(ANAS_SPEECH, LISBON, 20)
    assert lisbon is not None
    return scribe, lisbon


def test_a_later_word_closes_the_older_one_of_the_same_source() -> None:
    scribe, _ = moved()
    assert scribe.shape(BERLIN) == [(BEGINNING, 20, "active")]
    assert scribe.shape(LISBON) == [(20, FOREVER, "active")]
    closer = scribe.entries.get(scribe.row(BERLIN).ended_by)
    assert closer is not None
    assert closer.record_id == scribe.row(LISBON).record


def revoke_lisbon(scribe: Scribe, record: str) -> None:
    scribe.revoke(ANA, scribe.said_of(LISBON)[0], 30)


def retract_its_episode(scribe: Scribe, record: str) -> None:
    scribe.retract(ANA, scribe.said_of(LISBON)[0].evidence, 30)


UNDONE: dict[str, Undo] = {
    "retracted": lambda s, r: s.retract(ANA, r, 30),
    "revoked": revoke_lisbon,
    "rejected": lambda s, r: s.reject(ANA, LISBON, 30),
    "its evidence retracted": retract_its_episode,
    "corrected away": lambda s, r: s.correct(ANA, r, "porto", 30),
}


@pytest.mark.parametrize("undo", UNDONE.values(), ids=UNDONE.keys())
def test_a_closure_dies_with_its_cause(undo: Undo) -> None:
    scribe, lisbon = moved()
    undo(scribe, lisbon)
    until = scribe.shape(BERLIN)[-1][1]
    assert until == (30 if scribe.rows_of(claim("porto")) else FOREVER)
    assert all(status == "active" for _, _, status in scribe.shape(BERLIN))
    assert scribe.rows == scribe.afresh()


def test_a_revoked_cause_that_is_reinstated_closes_again() -> None:
    scribe, _ = moved()
    said = scribe.said_of(LISBON)[0]
    scribe.revoke(ANA, said, 30)
    scribe.reinstate(ANA, said, 40)
    assert scribe.shape(BERLIN) == [(BEGINNING, 20, "active")]


HIDDEN: dict[str, Undo] = {
    "withdrawn": lambda s, r: s.withdraw(ANA, r, 30),
    "its evidence withdrawn": lambda s, r: s.withdraw(ANA, s.said_of(LISBON)[0].evidence, 30),
    "erased": lambda s, r: s.erase(ANA, r, 30),
    "its evidence erased": lambda s, r: s.erase(ANA, s.said_of(LISBON)[0].evidence, 30),
}


@pytest.mark.parametrize("hide", HIDDEN.values(), ids=HIDDEN.keys())
def test_hiding_or_erasing_a_cause_reopens_nothing(hide: Undo) -> None:
    scribe, lisbon = moved()
    hide(scribe, lisbon)
    assert scribe.shape(BERLIN) == [(BEGINNING, 20, "active")]
    assert scribe.rows == scribe.afresh()


def test_succession_is_per_source() -> None:
    scribe = Scribe()
    scribe.remember(ANA, BERLIN, 10)
    scribe.remember(BEN, BERLIN, 12)
    scribe.remember(ANA, LISBON, 20)
    assert scribe.shape(BERLIN) == [(BEGINNING, 20, "active"), (20, FOREVER, "disputed")]
    assert scribe.shape(LISBON) == [(20, FOREVER, "disputed")]


def test_a_persons_explicit_change_ends_everybodys_earlier_word() -> None:
    scribe = Scribe()
    berlin = scribe.remember(ANA, BERLIN, 10)
    scribe.remember(BEN, BERLIN, 12)
    assert berlin is not None
    scribe.change(ANA, berlin, "lisbon", 20)
    assert scribe.shape(BERLIN) == [(BEGINNING, 20, "active")]
    assert scribe.shape(LISBON) == [(20, FOREVER, "active")]
    scribe.remember(BEN, BERLIN, 30)
    assert scribe.shape(BERLIN)[-1] == (30, FOREVER, "disputed")


def test_a_change_reaches_what_was_spoken_before_it_even_if_it_arrives_later() -> None:
    scribe = Scribe()
    berlin = scribe.remember(ANA, BERLIN, 10)
    assert berlin is not None
    scribe.change(ANA, berlin, "lisbon", 20)
    scribe.remember(BEN, BERLIN, 15, elsewhere=True)
    assert scribe.shape(BERLIN) == [(BEGINNING, 20, "active")]


def test_an_agents_change_ends_only_what_its_own_owner_said() -> None:
    scribe = Scribe()
    berlin = scribe.remember(ANA, BERLIN, 10)
    scribe.remember(BEN, BERLIN, 12)
    assert berlin is not None
    scribe.change(ANAS_AGENT, berlin, "lisbon", 20)
    assert scribe.shape(BERLIN) == [(BEGINNING, FOREVER, "active")]
    assert scribe.row(LISBON).status == "needs_review"


def test_values_come_back_in_an_ordinary_life() -> None:
    scribe, _ = moved()
    scribe.remember(ANAS_SPEECH, BERLIN, 30)
    assert scribe.shape(BERLIN) == [(BEGINNING, 20, "active"), (30, FOREVER, "active")]
    assert scribe.shape(LISBON) == [(20, 30, "active")]
    assert len({r.record for r in scribe.rows_of(BERLIN)}) == 1


def test_an_older_statement_that_arrives_late_takes_its_place_in_the_past() -> None:
    scribe = Scribe()
    scribe.remember(ANAS_SPEECH, LISBON, 20)
    assert scribe.shape(LISBON) == [(BEGINNING, FOREVER, "active")]
    scribe.remember(ANAS_IMPORT, HAMBURG, 5)
    assert scribe.shape(HAMBURG) == [(BEGINNING, 20, "active")]
    assert scribe.shape(LISBON) == [(20, FOREVER, "active")]


def test_a_value_told_with_its_end_lets_the_older_one_resume() -> None:
    scribe = Scribe()
    scribe.remember(ANA, BERLIN, 10)
    scribe.remember(ANA, LISBON, 20, from_=20, to=40)
    assert scribe.shape(BERLIN) == [(BEGINNING, 20, "active"), (40, FOREVER, "active")]
    assert scribe.shape(LISBON) == [(20, 40, "active")]


def test_two_stays_elsewhere_leave_three_stays_at_home() -> None:
    scribe = Scribe()
    scribe.remember(ANA, BERLIN, 10)
    scribe.remember(ANA, HAMBURG, 20, from_=50, to=60)
    scribe.remember(ANA, LISBON, 21, from_=30, to=40)
    assert [(a, b) for a, b, _ in scribe.shape(BERLIN)] == [(BEGINNING, 30), (40, 50), (60, FOREVER)]


def test_an_end_told_later_lets_nothing_resume() -> None:
    scribe, lisbon = moved()
    scribe.change(ANA, lisbon, None, 40)
    assert scribe.shape(BERLIN) == [(BEGINNING, 20, "active")]
    assert scribe.shape(LISBON) == [(20, 40, "active")]
    assert scribe.row(LISBON).ended_by == scribe.entries.all()[-1].id


def test_an_end_that_came_with_a_value_dies_with_that_value() -> None:
    scribe = Scribe()
    berlin = scribe.remember(ANA, BERLIN, 10)
    scribe.remember(BEN, BERLIN, 12)
    assert berlin is not None
    lisbon = scribe.change(ANA, berlin, "lisbon", 20)
    assert lisbon is not None
    scribe.retract(ANA, lisbon, 30)
    assert scribe.shape(BERLIN) == [(BEGINNING, FOREVER, "active")]


def test_a_plan_told_early_is_not_closed_by_todays_word() -> None:
    scribe = Scribe()
    scribe.remember(ANA, LISBON, 10, from_=40)
    scribe.remember(ANA, BERLIN, 20)
    assert scribe.shape(LISBON) == [(40, FOREVER, "active")]
    assert scribe.shape(BERLIN) == [(BEGINNING, 40, "active")]


def test_a_candidate_closes_nothing_but_a_candidate() -> None:
    scribe = Scribe()
    scribe.remember(ANAS_AGENT, BERLIN, 10)
    scribe.remember(ANAS_AGENT, LISBON, 20, basis="inferred")
    assert scribe.shape(BERLIN) == [(BEGINNING, FOREVER, "active")]
    scribe.remember(ANAS_AGENT, HAMBURG, 30, basis="inferred")
    assert scribe.shape(LISBON) == [(20, 30, "pending_evidence")]


def test_an_echo_closes_nothing() -> None:
    scribe = Scribe()
    scribe.remember(ANAS_AGENT, BERLIN, 10)
    scribe.remember(ANAS_AGENT, LISBON, 20, echo=True)
    assert scribe.shape(BERLIN)[-1][1] == FOREVER


def test_an_agents_word_does_not_end_what_a_person_approved_and_attested_speech_does() -> None:
    for voice, end in ((ANAS_AGENT, FOREVER), (ANAS_SPEECH, 20), (ANA, 20)):
        scribe = Scribe()
        berlin = scribe.remember(ANA, BERLIN, 10)
        assert berlin is not None
        scribe.approve(ANA, berlin, 15)
        scribe.remember(voice, LISBON, 20)
        assert scribe.rows_of(BERLIN)[-1].valid_to == end, voice
        assert scribe.rows_of(BERLIN)[0].tier == "fact"


def test_an_agents_end_does_not_end_what_a_person_approved() -> None:
    for voice, end in ((ANAS_AGENT, FOREVER), (ANA, 20)):
        scribe = Scribe()
        berlin = scribe.remember(ANA, BERLIN, 10)
        assert berlin is not None
        scribe.approve(ANA, berlin, 15)
        scribe.change(voice, berlin, None, 20)
        assert scribe.rows_of(BERLIN)[-1].valid_to == end, voice


def test_observations_succeed_each_other_whichever_tool_saw_them() -> None:
    scribe = Scribe()
    scribe.remember(PROBE, BERLIN, 10)
    scribe.remember(SECOND_PROBE, LISBON, 20)
    assert scribe.shape(BERLIN) == [(BEGINNING, 20, "active")]
    assert scribe.shape(LISBON) == [(20, FOREVER, "active")]


def test_a_conditional_claim_does_not_meet_a_global_one() -> None:
    scribe = Scribe()
    at_work = claim("lisbon", conditions="at work")
    scribe.remember(ANA, BERLIN, 10)
    scribe.remember(ANA, at_work, 20)
    scribe.remember(BEN, claim("hamburg", conditions="at home"), 20)
    assert scribe.shape(BERLIN) == [(BEGINNING, FOREVER, "active")]
    assert scribe.shape(at_work) == [(BEGINNING, FOREVER, "active")]
    scribe.remember(ANA, claim("hamburg", conditions="at work"), 30)
    assert scribe.shape(at_work) == [(BEGINNING, 30, "active")]


def test_affirmed_then_denied_is_succession_even_where_many_values_may_hold() -> None:
    scribe = Scribe()
    vim, no_vim, emacs = claim("vim", USES), claim("vim", USES, "-"), claim("emacs", USES)
    scribe.remember(ANA, vim, 10)
    scribe.remember(ANA, emacs, 15)
    scribe.remember(ANA, no_vim, 20)
    assert scribe.shape(vim) == [(BEGINNING, 20, "active")]
    assert scribe.shape(emacs) == [(BEGINNING, FOREVER, "active")]
    assert scribe.shape(no_vim) == [(20, FOREVER, "active")]


def test_the_same_instant_is_decided_by_entry_id_alone() -> None:
    scribe = Scribe()
    scribe.remember(ANAS_AGENT, BERLIN, 10, from_=10)
    scribe.remember(ANAS_AGENT, LISBON, 10, from_=10)
    last = max((e for e in scribe.entries.all() if scribe.view().said_in(e)), key=lambda e: e.id)
    winner = scribe.view().said_in(last)[0].claim
    assert scribe.shape(winner) == [(10, FOREVER, "active")]
    assert fold_in(reversed(scribe.entries.all())).rows == scribe.rows


def test_a_claim_closed_everywhere_is_superseded() -> None:
    scribe = Scribe()
    scribe.remember(ANAS_AGENT, BERLIN, 10, from_=10)
    scribe.remember(ANAS_AGENT, LISBON, 20, from_=5)
    assert scribe.row(BERLIN).status == "superseded"
    assert scribe.shape(LISBON) == [(5, FOREVER, "active")]


def test_bens_agent_and_ben_are_one_source() -> None:
    scribe = Scribe()
    scribe.remember(BEN, BERLIN, 10)
    scribe.remember(BENS_AGENT, LISBON, 20)
    assert scribe.shape(BERLIN) == [(BEGINNING, 20, "active")]


def test_no_instant_of_writing_and_no_text_decides_anything() -> None:
    scribe, lisbon = moved()
    scribe.withdraw(ANA, lisbon, 30)
    scribe.correct(ANA, lisbon, "porto", 40)
    entries = scribe.entries.all()
    for clock in (lambda n: 0, lambda n: -n, lambda n: n % 3):
        blank = [
            msgspec.structs.replace(
                e, skeleton=msgspec.structs.replace(e.skeleton, recorded_at=clock(n), body="", request=None)
            )
            for n, e in enumerate(entries)
        ]
        assert fold_in(blank).rows == scribe.rows
