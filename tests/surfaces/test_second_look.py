"""What a second newcomer stumbled over, one test each."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

import firsthand
from firsthand import Grant


def opened(folder: Path, **given: object) -> firsthand.Memory:
    asked: dict[str, object] = {"scope": "project:o", "actor": "ana", "role": "person", "synchronous": "OFF"}
    return firsthand.open(folder / "m.db", **{**asked, **given})  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_a_database_of_another_program_is_refused_and_left_byte_for_byte(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "m.db"
    foreign = sqlite3.connect(path)
    foreign.execute(f"PRAGMA journal_mode = {mode}")
    foreign.execute("CREATE TABLE t (a)")
    foreign.commit()
    foreign.close()
    before = path.read_bytes()
    with pytest.raises(firsthand.BrokenError) as caught:
        opened(tmp_path)
    assert caught.value.code == "not_ours"
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["m.db"]


def test_a_later_version_of_ours_is_refused_too(tmp_path: Path) -> None:
    opened(tmp_path).close()
    other = sqlite3.connect(tmp_path / "m.db")
    other.execute("PRAGMA user_version = 999")
    other.close()
    with pytest.raises(firsthand.BrokenError) as caught:
        opened(tmp_path)
    assert caught.value.code == "schema_unknown"


def test_another_memorys_key_and_one_flipped_bit_of_the_key_are_refused(tmp_path: Path) -> None:
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    for folder in (mine, theirs):
        folder.mkdir()
        with opened(folder) as memory:
            memory.remember("api port is 80", subject="api", predicate="port", object=80)
    keys = mine / "m.db.keys"
    whole = keys.read_bytes()
    shutil.copy(theirs / "m.db.keys", keys)
    with pytest.raises(firsthand.BrokenError) as caught:
        opened(mine)
    assert caught.value.code == "key_wrong"
    at = whole.index(b'":"') + 10
    keys.write_bytes(whole[:at] + (b"0" if whole[at : at + 1] != b"0" else b"1") + whole[at + 1 :])
    with pytest.raises(firsthand.BrokenError) as caught:
        opened(mine)
    assert caught.value.code == "key_wrong"
    keys.write_bytes(whole)
    with opened(mine) as memory:
        assert memory.recall("api port").items[0].text == "api port is 80"


def test_a_negative_claim_never_reads_as_its_opposite(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.remember("auth uses MySQL", subject="auth", predicate="uses_database", object="MySQL", polarity="-")
        memory.remember("billing uses MySQL", subject="billing", predicate="uses_database", object="MySQL")
        packet = memory.recall("MySQL", kinds=["semantic"])
    said = {i.text: i.qualifier.text for i in packet.items}
    assert said == {
        "auth uses MySQL": "current; denies that auth uses database MySQL",
        "billing uses MySQL": "current",
    }
    assert "denies that auth uses database MySQL" in packet.render()


def test_one_voice_that_repeats_itself_is_one_source(tmp_path: Path) -> None:
    with opened(tmp_path) as ana, opened(tmp_path, actor="ben") as ben:
        for _ in range(3):
            ana.remember("api port is 80", subject="api", predicate="port", object=80)
        (alone,) = ana.recall("api port", kinds=["semantic"]).items
        ben.remember("api port is 80", subject="api", predicate="port", object=80)
        packet = ana.recall("api port", kinds=["semantic"])
    assert (alone.supports, alone.sources) == (3, 1)
    assert (packet.items[0].supports, packet.items[0].sources) == (4, 2)
    assert "2 sources" in packet.render()


def test_the_reason_of_a_relation_to_a_hidden_record_is_as_hidden(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        public = memory.remember("The launch is planned").record_id or ""
        secret = memory.remember("The launch code is swordfish", sensitivity="high").record_id or ""
        open_too = memory.remember("The launch has a budget").record_id or ""
        memory.relate(public, "related_to", secret, reason="because of the code")
        memory.relate(public, "related_to", open_too, reason="because of the money")
        everything = {e.reason for e in memory.history(public).entries}
    low = Grant(clearance="low")
    with opened(tmp_path, role="agent", grant=low) as reader:
        seen = {e.reason for e in reader.history(public).entries}
    assert everything - seen == {"because of the code"}
    assert "because of the money" in seen
