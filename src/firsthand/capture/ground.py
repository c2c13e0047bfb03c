"""Grounding: every quote or span occurs in the cited episode, which is effective and readable (gateway step 6)."""

from __future__ import annotations

from typing import NamedTuple

from firsthand.capture.readable import Held, absent, held, payload_of
from firsthand.capture.secrets import mask
from firsthand.ports import Reader
from firsthand.rules.access import Handle
from firsthand.rules.terms import inside_word
from firsthand.rules.wording import words_of
from firsthand.veil import says_only_what_is_hidden
from firsthand.vocabulary.citing import Cite
from firsthand.vocabulary.errors import InvalidError, RefusedError
from firsthand.vocabulary.grants import SPACE_WIDE


class Ground(NamedTuple):
    """A cited record with the exact span and words, and who vouches for them. Instants in microseconds."""

    record_id: str
    span: tuple[int, int]
    quote: str
    speaker: str | None
    attested: bool
    origin: str | None
    spoken: int
    imported: bool


def ground(reader: Reader, handle: Handle, evidence: Cite) -> Ground:
    """The cited words, or an error that says why they cannot be cited."""
    record = held(reader, handle, evidence.record_id, "evidence")
    if says_only_what_is_hidden(reader, record.root):
        raise absent("evidence")
    _check_effective(record, handle)
    payload = payload_of(reader, _head(record))
    if payload is None:
        raise RefusedError("evidence_erased", "evidence cites a record whose words were erased", field="evidence")
    text = words_of(payload)
    span = _span(text, evidence)
    return ground_of(record, span, text[span[0] : span[1]])


def ground_of(record: Held, span: tuple[int, int], quote: str) -> Ground:
    """A span of a record as evidence."""
    edges = record.edges
    return Ground(
        record_id=record.record_id,
        span=span,
        quote=quote,
        speaker=edges.speaker,
        attested=edges.attested,
        origin=edges.origin,
        spoken=edges.occurred if edges.occurred is not None else record.root.skeleton.recorded_at,
        imported=edges.imported,
    )


def _check_effective(record: Held, handle: Handle) -> None:
    if record.root.skeleton.scope not in (handle.scope_id, SPACE_WIDE):
        raise InvalidError(
            "evidence_elsewhere", "evidence must be in the claim's own scope or in space:", field="evidence"
        )
    if not any(r.status in ("active", "disputed") and r.visibility != "hidden" for r in record.rows):
        raise RefusedError("evidence_not_effective", "evidence cites a record that does not stand", field="evidence")


def _head(record: Held) -> str:
    rows = [r for r in record.rows if r.status in ("active", "disputed")]
    return max(rows, key=lambda r: r.vid).revision_id


def _span(text: str, evidence: Cite) -> tuple[int, int]:
    if evidence.quote is not None:
        quote = mask(evidence.quote).text  # design 09.28: what is stored was masked, so is what is looked for in it
        return _occurrence(text, quote)
    if evidence.span is not None:
        start, end = evidence.span
        if not 0 <= start < end <= len(text):
            raise InvalidError("span_out_of_range", "the span is not inside the cited record", field="evidence")
        return start, end
    return 0, len(text)


def _occurrence(text: str, quote: str) -> tuple[int, int]:
    """Where a quote first stands in whole words: a letter or a part of a number can be found in anything."""
    start = text.find(quote)
    if start < 0:
        raise InvalidError(
            "quote_not_found", "the quote does not occur word for word in the cited record", field="evidence"
        )
    while start >= 0:
        end = start + len(quote)
        if not inside_word(text, start) and not inside_word(text, end):
            return start, end
        start = text.find(quote, start + 1)
    raise InvalidError(
        "quote_cuts_word", "the quote begins or ends inside a word of the cited record; quote whole words",
        field="evidence",
    )  # fmt: skip


def source_of(handle: Handle, g: Ground) -> str:
    """Whose word it is: the attested speaker, else the origin of a document or tool, else the owner (design 09.5)."""
    if g.attested and g.speaker is not None:
        return g.speaker
    return g.origin if g.origin is not None else handle.ids.owner
