"""Commands for what is doubtful, double, private or unwanted: contest to undo, and what hangs on a record."""

from __future__ import annotations

from typing import Any, Final

import click

from firsthand.surfaces.asking import conditions, full_id, instant, one_of, several, together, typed_object
from firsthand.surfaces.cli_revise import ONCE, REASON, VALUE, WHICH, named, value, which, why
from firsthand.surfaces.desk import Desk, Memory, pass_desk, prose
from firsthand.vocabulary.errors import InvalidError

TARGET: Final = click.option(
    "--target", metavar="WORDS", help="Say which record by what it is about, in place of its ID."
)
HEADS: Final = together(
    several("--expected-head", "Refuse if the record has changed since this head.", "ID"),
    several("--expected-visibility-head", "Refuse if it was withdrawn or restored since this one.", "ID"),
)


@click.command()
@click.argument("record_id", metavar="[ID]", required=False)
@click.option("--against", metavar="OTHER-ID", help="The record that speaks against it.")
@WHICH
@REASON
@ONCE
@pass_desk
def contest(desk: Desk, record_id: str | None, against: str | None, **words: Any) -> int:
    """Doubt the record ID. It is shown as a conflict until the doubt is settled."""
    memory = desk.memory
    other = None if against is None else full_id(memory, against)
    return desk.receipt(memory.contest(**which(memory, record_id, words), against=other), undoable=True)


@click.command()
@click.argument("record_id", metavar="[ID]", required=False)
@several("--contest", "Only this contest, by its entry id.", "ENTRY")
@TARGET
@REASON
@ONCE
@pass_desk
def settle(desk: Desk, record_id: str | None, contest: tuple[str, ...], **words: Any) -> int:
    """The doubts about the record ID are settled."""
    memory = desk.memory
    return desk.receipt(memory.settle(**_one(memory, record_id, words), contests=contest), undoable=True)


@click.command()
@click.argument("record_id", metavar="[ID]", required=False)
@click.argument("statement", required=False)
@VALUE
@click.option("--polarity", type=one_of(("+", "-")), help="Whether it is so, or is not.")
@several("--if", "It holds only under this condition.", "NAME=VALUE")
@click.option("--valid-from", metavar="WHEN", help="True since.")
@click.option("--valid-to", metavar="WHEN", help="True until.")
@WHICH
@REASON
@ONCE
@pass_desk
def fork(desk: Desk, record_id: str | None, statement: str | None, **words: Any) -> int:
    """The record ID stands, and under conditions it is STATEMENT."""
    record_id, statement = named(record_id, statement, words)
    memory = desk.memory
    receipt = memory.fork(
        **which(memory, record_id, words),
        statement=statement,
        polarity=words["polarity"],
        conditions=conditions(words["if"]) or {},
        valid_from=instant(words["valid_from"]),
        valid_to=instant(words["valid_to"]),
        **value(memory, words),
    )
    return desk.receipt(receipt, undoable=True)


@click.command()
@click.argument("record_ids", metavar="ID ID...", nargs=-1, required=True)
@click.option("--statement", metavar="TEXT", help="What they all say. Default: as the first. - reads standard input.")
@click.option("--object", "object_", metavar="VALUE", help="The value they all mean.")
@click.option("--unit", metavar="UNIT", help="The unit of a number.")
@REASON
@ONCE
@pass_desk
def merge(desk: Desk, record_ids: tuple[str, ...], statement: str | None, **words: Any) -> int:
    """The records ID ID... say the same: one survives, with the evidence of all."""
    memory = desk.memory
    receipt = memory.merge(
        [full_id(memory, record_id) for record_id in record_ids],
        None if statement is None else prose(statement, "statement"),
        object=typed_object(words["object_"], None, words["unit"]),
        unit=words["unit"],
        **why(words),
    )
    return desk.receipt(receipt, undoable=True)


@click.command()
@click.argument("record_id", metavar="[ID]", required=False)
@TARGET
@HEADS
@REASON
@ONCE
@pass_desk
def withdraw(desk: Desk, record_id: str | None, **words: Any) -> int:
    """Do not show the record ID for now. It stays as true as it was."""
    memory = desk.memory
    return desk.receipt(memory.withdraw(**_one(memory, record_id, words), **_heads(words)), undoable=True)


@click.command()
@click.argument("record_id", metavar="ID")
@HEADS
@REASON
@ONCE
@pass_desk
def restore(desk: Desk, record_id: str, **words: Any) -> int:
    """Show the withdrawn record ID again. Its whole id stands in the receipt of the withdrawal."""
    return desk.receipt(desk.memory.restore(record_id, **_heads(words), **why(words)), undoable=True)


@click.command()
@click.argument("record_id", metavar="[ID]", required=False)
@TARGET
@click.option("--statement", metavar="TEXT", help="A sentence that may not come in, in place of a record.")
@click.option("--subject", metavar="NAME", help="With a predicate and an object: a value that may not come in.")
@click.option("--predicate", metavar="NAME", help="What is said of the subject.")
@click.option("--object", "object_", metavar="VALUE", help="The value itself.")
@click.option("--unit", metavar="UNIT", help="The unit of a number.")
@click.option("--polarity", type=one_of(("+", "-")), help="Whether it is so, or is not.")
@REASON
@ONCE
@pass_desk
def reject(desk: Desk, record_id: str | None, **words: Any) -> int:
    """Never let the value of the record ID in again, whoever says it. A person's decision."""
    memory = desk.memory
    given = {name: words[name] for name in ("statement", "subject", "predicate", "unit", "polarity") if words[name]}
    if words["object_"] is not None:
        given["object"] = typed_object(words["object_"], None, words["unit"])
    return desk.receipt(memory.reject(**_one(memory, record_id, words), value=given or None), undoable=True)


@click.command()
@click.argument("rejection_id", metavar="ENTRY")
@REASON
@ONCE
@pass_desk
def lift(desk: Desk, rejection_id: str, **words: Any) -> int:
    """Let a value come back: ENTRY is what rejected, corrected or retracted it. A person's decision."""
    return desk.receipt(desk.memory.lift(rejection_id, **why(words)), undoable=True)


@click.command()
@click.argument("record_id", metavar="[ID]", required=False)
@click.argument("other_scope", metavar="SCOPE", required=False)
@WHICH
@REASON
@ONCE
@pass_desk
def share(desk: Desk, record_id: str | None, other_scope: str | None, **words: Any) -> int:
    """A copy of the record ID in SCOPE, which dies with its original."""
    if words["target"] is not None and other_scope is None:
        record_id, other_scope = None, record_id
    if other_scope is None:
        raise InvalidError("scope_missing", "say into which scope it is shared", field="scope")
    memory = desk.memory
    return desk.receipt(memory.share(**which(memory, record_id, words), scope=other_scope), undoable=True)


@click.command()
@click.argument("record_id", metavar="[ID]", required=False)
@TARGET
@click.option(
    "--because", type=one_of(("wrong", "outdated", "private", "never_again")), required=True, help="Why it should go."
)
@click.option("--reason", help="In your own words; it is kept. - reads standard input.")
@ONCE
@pass_desk
def forget(desk: Desk, record_id: str | None, because: str, **words: Any) -> int:
    """Forget the record ID: taken back, ended, hidden or rejected, as the reason asks."""
    memory = desk.memory
    return desk.receipt(memory.forget(**_one(memory, record_id, words), because=because), undoable=True)


@click.command()
@click.argument("entry_id", metavar="ENTRY")
@REASON
@ONCE
@pass_desk
def undo(desk: Desk, entry_id: str, **words: Any) -> int:
    """Take back what ENTRY did, by writing its opposite."""
    return desk.receipt(desk.memory.undo(entry_id, **why(words)), undoable=True)


@click.command()
@click.argument("record_id", metavar="ID")
@pass_desk
def impact(desk: Desk, record_id: str) -> None:
    """Say what would become of the records that rest on the record ID. Changes nothing."""
    memory = desk.memory
    desk.show(memory.impact(full_id(memory, record_id)), "impact")


def _one(memory: Memory, record_id: str | None, words: dict[str, Any]) -> dict[str, Any]:
    """Which record is meant, and why."""
    found = None if record_id is None else full_id(memory, record_id)
    return {"record_id": found, "target": words["target"], **why(words)}


def _heads(words: dict[str, Any]) -> dict[str, Any]:
    return {
        "expected_heads": words["expected_head"] or None,
        "expected_visibility_heads": words["expected_visibility_head"] or None,
    }


COMMANDS: Final[dict[str, click.Command]] = {
    command.name or "": command
    for command in (contest, settle, fork, merge, withdraw, restore, reject, lift, share, forget, undo, impact)
}
