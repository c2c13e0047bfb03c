"""What an erasure is about to do, what it did, and what a sweep found (design 03)."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from firsthand.vocabulary.kinds import Kind, Sensitivity

Ground = Literal["named", "holds_value", "cites_value", "rests_only_on_it", "name_only_used_there"]
"""Why a body is destroyed."""
Proof = Literal["proven_clean", "residue", "declared_controlled", "not_provable"]


class _Result(msgspec.Struct, frozen=True, kw_only=True):
    """A result struct; every surface shows the same fields."""

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values, instants in microseconds."""
        return msgspec.to_builtins(self)


class PlannedRecord(_Result, frozen=True):
    """A record that loses words: all its bodies, or some. `scope` is unset where its name is not known here."""

    record_id: str
    kind: str
    scope: str | None
    ground: Ground
    bodies: int
    whole: bool


class ErasurePlan(_Result, frozen=True):
    """What an erasure would do, content-free. `hash` names exactly this plan."""

    hash: str
    targets: tuple[str, ...]
    records: tuple[PlannedRecord, ...]
    kinds: dict[str, int]
    scopes: dict[str, int]
    pending: tuple[str, ...]
    stands: tuple[str, ...]
    held: tuple[str, ...]
    fingerprints: int
    tombstones: int


class Place(_Result, frozen=True):
    """One place where the words may have been, and what is known of it."""

    place: str
    proof: Proof
    note: str


class Certificate(_Result, frozen=True):
    """What was destroyed and what is proven of it, without a word of it.

    `looked_for` and `of`: for how many of the destroyed bodies a sweep of every file looked, and how many there were.
    `seal` is a keyed digest of all the rest under the space's key. `id` is the id of the erase entry.
    """

    id: str
    space: str
    at: int
    plan_hash: str
    reason_code: str
    bodies: int
    records: int
    kinds: dict[str, int]
    places: tuple[Place, ...]
    looked_for: int
    of: int
    clean: bool
    seal: str = ""


class Erasure(_Result, frozen=True):
    """The answer to an erase: the plan and, once it was carried out, the id of its entry and its certificate.

    A certificate that is not there yet is owed: others kept the files from being cleaned. It is made when it is
    asked for by the id of the entry, or when the memory is next opened.
    """

    plan: ErasurePlan
    executed: bool
    entry_id: str | None = None
    certificate: Certificate | None = None
    replayed: bool = False


class SweepHit(_Result, frozen=True):
    """Words found in a file or index, in one form."""

    where: str
    form: str
    times: int
    offsets: tuple[int, ...] = ()


class SweepReport(_Result, frozen=True):
    """What a sweep of every file found. `control`: how often it found a canary in each place where one was put."""

    clean: bool
    files: tuple[str, ...]
    hits: tuple[SweepHit, ...]
    control: dict[str, int]
    declared: tuple[str, ...] = ()


class Hold(_Result, frozen=True):
    """A record under legal hold, and the entry that says so."""

    record_id: str
    entry_id: str
    since: int


class RetentionRule(_Result, frozen=True):
    """How long records of a class are kept; what is not named is any. Tag and origin are shown as keyed digests."""

    days: int
    kind: Kind | None = None
    sensitivity: Sensitivity | None = None
    tag: str | None = None
    origin: str | None = None


class RetentionDue(_Result, frozen=True):
    """A record that is older than its rule allows, and whether a hold keeps it."""

    record_id: str
    kind: str
    since: int
    due: int
    rule: int
    held: bool


class RetentionReport(_Result, frozen=True):
    """The rules in force, what is due now, and what a run erased of it."""

    rules: tuple[RetentionRule, ...]
    due: tuple[RetentionDue, ...]
    erased: tuple[str, ...] = ()
    certificates: tuple[str, ...] = ()
