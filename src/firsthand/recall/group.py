"""The same claim found twice takes one place and keeps all its sources; contradictions go to conflict groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from firsthand.vocabulary.packets import Citation, ConflictGroup, Item, Why


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """An item on its way into a packet, with what grouping needs to know; none of it leaves the engine."""

    item: Item
    score: float
    own: float = 0.0
    """What its own words alone score."""
    claim_key: str | None = None
    unit: str | None = None
    """The slot of a structured claim."""
    head_conflict: bool = False
    disputed_with: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    """Plain sentences that may contradict it."""


class RankedConflict(msgspec.Struct, frozen=True, kw_only=True):
    """A conflict, ranked as its best member."""

    group: ConflictGroup
    best: Candidate


class Grouped(msgspec.Struct, frozen=True, kw_only=True):
    """Items and conflicts, each in rank order; `absorbed` says which record took another's place."""

    items: tuple[Candidate, ...]
    conflicts: tuple[RankedConflict, ...]
    absorbed: dict[str, str]


Rank = tuple[float, int, str, str]


def rank_of(candidate: Candidate) -> Rank:
    """A total order: best score first, the newer belief first among equals, ids decide what is left."""
    item = candidate.item
    return (-candidate.score, -item.believed_since, item.record_id, item.revision_id)


def group(candidates: Iterable[Candidate]) -> Grouped:
    """Candidates with duplicates folded together and contradictions set apart."""
    ranked = sorted(candidates, key=rank_of)
    absorbed: dict[str, str] = {}
    claims = _fold_evidence(_merge_same_claims(_drop_repeats(ranked), absorbed), absorbed)
    conflicts, plain = _split_conflicts(claims, absorbed)
    return Grouped(items=tuple(plain), conflicts=tuple(conflicts), absorbed=absorbed)


def _drop_repeats(ranked: Sequence[Candidate]) -> list[Candidate]:
    """One candidate per revision, at its best rank, found by every arm that found it."""
    kept: dict[tuple[str, str], Candidate] = {}
    for candidate in ranked:
        key = (candidate.item.record_id, candidate.item.revision_id)
        kept[key] = _merge(kept[key], candidate) if key in kept else candidate
    return list(kept.values())


def _merge_same_claims(ranked: Sequence[Candidate], absorbed: dict[str, str]) -> list[Candidate]:
    kept: dict[tuple[object, ...], Candidate] = {}
    for candidate in ranked:
        key = _claim_identity(candidate)
        if key not in kept:
            kept[key] = candidate
            continue
        if kept[key].item.record_id != candidate.item.record_id:
            absorbed[candidate.item.record_id] = kept[key].item.record_id
        kept[key] = _merge(kept[key], candidate)
    return list(kept.values())


def _claim_identity(candidate: Candidate) -> tuple[object, ...]:
    """What makes two candidates the same claim; what is in conflict never hides behind what is not."""
    item = candidate.item
    if candidate.claim_key is None or candidate.head_conflict or item.kind == "episodic":
        return (item.record_id, item.revision_id)
    return (candidate.claim_key, item.status == "disputed")


def _fold_evidence(ranked: Sequence[Candidate], absorbed: dict[str, str]) -> list[Candidate]:
    """An episode that a claim cites whole is that claim's citation, and takes no place of its own."""
    claims = [candidate for candidate in ranked if candidate.item.kind != "episodic"]
    home: dict[tuple[str, str], int] = {}
    for position, claim in enumerate(claims):
        for citation in claim.item.citations:
            home.setdefault((citation.record_id, citation.quote), position)
    left: list[Candidate] = []
    for candidate in ranked:
        if candidate.item.kind != "episodic":
            continue
        position = home.get((candidate.item.record_id, candidate.item.text))
        if position is None:
            left.append(candidate)
        else:
            absorbed[candidate.item.record_id] = claims[position].item.record_id
            claims[position] = _merge(claims[position], candidate)
    return sorted(claims + left, key=rank_of)


def _split_conflicts(
    ranked: Sequence[Candidate], absorbed: dict[str, str]
) -> tuple[list[RankedConflict], list[Candidate]]:
    """Everything disputed, with several heads or with a near match, joined with what it contradicts; the rest stays."""
    leader: dict[str, str] = {}

    def lead(record_id: str) -> str:
        record_id = absorbed.get(record_id, record_id)
        while (above := leader.get(record_id, record_id)) != record_id:
            record_id = above
        return record_id

    contested = {_said_by_record(candidate) for candidate in ranked if _is_contested(candidate)}
    contradicted: set[str] = set()
    for candidate in ranked:
        for other in _against(candidate):
            contradicted.add(absorbed.get(other, other))
            first, second = sorted((lead(candidate.item.record_id), lead(other)))
            if first != second:
                leader[second] = first
    members: dict[str, list[Candidate]] = {}
    plain: list[Candidate] = []
    for candidate in ranked:
        # A record that was corrected may say two things, of which one is contested: the other is still an answer.
        if candidate.item.record_id in contradicted or _said_by_record(candidate) in contested:
            members.setdefault(lead(candidate.item.record_id), []).append(candidate)
        else:
            plain.append(candidate)
    return [_conflict(group) for group in members.values()], plain


def _against(candidate: Candidate) -> tuple[str, ...]:
    return (*candidate.disputed_with, *candidate.near)


def _said_by_record(candidate: Candidate) -> tuple[str, str | None]:
    return candidate.item.record_id, candidate.claim_key


def _is_contested(candidate: Candidate) -> bool:
    return candidate.head_conflict or bool(_against(candidate)) or candidate.item.status == "disputed"


def _conflict(members: Sequence[Candidate]) -> RankedConflict:
    code: Literal["disputed", "content_conflict", "possible_conflict"] = "possible_conflict"
    if any(member.disputed_with or member.item.status == "disputed" for member in members):
        code = "disputed"
    elif any(member.head_conflict for member in members):
        code = "content_conflict"
    return RankedConflict(
        group=ConflictGroup(code=code, items=tuple(member.item for member in members)), best=members[0]
    )


def _merge(first: Candidate, second: Candidate) -> Candidate:
    """`first` with what `second` adds: its citations, its arms, its disputes."""
    citations: dict[tuple[str, tuple[int, int]], Citation] = {}
    for citation in first.item.citations + second.item.citations:
        citations.setdefault((citation.record_id, citation.span), citation)
    why: dict[str, Why] = {}
    for found in first.item.why + second.item.why:
        if found.arm not in why or found.rank < why[found.arm].rank:
            why[found.arm] = found
    item = msgspec.structs.replace(
        first.item,
        citations=tuple(citations.values()),
        why=tuple(sorted(why.values(), key=lambda found: (found.rank, found.arm))),
        supports=max(first.item.supports, second.item.supports, len({key[0] for key in citations})),
        sources=max(first.item.sources, second.item.sources),
    )
    return Candidate(
        item=item,
        score=max(first.score, second.score),
        own=max(first.own, second.own),
        claim_key=first.claim_key,
        unit=first.unit,
        head_conflict=first.head_conflict,
        disputed_with=tuple(dict.fromkeys(first.disputed_with + second.disputed_with)),
        near=tuple(dict.fromkeys(first.near + second.near)),
    )
