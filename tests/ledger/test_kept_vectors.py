"""Vectors are written with their words, by one embedder a space, and are gone when those go."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw
import pytest
from erasing import opened
from histories import rows, store_of

import firsthand
from firsthand.inference.static import IDENTITY, StaticEmbedder
from firsthand.memory import Memory
from firsthand.ports import Said
from firsthand.rules.terms import tokens
from firsthand.store.sqlite_write import SqliteWriter
from firsthand.store.write_vectors import VectorWrites

HARBOUR = "The harbour master painted the lighthouse on Saturday."


def vector(text: str) -> bytes:
    (made,) = StaticEmbedder().embed([Said(tokens(text), text)])
    assert made
    return made


def kept(memory: Memory, record_id: str | None) -> list[bytes]:
    """The vectors of a record's documents."""
    with store_of(memory).reading(memory.space) as reader:
        docs = reader.docs_of_record(record_id or "")
        assert docs
        return [packed for _, packed in reader.vectors_of(d.vid for d in docs)]


def embedding(memory: Memory) -> str | None:
    with store_of(memory).reading(memory.space) as reader:
        return reader.embedding()


def test_words_and_their_vector_are_written_together(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        said = memory.capture(HARBOUR)
        claim = memory.remember("The lighthouse is white")
        assert kept(memory, said.record_id) == [vector(HARBOUR)]
        assert kept(memory, claim.record_id) == [vector("The lighthouse is white")]
        assert kept(memory, claim.evidence_id) == []  # stored only to be cited
        assert kept(memory, memory.capture("zqzqzq 4711").record_id) == []
        assert embedding(memory) == IDENTITY


def test_what_is_hidden_has_no_vector_until_it_is_shown_again(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        said, other = memory.capture(HARBOUR), memory.capture("The ferry is late")
        memory.withdraw(said.record_id, reason="not now")
        assert kept(memory, said.record_id) == []
        assert kept(memory, other.record_id) == [vector("The ferry is late")]
        memory.restore(said.record_id, reason="now")
        assert kept(memory, said.record_id) == [vector(HARBOUR)]
        assert memory.ledger.rebuild().same


def test_what_is_masked_is_not_in_the_vector(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        said = memory.capture("Ana lives in Berlin. She likes tea.", speaker="Ben")
        claim = memory.remember(
            subject="Ana", predicate="lives_in", object="Berlin",
            evidence=[firsthand.cite(said.record_id, quote="Ana lives in Berlin.")],
        )  # fmt: skip
        whole = kept(memory, said.record_id)
        assert whole == [vector("Ana lives in Berlin. She likes tea.")]
        memory.reject(claim.record_id, reason="never true")
        assert kept(memory, said.record_id) == [vector("She likes tea.")] != whole
        assert kept(memory, claim.record_id) == []
        assert memory.ledger.verify(deep=True).deep


def test_an_erasure_leaves_no_vector_and_no_byte_of_one(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        said, other = memory.capture(HARBOUR), memory.capture("The ferry is late")
        found = memory.erasure.sweep(HARBOUR)
        assert {hit.form for hit in found.hits} >= {"words"}
        done = memory.erase(said.record_id, reason_code="privacy")
        assert done.certificate is not None
        assert done.certificate.clean
        assert kept(memory, said.record_id) == []
        assert kept(memory, other.record_id) == [vector("The ferry is late")]
        held = b"".join(p.read_bytes() for p in tmp_path.iterdir())
        assert vector(HARBOUR) not in held
        assert vector("The ferry is late") in held
        report = memory.erasure.sweep(HARBOUR)
        assert report.clean
        assert report.control["vector"]


def test_a_vector_that_outlives_its_words_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(VectorWrites, "_drop_vector", lambda self, vid: None)
    with opened(tmp_path) as memory:
        said = memory.capture(HARBOUR)
        done = memory.erase(said.record_id, reason_code="privacy")
        assert done.certificate is not None
        assert not done.certificate.clean
        assert {p.place for p in done.certificate.places if p.proof == "residue"} == {"vector", "m.db"}
        report = memory.erasure.sweep(HARBOUR)
        assert {hit.form for hit in report.hits} == {"vector"}


def test_other_words_that_have_the_same_vector_are_no_residue(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        said = memory.capture("orbit12 docked")
        stays = memory.capture("docked: orbit34")
        assert kept(memory, said.record_id) == kept(memory, stays.record_id) != []
        done = memory.erase(said.record_id, reason_code="privacy")
        assert done.certificate is not None
        assert done.certificate.clean
        assert kept(memory, stays.record_id) == [vector("docked orbit34")]


class Listening(StaticEmbedder):
    """An embedder that notes which texts it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []

    def embed(self, texts: Sequence[Said]) -> list[bytes]:
        self.heard += [said.text for said in texts]
        return super().embed(texts)


def test_an_embedder_is_given_the_text_as_it_may_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listening = Listening()
    monkeypatch.setattr("firsthand.wiring.embedder_of", lambda _: listening)
    with opened(tmp_path) as memory:
        said = memory.capture("Ana lives in Berlin. She likes tea.", speaker="Ben")
        claim = memory.remember(
            subject="Ana", predicate="lives_in", object="Berlin",
            evidence=[firsthand.cite(said.record_id, quote="Ana lives in Berlin.")],
        )  # fmt: skip
        assert listening.heard == ["Ana lives in Berlin. She likes tea.", "Ana", "Ana lives in Berlin"]
        memory.recall("Where does Ana live?")
        memory.reject(claim.record_id, reason="never true")
        question, masked = listening.heard[3:]
        assert question == "Where does Ana live?"
        assert "She likes tea." in masked
        assert "Berlin" not in masked


# ---- one embedder a space --------------------------------------------------------------------------------------------


class Other(StaticEmbedder):
    """An embedder of another name."""

    identity = "another"


def test_who_writes_without_an_embedder_leaves_it_to_the_next_to_make_every_vector(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        first = memory.capture(HARBOUR)
    with opened(tmp_path, embedder=None) as memory:
        assert embedding(memory) == IDENTITY
        second = memory.capture("The ferry is late")
        assert kept(memory, second.record_id) == []
        assert embedding(memory) == ""
        assert memory.ledger.verify(deep=True).deep
    with opened(tmp_path) as memory:
        assert embedding(memory) == IDENTITY
        assert kept(memory, first.record_id) == [vector(HARBOUR)]
        assert kept(memory, second.record_id) == [vector("The ferry is late")]
        assert memory.ledger.verify(deep=True).deep


def test_vectors_of_two_embedders_never_stand_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path) as old:
        first = old.capture(HARBOUR)
        monkeypatch.setattr("firsthand.wiring.embedder_of", lambda _: Other())
        with opened(tmp_path) as new:
            assert embedding(new) == "another"
            assert kept(new, first.record_id) == [vector(HARBOUR)]
            new.capture("The lighthouse is white")
            late = old.capture("The ferry is late")
            assert kept(old, late.record_id) == []
            assert embedding(new) == ""
            assert kept(new, new.capture("The mast is oak").record_id) == []
        with opened(tmp_path) as new:
            assert embedding(new) == "another"
            assert kept(new, late.record_id) == [vector("The ferry is late")]


# ---- older files -----------------------------------------------------------------------------------------------------


def aged(path: Path) -> None:
    """Make a file what the version before this one made: no vectors, and no count of what was reworded."""
    connection = apsw.Connection(str(path))
    connection.execute("DROP TABLE vector; DROP TABLE embedding; DROP INDEX doc_off;")
    connection.execute("ALTER TABLE scope DROP COLUMN reworded; PRAGMA user_version = 3;")
    connection.close()


def told(memory: Memory) -> list[Any]:
    """What a memory says, whichever file it came from."""
    packet = memory.recall("who painted the lighthouse?")
    return [[(i.record_id, i.text, i.qualifier.text) for i in packet.items], memory.stats().records]


def test_an_older_file_is_brought_up_to_date_when_it_is_opened(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        said, claim = memory.capture(HARBOUR, idempotency_key="k"), memory.remember("The lighthouse is white")
        memory.correct(claim.record_id, "The lighthouse is red", reason="repainted")
        was = told(memory)
    with opened(tmp_path, space="other") as memory:
        memory.capture("The ferry is late")
    aged(tmp_path / "m.db")
    with opened(tmp_path) as memory:
        assert told(memory) == was
        assert kept(memory, said.record_id) == [vector(HARBOUR)]
        assert memory.ledger.verify(deep=True).deep
        assert memory.capture(HARBOUR, idempotency_key="k").record_id == said.record_id
    with opened(tmp_path, space="other") as memory:
        assert [i.text for i in memory.recall("ferry").items] == ["The ferry is late"]
        assert memory.ledger.verify(deep=True).deep
    assert rows(tmp_path / "m.db", "PRAGMA user_version") == [(4,)]


def test_nothing_is_written_to_an_older_file_whose_ledger_cannot_be_replayed(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.capture(HARBOUR)
    aged(tmp_path / "m.db")
    connection = apsw.Connection(str(tmp_path / "m.db"))
    connection.execute("DROP TRIGGER entry_no_update; UPDATE entry SET chain = 'x' WHERE position = 2")
    connection.close()
    with opened(tmp_path) as memory:
        with pytest.raises(firsthand.BrokenError) as caught:
            memory.capture("The ferry is late")
        assert caught.value.code == "space_unprojected"
        with pytest.raises(firsthand.BrokenError):
            memory.ledger.verify()
        assert memory.ledger.head().position > 1


def test_a_replay_that_fails_leaves_the_older_file_to_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path) as memory:
        said = memory.capture(HARBOUR)
    aged(tmp_path / "m.db")

    def broken(self: SqliteWriter, *given: object) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(SqliteWriter, "put_doc", broken)
        with pytest.raises(OSError, match="the disk is full"):
            opened(tmp_path)
    with opened(tmp_path) as memory:
        assert kept(memory, said.record_id) == [vector(HARBOUR)]
