"""What was forgotten as private stays so wherever the ledger goes: another store, a pack, a backup from before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pairs import SCOPE, Pair

import firsthand
from firsthand import cite

SAID = "Ana lives in Berlin. It rains."
MASKED = "[withheld] It rains."


def text(memory: Any, record: str) -> str:
    return memory.read(record).item.text


def told(memory: Any) -> tuple[str, str]:
    """A talk, and the claim that rests on it."""
    talk = memory.capture(SAID, speaker="Ben").record_id
    fact = memory.remember(
        subject="Ana", predicate="lives_in", object="Berlin", evidence=[cite(talk, quote="Ana lives in Berlin.")]
    )
    return talk, fact.record_id


@pytest.mark.parametrize("trust", ["person", "agent"])
def test_another_store_masks_it_until_it_hears_of_the_restore(pair: Pair, trust: str) -> None:
    a, b = pair.memory("a"), pair.memory("b", "ben")
    pair.trusting(b, a, trust)
    talk, fact = told(a)
    pair.send(a, b)
    assert text(b, talk) == SAID
    a.forget(fact, because="private")
    pair.send(a, b)
    assert text(b, talk) == MASKED
    later = b.capture("Ana likes Berlin. It rains.", speaker="Cleo").record_id
    assert text(b, later) == MASKED
    assert b.recall("berlin").items == ()
    assert b.recall("rains").items
    assert b.ledger.rebuild().same
    a.restore(fact, reason="no secret")
    pair.send(a, b)
    assert (text(b, talk), text(b, later)) == (SAID, "Ana likes Berlin. It rains.")
    assert b.ledger.rebuild().same


def test_a_pack_leaves_out_what_is_masked(pair: Pair) -> None:
    a = pair.memory("a")
    talk, fact = told(a)
    a.capture("Ana is in Berlin, I hear.", speaker="Cleo")
    tea = a.remember(subject="Ana", predicate="likes", object="tea").record_id
    a.forget(fact, because="private")
    a.contest(tea, reason="not since Ana is in Berlin")
    report = a.ledger.pack(pair.folder / "pack", scopes=[SCOPE])
    words = "".join(p.read_text() for p in sorted((pair.folder / "pack").iterdir()))
    assert "Berlin" not in words
    assert talk not in words
    assert "Ana likes tea" in words
    assert {left.reason: left.count for left in report.left_out}["masked"] == 3


def test_a_backup_from_before_is_restored_with_what_became_private_since(pair: Pair) -> None:
    a = pair.memory("a")
    talk, fact = told(a)
    a.ledger.backup(pair.folder / "backup")
    a.forget(fact, because="private")
    pair.close()
    report = firsthand.restore(pair.folder / "backup", pair.path("a"))
    assert report.later_erasures == "merged"
    _assert_private(pair.path("a"), talk, fact)


def _assert_private(path: Path, talk: str, fact: str) -> None:
    with firsthand.open(path, actor="ana", role="person", scope=SCOPE) as memory:
        assert text(memory, talk) == MASKED
        assert memory.capture("It rains.").outcome == "stored"
        memory.restore(fact, reason="no secret")
        assert text(memory, talk) == SAID
