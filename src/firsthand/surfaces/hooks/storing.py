"""Episodes into the ledger: those of this call, then those that wait from earlier ones."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from firsthand.config import DEFAULT_EMBEDDER
from firsthand.surfaces.hooks import health, spool
from firsthand.surfaces.hooks.answering import scopes_of
from firsthand.surfaces.hooks.spool import Batch, Who
from firsthand.vocabulary.errors import BrokenError, BusyError, ConflictError, FirsthandError
from firsthand.vocabulary.grants import Grant

if TYPE_CHECKING:
    from firsthand.memory import Memory

VERBS: Final = frozenset(("capture", "remember", "recall"))
UNREADABLE: Final = "spool_unreadable"
EMBEDDER_DIFFERS: Final = "embedder_differs"


def opened(database: Path, who: Who, embedder: str = DEFAULT_EMBEDDER) -> Memory:
    """The memory as a session's agent has it: it may vouch for its owner's words, since the owner typed them.

    With our own word vectors or with none: a hook waits for no other embedder, and loses nothing because of one.
    """
    own = DEFAULT_EMBEDDER if embedder == DEFAULT_EMBEDDER else None
    try:
        return _opened(database, who, own)
    except ConflictError as error:
        if own is None or error.code != EMBEDDER_DIFFERS:
            raise
    return _opened(database, who, None)


def _opened(database: Path, who: Who, embedder: str | None) -> Memory:
    import firsthand

    grant = Grant(
        verbs=VERBS, read=frozenset(scopes_of(who)), write=frozenset((who.scope,)), role="agent",
        attests=frozenset((who.owner,)),
    )  # fmt: skip
    return firsthand.open(
        database, space=who.space, scope=who.scope, actor=who.harness, owner=who.owner, harness=who.harness,
        session=who.session, model=who.model, grant=grant, embedder=embedder, one_shot=True,
    )  # fmt: skip


def store(memory: Memory, items: Sequence[dict[str, Any]]) -> None:
    """Capture episodes in one transaction. One that was stored before under its key, told otherwise now, stays."""
    if not items:
        return
    try:
        memory.capture_many(items)
    except ConflictError:
        for item in items:
            _store_one(memory, item)


def _store_one(memory: Memory, item: dict[str, Any]) -> None:
    try:
        memory.capture(**item)
    except ConflictError as error:
        if error.code != "idempotency_key_reused":
            raise


def drain(
    database: Path, now: Callable[[], int], *, in_time: Callable[[], bool], embedder: str = DEFAULT_EMBEDDER
) -> int:
    """Store what waits, the oldest first, as long as there is time; how many episodes it was.

    What can never be stored is dropped and counted; while the store is busy or broken everything stays.
    """
    stored = 0
    with contextlib.ExitStack() as opens:
        memories: dict[Who, Memory] = {}
        for path in spool.oldest_first(database):
            if not in_time():
                break
            batch = spool.read(path)
            if batch is None:
                _drop_abandoned(database, path, now)
                continue
            if batch.who not in memories:
                memories[batch.who] = opens.enter_context(opened(database, batch.who, embedder))
            stored += _drain_one(database, path, batch, memories[batch.who], now)
    return stored


def _drop_abandoned(database: Path, path: Path, now: Callable[[], int]) -> None:
    """Drop a file that cannot be read, unless it is being written."""
    if spool.is_abandoned(path):
        spool.drop(path)
        health.note(database, lambda h: h.with_failure(UNREADABLE, now(), dropped=1))


def _drain_one(database: Path, path: Path, batch: Batch, memory: Memory, now: Callable[[], int]) -> int:
    try:
        store(memory, batch.items)
    except (BusyError, BrokenError):
        raise
    except FirsthandError as error:
        code = error.code
        health.note(database, lambda h: h.with_failure(code, now(), dropped=len(batch.items)))
        spool.drop(path)
        return 0
    spool.drop(path)
    return len(batch.items)
