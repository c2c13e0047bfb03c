"""What recall does not do, and what it would be worth: one more step each, in memory, beside recall as it is.

Every step has a few settings. For each conversation the one that is best on all others is taken, in both arrangements
together (a scope each, all in one), and measured on that one: so no line is of the questions it was chosen on. A
difference is paired, the same questions with the step and without, its 95 % interval from resampling questions. CPU is
what a step takes when the plain ranking is made already.

python bench/locomo_tried.py DIR [--json FILE]
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from locomo import CATEGORIES, MEASURES, Conversation, in_one_scope, interval, load, measures
from locomo_retrieval import circumstances
from locomo_steps import STEPS, Ground, Rank, Setting, Step, as_it_is

RESULTS = Path(__file__).parent / "results" / "locomo_tried.json"
WIDTH = 150
REPORTED = MEASURES[1:]
WEAK = (1, 3)


class Bench:
    """The questions in both arrangements, and how far a step takes each from recall as it is."""

    def __init__(self, conversations: Sequence[Conversation]) -> None:
        arranged = {"a scope each": conversations, "all in one scope": [in_one_scope(conversations)]}
        self.grounds = {where: [Ground(each) for each in asked] for where, asked in arranged.items()}
        questions = [question for each in conversations for question in each.questions]
        self.source = np.array([question.conversation for question in questions])
        self.category = np.array([question.category for question in questions])
        self.plain = self._rows(as_it_is, None)

    def _rows(self, rank: Rank, setting: Setting) -> dict[str, np.ndarray]:
        """The measures of every question, in either arrangement."""
        return {
            where: np.array([
                measures(question, [ground.turns[seq].id for seq in rank(ground, question, setting)])[1:]
                for ground in grounds
                for question in ground.conversation.questions
            ])
            for where, grounds in self.grounds.items()
        }  # fmt: skip

    def step(self, step: Step) -> dict[str, object]:
        """Measure a step in every setting, and as it is chosen on the other conversations."""
        beside = self.plain if step.beside[0] is as_it_is else self._rows(*step.beside)
        begun = time.process_time()
        found = [self._rows(step.rank, setting) for setting in step.settings]
        milliseconds = (time.process_time() - begun) * 1000 / (len(self.source) * len(beside) * len(found))
        apart = [{where: rows - beside[where] for where, rows in one.items()} for one in found]
        chosen = {name: self._best(apart, name) for name in sorted(set(self.source.tolist()))}
        unseen = {
            where: np.array([apart[chosen[name]][where][at] for at, name in enumerate(self.source)]) for where in beside
        }
        settings = [
            {
                "setting": setting,
                "by conversation": {name: round(self._worth(rows, self.source == name), 4) for name in chosen},
                "differences": self._told(rows),
            }
            for setting, rows in zip(step.settings, apart, strict=True)
        ]
        return {
            "step": step.label,
            "chosen": {name: step.settings[at] for name, at in chosen.items()},
            "cpu_ms_a_question": round(milliseconds, 2),
            "differences": self._told(unseen),
            "settings": settings,
        }

    def _best(self, apart: Sequence[Mapping[str, np.ndarray]], held: str) -> int:
        """The setting that does best on all conversations but one."""
        return int(np.argmax([self._worth(rows, self.source != held) for rows in apart]))

    def _worth(self, apart: Mapping[str, np.ndarray], of: np.ndarray) -> float:
        """What some questions gain, all measures of both arrangements together."""
        return float(sum(rows[of].mean(axis=0).sum() for rows in apart.values()))

    def _told(self, apart: Mapping[str, np.ndarray]) -> list[dict[str, object]]:
        groups = {"all": self.category > 0} | {CATEGORIES[one]: self.category == one for one in WEAK}
        told: list[dict[str, object]] = []
        for where, rows in apart.items():
            for name, of in groups.items():
                if not of.any():
                    continue
                line: dict[str, object] = {"where": where, "questions": name, "count": int(of.sum())}
                line["changed"] = int(rows[of].any(axis=1).sum())
                low, high = interval(rows[of])
                for at, measure in enumerate(REPORTED):
                    mean = rows[of][:, at].mean()
                    spread = {"mean": mean, "low": low[at], "high": high[at]}
                    line[measure] = {key: round(float(value), 2) for key, value in spread.items()}
                told.append(line)
        return told


def print_table(lines: Sequence[Mapping[str, Any]], where: Sequence[str]) -> None:
    """Print each step's differences, over all questions and the weak ones, in both arrangements."""
    drawn = Table(title=f"Steps that recall does not take: differences, in points ({', then '.join(where)})")
    drawn.add_column("step")
    drawn.add_column("questions")
    for _ in where:
        for measure in REPORTED:
            drawn.add_column(measure, justify="right")
    for line in lines:
        groups = dict.fromkeys(told["questions"] for told in line["differences"])
        for at, group in enumerate(groups):
            of = [told for told in line["differences"] if told["questions"] == group]
            cells = [_cell(told[measure]) for told in of for measure in REPORTED]
            drawn.add_row("" if at else line["step"], f"{group}", *cells)
        drawn.add_section()
    Console(width=None if os.isatty(1) else WIDTH).print(drawn)


def _cell(told: Mapping[str, float]) -> str:
    return f"{told['mean']:+.1f} [{told['low']:+.1f} {told['high']:+.1f}]".replace("[", r"\[")


def main(arguments: Sequence[str]) -> None:
    """Measure every step, print one table and write one JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--json", type=Path, default=RESULTS)
    given = parser.parse_args(arguments)
    began, begun = circumstances(), time.perf_counter()
    bench = Bench(load(given.directory))
    lines = [bench.step(step) for step in STEPS]
    print_table(lines, list(bench.grounds))
    plain = {
        where: dict(zip(REPORTED, rows.mean(axis=0).round(2).tolist(), strict=True))
        for where, rows in bench.plain.items()
    }
    print(f"as it is: {plain}")
    told = {**began, "load_after": os.getloadavg(), "seconds": round(time.perf_counter() - begun, 1)}
    told |= {"questions": len(bench.source), "as it is": plain, "steps": lines}
    given.json.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
