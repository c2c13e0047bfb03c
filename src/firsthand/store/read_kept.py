"""Reads of what a replay leaves as it is."""

from __future__ import annotations

from collections.abc import Iterable

from firsthand.ports import CertificateRow, JobRow, RefusalRow, RequestRow
from firsthand.store.engine import Row
from firsthand.store.snapshot import Snapshot, array


class KeptReads(Snapshot):
    """Idempotency keys, refusals, the journal of recalls, and the queue of jobs."""

    def refusals(self, before: int, limit: int) -> list[RefusalRow]:
        """Refusals below a number, newest first."""
        return [RefusalRow(*r) for r in self._all("refusals", before, limit)]

    def request(self, digest: str) -> RequestRow | None:
        """What an idempotency key was used for."""
        row = self._one("request", digest)
        return RequestRow(*row) if row else None

    def certificate(self, entry_id: str) -> CertificateRow | None:
        """What is known of the erasure that an entry says."""
        row = self._one("certificate", entry_id)
        return _certificate(row) if row else None

    def unfinished_erasures(self) -> list[CertificateRow]:
        """Erasures after which the file was not cleaned yet."""
        return [_certificate(row) for row in self._all("unfinished_erasures")]

    def refused(self, verb: str) -> set[tuple[str, str]]:
        """(code, cause) of every refusal of a verb that names its cause."""
        return {(code, cause) for code, cause in self._all("refused", verb)}

    def delivered_to(self, record_ids: Iterable[str], actor: str) -> bool:
        """Whether a recall ever gave one of these records to an actor."""
        return self._one("delivered_to", array(record_ids), actor) is not None

    def delivery(self, recall_id: str) -> list[str] | None:
        """Records a recall delivered, by rank."""
        if self._one("knows_recall", recall_id) is None:
            return None
        return [r[0] for r in self._all("delivery", recall_id)]

    def jobs(self) -> list[JobRow]:
        """Everything in the queue, by job, scope and place."""
        return [JobRow(*r) for r in self._all("jobs")]

    def job(self, job: str, scope_id: str, upto: int) -> JobRow | None:
        """One stretch in the queue."""
        row = self._one("job", job, scope_id, upto)
        return JobRow(*row) if row else None

    def due_job(self, now: int, scope_ids: Iterable[str]) -> JobRow | None:
        """The stretch in some scopes that has been due for longest, if any is."""
        row = self._one("due_job", now, array(scope_ids))
        return JobRow(*row) if row else None

    def job_mark(self, job: str, scope_id: str) -> int:
        """Up to which position a job's work in a scope has been put in the queue."""
        row = self._one("job_mark", job, scope_id)
        return row[0] if row else 0


def _certificate(row: Row) -> CertificateRow:
    return CertificateRow(row[0], row[1], row[2], bool(row[3]))
