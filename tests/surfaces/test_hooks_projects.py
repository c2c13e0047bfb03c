"""Which scope a folder gives, and who a hook speaks for."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import Make

from firsthand.config import read_settings
from firsthand.surfaces.doctor import examine, findings
from firsthand.surfaces.hooks.projects import project_scope, scope_id, user_scope
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.grants import check_scope


def test_a_folder_of_a_repository_gives_the_repository_s_name_and_another_its_own(tmp_path: Path) -> None:
    (tmp_path / "boat" / ".git").mkdir(parents=True)
    (tmp_path / "boat" / "deep" / "down").mkdir(parents=True)
    (tmp_path / "loose" / "end").mkdir(parents=True)
    assert project_scope(tmp_path / "boat" / "deep" / "down") == "project:boat"
    assert project_scope(tmp_path / "boat") == "project:boat"
    assert project_scope(tmp_path / "loose" / "end") == "project:end"


def test_a_worktree_belongs_to_its_repository_and_a_submodule_to_itself(tmp_path: Path) -> None:
    for name, git in (
        ("tree-7", f"gitdir: {tmp_path}/boat/.git/worktrees/tree-7\n"),
        ("sub", "gitdir: ../.git/modules/sub\n"),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / ".git").write_text(git)
    assert project_scope(tmp_path / "tree-7") == "project:boat"
    assert project_scope(tmp_path / "sub") == "project:sub"


@pytest.mark.parametrize(
    "name", ["My Boat", "日本", "Boot", "a" * 200, "a" * 199 + "b", "..", " ", "-", "ü", "x/y", "a:b"]
)
def test_any_name_gives_a_scope_of_its_own(name: str) -> None:
    scope = user_scope(name)
    assert check_scope(scope) == scope
    others = ("my boat", "My-Boat", "日曜", "a" * 199 + "c", "u", "xy", "")
    assert scope not in {user_scope(other) for other in others}
    assert scope_id("boat-2.0_x+y@z") == "boat-2.0_x+y@z"


def test_the_file_of_a_project_says_otherwise_and_doctor_shows_which(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = make()
    session.ask("In the project.")
    (session.folder / "firsthand.toml").write_text('scope = "project:fleet"\n\n[hook]\npacket_bytes = 2048\n')
    session.ask("In the fleet.")
    with session.memory("project:fleet") as memory:
        assert [item.text for item in memory.list().items] == ["In the fleet."]
    with session.memory("project:boat") as memory:
        assert [item.text for item in memory.list().items] == ["In the project."]
    for folder, scope in ((session.folder, "project:fleet"), (tmp_path, f"project:{tmp_path.name}")):
        monkeypatch.chdir(folder)
        found = examine(read_settings({"db": str(session.database)}, {"HOME": "/"}, folder), verify=False)
        assert found.hook_scope == scope
        assert any(scope in line for line in findings(found))


def test_a_session_stays_in_its_project_wherever_its_shell_goes(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    session = make()
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(session.folder))
    elsewhere = session.folder.parent
    session.folder = elsewhere
    session.ask("Somewhere else.")
    with session.memory("project:boat") as memory:
        assert [item.text for item in memory.list().items] == ["Somewhere else."]


def test_the_settings_of_hooks_are_checked(tmp_path: Path) -> None:
    file = tmp_path / "firsthand.toml"
    file.write_text("[hook]\npacket_bytes = 2048\nbudget_ms = 500\n")
    given = read_settings({}, {"HOME": "/", "FIRSTHAND_HOOK_BUDGET_MS": "900"}, tmp_path).hook
    assert (given.packet_bytes, given.budget_ms) == (2_048, 900)
    for given_ms, taken in (("1", 150), ("-5", 150), ("149", 150), ("999999", 60_000)):
        assert read_settings({}, {"HOME": "/", "FIRSTHAND_HOOK_BUDGET_MS": given_ms}, tmp_path).hook.budget_ms == taken
    file.write_text("[hook]\npacket_bytes = 3\n")
    assert read_settings({}, {"HOME": "/"}, tmp_path).hook.packet_bytes == 1_024
    for text in ("[hook]\npackets = 3\n", "hook = 3\n", '[hook]\nbudget_ms = "1"\n'):
        file.write_text(text)
        with pytest.raises(InvalidError):
            read_settings({}, {"HOME": "/"}, tmp_path)
    file.unlink()
    with pytest.raises(InvalidError):
        read_settings({}, {"HOME": "/", "FIRSTHAND_HOOK_BUDGET_MS": "soon"}, tmp_path)
