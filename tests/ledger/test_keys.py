"""The key file: private, durable before any entry needs it, and missed when it is gone."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from histories import copied, rows, store_of

import firsthand
from firsthand.store.keys import KEY_BYTES, KeyFile
from firsthand.store.sqlite import SqliteStore

OPENERS = 6
OPEN_AND_REMEMBER = """
import sys, firsthand
sys.stdin.readline()
with firsthand.open(sys.argv[1], actor=sys.argv[2], role="person") as memory:
    for number in range(3):
        memory.remember(subject="Ana", predicate="likes", object=f"{sys.argv[2]} {number}")
    with memory._engine.store.reading(memory.space):
        print(memory._engine.store.space_key(memory.space).hex())
"""


def key_file(path: Path) -> Path:
    return path.with_name(path.name + ".keys")


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_the_key_file_is_for_its_owner_alone_whatever_the_umask(umask: int, tmp_path: Path) -> None:
    before = os.umask(umask)
    try:
        firsthand.open(tmp_path / "m.db").close()
        firsthand.open(tmp_path / "m.db", space="second").close()
    finally:
        os.umask(before)
    assert stat.S_IMODE(key_file(tmp_path / "m.db").stat().st_mode) == 0o600
    assert [p.name for p in tmp_path.iterdir() if ".keys" in p.name] == ["m.db.keys"]


def test_the_key_is_synced_and_so_is_its_folder_before_there_is_an_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def synced(handle: int) -> None:
        kind = "folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file"
        if kind == "file":
            assert os.fstat(handle).st_size > 2 * KEY_BYTES
        steps.append(f"{kind} synced with {_entries(tmp_path)} entries")
        fsync(handle)

    def replaced(self: Path, target: Path) -> Path:
        steps.append("renamed")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", replaced)
    with firsthand.open(tmp_path / "m.db") as memory:
        memory.capture("The hull is dry.")
    assert steps == ["file synced with 0 entries", "renamed", "folder synced with 0 entries"]
    assert _entries(tmp_path) > 0


def _entries(folder: Path) -> int:
    return int(rows(folder / "m.db", "SELECT count(*) FROM entry")[0][0])


def test_a_key_that_could_not_be_synced_is_no_key_and_opening_again_makes_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: int) -> None:
        raise OSError(5, "no")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", broken)
        with pytest.raises(OSError, match="no"):
            firsthand.open(tmp_path / "m.db")
    assert not key_file(tmp_path / "m.db").exists()
    with firsthand.open(tmp_path / "m.db") as memory:
        assert memory.capture("The hull is dry.").outcome == "stored"
    assert len(KeyFile(key_file(tmp_path / "m.db")).get("default") or b"") == KEY_BYTES


def test_a_memory_without_its_key_does_not_open_and_no_other_key_is_made(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with firsthand.open(path) as memory:
        memory.capture("The hull is dry.")
    whole = copied(path, tmp_path / "backup")
    key_file(path).unlink()
    with pytest.raises(firsthand.BrokenError) as caught:
        firsthand.open(path)
    assert caught.value.code == "key_missing"
    assert not key_file(path).exists()
    key_file(path).write_bytes(key_file(whole).read_bytes())
    with firsthand.open(path) as memory:
        assert memory.recall("Is the hull dry?").items


def test_a_space_without_entries_is_given_a_key_though_another_lost_its_own(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with firsthand.open(path, space="one") as memory:
        memory.capture("The hull is dry.")
    key_file(path).unlink()
    firsthand.open(path, space="two").close()
    with pytest.raises(firsthand.BrokenError) as caught:
        firsthand.open(path, space="one")
    assert caught.value.code == "key_missing"


@pytest.mark.parametrize("noise", [b"", b"{", b"[]", b'{"default": 7}', b'{"default": "xyz"}', b"\xff\xfe"])
def test_a_key_file_of_noise_is_reported_and_left_as_it_is(noise: bytes, tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with firsthand.open(path) as memory:
        memory.capture("The hull is dry.")
    key_file(path).write_bytes(noise)
    with pytest.raises(firsthand.BrokenError) as caught:
        firsthand.open(path)
    assert caught.value.code == "key_file_unreadable"
    assert key_file(path).read_bytes() == noise


def test_a_second_space_keeps_the_key_of_the_first(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with firsthand.open(path, space="one") as one:
        first = store_of(one).space_key("one")
        with firsthand.open(path, space="two") as two:
            assert store_of(two).space_key("two") != first
        assert SqliteStore(path).space_key("one") == first


def test_what_a_killed_process_left_of_a_key_does_not_hinder_the_next(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    key_file(path).with_name("m.db.keys.new").write_bytes(b'{"def')
    with firsthand.open(path) as memory:
        assert memory.capture("The hull is dry.").outcome == "stored"
    assert stat.S_IMODE(key_file(path).stat().st_mode) == 0o600


def test_processes_that_make_the_same_fresh_file_share_one_key_and_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    openers = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN_AND_REMEMBER, str(path), f"opener{number}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for number in range(OPENERS)
    ]  # fmt: skip
    for opener in openers:
        assert opener.stdin is not None
        opener.stdin.write("go\n")
        opener.stdin.flush()
    said = [opener.communicate() for opener in openers]
    assert [err for _, err in said] == [""] * OPENERS
    assert len({out for out, _ in said}) == 1
    with firsthand.open(path) as memory:
        assert memory.ledger.verify(deep=True).deep
        claims = memory.list(kinds=["semantic"], limit=100).items
        assert len(claims) == 3 * OPENERS


def test_opening_without_making_makes_neither_file(tmp_path: Path) -> None:
    with pytest.raises(firsthand.BrokenError) as caught:
        firsthand.open(tmp_path / "m.db", create=False)
    assert caught.value.code == "memory_missing"
    assert list(tmp_path.iterdir()) == []
    firsthand.open(tmp_path / "m.db").close()
    firsthand.open(tmp_path / "m.db", create=False).close()


def test_the_database_and_its_log_are_for_their_owner_alone(tmp_path: Path) -> None:
    with firsthand.open(tmp_path / "m.db", actor="ana", role="person") as memory:
        memory.capture("The hull is dry.")
        modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert modes.keys() >= {"m.db", "m.db-wal"}
    assert set(modes.values()) == {0o600}
