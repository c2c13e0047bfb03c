"""What is told of writes that were refused."""

from __future__ import annotations

import msgspec

from firsthand.vocabulary.errors import NextAction


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """A write that was refused: who asked when for what, and the entry that is why; never what it said.

    A person who finds the refusal wrong lifts `cause_entry`.
    """

    at: int
    actor: str | None
    verb: str
    code: str
    scope: str | None
    cause_entry: str | None
    next_action: NextAction | None = None


class RefusalPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of refusals, newest first."""

    refusals: tuple[Refusal, ...]
    cursor: str | None
