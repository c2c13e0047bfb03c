"""Reads of documents and beliefs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from firsthand.ports import SEQ_BITS, Attention, BeliefRow, DocRow, MaskRow
from firsthand.store.snapshot import Snapshot, array
from firsthand.vocabulary.kinds import Kind


class BeliefReads(Snapshot):
    """Documents, and what is believed of them."""

    def doc(self, revision_id: str) -> DocRow | None:
        """The document of a revision."""
        row = self._one("doc", revision_id)
        return DocRow(*row) if row else None

    def docs_of_record(self, record_id: str) -> list[DocRow]:
        """The documents of a record."""
        return [DocRow(*r) for r in self._all("docs_of_record", record_id)]

    def docs(self, vids: Iterable[int]) -> dict[int, DocRow]:
        """Documents by number."""
        return {r[0]: DocRow(*r) for r in self._all("docs", array(vids))}

    def docs_of_kind(self, scope_no: int, kind: Kind) -> list[DocRow]:
        """The documents of a scope that are of one kind."""
        low, high = scope_no << SEQ_BITS, (scope_no + 1) << SEQ_BITS
        return [DocRow(*r) for r in self._all("docs_of_kind", low, high, kind)]

    def docs_between(self, low: int, high: int, kind: Kind, limit: int) -> list[DocRow]:
        """Documents of one kind by their numbers, from one up to another, but for what was stored only to be cited."""
        return [DocRow(*r) for r in self._all("docs_between", low, high, kind, limit)]

    def masks(self, entry_ids: Iterable[str]) -> list[MaskRow]:
        """What is masked of the words of some entries."""
        return [MaskRow(*r) for r in self._all("masks", array(entry_ids))]

    def records_beginning(self, prefix: str, limit: int) -> list[str]:
        """Records whose id begins so, in order."""
        low = "e" + prefix[1:]
        return [r[0] for r in self._all("records_beginning", low, low + "g", limit)]

    def units(self) -> list[str]:
        """Every unit with an open row."""
        return [r[0] for r in self._all("units")]

    def open_rows(self, unit: str) -> list[BeliefRow]:
        """The rows of a unit that are believed now."""
        if unit.startswith("r"):
            return self.beliefs([d.vid for d in self.docs_of_record(unit)], None)
        return [BeliefRow(*r) for r in self._all("open_rows", unit)]

    def beliefs(self, vids: Iterable[int], known_at: int | None) -> list[BeliefRow]:
        """The rows of documents that are believed at an instant, or now."""
        if known_at is None:
            rows = self._all("beliefs_now", array(vids))
        else:
            rows = self._all("beliefs_at", array(vids), known_at, known_at)
        return [BeliefRow(*r) for r in rows]

    def beliefs_of_records(self, record_ids: Iterable[str]) -> list[BeliefRow]:
        """The rows of records that are believed now."""
        return [BeliefRow(*r) for r in self._all("beliefs_of_records", array(record_ids))]

    def beliefs_of_record(self, record_id: str) -> list[BeliefRow]:
        """Every row a record ever had, oldest first."""
        return [BeliefRow(*r) for r in self._all("beliefs_ever", array(d.vid for d in self.docs_of_record(record_id)))]

    def newest(
        self, scope_no: int, kinds: Sequence[Kind], before: int | None, limit: int, shown_only: bool, clearance: int
    ) -> list[int]:
        """Document numbers of a scope that nothing locks for a clearance, newest first."""
        low = scope_no << SEQ_BITS
        high = before if before is not None else (scope_no + 1) << SEQ_BITS
        return [r[0] for r in self._all("newest", low, high, not shown_only, array(kinds), clearance, limit)]

    def waiting(self, scope_no: int, what: str, before: int | None, limit: int, clearance: int) -> list[BeliefRow]:
        """Beliefs of a scope that wait for a person, as one kind of item, newest documents first."""
        low = scope_no << SEQ_BITS
        high = before if before is not None else (scope_no + 1) << SEQ_BITS
        return [BeliefRow(*r) for r in self._all("waiting", low, high, clearance, what, limit)]

    def locked(self, record_ids: Iterable[str], clearance: int) -> set[str]:
        """Those of some records that are hidden, rejected, erased or above a clearance now."""
        return {r[0] for r in self._all("locked", array(record_ids), clearance)}

    def attention(self, record_ids: Iterable[str]) -> dict[str, Attention]:
        """Salience anchors of records that have one."""
        return {r[0]: Attention(*r[1:]) for r in self._all("attention", array(record_ids))}

    def counts(self, readable: frozenset[str] | None, clearance: int) -> dict[str, dict[str, int]]:
        """Open beliefs of readable scopes that nothing locks for a clearance, by kind, by status and by scope."""
        found: dict[str, dict[str, int]] = {"kind": {}, "status": {}, "scope": {}}
        for kind, status, scope, count in self._all("counts", clearance):
            if readable is not None and scope not in readable:
                continue
            for group, value in (("kind", kind), ("status", status), ("scope", scope)):
                found[group][value] = found[group].get(value, 0) + count
        return found
