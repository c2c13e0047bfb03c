"""Commands about the memory itself: init, doctor, demo."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import click
import msgspec

from firsthand.config import FILE_NAME, Name, file_text
from firsthand.surfaces.desk import Desk, Progress, pass_desk
from firsthand.vocabulary.errors import BrokenError, ConflictError


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


COMMANDS: Final[dict[str, click.Command]] = {command.name or "": command for command in (init, doctor, demo)}
