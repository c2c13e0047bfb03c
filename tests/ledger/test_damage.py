"""One flipped bit anywhere: verify says so and where, or the bit says nothing.

Bits are flipped in every column of every table and index of a closed file, in record headers and row ids, and at random
places of the file. Outside of what verify promises are the kept and journal tables, which follow from nothing, and the
planner's statistics, which change no answer.
"""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import apsw
import pytest
from histories import Authors, copied, digests
from pages import HEADER, Value, values

import firsthand
from firsthand import audit
from firsthand.store.sql import PROJECTIONS

FREE = ("request", "refusal", "receipt", "delivery", "delivery_recall", "sqlite_stat1", "sqlite_stat4")
INDEXES = ("lex", "lex_rest")
SHADOWS = tuple(f"{index}_{part}" for index in INDEXES for part in ("data", "idx", "docsize", "config"))
ENTRY_COLUMNS = ("space_id", "position", "entry_id", "received_at", "chain", "skeleton", "body", "salt")
HASHED_TOGETHER = ({"skeleton"}, {"received_at", "chain"}, {"body", "salt"})
FLIPS_PER_COLUMN = 2
FLIPS_ANYWHERE = 40


class Closed(NamedTuple):
    """A closed file with a rich history, where its values lie, and what it says."""

    path: Path
    data: bytes
    values: list[Value]
    says: dict[str, list[tuple[object, ...]]]


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Closed:
    path = tmp_path_factory.mktemp("closed") / "m.db"
    with Authors(path, seed=3) as authors:
        authors.write(25)
        authors.first.capture("The hull is dry.", speaker="Ana", idempotency_key="k")
        for subject in ("relate", "about"):
            authors.first.remember(f"One {subject} the other.")
        first, second = authors.records[:2]
        authors.first.relate(first, "about", second, reason="seen together")
        authors.first.feedback(authors.first.recall("the hull").recall_id)
    return Closed(path, path.read_bytes(), values(path), says(path))


def says(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Everything a file says: the ledger, the projections, the words of the indexes and what a search of each finds."""
    connection = apsw.Connection(str(path))
    try:
        orders = {"entry": "position", **PROJECTIONS}
        found = {t: list(connection.execute(f"SELECT * FROM {t} ORDER BY {order}")) for t, order in orders.items()}
        for index in INDEXES:
            connection.execute(
                f"CREATE VIRTUAL TABLE temp.{index}_terms USING fts5vocab('main', '{index}', 'instance')"
            )
            found[index] = list(connection.execute(f"SELECT term, doc FROM temp.{index}_terms ORDER BY term, doc"))
            for term in sorted({str(term) for term, _ in found[index]}):
                search = f"SELECT rowid FROM {index} WHERE {index} MATCH ? ORDER BY rowid"
                found[f"{index} {term}"] = list(connection.execute(search, (f'"{term}"',)))
        return found
    finally:
        connection.close()


@pytest.fixture
def bench(closed: Closed, tmp_path: Path) -> Path:
    """A copy of the closed file to be damaged."""
    return copied(closed.path, tmp_path / "bench")


def put(bench: Path, data: bytes | bytearray) -> None:
    for suffix in ("-wal", "-shm"):
        bench.with_name(bench.name + suffix).unlink(missing_ok=True)
    bench.write_bytes(data)


def verdict(bench: Path) -> firsthand.BrokenError | None:
    """What opening and verifying say; any other error is a failure of the test."""
    try:
        with firsthand.open(bench) as memory:
            memory.ledger.verify(deep=True)
    except firsthand.BrokenError as error:
        return error
    return None


def flipped(data: bytes, at: int, rng: random.Random) -> bytearray:
    damaged = bytearray(data)
    damaged[at] ^= 1 << rng.randrange(8)
    return damaged


def picked(closed: Closed, tables: tuple[str, ...], rng: random.Random) -> list[Value]:
    """A few records of every column of every table and index that has bytes."""
    columns: dict[tuple[str, int], list[Value]] = defaultdict(list)
    for value in closed.values:
        if value.table in tables:
            columns[value.of, value.column].append(value)
    return [v for c in columns.values() for v in rng.sample(c, min(FLIPS_PER_COLUMN, len(c)))]


# ---- one bit ---------------------------------------------------------------------------------------------------------


def test_the_undamaged_file_verifies_and_its_tables_all_hold_something(closed: Closed, bench: Path) -> None:
    assert verdict(bench) is None
    assert all(closed.says[table] for table in ("entry", *PROJECTIONS, *INDEXES))
    held = {value.table for value in closed.values}
    assert {"entry", *PROJECTIONS, *SHADOWS} <= held


def test_a_bit_in_the_words_of_an_entry_is_found_at_its_position_and_column(closed: Closed, bench: Path) -> None:
    rng = random.Random(1)
    places = [v for v in closed.values if v.of == "entry" and v.column in (3, 4, 5, 6, 7)]
    assert len(places) > 100
    named = set()
    for value in rng.sample(places, 40):
        put(bench, flipped(closed.data, rng.choice(value.places), rng))
        error = verdict(bench)
        assert error is not None
        if error.code == "store_damaged":
            assert "entry" in str(error.details["faults"]), "bytes that no text has are found by the engine first"
            continue
        column = ENTRY_COLUMNS[value.column]
        assert (error.code, error.details["position"]) == ("ledger_broken", value.record + 1)
        if "not text" in error.message:
            continue
        assert any({error.field, column} <= together for together in HASHED_TOGETHER)
        named.add(error.field)
    assert {"skeleton", "body", "salt", "chain"} <= named


@pytest.mark.parametrize("table", ["entry", *PROJECTIONS])
def test_a_bit_in_any_column_of_a_table_or_its_indexes_is_found_and_named(
    table: str, closed: Closed, bench: Path
) -> None:
    rng = random.Random(table)
    flips = picked(closed, (table,), rng)
    assert len(flips) >= 5
    for value in flips:
        damaged = flipped(closed.data, rng.choice(value.places), rng)
        put(bench, damaged)
        error = verdict(bench)
        if error is None:
            assert value.column == HEADER, "only a type has spellings that mean the same"
            put(bench, damaged)
            assert says(bench) == closed.says
            continue
        told = f"{error} {error.details}"
        assert table in told or value.of in told or (table == "entry" and error.details.get("position")), told


def test_a_bit_in_the_word_indexes_is_found_or_every_search_still_finds_the_same(closed: Closed, bench: Path) -> None:
    rng = random.Random(2)
    flips = picked(closed, SHADOWS, rng)
    found = 0
    for value in flips:
        damaged = flipped(closed.data, rng.choice(value.places), rng)
        put(bench, damaged)
        error = verdict(bench)
        if error is None:
            put(bench, damaged)
            assert says(bench) == closed.says
        else:
            assert value.of.split("_")[0] in f"{error} {error.details}"
            found += 1
    assert found > len(flips) / 2 > 10


def test_a_bit_in_the_schema_is_found(closed: Closed, bench: Path) -> None:
    rng = random.Random(4)
    flips = picked(closed, ("sqlite_schema",), rng)
    assert len(flips) > 10
    for value in flips:
        damaged = flipped(closed.data, rng.choice(value.places), rng)
        put(bench, damaged)
        if verdict(bench) is None:
            put(bench, damaged)
            assert says(bench) == closed.says


@pytest.mark.parametrize(("table", "word"), [("sqlite_schema", b"IMARY KEY"), ("name", b"ana"), ("entry", b"hull")])
def test_bytes_that_are_no_text_are_damage_and_not_an_error_of_the_program(
    table: str, word: bytes, closed: Closed, bench: Path
) -> None:
    at = next(
        place
        for value in closed.values
        if value.of == table and word in closed.data[value.places[0] : value.places[-1] + 1]
        for place in value.places
        if closed.data[place : place + len(word)] == word
    )
    put(bench, closed.data[:at] + b"\xd2" + closed.data[at + 1 :])
    error = verdict(bench)
    assert error is not None
    assert error.code in ("store_corrupt", "store_damaged", "ledger_broken", "projection_differs")


def test_a_bit_anywhere_in_the_file_is_found_or_says_nothing(closed: Closed, bench: Path) -> None:
    rng = random.Random(5)
    owner = {place: value.table for value in closed.values for place in value.places}
    found = passed = 0
    for _ in range(FLIPS_ANYWHERE):
        at = rng.randrange(len(closed.data))
        damaged = flipped(closed.data, at, rng)
        put(bench, damaged)
        if verdict(bench) is not None:
            found += 1
            continue
        passed += 1
        put(bench, damaged)
        assert says(bench) == closed.says
        assert owner.get(at, "unused") not in ("entry", *PROJECTIONS)
    assert found > 5
    assert passed > 5, "a file has unused bytes"


# ---- what verify is made of ------------------------------------------------------------------------------------------


def test_a_salt_written_in_other_letters_is_not_the_salt(closed: Closed, bench: Path) -> None:
    salts = [v for v in closed.values if v.of == "entry" and v.column == 7]
    value = next(v for v in salts if closed.data[v.places[0]] in b"abcdef")
    damaged = bytearray(closed.data)
    damaged[value.places[0]] ^= 0x20
    put(bench, damaged)
    error = verdict(bench)
    assert error is not None
    assert (error.field, error.details["position"]) == ("salt", value.record + 1)


def test_mutant_verify_without_the_chain_takes_a_ledger_whose_past_was_swapped(
    closed: Closed, bench: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _swap_first_two_entries(bench)
    error = verdict(bench)
    assert error is not None
    assert error.field in ("chain", "received_at")
    monkeypatch.setattr(audit, "chained", _any_chain)
    with firsthand.open(bench) as memory:
        assert memory.ledger.verify().position == len(closed.says["entry"])


def _swap_first_two_entries(path: Path) -> None:
    """Let two entries change places, each keeping the time of its place: only the chain knows."""
    connection = apsw.Connection(str(path))
    guard = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'entry_no_update'").get
    connection.execute("PRAGMA foreign_keys = OFF; DROP TRIGGER entry_no_update")
    (a, b) = connection.execute("SELECT received_at FROM entry WHERE position IN (1, 2) ORDER BY position").fetchall()
    move = "UPDATE entry SET position = ?, received_at = ? WHERE position = ?"
    for values_ in ((999, 0, 1), (1, a[0], 2), (2, b[0], 999)):
        connection.execute(move, values_)
    connection.execute(guard)
    connection.close()


class _Any(str):
    """A chain that equals every chain."""

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False


def _any_chain(*_: object) -> str:
    return _Any()


@pytest.mark.parametrize("trigger", ["entry_no_update", "entry_no_delete", "entry_no_replace"])
def test_a_file_whose_guard_was_taken_away_does_not_verify(trigger: str, bench: Path) -> None:
    connection = apsw.Connection(str(bench))
    connection.execute(f"DROP TRIGGER {trigger}")
    connection.close()
    error = verdict(bench)
    assert error is not None
    assert trigger in str(error)


def test_an_entry_taken_out_of_the_middle_is_missed(bench: Path) -> None:
    connection = apsw.Connection(str(bench))
    guard = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'entry_no_delete'").get
    connection.execute("PRAGMA foreign_keys = OFF; DROP TRIGGER entry_no_delete; DELETE FROM entry WHERE position = 3")
    connection.execute(guard)
    connection.close()
    error = verdict(bench)
    assert error is not None
    assert error.code in ("ledger_broken", "store_damaged")


def test_a_used_connection_does_not_call_a_word_index_damaged_that_another_one_merged(tmp_path: Path) -> None:
    with firsthand.open(tmp_path / "m.db") as one, firsthand.open(tmp_path / "m.db") as two:
        for number in range(40):
            (one if number % 2 else two).remember(subject=f"Boat {number}", predicate="uses", object="tar")
            assert (two if number % 2 else one).recall("Which boat uses tar?").items
            if number % 8 == 7:
                assert one.ledger.verify(deep=True).deep
                assert two.ledger.verify().position == one.ledger.head().position


# ---- repair ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", PROJECTIONS)
def test_a_rebuild_mends_a_projection_that_lost_its_rows(table: str, closed: Closed, bench: Path) -> None:
    whole = _digests(bench)
    connection = apsw.Connection(str(bench))
    connection.execute(f"DELETE FROM {table}")
    connection.close()
    _assert_mended(bench, whole, table)


@pytest.mark.parametrize("table", PROJECTIONS)
def test_a_rebuild_mends_every_other_column_of_a_projection(table: str, closed: Closed, bench: Path) -> None:
    whole = _digests(bench)
    connection = apsw.Connection(str(bench))
    keys = {name for name, kind in connection.execute(f"SELECT name, pk FROM pragma_table_info('{table}')") if kind}
    names = [n for (n,) in connection.execute(f"SELECT name FROM pragma_table_info('{table}')") if n not in keys]
    connection.execute("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF")
    for name in names or ["position" if table == "bearing" else "vid"]:
        connection.execute(f"UPDATE OR IGNORE {table} SET {name} = 4")
    connection.close()
    _assert_mended(bench, whole, table)


def test_a_rebuild_mends_everything_at_once(closed: Closed, bench: Path) -> None:
    whole = _digests(bench)
    connection = apsw.Connection(str(bench))
    for table in PROJECTIONS:
        connection.execute(f"DELETE FROM {table}")
    connection.close()
    _assert_mended(bench, whole, "bearing")


@pytest.mark.parametrize("index", INDEXES)
def test_a_rebuild_mends_a_word_index_without_its_words(index: str, closed: Closed, bench: Path) -> None:
    whole = _digests(bench)
    connection = apsw.Connection(str(bench))
    connection.execute(f"INSERT INTO {index} ({index}) VALUES ('delete-all')")
    connection.close()
    _assert_mended(bench, whole, index)


@pytest.mark.parametrize("part", ["data", "docsize"])
def test_a_rebuild_mends_a_word_index_whose_pages_are_noise(part: str, closed: Closed, bench: Path) -> None:
    whole = _digests(bench)
    damaged = bytearray(closed.data)
    for value in closed.values:
        if value.of == f"lex_{part}" and value.column == 1:
            for place in value.places:
                damaged[place] ^= 0x55
    put(bench, damaged)
    _assert_mended(bench, whole, "lex")


def _digests(path: Path) -> dict[str, str]:
    with firsthand.open(path) as memory:
        return digests(memory)


def _assert_mended(path: Path, whole: dict[str, str], named: str) -> None:
    with firsthand.open(path) as memory:
        with pytest.raises(firsthand.BrokenError) as caught:
            memory.ledger.verify(deep=True)
        assert named in f"{caught.value} {caught.value.details}"
        report = memory.ledger.rebuild()
        assert not report.same
        assert digests(memory) == whole
        assert memory.ledger.verify(deep=True).deep
        assert memory.at(scope="project:boat").recall("Is the hull dry?").items
