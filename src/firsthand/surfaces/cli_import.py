"""`firsthand import FORMAT FILE`: conversations from elsewhere, one command for each format."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import click

from firsthand.surfaces.desk import STANDARD_INPUT, Desk, Progress, pass_desk
from firsthand.surfaces.sentences import import_sentences

FORMATS: Final = {
    "chat": "A conversation as JSON lines: id, speaker, text, at, thread.",
    "locomo": "A conversation of the LoCoMo data set.",
}


def importing(name: str) -> click.Command:
    """The command that takes in one format: its importer is the function `import_NAME` in `importers.NAME`."""

    @pass_desk
    def callback(desk: Desk, path: str, name_: str | None, on_error: str) -> None:
        run: Callable[..., Any] = getattr(import_module(f"firsthand.importers.{name}"), f"import_{name}")
        source = sys.stdin.buffer if path == STANDARD_INPUT else Path(path)
        with Progress(f"importing {name}", quiet=desk.as_json) as progress:
            report = run(desk.memory, source, name=name_, on_error=on_error, progress=progress)
        desk.answer(report, import_sentences)

    return click.Command(
        name,
        callback=callback,
        params=[
            click.Argument(["path"], metavar="FILE"),
            click.Option(
                ["--name", "name_"], metavar="NAME",
                help="What to call it, if not by the file's full path; its lines are known again by it.",
            ),
            click.Option(
                ["--on-error"], type=click.Choice(["skip", "stop"]), default="skip", show_default=True,
                help="A bad line: skip it, report it and exit with 0 all the same, or stop there and exit with 2.",
            ),
        ],
        help=f"{FORMATS[name]} Running it twice adds nothing. FILE may be - for standard input, with a --name; a file "
        "that moves needs a --name, too: it is known by where it is. The last line of the answer says how many "
        "lines were not taken, if any were not.",
    )  # fmt: skip


COMMANDS: Final[dict[str, click.Command]] = {name: importing(name) for name in FORMATS}
