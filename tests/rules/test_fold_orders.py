"""The riskiest assumption: the same entries in any order, in one step or many, mean the same.

All orders at once: if from *every* causally closed part D of a history one more entry e takes the fresh answer for D
to the fresh answer for D + e, then every causal order of the history ends in the same rows. So the parts are walked,
of which there are thousands, and not the orders, of which there are millions.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence

from scribe import (
    ANA,
    ANAS_AGENT,
    BENS_AGENT,
    Rows,
    Scribe,
    Voice,
    claim,
    fold_in,
    kept,
    names_in,
)  # fmt: skip

from firsthand.rules.fold import fold, fold_afresh
from firsthand.rules.view import MemoryEntries
from firsthand.vocabulary.entries import Entry, PolicyRules

POLICY = PolicyRules(name="default")
VERBS = ("remember", "change", "correct", "retract", "revoke", "withdraw", "erase")
SOURCES = (ANA, ANAS_AGENT, BENS_AGENT)
VALUES = ("p", "q", "r")
Step = tuple[str, Voice, str]
SEED = 20_260_301


def play(steps: Sequence[Step], scribe: Scribe | None = None, since: int = 0) -> Scribe:
    """A history of steps (verb, who, value), ten instants apart; a verb with nothing to act on writes nothing."""
    scribe = scribe or Scribe(POLICY)
    for number, (verb, who, value) in enumerate(steps):
        _do(scribe, verb, who, value, since + 10 * (number + 1))
    return scribe


def _do(scribe: Scribe, verb: str, who: Voice, value: str, at: int) -> None:
    of = claim(value)
    if verb == "remember":
        scribe.remember(who, of, at)
        return
    rows = scribe.rows_of(of)
    if not rows or scribe.claim_of(rows[0].record) is None:
        return
    record = rows[0].record
    following = VALUES[(VALUES.index(value) + 1) % len(VALUES)]
    match verb:
        case "change":
            scribe.change(who, record, following, at)
        case "correct":
            scribe.correct(who, record, following, at)
        case "retract":
            scribe.retract(who, record, at)
        case "revoke":
            scribe.revoke(who, scribe.said_of(of)[-1], at)
        case "withdraw":
            scribe.withdraw(who, record, at)
        case _:
            scribe.erase(who, record, at)


def needs_of(entries: Sequence[Entry]) -> dict[str, frozenset[str]]:
    known = frozenset(e.id for e in entries)
    return {e.id: names_in(e, known) for e in entries}


def check_every_order(entries: Sequence[Entry]) -> int:
    """Walk every causally closed part; how many there are."""
    needs = needs_of(entries)
    parts: dict[frozenset[str], Rows] = {frozenset(): {}}
    layer = list(parts)
    while layer:
        grown = {p | {i}: None for p in layer for i in needs if i not in p and needs[i] <= p}
        for part in grown:
            store = MemoryEntries()
            here = [e for e in entries if e.id in part and store.add(e)]
            parts[part] = kept(fold_afresh(store, store.all(), POLICY))
            for last in here:
                before = parts.get(part - {last.id})
                if before is not None:
                    assert kept(before | fold(store, last, POLICY).rows) == parts[part]
        layer = list(grown)
    return len(parts)


def some_order(entries: Sequence[Entry], chance: random.Random) -> list[Entry]:
    needs, left, order = needs_of(entries), list(entries), list[Entry]()
    while left:
        come = {e.id for e in order}
        entry = chance.choice([e for e in left if needs[e.id] <= come])
        left.remove(entry)
        order.append(entry)
    return order


def check_some_orders(scribe: Scribe, chance: random.Random, count: int) -> None:
    """Every step of each order equals folding afresh at its end; the end is the same."""
    assert scribe.rows == scribe.afresh(), "written one by one here, with the short cut of a fresh entry"
    entries = scribe.entries.all()
    for _ in range(count):
        order = some_order(entries, chance)
        assert fold_in(order).rows == scribe.rows


def every_history(length: int) -> Iterator[tuple[Step, ...]]:
    """Histories up to a renaming of values; the first step has to remember, or it would do nothing."""
    for verbs in itertools.product(VERBS, repeat=length - 1):
        for who in itertools.product(SOURCES, repeat=length):
            for values in _patterns(length):
                yield tuple(zip(("remember", *verbs), who, (VALUES[v] for v in values), strict=True))


def _patterns(length: int) -> list[tuple[int, ...]]:
    """Which steps speak of the same value: 0, then each at most one more than the highest so far."""
    patterns: list[tuple[int, ...]] = [(0,)]
    for _ in range(length - 1):
        patterns = [(*p, v) for p in patterns for v in range(min(max(p) + 2, len(VALUES)))]
    return patterns


def test_all_histories_of_three_steps_in_all_orders() -> None:
    told: set[tuple[str, ...]] = set()
    parts = 0
    for steps in every_history(3):
        entries = play(steps).entries.all()
        names = tuple(e.id for e in entries)
        if names not in told:
            told.add(names)
            parts += check_every_order(entries)
    assert len(told) > 1_000
    assert parts > 10_000
