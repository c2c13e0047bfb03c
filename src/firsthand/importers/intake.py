"""What every importer does once a source has become lines: whole batches in, every line counted once."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final, Literal, NamedTuple, Protocol

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


class Source(NamedTuple):
    """What is imported: as the report calls it, and what tells its lines from the same lines elsewhere.

    Where `ids_are_unique`, no two lines of that identity share an id whatever file they are in, so one that is met
    again with the same words is a copy.
    """

    name: str
    identity: str
    ids_are_unique: bool = False


Parsed = Iterator["Line | ImportProblem"]


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
    """One turn that passed every limit, with its place in the source, counted from 1.

    `turn` is what a program that was there calls it, such as a hook; several lines may be called the same.
    """

    number: int
    text: str
    speaker: str
    occurred_at: int | None = None
    thread: str | None = None
    native_id: str | None = None
    event_kind: str | None = None
    origin: str | None = None
    turn: str | None = None

    def __post_init__(self) -> None:
        check_bytes(self.text, most=EPISODE_TEXT_BYTES, field="text")
        check_bytes(self.speaker, most=NAME_BYTES, field="speaker")
        for name, value in (("thread", self.thread), ("id", self.native_id), ("origin", self.origin)):
            if value is not None:
                check_bytes(value, most=NAME_BYTES, field=name)


class Turn(NamedTuple):
    """A line that waits for its batch, with the key it is known by in the memory it goes to.

    What comes again under that key may be a copy. It is the `nth` line of its source, from 0, that is called as it is.
    """

    memory: Captures
    line: Line
    key: str
    copies_are_known: bool = False
    file: str | None = None
    nth: int = 0


def called(source: Path | IO[bytes], name: str | None) -> Source:
    """A source by the name it was given, else by the full path of its file: one name may be in many folders."""
    if name is not None:
        check_bytes(name, most=NAME_BYTES, field="name")
        return Source(name, name)
    own: object = source if isinstance(source, Path) else getattr(source, "name", None)
    if isinstance(own, str | Path) and (path := Path(own)).is_file():
        return Source(readable(path.name), str(path.resolve()))
    raise InvalidError(
        "name_missing", "name is missing; what is read from no file needs one, by which its lines are known again",
        field="name",
    )  # fmt: skip


def readable(path: str) -> str:
    """A path as text: names of files are bytes, and may be no UTF-8."""
    return path.encode(errors="replace").decode()


def problem(number: int, error: FirsthandError, file: str | None = None) -> ImportProblem:
    """An error about one line, as the report shows it; in an import, a key used before is an id used before."""
    if isinstance(error, ConflictError):
        message = "id was imported before with other content"
        return ImportProblem(line=number, code="id_reused", message=message, file=file)
    return ImportProblem(line=number, code=error.code, message=error.message, file=file)


def take_in(
    memory: Captures,
    lines: Iterable[Line | ImportProblem],
    *,
    source: Source,
    on_error: OnError = "skip",
    progress: Progress | None = None,
    batch: int = BATCH_LINES_DEFAULT,
) -> ImportReport:
    """Capture `lines` in whole batches; `progress` hears how many lines of the source are dealt with."""
    turns = keyed(memory, lines, source)
    return take_in_turns(memory.scope, turns, name=source.name, on_error=on_error, progress=progress, batch=batch)


def take_in_turns(
    scope: str,
    turns: Iterable[Turn | ImportProblem],
    *,
    name: str,
    on_error: OnError,
    progress: Progress | None,
    batch: int,
) -> ImportReport:
    """Capture turns of one file or of many, in whole batches; nothing at all went into `scope`."""
    check_range(batch, least=1, most=BATCH_LINES_MAX, field="batch")
    tally = _Tally(name=name, stops=on_error == "stop")
    waiting: list[Turn] = []
    for turn in turns:
        tally.read += 1
        if isinstance(turn, ImportProblem):
            tally.note(turn)
            continue
        if waiting and waiting[0].memory is not turn.memory:
            _capture(waiting, tally)
            waiting = []
        waiting.append(turn)
        if len(waiting) == batch:
            _capture(waiting, tally)
            waiting = []
            if progress:
                progress(tally.read)
    _capture(waiting, tally)
    if progress:
        progress(tally.read)
    return tally.report(scope)


def keyed(
    memory: Captures, lines: Iterable[Line | ImportProblem], source: Source, *, file: str | None = None
) -> Iterator[Turn | ImportProblem]:
    """Every line with the key it is known by, and with the file it is from where the source is one of several."""
    keys = _Keys(memory.scope, source)
    before: Counter[str | None] = Counter()
    for line in lines:
        if isinstance(line, ImportProblem):
            yield line if file is None else msgspec.structs.replace(line, file=file)
        else:
            nth = before[line.turn]
            before[line.turn] += 1
            yield Turn(memory, line, keys.of(line), source.ids_are_unique, file, nth)


@dataclass(slots=True)
class _Tally:
    name: str
    stops: bool
    scopes: set[str] = field(default_factory=set[str])
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
            place = {"line": found.line} if found.file is None else {"file": found.file, "line": found.line}
            raise InvalidError(
                "import_stopped",
                f"{found.place}: {found.message}; stopped with {self.added} lines added and {self.known} known",
                field="source",
                may_have_written=self.added > 0,
                details={**place, "code": found.code, "added": self.added, "known": self.known},
            )
        if len(self.problems) < PROBLEMS_KEPT:
            self.problems.append(found)

    def report(self, scope: str) -> ImportReport:
        return ImportReport(
            source=self.name,
            scopes=tuple(sorted(self.scopes)) or (scope,),
            read=self.read,
            added=self.added,
            known=self.known,
            refused=self.refused,
            problems=tuple(sorted(self.problems, key=lambda found: (found.file or "", found.line))),
            seconds=time.perf_counter() - self.started,
        )


def _capture(turns: list[Turn], tally: _Tally) -> None:
    """One transaction; a batch that its memory will not have is tried line by line to find whose fault it is."""
    if not turns:
        return
    memory = turns[0].memory
    tally.scopes.add(memory.scope)
    try:
        tally.count(memory.capture_many([_item(turn) for turn in turns], batch=len(turns)))
    except (InvalidError, ConflictError, RefusedError) as error:
        if len(turns) > 1:
            for turn in turns:
                _capture([turn], tally)
        elif isinstance(error, ConflictError) and turns[0].copies_are_known:
            tally.known += 1
        else:
            tally.note(problem(turns[0].line.number, error, turns[0].file))


def _item(turn: Turn) -> dict[str, object]:
    line = turn.line
    return {
        "text": line.text,
        "speaker": line.speaker,
        "occurred_at": line.occurred_at,
        "thread": line.thread,
        "source_id": line.native_id,
        "event_kind": line.event_kind,
        "origin": line.origin,
        "imported": True,
        "turns": () if line.turn is None else ({"name": line.turn, "nth": turn.nth},),
        "idempotency_key": turn.key,
    }


class _Keys:
    """The same line of the same source in the same scope has the same key, on every run.

    Without an id it is known by its content and by how many equal lines stand before it: people say "yes" twice.
    With a unique id it is known by that and its words: a session that was forked repeats lines under another thread.
    """

    def __init__(self, scope: str, source: Source) -> None:
        self._prefix = (scope, source.identity)
        self._unique = source.ids_are_unique
        self._seen: dict[bytes, int] = {}

    def of(self, line: Line) -> str:
        if line.native_id is not None:
            words = (line.speaker, line.text) if self._unique else ()
            return "import:" + self._digest("id", line.native_id, *words).hex()
        content = ("content", line.speaker, line.text, line.occurred_at, line.thread)
        digest = self._digest(*content)
        before = self._seen.get(digest, 0)
        self._seen[digest] = before + 1
        return "import:" + (digest if not before else self._digest(*content, before)).hex()

    def _digest(self, *identity: object) -> bytes:
        canonical = json.dumps([*self._prefix, *identity], separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).digest()
