"""Claims that come near a tombstone wait, whichever of the two came first, and no longer once it is lifted."""

from __future__ import annotations

import itertools

import msgspec
import pytest
from scribe import ANA, ANAS_AGENT, BEN, Scribe, claim, fold_in, names_in

from firsthand.vocabulary.entries import Entry, Met

BERLIN, LISBON, NEAR = claim("berlin"), claim("lisbon"), claim("near berlin", ("x", "visits", False))


def again(entry: Entry, **more: object) -> Entry:
    """The same entry with more in its skeleton."""
    return Entry(id=entry.id, skeleton=msgspec.structs.replace(entry.skeleton, **more))


def history(side: str, *, lifted: bool) -> list[Entry]:
    """Something near is said and its value is rejected; which of the two knows of the other is `side`."""
    scribe = Scribe()
    scribe.remember(ANAS_AGENT, NEAR, 10)
    scribe.remember(BEN, NEAR, 12)
    scribe.reject(ANA, BERLIN, 20)
    if lifted:
        scribe.lift(ANA, scribe.entries.all()[-1], 30)
    entries = list(scribe.entries.all())
    stone = next(e for e in entries if e.kind == "reject")
    said = [e for e in entries if e.kind in ("revise", "support") and e.skeleton.edges.supports]
    if side == "the words":
        met = (Met(of=stone.id, doubt=True),)
        return [again(e, met=met) if e in said else e for e in entries]
    reaches = tuple(Met(of=e.id, doubt=True) for e in said)
    return [again(e, reaches=reaches) if e is stone else e for e in entries]


@pytest.mark.parametrize("side", ["the words", "the tombstone"])
@pytest.mark.parametrize("lifted", [False, True], ids=["in force", "lifted"])
def test_what_is_near_waits_in_every_order_of_arrival(side: str, lifted: bool) -> None:
    entries = history(side, lifted=lifted)
    known = frozenset(e.id for e in entries)
    expected = "active" if lifted else "needs_review"
    looked_at = 0
    for order in itertools.permutations(entries):
        place = {e.id: n for n, e in enumerate(order)}
        if any(place[i] > place[e.id] for e in entries for i in names_in(e, known) if e.kind in ("revise", "support")
               and i != next(x.id for x in entries if x.kind == "reject")):  # fmt: skip
            continue
        store = fold_in(order)
        assert [r.status for r in store.rows_of(NEAR)] == [expected]
        assert store.rows == store.afresh()
        looked_at += 1
    assert looked_at > 10


def test_what_is_near_closes_nothing_and_an_approval_settles_it() -> None:
    scribe = Scribe()
    scribe.remember(ANA, claim("old"), 5)
    scribe.remember(ANA, claim("new"), 10)
    stone = scribe.reject(ANA, BERLIN, 20)
    entries = [
        again(e, met=(Met(of=stone.id, doubt=True),)) if "new" in str(e.skeleton.edges) else e
        for e in scribe.entries.all()
    ]
    store = fold_in(entries)
    assert store.row(claim("new")).status == "needs_review"
    assert store.row(claim("old")).status == "active"
    store.approve(ANA, store.row(claim("new")).record, 30)
    assert (store.row(claim("new")).status, store.row(claim("new")).tier) == ("active", "fact")
