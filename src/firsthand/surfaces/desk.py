"""One run of the command line: its settings, its memory, what it reads and how it answers."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import click
import msgspec

from firsthand.config import Name, Settings, make_folder, read_settings
from firsthand.surfaces.sentences import WORDS
from firsthand.vocabulary.erasure import SweepReport
from firsthand.vocabulary.errors import REFUSED_EXIT_CODE, InvalidError
from firsthand.vocabulary.limits import EPISODE_TEXT_BYTES
from firsthand.vocabulary.packets import Receipt

HARNESS: Final = "cli"
STANDARD_INPUT: Final = "-"
PROGRESS_AFTER_SECONDS: Final = 1.0
MAKERS: Final = frozenset(
    ("init", "capture", "remember", "import", "claude-code", "codex", "chatgpt", "claude", "mcp-memory", "markdown",
     "chat", "locomo")
)  # fmt: skip
"""Commands that make a memory where there is none."""
REINDEX: Final = "reindex"
"""The command that gives a space another embedder: it opens the memory without the one it has."""
NONE: Final = "none"
REDRAW_SECONDS: Final = 0.1
FOUND_EXIT_CODE: Final = 1
"""What `sweep` leaves with when it found something."""

Memory = Any
T = TypeVar("T")


class Desk:
    """What every command is handed. The memory opens when it is first needed."""

    def __init__(self, *, flags: Mapping[Name, str | None], as_json: bool) -> None:
        self.flags = flags
        self.as_json = as_json
        self._memory: Memory | None = None

    @cached_property
    def settings(self) -> Settings:
        """Flags, variables, file and defaults, in that order."""
        return read_settings(self.flags)

    @property
    def memory(self) -> Memory:
        """The memory the settings name, opened once."""
        if self._memory is None:
            context = click.get_current_context(silent=True)
            name = None if context is None else context.info_name
            settings = msgspec.structs.replace(self.settings, embedder=NONE) if name == REINDEX else self.settings
            self._memory = open_memory(settings, create=name is None or name in MAKERS)
        return self._memory

    def close(self) -> None:
        """Close the memory if it was opened."""
        if self._memory is not None:
            self._memory.close()
            self._memory = None

    @property
    def for_people(self) -> bool:
        """Whether the answer goes to a terminal."""
        return not self.as_json and sys.stdout.isatty()

    def answer(self, result: T, words: Callable[[T], Iterable[str] | str]) -> None:
        """One JSON document, or the same in words."""
        if self.as_json:
            click.echo(msgspec.json.encode(result))
            return
        said = words(result)
        click.echo(said if isinstance(said, str) else "\n".join(said))

    def show(self, result: object, draw: str) -> None:
        """One JSON document, or a drawing by `surfaces.show` under the name `draw`."""
        if self.as_json:
            click.echo(msgspec.json.encode(result))
            return
        from firsthand.surfaces import show

        show.DRAWINGS[draw](result)

    def told(self, result: object, shows: str) -> int:
        """Show a result under the name its operation gives for that; the exit code that goes with it."""
        words = WORDS.get(shows)
        if words is None:
            self.show(result, shows)
        else:
            self.answer(result, words)
        return exit_code(result)


def exit_code(result: object) -> int:
    """A refusal has an exit code of its own (design 09.12), and so has a sweep that found something."""
    if isinstance(result, SweepReport):
        return 0 if result.clean else FOUND_EXIT_CODE
    receipts = cast("tuple[object, ...]", result) if isinstance(result, tuple) else (result,)
    refused = any(isinstance(receipt, Receipt) and receipt.outcome == "refused" for receipt in receipts)
    return REFUSED_EXIT_CODE if refused else 0


pass_desk = click.make_pass_decorator(Desk)


def prose(text: str, field: str, *, most: int = EPISODE_TEXT_BYTES) -> str:
    """`text`, or at most `most` bytes of standard input where it is `-`, without its last line end."""
    if text != STANDARD_INPUT:
        return text
    raw = sys.stdin.buffer.read(most + len("\r\n") + 1).removesuffix(b"\n").removesuffix(b"\r")
    if len(raw) > most:
        raise InvalidError("text_too_long", f"{field} is over its limit of {most} bytes", field=field)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise InvalidError("text_not_utf8", f"{field} on standard input is not UTF-8", field=field) from None


class Progress:
    """A progress bar on the terminal's error stream, for what takes longer than a second; otherwise nothing."""

    def __init__(self, label: str, total: int | None = None, *, quiet: bool = False) -> None:
        self._label, self._total = label, total
        self._quiet = quiet or not sys.stderr.isatty()
        self._started = self._drawn = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, done: int, total: int | None = None) -> None:
        """`done` of `total` so far."""
        now = time.monotonic()
        if self._quiet or now - self._started < PROGRESS_AFTER_SECONDS or now - self._drawn < REDRAW_SECONDS:
            return
        self._drawn = now
        total = total if total is not None else self._total
        if self._bar is None:
            self._bar, self._task = _start_bar(self._label, total)
        self._bar.update(self._task, completed=done, total=total)


def _start_bar(label: str, total: int | None) -> tuple[Any, Any]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = RichProgress(*columns, console=Console(stderr=True), transient=True)
    bar.start()
    return bar, bar.add_task(label, total=total)


def open_memory(settings: Settings, *, create: bool = True) -> Memory:
    """The memory that `settings` name, made if there is none and `create` says so."""
    import firsthand

    if "://" not in settings.db:
        make_folder(Path(settings.db))
    return firsthand.open(
        settings.db,
        space=settings.space,
        scope=settings.scope,
        actor=settings.actor,
        owner=settings.owner,
        role=settings.role,
        harness=HARNESS,
        create=create,
        embedder=settings.embedder,
        reranker=settings.reranker,
    )
