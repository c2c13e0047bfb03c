"""Two stores of one space, each with a clock, processes and a model of its own, and the exports between them."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import apsw
from plain_model import Model

import firsthand
from firsthand.vocabulary.grants import Grant

BELIEVED = """
SELECT unit, record_id, revision_id, kind, scope_id, valid_from, valid_to, claim, conditions, tier, status, visibility,
       hidden_reason, live_support, sensitivity, ended_by, challenged_by
FROM belief WHERE known_to = 9223372036854775807
"""
SHARED = """
SELECT entry_id, skeleton, body, salt FROM entry
WHERE skeleton NOT LIKE '%"what":"arrival"%' AND skeleton NOT LIKE '%"what":"peer"%'
  AND skeleton NOT LIKE '%"what":"session"%'
"""
"""Who takes something in says from where it came, and writes down the name of the session that does."""


class Still:
    """A clock that stands where it is put."""

    def __init__(self, at: int) -> None:
        self.at = at

    def now(self) -> int:
        return self.at


class Sent(NamedTuple):
    """An export, and what its store knew when it was made."""

    path: Path
    known: Model


class Store:
    """One file. Each owner and role has a process of its own on it; `skew`: how far its clock is ahead."""

    def __init__(self, path: Path, start: int, skew: int) -> None:
        self.path = path
        self.skew = skew
        self.clock = Still(start + skew)
        self.model = Model()
        self.sent: list[Sent] = []
        self.texts_erased: set[str] = set()
        self._open = ExitStack()
        self._processes: dict[tuple[str, str], firsthand.Memory] = {}
        self._handles: dict[tuple[str, str, str], firsthand.Memory] = {}
        self._sessions = 0

    def handle(self, owner: str, role: str, scope: str) -> firsthand.Memory:
        """Somebody's handle on a scope."""
        key = (owner, role, scope)
        if key not in self._handles:
            process = (owner, role)
            if process not in self._processes:
                actor = owner if role == "person" else f"{owner}-agent"
                session = f"session {self._sessions}"
                self._processes[process] = self._opened(
                    actor=actor, owner=owner, role=role, scope=scope, session=session
                )
            self._handles[key] = self._processes[process].at(scope=scope)
        return self._handles[key]

    def guest(self, scope: str) -> firsthand.Memory:
        """Somebody who may see nothing above low, nor any other scope."""
        key = ("guest", "agent", scope)
        if key not in self._handles:
            grant = Grant(read=frozenset((scope,)), write=frozenset(), clearance="low")
            self._handles[key] = self._opened(actor="guest", role="agent", scope=scope, grant=grant)
        return self._handles[key]

    def operator(self, scope: str) -> firsthand.Memory:
        """Who moves and verifies the whole ledger."""
        return self.handle("ana", "person", scope)

    def export(self, folder: Path) -> Sent:
        """Everything that is here now."""
        sent = Sent(folder / f"{self.path.stem}-{len(self.sent)}", self.model.copy())
        self.operator("project:alpha").ledger.export(sent.path)
        self.sent.append(sent)
        return sent

    def take_in(self, sent: Sent) -> int:
        """Learn what another store knew; how many entries were written that it may learn of."""
        before = len(self.look(SHARED))
        report = self.operator("project:alpha").ledger.take_in(sent.path)
        assert report.quarantined == (), report.quarantined
        self.model.take_in(sent.known)
        return len(self.look(SHARED)) - before

    def restart(self) -> None:
        """Every process ends; those to come are other sessions."""
        self.close()
        self._sessions += 1

    def close(self) -> None:
        """Every process ends."""
        self._open.close()
        self._open = ExitStack()
        self._processes.clear()
        self._handles.clear()

    def look(self, sql: str) -> list[tuple[Any, ...]]:
        """Rows of a plain look at the file, in an order of their own."""
        connection = apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            return sorted(connection.execute(sql), key=repr)
        finally:
            connection.close()

    def _opened(self, **given: Any) -> firsthand.Memory:
        opened = firsthand.open(self.path, clock=self.clock, synchronous="OFF", receipts=False, **given)
        return self._open.enter_context(opened)


def two_stores(folder: Path, start: int, skew: int) -> tuple[Store, Store]:
    """Two stores that share the space's key and believe each other's people."""
    ours, theirs = Store(folder / "ours.db", start, 0), Store(folder / "theirs.db", start, skew)
    key = ours.operator("project:alpha").peers.share_key(folder / "space.key")
    firsthand.join(theirs.path, key)
    for one, other in ((ours, theirs), (theirs, ours)):
        one.operator("project:alpha").peers.register(other.operator("project:alpha").peers.own().key, trust="person")
    return ours, theirs
