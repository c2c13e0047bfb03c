"""Which embedder a memory has is set by a file or a variable, and every door heeds it."""

from __future__ import annotations

import io
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import firsthand
from firsthand.config import NAMES, read_settings
from firsthand.inference.static import IDENTITY
from firsthand.surfaces.cli import app
from firsthand.surfaces.cli_mcp import open_for
from firsthand.surfaces.desk import open_memory
from firsthand.surfaces.hooks.spool import Who
from firsthand.surfaces.hooks.storing import opened, store
from firsthand.vocabulary.errors import ConflictError, InvalidError

NO_FLAGS = dict.fromkeys(NAMES)
ENDPOINT = "http://127.0.0.1:9/v1#tiny"
"""Where nobody listens."""


def run(*words: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    with pytest.raises(SystemExit) as left:
        app.main(list(words))
    told = capsys.readouterr()
    return int(left.value.code or 0), told.out + told.err


def pinned(path: Path) -> list[Any]:
    connection = sqlite3.connect(path)
    try:
        return [row[0] for row in connection.execute("SELECT identity FROM embedding")]
    finally:
        connection.close()


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("FIRSTHAND_EMBEDDER", "FIRSTHAND_EMBEDDER_KEY", "FIRSTHAND_DB"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("firsthand.inference.remote.FIRST_WAIT_SECONDS", 0.01)


def test_a_variable_beats_the_file_and_the_default_is_our_own(tmp_path: Path) -> None:
    assert read_settings(NO_FLAGS, {"HOME": "/"}, tmp_path).embedder == "default"
    (tmp_path / "firsthand.toml").write_text(f'embedder = "{ENDPOINT}"\n')
    settings = read_settings(NO_FLAGS, {"HOME": "/"}, tmp_path)
    assert (settings.embedder, settings.origins["embedder"]) == (ENDPOINT, "firsthand.toml")
    assert read_settings(NO_FLAGS, {"HOME": "/", "FIRSTHAND_EMBEDDER": "none"}, tmp_path).embedder == "none"


def test_every_door_opens_the_memory_with_the_embedder_that_is_set(tmp_path: Path) -> None:
    (tmp_path / "firsthand.toml").write_text(f'db = "m.db"\nembedder = "{ENDPOINT}"\nactor = "ana"\n')
    settings = read_settings(NO_FLAGS, {"HOME": "/"}, tmp_path)
    with open_memory(settings) as memory:
        memory.capture("The boat is blue")
        assert memory.facts()["embedder"] == ENDPOINT
    assert pinned(tmp_path / "m.db") == [ENDPOINT]
    with open_for(settings, "a-client", ("space:",), "high") as memory:
        assert memory.facts()["embedder"] == ENDPOINT


@pytest.mark.parametrize("embedder", [ENDPOINT, "default"])
def test_a_hook_waits_for_no_endpoint_and_loses_nothing_because_of_one(tmp_path: Path, embedder: str) -> None:
    database = tmp_path / "m.db"
    who = Who(space="default", scope="space:", owner="ana", harness="claude-code", session="s")
    with opened(database, who, ENDPOINT) as memory:
        store(memory, [{"text": "The boat is blue"}])
    assert pinned(database) == [""]
    with firsthand.open(database, actor="ana", embedder=ENDPOINT) as memory:
        assert memory.facts()["vectors_pending"] == 1
    with opened(database, who, embedder) as memory:
        store(memory, [{"text": "The mast is oak"}])
        found = memory.recall("mast")
        assert [i.text for i in found.items] == ["The mast is oak"]
        assert found.degraded == ("vector_arm_unavailable",)
    assert pinned(database) == [ENDPOINT]


def test_the_command_line_gives_a_space_another_embedder_and_works_off_what_waits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRSTHAND_DB", str(tmp_path / "m.db"))
    run("capture", "The boat is blue", capsys=capsys)
    assert pinned(tmp_path / "m.db") == [IDENTITY]
    code, told = run("reindex", "--embedder", ENDPOINT, capsys=capsys)
    assert code == 0
    assert "1 wait" in told
    assert "embedder_unreachable" in told
    assert pinned(tmp_path / "m.db") == [ENDPOINT]
    code, told = run("recall", "boat", capsys=capsys)
    assert code == ConflictError.exit_code
    assert f"set embedder to {ENDPOINT}" in told
    assert "firsthand reindex" in told
    code, told = run("doctor", capsys=capsys)
    assert code != 0
    assert "PROBLEM" in told
    monkeypatch.setenv("FIRSTHAND_EMBEDDER", ENDPOINT)
    code, told = run("recall", "boat", capsys=capsys)
    assert code == 0
    assert "The boat is blue" in told
    code, told = run("embed", "--json", capsys=capsys)
    assert json.loads(told)["code"] == "embedder_unreachable"
    code, told = run("doctor", capsys=capsys)
    assert code == 0
    assert f"Embedder: {ENDPOINT}." in told
    assert "wait for a vector: 1; `firsthand embed`" in told
    assert "failed last with embedder_unreachable" in told
    assert "what is erased here is not erased there" in told
    monkeypatch.delenv("FIRSTHAND_EMBEDDER")
    code, told = run("reindex", capsys=capsys)
    assert code == 0
    assert "1 have a vector now; 0 wait" in told
    code, told = run("recall", "boat", "--json", capsys=capsys)
    assert json.loads(told)["degraded"] == []


def test_a_setting_that_names_no_embedder_or_holds_a_secret_is_refused(tmp_path: Path) -> None:
    for text, code in (
        ("other", "embedder_unknown"),
        ("https://h/v1#ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", None),
    ):
        with pytest.raises(InvalidError) as caught:
            firsthand.open(tmp_path / "m.db", actor="ana", embedder=text)
        assert caught.value.field == "embedder"
        assert code in (None, caught.value.code)
        assert "ghp_" not in caught.value.message
    assert not (tmp_path / "m.db").exists()


def test_a_bench_of_ones_own_memory_asks_no_endpoint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRSTHAND_DB", str(tmp_path / "m.db"))
    monkeypatch.setenv("FIRSTHAND_EMBEDDER", ENDPOINT)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    run("capture", "The boat is blue and the mast is oak", capsys=capsys)

    def asked(*given: object) -> bytes:
        raise AssertionError

    monkeypatch.setattr("firsthand.inference.remote.RemoteEmbedder._post", asked)
    code, told = run("bench", "--rounds", "2", capsys=capsys)
    assert code == 0, told
