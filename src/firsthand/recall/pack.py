"""Packing: whole items only, within rows, bytes and tokens; what does not fit is skipped and counted, never cut."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from firsthand.recall.group import Candidate, Rank, RankedConflict, rank_of
from firsthand.vocabulary.packets import ConflictGroup, Item, Omitted
from firsthand.vocabulary.rendering import OMISSIONS_COUNTED, as_fits, conflict_block, frame_text, item_block
from firsthand.vocabulary.tokens import CountTokens, estimate_tokens


class Packed(msgspec.Struct, frozen=True, kw_only=True):
    """What fits. `omitted` counts the rest by the first limit that kept it out; `too_large` names the records that no
    packet of this size could hold. A conflict that does not fit whole is `cut`: it shows fewer sides, or even none."""

    items: tuple[Item, ...]
    conflicts: tuple[ConflictGroup, ...]
    omitted: Omitted
    too_large: tuple[str, ...] = ()
    cut: bool = False


class _Room(msgspec.Struct):
    """What is left. The rendered form and the JSON form each keep within the byte limit."""

    places: int
    json_bytes: int
    text_bytes: int
    tokens: int | None

    def refusal(self, size: _Size) -> str | None:
        """The first limit that keeps `size` out."""
        if size.json_bytes > self.json_bytes or size.text_bytes > self.text_bytes:
            return "bytes"
        return "tokens" if self.tokens is not None and size.tokens > self.tokens else None

    def take(self, size: _Size) -> None:
        """Fill one place."""
        self.places -= 1
        self.json_bytes -= size.json_bytes
        self.text_bytes -= size.text_bytes
        if self.tokens is not None:
            self.tokens -= size.tokens


class _Size(msgspec.Struct, frozen=True):
    json_bytes: int
    text_bytes: int
    tokens: int


def pack(
    items: Sequence[Candidate],
    conflicts: Sequence[RankedConflict],
    *,
    limit: int,
    max_bytes: int,
    max_tokens: int | None = None,
    count: CountTokens = estimate_tokens,
    notice: str = "",
    remarks: Sequence[str] = (),
) -> Packed:
    """The best `limit` places that fit, conflicts first; a conflict takes one place, at its best member's rank.

    Bytes are those of the items' JSON; their rendered text, with the fence, keeps within the same number. Tokens are
    those of the rendered packet, fence, `notice` and `remarks` included, as `count` counts them.
    """
    assert limit >= 1, "a recall asks for at least one item"
    room = _room(limit, max_bytes, max_tokens, count, notice, remarks)
    counted = None if max_tokens is None else count
    whole = msgspec.structs.replace(room)
    ranked = sorted((*conflicts, *items), key=_place_rank)
    first = [place for place in ranked[:limit] if isinstance(place, RankedConflict)]
    rest = [place for position, place in enumerate(ranked) if position >= limit or isinstance(place, Candidate)]
    taken: list[Candidate | RankedConflict] = []
    omitted = {"rows": 0, "bytes": 0, "tokens": 0}
    too_large: list[str] = []
    cut = False
    for place in (*first, *rest):
        if room.places < 1:
            omitted["rows"] += 1
            continue
        refusal = room.refusal(size := _size(place, counted))
        if refusal is not None and isinstance(place, RankedConflict):
            place, cut = _shorter(place, room, counted), True
            refusal = room.refusal(size := _size(place, counted))
        if refusal is None:
            room.take(size)
            taken.append(place)
        else:
            omitted[refusal] += 1
            if whole.refusal(size):
                too_large.extend(item.record_id for item in _items(place))
    taken.sort(key=_place_rank)
    return Packed(
        items=tuple(place.item for place in taken if isinstance(place, Candidate)),
        conflicts=tuple(place.group for place in taken if isinstance(place, RankedConflict)),
        omitted=Omitted(**omitted),
        too_large=tuple(too_large),
        cut=cut,
    )


def _shorter(place: RankedConflict, room: _Room, count: CountTokens | None) -> RankedConflict:
    """A conflict with as many sides as fit; the whole of it where none does."""
    group = as_fits(place.group, lambda group: room.refusal(_size_of(group, count)) is None)
    return place if group is None else msgspec.structs.replace(place, group=group)


def _room(
    limit: int, max_bytes: int, max_tokens: int | None, count: CountTokens, notice: str, remarks: Sequence[str]
) -> _Room:
    frame = frame_text(notice, omitted=OMISSIONS_COUNTED, remarks=remarks)
    return _Room(
        places=limit,
        json_bytes=max_bytes,
        text_bytes=max_bytes - len(frame.encode()),
        tokens=None if max_tokens is None else max_tokens - count(frame),
    )


def _place_rank(place: Candidate | RankedConflict) -> Rank:
    return rank_of(place.best if isinstance(place, RankedConflict) else place)


def _items(place: Candidate | RankedConflict) -> tuple[Item, ...]:
    return place.group.items if isinstance(place, RankedConflict) else (place.item,)


def _size(place: Candidate | RankedConflict, count: CountTokens | None) -> _Size:
    return _size_of(place.group if isinstance(place, RankedConflict) else place.item, count)


def _size_of(shown: ConflictGroup | Item, count: CountTokens | None) -> _Size:
    encoded = msgspec.json.encode(shown)
    text = conflict_block(shown) if isinstance(shown, ConflictGroup) else item_block(shown)
    return _Size(len(encoded) + 1, len(text.encode()) + 1, 0 if count is None else count(text + "\n"))
