"""What recall does not do, and what it would be worth: one more step each, in memory, beside recall as it is.

Every step has a few settings. For each conversation the one that is best on all others is taken, in both arrangements
together (a scope each, all in one), and measured on that one: so no line is of the questions it was chosen on. A
difference is paired, the same questions with the step and without, its 95 % interval from resampling questions. CPU is
what a step takes when the plain ranking is made already. The last lines are asked end to end, through `recall` on a
file: how many candidates it takes by their words, for an answer of ten and of twenty.

python bench/locomo_tried.py DIR [--json FILE]
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from firsthand.recall import arms
from locomo import CATEGORIES, MEASURES, Conversation, Question, in_one_scope, interval, load, measures
from locomo_retrieval import DEPTH, EndToEnd, circumstances
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

    def _timed(self, rank: Rank, setting: Setting) -> tuple[dict[str, np.ndarray], float]:
        begun = time.process_time()
        rows = self._rows(rank, setting)
        return rows, round((time.process_time() - begun) * 1000 / sum(map(len, rows.values())), 2)

    def step(self, step: Step) -> dict[str, object]:
        """Measure a step in every setting, and as it is chosen on the other conversations."""
        beside, before = (self.plain, 0.0) if step.beside[0] is as_it_is else self._timed(*step.beside)
        found, spent = zip(*(self._timed(step.rank, setting) for setting in step.settings), strict=True)
        apart = [{where: rows - beside[where] for where, rows in one.items()} for one in found]
        chosen = {name: self._best(apart, name) for name in sorted(set(self.source.tolist()))}
        unseen = {
            where: np.array([apart[chosen[name]][where][at] for at, name in enumerate(self.source)]) for where in beside
        }
        settings = [
            {
                "setting": setting,
                "by conversation": {name: round(self._worth(rows, self.source == name), 4) for name in chosen},
                "cpu_ms_a_question": cpu,
                "differences": self._told(rows),
            }
            for setting, rows, cpu in zip(step.settings, apart, spent, strict=True)
        ]
        return {
            "step": step.label,
            "chosen": {name: step.settings[at] for name, at in chosen.items()},
            "cpu_ms_beside": before,
            "beside": {where: _means(rows) for where, rows in beside.items()},
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


def _means(rows: np.ndarray) -> dict[str, float]:
    return dict(zip(REPORTED, rows.mean(axis=0).round(2).tolist(), strict=True))


class Whole:
    """Memories on files, one for each arrangement, that take more candidates by their words when told to."""

    def __init__(self, directory: Path, folder: Path, bench: Bench) -> None:
        self._memories: list[EndToEnd] = []
        self._of: dict[str, tuple[EndToEnd, dict[str, int]]] = {}
        for grounds in bench.grounds.values():
            memory = EndToEnd(directory, folder / f"{len(grounds)}.db", [ground.conversation for ground in grounds])
            self._memories.append(memory)
            for ground in grounds:
                self._of[ground.conversation.name] = memory, {turn.id: at for at, turn in enumerate(ground.turns)}
                for question in ground.conversation.questions:  # so that no line pays for what is kept afterwards
                    self.ask(DEPTH, ground, question, arms.FETCH_LEAST)

    def ask(self, limit: int, ground: Ground, question: Question, least: int) -> list[int]:
        """The seqs of what recall answers when it takes so many candidates at least."""
        memory, seqs = self._of[ground.conversation.name]
        usual, arms.FETCH_LEAST = arms.FETCH_LEAST, least
        try:
            packet = memory.ask(ground.conversation, question, limit=limit, max_bytes=256 * 1024)
        finally:
            arms.FETCH_LEAST = usual
        return [seqs[item.source_id] for item in packet.items if item.source_id is not None]

    def steps(self) -> list[Step]:
        """More candidates for an answer of ten, and of twenty, beside as many as it takes."""
        found = []
        for limit in (DEPTH // 2, DEPTH):
            taken = max(arms.FETCH_LEAST, limit * arms.OVER_FETCH)
            more, ask = [count for count in (120, 240, 480) if count > taken], partial(self.ask, limit)
            found.append(Step(f"recall of {limit} from more than {taken}, end to end", ask, more, (ask, taken)))
        return found

    def close(self) -> None:
        """Close the files."""
        for memory in self._memories:
            memory.close()


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
    conversations = load(given.directory)
    if len(conversations) < 2:
        parser.error("a setting is chosen on other conversations: there have to be two")
    bench = Bench(conversations)
    lines = [bench.step(step) for step in STEPS]
    with tempfile.TemporaryDirectory() as folder:
        whole = Whole(given.directory, Path(folder), bench)
        lines += [bench.step(step) for step in whole.steps()]
        whole.close()
    print_table(lines, list(bench.grounds))
    plain = {where: _means(rows) for where, rows in bench.plain.items()}
    print(f"as it is: {plain}")
    told = {**began, "load_after": os.getloadavg(), "seconds": round(time.perf_counter() - begun, 1)}
    told |= {"questions": len(bench.source), "as it is": plain, "steps": lines}
    given.json.write_text(json.dumps(told) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
