"""After an erasure no byte of the words is left in any file, in any form; before it, every place held them."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from erasing import canary, furnished, left, opened
from histories import copied, digests, reading, store_of

import firsthand
from firsthand.capture.certify import finish
from firsthand.rules.residue import needles
from firsthand.store.sqlite import SqliteStore
from firsthand.store.write_erasure import ErasureWrites
from firsthand.vocabulary.erasure import Certificate

LENGTHS = (8, 12, 13, 40)


def erased_to_the_byte(folder: Path, length: int = 12) -> None:
    """The property: seen everywhere before, nowhere after, and the siblings stand."""
    word = canary(length)
    with opened(folder) as memory:
        ids = furnished(memory, word)
        in_log = left(memory, word)
        assert in_log["m.db-wal", "words"] > 10
        assert in_log["lex", "vocabulary"] > 1
        store_of(memory)._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        in_file = left(memory, word)
        assert in_file["m.db", "words"] > 10
        assert in_file["m.db", "term"] > 0
        assert in_file["m.db", "term_end"] > 0
        done = memory.erase(value=("anchor", "password", word), reason_code="privacy")
        assert done.certificate is not None
        assert left(memory, word) == {}
        assert done.certificate.clean
        assert memory.read(ids["kept"]).item.text == "mast made of oak"
        assert not memory.recall(word).items
        assert memory.ledger.verify(deep=True).deep
        assert memory.ledger.rebuild().same
        assert left(memory, word) == {}
    with opened(folder) as memory:
        memory.recall(word)
        assert left(memory, word) == {}


@pytest.mark.parametrize("length", LENGTHS)
def test_nothing_is_left_of_a_value_in_any_file_and_everything_was_there(length: int, tmp_path: Path) -> None:
    erased_to_the_byte(tmp_path, length)


@pytest.mark.parametrize("length", LENGTHS)
def test_nothing_is_left_of_a_source_and_of_what_rested_on_it(length: int, tmp_path: Path) -> None:
    word = canary(length)
    with opened(tmp_path) as memory:
        talk = memory.capture(f"The key of {word} is under the mat.", speaker=word, thread=word)
        memory.remember(subject=word, predicate="key", object="mat", evidence=[firsthand.cite(talk.record_id)])
        memory.capture("The mat is red.")
        assert left(memory, word)
        memory.erase(talk.record_id, reason_code="privacy")
        assert left(memory, word) == {}
        assert memory.ledger.verify(deep=True).deep
        assert memory.ledger.rebuild().same


def test_a_corrected_value_is_erased_with_the_record_that_had_it(tmp_path: Path) -> None:
    old, new = canary(12, 1), canary(12, 2)
    with opened(tmp_path) as memory:
        told = memory.remember(subject="anchor", predicate="port", object=old)
        memory.correct(told.record_id, object=new, reason=f"not {old}")
        memory.erase(told.record_id, reason_code="mistake")
        assert left(memory, old) == {}
        assert left(memory, new) == {}


def test_names_of_people_and_places_that_were_only_used_there_go_too(tmp_path: Path) -> None:
    word = canary(12)
    with opened(tmp_path) as memory:
        memory.capture("The mast is oak.")
        other = opened(tmp_path, actor=f"ben {word}", scope=f"person:{word}", session=f"s-{word}")
        said = other.capture("My own note.")
        other.close()
        assert left(memory, word)
        plan = memory.erase(said.record_id, reason_code="privacy", dry_run=True).plan
        assert plan.kinds == {"episodic": 1, "name": 3}
        memory.erase(said.record_id, reason_code="privacy", plan_hash=plan.hash)
        assert left(memory, word) == {}
        assert memory.ledger.verify(deep=True).deep
        assert memory.ledger.rebuild().same


def test_another_process_sees_it_at_once_and_ranks_as_a_fresh_one_does(tmp_path: Path) -> None:
    word = canary(12)
    with opened(tmp_path) as memory, opened(tmp_path) as other:
        ids = furnished(memory, word)
        question = f"what is the anchor word? {word}"
        assert any(word in i.text for i in other.recall(question).items)
        memory.erase(value=("anchor", "password", word), reason_code="privacy")
        question = "what is the anchor word? is the mast oak?"
        seen = [i.record_id for i in other.recall(question).items]
        assert not any(word in i.text for i in other.recall(question).items)
        with pytest.raises(firsthand.AbsentError):
            other.read(ids["claim"])
        cache = other._engine.cache
        assert cache is not None
        assert word not in repr(vars(cache)) + repr([vars(s) for s in cache._held.values()])
        with opened(tmp_path) as fresh:
            assert [i.record_id for i in fresh.recall(question).items] == seen


def test_a_reader_of_an_old_snapshot_keeps_the_log_and_the_certificate_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firsthand.store.sqlite.SCRUB_TIMEOUT_MS", 10)
    word = canary(12)
    with opened(tmp_path) as memory, opened(tmp_path) as old:
        talk = memory.capture(f"The word is {word}.")
        with reading(old) as reader:
            assert reader.head().position
            done = memory.erase(talk.record_id, reason_code="privacy")
            assert done.certificate is not None
            assert not done.certificate.clean
            (log,) = [p for p in done.certificate.places if p.place == "m.db-wal"]
            assert log.proof == "residue"
            assert left(memory, word)
        assert memory.erasure.finish() == (done.certificate.id,)
        assert left(memory, word) == {}
        assert memory.erasure.certificate(done.certificate.id).clean
        assert memory.erasure.finish() == ()


def test_a_writer_that_keeps_the_store_busy_owes_the_certificate_and_the_words_are_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firsthand.store.sqlite.SCRUB_TIMEOUT_MS", 10)
    monkeypatch.setattr("firsthand.store.sqlite.BUSY_TIMEOUT_MS", 10)
    word = canary(12)
    with opened(tmp_path) as memory, opened(tmp_path) as other, ExitStack() as writing:
        talk = memory.capture(f"The word is {word}.")
        assert memory.recall(word).items
        assert left(memory, word)

        def busy_from_here(*given: object) -> Certificate:
            writing.enter_context(store_of(other).writing(other.space))
            return finish(*given)  # pyright: ignore[reportArgumentType]

        monkeypatch.setattr("firsthand.capture.erase.finish", busy_from_here)
        done = memory.erase(talk.record_id, reason_code="privacy")
        assert done.executed
        assert done.certificate is None
        assert not memory.recall(word).items
        writing.close()
        assert done.entry_id is not None
        assert memory.erasure.certificate(done.entry_id).id == done.entry_id
        assert left(memory, word) == {}


def test_the_sweep_proves_on_a_canary_of_its_own_that_it_sees_every_place(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.capture("The mast is oak.")
        report = memory.erasure.sweep(canary(12), "larch")
        assert report.clean
        assert {"m.db", "m.db-wal", "m.db.keys"} <= set(report.files)
        places = {"database", "write-ahead log", "end of a term", "vocabulary of lex", "vocabulary of lex_rest",
                  "words", "utf16", "escaped", "folded", "term", "term_end", "digest", "vector",
                  "vector in the file"}  # fmt: skip
        assert set(report.control) == places
        assert all(report.control.values())
        assert not memory.erasure.sweep("MAST").clean


def test_a_blind_sweep_is_found_by_its_control(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firsthand.store.sqlite.sweep_files", lambda paths, looked_for: [])
    with opened(tmp_path) as memory, pytest.raises(firsthand.BrokenError) as caught:
        memory.erasure.sweep("anything")
    assert caught.value.code == "sweep_blind"


def test_the_needles_of_a_word_hold_every_form_and_those_of_a_phrase_the_whole() -> None:
    forms = {n.form for n in needles("Éclaircissement")}
    assert forms == {"words", "utf16", "escaped", "folded", "term", "term_end", "digest"}
    assert not [n for n in needles("two words") if n.form in ("term", "term_end")]


def test_short_words_count_where_they_stand_alone_and_not_inside_an_id(tmp_path: Path) -> None:
    """Else no certificate of a port, a year or a short name would ever be clean."""
    shorts = ("8080", "17", "teal")
    with opened(tmp_path) as memory:
        for n in range(300):
            memory.capture(f"Note {n + 100_000_000} of the boat")
        memory.capture("The 18080th note is of the stealth ferry, in 2017")
        talk = memory.capture("Note 1234 of the boat")
        memory.remember(
            subject="it", predicate="floats", object=True, evidence=[firsthand.cite(talk.record_id, quote="boat")]
        )
        writer = store_of(memory)._writer
        files = b"".join(p.read_bytes().lower() for p in tmp_path.iterdir())
        assert all(files.count(s.encode()) > 1 for s in shorts)
        assert [left(memory, s) for s in ("8080", "teal")] == [{}, {}]
        for short in shorts:
            memory.remember(subject="anchor", predicate="mark", object=short)
            assert left(memory, short)
            done = memory.erase(value=("anchor", "mark", short), reason_code="privacy")
            assert done.certificate is not None
            assert done.certificate.clean, done.certificate.places
        assert [left(memory, s) for s in ("8080", "teal")] == [{}, {}]
        assert left(memory, "17").keys() == {("m.db", "words")}, "where the quote begins"
        writer.execute("INSERT INTO name (space_id, name_id, what, text) VALUES ('s', 'n', 'who', 'teal')")
        assert left(memory, "teal")[("m.db", "words")] == 1


def test_a_receipt_forgets_what_was_delivered_and_still_knows_its_packet(tmp_path: Path) -> None:
    word = canary(12)
    with opened(tmp_path) as memory:
        furnished(memory, word)
        packet = memory.recall(word)
        rendered = packet.render()
        done = memory.erase(value=("anchor", "password", word), reason_code="privacy")
        with reading(memory) as reader:
            delivered = set(reader.delivery(packet.recall_id) or ())
        assert not delivered & {r.record_id for r in done.plan.records}
        assert memory.capture(rendered).code == "only_own_words"
        assert left(memory, word) == {}


# ---- mutants ---------------------------------------------------------------------------------------------------------


def without_secure_delete(self: SqliteStore, synchronous: str) -> object:
    connection = GENUINE_CONNECT(self, synchronous)
    connection.execute("PRAGMA secure_delete = OFF")
    return connection


def without_checkpoint(self: SqliteStore) -> object:
    from firsthand.ports import Scrubbed

    return Scrubbed("truncated", 0)


GENUINE_CONNECT = SqliteStore._connect
MUTANTS = {
    "deleted bytes are left in their pages": ("firsthand.store.sqlite.SqliteStore._connect", without_secure_delete),
    "the word index is not rewritten": (
        "firsthand.store.write_erasure.ErasureWrites.optimise_words", lambda self: self._write_waiting(),
    ),
    "the log is not emptied": ("firsthand.store.sqlite.SqliteStore.scrub", without_checkpoint),
    "bodies are not blanked": ("firsthand.store.write_erasure.ErasureWrites.blank_body", lambda self, entry_id: None),
    "documents keep their columns": (
        "firsthand.store.write_erasure.ErasureWrites.blank_doc", lambda self, scope_id, doc: None,
    ),
    "entities keep their names": ("firsthand.blanking._unname", lambda writer, target: None),
    "speakers are not forgotten": (
        "firsthand.store.write_erasure.ErasureWrites.renumber_speakers", lambda self, scope_id: None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_erasure_leaves_bytes_that_the_test_sees(
    mutant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ErasureWrites is not None
    monkeypatch.setattr(*MUTANTS[mutant])
    with pytest.raises((AssertionError, firsthand.FirsthandError)):
        erased_to_the_byte(tmp_path)


def test_a_copy_made_before_still_holds_the_words_and_the_certificate_promises_nothing_of_it(tmp_path: Path) -> None:
    word = canary(12)
    with opened(tmp_path) as memory:
        talk = memory.capture(f"The word is {word}.")
    copy = copied(tmp_path / "m.db", tmp_path / "copy")
    with opened(tmp_path) as memory:
        done = memory.erase(talk.record_id, reason_code="privacy")
        assert done.certificate is not None
        assert "copies of the file" in [p.place for p in done.certificate.places if p.proof == "not_provable"]
        assert word not in done.certificate.as_dict().__repr__()
        assert digests(memory)
    assert word.encode() in copy.read_bytes()


def test_a_sweep_leaves_the_locks_of_its_process(tmp_path: Path) -> None:
    """Else another process that opens and closes the file takes it for the last, and deletes our log."""
    with opened(tmp_path) as memory:
        memory.capture("The anchor is heavy.")
        assert memory.erasure.sweep("anchor").hits
        path = str(memory.facts()["path"])
        other = (
            f"import apsw; c = apsw.Connection({path!r}); c.execute('SELECT count(*) FROM entry').fetchall(); c.close()"
        )
        subprocess.run([sys.executable, "-c", other], check=True)
        assert Path(path + "-shm").exists()
        assert Path(path + "-wal").exists()
        assert memory.capture("So is the mast.").outcome == "stored"


def test_a_truth_is_erased_with_the_words_that_say_it(tmp_path: Path) -> None:
    word = canary(8)
    with opened(tmp_path) as memory:
        talk = memory.capture(f"{word} is ill", speaker="Ben")
        memory.capture("The mast is ill", speaker="Ben")
        quote = [firsthand.cite(str(talk.record_id), quote=f"{word} is ill")]
        told = memory.remember(f"{word} is ill", subject=word, predicate="is_ill", object=True, evidence=quote)
        done = memory.erase(str(told.record_id), reason_code="privacy")
        assert done.certificate is not None
        assert done.certificate.clean
        assert left(memory, word) == {}
        assert [i.text for i in memory.recall("who is ill?").items] == ["The mast is ill"]


def test_a_truth_and_a_single_letter_leave_no_residue_by_chance(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        for n in range(60):
            memory.capture(f"Note {n} of the boat")
        for value in (True, False, "A", "7"):
            memory.remember(subject="anchor", predicate="is_marked", object=value)
            done = memory.erase(value=("anchor", "is_marked", value), reason_code="privacy")
            assert done.certificate is not None
            assert done.certificate.bodies > 0
            assert done.certificate.clean, [p for p in done.certificate.places if p.proof == "residue"]


def test_the_words_of_a_value_that_stand_apart_elsewhere_are_no_residue_of_it(tmp_path: Path) -> None:
    """The word index knows no order: it cannot tell `30 days` from 30 boats that wait for days."""
    with opened(tmp_path) as memory:
        memory.capture("All 30 boats wait for many days; happier crews went home")
        for value in ("30 days", "marmalade-7731", "go home happy"):
            if value.startswith("marmalade"):
                memory.capture("The marmalade is on shelf 7731 of the galley")
            memory.remember(subject="anchor", predicate="limit", object=value)
            done = memory.erase(value=("anchor", "limit", value), reason_code="privacy")
            assert done.certificate is not None
            assert done.certificate.clean, [p for p in done.certificate.places if p.proof == "residue"]
        assert memory.recall("boats days").items
        word = canary(12)
        memory.remember(subject="anchor", predicate="limit", object=f"{word} days")
        assert left(memory, word)
        done = memory.erase(value=("anchor", "limit", f"{word} days"), reason_code="privacy")
        assert done.certificate is not None
        assert done.certificate.clean
        assert left(memory, word) == {}
