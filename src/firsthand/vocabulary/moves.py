"""Results of what is done with a ledger as a whole: verified, rebuilt, sealed, exported, taken in, backed up."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from firsthand.vocabulary.kinds import PeerTrust

LaterErasures = Literal["merged", "listed", "unknown"]


class _Result(msgspec.Struct, frozen=True, kw_only=True):
    """A result struct; every surface shows the same fields."""

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values, instants in microseconds."""
        return msgspec.to_builtins(self)


class LedgerHead(_Result, frozen=True):
    """The last entry of a verified ledger, how many of its own seals hold, and up to which position they reach.

    Seals without a device's name cannot be checked, and are only counted. `against` is the position of a seal that was
    kept elsewhere and compared.
    """

    space: str
    position: int
    entry_id: str | None
    chain: str
    entries: int
    deep: bool
    seconds: float
    seals: int = 0
    seals_unsigned: int = 0
    sealed_to: int = 0
    against: int | None = None


class SealView(_Result, frozen=True):
    """A seal that was appended: what it covers, who signed it, and the line to keep outside."""

    entry_id: str
    position: int
    chain: str
    device: str
    key: str
    line: str
    known_at: int


class RebuildReport(_Result, frozen=True):
    """What a rebuild replayed; `same` says whether the projections' digest stayed equal."""

    entries: int
    digest_before: str
    digest_after: str
    same: bool
    seconds: float


class DeviceView(_Result, frozen=True):
    """This store's own device, as another store registers it."""

    device: str
    key: str


class PeerView(_Result, frozen=True):
    """Another store's device that is registered here, and how far its authors are believed."""

    device: str
    key: str
    trust: PeerTrust
    name: str | None


class Left(_Result, frozen=True):
    """What was left out of a pack, by its id where the pack's own entries name it, else only counted."""

    reason: str
    count: int
    ids: tuple[str, ...] = ()


class ExportReport(_Result, frozen=True):
    """What was written to a folder, file by file hashed and signed by this device."""

    path: str
    kind: str
    space: str
    entries: int
    erased: int
    files: int
    bytes: int
    position: int
    chain: str
    device: str
    left_out: tuple[Left, ...] = ()
    seconds: float = 0.0


class Quarantined(_Result, frozen=True):
    """A foreign entry that was not taken over, and why: its place in the export, without its content."""

    position: int
    entry_id: str
    code: str


class TransferReport(_Result, frozen=True):
    """What taking in an export did; a second time adds nothing.

    Each entry that was read is in one count: `read = added + known + local + quarantined_entries`. `local` entries
    concern the other store alone and are never taken over; of the quarantined at most a thousand are listed. `blank` of
    those added were kept without their words; `erased_here` are own bodies that an erasure of the peer destroyed.
    """

    source: str
    kind: str
    device: str
    trust: PeerTrust
    read: int
    added: int
    known: int
    blank: int
    erased_here: int
    local: int
    quarantined_entries: int
    quarantined: tuple[Quarantined, ...]
    seconds: float


class BackupReport(_Result, frozen=True):
    """What was copied to a folder."""

    path: str
    bytes: int
    spaces: dict[str, int]
    seconds: float


class RestoreReport(_Result, frozen=True):
    """What a restored store holds, and what it knows of the erasures after the backup: from the live store that was
    there, from a later export, or nothing."""

    path: str
    spaces: dict[str, int]
    erasures: int
    tombstones: int
    later_erasures: LaterErasures
    kept_missing: tuple[str, ...]
    seconds: float
