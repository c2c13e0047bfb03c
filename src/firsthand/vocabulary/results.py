"""What every result has, and what a write does, or would do, to other records."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from firsthand.vocabulary.kinds import Kind, Status

EffectName = Literal["fell", "stood", "returned", "ended", "disputed", "hidden", "shown", "changed"]


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """A result struct; every surface shows the same fields."""

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values, instants in microseconds."""
        return msgspec.to_builtins(self)


class Effect(Result, frozen=True):
    """What a write did, or would do, to another record; `supports` are the live ones it keeps, `lost` those it lost.

    `independent`: how many sources of their own would still speak for it; told by `impact`.
    """

    record_id: str
    kind: Kind
    what: EffectName
    status: Status
    supports: int
    lost: int = 0
    independent: int | None = None
    text: str | None = None


class Impact(Result, frozen=True):
    """What would become of the records that hang on one, were it withdrawn, retracted by this caller, or erased."""

    record_id: str
    withdrawn: tuple[Effect, ...]
    retracted: tuple[Effect, ...]
    erased: tuple[Effect, ...]
