"""Commands about the memory itself: init, import, verify, rebuild, doctor, demo."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from firsthand.config import FILE_NAME, Name, file_text
from firsthand.surfaces.desk import STANDARD_INPUT, Desk, Progress, pass_desk
from firsthand.surfaces.sentences import import_sentences, ledger_sentence, rebuild_sentence, transfer_sentences
from firsthand.vocabulary.errors import BrokenError, ConflictError

FORMATS: Final = ("chat", "locomo", "ledger")


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """What `init` made."""

    db: str
    file: str | None
    space: str
    scope: str


@click.command()
@click.option("--no-file", is_flag=True, help=f"Make only the memory, no {FILE_NAME}.")
@pass_desk
def init(desk: Desk, no_file: bool) -> None:
    """Make the memory, and a firsthand.toml here that points to it.

    The settings given as options are written down, so later commands in this folder need none.
    """
    settings = desk.settings
    file = Path.cwd() / FILE_NAME
    if not no_file and file.exists():
        raise ConflictError(
            "settings_exist", f"there is a {FILE_NAME} here already", field=FILE_NAME, next_action="fix_and_resubmit"
        )
    desk.memory.stats()
    if not no_file:
        file.write_text(file_text(_to_write_down(desk)), encoding="utf-8")
    made = Made(db=settings.db, file=None if no_file else str(file), space=settings.space, scope=settings.scope)
    desk.answer(made, _made_sentences)


def _to_write_down(desk: Desk) -> dict[Name, str]:
    given: dict[Name, str] = {name: value for name, value in desk.flags.items() if value is not None}
    chosen: dict[Name, str] = {"db": desk.settings.db, **given}
    if "://" not in chosen["db"]:
        chosen["db"] = str(Path(chosen["db"]).absolute())
    return chosen


def _made_sentences(made: Made) -> list[str]:
    lines = [f"The memory is {made.db} (space {made.space}, scope {made.scope})."]
    if made.file:
        lines.append(f"Commands in this folder find it through {made.file}.")
    return [*lines, "Try: firsthand capture 'Ana: we ship on Friday.' --speaker Ana"]


@click.command("import")
@click.argument("format_", metavar="FORMAT", type=click.Choice(list(FORMATS)))
@click.argument("path", metavar="FILE")
@click.option("--name", help="What to call it, if not by the file's full path; its lines are known again by it.")
@click.option(
    "--on-error", type=click.Choice(["skip", "stop"]), default="skip", show_default=True,
    help="A bad line: skip it, report it and exit with 0 all the same, or stop there and exit with 2.",
)  # fmt: skip
@pass_desk
def import_(desk: Desk, format_: str, path: str, name: str | None, on_error: str) -> None:
    """Take in FILE: a conversation in FORMAT chat (JSON lines) or locomo, or a folder that `export` wrote, as ledger.

    Running it twice adds nothing. A conversation may be - for standard input, with a --name; a file that
    moves needs a --name, too: it is known by where it is. An export is taken in
    whole or not at all, if its store is registered (`firsthand peers add`).
    The last line of the answer says how many lines were not taken, if any were not.
    """
    if format_ == "ledger":
        _take_in(desk, path)
        return
    source = sys.stdin.buffer if path == STANDARD_INPUT else Path(path)
    how: dict[str, Any] = {"name": name, "on_error": on_error}
    with Progress(f"importing {format_}", quiet=desk.as_json) as progress:
        if format_ == "chat":
            from firsthand.importers.chat import import_chat

            report = import_chat(desk.memory, source, progress=progress, **how)
        else:
            from firsthand.importers.locomo import import_locomo

            report = import_locomo(desk.memory, source, progress=progress, **how)
    desk.answer(report, import_sentences)


def _take_in(desk: Desk, path: str) -> None:
    with Progress("taking in", quiet=desk.as_json) as progress:
        report = desk.memory.ledger.take_in(path, progress=progress)
    desk.answer(report, transfer_sentences)


@click.command()
@click.option("--deep", is_flag=True, help="Also fold every entry again and compare every projection.")
@click.option("--against", metavar="LINE", help="Also compare with a line that `seal` printed once.")
@pass_desk
def verify(desk: Desk, deep: bool, against: str | None) -> None:
    """Check the ledger: every id, digest, signature and link of its chain, from the first entry to the last."""
    with Progress("verifying", quiet=desk.as_json) as progress:
        head = desk.memory.ledger.verify(deep=deep, against=against, progress=progress)
    desk.answer(head, ledger_sentence)


@click.command()
@pass_desk
def rebuild(desk: Desk) -> None:
    """Drop every projection and index, and make them anew from the ledger."""
    with Progress("rebuilding", quiet=desk.as_json) as progress:
        report = desk.memory.ledger.rebuild(progress=progress)
    desk.answer(report, rebuild_sentence)


@click.command()
@click.option("--no-verify", is_flag=True, help="Look at the file alone: a big ledger takes its time.")
@click.option("--probe", is_flag=True, help="Also prove each capability, on stores of their own.")
@pass_desk
def doctor(desk: Desk, no_verify: bool, probe: bool) -> int:
    """Say where the memory is, whether it is well, and what to do if it is not.

    It verifies every entry of the ledger, as `firsthand verify` does.
    """
    from firsthand.surfaces.doctor import examine, findings

    with Progress("verifying", quiet=desk.as_json) as progress:
        checkup = examine(desk.settings, verify=not no_verify, progress=progress)
    if probe:
        from firsthand.selftest.probes import probe_all

        checkup = msgspec.structs.replace(checkup, probes=probe_all())
    desk.answer(checkup, findings)
    return 0 if checkup.well else BrokenError.exit_code


@click.command()
@pass_desk
def demo(desk: Desk) -> int:
    """Watch a memory work, in a minute, in a file that is thrown away; the exit code says whether all of it held."""
    from firsthand.surfaces.demo import run

    sys.stdout.flush()
    return run()


COMMANDS: Final[dict[str, click.Command]] = {
    command.name or "": command for command in (init, import_, verify, rebuild, doctor, demo)
}
