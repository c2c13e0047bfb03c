"""What every importer does once a source has become lines: whole batches in, every line counted once."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

import msgspec

from firsthand.vocabulary.errors import ConflictError, FirsthandError, InvalidError, RefusedError
from firsthand.vocabulary.limits import EPISODE_TEXT_BYTES, NAME_BYTES, check_bytes, check_range
from firsthand.vocabulary.packets import BatchReport, ImportProblem, ImportReport

OnError = Literal["skip", "stop"]
Progress = Callable[[int], None]

BATCH_LINES_DEFAULT: Final = 500
BATCH_LINES_MAX: Final = 5_000
PROBLEMS_KEPT: Final = 1_000
"""A report lists this many problems; the rest are only counted (`read - added - known - refused`)."""


class Captures(Protocol):
    """What importers need of a memory."""

    @property
    def scope(self) -> str:
        """Where it writes."""
        ...

    def capture_many(self, items: Iterable[Mapping[str, object]], *, batch: int = ...) -> BatchReport:
        """Episodes, `batch` of them to a transaction."""
        ...


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One turn that passed every limit, with its place in the source, counted from 1."""

    number: int
    text: str
    speaker: str
    occurred_at: int | None = None
    thread: str | None = None
    native_id: str | None = None

    def __post_init__(self) -> None:
        check_bytes(self.text, most=EPISODE_TEXT_BYTES, field="text")
        check_bytes(self.speaker, most=NAME_BYTES, field="speaker")
        for name, value in (("thread", self.thread), ("id", self.native_id)):
            if value is not None:
                check_bytes(value, most=NAME_BYTES, field=name)


def problem(number: int, error: FirsthandError) -> ImportProblem:
    """An error about one line, as the report shows it; in a chat, a key used before is an id used before."""
    if isinstance(error, ConflictError):
        return ImportProblem(line=number, code="id_reused", message="id was imported before with other content")
    return ImportProblem(line=number, code=error.code, message=error.message)


def take_in(
    memory: Captures,
    lines: Iterable[Line | ImportProblem],
    *,
    name: str,
    on_error: OnError = "skip",
    progress: Progress | None = None,
    batch: int = BATCH_LINES_DEFAULT,
) -> ImportReport:
    """Capture `lines` in whole batches; `progress` hears how many lines of the source are dealt with."""
    check_bytes(name, most=NAME_BYTES, field="name")
    check_range(batch, least=1, most=BATCH_LINES_MAX, field="batch")
    tally = _Tally(name=name, stops=on_error == "stop")
    waiting: list[Line] = []
    for line in lines:
        tally.read += 1
        if isinstance(line, ImportProblem):
            tally.note(line)
            continue
        waiting.append(line)
        if len(waiting) == batch:
            _capture(memory, waiting, tally)
            waiting = []
            if progress:
                progress(tally.read)
    _capture(memory, waiting, tally)
    if progress:
        progress(tally.read)
    return tally.report()


@dataclass(slots=True)
class _Tally:
    name: str
    stops: bool
    read: int = 0
    added: int = 0
    known: int = 0
    refused: int = 0
    problems: list[ImportProblem] = field(default_factory=list[ImportProblem])
    started: float = field(default_factory=time.perf_counter)

    def count(self, report: BatchReport) -> None:
        for receipt in report.receipts:
            if receipt.outcome == "refused":
                self.refused += 1
            elif receipt.replayed:
                self.known += 1
            else:
                self.added += 1

    def note(self, found: ImportProblem) -> None:
        """Keep a problem, or stop at it; what waits for its batch is then not imported."""
        if self.stops:
            raise InvalidError(
                "import_stopped",
                f"line {found.line}: {found.message}; stopped with {self.added} lines added and {self.known} known",
                field="source",
                may_have_written=self.added > 0,
                details={"line": found.line, "code": found.code, "added": self.added, "known": self.known},
            )
        if len(self.problems) < PROBLEMS_KEPT:
            self.problems.append(found)

    def report(self) -> ImportReport:
        return ImportReport(
            source=self.name,
            read=self.read,
            added=self.added,
            known=self.known,
            refused=self.refused,
            problems=tuple(self.problems),
            seconds=time.perf_counter() - self.started,
        )


def _capture(memory: Captures, lines: list[Line], tally: _Tally) -> None:
    """One transaction; a batch that the memory will not have is tried line by line to find whose fault it is."""
    if not lines:
        return
    items = [_item(line, scope=memory.scope, source=tally.name) for line in lines]
    try:
        tally.count(memory.capture_many(items, batch=len(items)))
    except (InvalidError, ConflictError, RefusedError) as error:
        if len(lines) == 1:
            tally.note(problem(lines[0].number, error))
            return
        for line in lines:
            _capture(memory, [line], tally)


def _item(line: Line, *, scope: str, source: str) -> dict[str, object]:
    return {
        "text": line.text,
        "speaker": line.speaker,
        "occurred_at": line.occurred_at,
        "thread": line.thread,
        "source_id": line.native_id,
        "imported": True,
        "idempotency_key": _key(line, scope=scope, source=source),
    }


def _key(line: Line, *, scope: str, source: str) -> str:
    """The same line of the same source in the same scope has the same key, on every run.

    Without an id the content is the identity, so a sentence repeated word for word at the same instant is one turn.
    """
    if line.native_id is not None:
        identity: list[object] = ["id", line.native_id]
    else:
        identity = ["content", line.speaker, line.text, line.occurred_at, line.thread]
    canonical = json.dumps([scope, source, *identity], separators=(",", ":"))
    return "import:" + hashlib.sha256(canonical.encode()).hexdigest()
