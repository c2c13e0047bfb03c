"""How long a memory takes, measured on its owner's own store: on a copy of it, beside bare SQLite in the same run.

The memory itself is never opened: SQLite's backup copies one state of it, and what is measured is the copy, which is
gone afterwards. It lies on the disk of the original, since a durable write takes as long as its disk does.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import platform
import random
import re
import shutil
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from firsthand import wiring
from firsthand.config import Settings
from firsthand.memory import Memory
from firsthand.moving.manifest import beside
from firsthand.ports import Progress
from firsthand.vocabulary.errors import AbsentError, InvalidError, RefusedError
from firsthand.vocabulary.limits import LIST_PAGE_ROWS
from firsthand.vocabulary.packets import Receipt

FOLDER: Final = "measuring"
"""What stands in the name of the copy's folder, for whoever finds one that a kill left."""
ROUNDS: Final = 100
WARM_UP: Final = 10
TEN: Final = 10
QUESTION_WORDS: Final = 6
SEED: Final = 7
_WORD: Final = re.compile(r"\w{3,32}")


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of work: how long half and 95 % of its runs took, and how often the floor's time that is."""

    what: str
    p50_ms: float
    p95_ms: float
    beside: str | None = None
    ratio: float | None = None


class Measurements(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured; nothing in it is content."""

    firsthand: str
    python: str
    engine: str
    rounds: int
    entries: int | None
    records: int
    asked: int
    """How many records of the scope have words that the questions were drawn from."""
    bytes: int
    bytes_a_record: float
    rows: tuple[Measured, ...]


class _Line(NamedTuple):
    record_id: str
    text: str
    words: tuple[str, ...]


class _Times:
    """Milliseconds of each kind of work."""

    def __init__(self) -> None:
        self._taken: dict[str, list[float]] = {}

    def measure(self, what: str, work: Callable[[], object]) -> object:
        started = time.perf_counter_ns()
        result = work()
        self._taken.setdefault(what, []).append((time.perf_counter_ns() - started) / 1e6)
        return result

    def row(self, what: str, beside: str | None = None) -> Measured:
        ratio = None if beside is None else round(self._at(what, 0.5) / self._at(beside, 0.5), 2)
        p50, p95 = (round(self._at(what, part), 3) for part in (0.5, 0.95))
        return Measured(what=what, p50_ms=p50, p95_ms=p95, beside=beside, ratio=ratio)

    def _at(self, what: str, part: float) -> float:
        ranked = sorted(self._taken[what])
        return ranked[math.ceil(len(ranked) * part) - 1]


def measure(
    settings: Settings, version: str, *, rounds: int = ROUNDS, at: Path | None = None, progress: Progress | None = None
) -> Measurements:
    """Copy the memory that the settings name, measure the copy and remove it.

    `at` is a folder for the copy; unset, it is made beside the memory. Raises `AbsentError` if nothing in the scope has
    words to ask about.
    """
    if at is not None and not at.is_dir():
        raise InvalidError("folder_missing", "the folder for the copy does not exist", field="at")
    with _copied(settings, at) as copy, _opened(settings, copy) as memory:
        stats = memory.stats()
        lines = [line for line in _lines(memory) if line.words]
        if not lines:
            raise AbsentError(
                "nothing_to_measure",
                "nothing with words is stored in this scope; `firsthand scopes` tells which hold something, "
                "`firsthand capture` and `firsthand import` store something",
                field="scope", next_action="fix_and_resubmit",
            )  # fmt: skip
        floor = wiring.floor(copy.with_name("floor.db"), (line.text for line in lines))
        try:
            times = _measured(memory, floor, lines, rounds, progress)
        finally:
            floor.close()
        records = sum(stats.records.values())
        return Measurements(
            firsthand=version,
            python=platform.python_version(),
            engine=str(memory.facts()["engine"]),
            rounds=rounds,
            entries=stats.entries,
            records=records,
            asked=len(lines),
            bytes=stats.bytes_on_disk,
            bytes_a_record=round(stats.bytes_on_disk / records, 1),
            rows=_rows(times),
        )


RECALL: Final = "recall, 10 items"
SEARCH: Final = "SQLite: text index, top 10"
READ: Final = "read"
CAPTURE: Final = "capture, durable"
REMEMBER: Final = "remember, durable"
INSERT: Final = "SQLite: one synced row"


def _rows(times: _Times) -> tuple[Measured, ...]:
    return (
        times.row(RECALL, SEARCH), times.row(READ), times.row(SEARCH),
        times.row(CAPTURE, INSERT), times.row(REMEMBER, INSERT), times.row(INSERT),
    )  # fmt: skip


@contextlib.contextmanager
def _copied(settings: Settings, at: Path | None) -> Generator[Path]:
    """One state of the memory in a folder for its owner alone, which is gone afterwards."""
    source = wiring.find_database(settings.db)
    folder = beside(source if at is None else at / source.name, FOLDER)
    try:
        folder.mkdir(mode=0o700)
    except OSError:
        raise InvalidError(
            "folder_unwritable", "no folder for the copy can be made there; name another one with --at", field="at"
        ) from None
    try:
        yield wiring.copied(settings.db, folder)
    finally:
        shutil.rmtree(folder)


def _opened(settings: Settings, copy: Path) -> Memory:
    return wiring.open(
        copy, space=settings.space, scope=settings.scope, actor=settings.actor, owner=settings.owner,
        role=settings.role, create=False, embedder=_local_or_none(settings), reranker=settings.reranker,
    )  # fmt: skip


def _local_or_none(settings: Settings) -> str | None:
    """No endpoint is asked: the questions are made of words that may not leave the machine."""
    return None if wiring.is_elsewhere(settings.embedder) else settings.embedder


def _lines(memory: Memory) -> Iterator[_Line]:
    """Every record of the scope, with its words."""
    cursor: str | None = None
    while True:
        page = memory.list(limit=LIST_PAGE_ROWS, cursor=cursor)
        for item in page.items:
            yield _Line(item.record_id, item.text, tuple(dict.fromkeys(_WORD.findall(item.text))))
        cursor = page.cursor
        if cursor is None:
            return


def _measured(
    memory: Memory, floor: wiring.Floor, lines: list[_Line], rounds: int, progress: Progress | None
) -> _Times:
    """Reading first, then writing, each beside the floor's work in the same moment."""
    chosen = random.Random(SEED)
    done = itertools.count(1)

    def tell() -> None:
        if progress is not None:
            progress(next(done), 2 * (WARM_UP + rounds))

    times = _Times()
    for number in range(WARM_UP + rounds):
        _read_once(memory, floor, chosen.choice(lines), chosen, times if number >= WARM_UP else _Times())
        tell()
    for number in range(WARM_UP + rounds):
        _write_once(memory, floor, number, times if number >= WARM_UP else _Times())
        tell()
    return times


def _read_once(memory: Memory, floor: wiring.Floor, line: _Line, chosen: random.Random, times: _Times) -> None:
    words = chosen.sample(line.words, min(QUESTION_WORDS, len(line.words)))
    times.measure(RECALL, lambda: memory.recall(" ".join(words), limit=TEN))
    times.measure(SEARCH, lambda: floor.search(words, TEN))
    times.measure(READ, lambda: memory.read(line.record_id))


def _write_once(memory: Memory, floor: wiring.Floor, number: int, times: _Times) -> None:
    said = f"Measured note {number}: the gauge of the spare pump was read before the night shift."
    claim = f"Measured gauge {number} stands at {1_000 + number}"
    times.measure(INSERT, lambda: floor.insert(said))
    _stored(times.measure(CAPTURE, lambda: memory.capture(said)))
    times.measure(INSERT, lambda: floor.insert(claim))
    subject, value = f"measured gauge {number}", str(1_000 + number)

    def remember() -> Receipt:
        return memory.remember(claim, subject=subject, predicate="stands_at", object=value)

    _stored(times.measure(REMEMBER, remember))


def _stored(receipt: object) -> None:
    """A write that policy turned away was not measured."""
    assert isinstance(receipt, Receipt)
    if receipt.outcome not in ("stored", "reinforced"):
        raise RefusedError(
            receipt.code or "refused", "a rule of this memory turns the measured write away in its copy, too",
            next_action=receipt.next_action,
        )  # fmt: skip
