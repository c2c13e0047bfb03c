"""What may be shown, from the graph of withdrawals alone; and how sensitive it is."""

from __future__ import annotations

import pytest
from scribe import ANA, ANAS_AGENT, BEN, LIVES_IN, PLAIN, USES, Scribe, claim

from firsthand.vocabulary.entries import Classify, Revise

BERLIN, LISBON = claim("berlin"), claim("lisbon")
SENTENCE, OTHER = claim("the sky is green", PLAIN), claim("the sky is blue", PLAIN)


def told() -> tuple[Scribe, str]:
    scribe = Scribe()
    record = scribe.remember(ANA, BERLIN, 10)
    assert record is not None
    return scribe, record


def hidden(scribe: Scribe, value: str) -> set[str | None]:
    return {r.hidden_reason for r in scribe.rows_of(claim(value))}


def test_withdrawn_is_hidden_and_restored_is_shown() -> None:
    scribe, record = told()
    scribe.withdraw(ANA, record, 20)
    assert scribe.row(BERLIN).visibility == "hidden"
    assert hidden(scribe, "berlin") == {"withdrawn"}
    assert scribe.row(BERLIN).status == "active", "a withdrawal does not touch truth"
    scribe.restore(ANA, record, 30)
    assert (scribe.row(BERLIN).visibility, hidden(scribe, "berlin")) == ("visible", {None})


def test_a_correction_after_a_withdrawal_stays_hidden() -> None:
    scribe, record = told()
    scribe.withdraw(ANA, record, 20)
    scribe.correct(ANA, record, "lisbon", 30)
    assert hidden(scribe, "lisbon") == {"withdrawn"}
    scribe.restore(ANA, record, 40)
    assert hidden(scribe, "lisbon") == {None}, "the restore observed it"


def test_a_correction_after_a_restore_that_it_saw_is_shown() -> None:
    scribe, record = told()
    scribe.withdraw(ANA, record, 20)
    scribe.restore(ANA, record, 30)
    scribe.correct(ANA, record, "lisbon", 40)
    assert hidden(scribe, "lisbon") == {None}


def test_content_that_a_restore_did_not_see_waits_for_review() -> None:
    here, record = told()
    here.withdraw(ANA, record, 20)
    there = here.branch("there")
    there.correct(ANA, record, "lisbon", 25)
    here.restore(ANA, record, 30)
    for one, other in ((here, there), (there, here)):
        one.take(other)
    assert hidden(here, "lisbon") == hidden(there, "lisbon") == {"unreviewed_content"}
    assert here.rows == there.rows == here.afresh()


def test_a_withdrawal_and_a_restore_made_apart_stay_hidden_until_one_decides() -> None:
    here, record = told()
    here.withdraw(ANA, record, 20)
    there = here.branch("there")
    there.withdraw(BEN, record, 25)
    here.restore(ANA, record, 30)
    here.take(there)
    assert hidden(here, "berlin") == {"conflicting_decisions"}
    here.restore(ANA, record, 40)
    assert hidden(here, "berlin") == {None}


def test_what_is_said_again_of_a_hidden_claim_is_hidden_too() -> None:
    scribe, record = told()
    scribe.withdraw(ANA, record, 20)
    scribe.remember(BEN, BERLIN, 30)
    scribe.remember(BEN, BERLIN, 40, elsewhere=True)
    assert hidden(scribe, "berlin") == {"withdrawn"}


def test_a_successor_inherits_a_withdrawal_that_did_not_observe_it() -> None:
    scribe, record = told()
    scribe.withdraw(ANA, record, 20)
    scribe.change(ANA, record, "lisbon", 30)
    assert hidden(scribe, "lisbon") == {"withdrawn"}
    scribe.restore(ANA, record, 40)
    assert hidden(scribe, "berlin") == hidden(scribe, "lisbon") == {None}


def test_a_withdrawal_that_observed_the_successor_leaves_it_shown() -> None:
    scribe, record = told()
    scribe.change(ANA, record, "lisbon", 20)
    scribe.withdraw(ANA, record, 30)
    assert hidden(scribe, "berlin") == {"withdrawn"}
    assert hidden(scribe, "lisbon") == {None}
    assert scribe.rows == scribe.afresh()


@pytest.mark.parametrize("slot", [LIVES_IN, USES], ids=["one value", "many values"])
def test_a_withdrawal_that_arrives_late_hides_the_successor_it_did_not_observe(slot: tuple[str, str, bool]) -> None:
    here = Scribe()
    record = here.remember(ANA, claim("berlin", slot), 10)
    assert record is not None
    there = here.branch("there")
    here.change(ANA, record, "lisbon", 20)
    there.withdraw(ANA, record, 25)
    here.take(there)
    assert here.row(claim("lisbon", slot)).hidden_reason == "withdrawn"
    assert here.rows == here.afresh()


def test_joining_a_record_inherits_nothing() -> None:
    scribe, record = told()
    scribe.withdraw(ANA, record, 20)
    scribe.remember(BEN, LISBON, 25)
    scribe.change(ANA, record, "lisbon", 30)
    assert hidden(scribe, "lisbon") == {None}


@pytest.mark.parametrize("kind", ["semantic", "competence", "plan_graph"])
def test_two_heads_of_a_sentence_a_skill_or_a_plan_are_a_content_conflict(kind: str) -> None:
    here = Scribe()
    record = here.remember(ANA, SENTENCE, 10, kind=kind)  # type: ignore[arg-type]
    assert record is not None
    there = here.branch("there")
    for store, value in ((here, "the sky is blue"), (there, "the sky is grey")):
        store.correct(ANA, record, value, 20)
    here.take(there)
    rows = [r for r in here.rows_about(record) if r.status == "active"]
    assert {r.claim.value for r in rows if r.claim} == {"the sky is blue", "the sky is grey"}
    assert {r.visibility for r in rows} == {"content_conflict"}
    here.correct(ANA, record, "the sky is blue", 30)
    assert {r.visibility for r in here.rows_of(OTHER)} == {"visible"}
    assert here.rows == here.afresh()


def test_two_heads_of_one_sentence_show_each_revision() -> None:
    here = Scribe()
    record = here.remember(ANA, SENTENCE, 10)
    assert record is not None
    there = here.branch("there")
    for store in (here, there):
        store.correct(ANA, record, SENTENCE.value, 20)
    here.take(there)
    assert len({r.revision for r in here.rows_of(SENTENCE)}) == 2
    assert {r.visibility for r in here.rows_of(SENTENCE)} == {"content_conflict"}


def test_two_heads_of_a_structured_claim_are_settled_by_its_slot() -> None:
    here, record = told()
    there = here.branch("there")
    here.correct(ANA, record, "lisbon", 20)
    there.correct(ANA, record, "porto", 21)
    here.take(there)
    assert {r.visibility for r in here.rows_about(record)} == {"visible"}
    assert here.row(LISBON).valid_to == 21


# ---- records that are no claims ----


def test_an_episode_is_observed_and_may_be_hidden_retracted_or_erased() -> None:
    scribe = Scribe()
    for verb, status, visibility in (
        (scribe.withdraw, "active", "hidden"),
        (scribe.retract, "retracted", "visible"),
        (scribe.erase, "erased", "visible"),
    ):
        episode = scribe.capture(ANA, 10)
        (row,) = scribe.rows[episode]
        assert (row.tier, row.status, row.visibility, row.claim) == ("observed", "active", "visible", None)
        verb(ANA, episode, 20)
        (row,) = scribe.rows[episode]
        assert (row.status, row.visibility) == (status, visibility)
    assert scribe.rows == scribe.afresh()


def test_an_entity_is_as_good_as_its_author_and_working_memory_is_observed() -> None:
    for policy, tier, status in ((None, "validated_claim", "active"), ("strict", "candidate", "pending_evidence")):
        scribe = Scribe()
        if policy:
            scribe = Scribe(type(scribe.policy)(name=policy, agent_statement_is_claim=False))
        entity = scribe.write(ANAS_AGENT, Revise(record_kind="entity"), 10).record_id
        (row,) = scribe.rows[entity]
        assert (row.tier, row.status) == (tier, status)
        working = scribe.write(ANAS_AGENT, Revise(record_kind="working"), 10).record_id
        assert {r.tier for r in scribe.rows[working]} == {"observed"}
        typed = scribe.write(ANA, Revise(record_kind="entity"), 10).record_id
        assert {r.tier for r in scribe.rows[typed]} == {"validated_claim"}


def test_two_heads_of_an_entity_are_a_content_conflict() -> None:
    here = Scribe()
    root = here.write(ANA, Revise(record_kind="entity"), 10)
    there = here.branch("there")
    for store in (here, there):
        store.write(ANA, Revise(record_kind="entity", supersedes=(root.id,)), 20, root.record_id)
    here.take(there)
    assert {r.visibility for r in here.rows[root.record_id]} == {"content_conflict"}
    assert len(here.rows[root.record_id]) == 2


# ---- sensitivity ----


def test_sensitivity_is_the_highest_of_all_evidence_ever_granted() -> None:
    scribe, _ = told()
    scribe.remember(BEN, BERLIN, 20, evidence=scribe.capture(BEN, 20, level=3))
    assert scribe.row(BERLIN).sensitivity == 3
    scribe.revoke(BEN, next(s for s in scribe.said_of(BERLIN) if s.source == "ben"), 30)
    assert scribe.row(BERLIN).sensitivity == 3, "revoked"
    scribe.erase(BEN, next(s for s in scribe.said_of(BERLIN) if s.source == "ben").evidence, 40)
    assert scribe.row(BERLIN).sensitivity == 3, "erased"


def test_a_rise_reaches_everything_that_rests_on_it() -> None:
    scribe, record = told()
    derived = scribe.remember(ANA, SENTENCE, 20, evidence=record)
    scribe.remember(ANA, OTHER, 30, evidence=derived)
    episode = scribe.said_of(BERLIN)[0].evidence
    scribe.classify(ANAS_AGENT, episode, 4, 40)
    assert [scribe.row(c).sensitivity for c in (BERLIN, SENTENCE, OTHER)] == [4, 4, 4]
    scribe.classify(ANA, episode, 1, 50)
    assert [scribe.row(c).sensitivity for c in (BERLIN, SENTENCE, OTHER)] == [1, 1, 1]
    assert scribe.rows == scribe.afresh()


def test_a_rise_of_old_evidence_reaches_what_its_record_says_now() -> None:
    scribe = Scribe()
    record = scribe.remember(ANA, SENTENCE, 10)
    assert record is not None
    evidence = scribe.said_of(SENTENCE)[0].evidence
    scribe.correct(ANA, record, OTHER.value, 20)
    above = scribe.remember(ANA, claim("so there", PLAIN), 30, evidence=record)
    assert above is not None
    scribe.classify(ANA, evidence, 4, 40)
    assert scribe.row(OTHER).sensitivity == scribe.row(claim("so there", PLAIN)).sensitivity == 4
    assert scribe.rows == scribe.afresh()


def test_anyone_raises_and_only_a_person_lowers() -> None:
    scribe, record = told()
    scribe.classify(ANAS_AGENT, record, 3, 20)
    scribe.classify(ANAS_AGENT, record, 1, 30)
    assert scribe.row(BERLIN).sensitivity == 3
    scribe.classify(ANA, record, 1, 40)
    assert scribe.row(BERLIN).sensitivity == 1


def test_no_agent_lowers_what_was_written_or_set_whatever_its_store_let_through() -> None:
    scribe = Scribe()
    record = scribe.remember(ANA, BERLIN, 10, level=2)
    assert record is not None
    low = scribe.write(ANAS_AGENT, Classify(level=0), 20, record)
    assert scribe.row(BERLIN).sensitivity == 2
    high = scribe.write(ANA, Classify(level=3, replaces=(low.id,)), 30, record)
    scribe.write(ANAS_AGENT, Classify(level=1, replaces=(high.id,)), 40, record)
    assert scribe.row(BERLIN).sensitivity == 3


def test_of_two_levels_set_apart_the_higher_holds() -> None:
    here, record = told()
    there = here.branch("there")
    here.classify(ANA, record, 2, 20)
    there.classify(ANA, record, 4, 20)
    here.take(there)
    assert here.row(BERLIN).sensitivity == 4


def test_a_cycle_of_evidence_has_the_level_of_its_highest() -> None:
    scribe, record = told()
    derived = scribe.remember(ANA, SENTENCE, 20, evidence=record)
    scribe.remember(ANA, BERLIN, 30, evidence=derived)
    scribe.write(ANA, Classify(level=3), 40, derived)
    assert scribe.row(BERLIN).sensitivity == scribe.row(SENTENCE).sensitivity == 3
    assert scribe.rows == scribe.afresh()


def test_evidence_that_branches_and_joins_again_is_visited_once() -> None:
    scribe, left = told()
    right = left
    for depth in range(40):
        both = (claim(f"left {depth}", PLAIN), claim(f"right {depth}", PLAIN))
        for of in both:
            for at, below in enumerate((left, right)):
                scribe.remember(ANA, of, 20 + at, evidence=below)
        left, right = (scribe.row(of).record for of in both)
    scribe.classify(ANA, scribe.said_of(BERLIN)[0].evidence, 3, 90)
    assert {r.sensitivity for r in (*scribe.rows_about(left), *scribe.rows_about(right))} == {3}


def test_a_level_may_be_written_with_the_content_itself() -> None:
    scribe = Scribe()
    scribe.remember(ANA, BERLIN, 10, level=2)
    assert scribe.row(BERLIN).sensitivity == 2
