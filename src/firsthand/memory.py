"""The API: one class; each verb hands over to one room in a few lines (design 05)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import msgspec

from firsthand import arguments
from firsthand.arguments import Conditions, Value
from firsthand.capture import annotate, bounds, cleaning, revise, shape
from firsthand.capture.claims import remember as remember_write
from firsthand.capture.episodes import capture as capture_write
from firsthand.capture.gateway import Write
from firsthand.handled import masked
from firsthand.revising import Revising
from firsthand.rules.access import handle
from firsthand.rules.predicates import BUILT_IN
from firsthand.vocabulary import limits
from firsthand.vocabulary.citing import Cite
from firsthand.vocabulary.embedding import EmbedReport
from firsthand.vocabulary.erasure import Erasure
from firsthand.vocabulary.errors import AbsentError, FirsthandError, InvalidError
from firsthand.vocabulary.instants import Instant, to_micros
from firsthand.vocabulary.kinds import (
    DEFAULT_SENSITIVITY,
    Basis,
    Because,
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
    Payload,
    TimelineEvent,
    ToolCall,
)
from firsthand.vocabulary.refusals import RefusalPage
from firsthand.vocabulary.results import Result
from firsthand.vocabulary.stubs import Stub
from firsthand.vocabulary.tokens import CountTokens
from firsthand.vocabulary.turns import TurnName

if TYPE_CHECKING:
    from firsthand.assembling import Assembly
    from firsthand.capture.aftermath import Aftermath
    from firsthand.learning.jobs import Jobs
    from firsthand.moving.ledger import Ledger
    from firsthand.moving.peers import Peers
    from firsthand.ports import Progress
    from firsthand.review.desk import Review

BATCH_ROWS = 500
REASONS = {
    "wrong": "it is wrong", "outdated": "it is outdated", "private": "it is private", "never_again": "never again",
}  # fmt: skip
"""Why a record is forgotten, in words, where the caller gives none."""
SHORT_IDS_LOOKED_AT = 16
EMBEDDED_MOST = 1 << 40
"""More documents than a space has."""


class Memory(Revising):
    """A handle on one scope of one space: thread-safe, and safe with several processes on one file.

    Every write verb returns a `Receipt`; outcomes of policy (`refused`, `proposed`) are returned, faults are raised as
    `FirsthandError`. Instants are ISO 8601 strings with an offset, bare dates, aware datetimes, or microseconds UTC.
    """

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
        from firsthand.moving.ledger import Ledger

        return Ledger(self._engine.store, self._engine.gateway, self._handle)

    @property
    def peers(self) -> Peers:
        """Other stores of this space: which are known, and how far they are believed."""
        from firsthand.moving.peers import Peers

        return Peers(self._engine.store, self._engine.gateway, self._handle)

    @property
    def review(self) -> Review:
        """The review desk of this scope: what waits for a person, and the decision."""
        from firsthand.review.desk import Review

        return Review(self._engine.store, self._engine.gateway, self._handle)

    @property
    def jobs(self) -> Jobs:
        """Background jobs over what is new: claims read out of episodes, merges proposed. They run only when asked."""
        from firsthand.learning.jobs import Jobs  # loads when jobs are first asked for, not at import

        return Jobs(self._engine.store, self._engine.gateway, self._handle)

    def at(self, *, scope: str | None = None, session: str | None = None) -> Memory:
        """A handle on another scope or session of the same space, under the same grant, which it cannot leave."""
        h = self._handle
        for text, field in ((scope, "scope"), (session, "session")):
            cleaning.no_secret(text, field)
        author = h.author if session is None else msgspec.structs.replace(h.author, session=session)
        other = handle(
            space=h.space, scope=h.scope if scope is None else scope, author=author, grant=h.grant, keyed=h.keyed,
        )  # fmt: skip
        engine = self._engine.lent()
        return Memory(engine, other, receipts=self._receipts)

    def close(self) -> None:
        """Write pending receipts and release the store."""
        if self._engine.owned:
            self._engine.owned = False
            self._engine.gateway.journal.close()
            self._engine.store.close()
            if self._engine.store.embedder is not None:
                self._engine.store.embedder.forget()

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
        turns: Sequence[TurnName | Mapping[str, Any]] = (),
        idempotency_key: str | None = None,
        reason: str | None = None,
    ) -> Receipt:
        """Store exactly what was said or happened: at most 64 KiB of text, immutable from now on.

        `speaker` is only a claim unless this credential may attest it. `occurred_at` is when it was said, `thread` what
        conversation it belongs to. `turns` names what another program of the owner may have kept: if it kept it all,
        that receipt comes back. Typed secrets are masked and our own packets cut before anything is stored; the
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

        Y takes all of it or, with `valid_from` or `valid_to`, that window alone.

        X gets a provisional tombstone: who had said it cannot restate it. An agent's correction of another owner's
        record is only `proposed`. Writes the reason and statement as an episode unless `evidence` is given.
        """
        changes = arguments.changes(
            statement=statement, object=object, unit=unit, polarity=polarity, conditions=conditions,
            valid_from=valid_from, valid_to=valid_to,
        )  # fmt: skip
        if not changes:
            raise InvalidError(
                "nothing_new", "a correction needs a new statement, object or other field", field="statement"
            )
        asked = revise.Revision(
            "correct",
            record_id or "",
            reason,
            arguments.renewer(changes),
            shape.evidence(evidence),
            arguments.heads(expected_heads),
            keeps_windows=not changes.keys() & {"valid_from", "valid_to"},
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
        changes = arguments.changes(statement=statement, object=object, unit=unit)
        if not changes and evidence:
            raise InvalidError(
                "evidence_not_taken", "an end takes no evidence; give the statement or object that came instead",
                field="evidence",
            )  # fmt: skip
        begins = at if at is not None else self._engine.gateway.clock.now()
        renew = arguments.renewer({**changes, "valid_from": begins, "valid_to": None})
        asked = revise.Revision(
            "change",
            record_id or "",
            reason,
            renew,
            shape.evidence(evidence),
            arguments.heads(expected_heads),
            at,
            not changes,
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
        heads = arguments.heads(expected_heads)
        return self._about(
            "retract", (record_id, target), reason, idempotency_key, (heads,),
            lambda found, digest: revise.retract(
                self._engine.gateway, self._handle, found, reason, heads, idempotency_key, digest
            ),
        )  # fmt: skip

    def forget(
        self,
        record_id: str | None = None,
        *,
        because: Because,
        target: str | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """Forget a record because it is `wrong`, `outdated`, `private`, or wanted `never_again`.

        Wrong is retracted, and outdated ends now. Private is withdrawn from view, and what says it, earlier and later,
        reads `[withheld]` until it is restored. Never again is rejected and, where this version can, erased; else
        `next_action` says that its words are still kept.
        """
        self._handle.may_write("forget")
        why = reason if reason is not None else REASONS.get(because, "")
        named: dict[str, Any] = {"target": target, "reason": why, "idempotency_key": idempotency_key}
        match because:
            case "wrong":
                return self.retract(record_id, **named)
            case "outdated":
                return self.change(record_id, **named)
            case "private":
                return self._show("withdraw", record_id, target, why, None, None, idempotency_key, private=True)
            case "never_again":
                return self._reject_and_erase(record_id, named)
            case _:
                raise InvalidError("because_unknown", f"because is one of {', '.join(REASONS)}", field="because")

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

    # ---- destroying ------------------------------------------------------------------------------------------------

    def erase(
        self,
        record_id: str | None = None,
        *,
        target: str | None = None,
        value: tuple[str | None, str | None, Value] | None = None,
        reason_code: str,
        reason: str | None = None,
        dry_run: bool = False,
        plan_hash: str | None = None,
        idempotency_key: str | None = None,
    ) -> Erasure:
        """Destroy words to the byte: a source and what rests only on it, or every body that holds a value.

        An episode's id is a source. A claim's id, a description or `value` (subject, predicate, object) is a value:
        each body that holds it with its subject goes, in every scope of the grant. `dry_run` returns the plan; with its
        `plan_hash` exactly that plan runs, or none. At most 1,000 bodies a call. A legal hold refuses.
        """
        from firsthand.capture import erase as erasing

        named = None if value is not None and record_id is None and target is None else self._target(record_id, target)
        asked = erasing.Asked(named, None if value is None else erasing.value_of(value), reason_code, reason, plan_hash)
        return erasing.erase(
            self._engine.gateway, self._handle, asked, dry_run=shape.switch(dry_run, "dry_run"),
            idempotency_key=idempotency_key,
        )  # fmt: skip

    def hold(self, record_id: str, reason: str) -> Receipt:
        """Keep a record from being erased, by anyone, until a person releases it. Only a person holds."""
        from firsthand.capture.holds import hold

        return self._one(hold(self._engine.gateway, self._handle, shape.record_id(record_id), reason, release=False))

    def release_hold(self, record_id: str, reason: str) -> Receipt:
        """Release every hold on a record. Only a person does."""
        from firsthand.capture.holds import hold

        return self._one(hold(self._engine.gateway, self._handle, shape.record_id(record_id), reason, release=True))

    @property
    def erasure(self) -> Aftermath:
        """Certificates of erasures, the byte sweep, and retention."""
        from firsthand.capture.aftermath import Aftermath

        return Aftermath(self._engine.gateway, self._handle)

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
            trace = recall(reader, self._handle, asked, self._cache(), self._engine.reranker)
        if self._receipts:
            self._engine.gateway.journal.add(trace.receipt)
        return trace.packet

    def assembly(self, *, max_tokens: int, count_tokens: CountTokens | None = None) -> Assembly:
        """Memory for the prompts of one session, turn by turn: what is unchanged keeps its place, byte for byte.

        Each text has at most `max_tokens` with its fence: as estimated, or as `count_tokens` counts the whole of it.
        """
        from firsthand.assembling import Assembly

        self._handle.may("recall")
        return Assembly(
            self._engine, self._handle, receipts=self._receipts, max_tokens=max_tokens, count_tokens=count_tokens
        )

    def explain(self, query: str, record_id: str, **asked: Any) -> Explanation:
        """Why a record is, or is not, in the answer to a query; takes recall's arguments. Leaves no receipt."""
        from firsthand.recall.explain import explain
        from firsthand.recall.pipeline import recall

        self._handle.may("explain")
        shape.record_id(record_id)
        plan = self._plan(query, **asked)
        with self._engine.store.reading(self.space) as reader:
            trace = recall(reader, self._handle, plan, self._cache(), self._engine.reranker)
            return explain(reader, self._handle, plan, trace, record_id)

    def read(self, record_id: str) -> RecordView:
        """One record by id, with its supports, relations and heads. `AbsentError` if absent or not readable."""
        from firsthand.recall.reading import read

        self._handle.may("read")
        with self._engine.store.reading(self.space) as reader:
            return read(reader, self._handle, self._plan(""), self._cache().looked, shape.record_id(record_id))

    def stub(self, record_id: str) -> Stub:
        """That a record is there, and how it stands: also of one just above the clearance, where the grant has `stubs`.

        Without a word of it. `AbsentError` if it is not there, or may not even be known of.
        """
        from firsthand.recall.reading import stub

        self._handle.may("read")
        with self._engine.store.reading(self.space) as reader:
            return stub(reader, self._handle, self._engine.gateway.clock.now(), shape.record_id(record_id))

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
            return history(reader, self._handle, self._cache().looked, shape.record_id(record_id), limit, cursor)

    def refusals(self, *, limit: int = 50, cursor: str | None = None) -> RefusalPage:
        """Which writes were refused in the scopes that may be read here, newest first; never what they said."""
        from firsthand.recall.refusals import refusals

        self._handle.may("refusals")
        limits.check_range(limit, least=1, most=limits.LIST_PAGE_ROWS, field="limit")
        with self._engine.store.reading(self.space) as reader:
            return refusals(reader, self._handle, limit, cursor)

    def embed_pending(
        self, *, limit: int | None = None, again: bool = False, progress: Progress | None = None
    ) -> EmbedReport:
        """Make vectors that wait, until none does or for `limit` documents; `again`: also what was given up.

        Needs the verb `jobs`. Where the space's embedder is an endpoint, this alone sends words there, and only of what
        the default gate lets through and nobody called more sensitive than `low`. Several processes may run at once. A
        failure of the endpoint is told in the report, and what waited still waits.
        """
        from firsthand.embedding import work_off

        self._handle.may("jobs")
        most = EMBEDDED_MOST if limit is None else limits.check_range(
            limit, least=1, most=EMBEDDED_MOST, field="limit"
        )  # fmt: skip
        engine = self._engine
        return work_off(engine.store, self.space, engine.gateway.clock, most=most, again=again, progress=progress)

    def reindex(self, embedder: str = "default", *, progress: Progress | None = None) -> EmbedReport:
        """Make every vector of the space anew, by another embedder or the same, which the space keeps from now on.

        The old vectors go at once, in one transaction; the new ones come as `embed_pending` makes them, which goes on
        if this is interrupted. Meanwhile recalls say `vectors_pending`. Only the operator of the file may.
        """
        from firsthand.moving.exporting import only_the_operator

        only_the_operator(self._handle, "reindex")
        first = self._engine.first or self._engine
        chosen = None if first.choose is None else first.choose(embedder)
        if chosen is None:
            raise InvalidError("embedder_missing", "name the embedder to make vectors with", field="embedder")
        before = first.store.embedder
        first.store.use(chosen)
        try:
            with first.store.writing(self.space) as writer:
                writer.renew_vectors()
        except BaseException:
            first.store.use(before)
            raise
        first.cache = None
        if before is not None:
            before.forget()
        return self.embed_pending(progress=progress)

    def stats(self) -> Stats:
        """What the space holds, as far as this handle may read."""
        self._handle.may("stats")
        with self._engine.store.reading(self.space) as reader:
            counts, head = reader.counts(self._handle.readable, self._handle.clearance), reader.head()
        return Stats(
            space=self.space,
            entries=head.position if self._handle.reads_all else None,
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

    def fenced(self, result: Result) -> str:
        """A result for a prompt, inside a data fence of this space: records as text, all else as JSON.

        Captured again, it is cut.
        """
        from firsthand.recall.pipeline import NOTICE, new_nonce
        from firsthand.vocabulary import rendering

        nonce = new_nonce(self._handle)
        if isinstance(result, RecordPage):
            return rendering.fenced_items(result.items, NOTICE, nonce, cursor=result.cursor)
        return rendering.fenced(result, NOTICE, nonce)

    def facts(self) -> dict[str, object]:
        """Where the store is, its engine, its key file and its journal: for the operator, and free of content."""
        self._handle.may("stats")
        self._engine.gateway.journal.flush_if_can()
        with self._engine.store.reading(self.space) as reader:
            owed, held, pending = len(reader.unfinished_erasures()), reader.embedding(), reader.pending_counts()
        found = {"receipts_lost": self._engine.gateway.journal.lost, "erasures_owed": owed}
        vectors = {
            "vectors_by": held.identity or None if held is not None else None,
            "vectors_sent_to": held.sent_to.split("\n") if held is not None and held.sent_to else [],
            "vectors_pending": pending.waiting,
            "vectors_kept_back": pending.kept_back,
            "vectors_given_up": pending.given_up,
            "embedder_error": held.code if held is not None else None,
        }
        return {**self._engine.store.facts(), **found, **vectors}

    # ---- inside ----------------------------------------------------------------------------------------------------

    def _reject_and_erase(self, record_id: str | None, named: Mapping[str, Any]) -> Receipt:
        """Reject a value for good; what holds its words is destroyed by a verb of its own."""
        receipt = self.reject(record_id, **named)
        if receipt.outcome != "stored":
            return receipt
        erase: Callable[..., object] | None = getattr(self, "erase", None)
        if erase is None or receipt.record_id is None:
            kept = (*receipt.notes, "words_kept")
            return msgspec.structs.replace(receipt, notes=kept, next_action="contact_operator")
        key = named["idempotency_key"]
        erase(receipt.record_id, reason_code="never_again", reason=named["reason"], idempotency_key=key)
        return msgspec.structs.replace(receipt, notes=(*receipt.notes, "words_erased"))

    def _capture_write(self, fields: Mapping[str, Any], key: str | None) -> Write:
        payload = arguments.episode(fields)
        return capture_write(
            self._engine.gateway,
            self._handle,
            payload,
            sensitivity=shape.sensitivity(fields.get("sensitivity", DEFAULT_SENSITIVITY)),
            reason=fields.get("reason"),
            idempotency_key=key,
            imported=shape.switch(fields.get("imported", False), "imported"),
            turns=arguments.turns(fields.get("turns", ())),
        )

    def _remember_write(self, fields: Mapping[str, Any], key: str | None) -> Write:
        return remember_write(
            self._engine.gateway,
            self._handle,
            arguments.record(fields),
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
                return masked(known, lambda: revise.masked_again(gateway, self._handle, again))
            asked = asked._replace(fingerprint=digest)
        asked = asked._replace(record_id=self._target(record_id, target))
        return self._one(revise.revise(gateway, self._handle, asked, key))


def _report(receipts: Sequence[Receipt]) -> BatchReport:
    counts = {o: sum(r.outcome == o for r in receipts) for o in ("stored", "reinforced", "refused", "proposed")}
    return BatchReport(total=len(receipts), receipts=tuple(receipts), **counts)
