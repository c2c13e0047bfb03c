"""The file of the reference MCP memory server: one entity or one relation to a line, as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from firsthand.importers.intake import BATCH_LINES_DEFAULT, Captures, Line, OnError, Parsed, Progress, problem
from firsthand.importers.jsonlines import Fields, decoded, list_of, numbered, text_of
from firsthand.importers.sources import Format, bring_in
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.packets import ImportReport

ORIGIN: Final = "mcp-memory"
SPEAKER: Final = f"tool:{ORIGIN}"


def import_mcp_memory(
    memory: Captures,
    source: Path | IO[bytes],
    *,
    name: str | None = None,
    on_error: OnError = "skip",
    progress: Progress | None = None,
    batch: int = BATCH_LINES_DEFAULT,
) -> ImportReport:
    """Capture every observation and relation of a file; running it again adds only what is new.

    Each becomes an episode, not a claim: the file does not say who told what, or when, and a claim needs that. An
    observation stands below `About NAME (TYPE):`, a relation is the sentence it makes; the thread is the entity. They
    are known by their words and the file, or the `name` given for it. What the server forgot since stays.
    """
    how = Format(parse, "*.json*")
    return bring_in(memory, source, how, name=name, on_error=on_error, progress=progress, batch=batch)


def parse(stream: IO[bytes], _name: str = "") -> Parsed:
    """Every observation and relation in the order of the file, or what is wrong with a line."""
    for number, raw in numbered(stream):
        try:
            yield from list(_lines(number, decoded(raw)))
        except InvalidError as error:
            yield problem(number, error)


def _lines(number: int, fields: Fields) -> Iterator[Line]:
    """What one line says; a line with a bad observation is bad as a whole."""
    match text_of(fields, "type"):
        case "entity":
            name, kind = _required(fields, "name"), text_of(fields, "entityType")
            about = f"About {name} ({kind}):\n\n" if kind else f"About {name}:\n\n"
            for observation in list_of(fields, "observations"):
                yield _said(number, about + _required({"observation": observation}, "observation"), name)
        case "relation":
            name = _required(fields, "from")
            verb = _required(fields, "relationType").replace("_", " ")
            yield _said(number, f"{name} {verb} {_required(fields, 'to')}", name)
        case _:
            raise InvalidError("type_unknown", "the line is neither an entity nor a relation", field="type")


def _said(number: int, text: str, about: str) -> Line:
    return Line(number=number, text=text, speaker=SPEAKER, thread=about, origin=ORIGIN)


def _required(fields: Fields, key: str) -> str:
    value = text_of(fields, key)
    if not value:
        raise InvalidError("field_missing", f"{key} is missing", field=key)
    return value
