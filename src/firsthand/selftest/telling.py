"""How a memory is told things and asked, through whichever door: as much as the contradictions need."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from firsthand.memory import Memory
from firsthand.ports import Clock
from firsthand.vocabulary.citing import Cite
from firsthand.vocabulary.packets import Item, Packet, Receipt

ASKED_FOR = 20
"""How many items a recall asks for."""


class Seen(NamedTuple):
    """One item of an answer, as whoever asked has it.

    `qualified`: something is said beside it that speaks against it. `conflict`: which of the answer's it is in.
    """

    text: str
    qualified: bool
    conflict: int | None = None


class Teller(Protocol):
    """Somebody at a door of the memory."""

    def capture(self, text: str, *, speaker: str, occurred_at: str | int) -> Receipt:
        """Keep what was said."""
        ...

    def remember(self, statement: str, *, evidence: Sequence[Cite] = (), **structure: Any) -> Receipt:
        """Claim something."""
        ...

    def retract(self, record_id: str, *, reason: str) -> Receipt:
        """Take a claim back."""
        ...

    def change(self, record_id: str, *, since: str, reason: str) -> Receipt:
        """End a claim."""
        ...

    def recall(self, question: str, *, known_at: int | None = None) -> list[Seen]:
        """The items of the answer, those in conflict first."""
        ...


class Connect(Protocol):
    """Opens the door of the agents on the store in a file: an agent of this name, its owner's, until it is left."""

    def __call__(
        self, file: Path, *, name: str, owner: str, scope: str, clock: Clock
    ) -> AbstractContextManager[Teller]: ...


class Library:
    """The door that is Python. `writer` claims what `memory` keeps and asks for; `imported`: it was kept elsewhere."""

    def __init__(self, memory: Memory, writer: Memory | None = None, *, imported: bool = False) -> None:
        self._memory, self._writer, self._imported = memory, writer or memory, imported

    def capture(self, text: str, *, speaker: str, occurred_at: str | int) -> Receipt:
        """Keep what was said."""
        return self._memory.capture(text, speaker=speaker, occurred_at=occurred_at, imported=self._imported)

    def remember(self, statement: str, *, evidence: Sequence[Cite] = (), **structure: Any) -> Receipt:
        """Claim something."""
        return self._writer.remember(statement, evidence=evidence, **structure)

    def retract(self, record_id: str, *, reason: str) -> Receipt:
        """Take a claim back."""
        return self._writer.retract(record_id, reason=reason)

    def change(self, record_id: str, *, since: str, reason: str) -> Receipt:
        """End a claim."""
        return self._writer.change(record_id, since=since, reason=reason)

    def recall(self, question: str, *, known_at: int | None = None) -> list[Seen]:
        """The items of the answer, those in conflict first."""
        return seen(self._memory.recall(question, known_at=known_at, limit=ASKED_FOR))


def seen(packet: Packet) -> list[Seen]:
    """A packet's items, those in conflict first."""

    def each(item: Item, conflict: int | None) -> Seen:
        return Seen(item.text, item.qualifier.code != "current", conflict)

    conflicts = [each(item, number) for number, group in enumerate(packet.conflicts) for item in group.items]
    return [*conflicts, *(each(item, None) for item in packet.items)]
