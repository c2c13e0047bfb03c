"""Every argument of every operation, described and bounded once: the same words on the command line and over the wire.

`flag` is how the command line spells it where that is not its own name; `reads` how a word there becomes the value.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from firsthand.vocabulary import limits
from firsthand.vocabulary.citing import Cite
from firsthand.vocabulary.kinds import Kind, StatedBasis
from firsthand.vocabulary.kinds import Polarity as Sign
from firsthand.vocabulary.kinds import Sensitivity as Level
from firsthand.vocabulary.kinds import Volatility as Rate
from firsthand.vocabulary.records import Competence, Entity, PlanGraph, TypedValue, Working

ID_CHARACTERS = 41
WHEN_CHARACTERS = 40
VALUE_CHARACTERS = limits.STATEMENT_BYTES


def said(
    description: str, *, flag: str | None = None, metavar: str | None = None, reads: str = "text", **bounds: Any
) -> Meta:
    """The description and bounds of an argument, and how the command line spells it."""
    return Meta(description=description, extra={"flag": flag, "metavar": metavar, "reads": reads}, **bounds)


def prose(description: str, most: int, **spelt: Any) -> Meta:
    """Text that may be long; on the command line `-` reads it from standard input."""
    return said(description, max_length=most, reads="prose", **spelt)


# ---- which record ----------------------------------------------------------------------------------------------------

RecordId = Annotated[
    str, said("The record's id, from a receipt or an answer.", metavar="ID", reads="record", max_length=ID_CHARACTERS)
]
RecordIds = Annotated[
    tuple[RecordId, ...],
    said("The records, by their ids.", metavar="ID", reads="records", max_length=limits.MERGE_SOURCES),
]
OtherId = Annotated[
    str, said("The id of the other record.", metavar="OTHER-ID", reads="record", max_length=ID_CHARACTERS)
]
EntryId = Annotated[str, said("The entry's id, from a receipt.", metavar="ENTRY", max_length=ID_CHARACTERS)]
Target = Annotated[
    str, said("Which record, by what it is about, in place of its id.", metavar="WORDS", max_length=limits.QUERY_BYTES)
]
Heads = Annotated[
    tuple[EntryId, ...],
    said(
        "Refuse if the record has changed since these heads, as they were read.",
        flag="--expected-head",
        metavar="ID",
        max_length=limits.LIST_ITEMS,
    ),
]
VisibilityHeads = Annotated[
    tuple[EntryId, ...],
    said(
        "Refuse if it was withdrawn or restored since these.",
        flag="--expected-visibility-head",
        metavar="ID",
        max_length=limits.LIST_ITEMS,
    ),
]

# ---- what is said ----------------------------------------------------------------------------------------------------

Text = Annotated[str, prose("What was said or happened, word for word.", limits.EPISODE_TEXT_BYTES, metavar="TEXT")]
Statement = Annotated[str, prose("The claim as one plain sentence.", limits.STATEMENT_BYTES, metavar="STATEMENT")]
Subject = Annotated[str, said("Whom or what it is about.", metavar="NAME", max_length=limits.NAME_BYTES)]
Predicate = Annotated[
    str,
    said(
        "What is said of the subject, such as lives_in, uses or deadline.", metavar="WORD", max_length=limits.NAME_BYTES
    ),
]
Object = Annotated[
    str | int | float | bool | TypedValue,
    said(
        "The value: text, a number, true or false, or {type, value, unit} for dates and entities.",
        metavar="VALUE",
        reads="value",
    ),
]
Unit = Annotated[str, said("The unit of a number.", metavar="UNIT", max_length=limits.TAG_CHARACTERS)]
Polarity = Annotated[Sign, said("+ if it is so, - if it is not.")]
Negative = Annotated[Sign, said("- if the claim is that it is not so.", flag="--not", reads="negation")]
Conditions = Annotated[
    dict[str, str | int | float | bool],
    said(
        "Conditions under which it holds, by name.",
        flag="--if",
        metavar="NAME=VALUE",
        reads="conditions",
        max_length=limits.METADATA_ENTRIES,
    ),
]
Holding = Annotated[
    dict[str, str | int | float | bool],
    said(
        "Conditions that hold now, by name.",
        flag="--if",
        metavar="NAME=VALUE",
        reads="conditions",
        max_length=limits.METADATA_ENTRIES,
    ),
]
Evidence = Annotated[
    tuple[Cite, ...],
    said(
        "Records it rests on: each with the exact words quoted from it, or a span, or neither for the whole.",
        metavar="ID[=QUOTE]",
        reads="evidence",
        max_length=limits.EVIDENCE_PER_WRITE,
    ),
]
Basis = Annotated[
    StatedBasis, said("How it is known: told by somebody, seen in a tool's output, or concluded (a guess).")
]
Volatility = Annotated[Rate, said("How soon it goes stale.")]
Payload = Annotated[
    Working | Competence | PlanGraph | Entity,
    said("In place of a claim: a working, competence, plan_graph or entity record.", metavar="JSON", reads="payload"),
]

# ---- when ------------------------------------------------------------------------------------------------------------

_WHEN = "ISO 8601 with an offset, a date, or microseconds."


def when(description: str, **spelt: Any) -> Meta:
    """An instant."""
    return said(f"{description} {_WHEN}", metavar="WHEN", reads="instant", **spelt)


Instant = str | int
ValidFrom = Annotated[Instant, when("True since.")]
ValidTo = Annotated[Instant, when("True until.")]
Since = Annotated[Instant, when("When it changed.")]
OccurredAt = Annotated[Instant, when("When it was said or happened.", flag="--at")]
ValidAt = Annotated[Instant, when("What was true in the world then.")]
KnownAt = Annotated[Instant, when("As the memory knew it then.")]

# ---- beside it -------------------------------------------------------------------------------------------------------

Reason = Annotated[str, prose("Why; it is kept.", limits.REASON_MAX_BYTES, metavar="TEXT")]
Key = Annotated[
    str,
    said(
        "The same key stores the same request once.",
        flag="--idempotency-key",
        metavar="KEY",
        max_length=limits.IDEMPOTENCY_KEY_BYTES,
    ),
]
Tags = Annotated[
    tuple[Annotated[str, Meta(max_length=limits.TAG_CHARACTERS)], ...],
    said("Words to file it under.", flag="--tag", metavar="WORD", max_length=limits.TAGS_PER_RECORD),
]
Metadata = Annotated[
    dict[str, str],
    said("Notes for programs.", flag="--meta", metavar="NAME=VALUE", reads="pairs", max_length=limits.METADATA_ENTRIES),
]
Sensitivity = Annotated[Level, said("How sensitive it is.")]
Clearance = Annotated[Level, said("Nothing more sensitive than this.")]

# ---- asking ----------------------------------------------------------------------------------------------------------

Query = Annotated[
    str, prose("What to ask for, in plain words; names and dates help.", limits.QUERY_BYTES, metavar="QUERY")
]
Scope = Annotated[
    str, said("A scope, such as project:orion.", metavar="KIND:ID", max_length=limits.SCOPE_ID_CHARACTERS + 33)
]
Scopes = Annotated[
    tuple[Scope, ...],
    said(
        "Scopes to read instead of this memory's own and space:.",
        metavar="KIND:ID",
        max_length=limits.SCOPES_PER_RECALL,
    ),
]
Kinds = Annotated[tuple[Kind, ...], said("Only records of these kinds.", flag="--kind", max_length=6)]
ItemLimit = Annotated[
    int,
    said(
        f"At most so many items; {limits.RECALL_LIMIT_DEFAULT} unless said.",
        ge=limits.RECALL_LIMIT_MIN,
        le=limits.RECALL_LIMIT_MAX,
    ),
]
MaxBytes = Annotated[
    int,
    said(
        f"At most so many bytes; {limits.PACKET_BYTES_DEFAULT:,} unless said.",
        ge=limits.PACKET_BYTES_MIN,
        le=limits.PACKET_BYTES_MAX,
    ),
]
MaxTokens = Annotated[
    int, said("At most so many tokens, by estimate.", ge=limits.PACKET_TOKENS_MIN, le=limits.PACKET_BYTES_MAX)
]
PageLimit = Annotated[
    int, said(f"At most so many on a page, up to {limits.LIST_PAGE_ROWS}.", ge=1, le=limits.LIST_PAGE_ROWS)
]
Cursor = Annotated[str, said("Go on where the last page ended.", metavar="CURSOR", max_length=limits.NAME_BYTES)]
Hops = Annotated[int, said("Follow relations so many steps.", ge=0, le=limits.GRAPH_HOPS_MAX)]
Salience = Annotated[float, said("Only what is at least this salient.")]
