"""Settings come from flags, variables, a file and defaults, in that order."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest
from harness import Make

from firsthand.config import NAMES, default_database, file_text, read_settings
from firsthand.surfaces.cli_mcp import open_for
from firsthand.surfaces.desk import open_memory
from firsthand.vocabulary.errors import InvalidError

NO_FLAGS = dict.fromkeys(NAMES)


def test_a_flag_beats_a_variable_and_a_variable_beats_the_file(tmp_path: Path) -> None:
    (tmp_path / "firsthand.toml").write_text('scope = "project:file"\nspace = "file"\nactor = "file"\n')
    environ = {"FIRSTHAND_SCOPE": "project:variable", "FIRSTHAND_SPACE": "variable", "HOME": str(tmp_path)}
    settings = read_settings({**NO_FLAGS, "scope": "project:flag"}, environ, tmp_path)
    assert (settings.scope, settings.space, settings.actor) == ("project:flag", "variable", "file")
    assert settings.origins["scope"] == "flag"
    assert settings.origins["space"] == "FIRSTHAND_SPACE"
    assert settings.origins["actor"] == "firsthand.toml"
    assert settings.origins["role"] == "default"


def test_without_anything_the_defaults_hold(tmp_path: Path) -> None:
    settings = read_settings(NO_FLAGS, {"HOME": str(tmp_path), "USER": "ana"}, tmp_path)
    assert settings.db == str(tmp_path / ".local" / "share" / "firsthand" / "memory.db")
    assert (settings.space, settings.scope, settings.role, settings.actor) == ("default", "space:", "agent", "ana")
    assert settings.file is None


@pytest.mark.parametrize("known", [True, False])
def test_who_has_no_name_in_the_environment_is_the_same_owner_by_every_door(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:
    for name in ("USER", "LOGNAME", "USERNAME", "FIRSTHAND_ACTOR", "FIRSTHAND_OWNER"):
        monkeypatch.delenv(name, raising=False)

    def entry(_uid: int) -> SimpleNamespace:
        if not known:
            raise KeyError
        return SimpleNamespace(pw_name="noor")

    monkeypatch.setattr("pwd.getpwuid", entry)
    monkeypatch.setattr("harness.FLAGS", {})
    session = make()
    settings = read_settings({**NO_FLAGS, "db": str(session.database)}, folder=tmp_path)
    session.ask("Which bread is baked first?")
    with open_memory(settings) as memory:
        memory.capture("Rye is baked first.", speaker="Ben")
    with open_for(settings, "a-client", ("space:",), "high") as memory:
        memory.capture("Rye is baked last.", speaker="Ben")
    assert settings.actor == ("noor" if known else "user")
    with sqlite3.connect(session.database) as connection:
        authors = [json.loads(row[0])["author"] for row in connection.execute("SELECT skeleton FROM entry")]
    connection.close()
    assert {told.get("harness") for told in authors} >= {"claude-code", "cli", "a-client"}
    assert len({told["owner"] for told in authors if told.get("harness")}) == 1


def test_an_owner_is_named_by_flag_variable_or_file_and_else_is_the_actor(tmp_path: Path) -> None:
    assert read_settings(NO_FLAGS, {"HOME": "/", "USER": "ana"}, tmp_path).owner is None
    (tmp_path / "firsthand.toml").write_text('owner = "ana"\n')
    assert read_settings(NO_FLAGS, {"HOME": "/"}, tmp_path).owner == "ana"
    assert read_settings(NO_FLAGS, {"HOME": "/", "FIRSTHAND_OWNER": "ben"}, tmp_path).owner == "ben"
    settings = read_settings({**NO_FLAGS, "owner": "cem"}, {"HOME": "/", "FIRSTHAND_OWNER": "ben"}, tmp_path)
    assert (settings.owner, settings.origins["owner"]) == ("cem", "flag")


def test_the_nearest_file_above_counts_and_its_path_starts_from_its_own_folder(tmp_path: Path) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    (tmp_path / "firsthand.toml").write_text('db = "far.db"\n')
    (tmp_path / "a" / "firsthand.toml").write_text('db = "near.db"\n')
    settings = read_settings(NO_FLAGS, {"HOME": "/"}, below)
    assert settings.db == str(tmp_path / "a" / "near.db")
    assert settings.file == str(tmp_path / "a" / "firsthand.toml")


def test_an_empty_variable_counts_as_not_set(tmp_path: Path) -> None:
    settings = read_settings(NO_FLAGS, {"HOME": "/", "FIRSTHAND_SPACE": "", "FIRSTHAND_ROLE": "person"}, tmp_path)
    assert settings.space == "default"
    assert settings.role == "person"


@pytest.mark.parametrize(
    ("text", "code"),
    [("scop = 'project:x'", "settings_invalid"), ("space = 3", "settings_invalid"), ("space = ", "settings_invalid")],
)
def test_a_file_that_says_what_nobody_reads_is_refused(tmp_path: Path, text: str, code: str) -> None:
    (tmp_path / "firsthand.toml").write_text(text)
    with pytest.raises(InvalidError) as caught:
        read_settings(NO_FLAGS, {"HOME": "/"}, tmp_path)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("name", "value"), [("scope", "project:*"), ("role", "king"), ("space", "a b"), ("actor", " ")]
)
def test_a_setting_that_breaks_its_form_names_its_field_and_never_its_content(
    tmp_path: Path, name: str, value: str
) -> None:
    with pytest.raises(InvalidError) as caught:
        read_settings({**NO_FLAGS, name: value}, {"HOME": "/"}, tmp_path)  # type: ignore[dict-item]
    assert caught.value.field == name
    assert value.strip() == "" or value not in caught.value.message


def test_what_init_writes_down_is_read_back(tmp_path: Path) -> None:
    chosen = {"db": str(tmp_path / 'odd "name".db'), "scope": "project:orion", "actor": "Ana Öst", "role": "person"}
    (tmp_path / "firsthand.toml").write_text(file_text(chosen), encoding="utf-8")  # type: ignore[arg-type]
    settings = read_settings(NO_FLAGS, {"HOME": "/"}, tmp_path)
    assert {name: getattr(settings, name) for name in chosen} == chosen


def test_each_platform_has_its_data_folder() -> None:
    assert default_database({"HOME": "/h", "XDG_DATA_HOME": "/x"}, "linux") == Path("/x/firsthand/memory.db")
    assert default_database({"HOME": "/h", "XDG_DATA_HOME": "rel"}, "linux") == Path(
        "/h/.local/share/firsthand/memory.db"
    )
    assert default_database({"HOME": "/h"}, "darwin") == Path("/h/Library/Application Support/firsthand/memory.db")
    assert default_database({"LOCALAPPDATA": "/l"}, "win32") == Path("/l/firsthand/memory.db")
