"""The schema of a file: made in an empty one, made anew in an older one, and compared with what it should be."""

from __future__ import annotations

import functools
from typing import Final, cast

import apsw

from firsthand.store.engine import Connection
from firsthand.store.sql import OLDER_VERSIONS, PROJECTIONS, SCHEMA_VERSION, schema
from firsthand.vocabulary.errors import BrokenError

APPLICATION_ID: Final = 0x46484D31  # "FHM1"
WITHOUT_PENDING: Final = 4
"""The version that knew of no document that waits for its vector."""
_PLANNER: Final = "ANALYZE;"
"""From where on the schema says what the planner should believe."""

SchemaObject = tuple[str, str, str, str]
"""Type, name, table and definition."""


def version_of(connection: Connection) -> int | None:
    """The version of a file's schema, if this version knows it; unset if the file is empty, else it is refused."""
    version, application = (int(connection.execute(f"PRAGMA {n}").get) for n in ("user_version", "application_id"))
    if application == APPLICATION_ID:
        if version not in (SCHEMA_VERSION, *OLDER_VERSIONS):
            raise BrokenError("schema_unknown", "the database file has a schema this version does not know")
        return version
    if version or application or connection.execute("SELECT count(*) FROM sqlite_schema").get:
        raise BrokenError("not_ours", "the database file belongs to another program")
    return None


def adopt(connection: Connection) -> None:
    """Make the schema, or make it anew where it is older: of that its projections are left out, and no row is kept.

    The caller holds the append lock and commits. Whoever opens a space finds it unprojected, and replays it.
    """
    version = version_of(connection)
    if version == SCHEMA_VERSION:
        return
    if version is None:
        connection.execute(schema("sqlite"))
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    else:
        if version == WITHOUT_PENDING:
            _keep_vectors(connection)
        else:
            _renew(connection)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _renew(connection: Connection) -> None:
    for table in PROJECTIONS:
        connection.execute(f"DROP TABLE IF EXISTS {table}")
    for index in ("lex", "lex_rest"):
        connection.execute(f"INSERT INTO {index} ({index}) VALUES ('delete-all')")
    _add_missing(connection)


def _keep_vectors(connection: Connection) -> None:
    """Projections stay, with what is known of their vectors; a space that lacked some is replayed by who opens it."""
    connection.execute("ALTER TABLE embedding RENAME TO embedding_before")
    _add_missing(connection)
    connection.execute(
        "INSERT INTO embedding (space_id, identity, dimension, generation, late, sent_to) "
        "SELECT e.space_id, e.identity, (SELECT length(v.packed) FROM vector v WHERE v.space_id = e.space_id LIMIT 1), "
        "0, 0, '' FROM embedding_before e WHERE e.identity <> '' "
        "AND EXISTS (SELECT 1 FROM vector v WHERE v.space_id = e.space_id)"
    )
    connection.execute("DROP TABLE embedding_before")


def _add_missing(connection: Connection) -> None:
    missing = expected_objects() - objects(connection)
    for _, _, _, definition in sorted(missing, key=lambda made: (made[0] != "table", made[1])):
        if definition:  # the index of a primary key has none, and comes with its table
            connection.execute(definition)
    text = schema("sqlite")
    connection.execute(text[text.index(_PLANNER) :])


@functools.cache
def expected_objects() -> frozenset[SchemaObject]:
    """What an empty file of this version has in its schema."""
    fresh = cast("Connection", apsw.Connection(":memory:"))
    fresh.execute(schema("sqlite"))
    return frozenset(objects(fresh))


def objects(connection: Connection) -> set[SchemaObject]:
    """Everything in the schema."""
    rows = connection.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema")
    return {(kind, name, table, sql) for kind, name, table, sql in rows}
