"""The only other writer: receipts of recalls, group-committed off the path of the answer (design 04).

Up to `FLUSH_SECONDS` of receipts are lost if the process is killed, the oldest beyond `KEPT_ROWS` if the database stays
busy, and all of them if it cannot be written; nothing true depends on them, so no read and no close fails for them.
"""

from __future__ import annotations

import atexit
import contextlib
import threading
import weakref
from typing import Final

from firsthand.ports import JournalRow, Store
from firsthand.vocabulary.errors import BusyError, FirsthandError

FLUSH_SECONDS: Final = 1.0
FLUSH_ROWS: Final = 256
KEPT_ROWS: Final = 4_096


class Journal:
    """Receipts of one space, buffered; flushed by a timer, by size, before every write, and at the end."""

    def __init__(self, store: Store, space: str) -> None:
        self._store = store
        self._space = space
        self._rows: list[JournalRow] = []
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self.lost = 0
        """Receipts that could not be written."""
        reference: weakref.ref[Journal] = weakref.ref(self)
        self._at_exit = lambda: _flush_if_alive(reference)
        atexit.register(self._at_exit)

    def add(self, row: JournalRow) -> None:
        """Take a receipt; it is durable within `FLUSH_SECONDS`."""
        with self._lock:
            self._rows.append(row)
            full = len(self._rows) % FLUSH_ROWS == 0
            self._wait()
        if full:
            self.flush_if_can()

    def flush(self) -> None:
        """Write every receipt taken so far; what a busy database does not take is kept for the next flush."""
        with self._lock:
            rows, self._rows = self._rows, []
            timer, self._timer = self._timer, None
            if timer is not None:
                timer.cancel()
            if not rows:
                return
            try:
                self._store.journal(self._space, rows)
            except FirsthandError as error:
                self._rows = rows[-KEPT_ROWS:] if isinstance(error, BusyError) else []
                self.lost += len(rows) - len(self._rows)
                raise

    def flush_if_can(self) -> None:
        """Flush for a caller who wants something else: what is busy is tried again later, what is lost is counted."""
        with contextlib.suppress(FirsthandError):
            self.flush()
        with self._lock:
            self._wait()

    def close(self) -> None:
        """Flush, and stop waiting: what cannot be written by now is lost."""
        with contextlib.suppress(FirsthandError):
            self.flush()
        with self._lock:
            self.lost += len(self._rows)
            self._rows = []
        atexit.unregister(self._at_exit)

    def _wait(self) -> None:
        """Flush soon, if there is anything to flush."""
        if self._rows and self._timer is None:
            self._timer = threading.Timer(FLUSH_SECONDS, self.flush_if_can)
            self._timer.daemon = True
            self._timer.start()


def _flush_if_alive(reference: weakref.ref[Journal]) -> None:
    journal = reference()
    if journal is not None:
        journal.close()
