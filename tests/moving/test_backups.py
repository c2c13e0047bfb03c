"""A backup is one consistent state with its keys; a restore brings back nothing that was erased or taken back since."""

from __future__ import annotations

import pkgutil
import stat
import threading
from pathlib import Path
from typing import Any

import apsw
import pytest
from pairs import SCOPE, Pair, believed, entries, erase, files_of, look

import firsthand
from firsthand import wiring
from firsthand.moving import backups


def opened(path: Path, **more: Any) -> Any:
    return firsthand.open(path, actor="ana", role="person", scope=SCOPE, **more)


def test_a_backup_holds_every_space_and_opens_as_the_memory_it_was(tmp_path: Path) -> None:
    source = tmp_path / "m.db"
    with opened(source) as memory, opened(source, space="second") as second:
        memory.remember(subject="hull", predicate="status", object="dry")
        second.capture("Elsewhere.")
        report = memory.ledger.backup(tmp_path / "b")
        held = believed(source)
    assert report.spaces == {"default": memory_entries(source, "default"), "second": memory_entries(source, "second")}
    for name in ("memory.db", "memory.db.keys", "memory.db.device"):
        assert stat.S_IMODE((tmp_path / "b" / name).stat().st_mode) == 0o600
    made = firsthand.restore(tmp_path / "b", tmp_path / "new.db")
    assert (made.spaces, made.later_erasures, made.kept_missing) == (report.spaces, "unknown", ())
    assert believed(tmp_path / "new.db") == held
    assert entries(tmp_path / "new.db") == entries(source)
    with opened(tmp_path / "new.db") as memory:
        assert memory.ledger.verify(deep=True).deep
        assert memory.remember(subject="hull", predicate="status", object="dry").outcome == "reinforced"
        assert memory.peers.own() == same_device(source)
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith(".")) == []


def memory_entries(path: Path, space: str) -> int:
    return int(look(path, "SELECT max(position) FROM entry WHERE space_id = ?", space)[0][0])


def same_device(path: Path) -> Any:
    with opened(path) as memory:
        return memory.peers.own()


def test_a_backup_that_is_taken_while_others_write_is_one_state(tmp_path: Path) -> None:
    source = tmp_path / "m.db"
    stop = threading.Event()
    with opened(source, synchronous="OFF") as memory:
        memory.capture("The first.")

        def write() -> None:
            number = 0
            while not stop.is_set():
                number += 1
                memory.remember(subject=f"boat {number}", predicate="uses", object="tar")

        writer = threading.Thread(target=write)
        writer.start()
        try:
            reports = [memory.ledger.backup(tmp_path / f"b{n}") for n in range(4)]
        finally:
            stop.set()
            writer.join()
        end = memory.ledger.head().position
    assert reports[0].spaces["default"] < reports[-1].spaces["default"] <= end
    for n, report in enumerate(reports):
        made = firsthand.restore(tmp_path / f"b{n}", tmp_path / f"r{n}.db")
        assert made.spaces == report.spaces


# ---- what was erased and taken back since ----------------------------------------------------------------------------


def since_the_backup(pair: Pair) -> tuple[Path, str]:
    """A backup, and then an erasure and a correction that it knows nothing of."""
    memory = pair.memory("a")
    gone = memory.capture("The zqxgone is here.")
    wrong = memory.remember(subject="hull", predicate="status", object="zqxwet")
    memory.ledger.backup(pair.folder / "backup")
    erase(memory, gone.record_id)
    memory.correct(wrong.record_id, object="dry", reason="a slip")
    memory.capture("The lost is later.")
    memory.ledger.seal()
    return pair.folder / "backup", wrong.record_id


def assert_it_stays_so(path: Path, record: str, pair: Pair) -> None:
    assert b"zqxgone" not in files_of(path)
    agent = {"actor": "ana-coder", "owner": "ana", "role": "agent", "scope": SCOPE, "clock": pair.clock}
    with firsthand.open(path, **agent) as memory:
        assert memory.ledger.verify(deep=True).deep
        assert memory.read(record).item.text == "hull status dry"
        assert memory.recall("zqxwet", kinds=["semantic"]).items == ()
        again = memory.remember(subject="hull", predicate="status", object="zqxwet")
        assert (again.outcome, again.code) == ("refused", "tombstone_retracted")


def test_over_a_live_store_its_erasures_and_tombstones_are_brought_over_first(pair: Pair) -> None:
    backup, record = since_the_backup(pair)
    pair.close()
    report = firsthand.restore(backup, pair.path("a"))
    assert (report.later_erasures, report.erasures, report.tombstones) == ("merged", 1, 1)
    assert_it_stays_so(pair.path("a"), record, pair)
    assert "The lost is later." not in str(entries(pair.path("a"))), "the rest of that time is what a restore drops"


def test_beside_nothing_a_later_export_says_what_was_erased_and_taken_back(pair: Pair) -> None:
    backup, record = since_the_backup(pair)
    exported = pair.export(pair.memory("a"))
    report = firsthand.restore(backup, pair.folder / "new.db", erasures=exported)
    assert (report.later_erasures, report.erasures, report.tombstones) == ("listed", 1, 1)
    assert_it_stays_so(pair.folder / "new.db", record, pair)


def test_without_either_the_result_says_that_later_erasures_are_unknown(pair: Pair) -> None:
    backup, _ = since_the_backup(pair)
    report = firsthand.restore(backup, pair.folder / "new.db")
    assert (report.later_erasures, report.erasures, report.tombstones) == ("unknown", 0, 0)
    assert b"zqxgone" in files_of(pair.folder / "new.db"), "the control: the backup does hold the word"


def test_what_came_from_another_store_is_believed_after_a_restore_as_before(pair: Pair) -> None:
    a, b = pair.memory("a"), pair.memory("b", "ben")
    pair.trusting(a, b, "agent")
    a.ledger.backup(pair.folder / "backup")
    wrong = b.remember(subject="mast", predicate="status", object="zqxup")
    b.correct(wrong.record_id, object="down", reason="a slip")
    pair.send(b, a)
    pair.close()
    assert firsthand.restore(pair.folder / "backup", pair.path("a")).tombstones == 1
    with opened(pair.path("a")) as memory:
        with memory._engine.store.reading(memory.space) as reader:
            found = list(reader.bearing_on("r:" + wrong.record_id))
            assert [e.skeleton.author.role for e in found] == ["agent"], "a person there is no person here"
        assert memory.ledger.verify(deep=True).deep


AT_THE_END = "firsthand.wiring.install"


def erased_while_it_is_restored(pair: Pair, monkeypatch: pytest.MonkeyPatch, place: str = AT_THE_END) -> None:
    """Somebody opens the live store, erases and closes it, between what the restore read of it and its replacement."""
    with pair.memory("a") as memory:
        gone = memory.capture("The zqxgone is here.")
        memory.ledger.backup(pair.folder / "backup")
    erased: list[str] = []
    genuine = pkgutil.resolve_name(place)

    def erasing() -> None:
        if not erased:
            with opened(pair.path("a"), clock=pair.clock) as other:
                erased.append(erase(other, gone.record_id))

    def late(*given: Any, **named: Any) -> Any:
        if place == AT_THE_END:
            erasing()
        done = genuine(*given, **named)
        erasing()
        return done

    monkeypatch.setattr(place, late)
    report = firsthand.restore(pair.folder / "backup", pair.path("a"))
    assert report.erasures == 1
    assert b"zqxgone" not in files_of(pair.path("a"))
    with opened(pair.path("a")) as memory:
        assert memory.ledger.verify(deep=True).deep


@pytest.mark.parametrize("place", [AT_THE_END, "firsthand.restoring._Told.bring_over"])
def test_what_is_erased_while_a_restore_is_under_way_is_brought_over_too(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    erased_while_it_is_restored(pair, monkeypatch, place)


def test_a_store_that_is_written_again_and_again_is_not_replaced(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    with pair.memory("a") as memory:
        memory.ledger.backup(pair.folder / "backup")
    genuine = wiring.install

    def install(*given: Any) -> bool:
        with opened(pair.path("a"), clock=pair.clock) as other:
            other.capture("Again.")
        return genuine(*given)

    monkeypatch.setattr("firsthand.wiring.install", install)
    with pytest.raises(firsthand.BusyError) as caught:
        firsthand.restore(pair.folder / "backup", pair.path("a"))
    assert caught.value.code == "store_in_use"
    assert "Again." in str(entries(pair.path("a")))


def a_store_made_meanwhile(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    backup = backed_up(folder)
    genuine = wiring.install
    made: list[str] = []

    def install(database: Path, target: Path, seen: Any) -> bool:
        with monkeypatch.context() as patch:
            patch.setattr(Path, "exists", lambda path: path != target and PATH_EXISTS(path))
            done = genuine(database, target, seen) if made else None
        if done is None:
            opened(target).close()
            made.append("made")
            with monkeypatch.context() as patch:
                patch.setattr(Path, "exists", lambda path: path != target and PATH_EXISTS(path))
                assert genuine(database, target, seen) is False, "it is there now"
            return False
        return done

    monkeypatch.setattr("firsthand.wiring.install", install)
    with pytest.raises(firsthand.BusyError):
        firsthand.restore(backup, folder / "new.db")


PATH_EXISTS = Path.exists


def test_a_store_that_was_made_while_a_restore_is_under_way_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_store_made_meanwhile(tmp_path, monkeypatch)


# ---- what is refused -------------------------------------------------------------------------------------------------


def backed_up(folder: Path) -> Path:
    with opened(folder / "m.db") as memory:
        memory.capture("The hull is dry.")
        memory.ledger.backup(folder / "b")
    return folder / "b"


@pytest.mark.parametrize("name", ["memory.db.keys", "memory.db.device"])
def test_a_backup_without_what_is_kept_is_refused_unless_told_otherwise(name: str, tmp_path: Path) -> None:
    backup = backed_up(tmp_path)
    (backup / name).unlink()
    with pytest.raises(firsthand.RefusedError) as caught:
        firsthand.restore(backup, tmp_path / "new.db")
    assert caught.value.code == "kept_missing"
    assert not (tmp_path / "new.db").exists()
    report = firsthand.restore(backup, tmp_path / "new.db", without_kept=True)
    assert report.kept_missing == (name,)
    if name == "memory.db.keys":
        with pytest.raises(firsthand.BrokenError) as missed:
            opened(tmp_path / "new.db")
        assert missed.value.code == "key_missing"
    else:
        with opened(tmp_path / "new.db") as memory:
            assert memory.ledger.verify(deep=True).deep


@pytest.mark.parametrize("name", ["memory.db", "memory.db.keys", "memory.db.device"])
def test_a_backup_with_one_other_byte_is_refused_and_the_live_store_stays(name: str, tmp_path: Path) -> None:
    backup = backed_up(tmp_path)
    data = bytearray((backup / name).read_bytes())
    data[len(data) // 2] ^= 1
    (backup / name).write_bytes(data)
    held = look(tmp_path / "m.db", "SELECT * FROM entry")
    for target in ("new.db", "m.db"):
        with pytest.raises(firsthand.BrokenError) as caught:
            firsthand.restore(backup, tmp_path / target)
        assert caught.value.code == "backup_damaged"
    assert look(tmp_path / "m.db", "SELECT * FROM entry") == held
    assert not (tmp_path / "new.db").exists()


@pytest.mark.parametrize(
    ("content", "code"), [(b"{}", "backup_unreadable"), (b"\xff", "backup_unreadable"), (None, "path_missing")]
)
def test_what_is_no_backup_is_refused(content: bytes | None, code: str, tmp_path: Path) -> None:
    backup = backed_up(tmp_path)
    if content is None:
        (backup / "backup.json").unlink()
    else:
        (backup / "backup.json").write_bytes(content)
    with pytest.raises(firsthand.FirsthandError) as caught:
        firsthand.restore(backup, tmp_path / "new.db")
    assert caught.value.code == code


def test_a_backup_whose_database_does_not_verify_never_takes_its_place(tmp_path: Path) -> None:
    backup = backed_up(tmp_path)
    connection = apsw.Connection(str(backup / "memory.db"))
    connection.execute("DELETE FROM bearing; DELETE FROM doc")
    connection.close()
    listed = backups._manifest(backup)
    fresh = tuple(backups._file(backup / file.name) for file in listed.files)
    import msgspec

    (backup / "backup.json").write_bytes(msgspec.json.encode(msgspec.structs.replace(listed, files=fresh)))
    held = look(tmp_path / "m.db", "SELECT * FROM entry")
    with pytest.raises(firsthand.BrokenError) as caught:
        firsthand.restore(backup, tmp_path / "m.db")
    assert caught.value.code == "projection_differs"
    assert look(tmp_path / "m.db", "SELECT * FROM entry") == held


def test_a_store_that_is_open_is_not_replaced(tmp_path: Path) -> None:
    backup = backed_up(tmp_path)
    with opened(tmp_path / "m.db") as memory:
        memory.capture("The mast is up.")
        with pytest.raises(firsthand.BusyError) as caught:
            firsthand.restore(backup, tmp_path / "m.db")
        assert caught.value.code == "store_in_use"
        assert memory.recall("mast").items[0].text == "The mast is up."
        assert memory.ledger.verify(deep=True).deep


def test_a_backup_without_keys_is_read_with_those_of_the_live_store(tmp_path: Path) -> None:
    backup = backed_up(tmp_path)
    (backup / "memory.db.keys").unlink()
    report = firsthand.restore(backup, tmp_path / "m.db", without_kept=True)
    assert (report.later_erasures, report.kept_missing) == ("merged", ("memory.db.keys",))
    with opened(tmp_path / "m.db") as memory:
        assert memory.recall("hull").items[0].text == "The hull is dry."
    assert firsthand.restore(backup, tmp_path / "new.db", without_kept=True).later_erasures == "unknown"


def test_over_a_memory_without_entries_the_backup_brings_its_own_key(tmp_path: Path) -> None:
    backup = backed_up(tmp_path)
    opened(tmp_path / "fresh.db").close()
    assert firsthand.restore(backup, tmp_path / "fresh.db").later_erasures == "merged"
    with opened(tmp_path / "fresh.db") as memory:
        assert memory.recall("hull").items[0].text == "The hull is dry."
        assert memory.ledger.verify(deep=True).deep


def test_another_spaces_key_is_not_overwritten(tmp_path: Path) -> None:
    backup = backed_up(tmp_path)
    with opened(tmp_path / "other.db") as other:
        other.capture("Not the same.")
    held = look(tmp_path / "other.db", "SELECT * FROM entry")
    with pytest.raises(firsthand.ConflictError) as caught:
        firsthand.restore(backup, tmp_path / "other.db")
    assert caught.value.code == "other_key"
    assert look(tmp_path / "other.db", "SELECT * FROM entry") == held


def test_a_backup_brought_back_alone_learns_from_its_own_later_export_what_was_erased(pair: Pair) -> None:
    """The erasure is its own and comes back to it: it destroys at once, and the file is cleaned of the words."""
    memory = pair.memory("a")
    memory.remember("The vault pin is qwxzkv", subject="vault", predicate="pin", object="qwxzkv")
    memory.ledger.backup(pair.folder / "backup")
    erased = memory.erase(value=("vault", "pin", "qwxzkv"), reason_code="privacy")
    path = pair.export(memory)
    firsthand.restore(pair.folder / "backup", pair.path("c"))
    again = pair.memory("c")
    assert again.erasure.sweep("qwxzkv").hits
    report = again.ledger.take_in(path)
    assert (report.added, report.erased_here) == (1, len(erased.plan.targets))
    assert again.recall("what is the vault pin?").items == ()
    assert again.erasure.sweep("qwxzkv").hits == ()
    assert b"qwxzkv" not in files_of(pair.path("c"))
    assert again.erasure.certificate(str(erased.entry_id)).clean
    again.ledger.verify(deep=True)
    assert again.ledger.take_in(path).erased_here == 0


def test_an_older_copy_that_holds_what_was_erased_later_says_so_and_destroys_nothing(pair: Pair) -> None:
    memory = pair.memory("a")
    talk = memory.capture("The vault code is qwxzkv")
    memory.ledger.backup(pair.folder / "backup")
    memory.erase(str(talk.record_id), reason_code="privacy")
    path = pair.export(memory)
    firsthand.restore(pair.folder / "backup", pair.path("c"))
    again = pair.memory("c")
    again.hold(str(talk.record_id), "the court asked")
    with pytest.raises(firsthand.RefusedError) as refused:
        again.ledger.take_in(path)
    assert (refused.value.code, refused.value.details) == ("legal_hold", {"held": [talk.record_id]})
    assert [item.text for item in again.recall("vault code").items] == ["The vault code is qwxzkv"]
    again.ledger.verify(deep=True)
    again.release_hold(str(talk.record_id), "the court is done")
    assert again.ledger.take_in(path).erased_here == 1
    assert again.erasure.sweep("qwxzkv").hits == ()


@pytest.mark.parametrize("own", [True, False])
def test_what_an_erasure_that_arrives_keeps_out_is_masked_in_longer_words_here(pair: Pair, *, own: bool) -> None:
    """Nothing is left of the claim that says in which words to look for it, in an older copy or in another store."""
    memory = pair.memory("a")
    memory.remember("The vault code is qwxzkv", subject="vault", predicate="has_code", object="qwxzkv")
    memory.ledger.backup(pair.folder / "backup")
    if own:
        firsthand.restore(pair.folder / "backup", pair.path("c"))
        here = pair.memory("c")
    else:
        here = pair.memory("b")
        pair.trusting(here, memory)
        pair.send(memory, here)
    here.capture("Ben: the vault code is qwxzkv, he says", speaker="Ben")
    here.capture("Ben: the vault door is green, he says", speaker="Ben")
    assert "qwxzkv" in repr(here.recall("what does Ben say?").items)
    memory.erase(value=("vault", "has_code", "qwxzkv"), reason_code="privacy")
    pair.send(memory, here)
    for packet in (here.recall("what does Ben say?"), here.recall("vault code", include=["superseded"])):
        assert "qwxzkv" not in repr((packet.items, packet.conflicts))
    assert "green" in repr(here.recall("what does Ben say?").items)
    here.ledger.verify(deep=True)
