"""The one door for writes: every verb prepares its pure work, then runs under the append lock, all or nothing.

Order (design 03): authority, shape, own words and secrets, normalising — then, locked: idempotency, grounding,
tombstones, identity, append.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Generator, Sequence
from typing import NamedTuple, NoReturn

import msgspec

from firsthand.capture.engraving import engraved
from firsthand.capture.replays import ONLY_OWN_WORDS, replayed
from firsthand.capture.sieve import Sieve, Sieved
from firsthand.capture.stones import met_by
from firsthand.capture.turns import named
from firsthand.embedding import catch_up
from firsthand.journal import Journal
from firsthand.ledger import Appended, Draft, Words, append, prepare
from firsthand.ports import Clock, RequestRow, Store, Writer
from firsthand.projection import policy_in_force
from firsthand.rules.access import Handle
from firsthand.rules.identity import SALT_BYTES
from firsthand.veil import may_know_of
from firsthand.vocabulary.entries import Body, Define, Edges, Met, PolicyRules
from firsthand.vocabulary.errors import InvalidError, NextAction
from firsthand.vocabulary.grants import SPACE_WIDE
from firsthand.vocabulary.limits import IDEMPOTENCY_KEY_BYTES, check_bytes
from firsthand.vocabulary.packets import Masking, Receipt
from firsthand.vocabulary.turns import TurnName

NO_WORDS = Body()


class Write(NamedTuple):
    """A verb ready to run under the lock. `fingerprint` tells one request from another under the same key.

    `of` tells apart the writes of one request, such as the feedback on each record of a recall. `names`: keys that are
    looked up as names of entities. `maskings`: what was masked in its words, for whoever asks again. `turns`: what it
    is known by whichever program of its owner writes it, from a file where it is `imported`.
    """

    verb: str
    run: Callable[[Writer], Receipt]
    key: str | None = None
    fingerprint: str = ""
    of: str = ""
    names: tuple[str, ...] = ()
    maskings: tuple[Masking, ...] = ()
    turns: tuple[TurnName, ...] = ()
    imported: bool = False


class _RollbackError(Exception):
    """Leaves a transaction with what was learnt in it, and nothing written."""

    def __init__(self, receipt: Receipt) -> None:
        super().__init__("rolled back")
        self.receipt = receipt


def _leave(receipt: Receipt) -> NoReturn:
    raise _RollbackError(receipt)


class Gateway:
    """The door itself, for one space of one store; handles on it differ in scope, author and grant."""

    def __init__(self, store: Store, journal: Journal, clock: Clock) -> None:
        self.store = store
        self.journal = journal
        self.clock = clock
        self._sieves: dict[str, Sieve] = {}

    def commit(
        self, handle: Handle, writes: Sequence[Write], first: Callable[[Writer], None] | None = None
    ) -> list[Receipt]:
        """Run writes in one transaction: all are stored or none. What is run `first` in it may forbid them all."""
        self.journal.flush()
        with self.store.writing(handle.space) as writer:
            if first is not None:
                first(writer)
            if not writes:
                return []
            self.define_names(handle, writer)
            writer.foresee_names(handle.scope_id, (name for write in writes for name in write.names))
            receipts = [self._once(handle, writer, w) for w in writes]
            catch_up(writer, self.store.embedder)
            return receipts

    @contextlib.contextmanager
    def transaction(self, handle: Handle) -> Generator[Writer]:
        """The append lock and one transaction, in which the caller's names are known."""
        self.journal.flush()
        with self.store.writing(handle.space) as writer:
            self.define_names(handle, writer)
            yield writer

    def sieved(self, handle: Handle, writer: Writer, words: Words, *, scope_id: str | None = None) -> Sieved:
        """Words without what was erased from this scope or from all."""
        sieve = self._sieves.setdefault(handle.space, Sieve(handle.keyed))
        return sieve.through(writer, handle.scope_id if scope_id is None else scope_id, words, self.clock.now())

    def trial(self, handle: Handle, write: Write) -> Receipt:
        """What a write would do: run under the lock like any other, and rolled back."""
        try:
            with self.store.writing(handle.space) as writer:
                self.define_names(handle, writer)
                _leave(write.run(writer))
        except _RollbackError as done:
            return done.receipt

    def set_policy(self, handle: Handle, policy: PolicyRules) -> None:
        """Put a policy in force for the whole space, if it is not: everything is settled anew in one transaction."""
        with self.store.reading(handle.space) as reader:
            if policy_in_force(reader) == policy:
                return
        with self.store.writing(handle.space) as writer:
            if policy_in_force(writer) != policy:
                self.define_names(handle, writer)
                words = self.words(Body(name=policy.name), 0)
                self.append(handle, writer, Define(what="policy", policy=policy), words, scope_id=SPACE_WIDE)

    def words(self, body: Body, said_at: int, *, indexed: bool = True) -> Words:
        """A body hashed and indexed, ready for the lock."""
        return prepare(body, os.urandom(SALT_BYTES), said_at, indexed=indexed)

    def append(
        self,
        handle: Handle,
        writer: Writer,
        edges: Edges,
        words: Words,
        *,
        record: str | None = None,
        sensitivity: int = 0,
        scope_id: str | None = None,
        request: str | None = None,
        reaches: tuple[Met, ...] = (),
    ) -> Appended:
        """Append one entry by this handle's author, with what its words and its tombstone meet."""
        scope_id = scope_id if scope_id is not None else handle.scope_id
        now = self.clock.now()
        stone = engraved(handle, writer, edges, scope_id, words.body, now)
        draft = Draft(
            scope=scope_id,
            author=handle.ids,
            edges=stone.edges,
            recorded_at=now,
            met=(*met_by(handle, writer, edges, words.body, now, handle.author.actor), *stone.own),
            reaches=(*stone.reaches, *reaches),
            record=record,
            sensitivity=sensitivity,
            request=request,
        )
        return append(writer, draft, self.sieved(handle, writer, words, scope_id=draft.scope).words)

    def refuse(
        self,
        handle: Handle,
        writer: Writer,
        verb: str,
        code: str,
        *,
        cause: str | None = None,
        next_action: NextAction = "ask_person",
    ) -> Receipt:
        """Record a refusal, content-free and outside the ledger, and say so (design 09.12, 09.32).

        `cause` is the entry that forbids it; who may know of it is told, since that is what a person lifts.
        """
        now = self.clock.now()
        writer.put_refusal(now, verb, code, handle.scope_id, handle.ids.actor, cause)
        return Receipt(
            outcome="refused",
            record_id=None,
            entry_id=None,
            known_at=writer.head().received_at,
            code=code,
            next_action=next_action,
            cause_entry=cause if cause is not None and may_know_of(writer, handle, cause) else None,
        )

    def refuse_own_words(self, handle: Handle, writer: Writer, verb: str) -> Receipt:
        """Nothing but packets that this memory delivered came in: there is nothing to store and nothing to settle."""
        return self.refuse(handle, writer, verb, ONLY_OWN_WORDS, next_action="none")

    def is_ours(self, handle: Handle) -> Callable[[str], bool]:
        """Asks whether a packet fence is one that this space delivered, by the space's mark on it."""
        return handle.keyed.is_fence

    def fingerprint(self, handle: Handle, *parts: object) -> str:
        """A keyed digest of a request's content and of the scope it was made in."""
        try:
            text = msgspec.json.encode((handle.scope_id, parts), order="sorted").decode()
        except (TypeError, ValueError):
            raise InvalidError(
                "shape_invalid", "the request holds something that is not JSON", field="request"
            ) from None
        return handle.keyed.digest("fingerprint", text)

    def answered(self, handle: Handle, verb: str, key: str | None, fingerprint: str) -> Receipt | None:
        """The first receipt of a request made before: asked early by verbs that look at the record they revise."""
        if key is None:
            return None
        with self.store.reading(handle.space) as reader:
            known = reader.request(request_digest(handle, verb, key))
            return None if known is None else replayed(reader, handle, verb, known, fingerprint, ())

    def _once(self, handle: Handle, writer: Writer, write: Write) -> Receipt:
        """Run a write, or answer with the first receipt of its idempotency key, or of the turns it is known by."""
        digest = None if write.key is None else request_digest(handle, write.verb, write.key, write.of)
        known = None if digest is None else writer.request(digest)
        if known is not None:
            return replayed(writer, handle, write.verb, known, write.fingerprint, write.maskings)
        kept, names = named(handle, writer, write.turns, imported=write.imported)
        own = () if digest is None else (digest,)
        if kept is not None:
            _note(writer, own, kept._replace(fingerprint=write.fingerprint))
            return replayed(writer, handle, write.verb, kept, kept.fingerprint, write.maskings)
        receipt = write.run(writer)
        row = RequestRow(
            write.fingerprint, receipt.outcome, receipt.record_id, receipt.entry_id, receipt.evidence_id,
            receipt.known_at, receipt.code,
        )  # fmt: skip
        _note(writer, (*own, *names), row)
        return receipt

    def define_names(self, handle: Handle, writer: Writer) -> None:
        """Say once, in erasable bodies, what the opaque ids of this author and scope stand for."""
        for what, name_id, text in handle.names:
            scope = writer.scope(name_id) if what == "scope" else None
            known = scope.name if scope else writer.name(what, name_id) if what != "scope" else None
            if known is None:
                words = self.words(Body(name=text), 0)
                self.append(handle, writer, _definition(what, name_id), words, scope_id=SPACE_WIDE)


def _note(writer: Writer, digests: Sequence[str], row: RequestRow) -> None:
    for digest in digests:
        writer.put_request(digest, row)


def _definition(what: str, name_id: str) -> Define:
    assert what in ("who", "scope", "session", "device")
    return Define(what=what, id=name_id)


def request_digest(handle: Handle, verb: str, key: str, of: str = "") -> str:
    """The digest under which an idempotency key is kept."""
    check_bytes(key, most=IDEMPOTENCY_KEY_BYTES, field="idempotency_key")
    return handle.keyed.request(handle.ids.actor, verb, f"{key}\n{of}" if of else key)
