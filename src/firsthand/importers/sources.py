"""Where importers read from: one file, a stream, or a folder of files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO, Final, NamedTuple

from firsthand.importers.intake import (
    Captures,
    OnError,
    Parsed,
    Progress,
    Source,
    Turn,
    called,
    keyed,
    problem,
    readable,
    take_in,
    take_in_turns,
)
from firsthand.vocabulary.errors import AbsentError, FirsthandError, InvalidError
from firsthand.vocabulary.limits import NAME_BYTES, check_bytes
from firsthand.vocabulary.packets import ImportProblem, ImportReport

USER: Final = "user"
"""Who speaks to the assistant, unless the importer is told a name."""
_PASSED_OVER: Final = frozenset(("node_modules",))


class Format(NamedTuple):
    """How a format is read: its parser is handed a stream and what the file is called; in a folder, `files` are its.

    `ids_within` names what the ids of its lines are unique within, where that is more than their file.
    """

    parse: Callable[[IO[bytes], str], Parsed]
    files: str
    ids_within: str | None = None


MemoryOf = Callable[[Path], Captures]
"""Which memory the turns of a file go to."""


def bring_in(
    memory: Captures,
    source: Path | IO[bytes],
    how: Format,
    *,
    name: str | None,
    on_error: OnError,
    progress: Progress | None,
    batch: int,
    memory_of: MemoryOf | None = None,
) -> ImportReport:
    """Import a file, a stream, or every file of a format in a folder and the folders below it.

    What `memory_of` a file says is where its turns go, instead of to `memory`.
    """
    if isinstance(source, Path) and source.is_dir():
        turns = _of_folder(memory_of or (lambda _: memory), source, how, name)
        title = readable(source.resolve().name) if name is None else check_bytes(name, most=NAME_BYTES, field="name")
        return take_in_turns(memory.scope, turns, name=title, on_error=on_error, progress=progress, batch=batch)
    with opened(source) as stream:
        what = _source(source, how, name)
        place = _place(source) if isinstance(source, Path) and name is None else what.name
        lines = how.parse(stream, place)
        into = memory_of(source) if memory_of is not None and isinstance(source, Path) else memory
        return take_in(into, lines, source=what, on_error=on_error, progress=progress, batch=batch)


def opened(source: Path | IO[bytes]) -> AbstractContextManager[IO[bytes]]:
    """The source as a stream; a stream that was handed in stays its owner's to close."""
    if not isinstance(source, Path):
        return nullcontext(source)
    try:
        return source.open("rb")
    except FileNotFoundError:
        raise AbsentError("source_absent", "there is no file at the source's path", field="source") from None
    except OSError as error:
        raise InvalidError("source_unreadable", "the source cannot be opened for reading", field="source") from error


def _source(source: Path | IO[bytes], how: Format, name: str | None) -> Source:
    """Lines whose ids are unique anywhere are known wherever they are read from; others by their file or a name."""
    if how.ids_within is None:
        return called(source, name)
    title = name if name is not None else readable(source.name) if isinstance(source, Path) else how.ids_within
    return Source(check_bytes(title, most=NAME_BYTES, field="name"), how.ids_within, ids_are_unique=True)


def _of_folder(memory_of: MemoryOf, folder: Path, how: Format, name: str | None) -> Iterator[Turn | ImportProblem]:
    """The turns of every file, one file after another; a file that cannot be read is a problem at its line 0."""
    found = False
    for path in _files(folder, how.files):
        found = True
        file = readable(path.relative_to(folder).as_posix())
        try:
            with opened(path) as stream:
                what = _source(path, how, None if name is None else f"{name}/{file}")
                yield from keyed(memory_of(path), how.parse(stream, _place(path)), what, file=file)
        except FirsthandError as error:
            yield problem(0, error, file)
    if not found:
        raise AbsentError("source_absent", "there is no file of this format in the folder", field="source")


def _files(folder: Path, pattern: str) -> Iterator[Path]:
    """Files in the order of their names; hidden folders and other people's packages are passed over."""
    for parent, below, names in os.walk(folder):
        below[:] = sorted(name for name in below if not name.startswith(".") and name not in _PASSED_OVER)
        yield from (Path(parent, name) for name in sorted(names) if fnmatchcase(name, pattern))


def _place(path: Path) -> str:
    """A file and its folder: enough to find it again, and the same wherever the import was started."""
    return readable("/".join(path.resolve().parts[-2:]))


def document(name: str) -> str:
    """The speaker of what stands in a document: a name that nobody else can have."""
    return f"file:{name}"
