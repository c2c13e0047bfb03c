"""The name of a turn: by it a turn is known again, whichever program of its owner tells of it."""

from __future__ import annotations

import msgspec

from firsthand.vocabulary.limits import NAME_BYTES, check_bytes, check_range

NTH_MOST = 1_000_000


class TurnName(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a turn is called in its scope. Of several turns of one name it is the `nth`; `None`: the next of them."""

    name: str
    nth: int | None = 0

    def __post_init__(self) -> None:
        check_bytes(self.name, most=NAME_BYTES, field="turns")
        if self.nth is not None:
            check_range(self.nth, least=0, most=NTH_MOST, field="turns")
