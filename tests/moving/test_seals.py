"""Seals: what a device signed is checked, and a ledger that was written anew as a whole is found by a kept line."""

from __future__ import annotations

import stat
from pathlib import Path

import apsw
import pytest

import firsthand
from firsthand.rules.identity import chained
from firsthand.rules.seals import read_line


def rewritten(path: Path, change: str) -> None:
    """Change a ledger behind its back, and make its chain hold again."""
    connection = apsw.Connection(str(path))
    guard = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'entry_no_update'").get
    connection.execute("PRAGMA foreign_keys = OFF; DROP TRIGGER entry_no_update")
    connection.execute(change)
    chain = "0" * 40
    for position, entry_id, at in connection.execute(
        "SELECT position, entry_id, received_at FROM entry ORDER BY position"
    ).fetchall():
        chain = chained(chain, entry_id, at)
        connection.execute("UPDATE entry SET chain = ? WHERE position = ?", (chain, position))
    connection.execute(guard)
    connection.close()


def test_a_seal_covers_what_was_before_it_and_verify_checks_every_one(tmp_path: Path) -> None:
    with firsthand.open(tmp_path / "m.db", actor="ana", role="person") as memory:
        memory.capture("The hull is dry.")
        first = memory.ledger.seal()
        memory.capture("The mast is up.")
        second = memory.ledger.seal()
        head = memory.ledger.verify(deep=True)
        assert (head.seals, head.sealed_to, head.seals_unsigned) == (2, second.position, 0)
        assert first.position < second.position == head.position - 1
        assert memory.ledger.rebuild().same


def test_the_key_of_the_device_is_for_its_owner_alone_and_stays_the_same(tmp_path: Path) -> None:
    with firsthand.open(tmp_path / "m.db") as memory:
        own = memory.peers.own()
        assert memory.ledger.seal().key == own.key
    file = tmp_path / "m.db.device"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with firsthand.open(tmp_path / "m.db") as memory:
        assert memory.peers.own() == own
        assert memory.ledger.seal().device == own.device
        assert memory.ledger.verify().seals == 2


def test_a_seal_whose_signature_does_not_hold_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with firsthand.open(tmp_path / "m.db") as memory:
        memory.capture("The hull is dry.")
        monkeypatch.setattr("firsthand.moving.sealing.seal_text", lambda *given: "something else")
        made = memory.ledger.seal()
        with pytest.raises(firsthand.BrokenError) as caught:
            memory.ledger.verify()
        assert "signature" in caught.value.message
        assert caught.value.details["position"] == made.position + 1


def test_a_ledger_that_was_written_anew_no_longer_fits_its_seals_nor_the_kept_line(tmp_path: Path) -> None:
    with firsthand.open(tmp_path / "m.db") as memory:
        memory.capture("The hull is dry.")
        line = memory.ledger.seal().line
        assert memory.ledger.verify(against=line).against == read_line(line).position
    rewritten(tmp_path / "m.db", "UPDATE entry SET received_at = received_at - 1 WHERE position = 1")
    with firsthand.open(tmp_path / "m.db") as memory:
        with pytest.raises(firsthand.BrokenError) as caught:
            memory.ledger.verify()
        assert "seals another ledger" in caught.value.message
        with pytest.raises(firsthand.BrokenError) as caught:
            memory.ledger.verify(against=line)
        assert "not what was sealed" in caught.value.message


def test_a_ledger_cut_off_before_a_kept_line_is_found(tmp_path: Path) -> None:
    with firsthand.open(tmp_path / "m.db") as memory:
        memory.capture("The hull is dry.")
        memory.ledger.backup(tmp_path / "before")
        memory.capture("The mast is up.")
        line = memory.ledger.seal().line
    with firsthand.open(tmp_path / "before" / "memory.db") as memory:
        with pytest.raises(firsthand.BrokenError) as caught:
            memory.ledger.verify(against=line)
        assert caught.value.code == "ledger_shorter"


def test_a_line_that_was_tampered_with_or_is_of_another_space_is_refused(tmp_path: Path) -> None:
    with firsthand.open(tmp_path / "m.db") as memory, firsthand.open(tmp_path / "m.db", space="second") as second:
        memory.capture("The hull is dry.")
        line = memory.ledger.seal().line
        parts = line.split(" ")
        other = parts[4][:-1] + ("0" if parts[4][-1] != "0" else "1")
        for broken, code in (
            ("", "seal_unreadable"),
            (line.removesuffix("default") + "second", "seal_forged"),
            (" ".join([*parts[:2], "9", *parts[3:]]), "seal_forged"),
            (" ".join([*parts[:4], other, *parts[5:]]), "seal_forged"),
        ):
            with pytest.raises(firsthand.InvalidError) as caught:
                memory.ledger.verify(against=broken)
            assert caught.value.code == code
        with pytest.raises(firsthand.InvalidError) as caught:
            second.ledger.verify(against=line)
        assert caught.value.code == "seal_of_another_space"


def test_sealing_is_a_verb_that_a_grant_names(tmp_path: Path) -> None:
    grant = firsthand.Grant(verbs=frozenset(("recall",)))
    with firsthand.open(tmp_path / "m.db", grant=grant) as memory, pytest.raises(firsthand.DeniedError):
        memory.ledger.seal()
