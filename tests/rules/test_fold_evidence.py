"""Support: what is lost with it, how far that reaches, and what erasure leaves."""

from __future__ import annotations

from scribe import ANA, ANAS_AGENT, BEN, CEM, PLAIN, USES, Scribe, claim, fold_in

from firsthand.rules.evidence import verdict_heads
from firsthand.vocabulary.entries import Attend, Define, Judge, Propose, Relate, Seal
from firsthand.vocabulary.instants import BEGINNING, FOREVER

BERLIN, LISBON = claim("berlin"), claim("lisbon")
A, B, C = claim("a", PLAIN), claim("b", PLAIN), claim("c", PLAIN)


def chain() -> tuple[Scribe, str]:
    """Berlin rests on an episode, A on Berlin, B on A, C on B; the episode."""
    scribe = Scribe()
    below = scribe.remember(ANA, BERLIN, 10)
    for at, of in enumerate((A, B, C)):
        below = scribe.remember(ANA, of, 20 + at, evidence=below)
    return scribe, scribe.said_of(BERLIN)[0].evidence


def statuses(scribe: Scribe) -> list[str]:
    return [scribe.row(c).status for c in (BERLIN, A, B, C)]


def test_losing_evidence_reaches_everything_that_rested_only_on_it() -> None:
    scribe, episode = chain()
    assert statuses(scribe) == ["active"] * 4
    scribe.retract(ANA, episode, 30)
    assert statuses(scribe) == ["pending_evidence"] * 4
    assert scribe.rows == scribe.afresh()


def test_what_rests_on_something_else_too_keeps_standing_and_holds_up_what_is_above_it() -> None:
    scribe, episode = chain()
    scribe.remember(BEN, A, 25)
    scribe.retract(ANA, episode, 30)
    assert statuses(scribe) == ["pending_evidence", "active", "active", "active"]
    assert scribe.rows == scribe.afresh()


def test_a_cycle_holds_itself_up_no_longer_than_something_below_it_stands() -> None:
    scribe, _ = chain()
    a = scribe.row(A).record
    scribe.remember(ANA, A, 40, evidence=scribe.row(C).record)
    assert scribe.row(A).live_support == 2
    scribe.revoke(ANA, next(s for s in scribe.said_of(BERLIN)), 50)
    assert statuses(scribe) == ["pending_evidence"] * 4
    assert scribe.row(A).record == a
    assert scribe.rows == scribe.afresh()


def test_a_rejected_claim_takes_what_rested_on_it_and_a_lift_gives_it_back() -> None:
    scribe, _ = chain()
    stone = scribe.reject(ANA, BERLIN, 30)
    assert statuses(scribe) == ["rejected", *["pending_evidence"] * 3]
    scribe.lift(ANA, stone, 40)
    assert statuses(scribe) == ["active"] * 4
    assert scribe.rows == scribe.afresh()


def test_a_persons_new_word_revives_what_rested_on_a_retracted_claim() -> None:
    scribe, _ = chain()
    scribe.retract(ANA, scribe.row(BERLIN).record, 30)
    assert statuses(scribe) == ["retracted", *["pending_evidence"] * 3]
    scribe.remember(ANA, BERLIN, 40)
    assert scribe.rows == scribe.afresh()
    assert [scribe.rows_of(c)[-1].status for c in (BERLIN, A, B, C)] == ["active"] * 4


def test_an_erased_episode_leaves_a_claim_that_something_else_supports() -> None:
    scribe = Scribe()
    scribe.remember(ANA, BERLIN, 10)
    scribe.remember(BEN, BERLIN, 12)
    scribe.erase(ANA, next(s for s in scribe.said_of(BERLIN) if s.source == "ana").evidence, 20)
    assert (scribe.row(BERLIN).status, scribe.row(BERLIN).live_support) == ("active", 1)
    assert scribe.rows == scribe.afresh()


def test_an_erased_episode_takes_what_rested_only_on_it() -> None:
    scribe, episode = chain()
    scribe.erase(ANA, episode, 30)
    assert statuses(scribe) == ["erased", *["pending_evidence"] * 3]
    assert scribe.rows == scribe.afresh()


def test_erased_outranks_retracted_and_rejected() -> None:
    for verb in ("retract", "reject"):
        scribe = Scribe()
        record = scribe.remember(ANA, BERLIN, 10)
        assert record is not None
        if verb == "retract":
            scribe.retract(ANA, record, 20)
        else:
            scribe.reject(ANA, BERLIN, 20)
        scribe.erase(ANA, record, 30)
        assert scribe.row(BERLIN).status == "erased"


def test_a_restatement_after_erasure_is_a_new_record() -> None:
    scribe = Scribe()
    record = scribe.remember(ANA, BERLIN, 10)
    assert record is not None
    scribe.erase(ANA, record, 20)
    again = scribe.remember(ANA, BERLIN, 30)
    assert again != record
    assert scribe.rows_of(BERLIN)[-1].record == again


def test_of_two_verdicts_made_apart_a_revoke_holds() -> None:
    here = Scribe()
    here.remember(ANA, BERLIN, 10)
    said = here.said_of(BERLIN)[0]
    here.revoke(ANA, said, 20)
    there = here.branch("there")
    here.reinstate(ANA, said, 30)
    there.revoke(BEN, said, 31)
    here.take(there)
    assert len(verdict_heads(here.view(), said.record, said.id)) == 2
    assert here.row(BERLIN).status == "pending_evidence"
    here.reinstate(ANA, said, 40)
    assert here.row(BERLIN).status == "active"


def test_one_claim_of_many_values_is_a_unit_of_its_own() -> None:
    scribe = Scribe()
    for value in ("vim", "emacs"):
        scribe.remember(ANA, claim(value, USES), 10)
    assert scribe.row(claim("vim", USES)).unit != scribe.row(claim("emacs", USES)).unit


def test_entries_that_say_nothing_about_standing_change_no_row() -> None:
    scribe = Scribe()
    record = scribe.remember(ANA, BERLIN, 10)
    before = dict(scribe.rows)
    for edges in (
        Attend(outcome="helped", gain_thousandths=100, recall="q"),
        Propose(verb="retract"),
        Relate(verb="begin", target="r0", relation="part_of"),
        Seal(position=3, chain="c", signature="s"),
        Define(what="actor"),
    ):
        scribe.write(ANAS_AGENT, edges, 20, record)
        assert scribe.reads[-1] == 0
    assert scribe.rows == before == scribe.afresh()


def test_evidence_that_never_arrived_supports_nothing_until_it_does() -> None:
    scribe = Scribe()
    scribe.remember(ANA, BERLIN, 10)
    episode, said = scribe.entries.all()
    late = fold_in([said])
    assert late.row(BERLIN).status == "pending_evidence"
    late.receive(episode)
    assert late.rows == scribe.rows


def test_the_same_entry_twice_is_one() -> None:
    scribe, _ = chain()
    assert fold_in([*scribe.entries.all(), *scribe.entries.all()]).rows == scribe.rows


def test_a_claim_judged_before_its_content_arrives_has_no_row() -> None:
    scribe = Scribe()
    scribe.write(CEM, Judge(verb="contest", claim=BERLIN), 10, "r-unknown")
    assert scribe.rows == {}


def test_live_support_counts_every_live_assertion_of_the_claim() -> None:
    scribe = Scribe()
    for at in range(5):
        scribe.remember(ANA, BERLIN, 10 + at)
    scribe.remember(ANA, LISBON, 30)
    assert [(r.valid_from, r.valid_to, r.live_support) for r in scribe.rows_of(BERLIN)] == [(BEGINNING, 30, 5)]
    assert scribe.row(LISBON).valid_to == FOREVER


def test_withdrawn_evidence_still_supports() -> None:
    scribe = Scribe()
    scribe.remember(ANA, BERLIN, 10)
    evidence = scribe.said_of(BERLIN)[0].evidence
    scribe.withdraw(ANA, evidence, 20)
    row = scribe.row(BERLIN)
    assert (row.status, row.live_support, row.visibility) == ("active", 1, "visible")
    assert {r.visibility for r in scribe.rows[evidence]} == {"hidden"}
