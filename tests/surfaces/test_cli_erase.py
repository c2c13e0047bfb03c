"""The commands that destroy, as people and programs see them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

WORD = "qzkvwhjx"


@pytest.fixture
def run(tmp_path: Path) -> Any:
    def call(*words: str, role: str = "person") -> subprocess.CompletedProcess[str]:
        command = [
            str(Path(sys.executable).parent / "firsthand"),
            "--db",
            "m.db",
            "--scope",
            "project:boat",
            "--actor",
            "ana",
        ]
        given = {k: v for k, v in os.environ.items() if not k.startswith("FIRSTHAND_")}
        return subprocess.run(
            [*command, "--role", role, *words], cwd=tmp_path, capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL, env=given,
        )  # fmt: skip

    return call


def stored(run: Any, *words: str) -> str:
    return str(json.loads(run(*words, "--json").stdout)["record_id"])


def test_erase_shows_its_plan_and_carries_out_exactly_that(run: Any) -> None:
    claim = stored(run, "remember", "--subject", "vault", "--predicate", "word", "--object", WORD)
    shown = run("erase", claim[:12], "--reason-code", "privacy")
    assert shown.returncode == 0
    assert "Nothing is erased yet." in shown.stdout
    assert run("sweep", WORD).returncode == 1
    plan = json.loads(run("erase", claim, "--reason-code", "privacy", "--dry-run", "--json").stdout)
    assert not plan["executed"]
    assert plan["plan"]["hash"] in shown.stdout
    stale = run("erase", claim, "--reason-code", "privacy", "--hash", "0" * 40, "--json")
    assert (stale.returncode, json.loads(stale.stdout)["error"]["code"]) == (7, "plan_stale")
    done = run("erase", claim, "--reason-code", "privacy", "--hash", plan["plan"]["hash"])
    assert done.returncode == 0
    assert "Clean: 3 bodies" in done.stdout
    assert "not provable" in done.stdout
    assert WORD not in done.stdout
    swept = run("sweep", WORD)
    assert (swept.returncode, "Found nothing." in swept.stdout) == (0, True)
    again = done.stdout.split("certificate ")[1].split()[0]
    assert "Clean: 3 bodies" in run("certificate", again).stdout
    assert run("verify", "--deep").returncode == 0


def test_erase_by_value_and_at_once(run: Any) -> None:
    run("capture", f"the vault word is {WORD}")
    done = run("erase", "--subject", "vault", "--object", WORD, "--reason-code", "leak", "--yes", "--json")
    assert json.loads(done.stdout)["certificate"]["clean"]
    assert json.loads(run("sweep", WORD, "--json").stdout)["clean"]


def test_an_agent_is_sent_to_a_person_and_a_hold_stops_even_her(run: Any) -> None:
    talk = stored(run, "capture", "Some words.")
    denied = run("erase", talk, "--reason-code", "privacy", "--yes", "--json", role="agent")
    assert (denied.returncode, json.loads(denied.stdout)["error"]["next_action"]) == (5, "ask_person")
    assert run("hold", talk, "--reason", "case 7").returncode == 0
    held = run("erase", talk, "--reason-code", "privacy", "--yes", "--json")
    assert (held.returncode, json.loads(held.stdout)["error"]["code"]) == (8, "legal_hold")
    assert run("release", talk, "--reason", "closed").returncode == 0
    assert run("erase", talk, "--reason-code", "privacy", "--yes").returncode == 0


def test_retention_is_shown_and_run(run: Any) -> None:
    run("capture", "Some words.")
    assert "keeps everything for ever" in run("retention", "show").stdout
    assert json.loads(run("retention", "run", "--json").stdout) == {
        "rules": [], "due": [], "erased": [], "certificates": []
    }  # fmt: skip
    missing = run("erase", "--subject", "a", "--object", "c")
    assert (missing.returncode, "--reason-code" in missing.stderr) == (2, True)
