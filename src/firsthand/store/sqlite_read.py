"""Reads of one space inside one snapshot, put together from their subjects."""

from __future__ import annotations

from firsthand.store.read_audit import AuditReads
from firsthand.store.read_beliefs import BeliefReads
from firsthand.store.read_kept import KeptReads
from firsthand.store.read_ledger import LedgerReads
from firsthand.store.read_names import NameReads
from firsthand.store.read_search import SearchReads
from firsthand.store.read_vectors import VectorReads


class SqliteReader(LedgerReads, BeliefReads, SearchReads, VectorReads, NameReads, KeptReads, AuditReads):
    """One space as one snapshot shows it."""
