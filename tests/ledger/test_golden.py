"""The bytes that are hashed are pinned: a change of format has to edit the fixture, and the old one still replays."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, get_args

import pytest
from specimens import GOLDEN, SPACE, specimen_rows

import firsthand
from firsthand.ports import LedgerRow
from firsthand.store.sqlite import SqliteStore
from firsthand.vocabulary.kinds import KINDS, EntryKind

ROWS: list[dict[str, Any]] = json.loads(GOLDEN.read_text(encoding="utf-8"))
SKELETONS = [json.loads(row["skeleton"]) for row in ROWS]
BELIEVED = [
    # (kind, position of the revision, tier, status, visibility, sensitivity)
    ("episodic", 5, "observed", "active", "visible", 0),
    ("episodic", 6, "observed", "erased", "visible", 1),
    ("entity", 7, "validated_claim", "active", "visible", 0),
    ("semantic", 8, "candidate", "retracted", "visible", 2),
    ("semantic", 9, "candidate", "pending_evidence", "hidden", 1),
    ("working", 10, "observed", "active", "visible", 0),
    ("competence", 11, "validated_claim", "active", "visible", 0),
    ("plan_graph", 12, "validated_claim", "active", "visible", 0),
    ("semantic", 24, "validated_claim", "active", "visible", 2),
]


@pytest.fixture(autouse=True)
def specimens_of_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ids in the fixtures are written by hand, and are digests under no key."""
    monkeypatch.setattr("firsthand.wiring._check_key", lambda *_: None)


def replayed(folder: Path) -> firsthand.Memory:
    """A store that was given the fixture's rows and nothing else, rebuilt."""
    store = SqliteStore(folder / "old.db")
    store.space_key(SPACE)
    with store.writing(SPACE) as writer:
        for row in ROWS:
            writer.put_entry(LedgerRow(**row))
    store.close()
    memory = firsthand.open(folder / "old.db", space=SPACE)
    memory.ledger.rebuild()
    return memory


def test_the_fixture_holds_an_entry_of_every_kind_and_a_payload_of_every_kind() -> None:
    assert {s["edges"]["kind"] for s in SKELETONS} == set(get_args(EntryKind))
    bodies = [json.loads(row["body"]) for row in ROWS if row["body"] is not None]
    assert {b["payload"]["kind"] for b in bodies if "payload" in b} == set(KINDS)


def test_entries_are_written_today_with_exactly_the_bytes_of_the_fixture(tmp_path: Path) -> None:
    written = specimen_rows(tmp_path)
    assert len(written) == len(ROWS) > 20
    for now, then in zip(written, ROWS, strict=True):
        assert now == then


def test_the_ids_and_the_chain_follow_from_the_stored_bytes_by_nothing_but_sha256() -> None:
    chain = "0" * 40
    for row in ROWS:
        assert row["entry_id"] == "e" + hashlib.sha256(row["skeleton"].encode()).hexdigest()[:40]
        linked = f"{chain}{row['entry_id']}{row['received_at']}"
        chain = hashlib.sha256(linked.encode()).hexdigest()[:40]
        assert row["chain"] == chain


def test_a_body_digest_covers_the_salt_and_the_stored_bytes() -> None:
    salted = [(r, s) for r, s in zip(ROWS, SKELETONS, strict=True) if r["body"] is not None]
    assert len(salted) == len(ROWS) - 1, "one body is erased"
    for row, skeleton in salted:
        salted_bytes = bytes.fromhex(row["salt"]) + row["body"].encode()
        assert skeleton["body"] == hashlib.sha256(salted_bytes).hexdigest()[:40]


def test_skeletons_and_bodies_are_json_with_sorted_keys_and_no_spaces() -> None:
    for text in [r["skeleton"] for r in ROWS] + [r["body"] for r in ROWS if r["body"] is not None]:
        assert text == json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def test_a_skeleton_holds_none_of_the_words_that_its_body_holds() -> None:
    skeletons, bodies = ("\n".join(str(r[c]) for r in ROWS) for c in ("skeleton", "body"))
    for word in ("Ana", "Lisbon", "Berlin", "project:boat", "sanding", "hull", "she said so"):
        assert word in bodies
        assert word not in skeletons


def test_the_fixture_replays_to_what_it_always_meant(tmp_path: Path) -> None:
    with replayed(tmp_path) as memory:
        head = memory.ledger.verify(deep=True)
        assert (head.position, head.chain) == (len(ROWS), ROWS[-1]["chain"])
        with memory._engine.store.reading(SPACE) as reader:
            docs = {d.vid: d for row in ROWS for d in [reader.doc(row["entry_id"])] if d is not None}
            open_rows = reader.beliefs(docs, None)
            believed = [
                (r.kind, docs[r.vid].position, r.tier, r.status, r.visibility, r.sensitivity) for r in open_rows
            ]
        assert sorted(believed, key=lambda b: b[1]) == BELIEVED


def test_a_replayed_fixture_goes_on_where_it_ended(tmp_path: Path) -> None:
    with replayed(tmp_path) as memory:
        receipt = memory.capture("One more plank.")
        assert receipt.known_at > ROWS[-1]["received_at"]
        assert memory.ledger.verify(deep=True).position > len(ROWS)


@pytest.mark.parametrize("column", ["skeleton", "body", "salt", "chain", "entry_id", "received_at"])
def test_a_fixture_with_one_other_byte_does_not_verify(column: str, tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "old.db")
    store.space_key(SPACE)
    with store.writing(SPACE) as writer:
        for row in ROWS:
            changed = row | {column: _other(row[column])} if row["position"] == 8 else row
            writer.put_entry(LedgerRow(**changed))
    store.close()
    with firsthand.open(tmp_path / "old.db", space=SPACE) as memory, pytest.raises(firsthand.BrokenError) as caught:
        memory.ledger.verify()
    assert caught.value.details["position"] == 8


def _other(value: str | int) -> str | int:
    if isinstance(value, int):
        return value + 1
    return value[:-3] + ("1" if value[-3] != "1" else "2") + value[-2:]
