"""What came of making vectors after their words: counts and codes, never a word of any record."""

from __future__ import annotations

import msgspec


class EmbedReport(msgspec.Struct, frozen=True, kw_only=True):
    """Documents that were looked at and got a vector, and what is left.

    `waiting` wait for one, `kept_back` may not be sent as they stand, `given_up` the endpoint would not have. `code`:
    why it ended before nothing waited.
    """

    looked_at: int = 0
    embedded: int = 0
    waiting: int = 0
    kept_back: int = 0
    given_up: int = 0
    code: str | None = None
