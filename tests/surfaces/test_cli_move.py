"""Moving a memory by commands: sealed, exported, taken in elsewhere, backed up, restored; and what goes wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from firsthand.surfaces.cli import app


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("DB", "SPACE", "SCOPE", "ACTOR", "OWNER", "ROLE"):
        monkeypatch.delenv(f"FIRSTHAND_{name}", raising=False)
    (tmp_path / "firsthand.toml").write_text(
        'db = "a.db"\nscope = "project:boat"\nactor = "ana"\nrole = "person"\n', encoding="utf-8"
    )
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(app, words)


def ask(*words: str) -> Any:
    result = run(*words, "--json")
    document = json.loads(result.stdout)
    assert result.exit_code == 0, document
    return document


def fails(*words: str) -> tuple[str, int]:
    result = run(*words, "--json")
    return json.loads(result.stdout)["error"]["code"], result.exit_code


def joined() -> None:
    """A second store of the space, which takes in what the first one sends."""
    ask("capture", "The hull is dry.", "--speaker", "Ana")
    ask("peers", "key", "space.key")
    ask("join", "space.key", "--db", "b.db")
    key = ask("peers", "own")["key"]
    ask("peers", "add", key, "--trust", "person", "--name", "the laptop", "--db", "b.db")


def test_a_seal_is_printed_to_be_kept_and_compared(home: Path) -> None:
    ask("capture", "The hull is dry.")
    line = run("seal").stdout.splitlines()[-1]
    assert line.startswith("firsthand-seal 1 ")
    ask("capture", "The mast is up.")
    head = ask("verify", "--against", line)
    assert (head["seals"], head["against"]) == (1, int(line.split(" ")[2]))
    assert "still holds what was sealed" in run("verify", "--against", line).stdout
    assert fails("verify", "--against", line.replace(" 1 ", " 1 9", 1)) == ("seal_forged", 2)
    assert fails("verify", "--against", "nonsense") == ("seal_unreadable", 2)


def test_what_one_store_exports_another_takes_in_once(home: Path) -> None:
    joined()
    assert "believed as person" in run("peers", "--db", "b.db").stdout
    report = ask("export", "x")
    assert (report["kind"], report["files"]) == ("ledger", 1)
    first = ask("import", "ledger", "x", "--db", "b.db")
    assert (first["added"], first["quarantined"]) == (report["entries"], [])
    assert ask("import", "ledger", "x", "--db", "b.db")["added"] == 0
    assert "0 added" in run("import", "ledger", "x", "--db", "b.db").stdout
    assert "The hull is dry." in run("recall", "hull", "--db", "b.db").stdout


def test_a_selection_is_packed_with_what_it_leaves_out(home: Path) -> None:
    talk = ask("capture", "The hull is dry.")
    ask("capture", "The zqxsecret is here.", "--sensitivity", "high")
    report = ask("pack", "p", "--only-scope", "project:boat", "--clearance", "medium")
    assert report["kind"] == "pack"
    assert [each["reason"] for each in report["left_out"]] == ["over_clearance"]
    assert "1 over clearance" in run("pack", "q", "--only-scope", "project:boat", "--clearance", "medium").stdout
    assert ask("pack", "r", "--record", talk["record_id"][:12])["entries"] >= 1
    assert ask("pack", "s", "--query", "hull")["kind"] == "pack"
    assert fails("pack", "t", "--clearance", "low") == ("selection_missing", 2)


def test_a_backup_is_restored_over_the_memory_and_beside_it(home: Path) -> None:
    ask("capture", "The hull is dry.")
    made = ask("backup", "b")
    assert "spaces: default" in run("backup", "b2").stdout
    over = ask("restore-backup", "b")
    assert (over["later_erasures"], over["spaces"]) == ("merged", made["spaces"])
    beside = run("restore-backup", "b", "--db", "new.db")
    assert beside.exit_code == 0
    assert "later erasures unknown" in beside.stdout
    ask("export", "x")
    listed = ask("restore-backup", "b", "--db", "other.db", "--erasures", "x")
    assert listed["later_erasures"] == "listed"
    assert "The hull is dry." in run("recall", "hull", "--db", "new.db").stdout
    (home / "b" / "memory.db.keys").unlink()
    assert fails("restore-backup", "b", "--db", "third.db") == ("kept_missing", 8)
    assert ask("restore-backup", "b", "--db", "third.db", "--without-kept")["kept_missing"] == ["memory.db.keys"]


def test_peers_are_added_listed_and_removed(home: Path) -> None:
    joined()
    (peer,) = ask("peers", "--db", "b.db")
    assert (peer["trust"], peer["name"]) == ("person", "the laptop")
    assert ask("peers", "remove", peer["device"], "--db", "b.db")["trust"] == "none"
    ask("export", "x")
    assert fails("import", "ledger", "x", "--db", "b.db") == ("peer_unknown", 8)
    assert run("peers").stdout == "No other store is registered.\n"
    assert fails("peers", "add", "00") == ("key_invalid", 2)
    assert fails("peers", "remove", "d0") == ("peer_absent", 6)


def test_what_goes_wrong_has_its_code_and_leaves_no_memory_behind(home: Path) -> None:
    for words in (("seal",), ("export", "x"), ("backup", "x"), ("peers",), ("verify",)):
        assert fails(*words) == ("memory_missing", 10)
    assert fails("restore-backup", "nothing") == ("path_missing", 2)
    assert fails("join", "nothing") == ("path_missing", 2)
    assert not (home / "a.db").exists()
    ask("capture", "The hull is dry.")
    assert fails("import", "ledger", "nothing") == ("path_missing", 2)
    ask("export", "x")
    assert fails("export", "x") == ("path_exists", 7)
    (home / "x" / "entries-000001.jsonl").write_bytes(b"cut")
    assert fails("import", "ledger", "x") == ("export_damaged", 10)
