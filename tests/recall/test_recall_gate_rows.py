"""The gate written as SQL is the pure rule, over every combination of what it reads; whatever else is in the way."""

from __future__ import annotations

import itertools

import apsw
import pytest
from stores import START, opened

from firsthand.ports import LISTED, REST, UNLISTED
from firsthand.projection import shelf_of
from firsthand.recall.gated import gated
from firsthand.recall.plan import plan
from firsthand.rules.gate import INCLUDES, Shown, may_show
from firsthand.vocabulary.kinds import KINDS, SENSITIVITIES, STATUSES, TIERS
from firsthand.vocabulary.packets import Item

VISIBILITIES = ("visible", "content_conflict", "hidden")
FOREVER = 9_223_372_036_854_775_807
BASE = 1_000


def combinations() -> list[tuple[str, str, str, int, int, str]]:
    """Everything the schema lets a row be."""
    return [
        row
        for row in itertools.product(TIERS, STATUSES, VISIBILITIES, (0, 1), range(len(SENSITIVITIES)), KINDS)
        if not (row[0] == "candidate" and row[1] == "active")
        and not (row[1] == "active" and row[3] == 0 and row[5] in ("semantic", "competence", "plan_graph"))
    ]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory):
    """A memory, and one document and row for each combination, put into the file behind its back."""
    folder = tmp_path_factory.mktemp("gate")
    with opened(folder) as memory:
        memory.capture("the first entry", sensitivity="public")
        with memory._engine.store.reading(memory.space) as reader:
            scope_id = memory._handle.scope_id
            scope = reader.scope(scope_id)
            assert scope is not None
            cause = reader.ledger_rows(0, 10)[-1].entry_id
        low = scope.scope_no << 32
        rows = {low + BASE + n: row for n, row in enumerate(combinations())}
        db = apsw.Connection(str(folder / "memory.db"))
        with db:
            db.execute("UPDATE scope SET next_seq = ?", (BASE + len(rows),))
            for vid, (tier, status, visibility, support, level, kind) in rows.items():
                db.execute(
                    "INSERT INTO doc (space_id, vid, record_id, revision_id, position, kind, shelf, flags)"
                    " VALUES ('default', ?, ?, ?, ?, ?, 1, 0)",
                    (vid, f"r{vid}", f"e{vid}x", vid, kind),
                )
                db.execute(
                    "INSERT INTO belief (space_id, vid, known_from, valid_from, known_to, valid_to, unit, record_id,"
                    " revision_id, kind, scope_id, generation, tier, status, visibility, hidden_reason, live_support,"
                    " sensitivity, cause_entry)"
                    " VALUES ('default', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        vid, START, -FOREVER, FOREVER, FOREVER, f"u{vid}", f"r{vid}", f"e{vid}x", kind, scope_id, tier,
                        status, visibility, "withdrawn" if visibility == "hidden" else None, support, level, cause,
                    ),
                )  # fmt: skip
        db.close()
        yield memory, rows, frozenset({scope_id})


def shown(row: tuple[str, str, str, int, int, str]) -> Shown:
    tier, status, visibility, support, level, kind = row
    return Shown(tier, status, visibility, support, level, kind)  # type: ignore[arg-type]


@pytest.mark.parametrize("clearance", SENSITIVITIES)
def test_the_default_gate_in_sql_passes_exactly_what_the_rule_passes(store, clearance: str) -> None:
    memory, rows, _ = store
    level = SENSITIVITIES.index(clearance)
    allowed = {vid for vid, row in rows.items() if may_show(shown(row), clearance=level)}
    with memory._engine.store.reading(memory.space) as reader:
        passed = {r.vid for r in reader.shown(list(rows), level, None)}
        then = {r.vid for r in reader.shown(list(rows), level, START)}
        before = reader.shown(list(rows), level, START - 1)
    assert passed == allowed
    assert 0 < len(passed) < len(rows)
    assert then == allowed
    assert before == []


@pytest.mark.parametrize("clearance", ["public", "low", "hyper"])
@pytest.mark.parametrize("include", [(), *((name,) for name in INCLUDES), INCLUDES])
def test_the_gate_on_rows_that_came_back_passes_exactly_what_the_rule_passes(
    store, clearance: str, include: tuple[str, ...]
) -> None:
    memory, rows, scope_ids = store
    asked = plan(memory._handle, START, "x", kinds=KINDS, include=include, clearance=clearance)  # type: ignore[arg-type]
    level = SENSITIVITIES.index(clearance)
    allowed = {vid for vid, row in rows.items() if may_show(shown(row), clearance=level, include=frozenset(include))}  # type: ignore[arg-type]
    with memory._engine.store.reading(memory.space) as reader:
        assert set(gated(reader, asked, scope_ids, rows)) == allowed
        assert gated(reader, asked, frozenset({"another"}), rows) == {}
        past = asked._replace(known_at=START)
        assert set(gated(reader, past, scope_ids, rows)) == allowed
        assert gated(reader, asked._replace(known_at=START - 1), scope_ids, rows) == {}
    assert 0 < len(allowed) < len(rows)


def test_a_document_is_listed_exactly_when_the_default_gate_may_pass_it_for_somebody(store) -> None:
    memory, rows, _ = store
    with memory._engine.store.reading(memory.space) as reader:
        open_rows = {r.vid: r for r in reader.beliefs(list(rows), None)}
    shelves = {vid: shelf_of([open_rows[vid]], rows[vid][5]) for vid in rows}
    for vid, row in rows.items():
        assert (shelves[vid] == LISTED) == may_show(shown(row), clearance=len(SENSITIVITIES))
        everything = may_show(shown(row), clearance=len(SENSITIVITIES), include=frozenset(INCLUDES))
        assert everything <= (shelves[vid] in (LISTED, REST))
        if row[2] == "hidden" or row[1] in ("rejected", "erased"):
            assert shelves[vid] == UNLISTED
    assert set(shelves.values()) == {LISTED, REST, UNLISTED}


@pytest.mark.parametrize("clearance", SENSITIVITIES)
def test_what_is_locked_in_sql_is_what_the_rule_locks(store, clearance: str) -> None:
    memory, rows, _ = store
    from firsthand.rules.gate import unlocked

    level = SENSITIVITIES.index(clearance)
    with memory._engine.store.reading(memory.space) as reader:
        locked = reader.locked([f"r{vid}" for vid in rows], level)
        newest = reader.newest(next(iter(rows)) >> 32, KINDS, None, 10_000, False, level)
    assert locked == {f"r{vid}" for vid, row in rows.items() if not unlocked(shown(row), level)}
    assert {v for v in newest if v in rows} == {vid for vid, row in rows.items() if unlocked(shown(row), level)}
    assert 0 < len(locked) < len(rows)


def test_the_fixture_is_read_like_any_other_store(store) -> None:
    memory, _, _ = store
    items: tuple[Item, ...] = memory.recall("first entry").items
    assert [i.text for i in items] == ["the first entry"]
