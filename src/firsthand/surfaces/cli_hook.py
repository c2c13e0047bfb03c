"""`firsthand hook`: the hooks themselves, their installation, and what waits in their spool."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
import msgspec

from firsthand.config import NAMES
from firsthand.surfaces.desk import Desk, pass_desk
from firsthand.surfaces.entry import HookCall, run_hook
from firsthand.surfaces.hooks.events import HARNESSES, Harness
from firsthand.vocabulary.errors import InvalidError

if TYPE_CHECKING:
    from firsthand.surfaces.hooks.installing import Change

PROGRAM: Final = "firsthand"


class SettingsChange(msgspec.Struct, frozen=True, kw_only=True):
    """What `install` and `uninstall` did, or would do."""

    path: str
    diff: str
    written: bool
    remarks: tuple[str, ...] = ()


class Drained(msgspec.Struct, frozen=True, kw_only=True):
    """What `drain` did."""

    stored: int
    waiting: int


def _hook(harness: Harness) -> click.Command:
    @pass_desk
    def callback(desk: Desk) -> None:
        run_hook(HookCall(harness, dict(desk.flags)))

    told = f"Take one event of {harness} from standard input. The harness calls this; it never fails."
    return click.Command(harness, callback=callback, help=told)


@click.command("install")
@click.argument("harness", type=click.Choice(HARNESSES))
@click.option("--project", is_flag=True, help="In this project's settings instead of the user's.")
@click.option("--user", is_flag=True, help="In the user's settings, which is what happens anyway.")
@click.option("--yes", is_flag=True, help="Write the settings without asking.")
@pass_desk
def install(desk: Desk, harness: Harness, project: bool, user: bool, yes: bool) -> None:
    """Put the hooks into a harness's settings, once the change was seen.

    Options such as --db and --scope that stand on this line stand in the hooks as well.
    """
    from firsthand.surfaces.hooks.installing import installation

    path = _path(harness, project=project, user=user)
    remarks = ("In Codex, trust the hooks once: /hooks",) if harness == "codex" else ()
    _agreed(desk, installation(path, harness, _command(desk, harness, project=project)), remarks, yes=yes)


@click.command("uninstall")
@click.argument("harness", type=click.Choice(HARNESSES))
@click.option("--project", is_flag=True, help="From this project's settings instead of the user's.")
@click.option("--user", is_flag=True, help="From the user's settings, which is what happens anyway.")
@click.option("--yes", is_flag=True, help="Write the settings without asking.")
@pass_desk
def uninstall(desk: Desk, harness: Harness, project: bool, user: bool, yes: bool) -> None:
    """Take exactly the hooks that `install` put there out of a harness's settings, once the change was seen."""
    from firsthand.surfaces.hooks.installing import removal

    _agreed(desk, removal(_path(harness, project=project, user=user), harness), (), yes=yes)


@click.command("drain")
@pass_desk
def drain_now(desk: Desk) -> None:
    """Store what hooks could not store in their time. Each hook does so as far as its own time goes."""
    from firsthand.surfaces.hooks import spool
    from firsthand.surfaces.hooks.running import database_of, drained

    stored = drained(desk.settings)
    desk.answer(Drained(stored=stored, waiting=spool.waiting(database_of(desk.settings.db)).items), _drained_sentences)


def _drained_sentences(done: Drained) -> list[str]:
    return [f"Stored: {done.stored}. Still waiting: {done.waiting}."]


def _path(harness: Harness, *, project: bool, user: bool) -> Path:
    from firsthand.surfaces.hooks.installing import settings_file

    if project and user:
        raise InvalidError("place_unclear", "give --project or --user: one of them", field="project")
    return settings_file(harness, project=Path.cwd() if project else None, environ=os.environ)


def _command(desk: Desk, harness: Harness, *, project: bool) -> str:
    """The line the harness runs."""
    words = [_program(project=project), "hook", harness]
    for name in NAMES:
        value = desk.flags.get(name)
        if value is not None:
            words += [f"--{name}", str(Path(value).absolute()) if name == "db" and "://" not in value else value]
    return shlex.join(words)


def _program(*, project: bool) -> str:
    """Where this program is. A project's settings may be shared, so there its name has to do if that is found."""
    found = shutil.which(PROGRAM)
    if project and found is not None:
        return PROGRAM
    called = Path(sys.argv[0])
    return str((called if called.stem == PROGRAM else Path(found or sys.executable)).absolute().with_name(PROGRAM))


def _agreed(desk: Desk, change: Change, remarks: tuple[str, ...], *, yes: bool) -> None:
    """Show what would change, and write it if somebody agrees."""
    from firsthand.surfaces.hooks.installing import write

    if change.diff and not yes and not desk.as_json and sys.stdin.isatty():
        click.echo(change.diff)
        yes = click.confirm("Write this?", default=False)
    written = bool(change.diff) and yes
    if written:
        write(change)
    done = SettingsChange(path=str(change.path), diff=change.diff, written=written, remarks=remarks if written else ())
    desk.answer(done, _change_sentences)


def _change_sentences(done: SettingsChange) -> list[str]:
    if not done.diff:
        return [f"Nothing to change in {done.path}."]
    if done.written:
        return [done.diff, f"Written: {done.path}", *done.remarks]
    return [done.diff, "Nothing is written yet. With --yes it is."]


COMMANDS: Final[dict[str, click.Command]] = {
    **{harness: _hook(harness) for harness in HARNESSES},
    "install": install,
    "uninstall": uninstall,
    "drain": drain_now,
}
