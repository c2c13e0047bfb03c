"""Reads of what a replay leaves as it is."""

from __future__ import annotations

from collections.abc import Iterable

from firsthand.ports import CertificateRow, RequestRow
from firsthand.store.engine import Row
from firsthand.store.snapshot import Snapshot, array


class KeptReads(Snapshot):
    """Idempotency keys, and the journal of recalls."""

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

    def delivered_to(self, record_ids: Iterable[str], actor: str) -> bool:
        """Whether a recall ever gave one of these records to an actor."""
        return self._one("delivered_to", array(record_ids), actor) is not None

    def delivery(self, recall_id: str) -> list[str] | None:
        """Records a recall delivered, by rank."""
        if self._one("knows_recall", recall_id) is None:
            return None
        return [r[0] for r in self._all("delivery", recall_id)]


def _certificate(row: Row) -> CertificateRow:
    return CertificateRow(row[0], row[1], row[2], bool(row[3]))
