"""Merges, linked copies, forks and decisions about what is shown: what follows from them, and what when they fall."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from scribe import ANA, ANAS_AGENT, BEN, CEM, USES, Scribe, claim, tombstone
from test_fold_orders import SEED, check_some_orders

from firsthand.rules.bearing import unit_of
from firsthand.vocabulary.entries import Judge, Reject, Settle
from firsthand.vocabulary.instants import BEGINNING, FOREVER

BERLIN, CITY, NEW = claim("berlin"), claim("berlin, germany"), claim("berlin (germany)")
LISBON = claim("lisbon")
RED, CRIMSON = claim("red", USES), claim("crimson", USES)
OTHER = "team:y"


def holds(scribe: Scribe, of: object, scope: str = "team:x") -> list[str]:
    return [r.status for r in scribe.rows_of(of, scope)]  # type: ignore[arg-type]


# ---- merge ----


def merged(value: str = "berlin") -> tuple[Scribe, str, str, str]:
    scribe = Scribe()
    first, second = scribe.remember(ANA, BERLIN, 1), scribe.remember(BEN, CITY, 2)
    assert first
    assert second
    merge = scribe.merge(ANA, [first, second], value, 10)
    assert merge
    return scribe, first, second, merge


@pytest.mark.parametrize("value", ["berlin", "berlin, germany", "berlin (germany)"])
def test_one_survives_with_the_evidence_of_all_and_the_others_end_with_the_merge_as_cause(value: str) -> None:
    scribe, first, second, merge = merged(value)
    survivor = scribe.row(claim(value))
    assert survivor.record == (second if value == CITY.value else first)
    assert (survivor.status, survivor.valid_from, survivor.valid_to) == ("active", BEGINNING, FOREVER)
    assert survivor.live_support == 2
    ended = [scribe.row(of) for of in (BERLIN, CITY) if of.value != value]
    assert {(r.status, r.ended_by) for r in ended} == {("superseded", merge)}
    check_some_orders(scribe, random.Random(SEED), 6)


def revoke_all(scribe: Scribe, merge: str) -> None:
    for said in [s for of in (BERLIN, CITY, NEW) for s in scribe.said_of(of) if s.entry == merge]:
        scribe.revoke(ANA, said, 20)


def reject_it(scribe: Scribe, merge: str) -> None:
    scribe.reject(ANA, NEW, 20)


TAKEN_BACK: dict[str, Callable[[Scribe, str], None]] = {"revoked": revoke_all, "rejected": reject_it}


@pytest.mark.parametrize("how", TAKEN_BACK)
def test_what_a_merge_ended_comes_back_when_its_words_are_taken_back(how: str) -> None:
    scribe, first, second, merge = merged(NEW.value)
    TAKEN_BACK[how](scribe, merge)
    assert {r.status for of in (BERLIN, CITY) for r in scribe.rows_of(of)} == {"disputed"}
    assert {scribe.row(BERLIN).record, scribe.row(CITY).record} == {first, second}
    check_some_orders(scribe, random.Random(SEED), 6)


def test_a_merge_in_slots_of_many_values_ends_and_returns_across_units() -> None:
    scribe = Scribe()
    first, second = scribe.remember(ANA, RED, 1), scribe.remember(ANA, CRIMSON, 2)
    assert first
    assert second
    assert unit_of("team:x", RED) != unit_of("team:x", CRIMSON)
    scribe.merge(ANA, [first, second], "red", 10)
    assert holds(scribe, RED) == ["active"]
    assert holds(scribe, CRIMSON) == ["superseded"]
    for said in [s for s in scribe.said_of(RED) if s.entry != "e" + first[1:]]:
        scribe.revoke(ANA, said, 20)
    assert holds(scribe, CRIMSON) == ["active"]
    check_some_orders(scribe, random.Random(SEED), 6)


def test_an_agents_merge_ends_only_its_owners_words() -> None:
    scribe = Scribe()
    first, second = scribe.remember(ANAS_AGENT, RED, 1), scribe.remember(ANAS_AGENT, CRIMSON, 2)
    assert first
    assert second
    scribe.remember(BEN, CRIMSON, 3)
    scribe.merge(ANAS_AGENT, [first, second], "red", 10)
    assert holds(scribe, CRIMSON) == ["active"], "Ben still says so"


def test_a_withdrawal_that_a_merge_did_not_know_of_hides_what_it_made() -> None:
    scribe = Scribe()
    first, second = scribe.remember(ANA, BERLIN, 1), scribe.remember(BEN, CITY, 2)
    assert first
    assert second
    elsewhere = scribe.branch("there")
    elsewhere.withdraw(BEN, second, 5)
    scribe.merge(ANA, [first, second], NEW.value, 10)
    scribe.take(elsewhere)
    assert scribe.row(NEW).hidden_reason == "withdrawn"
    scribe.restore(BEN, second, 20)
    assert scribe.row(NEW).hidden_reason is None
    check_some_orders(scribe, random.Random(SEED), 6)


# ---- linked copies ----


def shared() -> tuple[Scribe, str, str]:
    scribe = Scribe()
    original = scribe.remember(ANA, BERLIN, 1, level=2)
    assert original
    copy = scribe.share(BEN, original, OTHER, 5)
    assert copy
    assert scribe.row(BERLIN, OTHER).status == "active"
    assert scribe.row(BERLIN, OTHER).sensitivity == 2, "never less than its original"
    return scribe, original, copy


DEATHS: dict[str, Callable[[Scribe, str], object]] = {
    "retracted": lambda s, r: s.retract(ANA, r, 20),
    "corrected": lambda s, r: s.correct(ANA, r, "lisbon", 20),
    "rejected": lambda s, r: s.reject(ANA, BERLIN, 20),
    "its support revoked": lambda s, r: s.revoke(ANA, s.said_of(BERLIN)[0], 20),
    "its evidence retracted": lambda s, r: s.retract(ANA, s.said_of(BERLIN)[0].evidence, 20),
    "its evidence erased": lambda s, r: s.erase(ANA, s.said_of(BERLIN)[0].evidence, 20),
}


@pytest.mark.parametrize("how", DEATHS)
def test_a_linked_copy_falls_with_its_original(how: str) -> None:
    scribe, original, _ = shared()
    DEATHS[how](scribe, original)
    row = scribe.row(BERLIN, OTHER)
    assert (row.status, row.live_support) == ("pending_evidence", 0)
    check_some_orders(scribe, random.Random(SEED), 6)


ENDS: dict[str, Callable[[Scribe, str], object]] = {
    "changed": lambda s, r: s.change(ANA, r, "lisbon", 20),
    "followed by a later word": lambda s, r: s.remember(ANA, LISBON, 20),
}


@pytest.mark.parametrize("how", ENDS)
def test_a_linked_copy_ends_with_its_original(how: str) -> None:
    scribe, original, _ = shared()
    ENDS[how](scribe, original)
    here, there = scribe.row(BERLIN), scribe.row(BERLIN, OTHER)
    assert (there.status, there.valid_to, there.ended_by) == ("active", here.valid_to, here.ended_by)
    assert there.valid_to == 20
    check_some_orders(scribe, random.Random(SEED), 6)


def test_a_linked_copy_goes_on_with_its_original() -> None:
    scribe, _original, _ = shared()
    scribe.remember(ANA, LISBON, 20)
    scribe.remember(ANA, BERLIN, 30)
    windows = [(r.valid_from, r.valid_to) for r in scribe.rows_of(BERLIN)]
    assert [(r.valid_from, r.valid_to) for r in scribe.rows_of(BERLIN, OTHER)] == windows
    assert len(windows) == 2
    check_some_orders(scribe, random.Random(SEED), 6)


def test_a_copy_that_is_said_there_too_does_not_end_with_its_original() -> None:
    scribe, original, _ = shared()
    scribe.remember(CEM, BERLIN, 8, scope=OTHER)
    scribe.remember(ANA, LISBON, 20)
    assert scribe.row(BERLIN, OTHER).valid_to == FOREVER
    scribe.contest(BEN, original, 25)
    assert scribe.row(BERLIN, OTHER).status == "active"
    check_some_orders(scribe, random.Random(SEED), 6)


def test_a_linked_copy_is_contested_and_settled_with_its_original() -> None:
    scribe, original, _ = shared()
    doubt = scribe.contest(BEN, original, 20)
    assert scribe.row(BERLIN).status == "disputed"
    assert scribe.row(BERLIN, OTHER).status == "disputed"
    check_some_orders(scribe, random.Random(SEED), 6)
    scribe.settle(ANA, [doubt], 30)
    assert scribe.row(BERLIN, OTHER).status == "active"
    check_some_orders(scribe, random.Random(SEED), 6)


def test_a_linked_copy_is_disputed_while_its_original_is() -> None:
    scribe, _original, _ = shared()
    scribe.remember(CEM, LISBON, 20)
    assert {r.status for r in scribe.rows_of(BERLIN)} == {"disputed"}
    assert {r.status for r in scribe.rows_of(BERLIN, OTHER)} == {"disputed"}
    assert scribe.row(BERLIN, OTHER).challenged_by == scribe.row(LISBON).record
    check_some_orders(scribe, random.Random(SEED), 6)


def test_copies_of_each_other_end_with_the_words_they_copy() -> None:
    scribe, _original, copy = shared()
    scribe.share(ANA, copy, "team:x", 6)
    scribe.remember(ANA, LISBON, 20)
    assert scribe.row(BERLIN, OTHER).valid_to == 20
    assert scribe.row(BERLIN).valid_to == 20
    check_some_orders(scribe, random.Random(SEED), 6)


def test_a_linked_copy_is_hidden_and_shown_with_its_original() -> None:
    scribe, original, _ = shared()
    scribe.withdraw(ANA, original, 20)
    assert scribe.row(BERLIN, OTHER).hidden_reason == "withdrawn"
    scribe.restore(ANA, original, 30)
    assert scribe.row(BERLIN, OTHER).hidden_reason is None
    check_some_orders(scribe, random.Random(SEED), 6)


def test_a_copy_made_after_a_restore_that_it_knew_of_is_shown() -> None:
    scribe = Scribe()
    original = scribe.remember(ANA, BERLIN, 1)
    assert original
    scribe.withdraw(ANA, original, 2)
    scribe.restore(ANA, original, 3)
    scribe.share(BEN, original, OTHER, 5)
    assert scribe.row(BERLIN, OTHER).hidden_reason is None


def test_a_merge_after_a_restore_that_it_knew_of_is_shown() -> None:
    scribe = Scribe()
    first, second = scribe.remember(ANA, BERLIN, 1), scribe.remember(BEN, CITY, 2)
    assert first
    assert second
    scribe.withdraw(BEN, second, 3)
    scribe.restore(BEN, second, 4)
    scribe.merge(ANA, [first, second], NEW.value, 10)
    assert scribe.row(NEW).hidden_reason is None


def test_copies_of_each_other_hold_nothing_up() -> None:
    scribe, original, copy = shared()
    scribe.share(ANA, copy, "team:x", 6)
    scribe.retract(ANA, scribe.said_of(BERLIN)[0].evidence, 20)
    scribe.revoke(ANA, next(s for s in scribe.said_of(BERLIN) if not s.shares), 21)
    assert {*holds(scribe, BERLIN), *holds(scribe, BERLIN, OTHER)} == {"pending_evidence"}
    assert original


# ---- decisions about what is shown ----


@pytest.mark.parametrize("seed", range(30))
def test_what_is_shown_follows_from_who_knew_what(seed: int) -> None:
    """Withdraw, restore, correct and change in any mix by one store: hidden as long as the last decision hides."""
    chance = random.Random(seed)
    scribe = Scribe()
    record = scribe.remember(ANA, claim("v0"), 1)
    assert record
    is_hidden = False
    for step in range(1, 8):
        at = 10 * step
        verb = chance.choice(("withdraw", "restore", "correct", "remember"))
        if verb == "restore" and not is_hidden:
            continue  # the gateway refuses it
        if verb == "correct":
            scribe.correct(ANA, record, f"v{step}", at)
        elif verb == "remember":
            of = scribe.claim_of(record)
            assert of
            scribe.remember(ANA, of, at)
        else:
            (scribe.withdraw if verb == "withdraw" else scribe.restore)(ANA, record, at)
            is_hidden = verb == "withdraw"
        now = [r for r in scribe.rows_about(record) if r.status == "active"]
        assert {r.visibility == "hidden" for r in now} == {is_hidden}
    check_some_orders(scribe, chance, 2)


# ---- lift of a retraction, contest in favour ----


def test_a_person_lifts_the_retraction_of_an_episode_and_what_rested_on_it_is_back() -> None:
    scribe = Scribe()
    scribe.remember(ANA, BERLIN, 1)
    stone = scribe.retract(ANA, scribe.said_of(BERLIN)[0].evidence, 5)
    assert holds(scribe, BERLIN) == ["pending_evidence"]
    scribe.lift(ANAS_AGENT, stone, 6)
    assert holds(scribe, BERLIN) == ["pending_evidence"], "only a person lifts"
    scribe.lift(ANA, stone, 7)
    assert holds(scribe, BERLIN) == ["active"]
    check_some_orders(scribe, random.Random(SEED), 6)


def test_a_contest_names_what_it_was_made_in_favour_of() -> None:
    scribe = Scribe()
    record, other = scribe.remember(ANA, BERLIN, 1), scribe.remember(BEN, RED, 2)
    assert record
    assert other
    doubt = scribe.write(BEN, Judge(verb="contest", claim=BERLIN, against=other), 5, record)
    row = scribe.row(BERLIN)
    assert (row.status, row.challenged_by) == ("disputed", other)
    scribe.write(BEN, Settle(of=(doubt.id,)), 6, record)
    assert (scribe.row(BERLIN).status, scribe.row(BERLIN).challenged_by) == ("active", "")
    check_some_orders(scribe, random.Random(SEED), 6)


def test_what_is_rejected_on_its_record_is_rejected_as_by_its_value() -> None:
    by_value, by_record = Scribe(), Scribe()
    for scribe in (by_value, by_record):
        scribe.remember(ANA, BERLIN, 1)
    by_value.reject(ANA, BERLIN, 5)
    edges = Reject(tombstone=tombstone(BERLIN, absolute=True))
    by_record.write(ANA, edges, 5, by_record.row(BERLIN).record)
    assert holds(by_value, BERLIN) == holds(by_record, BERLIN) == ["rejected"]
