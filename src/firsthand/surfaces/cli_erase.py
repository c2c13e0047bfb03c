"""`firsthand erase`: the plan is shown first, and carried out when somebody has agreed to exactly that."""

from __future__ import annotations

import sys
from typing import Final

import click
import msgspec

from firsthand.surfaces.catalogue import Arguments, Operation, find
from firsthand.surfaces.catalogue.keeping import Erase
from firsthand.surfaces.commands import Words, command_of
from firsthand.surfaces.desk import Desk
from firsthand.surfaces.hooks.running import drained
from firsthand.vocabulary.erasure import Erasure

SHORT_HASH: Final = 8


def erase_as_agreed(desk: Desk, operation: Operation, asked: Arguments, words: Words) -> int:
    """Show the plan, and carry it out if its hash or --yes was given, or is typed now.

    What hooks could not store yet is stored first, so that the plan covers it.
    """
    assert isinstance(asked, Erase)
    drained(desk.settings)
    if not (asked.dry_run or asked.plan_hash or words["yes"]):
        planned: Erasure = operation.run(desk.memory, msgspec.structs.replace(asked, dry_run=True))
        desk.show(planned, operation.shows)
        if desk.as_json or not sys.stdin.isatty():
            if not desk.as_json:
                click.echo("To carry it out, run this again with --yes, or with --hash and that hash.")
            return 0
        asked = msgspec.structs.replace(asked, plan_hash=_agree(planned.plan.hash))
    desk.show(operation.run(desk.memory, asked), operation.shows)
    return 0


def _agree(plan_hash: str) -> str:
    """Ask for the hash that is shown, as the sign that the plan was read."""
    typed = click.prompt(f"Type {plan_hash[:SHORT_HASH]} to carry this out", default="", show_default=False)
    if typed.strip() != plan_hash[:SHORT_HASH]:
        raise click.Abort
    return plan_hash


erase: Final = command_of(
    find("erase"),
    erase_as_agreed,
    click.Option(["--yes"], is_flag=True, help="Carry the plan out without asking."),
    help="An episode goes with what rests only on it; of a claim every body goes that holds its value.",
)
COMMANDS: Final[dict[str, click.Command]] = {"erase": erase}
