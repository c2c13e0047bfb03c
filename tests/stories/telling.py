"""What the stories are told with: people, agents and a calendar on one file, and packets as short lists."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import firsthand
from firsthand import Memory, Packet
from firsthand.vocabulary.instants import MICROSECONDS_PER_DAY, to_micros
from firsthand.vocabulary.packets import Item

MARCH = to_micros("2026-03-01T09:00Z", "start")


class Calendar:
    """A clock that stands still between days; each look is a second later."""

    def __init__(self) -> None:
        self.at = MARCH

    def now(self) -> int:
        self.at += 1_000_000
        return self.at

    def on(self, day: str) -> None:
        """Go on to 9 o'clock of a day."""
        later = to_micros(f"{day}T09:00Z", "day")
        assert later > self.at, "a story goes forward"
        self.at = later

    def days_pass(self, days: int) -> None:
        """Go on some days."""
        self.at += days * MICROSECONDS_PER_DAY


class Story:
    """One memory, told over several days by several people and their agents."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "memory.db"
        self.calendar = Calendar()
        self._open = ExitStack()

    def person(self, name: str, *, scope: str = "project:orion", **more: Any) -> Memory:
        """A person at her own keyboard."""
        return self._handle(actor=name, role="person", scope=scope, **more)

    def agent(self, owner: str, *, scope: str = "project:orion", **more: Any) -> Memory:
        """An agent that works under somebody's credential."""
        return self._handle(actor=f"{owner}-agent", owner=owner, role="agent", scope=scope, **more)

    def _handle(self, **given: Any) -> Memory:
        return self._open.enter_context(firsthand.open(self.path, clock=self.calendar, synchronous="OFF", **given))

    def end(self) -> None:
        """Close every handle."""
        self._open.close()

    def bytes_on_disk(self) -> bytes:
        """Every byte of the memory's files."""
        return b"\n".join(p.read_bytes() for p in sorted(self.path.parent.iterdir()) if p.is_file())


def now(packet: Packet) -> list[str]:
    """What the packet says holds now."""
    return [item.text for item in packet.items if item.qualifier.code == "current"]


def shown(packet: Packet) -> dict[str, str]:
    """Every item's words with the qualifier that stands beside them."""
    return {item.text: item.qualifier.text for item in packet.items}


def in_conflict(packet: Packet) -> set[str]:
    """What is shown as contradicting each other."""
    return {item.text for group in packet.conflicts for item in group.items}


def everywhere(packet: Packet) -> str:
    """All that a model would read of the packet."""
    return packet.render()


def one(packet: Packet, text: str) -> Item:
    """The item that says so."""
    (found,) = [item for item in packet.items if item.text == text]
    return found
