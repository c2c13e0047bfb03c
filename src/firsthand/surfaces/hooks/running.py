"""One hook call, from the event to the answer, within its time; whatever goes wrong is counted and says nothing.

The work is done beside the thread that watches the clock. When time is up the process leaves, and what is not known to
be stored goes to the spool: if it was stored after all, its key says so when it is stored again.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from firsthand.config import VARIABLE_PREFIX, Name, Settings, default_database, make_folder, read_settings
from firsthand.surfaces.hooks import health, spool
from firsthand.surfaces.hooks.answering import answer, as_output
from firsthand.surfaces.hooks.events import Event, Harness, read_event
from firsthand.surfaces.hooks.projects import project_root, scope_for
from firsthand.surfaces.hooks.spool import Batch, Who
from firsthand.surfaces.hooks.storing import drain, opened, store
from firsthand.surfaces.hooks.taking import taken
from firsthand.surfaces.hooks.transcripts import read_turns
from firsthand.surfaces.hooks.working import with_less, working_of
from firsthand.vocabulary.errors import BrokenError, BusyError, FirsthandError, InvalidError
from firsthand.vocabulary.grants import check_slug
from firsthand.vocabulary.records import Working

AT_END_MS: Final = 1_000
"""Nobody waits for the end of a session, so there a slow machine catches up (Claude Code ends it after 1.5 s)."""
WORK_MS: Final = 150
"""What a call may take for its own work, however slow its start: a hook that never has time to answer is of no use."""
PROJECT_VARIABLE: Final = "CLAUDE_PROJECT_DIR"
SQLITE_SCHEME: Final = "sqlite://"
UNEXPECTED: Final = "unexpected"
LATE: Final = "hook_late"
READS_TRANSCRIPT: Final = frozenset(("PreCompact", "Stop", "SessionEnd"))


class Call(NamedTuple):
    """What one call is to do."""

    database: Path
    settings: Settings
    event: Event
    batch: Batch
    working: Working | None


class Work(threading.Thread):
    """A call being done; what it has reached so far may be looked at any time."""

    def __init__(self, call: Call, until: float) -> None:
        super().__init__(daemon=True)
        self._call = call
        self._until = until
        self.text: str | None = None
        self.stored = False
        self.error: str | None = None
        self.may_be_tried_again = True

    def run(self) -> None:
        """Answer, store, catch up; storing does not depend on whether there was an answer."""
        database, settings, event, batch, working = self._call
        with self._counted(), opened(database, batch.who, settings.embedder) as memory:
            with self._counted():
                self.text = answer(memory, event, batch.who, settings.hook.packet_bytes)
            store(memory, batch.items)
            self.stored = True
            for record in with_less(working) if working is not None else ():
                if memory.remember(payload=record).outcome != "refused":
                    break
        with self._counted():
            drain(database, _now, in_time=lambda: time.monotonic() < self._until, embedder=settings.embedder)

    @contextlib.contextmanager
    def _counted(self) -> Generator[None]:
        """What goes wrong in here is kept to be counted."""
        try:
            yield
        except FirsthandError as error:
            self.error = error.code
            self.may_be_tried_again = isinstance(error, BusyError | BrokenError)
        except Exception:  # noqa: BLE001 - a hook never disturbs the session it serves
            self.error = UNEXPECTED


def run(
    harness: Harness,
    flags: Mapping[Name, str | None],
    *,
    started: float,
    stdin: BinaryIO,
    stdout: BinaryIO,
) -> None:
    """Do one call. `started` is on the monotonic clock. What is late still runs: the caller ends the process."""
    try:
        call = _call_of(harness, flags, stdin)
    except Exception as error:  # noqa: BLE001 - see Work.run
        code = error.code if isinstance(error, FirsthandError) else UNEXPECTED
        health.note(_place(flags), lambda h: h.with_failure(code, _now()))
        return
    until = max(started + _allowance(call) / 1_000, time.monotonic() + WORK_MS / 1_000)
    work = Work(call, until)
    work.start()
    work.join(max(0.0, until - time.monotonic()))
    in_time = not work.is_alive()
    text = work.text
    _account(call, work, in_time=in_time)
    if text is not None:
        with contextlib.suppress(OSError):  # the harness has gone, and wants nothing any more
            stdout.write(as_output(call.event, text))
            stdout.flush()


def drained(settings: Settings) -> int:
    """Store all that waits beside a memory, however long it takes; how many episodes it was."""
    database = database_of(settings.db)
    stored = drain(database, _now, in_time=lambda: True, embedder=settings.embedder)
    if stored:
        health.note(database, lambda h: h.with_stored(stored, "drain", _now()))
    return stored


def _call_of(harness: Harness, flags: Mapping[Name, str | None], stdin: BinaryIO) -> Call:
    event = read_event(stdin)
    folder = Path(os.environ.get(PROJECT_VARIABLE) or event.cwd or Path.cwd())
    settings = read_settings(flags, folder=folder, hook_as_it_is=True)
    who = Who(
        space=settings.space, scope=scope_for(settings, folder), harness=harness, session=event.session_id,
        owner=settings.owner or settings.actor, model=_model(event),
    )  # fmt: skip
    turns = read_turns(Path(event.transcript_path)) if event.transcript_path and event.name in READS_TRANSCRIPT else []
    working = working_of(who.session, turns, project_root(folder), stopped=event.name != "PreCompact")
    database = database_of(settings.db)
    make_folder(database)
    return Call(database, settings, event, Batch(who=who, items=taken(event, who, turns, _now())), working)


def _account(call: Call, work: Work, *, in_time: bool) -> None:
    """Keep what was not stored for later, and count."""
    items = call.batch.items
    if work.stored and items:
        health.note(call.database, lambda h: h.with_stored(len(items), call.event.name, _now()))
    code = work.error if in_time else LATE
    if code is None:
        return
    waiting = [] if work.stored else items
    kept = bool(waiting) and work.may_be_tried_again and spool.put(call.database, call.batch)
    spooled, dropped = (len(waiting), 0) if kept else (0, len(waiting))
    health.note(call.database, lambda h: h.with_failure(code, _now(), spooled=spooled, dropped=dropped))


def _allowance(call: Call) -> int:
    """How many milliseconds the call may take, from the start of its process."""
    return max(AT_END_MS if call.event.name == "SessionEnd" else 0, call.settings.hook.budget_ms)


def _model(event: Event) -> str | None:
    """The model's name, where it is one that an author can have."""
    try:
        return None if event.model is None else check_slug(event.model, "model")
    except InvalidError:
        return None


def _place(flags: Mapping[Name, str | None]) -> Path:
    """Where a call is counted that did not come as far as its settings."""
    try:
        return database_of(read_settings(flags, folder=Path(os.environ.get(PROJECT_VARIABLE) or Path.cwd())).db)
    except FirsthandError:
        return database_of(flags.get("db") or os.environ.get(f"{VARIABLE_PREFIX}DB") or str(default_database()))


def database_of(db: str) -> Path:
    """The file of a memory that settings name."""
    return Path(db.removeprefix(SQLITE_SCHEME)).expanduser()


def _now() -> int:
    return time.time_ns() // 1_000
