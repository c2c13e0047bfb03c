"""When each assertion holds: a source's later word closes its older one, per instant of world time (design 09.6)."""

from __future__ import annotations

import bisect
import heapq
import itertools
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from firsthand.rules.bearing import consequences_of, endings_of, unit_key
from firsthand.rules.evidence import Grades, grade
from firsthand.rules.tombstones import covers
from firsthand.rules.trust import CANDIDATE, VOICE_AGENT, voice_of
from firsthand.rules.view import Said, View, said_by
from firsthand.vocabulary.entries import Claim, Consequences, Ending, Entry
from firsthand.vocabulary.instants import BEGINNING, FOREVER


class Held(NamedTuple):
    """The windows in which one assertion holds, and what ended it: instant → entry."""

    said: Said
    windows: tuple[tuple[int, int], ...]
    ends: dict[int, str]


def hold(
    view: View, unit: str, said: list[Said], grades: Grades, tiers: dict[str, int], approved: frozenset[str]
) -> list[Held]:
    """Windows of every assertion that stands or is live."""
    endings = _endings(view, unit)
    ended = {
        s.id: _ended(view, s, endings.get(s.claim, ()), grades, approved)
        for s in said
        if s.id in grades.stands or s.id in grades.live
    }
    # What was ended from the beginning never held as such: it closes nothing, and is nobody's first word.
    causes = [s for s in said if s.id in grades.stands and ended[s.id][0] > BEGINNING]
    firsts = _first_words([s for s in causes if tiers[s.id] > CANDIDATE])
    firsts_with_guesses = _first_words(causes)
    closers = _closers(causes, firsts_with_guesses) if len({s.claim for s in causes}) > 1 else {}
    echoed = _echoed(causes)
    held: list[Held] = []
    for s in said:
        if s.id not in ended:
            continue
        start, stop = _window(s, firsts)
        end, why = ended[s.id]
        closings = _closings(s, closers, tiers, approved, echoed.get(s.id, s.order))
        held.append(_cut(s, start, min(stop, end), {end: why} if end < stop else {}, closings))
    return held


def contradicts(a: Claim, b: Claim) -> bool:
    """One value affirmed and denied, or two values in a cardinality-one slot, under equal conditions."""
    if a.conditions != b.conditions or a.ambiguous or b.ambiguous:
        return False  # design 09.13: about whom an ambiguous claim is, nobody knows; it closes and disputes nothing
    if a.value == b.value:
        return a.polarity != b.polarity
    return a.one and b.one and a.polarity == b.polarity == "+"


def _first_words(said: list[Said]) -> dict[tuple[str, str], tuple[int, int, str]]:
    """The earliest assertion of each source under each condition set; observations are one source here."""
    firsts: dict[tuple[str, str], tuple[int, int, str]] = {}
    for s in said:
        for source in _sources(s):
            key = (s.claim.conditions, source)
            firsts[key] = min(firsts.get(key, s.order), s.order)
    return firsts


def _sources(said: Said) -> tuple[str, ...]:
    return (said.source, "observed") if said.basis == "observed" else (said.source,)


def _window(said: Said, firsts: dict[tuple[str, str], tuple[int, int, str]]) -> tuple[int, int]:
    """The asserted window. An unstated start is open for a source's first word, its spoken time for a successor."""
    start = said.stated_from
    if start is None:
        earlier = any(firsts.get((said.claim.conditions, x), said.order) < said.order for x in _sources(said))
        start = said.spoken if earlier else BEGINNING
    return start, FOREVER if said.stated_to is None else said.stated_to


def _endings(view: View, unit: str) -> dict[Claim, list[tuple[Entry, Consequences, Ending]]]:
    found: dict[Claim, list[tuple[Entry, Consequences, Ending]]] = {}
    for entry in view.bearing_on(unit_key(unit)):
        consequences = consequences_of(entry)
        for ending in endings_of(entry):
            assert consequences is not None, "only consequences end a claim"
            found.setdefault(ending.claim, []).append((entry, consequences, ending))
    return found


def _ended(
    view: View,
    said: Said,
    endings: Iterable[tuple[Entry, Consequences, Ending]],
    grades: Grades,
    approved: frozenset[str],
) -> tuple[int, str]:
    """The earliest explicit end; an end that came with a value holds while that value's assertion stands."""
    found: list[tuple[int, str]] = []
    for entry, consequences, ending in endings:
        by_person = entry.skeleton.author.role == "person"
        if not covers(consequences.reach, said, by_person=by_person, approved=said.id in approved):
            continue
        if said.entry == entry.id:
            continue  # the new word of a correction or change is not what it ends
        if _cause_stands(view, entry, grades):
            found.append((ending.since, entry.id))
    return min(found, default=(FOREVER, ""))


def _cause_stands(view: View, entry: Entry, grades: Grades) -> bool:
    """Whether what an end came with still stands; in a slot of many values it is in a unit of its own."""
    own = said_by(entry)
    if not own or any(s.id in grades.stands for s in own):
        return True
    elsewhere = [s for s in own if s.id not in grades.graded]
    return bool(elsewhere) and bool(grade(view, elsewhere).stands)


class _Words(NamedTuple):
    """What one source said under one condition set, by the instant it holds from: (from, to, entry, assertion).

    `latest[i]` is the latest order among the first i + 1, so that words older than a given one are skipped at once.
    """

    said: list[tuple[int, int, str, Said]]
    latest: list[tuple[int, int, str]]


def _closers(causes: list[Said], firsts: dict[tuple[str, str], tuple[int, int, str]]) -> dict[tuple[str, str], _Words]:
    """Words that may close older ones, by condition set and source."""
    groups: dict[tuple[str, str], list[tuple[int, int, str, Said]]] = {}
    for s in causes:
        if not s.echo:
            low, high = _window(s, firsts)
            for source in _sources(s):
                groups.setdefault((s.claim.conditions, source), []).append((low, high, s.entry, s))
    for words in groups.values():
        words.sort(key=_instant)
    return {k: _Words(w, list(itertools.accumulate((x[3].order for x in w), max))) for k, w in groups.items()}


def _echoed(causes: list[Said]) -> dict[str, tuple[int, int, str]]:
    """An echo is no newer than the word of its source that it repeats: it brings nothing back (design 09.33)."""
    words: dict[tuple[Claim, str], list[tuple[int, int, str]]] = {}
    for s in causes:
        if not s.echo:
            words.setdefault((s.claim, s.source), []).append(s.order)
    found: dict[str, tuple[int, int, str]] = {}
    for s in causes:
        if s.echo:
            earlier = [order for order in words.get((s.claim, s.source), ()) if order < s.order]
            found[s.id] = max(earlier, default=s.order)
    return found


def _instant(word: tuple[int, int, str, Said]) -> tuple[int, int, str]:
    return word[:3]


def _closings(
    said: Said,
    closers: dict[tuple[str, str], _Words],
    tiers: dict[str, int],
    approved: frozenset[str],
    order: tuple[int, int, str],
) -> Iterator[tuple[int, int, str]]:
    """Windows of contradicting words of the same source that are later than `order`, each with its entry, in order."""
    tails: list[Iterator[tuple[int, int, str, Said]]] = []
    for source in _sources(said):
        words = closers.get((said.claim.conditions, source))
        if words:
            tails.append(itertools.islice(words.said, bisect.bisect_right(words.latest, order), None))
    for low, high, entry, other in tails[0] if len(tails) == 1 else heapq.merge(*tails, key=_instant):
        if other.order <= order or not contradicts(said.claim, other.claim):
            continue
        if tiers[other.id] == CANDIDATE < tiers[said.id]:
            continue
        if said.id in approved and voice_of(other) == VOICE_AGENT:
            continue
        yield low, high, entry


def _cut(said: Said, start: int, stop: int, ends: dict[int, str], closings: Iterator[tuple[int, int, str]]) -> Held:
    """`[start, stop)` less the closings, which come in order."""
    windows = [(start, stop)] if start < stop else []
    for low, high, why in closings:
        if not windows or low >= windows[-1][1]:
            break
        kept: list[tuple[int, int]] = []
        for a, b in windows:
            if low < b and a < high:
                ends[low] = min(ends.get(low, why), why)
                kept += [w for w in ((a, min(b, low)), (max(a, high), b)) if w[0] < w[1]]
            else:
                kept.append((a, b))
        windows = kept
    return Held(said, tuple(windows), ends)
