"""What `memory.ledger` is: the audit of a space's ledger, and everything that moves it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from firsthand.audit import Audit
from firsthand.capture.shape import record_id
from firsthand.moving.backups import back_up
from firsthand.moving.exporting import export
from firsthand.moving.importing import take_in
from firsthand.moving.merging import Later, Merged, bring_over, later_than, read_later
from firsthand.moving.packing import Wanted, pack
from firsthand.moving.sealing import seal
from firsthand.ports import Head, Progress
from firsthand.vocabulary.kinds import Sensitivity
from firsthand.vocabulary.moves import BackupReport, ExportReport, SealView, TransferReport


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

    def pack(
        self,
        path: str | Path,
        *,
        scopes: Sequence[str] = (),
        records: Sequence[str] = (),
        query: str | None = None,
        clearance: Sensitivity | None = None,
        progress: Progress | None = None,
    ) -> ExportReport:
        """Write a selection to a new folder: scopes, records with what they rest on, the answers to a query.

        It holds no key, and nothing that is hidden, erased, taken back or over the clearance; `left_out` lists what
        that kept here. Another store of the space takes it in as it does an export.
        """
        wanted = Wanted(tuple(scopes), tuple(map(record_id, records)), query, clearance)
        return pack(self._store, self._gateway, self._handle, Path(path), wanted, progress)

    def backup(self, path: str | Path, *, progress: Progress | None = None) -> BackupReport:
        """Copy every space of the file, with its keys, to a new folder, while it is in use.

        `firsthand.restore` brings it back. The folder holds the keys: who has it has everything. Only the operator of
        the file may (`DeniedError`).
        """
        return back_up(self._store, self._handle, Path(path), progress)

    def later_than(self, end: Head) -> list[Later]:
        """What this ledger holds beyond an older copy of it that ends there; all of it, if the copy is of another."""
        return later_than(self._store, self._handle, end)

    def read_later(self, path: str | Path) -> list[Later]:
        """The entries of an export by this store or a registered one, checked, for `bring_over`."""
        return read_later(self._store, self._handle, Path(path))

    def bring_over(self, later: Sequence[Later]) -> Merged:
        """Append the erasures and tombstones among these entries, with what they rest on, and erase what they name."""
        return bring_over(self._gateway, self._handle, later)

    def take_in(self, path: str | Path, *, progress: Progress | None = None) -> TransferReport:
        """Take in an export of this space, by a registered store; a second time adds nothing.

        All of it is checked before anything is written; then others may write between two batches of it, and what was
        interrupted goes on when the export is taken in again.

        Entries stay byte for byte as they were written and count as far as `peers.register` says. What was erased here
        comes without its words; what fails a check is quarantined: noted, and left where it is.
        """
        return take_in(self._store, self._gateway, self._handle, Path(path), progress)
