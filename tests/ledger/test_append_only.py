"""The ledger only grows: positions without a gap, time that never goes back, and rows that nothing can change."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from histories import Ticking, positions, rows, store_of
from specimens import SPACE, blank, write_specimens

import firsthand
from firsthand import audit, ledger
from firsthand.memory import Memory
from firsthand.ports import LedgerRow
from firsthand.store.sqlite import SqliteStore

COLUMNS = ("space_id", "position", "entry_id", "received_at", "chain", "skeleton", "body", "salt")
OTHER = {"position": 99, "received_at": 1, "space_id": "elsewhere", "entry_id": "e0"}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with firsthand.open(tmp_path / "m.db", actor="ana", role="person", scope="project:boat") as opened:
        opened.capture("The hull is dry.")
        opened.remember(subject="Ana", predicate="lives_in", object="Lisbon")
        yield opened


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore(tmp_path / "s.db")
    yield opened
    opened.close()


def ledger_of(memory: Memory) -> list[tuple[object, ...]]:
    return list(store_of(memory)._writer.execute("SELECT * FROM entry ORDER BY space_id, position"))


def refused(memory: Memory, sql: str, *values: object) -> None:
    """A statement must fail on a connection of the store's own and leave every row as it was."""
    before = ledger_of(memory)
    assert len(before) >= 4
    with pytest.raises(apsw.ConstraintError, match="append-only"):
        store_of(memory)._writer.execute(sql, values)  # type: ignore[arg-type]
    assert ledger_of(memory) == before


# ---- positions and time ----------------------------------------------------------------------------------------------


def test_two_spaces_in_one_file_each_count_their_entries_without_a_gap(tmp_path: Path) -> None:
    with (
        firsthand.open(tmp_path / "m.db", space="one") as one,
        firsthand.open(tmp_path / "m.db", space="two") as two,
    ):
        for number in range(12):
            (one if number % 3 else two).remember(f"Plank {number} is sanded.")
        for memory in (one, two):
            found = positions(memory)
            assert found == list(range(1, len(found) + 1))
            assert memory.ledger.verify(deep=True).entries == len(found)
        assert len(positions(one)) > len(positions(two)) > 4
        assert not set(_ids(one)) & set(_ids(two))


def _ids(memory: Memory) -> list[str]:
    with store_of(memory).reading(memory.space) as reader:
        return [row.entry_id for row in reader.ledger_rows(0, 1_000)]


def test_known_time_goes_on_though_the_clock_goes_back(tmp_path: Path) -> None:
    clock = Ticking(step=-5_000_000)
    with firsthand.open(tmp_path / "m.db", clock=clock) as memory:
        receipts = [memory.capture(f"Plank {number}.") for number in range(6)]
        _assert_time_grows(memory)
        assert [r.known_at for r in receipts] == sorted({r.known_at for r in receipts})
    recorded = [json.loads(s)["recorded_at"] for (s,) in rows(tmp_path / "m.db", "SELECT skeleton FROM entry")]
    assert recorded[0] > recorded[-1], "recorded time is only shown, and shows what the clock said"


def test_known_time_goes_on_though_the_clock_stands_still(tmp_path: Path) -> None:
    with firsthand.open(tmp_path / "m.db", clock=Ticking(step=0)) as memory:
        memory.capture_many({"text": f"Plank {number}."} for number in range(20))
        _assert_time_grows(memory)


def test_mutant_a_ledger_that_takes_the_clock_as_it_is_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "max", lambda clock, _: clock, raising=False)
    with firsthand.open(tmp_path / "m.db", clock=Ticking(step=-5_000_000)) as memory:
        memory.capture("The hull is dry.")
        with pytest.raises(firsthand.BrokenError) as caught:
            memory.ledger.verify()
        assert caught.value.field == "received_at"
        with pytest.raises(AssertionError):
            _assert_time_grows(memory)


def _assert_time_grows(memory: Memory) -> None:
    with store_of(memory).reading(memory.space) as reader:
        received = [row.received_at for row in reader.ledger_rows(0, 1_000)]
    assert len(received) >= 6
    assert all(a < b for a, b in itertools.pairwise(received))


# ---- rows that nothing can change ------------------------------------------------------------------------------------


@pytest.mark.parametrize("column", COLUMNS)
def test_no_column_of_an_entry_can_be_updated(column: str, memory: Memory) -> None:
    refused(memory, f"UPDATE entry SET {column} = ? WHERE position = 2", OTHER.get(column, "other words"))


@pytest.mark.parametrize("column", COLUMNS)
def test_no_column_of_an_entry_can_be_replaced_on_update(column: str, memory: Memory) -> None:
    refused(memory, f"UPDATE OR REPLACE entry SET {column} = ? WHERE position = 2", OTHER.get(column, "other words"))


def test_an_entry_cannot_be_deleted(memory: Memory) -> None:
    refused(memory, "DELETE FROM entry WHERE position = 2")
    refused(memory, "DELETE FROM entry")


@pytest.mark.parametrize("verb", ["INSERT OR REPLACE INTO", "REPLACE INTO", "INSERT INTO"])
@pytest.mark.parametrize("same", ["position", "entry_id", "rowid"])
def test_an_entry_cannot_be_inserted_over_another(verb: str, same: str, memory: Memory) -> None:
    with pytest.raises(apsw.ConstraintError):
        _insert_over(memory, verb, same)
    assert _unchanged(memory)


def _insert_over(memory: Memory, verb: str, same: str) -> None:
    columns = "rowid, " + ", ".join(COLUMNS)
    picked = {c: c for c in ("rowid", *COLUMNS)} | {"body": "'{}'"}
    if same != "rowid":
        picked["rowid"] = "rowid + 1000"
    if same != "position":
        picked["position"] = "position + 1000"
    if same != "entry_id":
        picked["entry_id"] = "'e' || position"
    values = ", ".join(picked.values())
    store_of(memory)._writer.execute(f"{verb} entry ({columns}) SELECT {values} FROM entry WHERE position = 2")


def _unchanged(memory: Memory) -> bool:
    return memory.ledger.verify(deep=True).position == len(ledger_of(memory)) >= 4


@pytest.mark.parametrize("target", ["(space_id, position)", "(space_id, entry_id)", ""])
@pytest.mark.parametrize("action", ["UPDATE SET body = '{}'", "UPDATE SET body = NULL, salt = NULL"])
def test_an_upsert_cannot_change_an_entry(target: str, action: str, memory: Memory) -> None:
    columns = ", ".join(COLUMNS)
    insert = f"INSERT INTO entry ({columns}) SELECT {columns} FROM entry WHERE position = 2"
    refused(memory, f"{insert} ON CONFLICT {target} DO {action}")


def test_mutant_without_the_triggers_replace_passes_and_verify_finds_it(memory: Memory) -> None:
    for trigger in ("entry_no_update", "entry_no_delete", "entry_no_replace"):
        store_of(memory)._writer.execute(f"DROP TRIGGER {trigger}")
    store_of(memory)._writer.execute("PRAGMA foreign_keys = OFF")
    _insert_over(memory, "INSERT OR REPLACE INTO", "position")
    with pytest.raises(firsthand.BrokenError) as caught:
        memory.ledger.verify()
    assert caught.value.code == "store_damaged"
    assert "trigger entry_no_replace" in str(caught.value.details["faults"])


def test_mutant_without_its_own_trigger_a_replace_that_moves_a_row_is_stopped_by_recursive_triggers(
    memory: Memory,
) -> None:
    writer = store_of(memory)._writer
    writer.execute("DROP TRIGGER entry_no_replace")
    with pytest.raises(apsw.ConstraintError, match="append-only"):
        _insert_over(memory, "INSERT OR REPLACE INTO", "position")
    writer.execute("PRAGMA recursive_triggers = OFF")
    writer.execute("PRAGMA foreign_keys = OFF")
    _insert_over(memory, "INSERT OR REPLACE INTO", "position")


# ---- the one exception -----------------------------------------------------------------------------------------------


def test_the_body_of_an_entry_that_an_erase_entry_names_can_be_blanked_in_the_same_transaction(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firsthand.wiring._check_key", lambda *_: None)  # the specimens' names are of no key
    with store.writing(SPACE) as writer:
        store._keys.make(SPACE)
        erased = write_specimens(writer)
        blank(store, erased)
    left = rows(tmp_path / "s.db", "SELECT body, salt FROM entry WHERE entry_id = ?", erased)
    assert left == [(None, None)]
    with firsthand.open(tmp_path / "s.db", space=SPACE) as memory:
        memory.ledger.verify()
        memory.ledger.rebuild()
        assert memory.ledger.verify(deep=True).position == len(rows(tmp_path / "s.db", "SELECT 1 FROM entry"))


def test_a_body_that_no_erase_entry_names_cannot_be_blanked(store: SqliteStore) -> None:
    with store.writing(SPACE) as writer:
        erased = write_specimens(writer)
    ids = [r[0] for r in store._writer.execute("SELECT entry_id FROM entry ORDER BY position").fetchall()]
    for other in [i for i in ids if i != erased]:
        with pytest.raises(apsw.ConstraintError, match="append-only"):
            blank(store, other)
    blank(store, erased)
    blanks = store._writer.execute("SELECT entry_id FROM entry WHERE body IS NULL").fetchall()
    assert blanks == [(erased,)]


@pytest.mark.parametrize("named_by", ["lift", "erase"])
def test_pretending_in_the_index_that_an_entry_is_named_does_not_allow_its_blanking(
    named_by: str, store: SqliteStore
) -> None:
    with store.writing(SPACE) as writer:
        erased = write_specimens(writer)
    connection = store._writer
    kind = "SELECT position FROM entry WHERE json_extract(skeleton, '$.edges.kind') = ?"
    position = connection.execute(kind, (named_by,)).get
    victim = connection.execute("SELECT entry_id FROM entry WHERE position = 5").get
    connection.execute("INSERT INTO bearing VALUES (?, ?, ?)", (SPACE, "n:" + victim, position))
    with pytest.raises(apsw.ConstraintError, match="append-only"):
        blank(store, victim)
    blank(store, erased)


@pytest.mark.parametrize(
    "change",
    ["body = NULL", "salt = NULL", "body = '{}', salt = '00'", "body = NULL, salt = NULL, chain = 'x'",
     "body = NULL, salt = NULL, received_at = received_at + 1", "body = NULL, salt = NULL, skeleton = '{}'"],
)  # fmt: skip
def test_an_erased_entry_can_be_blanked_and_nothing_else(
    change: str, store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firsthand.projection.blank", lambda writer, entry_ids: None)
    with store.writing(SPACE) as writer:
        erased = write_specimens(writer)
    with pytest.raises(apsw.ConstraintError):
        store._writer.execute(f"UPDATE entry SET {change} WHERE entry_id = ?", (erased,))
    blank(store, erased)
    with pytest.raises(apsw.ConstraintError):
        store._writer.execute("UPDATE entry SET body = '{}', salt = '00' WHERE entry_id = ?", (erased,))


def test_a_blank_body_that_no_erase_entry_names_does_not_verify(tmp_path: Path) -> None:
    with firsthand.open(tmp_path / "m.db") as memory:
        memory.capture("The hull is dry.")
        store = store_of(memory)
        with store.writing(memory.space) as writer:
            last = writer.ledger_rows(0, 1_000)[-1]
            text = last.skeleton.replace("}", " }", 1)
            entry = audit.entry_id(text)
            received_at = last.received_at + 1
            chain = audit.chained(last.chain, entry, received_at)
            writer.put_entry(LedgerRow(last.position + 1, entry, received_at, chain, text, None, None))
        with pytest.raises(firsthand.BrokenError) as caught:
            memory.ledger.verify()
    assert caught.value.details == {"position": last.position + 1, "entry_id": entry, "column": "body"}
