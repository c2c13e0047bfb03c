"""`firsthand bench` measures a memory without writing into it or showing a word of it; it judges no time."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import firsthand
from firsthand import measuring, wiring
from firsthand.surfaces.cli import app

SCOPE = "project:boat"
SAYINGS = (
    "Quillon stores brass astrolabes underneath Kensington harbour.",
    "Marguerite repainted seventeen gondolas yesterday evening.",
    "Fenwick forbids lanterns inside the gunpowder magazine.",
)
ROWS = [
    "recall, 10 items", "read", "SQLite: text index, top 10", "capture, durable", "remember, durable",
    "SQLite: one synced row",
]  # fmt: skip
Run = Callable[..., Result]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A memory with a few sayings and one claim, and the receipt of one recall in its journal."""
    place = tmp_path / "kept" / "memory.db"
    place.parent.mkdir()
    with firsthand.open(place, scope=SCOPE, actor="ana", role="person") as memory:
        for saying in SAYINGS:
            memory.capture(saying, speaker="Ana")
        memory.remember("Quillon owns the observatory", subject="Quillon", predicate="owns", object="observatory")
        assert memory.recall("astrolabes").items
    return place


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    for name in ("DB", "SPACE", "SCOPE", "ACTOR", "OWNER", "ROLE"):
        monkeypatch.delenv(f"FIRSTHAND_{name}", raising=False)

    def bench(store: Path, *words: str, scope: str = SCOPE) -> Result:
        return CliRunner().invoke(app, ["bench", "--rounds", "2", "--db", str(store), "--scope", scope, *words])

    return bench


def test_not_a_byte_of_the_memory_changes_and_the_copy_is_gone(store: Path, run: Run) -> None:
    before = {path.name: path.read_bytes() for path in store.parent.iterdir()}
    assert store.name in before
    done = run(store)
    assert done.exit_code == 0, done.output
    assert {path.name: path.read_bytes() for path in store.parent.iterdir()} == before


def test_a_memory_in_use_keeps_its_head_and_its_journal(store: Path, run: Run) -> None:
    """Its newest entry is still in the log; the copy has it, and what the copy does goes nowhere."""
    with firsthand.open(store, scope=SCOPE, actor="ana", role="person") as memory:
        memory.capture("Ottilie mends sextants.", speaker="Ana")
        head, receipts = memory.ledger.head(), memory.facts()["receipts"]
        assert receipts == 1
        found = json.loads(run(store, "--json").stdout)
        assert found["entries"] == head.position
        assert (memory.ledger.head(), memory.facts()["receipts"]) == (head, receipts)
        memory.recall("sextants")
        assert memory.facts()["receipts"] == receipts + 1, "the count would have shown a receipt"


def test_what_is_measured_does_write_into_the_copy(
    store: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control of the two above: the same writes and receipts are there to be seen in the copy."""
    seen: list[tuple[int, object]] = []

    class Watched(firsthand.Memory):
        def close(self) -> None:
            seen.append((self.ledger.head().position, self.facts()["receipts"]))
            super().close()

    def opened(*given: object, **more: object) -> Watched:
        memory = wiring.open(*given, **more)  # type: ignore[arg-type]
        memory.__class__ = Watched
        return memory  # type: ignore[return-value]

    with firsthand.open(store, actor="ana") as memory:
        before = memory.ledger.head().position
    monkeypatch.setattr(measuring, "_opened", lambda settings, copy: opened(copy, scope=settings.scope, actor="ana"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert run(store, "--at", str(elsewhere)).exit_code == 0
    rounds = measuring.WARM_UP + 2
    ((position, receipts),) = seen
    assert position >= before + 2 * rounds
    assert receipts == 1 + rounds
    assert list(elsewhere.iterdir()) == []


def test_the_json_holds_each_row_and_how_large_the_memory_is(store: Path, run: Run) -> None:
    found = json.loads(run(store, "--json").stdout)
    assert [row["what"] for row in found["rows"]] == ROWS
    for row in found["rows"]:
        assert 0 < row["p50_ms"] <= row["p95_ms"]
        assert (row["ratio"] is None) == (row["beside"] is None)
        assert row["beside"] in (None, *ROWS)
    with firsthand.open(store, scope=SCOPE, actor="ana") as memory:
        stats, listed = memory.stats(), len(memory.list(limit=50).items)
    assert (found["entries"], found["records"]) == (stats.entries, sum(stats.records.values()))
    assert (found["rounds"], found["asked"]) == (2, listed)
    assert found["bytes"] == store.stat().st_size
    assert found["bytes_a_record"] == round(found["bytes"] / found["records"], 1)


def test_the_table_shows_each_row(store: Path, run: Run) -> None:
    shown = run(store).stdout
    for row in ROWS:
        assert re.search(rf"^ *{re.escape(row)} +\d", shown, flags=re.MULTILINE), row
    assert "bytes a record" in shown


@pytest.mark.parametrize("form", ["table", "json"])
def test_no_word_of_the_memory_is_shown(store: Path, run: Run, form: str) -> None:
    shown = run(store, *(["--json"] if form == "json" else [])).output.casefold()
    with firsthand.open(store, scope=SCOPE, actor="ana") as memory:
        held = {word for item in memory.list(limit=50).items for word in re.findall(r"\w{5,}", item.text.casefold())}
    assert {"quillon", "astrolabes", "gondolas", "observatory"} <= held, "the words are there to be shown"
    assert [word for word in held if word in shown] == []


def test_an_error_shows_no_word_either(store: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FIRSTHAND_DEBUG", raising=False)

    def failing(memory: firsthand.Memory, *given: object) -> None:
        raise LookupError(memory.list().items[0].text)

    monkeypatch.setattr(measuring, "_read_once", failing)
    done = run(store)
    assert done.exit_code == 10
    assert "LookupError" in done.output
    assert "Quillon" not in done.output
    assert [path.name for path in store.parent.iterdir() if "measuring" in path.name] == []


@pytest.mark.parametrize("scope", [SCOPE, "project:other"])
def test_where_nothing_is_stored_it_says_so_and_what_to_do(store: Path, run: Run, tmp_path: Path, scope: str) -> None:
    place = store
    if scope == SCOPE:
        place = tmp_path / "empty.db"
        firsthand.open(place, scope=scope, actor="ana").close()
    done = run(place, "--json", scope=scope)
    error = json.loads(done.stdout)["error"]
    assert (done.exit_code, error["code"], error["next_action"]) == (6, "nothing_to_measure", "fix_and_resubmit")
    assert "firsthand capture" in error["message"]
    assert "firsthand scopes" in error["message"]
    assert run(place, scope=scope).output.rstrip().endswith("Fix this and run it again.")
    assert not list(place.parent.glob(".*measuring*"))


def test_a_memory_that_is_not_there_is_not_made(run: Run, tmp_path: Path) -> None:
    done = run(tmp_path / "none.db", "--json")
    assert json.loads(done.stdout)["error"]["code"] == "memory_missing"
    assert not (tmp_path / "none.db").exists()


def test_where_no_copy_can_be_made_it_says_so(
    store: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert json.loads(run(store, "--json", "--at", str(tmp_path / "none")).stdout)["error"]["code"] == "folder_missing"
    monkeypatch.setattr(measuring, "beside", lambda path, what: tmp_path / "none" / what)
    assert json.loads(run(store, "--json").stdout)["error"]["code"] == "folder_unwritable"


def test_what_a_killed_run_left_is_told_by_the_doctor_and_removed_by_the_next_run(store: Path, run: Run) -> None:
    left = store.parent / f".{store.name}.measuring-999999999"
    left.mkdir()
    told = CliRunner().invoke(app, ["doctor", "--db", str(store), "--scope", SCOPE])
    assert told.exit_code == 10
    assert str(left) in told.output.replace("\n", "")
    assert run(store).exit_code == 0
    assert not left.exists()
    assert CliRunner().invoke(app, ["doctor", "--db", str(store), "--scope", SCOPE]).exit_code == 0
