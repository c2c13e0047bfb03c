"""What a memory should answer, in plain Python: it imports nothing of what it is held against, and stores nothing.

Sayings are kept in a list for each value of each subject in each scope. Everything is computed from them when it is
asked for, in the words of the rules: who is a source, what a correction reaches, whose later word closes whose.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

ONE = "port"
"""The predicate that holds one value at a time; every other holds many."""
VOICES = {"agent": 0, "person": 1}


@dataclass
class Saying:
    """One assertion: who said it, under whose credential, when; whether it is a guess, and whether it was revoked."""

    source: str
    role: str
    spoken: int
    guess: bool = False
    revoked: bool = False


@dataclass
class Stone:
    """A value that may not come back: for everybody, or for those who had said it by an instant."""

    source: str
    everyone: bool
    spoken: int
    absolute: bool = False
    lifted: bool = False
    entry: str | None = None


@dataclass
class Value:
    """One value of a subject: what was said of it, and what forbids it.

    `record`: its id, once there is one; `mixed`: a correction made that record say something else.
    """

    text: str
    record: str | None = None
    sayings: list[Saying] = field(default_factory=list)
    stones: list[Stone] = field(default_factory=list)
    level: int = 1
    mixed: bool = False
    withdrawn: bool = False
    erased: bool = False

    def blocks(self, said: Saying) -> bool:
        """Whether a tombstone binds a saying, made or about to be made."""
        return any(self._binds(stone, said) for stone in self.stones if not stone.lifted)

    def _binds(self, stone: Stone, said: Saying) -> bool:
        if stone.absolute or reached(stone, said):
            return True
        backers = {stone.source} | {s.source for s in self.sayings if reached(stone, s)}
        if said.source not in backers:
            return False
        own = [s.spoken for s in [*self.sayings, said] if s.source == said.source and anew(stone, s)]
        return not own or said.spoken < min(own)

    def standing(self) -> list[Saying]:
        """The sayings that count."""
        return [s for s in self.sayings if not s.revoked and not self.blocks(s)]

    def waits(self, said: Saying) -> bool:
        """Whether somebody new only repeats what was taken back: such a word is kept, and waits for review."""
        return any(self._repeats(stone, said) for stone in self.stones if not (stone.lifted or stone.absolute))

    def _repeats(self, stone: Stone, said: Saying) -> bool:
        own = [s.spoken for s in self.sayings if s.source == said.source and anew(stone, s)]
        before = any(s.source == said.source and s.spoken <= stone.spoken and not reached(stone, s)
                     for s in self.sayings)  # fmt: skip
        return stone.spoken < said.spoken < min(own, default=said.spoken + 1) and not before

    def counted(self) -> list[Saying]:
        """What stands, states it and need not wait; guesses in the same words, however many, are one guess."""
        return [s for s in self.standing() if not s.guess and not self.waits(s)]

    def believed(self) -> bool:
        """Whether anything counts."""
        return bool(self.counted())

    @property
    def hidden(self) -> bool:
        """Whether nobody may see it."""
        return self.withdrawn or self.erased or any(s.absolute and not s.lifted for s in self.stones)


def reached(stone: Stone, said: Saying) -> bool:
    """Whether a correction or retraction was about this very saying."""
    return said.spoken <= stone.spoken and (stone.everyone or stone.source == said.source)


def anew(stone: Stone, said: Saying) -> bool:
    """A person's own word, spoken afterwards."""
    return said.role == "person" and not said.guess and said.spoken > stone.spoken and not reached(stone, said)


class Model:
    """Every value by scope, subject, predicate and value."""

    def __init__(self) -> None:
        self.values: dict[tuple[str, str, str, str], Value] = {}

    def value(self, scope: str, subject: str, predicate: str, value: str) -> Value:
        """The value of that place, made if there is none."""
        text = f"{subject} {predicate} {value}"
        return self.values.setdefault((scope, subject, predicate, value), Value(text))

    def slot(self, scope: str, subject: str, predicate: str) -> list[Value]:
        """Every value of one subject and predicate."""
        return [v for (s, j, p, _), v in self.values.items() if (s, j, p) == (scope, subject, predicate)]

    def current(self, scope: str, subject: str, predicate: str, clearance: int) -> set[str]:
        """What holds now of one subject and predicate, as somebody with a clearance is told."""
        values = self.slot(scope, subject, predicate)
        held = [v for v in values if v.believed()] if predicate != ONE else self._one(values)
        return {v.text for v in held if not v.hidden and v.level <= clearance}

    def _one(self, values: list[Value]) -> list[Value]:
        """Of one place: what each source says since it last said something else; then the strongest voice alone."""
        left: list[tuple[Saying, Value]] = []
        for source in {s.source for v in values for s in v.sayings}:
            said = [(s, v) for v in values for s in v.standing() if s.source == source and not s.guess]
            said.sort(key=lambda pair: pair[0].spoken, reverse=True)
            still = itertools.takewhile(lambda pair, said=said: pair[1] is said[0][1], said)
            left += [(s, v) for s, v in still if not v.waits(s)]
        loudest = max((VOICES[s.role] for s, _ in left), default=0)
        top = {id(v): v for s, v in left if VOICES[s.role] == loudest}
        return list(top.values()) if len(top) == 1 else []
