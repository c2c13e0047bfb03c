"""What a session was shown, looked at again beside what its next question finds.

What is unchanged keeps its place and its bytes, so that a model's provider finds the beginning of the prompt in its
cache. An assembly remembers ids, digests and places, and no words: all it shows was read in this snapshot, through the
gate of every read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from firsthand.ports import Reader
from firsthand.recall.cache import Cache
from firsthand.recall.fill import Filling
from firsthand.recall.group import Candidate, group
from firsthand.recall.pipeline import Trace
from firsthand.recall.plan import Plan
from firsthand.rules.access import Handle
from firsthand.vocabulary.packets import ConflictGroup, Item
from firsthand.vocabulary.rendering import (
    OMISSIONS_COUNTED,
    SHORT_NOTICE,
    as_fits,
    assembled,
    conflict_block,
    item_block,
    no_room,
    packet_remarks,
    without,
)
from firsthand.vocabulary.tokens import CountTokens

KEPT_SHARE: Final = 1 / 3
"""How full a prompt is after room was made: making room costs the cache, so it is done seldom and for many turns."""
IN_CONFLICT: Final = ""
"""Instead of a digest: what stood in a conflict had no place of its own."""

Key = tuple[str, str]
"""A record and its revision."""


class Place(NamedTuple):
    """What stood in the last prompt: its bytes as a digest, what they cost, and the last turn that found it."""

    digest: str
    tokens: int
    turn: int


class Part(NamedTuple):
    """An item or a conflict that may stand in the prompt. `rank`: its place in this turn's packet."""

    keys: tuple[Key, ...]
    block: str
    tokens: int
    turn: int
    rank: int | None
    is_conflict: bool


class Session(NamedTuple):
    """What is the same for every turn: the fence's nonce, its notice, and the budget."""

    nonce: str
    notice: str
    max_tokens: int
    count_tokens: CountTokens

    @classmethod
    def begun(cls, nonce: str, notice: str, max_tokens: int, count: CountTokens) -> Session:
        """A session's fence; a budget that an empty one exceeds is refused."""
        made = cls(nonce, notice, max_tokens, count)
        if made.cost((), OMISSIONS_COUNTED) > max_tokens // 2:
            made = made._replace(notice=SHORT_NOTICE)
        if made.cost((), OMISSIONS_COUNTED) > max_tokens:
            raise no_room()
        return made

    def cost(self, remarks: Sequence[str], omitted: int) -> int:
        """What the fence costs without an item."""
        return self.count_tokens(assembled(self.nonce, self.notice, (), remarks=remarks, omitted=omitted))


class Prompt(NamedTuple):
    """One turn's text, what stands in it, in order, and whether something left to make room."""

    text: str
    tokens: int
    shown: Mapping[Key, Place]
    made_room: bool


def assemble(
    reader: Reader,
    handle: Handle,
    plan: Plan,
    cache: Cache,
    trace: Trace,
    session: Session,
    shown: Mapping[Key, Place],
    turn: int,
) -> Prompt:
    """The next prompt of a session. `shown`: what stood in the last one, in order."""
    filling = Filling(reader, handle, plan, trace.base, trace.found, trace.ranked, {}, cache.looked)
    parts, absorbed = _parts(filling, trace, session, shown, turn)
    remarks = packet_remarks(msgspec.structs.replace(trace.packet, why_empty=None if parts else trace.packet.why_empty))
    if session.cost(remarks, OMISSIONS_COUNTED) > session.max_tokens // 2:
        remarks = ()
    most = room = session.max_tokens - session.cost(remarks, OMISSIONS_COUNTED)
    while True:
        kept = _fitting(parts, room, int(most * KEPT_SHARE))
        omitted = _omitted(trace, kept, absorbed)
        text = assembled(session.nonce, session.notice, (p.block for p in kept), remarks=remarks, omitted=omitted)
        tokens = session.count_tokens(text)
        if tokens <= session.max_tokens:
            return Prompt(text, tokens, _places(kept), len(kept) < len(parts))
        # A counter that finds more in the whole than in its parts: as much less is kept.
        if not kept and not remarks:
            raise no_room()
        remarks = remarks if kept else ()
        room = min(room, sum(p.tokens for p in kept)) - max(1, tokens - session.max_tokens)


# ---- what may stand in the prompt ------------------------------------------------------------------------------------


def _parts(
    filling: Filling, trace: Trace, session: Session, shown: Mapping[Key, Place], turn: int
) -> tuple[list[Part], set[str]]:
    """What was shown and is unchanged, in its old order; what is new or says something else now; then conflicts.

    Beside them the records whose claims stand there under another record.
    """
    ranks = _ranks(trace)
    near = [_key(c) for c in trace.grouped.items] + [_key_of(i) for c in trace.grouped.conflicts for i in c.group.items]
    own = {_key(c): c for c in filling.again(list(dict.fromkeys(record for record, _ in (*shown, *near))))}
    blocks = dict(zip(own, without((item_block(c.item) for c in own.values()), session.nonce), strict=True))
    kept = [k for k in shown if k in own and shown[k].digest == _digest(blocks[k])]
    unchanged = set(kept)
    gone = {k[0] for k in shown if k not in unchanged}
    changed = [k for k in own if k[0] in gone and k not in unchanged]
    order = list(dict.fromkeys(k for k in (*kept, *ranks, *changed, *own) if k in own))
    grouped = group(msgspec.structs.replace(own[k], score=-float(at)) for at, k in enumerate(order))

    def part(keys: Sequence[Key], block: str, *, is_conflict: bool = False) -> Part:
        rank = min((ranks[k] for k in keys if k in ranks), default=None)
        last = turn if rank is not None else max((shown[k].turn for k in keys if k in shown), default=turn)
        # A tokenizer is slow beside all else here: what has the same bytes is not counted again.
        same = not is_conflict and keys[0] in unchanged
        tokens = shown[keys[0]].tokens if same else session.count_tokens(block + "\n")
        return Part(tuple(keys), block, tokens, last, rank, is_conflict)

    def block_of(conflict: ConflictGroup) -> str:
        return without([conflict_block(conflict)], session.nonce)[0]

    conflicts = [[_key_of(item) for item in c.group.items] for c in grouped.conflicts]
    contested = {k for keys in conflicts for k in keys}
    alone = {_key(c) for c in grouped.items}
    wanted = {*ranks, *changed}
    items = [k for k in kept if k not in contested]
    items += [k for k in order if k in wanted and k in alone and k not in unchanged]
    made = [part([k], blocks[k]) for k in items]
    for c, keys in zip(grouped.conflicts, conflicts, strict=True):
        if not {*shown, *wanted}.isdisjoint(keys):
            whole = ConflictGroup(code=c.group.code, items=tuple(own[k].item for k in keys))
            part_of = as_fits(whole, lambda group: session.count_tokens(block_of(group)) <= session.max_tokens // 2)
            made.append(part(keys, block_of(part_of or whole), is_conflict=True))
    return made, set(grouped.absorbed)


def _ranks(trace: Trace) -> dict[Key, int]:
    """What this turn's packet holds, best first; conflicts before items, as packets have them."""
    packet = trace.packet
    keys = [_key_of(i) for c in packet.conflicts for i in c.items] + [_key_of(i) for i in packet.items]
    return {k: rank for rank, k in enumerate(dict.fromkeys(keys))}


def _key(candidate: Candidate) -> Key:
    return _key_of(candidate.item)


def _key_of(item: Item) -> Key:
    return item.record_id, item.revision_id


def _digest(block: str) -> str:
    return hashlib.sha256(block.encode()).hexdigest()


# ---- what fits -------------------------------------------------------------------------------------------------------


def _fitting(parts: Sequence[Part], room: int, target: int) -> list[Part]:
    """All of it where it fits. Else what this turn found, and of the rest what was found last, up to `target`."""
    if sum(p.tokens for p in parts) <= room:
        return list(parts)
    found = sorted((p for p in parts if p.rank is not None), key=lambda p: p.rank or 0)
    rest = sorted((p for p in parts if p.rank is None), key=lambda p: -p.turn)
    used, kept = 0, set[tuple[Key, ...]]()
    for p, limit in [*((p, room) for p in found), *((p, min(room, target)) for p in rest)]:
        if used + p.tokens <= limit:
            used += p.tokens
            kept.add(p.keys)
    return [p for p in parts if p.keys in kept]


def _places(kept: Iterable[Part]) -> dict[Key, Place]:
    return {
        k: Place(IN_CONFLICT if p.is_conflict else _digest(p.block), p.tokens, p.turn) for p in kept for k in p.keys
    }


def _omitted(trace: Trace, kept: Iterable[Part], absorbed: Collection[str]) -> int:
    """How many records matched this turn's question and are not in the prompt."""
    packet = trace.packet
    prompt = {record for p in kept for record, _ in p.keys}
    packed = {record for record, _ in _ranks(trace)}
    left_out = packet.omitted.rows + packet.omitted.bytes + packet.omitted.tokens
    brought = {row.record_id for row in trace.ranked.rows} & prompt - packed
    return max(0, left_out - len(brought)) + len(packed - prompt - set(absorbed))
