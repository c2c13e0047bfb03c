"""Skills and plans: how often they helped, and which of several is the one (designs 04, 09.18)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from stores import DAY, Ticking, opened

from firsthand import Memory
from firsthand.recall import hydrate
from firsthand.recall import selection as selecting
from firsthand.vocabulary.packets import Item

ASKED = "how do I deploy the api to production?"


def skill(memory: Memory, name: str, signal: str = "deploy the api", **more: Any) -> str:
    payload = {"kind": "competence", "skill_name": name, "triggers": [{"signal": signal, **more.pop("trigger", {})}],
               "recipe": [{"step": f"run {name}"}], **more}  # fmt: skip
    return memory.remember(payload=payload).record_id or ""


def plan(memory: Memory, name: str, intent: str = "deploy the api", **more: Any) -> str:
    payload = {"kind": "plan_graph", "plan_id": name, "version": "1", "intent": intent, "edges": [],
               "nodes": [{"id": "a", "op": f"run {name}"}], **more}  # fmt: skip
    return memory.remember(payload=payload).record_id or ""


def used(memory: Memory, record_id: str, outcome: Any, times: int = 1) -> None:
    """Feedback after so many recalls."""
    for _ in range(times):
        memory.feedback(memory.recall(ASKED).recall_id, used=[record_id], outcome=outcome)


def item(memory: Memory, record_id: str) -> Item:
    return memory.read(record_id).item


def counts(memory: Memory, record_id: str) -> tuple[int, int, float | None]:
    performance = item(memory, record_id).performance
    assert performance is not None
    return performance.success_count, performance.failure_count, performance.success_rate


def test_feedback_counts_on_top_of_the_numbers_a_skill_or_plan_was_written_with(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        made = skill(memory, "blue", performance={"success_count": 3, "failure_count": 1, "avg_latency_ms": 20.0})
        drawn = plan(memory, "green", metrics={"execution_count": 4, "failure_rate": 0.5})
        plain = skill(memory, "red")
        assert counts(memory, made) == (3, 1, 0.75)
        assert counts(memory, drawn) == (2, 2, 0.5)
        assert counts(memory, plain) == (0, 0, None)
        used(memory, made, "helped", 2)
        used(memory, made, "failed")
        used(memory, drawn, "helped")
        used(memory, plain, "unused")
        assert counts(memory, made) == (5, 2, 0.714)
        assert counts(memory, drawn) == (3, 2, 0.6)
        assert counts(memory, plain) == (0, 0, None)
        fact = memory.remember("The api is in Go").record_id or ""
        memory.feedback(memory.recall("api Go").recall_id, used=[fact], outcome="helped")
        assert item(memory, fact).performance is None
        assert memory.ledger.rebuild().same
        assert counts(memory, made) == (5, 2, 0.714)


def test_it_is_told_in_the_packet_and_the_history(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        made = skill(memory, "blue")
        assert "worked" not in memory.recall(ASKED).render()
        used(memory, made, "failed")
        used(memory, made, "helped")
        packet = memory.recall(ASKED)
        assert "worked 1 of 2 times" in packet.render()
        assert '"performance":{"success_count":1,"failure_count":1,"success_rate":0.5}' in packet.render("json")
        assert [e.verb for e in memory.history(made).entries if e.kind == "attend"] == ["failed", "helped"]


@pytest.mark.parametrize("make", [skill, plan])
def test_what_helped_comes_first_and_the_choice_is_clear(make: Any, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        good, bad = make(memory, "green"), make(memory, "red")
        packet = memory.recall(ASKED)
        assert packet.items[0].record_id == bad, "the newer of two equals"
        assert packet.selection is not None
        assert packet.selection.needs_more
        assert "find out more before you choose" in packet.render()
        used(memory, good, "helped", 3)
        used(memory, bad, "failed", 3)
        packet = memory.recall(ASKED)
        assert [i.record_id for i in packet.items] == [good, bad]
        assert packet.selection is not None
        assert (packet.selection.needs_more, packet.selection.margin > 0.2) == (False, True)
        assert "find out more" not in packet.render()
        assert [i.record_id for i in memory.recall(ASKED, limit=1).items] == [good]
        told = {i: memory.explain(ASKED, i).contributions["selection"] for i in (good, bad)}
        assert told[good] > told[bad]


def test_one_skill_alone_is_no_choice_and_facts_keep_their_places(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        only = skill(memory, "green")
        memory.remember("The api is deployed to production by Ben")
        packet = memory.recall(ASKED)
        assert packet.selection is None
        assert "selection" not in memory.explain(ASKED, only).contributions
        before = [(i.kind, n) for n, i in enumerate(packet.items)]
        other = skill(memory, "red", performance={"success_count": 9})
        packet = memory.recall(ASKED)
        assert packet.selection is not None
        assert [i.record_id for i in packet.items if i.kind == "competence"] == [other, only]
        assert len(before) == 2
        assert len(packet.items) == 3


def test_a_trigger_that_fits_the_query_beats_one_that_does_not(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        fits = skill(memory, "green", "deploy the api")
        skill(memory, "red", "api billing is wrong and must be settled in production")
        packet = memory.recall(ASKED)
        assert packet.items[0].record_id == fits
        assert packet.selection is not None
        assert not packet.selection.needs_more


def test_a_trigger_whose_conditions_do_not_hold_calls_for_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        linux = skill(memory, "green", trigger={"conditions": {"os": "linux", "tags": ["a"]}})
        mac = skill(memory, "red", trigger={"conditions": {"os": "mac"}})
        for system, first in (("linux", linux), ("mac", mac)):
            packet = memory.recall(ASKED, conditions={"os": system})
            assert packet.items[0].record_id == first
            assert packet.selection is not None
            assert not packet.selection.needs_more
        unsure = memory.recall(ASKED).selection
        assert unsure is not None
        assert unsure.needs_more


def test_what_was_reinforced_lately_beats_what_was_long_ago(tmp_path: Path) -> None:
    clock = Ticking()
    with opened(tmp_path, clock) as memory:
        old = skill(memory, "green")
        clock.at += 120 * DAY
        new = skill(memory, "red")
        assert [i.record_id for i in memory.recall(ASKED).items] == [new, old]
        selection = memory.recall(ASKED).selection
        assert selection is not None
        assert not selection.needs_more


def test_a_skill_that_ended_is_no_rival(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        old, new = skill(memory, "green"), skill(memory, "red")
        assert memory.recall(ASKED).selection is not None
        memory.retract(old, reason="no more")
        packet = memory.recall(ASKED)
        assert ([i.record_id for i in packet.items], packet.selection) == ([new], None)


MUTANTS: dict[str, tuple[Any, str, Any, Any]] = {
    "the seed is all": (
        hydrate, "performance_of", lambda payload, helped, failed: GENUINE(payload, 0, 0),
        test_feedback_counts_on_top_of_the_numbers_a_skill_or_plan_was_written_with,
    ),
    "success is not asked": (
        selecting, "smoothed_success", lambda performance: 0.5,
        lambda tmp_path: test_what_helped_comes_first_and_the_choice_is_clear(skill, tmp_path),
    ),
    "triggers are not asked": (
        selecting, "_trigger_match", lambda payload, plan: 0.5,
        test_a_trigger_that_fits_the_query_beats_one_that_does_not,
    ),
    "conditions are not asked": (
        selecting, "contradicted", lambda conditions, given: False,
        test_a_trigger_whose_conditions_do_not_hold_calls_for_nothing,
    ),
    "everything is clear": (
        selecting, "CLEAR_MARGIN", -1.0,
        lambda tmp_path: test_what_helped_comes_first_and_the_choice_is_clear(skill, tmp_path),
    ),
}  # fmt: skip
GENUINE = hydrate.performance_of


@pytest.mark.parametrize("name", MUTANTS)
def test_a_broken_choice_is_caught(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, attribute, broken, test = MUTANTS[name]
    monkeypatch.setattr(place, attribute, broken)
    with pytest.raises(AssertionError):
        test(tmp_path=tmp_path)
