"""Whether a packet says how likely it holds an answer: its likelihood beside what it held, on LoCoMo's questions.

Asked as a user asks, with recall's own limits. A packet holds an answer if it holds any turn of the evidence; to the
questions about the wrong person, which have no answer, none does. Calibrated is a likelihood of which so many packets
in a hundred hold one; `left out` is the error of a table made on four conversations and asked about the fifth.

python bench/answers.py DIR [--json FILE]
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from firsthand.recall.coverage import LIKELIHOODS
from firsthand.vocabulary.rendering import LIKELY
from locomo import Conversation, load
from locomo_retrieval import EndToEnd, circumstances

BINS = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])


def asked(directory: Path, conversations: Sequence[Conversation]) -> np.ndarray:
    """For each question its conversation, coverage, likelihood, whether it has an answer, and whether that is held."""
    rows: list[tuple[float, ...]] = []
    with tempfile.TemporaryDirectory() as folder:
        ours = EndToEnd(directory, Path(folder) / "each.db", conversations)
        for number, each in enumerate(conversations):
            for question in (*each.questions, *each.unanswerable):
                packet = ours.ask(each, question)
                answerable = question in each.questions
                turns = {item.source_id for item in packet.items}
                held = answerable and not turns.isdisjoint(question.evidence)
                rows.append((number, packet.coverage, packet.likelihood or 0.0, answerable, held))
        ours.close()
    return np.array(rows, dtype=float)


def area(score: np.ndarray, good: np.ndarray) -> float:
    """The area under the curve: 0.5 is blind, 1 is always right."""
    above = score[good][:, None] - score[~good]
    return float((above > 0).mean() + (above == 0).mean() / 2)


def error(said: np.ndarray, held: np.ndarray) -> float:
    """The mean distance between what was said and what was so, over ten bins of what was said, by their size."""
    places = np.digitize(said, BINS)
    bins = [(places == n) for n in range(len(BINS) + 1)]
    return float(sum(abs(said[b].mean() - held[b].mean()) * b.mean() for b in bins if b.any()))


def left_out(rows: np.ndarray) -> float:
    """The error of a table like ours whose shares are made without the conversation it is asked of."""
    places = np.array([at for at, _ in LIKELIHOODS])
    said = np.empty(len(rows))
    for number in np.unique(rows[:, 0]):
        here = rows[:, 0] == number
        basis = np.maximum(0, 1 - np.abs(rows[~here, 1][:, None] - places) / 0.15)
        shares = (basis * rows[~here, 4][:, None]).sum(axis=0) / basis.sum(axis=0)
        said[here] = np.interp(rows[here, 1], places, np.maximum.accumulate(shares))
    return error(said, rows[:, 4])


def report(rows: np.ndarray) -> dict[str, object]:
    """What the table and the JSON show."""
    answerable, held, said = rows[:, 3].astype(bool), rows[:, 4].astype(bool), rows[:, 2]
    warned = said < LIKELY
    places = np.digitize(rows[:, 1], BINS)
    return {
        "questions": len(rows),
        "with an answer": int(answerable.sum()),
        "area, answerable or not": round(area(rows[:, 1], answerable), 3),
        "area, held or not": round(area(rows[:, 1], held), 3),
        "calibration error": round(error(said, held), 3),
        "calibration error, left out": round(left_out(rows), 3),
        "warned, of those without an answer": round(float(warned[~answerable].mean()), 3),
        "warned, of those with one": round(float(warned[answerable].mean()), 3),
        "warned though it held one": round(float(warned[held].mean()), 3),
        "by coverage": [
            {
                "from": round(float(BINS[n - 1]), 1) if n else 0.0,
                "questions": int((places == n).sum()),
                "said": round(float(said[places == n].mean()), 2),
                "held": round(float(held[places == n].mean()), 2),
                "answerable": round(float(answerable[places == n].mean()), 2),
            }
            for n in range(len(BINS) + 1)
            if (places == n).any()
        ],
    }


def main(arguments: Sequence[str]) -> None:
    """Measure, print, and write one JSON when asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    found = report(asked(given.directory, load(given.directory)))
    for name, value in found.items():
        if name != "by coverage":
            print(f"{name:40} {value}")
    print(f"{'coverage from':>14} {'questions':>10} {'said':>6} {'held':>6} {'answerable':>11}")
    for line in found["by coverage"]:
        print(f"{line['from']:14} {line['questions']:10} {line['said']:6} {line['held']:6} {line['answerable']:11}")
    if given.json:
        given.json.write_text(json.dumps({**circumstances(), **found}, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
