"""What a hook cannot store waits beside the database, within limits, and is stored by the next call."""

from __future__ import annotations

import json
import os
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest
from harness import OWNER, Make, Session

import firsthand
from firsthand.config import read_settings
from firsthand.surfaces.doctor import Checkup, examine, findings
from firsthand.surfaces.hooks import health, running, spool, storing
from firsthand.surfaces.hooks.running import drained
from firsthand.vocabulary.errors import BrokenError, BusyError

SECRET = "AKIA" + "QWERTYUIOPASDFGH"
WORD = "qzkvwhjx"


@contextmanager
def locked(session: Session) -> Iterator[None]:
    """Somebody else writes, for as long as this lasts."""
    connection = apsw.Connection(str(session.database))
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


def settle() -> None:
    """Late work ends with its process; here it has to be waited for."""
    for thread in threading.enumerate():
        if isinstance(thread, running.Work):
            thread.join()


def checkup(session: Session) -> Checkup:
    settings = read_settings({"db": str(session.database), "actor": OWNER}, {"HOME": "/"}, session.folder)
    return examine(settings, verify=False)


def put(database: Path, *texts: str, key: str = "k") -> bool:
    """A batch in the spool."""
    who = spool.Who(space="default", scope="project:boat", owner=OWNER, harness="claude-code", session="s-9")
    items = [{"text": text, "idempotency_key": f"{key}-{at}"} for at, text in enumerate(texts)]
    return spool.put(database, spool.Batch(who=who, items=items))


# ---- busy ------------------------------------------------------------------------------------------------------------


def test_what_a_busy_store_does_not_take_is_stored_once_by_the_next_call(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = make()
    session.ask("The first words.")
    monkeypatch.setenv("FIRSTHAND_HOOK_BUDGET_MS", "150")
    with locked(session):
        assert session.ask("The second words.") is None
        assert spool.waiting(session.database).items == 1
        assert session.texts() == ["The first words."]
    settle()  # what was late was stored after all
    monkeypatch.setenv("FIRSTHAND_HOOK_BUDGET_MS", "60000")
    session.ask("The third words.")
    assert sorted(session.texts()) == ["The first words.", "The second words.", "The third words."]
    assert spool.waiting(session.database) == (0, 0)
    assert [episode.attested for episode in session.kept()] == [True, True, True]


def test_what_waits_keeps_its_time_and_its_session(make: Make) -> None:
    session = make("s-9")
    session.ask("The first words.")
    who = spool.Who(space="default", scope="project:car", owner=OWNER, harness="codex", session="s-8", model="m-1")
    said = {"text": "The engine is red.", "speaker": OWNER, "thread": "s-8", "occurred_at": 1_700_000_000_000_000}
    assert spool.put(session.database, spool.Batch(who=who, items=[{**said, "idempotency_key": "k"}]))
    session.ask("The second words.")
    (engine,) = [episode for episode in session.kept() if "engine" in episode.text]
    assert (engine.payload["thread"], engine.payload["occurred_at"]) == ("s-8", 1_700_000_000_000_000)
    assert engine.attested
    with session.memory("project:car") as memory:
        assert [item.text for item in memory.list().items] == ["The engine is red."]


def test_a_spool_file_is_for_its_owner_alone_and_holds_no_secret(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    session = make()
    session.ask("The first words.")
    monkeypatch.setenv("FIRSTHAND_HOOK_BUDGET_MS", "150")
    with locked(session):
        session.ask(f"The key is {SECRET}.")
        (path,) = spool.oldest_first(session.database)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert b"The key is [masked: aws_access_key]." in path.read_bytes()
        assert SECRET.encode() not in path.read_bytes()
    settle()


# ---- limits ----------------------------------------------------------------------------------------------------------


def test_the_oldest_are_kept_and_the_rest_is_counted(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    session = make()
    session.ask("The first words.")
    monkeypatch.setattr(spool, "FILES_MOST", 2)
    monkeypatch.setenv("FIRSTHAND_HOOK_BUDGET_MS", "150")
    with locked(session):
        for number in range(4):
            session.ask(f"Words number {number}.")
        waiting = [spool.read(path) for path in spool.oldest_first(session.database)]
        assert [batch.items[0]["text"] for batch in waiting if batch] == ["Words number 0.", "Words number 1."]
        counted = health.read(session.database)
        assert (counted.spooled, counted.dropped, counted.failures) == (2, 2, 4)
    settle()


def test_the_spool_has_a_limit_in_bytes(make: Make) -> None:
    database = make().database
    taken = [put(database, "x" * 300_000, key=str(number)) for number in range(6)]
    assert taken == [True, True, True, False, False, False]
    assert spool.waiting(database).bytes <= spool.BYTES_MOST


def test_a_spool_that_cannot_be_written_is_a_loss_that_is_counted(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    session = make()
    session.ask("The first words.")

    def full(*_: Any) -> int:
        raise OSError(28, "no space")

    def broken(*_: Any) -> None:
        raise BrokenError("disk_full", "no space")

    monkeypatch.setattr(running, "store", broken)
    with monkeypatch.context() as patched:
        patched.setattr(os, "open", full)
        assert not put(session.database, "x")
    monkeypatch.setattr(spool, "put", lambda *_: False)
    session.ask("The second words.")
    counted = health.read(session.database)
    assert (counted.dropped, counted.last_error) == (1, "disk_full")


# ---- what can never be stored ----------------------------------------------------------------------------------------


def test_what_can_never_be_stored_is_dropped_and_counted_and_does_not_block_the_rest(make: Make) -> None:
    session = make()
    put(session.database, "", key="never")
    put(session.database, "The good words.", key="good")
    session.ask("The new words.")
    assert sorted(session.texts()) == ["The good words.", "The new words."]
    counted = health.read(session.database)
    assert (counted.dropped, counted.last_error) == (1, "text_empty")
    assert spool.waiting(session.database).items == 0


def test_a_file_that_is_being_written_is_left_and_one_that_never_will_be_is_dropped(make: Make) -> None:
    session = make()
    paths = [session.database.with_name(f"m.db{spool.SUFFIX}{number}") for number in range(2)]
    for path in paths:
        path.write_bytes(b'{"who":')
    os.utime(paths[1], (time.time() - 3_600,) * 2)
    session.ask("The words.")
    assert spool.oldest_first(session.database) == paths[:1]
    counted = health.read(session.database)
    assert (counted.dropped, counted.last_error) == (1, storing.UNREADABLE)


def test_what_waits_stays_while_the_store_is_busy(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    session = make()
    session.ask("The first words.")
    put(session.database, "The waiting words.")
    with monkeypatch.context() as patched:

        def busy(*_: Any) -> None:
            raise BusyError("store_busy", "busy")

        patched.setattr(storing, "store", busy)
        with pytest.raises(BusyError):
            drained(read_settings({"db": str(session.database)}, {"HOME": "/"}, session.folder))
    assert spool.waiting(session.database).items == 1
    health.note(session.database, lambda h: h.with_failure("late", (h.last_write_at or 0) + 1, spooled=1))
    assert health.read(session.database).is_failing
    assert drained(read_settings({"db": str(session.database)}, {"HOME": "/"}, session.folder)) == 1
    assert not health.read(session.database).is_failing
    assert session.texts() == ["The first words.", "The waiting words."]


def test_time_that_is_up_leaves_the_rest_for_later(make: Make) -> None:
    session = make()
    session.ask("The first words.")
    for number in range(3):
        put(session.database, f"Waiting {number}.", key=str(number))
    times = iter([True, True, False])
    assert storing.drain(session.database, lambda: 0, in_time=lambda: next(times)) == 2
    assert session.texts()[1:] == ["Waiting 0.", "Waiting 1."]
    assert spool.waiting(session.database).items == 1


# ---- who sees it -----------------------------------------------------------------------------------------------------


def test_doctor_shows_what_waits_what_was_lost_and_that_a_hook_is_dead(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = make()
    session.ask("The first words.")
    well = checkup(session)
    assert well.well
    assert (well.hooks.stored, well.hooks.last_event) == (1, "UserPromptSubmit")
    assert any("Hooks stored 1 episodes, last at" in line for line in findings(well))
    monkeypatch.setenv("FIRSTHAND_HOOK_BUDGET_MS", "150")
    with locked(session):
        session.ask(f"The second words, {WORD}.")
    settle()
    dead = checkup(session)
    assert not dead.well
    assert (dead.spool_items, dead.hooks.last_error, dead.hooks.failures) == (1, running.LATE, 1)
    told = "\n".join(findings(dead))
    assert "Waiting in the spool: 1 episodes" in told
    assert "PROBLEM: the last hook call did not store" in told
    assert WORD not in told + session.database.with_name("m.db.hooks").read_text()
    monkeypatch.setenv("FIRSTHAND_HOOK_BUDGET_MS", "60000")
    session.ask("The third words.")
    assert checkup(session).well


def test_a_sweep_looks_into_the_spool(make: Make) -> None:
    session = make()
    session.ask("The first words.")
    put(session.database, f"The {WORD} words.")
    with session.memory() as memory:
        report = memory.erasure.sweep(WORD)
        assert not report.clean
        assert {hit.where for hit in report.hits} == {path.name for path in spool.oldest_first(session.database)}
    drained(read_settings({"db": str(session.database)}, {"HOME": "/"}, session.folder))
    assert spool.waiting(session.database).items == 0


def test_an_erasure_says_that_the_spool_still_holds_the_words_and_they_are_cut_when_they_come_in(make: Make) -> None:
    session = make()
    told = f"The password of the vault is {WORD}, said Ana."
    session.ask(told)
    put(session.database, f"{told} The gate is green.")
    with firsthand.open(session.database, scope="project:boat", actor=OWNER, role="person") as memory:
        done = memory.erase(value=("vault", None, WORD), reason_code="privacy")
        assert done.certificate is not None
        assert not done.certificate.clean
        assert spool.SUFFIX in str(done.certificate)
        drained(read_settings({"db": str(session.database), "actor": OWNER}, {"HOME": "/"}, session.folder))
        assert memory.erasure.sweep(WORD).clean
    assert session.texts() == ["[erased] The gate is green."]


def test_counts_of_hooks_side_by_side_are_all_counted(make: Make) -> None:
    database = make().database
    threads = [
        threading.Thread(
            target=lambda: [health.note(database, lambda h: h.with_stored(1, "Stop", 7)) for _ in range(20)]
        )
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert health.read(database).stored == 160
    database.with_name("m.db.hooks").write_text('{"stored": 1')
    health.note(database, lambda h: h.with_stored(1, "Stop", 7))
    assert json.loads(database.with_name("m.db.hooks").read_text())["stored"] == 1
