"""What a memory should answer, in plain Python: it imports nothing of what it is held against, and stores nothing.

A model is a set of facts that only grows: what was said, forbidden, ended, doubted, hidden, destroyed. Two stores that
exchanged everything hold the union of their facts. Every answer is computed from the facts when it is asked for, in the
words of the rules: who is a source, what a correction reaches, whose later word closes whose.

Where a rule would make this large, only its guaranteed part is here: a value is `unsure` when its record says several
things by now, or when a merge carried evidence to it. Such a value may be told or not; what was rejected or erased may
never be told.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

ONE = "port"
"""The predicate that holds one value at a time; every other holds many."""
VOICES = {"agent": 0, "person": 1}
LOW = 1
Place = tuple[str, str, str, str]
"""Scope, subject, predicate, value."""
F = TypeVar("F")


@dataclass(frozen=True)
class Saying:
    """One assertion: who said it, in which role, when; whether it is a guess, and the episode that it cites.

    Who cites what somebody else said is its `writer` and not its source.
    """

    at: int
    record: str
    source: str
    role: str
    spoken: int
    guess: bool = False
    cites: str | None = None
    writer: str | None = None


@dataclass(frozen=True)
class Stone:
    """A value that may not come back: for everybody, or for those who had said it by an instant."""

    at: int
    source: str
    everyone: bool
    spoken: int
    absolute: bool = False
    entry: str | None = None
    erasure: bool = False


@dataclass(frozen=True)
class Lift:
    """It may come back after all."""

    of: int


@dataclass(frozen=True)
class Ending:
    """Everything said of a value by an instant holds no longer, as long as the word that came instead stands."""

    at: int
    spoken: int
    instead: tuple[Place, Saying] | None = None


@dataclass(frozen=True)
class Contest:
    """A doubt, by the entry that says it."""

    entry: str


@dataclass(frozen=True)
class Settle:
    """The doubts that no longer hold."""

    of: frozenset[str]


@dataclass(frozen=True)
class Show:
    """A record was hidden or shown again, by somebody who knew of these decisions and records."""

    at: int
    hides: bool
    replaces: frozenset[int]
    seen: frozenset[str]


@dataclass(frozen=True)
class Level:
    """How sensitive a record is, set by somebody who knew of these levels."""

    at: int
    level: int
    replaces: frozenset[int]


@dataclass(frozen=True)
class Heir:
    """A value took the place of another; who hides that one without knowing of it hides this as well."""

    record: str
    of: Place


@dataclass(frozen=True)
class Mixed:
    """A record of this value says something else by now, or lost words that it rested on."""


@dataclass(frozen=True)
class Merged:
    """A merge ended this value, or carried evidence to it."""


@dataclass(frozen=True)
class Copy:
    """What a value of another scope is a linked copy of."""

    of: Place


@dataclass(frozen=True)
class Gone:
    """An episode whose words were destroyed."""

    episode: str


def reached(by: Stone, said: Saying) -> bool:
    """Whether a correction or retraction was about this very saying."""
    return said.spoken <= by.spoken and (by.everyone or by.source in (said.source, said.writer))


def anew(stone: Stone, said: Saying) -> bool:
    """A person's own word, spoken afterwards."""
    return said.role == "person" and not said.guess and said.spoken > stone.spoken and not reached(stone, said)


@dataclass
class Value:
    """One value of a subject: what was said of it, and what else is known."""

    text: str
    facts: set[object] = field(default_factory=set)

    def all(self, kind: type[F]) -> list[F]:
        """Its facts of a kind."""
        return [f for f in self.facts if isinstance(f, kind)]

    def stones(self) -> list[Stone]:
        """What forbids it and was not lifted."""
        lifted = {lift.of for lift in self.all(Lift)}
        return [s for s in self.all(Stone) if s.at not in lifted]

    def contests(self) -> frozenset[str]:
        """The doubts that wait."""
        settled = {entry for s in self.all(Settle) for entry in s.of}
        return frozenset(c.entry for c in self.all(Contest) if c.entry not in settled)

    @property
    def records(self) -> frozenset[str]:
        """Every record that ever said it."""
        return frozenset(s.record for s in self.all(Saying))

    @property
    def rejected(self) -> bool:
        """Whether nobody may say it."""
        return any(s.absolute for s in self.stones())

    @property
    def plain(self) -> bool:
        """Whether its records say it and nothing else."""
        return not (self.all(Mixed) or self.all(Merged))

    def blocks(self, said: Saying) -> bool:
        """Whether a tombstone binds a saying, made or about to be made."""
        return any(self._binds(stone, said) for stone in self.stones())

    def undone(self, said: Saying) -> bool:
        """Whether a saying closes nothing any more: an erasure destroys it, and leaves closed what it had closed."""
        return any(self._binds(stone, said) for stone in self.stones() if not stone.erasure)

    def _binds(self, stone: Stone, said: Saying) -> bool:
        if stone.absolute or reached(stone, said):
            return True
        sayings = self.all(Saying)
        backers = {stone.source} | {s.source for s in sayings if reached(stone, s)}
        if said.source not in backers:
            return False
        own = [s.spoken for s in [*sayings, said] if s.source == said.source and anew(stone, s)]
        return not own or said.spoken < min(own)

    def standing(self) -> list[Saying]:
        """The sayings that nothing took back; erased ones are among them."""
        return [s for s in self.all(Saying) if not self.undone(s)]

    def waits(self, said: Saying) -> bool:
        """Whether somebody new only repeats what was taken back: such a word is kept, and waits for review."""
        return any(self._repeats(stone, said) for stone in self.stones() if not stone.absolute)

    def _repeats(self, stone: Stone, said: Saying) -> bool:
        theirs = [s for s in self.all(Saying) if s.source == said.source]
        own = [s.spoken for s in theirs if anew(stone, s)]
        before = any(s.spoken <= stone.spoken and not reached(stone, s) for s in theirs)
        return stone.spoken < said.spoken < min(own, default=said.spoken + 1) and not before


class Model:
    """Every value by its place, every record by its id, and the episodes whose words are gone."""

    def __init__(self) -> None:
        self.values: dict[Place, Value] = {}
        self.records: dict[str, set[object]] = {}
        self.gone: set[Gone] = set()

    def value(self, place: Place) -> Value:
        """The value of a place, made if there is none."""
        return self.values.setdefault(place, Value(" ".join(place[1:])))

    def copy(self) -> Model:
        """What is known now."""
        other = Model()
        other.take_in(self)
        return other

    def take_in(self, other: Model) -> None:
        """Learn everything that another model knows."""
        for place, value in other.values.items():
            self.value(place).facts |= value.facts
        for record, facts in other.records.items():
            self.records.setdefault(record, set()).update(facts)
        self.gone |= other.gone

    def slot(self, scope: str, subject: str, predicate: str) -> list[Value]:
        """Every value of one subject and predicate."""
        return [v for place, v in self.values.items() if place[:3] == (scope, subject, predicate)]

    # ---- what holds --------------------------------------------------------------------------------------------------

    def ended(self, value: Value, said: Saying) -> bool:
        """Whether something came instead and still stands, or nothing did."""
        return any(
            said.spoken <= e.spoken and said.at != e.at
            and (e.instead is None or not self.value(e.instead[0]).undone(e.instead[1]))
            for e in value.all(Ending)
        )  # fmt: skip

    def counts(self, value: Value, said: Saying) -> bool:
        """Whether a saying makes its value hold: it states it, has its words, need not wait and was not ended."""
        return not (
            said.guess or value.blocks(said) or value.waits(said) or self.ended(value, said)
            or Gone(said.cites or "") in self.gone
        )  # fmt: skip

    def believed(self, value: Value) -> bool:
        """Whether anything counts; guesses in the same words, however many, are one guess."""
        return any(self.counts(value, s) for s in value.all(Saying))

    def holding(self, scope: str, subject: str, predicate: str) -> list[Value]:
        """What holds now of one subject and predicate, seen or not."""
        values = self.slot(scope, subject, predicate)
        held = [v for v in values if self.believed(v)] if predicate != ONE else self._one(values)
        return [v for v in held if not v.contests()]

    def _one(self, values: list[Value]) -> list[Value]:
        """Of one place: what each source says since it last said something else; then the strongest voice alone."""
        left: list[tuple[Saying, Value]] = []
        for source in {s.source for v in values for s in v.all(Saying)}:
            said = [(s, v) for v in values for s in v.standing() if s.source == source and not s.guess]
            said.sort(key=lambda pair: pair[0].spoken, reverse=True)
            still = itertools.takewhile(lambda pair, said=said: pair[1] is said[0][1], said)
            left += [(s, v) for s, v in still if self.counts(v, s)]
        loudest = max((VOICES[s.role] for s, _ in left), default=0)
        top = {id(v): v for s, v in left if VOICES[s.role] == loudest}
        return list(top.values()) if len(top) == 1 else []

    # ---- what may be seen --------------------------------------------------------------------------------------------

    def _of_records(self, value: Value, kind: Callable[[object], bool]) -> list[object]:
        return [f for record in value.records for f in self.records.get(record, ()) if kind(f)]

    def shows(self, value: Value) -> list[Show]:
        """The decisions to hide or show that no other replaced."""
        every = [f for f in self._of_records(value, lambda f: isinstance(f, Show)) if isinstance(f, Show)]
        replaced = {at for s in every for at in s.replaces}
        return [s for s in every if s.at not in replaced]

    def levels(self, record: str) -> list[Level]:
        """The levels of a record that no other replaced."""
        every = [f for f in self.records.get(record, ()) if isinstance(f, Level)]
        replaced = {at for level in every for at in level.replaces}
        return [level for level in every if level.at not in replaced]

    def level(self, value: Value) -> int:
        """How sensitive it is; what it rests on is of low sensitivity."""
        return max((LOW, *(level.level for r in value.records for level in self.levels(r))))

    def withdrawn(self, value: Value) -> bool:
        """Whether it is hidden: by one decision, by several at once, or by a restore that did not look at all of it."""
        heads = self.shows(value)
        return len(heads) > 1 or any(s.hides or not value.records <= s.seen for s in heads)

    def hidden(self, value: Value, clearance: int) -> bool:
        """Whether nobody with this clearance may see it, for sure."""
        return value.rejected or (
            not self.unsure(value) and (self.withdrawn(value) or self.level(value) > clearance)
        )  # fmt: skip

    def unsure(self, value: Value) -> bool:
        """Whether this model cannot tell that it is seen."""
        if value.all(Merged):
            return True
        if value.all(Mixed) and self._of_records(value, lambda f: True):
            return True
        return any(
            heir.record not in s.seen
            for heir in self._heirs(value)
            for record in self.value(heir.of).records
            for s in self.records.get(record, ())
            if isinstance(s, Show)
        )

    def _heirs(self, value: Value) -> list[Heir]:
        """What it took the place of; a record that says something else since took its place for that as well."""
        if not value.all(Mixed):
            return value.all(Heir)
        return [h for v in self.values.values() for h in v.all(Heir) if h.record in value.records]

    def current(self, scope: str, subject: str, predicate: str, clearance: int) -> tuple[set[str], set[str]]:
        """What somebody with a clearance is told for sure, and what else may be told."""
        told = {v.text for v in self.holding(scope, subject, predicate)
                if not self.unsure(v) and not self.hidden(v, clearance)}  # fmt: skip
        maybe = {v.text for v in self.slot(scope, subject, predicate) if self.unsure(v) and not v.rejected}
        return told, maybe

    def absent(self, value: Value, clearance: int) -> bool:
        """Whether a value may be in no answer, current or not."""
        return self.hidden(value, clearance) or self._fallen(value)

    def copy_is_dead(self, copy: Value) -> bool:
        """Whether a linked copy may be in no answer: all that it copies fell, or its one original was withdrawn."""
        originals = [self.value(c.of) for c in copy.all(Copy)]
        return all(map(self._fallen, originals)) or (len(originals) == 1 and self._withheld(originals[0]))

    def _fallen(self, value: Value) -> bool:
        return value.rejected or (not value.all(Merged) and not value.standing())

    def _withheld(self, value: Value) -> bool:
        return not self.unsure(value) and any(s.hides for s in self.shows(value))
