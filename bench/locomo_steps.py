"""The steps that recall does not take, each as one more thing done to its ranking in memory: see locomo_tried.py."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np
from msgspec.structs import replace

from firsthand.recall.query import QueryFeatures, analyse
from firsthand.recall.score import FloatArray, IntArray, order, top
from firsthand.rules.mentions import mentions
from firsthand.rules.normalise import name_key
from firsthand.rules.terms import terms, tokens
from locomo import Conversation, Question
from locomo_retrieval import DEPTH, index_of

WIDE = 480
"""Candidates by their words where there are more than recall takes: six for each that is asked for."""
MOST_BY_ENTITY = 60
"""Turns that become candidates because they mention what the best hits mention."""
ALONE = "alone"

_PARTS = re.compile(
    r"[,;:]|\b(?:and|or|but|as well as)\b"
    r"|(?<=\w)\s+(?:who|whom|whose|which|that|where|when|while|after|before|because|since|if)\b",
    re.IGNORECASE,
)


class Plain(NamedTuple):
    """What recall makes of a question as it is: the candidates, best first."""

    query: QueryFeatures
    seqs: IntArray
    total: FloatArray


class Ground:
    """One scope of turns, and all that a step reads of them."""

    def __init__(self, conversation: Conversation) -> None:
        self.index = index_of(conversation)
        self.conversation = conversation
        self.turns = conversation.turns
        self.words = [[next(iter(terms(word)), "") for word in tokens(turn.text)] for turn in self.turns]
        self.thread = np.unique([turn.thread for turn in self.turns], return_inverse=True)[1]
        self.speaker = np.array([self.index.speakers[turn.speaker] for turn in self.turns])
        self.held = _postings({term for term in words if term} for words in self.words)
        self.names_of = [self.names(turn.text) for turn in self.turns]
        self.pairs_of = [_pairs(words) for words in self.words]
        self.names_held, self.pairs_held = _postings(self.names_of), _postings(self.pairs_of)
        self.plain = cache(self._plain)

    def _plain(self, question: Question) -> Plain:
        query = self.query(question.text, question)
        seqs, ranking = self.index.ranked(query, self.index.dense(query.terms, query.faint))
        best = order(ranking.total, seqs)
        return Plain(query, seqs[best], ranking.total[best])

    def query(self, text: str, question: Question) -> QueryFeatures:
        """Read a text as if it had been asked when a question was."""
        return analyse(text, question.asked_at, self.index.speakers)

    def rarity(self, rows: Sequence[int] | np.ndarray) -> float:
        """What holding something is worth that these turns hold, as the scoring has it."""
        return float(np.log1p((len(self.turns) - len(rows) + 0.5) / (len(rows) + 0.5)))

    def names(self, text: str) -> set[str]:
        """Return what a text names, but for the speakers."""
        return {name_key(each.text) for each in mentions(text)} - {name_key(name) for name in self.index.speakers}


Setting = Any
Rank = Callable[[Ground, Question, Setting], Iterable[int]]
"""The seqs of the turns, best first, with a step taken in one of its settings."""


def as_it_is(ground: Ground, question: Question, _: Setting = None) -> IntArray:
    """What recall answers without any step."""
    return ground.plain(question).seqs


class Step(NamedTuple):
    """One thing that recall does not do."""

    label: str
    rank: Rank
    settings: Sequence[Setting]
    beside: tuple[Rank, Setting] = as_it_is, None
    """What it is compared with."""


def _pairs(words: Sequence[str]) -> set[str]:
    """Words that stand side by side, no stop word between them: what a noun phrase is without a tagger."""
    return {f"{one} {two}" for one, two in pairwise(words) if one and two}


def _postings(held: Iterable[set[str]]) -> dict[str, IntArray]:
    lists: dict[str, list[int]] = {}
    for seq, each in enumerate(held):
        for one in each:
            lists.setdefault(one, []).append(seq)
    return {one: np.array(rows, dtype=np.int64) for one, rows in lists.items()}


def _share(values: np.ndarray) -> np.ndarray:
    peak = values.max(initial=0.0)
    return values / peak if peak > 0 else values


# ---- how close the words stand ---------------------------------------------------------------------------------------

Closeness = Callable[[Sequence[tuple[int, str]], Mapping[str, float]], float]


def by_pairs(places: Sequence[tuple[int, str]], rarity: Mapping[str, float]) -> float:
    """Sum over all pairs of words the rarity of the commoner one, over the least distance between the two."""
    least: dict[tuple[str, str], int] = {}
    for (one, first), (two, second) in combinations(places, 2):
        if first != second:
            key = min(first, second), max(first, second)
            least[key] = min(least.get(key, two - one), two - one)
    return sum(min(rarity[first], rarity[second]) / gap for (first, second), gap in least.items())


def by_window(places: Sequence[tuple[int, str]], rarity: Mapping[str, float]) -> float:
    """Take the smallest stretch that has all of the words: what they are worth, less the more stands between them."""
    wanted, seen, begin, least = {term for _, term in places}, Counter[str](), 0, 0
    for place, term in places:
        seen[term] += 1
        while len(seen) == len(wanted) and seen[places[begin][1]] > 1:
            seen[places[begin][1]] -= 1
            begin += 1
        if len(seen) == len(wanted):
            length = place - places[begin][0] + 1
            least = min(least or length, length)
    return sum(rarity[term] for term in wanted) * len(wanted) / least


def proximity(closeness: Closeness, ground: Ground, question: Question, weight: float) -> IntArray:
    """One more feature: how close the words of the question stand within a turn that has several."""
    query, seqs, total = ground.plain(question)
    rarity = {term: ground.rarity(ground.held[term]) for term in query.terms if term in ground.held}
    rarity = {term: worth for term, worth in rarity.items() if term not in query.faint}
    close = np.zeros(len(seqs))
    for at, seq in enumerate(seqs):
        places = [(place, term) for place, term in enumerate(ground.words[seq]) if term in rarity]
        if len({term for _, term in places}) > 1:
            close[at] = closeness(places, rarity)
    return seqs[order(total + weight * _share(close), seqs)]


# ---- parts of the question -------------------------------------------------------------------------------------------

Merge = Callable[[np.ndarray], np.ndarray]


def best_part(scores: np.ndarray) -> np.ndarray:
    """A turn is worth what the part makes of it that likes it best."""
    return scores.max(axis=0)


def all_parts(scores: np.ndarray) -> np.ndarray:
    """A turn is worth what all parts make of it."""
    return scores.sum(axis=0)


def parts_of(ground: Ground, question: Question) -> list[QueryFeatures]:
    """Split a question at commas, conjunctions and relative clauses; whom and when it asks about holds for each."""
    whole = ground.plain(question).query
    parts = []
    for text in _PARTS.split(question.text):
        part = ground.query(text, question)
        if set(part.terms) - part.faint:
            kept = {"windows": whole.windows, "asks_when": whole.asks_when, "is_question": whole.is_question}
            parts.append(replace(part, speakers=part.speakers or whole.speakers, **kept))
    return parts


def decomposed(merge: Merge, ground: Ground, question: Question, weight: float | str) -> IntArray:
    """The parts of a question ranked apart, and merged: beside the whole question, or alone."""
    plain, parts = ground.plain(question), parts_of(ground, question)
    if len(parts) < 2:
        return plain.seqs
    scores = np.zeros((len(parts), len(ground.turns)))
    found = np.zeros(len(ground.turns), dtype=np.bool_)
    for at, part in enumerate(parts):
        seqs, ranking = ground.index.ranked(part, ground.index.dense(part.terms, part.faint))
        scores[at, seqs] = _share(ranking.total)
        found[seqs] = True
    merged = _share(merge(scores))
    if not isinstance(weight, str):
        merged *= weight
        merged[plain.seqs] += _share(plain.total)
        found[plain.seqs] = True
    every = np.flatnonzero(found)
    return every[order(merged[every], every)]


# ---- what the best hits say ------------------------------------------------------------------------------------------


def wider(ground: Ground, question: Question, count: int) -> IntArray:
    """More candidates by their words: what a step that brings some of its own has to do better than."""
    query = ground.plain(question).query
    dense = ground.index.dense(query.terms, query.faint)
    seqs, ranking = ground.index.ranked(query, dense, also=top(dense, count))
    return seqs[order(ranking.total, seqs)]


def feedback(ground: Ground, question: Question, setting: tuple[int, int, float], *, wide: int = 0) -> IntArray:
    """The rarest terms of the best turns, of those that other turns hold as well, asked for too, at a weight."""
    turns, count, weight = setting
    query, best, _ = ground.plain(question)
    if wide:
        best = wider(ground, question, wide)
    said = Counter(term for seq in best[:turns] for term in set(ground.words[seq]) if term)
    new = [t for t, times in said.items() if t not in query.terms and len(ground.held[t]) > times]
    new.sort(key=lambda term: (len(ground.held[term]), term))
    dense = ground.index.dense(query.terms, query.faint) + np.float32(weight) * ground.index.dense(new[:count])
    seqs, ranking = ground.index.ranked(query, dense, also=top(dense, wide) if wide else ())
    return seqs[order(ranking.total, seqs)]


def entities(
    ground: Ground, question: Question, setting: tuple[int, float], *, pairs: bool = False, by_speaker: bool = False
) -> IntArray:
    """One hop: turns gain that mention what the best turns mention and the question does not."""
    turns, weight = setting
    query, best, _ = ground.plain(question)
    asked = set(tokens(question.text)) | set(query.terms)
    gain = np.zeros(len(ground.turns), dtype=np.float32)
    for of, held in ((ground.names_of, ground.names_held), (ground.pairs_of, ground.pairs_held))[: 1 + pairs]:
        reached = sorted({(one, seq if by_speaker else -1) for seq in best[:turns].tolist() for one in of[seq]})
        for one, seq in reached:
            rows = held[one]
            if len(rows) > 1 and not asked.issuperset(one.split()):
                rarity = ground.rarity(rows)
                gain[rows[ground.speaker[rows] == ground.speaker[seq]] if by_speaker else rows] += np.float32(rarity)
    also = top(gain, MOST_BY_ENTITY)
    seqs, ranking = ground.index.ranked(query, ground.index.dense(query.terms, query.faint), also=also)
    return seqs[order(ranking.total + weight * _share(gain)[seqs], seqs)]


def two_rounds(ground: Ground, question: Question, every: int) -> Iterator[int]:
    """A second query of what only the best turn says; one of its hits after so many of the first."""
    query, seqs, _ = ground.plain(question)
    if not len(seqs):
        return
    asked = set(query.terms) | query.faint
    words = [word for word in tokens(ground.turns[seqs[0]].text) if asked.isdisjoint(terms(word))]
    second = replace(query, terms=tuple(terms(" ".join(words))), words=tuple(words), text=" ".join(words))
    found, ranking = ground.index.ranked(second, ground.index.dense(second.terms))
    known = {int(seqs[0])}
    others = iter(found[order(ranking.total, found)].tolist())
    yield int(seqs[0])
    for at, seq in enumerate(seqs.tolist()[1:], 2):
        if seq not in known:
            known.add(seq)
            yield seq
        if at % every == 0 and (other := next((one for one in others if one not in known), None)) is not None:
            known.add(other)
            yield other


# ---- across sessions -------------------------------------------------------------------------------------------------


def across(ground: Ground, question: Question, strength: float) -> Iterator[int]:
    """Take turns one by one, each with less (or more) the more of its session are taken already."""
    _, seqs, total = ground.plain(question)
    left, threads, taken = total.copy(), ground.thread[seqs], Counter[int]()
    for _ in range(min(DEPTH, len(seqs))):
        at = int(left.argmax())
        taken[int(threads[at])] += 1
        left[threads == threads[at]] -= strength
        left[at] = -np.inf
        yield int(seqs[at])
    yield from seqs[order(left, seqs)][: np.count_nonzero(np.isfinite(left))].tolist()


_WEIGHTS = (0.1, 0.25, 0.5)
_BEST = (3, 5)
_HOPS = [(turns, weight) for turns in _BEST for weight in _WEIGHTS]
_FED = [(turns, count, weight) for turns in _BEST for count in (5, 10) for weight in (0.05, 0.15, 0.4)]
STEPS = (
    Step("proximity, pairs of words", partial(proximity, by_pairs), _WEIGHTS),
    Step("proximity, smallest window", partial(proximity, by_window), _WEIGHTS),
    Step("parts of a question, the best", partial(decomposed, best_part), (0.25, 0.5, 1.0, ALONE)),
    Step("parts of a question, their sum", partial(decomposed, all_parts), (0.25, 0.5, 1.0, ALONE)),
    Step("more candidates", wider, (180, 240, 360, WIDE)),
    Step("feedback: rare terms of the best", feedback, _FED),
    Step("the same, beside more candidates", partial(feedback, wide=WIDE), _FED, (wider, WIDE)),
    Step("entities: names", entities, _HOPS),
    Step("entities: names, by the speaker", partial(entities, by_speaker=True), _HOPS),
    Step("entities: names and word pairs", partial(entities, pairs=True), _HOPS),
    Step("entities: both, by the speaker", partial(entities, pairs=True, by_speaker=True), _HOPS),
    Step("sessions kept apart", across, (0.05, 0.2)),
    Step("sessions kept together", across, (-0.05, -0.2)),
    Step("two rounds, interleaved", two_rounds, (1, 2, 4)),
)
