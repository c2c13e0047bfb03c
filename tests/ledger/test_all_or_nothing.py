"""A write is one transaction: whatever goes wrong in it, nothing of it is left, and the next one does not notice."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from histories import digests, positions, store_of

import firsthand
from firsthand.memory import Memory
from firsthand.store.sqlite_write import SqliteWriter

PLACES = [
    "put_entry",
    "put_bearings",
    "put_scope",
    "next_vid",
    "put_name",
    "put_doc",
    "put_belief",
    "close_belief",
    "shelve",
    "put_mentions",
    "put_entity_names",
    "speaker_no",
    "put_request",
    "finish",
]
KEPT = ("entry", "request", "refusal")


class TornError(Exception):
    """What a test throws into a write."""


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with firsthand.open(tmp_path / "m.db", actor="ana", role="person", scope="project:boat") as opened:
        opened.remember(subject="Ana", predicate="lives_in", object="Lisbon")
        yield opened


def everything(memory: Memory) -> dict[str, object]:
    """All that the file holds: the ledger, what is kept, and a digest of every projection."""
    writer = store_of(memory)._writer
    kept = {t: writer.execute(f"SELECT * FROM {t} ORDER BY 1, 2").fetchall() for t in KEPT}
    return kept | digests(memory)


def rich(memory: Memory) -> None:
    """One transaction that reaches every place: names, entities, claims, keys, a belief that it opens and closes."""
    memory.remember_many(
        [
            {"subject": "Ben", "predicate": "lives_in", "object": "Oslo", "idempotency_key": "k1"},
            {"subject": "Ana", "predicate": "lives_in", "object": "Berlin", "idempotency_key": "k2"},
            {"subject": "Ana", "predicate": "lives_in", "object": "Turin", "idempotency_key": "k3"},
        ]
    )


def corrected(memory: Memory) -> None:
    """A write that moves words from one index to the other."""
    home = memory.at(scope="project:boat")
    (told,) = home.list(kinds=["semantic"]).items
    home.correct(told.record_id, object="Quito", reason="a slip")


def elsewhere(memory: Memory) -> Memory:
    return memory.at(scope="team:dock", session="evening")


def torn_at(monkeypatch: pytest.MonkeyPatch, name: str, call: int, *, after: bool) -> Callable[[], bool]:
    """Make the `call`th call of a writer's method fail, before or after it did its work; whether it came to that."""
    original = getattr(SqliteWriter, name)
    count = 0

    def torn(self: SqliteWriter, *values: object) -> object:
        nonlocal count
        count += 1
        found = original(self, *values) if after or count != call else None
        if count == call:
            raise TornError
        return found

    monkeypatch.setattr(SqliteWriter, name, torn)
    return lambda: count >= call


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("name", PLACES)
def test_a_failure_at_any_call_of_the_store_leaves_nothing(
    name: str, after: bool, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = elsewhere(memory)
    before = everything(memory)
    for call in itertools.count(1):
        with monkeypatch.context() as patched:
            reached = torn_at(patched, name, call, after=after)
            try:
                (corrected if name == "shelve" else rich)(other)
            except TornError:
                assert everything(memory) == before
            else:
                assert not reached()
                break
    assert call > 1, f"{name} is never called"
    assert everything(memory)["entry"] != before["entry"]
    assert positions(memory) == list(range(1, len(positions(memory)) + 1))
    assert memory.ledger.verify(deep=True).position == len(positions(memory))


def test_a_failure_in_the_middle_of_a_batch_leaves_none_of_the_batch(memory: Memory) -> None:
    before = everything(memory)
    items = [{"text": f"Plank {number}.", "idempotency_key": f"k{number}"} for number in range(10)]
    with pytest.raises(firsthand.ConflictError):
        memory.capture_many([*items, {"text": "Another text.", "idempotency_key": "k3"}])
    assert everything(memory) == before
    assert memory.capture_many(items).stored == 10
    assert len(everything(memory)["entry"]) == len(before["entry"]) + 10  # type: ignore[arg-type]


def test_a_commit_that_the_engine_refuses_leaves_nothing(memory: Memory) -> None:
    before = everything(memory)
    writer = store_of(memory)._writer
    writer.set_commit_hook(lambda: True)  # type: ignore[attr-defined]
    with pytest.raises(firsthand.BrokenError):
        rich(memory)
    writer.set_commit_hook(None)  # type: ignore[attr-defined]
    assert not writer.in_transaction
    assert everything(memory) == before
    rich(memory)
    assert everything(memory)["entry"] != before["entry"]
    assert memory.ledger.verify(deep=True).deep


def test_a_name_that_was_rolled_back_is_defined_by_the_next_write(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = elsewhere(memory)
    with monkeypatch.context() as patched:
        torn_at(patched, "put_doc", 1, after=True)
        with pytest.raises(TornError):
            other.capture("The dock is wet.")
    other.capture("The dock is wet.")
    assert "team:dock" in {view.scope for view in memory.scopes()}
    memory.ledger.rebuild()
    assert "team:dock" in {view.scope for view in memory.scopes()}


def test_an_interrupted_write_can_be_made_again_by_another_thread_of_the_same_memory(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        torn_at(patched, "put_entry", 1, after=True)
        with pytest.raises(TornError):
            memory.capture("The dock is wet.")
    assert memory.capture("The dock is wet.").outcome == "stored"
    assert memory.recall("Is the dock wet?").items


def test_a_rebuild_that_fails_half_way_leaves_the_projections_as_they_were(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    rich(memory)
    before = everything(memory)
    with monkeypatch.context() as patched:
        torn_at(patched, "put_belief", 2, after=True)
        with pytest.raises(TornError):
            memory.ledger.rebuild()
    assert everything(memory) == before
    assert memory.ledger.rebuild().same


def test_verify_changes_nothing_in_the_file(memory: Memory) -> None:
    rich(memory)
    before = everything(memory)
    path = Path(str(memory.facts()["path"]))
    store_of(memory)._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    file = path.read_bytes()
    assert memory.ledger.verify(deep=True).deep
    assert everything(memory) == before
    store_of(memory)._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert path.read_bytes() == file
