"""The queue of background jobs: what is new, leases that end, and fences that who lost a lease cannot pass.

A stretch is a range of ledger positions in one scope. It is done when it is gone from the queue, which happens in the
transaction that writes what was found in it: a worker that is killed leaves nothing behind but its lease.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from firsthand.ports import SEQ_BITS, DocRow, JobRow, Reader, ScopeRow, Writer
from firsthand.vocabulary.errors import ConflictError
from firsthand.vocabulary.instants import MICROSECONDS_PER_SECOND
from firsthand.vocabulary.kinds import Kind

LEASE_MICROSECONDS: Final = 60 * MICROSECONDS_PER_SECOND
STRETCH_DOCUMENTS: Final = 64
ENQUEUED_MOST: Final = 256
"""How many stretches one transaction puts in the queue; the rest is new the next time."""
ATTEMPTS_MOST: Final = 5
FIRST_WAIT_MICROSECONDS: Final = 30 * MICROSECONDS_PER_SECOND
LONGEST_WAIT_MICROSECONDS: Final = 3_600 * MICROSECONDS_PER_SECOND
LEASE_EXPIRED: Final = "lease_expired"


class LeaseLostError(ConflictError):
    """The lease of a stretch ended or went to another worker: nothing of this work may be written."""


def enqueue(writer: Writer, jobs: Iterable[tuple[str, Kind]], scopes: Sequence[ScopeRow], now: int) -> int:
    """Put what is new since the last time in the queue; how many stretches that made."""
    made = 0
    for scope in scopes:
        for job, kind in jobs:
            made += _enqueue_scope(writer, job, kind, scope, now, ENQUEUED_MOST - made)
    return made


def _enqueue_scope(writer: Writer, job: str, kind: Kind, scope: ScopeRow, now: int, most: int) -> int:
    mark = writer.job_mark(job, scope.scope_id)
    low, high = _numbers_after(writer, scope, mark)
    after = mark
    for made in range(most):
        docs = writer.docs_between(low, high, kind, STRETCH_DOCUMENTS)
        if not docs:
            newest = _position(writer, high - 1) if low < high else mark
            if newest > mark:
                writer.put_job_mark(job, scope.scope_id, newest)
            return made
        low, upto = docs[-1].vid + 1, docs[-1].position
        writer.put_job(JobRow(job, scope.scope_id, upto, after, "waiting", now))
        writer.put_job_mark(job, scope.scope_id, upto)
        after = mark = upto
    return most


def unseen(reader: Reader, job: str, scope: ScopeRow) -> int:
    """How many documents, of any kind, a scope has received since a job's work in it was last put in the queue."""
    low, high = _numbers_after(reader, scope, reader.job_mark(job, scope.scope_id))
    return high - low


def documents(reader: Reader, row: JobRow, kind: Kind) -> list[DocRow]:
    """The documents of a stretch, of the scope it belongs to and of no other."""
    scope = reader.scope(row.scope_id)
    if scope is None:
        return []
    low, _ = _numbers_after(reader, scope, row.after)
    high, _ = _numbers_after(reader, scope, row.upto)
    return reader.docs_between(low, high, kind, high - low)


def lease(writer: Writer, scope_ids: Sequence[str], kinds: dict[str, Kind], now: int) -> JobRow | None:
    """Take the stretch that has been due for longest; an expired lease is a failure of who held it."""
    while (row := writer.due_job(now, scope_ids)) is not None:
        if row.state == "leased":
            _give_up(writer, row, LEASE_EXPIRED, kinds[row.job], now, wait=False)
            continue
        taken = row._replace(state="leased", due=now + LEASE_MICROSECONDS, fence=row.fence + 1)
        writer.put_job(taken)
        return taken
    return None


def finish(writer: Writer, lease: JobRow, now: int) -> None:
    """Take a stretch out of the queue, in the transaction that writes what was found in it."""
    if not _holds(writer, lease, now):
        raise LeaseLostError("lease_lost", "the lease of this work ended before it was written")
    writer.drop_job(lease)


def fail(writer: Writer, lease: JobRow, code: str, kind: Kind, now: int) -> None:
    """Count a failure: several documents are halved to find whose it is, one is tried again later and then no more."""
    if _holds(writer, lease, now):
        _give_up(writer, lease, code, kind, now, wait=True)


def revive(writer: Writer, scope_ids: Iterable[str], now: int) -> int:
    """Put what was given up in the queue again; how many stretches."""
    wanted = frozenset(scope_ids)
    dead = [row for row in writer.jobs() if row.state == "dead" and row.scope_id in wanted]
    for row in dead:
        writer.put_job(row._replace(state="waiting", due=now, failures=0))
    return len(dead)


def _holds(reader: Reader, lease: JobRow, now: int) -> bool:
    """Whether a lease is still good: the same fence, and not yet over."""
    row = reader.job(lease.job, lease.scope_id, lease.upto)
    return row is not None and row.state == "leased" and row.fence == lease.fence and now < row.due


def _give_up(writer: Writer, row: JobRow, code: str, kind: Kind, now: int, *, wait: bool) -> None:
    docs = documents(writer, row, kind)
    if len(docs) > 1:
        middle = docs[len(docs) // 2 - 1].position
        for half in (row._replace(upto=middle, fence=0), row._replace(after=middle)):
            writer.put_job(half._replace(state="waiting", due=now, failures=0, code=code))
        return
    failures = row.failures + 1
    if failures >= ATTEMPTS_MOST:
        writer.put_job(row._replace(state="dead", failures=failures, code=code))
        return
    pause = min(FIRST_WAIT_MICROSECONDS << row.failures, LONGEST_WAIT_MICROSECONDS) if wait else 0
    writer.put_job(row._replace(state="waiting", due=now + pause, failures=failures, code=code))


def _numbers_after(reader: Reader, scope: ScopeRow, position: int) -> tuple[int, int]:
    """Document numbers of a scope received after a position: within a scope numbers and positions grow together."""
    first = scope.scope_no << SEQ_BITS
    low, high = first, first + scope.next_seq
    end = high
    if low < high and _position(reader, high - 1) <= position:
        return end, end
    while low < high:
        middle = (low + high) // 2
        if _position(reader, middle) <= position:
            low = middle + 1
        else:
            high = middle
    return low, end


def _position(reader: Reader, vid: int) -> int:
    return reader.docs([vid])[vid].position
