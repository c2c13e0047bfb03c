"""What only reads: recall, read, list, history, explain, refusals, scopes, predicates, stats."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import UNSET, UnsetType

from firsthand.surfaces.catalogue import fields as f
from firsthand.surfaces.catalogue.operation import Arguments, Operation
from firsthand.vocabulary.kinds import Include
from firsthand.vocabulary.packets import (
    Explanation,
    History,
    Packet,
    PredicateView,
    RecordPage,
    RecordView,
    ScopeView,
    Stats,
)
from firsthand.vocabulary.refusals import RefusalPage
from firsthand.vocabulary.stubs import Stub

Includes = Annotated[tuple[Include, ...], f.said("What else to admit.", metavar="WORD", max_length=8)]


class Recall(Arguments, frozen=True, kw_only=True):
    """Arguments of recall."""

    query: f.Query
    scopes: f.Scopes = ()
    kinds: f.Kinds = ()
    limit: f.ItemLimit | UnsetType = UNSET
    max_bytes: f.MaxBytes | UnsetType = UNSET
    max_tokens: f.MaxTokens | UnsetType = UNSET
    valid_at: f.ValidAt | UnsetType = UNSET
    known_at: f.KnownAt | UnsetType = UNSET
    conditions: f.Holding | UnsetType = UNSET
    include: Includes = ()
    expand: f.Hops | UnsetType = UNSET
    min_salience: f.Salience | UnsetType = UNSET
    clearance: f.Clearance | UnsetType = UNSET


class Explain(Recall, frozen=True, kw_only=True):
    """Arguments of explain: those of the recall, and the record."""

    record_id: f.RecordId


class One(Arguments, frozen=True, kw_only=True):
    """Arguments of read."""

    record_id: f.RecordId


class Page(Arguments, frozen=True, kw_only=True):
    """A page of something."""

    limit: f.PageLimit | UnsetType = UNSET
    cursor: f.Cursor | UnsetType = UNSET


class ListRecords(Page, frozen=True, kw_only=True):
    """Arguments of list."""

    kinds: f.Kinds = ()
    include: Includes = ()


class AskHistory(Page, frozen=True, kw_only=True):
    """Arguments of history."""

    record_id: f.RecordId


class Nothing(Arguments, frozen=True, kw_only=True):
    """No arguments."""


OPERATIONS: Final = (
    Operation(
        name="recall", needs="recall", path="recall", takes=Recall, gives=Packet, shows="packet", words=("query",),
        does="Ask what is known, with its sources.",
        example={"query": "where does Ana live?", "limit": 5},
    ),
    Operation(
        name="read", needs="read", path="read", takes=One, gives=RecordView, shows="record", words=("record_id",),
        does="Show one record: its words, standing, sources and relations.", example={"record_id": "r…"},
    ),
    Operation(
        name="stub", needs="read", path="stub", takes=One, gives=Stub, shows="stub", words=("record_id",),
        does="Tell that a record is there and how it stands, without its words; also of one just above the clearance.",
        example={"record_id": "r…"},
    ),
    Operation(
        name="list", needs="list", path="list", takes=ListRecords, gives=RecordPage, shows="page",
        does="List what is known in the scope, newest first.", example={"kinds": ["semantic"], "limit": 20},
    ),
    Operation(
        name="history", needs="history", path="history", takes=AskHistory, gives=History, shows="history",
        words=("record_id",), does="Show everything that happened to a record, oldest first.",
        example={"record_id": "r…"},
    ),
    Operation(
        name="explain", needs="explain", path="explain", takes=Explain, gives=Explanation, shows="explanation",
        words=("query", "record_id"), does="Say why a record is or is not in an answer.",
        example={"query": "where does Ana live?", "record_id": "r…"},
    ),
    Operation(
        name="refusals", needs="refusals", path="refusals", takes=Page, gives=RefusalPage, shows="refusals",
        does="List the writes that were refused: who, when and why, never what they said.", example={"limit": 20},
    ),
    Operation(
        name="scopes", needs="stats", path="scopes", takes=Nothing, gives=tuple[ScopeView, ...], shows="scopes",
        does="List the scopes that hold something.", example={},
    ),
    Operation(
        name="predicates", needs="stats", path="predicates", takes=Nothing, gives=tuple[PredicateView, ...],
        shows="predicates", does="List the predicates and how many values each may have.", example={},
    ),
    Operation(
        name="stats", needs="stats", path="stats", takes=Nothing, gives=Stats, shows="stats",
        does="Count what the memory holds.", example={},
    ),
)  # fmt: skip
