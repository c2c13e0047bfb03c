"""Take in another store's export: each entry kept byte for byte, or kept without its words, or quarantined whole.

Everything happens in one transaction, after every file was checked: an export is taken in whole, or not at all.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from firsthand.capture.arrivals import tell_meetings
from firsthand.capture.certify import finish_all
from firsthand.capture.gateway import Gateway, Write
from firsthand.ledger import adopt
from firsthand.moving.copies import destroy, destroy_copies
from firsthand.moving.exporting import only_the_operator
from firsthand.moving.foreign import Checks, Relays, UnfitError, concerns_one_store
from firsthand.moving.manifest import Manifest, check_files, key_check, linked_rows, read_manifest, rows_in
from firsthand.moving.sealing import device_key
from firsthand.ports import LedgerRow, Progress, Reader, Store, Writer
from firsthand.rules.access import Handle
from firsthand.rules.bearing import PEERS_KEY, keys_looked_under, naming_key, sender_key
from firsthand.rules.vouching import most
from firsthand.vocabulary.entries import Body, Define, Entry, Erase, Skeleton
from firsthand.vocabulary.errors import BrokenError, InvalidError, RefusedError
from firsthand.vocabulary.grants import SPACE_WIDE
from firsthand.vocabulary.kinds import TRUSTS, PeerTrust
from firsthand.vocabulary.moves import Quarantined, TransferReport
from firsthand.vocabulary.packets import Receipt

BATCH_ENTRIES: Final = 500
QUARANTINED_KEPT: Final = 1_000
"""A report lists this many; all of them are noted among the refusals."""


class Taken(NamedTuple):
    """An entry that passed its checks."""

    row: LedgerRow
    skeleton: Skeleton

    @property
    def entry(self) -> Entry:
        """What the fold reads of it."""
        return Entry(id=self.row.entry_id, skeleton=self.skeleton)


def take_in(store: Store, gateway: Gateway, handle: Handle, path: Path, progress: Progress | None) -> TransferReport:
    """Take in an export of this space by a registered store, or by this one."""
    handle.may("import")
    only_the_operator(handle, "import")
    started = time.perf_counter()
    manifest = read_manifest(path)
    check_space(handle, manifest)
    check_files(path, manifest)
    own = device_key(store, handle.space).device == manifest.device
    tally: list[_Intake] = []

    def run(writer: Writer) -> Receipt:
        trust = "person" if own else trust_in(writer, manifest.device)
        if trust == "none":
            return gateway.refuse(handle, writer, "import", "peer_unknown", next_action="ask_person")
        relays = Relays(rows_in(path, manifest), manifest.believed_as_agent)
        intake = _Intake(gateway, handle, writer, manifest, None if own else manifest.device, trust, relays)
        intake.take_all(linked_rows(path, manifest), progress)
        tally.append(intake)
        return Receipt(outcome="stored", record_id=None, entry_id=None, known_at=writer.head().received_at)

    gateway.commit(handle, [Write("import", run)])
    if tally:
        finish_all(gateway, handle, crashed_only=True)
    else:
        raise RefusedError(
            "peer_unknown", "the export is signed by a device that is not registered here", field="path",
            details={"device": manifest.device, "key": manifest.key},
        )  # fmt: skip
    return tally[0].report(path, started)


def check_space(handle: Handle, manifest: Manifest) -> None:
    """Raise unless an export is of this space, under its key."""
    if manifest.space != handle.space:
        raise InvalidError("other_space", "the export is of another space than this one", field="path")
    if manifest.key_check != key_check(handle):
        raise InvalidError(
            "other_key", "the export was made under another key of the space; join the stores first", field="path"
        )


def trust_in(reader: Reader, device: str) -> PeerTrust:
    """How far the exports of a device are believed here."""
    registered = reader.peers().get(device)
    return "none" if registered is None or registered.trust is None else registered.trust


class _Intake:
    """One export on its way into one open transaction."""

    def __init__(
        self,
        gateway: Gateway,
        handle: Handle,
        writer: Writer,
        manifest: Manifest,
        device: str | None,
        trust: PeerTrust,
        relays: Relays,
    ) -> None:
        self._gateway = gateway
        self._handle = handle
        self._writer = writer
        self._manifest = manifest
        self._device = device
        self._trust: PeerTrust = trust
        self._relays = relays
        self._checks = Checks(handle)
        self._erased = frozenset(target for erasure in manifest.erasures for target in erasure.targets)
        self._anew = device is not None and writer.last_bearing_on(PEERS_KEY) > writer.last_bearing_on(
            sender_key(device)
        )
        self._considered: dict[str, None] = {}
        self._new: list[str] = []
        self._erasures: dict[str, Entry] = {}
        self._blanks: list[LedgerRow] = []
        self._quarantined: list[Quarantined] = []
        self._noted: set[tuple[str, str]] | None = None
        self._read = self._added = self._known = self._local = self._erased_here = 0

    def take_all(self, rows: Iterator[tuple[LedgerRow, str]], progress: Progress | None) -> None:
        """Every entry in its order; then what they and what was here do to each other."""
        waiting: list[Taken] = []
        for row, chain in rows:
            self._read += 1
            taken = self._checked(row, chain)
            if taken is not None:
                waiting.append(taken)
            if len(waiting) >= BATCH_ENTRIES:
                self._adopt(waiting)
                waiting = []
                if progress is not None:
                    progress(self._read, self._manifest.entries)
        self._adopt(waiting)
        self._destroy()
        told = [e for e in self._erasures.values() if e.id in self._considered]
        self._erased_here += destroy_copies(self._gateway, self._handle, self._writer, told, self._new)
        tell_meetings(self._gateway, self._handle, self._writer, self._considered)
        if self._erased_here:
            self._writer.optimise_words()

    def report(self, path: Path, started: float) -> TransferReport:
        """What became of the entries."""
        return TransferReport(
            source=path.name,
            kind=self._manifest.kind,
            device=self._manifest.device,
            trust=self._trust,
            read=self._read,
            added=self._added,
            known=self._known,
            blank=len(self._blanks),
            erased_here=self._erased_here,
            local=self._local,
            quarantined=tuple(self._quarantined[:QUARANTINED_KEPT]),
            seconds=round(time.perf_counter() - started, 3),
        )

    # ---- checks ------------------------------------------------------------------------------------------------

    def _checked(self, row: LedgerRow, chain: str) -> Taken | None:
        """An entry that may be taken over; the others are quarantined, or concern the other store alone."""
        try:
            skeleton = self._checks.skeleton(row, chain)
        except UnfitError as unfit:
            self._quarantine(row, unfit.code)
            return None
        if self._device is not None and concerns_one_store(skeleton):
            self._local += 1
            return None
        if row.body is None and not self._may_be_blank(row.entry_id):
            self._quarantine(row, "body_missing")
            return None
        return Taken(row, skeleton)

    def _may_be_blank(self, entry_id: str) -> bool:
        return entry_id in self._erased or self._erased_by(entry_id) or self._writer.position_of(entry_id) is not None

    def _erased_by(self, entry_id: str) -> bool:
        """Whether an erasure that counts here names an entry."""
        naming = (e.skeleton.edges for e in self._writer.bearing_on(naming_key(entry_id)))
        return any(isinstance(edges, Erase) and entry_id in edges.targets for edges in naming)

    def _quarantine(self, row: LedgerRow, code: str) -> None:
        """Note an entry without its content; whoever sent it still has it, and may send it again."""
        place = Quarantined(position=row.position, entry_id=row.entry_id[:64], code=code)
        self._quarantined.append(place)
        if self._noted is None:
            self._noted = self._writer.refused("import")
        if (code, place.entry_id) not in self._noted:
            self._noted.add((code, place.entry_id))
            now = self._gateway.clock.now()
            self._writer.put_refusal(now, "import", code, SPACE_WIDE, self._manifest.device, place.entry_id)

    # ---- taking over -------------------------------------------------------------------------------------------

    def _adopt(self, batch: list[Taken]) -> None:
        """Append the entries of a batch that are new here, after an entry that says from where they came."""
        if not batch:
            return
        here = self._writer.rows_of(taken.row.entry_id for taken in batch)
        new = list({taken.row.entry_id: taken for taken in batch if taken.row.entry_id not in here}.values())
        self._known += len(batch) - len(new)
        vouched = [i for i in here if self._newly_vouched(i)]
        self._say_from_where([t.row.entry_id for t in new] + vouched)
        self._writer.foresee(key for taken in new for key in keys_looked_under(taken.entry))
        for taken in new:
            row = taken.row
            if row.body is not None and self._erased_by(row.entry_id):
                row = row._replace(body=None, salt=None)
            if row.body is None:
                self._blanks.append(row)
            adopt(self._writer, row, taken.skeleton, self._gateway.clock.now())
        self._added += len(new)
        new_ids = [taken.row.entry_id for taken in new]
        self._new += new_ids
        self._considered |= dict.fromkeys((*new_ids, *vouched, *(here if self._anew else ())))
        for taken in batch:
            # Those known already, too: their sender may be believed further now than when they came.
            read = self._writer.vouched(taken.entry)
            if read is not None and isinstance(read.skeleton.edges, Erase):
                self._erasures[read.id] = read

    def _newly_vouched(self, entry_id: str) -> bool:
        """Whether a known entry came from elsewhere, and this store never vouched for it so far before."""
        if self._device is None:
            return False
        senders = self._writer.senders(entry_id)
        before, now = senders.get(self._device, "none"), self._relays.believed(entry_id)
        return bool(senders) and most((before, now)) != before

    def _say_from_where(self, entry_ids: list[str]) -> None:
        """Append which entries came from the other store, apart by how far it believes them itself."""
        if self._device is None:
            return
        for trust in TRUSTS:
            some = tuple(i for i in entry_ids if self._relays.believed(i) == trust)
            if some:
                edges = Define(what="arrival", id=self._device, trust=trust, entries=some)
                words = self._gateway.words(Body(), 0)
                self._gateway.append(self._handle, self._writer, edges, words, scope_id=SPACE_WIDE)

    def _destroy(self) -> None:
        """Blank what the erasures taken over name, and make everything anew from what is left."""
        for row in self._blanks:
            if not self._erased_by(row.entry_id):
                raise BrokenError(
                    "export_unfit", "a body of the export is blank, and what erased it cannot be taken over",
                    field="path", details={"position": row.position},
                )  # fmt: skip
        self._erased_here = destroy(self._gateway, self._handle, self._writer, self._erasures.values())
