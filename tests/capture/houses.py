"""Real memories in real files for the gateway tests: a clock that is set by hand, many callers, and a look below."""

from __future__ import annotations

import itertools
from contextlib import ExitStack
from pathlib import Path

import apsw

import firsthand
from firsthand.vocabulary.instants import MICROSECONDS_PER_DAY, to_micros

DAY = MICROSECONDS_PER_DAY
START = to_micros("2026-03-01", "start")


class HandClock:
    """Stands still unless it is moved; each look is a second later, so that no two entries share an instant."""

    def __init__(self, at: int = START) -> None:
        self.at = at

    def now(self) -> int:
        self.at += 1_000_000
        return self.at

    def pass_days(self, days: float) -> None:
        self.at += int(days * DAY)


class House:
    """One database file, and handles on it that share a clock."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "memory.db"
        self.clock = HandClock()
        self._open = ExitStack()
        self._names = itertools.count()

    def memory(self, actor="ana", role="person", *, scope="project:orion", **more):
        """A handle of its own, as another process would have."""
        memory = firsthand.open(self.path, actor=actor, role=role, scope=scope, clock=self.clock,
                                synchronous="OFF", **more)  # fmt: skip
        return self._open.enter_context(memory)

    def agent(self, owner="ana", name="coder", **more):
        """An agent whose credential is `owner`'s."""
        return self.memory(f"{owner}-{name}", "agent", owner=owner, **more)

    def close(self):
        self._open.close()

    def counts(self):
        """How many rows every table has; with them, nothing at all can be written unnoticed."""
        connection = apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            names = [r[0] for r in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
            return {n: connection.execute(f'SELECT count(*) FROM "{n}"').fetchone()[0] for n in names}
        finally:
            connection.close()

    def column(self, sql):
        """The first column of a query, straight from the file."""
        connection = apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            return [r[0] for r in connection.execute(sql)]
        finally:
            connection.close()

    def raw_bytes(self):
        """Everything on disk: database, write-ahead log, shared memory, keys."""
        return b"\n".join(p.read_bytes() for p in sorted(self.path.parent.iterdir()) if p.is_file())


def texts(memory, query="", **asked):
    """What a recall says, in order, claims only unless told otherwise."""
    return [i.text for i in memory.recall(query, **{"kinds": ["semantic"], **asked}).items]


def current(memory, query, **asked):
    """What a recall says holds now."""
    items = memory.recall(query, **{"kinds": ["semantic"], **asked}).items
    return [i.text for i in items if i.qualifier.code == "current"]


def claim(memory, subject, predicate, value, **more):
    """Remember a structured claim whose sentence is made from it."""
    return memory.remember(subject=subject, predicate=predicate, object=value, **more)
