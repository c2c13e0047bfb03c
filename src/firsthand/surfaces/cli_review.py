"""Commands of the review desk: what waits for a person, what each decision would change, and the decision."""

from __future__ import annotations

from typing import Any, Final

import click

from firsthand.surfaces.asking import full_id, one_of
from firsthand.surfaces.cli_revise import ONCE, REASON, why
from firsthand.surfaces.desk import Desk, Memory, pass_desk
from firsthand.vocabulary.reviews import REVIEW_KINDS

DECISION_NAMES: Final = ("approve", "reject", "settle", "retract")


@click.group()
def review() -> None:
    """Decide what waits for a person: proposals, conflicts, guesses, and what stands near a rejected value."""


@review.command(name="list")
@click.option("--kind", type=one_of(REVIEW_KINDS), help="What to list. Default: all that waits.")
@click.option("--limit", type=int, default=50, help="How many. Default: 50.")
@click.option("--cursor", metavar="CURSOR", help="Where the page before ended.")
@pass_desk
def list_(desk: Desk, kind: str | None, limit: int, cursor: str | None) -> None:
    """List what waits, kind by kind, newest first."""
    desk.show(desk.memory.review.list(kind, limit=limit, cursor=cursor), "review_page")


@review.command()
@click.argument("item_id", metavar="ITEM")
@pass_desk
def show(desk: Desk, item_id: str) -> None:
    """Show ITEM with its evidence and history, and what each decision would change."""
    memory = desk.memory
    desk.show(memory.review.show(_item(memory, item_id)), "review_view")


@review.command()
@click.argument("item_id", metavar="ITEM")
@click.argument("decision", type=one_of(DECISION_NAMES))
@REASON
@ONCE
@pass_desk
def decide(desk: Desk, item_id: str, decision: str, **words: Any) -> int:
    """Decide ITEM, as a person: approve makes it a fact, reject forbids it for good or closes a proposal."""
    memory = desk.memory
    return desk.receipt(memory.review.decide(_item(memory, item_id), decision, **why(words)), undoable=True)


def _item(memory: Memory, item_id: str) -> str:
    """An entry, or the one readable record whose id begins so."""
    return item_id if item_id.startswith("e") else full_id(memory, item_id)


COMMANDS: Final[dict[str, click.Command]] = {"review": review}
