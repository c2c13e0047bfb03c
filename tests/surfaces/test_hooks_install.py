"""The installer shows what it would change, and takes out exactly what it put in."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firsthand.surfaces.cli import app
from firsthand.surfaces.hooks import installing
from firsthand.surfaces.hooks.installing import EVENTS, installation, is_ours, removal, settings_file, write
from firsthand.vocabulary.errors import BrokenError, ConflictError, FirsthandError, InvalidError

COMMAND = "/opt/my tools/bin/firsthand hook claude-code"
OTHERS: dict[str, Any] = {
    "model": "opus",
    "permissions": {"allow": ["Bash(ls:*)"], "deny": []},
    "hooks": {
        "PostToolUse": [
            {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "prettier --write", "timeout": 5}]},
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo firsthand hook claude-codes"}]},
        ],
        "Notification": [{"hooks": [{"type": "command", "command": "say Grüße"}]}],
    },
    "unknown": 1.5,
}
FORMATS: list[Callable[[Any], str]] = [
    lambda settings: json.dumps(settings, indent=2, ensure_ascii=False) + "\n",
    lambda settings: json.dumps(settings, indent=4, ensure_ascii=False),
    lambda settings: json.dumps(settings, indent="\t", ensure_ascii=False).replace("\n", "\r\n") + "\r\n",
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / ".claude" / "settings.json"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home and a project folder of one's own, the latter the working folder."""
    for name in ("home", "boat/.git"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for variable in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(tmp_path / "boat")
    return tmp_path / "home"


def made(path: Path, text: str, mode: int = 0o640) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    path.chmod(mode)
    return path


def call(*words: str, typed: str | None = None) -> Any:
    return CliRunner().invoke(app, ["hook", *words], input=typed)


# ---- what it writes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("harness", EVENTS)
def test_the_hooks_stand_there_in_the_form_the_harness_reads(path: Path, harness: Any) -> None:
    write(installation(path, harness, COMMAND))
    hooks = json.loads(path.read_text())["hooks"]
    assert tuple(hooks) == EVENTS[harness]
    assert all(g == [{"hooks": [{"type": "command", "command": COMMAND, "timeout": 10}]}] for g in hooks.values())


@pytest.mark.parametrize("form", FORMATS)
def test_what_others_have_there_stays_and_uninstalling_gives_the_file_back(
    path: Path, form: Callable[[Any], str]
) -> None:
    text = form(OTHERS)
    made(path, text)
    write(installation(path, "claude-code", COMMAND))
    now = json.loads(path.read_text())
    assert now["hooks"]["PostToolUse"][:2] == OTHERS["hooks"]["PostToolUse"]
    assert len(now["hooks"]["PostToolUse"]) == 3
    assert {k: v for k, v in now.items() if k != "hooks"} == {k: v for k, v in OTHERS.items() if k != "hooks"}
    write(removal(path, "claude-code"))
    assert path.read_bytes() == text.encode()


BY_HAND = [
    '{ "model":"opus" ,\n\n      "allow": [ "Bash(ls:*)",\n  "Read" ],\n "a": {"b":[ ]}, "n": 1.50, "e": 1e3,\n'
    '  "hooks": {"Stop": [ {"hooks": [{"command": "say \\u00fc", "type":"command"}]}\n ] , "Notification":[] }\n}\n\n',
    '{"a":1}',
    '{"a": 1, "hooks": {"Stop": [{"hooks": [{"command": "x"}]}]}}',
    '\n{\t"a" : [1,\t2]\t}',
    '{\r\n    "a": [1, 2],\r\n    "hooks": {"PostToolUse": [\r\n      {"matcher": "X", "hooks": []}]}}\r\n',
    "{}",
]


@pytest.mark.parametrize("text", BY_HAND)
def test_a_file_that_was_written_by_hand_is_given_back_byte_for_byte(path: Path, text: str) -> None:
    made(path, text)
    write(installation(path, "claude-code", COMMAND))
    now = json.loads(path.read_text())
    assert all(now["hooks"][event][-1]["hooks"][0]["command"] == COMMAND for event in EVENTS["claude-code"])
    write(installation(path, "claude-code", f"{COMMAND} --db /x.db"))
    assert path.read_text().count("firsthand hook") == len(EVENTS["claude-code"])
    write(removal(path, "claude-code"))
    assert path.read_bytes() == text.encode()


def test_what_was_changed_by_hand_since_stays_as_it_was_written(path: Path) -> None:
    made(path, BY_HAND[0])
    write(installation(path, "claude-code", COMMAND))
    mine = path.read_text().replace('"model":"opus" ,', '"model" :"haiku",   "more":[1,\n2],').replace("Read", "Write")
    path.write_text(mine)
    write(removal(path, "claude-code"))
    wanted = BY_HAND[0].replace('"model":"opus" ,', '"model" :"haiku",   "more":[1,\n2],').replace("Read", "Write")
    assert path.read_text() == wanted


def test_a_member_that_is_there_twice_is_written_anew_and_says_the_same(path: Path) -> None:
    ours = json.dumps({"Stop": [{"hooks": [{"type": "command", "command": COMMAND}]}]})
    made(path, f'{{"hooks": {{"Stop": []}}, "a": 1, "hooks": {ours}}}')
    write(removal(path, "claude-code"))
    assert json.loads(path.read_text()) == {"a": 1}


def test_installing_twice_changes_nothing_and_a_new_command_takes_the_place_of_the_old(path: Path) -> None:
    write(installation(path, "claude-code", COMMAND))
    assert installation(path, "claude-code", COMMAND).diff == ""
    write(installation(path, "claude-code", f"{COMMAND} --db /x.db"))
    assert path.read_text().count("firsthand hook") == path.read_text().count("--db /x.db") == 6


def test_only_hooks_of_that_harness_are_ours() -> None:
    ours = (
        "firsthand hook codex",
        "/a/b/firsthand hook codex --db x",
        "'/a b/firsthand' hook codex",
        "C:\\x\\firsthand.exe hook codex",
    )
    assert all(is_ours(command, "codex") for command in ours)
    others = ("firsthand hook claude-code", "notfirsthand hook codex", "firsthand hook codexes", "echo", None, 3)
    assert not any(is_ours(command, "codex") for command in others)


def test_a_handler_beside_ours_in_one_group_stays(path: Path) -> None:
    other = {"type": "command", "command": "echo hi"}
    ours = {"type": "command", "command": COMMAND}
    made(path, json.dumps({"hooks": {"Stop": [{"hooks": [ours, other]}], "SessionEnd": [{"hooks": [ours]}]}}))
    write(removal(path, "claude-code"))
    assert json.loads(path.read_text()) == {"hooks": {"Stop": [{"hooks": [other]}]}}


# ---- files as they are -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ['{"hooks": {', "// a comment\n{}", "[1]", '{"hooks": []}', '{"hooks": {"Stop": 3}}', "null"]
)
def test_settings_that_are_broken_are_refused_and_left_alone(path: Path, text: str) -> None:
    made(path, text)
    for change in (lambda: installation(path, "claude-code", COMMAND), lambda: removal(path, "claude-code")):
        with pytest.raises(InvalidError) as caught:
            change()
        assert caught.value.code in ("settings_broken", "settings_shape")
    assert path.read_text() == text


@pytest.mark.parametrize("text", ["", "  \n", "{}", "{}\n"])
def test_empty_settings_are_filled(path: Path, text: str) -> None:
    made(path, text)
    write(installation(path, "claude-code", COMMAND))
    assert len(json.loads(path.read_text())["hooks"]) == 6


def test_a_link_stays_a_link_and_the_mode_is_kept(tmp_path: Path, path: Path) -> None:
    target = made(tmp_path / "dotfiles" / "settings.json", "{}", 0o600)
    path.parent.mkdir(parents=True)
    path.symlink_to(target)
    write(installation(path, "claude-code", COMMAND))
    assert path.is_symlink()
    assert "firsthand" in target.read_text()
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    target.chmod(0o644)
    write(removal(path, "claude-code"))
    assert stat.S_IMODE(target.stat().st_mode) == 0o644
    assert os.listdir(target.parent) == ["settings.json"]


def test_a_link_that_leads_nowhere_yet_and_a_folder_that_is_missing_are_made(tmp_path: Path, path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.symlink_to(tmp_path / "dotfiles" / "settings.json")
    write(installation(path, "claude-code", COMMAND))
    assert "firsthand" in (tmp_path / "dotfiles" / "settings.json").read_text()
    assert stat.S_IMODE(path.stat().st_mode) == installing.NEW_MODE


def test_settings_that_somebody_changed_meanwhile_are_not_overwritten(path: Path) -> None:
    change = installation(made(path, "{}"), "claude-code", COMMAND)
    path.write_text('{"model": "opus"}')
    with pytest.raises(ConflictError):
        write(change)
    assert path.read_text() == '{"model": "opus"}'


def test_what_cannot_be_written_or_read_is_said_and_leaves_no_rest(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change = installation(made(path, "{}"), "claude-code", COMMAND)

    def refuse(*_: Any) -> None:
        raise PermissionError(13, "no")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", refuse)
        with pytest.raises(BrokenError) as caught:
            write(change)
    assert caught.value.code == "settings_unwritable"
    assert os.listdir(path.parent) == ["settings.json"]
    path.unlink()
    path.mkdir()
    with pytest.raises(FirsthandError) as unread:
        removal(path, "claude-code")
    assert unread.value.code == "settings_unreadable"


# ---- the commands ----------------------------------------------------------------------------------------------------


def test_nothing_is_written_until_somebody_agrees(home: Path) -> None:
    shown = call("install", "claude-code")
    assert shown.exit_code == 0
    assert '+            "command": ' in shown.output
    assert "Nothing is written yet." in shown.output
    assert not (home / ".claude").exists()
    done = call("install", "claude-code", "--yes")
    assert "Written: " in done.output
    assert (home / ".claude" / "settings.json").exists()
    assert "Nothing to change" in call("install", "claude-code", "--yes").output
    undone = call("uninstall", "claude-code", "--yes")
    assert "Written: " in undone.output
    assert json.loads((home / ".claude" / "settings.json").read_text()) == {}


@pytest.mark.parametrize(("typed", "written"), [("y\n", True), ("n\n", False), ("", False)])
def test_on_a_terminal_it_asks(home: Path, monkeypatch: pytest.MonkeyPatch, typed: str, written: bool) -> None:
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda self: True, raising=False)
    call("install", "codex", typed=typed)
    assert (home / ".codex" / "hooks.json").exists() is written


def test_the_user_s_and_the_project_s_settings_are_apart(home: Path, tmp_path: Path) -> None:
    call("install", "codex", "--project", "--yes")
    hooks = tmp_path / "boat" / ".codex" / "hooks.json"
    assert hooks.exists()
    assert not (home / ".codex").exists()
    call("uninstall", "codex", "--user", "--yes")
    assert "firsthand hook codex" in hooks.read_text()
    assert call("install", "codex", "--project", "--user").exit_code != 0
    where = settings_file("codex", project=None, environ={"CODEX_HOME": "/c"})
    assert (str(where), str(settings_file("claude-code", project=None, environ={"CLAUDE_CONFIG_DIR": "/d"}))) == (
        "/c/hooks.json", "/d/settings.json",
    )  # fmt: skip


def test_options_on_the_line_stand_in_the_hooks(home: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["--db", "m.db", "--scope", "project:fleet", "hook", "install", "codex", "--yes"])
    assert result.exit_code == 0
    command = json.loads((home / ".codex" / "hooks.json").read_text())["hooks"]["Stop"][0]["hooks"][0]["command"]
    assert command.endswith(f"hook codex --db {tmp_path / 'boat' / 'm.db'} --scope project:fleet")
    assert is_ours(command, "codex")
