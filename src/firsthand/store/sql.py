"""SQL is source code: named queries and one schema, read from their files once."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Final

from firsthand.vocabulary.patterns import lazy_pattern

SCHEMA_VERSION: Final = 5
OLDER_VERSIONS: Final = (3, 4)
"""Whose ledger and kept tables are as they are now: a file of one keeps those, and its projections are made anew.

Of version 4 they are kept too: it had the same ones, but for what it says of vectors.
"""
PROJECTIONS: Final = {
    "bearing": "key, position",
    "scope": "scope_id",
    "name": "what, name_id",
    "doc": "vid",
    "vector": "vid",
    "belief": "vid, valid_from, known_to",
    "mention": "scope_id, name, vid",
    "mask": "entry_id, low, high, stone",
    "entity_name": "scope_id, name, record_id",
    "speaker": "scope_id, name",
    "relation": "record_id, relation, target_id",
    "attention": "record_id",
}
"""Tables that a rebuild makes anew, with their order without the space."""

_NAME: Final = lazy_pattern(r"^-- name: (\w+)\n", re.MULTILINE)


@functools.cache
def queries(list_source: str) -> dict[str, str]:
    """Every named query, with the engine's way to read an array parameter put in."""
    text = Path(__file__).with_name("queries.sql").read_text(encoding="utf-8")
    parts = _NAME.split(text)[1:]
    names, bodies = parts[::2], parts[1::2]
    assert len(set(names)) == len(names), "two queries share a name"
    return {n: b.strip().rstrip(";").replace("{list}", list_source) for n, b in zip(names, bodies, strict=True)}


def schema(engine: str) -> str:
    """The schema for `sqlite` or `postgres`."""
    text = Path(__file__).with_name("schema.sql").read_text(encoding="utf-8")
    other = {"sqlite": "-- @postgres", "postgres": "-- @sqlite"}[engine]
    lines = [line for line in text.splitlines() if not line.rstrip().endswith(other)]
    text = "\n".join(lines)
    return text if engine == "sqlite" else text.replace(") WITHOUT ROWID;", ");")
