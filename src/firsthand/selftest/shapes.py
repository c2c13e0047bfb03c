"""Five shapes of contradiction, each told twice: as structured claims and as plain sentences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple

from firsthand.memory import Memory
from firsthand.selftest.world import World
from firsthand.vocabulary.citing import cite
from firsthand.vocabulary.packets import Item, Packet, Receipt

Mode = Literal["structured", "plain"]
MODES: Final[tuple[Mode, ...]] = ("structured", "plain")


class Shape(NamedTuple):
    """One shape: what is said on day one, how it is contradicted later, and what is then right and stale.

    `right` is unset where nothing takes the old value's place. `beside` must go on holding.
    """

    name: str
    question: str
    day_one: str
    stale: str
    right: str | None
    beside: str | None
    first: dict[str, Any]
    then: Callable[[Memory, str, Mode], Receipt]


def _next(statement: str, **structure: Any) -> Callable[[Memory, str, Mode], Receipt]:
    def say(memory: Memory, record: str, mode: Mode) -> Receipt:
        return memory.remember(statement, **(structure if mode == "structured" else {}))

    return say


def _retract(memory: Memory, record: str, mode: Mode) -> Receipt:
    return memory.retract(record, reason="I misspoke, I have no sister")


def _end(memory: Memory, record: str, mode: Mode) -> Receipt:
    return memory.change(record, since="2024-01-01", reason="not vegetarian any more since 2024")


SHAPES: Final = (
    Shape(
        "replacement",
        "where does Ana live?",
        "I live in Berlin, in a small flat.",
        "Ana lives in Berlin",
        "Ana lives in Lisbon",
        None,
        {"subject": "Ana", "predicate": "lives_in", "object": "Berlin"},
        _next("Ana lives in Lisbon", subject="Ana", predicate="lives_in", object="Lisbon"),
    ),
    Shape(
        "polarity flip",
        "does Ana like coriander?",
        "I love coriander on everything.",
        "Ana likes coriander",
        "Ana does not like coriander",
        None,
        {"subject": "Ana", "predicate": "likes", "object": "coriander"},
        _next("Ana does not like coriander", subject="Ana", predicate="likes", object="coriander", polarity="-"),
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
        _next("Ana works as team lead at Acme", subject="Ana", predicate="works_as", object="team lead"),
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
    """A shape that was told: who told it, the records, the receipt of the contradiction, and both known times."""

    world: World
    ana: Memory
    agent: Memory
    shape: Shape
    mode: Mode
    record: str
    talk: str
    known_before: int
    answer: Receipt
    derived: str | None


def tell(world: World, shape: Shape, mode: Mode) -> Told:
    """Day one, and the contradiction ten days later."""
    ana, agent = world.person(file=f"{mode}.db"), world.agent(file=f"{mode}.db")
    talk = ana.capture(shape.day_one, speaker="Ana", occurred_at=world.clock.at)
    structure = shape.first if mode == "structured" else {k: v for k, v in shape.first.items() if k == "valid_from"}
    first = ana.remember(shape.stale, evidence=[cite(str(talk.record_id))], **structure)
    derived = ana.remember(f"It was noted: {shape.name}", evidence=[cite(str(first.record_id))])
    if shape.beside:
        ana.remember(shape.beside)
    world.clock.pass_days(10)
    answer = shape.then(ana, str(first.record_id), mode)
    world.clock.pass_days(1)
    return Told(world, ana, agent, shape, mode, str(first.record_id), str(talk.record_id),
                derived.known_at, answer, derived.record_id)  # fmt: skip


def again(told: Told) -> list[Receipt]:
    """The material of day one comes in by other paths, minutes and months later."""
    receipts: list[Receipt] = []
    for days in (0.01, 90):
        told.world.clock.pass_days(days)
        old = told.ana.capture(told.shape.day_one, speaker="Ana", occurred_at="2026-03-01T09:00Z", imported=True)
        structure = told.shape.first if told.mode == "structured" else {}
        cited = [cite(str(old.record_id))]
        receipts.append(told.agent.remember(told.shape.stale, evidence=cited, **structure))
    return receipts


def shown(packet: Packet) -> list[Item]:
    """Every item, in conflict or not."""
    return [*packet.items, *(i for c in packet.conflicts for i in c.items)]


def answers_right(told: Told) -> str | None:
    """A: the right answer is returned, and what stands beside it goes on; else what is wrong."""
    packet = told.ana.recall(told.shape.question, limit=20)
    items = shown(packet)
    if told.shape.right is not None and not any(i.text == told.shape.right for i in items):
        return "the right answer is not returned"
    if told.shape.beside and not any(i.text == told.shape.beside for i in items):
        return "what was never in doubt is not returned"
    return None


def stale_says_so(told: Told) -> str | None:
    """B: the stale value appears only with a qualifier, or in a conflict; never as an equal truth."""
    packet = told.ana.recall(told.shape.question, limit=20)
    bare = [i for i in packet.items if told.shape.stale == i.text and i.qualifier.code == "current"]
    if bare:
        return "the stale value is offered as current"
    bare = [i for i in packet.items if i.text == told.shape.day_one and i.qualifier.code == "current"]
    return "what was said on day one stands there without a qualifier" if bare and told.mode == "structured" else None


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
    packet = told.ana.recall(told.shape.question, known_at=told.known_before, limit=20)
    found = [i for i in packet.items if i.text == told.shape.stale and i.qualifier.code == "current"]
    if not found:
        return "what was believed before is not answered"
    later = [i for i in shown(packet) if i.text == told.shape.right]
    return "what was not known yet is answered" if later else None


def derived_agree(told: Told) -> str | None:
    """E: every other way to look agrees: by id, in lists, after a rebuild; what rested on a fallen record fell too."""
    before = _looks(told)
    if not told.ana.ledger.rebuild().same or _looks(told) != before:
        return "a rebuild says something else"
    gone = told.ana.read(told.record).item.status == "retracted"
    rests = told.ana.read(str(told.derived)).item.status
    if gone and rests == "active":
        return "what rested on a retracted record is still active"
    listed = [i.text for i in told.ana.list(kinds=["semantic"], limit=200).items]
    return "a retracted record is still listed" if gone and told.shape.stale in listed else None


def _looks(told: Told) -> list[tuple[str, str, str]]:
    packet = told.ana.recall(told.shape.question, limit=20)
    return [(i.text, i.status, i.qualifier.code) for i in shown(packet)]


def near_is_told(told: Told) -> str | None:
    """A plain sentence near another comes back as a possible conflict, in the receipt and in the packet."""
    if told.mode == "structured" or told.shape.right is None:
        return None
    if not any(c.code == "possible_conflict" for c in told.answer.conflicts):
        return "the receipt does not tell of the near sentence"
    packet = told.ana.recall(told.shape.question, limit=20)
    together = any({told.shape.stale, told.shape.right} <= {i.text for i in c.items} for c in packet.conflicts)
    return None if together else "two near sentences come back as two equal truths"
