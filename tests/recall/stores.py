"""Memories on real files for the tests of recall, with verbs that have no door yet and packets without ids."""

from __future__ import annotations

import re
import secrets
from pathlib import Path
from typing import Any

import msgspec

import firsthand
from firsthand import Memory
from firsthand.ledger import prepare
from firsthand.rules.identity import SALT_BYTES
from firsthand.vocabulary.entries import Body, Edges, Erase, Lift, Reject, Revise, Show, Tombstone, root_of
from firsthand.vocabulary.grants import Grant
from firsthand.vocabulary.packets import Item, Packet

DAY = 86_400_000_000
START = 1_767_225_600_000_000
"""2026-01-01T00:00Z, when every test begins."""


class Ticking:
    """A clock that is one second later whenever it is asked."""

    def __init__(self, at: int = START) -> None:
        self.at = at

    def now(self) -> int:
        self.at += 1_000_000
        return self.at


class Still:
    """A clock that stands."""

    def __init__(self, at: int) -> None:
        self.at = at

    def now(self) -> int:
        return self.at


def opened(folder: Path, clock: Ticking | Still | None = None, **given: Any) -> Memory:
    """A memory on a file of its own, as a person."""
    asked: dict[str, Any] = {"role": "person", "actor": "ana", "scope": "project:orion", "synchronous": "OFF"}
    return firsthand.open(folder / "memory.db", clock=clock or Ticking(), **{**asked, **given})


def reader_of(folder: Path, clearance: str = "low", **given: Any) -> Memory:
    """An agent of the same file that sees only so much."""
    grant = Grant(clearance=clearance, read=given.pop("read", None), audit=given.pop("audit", False))  # type: ignore[arg-type]
    asked: dict[str, Any] = {
        "role": "agent",
        "actor": "helper",
        "grant": grant,
        "receipts": False,
        "clock": Still(START + DAY),
    }
    return opened(folder, **{**asked, **given})


def write(memory: Memory, edges: Edges, record: str | None = None, reason: str = "because") -> int:
    """Append an entry of a verb that has no door yet; when it was received."""
    gateway, handle = memory._engine.gateway, memory._handle
    words = prepare(Body(reason=reason), secrets.token_bytes(SALT_BYTES), gateway.clock.now())
    with memory._engine.store.writing(memory.space) as writer:
        return gateway.append(handle, writer, edges, words, record=record).received_at


def withdraw(memory: Memory, record_id: str) -> int:
    """Hide a record."""
    return write(memory, Show(verb="withdraw", observed=(root_of(record_id),)), record_id)


def erase(memory: Memory, record_id: str) -> int:
    """Say that a record's words were destroyed."""
    return write(memory, Erase(targets=(root_of(record_id),), reason_code="privacy"), record_id)


def reject(memory: Memory, record_id: str) -> int:
    """Never again, whoever says it."""
    with memory._engine.store.reading(memory.space) as reader:
        root = reader.get(root_of(record_id))
    assert root is not None
    assert isinstance(root.skeleton.edges, Revise)
    c = root.skeleton.edges.supports[0].claim
    stone = Tombstone(
        value=c.value, subject=c.subject, predicate=c.predicate, polarity=c.polarity, one=c.one, absolute=True
    )
    return write(memory, Reject(tombstone=stone), record_id)


def lift(memory: Memory) -> int:
    """Lift the newest rejection of all."""
    with memory._engine.store.reading(memory.space) as reader:
        rows = reader.ledger_rows(0, 10_000)
    stone = [row.entry_id for row in rows if '"kind":"reject"' in row.skeleton][-1]
    return write(memory, Lift(of=stone))


def texts(packet: Packet) -> list[str]:
    """What the items say, in order."""
    return [item.text for item in packet.items]


def everything(packet: Packet) -> list[Item]:
    """Every item, in conflict or not."""
    return [*(i for c in packet.conflicts for i in c.items), *packet.items]


def said(packet: Packet) -> set[str]:
    """Every text of a packet, in conflict or not."""
    return {item.text for item in everything(packet)}


_ID = re.compile(r"\b[re][0-9a-f]{8,40}\b")


def plain(packet: Packet) -> bytes:
    """A packet without what differs between two stores of the same content: ids, nonces and known times.

    Ids, whole or short, become the place at which the packet first shows the record.
    """
    names: dict[str, str] = {}
    for item in (*packet.items, *(i for c in packet.conflicts for i in c.items)):
        for each in (item.record_id, *(c.record_id for c in item.citations)):
            names.setdefault(each[1:9], str(len(names)))

    def named(found: re.Match[str]) -> str:
        return f"{found[0][0]}#{names.get(found[0][1:9], '?')}"

    def clean(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {k: clean(v, k) for k, v in value.items() if k not in ("recall_id", "nonce", "known_at")}
        if isinstance(value, list | tuple):
            cleaned = [clean(v, key) for v in value]
            return sorted(cleaned) if key == "challenged_by" else cleaned
        if isinstance(value, str):
            text = _ID.sub(named, value)
            return re.sub(r"(?<=may contradict ).*", lambda m: ", ".join(sorted(m[0].split(", "))), text)
        return 0 if key in ("believed_since", "last_verified") else value

    return msgspec.json.encode(clean(packet.as_dict()))


def matched_counts(packet: Packet) -> None:
    """What every packet's counts promise."""
    omitted = packet.omitted.rows + packet.omitted.bytes + packet.omitted.tokens
    assert packet.returned == len(packet.items) + len(packet.conflicts)
    assert packet.matching == packet.returned + omitted
    assert packet.truncated == (omitted > 0)
    assert (packet.why_empty is None) == (packet.returned > 0)
