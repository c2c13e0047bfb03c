"""A hook as a process: it never fails, says nothing it should not, and loads no more than it needs."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
from harness import Make, added

from firsthand.surfaces.entry import HookCall, hook_call, run_hook
from firsthand.surfaces.hooks import answering, health, running, spool

FIRSTHAND = str(Path(sys.executable).with_name("firsthand"))
Run = Callable[..., subprocess.CompletedProcess[bytes]]
ASKED = {"hook_event_name": "UserPromptSubmit", "session_id": "s-1", "prompt": "The mast is made of spruce."}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run the program in a project folder, with a home of its own and all the time it needs."""
    (tmp_path / "boat" / ".git").mkdir(parents=True)

    def call(*words: str, given: Any = b"", **more: str) -> subprocess.CompletedProcess[bytes]:
        data = given if isinstance(given, bytes) else json.dumps({"cwd": str(tmp_path / "boat"), **given}).encode()
        environ = {k: v for k, v in os.environ.items() if not k.startswith(("FIRSTHAND_", "XDG_", "CLAUDE"))}
        environ |= {"HOME": str(tmp_path), "USER": "ana", "FIRSTHAND_HOOK_BUDGET_MS": "60000", **more}
        return subprocess.run(
            [FIRSTHAND, *words], input=data, cwd=tmp_path / "boat", env=environ, capture_output=True, check=False
        )

    return call


def database(tmp_path: Path) -> Path:
    return tmp_path / ".local" / "share" / "firsthand" / "memory.db"


@pytest.mark.parametrize("harness", ["claude-code", "codex"])
def test_the_first_prompt_of_all_makes_the_memory_and_the_next_session_knows_it(
    run: Run, harness: str, tmp_path: Path
) -> None:
    first = run("hook", harness, given=ASKED)
    assert (first.returncode, first.stdout, first.stderr) == (0, b"", b"")
    asked = {**ASKED, "session_id": "s-2", "prompt": "What is the mast made of?"}
    second = run("hook", harness, given=asked)
    assert (second.returncode, second.stderr) == (0, b"")
    assert "The mast is made of spruce." in (added(second.stdout, "UserPromptSubmit") or "")
    assert health.read(database(tmp_path)).stored == 2


WRONG = {
    "no JSON": b"not JSON", "nothing": b"", "a list": b"[]", "no event": b"{}", "half": b'{"hook_event_name": "Stop"',
    "deep": b"[" * 100_000, "types": b'{"hook_event_name": 3, "session_id": []}', "no text": b"\xff\xfe\x00",
}  # fmt: skip


@pytest.mark.parametrize("data", WRONG.values(), ids=WRONG.keys())
def test_an_event_that_is_none_is_counted_and_disturbs_nothing(run: Run, data: bytes, tmp_path: Path) -> None:
    run("hook", "claude-code", given=ASKED)
    done = run("hook", "claude-code", given=data)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    counted = health.read(database(tmp_path))
    assert (counted.failures, counted.last_error) == (1, "event_invalid")


def test_an_event_that_no_version_of_ours_knows_is_passed_over(run: Run, tmp_path: Path) -> None:
    run("hook", "claude-code", given=ASKED)
    done = run("hook", "claude-code", given={"hook_event_name": "Tomorrow", "session_id": "s-1"})
    assert (done.returncode, done.stdout) == (0, b"")
    assert health.read(database(tmp_path)).failures == 0


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--scope", "no scope"), "scope_invalid"), (("--db=postgresql://x/y",), "engine_unknown"),
        (("--space", "§"), "identifier_invalid"),
    ],
)  # fmt: skip
def test_settings_that_are_wrong_are_counted_and_disturb_nothing(
    run: Run, words: tuple[str, ...], code: str, tmp_path: Path
) -> None:
    done = run("hook", "claude-code", *words, given=ASKED)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    if not words[0].startswith("--db"):
        database(tmp_path).parent.mkdir(parents=True, exist_ok=True)
        run("hook", "claude-code", *words, given=ASKED)
        assert health.read(database(tmp_path)).last_error == code


def test_a_file_that_is_no_memory_is_left_alone(run: Run, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    connection = apsw.Connection(str(other))
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    was = other.read_bytes()
    done = run("hook", "claude-code", "--db", str(other), given=ASKED)
    assert (done.returncode, done.stdout) == (0, b"")
    assert other.read_bytes() == was
    assert health.read(other).last_error == "not_ours"
    assert spool.waiting(other).items == 1


def test_a_busy_store_holds_nobody_up_and_what_is_known_is_told_all_the_same(run: Run, tmp_path: Path) -> None:
    run("hook", "claude-code", given=ASKED)
    connection = apsw.Connection(str(database(tmp_path)))
    connection.execute("BEGIN IMMEDIATE")
    asked = {**ASKED, "session_id": "s-2", "prompt": "What is the mast made of?"}
    done = run("hook", "claude-code", given=asked, FIRSTHAND_HOOK_BUDGET_MS="8000")
    assert "made of spruce" in (added(done.stdout, "UserPromptSubmit") or "")
    assert spool.waiting(database(tmp_path)).items == 1
    assert health.read(database(tmp_path)).last_error == running.LATE
    connection.execute("ROLLBACK")
    connection.close()
    assert run("hook", "drain").stdout == b"Stored: 1. Still waiting: 0.\n"


def test_a_harness_that_has_gone_costs_nothing_that_was_said(run: Run, tmp_path: Path) -> None:
    run("hook", "claude-code", given=ASKED)
    asked = {**ASKED, "session_id": "s-2", "prompt": "What is the mast made of?", "cwd": str(tmp_path / "boat")}
    environ = {**os.environ, "HOME": str(tmp_path), "USER": "ana", "FIRSTHAND_HOOK_BUDGET_MS": "60000"}
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [FIRSTHAND, "hook", "claude-code"], input=json.dumps(asked).encode(), env=environ, stdout=writing,
        stderr=subprocess.PIPE, check=False,
    )  # fmt: skip
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")
    assert health.read(database(tmp_path)).stored == 2


def test_a_recall_that_breaks_tells_nothing_and_the_words_are_kept(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    session = make()

    def broken(*_: Any) -> None:
        raise RuntimeError("not a word of this")

    monkeypatch.setattr(answering, "_about", broken)
    assert session.ask("The mast is made of spruce.") is None
    assert session.texts() == ["The mast is made of spruce."]
    assert health.read(session.database).last_error == running.UNEXPECTED


def test_what_waits_is_destroyed_by_an_erasure_from_the_command_line(run: Run, tmp_path: Path) -> None:
    run("hook", "claude-code", given=ASKED)
    who = spool.Who(space="default", scope="project:boat", owner="ana", harness="codex", session="s-9")
    item = {"text": "The vault opens with qzkvwhjx.", "idempotency_key": "k"}
    assert spool.put(database(tmp_path), spool.Batch(who=who, items=[item]))
    words = ("--subject", "vault", "--object", "qzkvwhjx", "--reason-code", "privacy", "--yes", "--json")
    done = run("--role", "person", "--scope", "project:boat", "erase", *words)
    assert json.loads(done.stdout)["certificate"]["clean"]
    assert json.loads(run("sweep", "qzkvwhjx", "--json").stdout)["clean"]
    assert not json.loads(run("sweep", "spruce", "--json").stdout)["clean"]
    assert spool.waiting(database(tmp_path)).items == 0


def test_a_hook_loads_neither_the_command_line_nor_what_only_recalls_need(tmp_path: Path) -> None:
    script = (
        "import io, json, sys, time; from firsthand.surfaces.entry import hook_call; "
        "from firsthand.surfaces.hooks.running import run; "
        "event = {'hook_event_name': 'PostToolUse', 'session_id': 's', 'tool_name': 'Bash', 'tool_response': 'ok'}; "
        "run('codex', {'db': sys.argv[1] + '/m.db'}, started=time.monotonic(), "
        "stdin=io.BytesIO(json.dumps(event).encode()), stdout=io.BytesIO()); "
        "print(json.dumps(sorted(sys.modules)))"
    )
    plain = {k: v for k, v in os.environ.items() if not k.startswith("COVERAGE")}
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True,
        env={**plain, "FIRSTHAND_HOOK_BUDGET_MS": "60000"},
    )  # fmt: skip
    assert (tmp_path / "m.db").exists()
    loaded = set(json.loads(done.stdout))
    assert "firsthand.surfaces.hooks.storing" in loaded
    assert not loaded & {"click", "rich", "numpy", "asyncio", "http", "tomllib", "firsthand.surfaces.cli"}
    assert not loaded & {"shutil", "tempfile", "secrets", "importlib.resources", "firsthand.audit"}
    assert not [name for name in loaded if name.startswith(("firsthand.moving.", "firsthand.recall."))]


def test_a_hooks_time_begins_with_its_process_and_it_collects_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[object] = []
    monkeypatch.setattr("gc.disable", lambda: seen.append("nothing is collected"))
    monkeypatch.setattr("time.monotonic", lambda: 100.0)
    monkeypatch.setattr("time.process_time", lambda: 0.25)
    monkeypatch.setattr("firsthand.surfaces.hooks.running.run", lambda *_, started, **__: seen.append(started))
    monkeypatch.setattr("os._exit", seen.append)
    run_hook(HookCall("codex", {}))
    assert seen == ["nothing is collected", 99.75, 0]


@pytest.mark.parametrize(("own", "stored"), [(60_000, 1), (0, 0)])
def test_a_start_that_took_all_the_time_leaves_the_work_its_own(
    make: Make, monkeypatch: pytest.MonkeyPatch, own: int, stored: int
) -> None:
    monkeypatch.setattr(running, "WORK_MS", own)
    session = make()
    event = session.event("UserPromptSubmit", prompt="The mast is made of spruce.")
    flags: dict[Any, Any] = {"db": str(session.database), "actor": "ana"}
    late = time.monotonic() - 3_600
    running.run("codex", flags, started=late, stdin=io.BytesIO(json.dumps(event).encode()), stdout=io.BytesIO())
    assert health.read(session.database).stored == stored


@pytest.mark.parametrize(
    ("line", "flags"),
    [
        ("hook codex", {}), ("hook codex --db m.db --scope=project:x", {"db": "m.db", "scope": "project:x"}),
        ("--db m.db hook codex", {"db": "m.db"}), ("hook codex --tomorrow yes", {}),
        ("hook codex --actor", {"actor": None}),
    ],
)  # fmt: skip
def test_a_line_that_calls_a_hook_is_known(line: str, flags: dict[str, str]) -> None:
    call = hook_call(line.split())
    assert call is not None
    assert (call.harness, call.flags) == ("codex", flags)


@pytest.mark.parametrize(
    "line", ["hook install codex", "hook", "hook other", "recall hook codex", "hook codex --help", ""]
)
def test_any_other_line_is_the_command_line_s(line: str) -> None:
    assert hook_call(line.split()) is None


def test_the_command_line_has_the_hooks_as_well(run: Run) -> None:
    helped = run("hook", "claude-code", "--help")
    assert b"Take one event of claude-code" in helped.stdout
    assert run("hook", "nonsense").returncode == 2
    for words in ("install", "uninstall", "drain"):
        assert run("hook", words, "--help").returncode == 0
