"""Five shapes of contradiction, each told twice: structured by the person in Python, plain by an agent through MCP.

What has no tool is done in Python in both: running the jobs, a rebuild, and the person's own look by id and in lists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple

from firsthand.memory import Memory
from firsthand.selftest.telling import ASKED_FOR, Library, Seen, Teller
from firsthand.selftest.world import World
from firsthand.vocabulary.citing import Cite, cite
from firsthand.vocabulary.packets import Receipt

Mode = Literal["structured", "plain"]
MODES: Final[tuple[Mode, ...]] = ("structured", "plain")


class Shape(NamedTuple):
    """One shape: what is said on day one, how it is contradicted later, and what is then right and stale.

    `right` is unset where nothing takes the old value's place. `beside` must go on holding. `then` contradicts a record
    at an instant.
    """

    name: str
    question: str
    day_one: str
    stale: str
    right: str | None
    beside: str | None
    first: dict[str, Any]
    then: Callable[[Teller, str, Mode, int], Receipt]


def _next(said: str, statement: str, **structure: Any) -> Callable[[Teller, str, Mode, int], Receipt]:
    """A newer claim: the person's own word, or an agent's, who cites what the person said."""

    def say(teller: Teller, record: str, mode: Mode, at: int) -> Receipt:
        if mode == "structured":
            return teller.remember(statement, **structure)
        return teller.remember(statement, evidence=_all_of(teller.capture(said, speaker="Ana", occurred_at=at)))

    return say


def _retract(teller: Teller, record: str, mode: Mode, at: int) -> Receipt:
    return teller.retract(record, reason="I misspoke, I have no sister")


def _end(teller: Teller, record: str, mode: Mode, at: int) -> Receipt:
    return teller.change(record, since="2024-01-01", reason="not vegetarian any more since 2024")


def _all_of(kept: Receipt) -> list[Cite]:
    """The whole of a record, as evidence."""
    return [cite(str(kept.record_id))]


SHAPES: Final = (
    Shape(
        "replacement",
        "where does Ana live?",
        "I live in Berlin, in a small flat.",
        "Ana lives in Berlin",
        "Ana lives in Lisbon",
        None,
        {"subject": "Ana", "predicate": "lives_in", "object": "Berlin"},
        _next("I have moved to Lisbon.", "Ana lives in Lisbon", subject="Ana", predicate="lives_in", object="Lisbon"),
    ),
    Shape(
        "polarity flip",
        "does Ana like coriander?",
        "I love coriander on everything.",
        "Ana likes coriander",
        "Ana does not like coriander",
        None,
        {"subject": "Ana", "predicate": "likes", "object": "coriander"},
        _next(
            "I cannot stand coriander any more.",
            "Ana does not like coriander",
            subject="Ana",
            predicate="likes",
            object="coriander",
            polarity="-",
        ),
    ),
    Shape(
        "retraction",
        "does Ana have a sister?",
        "My sister is called Mia.",
        "Ana has a sister called Mia",
        None,
        None,
        {"subject": "Ana", "predicate": "has_sister", "object": "Mia"},
        _retract,
    ),
    Shape(
        "partial supersession",
        "what is Ana's job at Acme?",
        "I work as an engineer at Acme.",
        "Ana works as engineer at Acme",
        "Ana works as team lead at Acme",
        "Acme is the employer of Ana",
        {"subject": "Ana", "predicate": "works_as", "object": "engineer"},
        _next(
            "They made me team lead at Acme.",
            "Ana works as team lead at Acme",
            subject="Ana",
            predicate="works_as",
            object="team lead",
        ),
    ),
    Shape(
        "bounded validity",
        "is Ana vegetarian?",
        "I have been vegetarian since 2014.",
        "Ana is vegetarian",
        None,
        None,
        {"subject": "Ana", "predicate": "diet", "object": "vegetarian", "valid_from": "2014-01-01"},
        _end,
    ),
)


class Told(NamedTuple):
    """A shape that was told: by whom, who tells day one again, the record, the receipt of the contradiction.

    `ana` is the person herself, in Python in either mode.
    """

    world: World
    ana: Memory
    teller: Teller
    again: Teller
    shape: Shape
    mode: Mode
    record: str
    known_before: int
    answer: Receipt
    derived: str


def tell(world: World, shape: Shape, mode: Mode) -> Told:
    """Day one, and the contradiction ten days later."""
    file = f"{mode}.db"
    ana = world.person(file=file)
    if mode == "structured":
        teller, later = Library(ana), Library(ana, world.agent(file=file), imported=True)
    else:
        teller, later = world.client("claude-code", file=file), world.client("codex", file=file)
    talk = teller.capture(shape.day_one, speaker="Ana", occurred_at=world.clock.at)
    structure = shape.first if mode == "structured" else {k: v for k, v in shape.first.items() if k == "valid_from"}
    first = teller.remember(shape.stale, evidence=_all_of(talk), **structure)
    derived = teller.remember(f"It was noted: {shape.name}", evidence=_all_of(first))
    if shape.beside:
        teller.remember(shape.beside, evidence=_all_of(talk))
    world.clock.pass_days(10)
    answer = shape.then(teller, str(first.record_id), mode, world.clock.at)
    world.clock.pass_days(1)
    return Told(world, ana, teller, later, shape, mode, str(first.record_id), derived.known_at, answer,
                str(derived.record_id))  # fmt: skip


def again(told: Told) -> list[Receipt]:
    """The material of day one comes in by other paths, minutes and months later."""
    receipts: list[Receipt] = []
    for days in (0.01, 90):
        told.world.clock.pass_days(days)
        old = told.again.capture(told.shape.day_one, speaker="Ana", occurred_at="2026-03-01T09:00Z")
        structure = told.shape.first if told.mode == "structured" else {}
        receipts.append(told.again.remember(told.shape.stale, evidence=_all_of(old), **structure))
    return receipts


def answers_right(told: Told) -> str | None:
    """A: the right answer is returned, and what stands beside it goes on; else what is wrong."""
    items = told.teller.recall(told.shape.question)
    if told.shape.right is not None and not any(i.text == told.shape.right for i in items):
        return "the right answer is not returned"
    if told.shape.beside and not any(i.text == told.shape.beside and i.conflict is None for i in items):
        return "what was never in doubt is not returned, or not as such"
    return None


def stale_says_so(told: Told) -> str | None:
    """B: the stale value appears only with a qualifier, or in a conflict; never as an equal truth."""
    bare = [i.text for i in told.teller.recall(told.shape.question) if i.conflict is None and not i.qualified]
    if told.shape.stale in bare:
        return "the stale value is offered as current"
    said = told.shape.day_one in bare and told.mode == "structured"
    return "what was said on day one stands there without a qualifier" if said else None


def after_jobs(told: Told, run: Callable[..., Any]) -> str | None:
    """C: both still hold after every job."""
    run()
    return answers_right(told) or stale_says_so(told)


def after_again(told: Told) -> str | None:
    """C′: both still hold after the material of day one came in again."""
    again(told)
    return answers_right(told) or stale_says_so(told)


def believed_before(told: Told) -> str | None:
    """D: what was believed before is still answerable."""
    items = told.teller.recall(told.shape.question, known_at=told.known_before)
    if Seen(told.shape.stale, qualified=False) not in items:
        return "what was believed before is not answered"
    return "what was not known yet is answered" if told.shape.right in [i.text for i in items] else None


def derived_agree(told: Told) -> str | None:
    """E: every other way to look agrees: by id, in lists, after a rebuild; what rested on a fallen record fell too."""
    before = _looks(told)
    if not told.ana.ledger.rebuild().same or _looks(told) != before:
        return "a rebuild says something else"
    gone = told.ana.read(told.record).item.status == "retracted"
    rests = told.ana.read(told.derived).item.status
    if gone and rests == "active":
        return "what rested on a retracted record is still active"
    listed = [i.text for i in told.ana.list(kinds=["semantic"], limit=200).items]
    return "a retracted record is still listed" if gone and told.shape.stale in listed else None


def _looks(told: Told) -> tuple[list[Seen], list[tuple[str, str, str]]]:
    """What the teller sees, and what the person does."""
    packet = told.ana.recall(told.shape.question, limit=ASKED_FOR)
    items = [*packet.items, *(i for c in packet.conflicts for i in c.items)]
    return told.teller.recall(told.shape.question), [(i.text, i.status, i.qualifier.code) for i in items]


def near_is_told(told: Told) -> str | None:
    """A plain sentence near another comes back as a possible conflict, in the receipt and in the packet."""
    if told.mode == "structured" or told.shape.right is None:
        return None
    if not any(c.code == "possible_conflict" for c in told.answer.conflicts):
        return "the receipt does not tell of the near sentence"
    items = told.teller.recall(told.shape.question)
    sides = [{i.conflict for i in items if i.text == text} - {None} for text in (told.shape.stale, told.shape.right)]
    return None if sides[0] & sides[1] else "two near sentences come back as two equal truths"
