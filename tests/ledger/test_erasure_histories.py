"""Whatever is erased, what is live is what a replay with blank bodies makes; a crash leaves all of it or none."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from erasing import canary, left, opened
from histories import Authors, copied, digests, rows, store_of
from lossy_vfs import Disk

import firsthand
from firsthand.memory import Memory
from firsthand.store.sqlite_write import SqliteWriter
from firsthand.vocabulary.errors import FirsthandError

SEEDS = range(6)
ROUNDS = 5


def erase_something(memory: Memory, choose: random.Random, authors: Authors) -> bool:
    """Erase a random source or value; whether there was anything left to erase."""
    some = choose.choice(authors.records)
    value = (choose.choice(("Ana", "Ben", "Cem")), None, choose.choice(("Lisbon", "Berlin", "rust", "nix")))
    try:
        if choose.random() < 0.3:
            return memory.erase(value=value, reason_code="privacy").executed
        return memory.erase(some, reason_code="privacy").executed
    except FirsthandError as error:
        if error.code not in ("nothing_to_erase", "record_absent"):
            raise
        return False


def histories_hold(folder: Path, seed: int = 1) -> None:
    choose = random.Random(seed)
    erased = 0
    with Authors(folder / "m.db", seed) as authors:
        for _ in range(ROUNDS):
            authors.write(14)
            for _ in range(3):
                erased += erase_something(authors.first, choose, authors)
            assert authors.first.ledger.verify(deep=True).deep
        before = digests(authors.first)
        assert authors.first.ledger.rebuild().same
        assert digests(authors.first) == before
        authors.write(10)
        assert authors.first.ledger.verify(deep=True).deep
    assert erased > ROUNDS
    blank = rows(folder / "m.db", "SELECT count(*) FROM entry WHERE body IS NULL")[0][0]
    assert blank > erased


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_live_is_what_a_replay_with_blank_bodies_makes(seed: int, tmp_path: Path) -> None:
    histories_hold(tmp_path, seed)


def names_go_back_to_own_words(folder: Path) -> None:
    """A name that only an erased entity gave is no mention any more; one that another entity gave, or the text, is."""
    with opened(folder) as memory:
        gone = memory.remember(
            payload=firsthand.Entity(canonical_name="Quill", aliases=(firsthand.Alias(value="inky"),))
        )
        memory.capture("yesterday inky was late, quill said")
        memory.capture("Nobody but Quill knows.")
        other = memory.remember(
            payload=firsthand.Entity(canonical_name="Zed", aliases=(firsthand.Alias(value="inky"),))
        )
        memory.capture("again inky was late")
        memory.relate(str(other.record_id), "knows", str(gone.record_id), reason="met")
        memory.relate(str(other.record_id), "likes", str(gone.record_id), reason="met")
        before = digests(memory)["mention"]
        memory.erase(gone.record_id, reason_code="privacy")
        assert digests(memory)["mention"] != before
        assert memory.ledger.verify(deep=True).deep
        memory.erase(other.record_id, reason_code="privacy")
        memory.capture("again inky was late")
        assert memory.ledger.verify(deep=True).deep


def test_names_that_an_erased_entity_gave_go_back_to_the_texts_own_words(tmp_path: Path) -> None:
    names_go_back_to_own_words(tmp_path)


def an_entity_keeps_its_own_name(folder: Path) -> None:
    """Another of the same name is erased, and what came after both still mentions the one that is left."""
    with opened(folder) as memory:
        gone = memory.remember(payload=firsthand.Entity(canonical_name="quill"))
        left = memory.remember(payload=firsthand.Entity(canonical_name="quill", distinct_from=(str(gone.record_id),)))
        memory.capture("again quill was late")
        memory.erase(gone.record_id, reason_code="privacy")
        mentions = "SELECT d.kind FROM mention m JOIN doc d USING (space_id, vid) WHERE m.name = 'quill' ORDER BY d.vid"
        assert rows(folder / "m.db", mentions) == [("entity",), ("episodic",)]
        assert memory.ledger.verify(deep=True).deep
        memory.erase(left.record_id, reason_code="privacy")
        assert rows(folder / "m.db", mentions) == []
        assert memory.ledger.verify(deep=True).deep


def test_an_entity_keeps_its_own_name_when_another_of_that_name_is_erased(tmp_path: Path) -> None:
    an_entity_keeps_its_own_name(tmp_path)


def a_supports_words_are_indexed_late(folder: Path) -> None:
    """What knew the name is what was there when its words were first needed, not when it was said."""
    mentions = "SELECT count(*) FROM mention WHERE name = 'inky'"
    with opened(folder) as ana, opened(folder, actor="ben") as ben:
        inky = firsthand.Alias(value="inky")
        talks = [m.capture(f"yes, inky was late, said {n}", speaker=n) for m, n in ((ana, "Ana"), (ben, "Ben"))]
        said = [
            m.remember("yesterday inky was late", evidence=[firsthand.cite(talk.record_id)])
            for m, talk in zip((ana, ben), talks, strict=True)
        ]
        assert [r.outcome for r in said] == ["stored", "reinforced"]
        gone = ana.remember(payload=firsthand.Entity(canonical_name="Quill", aliases=(inky,)))
        left = ana.remember(payload=firsthand.Entity(canonical_name="Zed", aliases=(inky,)))
        ana.retract(str(said[0].record_id), reason="I misheard")
        assert rows(folder / "m.db", mentions) == [(1,)]
        ana.erase(gone.record_id, reason_code="privacy")
        assert rows(folder / "m.db", mentions) == [(1,)]
        assert ana.ledger.verify(deep=True).deep
        ana.erase(left.record_id, reason_code="privacy")
        assert rows(folder / "m.db", mentions) == [(0,)]
        assert ana.ledger.verify(deep=True).deep


def test_names_learnt_before_a_supports_words_were_needed_go_with_their_entity(tmp_path: Path) -> None:
    a_supports_words_are_indexed_late(tmp_path)


def speakers_are_numbered_anew(folder: Path) -> None:
    with opened(folder) as memory:
        first = memory.capture("One.", speaker="Ana")
        memory.capture("Two.", speaker="Ben")
        memory.capture("Three.", speaker="Ana")
        memory.capture("Four.", speaker="Cem")
        memory.recall("Ana")
        memory.erase(first.record_id, reason_code="privacy")
        memory.capture("Five.", speaker="Dan")
        numbers = rows(folder / "m.db", "SELECT name, speaker_no FROM speaker ORDER BY speaker_no")
        assert numbers == [("Ben", 0), ("Ana", 1), ("Cem", 2), ("Dan", 3)]
        assert memory.ledger.verify(deep=True).deep


def test_speakers_are_numbered_as_if_the_erased_had_never_spoken(tmp_path: Path) -> None:
    speakers_are_numbered_anew(tmp_path)


# ---- all or nothing --------------------------------------------------------------------------------------------------

PLACES = (
    "put_entry",
    "blank_body",
    "blank_doc",
    "close_belief",
    "put_belief",
    "optimise_words",
    "put_certificate",
    "finish",
)


class TornError(Exception):
    """What a test throws into an erasure."""


@pytest.mark.parametrize("place", PLACES)
def test_an_erasure_that_fails_half_way_destroys_nothing(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    word = canary(12)
    with opened(tmp_path) as memory:
        talk = memory.capture(f"The word is {word}.", speaker="Noor")
        memory.remember(f"It is {word}.", evidence=[firsthand.cite(talk.record_id)])
        before = digests(memory), rows(tmp_path / "m.db", "SELECT * FROM entry")
        genuine = getattr(SqliteWriter, place)

        def torn(self: SqliteWriter, *values: object, **named: object) -> None:
            genuine(self, *values, **named)
            raise TornError

        with monkeypatch.context() as patched:
            patched.setattr(SqliteWriter, place, torn)
            with pytest.raises(TornError):
                memory.erase(talk.record_id, reason_code="privacy")
        assert (digests(memory), rows(tmp_path / "m.db", "SELECT * FROM entry")) == before
        assert memory.erase(talk.record_id, reason_code="privacy").executed
        assert left(memory, word) == {}
        assert memory.ledger.verify(deep=True).deep


@pytest.mark.parametrize("keeps", [False, True], ids=["what was not synced is lost", "chance keeps parts of it"])
def test_after_a_power_loss_in_an_erasure_all_of_it_is_blank_or_none(keeps: bool, tmp_path: Path) -> None:
    word = canary(12)
    choose = random.Random(int(keeps))
    losses: list[Path] = []
    erasing = False

    def moment() -> None:
        if erasing and len(losses) < 40 and choose.random() < 0.3:
            found = tmp_path / f"loss{len(losses)}"
            found.mkdir()
            disk.put(found, choose if keeps else None)
            losses.append(found)

    disk = Disk(f"erasing{keeps}", moment)
    with opened(tmp_path, vfs=disk.name) as memory:
        talk = memory.capture(f"The word is {word}.", speaker="Noor")
        for number in range(5):
            memory.remember(f"The {number}th word is {word}.", evidence=[firsthand.cite(talk.record_id)])
        erasing = True
        done = memory.erase(talk.record_id, reason_code="privacy")
        erasing = False
        targets = done.plan.targets
    disk.unregister()
    assert len(losses) > 5
    states: set[int] = set()
    for found in losses:
        copied(tmp_path / "m.db", found / "keys")
        (found / "keys" / "m.db.keys").rename(found / "m.db.keys")
        with opened(found) as memory:
            blank = {i for (i,) in rows(found / "m.db", "SELECT entry_id FROM entry WHERE body IS NULL")}
            assert blank in (set(), set(targets))
            states.add(len(blank))
            assert memory.ledger.verify(deep=True).deep
            if blank:
                assert left(memory, word) == {}, "what was interrupted was cleaned when it was opened"
    assert states == {0, len(targets)}


def test_an_erasure_killed_before_its_cleaning_is_cleaned_by_the_next_to_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    word = canary(12)

    def killed(self: object) -> None:
        raise TornError

    with opened(tmp_path) as memory:
        talk = memory.capture(f"The word is {word}.")
        with monkeypatch.context() as patched:
            patched.setattr("firsthand.store.sqlite.SqliteStore.scrub", killed)
            with pytest.raises(TornError):
                memory.erase(talk.record_id, reason_code="privacy")
        assert left(memory, word)
        found = copied(tmp_path / "m.db", tmp_path / "killed")
    with opened(found.parent) as again:
        assert left(again, word) == {}
        (entry,) = rows(found, "SELECT entry_id FROM certificate")[0]
        assert again.erasure.certificate(entry).looked_for == 0
        assert store_of(again).files()


MUTANTS = {
    "mentions stay": ("firsthand.blanking._unname", lambda writer, target: None, names_go_back_to_own_words),
    "other mentions go, too": (
        "firsthand.blanking._still_mentions", lambda writer, past, doc, name: False, names_go_back_to_own_words),
    "relations keep their names": (
        "firsthand.blanking._relate_again", lambda writer, record: None, names_go_back_to_own_words),
    "speakers keep their numbers": (
        "firsthand.store.write_erasure.ErasureWrites.renumber_speakers", lambda self, scope: None,
        speakers_are_numbered_anew),
    "documents keep their columns": (
        "firsthand.store.write_erasure.ErasureWrites.blank_doc", lambda self, scope, doc: None, histories_hold),
}  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_erasure_parts_the_live_from_the_replayed(
    mutant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, broken, caught_by = MUTANTS[mutant]
    monkeypatch.setattr(place, broken)
    with pytest.raises((AssertionError, FirsthandError)):
        caught_by(tmp_path)


def old_value_stays_in_the_past(folder: Path) -> None:
    """Design 09.3: erasing what came instead, for privacy, does not make current again what it had ended."""
    for how in ("change", "succession", "by value"):
        (folder / how).mkdir()
        with opened(folder / how) as memory:
            said = {"subject": "Ana", "predicate": "lives_in"}
            old = memory.remember(**said, object="Berlin")
            if how == "succession":
                new = memory.remember(**said, object="Lisbon")
            else:
                new = memory.change(old.record_id, object="Lisbon", since="2026-02-01", reason="moved")
            ended = {i.text: i.valid_to for i in memory.recall("where does Ana live?").items}
            assert ended.keys() == {"Ana lives in Berlin", "Ana lives in Lisbon"}
            named = {"value": ("Ana", "lives_in", "Lisbon")} if how == "by value" else {"record_id": new.record_id}
            memory.erase(**named, reason_code="privacy")
            (left_over,) = memory.recall("where does Ana live?").items
            assert left_over.text == "Ana lives in Berlin"
            assert left_over.qualifier.code == "ended"
            assert left_over.valid_to == ended["Ana lives in Berlin"]
            assert memory.remember(**said, object="Lisbon").outcome == "refused"
            assert memory.ledger.rebuild().same


def test_erasing_what_came_instead_leaves_the_old_value_ended(tmp_path: Path) -> None:
    old_value_stays_in_the_past(tmp_path)


def test_an_erasure_that_undoes_what_it_destroys_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firsthand.rules.tombstones._destroyed", lambda view, entry, said: False)
    with pytest.raises(AssertionError):
        old_value_stays_in_the_past(tmp_path)
