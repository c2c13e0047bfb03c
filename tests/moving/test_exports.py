"""An export is the ledger byte for byte, holds no key, and is never half there."""

from __future__ import annotations

import hashlib
import json
import stat
from pathlib import Path

import pytest
from pairs import Pair, erase, look

import firsthand
from firsthand.moving import manifest as manifests


def files(path: Path) -> bytes:
    return b"".join(p.read_bytes() for p in sorted(path.iterdir()))


def test_every_entry_is_exported_exactly_as_it_is_stored(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifests, "FILE_BYTES", 3_000)
    memory = pair.memory("a")
    for number in range(6):
        memory.remember(subject=f"boat {number}", predicate="uses", object="tär")
    memory.ledger.seal()
    seen: list[tuple[int, int]] = []
    report = memory.ledger.export(pair.folder / "x", progress=lambda done, total: seen.append((done, total)))
    listed = json.loads((pair.folder / "x" / "manifest.json").read_text())
    assert report.files == len(listed["files"]) > 2
    lines = []
    for file in listed["files"]:
        data = (pair.folder / "x" / file["name"]).read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (file["bytes"], file["sha256"])
        lines += data.splitlines()
    columns = "position, entry_id, received_at, chain, skeleton, body, salt"
    assert [json.loads(line) for line in lines] == [
        list(row) for row in look(pair.path("a"), f"SELECT {columns} FROM entry ORDER BY position")
    ]
    assert listed["head"]["position"] == report.entries == len(lines) == seen[-1][0]
    assert listed["seals"] == [memory.ledger.seal().line] or listed["seals"][0].startswith("firsthand-seal 1 ")
    assert stat.S_IMODE((pair.folder / "x").stat().st_mode) == 0o700


def test_an_export_lists_its_erasures_and_has_none_of_the_erased_words(pair: Pair) -> None:
    memory = pair.memory("a")
    gone = memory.capture("The zqxword is here.")
    named = erase(memory, gone.record_id)
    path = pair.export(memory)
    listed = json.loads((path / "manifest.json").read_text())
    assert listed["erasures"] == [{"entry_id": named, "targets": ["e" + gone.record_id[1:]], "reason_code": "asked"}]
    assert b"zqxword" not in files(path)


def test_no_key_is_in_an_export(pair: Pair) -> None:
    memory = pair.memory("a")
    memory.capture("The hull is dry.")
    memory.ledger.seal()
    written = files(pair.export(memory))
    assert b"The hull is dry" in written
    for kept in (".keys", ".device"):
        for key in json.loads(pair.path("a").with_name("a.db" + kept).read_text()).values():
            assert key.encode() not in written
            assert bytes.fromhex(key) not in written


def test_an_export_takes_its_name_only_when_it_is_whole(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = pair.memory("a")
    memory.capture("The hull is dry.")
    before = sorted(p.name for p in pair.folder.iterdir())

    def broken(*given: object) -> None:
        raise OSError(28, "no space")

    monkeypatch.setattr("firsthand.moving.exporting.write_manifest", broken)
    with pytest.raises(OSError, match="no space"):
        memory.ledger.export(pair.folder / "x")
    assert [p for p in pair.folder.iterdir() if p.name not in before and ".device" not in p.name] == []


def test_an_export_overwrites_nothing_and_needs_a_folder(pair: Pair) -> None:
    memory = pair.memory("a")
    (pair.folder / "there").mkdir()
    with pytest.raises(firsthand.ConflictError) as caught:
        memory.ledger.export(pair.folder / "there")
    assert caught.value.code == "path_exists"
    with pytest.raises(firsthand.InvalidError) as wrong:
        memory.ledger.export(pair.folder / "nowhere" / "x")
    assert wrong.value.code == "folder_missing"


def test_only_the_operator_of_the_file_moves_a_whole_space(pair: Pair) -> None:
    narrow = pair.memory("a", grant=firsthand.Grant())
    moves = (
        lambda: narrow.ledger.export(pair.folder / "x"),
        lambda: narrow.ledger.take_in(pair.folder / "x"),
        lambda: narrow.ledger.backup(pair.folder / "x"),
        lambda: narrow.peers.share_key(pair.folder / "k"),
        lambda: narrow.peers.register("00" * 32),
        narrow.peers.list,
    )
    for move in moves:
        with pytest.raises(firsthand.DeniedError):
            move()
    assert not (pair.folder / "x").exists()
    assert not (pair.folder / "k").exists()


def test_the_space_key_is_written_for_its_owner_alone_and_joins_only_a_space_without_entries(pair: Pair) -> None:
    memory = pair.memory("a")
    memory.capture("The hull is dry.")
    path = memory.peers.share_key(pair.folder / "key")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(firsthand.ConflictError):
        memory.peers.share_key(path)
    with firsthand.open(pair.folder / "other.db") as other:
        other.capture("Something else.")
    with pytest.raises(firsthand.ConflictError) as caught:
        firsthand.join(pair.folder / "other.db", path)
    assert caught.value.code == "space_has_key"
    assert firsthand.join(pair.path("a"), path) == memory.space
    for content in (b"", b"{}", b"\xff\xfe", b'{"format":"firsthand-space-key","space":"default","key":"00"}'):
        (pair.folder / "bad").write_bytes(content)
        with pytest.raises(firsthand.BrokenError):
            firsthand.join(pair.folder / "new.db", pair.folder / "bad")
    with pytest.raises(firsthand.InvalidError):
        firsthand.join(pair.folder / "new.db", pair.folder / "missing")
