"""Run what waits in the queue, one stretch at a time, each inside one scope and under a fence; say how it stands."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import msgspec

from firsthand.capture.gateway import Gateway, Write
from firsthand.capture.inferring import ALREADY_SAID
from firsthand.learning import queue
from firsthand.learning.extract_claims import extract_claims
from firsthand.learning.propose_merges import propose_merges
from firsthand.ports import DocRow, JobRow, Progress, Reader, ScopeRow, Store
from firsthand.rules.access import Handle, handle
from firsthand.vocabulary.errors import DeniedError, FirsthandError
from firsthand.vocabulary.grants import Author, Grant
from firsthand.vocabulary.jobs import JobsReport, JobsStatus, JobView
from firsthand.vocabulary.kinds import HIGHEST_SENSITIVITY, Kind
from firsthand.vocabulary.limits import check_range
from firsthand.vocabulary.packets import Receipt

ACTOR: Final = "firsthand"
HARNESS: Final = "jobs"
STRETCHES_MOST: Final = 1_000_000


class Learner(NamedTuple):
    """What one job reads, and the writes by which it proposes what it found."""

    kind: Kind
    propose: Callable[[Gateway, Handle, Reader, Sequence[DocRow]], list[Write]]


LEARNERS: Final[dict[str, Learner]] = {
    "extract_claims": Learner("episodic", extract_claims),
    "propose_merges": Learner("semantic", propose_merges),
}
KINDS: Final[dict[str, Kind]] = {name: learner.kind for name, learner in LEARNERS.items()}


class Jobs:
    """The background jobs of a space, in the scopes this handle may read and write. They run only when asked."""

    def __init__(self, store: Store, gateway: Gateway, caller: Handle) -> None:
        self._store = store
        self._gateway = gateway
        self._caller = caller

    def run(self, *, limit: int | None = None, again: bool = False, progress: Progress | None = None) -> JobsReport:
        """Work until nothing is due, or for `limit` stretches of at most 64 documents; `again`: also what was given up.

        Needs the verb `jobs` and the highest clearance, since it reads whatever its scopes hold. What it writes are
        candidates and proposals by `firsthand`. Several processes may run at once.
        """
        self._check()
        most = STRETCHES_MOST if limit is None else check_range(limit, least=1, most=STRETCHES_MOST, field="limit")
        begun = time.perf_counter()
        if again:
            with self._store.writing(self._caller.space) as writer:
                queue.revive(writer, [scope.scope_id for scope in self._scopes(writer)], self._now())
        report = JobsReport()
        while report.stretches < most and (lease := self._lease()) is not None:
            report = self._work(lease, report)
            if progress is not None:
                progress(report.stretches, report.stretches + self._waiting())
        left = self.status()
        return msgspec.structs.replace(
            report, waiting=left.waiting, dead=left.dead, seconds=time.perf_counter() - begun
        )  # fmt: skip

    def status(self) -> JobsStatus:
        """What waits, what is being worked on, what was given up and why, and what is not in the queue yet."""
        self._caller.may("jobs")
        with self._store.reading(self._caller.space) as reader:
            rows = reader.jobs()
            views = [_view(reader, name, s, rows) for s in self._scopes(reader) for name in LEARNERS]
        views = sorted((v for v in views if v.upto or v.unseen), key=lambda v: (v.scope, v.job))
        return JobsStatus(
            jobs=tuple(views), waiting=sum(v.waiting for v in views), leased=sum(v.leased for v in views),
            dead=sum(v.dead for v in views), unseen=sum(v.unseen for v in views),
        )  # fmt: skip

    # ---- inside ----------------------------------------------------------------------------------------------------

    def _check(self) -> None:
        self._caller.may("jobs")
        if self._caller.clearance < HIGHEST_SENSITIVITY:
            raise DeniedError(
                "clearance_not_granted", "jobs read whatever a scope holds; they need the highest clearance",
                field="clearance",
            )  # fmt: skip

    def _waiting(self) -> int:
        """How many stretches of the space are in the queue and not given up."""
        with self._store.reading(self._caller.space) as reader:
            return sum(row.state == "waiting" for row in reader.jobs())

    def _now(self) -> int:
        return self._gateway.clock.now()

    def _scopes(self, reader: Reader) -> list[ScopeRow]:
        """The scopes by name that this caller may read and write; one whose name was erased has no jobs."""
        grant = self._caller.grant
        named = [row for row in reader.scope_rows() if row.name is not None and row.next_seq]
        return [row for row in named if row.name and grant.may_read(row.name) and grant.may_write(row.name)]

    def _lease(self) -> JobRow | None:
        """The next stretch to work on; where none is due, what is new is put in the queue first."""
        with self._store.writing(self._caller.space) as writer:
            scopes = self._scopes(writer)
            ids = [scope.scope_id for scope in scopes]
            taken = queue.lease(writer, ids, KINDS, self._now())
            if taken is None and queue.enqueue(writer, KINDS.items(), scopes, self._now()):
                taken = queue.lease(writer, ids, KINDS, self._now())
            return taken

    def _work(self, lease: JobRow, report: JobsReport) -> JobsReport:
        """One stretch, from its words to its end. A fault of ours is counted, so that later runs go on, and raised."""
        done = msgspec.structs.replace(report, stretches=report.stretches + 1)
        try:
            looked_at, receipts = self._propose(lease)
        except queue.LeaseLostError:
            return msgspec.structs.replace(done, lost=done.lost + 1)
        except FirsthandError as error:
            self._fail(lease, error.code)
            return msgspec.structs.replace(done, failed=done.failed + 1)
        except Exception as error:
            self._fail(lease, type(error).__name__)
            raise
        return _counted(done, looked_at, receipts)

    def _propose(self, lease: JobRow) -> tuple[int, list[Receipt]]:
        learner = LEARNERS[lease.job]
        with self._store.reading(self._caller.space) as reader:
            scope = reader.scope(lease.scope_id)
            assert scope is not None
            assert scope.name is not None
            here = self._at(scope.name, lease.job)
            docs = queue.documents(reader, lease, learner.kind)
            writes = learner.propose(self._gateway, here, reader, docs)
        return len(docs), self._gateway.commit(here, writes, first=lambda w: queue.finish(w, lease, self._now()))

    def _fail(self, lease: JobRow, code: str) -> None:
        with self._store.writing(self._caller.space) as writer:
            queue.fail(writer, lease, code, KINDS[lease.job], self._now())

    def _at(self, scope: str, job: str) -> Handle:
        """The author of what a job finds, under its caller's credential: it reads and writes one scope alone."""
        author = Author(
            actor=f"{ACTOR}/{job}", owner=self._caller.author.owner, role="system", harness=HARNESS, model=None,
            session=None, device=None,
        )  # fmt: skip
        grant = Grant(read=frozenset((scope,)), write=frozenset((scope,)), role="system")
        return handle(space=self._caller.space, scope=scope, author=author, grant=grant, keyed=self._caller.keyed)


def _view(reader: Reader, job: str, scope: ScopeRow, rows: Sequence[JobRow]) -> JobView:
    own = [row for row in rows if row.job == job and row.scope_id == scope.scope_id]
    states = [row.state for row in own]
    return JobView(
        job=job,
        scope=scope.name or "",
        waiting=states.count("waiting"),
        leased=states.count("leased"),
        dead=states.count("dead"),
        unseen=queue.unseen(reader, job, scope),
        upto=reader.job_mark(job, scope.scope_id),
        due=min((row.due for row in own if row.state != "dead"), default=None),
        code=next((row.code for row in reversed(own) if row.code is not None), None),
    )


def _counted(report: JobsReport, documents: int, receipts: Sequence[Receipt]) -> JobsReport:
    known = [r for r in receipts if {ALREADY_SAID, "already_proposed"} & set(r.notes)]
    counts = {
        outcome: getattr(report, outcome) + sum(r.outcome == outcome for r in receipts if r not in known)
        for outcome in ("stored", "reinforced", "proposed", "refused")
    }
    return msgspec.structs.replace(
        report, documents=report.documents + documents, known=report.known + len(known), **counts
    )  # fmt: skip
