"""Section A, tombstones: what was ruled out does not come back, by no wording, no age and no second try."""

from __future__ import annotations

import unicodedata
from typing import Final

from firsthand.memory import Memory
from firsthand.selftest.outcomes import UnavailableError, check
from firsthand.selftest.world import EVERYTHING, World, current, everything_said, verb, word
from firsthand.vocabulary.citing import cite
from firsthand.vocabulary.kinds import Kind

CLAIMED: Final[tuple[Kind, ...]] = ("semantic", "entity", "competence", "plan_graph")
SHORT_LIVED: Final = """
name = "short-lived"
[[retention]]
tag = "passing"
days = 30
"""
YEARS: Final = 3_700
"""Days, past every half-life."""

PLAIN: Final = 3
"""Restatements in plain sentences, after the four structured ones."""


def launder(world: World, ana: Memory, ben: Memory, value: str) -> list[str]:
    """Supersede it, restate it, corroborate it from two sources; what became of each attempt to bring it back."""
    agents = (world.agent("ana"), world.agent("ben"))
    other = ana.remember(subject="gate", predicate="is_called", object=word())
    world.clock.pass_days(1)
    outcomes = [m.remember(subject="gate", predicate="is_called", object=value).outcome for m in (*agents, ana, ben)]
    plain = [m.remember(f"the gate is called {value}").outcome for m in (*agents, ben)]
    assert len(plain) == PLAIN
    outcomes += plain
    outcomes.append(ana.correct(str(other.record_id), object=value, reason="so I heard").outcome)
    outcomes.append(ana.change(str(other.record_id), object=value, reason="so I heard").outcome)
    for name in ("Mia", "Tom"):
        talk = ben.capture(f"{name}: the gate is called {value}", speaker=name)
        cited = [cite(str(talk.record_id))]
        again = agents[1].remember(subject="gate", predicate="is_called", object=value, evidence=cited)
        outcomes.append(again.outcome)
    return outcomes


@check(
    "tombstone.laundering_sequence",
    section="A",
    given="a value that a person rejected",
    when="it is superseded, restated by everybody, corrected and changed to, and corroborated by two sources",
    then="it is refused each time, no record of it is active, and the rejection stands",
    control="a neighbour that nobody rejected is still recalled",
)
def laundering_sequence(world: World) -> str:
    """An absolute tombstone binds everyone."""
    ana, ben = world.person("ana"), world.person("ben")
    reject = verb(ana, "reject")
    value, neighbour = word(), word()
    wrong = ana.remember(subject="gate", predicate="is_called", object=value)
    ana.remember(subject="bridge", predicate="is_called", object=neighbour)
    reject(str(wrong.record_id), reason="it never was")
    outcomes = launder(world, ana, ben, value)
    world.control(neighbour in ana.recall("what is the bridge called?").render(), "the neighbour is gone as well")
    _stays_out(world, ana, value, "what is the gate called?")
    world.expect(_structured_refused(outcomes), "a structured restatement was taken")
    return f"{len(outcomes)} attempts to bring a rejected value back were turned away; its rejection stands."


def _structured_refused(outcomes: list[str]) -> bool:
    """Claims of the very value are refused; a sentence that holds it is stored to wait for review."""
    return not {"stored", "reinforced"} & {*outcomes[:4], *outcomes[4 + PLAIN :]}


def _stays_out(world: World, memory: Memory, value: str, question: str) -> None:
    """No read shows the value as something that may hold."""
    for include in ((), EVERYTHING):
        packet = memory.recall(question, include=include, limit=50, kinds=["semantic"])
        shown = [*packet.items, *(i for c in packet.conflicts for i in c.items)]
        active = [i for i in shown if value in i.text and i.status == "active"]
        world.expect(not active, "a record of the rejected value is active")
    world.expect(not any(value in t for t in current(memory.recall(question))), "the rejected value is offered")


@check(
    "tombstone.survives_ttl_and_prune",
    section="A",
    given="a rejected value, older than every half-life",
    when="retention has erased its record, a rebuild has run, and the laundering is tried again",
    then="it is still refused",
    control="a value of the same age that nobody rejected survives, as its class says",
)
def survives_ttl_and_prune(world: World) -> str:
    """Tombstones know no age."""
    ana, ben = world.person("ana", policy=SHORT_LIVED), world.person("ben")
    reject, retain = verb(ana, "reject"), verb(ana, "erasure", "retain")
    value, neighbour = word(), word()
    wrong = ana.remember(subject="gate", predicate="is_called", object=value, tags=["passing"])
    ana.remember(subject="bridge", predicate="is_called", object=neighbour)
    reject(str(wrong.record_id), reason="it never was")
    world.clock.pass_days(YEARS)
    world.control(str(wrong.record_id) in retain().erased, "retention prunes nothing")
    ana.ledger.rebuild()
    outcomes = launder(world, ana, ben, value)
    world.control(
        neighbour in ana.recall("what is the bridge called?").render(), "what nobody rejected did not survive"
    )
    _stays_out(world, ana, value, "what is the gate called?")
    world.expect(_structured_refused(outcomes), "an old rejection no longer binds")
    return f"Ten years, retention and a rebuild later {len(outcomes)} attempts were still turned away."


def spellings(text: str) -> dict[str, str]:
    """One text as somebody would write it who wants it to pass for another."""
    look_alike = str.maketrans({"a": "\u0430", "e": "\u0435", "o": "\u043e", "i": "\u0456", "c": "\u0441"})
    return {
        "upper case": text.upper(),
        "title case": text.title(),
        "white space": f"  {text.replace(' ', '   ')}\t",
        "no-break space": text.replace(" ", "\u00a0"),
        "zero width": "\u200b".join(text),
        "soft hyphen": text[:3] + "\u00ad" + text[3:],
        "bidi controls": f"\u202e{text}\u202c",
        "full width": "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
        "decomposed": unicodedata.normalize("NFD", text),
        "composed": unicodedata.normalize("NFC", text),
        "look-alikes": text.translate(look_alike),
        "closing dot": f"{text}.",
    }


@check(
    "tombstone.key_normalization_attack",
    section="A",
    given="a value that was taken back",
    when="it is asserted again with look-alikes, other case, white space, zero-width and bidi characters, full width, "
    "composed and decomposed",
    then="every spelling is refused, as a claim and as a sentence",
    control="a true paraphrase is stored and recalled",
)
def key_normalization_attack(world: World) -> str:
    """Two spellings of one thing are one thing."""
    ana, agent = world.person(), world.agent()
    value = f"café {word(8)}"
    claim = ana.remember(subject="gate", predicate="is_called", object=value)
    sentence = ana.remember(f"open with {value}")
    for receipt in (claim, sentence):
        ana.retract(str(receipt.record_id), reason="never")
    world.clock.pass_days(1)
    tried = 0
    for kind, spelt in spellings(value).items():
        refused = agent.remember(subject="gate", predicate="is_called", object=spelt)
        world.expect(refused.outcome == "refused", f"{kind} passed as a claim")
        plain = agent.remember(f"open with {spelt}")
        world.expect(plain.outcome == "refused", f"{kind} passed as a sentence")
        tried += 2
    for kind, spelt in spellings("gate").items():
        refused = agent.remember(subject=spelt, predicate="Is Called", object=value)
        world.expect(refused.outcome == "refused", f"{kind} of the subject passed")
        tried += 1
    paraphrase = agent.remember(f"whoever says {value[5:]} may come in")
    world.control(
        paraphrase.outcome == "stored" and value[5:] in agent.recall("who may come in?").render(),
        "a true paraphrase is refused as well",
    )
    return f"{tried} spellings of a forbidden value were recognised; a paraphrase was stored."


@check(
    "tombstone.reextraction_stays_inactive",
    section="A",
    given="a source from which several values were extracted, one of them rejected since",
    when="the source comes in again and extraction runs to the end",
    then="no active record carries the rejected value",
    control="the other values of the source become active",
)
def reextraction_stays_inactive(world: World) -> str:
    """An extractor's output passes the same gateway."""
    ana = world.person()
    run, reject = verb(ana, "jobs", "run"), verb(ana, "reject")
    bad, good = word(8).capitalize(), word(8).capitalize()
    text = f"Mia lives in {bad}. Tom lives in {good}."
    ana.capture(text, speaker="Ana", thread="a")
    run()
    wrong = ana.recall("where does Mia live?", kinds=["semantic"], include=EVERYTHING)
    found = [i for i in wrong.items if bad in i.text]
    if not found:
        raise UnavailableError("the extractor finds no claim in this source")
    reject(found[0].record_id, reason="never")
    for thread in ("b", "c"):
        world.clock.pass_days(1)
        ana.capture(text, speaker="Ana", thread=thread)
        run()
    packet = ana.recall("who lives where?", kinds=["semantic"], include=EVERYTHING, limit=50)
    world.control(any(good in i.text for i in packet.items), "the other value of the source is not known either")
    world.expect(not any(bad in i.text for i in packet.items), "the rejected value was extracted again")
    return "The source was extracted three times; the rejected value did not come back."


@check(
    "tombstone.no_second_memory_unit",
    section="A",
    given="a value that was taken back",
    when="it is restated by the source's own agents and from an import",
    then="no second unit of it exists, active or candidate, and each receipt says which rule was met",
    control="what surrounds it is still recalled",
)
def no_second_memory_unit(world: World) -> str:
    """A refusal leaves nothing behind but its own record."""
    ana, agent = world.person(), world.agent()
    value, near = word(), word()
    talk = ana.capture(f"The gate is called {value}, the bridge {near}.", speaker="Ana", occurred_at=world.clock.at)
    quote = [cite(str(talk.record_id), quote=f"The gate is called {value}")]
    wrong = ana.remember(subject="gate", predicate="is_called", object=value, evidence=quote)
    ana.remember(subject="bridge", predicate="is_called", object=near)
    ana.retract(str(wrong.record_id), reason="never")
    world.clock.pass_days(1)
    old = ana.capture(f"Ana: the gate is called {value}", speaker="Ana", occurred_at="2026-02-01T10:00Z", imported=True)
    before = _units(agent)
    receipts = [
        agent.remember(subject="gate", predicate="is_called", object=value),
        agent.remember(subject="gate", predicate="is_called", object=value, basis="inferred"),
        agent.remember(subject="gate", predicate="is_called", object=value, evidence=quote),
        agent.remember(subject="gate", predicate="is_called", object=value, evidence=[cite(str(old.record_id))]),
    ]
    world.control(near in agent.recall("what is the bridge called?").render(), "the surroundings are gone as well")
    for receipt in receipts:
        world.expect(
            receipt.outcome == "refused" and receipt.code, "a restatement was taken, or refused without a reason"
        )
        world.expect(receipt.record_id is None and receipt.entry_id is None, "a refusal made a record")
    world.expect(_units(agent) == before, "there are more records than before")
    said = everything_said(agent, ("what is the gate called?",), kinds=["semantic", "entity"])
    world.expect(f"gate is called {value}" not in said, "a second unit of the value is recalled")
    return (
        f"{len(receipts)} restatements were refused with {receipts[0].code} and left no record, not even a candidate."
    )


def _units(memory: Memory) -> int:
    return len(memory.list(kinds=CLAIMED, limit=200, include=EVERYTHING).items)
