"""What `memory.ledger` is: the audit of a space's ledger, and everything that moves it."""

from __future__ import annotations

from pathlib import Path

from firsthand.audit import Audit
from firsthand.moving.exporting import export
from firsthand.moving.importing import take_in
from firsthand.moving.sealing import seal
from firsthand.ports import Progress
from firsthand.vocabulary.moves import ExportReport, SealView, TransferReport


class Ledger(Audit):
    """The ledger of one space: verified, rebuilt, sealed, exported, taken in."""

    def seal(self) -> SealView:
        """Sign the end of the ledger with this device's key, and append that; `line` is for keeping elsewhere.

        `verify` checks every seal; `verify(against=line)` also finds a ledger that was written anew as a whole.
        """
        return seal(self._store, self._gateway, self._handle)

    def export(self, path: str | Path, *, progress: Progress | None = None) -> ExportReport:
        """Write the whole ledger to a new folder, byte for byte, with hashed files and a signed list.

        It holds every word of the space and no key. Only the operator of the file may (`DeniedError`).
        """
        return export(self._store, self._gateway, self._handle, Path(path), progress)

    def take_in(self, path: str | Path, *, progress: Progress | None = None) -> TransferReport:
        """Take in an export of this space, by a registered store; whole or not at all, and twice adds nothing.

        Entries stay byte for byte as they were written and count as far as `peers.register` says. What was erased here
        comes without its words; what fails a check is quarantined: noted, and left where it is.
        """
        return take_in(self._store, self._gateway, self._handle, Path(path), progress)
