"""How much of a prompt's memory a model's provider can take from its cache, and what a turn costs.

The questions of each conversation are the turns of one session, asked in their order: once of an assembly, once of
`recall(...).render()`, with the same budget of tokens. The shared prefix is the bytes in which two prompts that follow
each other begin alike, as a share of the later one; a fence's nonce alone ends it for a packet.

python bench/assembly.py DIR [--tokens 2000,4000,8000] [--limit 10] [--json FILE]
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import firsthand
from firsthand.importers.locomo import import_locomo
from locomo import Conversation, Question, load
from report import Row, Samples, circumstances, row_of, save, table

TOKENS = "2000,4000,8000"
LIMIT = 10
NOTES = (
    "The questions of a conversation are the turns of one session, in the order of its file. Evidence in the prompt:",
    "how much of a question's evidence stands in the prompt it is answered from. Bytes sent again: those after the",
    "shared prefix, as a share of all. Both ways are asked in one run, in turn; a recall has at most --limit items.",
)


class At:
    """A clock that stands at the end of the conversation."""

    def __init__(self) -> None:
        self.instant = 0

    def now(self) -> int:
        """The instant it stands at."""
        return self.instant


@dataclass
class Told:
    """The prompts of one way of asking, measured as they come."""

    shares: list[float] = field(default_factory=list)
    evidence: list[float] = field(default_factory=list)
    time: Samples = field(default_factory=Samples)
    size: int = 0
    sent: int = 0
    tokens: int = 0
    rooms: int = 0
    _last: bytes | None = None

    def begin(self) -> None:
        """A new session: its first prompt has none before it."""
        self._last = None

    def take(self, text: str, found: frozenset[str] | set[str], question: Question) -> None:
        """One more prompt, and the ids of the turns that stand in it."""
        now = text.encode()
        common = 0 if self._last is None else shared(self._last, now)
        if self._last is not None:
            self.shares.append(common / len(now))
        self.size += len(now)
        self.sent += len(now) - common
        self.evidence.append(len(found & question.evidence) / len(question.evidence))
        self._last = now


def shared(one: bytes, other: bytes) -> int:
    """In how many bytes two texts begin alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def main(arguments: Sequence[str]) -> None:
    """Measure, print one table and write one JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--tokens", default=TOKENS)
    parser.add_argument("--limit", type=int, default=LIMIT)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    began = circumstances()
    conversations = load(given.directory)
    groups = [measured(given.directory, conversations, int(t), given.limit) for t in given.tokens.split(",")]
    title = f"assembly, commit {str(began['commit'])[:10]}, {began['machine']}, load {began['load'][0]:.1f}"
    table(title, groups, NOTES)
    if given.json is not None:
        save(given.json, began, groups, NOTES)


def measured(directory: Path, conversations: Sequence[Conversation], tokens: int, limit: int) -> list[Row]:
    """Every conversation's session at one budget, both ways in turn."""
    assembled, plain = Told(), Told()
    for conversation in conversations:
        with tempfile.TemporaryDirectory(prefix="firsthand-bench-") as folder:
            _session(directory, conversation, Path(folder), assembled, plain, {"tokens": tokens, "limit": limit})
    return rows(assembled, plain, tokens)


def _session(
    directory: Path, conversation: Conversation, folder: Path, assembled: Told, plain: Told, asked: dict[str, Any]
) -> None:
    clock = At()
    with firsthand.open(folder / "memory.db", clock=clock, synchronous="OFF", scope="project:talk") as memory:
        clock.instant = max(turn.occurred_at for turn in conversation.turns)
        import_locomo(memory, directory / f"{conversation.name}.json")
        ids = {item.record_id: f"{conversation.name}/{item.source_id}" for item in _everything(memory)}
        assembly = memory.assembly(max_tokens=asked["tokens"])
        bounds = {"limit": asked["limit"], "max_bytes": 256 * 1024}
        memory.recall("warm", **bounds)
        for told in (assembled, plain):
            told.begin()
        for question in conversation.questions:
            turn = assembled.time.measure(lambda q=question: assembly.turn(q.text, **bounds))
            assembled.take(turn.text, {ids[r] for r in turn.record_ids}, question)
            assembled.tokens += turn.tokens
            assembled.rooms += turn.made_room

            packet, text = plain.time.measure(lambda q=question: _plain(memory, q.text, asked["tokens"], bounds))
            plain.take(text, {ids[i.record_id] for i in packet.items}, question)


def _plain(memory: firsthand.Memory, query: str, tokens: int, bounds: dict[str, Any]) -> tuple[firsthand.Packet, str]:
    packet = memory.recall(query, max_tokens=tokens, **bounds)
    return packet, packet.render(max_tokens=tokens)


def _everything(memory: firsthand.Memory) -> list[firsthand.Item]:
    found: list[firsthand.Item] = []
    page = memory.list(limit=200)
    while True:
        found += page.items
        if page.cursor is None:
            return found
        page = memory.list(limit=200, cursor=page.cursor)


def rows(assembled: Told, plain: Told, tokens: int) -> list[Row]:
    """What was measured at one budget, each measure of the assembly above the same of plain recall."""
    made: list[Row] = []
    ways = {"assembly": assembled, "recall": plain}
    for what, unit, value in (
        ("shared prefix, mean", "%", lambda t: 100 * _mean(t.shares)),
        ("bytes sent again", "%", lambda t: 100 * t.sent / t.size),
        ("evidence in the prompt", "%", lambda t: 100 * _mean(t.evidence)),
        ("turns with all evidence", "%", lambda t: 100 * _mean([e == 1 for e in t.evidence])),
        ("one prompt", "KiB", lambda t: t.size / len(t.evidence) / 1024),
    ):
        made += [Row(f"{tokens} tokens, {what}: {way}", value(told), unit, len(told.evidence))
                 for way, told in ways.items()]  # fmt: skip
    made += [row_of(f"{tokens} tokens, one turn: {way}", told.time, size=len(told.evidence))
             for way, told in ways.items()]  # fmt: skip
    share = 100 * assembled.rooms / len(assembled.evidence)
    return [*made, Row(f"{tokens} tokens, turns that made room: assembly", share, "%", len(assembled.evidence))]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(1, len(values))


if __name__ == "__main__":
    main(sys.argv[1:])
