"""Reads of what a replay leaves as it is."""

from __future__ import annotations

from collections.abc import Iterable

from firsthand.ports import RequestRow
from firsthand.store.snapshot import Snapshot, array


class KeptReads(Snapshot):
    """Idempotency keys, and the journal of recalls."""

    def request(self, digest: str) -> RequestRow | None:
        """What an idempotency key was used for."""
        row = self._one("request", digest)
        return RequestRow(*row) if row else None

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
