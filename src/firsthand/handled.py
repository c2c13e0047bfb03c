"""What every handle stands on: its engine, its caller, and how it finds, writes and answers once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from firsthand.capture import bounds, cleaning, shape
from firsthand.capture.gateway import Gateway, Write
from firsthand.ports import Embedder, Reranker, Store
from firsthand.rules.access import Handle
from firsthand.rules.mentions import mentions
from firsthand.rules.terms import terms
from firsthand.vocabulary import limits
from firsthand.vocabulary.errors import AbsentError, ConflictError, InvalidError
from firsthand.vocabulary.packets import Masking, Receipt

if TYPE_CHECKING:
    from firsthand.recall.cache import Cache
    from firsthand.recall.plan import Plan

TARGET_MARGIN = 1.25
"""How much better than the second the best match of a description must be."""
TARGET_SHARE = 2 / 3
"""How much of a description's words a record must hold for the description to be of it."""


class Engine(msgspec.Struct):
    """What every handle on one space shares."""

    store: Store
    gateway: Gateway
    owned: bool = True
    one_shot: bool = False
    cache: Cache | None = None
    first: Engine | None = None
    """The engine of the handle that opened the store, which keeps the cache for all."""
    reranker: Reranker | None = None
    choose: Callable[[str | None], Embedder | None] | None = None
    """Makes an embedder of its setting."""

    def lent(self) -> Engine:
        """The same for another handle, which does not close the store."""
        return msgspec.structs.replace(self, owned=False, cache=None, first=self.first or self)


class Handled:
    """What every handle stands on: its engine, its caller, and how it finds, writes and answers once."""

    def __init__(self, engine: Engine, caller: Handle, *, receipts: bool = True) -> None:
        self._engine = engine
        self._handle = caller
        self._receipts = receipts

    def _commit(self, writes: Sequence[Write]) -> list[Receipt]:
        return self._engine.gateway.commit(self._handle, writes)

    def _one(self, write: Write) -> Receipt:
        (receipt,) = self._commit([write])
        return receipt

    def _cache(self) -> Cache:
        from firsthand.recall.cache import Cache

        engine = self._engine.first or self._engine
        if engine.cache is None:
            engine.cache = Cache(engine.store.embedder, one_shot=engine.one_shot)
        return engine.cache

    def _plan(self, query: str, **asked: Any) -> Plan:
        from firsthand.recall.plan import plan

        return plan(self._handle, self._engine.gateway.clock.now(), query, **asked)

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
        with self._engine.store.reading(self._handle.space) as reader:
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

    def _about(
        self,
        verb: str,
        which: tuple[str | None, str | None],
        reason: str,
        key: str | None,
        parts: Sequence[object],
        make: Callable[[str, str], Write],
    ) -> Receipt:
        """Run a verb on the record named by (id, description), unless this very request was answered before."""
        known, digest = self._answered(verb, reason, key, (*which, reason, *parts))
        return known if known is not None else self._one(make(self._target(*which), digest))

    def _answered(self, verb: str, reason: str, key: str | None, parts: Sequence[object]) -> tuple[Receipt | None, str]:
        """The first receipt of a request made before, and the request's fingerprint."""
        self._handle.may_write(verb)
        bounds.check_reason(reason, required=True)
        gateway = self._engine.gateway
        digest = gateway.fingerprint(self._handle, *parts) if key is not None else ""
        known = gateway.answered(self._handle, verb, key, digest)
        if known is None:
            return None, digest
        is_ours = gateway.is_ours(self._handle)
        return masked(known, lambda: cleaning.reason(reason, is_ours, required=True)[1]), digest


def masked(known: Receipt, again: Callable[[], tuple[Masking, ...]]) -> Receipt:
    """A receipt that was given before, with what was masked in the words of its request."""
    wrote = known.outcome in ("stored", "reinforced")
    return msgspec.structs.replace(known, maskings=again()) if wrote else known


def described(description: str, text: str) -> float:
    """The share of a description's terms that a text holds; nothing if it lacks a name or a number of them."""
    asked, held = set(terms(description)), set(terms(text))
    named = {term for mention in mentions(description) for term in terms(mention.text)}
    numbers = {term for term in asked if any(map(str.isdigit, term))}
    return len(asked & held) / len(asked) if asked and named | numbers <= held else 0.0
