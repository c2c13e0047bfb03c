"""Who is believed when sources differ: dispute, rank, lift, approval, contest."""

from __future__ import annotations

import itertools

import msgspec
import pytest
from scribe import (
    ANA,
    ANAS_AGENT,
    ANAS_SPEECH,
    BEN,
    BENS_AGENT,
    CEM,
    LIVES_IN,
    PROBE,
    SCRAPER,
    USES,
    Scribe,
    Voice,
    claim,
    fold_in,
)  # fmt: skip

from firsthand.vocabulary.entries import PolicyRules
from firsthand.vocabulary.instants import BEGINNING, FOREVER

BERLIN, LISBON, HAMBURG = claim("berlin"), claim("lisbon"), claim("hamburg")
STRICT = PolicyRules(name="strict", agent_statement_is_claim=False)


def test_equals_from_different_sources_dispute() -> None:
    scribe = Scribe()
    scribe.remember(ANA, BERLIN, 10)
    scribe.remember(BEN, LISBON, 20)
    assert scribe.shape(BERLIN) == scribe.shape(LISBON) == [(BEGINNING, FOREVER, "disputed")]
    assert scribe.row(BERLIN).challenged_by == scribe.row(LISBON).record
    assert scribe.row(LISBON).challenged_by == scribe.row(BERLIN).record


def test_values_dispute_only_while_both_hold() -> None:
    scribe = Scribe()
    scribe.remember(ANA, BERLIN, 10, to=50)
    scribe.remember(BEN, LISBON, 20, from_=30)
    assert scribe.shape(BERLIN) == [(BEGINNING, 30, "active"), (30, 50, "disputed")]
    assert scribe.shape(LISBON) == [(30, 50, "disputed"), (50, FOREVER, "active")]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize(
    ("stronger", "weaker"),
    [(ANA, BENS_AGENT), (ANA, BENS_AGENT._replace(attested=True)), (ANAS_SPEECH, BENS_AGENT), (ANA, PROBE)],
)
def test_a_person_outranks_attested_speech_which_outranks_an_agent_whichever_came_first(
    stronger: Voice, weaker: Voice, order: tuple[int, int]
) -> None:
    scribe = Scribe()
    said = [(stronger, BERLIN, 20), (weaker, LISBON, 10)]
    for n in order:
        scribe.remember(*said[n])
    assert scribe.shape(BERLIN) == [(BEGINNING, FOREVER, "active")]
    assert scribe.row(LISBON).status == "needs_review"
    assert scribe.row(LISBON).challenged_by == scribe.row(BERLIN).record


def test_only_a_claim_left_standing_beats() -> None:
    """A person beats Ana's agent, so Ben's agent, who denies what she says, has no rival left."""
    scribe = Scribe()
    scribe.remember(CEM, HAMBURG, 10)
    scribe.remember(ANAS_AGENT, BERLIN, 11)
    scribe.remember(BENS_AGENT, claim("berlin", polarity="-"), 12)
    assert scribe.row(HAMBURG).status == "active"
    assert scribe.row(BERLIN).status == "needs_review"
    assert scribe.row(claim("berlin", polarity="-")).status == "active", "its only rival was beaten"


def test_a_candidate_neither_disputes_nor_displaces() -> None:
    scribe = Scribe()
    scribe.remember(ANAS_AGENT, BERLIN, 10)
    scribe.remember(BENS_AGENT, LISBON, 20, basis="inferred")
    assert scribe.shape(BERLIN) == [(BEGINNING, FOREVER, "active")]
    assert (scribe.row(LISBON).tier, scribe.row(LISBON).status) == ("candidate", "pending_evidence")


def test_many_values_hold_side_by_side() -> None:
    scribe = Scribe()
    for voice, value in ((ANA, "vim"), (BEN, "emacs")):
        scribe.remember(voice, claim(value, USES), 10)
    assert scribe.row(claim("vim", USES)).status == scribe.row(claim("emacs", USES)).status == "active"


def test_two_independent_sources_lift_a_candidate_and_it_falls_back_when_one_goes() -> None:
    scribe = Scribe(STRICT)
    scribe.remember(ANAS_AGENT, BERLIN, 10)
    assert scribe.row(BERLIN).tier == "candidate"
    scribe.remember(BENS_AGENT, BERLIN, 20)
    assert (scribe.row(BERLIN).tier, scribe.row(BERLIN).status) == ("validated_claim", "active")
    gone = scribe.said_of(BERLIN)[0]
    scribe.revoke(ANA, gone, 30)
    assert (scribe.row(BERLIN).tier, scribe.row(BERLIN).status) == ("candidate", "pending_evidence")
    scribe.reinstate(ANA, gone, 40)
    assert scribe.row(BERLIN).tier == "validated_claim"
    scribe.retract(BENS_AGENT, scribe.row(BERLIN).record, 50)
    assert scribe.row(BERLIN).tier == "candidate"
    assert scribe.rows == scribe.afresh()


def test_identical_words_from_two_sources_are_one() -> None:
    scribe = Scribe(STRICT)
    scribe.remember(ANAS_AGENT, BERLIN, 10, said="copied")
    scribe.remember(BENS_AGENT, BERLIN, 20, said="copied")
    assert scribe.row(BERLIN).tier == "candidate"
    scribe.remember(BENS_AGENT, BERLIN, 30, said="in words of his own")
    assert scribe.row(BERLIN).tier == "validated_claim"


def test_one_source_is_one_however_often_and_through_whichever_agent_it_speaks() -> None:
    scribe = Scribe(STRICT)
    for at in (10, 20, 30):
        scribe.remember(ANAS_AGENT, BERLIN, at)
    assert scribe.row(BERLIN).tier == "candidate"
    assert scribe.row(BERLIN).live_support == 3


def test_an_echo_adds_no_independence() -> None:
    scribe = Scribe(STRICT)
    scribe.remember(ANAS_AGENT, BERLIN, 10)
    scribe.remember(BENS_AGENT, BERLIN, 20, echo=True)
    assert scribe.row(BERLIN).tier == "candidate"


def test_the_policy_decides_how_many_sources_lift() -> None:
    scribe = Scribe(PolicyRules(name="three", agent_statement_is_claim=False, lift_needs_sources=3))
    scribe.remember(ANAS_AGENT, BERLIN, 10)
    scribe.remember(BENS_AGENT, BERLIN, 20)
    assert scribe.row(BERLIN).tier == "candidate"
    scribe.remember(SCRAPER, BERLIN, 30)
    assert scribe.row(BERLIN).tier == "validated_claim"


@pytest.mark.parametrize(
    ("voice", "tier"),
    [(ANA, "validated_claim"), (ANAS_SPEECH, "validated_claim"), (ANAS_AGENT, "validated_claim"),
     (PROBE, "validated_claim"), (SCRAPER, "candidate"), (ANAS_AGENT._replace(basis="inferred"), "candidate"),
     (Voice("ops", "system", basis="imported"), "candidate")],
)  # fmt: skip
def test_the_default_policy_says_who_is_believed(voice: Voice, tier: str) -> None:
    scribe = Scribe()
    scribe.remember(voice, BERLIN, 10)
    assert scribe.row(BERLIN).tier == tier


def test_a_guess_stated_later_is_a_claim() -> None:
    scribe = Scribe()
    scribe.remember(ANAS_AGENT, BERLIN, 10, basis="inferred")
    scribe.remember(ANAS_SPEECH, BERLIN, 20)
    assert [(r.tier, r.status) for r in scribe.rows_of(BERLIN)] == [("validated_claim", "active")]


def test_a_persons_approval_makes_a_fact_and_binds_to_what_it_saw() -> None:
    scribe = Scribe(STRICT)
    berlin = scribe.remember(ANAS_AGENT, BERLIN, 10)
    assert berlin is not None
    scribe.approve(ANA, berlin, 15)
    assert scribe.row(BERLIN).tier == "fact"
    seen = scribe.said_of(BERLIN)[0]
    scribe.remember(BENS_AGENT, BERLIN, 20)
    scribe.revoke(ANA, seen, 30)
    assert scribe.row(BERLIN).tier == "candidate", "what came after the approval is not approved"


def test_an_agents_approval_makes_nothing() -> None:
    scribe = Scribe()
    berlin = scribe.remember(ANA, BERLIN, 10)
    assert berlin is not None
    scribe.approve(ANAS_AGENT, berlin, 15)
    assert scribe.row(BERLIN).tier == "validated_claim"


def test_a_fact_outranks_a_persons_unapproved_word() -> None:
    scribe = Scribe()
    berlin = scribe.remember(ANAS_AGENT, BERLIN, 10)
    assert berlin is not None
    scribe.approve(ANA, berlin, 15)
    scribe.remember(BEN, LISBON, 20)
    assert scribe.row(BERLIN).status == "active"
    assert scribe.row(LISBON).status == "needs_review"


def test_a_trusted_tools_later_observation_makes_both_disputed() -> None:
    scribe = Scribe()
    scribe.remember(ANA, BERLIN, 10)
    scribe.remember(PROBE, LISBON, 20)
    assert scribe.row(BERLIN).status == scribe.row(LISBON).status == "disputed"
    scribe.remember(ANA, BERLIN, 30)
    assert [r.status for r in scribe.rows_of(BERLIN)] == ["active"], "her word is later again"
    assert scribe.row(LISBON).status == "needs_review"


def test_an_untrusted_tools_later_observation_disputes_nothing() -> None:
    scribe = Scribe()
    scribe.remember(ANA, BERLIN, 10)
    scribe.remember(SCRAPER, LISBON, 20)
    assert scribe.row(BERLIN).status == "active"


def test_a_contest_holds_until_a_settle_names_it() -> None:
    scribe = Scribe()
    berlin = scribe.remember(ANA, BERLIN, 10)
    assert berlin is not None
    first = scribe.contest(BEN, berlin, 20)
    second = scribe.contest(CEM, berlin, 21)
    assert scribe.row(BERLIN).status == "disputed"
    scribe.settle(ANA, [first], 30)
    assert scribe.row(BERLIN).status == "disputed"
    scribe.settle(ANA, [second], 31)
    assert scribe.row(BERLIN).status == "active"
    assert scribe.rows == scribe.afresh()


def test_two_stores_that_made_one_claim_apart_fold_onto_one_record() -> None:
    scribe = Scribe()
    scribe.remember(ANA, BERLIN, 10)
    scribe.remember(BEN, BERLIN, 20, elsewhere=True)
    records = {s.record for s in scribe.said_of(BERLIN)}
    assert len(records) == 2
    assert scribe.row(BERLIN).record == min(records)
    assert scribe.row(BERLIN).live_support == 2


def test_three_equals_in_any_order_are_all_disputed() -> None:
    for order in itertools.permutations([(ANA, BERLIN), (BEN, LISBON), (CEM, HAMBURG)]):
        scribe = Scribe()
        for at, (voice, of) in enumerate(order):
            scribe.remember(voice, of, at)
        assert {scribe.row(of).status for of in (BERLIN, LISBON, HAMBURG)} == {"disputed"}
        assert fold_in(scribe.entries.all()).rows == scribe.rows


def test_scopes_never_meet() -> None:
    scribe = Scribe()
    scribe.remember(ANA, claim("berlin", LIVES_IN), 10, scope="team:x")
    scribe.remember(BEN, claim("lisbon", LIVES_IN), 20, scope="team:y")
    assert scribe.row(BERLIN, "team:x").status == scribe.row(LISBON, "team:y").status == "active"


def test_a_claim_about_an_ambiguous_name_waits_for_review_and_closes_and_disputes_nothing() -> None:
    scribe = Scribe()
    berlin, lisbon = (msgspec.structs.replace(of, ambiguous=True) for of in (BERLIN, LISBON))
    scribe.remember(ANA, HAMBURG, 5)
    scribe.remember(ANA, berlin, 10)
    scribe.remember(ANA, lisbon, 20)
    scribe.remember(BEN, lisbon, 30)
    assert {scribe.row(of).status for of in (berlin, lisbon)} == {"needs_review"}
    assert {scribe.row(of).valid_to for of in (HAMBURG, berlin, lisbon)} == {FOREVER}
    assert (scribe.row(HAMBURG).status, scribe.row(berlin).challenged_by) == ("active", "")
