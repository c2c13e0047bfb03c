"""How often recall finds the turns that hold the answer: evidence recall and MRR on LoCoMo, end to end.

Every conversation is imported into a fresh file (twice: the second time must add nothing) and asked through
`memory.recall`; once with a scope for each conversation, once with all of them in one scope. The ablations rank in
memory with the same functions.

python bench/locomo_retrieval.py DIR [--json FILE] [--no-ablations] [--refit] [--embedder NAME] [--reranker NAME]
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import apsw
import numpy as np

import firsthand
from firsthand.importers.locomo import import_locomo
from firsthand.inference.choosing import embedder_of
from firsthand.ports import Embedder, Said
from firsthand.recall.arms import ALIKE_FETCH
from firsthand.recall.query import QueryFeatures, analyse
from firsthand.recall.score import ALIKE_LEAST, WEIGHTS, Candidates, ScoreArray, lexical, order, rank, top
from firsthand.recall.vectors import Vectors, signs_of, vector_of
from firsthand.rules.terms import terms, tokens
from firsthand.rules.timewords import Window, told
from locomo import CATEGORIES, MEASURES, Conversation, Question, in_one_scope, interval, load, measures

CANDIDATES = 120
DEPTH = 20


class Ranker(Protocol):
    """The seam: whatever can rank the turns of a conversation for a question."""

    def rank_turns(self, conversation: Conversation, question: Question) -> list[str]:
        """Return turn ids, best first."""
        ...


class At:
    """A clock that stands where it is put: at the end of the conversation that is imported or asked about."""

    def __init__(self) -> None:
        self.instant = 0

    def now(self) -> int:
        """The instant it stands at."""
        return self.instant


class Named:
    """A memory in which ids and threads carry their conversation's name, so that several fit into one scope."""

    def __init__(self, memory: firsthand.Memory, name: str) -> None:
        self._memory = memory
        self._name = name

    @property
    def scope(self) -> str:
        """Where it writes."""
        return self._memory.scope

    def capture_many(self, items: Iterable[Mapping[str, Any]], *, batch: int = 500):
        """Capture, with the name before every id and thread."""
        named = [
            {**i, "source_id": f"{self._name}/{i['source_id']}", "thread": f"{self._name}/{i['thread']}"} for i in items
        ]
        return self._memory.capture_many(named, batch=batch)


class EndToEnd:
    """Asks a memory on a real file: the whole of recall, with receipts, gate and packing; with vectors or without."""

    def __init__(
        self,
        directory: Path,
        file: Path,
        conversations: Sequence[Conversation],
        *,
        embedder: str | None = "default",
        reranker: str | None = None,
    ) -> None:
        self._clock = At()
        self._memory = firsthand.open(file, clock=self._clock, embedder=embedder, reranker=reranker)
        self._scope = {c.name: f"conversation:{'all' if len(conversations) == 1 else c.name}" for c in conversations}
        self.seconds: list[float] = []
        self.coverage: dict[tuple[str, str], float] = {}
        self.imported = self.again = self.turns = 0
        self.seconds_importing = 0.0
        for name in sorted(path.stem for path in directory.glob("*.json")):
            whole = next(c for c in conversations if c.name == name or name in c.name.split("+"))
            self._clock.instant = next(q.asked_at for q in whole.questions if q.conversation == name)
            into = Named(self._memory.at(scope=self._scope[whole.name]), name)
            begun = time.perf_counter()
            first = import_locomo(into, directory / f"{name}.json")
            self.seconds_importing += time.perf_counter() - begun
            second = import_locomo(into, directory / f"{name}.json")
            self.turns += first.read
            self.imported += first.added
            self.again += second.added + second.read - second.known

    def ask(self, conversation: Conversation, question: Question, **limits: int) -> firsthand.Packet:
        """What recall answers at the instant of the question."""
        self._clock.instant = question.asked_at
        return self._memory.at(scope=self._scope[conversation.name]).recall(question.text, **limits)

    def rank_turns(self, conversation: Conversation, question: Question) -> list[str]:
        """Return the ids of what recall returns, best first."""
        begun = time.perf_counter()
        packet = self.ask(conversation, question, limit=DEPTH, max_bytes=256 * 1024)
        self.seconds.append(time.perf_counter() - begun)
        self.coverage[question.conversation, question.text] = packet.coverage
        return [item.source_id for item in packet.items if item.source_id is not None]

    def facts(self) -> dict[str, object]:
        """What was imported, how often the second import added something, and the time of a recall."""
        middle, late = np.percentile(np.array(self.seconds) * 1000, (50, 95))
        return {
            "turns": self.turns,
            "imported": self.imported,
            "added_by_second_import": self.again,
            "turns_per_second": round(self.turns / self.seconds_importing),
            "recall_ms_p50": round(float(middle), 2),
            "recall_ms_p95": round(float(late), 2),
        }

    def close(self) -> None:
        """Close the file."""
        self._memory.close()


class Models(NamedTuple):
    """Which models a run is made with, as `open` takes them."""

    embedder: str = "default"
    reranker: str | None = None

    @property
    def opening(self) -> dict[str, str | None]:
        """Arguments of `open`."""
        return self._asdict()


class InMemory:
    """Ranks with the scoring functions alone, over posting lists kept in dictionaries; with vectors or without.

    `arm`: whether what is alike is a candidate, too.
    """

    def __init__(
        self,
        weights: Mapping[str, float] = WEIGHTS,
        *,
        vectors: bool = True,
        arm: bool = True,
        embedder: str = "default",
    ) -> None:
        self._weights = weights
        self._vectors = vectors
        self._arm = vectors and arm
        self._embedder = embedder

    def rank_turns(self, conversation: Conversation, question: Question) -> list[str]:
        """Return the ids of the candidates, best first."""
        seqs, ranking = self.scored(conversation, question)
        return [conversation.turns[seq].id for seq in seqs[order(ranking.total, seqs)]]

    def scored(self, conversation: Conversation, question: Question):
        """Return the seqs of the candidates and their ranking."""
        index = index_of(conversation, self._embedder)
        return index.scored(question, self._weights, vectors=self._vectors, arm=self._arm)


class Index:
    """Posting lists, vectors and columns of one conversation."""

    def __init__(self, conversation: Conversation, embedder: Embedder) -> None:
        self._embedder = embedder
        self._turns = conversation.turns
        lists: dict[str, list[int]] = {}
        for seq, turn in enumerate(self._turns):
            for term in terms(turn.text):
                lists.setdefault(term, []).append(seq)
        self._postings = {term: np.array(seqs, dtype=np.int64) for term, seqs in lists.items()}
        self.speakers = {name: at for at, name in enumerate(sorted({turn.speaker for turn in self._turns}))}

    def scored(self, question: Question, weights: Mapping[str, float], *, vectors: bool = True, arm: bool = True):
        """Return the seqs of the candidates and their ranking."""
        query = analyse(question.text, question.asked_at, self.speakers)
        return self.ranked(query, self.dense(query.terms, query.faint), weights, vectors=vectors, arm=arm)

    def dense(self, wanted: Iterable[str], faint: frozenset[str] = frozenset()) -> ScoreArray:
        """Return what each turn scores for the terms that it holds, by seq."""
        lists = {term: self._postings[term] for term in wanted if term in self._postings}
        return lexical(lists, len(self._turns), len(self._turns), faint)

    def ranked(
        self,
        query: QueryFeatures,
        dense: ScoreArray,
        weights: Mapping[str, float] = WEIGHTS,
        *,
        vectors: bool = True,
        arm: bool = True,
        also: Sequence[int] | np.ndarray = (),
    ):
        """Return the seqs of the candidates, some others (`also`) among them, and their ranking."""
        found = top(dense, CANDIDATES)
        meant = vector_of(self._embedder, Said(query.words, query.text)) if vectors and query.words else None
        if meant is not None and arm:
            every = np.arange(len(self._turns))
            found = np.union1d(found, self._vectors.near(meant, every >= 0, ALIKE_LEAST, ALIKE_FETCH).places)
        seqs = self._with_neighbours(np.union1d(found, np.asarray(also, dtype=np.int64)))
        chosen = {name: column[seqs] for name, column in self._columns.items()}
        alike = None if meant is None else self._vectors.similarity(meant, seqs).astype(np.float64)
        return seqs, rank(query, Candidates(**chosen, similarity=alike), dense, weights)

    @cached_property
    def _vectors(self) -> Vectors:
        by = self._embedder
        packed = by.embed([Said(tokens(turn.text), turn.text) for turn in self._turns])
        rows = np.array([np.frombuffer(one or bytes(by.dimension), dtype=np.int8) for one in packed])
        return Vectors(rows, signs_of(rows), np.array([bool(one) for one in packed]), {}, by.length**2, by.scale)

    def _with_neighbours(self, seqs: np.ndarray) -> np.ndarray:
        beside = np.concatenate((seqs, self._columns["prev_seq"][seqs], self._columns["next_seq"][seqs]))
        return np.unique(beside[beside >= 0])

    @cached_property
    def _columns(self) -> dict[str, np.ndarray]:
        turns, size = self._turns, len(self._turns)
        threads = np.unique([turn.thread for turn in turns], return_inverse=True)[1]
        joined = np.append(threads[1:] == threads[:-1], False)
        tellings = [told(turn.text, turn.occurred_at) for turn in turns]
        windows = [telling.window or Window(0, 0) for telling in tellings]
        return {
            "seq": np.arange(size),
            "thread": threads,
            "prev_seq": np.where(np.roll(joined, 1), np.arange(size) - 1, -1),
            "next_seq": np.where(joined, np.arange(size) + 1, -1),
            "speaker": np.array([self.speakers[turn.speaker] for turn in turns]),
            "occurred_at": np.array([turn.occurred_at for turn in turns]),
            "is_question": np.array(["?" in turn.text for turn in turns]),
            "has_time_words": np.array([telling.has_time_words for telling in tellings]),
            "told_from": np.array([window.start for window in windows]),
            "told_to": np.array([window.end for window in windows]),
        }


_indexes: dict[tuple[int, str], tuple[Conversation, Index]] = {}


def index_of(conversation: Conversation, embedder: str = "default") -> Index:
    """Return the index of a conversation, made once."""
    key = id(conversation), embedder
    if key not in _indexes:
        made = embedder_of(embedder)
        assert made is not None
        _indexes[key] = conversation, Index(conversation, made)
    return _indexes[key][1]


def measured(ranker: Ranker, conversations: Sequence[Conversation]) -> np.ndarray:
    """Return one row of measures a question, over all conversations."""
    return np.array([measures(q, ranker.rank_turns(each, q)) for each in conversations for q in each.questions])


def summary(label: str, rows: np.ndarray) -> dict[str, object]:
    """Return the means of the measures with their intervals."""
    low, high = interval(rows)
    return {
        "label": label,
        "questions": len(rows),
        **{
            name: {"mean": round(rows[:, at].mean(), 2), "low": round(low[at], 2), "high": round(high[at], 2)}
            for at, name in enumerate(MEASURES)
        },
    }


def report(
    directory: Path, conversations: Sequence[Conversation], *, ablations: bool, refit: bool, models: Models
) -> tuple[list[dict], dict[str, object]]:
    """Measure everything the table shows, and what else a run tells."""
    questions = [question for each in conversations for question in each.questions]
    category = np.array([question.category for question in questions])
    source = np.array([question.conversation for question in questions])
    with tempfile.TemporaryDirectory() as folder:
        ours = EndToEnd(directory, Path(folder) / "each.db", conversations, **models.opening)
        rows = measured(ours, conversations)
        facts: dict[str, object] = {
            "scope each": ours.facts(),
            "coverage_auc": round(_coverage_auc(ours, conversations), 3),
        }
        ours.close()
        together = [in_one_scope(conversations)]
        mixed = EndToEnd(directory, Path(folder) / "all.db", together, **models.opening)
        rows_mixed = measured(mixed, together)
        facts["one scope"] = mixed.facts()
        mixed.close()
        without = []
        for name, asked in (("scope each", conversations), ("one scope", together)) if ablations else ():
            plain = EndToEnd(directory, Path(folder) / f"plain {name}.db", asked, embedder=None)
            without.append(measured(plain, asked))
            facts[f"{name}, without vectors"] = plain.facts()
            plain.close()
    table = [summary("total", rows)]
    table += [summary(name, rows[category == number]) for number, name in CATEGORIES.items()]
    table += [summary(f"conversation {each.name}", rows[source == each.name]) for each in conversations]
    table.append(summary("all in one scope", rows_mixed))
    labels = ("total, without vectors", "all in one scope, without vectors")
    table += [summary(label, rows) for label, rows in zip(labels, without, strict=False)]
    table.append(summary("in memory", measured(InMemory(embedder=models.embedder), conversations)))
    if ablations:
        plain = measured(InMemory(vectors=False), conversations)
        table.append(summary("in memory, without vectors", plain))
        table.append(
            summary(
                "in memory, without the vector arm",
                measured(InMemory(arm=False, embedder=models.embedder), conversations),
            )
        )
        for name in WEIGHTS:
            if name != "own":
                without = measured(InMemory({**WEIGHTS, name: 0.0}, embedder=models.embedder), conversations)
                table.append(summary(f"in memory, without {name}", without))
    if refit:
        table += _left_out(conversations)
    return table, facts


def _coverage_auc(ours: EndToEnd, conversations: Sequence[Conversation]) -> float:
    """How well `coverage` tells questions with an answer from those without: 0.5 is blind, 1 is always right."""
    for each in conversations:
        for question in each.unanswerable:
            ours.rank_turns(each, question)
    asked = [(q, answerable) for c in conversations for answerable in (True, False)
             for q in (c.questions if answerable else c.unanswerable)]  # fmt: skip
    score = np.array([ours.coverage[q.conversation, q.text] for q, _ in asked])
    good = np.array([answerable for _, answerable in asked])
    above = (score[good][:, None] > score[~good]).mean()
    return float(above + (score[good][:, None] == score[~good]).mean() / 2)


def _left_out(conversations: Sequence[Conversation]) -> list[dict]:
    """Fit the weights on all conversations but one and measure that one, for each."""
    unseen = []
    for held in conversations:
        weights = fitted([each for each in conversations if each is not held])
        print(f"fitted without {held.name}:", {name: round(value, 2) for name, value in weights.items()})
        unseen.append(measured(InMemory(weights), [held]))
    return [summary("each conversation, weights fitted on the others", np.concatenate(unseen))]


def fitted(conversations: Sequence[Conversation], rounds: int = 2) -> dict[str, float]:
    """Fit weights by coordinate ascent from a plain start: a half for everything, a minus for question marks."""
    weights = dict.fromkeys(WEIGHTS, 0.5) | {"own": 1.0, "question": -0.1}
    plain = dict.fromkeys(weights, 1.0)
    cases = []
    for each in conversations:
        for question in each.questions:
            seqs, ranking = index_of(each).scored(question, plain)
            newest_first = np.argsort(-seqs)
            columns = {name: part[newest_first] for name, part in ranking.parts.items()}
            cases.append((question, [each.turns[seq].id for seq in seqs[newest_first]], columns))
    best = _mean(cases, weights)
    for _ in range(rounds):
        for name in [each for each in weights if each != "own"]:
            for factor in (0.5, 0.7, 1.4, 2.0):
                tried = {**weights, name: weights[name] * factor}
                if (score := _mean(cases, tried)) > best + 1e-3:
                    best, weights = score, tried
    return weights


def _mean(cases: list, weights: Mapping[str, float]) -> float:
    total = 0.0
    for question, ids, columns in cases:
        score = sum(weights[name] * column for name, column in columns.items())
        total += sum(measures(question, [ids[at] for at in np.argsort(-score, kind="stable")[:200]]))
    return total / len(cases)


def print_table(table: Sequence[Mapping]) -> None:
    """Print one line a row: means, and the intervals of R@10 and MRR."""
    print(f"{'':48} {'n':>5} {'R@5':>6} {'R@10':>6} {'R@20':>6} {'MRR':>6}   R@10 95 %     MRR 95 %")
    for row in table:
        means = " ".join(f"{row[name]['mean']:6.1f}" for name in MEASURES)
        spans = "   ".join(f"{row[name]['low']:5.1f}–{row[name]['high']:5.1f}" for name in ("R@10", "MRR"))
        print(f"{row['label']:48} {row['questions']:5} {means}   {spans}")


def circumstances() -> dict[str, object]:
    """Return commit, machine, versions and load."""
    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    return {
        "commit": commit,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "sqlite": apsw.sqlite_lib_version(),
        "load": os.getloadavg(),
    }


def main(arguments: Sequence[str]) -> None:
    """Measure, print one table, and write one JSON when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--no-ablations", action="store_true")
    parser.add_argument("--refit", action="store_true")
    parser.add_argument("--embedder", default="default", help="default, or onnx:FOLDER")
    parser.add_argument("--reranker", help="onnx:FOLDER")
    given = parser.parse_args(arguments)
    begun = time.perf_counter()
    models = Models(given.embedder, given.reranker)
    table, facts = report(
        given.directory, load(given.directory), ablations=not given.no_ablations, refit=given.refit, models=models
    )
    print_table(table)
    for name, value in facts.items():
        print(f"{name}: {value}")
    if given.json:
        seconds = round(time.perf_counter() - begun, 1)
        given.json.write_text(
            json.dumps({**circumstances(), "seconds": seconds, **facts, "table": table}, indent=1) + "\n"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
