"""What `memory.ledger` is: the audit of a space's ledger, and everything that moves it."""

from __future__ import annotations

from firsthand.audit import Audit
from firsthand.moving.sealing import seal
from firsthand.vocabulary.moves import SealView


class Ledger(Audit):
    """The ledger of one space: verified, rebuilt, sealed, exported, imported, backed up."""

    def seal(self) -> SealView:
        """Sign the end of the ledger with this device's key, and append that; `line` is for keeping elsewhere.

        `verify` checks every seal; `verify(against=line)` also finds a ledger that was written anew as a whole.
        """
        return seal(self._store, self._gateway, self._handle)
