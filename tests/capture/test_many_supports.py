"""A record keeps a bounded number of supports; what is said beyond it is counted, never refused (design 09.1)."""

from __future__ import annotations

from pathlib import Path

import pytest

import firsthand
from firsthand.vocabulary import limits


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> firsthand.Memory:
    monkeypatch.setattr(limits, "SUPPORTS_PER_RECORD", 5)
    return firsthand.open(tmp_path / "m.db", scope="project:orion", actor="ana", role="person")


def lives(memory: firsthand.Memory, city: str) -> firsthand.Receipt:
    return memory.remember(subject="Ana", predicate="lives_in", object=city)


def supports(memory: firsthand.Memory, receipt: firsthand.Receipt) -> int:
    return len(memory.read(receipt.record_id or "").supports)


def test_a_restatement_past_the_limit_is_counted_and_adds_no_support(memory: firsthand.Memory) -> None:
    said = [lives(memory, "Berlin") for _ in range(7)]
    assert [r.outcome for r in said] == ["stored"] + ["reinforced"] * 6
    assert ["support_counted" in r.notes for r in said] == [False] * 5 + [True] * 2
    assert supports(memory, said[0]) == 5
    assert len(memory.history(said[0].record_id or "").entries) == 7
    assert memory.ledger.verify(deep=True).entries > 7


def test_a_word_that_brings_a_value_back_is_stored_past_the_limit(memory: firsthand.Memory) -> None:
    for _ in range(6):
        berlin = lives(memory, "Berlin")
    lives(memory, "Lisbon")
    again = lives(memory, "Berlin")
    assert again.notes == ()
    assert again.record_id == berlin.record_id
    assert memory.recall("where does Ana live?").items[0].text.endswith("Berlin")


def test_a_new_source_is_heard_past_the_limit(memory: firsthand.Memory, tmp_path: Path) -> None:
    for _ in range(6):
        berlin = lives(memory, "Berlin")
    with firsthand.open(tmp_path / "m.db", scope="project:orion", actor="ben", role="person") as bens:
        assert lives(bens, "Berlin").notes == ()
        assert "support_counted" in lives(bens, "Berlin").notes
    assert supports(memory, berlin) == 6
