"""A payload as words: what people read, and what the text index holds."""

from __future__ import annotations

from typing import NamedTuple

from firsthand.rules.mentions import mentions
from firsthand.rules.normalise import name_key
from firsthand.rules.terms import index_text
from firsthand.rules.timewords import told
from firsthand.rules.wordlists import STOP_WORDS
from firsthand.vocabulary.kinds import Volatility
from firsthand.vocabulary.records import (
    Competence,
    Entity,
    Episodic,
    Payload,
    PlanGraph,
    Semantic,
    TypedValue,
    Working,
)

QUESTION, TIME_WORDS, UTTERANCE = 1, 2, 4
"""Flags of a document."""
MENTIONS_PER_DOCUMENT = 64
WORDS_LOOKED_UP = 200


class Indexed(NamedTuple):
    """What the indexes hold of one revision's words. `perhaps`: keys that are a mention if an entity has that name.

    `words`: all of them as they stand, and `text` what people read of it: of these its vector is made.
    """

    terms: tuple[str, ...]
    mentions: tuple[str, ...]
    perhaps: tuple[str, ...]
    flags: int
    told_from: int | None
    told_to: int | None
    volatility: Volatility | None
    words: tuple[str, ...]
    text: str


BLANK = Indexed((), (), (), 0, None, None, None, (), "")
"""What the indexes hold of an erased body."""


def words_of(payload: Payload) -> str:
    """What a person reads of a record."""
    match payload:
        case Episodic(text=text):
            return text
        case Semantic(statement=statement):
            return statement
        case Working():
            return _working_words(payload)
        case Competence():
            return _competence_words(payload)
        case PlanGraph():
            return _plan_words(payload)
        case Entity():
            return _entity_words(payload)


def index_words(payload: Payload, said_at: int) -> Indexed:
    """The terms, mentions and time of a payload's words, said at an instant."""
    text = words_of(payload)
    meant = told(text, said_at)
    window = meant.window
    named = _named(payload, text)
    own = index_text(text)
    flags = (QUESTION if "?" in text else 0) | (TIME_WORDS if meant.has_time_words else 0)
    return Indexed(
        tuple(own.terms),
        named,
        _perhaps(text, named),
        flags,
        window.start if window else None,
        window.end if window else None,
        payload.volatility if isinstance(payload, Semantic) else None,
        tuple(own.tokens),
        text,
    )


def names_in(payload: Payload) -> tuple[str, ...]:
    """Every name key under which a payload's document may be found as mentioning it."""
    text = words_of(payload)
    named = _named(payload, text)
    return named + _perhaps(text, named)


def _named(payload: Payload, text: str) -> tuple[str, ...]:
    names = dict.fromkeys(name_key(m.text) for m in mentions(text))
    if isinstance(payload, Semantic) and payload.subject:
        names[name_key(payload.subject)] = None
    return tuple(n for n in names if n)[:MENTIONS_PER_DOCUMENT]


def _perhaps(text: str, named: tuple[str, ...]) -> tuple[str, ...]:
    """Words and pairs of words as name keys, beside those named; one of nothing but common words names nobody."""
    found: dict[str, None] = {}
    before, before_is_rare = "", False
    for word in text.split(maxsplit=WORDS_LOOKED_UP)[:WORDS_LOOKED_UP]:
        key = name_key(word)
        rare = len(key) > 1 and key not in STOP_WORDS
        if rare:
            found[key] = None
        if before and (rare or before_is_rare):
            found[f"{before} {key}"] = None
        before, before_is_rare = key, rare
    for name in named:
        found.pop(name, None)
    return tuple(found)


def value_words(value: TypedValue) -> str:
    """An object as people write it."""
    text = ("true" if value.value else "false") if isinstance(value.value, bool) else str(value.value)
    return f"{text} {value.unit}" if value.unit else text


def claim_words(subject: str, predicate: str, value: TypedValue | None, polarity: str) -> str:
    """A sentence for a claim that came without one."""
    negation = "not " if polarity == "-" else ""
    return f"{subject} {negation}{predicate.replace('_', ' ')} {value_words(value) if value else ''}".strip()


def _working_words(p: Working) -> str:
    parts = [f"Task {p.thread_id} is {p.state}."]
    parts += [p.context_summary] if p.context_summary else []
    parts += [f"Next: {'; '.join(p.next_actions)}."] if p.next_actions else []
    parts += [f"Open: {'; '.join(p.open_questions)}"] if p.open_questions else []
    return " ".join(parts)


def _competence_words(p: Competence) -> str:
    when = "; ".join(t.signal for t in p.triggers)
    steps = " ".join(f"{i}. {s.step}" for i, s in enumerate(p.recipe, 1))
    text = f"{p.skill_name}: when {when}. {steps}"
    return f"{text} Can fail by: {'; '.join(p.failure_modes)}." if p.failure_modes else text


def _plan_words(p: PlanGraph) -> str:
    intent = f": {p.intent}" if p.intent else ""
    return f"Plan {p.plan_id} v{p.version}{intent}. {' → '.join(n.op for n in p.nodes)}"


def _entity_words(p: Entity) -> str:
    also = f" (also {', '.join(a.value for a in p.aliases)})" if p.aliases else ""
    return f"{p.canonical_name}{also}{': ' + p.summary if p.summary else ''}"
