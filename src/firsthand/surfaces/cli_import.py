"""`firsthand import FORMAT FILE`: conversations and notes from elsewhere, one command for each format."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from firsthand.config import read_settings
from firsthand.surfaces.desk import STANDARD_INPUT, Desk, Memory, Progress, pass_desk
from firsthand.surfaces.hooks.events import HARNESSES
from firsthand.surfaces.hooks.projects import scope_for, scope_here
from firsthand.surfaces.hooks.running import drained
from firsthand.surfaces.sentences import import_sentences


class Format(NamedTuple):
    """A format as its command tells of it; `has_user`: somebody talks to an assistant in it."""

    help: str
    folders: bool = True
    has_user: bool = False


FORMATS: Final = {
    "claude-code": Format("Claude Code's sessions, as under ~/.claude/projects.", has_user=True),
    "codex": Format("Codex's sessions, as under ~/.codex/sessions.", has_user=True),
    "chatgpt": Format("ChatGPT's data export: conversations.json.", has_user=True),
    "claude": Format("Claude's data export: conversations.json.", has_user=True),
    "mcp-memory": Format("The file of the reference MCP memory server."),
    "markdown": Format("Notes in Markdown: CLAUDE.md, AGENTS.md, memory folders."),
    "chat": Format("A conversation as JSON lines: id, speaker, text, at, thread.", folders=False),
    "locomo": Format("A conversation of the LoCoMo data set.", folders=False),
}
_NAME: Final = click.Option(
    ["--name", "name"], metavar="NAME",
    help="What to call it, if not by the file's full path; its lines are known again by it.",
)  # fmt: skip
_ON_ERROR: Final = click.Option(
    ["--on-error"], type=click.Choice(["skip", "stop"]), default="skip", show_default=True,
    help="A bad line: skip it, report it and exit with 0 all the same, or stop there and exit with 2.",
)  # fmt: skip
_SPEAKER: Final = click.Option(
    ["--speaker"], metavar="NAME", default="user", show_default=True,
    help="Who the user in it is. A person who gives her own name attests her own words.",
)  # fmt: skip


def importing(name: str, what: Format) -> click.Command:
    """The command that takes in one format: its importer is the function `import_NAME` in `importers.NAME`.

    It goes to the scope that was set, else to the project's: a session's where it was, as its hooks have it, and
    anything else's where the command runs. What hooks could not store yet is stored first, so that it is known again in
    the session's file.
    """
    module = name.replace("-", "_")

    @pass_desk
    def callback(desk: Desk, path: str, **options: Any) -> None:
        run: Callable[..., Any] = getattr(import_module(f"firsthand.importers.{module}"), f"import_{module}")
        here = _Scoped(desk)
        if name in HARNESSES:
            drained(desk.settings)
            options["memory_of"] = here.of_session
        source = sys.stdin.buffer if path == STANDARD_INPUT else Path(path)
        with Progress(f"importing {name}", quiet=desk.as_json) as progress:
            report = run(here.memory, source, progress=progress, **options)
        desk.answer(report, import_sentences)

    path = click.Argument(["path"], metavar="FILE|FOLDER" if what.folders else "FILE")
    options = [_NAME, *([_SPEAKER] if what.has_user else []), _ON_ERROR]
    return click.Command(name, callback=callback, params=[path, *options], help=_help(what))


class _Scoped:
    """The memory in the scopes that an import goes to, a handle for each."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._handles: dict[str, Memory] = {}
        self.memory = self._at(scope_here(desk.settings, Path.cwd()))

    def of_session(self, file: Path) -> Memory:
        """Where the hooks of the session in a file write."""
        from firsthand.importers.places import session_folder

        if self._desk.settings.origins["scope"] != "default" or (folder := session_folder(file)) is None:
            return self.memory
        return self._at(scope_for(read_settings(self._desk.flags, folder=folder), folder))

    def _at(self, scope: str) -> Memory:
        if scope not in self._handles:
            self._handles[scope] = self._desk.memory.at(scope=scope)
        return self._handles[scope]


def _help(what: Format) -> str:
    known = "Turns are known by their ids." if what.has_user else (
        "FILE may be - for standard input, with a --name; a file that moves needs a --name, too: it is known by where "
        "it is."
    )  # fmt: skip
    folders = " Of a folder, every such file in it is taken." if what.folders else ""
    return (
        f"{what.help} Running it twice adds nothing.{folders} {known} The last line of the answer says how many lines "
        "were not taken, if any were not."
    )


COMMANDS: Final[dict[str, click.Command]] = {name: importing(name, what) for name, what in FORMATS.items()}
