"""What a transaction remembers and hands on is what the file says; words that wait are in it at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from histories import Authors, digests, store_of

import firsthand
from firsthand.memory import Memory
from firsthand.store import remembering, sqlite_write
from firsthand.store.sqlite import SqliteStore

SCOPE = "project:boat"
STEPS = 160


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Memory, Memory]]:
    """Two openers of one file, which know nothing of each other."""
    path = tmp_path / "m.db"
    with (
        firsthand.open(path, actor="ana", role="person", scope=SCOPE) as ana,
        firsthand.open(path, actor="ben", role="person", scope=SCOPE) as ben,
    ):
        yield ana, ben


def lives(memory: Memory, who: str, where: str) -> firsthand.Receipt:
    return memory.remember(subject=who, predicate="lives_in", object=where)


def others_write_in_between(two: tuple[Memory, Memory]) -> None:
    """Whatever the second writes, the first goes on from: the ledger's end, a slot, a name, a scope's count."""
    ana, ben = two
    lives(ana, "Cem", "Lisbon")
    met = lives(ben, "Cem", "Oslo")
    assert [c.code for c in met.conflicts] == ["disputed"]
    assert lives(ana, "Cem", "Oslo").record_id == met.record_id
    ben.remember(payload=firsthand.Entity(canonical_name="Dovecote"))
    ana.capture("we met at the dovecote again")
    named = ben.remember("The dovecote leaks", subject="Dovecote", predicate="leaks", object=True)
    ana.retract(named.record_id or "", reason="it was repaired")
    lives(ben, "Cem", "Quito")
    assert ana.ledger.verify(deep=True).deep


def test_what_others_wrote_in_between_is_seen(two: tuple[Memory, Memory]) -> None:
    others_write_in_between(two)


def test_a_mutant_that_goes_on_whoever_wrote_is_caught(
    two: tuple[Memory, Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    def trusting(self: SqliteStore, space: str, version: int) -> Any:
        last = self._last
        return last[0] if last is not None else sqlite_write.SqliteWriter(self._writer, self._queries, space)

    monkeypatch.setattr(SqliteStore, "_remembering", trusting)
    with pytest.raises((firsthand.FirsthandError, AssertionError)):
        others_write_in_between(two)


def test_what_was_undone_is_not_remembered(two: tuple[Memory, Memory]) -> None:
    ana, _ = two
    first = lives(ana, "Cem", "Lisbon")
    torn = [
        {"subject": "Dov", "predicate": "lives_in", "object": "Lisbon", "idempotency_key": "k"},
        {"subject": "Dov", "predicate": "lives_in", "object": "Turin", "idempotency_key": "k"},
    ]
    with pytest.raises(firsthand.ConflictError):
        ana.remember_many(torn)
    second = lives(ana, "Dov", "Berlin")
    assert not second.conflicts
    assert second.known_at > first.known_at
    assert ana.ledger.verify(deep=True).deep


def test_a_write_reads_nothing_that_the_write_before_knew(two: tuple[Memory, Memory]) -> None:
    ana, _ = two
    asked: Counter[str] = Counter()
    writer: Any = store_of(ana)._writer
    for number in range(3):
        if number == 2:
            writer.trace_v2(1, lambda event: asked.update([event["sql"].split(" FROM ")[-1].split()[0]]))  # statements
        ana.capture(f"The hull is dry, round {number}.", speaker="Ben")
    writer.trace_v2(0, None)
    assert asked
    assert not asked.keys() & {"entry", "scope", "name", "speaker"}


def test_a_history_is_the_same_however_little_is_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Authors(tmp_path / "much.db", 21) as authors:
        authors.write(STEPS)
        much = authors.outcomes
    monkeypatch.setattr(sqlite_write, "WAITING_DOCUMENTS", 2)
    monkeypatch.setattr(remembering, "KEPT", 3)
    monkeypatch.setattr(remembering, "KEPT_KEYS", 7)
    with Authors(tmp_path / "little.db", 21) as authors:
        authors.write(STEPS)
        assert authors.outcomes == much
        assert authors.first.ledger.verify(deep=True).deep


def test_words_that_wait_are_found_moved_and_counted_in_the_same_transaction(two: tuple[Memory, Memory]) -> None:
    ana, _ = two
    items = [
        {"statement": "The red boat has two masts"},
        {"statement": "The red boat has three masts"},
        {"subject": "Cem", "predicate": "lives_in", "object": "Lisbon"},
        {"subject": "Cem", "predicate": "lives_in", "object": "Oslo", "basis": "inferred"},
    ]
    receipts = ana.remember_many(items).receipts
    assert [c.code for c in receipts[1].conflicts] == ["possible_conflict"]
    before = digests(ana)
    assert ana.ledger.rebuild().same
    assert digests(ana) == before
