"""`memory.review`: what waits for a person, what each decision would change, and the decision."""

from __future__ import annotations

import msgspec

from firsthand.capture import bounds, cleaning, shape
from firsthand.capture.gateway import Gateway
from firsthand.ports import Store
from firsthand.recall.plan import plan
from firsthand.recall.reading import history, read
from firsthand.recall.rejections import Looked
from firsthand.review import waiting
from firsthand.review.deciding import decision as decide_write
from firsthand.rules.access import Handle
from firsthand.vocabulary import limits
from firsthand.vocabulary.errors import AbsentError, DeniedError, FirsthandError, InvalidError
from firsthand.vocabulary.packets import History, Receipt, RecordView
from firsthand.vocabulary.reviews import (
    DECISIONS,
    REVIEW_KINDS,
    DecisionName,
    Outlook,
    ReviewItem,
    ReviewKind,
    ReviewPage,
    ReviewView,
)

SUPPOSED = "supposed, to see what it would change"


class Review:
    """The review desk of one scope."""

    def __init__(self, store: Store, gateway: Gateway, handle: Handle) -> None:
        self._store = store
        self._gateway = gateway
        self._handle = handle

    def list(self, kind: ReviewKind | None = None, *, limit: int = 50, cursor: str | None = None) -> ReviewPage:
        """What waits here, at most 200 a page: all of it by kind, or of one kind, newest first.

        Kinds are proposals, conflicts, candidates and near_tombstones; the first page says how many of each wait.
        """
        self._handle.may("review")
        if kind is not None and kind not in REVIEW_KINDS:
            raise InvalidError("kind_unknown", f"kind is one of {', '.join(REVIEW_KINDS)}", field="kind")
        limits.check_range(limit, least=1, most=limits.LIST_PAGE_ROWS, field="limit")
        with self._store.reading(self._handle.space) as reader:
            kinds = REVIEW_KINDS if kind is None else (kind,)
            return waiting.page(reader, self._handle, kinds, limit, waiting.place_of(cursor, kinds))

    def show(self, item_id: str) -> ReviewView:
        """One item with its record, evidence and history, and what each decision would change, if a person made it.

        Computed by running each decision and rolling it back; nothing is written. `AbsentError` if it does not wait.
        """
        self._handle.may("review")
        item, record, past = self._item(item_id)
        names = DECISIONS[item.kind]
        return ReviewView(
            item=item, record=record, history=past, outlooks=tuple(self._outlook(item, name) for name in names)
        )

    def decide(
        self, item_id: str, decision: DecisionName, *, reason: str, idempotency_key: str | None = None
    ) -> Receipt:
        """Decide an item, as a person: `approve` makes what it says a fact, `reject` forbids it or closes a proposal.

        `settle` ends the doubts about a record, `retract` takes it back. Tombstones are asked again: a decision that
        would let a rejected value in is `refused`. Raises `DeniedError` for anybody but a person.
        """
        self._handle.may_write("approve")
        bounds.check_reason(reason, required=True)
        gateway = self._gateway
        digest = gateway.fingerprint(self._handle, item_id, decision, reason) if idempotency_key is not None else ""
        known = gateway.answered(self._handle, "approve", idempotency_key, digest)
        if known is not None:
            return known
        if self._handle.author.role != "person":
            raise DeniedError("deciding_needs_person", "only a person decides what waits for review", field="role")
        said, masked = cleaning.reason(reason, gateway.is_ours(self._handle), required=True)
        with self._store.reading(self._handle.space) as reader:
            item = waiting.item_of(reader, self._handle, _checked(item_id))
        if decision not in DECISIONS[item.kind]:
            allowed = ", ".join(DECISIONS[item.kind])
            raise InvalidError("decision_unknown", f"decision is one of {allowed} for this item", field="decision")
        write = decide_write(gateway, self._handle, item, decision, said or "")
        write = write._replace(verb="approve", key=idempotency_key, fingerprint=digest)
        (receipt,) = gateway.commit(self._handle, [write])
        return msgspec.structs.replace(receipt, maskings=(*receipt.maskings, *masked))

    def _item(self, item_id: str) -> tuple[ReviewItem, RecordView | None, History | None]:
        with self._store.reading(self._handle.space) as reader:
            item = waiting.item_of(reader, self._handle, _checked(item_id))
            if item.record_id is None:
                return item, None, None
            try:
                asked = plan(self._handle, self._gateway.clock.now(), "")
                looked = Looked()
                record = read(reader, self._handle, asked, looked, item.record_id)
                past = history(reader, self._handle, looked, item.record_id, limits.HISTORY_PAGE_ROWS, None)
            except AbsentError:
                return item, None, None  # withdrawn: whoever withdrew it sees the proposal, and not the words
            return item, record, past

    def _outlook(self, item: ReviewItem, name: DecisionName) -> Outlook:
        try:
            write = decide_write(self._gateway, _as_person(self._handle), item, name, SUPPOSED)
            receipt = self._gateway.trial(self._handle, write)
        except FirsthandError as error:
            return Outlook(decision=name, outcome="refused", code=error.code, next_action=error.next_action)
        return Outlook(
            decision=name, outcome=receipt.outcome, standing=receipt.standing, affected=receipt.affected,
            code=receipt.code, next_action=receipt.next_action,
        )  # fmt: skip


def _checked(item_id: str) -> str:
    return shape.entry_id(item_id, "item_id") if str(item_id).startswith("e") else shape.record_id(item_id, "item_id")


def _as_person(handle: Handle) -> Handle:
    """The same caller in a person's place, to say what a decision would change; nothing it runs is kept."""
    return msgspec.structs.replace(
        handle,
        author=msgspec.structs.replace(handle.author, role="person"),
        ids=msgspec.structs.replace(handle.ids, role="person"),
    )
