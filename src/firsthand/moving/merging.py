"""What a restored store must learn of the time after its backup: erasures, tombstones, withdrawals, whom to believe.

An old backup knows nothing of what was erased or taken back since. These entries are brought over byte for byte, with
what they rest on; the rest of that time is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from firsthand.audit import PAGE_ROWS
from firsthand.capture.arrivals import tell_meetings
from firsthand.capture.certify import finish_if_others_let
from firsthand.capture.gateway import Gateway, Write
from firsthand.moving.copies import destroy_copies, destroy_named, take_over
from firsthand.moving.foreign import Checks, Relays, UnfitError
from firsthand.moving.importing import check_space, trust_in
from firsthand.moving.manifest import Manifest, check_files, linked_rows, read_manifest, rows_in
from firsthand.moving.sealing import device_key
from firsthand.ports import Head, LedgerRow, Store, Writer
from firsthand.projection import entry_of
from firsthand.rules.access import Handle
from firsthand.rules.bearing import assertions_of, tombstone_of
from firsthand.vocabulary.entries import Body, Define, Entry, Erase, Lift, Reject, Show, root_of
from firsthand.vocabulary.errors import BrokenError, RefusedError
from firsthand.vocabulary.grants import SPACE_WIDE
from firsthand.vocabulary.kinds import PeerTrust
from firsthand.vocabulary.packets import Receipt

NAMES: Final = ("who", "scope", "session", "device", "peer")


class Later(NamedTuple):
    """An entry of the time after a backup, and from where it came."""

    row: LedgerRow
    senders: dict[str, PeerTrust]


class Merged(NamedTuple):
    """How many erasures and tombstones were brought over."""

    erasures: int
    tombstones: int


def later_than(store: Store, handle: Handle, end: Head) -> list[Later]:
    """What a live ledger holds beyond an older copy of it; all of it, if the copy is of another ledger."""
    with store.reading(handle.space) as reader:
        same = [row.chain for row in reader.rows_at([end.position])] == [end.chain]
        found: list[Later] = []
        after = end.position if same else 0
        while page := reader.ledger_rows(after, PAGE_ROWS):
            found += [Later(row, reader.senders(row.entry_id)) for row in page]
            after = page[-1].position
        return found


def read_later(store: Store, handle: Handle, path: Path) -> list[Later]:
    """The entries of an export by this store or by one that is registered here, each checked."""
    manifest = read_manifest(path)
    check_space(handle, manifest)
    check_files(path, manifest)
    checks, relays = Checks(handle), Relays(rows_in(path, manifest), manifest.believed_as_agent)
    own = device_key(store, handle.space).device == manifest.device
    with store.reading(handle.space) as reader:
        if not own and trust_in(reader, manifest.device) == "none":
            raise RefusedError(
                "peer_unknown", "the export is signed by a device that is not registered here", field="path"
            )
    found: list[Later] = []
    for row, chain in linked_rows(path, manifest):
        try:
            checks.skeleton(row, chain)
        except UnfitError as unfit:
            raise BrokenError(
                "export_unfit", "an entry of the export fails its checks", field="path",
                details={"position": row.position, "code": unfit.code},
            ) from None  # fmt: skip
        found.append(Later(row, relays.senders(row.entry_id) if own else vouching(manifest, relays, row.entry_id)))
    return found


def vouching(manifest: Manifest, relays: Relays, entry_id: str) -> dict[str, PeerTrust]:
    """Who vouches for an entry of a registered store's export, and how far."""
    return {manifest.device: relays.believed(entry_id)}


def bring_over(gateway: Gateway, handle: Handle, later: Sequence[Later]) -> Merged:
    """Append what binds of a later time, in one transaction."""
    merged: list[Merged] = []
    with gateway.store.reading(handle.space) as reader:
        here = {one.row.entry_id for one in later if reader.position_of(one.row.entry_id) is not None}
    new = [one for one in binding(later) if one.row.entry_id not in here]
    if not new:
        return Merged(0, 0)

    def run(writer: Writer) -> Receipt:
        merged.append(_merge(gateway, handle, writer, new))
        return Receipt(outcome="stored", record_id=None, entry_id=None, known_at=writer.head().received_at)

    gateway.commit(handle, [Write("import", run)])
    finish_if_others_let(gateway, handle)
    return merged[0]


def binding(later: Sequence[Later]) -> list[Later]:
    """Of the entries of a time, in order: those that bind whoever comes after, and the records that they rest on."""
    every = [(one, entry_of(one.row)) for one in later]
    by_id = {entry.id: one for one, entry in every}
    chosen = {entry.id for _, entry in every if _binds(entry)}
    todo = [entry for _, entry in every if entry.id in chosen]
    while todo:
        entry = todo.pop()
        roots = {root_of(said.evidence) for said in assertions_of(entry)} | {root_of(entry.record_id)}
        for root in sorted((roots & by_id.keys()) - chosen):
            chosen.add(root)
            todo.append(entry_of(by_id[root].row))
    return [one for one, entry in every if entry.id in chosen]


def _merge(gateway: Gateway, handle: Handle, writer: Writer, new: Sequence[Later]) -> Merged:
    """Append what binds of a later time, then destroy the words that it erases."""
    senders: dict[tuple[str, PeerTrust], list[str]] = {}
    for one in new:
        for device, trust in one.senders.items():
            senders.setdefault((device, trust), []).append(one.row.entry_id)
    for (device, trust), ids in sorted(senders.items()):
        edges = Define(what="arrival", id=device, trust=trust, entries=tuple(ids))
        gateway.append(handle, writer, edges, gateway.words(Body(), 0), scope_id=SPACE_WIDE)
    erasures: list[Entry] = []
    tombstones = 0
    for one in new:
        entry = entry_of(one.row)
        take_over(gateway, handle, writer, one.row, entry.skeleton)
        read = writer.vouched(entry)
        if read is not None and isinstance(read.skeleton.edges, Erase):
            erasures.append(read)
        tombstones += tombstone_of(entry) is not None
    arrived = [one.row.entry_id for one in new]
    destroy_named(gateway, handle, writer, erasures)
    destroy_copies(gateway, handle, writer, erasures, arrived)
    tell_meetings(gateway, handle, writer, arrived)
    if erasures:
        writer.optimise_words()
    return Merged(len(erasures), tombstones)


def _binds(entry: Entry) -> bool:
    edges = entry.skeleton.edges
    if isinstance(edges, Define):
        return edges.what in NAMES
    return isinstance(edges, Erase | Reject | Lift | Show) or tombstone_of(entry) is not None
