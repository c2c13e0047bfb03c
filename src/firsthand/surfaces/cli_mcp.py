"""`firsthand mcp`: serves the memory to an agent over standard input and output, or prints a client's configuration."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from firsthand.config import Settings
from firsthand.surfaces.desk import Desk, Memory, make_folder, pass_desk
from firsthand.surfaces.hooks.projects import scope_here
from firsthand.surfaces.mcp.clients import CLIENTS, configuration, one_line
from firsthand.vocabulary.grants import SPACE_WIDE, Grant, check_scope
from firsthand.vocabulary.kinds import SENSITIVITIES, Sensitivity
from firsthand.vocabulary.patterns import lazy_pattern

USUAL_CLEARANCE: Final = "high"
_NO_SLUG: Final = lazy_pattern(r"[^A-Za-z0-9._:/+-]+")


@click.command()
@click.option("--read-only", is_flag=True, help="Refuse every write, unread.")
@click.option(
    "--also",
    multiple=True,
    metavar="KIND:ID",
    help="A further scope to read and write, such as user:ana. May be repeated.",
)
@click.option(
    "--clearance",
    type=click.Choice(SENSITIVITIES),
    default=USUAL_CLEARANCE,
    show_default=True,
    help="Show the agent nothing more sensitive than this.",
)
@click.option("--print-config", "client", type=click.Choice(list(CLIENTS)), help="Print what to paste, and where.")
@pass_desk
def mcp(desk: Desk, read_only: bool, also: tuple[str, ...], clearance: Sensitivity, client: str | None) -> None:
    """Serve the memory to an agent over MCP, on standard input and output.

    It writes to the scope of the settings, else to the project: of the folder it is started in, and reads that and
    space:. An agent may revise what its owner said, and only
    propose what would change another's words; it never approves, lifts or erases.
    """
    if client is not None:
        print_configuration(desk, client, read_only=read_only, also=also, clearance=clearance)
        return
    from firsthand.surfaces.mcp.server import Server
    from firsthand.surfaces.mcp.wire import Wire

    settings = msgspec.structs.replace(desk.settings, scope=scope_here(desk.settings, Path.cwd()))
    scopes = tuple(dict.fromkeys((settings.scope, SPACE_WIDE, *map(check_scope, also))))
    outgoing = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever else is printed is no message
    wire = Wire(sys.stdin.buffer, outgoing)
    Server(wire, lambda name: open_for(settings, name, scopes, clearance), scopes=scopes, read_only=read_only).serve()


def open_for(
    settings: Settings, client: str, scopes: tuple[str, ...], clearance: Sensitivity, **opening: Any
) -> Memory:
    """A handle for the agent behind a client: its person's words and its own are of one owner, and it is no person.

    `opening` is what else the memory is opened with.
    """
    import firsthand

    make_folder_of(settings)
    name = _NO_SLUG.sub("-", client).strip("-")[:64] or "mcp"
    granted = frozenset(scopes)
    return firsthand.open(
        settings.db,
        embedder=settings.embedder,
        space=settings.space,
        scope=settings.scope,
        actor=name,
        owner=settings.owner if settings.owner is not None else settings.actor,
        role="agent",
        harness=name,
        session=f"mcp-{os.getpid()}-{os.urandom(4).hex()}",
        grant=Grant(read=granted, write=granted, clearance=clearance, role="agent"),
        **opening,
    )


def make_folder_of(settings: Settings) -> None:
    """Make the folder of the default place."""
    if "://" not in settings.db:
        make_folder(Path(settings.db))


def print_configuration(
    desk: Desk, client: str, *, read_only: bool, also: tuple[str, ...], clearance: Sensitivity
) -> None:
    """What to paste into a client's configuration, and into which file."""
    arguments = [word for name, value in desk.flags.items() if value is not None for word in (f"--{name}", value)]
    arguments += ["--read-only"] * read_only + [word for scope in also for word in ("--also", scope)]
    arguments += ["--clearance", clearance] if clearance != USUAL_CLEARANCE else []
    told = CLIENTS[client]
    text = configuration(told, arguments)
    if desk.as_json:
        desk.answer({"client": client, "file": told.file, "text": text}, lambda _: text)
        return
    click.secho(f"For {told.title}: put this into {told.file}", fg="green", err=True)
    if client == "claude-code":
        click.secho(f"or run: {one_line(arguments)}", fg="green", err=True)
    click.echo(text, nl=False)


COMMANDS: Final[dict[str, click.Command]] = {"mcp": mcp}
