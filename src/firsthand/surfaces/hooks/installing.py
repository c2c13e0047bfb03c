"""Our lines in a harness's settings: added and taken out again, and nothing else changed.

Claude Code reads `~/.claude/settings.json` (or `$CLAUDE_CONFIG_DIR`) and a project's `.claude/settings.json`, Codex
`~/.codex/hooks.json` (or `$CODEX_HOME`) and a project's `.codex/hooks.json`. Both hold
`{"hooks": {EVENT: [{"matcher": …, "hooks": [{"type": "command", "command": …, "timeout": SECONDS}]}]}}`; without a
matcher a group is for every tool.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from firsthand.surfaces.hooks.editing import edited
from firsthand.surfaces.hooks.events import Harness
from firsthand.surfaces.hooks.projects import project_root
from firsthand.surfaces.hooks.texts import fields_of
from firsthand.vocabulary.errors import BrokenError, ConflictError, InvalidError

EVENTS: Final[dict[Harness, tuple[str, ...]]] = {
    "claude-code": ("SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "Stop", "SessionEnd"),
    "codex": ("SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "Stop"),
}
TIMEOUT_SECONDS: Final = 10
SETTINGS_BYTES: Final = 4 * 1024 * 1024
NEW_MODE: Final = 0o600
_PLACES: Final[dict[Harness, tuple[str, str, str]]] = {
    "claude-code": ("CLAUDE_CONFIG_DIR", ".claude", "settings.json"),
    "codex": ("CODEX_HOME", ".codex", "hooks.json"),
}
HOOKS: Final = "hooks"

Settings = dict[str, Any]


class Change(NamedTuple):
    """A settings file as it is and as it would be. `text` is empty where there is no file; `mode` is kept."""

    path: Path
    text: str
    wanted: str

    @property
    def diff(self) -> str:
        """What would change, as people read it."""
        was, will = (text.splitlines(keepends=True) for text in (self.text, self.wanted))
        return "".join(difflib.unified_diff(was, will, str(self.path), str(self.path)))


def settings_file(harness: Harness, *, project: Path | None, environ: Mapping[str, str]) -> Path:
    """Where a harness reads its settings: those of a project, or of its user."""
    variable, folder, name = _PLACES[harness]
    if project is not None:
        return project_root(project) / folder / name
    return Path(environ.get(variable) or Path.home() / folder).expanduser() / name


def installation(path: Path, harness: Harness, command: str) -> Change:
    """The settings with our lines, in place of what we had there before."""
    text, settings = _read(path)
    bare = _without(settings, harness)
    hooks = dict(bare.get(HOOKS, {}))
    for event in EVENTS[harness]:
        handler = {"type": "command", "command": command, "timeout": TIMEOUT_SECONDS}
        hooks[event] = [*hooks.get(event, []), {"hooks": [handler]}]
    wanted = {**bare, HOOKS: hooks}
    return Change(path, text, text if wanted == settings else edited(text, wanted))


def removal(path: Path, harness: Harness) -> Change:
    """The settings without our lines."""
    text, settings = _read(path)
    bare = _without(settings, harness)
    return Change(path, text, text if bare == settings else edited(text, bare))


def write(change: Change) -> None:
    """Write settings whole or not at all, through a link, with the mode there was; refused if changed since."""
    place = change.path.resolve()
    try:
        if _text_of(place) != change.text:
            raise ConflictError("settings_changed", "the settings were changed meanwhile; look again", field="settings")
        place.parent.mkdir(parents=True, exist_ok=True)
        mode = stat.S_IMODE(place.stat().st_mode) if place.exists() else NEW_MODE
        handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
        try:
            with open(handle, "w", encoding="utf-8", newline="") as file:
                file.write(change.wanted)
                os.fsync(file.fileno())
            os.chmod(name, mode)
            os.replace(name, place)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise BrokenError(
            "settings_unwritable", f"the settings cannot be written ({type(error).__name__}); look at their folder",
            field="settings",
        ) from None  # fmt: skip


def is_ours(command: object, harness: Harness) -> bool:
    """Whether a command is a hook of ours for this harness, wherever the program stands."""
    pattern = rf"(?:^|[/\\\s'\"])firsthand(?:\.exe)?['\"]? hook {re.escape(harness)}(?:\s|$)"
    return isinstance(command, str) and re.search(pattern, command) is not None


def _without(settings: Settings, harness: Harness) -> Settings:
    """Settings without our handlers, and without a group, an event or a table that held nothing else."""
    hooks: dict[str, Any] = {}
    changed = False
    for event, groups in settings.get(HOOKS, {}).items():
        left = [kept for group in groups if (kept := _group_without(group, harness)) is not None]
        changed = changed or left != groups
        if left or left == groups:
            hooks[event] = left
    if not changed:
        return settings
    return {k: v for k, v in {**settings, HOOKS: hooks}.items() if k != HOOKS or hooks}


def _group_without(group: Any, harness: Harness) -> Any:
    """A group without our handlers; None if it held nothing else."""
    handlers = fields_of(group).get(HOOKS)
    entries = cast("list[Any]", handlers) if isinstance(handlers, list) else []
    left = [entry for entry in entries if not is_ours(fields_of(entry).get("command"), harness)]
    if len(left) == len(entries):
        return group
    return {**fields_of(group), HOOKS: left} if left else None


def _read(path: Path) -> tuple[str, Settings]:
    """A settings file as text, and what it says; nothing if there is none."""
    text = _text_of(path)
    if not text.strip():
        return text, {}
    try:
        settings: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidError(
            "settings_broken", "the settings are not valid JSON; mend the file by hand, nothing was changed",
            field="settings",
        ) from None  # fmt: skip
    hooks = fields_of(settings).get(HOOKS, {})
    is_table = isinstance(hooks, dict) and all(isinstance(groups, list) for groups in fields_of(hooks).values())
    if not isinstance(settings, dict) or not is_table:
        raise InvalidError(
            "settings_shape", "the settings are no object with a table of hooks; mend the file by hand, nothing was "
            "changed", field="settings",
        )  # fmt: skip
    return text, fields_of(settings)


def _text_of(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            text = file.read(SETTINGS_BYTES + 1)
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise InvalidError("settings_broken", "the settings are not UTF-8", field="settings") from None
    except OSError as error:
        raise BrokenError(
            "settings_unreadable", f"the settings cannot be read ({type(error).__name__})", field="settings"
        ) from None
    if len(text) > SETTINGS_BYTES:
        raise InvalidError("settings_too_large", "the settings are far larger than settings are", field="settings")
    return text
