"""Where an import goes that was told no scope: where the hooks and the MCP server of that project write."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from harness import TIMESTAMP, Make, Session

from firsthand.surfaces.cli import app

FILES = {
    "chatgpt": '[{"title": "t", "mapping": {}}]',
    "claude": '[{"uuid": "c", "name": "", "chat_messages": []}]',
    "mcp-memory": '{"type": "entity", "name": "Crumb", "entityType": "bakery", "observations": ["It bakes rye."]}',
    "markdown": "# Bread\n- Rye is baked on Monday.",
    "chat": '{"id": "1", "speaker": "Ben", "text": "Rye is baked on Monday."}',
}


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project `orchard` in which commands run, with no setting of any scope."""
    for name in ("FIRSTHAND_SCOPE", "FIRSTHAND_DB"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "orchard"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def imported(database: Path, *words: str) -> Any:
    result = CliRunner().invoke(app, ["--db", str(database), "--actor", "ana", "--json", "import", *words])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def session_file(session: Session, text: str, folder: str | None) -> None:
    session.write("user", text, **({} if folder is None else {"cwd": folder}))


def test_a_session_goes_where_its_hooks_wrote_and_nothing_of_it_is_doubled(make: Make, elsewhere: Path) -> None:
    session = make()
    session.ask("Which bread is baked first?")
    session.line({"type": "summary", "summary": "cwd", "cwd": 4})
    session_file(session, "And which is baked last?", str(session.folder))
    report = imported(session.database, "claude-code", str(session.transcript), "--speaker", "user")
    assert (report["scopes"], report["known"], report["added"]) == (["project:boat"], 1, 2)
    assert Counter(session.texts()) == Counter(["Which bread is baked first?", "And which is baked last?", "cwd"])


def test_of_a_folder_of_sessions_each_goes_to_its_own_project(make: Make, elsewhere: Path) -> None:
    boat, other = make("s-1"), make("s-2")
    session_file(boat, "The boat is green.", str(boat.folder))
    session_file(other, "The orchard is old.", None)
    report = imported(boat.database, "claude-code", str(boat.transcript.parent))
    assert (report["scopes"], report["added"]) == (["project:boat", "project:orchard"], 2)
    for scope, said in (("project:boat", "The boat is green."), ("project:orchard", "The orchard is old.")):
        with boat.memory(scope) as memory:
            assert [item.text for item in memory.list(kinds=["episodic"]).items] == [said]


def test_a_session_of_codex_goes_where_its_first_line_says(make: Make, elsewhere: Path) -> None:
    session = make("s-1", "codex")
    session.line({"timestamp": TIMESTAMP, "type": "session_meta", "payload": {"id": "s-1", "cwd": str(session.folder)}})
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "The boat is green."}]}
    session.line({"timestamp": TIMESTAMP, "type": "response_item", "payload": said})
    report = imported(session.database, "codex", str(session.transcript))
    assert (report["scopes"], report["added"]) == (["project:boat"], 1)


def test_the_scope_that_the_sessions_own_project_has_set_is_that_of_its_hooks(make: Make, elsewhere: Path) -> None:
    session = make()
    (session.folder / "firsthand.toml").write_text('scope = "project:ferry"\n')
    session_file(session, "The boat is green.", str(session.folder))
    assert imported(session.database, "claude-code", str(session.transcript))["scopes"] == ["project:ferry"]


def test_a_scope_that_is_set_wins(make: Make, elsewhere: Path) -> None:
    session = make()
    session_file(session, "The boat is green.", str(session.folder))
    told = imported(session.database, "claude-code", str(session.transcript), "--scope", "user:ana")
    assert told["scopes"] == ["user:ana"]
    (elsewhere / "firsthand.toml").write_text('scope = "project:set"\n')
    assert imported(session.database, "claude-code", str(session.transcript))["scopes"] == ["project:set"]


@pytest.mark.parametrize("format_", FILES)
def test_what_is_no_session_goes_to_the_project_of_the_folder(tmp_path: Path, elsewhere: Path, format_: str) -> None:
    (elsewhere / "file.md").write_text(FILES[format_])
    assert imported(tmp_path / "m.db", format_, "file.md")["scopes"] == ["project:orchard"]
    said = CliRunner().invoke(app, ["--db", str(tmp_path / "m.db"), "import", format_, "file.md"]).stdout
    assert "into project:orchard, in" in said
