"""A process is killed at each step of an erase, an import, a restore and a backup: it is done or not there."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dying import STEPS, do, opened
from pairs import files_of

import firsthand

WORD = "zqxmvkpw"
TOLD = f"Noor says that the anchor word is {WORD}."
KEPT = "The mast is zqxoak."


def erasing(folder: Path) -> None:
    """A memory with a value in several places, and what stays."""
    with opened(folder / "m.db") as memory:
        memory.capture(TOLD)
        gone = memory.remember(subject="anchor", predicate="password", object=WORD)
        kept = memory.capture(KEPT)
        records = {"gone": gone.record_id, "kept": kept.record_id, "last": memory.ledger.head().entry_id}
    (folder / "records.json").write_text(json.dumps(records))


def importing(folder: Path) -> None:
    """A memory with copies, and another's export with its own words, a rejection, and the erasure of the value."""
    with opened(folder / "m.db") as memory, opened_other(folder, memory) as other:
        memory.peers.register(other.peers.own().key, trust="person")
        memory.capture(TOLD)
        kept = memory.capture(KEPT)
        memory.capture("The hull uses zqxtar, they say.")
        for number in range(6):
            other.capture(f"Plank {number} is dry.")
        wrong = other.remember(subject="hull", predicate="uses", object="zqxtar")
        other.reject(wrong.record_id, reason="never")
        other.capture(TOLD)
        other.erase(value=("anchor", None, WORD), reason_code="privacy")
        other.ledger.export(folder / "export")
        records = {"kept": kept.record_id, "last": memory.ledger.head().entry_id}
    (folder / "records.json").write_text(json.dumps(records))


def opened_other(folder: Path, memory: Any) -> Any:
    firsthand.join(folder / "other.db", memory.peers.share_key(folder / "space.key"))
    return opened(folder / "other.db")


def restoring(folder: Path) -> None:
    """A backup, and the live memory that has erased a value since."""
    erasing(folder)
    with opened(folder / "m.db") as memory:
        for number in range(40):
            memory.capture(f"Plank {number} is dry and was seen by the watch of the night.")
        memory.ledger.backup(folder / "backup")
        memory.erase(json.loads((folder / "records.json").read_text())["gone"], reason_code="privacy")


PREPARED = {"erase": erasing, "import": importing, "restore": restoring, "backup": erasing}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    made: dict[str, Path] = {}

    def prepare(deed: str) -> Path:
        if deed not in made:
            made[deed] = tmp_path_factory.mktemp(deed)
            PREPARED[deed](made[deed])
        return made[deed]

    return prepare


def killed(deed: str, step: str, source: Path, folder: Path) -> None:
    shutil.copytree(source, folder)
    command = [sys.executable, str(Path(__file__).with_name("dying.py")), str(folder), deed, step]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == -signal.SIGKILL, f"{step} was never reached\n{done.stderr}"


def look_after(deed: str, step: str, folder: Path) -> None:
    """What is owed is finished by the next opening; the deed is done or not there; nothing else was lost."""
    records = json.loads((folder / "records.json").read_text())
    with opened(folder / "m.db") as memory:
        entries = memory.ledger.verify(deep=True).entries
        assert memory.read(records["kept"]).item.text == KEPT
        with memory._engine.store.reading(memory.space) as reader:
            assert reader.position_of(records["last"]) is not None
            assert reader.unfinished_erasures() == []
            is_there = any('"kind":"erase"' in row.skeleton for row in reader.ledger_rows(0, entries))
    in_files = WORD.encode() in files_of(folder / "m.db")
    assert in_files != is_there, "the value is there, or its erasure is"
    if deed == "erase":
        assert is_there == (step in ERASED), "an erasure is there from its commit on"
    if deed == "restore":
        assert is_there


ERASED = tuple(STEPS["erase"])[6:]


def do_again(deed: str, folder: Path) -> None:
    """The same deed goes through afterwards, and leaves nothing behind it."""
    if deed != "erase" or WORD.encode() in files_of(folder / "m.db"):
        do(deed, folder)
    if deed != "backup":
        assert WORD.encode() not in files_of(folder / "m.db")
    assert [p.name for p in folder.iterdir() if p.name.startswith(".")] == []
    with opened(folder / "m.db") as memory:
        assert memory.ledger.verify(deep=True).deep
        assert memory.recall("mast").items[0].text == KEPT


def test_a_mutant_that_finishes_nothing_when_it_opens_is_caught(
    prepared: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed("erase", "committed, not cleaned", prepared("erase"), tmp_path / "m")
    assert WORD.encode() in files_of(tmp_path / "m" / "m.db"), "the control: its bytes are there until then"
    with monkeypatch.context() as patch:
        patch.setattr("firsthand.wiring._clean_up", lambda *given: None)
        with pytest.raises(AssertionError):
            look_after("erase", "committed, not cleaned", tmp_path / "m")
    look_after("erase", "committed, not cleaned", tmp_path / "m")


def test_a_mutant_that_leaves_what_the_killed_left_is_caught(
    prepared: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed("backup", "half copied", prepared("backup"), tmp_path / "m")
    monkeypatch.setattr("firsthand.moving.manifest._is_running", lambda process: True)
    with pytest.raises(AssertionError):
        do_again("backup", tmp_path / "m")


@pytest.mark.parametrize(("deed", "step"), [(deed, step) for deed, steps in STEPS.items() for step in steps])
def test_a_kill_at_any_step_leaves_it_done_or_not_there(
    deed: str, step: str, prepared: Callable[[str], Path], tmp_path: Path
) -> None:
    killed(deed, step, prepared(deed), tmp_path / "m")
    look_after(deed, step, tmp_path / "m")
    do_again(deed, tmp_path / "m")
