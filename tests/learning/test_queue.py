"""The queue: what is new, leases that end, fences, failures, and nothing but places in its rows."""

from __future__ import annotations

import pytest

from firsthand.learning import jobs as runner
from firsthand.learning import queue
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.instants import MICROSECONDS_PER_SECOND

MINUTE = 60 * MICROSECONDS_PER_SECOND
KINDS = {"extract_claims": "episodic"}
NOW = 1_700_000_000 * MICROSECONDS_PER_SECOND


def say(memory, count, begin=0):
    return [memory.capture(f"Turn {n} of the talk.", speaker="Ana").record_id for n in range(begin, begin + count)]


def store_of(memory):
    return memory._engine.store


def writing(memory):
    return store_of(memory).writing(memory.space)


def filled(memory, now=NOW):
    with writing(memory) as writer:
        return queue.enqueue(writer, KINDS.items(), writer.scope_rows(), now)


def take(memory, now=NOW):
    with writing(memory) as writer:
        return queue.lease(writer, [row.scope_id for row in writer.scope_rows()], KINDS, now)


def rows(memory):
    with store_of(memory).reading(memory.space) as reader:
        return reader.jobs()


def looked_at(memory, lease):
    with store_of(memory).reading(memory.space) as reader:
        return [doc.record_id for doc in queue.documents(reader, lease, "episodic")]


def finish(memory, lease, now=NOW):
    with writing(memory) as writer:
        queue.finish(writer, lease, now)


def fail(memory, lease, now=NOW, code="unlucky"):
    with writing(memory) as writer:
        queue.fail(writer, lease, code, "episodic", now)


# ---- what is new -----------------------------------------------------------------------------------------------------


def test_only_what_is_new_is_queued_and_every_document_once(house, monkeypatch):
    monkeypatch.setattr(queue, "STRETCH_DOCUMENTS", 4)
    memory = house.memory()
    first = say(memory, 10)
    assert filled(memory) == 3
    assert filled(memory) == 0
    seen = []
    while (lease := take(memory)) is not None:
        seen += looked_at(memory, lease)
        finish(memory, lease)
    assert seen == first
    later = say(memory, 3, begin=10)
    assert filled(memory) == 1
    assert looked_at(memory, take(memory)) == later


def test_claims_beside_the_episodes_move_the_mark_and_are_nobodys_work(house):
    memory = house.memory()
    memory.remember(subject="Ana", predicate="uses", object="vim")
    assert filled(memory) == 0
    with store_of(memory).reading(memory.space) as reader:
        (scope,) = [row for row in reader.scope_rows() if row.next_seq]
        assert queue.unseen(reader, "extract_claims", scope) == 0
    said = say(memory, 1)
    assert filled(memory) == 1
    assert looked_at(memory, take(memory)) == said


def test_a_stretch_holds_the_documents_of_its_scope_and_of_no_other(house):
    here, there = house.memory(), house.memory(scope="project:other")
    own, other = [], []
    for turn in range(6):
        own += say(here, 1, begin=turn)
        other += say(there, 1, begin=turn)
    assert filled(here) == 2
    found = {tuple(looked_at(here, take(here))) for _ in range(2)}
    assert found == {tuple(own), tuple(other)}


def test_a_stretch_is_read_whole_though_stretches_are_made_shorter_now(house, monkeypatch):
    memory = house.memory()
    said = say(memory, 9)
    filled(memory)
    monkeypatch.setattr(queue, "STRETCH_DOCUMENTS", 2)
    assert looked_at(memory, take(memory)) == said


def test_what_is_too_much_for_one_transaction_is_new_the_next_time(house, monkeypatch):
    monkeypatch.setattr(queue, "STRETCH_DOCUMENTS", 1)
    monkeypatch.setattr(queue, "ENQUEUED_MOST", 4)
    memory = house.memory()
    said = say(memory, 10)
    assert [filled(memory) for _ in range(4)] == [4, 4, 2, 0]
    assert sorted(looked_at(memory, lease)[0] for lease in iter(lambda: take(memory), None)) == sorted(said)


def test_a_rebuild_leaves_the_queue_and_what_is_new_as_they_are(house):
    memory = house.memory()
    say(memory, 3)
    filled(memory)
    before = rows(memory)
    assert memory.ledger.rebuild().same
    assert rows(memory) == before
    assert filled(memory) == 0


# ---- leases and fences -----------------------------------------------------------------------------------------------


def test_who_holds_a_lease_keeps_others_out_until_it_ends(house):
    memory = house.memory()
    say(memory, 1)
    filled(memory)
    held = take(memory)
    assert held is not None
    assert take(memory, NOW + queue.LEASE_MICROSECONDS - 1) is None
    again = take(memory, NOW + queue.LEASE_MICROSECONDS)
    assert again is not None
    assert (again.upto, again.after) == (held.upto, held.after)
    assert again.fence > held.fence


def test_a_worker_whose_lease_ended_cannot_finish_though_nobody_else_came(house):
    memory = house.memory()
    say(memory, 1)
    filled(memory)
    held = take(memory)
    with pytest.raises(queue.LeaseLostError):
        finish(memory, held, NOW + queue.LEASE_MICROSECONDS)
    assert len(rows(memory)) == 1
    finish(memory, take(memory, NOW + queue.LEASE_MICROSECONDS), NOW + queue.LEASE_MICROSECONDS + 1)
    assert rows(memory) == []


def test_a_worker_that_was_overtaken_neither_finishes_nor_fails_what_another_holds(house):
    memory = house.memory()
    say(memory, 1)
    filled(memory)
    slow = take(memory)
    later = NOW + queue.LEASE_MICROSECONDS
    quick = take(memory, later)
    with pytest.raises(queue.LeaseLostError):
        finish(memory, slow, later + 1)
    fail(memory, slow, later + 1)
    (row,) = rows(memory)
    assert row == quick
    finish(memory, quick, later + 1)
    with pytest.raises(queue.LeaseLostError):
        finish(memory, slow, NOW)


# ---- failures --------------------------------------------------------------------------------------------------------


def test_failures_are_counted_wait_longer_each_time_and_end(house):
    memory = house.memory()
    say(memory, 1)
    filled(memory)
    now, pauses = NOW, []
    for attempt in range(1, queue.ATTEMPTS_MOST + 1):
        fail(memory, take(memory, now), now)
        (row,) = rows(memory)
        assert (row.failures, row.code) == (attempt, "unlucky")
        if row.state == "waiting":
            assert take(memory, row.due - 1) is None
            pauses.append(row.due - now)
            now = row.due
    assert row.state == "dead"
    assert pauses == [queue.FIRST_WAIT_MICROSECONDS << n for n in range(queue.ATTEMPTS_MOST - 1)]
    assert take(memory, now + 365 * 24 * 60 * MINUTE) is None
    with writing(memory) as writer:
        assert queue.revive(writer, [row.scope_id], now) == 1
    assert take(memory, now).failures == 0


def test_several_documents_that_fail_are_halved_until_one_alone_is_to_blame(house):
    memory = house.memory()
    said = say(memory, 7)
    filled(memory)
    now, done, seen_bad = NOW, [], 0
    while rows(memory) and any(row.state != "dead" for row in rows(memory)):
        lease = take(memory, now)
        if lease is None:
            now = min(row.due for row in rows(memory) if row.state != "dead")
            continue
        docs = looked_at(memory, lease)
        if said[4] in docs:
            seen_bad += 1
            fail(memory, lease, now, "poison")
        else:
            done += docs
            finish(memory, lease, now)
    assert sorted(done) == sorted(set(said) - {said[4]})
    (dead,) = rows(memory)
    assert (dead.state, dead.code, looked_at(memory, dead)) == ("dead", "poison", [said[4]])
    assert seen_bad <= 3 + queue.ATTEMPTS_MOST


def test_a_worker_that_dies_each_time_is_a_failure_too(house):
    memory = house.memory()
    say(memory, 1)
    filled(memory)
    now = NOW
    for _ in range(queue.ATTEMPTS_MOST):
        assert take(memory, now) is not None
        now += queue.LEASE_MICROSECONDS
    assert take(memory, now) is None
    (row,) = rows(memory)
    assert (row.state, row.code) == ("dead", queue.LEASE_EXPIRED)


# ---- what a row holds ------------------------------------------------------------------------------------------------


def test_the_queue_holds_no_word_of_what_it_is_about(house):
    memory = house.memory()
    memory.capture("The Zanzibar heist is on Quetzal street.", speaker="Xochitl", thread="Thrixx")
    filled(memory)
    lease = take(memory)
    fail(memory, lease, code="record_absent")
    texts = house.column("SELECT job || ' ' || scope_id || ' ' || state || ' ' || coalesce(code, '') FROM job")
    (held,) = texts
    assert held == f"extract_claims {lease.scope_id} waiting record_absent"
    assert "orion" not in held


def test_a_limit_is_a_whole_number_of_stretches(house):
    memory = house.memory()
    for bad in (0, -1, runner.STRETCHES_MOST + 1):
        with pytest.raises(InvalidError):
            memory.jobs.run(limit=bad)


def queue_tables():
    """The tables that a rebuild makes anew, none of which is the queue's."""
    from firsthand.store.sql import PROJECTIONS

    assert not {"job", "job_mark"} & set(PROJECTIONS)
    return PROJECTIONS
