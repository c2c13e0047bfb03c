"""Entries of another store are never edited: what they meet here is told by an entry of ours, and hides as well."""

from __future__ import annotations

import secrets
from pathlib import Path

from stores import lift, opened, reject

from firsthand import Memory
from firsthand.capture.arrivals import tell_meetings
from firsthand.ledger import Draft, append, prepare
from firsthand.rules.bearing import assertions_of
from firsthand.rules.identity import SALT_BYTES
from firsthand.vocabulary.entries import Body, Edges, Reject, Revise, Tombstone, root_of
from firsthand.vocabulary.records import Episodic


def arrive(memory: Memory, edges: Edges, body: Body, record: str | None = None) -> str:
    """An entry as another store wrote it, which knew nothing of this one; its id."""
    gateway, handle = memory._engine.gateway, memory._handle
    now = gateway.clock.now()
    draft = Draft(scope=handle.scope_id, author=handle.ids, edges=edges, recorded_at=now, record=record)
    with memory._engine.store.writing(memory.space) as writer:
        done = append(writer, draft, prepare(body, secrets.token_bytes(SALT_BYTES), 0))
        return done.entry.id


def told(memory: Memory, *arrived: str) -> bool:
    with memory._engine.store.writing(memory.space) as writer:
        return tell_meetings(memory._engine.gateway, memory._handle, writer, arrived) is not None


def test_words_from_another_store_are_masked_by_a_tombstone_here(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        fact = memory.remember("Ana lives in Berlin", subject="Ana", predicate="lives_in", object="Berlin")
        reject(memory, fact.record_id or "")
        mark = f"[rejected: {memory.ledger.head().entry_id}]"
        said = "Ana is in Berlin. It rains."
        entry = arrive(memory, Revise(record_kind="episodic"), Body(payload=Episodic(text=said)))
        record = "r" + entry[1:]
        assert memory.read(record).item.text == said
        assert told(memory, entry)
        assert memory.read(record).item.text == f"{mark} It rains."
        assert memory.ledger.rebuild().same
        lift(memory)
        assert memory.read(record).item.text == said
        assert memory.ledger.rebuild().same
        assert memory.ledger.verify(deep=True).deep


def test_a_tombstone_from_another_store_masks_words_here_and_makes_claims_wait(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        fact = memory.remember("Ana lives in Berlin", subject="Ana", predicate="lives_in", object="Berlin")
        talk = memory.capture("Ana is in Berlin. It rains.", speaker="Ben")
        near = memory.remember("Ana was seen in Berlin")
        with memory._engine.store.reading(memory.space) as reader:
            root = reader.get(root_of(fact.record_id or ""))
        assert root is not None
        c = assertions_of(root)[0].claim
        stone = Tombstone(value=c.value, subject=c.subject, predicate=c.predicate, one=c.one, absolute=True)
        entry = arrive(memory, Reject(tombstone=stone), Body(reason="so"))
        assert told(memory, entry)
        assert memory.read(talk.record_id or "").item.text == f"[rejected: {entry}] It rains."
        assert memory.read(near.record_id or "").item.status == "needs_review"
        assert memory.ledger.rebuild().same
        lift(memory)
        assert memory.read(near.record_id or "").item.status == "active"
        assert memory.ledger.rebuild().same


def test_nothing_is_told_where_nothing_meets(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        entry = arrive(memory, Revise(record_kind="episodic"), Body(payload=Episodic(text="It rains.")))
        before = memory.ledger.head().position
        assert not told(memory, entry)
        assert memory.ledger.head().position == before
