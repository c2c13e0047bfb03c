"""What an acceptance test is given: a folder of its own, a clock it sets, people and agents, and two ways to look."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import firsthand.wiring
from firsthand.memory import Memory
from firsthand.selftest.outcomes import FailedError, UnavailableError
from firsthand.selftest.telling import Connect, Teller
from firsthand.vocabulary.errors import FirsthandError
from firsthand.vocabulary.instants import MICROSECONDS_PER_DAY, MICROSECONDS_PER_SECOND, to_micros
from firsthand.vocabulary.kinds import KINDS, Kind
from firsthand.vocabulary.limits import PACKET_BYTES_MAX
from firsthand.vocabulary.packets import Packet

MARCH: Final = to_micros("2026-03-01T09:00Z", "start")
SCOPE: Final = "project:orion"
CONSONANTS: Final = "bdfgklmnprtvz"
VOWELS: Final = "aeiou"
EVERYTHING: Final = ("candidates", "needs_review", "pending", "superseded")
"""Whatever a recall may be asked to include."""


class HandClock:
    """Goes one second further whenever it is looked at, and wherever a test puts it."""

    def __init__(self, at: int = MARCH) -> None:
        self.at = at

    def now(self) -> int:
        """Microseconds UTC."""
        self.at += MICROSECONDS_PER_SECOND
        return self.at

    def pass_days(self, days: float) -> None:
        """Move on, or back."""
        self.at += int(days * MICROSECONDS_PER_DAY)


class World:
    """One test's store and the people in it. `seen` counts what was checked, and what of that was a control.

    `connect` opens the door of the agents, which is built above this house: whoever runs the tests hands it in.
    """

    def __init__(self, folder: Path, connect: Connect | None = None) -> None:
        self.folder = folder
        self._connect = connect
        self.clock = HandClock()
        self.seen = {"property": 0, "control": 0}
        self._open = ExitStack()
        self._numbers = itertools.count(1)

    def close(self) -> None:
        """Release every store."""
        self._open.close()

    # ---- who is there ----------------------------------------------------------------------------------------------

    def person(self, name: str = "ana", *, scope: str = SCOPE, **more: Any) -> Memory:
        """A person at her own keyboard."""
        return self.open(actor=name, role="person", scope=scope, **more)

    def agent(self, owner: str = "ana", *, scope: str = SCOPE, **more: Any) -> Memory:
        """An agent under somebody's credential."""
        return self.open(**{"actor": f"{owner}-agent", "owner": owner, "role": "agent", "scope": scope, **more})

    def client(self, name: str, owner: str = "ana", *, scope: str = SCOPE, file: str = "memory.db") -> Teller:
        """An agent that has nothing of the memory but its tools."""
        if self._connect is None:
            raise UnavailableError("nobody handed in a server that agents could be connected to")
        door = self._connect(self.folder / file, name=name, owner=owner, scope=scope, clock=self.clock)
        return self._open.enter_context(door)

    def open(self, *, file: str = "memory.db", **given: Any) -> Memory:
        """A handle of its own, as another process would have."""
        path = self.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        asked: dict[str, Any] = {"clock": self.clock, "synchronous": "OFF", **given}
        return self._open.enter_context(firsthand.wiring.open(path, **asked))

    # ---- what is looked at -----------------------------------------------------------------------------------------

    def expect(self, holds: object, otherwise: str) -> None:
        """The property itself."""
        self.seen["property"] += 1
        if not holds:
            raise FailedError(otherwise)

    def control(self, holds: object, otherwise: str) -> None:
        """What must be there, so that a store which returns nothing fails."""
        self.seen["control"] += 1
        if not holds:
            raise FailedError(otherwise, in_control=True)

    def refused(self, attempt: Callable[[], Any], *words: str) -> bool:
        """Whether an attempt raises, or comes back without any of `words`."""
        try:
            result = attempt()
        except FirsthandError as error:
            return not any(word in str(error) for word in words)
        return bool(words) and not any(word in repr(result) for word in words)

    def files(self) -> dict[str, bytes]:
        """Every file of this world, as it lies on the disk."""
        return {str(p.relative_to(self.folder)): p.read_bytes() for p in self.folder.rglob("*") if p.is_file()}


def word(length: int = 12) -> str:
    """A word that nobody could guess and no list holds, pronounceable so that no detector takes it for a secret."""
    letters = itertools.cycle((CONSONANTS, VOWELS))
    return "".join(secrets.choice(next(letters)) for _ in range(length))


def verb(holder: object, *names: str) -> Callable[..., Any]:
    """A verb by its path from `holder`, or the reason why the test cannot look."""
    found: Any = holder
    for name in names:
        found = getattr(found, name, None)
        if found is None:
            raise UnavailableError(f"this version has no verb {'.'.join(names)} that it could be tested with")
    return found


def texts(packet: Packet) -> list[str]:
    """What the items say, in order."""
    return [item.text for item in packet.items]


def current(packet: Packet) -> list[str]:
    """What the packet says holds now."""
    return [item.text for item in packet.items if item.qualifier.code == "current"]


def everything_said(memory: Memory, queries: Iterable[str], *, kinds: Sequence[Kind] = KINDS) -> str:
    """All that a handle can be made to say: every question, with everything included, and every list."""
    said: list[str] = []
    for query in queries:
        for include in ((), EVERYTHING):
            packet = memory.recall(query, kinds=kinds, include=include, limit=50, max_bytes=PACKET_BYTES_MAX)
            said += [packet.render(), repr(packet.items), repr(packet.conflicts)]
    said += [item.text for item in memory.list(kinds=kinds, limit=200, include=EVERYTHING).items]
    return "\n".join(said)
