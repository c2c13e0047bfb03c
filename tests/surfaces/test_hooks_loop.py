"""A session that goes on for long: what was brought back to it never comes back as new."""

from __future__ import annotations

import json

import pytest
from harness import Make, Session

import firsthand
from firsthand.capture import clipping
from firsthand.capture.fences import Cut

FACT = "The mast of the boat is made of spruce."
TURNS = 12


def live(make: Make) -> Session:
    """Many turns of a harness and an agent that quote whatever was added, wherever one could."""
    make("first").ask(FACT)
    session = make("second")
    with session.memory() as memory:
        memory.remember(FACT, evidence=[firsthand.cite(memory.list(kinds=["episodic"]).items[0].record_id, quote=FACT)])
    assert FACT in (session.hook("SessionStart", source="startup") or "")
    for turn in range(TURNS):
        context = session.ask(f"What is the mast made of, number {turn}?")
        assert context is not None
        assert FACT in context, "what is known is brought back in each turn"
        session.use("Bash", {"command": f"cat notes-{turn}"}, f"seen {turn}\n{context}\nend of {turn}")
        session.use("Read", {"file_path": f"/{turn}"}, json.dumps({"quoted": context, "n": turn}))
        session.use("Grep", {"pattern": context}, [{"type": "text", "text": "x " * 2_000 + context + " y" * 40}])
        session.ask(f"You told me:\n{context}\nbut why, {turn}?")
        session.reply(f"Memory says {turn}:\n{context}\nSo it is.")
        session.hook("PreCompact", trigger="auto")
        session.hook("SessionStart", source="compact")
    session.hook("SessionEnd", reason="other")
    return session


def test_nothing_that_was_brought_back_is_kept_again(make: Make) -> None:
    session = live(make)
    told = session.texts()
    assert len(session.texts("tool")) == 3 * TURNS
    assert [text for text in told if "spruce" in text] == [FACT]
    assert not [text for text in told if "firsthand-memory" in text]
    assert f"You told me:\nbut why, {TURNS - 1}?" in told
    assert f"Memory says {TURNS - 1}:\nSo it is." in told
    with session.memory() as memory:
        records = memory.list(limit=200).items
        assert [item.kind for item in records].count("working") == 1
        assert not [item for item in records if item.kind == "working" and "spruce" in item.text]
        assert len(records) == len(told) + 2


def test_a_hook_that_does_not_cut_packets_is_seen(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """The gateway cuts whole packets; the end of one, left over from a result that was clipped, it cannot know."""
    monkeypatch.setattr(clipping, "cut", lambda text, is_ours: Cut(text, 0))
    session = live(make)
    assert len([text for text in session.texts("tool") if "spruce" in text]) > 0
