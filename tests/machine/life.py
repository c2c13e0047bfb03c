"""What every verb of a random life stands on: two stores, the time, what was touched, and what may be aimed at."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from checks import ALL
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from plain_model import LOW, Heir, Merged, Model, Place, Saying, Value
from two_stores import Store, two_stores

import firsthand

DAY = 86_400_000_000
START = 1_772_355_600_000_000
SCOPES = ("project:alpha", "project:beta")
COPIES = "project:copies"
OWNERS = ("ana", "ben", "cid")
SUBJECTS = ("api", "site", "pier", "shed")
VALUES = {"port": ("7", "8", "9"), "hosts": ("wiki", "blog", "shop")}

stores, scopes, owners = st.integers(0, 1), st.sampled_from(SCOPES), st.sampled_from(OWNERS)
roles, subjects = st.sampled_from(("person", "agent")), st.sampled_from(SUBJECTS)
predicates, picks = st.sampled_from(tuple(VALUES)), st.integers(0, 2)
anything = st.integers(min_value=0, max_value=99)
Target = tuple[Place, Value]
salts = random.Random()
"""What a life takes for chance, set anew at its beginning: a life that is run again has the same ids."""
steps_taken = [0]
"""How many verbs every life of this process has run: neither clocks, restarts, exports nor rebuilds are counted."""


def object_of(place: Place) -> str | int:
    """The value of a place as a caller gives it."""
    return int(place[3]) if place[2] == "port" else place[3]


def heard(value: Value, now: int) -> int:
    """What is known here was spoken before, though under a clock that was ahead."""
    return max((now, *(s.spoken for s in value.all(Saying))))


def record_of(value: Value) -> str:
    """The record under which a claim is known that was made in several."""
    return min(value.records)


class Life(RuleBasedStateMachine):
    """Two stores of one space, whose clocks may be set, each by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="machine-"))
        self.both: tuple[Store, ...] = ()
        self.time = START
        self.latest = START
        self.steps = 0
        self.forks = 0
        self.touched: list[tuple[Store, tuple[str, str, str]]] = []
        self.texts: dict[str, str] = {}
        """What each conversation said."""
        self.unshared: set[tuple[str, str, str]] = set()

    @initialize(days=st.integers(-30, 30))
    def begin(self, days: int) -> None:
        """One clock is ahead of the other, or behind."""
        salts.seed(days)
        self.both = two_stores(self.folder, START, days * DAY)

    @rule(days=st.integers(min_value=-40, max_value=60))
    def clocks_are_set(self, days: int) -> None:
        """Forward, or back: no later instant repeats an earlier one, since steps are no whole number of days."""
        self.time += days * DAY

    def act(self, store: Store, place: Place) -> int:
        """The instant of the next verb: no two share one, whichever way the clocks have gone."""
        self.steps += 1
        steps_taken[0] += 1
        self.touched.append((store, place[:3]))
        self.unshared.add(place[:3])
        return self.tick(store)

    def tick(self, store: Store) -> int:
        """Time goes on, and a store looks at its clock."""
        self.time += 1_000_003
        store.clock.at = self.time + store.skew
        self.latest = max(self.latest, store.clock.at)
        return store.clock.at

    # ---- what may be aimed at ------------------------------------------------------------------------------------

    def those(self, where: int, wanted: Callable[[Model, Value], bool]) -> list[Target]:
        """Places of a store whose value is as wanted."""
        model = self.both[where].model
        return [(p, v) for p, v in model.values.items() if p[0] != COPIES and wanted(model, v)]

    def believed(self, where: int, also: Callable[[Place, Value], bool] = lambda place, value: True) -> list[Target]:
        """What is believed, may be seen by its operator, and whose record says nothing else."""
        found = self.those(where, _is_plain_belief)
        return [(p, v) for p, v in found if also(p, v)]

    def ordinary(self, where: int) -> list[Target]:
        """What is believed of a predicate with many values, and no more sensitive than what replaces it will be."""
        model = self.both[where].model
        return self.believed(where, lambda place, value: place[2] == "hosts" and model.level(value) == LOW)

    def seen_with(self, store: Store, place: Place) -> frozenset[str]:
        """What a decision about a value looks at: its records, and those that took its place."""
        heirs = {h.record for v in store.model.values.values() for h in v.all(Heir) if h.of == place}
        return store.model.value(place).records | heirs

    def aim(self, where: int, pool: Callable[[int], list[Target]], pick: int) -> tuple[Store, Place, Value] | None:
        """One of what a store has to aim at, or else the other one."""
        for each in (where, 1 - where):
            known = pool(each)
            if known:
                return self.both[each], *known[pick % len(known)]
        return None

    def belief(self, where: int, pool: Callable[[int], list[Target]], pick: int) -> tuple[Store, Place, Value] | None:
        """A belief to aim at; where there is none, somebody says something first."""
        if not (pool(0) or pool(1)):
            place = (SCOPES[pick % 2], SUBJECTS[pick % 4], "hosts", VALUES["hosts"][pick // 4 % 3])
            self.say(self.both[where], OWNERS[pick // 12 % 3], "person", place)
        return self.aim(where, pool, pick)

    def said(self, store: Store, place: Place, saying: Saying, receipt: firsthand.Receipt, refused: bool) -> Saying:
        """What became of a saying: refused exactly if a tombstone binds it; else one value has one record."""
        value = store.model.value(place)
        if not value.all(Merged):
            assert (receipt.outcome == "refused") == refused, (receipt, saying, value)
        if receipt.outcome == "refused":
            return saying
        assert receipt.record_id is not None
        if value.plain and value.records:
            assert receipt.record_id in value.records, "one value has one record"
        kept = replace(saying, record=receipt.record_id)
        value.facts.add(kept)
        return kept

    def say(self, store: Store, owner: str, role: str, place: Place, *, guess: bool = False) -> None:
        """Somebody says it, or guesses it."""
        now = self.act(store, place)
        saying = Saying(now, "", owner, role, now, guess)
        refused = store.model.value(place).blocks(saying)
        receipt = store.handle(owner, role, place[0]).remember(
            subject=place[1], predicate=place[2], object=object_of(place), basis="inferred" if guess else "stated"
        )
        self.said(store, place, saying, receipt, refused)

    def close(self) -> None:
        """Every process ends, and the files go."""
        for store in self.both:
            store.close()
        shutil.rmtree(self.folder)


def _is_plain_belief(model: Model, value: Value) -> bool:
    return (
        value.plain and model.believed(value) and not value.contests()
        and not model.unsure(value) and not model.hidden(value, ALL)
    )  # fmt: skip
