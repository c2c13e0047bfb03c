"""The client that the acceptance tests tell plain sentences through: it knows what the server says and nothing else."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firsthand.selftest.outcomes import FailedError
from firsthand.selftest.shapes import MODES, SHAPES, Mode, Shape, again, tell
from firsthand.selftest.telling import Library, Seen
from firsthand.selftest.world import SCOPE, HandClock, World
from firsthand.surfaces.mcp.wire import WireError
from firsthand.surfaces.through_mcp import connect, items_of


def client(folder: Path) -> Any:
    return connect(folder / "m.db", name="claude-code", owner="ana", scope=SCOPE, clock=HandClock())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.name)
def test_both_doors_show_the_same_items_the_same_qualified_and_the_same_in_conflict(
    shape: Shape, mode: Mode, tmp_path: Path
) -> None:
    """Now, as it was known before, and after day one came in again; whoever told it."""
    world = World(tmp_path, connect)
    try:
        told = tell(world, shape, mode)
        library, agent = Library(told.ana), world.client("zed", file=f"{mode}.db")
        kinds: set[tuple[bool, bool]] = set()
        for known_at in (None, told.known_before):
            answers = [door.recall(shape.question, known_at=known_at) for door in (library, agent)]
            assert answers[0] == answers[1]
            kinds |= {(item.qualified, item.conflict is not None) for item in answers[1]}
        again(told)
        assert library.recall(shape.question) == agent.recall(shape.question)
    finally:
        world.close()
    assert (False, False) in kinds, "before, it was offered as true"
    assert ((True, True) in kinds) == (mode == "plain" and shape.right is not None)


def test_what_the_tools_answer_is_what_was_written(tmp_path: Path) -> None:
    with client(tmp_path) as agent:
        talk = agent.capture("I live in Berlin.", speaker="Ana", occurred_at="2026-03-01T09:00Z")
        claim = agent.remember("Ana lives in Berlin")
        gone = agent.retract(str(claim.record_id), reason="misheard")
        refused = agent.remember("Ana lives in Berlin")
        assert (talk.outcome, claim.outcome, refused.outcome) == ("stored", "stored", "refused")
        assert gone.record_id == claim.record_id
        assert (gone.standing and gone.standing.status, refused.record_id) == ("retracted", None)
    with World(tmp_path).person(file="m.db") as ana:
        entries = ana.history(str(claim.record_id)).entries
        assert {(e.actor, e.role, e.harness) for e in entries} == {("claude-code", "agent", "claude-code")}


def failing(error: Exception) -> Callable[..., None]:
    def run(*given: Any) -> None:
        raise error

    return run


BROKEN = {
    "the tool revise answered: .*record_absent": {},
    "the server answered tools/call by .*-32000": {
        "firsthand.surfaces.mcp.tools.call": failing(WireError(-32000, "no"))
    },
    "the server hung up at tools/call": {"firsthand.surfaces.mcp.server.Server._take": failing(BrokenPipeError())},
}


@pytest.mark.parametrize("told", BROKEN)
def test_whatever_is_no_answer_fails_and_nobody_is_left_waiting(
    told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with client(tmp_path) as agent:
        for path, instead in BROKEN[told].items():
            monkeypatch.setattr(path, instead)
        with pytest.raises(FailedError, match=told):
            agent.retract("r" + "0" * 40, reason="nobody has it")
    assert "mcp-server" not in [thread.name for thread in threading.enumerate()]


def test_an_answer_is_read_as_its_text_stands_and_what_is_not_fenced_is_none() -> None:
    fence = 'firsthand-memory nonce="00"'
    text = f"""<{fence}>
Evidence.
Disputed; these cannot all hold, and none is offered as true:
- port 1
  (validated claim; disputed) [r0]
The conflict ends here.
- port 2 (of two)
  (validated claim; true until 2026-01-01) [r1]
  "true until" — Ana [r2]
- port 3
  (validated claim) [r3]
</{fence}>"""
    assert items_of(text) == [Seen("port 1", True, 0), Seen("port 2 (of two)", True), Seen("port 3", False)]
    with pytest.raises(FailedError, match="fenced"):
        items_of(text.replace("<", ""))
