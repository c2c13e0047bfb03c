"""The only other writer: receipts of recalls, group-committed off the path of the answer (design 04).

Up to `FLUSH_SECONDS` of receipts are lost if the process is killed; nothing true depends on them.
"""

from __future__ import annotations

import atexit
import threading
import weakref
from typing import Final

from firsthand.ports import JournalRow, Store
from firsthand.vocabulary.errors import FirsthandError

FLUSH_SECONDS: Final = 1.0
FLUSH_ROWS: Final = 256


class Journal:
    """Receipts of one space, buffered; flushed by a timer, by size, before every write, and at the end."""

    def __init__(self, store: Store, space: str) -> None:
        self._store = store
        self._space = space
        self._rows: list[JournalRow] = []
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self.lost = 0
        reference: weakref.ref[Journal] = weakref.ref(self)
        self._at_exit = lambda: _flush_if_alive(reference)
        atexit.register(self._at_exit)

    def add(self, row: JournalRow) -> None:
        """Take a receipt; it is durable within `FLUSH_SECONDS`."""
        with self._lock:
            self._rows.append(row)
            full = len(self._rows) >= FLUSH_ROWS
            if self._timer is None and not full:
                self._timer = threading.Timer(FLUSH_SECONDS, self._on_timer)
                self._timer.daemon = True
                self._timer.start()
        if full:
            self.flush()

    def flush(self) -> None:
        """Write every receipt taken so far."""
        with self._lock:
            rows, self._rows = self._rows, []
            timer, self._timer = self._timer, None
            if timer is not None:
                timer.cancel()
            if rows:
                self._store.journal(self._space, rows)

    def close(self) -> None:
        """Flush, and stop waiting."""
        self.flush()
        atexit.unregister(self._at_exit)

    def _on_timer(self) -> None:
        """Flush in the background, where no caller can be told of a failure: it is counted instead."""
        pending = len(self._rows)
        try:
            self.flush()
        except FirsthandError:
            self.lost += pending


def _flush_if_alive(reference: weakref.ref[Journal]) -> None:
    journal = reference()
    if journal is not None:
        journal.flush()
