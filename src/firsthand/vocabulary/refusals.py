"""What is told of writes that were refused."""

from __future__ import annotations

import msgspec


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """A write that was refused: who asked when for what, and the entry that is why; never what it said."""

    at: int
    actor: str | None
    verb: str
    code: str
    scope: str | None
    cause_entry: str | None


class RefusalPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of refusals, newest first."""

    refusals: tuple[Refusal, ...]
    cursor: str | None
