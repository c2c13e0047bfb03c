"""Audit and repair: verify what is stored, and rebuild what follows from it (design 03)."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Iterator

import msgspec

from firsthand.capture.gateway import Gateway
from firsthand.embedding import catch_up
from firsthand.ledger import replay
from firsthand.ports import Head, LedgerRow, Progress, Reader, Store, Writer
from firsthand.rules.access import Handle
from firsthand.rules.identity import SALT_BYTES, body_digest, chained, entry_id
from firsthand.rules.seals import Anchor, SealCheck, read_line
from firsthand.vocabulary.decoding import decode_skeleton
from firsthand.vocabulary.entries import Erase, Skeleton
from firsthand.vocabulary.errors import BrokenError, InvalidError
from firsthand.vocabulary.moves import LedgerHead, RebuildReport
from firsthand.vocabulary.patterns import lazy_pattern

PAGE_ROWS = 1_000
REPLAYED_TOGETHER = 100
GENESIS = "0" * 40
_SALT = lazy_pattern(f"[0-9a-f]{{{2 * SALT_BYTES}}}")
_COLUMNS = {
    "position": int,
    "entry_id": str,
    "received_at": int,
    "chain": str,
    "skeleton": str,
    "body": str | None,
    "salt": str | None,
}


class Audit:
    """The ledger of one space, to be checked and replayed."""

    def __init__(self, store: Store, gateway: Gateway, handle: Handle) -> None:
        self._store = store
        self._gateway = gateway
        self._handle = handle

    def head(self) -> Head:
        """The end of the ledger."""
        with self._store.reading(self._handle.space) as reader:
            return reader.head()

    def verify(self, *, deep: bool = False, against: str | None = None, progress: Progress | None = None) -> LedgerHead:
        """Recompute every id, digest, link of the chain and signature; raise `BrokenError` on the first that fails.

        With `deep` also refold everything into fresh projections and compare them, every column, with those in use,
        and ask the engine to check its own pages. `against` is a line that `seal` gave once: the ledger must still
        hold, unchanged, what was sealed then. Nothing is changed.
        """
        started = time.perf_counter()
        self._handle.may("verify")
        anchor = None if against is None else self._anchor(against)
        faults = self._store.check(self._handle.space)
        if faults:
            raise BrokenError(
                "store_damaged", f"the database contradicts itself: {faults[0]}", details={"faults": faults}
            )
        with self._store.reading(self._handle.space) as reader:
            walk = Walk(reader, anchor)
            head = _walked(walk, reader, progress)
        if deep:
            self._compare_projections(progress)
        return LedgerHead(
            space=self._handle.space,
            position=head.position,
            entry_id=head.entry_id,
            chain=head.chain,
            entries=head.position,
            deep=deep,
            seals=walk.seals.held,
            seals_unsigned=walk.seals.unsigned,
            sealed_to=walk.seals.sealed_to,
            against=None if anchor is None else anchor.position,
            seconds=round(time.perf_counter() - started, 3),
        )

    def _anchor(self, line: str) -> Anchor:
        anchor = read_line(line)
        if anchor.space != self._handle.space:
            raise InvalidError("seal_of_another_space", "against is a seal of another space", field="against")
        return anchor

    def check(self) -> list[str]:
        """What the engine finds wrong with its own pages, keys and indexes, in words without content."""
        self._handle.may("verify")
        return self._store.check(self._handle.space)

    def rebuild(self, *, progress: Progress | None = None) -> RebuildReport:
        """Drop every projection and index and replay the ledger, in one transaction, with no model and no network."""
        started = time.perf_counter()
        self._handle.may("rebuild")
        self._gateway.journal.flush()
        with self._store.writing(self._handle.space) as writer:
            self._catch_up(writer)
            before = writer.digests()
            total = replay_all(writer, progress)
            after = writer.digests()
        return RebuildReport(
            entries=total,
            digest_before=_joined(before),
            digest_after=_joined(after),
            same=before == after,
            seconds=round(time.perf_counter() - started, 3),
        )

    def _catch_up(self, writer: Writer) -> None:
        """A replay gives every document its vector, where it makes any: so they have one before."""
        while catch_up(writer, self._store.embedder, PAGE_ROWS):
            pass

    def _compare_projections(self, progress: Progress | None) -> None:
        """Replay inside a transaction that is then undone, and compare."""
        before: dict[str, str] = {}
        after: dict[str, str] = {}
        with contextlib.suppress(_UndoneError), self._store.writing(self._handle.space) as writer:
            self._catch_up(writer)
            before = writer.digests()
            replay_all(writer, progress)
            after = writer.digests()
            raise _UndoneError
        for table, digest in before.items():
            if after.get(table) != digest:
                raise BrokenError(
                    "projection_differs",
                    f"{table} is not what the ledger says; run rebuild",
                    field=table,
                    details={"table": table},
                )


def replay_all(writer: Writer, progress: Progress | None) -> int:
    """Drop every projection and replay, if what is replayed is what was written; how many entries there are."""
    total = writer.head().position
    writer.drop_projections()
    walk = Walk(writer)
    for page in pages(writer):
        for start in range(0, len(page), REPLAYED_TOGETHER):
            replay(writer, walk.verified(page[start : start + REPLAYED_TOGETHER]))
            if progress is not None and walk.position % REPLAYED_TOGETHER == 0:
                progress(walk.position, total)
    walk.end()
    return total


class _UndoneError(Exception):
    """Rolls a comparing replay back."""


def pages(reader: Reader) -> Iterator[list[LedgerRow]]:
    """The whole ledger, page by page."""
    after = 0
    while page := _page(reader, after):
        yield page
        after = page[-1].position


def _page(reader: Reader, after: int) -> list[LedgerRow]:
    """The next entries; bytes that are not text are found one entry at a time."""
    try:
        return reader.ledger_rows(after, PAGE_ROWS)
    except UnicodeDecodeError:
        pass
    try:
        return reader.ledger_rows(after, 1)
    except UnicodeDecodeError:
        raise BrokenError(
            "ledger_broken",
            f"the entry after position {after} holds bytes that are not text",
            field="position",
            details={"position": after + 1},
        ) from None


def _walked(walk: Walk, reader: Reader, progress: Progress | None) -> Head:
    """Walk the ledger from its beginning."""
    total = reader.head().position
    for page in pages(reader):
        walk.verified(page)
        if progress is not None and walk.position % PAGE_ROWS == 0:
            progress(walk.position, total)
    return walk.end()


class Walk:
    """The ledger from its beginning, each entry checked against the one before it."""

    def __init__(self, reader: Reader, anchor: Anchor | None = None) -> None:
        self._reader = reader
        self._anchor = anchor
        self.seals = SealCheck()
        self._chain = GENESIS
        self._received_at = 0
        self._last: str | None = None
        self._blank: dict[str, LedgerRow] = {}
        self._named: set[str] = set()
        self.position = 0

    def verified(self, page: list[LedgerRow]) -> list[tuple[LedgerRow, Skeleton]]:
        """The next entries with their skeletons; raise `BrokenError` on the first that does not hold."""
        return [(row, self._step(row)) for row in page]

    def end(self) -> Head:
        """The end of the ledger, once no blank body is left that no entry erased."""
        for row in self._blank.values():
            raise _broken(row, "body", "its body is blank and no erase entry names it")
        if self._anchor is not None and self._anchor.position > self.position:
            raise BrokenError(
                "ledger_shorter", "the ledger ends before the place that was sealed", field="against",
                details={"position": self.position, "sealed": self._anchor.position},
            )  # fmt: skip
        return Head(self.position, self._last, self._chain, self._received_at)

    def _step(self, row: LedgerRow) -> Skeleton:
        self.position += 1
        if row.position != self.position:
            raise _broken(row, "position", "a position is missing before it")
        skeleton = _verify_row(self._reader, row)
        if row.body is None and row.entry_id not in self._named:
            self._blank[row.entry_id] = row
        if isinstance(skeleton.edges, Erase):
            for erased in skeleton.edges.targets:
                self._blank.pop(erased, None)
            # What another store erased may arrive after its erasure.
            self._named.update(skeleton.edges.targets)
        if row.received_at <= self._received_at:
            raise _broken(row, "received_at", "it was received before the entry before it")
        if row.chain != chained(self._chain, row.entry_id, row.received_at):
            raise _broken(row, "chain", "the chain does not hold")
        fault = self.seals.fault(row.entry_id, skeleton, self.position - 1, self._chain)
        if fault is not None:
            raise _broken(row, "skeleton", fault)
        if self._anchor is not None and row.position == self._anchor.position and row.chain != self._anchor.chain:
            raise _broken(row, "chain", "it is not what was sealed")
        self._chain, self._received_at, self._last = row.chain, row.received_at, row.entry_id
        return skeleton


def _verify_row(reader: Reader, row: LedgerRow) -> Skeleton:
    for column, kind in _COLUMNS.items():
        if not isinstance(getattr(row, column), kind):
            raise _broken(row, column, "it is of another type than was written")
    if entry_id(row.skeleton) != row.entry_id:
        raise _broken(row, "skeleton", "its skeleton is not what its id says")
    try:
        skeleton = decode_skeleton(row.skeleton)
    except (msgspec.DecodeError, msgspec.ValidationError):
        raise _broken(row, "skeleton", "its skeleton cannot be read") from None
    if skeleton.space != reader.space:
        raise _broken(row, "space_id", "it is filed under another space")
    if (row.body is None) != (row.salt is None):
        raise _broken(row, "salt", "its body and its salt were not erased together")
    if row.body is None or row.salt is None:
        return skeleton
    if not _SALT.fullmatch(row.salt):
        raise _broken(row, "salt", "its salt is not written as salts are")
    if body_digest(row.salt, row.body) != skeleton.body:
        raise _broken(row, "body", "its body is not what its skeleton says")
    return skeleton


def _broken(row: LedgerRow, column: str, why: str) -> BrokenError:
    return BrokenError(
        "ledger_broken",
        f"entry {row.entry_id} at position {row.position}: {why}",
        field=column,
        details={"position": row.position, "entry_id": row.entry_id, "column": column},
    )


def _joined(digests: dict[str, str]) -> str:
    return hashlib.sha256(repr(sorted(digests.items())).encode()).hexdigest()
