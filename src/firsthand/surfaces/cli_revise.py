"""Commands that revise what is known: correct, change, retract, support, relate, classify, feedback."""

from __future__ import annotations

from typing import Any, Final, get_args

import click

from firsthand.surfaces.asking import (
    SENSITIVITY,
    VALUE_TYPE,
    conditions,
    evidence,
    full_id,
    instant,
    one_of,
    several,
    together,
    typed_object,
)
from firsthand.surfaces.desk import Desk, Memory, pass_desk, prose
from firsthand.surfaces.sentences import receipt_sentences
from firsthand.vocabulary.errors import REFUSED_EXIT_CODE
from firsthand.vocabulary.kinds import FeedbackOutcome

REASON: Final = click.option("--reason", required=True, help="Why; it is kept. - reads standard input.")
ONCE: Final = click.option("--idempotency-key", metavar="KEY", help="The same key stores the same request once.")
WHICH: Final = together(
    click.option("--target", metavar="WORDS", help="Say which record by what it is about, in place of its ID."),
    several("--expected-head", "Refuse if the record has changed since this head.", "ID"),
)
VALUE: Final = together(
    click.option("--object", "object_", metavar="VALUE", help="The new value."),
    click.option("--object-type", type=VALUE_TYPE, help="What kind of value it is."),
    click.option("--unit", metavar="UNIT", help="The unit of a number."),
    several("--evidence", "A record it rests on, with the words quoted from it.", "ID[=QUOTE]"),
)


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
def correct(desk: Desk, record_id: str | None, statement: str | None, **words: Any) -> int:
    """The record ID was wrong: it was never so, it is STATEMENT."""
    record_id, statement = named(record_id, statement, words)
    memory = desk.memory
    receipt = memory.correct(
        **which(memory, record_id, words),
        statement=statement,
        polarity=words["polarity"],
        conditions=conditions(words["if"]),
        valid_from=instant(words["valid_from"]),
        valid_to=instant(words["valid_to"]),
        **value(memory, words),
    )
    return desk.receipt(receipt, undoable=True)


@click.command()
@click.argument("record_id", metavar="[ID]", required=False)
@click.argument("statement", required=False)
@VALUE
@click.option("--since", metavar="WHEN", help="When it changed.")
@WHICH
@REASON
@ONCE
@pass_desk
def change(desk: Desk, record_id: str | None, statement: str | None, **words: Any) -> int:
    """The record ID was true; since some day it is STATEMENT. With neither statement nor object it only ends."""
    record_id, statement = named(record_id, statement, words)
    memory = desk.memory
    receipt = memory.change(
        **which(memory, record_id, words),
        statement=statement,
        since=instant(words["since"]),
        **value(memory, words),
    )
    return desk.receipt(receipt, undoable=True)


@click.command()
@click.argument("record_id", metavar="[ID]", required=False)
@WHICH
@REASON
@ONCE
@pass_desk
def retract(desk: Desk, record_id: str | None, **words: Any) -> int:
    """Take the record ID back, with nothing in its place."""
    return desk.receipt(desk.memory.retract(**which(desk.memory, record_id, words)), undoable=True)


@click.command()
@click.argument("record_id", metavar="ID")
@several("--evidence", "A record it rests on, with the words quoted from it.", "ID[=QUOTE]")
@click.option("--revoke", metavar="SUPPORT", help="Take this support back.")
@click.option("--reinstate", metavar="SUPPORT", help="Let this support count again.")
@REASON
@ONCE
@pass_desk
def support(desk: Desk, record_id: str, revoke: str | None, reinstate: str | None, **words: Any) -> int:
    """Add evidence to the record ID, or take a support back."""
    memory = desk.memory
    receipt = memory.support(
        full_id(memory, record_id),
        evidence(memory, words["evidence"]),
        revoke=revoke,
        reinstate=reinstate,
        **why(words),
    )
    return desk.receipt(receipt)


@click.command()
@click.argument("record_id", metavar="ID")
@click.argument("relation")
@click.argument("other", metavar="OTHER-ID")
@click.option("--end", is_flag=True, help="The relation no longer holds.")
@REASON
@ONCE
@pass_desk
def relate(desk: Desk, record_id: str, relation: str, other: str, end: bool, **words: Any) -> int:
    """Join the record ID to OTHER-ID by RELATION, or end that."""
    memory = desk.memory
    receipt = memory.relate(full_id(memory, record_id), relation, full_id(memory, other), end=end, **why(words))
    return desk.receipt(receipt)


@click.command()
@click.argument("record_id", metavar="ID")
@click.argument("sensitivity", type=SENSITIVITY)
@REASON
@ONCE
@pass_desk
def classify(desk: Desk, record_id: str, sensitivity: str, **words: Any) -> int:
    """Set how sensitive the record ID is. Anyone may raise it, a person may lower it."""
    return desk.receipt(desk.memory.classify(full_id(desk.memory, record_id), sensitivity, **why(words)))


@click.command()
@click.argument("recall_id", metavar="RECALL-ID")
@click.option("--used", multiple=True, metavar="ID", help="A record of the answer that this is about. May be repeated.")
@click.option("--outcome", type=one_of(get_args(FeedbackOutcome)), required=True, help="What the answer was worth.")
@click.option("--reason", help="Why; it is kept.")
@ONCE
@pass_desk
def feedback(desk: Desk, recall_id: str, used: tuple[str, ...], outcome: str, **words: Any) -> int:
    """Say what the answer RECALL-ID was worth, which moves the salience of what it used."""
    memory = desk.memory
    ids = tuple(full_id(memory, record_id) for record_id in used)
    receipts = memory.feedback(recall_id, used=ids, outcome=outcome, **why(words))
    desk.answer(receipts, lambda told: "\n".join(line for receipt in told for line in receipt_sentences(receipt)))
    return REFUSED_EXIT_CODE if any(receipt.outcome == "refused" for receipt in receipts) else 0


def named(record_id: str | None, statement: str | None, words: dict[str, Any]) -> tuple[str | None, str | None]:
    """With --target the one argument is the statement."""
    if words["target"] is not None and record_id is not None and statement is None:
        record_id, statement = None, record_id
    return record_id, None if statement is None else prose(statement, "statement")


def which(memory: Memory, record_id: str | None, words: dict[str, Any]) -> dict[str, Any]:
    """Which record is meant, what its heads are expected to be, and why."""
    return {
        "record_id": None if record_id is None else full_id(memory, record_id),
        "target": words["target"],
        "expected_heads": words["expected_head"] or None,
        **why(words),
    }


def value(memory: Memory, words: dict[str, Any]) -> dict[str, Any]:
    """A new value and what it rests on."""
    return {
        "object": typed_object(words["object_"], words["object_type"], words["unit"]),
        "unit": words["unit"],
        "evidence": evidence(memory, words["evidence"]),
    }


def why(words: dict[str, Any]) -> dict[str, Any]:
    """The reason, and the key that makes a request one."""
    reason = words["reason"]
    return {
        "reason": None if reason is None else prose(reason, "reason"),
        "idempotency_key": words["idempotency_key"],
    }


COMMANDS: Final[dict[str, click.Command]] = {
    command.name or "": command for command in (correct, change, retract, support, relate, classify, feedback)
}
