"""The schema refuses rows that must not be, on every connection, and every query finds its rows by an index."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import apsw
import pytest
from histories import store_of

import firsthand
from firsthand.memory import Memory
from firsthand.store.engine import Connection
from firsthand.store.sql import queries
from firsthand.store.sqlite import LIST_SOURCE
from firsthand.vocabulary.instants import FOREVER
from firsthand.vocabulary.kinds import KINDS, SENSITIVITIES, STATUSES, TIERS

SUBQUERIES = ("SCAN f", "SCAN found")
"""Parts of a query that were narrow themselves, by the names they have in it."""
ONE_END = {
    # The last row of the space's part of a primary key.
    "head",
    "put_refusal",
    # For its foreign key the planner lists a look at beliefs that never runs: no violation is ever left to be mended.
    "put_entry",
}
WHOLE_SPACE = {
    # Scopes, counts and numbers are asked of all; a policy settles every unit anew; erasures and refusals are few; a
    # queue is shown whole.
    "scope_rows",
    "unfinished_erasures",
    "counts",
    "scope_nos_of_docs",
    "units",
    "refused",
    "jobs",
    # One row a space.
    "embedding",
    # All vectors are made anew, or kept by a replay; how many wait is asked by a doctor.
    "pending_counts",
    "put_all_pending",
    "drop_all_pending",
    "drop_all_vectors",
    "drop_all_late",
    "drop_surplus_vectors",
    "drop_surplus_pending",
}
WHOLE_FILE = {
    # A scope's number is the file's; the journal is only counted.
    "highest_scope_no",
    "every_scope_no",
    "receipt_count",
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    path = tmp_path_factory.mktemp("schema") / "m.db"
    with firsthand.open(path, actor="ana", role="person") as opened:
        opened.remember(subject="Ana", predicate="lives_in", object="Lisbon")
        yield opened


@pytest.fixture
def writer(memory: Memory) -> Iterator[Connection]:
    """The connection of the writer, in a transaction that is undone."""
    connection = store_of(memory)._writer
    connection.execute("BEGIN IMMEDIATE")
    yield connection
    connection.execute("ROLLBACK")


# ---- beliefs that must not be ----------------------------------------------------------------------------------------


def belief(connection: Connection) -> dict[str, Any]:
    """The claim's row, for another document, so that nothing but what a test changes is wrong with it."""
    names = [name for (name,) in connection.execute("SELECT name FROM pragma_table_info('belief')")]
    (row,) = connection.execute("SELECT * FROM belief WHERE kind = 'semantic'").fetchall()
    return dict(zip(names, row, strict=True)) | {"vid": 77}


def put(connection: Connection, row: dict[str, Any]) -> None:
    connection.execute(
        f"INSERT INTO belief ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", tuple(row.values())
    )


BAD = {
    "a kind that is not one": {"kind": "rumour"},
    "a tier that is not one": {"tier": "gossip"},
    "a status that is not one": {"status": "perhaps"},
    "a visibility that is not one": {"visibility": "dim"},
    "a reason that is not one": {"visibility": "hidden", "hidden_reason": "shy"},
    "hidden without a reason": {"visibility": "hidden"},
    "visible with a reason": {"hidden_reason": "withdrawn"},
    "an active candidate": {"tier": "candidate"},
    "an active claim that nothing supports": {"live_support": 0},
    "an active skill that nothing supports": {"kind": "competence", "live_support": 0},
    "an active plan that nothing supports": {"kind": "plan_graph", "live_support": 0},
    "less than no support": {"status": "pending_evidence", "live_support": -1},
    "a sensitivity below the lowest": {"sensitivity": -1},
    "a sensitivity above the highest": {"sensitivity": len(SENSITIVITIES)},
    "known for no time": {"known_from": 5, "known_to": 5},
    "known backwards": {"known_from": 6, "known_to": 5},
    "valid for no time": {"valid_from": 5, "valid_to": 5},
    "valid backwards": {"valid_from": 6, "valid_to": 5},
}


@pytest.mark.parametrize("changed", BAD.values(), ids=BAD)
def test_a_belief_row_that_must_not_be_is_refused(changed: dict[str, Any], writer: Connection) -> None:
    good = belief(writer)
    with pytest.raises(apsw.ConstraintError, match="CHECK"):
        put(writer, good | changed)
    put(writer, good)


@pytest.mark.parametrize(
    "column",
    ["space_id", "vid", "known_from", "valid_from", "known_to", "valid_to", "unit", "record_id", "revision_id", "kind",
     "scope_id", "generation", "tier", "status", "visibility", "live_support", "sensitivity", "cause_entry"],
)  # fmt: skip
def test_a_belief_row_lacks_nothing_it_needs(column: str, writer: Connection) -> None:
    good = belief(writer)
    with pytest.raises(apsw.ConstraintError, match=r"NOT NULL|CHECK"):
        put(writer, good | {column: None})
    put(writer, good)


def test_every_word_of_the_vocabulary_is_one_the_schema_knows(writer: Connection) -> None:
    good = belief(writer) | {"status": "needs_review", "live_support": 1}
    words = [("kind", KINDS), ("tier", TIERS), ("status", [s for s in STATUSES if s != "active"])]
    number = 100
    for column, members in words:
        for member in members:
            number += 1
            put(writer, good | {column: member, "vid": number})
    for level in range(len(SENSITIVITIES)):
        put(writer, good | {"sensitivity": level, "vid": 1000 + level})


def test_an_episode_is_active_though_nothing_supports_it(writer: Connection) -> None:
    put(writer, belief(writer) | {"kind": "episodic", "live_support": 0})


def test_a_record_has_one_open_row_for_each_head_and_window(writer: Connection) -> None:
    good = belief(writer)
    put(writer, good)
    with pytest.raises(apsw.ConstraintError, match="UNIQUE"):
        put(writer, good | {"known_from": good["known_from"] + 1})
    put(writer, good | {"known_from": good["known_from"] + 1, "known_to": good["known_from"] + 2})
    put(writer, good | {"known_from": good["known_from"] + 1, "valid_from": 5})
    put(writer, good | {"known_from": good["known_from"] + 1, "vid": 78})
    assert good["known_to"] == FOREVER


def test_a_belief_names_an_entry_that_is_there(writer: Connection) -> None:
    good = belief(writer)
    with pytest.raises(apsw.ConstraintError, match="FOREIGN KEY"):
        put(writer, good | {"cause_entry": "e" + "0" * 40})
    put(writer, good)


def test_an_entry_that_caused_a_belief_stays_though_its_guard_is_gone(writer: Connection) -> None:
    writer.execute("DROP TRIGGER entry_no_delete")
    cause = belief(writer)["cause_entry"]
    with pytest.raises(apsw.ConstraintError, match="FOREIGN KEY"):
        writer.execute("DELETE FROM entry WHERE entry_id = ?", (cause,))
    writer.execute("DELETE FROM belief")
    writer.execute("DELETE FROM entry WHERE entry_id = ?", (cause,))


# ---- every connection ------------------------------------------------------------------------------------------------


def connections(memory: Memory) -> list[Connection]:
    """The writer, the journal's, this thread's reader, and the one a check makes."""
    memory.recall("Where does Ana live?")
    memory.facts()
    store = store_of(memory)
    assert len(store._open) == 1
    return [store._writer, store._journal, *store._open]


@pytest.mark.parametrize(
    ("pragma", "value"),
    [("foreign_keys", 1), ("recursive_triggers", 1), ("journal_mode", "wal"), ("secure_delete", 1), ("temp_store", 2)],
)
def test_every_connection_is_opened_with_the_same_settings(pragma: str, value: object, memory: Memory) -> None:
    for connection in connections(memory):
        assert connection.execute(f"PRAGMA {pragma}").get == value


def test_entries_are_synced_and_receipts_are_not(memory: Memory) -> None:
    full, normal = 2, 1
    writer, journal, *_ = connections(memory)
    assert writer.execute("PRAGMA synchronous").get == full
    assert journal.execute("PRAGMA synchronous").get == normal


def test_a_stranger_who_forgets_the_settings_is_still_refused(memory: Memory) -> None:
    stranger = apsw.Connection(str(memory.facts()["path"]))
    stranger.execute("PRAGMA recursive_triggers = OFF; PRAGMA foreign_keys = OFF")
    assert stranger.execute("SELECT count(*) FROM entry").get > 2
    for sql in (
        "REPLACE INTO entry SELECT * FROM entry WHERE position = 2",
        "DELETE FROM entry WHERE position = 2",
        "UPDATE entry SET body = '{}' WHERE position = 2",
    ):
        with pytest.raises(apsw.ConstraintError, match="append-only"):
            stranger.execute(sql)
    stranger.close()


# ---- every query -----------------------------------------------------------------------------------------------------


def bindings(sql: str) -> tuple[None, ...]:
    numbered = [int(n) for n in re.findall(r"\?(\d+)", sql)]
    return (None,) * (max(numbered) if numbered else sql.count("?"))


def table_steps(connection: Connection, sql: str) -> list[str]:
    steps = [str(row[3]) for row in connection.execute("EXPLAIN QUERY PLAN " + sql, bindings(sql))]
    reads = [s for s in steps if s.startswith(("SEARCH ", "SCAN "))]
    return [s for s in reads if "json_each" not in s and "CONSTANT ROW" not in s]


def narrow(step: str) -> bool:
    """Whether a step looks for more than a space, or asks a word index."""
    if "VIRTUAL TABLE INDEX" in step:
        return True
    found = re.search(r"\((.*)\)$", step)
    return step.startswith("SEARCH ") and found is not None and found.group(1) != "space_id=?"


NAMED = queries(LIST_SOURCE)


@pytest.mark.parametrize("name", NAMED)
def test_a_query_looks_for_more_than_a_space(name: str, writer: Connection) -> None:
    steps = table_steps(writer, NAMED[name])
    if name in WHOLE_FILE:
        assert steps
        assert not any(narrow(s) for s in steps), "it may leave the list"
        return
    if name in WHOLE_SPACE | ONE_END:
        assert all(s.startswith("SEARCH ") for s in steps)
        assert not all(narrow(s) for s in steps), "it may leave the list"
        return
    for step in steps:
        assert narrow(step) or step in SUBQUERIES, step


def test_every_index_earns_its_place(writer: Connection) -> None:
    """One that no query reads costs every write for nothing, unless it forbids something."""
    steps = {s for sql in NAMED.values() for s in table_steps(writer, sql)}
    kept = writer.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql NOT LIKE 'CREATE UNIQUE%'"
    ).fetchall()
    names = {row[0] for row in kept}
    assert {"belief_above", "belief_unit", "doc_thread"} <= names
    assert {n for n in names if not any(f" {n} " in s for s in steps)} == set()


def test_the_planner_is_asked_of_every_query_there_is(writer: Connection) -> None:
    assert len(NAMED) > 40
    assert set(NAMED) >= WHOLE_FILE | WHOLE_SPACE | ONE_END
    assert not narrow("SEARCH entry USING INDEX entry_id (space_id=?)")
    assert not narrow("SCAN entry")
    assert table_steps(writer, "SELECT body FROM entry WHERE salt = ?") == ["SCAN entry"]
