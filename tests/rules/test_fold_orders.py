"""The riskiest assumption: the same entries in any order, in one step or many, mean the same.

All orders at once: if from *every* causally closed part D of a history one more entry e takes the fresh answer for D
to the fresh answer for D + e, then every causal order of the history ends in the same rows. So the parts are walked,
of which there are thousands, and not the orders, of which there are millions.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scribe import (
    ANA,
    ANAS_AGENT,
    ANAS_IMPORT,
    ANAS_SPEECH,
    BEN,
    BENS_AGENT,
    PLAIN,
    PROBE,
    SCRAPER,
    USES,
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
from firsthand.vocabulary.entries import Claim, Entry, PolicyRules, Skeleton

POLICY = PolicyRules(name="default")
VERBS = ("remember", "change", "correct", "retract", "revoke", "withdraw", "erase")
SOURCES = (ANA, ANAS_AGENT, BENS_AGENT)
VALUES = ("p", "q", "r")
SEED = 20_260_301


def _do(scribe: Scribe, verb: str, who: Voice, value: str, at: int) -> None:
    """A verb with nothing to act on writes nothing."""
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
        assert fold_in(some_order(entries, chance)).rows == scribe.rows
    # Not promised to anyone, and true: an erasure may even arrive before what it erases.
    assert fold_in(chance.sample(entries, len(entries))).rows == scribe.rows


def every_history(length: int) -> Iterator[Scribe]:
    """All histories of steps that each write something, up to a renaming of values."""
    layer = [(Scribe(POLICY), 0)]
    for number in range(length):
        grown: list[tuple[Scribe, int]] = []
        for before, used in layer:
            for verb, who, value in itertools.product(VERBS, SOURCES, range(min(used + 1, len(VALUES)))):
                after = before.branch("")
                _do(after, verb, who, VALUES[value], 10 * (number + 1))
                if len(after.entries.all()) > len(before.entries.all()):
                    grown.append((after, max(used, value + 1)))
        layer = grown
    return (scribe for scribe, _ in layer)


def test_all_histories_of_three_steps_in_all_orders() -> None:
    """Six entries at most: 3 sources, 3 values, 7 verbs."""
    count = parts = 0
    for scribe in every_history(3):
        assert scribe.rows == scribe.afresh()
        parts += check_every_order(scribe.entries.all())
        count += 1
    assert count > 2_000
    assert parts > 20_000


# ---- longer histories: sampled, with every verb, by two stores that exchange what they wrote ----

EVERYONE = (ANA, ANAS_AGENT, ANAS_SPEECH, ANAS_IMPORT, BEN, BENS_AGENT, PROBE, SCRAPER)
CLAIMS = (
    *(claim(v) for v in VALUES),
    claim("p", polarity="-"),
    claim("q", conditions="at work"),
    claim("p", USES),
    claim("q", USES),
    claim("p", USES, "-"),
    claim("s", PLAIN),
)
SMALL_WORLDS = (CLAIMS[:2], CLAIMS[5:8:2], (claim("p", PLAIN), claim("q", PLAIN)), (CLAIMS[0], CLAIMS[3]))
"""Few claims, so that everything meets: two values, yes and no of one of many, two sentences, yes and no of one."""


def wander(scribe: Scribe, chance: random.Random, at: int, claims: Sequence[Claim]) -> None:
    """One step of any verb by anyone."""
    who, of, scope = chance.choice(EVERYONE), chance.choice(claims), chance.choice(("team:x", "team:x", "space:"))
    at = chance.choice((at, at, at - 15))
    rows = sorted((r for rows in scribe.rows.values() for r in rows if r.claim), key=repr)
    if not rows or chance.random() < 0.4:
        evidence = chance.choice(rows).record if rows and chance.random() < 0.25 else None
        window = {"from_": at + chance.choice((-12, 5))} if chance.random() < 0.3 else {}
        elsewhere = chance.random() < 0.3
        scribe.remember(who, of, at, evidence=evidence, scope=scope, elsewhere=elsewhere, level=at % 3, **window)
        return
    row = chance.choice(rows)
    assert row.claim is not None
    _revise(scribe, chance, who, row.record, row.claim, at, row.scope)


def _revise(scribe: Scribe, chance: random.Random, who: Voice, record: str, of: Claim, at: int, scope: str) -> None:
    if scribe.claim_of(record) is None:
        return
    said = chance.choice(scribe.said_of(of, scope))
    value = chance.choice((*VALUES, None))
    steps: list[Callable[[], object]] = [
        lambda: scribe.change(who, record, value, at),
        lambda: scribe.correct(who, record, value or "p", at),
        lambda: scribe.retract(who, chance.choice((record, said.evidence)), at),
        lambda: chance.choice((scribe.revoke, scribe.reinstate))(who, said, at),
        lambda: chance.choice((scribe.withdraw, scribe.restore))(who, chance.choice((record, said.evidence)), at),
        lambda: scribe.erase(who, chance.choice((record, said.evidence)), at),
        lambda: scribe.erase_value(who, of, at, scope=scope),
        lambda: scribe.approve(who, record, at),
        lambda: scribe.classify(who, chance.choice((record, said.evidence)), at % 5, at),
        lambda: scribe.contest(who, record, at),
        lambda: scribe.settle(who, [scribe.contest(who, record, at)], at),
        lambda: scribe.reject(who, of, at, scope=scope),
        lambda: scribe.lift(who, scribe.reject(who, of, at, scope=scope), at),
        lambda: scribe.lift(who, scribe.retract(who, chance.choice((record, said.evidence)), at), at),
        lambda: scribe.merge(who, _some_records(scribe, chance, record), value or "p", at),
        lambda: scribe.share(who, record, chance.choice(("team:y", "team:z")), at),
    ]
    chance.choice(steps)()


def _some_records(scribe: Scribe, chance: random.Random, record: str) -> list[str]:
    """A record and others of its scope that claim something, in no order."""
    rows = [r for rows in scribe.rows.values() for r in rows if r.claim]
    (scope,) = {r.scope for r in rows if r.record == record}
    others = sorted({r.record for r in rows if r.scope == scope} - {record})
    return [record, *chance.sample(others, min(len(others), 2))]


def long_history(seed: int, steps: int = 12) -> tuple[Scribe, Scribe]:
    """Two stores of one space that meet now and then, and at the end."""
    claims = (CLAIMS, *SMALL_WORLDS)[seed % (1 + len(SMALL_WORLDS))]
    chance = random.Random(seed)
    here = Scribe(POLICY)
    there = here.branch("there")
    for number in range(steps):
        wander(chance.choice((here, there)), chance, 10 * (number + 1), claims)
        if chance.random() < 0.2:
            here.take(there)
            there.take(here)
    here.take(there)
    there.take(here)
    return here, there


@pytest.mark.parametrize("seed", range(SEED, SEED + 12))
def test_long_histories_of_two_stores_in_sampled_orders(seed: int) -> None:
    chance = random.Random(seed)
    for number in range(10):
        here, there = long_history(100 * seed + number)
        assert here.rows == there.rows, "two stores with the same entries agree"
        check_some_orders(here, chance, 3)


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 2**32), st.randoms(use_true_random=False))
def test_any_history_folds_alike_afresh_and_in_any_order(seed: int, chance: random.Random) -> None:
    here, _ = long_history(seed, 8)
    check_some_orders(here, chance, 1)


@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 2**32))
def test_replay_from_skeletons_alone_gives_the_same_rows(seed: int) -> None:
    """Kept as bytes, with every body blank and every clock at nought."""
    here, _ = long_history(seed, 8)
    kept_bytes = [(e.id, msgspec.json.encode(e.skeleton)) for e in here.entries.all()]
    replayed = [Entry(id=i, skeleton=msgspec.json.decode(raw, type=Skeleton)) for i, raw in kept_bytes]
    blank = [
        msgspec.structs.replace(e, skeleton=msgspec.structs.replace(e.skeleton, body="", recorded_at=0))
        for e in replayed
    ]
    assert fold_in(replayed).rows == fold_in(blank).rows == here.rows


# ---- the fold does not refold the past ----

CROWD = 1_000


def reads_of_one_more(scribe: Scribe, of: Claim) -> int:
    """Entries read to fold one more statement."""
    before = len(scribe.reads)
    scribe.remember(ANA, of, 10_000)
    return max(scribe.reads[before:])


def test_one_more_entry_reads_no_more_when_other_slots_are_full() -> None:
    counts: list[int] = []
    for crowd in (0, 30, 300):
        scribe = Scribe(POLICY)
        for at in range(crowd):
            scribe.remember(ANA, claim("p", (f"somebody {at}", "lives_in", True)), at)
        scribe.remember(ANA, claim("p"), 9_000)
        counts.append(reads_of_one_more(scribe, claim("q")))
    assert counts[0] == counts[1] == counts[2] < 20


def test_one_more_value_reads_no_more_when_a_predicate_has_a_thousand() -> None:
    scribe = Scribe(POLICY)
    scribe.remember(ANA, claim("v0", USES), 1)
    few = reads_of_one_more(scribe, claim("one more", USES))
    for at in range(CROWD):
        scribe.remember(ANA, claim(f"v{at}", USES), at)
    assert reads_of_one_more(scribe, claim("another", USES)) == few < 10
    assert scribe.rows == scribe.afresh()


def test_reads_of_one_more_word_in_a_slot_grow_with_the_slot_alone() -> None:
    def reads(values: int) -> int:
        scribe = Scribe(POLICY)
        for at in range(values):
            scribe.remember(ANA, claim(f"v{at}"), at)
        return reads_of_one_more(scribe, claim("one more"))

    assert reads(40) - reads(20) == 20 * (reads(2) - reads(1))
