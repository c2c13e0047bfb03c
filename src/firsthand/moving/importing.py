"""Take in another store's export: each entry kept byte for byte, or kept without its words, or quarantined whole.

All of it is read and checked before the append lock. Then a batch of entries is taken in at a time, so that others
write in between. A batch is closed: its causes came before it, and so did the erasure of each blank body in it.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from firsthand.capture.arrivals import near_erasures, tell_meetings
from firsthand.capture.certify import finish_if_others_let
from firsthand.capture.gateway import Gateway
from firsthand.moving.copies import check_holds, destroy_copies, destroy_named, take_over
from firsthand.moving.exporting import only_the_operator
from firsthand.moving.manifest import Manifest, check_files, key_check, read_manifest
from firsthand.moving.sealing import device_key
from firsthand.moving.surveying import Survey, Taken, erased_by
from firsthand.ports import Progress, Reader, Store, Writer
from firsthand.rules.access import Handle
from firsthand.rules.bearing import PEERS_KEY, arrival_key, keys_looked_under
from firsthand.rules.vouching import most
from firsthand.vocabulary.entries import Body, Define
from firsthand.vocabulary.errors import InvalidError, RefusedError
from firsthand.vocabulary.grants import SPACE_WIDE
from firsthand.vocabulary.kinds import TRUSTS, PeerTrust
from firsthand.vocabulary.moves import TransferReport

BATCH_ENTRIES: Final = 500
PAUSE_SECONDS: Final = 0.1
"""Between two batches: whoever waits for the lock looks again within this time."""
QUARANTINED_KEPT: Final = 1_000
"""A report lists this many; all of them are noted among the refusals."""


def take_in(store: Store, gateway: Gateway, handle: Handle, path: Path, progress: Progress | None) -> TransferReport:
    """Take in an export of this space by a registered store, or by this one."""
    handle.may("import")
    only_the_operator(handle, "import")
    started = time.perf_counter()
    manifest = read_manifest(path)
    check_space(handle, manifest)
    check_files(path, manifest)
    own = device_key(store, handle.space).device == manifest.device
    with store.reading(handle.space) as reader:
        trust: PeerTrust = "person" if own else trust_in(reader, manifest.device)
        survey = Survey(reader, handle, path, manifest, trust, own=own) if trust != "none" else None
    if survey is None:
        with gateway.transaction(handle) as writer:
            gateway.refuse(handle, writer, "import", "peer_unknown")
        raise unknown_peer(manifest)
    intake = _Intake(gateway, handle, manifest, survey, None if own else manifest.device)
    intake.take_all(progress)
    finish_if_others_let(gateway, handle)
    return intake.report(path, trust, started)


def unknown_peer(manifest: Manifest) -> RefusedError:
    """What is said of an export by a device that is not registered, or no longer believed."""
    return RefusedError(
        "peer_unknown", "the export is signed by a device that is not registered here", field="path",
        details={"device": manifest.device, "key": manifest.key},
    )  # fmt: skip


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
    """One export on its way in, so many entries a transaction."""

    def __init__(
        self, gateway: Gateway, handle: Handle, manifest: Manifest, survey: Survey, device: str | None
    ) -> None:
        self._gateway = gateway
        self._handle = handle
        self._manifest = manifest
        self._survey = survey
        self._device = device
        self._added = self._known = self._blank = self._erased_here = 0

    def take_all(self, progress: Progress | None) -> None:
        """Every entry; each transaction leaves a ledger that verifies, and taking in again goes on from there."""
        self._commit(self._note_quarantined)
        taken = self._survey.taken()
        while batch := list(itertools.islice(taken, BATCH_ENTRIES)):
            self._commit(lambda writer, batch=batch: self._take(writer, batch))
            if progress is not None:
                progress(self._added + self._known, self._manifest.entries)
            if len(batch) == BATCH_ENTRIES:
                time.sleep(PAUSE_SECONDS)

    def report(self, path: Path, trust: PeerTrust, started: float) -> TransferReport:
        """What became of the entries."""
        return TransferReport(
            source=path.name,
            kind=self._manifest.kind,
            device=self._manifest.device,
            trust=trust,
            read=self._survey.read,
            added=self._added,
            known=self._known,
            blank=self._blank,
            erased_here=self._erased_here,
            local=self._survey.local,
            quarantined_entries=len(self._survey.quarantined),
            quarantined=tuple(self._survey.quarantined[:QUARANTINED_KEPT]),
            seconds=round(time.perf_counter() - started, 3),
        )

    def _commit(self, step: Callable[[Writer], None]) -> None:
        """One transaction, unless the other store is believed no more by now."""

        with self._gateway.transaction(self._handle) as writer:
            if self._device is not None and trust_in(writer, self._device) == "none":
                raise unknown_peer(self._manifest)
            step(writer)

    def _note_quarantined(self, writer: Writer) -> None:
        """Note each without its content; whoever sent it still has it, and may send it again."""
        noted = writer.refused("import") if self._survey.quarantined else set[tuple[str, str]]()
        for place in self._survey.quarantined:
            if (place.code, place.entry_id) not in noted:
                noted.add((place.code, place.entry_id))
                now = self._gateway.clock.now()
                writer.put_refusal(now, "import", place.code, SPACE_WIDE, self._manifest.device, place.entry_id)

    def _take(self, writer: Writer, batch: list[Taken]) -> None:
        """Append what is new of a batch, and let it and what was here do to each other what they say."""
        here = writer.rows_of(taken.row.entry_id for taken in batch)
        new = list({taken.row.entry_id: taken for taken in batch if taken.row.entry_id not in here}.values())
        new_ids = [taken.row.entry_id for taken in new]
        anew = [entry_id for entry_id in here if self._is_vouched_anew(writer, entry_id)]
        near_erased = near_erasures(writer, (taken.entry for taken in batch if taken.row.entry_id in {*new_ids, *anew}))
        self._say_from_where(writer, [*new_ids, *anew])
        gone = self._append(writer, new)
        self._added += len(new)
        self._known += len(batch) - len(new)
        # Erasures known already, too: their sender may be believed further now than when they came.
        read = [entry for taken in batch if (entry := writer.vouched(taken.entry)) is not None]
        told = [entry for entry in read if entry.id in {*new_ids, *anew}]
        gone += destroy_named(self._gateway, self._handle, writer, read)
        gone += destroy_copies(self._gateway, self._handle, writer, told, new_ids)
        if gone:
            self._erased_here += gone
            writer.optimise_words()
        tell_meetings(self._gateway, self._handle, writer, [*new_ids, *anew], near_erased)

    def _append(self, writer: Writer, new: list[Taken]) -> int:
        """Append what is new; how many bodies are destroyed by that."""
        gone = 0
        writer.foresee(key for taken in new for key in keys_looked_under(taken.entry))
        for taken in new:
            row = taken.row
            if row.body is not None and erased_by(writer, row.entry_id):
                row = row._replace(body=None, salt=None)
            self._blank += row.body is None
            if self._device is None:
                check_holds(writer, taken.skeleton.edges)
            gone += take_over(self._gateway, self._handle, writer, row, taken.skeleton)
        return gone

    def _is_vouched_anew(self, writer: Writer, entry_id: str) -> bool:
        """Whether a known entry came from elsewhere, and is vouched for further now, or since another registration."""
        senders = writer.senders(entry_id)
        if self._device is None or not senders:
            return False
        before, now = senders.get(self._device, "none"), self._survey.relays.believed(entry_id)
        told = max(writer.positions_bearing_on(arrival_key(entry_id)), default=0)
        return told < writer.last_bearing_on(PEERS_KEY) or most((before, now)) != before

    def _say_from_where(self, writer: Writer, entry_ids: list[str]) -> None:
        """Append which entries came from the other store, apart by how far it believes them itself."""
        if self._device is None:
            return
        for trust in TRUSTS:
            some = tuple(i for i in entry_ids if self._survey.relays.believed(i) == trust)
            if some:
                edges = Define(what="arrival", id=self._device, trust=trust, entries=some)
                words = self._gateway.words(Body(), 0)
                self._gateway.append(self._handle, writer, edges, words, scope_id=SPACE_WIDE)
