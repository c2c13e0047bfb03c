"""Verbs that hide, forbid, classify, copy, join or destroy what was said."""

from __future__ import annotations

from checks import ALL
from hypothesis import strategies as st
from hypothesis.stateful import rule
from life import (
    COPIES,
    SCOPES,
    Life,
    anything,
    object_of,
    owners,
    picks,
    record_of,
    stores,
)
from plain_model import Copy, Gone, Level, Lift, Merged, Mixed, Model, Place, Saying, Show, Stone, Value
from two_stores import Store

from firsthand.vocabulary.kinds import SENSITIVITIES

FORKS_MAX = 30
"""A life makes no more, so that what else is known of a subject has its place among the items of one packet."""


class LockingVerbs(Life):
    """Withdraw, restore, reject, lift, classify, fork, merge, share, erase."""

    @rule(where=stores, owner=owners, pick=anything, forget=st.booleans())
    def withdraw(self, where: int, owner: str, pick: int, forget: bool) -> None:
        """A person hides it, as true as before."""
        aim = self.belief(where, self.believed, pick)
        if aim is None:
            return
        store, place, value = aim
        now, handle = self.act(store, place), store.handle(owner, "person", place[0])
        if forget:
            handle.forget(record_of(value), because="private")
        else:
            handle.withdraw(record_of(value), reason="not now")
        self._decided(store, place, value, now, hides=True)

    @rule(where=stores, owner=owners, pick=anything)
    def restore(self, where: int, owner: str, pick: int) -> None:
        """A person shows again what was hidden."""
        aim = self.aim(where, lambda i: self.those(i, _is_withdrawn), pick)
        if aim is None:
            return
        store, place, value = aim
        now = self.act(store, place)
        store.handle(owner, "person", place[0]).restore(record_of(value), reason="now it may")
        self._decided(store, place, value, now, hides=False)

    def _decided(self, store: Store, place: Place, value: Value, now: int, *, hides: bool) -> None:
        replaced = frozenset(s.at for s in store.model.shows(value))
        decision = Show(now, hides, replaced, self.seen_with(store, place))
        store.model.records.setdefault(record_of(value), set()).add(decision)

    @rule(where=stores, owner=owners, pick=anything)
    def reject(self, where: int, owner: str, pick: int) -> None:
        """Never again, whoever says it and whatever its record says by now."""
        known = lambda i: self.those(i, lambda model, value: bool(value.records) and not value.rejected)  # noqa: E731
        aim = self.belief(where, known, pick)
        if aim is None:
            return
        store, place, value = aim
        now = self.act(store, place)
        named = (place[1], place[2], object_of(place))
        receipt = store.handle(owner, "person", place[0]).reject(value=named, reason="never")
        value.facts.add(Stone(now, owner, True, now, absolute=True, entry=receipt.entry_id))

    @rule(where=stores, owner=owners, pick=anything)
    def lift(self, where: int, owner: str, pick: int) -> None:
        """It may be said again."""
        aim = self.aim(where, lambda i: self.those(i, lambda model, value: bool(_liftable(value))), pick)
        if aim is None:
            return
        store, place, value = aim
        self.act(store, place)
        stone = _liftable(value)[0]
        store.handle(owner, "person", place[0]).lift(stone.entry or "", reason="it may")
        value.facts.add(Lift(stone.at))

    @rule(where=stores, pick=anything, level=st.sampled_from(range(ALL + 1)))
    def classify(self, where: int, pick: int, level: int) -> None:
        """A person says how sensitive it is."""
        aim = self.belief(where, self.believed, pick)
        if aim is None:
            return
        store, place, value = aim
        now, record = self.act(store, place), record_of(value)
        replaced = frozenset(x.at for x in store.model.levels(record))
        store.operator(place[0]).classify(record, SENSITIVITIES[level], reason="so")
        store.model.records.setdefault(record, set()).add(Level(now, level, replaced))

    # ---- copied, joined, destroyed -------------------------------------------------------------------------------

    @rule(where=stores, owner=owners, pick=anything)
    def fork(self, where: int, owner: str, pick: int) -> None:
        """Under a condition it is something else, and both can be read; the first stands as before."""
        aim = self.belief(where, self.ordinary, pick)
        if aim is None or self.forks == FORKS_MAX:
            return
        store, place, value = aim
        self.act(store, place)
        self.forks += 1
        handle = store.handle(owner, "person", place[0])
        receipt = handle.fork(
            record_of(value), object=f"fork{self.steps}", conditions={"stage": "test"}, reason="there it is so"
        )
        assert receipt.outcome == "stored"
        assert receipt.record_id is not None
        assert handle.read(receipt.record_id).item.text.startswith(f"{place[1]} hosts fork{self.steps}")

    @rule(where=stores, owner=owners, pick=anything, other=picks)
    def merge(self, where: int, owner: str, pick: int, other: int) -> None:
        """A person says that two are one: the first stays, and the other is told no more.

        Unless the words of the other may not say the first, since somebody took that back; and two records that were
        both hidden and shown again have two decisions in force when they are one, until a person decides.
        """
        aim = self.belief(where, self.ordinary, pick)
        if aim is None:
            return
        store, place, value = aim
        beside = [t for t in self.ordinary(self.both.index(store)) if t[0][:3] == place[:3] and t[1] is not value]
        if not beside:
            return
        _, joined = beside[other % len(beside)]
        self.act(store, place)
        handle = store.handle(owner, "person", place[0])
        receipt = handle.merge([record_of(value), record_of(joined)], reason="one and the same")
        assert receipt.record_id == record_of(value)
        for each in (value, joined):
            each.facts.add(Merged())
        told = {i.text for i in handle.recall(f"{place[1]} hosts", kinds=["semantic"], limit=50).items}
        assert value.text in told or store.model.shows(value) or store.model.shows(joined)
        assert joined.text not in told or value.all(Stone)

    @rule(where=stores, owner=owners, pick=anything)
    def share(self, where: int, owner: str, pick: int) -> None:
        """A person copies it into another scope, where it can be read from then on."""
        aim = self.belief(where, self.ordinary, pick)
        if aim is None:
            return
        store, place, value = aim
        self.act(store, place)
        receipt = store.handle(owner, "person", place[0]).share(record_of(value), COPIES, reason="for all")
        assert receipt.outcome in ("stored", "reinforced")
        store.model.value((COPIES, *place[1:])).facts.add(Copy(place))

    @rule(where=stores, pick=anything, forget=st.booleans())
    def erase_value(self, where: int, pick: int, forget: bool) -> None:
        """Every body that holds it is destroyed, in every scope; and it may be said in none again.

        Who forgets it for good rejects it first, where it was: what it had closed is open again.
        """
        aim = self.belief(where, self.believed, pick)
        if aim is None:
            return
        store, place, value = aim
        now, handle = self.act(store, place), store.operator(place[0])
        if forget:
            handle.forget(record_of(value), because="never_again")
        else:
            handle.erase(record_of(value), reason_code="asked")
        for scope in SCOPES:
            rejected = forget and scope == place[0]
            stone = Stone(now, "ana", True, now, absolute=True, erasure=not rejected)
            store.model.value((scope, *place[1:])).facts |= {stone, Mixed()}
            self.unshared.add((scope, *place[1:3]))
        self._nothing_is_left(store, value.text)

    def _nothing_is_left(self, store: Store, words: str) -> None:
        assert not store.look(f"SELECT entry_id FROM entry WHERE body LIKE '%{words}%'"), "words are left"

    @rule(where=stores, pick=anything)
    def erase_source(self, where: int, pick: int) -> None:
        """A conversation is destroyed, and what rests only on it; every other word stays as true as it was."""
        cited = lambda i: self.those(i, lambda model, value: bool(_sources(model, value)))  # noqa: E731
        aim = self.aim(where, cited, pick)
        if aim is None:
            return
        store, place, value = aim
        self.act(store, place)
        episode = _sources(store.model, value)[0]
        store.operator(place[0]).erase(episode, reason_code="asked")
        store.model.gone.add(Gone(episode))
        value.facts.add(Mixed())
        self._nothing_is_left(store, self.texts[episode])


def _is_withdrawn(model: Model, value: Value) -> bool:
    return (
        bool(value.records) and value.plain and model.believed(value) and not model.unsure(value)
        and model.withdrawn(value) and not value.rejected
    )  # fmt: skip


def _liftable(value: Value) -> list[Stone]:
    return sorted((s for s in value.stones() if s.entry is not None), key=lambda s: s.at)


def _sources(model: Model, value: Value) -> list[str]:
    """The episodes that claims of a value cite, as far as their words are there and may be."""
    cited = {s.cites for s in value.all(Saying) if s.cites is not None and Gone(s.cites) not in model.gone}
    return [] if value.rejected else sorted(cited)
