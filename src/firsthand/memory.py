"""The API: one class; each verb hands over to one room in a few lines (design 05)."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast

import msgspec

from firsthand.capture import annotate, bounds, cleaning, revise, shape
from firsthand.capture.claims import Claimed
from firsthand.capture.claims import remember as remember_write
from firsthand.capture.episodes import capture as capture_write
from firsthand.capture.gateway import Gateway, Write
from firsthand.moving.ledger import Ledger
from firsthand.moving.peers import Peers
from firsthand.ports import Store
from firsthand.rules.access import Handle, handle
from firsthand.rules.identity import typed_value
from firsthand.rules.normalise import folded
from firsthand.rules.predicates import BUILT_IN
from firsthand.rules.terms import terms
from firsthand.rules.wording import claim_words
from firsthand.vocabulary import limits
from firsthand.vocabulary.citing import Cite
from firsthand.vocabulary.errors import AbsentError, ConflictError, FirsthandError, InvalidError
from firsthand.vocabulary.instants import BEGINNING, Instant, to_micros
from firsthand.vocabulary.kinds import (
    DEFAULT_SENSITIVITY,
    Basis,
    FeedbackOutcome,
    Kind,
    Outcome,
    Polarity,
    Sensitivity,
    Volatility,
)
from firsthand.vocabulary.packets import (
    BatchReport,
    Explanation,
    History,
    Masking,
    Packet,
    PredicateView,
    Receipt,
    RecordPage,
    RecordView,
    ScopeView,
    Stats,
)
from firsthand.vocabulary.records import (
    Artifact,
    Environment,
    Episodic,
    Payload,
    Semantic,
    TimelineEvent,
    ToolCall,
    TypedValue,
    Validity,
)

if TYPE_CHECKING:
    from firsthand.recall.cache import Cache
    from firsthand.recall.plan import Plan

Conditions = Mapping[str, str | int | float | bool]
Value = str | int | float | bool | date | datetime | TypedValue
BATCH_ROWS = 500
SHORT_IDS_LOOKED_AT = 16
TARGET_MARGIN = 1.25
"""How much better than the second the best match of a description must be."""
TARGET_SHARE = 2 / 3
"""How much of a description's words a record must hold for the description to be of it."""


class Engine(msgspec.Struct):
    """What every handle on one space shares."""

    store: Store
    gateway: Gateway
    owned: bool = True
    cache: Cache | None = None
    first: Engine | None = None
    """The engine of the handle that opened the store, which keeps the cache for all."""


class Memory:
    """A handle on one scope of one space: thread-safe, and safe with several processes on one file.

    Every write verb returns a `Receipt`; outcomes of policy (`refused`, `proposed`) are returned, faults are raised as
    `FirsthandError`. Instants are ISO 8601 strings with an offset, aware datetimes, or integer microseconds UTC.
    """

    def __init__(self, engine: Engine, caller: Handle, *, receipts: bool = True) -> None:
        self._engine = engine
        self._handle = caller
        self._receipts = receipts

    # ---- this handle -----------------------------------------------------------------------------------------------

    @property
    def space(self) -> str:
        """The space this handle is on."""
        return self._handle.space

    @property
    def scope(self) -> str:
        """The scope this handle writes to."""
        return self._handle.scope

    @property
    def ledger(self) -> Ledger:
        """This space's ledger: verify, rebuild, seal, export, import, back up."""
        return Ledger(self._engine.store, self._engine.gateway, self._handle)

    @property
    def peers(self) -> Peers:
        """Other stores of this space: which are known, and how far they are believed."""
        return Peers(self._engine.store, self._engine.gateway, self._handle)

    def at(self, *, scope: str | None = None, session: str | None = None) -> Memory:
        """A handle on another scope or session of the same space, under the same grant, which it cannot leave."""
        h = self._handle
        for text, field in ((scope, "scope"), (session, "session")):
            cleaning.no_secret(text, field)
        author = h.author if session is None else msgspec.structs.replace(h.author, session=session)
        other = handle(
            space=h.space, scope=h.scope if scope is None else scope, author=author, grant=h.grant, keyed=h.keyed,
        )  # fmt: skip
        engine = Engine(self._engine.store, self._engine.gateway, False, first=self._engine.first or self._engine)
        return Memory(engine, other, receipts=self._receipts)

    def close(self) -> None:
        """Write pending receipts and release the store."""
        if self._engine.owned:
            self._engine.owned = False
            self._engine.gateway.journal.close()
            self._engine.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ---- writing ---------------------------------------------------------------------------------------------------

    def capture(
        self,
        text: str,
        *,
        speaker: str | None = None,
        occurred_at: Instant | None = None,
        thread: str | None = None,
        event_kind: str | None = None,
        timeline: Sequence[TimelineEvent | Mapping[str, Any]] = (),
        tool_graph: Sequence[ToolCall | Mapping[str, Any]] = (),
        environment: Environment | Mapping[str, Any] | None = None,
        outcome: Outcome | None = None,
        artifacts: Sequence[Artifact | Mapping[str, Any]] = (),
        tags: Sequence[str] = (),
        metadata: Mapping[str, str] | None = None,
        source_id: str | None = None,
        origin: str | None = None,
        sensitivity: Sensitivity = DEFAULT_SENSITIVITY,
        imported: bool = False,
        idempotency_key: str | None = None,
        reason: str | None = None,
    ) -> Receipt:
        """Store exactly what was said or happened: at most 64 KiB of text, immutable from now on.

        `speaker` is only a claim unless this credential may attest it. `occurred_at` is when it was said, `thread` what
        conversation it belongs to. Typed secrets are masked and our own packets cut before anything is stored; the
        receipt says so. Writes one episode. Raises `InvalidError` over a limit, `DeniedError` outside the grant.
        """
        fields = {k: v for k, v in locals().items() if k not in ("self", "idempotency_key")}
        (receipt,) = self._commit([self._capture_write(fields, idempotency_key)])
        return receipt

    def capture_many(
        self,
        items: Iterable[Mapping[str, Any]],
        *,
        progress: Callable[[int], None] | None = None,
        batch: int = BATCH_ROWS,
    ) -> BatchReport:
        """Store many episodes in batched transactions of `batch`; each item has `capture`'s arguments as keys.

        A batch is stored whole or not at all: an invalid item raises before its batch is written.
        """
        return self._many(items, lambda i: self._capture_write(i, i.get("idempotency_key")), progress, batch)

    def remember(
        self,
        statement: str | None = None,
        *,
        payload: Payload | Mapping[str, Any] | None = None,
        basis: Basis = "stated",
        subject: str | None = None,
        predicate: str | None = None,
        object: Value | None = None,  # noqa: A002
        unit: str | None = None,
        polarity: Polarity = "+",
        conditions: Conditions | None = None,
        valid_from: Instant | None = None,
        valid_to: Instant | None = None,
        volatility: Volatility = "drift_prone",
        sensitivity: Sensitivity = DEFAULT_SENSITIVITY,
        evidence: Sequence[Cite] = (),
        tags: Sequence[str] = (),
        metadata: Mapping[str, str] | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """Remember a claim: a sentence of at most 8 KiB, and its structure where there is one.

        The same claim again is one more support of its record (`reinforced`). Without evidence the sentence itself is
        stored as an episode by this author and cited whole. With `payload` it remembers working memory, a competence, a
        plan or an entity instead. Refused values come back as `outcome="refused"`; a quote that does not occur raises.
        """
        fields = {k: v for k, v in locals().items() if k not in ("self", "idempotency_key")}
        (receipt,) = self._commit([self._remember_write(fields, idempotency_key)])
        return receipt

    def remember_many(
        self,
        items: Iterable[Mapping[str, Any]],
        *,
        progress: Callable[[int], None] | None = None,
        batch: int = BATCH_ROWS,
    ) -> BatchReport:
        """Remember many claims in batched transactions; each item has `remember`'s arguments as keys."""
        return self._many(items, lambda i: self._remember_write(i, i.get("idempotency_key")), progress, batch)

    def correct(
        self,
        record_id: str | None = None,
        statement: str | None = None,
        *,
        target: str | None = None,
        object: Value | None = None,  # noqa: A002
        unit: str | None = None,
        polarity: Polarity | None = None,
        conditions: Conditions | None = None,
        valid_from: Instant | None = None,
        valid_to: Instant | None = None,
        evidence: Sequence[Cite] = (),
        reason: str,
        expected_heads: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """We were wrong: it was never X, it is Y. The record keeps its id; X leaves all of its world time.

        X gets a provisional tombstone: who had said it cannot restate it. An agent's correction of another owner's
        record is only `proposed`. Writes the reason and statement as an episode unless `evidence` is given.
        """
        changes = _changes(
            statement=statement, object=object, unit=unit, polarity=polarity, conditions=conditions,
            valid_from=valid_from, valid_to=valid_to,
        )  # fmt: skip
        if not changes:
            raise InvalidError(
                "nothing_new", "a correction needs a new statement, object or other field", field="statement"
            )
        asked = revise.Revision(
            "correct", record_id or "", reason, _renewer(changes), shape.evidence(evidence), _heads(expected_heads)
        )
        return self._revise(asked, record_id, target, changes, idempotency_key)

    def change(
        self,
        record_id: str | None = None,
        statement: str | None = None,
        *,
        target: str | None = None,
        object: Value | None = None,  # noqa: A002
        unit: str | None = None,
        since: Instant | None = None,
        evidence: Sequence[Cite] = (),
        reason: str,
        expected_heads: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """It was X; since `since` it is Y. X ends there and Y begins; both stay true in their own time.

        Returns the successor's id. With neither statement nor object X only ends. Leaves no tombstone.
        """
        at = None if since is None else to_micros(since, "since")
        changes = _changes(statement=statement, object=object, unit=unit)
        if not changes and evidence:
            raise InvalidError(
                "evidence_not_taken", "an end takes no evidence; give the statement or object that came instead",
                field="evidence",
            )  # fmt: skip
        begins = at if at is not None else self._engine.gateway.clock.now()
        renew = _renewer({**changes, "valid_from": begins, "valid_to": None})
        asked = revise.Revision(
            "change", record_id or "", reason, renew, shape.evidence(evidence), _heads(expected_heads), at, not changes
        )
        return self._revise(asked, record_id, target, changes, idempotency_key)

    def retract(
        self,
        record_id: str | None = None,
        *,
        target: str | None = None,
        reason: str,
        expected_heads: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """I take X back, with nothing in its place: what this caller said or its credentials wrote.

        The record falls if nobody independent still says it; else the receipt says who does.
        """
        self._handle.may_write("retract")
        bounds.check_reason(reason, required=True)
        gateway, heads = self._engine.gateway, _heads(expected_heads)
        asked = gateway.fingerprint(self._handle, record_id, target, reason, heads) if idempotency_key else ""
        known = gateway.answered(self._handle, "retract", idempotency_key, asked)
        if known is not None:
            is_ours = gateway.is_ours(self._handle)
            return _masked(known, lambda: cleaning.reason(reason, is_ours, required=True)[1])
        found = self._target(record_id, target)
        return self._one(revise.retract(gateway, self._handle, found, reason, heads, idempotency_key, asked))

    def support(
        self,
        record_id: str,
        evidence: Sequence[Cite] = (),
        *,
        revoke: str | None = None,
        reinstate: str | None = None,
        reason: str,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """Give a record more evidence (at most 200 supports), or revoke or reinstate one support by its id."""
        return self._one(
            annotate.support(
                self._engine.gateway, self._handle, shape.record_id(record_id), shape.evidence(evidence),
                revoke=revoke, reinstate=reinstate, reason=reason, idempotency_key=idempotency_key,
            )
        )  # fmt: skip

    def relate(
        self,
        record_id: str,
        relation: str,
        target: str,
        *,
        end: bool = False,
        reason: str,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """Begin, or with `end` end, a named edge between two records."""
        return self._one(
            annotate.relate(
                self._engine.gateway, self._handle, shape.record_id(record_id), relation,
                shape.record_id(target, "target"), end=shape.switch(end, "end"), reason=reason,
                idempotency_key=idempotency_key,
            )
        )  # fmt: skip

    def classify(
        self, record_id: str, sensitivity: Sensitivity, *, reason: str, idempotency_key: str | None = None
    ) -> Receipt:
        """Set a record's sensitivity. Anyone who may write raises it; only a person lowers it (`DeniedError`)."""
        return self._one(
            annotate.classify(
                self._engine.gateway, self._handle, shape.record_id(record_id), sensitivity, reason=reason,
                idempotency_key=idempotency_key,
            )
        )  # fmt: skip

    def feedback(
        self,
        recall_id: str,
        *,
        used: Sequence[str] = (),
        outcome: FeedbackOutcome = "helped",
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> tuple[Receipt, ...]:
        """Say what the records of a recall were worth: all it delivered, or those `used`. Moves only salience."""
        self._handle.may_write("feedback")
        limits.check_bytes(recall_id, most=limits.NAME_BYTES, field="recall_id")
        chosen = tuple(dict.fromkeys(shape.texts(used, "used")))
        if outcome not in tuple(annotate.GAIN_THOUSANDTHS):
            raise InvalidError("outcome_unknown", "outcome is helped, failed or unused", field="outcome")
        self._engine.gateway.journal.flush()
        with self._engine.store.reading(self.space) as reader:
            delivered = reader.delivery(recall_id)
        if delivered is None:
            raise AbsentError(
                "recall_absent", "recall_id names no recall; take it from the packet it answered", field="recall_id"
            )
        if any(u not in delivered for u in chosen):
            raise AbsentError("record_absent", "used names a record that this recall did not deliver", field="used")
        writes = [
            annotate.attend(
                self._engine.gateway, self._handle, recall_id, record, outcome, reason=reason,
                idempotency_key=idempotency_key,
            )
            for record in (chosen or delivered)
        ]  # fmt: skip
        return tuple(self._commit(writes))

    # ---- reading ---------------------------------------------------------------------------------------------------

    def recall(
        self,
        query: str,
        *,
        scopes: Sequence[str] | None = None,
        kinds: Sequence[Kind] | None = None,
        limit: int = limits.RECALL_LIMIT_DEFAULT,
        max_bytes: int = limits.PACKET_BYTES_DEFAULT,
        max_tokens: int | None = None,
        valid_at: Instant | None = None,
        known_at: Instant | None = None,
        conditions: Conditions | None = None,
        include: Sequence[str] = (),
        expand: int = 0,
        min_salience: float | None = None,
        clearance: Sensitivity | None = None,
    ) -> Packet:
        """The best answers to a query of at most 2 KiB, with what they rest on and what was left out.

        Reads this handle's scope and `space:` unless scopes are named; a scope outside the grant is denied. `valid_at`
        asks about the world then, `known_at` about what this store believed then. Leaves a receipt (design 09.25).
        """
        from firsthand.recall.pipeline import recall  # numpy loads when recall first runs, not at import

        self._handle.may("recall")
        asked = self._plan(
            query, scopes=scopes, kinds=kinds, limit=limit, max_bytes=max_bytes, max_tokens=max_tokens,
            valid_at=valid_at, known_at=known_at, conditions=conditions, include=include, expand=expand,
            min_salience=min_salience, clearance=clearance,
        )  # fmt: skip
        with self._engine.store.reading(self.space) as reader:
            trace = recall(reader, self._handle, asked, self._cache())
        if self._receipts:
            self._engine.gateway.journal.add(trace.receipt)
        return trace.packet

    def explain(self, query: str, record_id: str, **asked: Any) -> Explanation:
        """Why a record is, or is not, in the answer to a query; takes recall's arguments. Leaves no receipt."""
        from firsthand.recall.explain import explain
        from firsthand.recall.pipeline import recall

        self._handle.may("explain")
        shape.record_id(record_id)
        plan = self._plan(query, **asked)
        with self._engine.store.reading(self.space) as reader:
            trace = recall(reader, self._handle, plan, self._cache())
            return explain(reader, self._handle, trace, record_id)

    def read(self, record_id: str) -> RecordView:
        """One record by id, with its supports, relations and heads. `AbsentError` if absent or not readable."""
        from firsthand.recall.reading import read

        self._handle.may("read")
        with self._engine.store.reading(self.space) as reader:
            return read(reader, self._handle, self._plan(""), shape.record_id(record_id))

    def list(
        self,
        *,
        kinds: Sequence[Kind] | None = None,
        limit: int = 50,
        cursor: str | None = None,
        include: Sequence[str] = (),
    ) -> RecordPage:
        """What is known here: records of this scope, newest first, at most 200 a page."""
        from firsthand.recall.reading import page

        self._handle.may("list")
        limits.check_range(limit, least=1, most=limits.LIST_PAGE_ROWS, field="limit")
        plan = self._plan("", kinds=kinds, include=include, scopes=[self.scope])
        ids = {s: self._handle.keyed.scope(s) for s in plan.scopes}
        with self._engine.store.reading(self.space) as reader:
            return page(reader, self._handle, plan, limit, cursor, ids)

    def find(self, beginning: str) -> str:
        """The one readable record whose id begins so, with at least 8 characters; `AbsentError` if there is none."""
        from firsthand.recall.reading import readable_rows

        self._handle.may("read")
        if not shape.is_record_id_start(beginning):
            raise InvalidError(
                "id_too_short", "a record id is r and hexadecimal digits, given by at least 8 characters",
                field="record_id",
            )  # fmt: skip
        found: list[str] = []
        with self._engine.store.reading(self.space) as reader:
            for record_id in reader.records_beginning(beginning, SHORT_IDS_LOOKED_AT):
                with contextlib.suppress(AbsentError):
                    readable_rows(reader, self._handle, record_id)
                    found.append(record_id)
        if len(found) == 1:
            return found[0]
        if found:
            raise InvalidError("id_ambiguous", "several records have ids that begin so; give more", field="record_id")
        raise AbsentError("record_absent", "no record has an id that begins so", field="record_id")

    def history(self, record_id: str, *, limit: int = limits.HISTORY_PAGE_ROWS, cursor: str | None = None) -> History:
        """Everything that happened to a record, oldest first, at most 200 entries a page."""
        from firsthand.recall.reading import history

        self._handle.may("history")
        limits.check_range(limit, least=1, most=limits.HISTORY_PAGE_ROWS, field="limit")
        with self._engine.store.reading(self.space) as reader:
            return history(reader, self._handle, shape.record_id(record_id), limit, cursor)

    def stats(self) -> Stats:
        """What the space holds, as far as this handle may read."""
        self._handle.may("stats")
        with self._engine.store.reading(self.space) as reader:
            counts, head = reader.counts(self._handle.readable, self._handle.clearance), reader.head()
        return Stats(
            space=self.space,
            entries=head.position,
            records=counts["kind"],
            standing=counts["status"],
            scopes=len(counts["scope"]),
            bytes_on_disk=int(str(self._engine.store.facts()["bytes"])),
            known_at=head.received_at,
            generation=0,
        )

    def scopes(self) -> tuple[ScopeView, ...]:
        """The scopes that hold something this handle may read, by name, and how many records each holds."""
        self._handle.may("stats")
        with self._engine.store.reading(self.space) as reader:
            held = reader.counts(self._handle.readable, self._handle.clearance)["scope"]
            found = [(row.name, held.get(row.scope_id, 0)) for row in reader.scope_rows()]
        # A scope whose name was erased is not named here.
        shown = sorted((name, count) for name, count in found if name is not None and count)
        return tuple(ScopeView(scope=name, records=count) for name, count in shown)

    def predicates(self) -> tuple[PredicateView, ...]:
        """The predicates this version knows, by name."""
        fields = PredicateView.__struct_fields__
        known = sorted(BUILT_IN.values(), key=lambda predicate: predicate.key)
        return tuple(PredicateView(**{field: getattr(predicate, field) for field in fields}) for predicate in known)

    def facts(self) -> dict[str, object]:
        """Where the store is, its engine, its key file and its journal: for the operator, and free of content."""
        self._handle.may("stats")
        self._engine.gateway.journal.flush()
        return self._engine.store.facts()

    # ---- inside ----------------------------------------------------------------------------------------------------

    def _commit(self, writes: Sequence[Write]) -> list[Receipt]:
        return self._engine.gateway.commit(self._handle, writes)

    def _one(self, write: Write) -> Receipt:
        (receipt,) = self._commit([write])
        return receipt

    def _cache(self) -> Cache:
        from firsthand.recall.cache import Cache

        engine = self._engine.first or self._engine
        if engine.cache is None:
            engine.cache = Cache()
        return engine.cache

    def _plan(self, query: str, **asked: Any) -> Plan:
        from firsthand.recall.plan import plan

        return plan(self._handle, self._engine.gateway.clock.now(), query, **asked)

    def _capture_write(self, fields: Mapping[str, Any], key: str | None) -> Write:
        payload = _episode(fields)
        return capture_write(
            self._engine.gateway,
            self._handle,
            payload,
            sensitivity=shape.sensitivity(fields.get("sensitivity", DEFAULT_SENSITIVITY)),
            reason=fields.get("reason"),
            idempotency_key=key,
            imported=shape.switch(fields.get("imported", False), "imported"),
        )

    def _remember_write(self, fields: Mapping[str, Any], key: str | None) -> Write:
        return remember_write(
            self._engine.gateway,
            self._handle,
            _record(fields),
            basis=shape.basis(fields.get("basis", "stated")),
            sensitivity=shape.sensitivity(fields.get("sensitivity", DEFAULT_SENSITIVITY)),
            evidence=shape.evidence(fields.get("evidence", ())),
            reason=fields.get("reason"),
            idempotency_key=key,
        )

    def _many(
        self,
        items: Iterable[Mapping[str, Any]],
        prepare: Callable[[Mapping[str, Any]], Write],
        progress: Callable[[int], None] | None,
        batch: int,
    ) -> BatchReport:
        limits.check_range(batch, least=1, most=10_000, field="batch")
        if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidError("items_invalid", "items is a list of mappings, one for each record", field="items")
        receipts: list[Receipt] = []
        waiting: list[Write] = []

        def flush() -> None:
            if waiting:
                receipts.extend(self._commit(waiting))
                waiting.clear()
                if progress is not None:
                    progress(len(receipts))

        try:
            for item in items:
                if not isinstance(item, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
                    raise InvalidError("item_invalid", "an item is not a mapping of arguments", field="items")
                waiting.append(prepare(item))
                if len(waiting) >= batch:
                    flush()
            flush()
        except FirsthandError as error:
            # Earlier batches stand: who tries again must know from which item on.
            error.may_have_written = error.may_have_written or bool(receipts)
            error.details = {**error.details, "stored_items": len(receipts)}
            raise
        return _report(receipts)

    def _revise(
        self,
        asked: revise.Revision,
        record_id: str | None,
        target: str | None,
        changes: Mapping[str, Any],
        key: str | None,
    ) -> Receipt:
        """Correct or change, unless this very request was answered before."""
        gateway = self._engine.gateway
        self._handle.may_write(asked.verb)
        bounds.check_reason(asked.reason, required=True)
        if key is not None:
            cited, heads = list(asked.evidence), asked.expected_heads
            digest = gateway.fingerprint(
                self._handle, record_id, target, changes, asked.since, cited, asked.reason, heads
            )
            known = gateway.answered(self._handle, asked.verb, key, digest)
            if known is not None:
                again = asked._replace(record_id=known.record_id or "")
                return _masked(known, lambda: revise.masked_again(gateway, self._handle, again))
            asked = asked._replace(fingerprint=digest)
        asked = asked._replace(record_id=self._target(record_id, target))
        return self._one(revise.revise(gateway, self._handle, asked, key))

    def _target(self, record_id: str | None, target: str | None) -> str:
        """A record by id, or by a description that one record clearly fits best."""
        if (record_id is None) == (target is None):
            raise InvalidError("target_unclear", "give record_id or target: one of them", field="record_id")
        if record_id is not None:
            return shape.record_id(record_id)
        assert target is not None
        self._handle.may("recall")
        limits.check_bytes(target, most=limits.QUERY_BYTES, field="target")
        from firsthand.recall.pipeline import recall

        plan = self._plan(target, kinds=["semantic", "competence", "plan_graph"], limit=5)
        with self._engine.store.reading(self.space) as reader:
            trace = recall(reader, self._handle, plan, self._cache())
        # What contradicts something else is described as well as what does not: it is what most needs correcting.
        found = [(c.item, c.score) for c in trace.grouped.items]
        found += [(item, c.best.score) for c in trace.grouped.conflicts for item in c.group.items]
        fits = [(score * described(target, item.text), item) for item, score in found]
        best = [(score, item) for score, item in fits if described(target, item.text) >= TARGET_SHARE]
        best.sort(key=lambda x: (-x[0], x[1].record_id))
        if not best:
            raise AbsentError("target_absent", "target describes no record that can be revised here", field="target")
        if len(best) > 1 and best[0][0] < best[1][0] * TARGET_MARGIN:
            raise ConflictError(
                "target_ambiguous", "target fits several records; name one of them by its id", field="target",
                next_action="fix_and_resubmit", details={"candidates": [item.record_id for _, item in best[:5]]},
            )  # fmt: skip
        return best[0][1].record_id


def _masked(known: Receipt, again: Callable[[], tuple[Masking, ...]]) -> Receipt:
    """A receipt that was given before, with what was masked in the words of its request."""
    wrote = known.outcome in ("stored", "reinforced")
    return msgspec.structs.replace(known, maskings=again()) if wrote else known


def described(description: str, text: str) -> float:
    """The share of a description's terms that a text holds."""
    asked = set(terms(description))
    return len(asked & set(terms(text))) / len(asked) if asked else 0.0


# ---- arguments as payloads -------------------------------------------------------------------------------------------

_EPISODE_FIELDS = frozenset(Episodic.__struct_fields__) | {"sensitivity", "imported", "reason", "idempotency_key"}
_CLAIM_FIELDS = frozenset(
    ("statement", "subject", "predicate", "object", "unit", "polarity", "conditions", "valid_from", "valid_to",
     "volatility", "tags", "metadata")
)  # fmt: skip
_RECORD_FIELDS = _CLAIM_FIELDS | {"payload", "basis", "sensitivity", "evidence", "reason", "idempotency_key"}
_DEFAULTS = {"polarity": "+", "volatility": "drift_prone"}


def _known(fields: Mapping[str, Any], known: frozenset[str]) -> None:
    if any(field not in known for field in fields):
        raise InvalidError(
            "field_unknown", f"an item has a field that is not one of {', '.join(sorted(known))}", field="items"
        )


def _episode(fields: Mapping[str, Any]) -> Episodic:
    _known(fields, _EPISODE_FIELDS)
    if not isinstance(fields.get("text"), str):
        raise InvalidError("text_missing", "text is required and is a string", field="text")
    occurred = fields.get("occurred_at")
    plain = {k: v for k, v in fields.items() if k in Episodic.__struct_fields__ and v is not None}
    plain["occurred_at"] = None if occurred is None else to_micros(occurred, "occurred_at")
    for field in ("environment", "artifacts"):
        if plain.get(field):
            plain[field] = shape.plain(plain[field], field)
    for field in ("timeline", "tool_graph"):
        if plain.get(field):
            plain[field] = _dated(plain[field], field)
    return shape.convert(plain, Episodic, "capture")


def _dated(events: object, field: str) -> object:
    """Events or tool calls as plain values, with `at` in any form an instant may have."""
    if not isinstance(events, list | tuple):
        return events
    dated: list[Any] = []
    for event in cast("Sequence[object]", events):
        if isinstance(event, Mapping) and (at := cast("Mapping[str, Any]", event).get("at")) is not None:
            event = {**cast("Mapping[str, Any]", event), "at": to_micros(at, f"{field}.at")}
        dated.append(shape.plain(cast("object", event), field))
    return dated


def _record(fields: Mapping[str, Any]) -> Payload:
    _known(fields, _RECORD_FIELDS)
    payload = fields.get("payload")
    if payload is not None:
        beside = [
            f for f in sorted(_CLAIM_FIELDS) if fields.get(f, _DEFAULTS.get(f)) not in (None, (), _DEFAULTS.get(f))
        ]
        if beside:
            raise InvalidError(
                "payload_unclear", f"payload already says what is remembered; {beside[0]} goes inside it",
                field=beside[0],
            )  # fmt: skip
        return shape.payload(payload)
    return _semantic(fields)


def _semantic(fields: Mapping[str, Any]) -> Semantic:
    value, unit = fields.get("object"), fields.get("unit")
    statement, subject, predicate = fields.get("statement"), fields.get("subject"), fields.get("predicate")
    for field in ("statement", "subject", "predicate", "unit"):
        if fields.get(field) is not None and not isinstance(fields[field], str):
            raise InvalidError("text_invalid", f"{field} is not text; give it as a string", field=field)
    if unit is not None and value is None:
        raise InvalidError("claim_incomplete", "a unit needs an object that it belongs to", field="unit")
    typed = None if value is None else typed_value(value, unit)
    if isinstance(value, TypedValue):
        typed = shape.convert(shape.plain(value, "object"), TypedValue, "object")
    polarity = fields.get("polarity", "+")
    if statement is None and subject is not None and predicate is not None:
        statement = claim_words(subject, predicate, typed, polarity)
    if statement is None:
        raise InvalidError("statement_missing", "give a statement, or subject, predicate and object", field="statement")
    start, end = fields.get("valid_from"), fields.get("valid_to")
    given = fields.get("conditions")
    if given is not None and not isinstance(given, Mapping):
        raise InvalidError("shape_invalid", "conditions is a mapping of names to values", field="conditions")
    conditions = {} if given is None else dict(cast("Mapping[str, Any]", given))
    validity = Validity(
        mode="conditional" if conditions else "timeboxed" if end is not None else "global",
        conditions=conditions,
        from_=None if start is None else to_micros(start, "valid_from"),
        to=None if end is None else to_micros(end, "valid_to"),
    )
    tags, metadata = fields.get("tags"), fields.get("metadata")
    plain: dict[str, Any] = {
        "statement": statement, "subject": subject, "predicate": predicate, "object": typed, "polarity": polarity,
        "validity": validity if not conditions else shape.plain(validity, "conditions"),
        "volatility": fields.get("volatility", "drift_prone"),
        "tags": () if tags is None else tags, "metadata": {} if metadata is None else metadata,
    }  # fmt: skip
    return shape.convert(plain, Semantic, "remember")


def _heads(expected: object) -> tuple[str, ...] | None:
    return None if expected is None else shape.texts(expected, "expected_heads")


def _changes(**given: Any) -> dict[str, Any]:
    """What a revision changes: only what was given, in its checked form."""
    unit = given.pop("unit", None)
    changes = {field: value for field, value in given.items() if value is not None}
    for field in ("valid_from", "valid_to"):
        if field in changes:
            changes[field] = to_micros(changes[field], field)
    if "object" in changes:
        changes["object"] = typed_value(changes["object"], unit)
    elif unit is not None:
        raise InvalidError("claim_incomplete", "a unit needs an object that it belongs to", field="unit")
    if "statement" in changes:
        limits.check_bytes(changes["statement"], most=limits.STATEMENT_BYTES, field="statement")
    return shape.plain(changes, "conditions")


def _renewer(changes: Mapping[str, Any]) -> Callable[[Claimed], Claimed]:
    """How the payload believed now becomes the new one; its statement is rewritten if only its object changed."""

    def renew(old: Claimed) -> Claimed:
        if not isinstance(old, Semantic):
            raise InvalidError("use_remember", "a skill or plan is revised by remembering it anew", field="record_id")
        given = changes.get("object")
        typed = old.object if given is None else shape.convert(given, TypedValue, "object")
        if given is not None and old.subject is None:
            raise InvalidError("claim_incomplete", "a plain sentence is revised by a new statement", field="object")
        polarity = changes.get("polarity", old.polarity)
        statement = changes.get("statement")
        if statement is None:
            statement = _restated(old, typed, polarity)
        elif given is None:
            _check_still_names(old, statement)
        start = changes.get("valid_from", old.validity.from_)
        new = _semantic(
            {
                "statement": statement, "subject": old.subject, "predicate": old.predicate, "object": typed,
                "polarity": polarity, "conditions": changes.get("conditions", old.validity.conditions),
                "valid_from": None if start == BEGINNING else start,
                "valid_to": changes.get("valid_to", old.validity.to),
                "volatility": old.volatility, "tags": old.tags, "metadata": old.metadata,
            }
        )  # fmt: skip
        if start != BEGINNING:
            return new
        return msgspec.structs.replace(new, validity=msgspec.structs.replace(new.validity, from_=start))

    return renew


def _check_still_names(old: Semantic, statement: str) -> None:
    """A new sentence must not leave the old value standing in the structure behind it."""
    if old.object is None or isinstance(old.object.value, bool):
        return
    was = folded(str(old.object.value))
    if was in folded(old.statement) and was not in folded(statement):
        raise InvalidError(
            "object_missing", "the statement no longer names the record's object; give the new object too",
            field="object",
        )  # fmt: skip


def _restated(old: Semantic, value: TypedValue | None, polarity: str) -> str:
    """The old sentence with the new object in it, if the old one stands there word for word."""
    if polarity != old.polarity and old.subject is None:
        raise InvalidError(
            "statement_missing", "a plain sentence is turned round by a new statement", field="statement"
        )
    if value is not None and old.object is not None and polarity == old.polarity:
        was = rf"(?<!\w){re.escape(str(old.object.value))}(?!\w)"
        found = list(re.finditer(was, old.statement))
        if len(found) == 1:
            return old.statement[: found[0].start()] + str(value.value) + old.statement[found[0].end() :]
    if old.subject is not None and old.predicate is not None and (value != old.object or polarity != old.polarity):
        return claim_words(old.subject, old.predicate, value, polarity)
    return old.statement


def _report(receipts: Sequence[Receipt]) -> BatchReport:
    counts = {o: sum(r.outcome == o for r in receipts) for o in ("stored", "reinforced", "refused", "proposed")}
    return BatchReport(total=len(receipts), receipts=tuple(receipts), **counts)
