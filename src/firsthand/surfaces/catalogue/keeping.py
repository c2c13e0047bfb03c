"""What keeps the memory: its ledger, its copies, what is destroyed or held, and the other stores of its space."""

from __future__ import annotations

from typing import Annotated, Any, Final

from msgspec import UNSET, UnsetType

from firsthand.surfaces.catalogue import fields as f
from firsthand.surfaces.catalogue.operation import Arguments, Operation
from firsthand.surfaces.catalogue.reading import Nothing
from firsthand.vocabulary import limits
from firsthand.vocabulary.embedding import EmbedReport
from firsthand.vocabulary.erasure import Certificate, Erasure, RetentionReport, SweepReport
from firsthand.vocabulary.kinds import PeerTrust
from firsthand.vocabulary.moves import (
    BackupReport,
    DeviceView,
    ExportReport,
    LedgerHead,
    PeerView,
    RebuildReport,
    SealView,
    TransferReport,
)
from firsthand.vocabulary.packets import Receipt

PATH_CHARACTERS: Final = 4_096
HASH_CHARACTERS: Final = 64
Folder = Annotated[str, f.said("A folder that is not there yet.", metavar="FOLDER", max_length=PATH_CHARACTERS)]
WriteReason = Annotated[str, f.prose("Why, in words that do not say what is erased.", limits.REASON_MAX_BYTES)]


class Erase(Arguments, frozen=True, kw_only=True):
    """Arguments of erase: a record, or a value."""

    record_id: f.RecordId | UnsetType = UNSET
    target: f.Target | UnsetType = UNSET
    subject: f.Subject | UnsetType = UNSET
    predicate: f.Predicate | UnsetType = UNSET
    object: f.Object | UnsetType = UNSET
    reason_code: Annotated[
        str, f.said("Why, in one plain word such as privacy; it is kept.", metavar="WORD", max_length=64)
    ]
    reason: WriteReason | UnsetType = UNSET
    dry_run: Annotated[bool, f.said("Only show the plan.")] = False
    plan_hash: (
        Annotated[
            str,
            f.said(
                "Carry out exactly the plan of this hash.", flag="--hash", metavar="HASH", max_length=HASH_CHARACTERS
            ),
        ]
        | UnsetType
    ) = UNSET
    idempotency_key: f.Key | UnsetType = UNSET

    def given(self) -> dict[str, Any]:
        """With the parts of the value as the one argument the verb takes."""
        given = super().given()
        parts = [given.pop(part, None) for part in ("subject", "predicate", "object")]
        return given if parts[2] is None else {**given, "value": tuple(parts)}


class ShowCertificate(Arguments, frozen=True, kw_only=True):
    """Arguments of certificate."""

    certificate_id: Annotated[f.EntryId, f.said("The erasure's entry.", metavar="ENTRY")]


class Sweep(Arguments, frozen=True, kw_only=True):
    """Arguments of sweep."""

    words: Annotated[
        tuple[str, ...],
        f.said(
            "Words to look for in every byte.",
            metavar="WORDS",
            reads="texts",
            min_length=1,
            max_length=limits.LIST_ITEMS,
        ),
    ]


class Hold(Arguments, frozen=True, kw_only=True):
    """Arguments of hold and of its release."""

    record_id: f.RecordId
    reason: f.Reason


class Verify(Arguments, frozen=True, kw_only=True):
    """Arguments of verify."""

    deep: Annotated[bool, f.said("Also fold every entry again and compare every projection.")] = False
    against: (
        Annotated[
            str,
            f.said("Also compare with a line that seal printed once.", metavar="LINE", max_length=limits.NAME_BYTES),
        ]
        | UnsetType
    ) = UNSET


class Embed(Arguments, frozen=True, kw_only=True):
    """Arguments of embed."""

    limit: Annotated[int, f.said("Stop after so many documents.", metavar="N", ge=1)] | UnsetType = UNSET
    again: Annotated[bool, f.said("Also try again what the endpoint would not have.")] = False


class Reindex(Arguments, frozen=True, kw_only=True):
    """Arguments of reindex."""

    embedder: (
        Annotated[
            str,
            f.said(
                "default, a model as onnx:FOLDER, or an endpoint as https://host/v1#model.",
                metavar="EMBEDDER",
                max_length=limits.NAME_BYTES,
            ),
        ]
        | UnsetType
    ) = UNSET


class To(Arguments, frozen=True, kw_only=True):
    """Arguments of export and backup."""

    path: Folder


class Pack(To, frozen=True, kw_only=True):
    """Arguments of pack."""

    scopes: Annotated[
        tuple[f.Scope, ...],
        f.said("Pack only these scopes.", flag="--only-scope", metavar="KIND:ID", max_length=limits.SCOPES_PER_RECALL),
    ] = ()
    records: Annotated[
        tuple[f.RecordId, ...],
        f.said(
            "Pack these records and what they rest on.",
            flag="--record",
            metavar="ID",
            reads="records",
            max_length=limits.LIST_ITEMS,
        ),
    ] = ()
    query: (
        Annotated[str, f.said("Pack what answers this.", metavar="WORDS", max_length=limits.QUERY_BYTES)] | UnsetType
    ) = UNSET
    clearance: f.Clearance | UnsetType = UNSET


class TakeIn(Arguments, frozen=True, kw_only=True):
    """Arguments of import ledger."""

    path: Annotated[str, f.said("The folder that an export wrote.", metavar="FOLDER", max_length=PATH_CHARACTERS)]


class Register(Arguments, frozen=True, kw_only=True):
    """Arguments of peers add."""

    key: Annotated[str, f.said("The other store's public key.", metavar="KEY", max_length=limits.NAME_BYTES)]
    trust: (
        Annotated[PeerTrust, f.said("How far it is believed; with agent, a person there is an agent here.")] | UnsetType
    ) = UNSET
    name: Annotated[str, f.said("What to call it here.", metavar="NAME", max_length=limits.NAME_BYTES)] | UnsetType = (
        UNSET
    )


class Device(Arguments, frozen=True, kw_only=True):
    """Arguments of peers remove."""

    device: Annotated[str, f.said("The store, by its device id.", metavar="DEVICE", max_length=limits.NAME_BYTES)]


OPERATIONS: Final = (
    Operation(
        name="erase", needs="erase", path="erase", takes=Erase, gives=Erasure, shows="erasure", writes=True,
        does="Destroy words to the byte, once the plan was seen.", words=("record_id",),
        example={"record_id": "r…", "reason_code": "privacy", "dry_run": True},
    ),
    Operation(
        name="certificate", needs="erase", path="erasure.certificate", takes=ShowCertificate, gives=Certificate,
        shows="certificate", does="Show the certificate of an erasure again.", words=("certificate_id",),
        example={"certificate_id": "e…"},
    ),
    Operation(
        name="clean", needs="erase", path="erasure.finish", takes=Nothing, gives=tuple[str, ...], shows="cleaned",
        does="Clean and certify what erasures still owe, since somebody's reading or writing kept the file.",
        example={},
    ),
    Operation(
        name="sweep", needs="sweep", path="erasure.sweep", takes=Sweep, gives=SweepReport, shows="sweep",
        does="Look for words in every byte of the store.", words=("words",), spread="words",
        example={"words": ["hunter2"]},
    ),
    Operation(
        name="hold", needs="hold", path="hold", takes=Hold, gives=Receipt, shows="receipt", writes=True,
        does="Keep a record from being erased until a person releases it.", words=("record_id",),
        example={"record_id": "r…", "reason": "litigation"},
    ),
    Operation(
        name="release", needs="hold", path="release_hold", takes=Hold, gives=Receipt, shows="receipt", writes=True,
        does="Release every hold on a record.", words=("record_id",),
        example={"record_id": "r…", "reason": "settled"},
    ),
    Operation(
        name="retention show", needs="retention", path="erasure.due", takes=Nothing, gives=RetentionReport,
        shows="retention", does="Show what is older than the policy in force keeps it.", example={},
    ),
    Operation(
        name="retention run", needs="retention", path="erasure.retain", takes=Nothing, gives=RetentionReport,
        shows="retention", writes=True, does="Erase what is older than the policy in force keeps it.", example={},
    ),
    Operation(
        name="verify", needs="verify", path="ledger.verify", takes=Verify, gives=LedgerHead, shows="head",
        working="verifying", does="Check the ledger from its first entry to its last: ids, digests, signatures, chain.",
        example={"deep": True},
    ),
    Operation(
        name="rebuild", needs="rebuild", path="ledger.rebuild", takes=Nothing, gives=RebuildReport, shows="rebuild",
        working="rebuilding", writes=True, does="Make every projection and index anew from the ledger.", example={},
    ),
    Operation(
        name="embed", needs="jobs", path="embed_pending", takes=Embed, gives=EmbedReport, shows="embedded",
        working="embedding", writes=True,
        does="Make the vectors that wait, of what may be sent where an endpoint is asked.", example={},
    ),
    Operation(
        name="reindex", needs="operator", path="reindex", takes=Reindex, gives=EmbedReport, shows="embedded",
        working="embedding", writes=True,
        does="Make every vector anew, by the embedder given, which the space keeps.", example={},
    ),
    Operation(
        name="seal", needs="seal", path="ledger.seal", takes=Nothing, gives=SealView, shows="seal", writes=True,
        does="Sign the end of the ledger, and print a line to keep elsewhere.", example={},
    ),
    Operation(
        name="export", needs="operator", path="ledger.export", takes=To, gives=ExportReport, shows="export",
        working="exporting", words=("path",),
        does="Write the whole ledger to a new folder, byte for byte, hashed and signed.",
        example={"path": "there"},
    ),
    Operation(
        name="pack", needs="export", path="ledger.pack", takes=Pack, gives=ExportReport, shows="export",
        working="packing", words=("path",),
        does="Write a selection, only what may be shown, with a list of what was left out.",
        example={"path": "there", "scopes": ["project:orion"]},
    ),
    Operation(
        name="import ledger", needs="operator", path="ledger.take_in", takes=TakeIn, gives=TransferReport,
        shows="transfer", working="taking in", words=("path",), writes=True,
        does="Take in another store's export, whole or not at all, if that store is registered.",
        example={"path": "there"},
    ),
    Operation(
        name="backup", needs="operator", path="ledger.backup", takes=To, gives=BackupReport, shows="backup",
        working="copying pages", words=("path",),
        does="Copy the memory and its keys to a new folder, while it is in use.",
        example={"path": "there"},
    ),
    Operation(
        name="peers list", needs="operator", path="peers.list", takes=Nothing, gives=tuple[PeerView, ...],
        shows="peers",
        does="List the other stores of this space that are registered, and how far they are believed.", example={},
    ),
    Operation(
        name="peers own", needs="operator", path="peers.own", takes=Nothing, gives=DeviceView, shows="device",
        does="Show this store's own public key, for another store to register.", example={},
    ),
    Operation(
        name="peers add", needs="operator", path="peers.register", takes=Register, gives=PeerView, shows="peer",
        words=("key",), writes=True, does="Take in exports of the store with this public key.", example={"key": "…"},
    ),
    Operation(
        name="peers remove", needs="operator", path="peers.remove", takes=Device, gives=PeerView, shows="peer",
        words=("device",), writes=True, does="Believe nothing that came from a store any more.",
        example={"device": "…"},
    ),
)  # fmt: skip
