"""What a linked copy takes over from its original besides evidence: when it holds, and what is doubted of it.

A copy dies with its original, so it holds only while its original does; and what is disputed or waits for review there
is so here, as long as nobody says it here in words of their own.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from firsthand.rules.bearing import claim_digest, unit_of
from firsthand.rules.succession import Held
from firsthand.rules.view import Said, View
from firsthand.vocabulary.entries import Claim
from firsthand.vocabulary.kinds import Status

Window = tuple[int, int]


class Doubt(NamedTuple):
    """A stretch of world time in which a claim is disputed or waits for review, and the record that speaks against."""

    low: int
    high: int
    status: Status
    against: str


class Original(NamedTuple):
    """When the original of a copy holds, what ended it at each instant, and when it is doubted."""

    windows: tuple[Window, ...]
    ends: dict[int, str]
    doubts: tuple[Doubt, ...]


def originals_of(view: View, said: Said) -> dict[str, Claim]:
    """The units in which a copy's original is settled, each with the claim it makes there."""
    if not said.shares:
        return {}
    account = view.account(said.evidence)
    return {unit_of(s.scope, s.claim): s.claim for s in account.said if claim_digest(s.claim) == said.shares}


def within(held: Held, originals: Iterable[Original]) -> Held:
    """A copy's windows, as far as its originals hold."""
    windows: list[Window] = []
    ends = dict(held.ends)
    for original in originals:
        for (low, high), (a, b) in itertools.product(held.windows, original.windows):
            if max(low, a) < min(high, b):
                windows.append((max(low, a), min(high, b)))
                if b < high and b in original.ends:
                    ends.setdefault(b, original.ends[b])
    return held._replace(windows=tuple(sorted(windows)), ends=ends)


def doubts_taken_over(held: Iterable[Held], originals: dict[str, list[Original]]) -> list[Doubt]:
    """Where every word for a claim is a copy of something doubted; `originals` by the copying assertion."""
    sure: list[Window] = []
    doubts: list[Doubt] = []
    for h in held:
        above = [doubt for original in originals.get(h.said.id, ()) for doubt in original.doubts]
        doubts += [Doubt(low, high, d.status, d.against) for d in above for low, high in _overlaps(h.windows, d)]
        sure += _without(h.windows, above)
    return [d._replace(low=low, high=high) for d in doubts for low, high in _without([(d.low, d.high)], sure)]


def _overlaps(windows: Iterable[Window], doubt: Doubt) -> Iterator[Window]:
    for low, high in windows:
        if max(low, doubt.low) < min(high, doubt.high):
            yield max(low, doubt.low), min(high, doubt.high)


def _without(windows: Iterable[Window], gone: Iterable[Doubt] | Iterable[Window]) -> list[Window]:
    """Windows less what lies in others."""
    left = list(windows)
    for low, high, *_ in gone:
        left = [w for a, b in left for w in ((a, min(b, low)), (max(a, high), b)) if w[0] < w[1]]
    return left
