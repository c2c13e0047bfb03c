"""LoCoMo conversations as turns and questions, and the evidence measures. The data is never part of this repository."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

UNANSWERABLE = 5
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
MEASURES = ("R@5", "R@10", "R@20", "MRR")
_DEPTHS = (5, 10, 20)
_DIA_ID = re.compile(r"D:?(\d+):(\d+)")


@dataclass(frozen=True)
class Turn:
    """One turn of a conversation; its id is unique among the conversations of a scope."""

    id: str
    speaker: str
    text: str
    thread: str
    occurred_at: int


@dataclass(frozen=True)
class Question:
    """A question, the turns that hold its answer, and the instant at which it is asked."""

    text: str
    category: int
    evidence: frozenset[str]
    asked_at: int
    conversation: str


@dataclass(frozen=True)
class Conversation:
    """A scope of turns in order, with the questions asked of it."""

    name: str
    turns: Sequence[Turn]
    questions: Sequence[Question] = field(default=())
    unanswerable: Sequence[Question] = field(default=())


def load(directory: Path) -> list[Conversation]:
    """Read every conversation of a directory, by file name."""
    return [_conversation(path.stem, json.loads(path.read_text())) for path in sorted(directory.glob("*.json"))]


def in_one_scope(conversations: Iterable[Conversation]) -> Conversation:
    """Put the turns and questions of several conversations into one scope."""
    listed = list(conversations)
    return Conversation(
        "+".join(each.name for each in listed),
        [turn for each in listed for turn in each.turns],
        [question for each in listed for question in each.questions],
    )


def measures(question: Question, ranked: Sequence[str]) -> tuple[float, ...]:
    """Return the evidence recall at 5, 10 and 20 and the reciprocal rank of the first evidence, in percent."""
    at = [place for place, turn in enumerate(ranked) if turn in question.evidence]
    recalls = [sum(place < depth for place in at) / len(question.evidence) for depth in _DEPTHS]
    return *(100 * recall for recall in recalls), 100 / (1 + at[0]) if at else 0.0


def interval(rows: np.ndarray, seed: int = 7, times: int = 2000) -> np.ndarray:
    """Return the bootstrap 95 % interval of each column's mean, resampling rows."""
    chosen = np.random.default_rng(seed).integers(0, len(rows), (times, len(rows)))
    return np.percentile(rows[chosen].mean(axis=1), (2.5, 97.5), axis=0)


def _conversation(name: str, raw: dict) -> Conversation:
    sessions = sorted(int(key.split("_")[1]) for key in raw if re.fullmatch(r"session_\d+", key))
    turns = [
        Turn(f"{name}/{each['dia_id']}", each["speaker"], _text(each), f"{name}/{session}", _said_at(raw, session))
        for session in sessions
        for each in raw[f"session_{session}"]
    ]
    known, asked_at = {turn.id for turn in turns}, max(turn.occurred_at for turn in turns)
    questions, unanswerable = [], []
    for each in raw["qa"]:
        found = _DIA_ID.findall(" ".join(each["evidence"]))
        evidence = frozenset(f"{name}/D{session}:{turn}" for session, turn in found) & known
        if each["category"] in CATEGORIES and evidence:
            questions.append(Question(each["question"], each["category"], evidence, asked_at, name))
        elif each["category"] == UNANSWERABLE:
            unanswerable.append(Question(each["question"], UNANSWERABLE, frozenset(), asked_at, name))
    return Conversation(name, turns, questions, unanswerable)


def _text(turn: dict) -> str:
    return " ".join(filter(None, (turn.get("text") or turn.get("clean_text"), turn.get("blip_caption"))))


def _said_at(raw: dict, session: int) -> int:
    said = datetime.strptime(raw[f"session_{session}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    return int(said.timestamp()) * 1_000_000
