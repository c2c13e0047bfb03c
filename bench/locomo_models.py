"""What stronger models buy and cost: LoCoMo with no vectors, with ours and with a model's in their place.

Every line is asked end to end, a scope each and all in one. What was tried and not taken is measured in memory: the
model's likeness as one more score beside ours, and late interaction, where each word of a question looks for the word
of a text that is most like it. A difference is paired: the same questions with and without. Costs are CPU time of a
process of its own, and the memory it holds at its end.

python bench/locomo_models.py DIR --embedder onnx:FOLDER [--reranker onnx:FOLDER] [--json FILE]
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import numpy as np

import firsthand
from firsthand.inference.choosing import embedder_of, reranker_of
from firsthand.inference.onnx import OnnxModel
from firsthand.recall.rerank import RERANKED
from firsthand.recall.score import order
from locomo import MEASURES, Conversation, Question, in_one_scope, interval, load
from locomo_retrieval import EndToEnd, InMemory, Models, circumstances, measured, print_table, summary

COST_TEXTS = 300
COST_RECALLS = 100
WEIGHTS_TRIED = (0.5, 1.0)
COST_OF = "--cost-of"

Judge = Callable[[str, Sequence[str]], np.ndarray]
"""How well each of some texts answers a question."""


class Reading:
    """What a sentence model makes of texts, each read once: a row for each of its own tokens, and their mean."""

    def __init__(self, folder: Path) -> None:
        self._model = OnnxModel(folder, "embedder")
        self._read: dict[str, tuple[np.ndarray, np.ndarray]] = {}

    def interaction(self, query: str, texts: Sequence[str]) -> np.ndarray:
        """The mean likeness of a question's tokens to the token of each text that is most like it."""
        asked = self._of(query)[0]
        return np.array([(asked @ self._of(text)[0].T).max(axis=1).mean() for text in texts])

    def likeness(self, query: str, texts: Sequence[str]) -> np.ndarray:
        """The cosine of a question and each text."""
        return np.array([self._of(query)[1] @ self._of(text)[1] for text in texts])

    def _of(self, text: str) -> tuple[np.ndarray, np.ndarray]:
        if text not in self._read:
            read = self._model.read(text)
            rows = self._model.run(read).astype(np.float32)
            own, mean = rows[read.own], rows.mean(axis=0)
            self._read[text] = own / np.linalg.norm(own, axis=1, keepdims=True), mean / np.linalg.norm(mean)
        return self._read[text]


class Rejudged:
    """An order in memory whose best are scored once more, as recall does with a reranker."""

    def __init__(self, ranker: InMemory, judge: Judge, weight: float) -> None:
        self._ranker = ranker
        self._judge = judge
        self._weight = weight

    def rank_turns(self, conversation: Conversation, question: Question) -> list[str]:
        """Return the ids of the candidates, best first."""
        seqs, ranking = self._ranker.scored(conversation, question)
        total = ranking.total.copy()
        best = order(total, seqs)[:RERANKED]
        total[best] += self._weight * self._judge(question.text, [conversation.turns[seq].text for seq in seqs[best]])
        return [conversation.turns[seq].id for seq in seqs[order(total, seqs)]]


def end_to_end(
    directory: Path, conversations: Sequence[Conversation], lines: dict[str, dict[str, str | None]]
) -> tuple[list[dict], dict[str, list]]:
    """Every line asked of whole memories, and how far it is from the first of our own."""
    table, rows = [], dict[str, np.ndarray]()
    with tempfile.TemporaryDirectory() as folder:
        for where, asked in (("a scope each", conversations), ("all in one scope", [in_one_scope(conversations)])):
            for label, opening in lines.items():
                memory = EndToEnd(directory, Path(folder) / f"{len(rows)}.db", asked, **opening)
                rows[f"{where}: {label}"] = measured(memory, asked)
                memory.close()
                table.append(summary(f"{where}: {label}", rows[f"{where}: {label}"]))
                print(table[-1]["label"], flush=True)
    ours = next(label for label, opening in lines.items() if opening == Models().opening)
    apart = {
        label: paired(found, rows[f"{label.partition(':')[0]}: {ours}"])
        for label, found in rows.items()
        if not label.endswith(f": {ours}")
    }
    return table, apart


def in_memory(conversations: Sequence[Conversation], embedder: str) -> tuple[list[dict], dict[str, list]]:
    """What was tried on top of either embedder."""
    reading = Reading(Path(embedder.removeprefix("onnx:")))
    table, apart = [], {}
    for where, asked in (("each", conversations), ("one", [in_one_scope(conversations)])):
        for name, by in (("ours", "default"), ("the model's", embedder)):
            plain = measured(InMemory(embedder=by), asked)
            table.append(summary(f"in memory, {where}: {name}", plain))
            tried = {"late interaction": reading.interaction}
            tried |= {"the model's likeness as well": reading.likeness} if by == "default" else {}
            for what, judge in tried.items():
                for weight in WEIGHTS_TRIED:
                    label = f"in memory, {where}: {name}, {what} × {weight}"
                    found = measured(Rejudged(InMemory(embedder=by), judge, weight), asked)
                    table.append(summary(label, found))
                    apart[label] = paired(found, plain)
    return table, apart


def paired(rows: np.ndarray, beside: np.ndarray) -> list[dict[str, float]]:
    """The mean difference of each measure on the same questions, with its interval."""
    low, high = interval(rows - beside)
    means = (rows - beside).mean(axis=0)
    return [
        {"measure": name, "mean": round(means[at], 2), "low": round(low[at], 2), "high": round(high[at], 2)}
        for at, name in enumerate(MEASURES)
    ]


# ---- costs -----------------------------------------------------------------------------------------------------------


def cost(directory: Path, opening: dict[str, str | None]) -> dict[str, float]:
    """What the first write, each further write and each recall take of the CPU in this process, and what it holds."""
    conversation = load(directory)[0]
    with tempfile.TemporaryDirectory() as folder, firsthand.open(Path(folder) / "m.db", **opening) as memory:
        begun = time.process_time()
        memory.capture("The boat is blue")
        first = time.process_time() - begun
        begun = time.process_time()
        memory.capture_many({"text": turn.text, "speaker": turn.speaker} for turn in conversation.turns[:COST_TEXTS])
        written = (time.process_time() - begun) / COST_TEXTS
        begun = time.process_time()
        memory.recall(conversation.questions[0].text)
        first_recall = time.process_time() - begun
        recalls = []
        for question in conversation.questions[:COST_RECALLS]:
            begun = time.process_time()
            memory.recall(question.text)
            recalls.append(time.process_time() - begun)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return {
        "first_write_ms": round(first * 1000, 1),
        "text_ms": round(written * 1000, 2),
        "first_recall_ms": round(first_recall * 1000, 1),
        "recall_ms": round(median(recalls) * 1000, 2),
        "resident_mb": round(pages * 4096 / 1e6),
    }


def costs(directory: Path, lines: dict[str, dict[str, str | None]]) -> dict[str, dict[str, float]]:
    """The same for every line, each in a process of its own."""
    found = {}
    for label, opening in lines.items():
        command = [sys.executable, __file__, str(directory), COST_OF, json.dumps(opening)]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        found[label] = json.loads(told)
    return found


def main(arguments: Sequence[str]) -> None:
    """Measure, print the table, and write one JSON when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--embedder", help="onnx:FOLDER")
    parser.add_argument("--reranker", help="onnx:FOLDER, if there is one")
    parser.add_argument("--json", type=Path)
    parser.add_argument(COST_OF, type=json.loads, help="used by the script itself")
    given = parser.parse_args(arguments)
    if given.cost_of is not None:
        print(json.dumps(cost(given.directory, given.cost_of)))
        return
    if given.embedder is None:
        parser.error("--embedder names the model that is measured")
    lines: dict[str, dict[str, str | None]] = {
        "no vectors": {"embedder": None},
        "our vectors": Models().opening,
        "the model's vectors": Models(given.embedder).opening,
    }
    if given.reranker is not None:
        lines["our vectors, reranked"] = Models(reranker=given.reranker).opening
        lines["the model's vectors, reranked"] = Models(given.embedder, given.reranker).opening
    begun, conversations = time.perf_counter(), load(given.directory)
    paid = costs(given.directory, lines)
    table, apart = end_to_end(given.directory, conversations, lines)
    tried, apart_tried = in_memory(conversations, given.embedder)
    print_table(table + tried)
    for label, differences in (apart | apart_tried).items():
        told = "   ".join(f"{d['measure']} {d['mean']:+.2f} [{d['low']:+.2f} {d['high']:+.2f}]" for d in differences)
        print(f"{label:72} {told}")
    for label, found in paid.items():
        print(f"{label:48} {found}")
    if given.json:
        models = {name: getattr(of(text), "identity", None) for name, of, text in (
            ("embedder", embedder_of, given.embedder), ("reranker", reranker_of, given.reranker),
        )}  # fmt: skip
        told = {**circumstances(), "models": models, "seconds": round(time.perf_counter() - begun, 1), "costs": paid}
        told |= {"table": table + tried, "differences": apart | apart_tried}
        given.json.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
