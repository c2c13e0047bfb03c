"""The verbs that revise what is believed, beside correct, change and retract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from firsthand import arguments
from firsthand.arguments import Conditions, Value
from firsthand.capture import revise, shape
from firsthand.handled import Handled
from firsthand.vocabulary.citing import Cite
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.grants import check_scope
from firsthand.vocabulary.instants import Instant
from firsthand.vocabulary.kinds import Polarity
from firsthand.vocabulary.packets import Receipt
from firsthand.vocabulary.results import Impact

if TYPE_CHECKING:
    pass


class Revising(Handled):
    """Verbs that change what is believed, shown or allowed. Each says in its receipt what else it affected.

    All name a record by its id or by `target`, a description of it. On another owner's record an agent's verb is only
    `proposed`. `expected_heads` are those the caller read: if they have changed meanwhile, `ConflictError`.
    """

    def contest(
        self,
        record_id: str | None = None,
        *,
        target: str | None = None,
        against: str | None = None,
        reason: str,
        expected_heads: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """I doubt X, perhaps because of the record `against`: X is disputed until a settle names this contest.

        A disputed record is no answer to a recall; it comes back as a conflict.
        """
        from firsthand.capture import contesting

        heads = arguments.heads(expected_heads)
        if against is not None:
            shape.record_id(against, "against")
        return self._about(
            "contest", (record_id, target), reason, idempotency_key, (against, heads),
            lambda found, digest: contesting.contest(
                self._engine.gateway, self._handle, found, reason, against, heads, idempotency_key, digest
            ),
        )  # fmt: skip

    def settle(
        self,
        record_id: str | None = None,
        *,
        target: str | None = None,
        contests: Sequence[str] = (),
        reason: str,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """The doubt is settled: the contests named by their entry ids, or all on this record, no longer hold."""
        from firsthand.capture import contesting

        named = shape.texts(contests, "contests")
        return self._about(
            "settle", (record_id, target), reason, idempotency_key, (named,),
            lambda found, digest: contesting.settle(
                self._engine.gateway, self._handle, found, reason, named, idempotency_key, digest
            ),
        )  # fmt: skip

    def fork(
        self,
        record_id: str | None = None,
        statement: str | None = None,
        *,
        target: str | None = None,
        object: Value | None = None,  # noqa: A002
        unit: str | None = None,
        polarity: Polarity | None = None,
        conditions: Conditions,
        valid_from: Instant | None = None,
        valid_to: Instant | None = None,
        evidence: Sequence[Cite] = (),
        reason: str,
        expected_heads: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """X stands, and under `conditions` it is Y: both stand, and recall checks the conditions.

        Returns the new record's id. Withdrawing X hides the fork it did not know of, too.
        """
        changes = arguments.changes(
            statement=statement, object=object, unit=unit, polarity=polarity, conditions=conditions,
            valid_from=valid_from, valid_to=valid_to,
        )  # fmt: skip
        if not changes.get("conditions"):
            raise InvalidError("conditions_missing", "a fork needs the conditions it holds under", field="conditions")
        if not changes.keys() & {"statement", "object", "polarity"}:
            raise InvalidError("nothing_new", "a fork needs a new statement, object or polarity", field="statement")
        window = {"valid_from": changes.get("valid_from"), "valid_to": changes.get("valid_to")}
        renew = arguments.renewer({**changes, **window})
        cited, heads = shape.evidence(evidence), arguments.heads(expected_heads)
        return self._about(
            "fork", (record_id, target), reason, idempotency_key, (changes, list(cited), heads),
            lambda found, digest: revise.revise(
                self._engine.gateway, self._handle,
                revise.Revision("fork", found, reason, renew, cited, heads, fingerprint=digest), idempotency_key,
            ),
        )  # fmt: skip

    def merge(
        self,
        record_ids: Sequence[str],
        statement: str | None = None,
        *,
        object: Value | None = None,  # noqa: A002
        unit: str | None = None,
        reason: str,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """These, 2 to 20 records of one scope, are the same: one survives and carries the evidence of all.

        The one that says the statement already survives, else the first, and keeps its id; the others end with the
        merge as their cause, and come back if its words are taken back. What is hidden or does not hold is refused.
        """
        from firsthand.capture import merging

        ids = tuple(shape.record_id(i, "record_ids") for i in shape.texts(record_ids, "record_ids"))
        changes = arguments.changes(statement=statement, object=object, unit=unit)
        known, digest = self._answered("merge", reason, idempotency_key, (ids, changes, reason))
        if known is not None:
            return known
        asked = merging.Merging(ids, reason, arguments.renewer(changes), digest)
        return self._one(merging.merge(self._engine.gateway, self._handle, asked, idempotency_key))

    def withdraw(
        self,
        record_id: str | None = None,
        *,
        target: str | None = None,
        reason: str,
        expected_heads: Sequence[str] | None = None,
        expected_visibility_heads: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """Do not show this for now: out of every read until it is restored, and as true as before.

        Corrections written after a withdrawal stay hidden, as do successors and copies that it did not know of. The
        sayings it rests on stay readable; `forget(because="private")` masks those, too.
        """
        return self._show(
            "withdraw", record_id, target, reason, expected_heads, expected_visibility_heads, idempotency_key
        )

    def restore(
        self,
        record_id: str,
        *,
        reason: str,
        expected_heads: Sequence[str] | None = None,
        expected_visibility_heads: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """Show it again: the content there is now. `RefusedError` if nothing was withdrawn.

        Who withdrew it, or holds the audit grant, knows of it; to everyone else it is absent. What a person withdrew an
        agent only proposes to show.
        """
        return self._show(
            "restore", record_id, None, reason, expected_heads, expected_visibility_heads, idempotency_key
        )

    def reject(
        self,
        record_id: str | None = None,
        *,
        target: str | None = None,
        value: str | Mapping[str, Any] | Sequence[object] | None = None,
        reason: str,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """Never let this value in again, whoever says it and however it is spelled: in this scope, until it is lifted.

        Give a record, or a `value`: a sentence, or (subject, predicate, object), or a mapping with these and, if need
        be, unit and polarity. The receipt's `entry_id` is what `lift` takes. Only a person rejects; an agent's is
        `proposed`.
        """
        from firsthand.capture import rejecting

        forbidden = None if value is None else arguments.value(value)
        parts = (record_id, target, reason, forbidden)
        known, digest = self._answered("reject", reason, idempotency_key, parts)
        if known is not None:
            return known
        if forbidden is None:
            asked = rejecting.Rejection(reason, self._target(record_id, target), None, digest)
        elif record_id is None and target is None:
            asked = rejecting.Rejection(reason, None, forbidden, digest)
        else:
            raise InvalidError("target_unclear", "give a record or a value: one of them", field="value")
        return self._one(rejecting.reject(self._engine.gateway, self._handle, asked, idempotency_key))

    def lift(self, rejection_id: str, *, reason: str, idempotency_key: str | None = None) -> Receipt:
        """This value may come back: `rejection_id` is the entry that rejected, corrected or retracted it.

        Only a person lifts (`DeniedError`).
        """
        from firsthand.capture import rejecting

        entry = shape.entry_id(rejection_id, "rejection_id")
        known, digest = self._answered("lift", reason, idempotency_key, (entry, reason))
        if known is not None:
            return known
        return self._one(rejecting.lift(self._engine.gateway, self._handle, entry, reason, idempotency_key, digest))

    def share(
        self,
        record_id: str | None = None,
        scope: str = "",
        *,
        target: str | None = None,
        reason: str,
        expected_heads: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """A linked copy in another scope of the grant; the receipt names it.

        It dies with its original: what retracts, rejects, erases or withdraws that reaches the copy. It is never less
        sensitive than its original.
        """
        from firsthand.capture import sharing

        check_scope(scope)
        heads = arguments.heads(expected_heads)
        return self._about(
            "share", (record_id, target), reason, idempotency_key, (scope, heads),
            lambda found, digest: sharing.share(
                self._engine.gateway, self._handle, sharing.Sharing(found, scope, reason, heads, digest),
                idempotency_key,
            ),
        )  # fmt: skip

    def undo(self, entry_id: str, *, reason: str, idempotency_key: str | None = None) -> Receipt:
        """Take back an entry that changed, corrected, retracted, withdrew, rejected, contested, merged or the like.

        Writes its opposite; `RefusedError` (`no_opposite`) where there is none. For its author or a person: an agent's
        undo of somebody else's entry is `proposed`.
        """
        from firsthand.capture import undoing

        entry = shape.entry_id(entry_id, "entry_id")
        known, digest = self._answered("undo", reason, idempotency_key, (entry, reason))
        if known is not None:
            return known
        asked = undoing.Undoing(entry, reason, digest)
        return self._one(undoing.undo(self._engine.gateway, self._handle, asked, idempotency_key))

    def impact(self, record_id: str) -> Impact:
        """What would become of the records that hang on this one, were it withdrawn, retracted or erased.

        Says of each whether it would fall, and how many independent sources it would keep. Writes nothing.
        """
        from firsthand.recall.impact import impact

        self._handle.may("impact")
        now = self._engine.gateway.clock.now()
        with self._engine.store.reading(self._handle.space) as reader:
            return impact(reader, self._handle, shape.record_id(record_id), now)

    def _show(
        self,
        verb: Literal["withdraw", "restore"],
        record_id: str | None,
        target: str | None,
        reason: str,
        expected_heads: Sequence[str] | None,
        expected_visibility_heads: Sequence[str] | None,
        key: str | None,
        *,
        private: bool = False,
    ) -> Receipt:
        from firsthand.capture import showing

        heads, seen = arguments.heads(expected_heads), arguments.heads(expected_visibility_heads)
        return self._about(
            verb, (record_id, target), reason, key, (heads, seen, "private") if private else (heads, seen),
            lambda found, digest: showing.show(
                self._engine.gateway, self._handle,
                showing.Decision(verb, found, reason, heads, seen, digest, private), key,
            ),
        )  # fmt: skip
