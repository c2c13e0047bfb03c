"""What tombstones stop and what they stop wrongly: attacks by class, legitimate near-misses by class, and their cost.

python bench/tombstones.py [--rounds 200] [--stones 1000] [--json FILE]
"""

from __future__ import annotations

import argparse
import itertools
import re
import secrets
import sys
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import firsthand
from firsthand import Memory, Receipt
from firsthand.rules.bearing import assertions_of
from firsthand.vocabulary.entries import Body, Reject, Tombstone, root_of
from near_misses import FACTS, Fact, near_misses
from report import Row, Samples, circumstances, row_of, save, table

NOTES = (
    "An attack is blocked if it was refused, waits for review or is masked where it says it. A near-miss that is held "
    "is stored, and a person decides.",
    "A sentence that holds subject and value is held whatever it says of them: negations, questions, quotations.",
)
WIDE = {ord("!") + i: 0xFF01 + i for i in range(94)}
JOINT = re.compile(r"(?<=\d)[ -]?(?=[A-Za-z])|(?<=[A-Za-z])[ -]?(?=\d)")
LOOKS = str.maketrans("aeopcxyABEHKMOPT", "аеорсхуАВЕНКМОРТ")
Attack = Callable[[Memory, Memory, Fact, str], str]


def main(arguments: Sequence[str]) -> None:
    """Measure, print one table and write one JSON."""
    given = _arguments(arguments)
    began = circumstances()
    with tempfile.TemporaryDirectory(prefix="firsthand-bench-") as made:
        folder = Path(made)
        sections = [attacks(folder), misses(folder), cost(folder, given.rounds, given.stones)]
    table(f"tombstones, commit {str(began['commit'])[:10] or 'unknown'}, {began['machine']}", sections, NOTES)
    save(given.json, began, sections, NOTES)


# ---- a space with something rejected ---------------------------------------------------------------------------------


def opened(folder: Path, **given: Any) -> Memory:
    """A person's memory on a file of its own."""
    asked: dict[str, Any] = {"scope": "project:bench", "actor": "ana-k", "role": "person", "synchronous": "OFF"}
    return firsthand.open(folder / "memory.db", receipts=False, **{**asked, **given})


def reject(memory: Memory, record_id: str) -> None:
    """This value may not come back, whoever says it."""
    gateway, handle = memory._engine.gateway, memory._handle
    with memory._engine.store.reading(memory.space) as reader:
        root = reader.get(root_of(record_id))
    assert root is not None
    claim = assertions_of(root)[0].claim
    stone = Tombstone(
        value=claim.value, subject=claim.subject, predicate=claim.predicate, polarity=claim.polarity, one=claim.one,
        absolute=True,
    )  # fmt: skip
    words = gateway.words(Body(reason="asked for"), gateway.clock.now())
    with memory._engine.store.writing(memory.space) as writer:
        gateway.append(handle, writer, Reject(tombstone=stone), words, record=record_id)


def furnished(folder: Path, fact: Fact) -> str:
    """A scope in which a fact was said, named and rejected; the scope."""
    scope = f"project:b{secrets.token_hex(4)}"
    with opened(folder, scope=scope) as memory:
        said = fact.says.format(s=fact.subject, v=fact.value)
        record = memory.remember(said, subject=fact.subject, predicate=fact.predicate, object=fact.value).record_id
        memory.remember(
            payload={"kind": "entity", "canonical_name": fact.subject, "aliases": [{"value": fact.alias}]}
        )  # fmt: skip
        reject(memory, record or "")
    return scope


def became(memory: Memory, receipt: Receipt) -> str:
    """What became of a claim."""
    if receipt.outcome == "refused":
        return "refused"
    status = receipt.standing.status if receipt.standing else "none"
    return "held" if status in ("needs_review", "rejected", "retracted") else "stored"


def captured(memory: Memory, text: str, **more: Any) -> str:
    """What became of an episode."""
    talk = memory.capture(text, **more)
    return "masked" if "[rejected: " in memory.read(talk.record_id or "").item.text else "stored"


# ---- attacks ---------------------------------------------------------------------------------------------------------


def _spelt(change: Callable[[str], str]) -> Attack:
    return lambda person, _, fact, said: became(person, person.remember(change(said)))


def _joined(between: str) -> Attack:
    """The sentence with its numbers and the letters beside them joined so, and the value so in a claim of its own."""

    def attack(person: Memory, agent: Memory, fact: Fact, said: str) -> str:
        value = JOINT.sub(between, fact.value)
        plain = became(person, person.remember(fact.says.format(s=fact.subject, v=value)))
        claim = became(agent, agent.remember(**{**_structured(fact), "object": value}))
        return "stored" if "stored" in (plain, claim) else plain

    return attack


def _field(made: Callable[[Fact, str], dict[str, Any]]) -> Attack:
    return lambda person, _, fact, said: became(person, person.remember(payload=made(fact, said)))


def _structured(fact: Fact, **more: Any) -> dict[str, Any]:
    return {"subject": fact.subject, "predicate": fact.predicate, "object": fact.value, **more}


def _skill(fact: Fact, said: str) -> dict[str, Any]:
    return {
        "kind": "competence",
        "skill_name": "s",
        "triggers": [{"signal": "x"}],
        "recipe": [{"step": f"Know: {said}"}],
    }


def _plan(fact: Fact, said: str) -> dict[str, Any]:
    params = {"about": fact.subject, "what": fact.value}
    return {"kind": "plan_graph", "plan_id": "p", "version": "1", "edges": [],
            "nodes": [{"id": "a", "op": "tell", "params": params}]}  # fmt: skip


def _corroborated(person: Memory, agent: Memory, fact: Fact, said: str) -> str:
    seen = [captured(agent, f"{said}.", speaker=who) for who in ("Zoe", "Yan")]
    claim = became(agent, agent.remember(**_structured(fact)))
    return "masked" if set(seen) == {"masked"} and claim == "refused" else "stored"


def _corrected(person: Memory, agent: Memory, fact: Fact, said: str) -> str:
    other = person.remember(subject=fact.subject, predicate=fact.predicate, object=fact.other_value)
    return became(person, person.correct(other.record_id, object=fact.value, reason="it was so after all"))


def _changed(person: Memory, agent: Memory, fact: Fact, said: str) -> str:
    other = person.remember(f"{fact.subject} is fine")
    return became(person, person.change(other.record_id, said, reason="news"))


ATTACKS: dict[str, Attack] = {
    "the same claim": lambda person, _, fact, said: became(person, person.remember(**_structured(fact))),
    "by another person's agent": lambda _, agent, fact, said: became(agent, agent.remember(**_structured(fact))),
    "under a condition": lambda person, _, fact, said: became(
        person, person.remember(**_structured(fact, conditions={"when": "always"}))
    ),
    "as a guess": lambda _, agent, fact, said: became(agent, agent.remember(f"Perhaps {said}", basis="inferred")),
    "as a plain sentence": _spelt(lambda said: said),
    "case": _spelt(str.upper),
    "white space": _spelt(lambda said: "  " + said.replace(" ", " \t\u00a0 ")),
    "closing punctuation": _spelt(lambda said: said + "!!!"),
    "look-alikes": _spelt(lambda said: said.translate(LOOKS)),
    "full width": _spelt(lambda said: said.translate(WIDE)),
    "zero width": _spelt("\u200b".join),
    "bidi controls": _spelt(lambda said: f"\u202e{said}\u202c"),
    "decomposed letters": _spelt(lambda said: unicodedata.normalize("NFD", said)),
    "inside a longer text": _spelt(lambda said: f"News of today. I can confirm: {said}, they say. It rains."),
    "over a line break": _spelt(lambda said: said.replace(" ", "\n", 1)),
    "numbers and letters together": _joined(""),
    "numbers and letters apart": _joined(" "),
    "numbers and letters with a hyphen": _joined("-"),
    "by an alias": lambda person, _, fact, said: became(
        person, person.remember(f"So {fact.says.format(s=fact.alias, v=fact.value)}")
    ),
    "in a recipe": _field(_skill),
    "in the parameters of a plan": _field(_plan),
    "in a tag": _field(lambda fact, said: {"kind": "semantic", "statement": "It is so", "subject": fact.subject,
                                           "predicate": "related_to", "object": {"type": "string", "value": "it"},
                                           "tags": [fact.value]}),
    "in working memory": _field(lambda fact, said: {"kind": "working", "thread_id": "t", "state": "planning",
                                                    "context_summary": said}),
    "in an entity's summary": _field(lambda fact, said: {"kind": "entity", "canonical_name": "Notes", "summary": said}),
    "the source fed again": lambda _, agent, fact, said: captured(agent, f"Hello. {said}. Bye.", speaker="Zoe"),
    "an old chat imported": lambda person, _, fact, said: captured(
        person, f"{said}.", speaker="Zoe", occurred_at="2020-01-01T00:00Z", imported=True
    ),
    "corroborated by two": _corroborated,
    "as a correction": _corrected,
    "as a change": _changed,
}  # fmt: skip
GAPS: dict[str, Attack] = {
    "other words for it": lambda person, _, fact, said: became(person, person.remember(fact.paraphrase)),
    "a letter left out": _spelt(lambda said: said[:-2] + said[-1]),
    "letters set apart": _spelt(" ".join),
    "over two sentences": lambda person, _, fact, said: became(
        person, person.remember(f"This is about {fact.subject}. It is {fact.value}.")
    ),
}  # fmt: skip
"""What a tombstone does not reach, by design: it knows words, not meanings."""


def attacks(folder: Path) -> list[Row]:
    """The share of each class that was blocked, and how."""
    place = folder / "attacks"
    place.mkdir()
    counts: dict[str, Counter[str]] = {name: Counter() for name in (*ATTACKS, *GAPS)}
    for fact in FACTS:
        said = fact.says.format(s=fact.subject, v=fact.value)
        for name, attack in (*ATTACKS.items(), *GAPS.items()):
            scope = furnished(place, fact)
            with opened(place, scope=scope) as person, opened(place, scope=scope, actor="bot", role="agent") as agent:
                counts[name][attack(person, agent, fact, said)] += 1
    whole = sum((counts[name] for name in ATTACKS), Counter[str]())
    rows = [_row(f"attack: {name}", counts[name]) for name in ATTACKS]
    return [*rows, _row("all attacks", whole), *(_row(f"not reached: {name}", counts[name]) for name in GAPS)]


# ---- near-misses -----------------------------------------------------------------------------------------------------


def misses(folder: Path) -> list[Row]:
    """The share of each class that was blocked though it may be said: as a claim and as an episode."""
    place = folder / "misses"
    place.mkdir()
    counts: dict[str, Counter[str]] = {}
    for fact in FACTS:
        scope = furnished(place, fact)
        with opened(place, scope=scope) as person:
            for kind, text in near_misses(fact):
                found = counts.setdefault(kind, Counter())
                found[became(person, person.remember(text))] += 1
                found["episode masked" if captured(person, text, speaker="Zoe") == "masked" else "episode whole"] += 1
    held = ("a negation", "a question", "a quoted policy")
    apart = sum((found for kind, found in counts.items() if kind not in held), Counter[str]())
    whole = sum(counts.values(), Counter[str]())
    rows = [_row(f"near-miss: {kind}", found) for kind, found in counts.items()]
    return [*rows, _row("near-misses without both words", apart), _row("all near-misses", whole)]


def _row(what: str, found: Counter[str]) -> Row:
    """A row: the share of claims that did not come through, and every count."""
    episodes = found["episode masked"] + found["episode whole"]
    tried = sum(found.values()) - episodes
    blocked = found["refused"] + found["held"] + found["masked"]
    shares = {key: found[key] for key in ("refused", "held", "masked", "stored", "episode masked") if found[key]}
    how = ", ".join(f"{n} {key}" for key, n in shares.items())
    return Row(f"{what} ({how})", 100 * blocked / tried, "%", size=tried, raw=dict(found))


# ---- what it costs ---------------------------------------------------------------------------------------------------


def _texts() -> Iterator[str]:
    for n in itertools.count():
        yield f"Note {n}: the harbour was calm and {n % 97} boats came in before noon. Cleo counted them twice."


def cost(folder: Path, rounds: int, stones: int) -> list[Row]:
    """CPU of one unsynced capture without a tombstone, with one, and with many."""
    rows: list[Row] = []
    for many in (0, 1, stones):
        place = folder / f"cost{many}"
        place.mkdir()
        with opened(place) as memory:
            for n in range(many):
                record = memory.remember(subject=f"ship {n}", predicate="cargo", object=f"crate {n}").record_id
                reject(memory, record or "")
            samples = Samples()
            for text in itertools.islice(_texts(), rounds):
                samples.measure(lambda text=text: memory.capture(text))
        rows.append(row_of(f"a capture, {many:,} tombstones", samples))
    return rows


def _arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200, help="captures measured")
    parser.add_argument("--stones", type=int, default=1_000, help="how many tombstones are many")
    parser.add_argument("--json", type=Path, default=Path(__file__).with_name("results") / "tombstones.json")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
