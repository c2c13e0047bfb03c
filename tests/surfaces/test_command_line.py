"""How a command line is read, before any memory is opened."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from firsthand.surfaces.cli import COMMANDS, app, find_command, hoist, summary


@pytest.fixture
def runner(tmp_path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("DB", "SPACE", "SCOPE", "ACTOR", "OWNER", "ROLE"):
        monkeypatch.delenv(f"FIRSTHAND_{name}", raising=False)
    return CliRunner()


def test_global_options_may_stand_before_or_after_the_command() -> None:
    before = hoist(["--db", "x.db", "--json", "recall", "words", "--limit", "3"])
    after = hoist(["recall", "words", "--limit", "3", "--db", "x.db", "--json"])
    mixed = hoist(["--db", "x.db", "recall", "words", "--json", "--limit", "3"])
    assert before == after == mixed == (["--db", "x.db", "--json"], ["recall", "words", "--limit", "3"])


def test_the_value_of_a_commands_own_option_is_never_taken_for_a_global_one() -> None:
    assert hoist(["retract", "r1", "--reason", "--json"]) == ([], ["retract", "r1", "--reason", "--json"])
    assert hoist(["retract", "r1", "--reason", "x", "--json"])[0] == ["--json"]


def test_everything_after_two_dashes_is_prose() -> None:
    assert hoist(["recall", "--json", "--", "--db"]) == (["--json"], ["recall", "--", "--db"])


def test_an_equals_sign_joins_a_global_option_with_its_value() -> None:
    assert hoist(["stats", "--scope=project:x"]) == (["--scope=project:x"], ["stats"])


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_what_it_does_and_what_it_takes(name: str, runner: CliRunner) -> None:
    command = find_command(name)
    assert command is not None
    assert command.name == name
    shown = runner.invoke(app, [name, "--help"])
    assert shown.exit_code == 0
    assert "Usage: firsthand " + name in shown.stdout
    assert len(command.help or "") > 20


def test_the_help_lists_every_command(runner: CliRunner) -> None:
    shown = runner.invoke(app, ["--help"])
    assert shown.exit_code == 0
    words = " ".join(shown.stdout.split())
    for name in COMMANDS:
        assert f"{name} {summary(name)}" in words


@pytest.mark.parametrize(
    "words",
    [["nosuch"], ["recall"], ["recall", "x", "--nosuch"], ["recall", "x", "--limit", "many"], ["retract", "r1"]],
)
def test_a_command_line_that_cannot_be_read_leaves_with_two(words: list[str], runner: CliRunner) -> None:
    plain = runner.invoke(app, words)
    assert plain.exit_code == 2
    assert plain.stdout == ""
    assert plain.stderr != ""
    told = runner.invoke(app, [*words, "--json"])
    assert told.exit_code == 2
    error = json.loads(told.stdout)["error"]
    assert error["category"] == "invalid"
    assert error["next_action"] == "fix_and_resubmit"
    assert told.stderr == ""


def test_a_bad_setting_is_an_error_of_one_line_that_says_what_to_do(runner: CliRunner) -> None:
    shown = runner.invoke(app, ["stats", "--scope", "project:*"])
    assert shown.exit_code == 2
    assert shown.stdout == ""
    assert shown.stderr.count("\n") == 1
    assert "[scope_invalid]" in shown.stderr
    assert "Fix this and run it again." in shown.stderr


def test_standard_input_that_is_not_utf_8_is_invalid(runner: CliRunner) -> None:
    for text, code in ((b"\xff\xfe", "text_not_utf8"), (b"a" * 70_000 + b"\xff", "text_too_long")):
        told = runner.invoke(app, ["--json", "capture", "-", "--db", "m.db"], input=text)
        assert told.exit_code == 2
        assert json.loads(told.stdout)["error"]["code"] == code
        assert json.loads(told.stdout)["error"]["field"] == "text"


def test_the_version_is_told(runner: CliRunner) -> None:
    shown = runner.invoke(app, ["--version"])
    assert shown.exit_code == 0
    assert shown.stdout.startswith("firsthand")
