"""Vectors that come after their words: what waits for one, what of it may be sent away, and working it off."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import msgspec

from firsthand.ports import (
    GIVEN_UP,
    KEPT_BACK,
    LISTED,
    UNLISTED,
    Clock,
    DocRow,
    Embedder,
    Progress,
    Reader,
    Said,
    Store,
    Writer,
)
from firsthand.rules.gate import Shown, unlocked
from firsthand.stored import body_of, entry_of, said_again
from firsthand.vocabulary.embedding import EmbedReport
from firsthand.vocabulary.errors import FirsthandError, InvalidError
from firsthand.vocabulary.instants import MICROSECONDS_PER_SECOND
from firsthand.vocabulary.kinds import DEFAULT_SENSITIVITY, SENSITIVITIES

SENT_AT_MOST: Final = SENSITIVITIES.index(DEFAULT_SENSITIVITY)
"""Nothing more sensitive than this is ever sent to another machine."""
FEW: Final = 32
"""Documents of others whose vectors one write makes along the way: some five milliseconds."""
FEW_SLOW: Final = 4
"""The same where a model has to run for each."""
TOGETHER: Final = 500
"""Documents that one transaction gives vectors, where that is all it does."""
SENT_TOGETHER: Final = 64
REFUSED: Final = "embedder_refused"
"""The endpoint would not have a text, such as one that is too long for its model."""
PROBE: Final = Said(("hello",), "hello")
"""What any endpoint takes."""
LEASE_MICROSECONDS: Final = 300 * MICROSECONDS_PER_SECOND
"""Longer than all attempts at one batch take."""


class _Batch(NamedTuple):
    """What one worker took: documents by their words as they were then."""

    said: dict[int, Said]
    kept_back: int
    gone: int


def catch_up(writer: Writer, embedder: Embedder | None, most: int | None = None) -> int:
    """Give documents that wait for one a vector, in this transaction, where our own embedder makes it; how many waited.

    `most` unset is as many as a small write may wait for.
    """
    if embedder is None or embedder.is_remote:
        return 0
    vids = writer.behind(most if most is not None else FEW if embedder.is_exact else FEW_SLOW)
    if vids:
        docs = writer.docs(vids)
        said = _said(writer, [doc for doc in docs.values() if doc.shelf != UNLISTED])
        made = embedder.embed(list(said.values()))
        writer.put_late(embedder.dimension, [(v, p) for v, p in zip(said, made, strict=True) if p], vids)
    return len(vids)


def work_off(
    store: Store, space: str, clock: Clock, *, most: int, again: bool = False, progress: Progress | None = None
) -> EmbedReport:
    """Give at most so many documents that wait for one a vector; `again`: also those the endpoint would not have.

    A failure of the endpoint ends it, and is kept and told as a code: what waited still waits.
    """
    embedder = store.embedder
    if embedder is None:
        raise InvalidError("embedder_missing", "the memory was opened without an embedder", field="embedder")
    if again:
        with store.writing(space) as writer:
            writer.release_pending(GIVEN_UP)
    report = EmbedReport()
    while report.looked_at < most:
        step = min(most - report.looked_at, SENT_TOGETHER if embedder.is_remote else TOGETHER)
        done = _step_away(store, space, clock, embedder, step) if embedder.is_remote else _step(store, space, step)
        report = _added(report, done)
        if done.code is not None or not done.looked_at:
            break
        if progress is not None:
            progress(report.looked_at, report.looked_at + _counts(store, space)[0])
    waiting, kept_back, given_up = _counts(store, space)
    return msgspec.structs.replace(report, waiting=waiting, kept_back=kept_back, given_up=given_up)


def _step(store: Store, space: str, most: int) -> EmbedReport:
    with store.writing(space) as writer:
        done = catch_up(writer, store.embedder, most)
    return EmbedReport(looked_at=done, embedded=done)


def _step_away(store: Store, space: str, clock: Clock, embedder: Embedder, most: int) -> EmbedReport:
    """One batch: taken under a lease, sent without any lock, and written where the words are still the same."""
    with store.writing(space) as writer:
        writer.pin()
        batch = _take(writer, clock.now(), most)
    looked_at = len(batch.said) + batch.kept_back + batch.gone
    sent = list(batch.said.items())
    embedded, code = _send(store, space, embedder, sent) if sent else (0, None)
    return EmbedReport(looked_at=looked_at, embedded=embedded, code=code)


def _take(writer: Writer, now: int, most: int) -> _Batch:
    """Lease a batch of what waits; what may not be sent as it stands is held, what has no words waits for nothing."""
    vids = writer.pending(now, most)
    docs = writer.docs(vids)
    may = sendable(writer, docs.values())
    said = {vid: one for vid, one in _said(writer, [docs[vid] for vid in vids if vid in may]).items() if one.words}
    kept_back = [vid for vid in vids if vid not in may]
    gone = [vid for vid in vids if vid in may and vid not in said]
    writer.hold_pending(kept_back, KEPT_BACK)
    writer.put_late(0, (), gone)
    writer.lease_pending(said, now + LEASE_MICROSECONDS)
    return _Batch(said, len(kept_back), len(gone))


def _send(store: Store, space: str, embedder: Embedder, sent: Sequence[tuple[int, Said]]) -> tuple[int, str | None]:
    """Ask for the vectors of some texts; of those that are refused together, each half is asked for by itself."""
    try:
        made = embedder.embed([said for _, said in sent])
    except FirsthandError as error:
        if error.code == REFUSED and len(sent) > 1:
            half = len(sent) // 2
            first, code = _send(store, space, embedder, sent[:half])
            if code is not None:
                return first, _failed(store, space, embedder, sent[half:], code)
            second, code = _send(store, space, embedder, sent[half:])
            return first + second, code
        return 0, _failed(store, space, embedder, sent, error.code)
    except BaseException:
        _give_back(store, space, sent)
        raise
    try:
        with store.writing(space) as writer:
            embedded = _write(writer, embedder, sent, made)
            writer.note_failure(None)
    except FirsthandError as error:
        return 0, _failed(store, space, embedder, sent, error.code)
    return embedded, None


def _failed(store: Store, space: str, embedder: Embedder, sent: Sequence[tuple[int, Said]], code: str) -> str | None:
    """Give back what was taken, and keep how it failed; the code ends the work.

    One text that is refused by an endpoint which takes another is given up, and the rest goes on.
    """
    alone = code == REFUSED and len(sent) == 1
    if alone:
        try:
            embedder.embed([PROBE])
        except FirsthandError as error:
            code, alone = error.code, False
    _give_back(store, space, sent, GIVEN_UP if alone else None, code)
    return None if alone else code


def _give_back(
    store: Store, space: str, sent: Sequence[tuple[int, Said]], held: int | None = None, code: str | None = None
) -> None:
    """End the lease on what was taken; `held`: it does not wait for its turn."""
    vids = [vid for vid, _ in sent]
    with store.writing(space) as writer:
        writer.lease_pending(vids, 0)
        if held is not None:
            writer.hold_pending(vids, held)
        if code is not None:
            writer.note_failure(code)


def _write(writer: Writer, embedder: Embedder, sent: Sequence[tuple[int, Said]], made: Sequence[bytes]) -> int:
    """Vectors that came back, of documents that still wait, may still be sent, and have the very words that were."""
    vids = writer.still_pending([vid for vid, _ in sent])
    docs = writer.docs(vids)
    may = sendable(writer, docs.values())
    now = _said(writer, [docs[vid] for vid in vids if vid in may])
    same = {vid for vid, said in sent if vid in now and now[vid] == said}
    vectors = [(vid, packed) for (vid, _), packed in zip(sent, made, strict=True) if vid in same and packed]
    writer.put_late(embedder.dimension, vectors, same)
    writer.lease_pending([vid for vid in vids if vid not in same], 0)
    return len(same)


def sendable(reader: Reader, docs: Iterable[DocRow]) -> set[int]:
    """Documents that the default gate lets through and that are not too sensitive to leave the machine."""
    listed = {doc.vid: doc for doc in docs if doc.shelf == LISTED}
    free: dict[int, bool] = {}
    for row in reader.beliefs(listed, None):
        shown = Shown(row.tier, row.status, row.visibility, row.live_support, row.sensitivity, row.kind)
        free[row.vid] = free.get(row.vid, True) and unlocked(shown, SENT_AT_MOST)
    return {vid for vid, is_free in free.items() if is_free}


def _said(reader: Reader, docs: Sequence[DocRow]) -> dict[int, Said]:
    """The words of documents as they may be read now; of one without words, none."""
    rows = {row.position: row for row in reader.rows_at([doc.position for doc in docs])}
    has_stones = reader.has_stones()
    found: dict[int, Said] = {}
    for doc in docs:
        row = rows[doc.position]
        masks = reader.masks([row.entry_id]) if has_stones else ()
        found[doc.vid] = said_again(entry_of(row), body_of(row), masks)
    return found


def _counts(store: Store, space: str) -> tuple[int, int, int]:
    with store.reading(space) as reader:
        return reader.pending_counts()


def _added(one: EmbedReport, other: EmbedReport) -> EmbedReport:
    return EmbedReport(
        looked_at=one.looked_at + other.looked_at, embedded=one.embedded + other.embedded, code=other.code
    )
