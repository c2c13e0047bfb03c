"""Commands that put something in: capture and remember."""

from __future__ import annotations

from typing import Any, Final, get_args

import click
import msgspec

from firsthand.surfaces.asking import (
    SENSITIVITY,
    VALUE_TYPE,
    conditions,
    evidence,
    instant,
    one_of,
    pairs,
    several,
    together,
    typed_object,
)
from firsthand.surfaces.desk import Desk, pass_desk, prose
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.kinds import Basis, Outcome, Volatility
from firsthand.vocabulary.limits import BODY_BYTES
from firsthand.vocabulary.records import Payload

KEEPING: Final = together(
    several("--tag", "A word to file it under.", "WORD"),
    several("--meta", "A note for programs.", "NAME=VALUE"),
    click.option("--sensitivity", type=SENSITIVITY, help="How sensitive it is."),
    click.option("--reason", help="Why it is stored."),
    click.option("--idempotency-key", metavar="KEY", help="The same key stores the same request once."),
)


@click.command()
@click.argument("text")
@click.option("--speaker", metavar="NAME", help="Who said it.")
@click.option("--at", "occurred_at", metavar="WHEN", help="When it was said or happened.")
@click.option("--thread", metavar="NAME", help="The conversation it belongs to.")
@click.option("--event-kind", metavar="WORD", help="What kind of event it was.")
@click.option("--outcome", type=one_of(get_args(Outcome)), help="How it ended.")
@click.option("--source-id", metavar="ID", help="Its id where it came from.")
@click.option("--origin", metavar="NAME", help="The document or tool it came from.")
@KEEPING
@pass_desk
def capture(desk: Desk, text: str, occurred_at: str | None, **words: Any) -> int:
    """Store TEXT word for word: what was said, or what happened."""
    text = prose(text, "text")
    receipt = desk.memory.capture(
        text,
        speaker=words["speaker"],
        occurred_at=instant(occurred_at),
        thread=words["thread"],
        event_kind=words["event_kind"],
        outcome=words["outcome"],
        source_id=words["source_id"],
        origin=words["origin"],
        **_kept(words),
    )
    return desk.receipt(receipt)


@click.command()
@click.argument("statement", required=False)
@click.option("--subject", metavar="NAME", help="Whom or what it is about.")
@click.option("--predicate", metavar="WORD", help="What is said of it, such as lives_in.")
@click.option("--object", "object_", metavar="VALUE", help="The value.")
@click.option("--object-type", type=VALUE_TYPE, help="What kind of value it is.")
@click.option("--unit", metavar="UNIT", help="The unit of a number.")
@click.option("--not", "negative", is_flag=True, help="The claim is that it is not so.")
@several("--if", "It holds only under this condition.", "NAME=VALUE")
@click.option("--valid-from", metavar="WHEN", help="True since.")
@click.option("--valid-to", metavar="WHEN", help="True until.")
@click.option("--basis", type=one_of(get_args(Basis)), default="stated", show_default=True, help="How it is known.")
@click.option("--volatility", type=one_of(get_args(Volatility)), default="drift_prone", help="How soon it goes stale.")
@several("--evidence", "A record it rests on, with the words quoted from it.", "ID[=QUOTE]")
@click.option("--payload", metavar="JSON", help="A working, competence, plan_graph or entity record; - reads it.")
@KEEPING
@pass_desk
def remember(desk: Desk, statement: str | None, payload: str | None, **words: Any) -> int:
    """Store the claim STATEMENT, its structure, and what it rests on."""
    statement = None if statement is None else prose(statement, "statement")
    made = None if payload is None else _payload(prose(payload, "payload", most=BODY_BYTES))
    memory = desk.memory
    receipt = memory.remember(
        statement,
        payload=made,
        basis=words["basis"],
        subject=words["subject"],
        predicate=words["predicate"],
        object=typed_object(words["object_"], words["object_type"], words["unit"]),
        unit=words["unit"],
        polarity="-" if words["negative"] else "+",
        conditions=conditions(words["if"]),
        valid_from=instant(words["valid_from"]),
        valid_to=instant(words["valid_to"]),
        volatility=words["volatility"],
        evidence=evidence(memory, words["evidence"]),
        **_kept(words),
    )
    return desk.receipt(receipt)


def _kept(words: dict[str, Any]) -> dict[str, Any]:
    return {
        "tags": words["tag"],
        "metadata": pairs(words["meta"], "meta") or None,
        "sensitivity": words["sensitivity"],
        "reason": words["reason"],
        "idempotency_key": words["idempotency_key"],
    }


def _payload(text: str) -> Payload:
    try:
        return msgspec.json.decode(text, type=Payload)
    except msgspec.MsgspecError:
        raise InvalidError(
            "payload_invalid", "payload is not the JSON of a record with a known kind and known fields", field="payload"
        ) from None


COMMANDS: Final[dict[str, click.Command]] = {command.name or "": command for command in (capture, remember)}
