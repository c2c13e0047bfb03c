"""An export read once before the append lock: every chain, hash and signature checked, and what of it is unfit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from firsthand.moving.foreign import Checks, Relays, UnfitError, concerns_one_store
from firsthand.moving.manifest import Manifest, linked_rows, rows_in
from firsthand.ports import LedgerRow, Reader
from firsthand.rules.access import Handle
from firsthand.rules.bearing import naming_key
from firsthand.rules.vouching import least
from firsthand.stored import entry_of
from firsthand.vocabulary.entries import Entry, Erase, Skeleton
from firsthand.vocabulary.errors import BrokenError
from firsthand.vocabulary.kinds import PeerTrust
from firsthand.vocabulary.moves import Quarantined


class Taken(NamedTuple):
    """An entry that passed its checks."""

    row: LedgerRow
    skeleton: Skeleton

    @property
    def entry(self) -> Entry:
        """What the fold reads of it."""
        return Entry(id=self.row.entry_id, skeleton=self.skeleton)


class Survey:
    """What is known of an export before anything of it is taken over. `own`: this store made it itself.

    `quarantined` fail a check; `local` entries concern the other store alone.
    """

    def __init__(
        self, reader: Reader, handle: Handle, path: Path, manifest: Manifest, trust: PeerTrust, *, own: bool
    ) -> None:
        self._path = path
        self._manifest = manifest
        self._left: set[int] = set()
        self._erasures: dict[int, Taken] = {}
        self.relays = Relays(rows_in(path, manifest), manifest.believed_as_agent)
        self.quarantined: list[Quarantined] = []
        self.read = self.local = 0
        checks, blank = Checks(handle), dict[int, LedgerRow]()
        for number, (row, chain) in enumerate(linked_rows(path, manifest)):
            self.read += 1
            try:
                skeleton = checks.skeleton(row, chain)
            except UnfitError as unfit:
                self._quarantine(number, row, unfit.code)
                continue
            if not own and concerns_one_store(skeleton):
                self.local += 1
                self._left.add(number)
                continue
            if isinstance(skeleton.edges, Erase):
                self._erasures[number] = Taken(row, skeleton)
            if row.body is None:
                blank[number] = row
        self._check_blank(reader, blank, trust)

    def taken(self) -> Iterator[Taken]:
        """Every entry that may be taken over: first the erasures, so that no body is ever blank without one."""
        yield from self._erasures.values()
        for number, row in enumerate(rows_in(self._path, self._manifest)):
            if number not in self._left and number not in self._erasures:
                yield Taken(row, entry_of(row).skeleton)

    def _quarantine(self, number: int, row: LedgerRow, code: str) -> None:
        self._left.add(number)
        self.quarantined.append(Quarantined(position=row.position, entry_id=row.entry_id[:64], code=code))

    def _check_blank(self, reader: Reader, blank: dict[int, LedgerRow], trust: PeerTrust) -> None:
        """A body may be blank if an erasure that counts here names its entry."""
        counting = (t for t in self._erasures.values() if least(trust, self.relays.believed(t.row.entry_id)) != "none")
        named = {target for taken in counting for target in _targets(taken.entry)}
        listed = {target for erasure in self._manifest.erasures for target in erasure.targets}
        for number, row in blank.items():
            if row.entry_id in named or erased_by(reader, row.entry_id):
                continue
            if row.entry_id in listed:
                raise BrokenError(
                    "export_unfit", "a body of the export is blank, and what erased it cannot be taken over",
                    field="path", details={"position": row.position},
                )  # fmt: skip
            if reader.position_of(row.entry_id) is None:
                self._quarantine(number, row, "body_missing")


def erased_by(reader: Reader, entry_id: str) -> bool:
    """Whether an erasure that counts here names an entry."""
    return any(entry_id in _targets(entry) for entry in reader.bearing_on(naming_key(entry_id)))


def _targets(entry: Entry) -> tuple[str, ...]:
    return entry.skeleton.edges.targets if isinstance(entry.skeleton.edges, Erase) else ()
