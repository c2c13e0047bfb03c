"""Many scopes and many spaces in one file: what one of them costs, whatever the others hold."""

import random
from pathlib import Path

import firsthand
from report import Bar, Row, Samples, row_of
from scale_sizes import LIMIT, WARM_UP, holds
from scale_stores import (
    FACTS_A_SPACE,
    SMALL,
    SMALL_FACTS,
    alone,
    beside_large,
    beside_many,
    many_spaces,
    scope_of,
    small_facts,
    space_of,
)
from writes import Loaded

APART_BAR = Bar(1.5, "ratio")
UNSEEN_BAR = Bar(5)
SEEN_BAR = Bar(3)


def scopes(folder: Path, large: Loaded, number_of: int, rounds: int) -> list[Row]:
    """The same small scope alone, beside a large one and among many; and some of the many, each asked twice.

    Only the small scope is asked: the large one is the space's own, which a recall reads as well unless told otherwise.
    """
    among = f"among {number_of:,}"
    stores = {
        "alone": alone(folder),
        f"beside one of {large.size:,}": beside_large(folder, large),
        among: beside_many(folder, number_of),
    }
    facts = random.Random(5).choices(small_facts(), k=min(WARM_UP, rounds) + rounds)
    opened = {name: firsthand.open(store, scope=SMALL, actor="bench") for name, store in stores.items()}
    taken = {name: Samples() for name in stores}
    missed = dict.fromkeys(stores, 0)
    for number, fact in enumerate(facts):
        for name, ours in opened.items():
            kept = taken[name] if number >= len(facts) - rounds else Samples()
            found = kept.measure(lambda m=ours, q=fact.query: m.recall(q, scopes=[SMALL], limit=LIMIT))
            missed[name] += not holds(found, fact)
    for ours in opened.values():
        ours.close()
    first = taken["alone"]
    rows = [
        row_of(f"small scope, {name}", samples, size=SMALL_FACTS, ratio=samples.p50 / first.p50,
               bar=APART_BAR if samples is not first else None, raw={"not found": missed[name]})
        for name, samples in taken.items()
    ]  # fmt: skip
    return rows + _each(stores[among], number_of, rounds)


def _each(store: Path, number_of: int, rounds: int) -> list[Row]:
    """Scopes that this process has not seen, then the same ones again."""
    numbers = random.Random(9).sample(range(number_of - 1), min(rounds, number_of - 1))
    unseen, seen = Samples(), Samples()
    query = random.Random(9).choice(small_facts()).query
    with firsthand.open(store, actor="bench") as ours:
        ours.at(scope=SMALL).recall(query, limit=LIMIT)
        for taken in (unseen, seen):
            for number in numbers:
                scope = ours.at(scope=scope_of(number))
                taken.measure(lambda m=scope: m.recall(query, limit=LIMIT))
    return [
        row_of(f"one of {number_of:,} scopes, not seen before", unseen, bar=UNSEEN_BAR),
        row_of(f"one of {number_of:,} scopes, seen", seen, bar=SEEN_BAR),
    ]


def spaces(folder: Path, number_of: int, rounds: int) -> list[Row]:
    """The small scope in one of many spaces of one file, and opening any of them."""
    store = many_spaces(folder, number_of)
    facts = random.Random(5).choices(small_facts(), k=min(WARM_UP, rounds) + rounds)
    taken, other, opening = Samples(), Samples(), Samples()
    missed = 0
    with (
        firsthand.open(store, space=space_of(0), scope=SMALL, actor="bench") as ours,
        firsthand.open(alone(folder), scope=SMALL, actor="bench") as apart,
    ):
        for number, fact in enumerate(facts):
            late = number >= len(facts) - rounds
            found = (taken if late else Samples()).measure(lambda q=fact.query: ours.recall(q, limit=LIMIT))
            (other if late else Samples()).measure(lambda q=fact.query: apart.recall(q, limit=LIMIT))
            missed += not holds(found, fact)
    for number in random.Random(9).sample(range(1, number_of), min(rounds, number_of - 1)):
        opening.measure(lambda n=number: firsthand.open(store, space=space_of(n), actor="bench").close())
    raw = {"not found": missed, "facts in each other space": FACTS_A_SPACE}
    return [
        row_of(f"small scope, in one of {number_of:,} spaces", taken, size=SMALL_FACTS, ratio=taken.p50 / other.p50,
               bar=APART_BAR, raw=raw),
        row_of(f"opening one of {number_of:,} spaces", opening),
    ]  # fmt: skip
