"""Vectors are written with their words, by one embedder a space, and are gone when those go."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw
import pytest
from erasing import opened
from histories import rows, store_of
from read_only_vfs import read_only_disk

import firsthand
from firsthand.embedding import FEW, catch_up
from firsthand.inference.static import IDENTITY, StaticEmbedder
from firsthand.memory import Memory
from firsthand.ports import Said
from firsthand.rules.terms import tokens
from firsthand.store.sqlite_write import SqliteWriter
from firsthand.store.write_vectors import VectorWrites

FERRY = "The ferry is late"
HARBOUR = "The harbour master painted the lighthouse on Saturday."


class Undone(Exception):  # noqa: N818
    """Rolls a transaction back."""


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
        held = reader.embedding()
        return None if held is None else held.identity


def waiting(memory: Memory) -> int:
    with store_of(memory).reading(memory.space) as reader:
        return reader.pending_counts().waiting


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
    monkeypatch.setattr("firsthand.inference.choosing.own_embedder", lambda: listening)
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


class Newer(StaticEmbedder):
    """Our own words in their next version: to tell them apart, a vector of it is another one turned round."""

    identity = "firsthand-words-2"

    def embed(self, texts: Sequence[Said]) -> list[bytes]:
        return [made[::-1] for made in super().embed(texts)]


def test_who_writes_without_an_embedder_leaves_what_it_wrote_to_the_next(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        first = memory.capture(HARBOUR)
    with opened(tmp_path, embedder=None) as memory:
        assert embedding(memory) == IDENTITY
        second = memory.capture("The ferry is late")
        assert kept(memory, second.record_id) == []
        assert kept(memory, first.record_id) == [vector(HARBOUR)]
        assert (embedding(memory), waiting(memory)) == (IDENTITY, 1)
        assert memory.ledger.verify(deep=True).deep
    with opened(tmp_path) as memory:
        assert waiting(memory) == 0
        assert embedding(memory) == IDENTITY
        assert kept(memory, first.record_id) == [vector(HARBOUR)]
        assert kept(memory, second.record_id) == [vector("The ferry is late")]
        assert memory.ledger.verify(deep=True).deep


def test_vectors_of_two_embedders_never_stand_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path) as old:
        first = old.capture(HARBOUR)
        monkeypatch.setattr("firsthand.inference.choosing.own_embedder", Newer)
        monkeypatch.setattr("firsthand.inference.choosing.IDENTITY", Newer.identity)
        with opened(tmp_path) as new:
            assert embedding(new) == Newer.identity
            assert kept(new, first.record_id) == [vector(HARBOUR)[::-1]]
            late = old.capture("The ferry is late")
            assert kept(old, late.record_id) == []
            assert (embedding(new), waiting(new)) == (Newer.identity, 1)
            assert old.recall("boat").degraded == ("vectors_outdated",)
            assert new.recall("boat").degraded == ("vectors_pending",)
            mast = new.capture("The mast is oak")
            assert kept(new, mast.record_id) == [vector("The mast is oak")[::-1]]
            assert kept(new, late.record_id) == [vector("The ferry is late")[::-1]]
            assert new.recall("boat").degraded == ()
            assert new.ledger.rebuild().same
    monkeypatch.setattr("firsthand.inference.choosing.own_embedder", StaticEmbedder)
    monkeypatch.setattr("firsthand.inference.choosing.IDENTITY", IDENTITY)
    with pytest.raises(firsthand.ConflictError) as caught:
        opened(tmp_path)
    assert (caught.value.code, caught.value.next_action) == ("embedder_differs", "reindex")


def test_what_waits_is_worked_off_in_bounded_steps_by_whoever_has_the_embedder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firsthand.wiring.CATCH_UP_TIMES", 2)
    monkeypatch.setattr("firsthand.wiring.CATCH_UP_DOCUMENTS", 10)
    with opened(tmp_path, embedder=None) as memory:
        memory.capture_many({"text": f"{FERRY} on day {n}"} for n in range(100))
        assert (embedding(memory), waiting(memory)) == ("", 100)
        assert memory.recall("ferry").degraded == ("vector_arm_unavailable",)
        assert memory.ledger.rebuild().same
        assert waiting(memory) == 100
    with opened(tmp_path) as memory:
        assert (embedding(memory), waiting(memory)) == (IDENTITY, 80)
        assert memory.recall("ferry").degraded == ("vectors_pending",)
        memory.capture(HARBOUR)
        assert waiting(memory) == 80 - FEW
        report = memory.embed_pending(limit=7)
        assert (report.embedded, report.waiting) == (7, 41)
        with contextlib.suppress(Undone), store_of(memory).writing(memory.space) as writer:
            catch_up(writer, store_of(memory).embedder, 5)
            assert writer.pending_counts().waiting == 36
            raise Undone
        assert waiting(memory) == 41
        assert memory.ledger.rebuild().same
        assert waiting(memory) == 0
        assert memory.recall("ferry").degraded == ()
        assert memory.ledger.verify(deep=True).deep


def test_a_vector_that_came_late_is_seen_by_who_had_read_the_others(tmp_path: Path) -> None:
    with opened(tmp_path) as memory, opened(tmp_path, embedder=None) as other:
        memory.capture(HARBOUR)
        assert memory.recall("boat").degraded == ()
        late = other.capture("My car is in the garage")
        assert not [i for i in memory.recall("automobile repair").items if i.record_id == late.record_id]
        memory.capture(FERRY)
        found = memory.recall("automobile repair")
        assert [i.record_id for i in found.items][:1] == [late.record_id]


def test_what_waits_goes_with_its_words(tmp_path: Path) -> None:
    with opened(tmp_path, embedder=None) as memory:
        gone, hidden, stays = (memory.capture(text) for text in (HARBOUR, FERRY, "The mast is oak"))
        masked = memory.capture("Ana lives in Berlin.", speaker="Ben")
        claim = memory.remember(
            subject="Ana", predicate="lives_in", object="Berlin",
            evidence=[firsthand.cite(masked.record_id, quote="Ana lives in Berlin.")],
        )  # fmt: skip
        before = waiting(memory)
        memory.erase(gone.record_id, reason_code="privacy")
        memory.withdraw(hidden.record_id, reason="not now")
        assert waiting(memory) == before - 2
        memory.reject(claim.record_id, reason="never true")
        assert memory.ledger.verify(deep=True).deep
    with opened(tmp_path) as memory:
        assert waiting(memory) == 0
        assert kept(memory, stays.record_id) == [vector("The mast is oak")]
        for record in (gone, hidden, masked, claim):
            assert kept(memory, record.record_id) == []
        memory.restore(hidden.record_id, reason="now")
        assert kept(memory, hidden.record_id) == [vector(FERRY)]
        assert memory.ledger.rebuild().same


def test_a_vector_that_came_late_is_of_the_words_that_may_be_read(tmp_path: Path) -> None:
    with opened(tmp_path, embedder=None) as memory:
        said = memory.capture("Ana lives in Berlin. She likes tea.", speaker="Ben")
        claim = memory.remember(
            subject="Ana", predicate="lives_in", object="Berlin",
            evidence=[firsthand.cite(said.record_id, quote="Ana lives in Berlin.")],
        )  # fmt: skip
        entity = memory.remember(payload={"kind": "entity", "canonical_name": "Ana", "summary": "a sailor"})
        memory.reject(claim.record_id, reason="never true")
    with opened(tmp_path) as memory:
        assert waiting(memory) == 0
        assert kept(memory, said.record_id) == [vector("She likes tea.")]
        made = kept(memory, entity.record_id)
        assert memory.ledger.rebuild().same
        assert kept(memory, entity.record_id) == made != []


def test_a_space_that_could_not_be_replayed_is_given_no_embedder(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.capture(HARBOUR)
    aged(tmp_path / "m.db")
    connection = apsw.Connection(str(tmp_path / "m.db"))
    connection.execute("DROP TRIGGER entry_no_update; UPDATE entry SET chain = 'x' WHERE position = 2")
    connection.close()
    with opened(tmp_path) as memory:
        with pytest.raises(firsthand.BrokenError) as caught:
            memory.reindex()
        assert caught.value.code == "space_unprojected"
        assert embedding(memory) is None
        assert memory.embed_pending().looked_at == 0


def test_a_rebuild_without_the_embedder_keeps_its_vectors_and_no_others(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        said, hidden = memory.capture(HARBOUR), memory.capture(FERRY)
        memory.withdraw(hidden.record_id, reason="not now")
        memory.restore(hidden.record_id, reason="now")
    with opened(tmp_path, embedder=None) as memory:
        late = memory.capture("The mast is oak")
        assert memory.ledger.rebuild().same
        assert memory.ledger.verify(deep=True).deep
        assert kept(memory, said.record_id) == [vector(HARBOUR)]
        assert kept(memory, hidden.record_id) == [vector(FERRY)]
        assert (kept(memory, late.record_id), waiting(memory)) == ([], 1)
        store_of(memory)._writer.execute("UPDATE vector SET vid = vid + 1000 WHERE packed = ?", (vector(FERRY),))
        with pytest.raises(firsthand.BrokenError) as caught:
            memory.ledger.verify(deep=True)
        assert caught.value.field == "vector"
        assert not memory.ledger.rebuild().same
        assert waiting(memory) == 2
    with opened(tmp_path) as memory:
        assert kept(memory, hidden.record_id) == [vector(FERRY)]


def test_a_read_only_file_says_what_waits(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.capture(HARBOUR)
    with opened(tmp_path, embedder=None) as memory:
        memory.capture(FERRY)
    with read_only_disk(), opened(tmp_path) as memory:
        assert store_of(memory).is_read_only
        assert memory.recall("harbour ferry").degraded == ("vectors_pending",)


# ---- older files -----------------------------------------------------------------------------------------------------


def aged(path: Path) -> None:
    """Make a file what version 3 made: no vectors, and no count of what was reworded."""
    connection = apsw.Connection(str(path))
    connection.execute(
        "DROP TABLE vector; DROP TABLE embedding; DROP TABLE pending; DROP TABLE late; DROP INDEX doc_off;"
    )
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
    assert rows(tmp_path / "m.db", "PRAGMA user_version") == [(5,)]


VERSION_4 = """
    DROP TABLE pending; DROP TABLE late;
    CREATE TABLE embedding_4 (space_id TEXT NOT NULL, identity TEXT NOT NULL, PRIMARY KEY (space_id)) WITHOUT ROWID;
    INSERT INTO embedding_4 SELECT space_id, identity FROM embedding;
    DROP TABLE embedding;
    ALTER TABLE embedding_4 RENAME TO embedding;
    DELETE FROM sqlite_stat1 WHERE tbl IN ('pending', 'late');
    PRAGMA user_version = 4;
"""


def test_a_file_of_the_version_before_keeps_its_vectors_and_is_not_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path) as memory:
        said, claim = memory.capture(HARBOUR), memory.remember("The lighthouse is white")
        was = told(memory)
    with opened(tmp_path, space="lacking") as memory:
        lacking = memory.capture(FERRY)
        memory.capture(HARBOUR)
    with opened(tmp_path, space="wordless") as memory:
        memory.capture("zqzqzq 4711")
    connection = apsw.Connection(str(tmp_path / "m.db"))
    connection.execute(VERSION_4)
    connection.execute("UPDATE embedding SET identity = '' WHERE space_id = 'lacking'")
    connection.execute(  # one of the two, as after a write without an embedder
        "DELETE FROM vector WHERE (space_id, vid) = "
        "(SELECT space_id, vid FROM vector WHERE space_id = 'lacking' ORDER BY vid LIMIT 1)"
    )
    connection.close()
    with monkeypatch.context() as patch:
        patch.setattr("firsthand.audit.replay_all", lambda *given: 1 / 0)
        with opened(tmp_path) as memory:
            assert told(memory) == was
            assert kept(memory, said.record_id) == [vector(HARBOUR)]
            assert memory.recall("harbour").degraded == ()
            assert store_of(memory).check("default") == []
        with pytest.raises(ZeroDivisionError):
            opened(tmp_path, space="lacking")
    assert rows(tmp_path / "m.db", "PRAGMA user_version") == [(5,)]
    with opened(tmp_path) as memory:
        assert memory.ledger.verify(deep=True).deep
        assert kept(memory, memory.capture(FERRY).record_id) == [vector(FERRY)]
        assert kept(memory, claim.record_id) == [vector("The lighthouse is white")]
    with opened(tmp_path, space="lacking") as memory:
        assert kept(memory, lacking.record_id) == [vector(FERRY)]
        assert memory.ledger.verify(deep=True).deep
    with opened(tmp_path, space="wordless") as memory:
        memory.capture(FERRY)
        assert {w.arm for i in memory.recall("boat ferry").items for w in i.why} >= {"vector"}


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
