"""Retention erases what is older than the policy keeps, alike at one instant, and never what forbids a value."""

from __future__ import annotations

from pathlib import Path

import pytest
from erasing import canary, left, opened
from histories import Ticking

import firsthand
from firsthand.memory import Memory
from firsthand.rules.policy import parse_policy
from firsthand.vocabulary.grants import Grant
from firsthand.vocabulary.instants import MICROSECONDS_PER_DAY

POLICY = """
name = "short"
[[retention]]
kind = "episodic"
days = 30
[[retention]]
tag = "telemetry"
days = 1
[[retention]]
sensitivity = "high"
days = 7
[[retention]]
origin = "pytest"
days = 3
[[retention]]
kind = "episodic"
origin = "*"
days = 5
"""


def aged(folder: Path) -> tuple[Memory, Ticking]:
    clock = Ticking()
    return opened(folder, clock=clock, policy=POLICY), clock


def ages(folder: Path) -> None:
    word = canary(12)
    memory, clock = aged(folder)
    with memory:
        talk = memory.capture(f"The word is {word}.")
        rests = memory.remember(f"It is {word}.", evidence=[firsthand.cite(talk.record_id)])
        kept = memory.remember(subject="mast", predicate="made_of", object="oak")
        secret = memory.remember(subject="mast", predicate="length", object="12 m", sensitivity="high")
        noise = memory.capture("cpu 3", tags=("telemetry",))
        held = memory.capture("The court asked for this.")
        memory.hold(str(held.record_id), "case 7")
        assert memory.erasure.due().due == ()
        clock.at += 2 * MICROSECONDS_PER_DAY
        assert [d.record_id for d in memory.erasure.due().due] == [noise.record_id]
        assert noise.record_id in memory.erasure.retain().erased
        tools = [memory.capture("14 passed", origin=origin).record_id for origin in ("pytest", "ruff")]
        gone: list[str] = []
        for expected in ([], tools[:1], tools):
            clock.at += 2 * MICROSECONDS_PER_DAY
            gone += memory.erasure.retain().erased
            assert [record for record in gone if record in tools] == expected
        assert secret.record_id in gone
        clock.at += 30 * MICROSECONDS_PER_DAY
        report = memory.erasure.retain()
        assert {d.record_id: d.held for d in report.due} == {talk.record_id: False, held.record_id: True}
        assert {talk.record_id, rests.record_id} <= set(report.erased)
        assert memory.read(kept.record_id).item.text == "mast made of oak"
        assert memory.read(held.record_id)
        assert left(memory, word) == {}
        assert memory.ledger.verify(deep=True).deep
        assert memory.ledger.rebuild().same
        assert memory.erasure.retain().erased == ()
        assert memory.capture(f"The word is {word}.").outcome == "stored", "retention forbids nothing"


def test_each_class_is_kept_as_long_as_its_rule_says_and_a_hold_is_respected(tmp_path: Path) -> None:
    ages(tmp_path)


def tombstones_outlive(folder: Path) -> None:
    memory, clock = aged(folder)
    with memory:
        told = memory.remember(subject="mast", predicate="made_of", object="pine", sensitivity="high")
        memory.retract(told.record_id, reason="a slip")
        clock.at += 60 * MICROSECONDS_PER_DAY
        assert told.record_id in memory.erasure.retain().erased
        with opened(folder, clock=clock, actor="helper", owner="ana", role="agent") as agent:
            again = agent.remember(subject="mast", predicate="made_of", object="pine")
        assert (again.outcome, again.code) == ("refused", "tombstone_retracted")
        assert left(memory, "pine") == {}
        assert memory.ledger.verify(deep=True).deep


def test_what_may_not_come_back_stays_forbidden(tmp_path: Path) -> None:
    tombstones_outlive(tmp_path)


def test_at_the_same_instant_the_same_is_due_in_the_same_order(tmp_path: Path) -> None:
    memory, clock = aged(tmp_path)
    with memory:
        memory.capture_many({"text": f"Plank {n}."} for n in range(9))
        clock.at += 31 * MICROSECONDS_PER_DAY
        clock.step = 0
        first = memory.erasure.due()
        assert len(first.due) == 9
        assert memory.erasure.due() == first
        memory.ledger.rebuild()
        assert memory.erasure.due() == first


def test_a_batch_that_would_be_too_large_is_erased_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firsthand.capture.erase.ERASE_TARGETS_PER_CALL", 4)
    memory, clock = aged(tmp_path)
    with memory:
        memory.capture_many({"text": f"Plank {n}."} for n in range(9))
        clock.at += 31 * MICROSECONDS_PER_DAY
        report = memory.erasure.retain()
        assert len(report.erased) == 9
        assert len(report.certificates) == 3
        assert memory.ledger.verify(deep=True).deep


def test_without_rules_nothing_is_ever_due_and_an_agent_runs_no_retention(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.capture("Plank.")
        assert memory.erasure.due().rules == ()
        assert memory.erasure.retain().erased == ()
        with opened(tmp_path, role="agent", grant=Grant()) as agent, pytest.raises(firsthand.DeniedError):
            agent.erasure.retain()


@pytest.mark.parametrize(
    "text",
    ['retention = 3', '[[retention]]\nkind = "x"\ndays = 1', '[[retention]]\ndays = 0',
     '[[retention]]\nkind = "entity"',
     '[[retention]]\ndays = 1\nweeks = 2', '[[retention]]\ndays = 1\nsensitivity = "odd"', 'retention = [3]',
     '[[retention]]\ndays = 1\ntag = 4', '[[retention]]\ndays = 1\norigin = 4'],
)  # fmt: skip
def test_a_rule_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(firsthand.InvalidError):
        parse_policy('name = "p"\n' + text, str)


MUTANTS = {
    "ages are not looked at": ("firsthand.capture.retention._fits", lambda rule, record, level: True, ages),
    "every tool is one tool": (
        "firsthand.capture.retention.ANY_ORIGIN", "pytest", ages),
    "holds are not asked for": ("firsthand.capture.retention.holds_on", lambda reader, record: [], ages),
    "retention keeps out what it erased": (
        "firsthand.capture.erase._fingerprints",
        lambda reader, handle, aim, found: tuple(
            handle.keyed.digest("sentence", f"the word is {canary(12)}") for _ in "1"), ages),
    "retention sweeps tombstones": (
        "firsthand.rules.tombstones.lifted", lambda view, entry: True, tombstones_outlive),
}  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_retention_is_caught(mutant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, broken, caught_by = MUTANTS[mutant]
    monkeypatch.setattr(place, broken)
    with pytest.raises((AssertionError, firsthand.FirsthandError)):
        caught_by(tmp_path)
