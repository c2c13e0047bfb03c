"""How often the claim extractor is right, and how much of what is plainly said it finds: per pattern and per half.

The sentences were labelled before any pattern was written, by the hand that wrote the patterns. A sentence is in the
half that was looked at while writing them, or in the other, by the parity of the first byte of its SHA-256.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from firsthand.rules.extraction import extract
from firsthand.vocabulary.instants import to_micros

SENTENCES = Path(__file__).parents[1] / "tests" / "rules" / "extraction_sentences.jsonl"
RESULTS = Path(__file__).parent / "results" / "extraction.json"
SAID_AT = to_micros("2026-05-13T10:00Z", "said_at")
SPEAKER, TOPIC = "Ana", "orion"
HALVES = ("looked at", "held out")

Claim = tuple[str, str, str, str, str | None, str | None]
"""Subject, predicate, object, polarity, and the days it began and ended; `said` is the instant of saying."""


class Sentence(NamedTuple):
    """A sentence with its labels."""

    text: str
    by: str
    claims: frozenset[Claim]
    half: str


class Score(NamedTuple):
    """Claims found and right, found and wrong, and missed."""

    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float | None:
        """The share of what was found that is right."""
        return self.right / (self.right + self.wrong) if self.right + self.wrong else None

    @property
    def recall(self) -> float | None:
        """The share of what is said that was found."""
        return self.right / (self.right + self.missed) if self.right + self.missed else None


def sentences(path: Path = SENTENCES) -> list[Sentence]:
    """The labelled sentences."""
    found: list[Sentence] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        half = HALVES[hashlib.sha256(row["text"].encode()).digest()[0] % 2]
        claims = frozenset((s, p, o, polarity, begun, ended) for s, p, o, polarity, begun, ended in row["claims"])
        found.append(Sentence(row["text"], row.get("by", SPEAKER), claims, half))
    return found


def found_in(sentence: Sentence) -> dict[Claim, str]:
    """What the extractor finds, each with the form it was said in."""
    found: dict[Claim, str] = {}
    for each in extract(sentence.text, speaker=sentence.by, said_at=SAID_AT, topic=TOPIC):
        claim = each.claim
        assert claim.subject is not None
        assert claim.predicate is not None
        assert claim.object is not None
        days = _day(claim.validity.from_), _day(claim.validity.to)
        found[claim.subject, claim.predicate, str(claim.object.value), claim.polarity, *days] = each.form
    return found


def _day(micros: int | None) -> str | None:
    if micros is None or micros == SAID_AT:
        return None if micros is None else "said"
    return datetime.fromtimestamp(micros / 1_000_000, tz=UTC).date().isoformat()


def score(asked: Iterable[Sentence]) -> Score:
    """Right, wrong and missed over some sentences."""
    right = wrong = missed = 0
    for sentence in asked:
        found = frozenset(found_in(sentence))
        right += len(found & sentence.claims)
        wrong += len(found - sentence.claims)
        missed += len(sentence.claims - found)
    return Score(right, wrong, missed)


def per_predicate(asked: Sequence[Sentence]) -> dict[str, Score]:
    """The same, by what is said."""
    right, wrong, missed = Counter[str](), Counter[str](), Counter[str]()
    for sentence in asked:
        found = frozenset(found_in(sentence))
        right.update(claim[1] for claim in found & sentence.claims)
        wrong.update(claim[1] for claim in found - sentence.claims)
        missed.update(claim[1] for claim in sentence.claims - found)
    return {name: Score(right[name], wrong[name], missed[name]) for name in sorted(right | wrong | missed)}


def per_form(asked: Sequence[Sentence]) -> dict[str, Score]:
    """The same, by the pattern that found it; what nothing found belongs to no pattern."""
    right, wrong = Counter[str](), Counter[str]()
    for sentence in asked:
        for claim, form in found_in(sentence).items():
            (right if claim in sentence.claims else wrong)[form] += 1
    return {name: Score(right[name], wrong[name], 0) for name in sorted(right | wrong)}


def rows(asked: Sequence[Sentence]) -> list[tuple[str, Score]]:
    """Every row of the table."""
    halves = [(f"all, {half}", score(s for s in asked if s.half == half)) for half in HALVES]
    predicates = [(f"predicate {name}", found) for name, found in per_predicate(asked).items()]
    forms = [(f"pattern {name}", found) for name, found in per_form(asked).items()]
    return [("all", score(asked)), *halves, *predicates, *forms]


def main(arguments: Sequence[str]) -> int:
    """Print one table and write one JSON; 1 if the held-out half is below the bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, default=RESULTS)
    given = parser.parse_args(arguments)
    asked = sentences()
    begun = time.process_time()
    table = rows(asked)
    spent = (time.process_time() - begun) / 4
    drawn = Table("what", "right", "wrong", "missed", "precision", "recall")
    for what, found in table:
        drawn.add_row(what, str(found.right), str(found.wrong), str(found.missed), *map(_share, _shares(what, found)))
    Console(width=100).print(drawn)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    told = {
        "commit": commit,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "split": (__doc__ or "").split("\n\n", 1)[1].strip(),
        "sentences": len(asked),
        "sentences that claim something": sum(bool(s.claims) for s in asked),
        "microseconds of CPU a sentence": round(spent / len(asked) * 1e6),
        "rows": [
            {"what": what, **found._asdict(), **dict(zip(("precision", "recall"), _shares(what, found), strict=True))}
            for what, found in table
        ],
    }
    given.json.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    held_out = dict(table)[f"all, {HALVES[1]}"].precision
    return int(held_out is None or held_out < 0.9)


def _shares(what: str, found: Score) -> tuple[float | None, float | None]:
    return found.precision, None if what.startswith("pattern ") else found.recall


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
