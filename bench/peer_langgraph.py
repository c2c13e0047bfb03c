"""LangGraph's SqliteStore, in its own environment: a namespace is a scope, the free embedding its index."""

import contextlib
import importlib
import sqlite3
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

if not hasattr(sqlite3.Connection, "enable_load_extension"):
    # Some builds of Python cannot load the extension the peer needs; this wheel brings an SQLite that can.
    sys.modules["sqlite3"] = importlib.import_module("pysqlite3")

from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore

from peer_run import Found, Refused, main, own_process
from workload import DIMENSIONS, Fact, embedding


class LangGraph:
    """One store in one file."""

    has_scopes = True
    correction = "put under the same key"
    deletion = "delete"

    def __init__(self, folder: Path) -> None:
        self.version = version("langgraph-checkpoint-sqlite")
        index = {"dims": DIMENSIONS, "embed": lambda texts: [embedding(text) for text in texts], "fields": ["text"]}
        self._stack = contextlib.ExitStack()
        opening = SqliteStore.from_conn_string(str(folder / "peer.db"), index=index)
        self._store = self._stack.enter_context(opening)
        self._store.setup()

    def fill(self, batch: Sequence[Fact], scope: str) -> None:
        self._store.batch([PutOp((scope,), str(fact.ticket), {"text": fact.text}) for fact in batch])

    def write(self, fact: Fact, scope: str) -> object:
        try:
            self._store.put((scope,), str(fact.ticket), {"text": fact.text})
        except ValueError as error:
            raise Refused from error
        return str(fact.ticket)

    def search(self, question: str, limit: int, scope: str) -> list[Found]:
        return [Found(item.value["text"]) for item in self._store.search((scope,), query=question, limit=limit)]

    def correct(self, key: object, old: Fact, new: Fact, scope: str) -> None:
        self._store.put((scope,), str(key), {"text": new.text})

    def delete(self, key: object, fact: Fact, scope: str) -> None:
        self._store.delete((scope,), str(key))

    def processes(self) -> list[int]:
        return own_process()

    def close(self) -> None:
        self._stack.close()


if __name__ == "__main__":
    main(LangGraph)
