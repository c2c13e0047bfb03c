"""Packing keeps within rows, bytes and tokens, and wastes none of them."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from packet_makers import NOTICE, make_candidate, make_packet, record_id

from firsthand.recall.group import Candidate, RankedConflict
from firsthand.recall.pack import pack
from firsthand.vocabulary.packets import ConflictGroup
from firsthand.vocabulary.tokens import estimate_tokens


def conflict_of(*members: Candidate) -> RankedConflict:
    best = min(members, key=lambda member: (-member.score, member.item.record_id))
    return RankedConflict(
        group=ConflictGroup(code="disputed", items=tuple(member.item for member in members)), best=best
    )


def ids(items) -> list[str]:
    return [item.record_id for item in items]


def test_a_smaller_later_item_still_fits_after_a_large_one_was_skipped() -> None:
    large = make_candidate(1, 0.9, "word " * 400)
    small = make_candidate(2, 0.5, "small")
    packed = pack([large, small], [], limit=5, max_bytes=1500)
    assert ids(packed.items) == [record_id(2)]
    assert packed.omitted.bytes == 1
    assert packed.too_large == (record_id(1),)


def test_tokens_are_counted_apart_from_bytes() -> None:
    packed = pack([make_candidate(1, 0.9, "word " * 400)], [], limit=5, max_bytes=16_384, max_tokens=200)
    assert packed.items == ()
    assert (packed.omitted.rows, packed.omitted.bytes, packed.omitted.tokens) == (0, 0, 1)


def test_a_conflict_takes_one_place_at_its_best_members_rank() -> None:
    conflict = conflict_of(make_candidate(1, 0.6), make_candidate(2, 0.1), make_candidate(3, 0.05))
    items = [make_candidate(4, 0.9), make_candidate(5, 0.5)]
    packed = pack(items, [conflict], limit=2, max_bytes=16_384)
    assert ids(packed.items) == [record_id(4)]
    assert len(packed.conflicts) == 1
    assert packed.omitted.rows == 1
    alone = pack(items, [conflict], limit=1, max_bytes=16_384)
    assert ids(alone.items) == [record_id(4)]
    assert alone.conflicts == ()


def test_a_conflict_among_the_best_is_packed_before_items_that_outrank_it() -> None:
    conflict = conflict_of(make_candidate(1, 0.6), make_candidate(2, 0.1))
    items = [make_candidate(n, 0.9, "word " * 60) for n in (4, 5, 6)]
    packed = pack(items, [conflict], limit=4, max_bytes=3600)
    assert len(packed.conflicts) == 1
    assert 0 < len(packed.items) < 3


def places() -> st.SearchStrategy[list[Candidate]]:
    texts = st.text(min_size=1, max_size=300) | st.sampled_from(["short", "word " * 200, "\n" * 50, "\x1b茶" * 90])
    one = st.tuples(texts, st.floats(0, 1))
    return st.lists(one, max_size=14).map(
        lambda drawn: [make_candidate(n, score, f"<{n}> {text}") for n, (text, score) in enumerate(drawn)]
    )


@given(places(), st.integers(0, 3), st.integers(1, 10), st.integers(1024, 6000), st.none() | st.integers(64, 1500))
def test_no_limit_is_ever_exceeded_and_nothing_that_would_fit_is_left(
    found: list[Candidate], disputes: int, limit: int, max_bytes: int, max_tokens: int | None
) -> None:
    conflicts = [conflict_of(*found[2 * n : 2 * n + 2]) for n in range(disputes) if found[2 * n : 2 * n + 2]]
    items = found[2 * len(conflicts) :]
    packed = pack(items, conflicts, limit=limit, max_bytes=max_bytes, max_tokens=max_tokens, notice=NOTICE)
    taken = len(packed.items) + len(packed.conflicts)
    assert taken <= limit
    parts = [msgspec.json.encode(part) for part in (*packed.items, *packed.conflicts)]
    assert sum(map(len, parts)) <= max_bytes
    rendered = make_packet(packed.items, packed.conflicts, omitted=packed.omitted).render()
    assert len(rendered.encode()) <= max_bytes
    if max_tokens is not None:
        assert estimate_tokens(rendered) <= max_tokens
        assert make_packet(packed.items, packed.conflicts, omitted=packed.omitted).render() == rendered
    omitted = packed.omitted
    assert taken + omitted.rows + omitted.bytes + omitted.tokens == len(items) + len(conflicts)
    assert packed == pack(
        items[::-1], conflicts[::-1], limit=limit, max_bytes=max_bytes, max_tokens=max_tokens, notice=NOTICE
    )


@given(places(), st.integers(1, 10))
def test_exactly_the_asked_number_comes_back_when_that_many_fit(found: list[Candidate], limit: int) -> None:
    packed = pack(found, [], limit=limit, max_bytes=256 * 1024)
    assert len(packed.items) == min(limit, len(found))
    best = sorted(found, key=lambda one: (-one.score, one.item.record_id))[:limit]
    assert ids(packed.items) == [one.item.record_id for one in best]


def test_what_packing_admitted_rendering_under_the_same_limit_keeps() -> None:
    found = [make_candidate(n, 1 - n / 20, f"claim {n} " + "word " * (8 * n)) for n in range(12)]
    packed = pack(found, [], limit=12, max_bytes=16_384, max_tokens=400, notice=NOTICE)
    assert packed.omitted.tokens > 0
    packet = make_packet(packed.items, omitted=packed.omitted)
    assert packet.render(max_tokens=400) == packet.render()
