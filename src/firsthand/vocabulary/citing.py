"""What a caller passes as evidence: a record, and the exact words of it that support the claim."""

from __future__ import annotations

import msgspec

from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.limits import says_nothing


class Cite(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A citation to be: by quote, by span in code points `[start, end)`, or, with neither, the whole record."""

    record_id: str
    quote: str | None = None
    span: tuple[int, int] | None = None


def cite(record_id: str, *, quote: str | None = None, span: tuple[int, int] | None = None) -> Cite:
    """Evidence for a claim: a quote that occurs in the cited record, or a span of it, or all of it."""
    if quote is not None and span is not None:
        raise InvalidError("cite_overspecified", "cite takes a quote or a span, not both", field="evidence")
    if quote is not None and says_nothing(quote):
        raise InvalidError("text_empty", "quote is empty", field="evidence")
    return Cite(record_id=record_id, quote=quote, span=span)
