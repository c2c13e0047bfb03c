"""Verbs by which something is said, taken back, or replaced."""

from __future__ import annotations

from checks import ALL
from hypothesis import strategies as st
from hypothesis.stateful import rule
from life import (
    VALUES,
    Life,
    Target,
    anything,
    heard,
    object_of,
    owners,
    picks,
    predicates,
    record_of,
    roles,
    scopes,
    stores,
    subjects,
)
from plain_model import LOW, Contest, Ending, Gone, Heir, Mixed, Model, Place, Saying, Settle, Stone, Value

import firsthand


class SayingVerbs(Life):
    """Remember, cite, retract, correct, change, contest, settle."""

    def __init__(self) -> None:
        super().__init__()
        self.episodes: dict[tuple[str, Place], tuple[str, int, str | None]] = {}
        """By store and place: a conversation, when it was, and which person's words it is, if it is a person's."""

    @rule(where=stores, owner=owners, role=roles, scope=scopes, subject=subjects, predicate=predicates, pick=picks,
          guess=st.booleans())  # fmt: skip
    def remember(
        self, where: int, owner: str, role: str, scope: str, subject: str, predicate: str, pick: int, guess: bool
    ) -> None:
        """Somebody says it, or an agent guesses it."""
        place = (scope, subject, predicate, VALUES[predicate][pick])
        self.say(self.both[where], owner, role, place, guess=guess and role == "agent")

    @rule(where=stores, owner=owners, scope=scopes, subject=subjects, predicate=predicates, pick=picks)
    def person_says(self, where: int, owner: str, scope: str, subject: str, predicate: str, pick: int) -> None:
        """What people say is what most lives are made of."""
        self.say(self.both[where], owner, "person", (scope, subject, predicate, VALUES[predicate][pick]))

    @rule(where=stores, owner=owners, role=roles, scope=scopes, subject=subjects, pick=picks)
    def cite(self, where: int, owner: str, role: str, scope: str, subject: str, pick: int) -> None:
        """Somebody claims what a conversation said, with its words; the conversation is known here or captured now."""
        store, place = self.both[where], (scope, subject, "hosts", VALUES["hosts"][pick])
        value = store.model.value(place)
        if value.stones():
            return
        now = self.act(store, place)
        handle = store.handle(owner, role, scope)
        known = self.episodes.get((store.path.stem, place))
        if known is None or Gone(known[0]) in store.model.gone:
            text = f"So, {value.text}. Noted as n{self.steps}."
            known = (handle.capture(text).record_id or "", now, owner if role == "person" else None)
            self.texts[known[0]] = text
            self.episodes[store.path.stem, place] = known
        record, spoken, speaker = known
        receipt = handle.remember(
            subject=subject, predicate="hosts", object=place[3], evidence=[firsthand.cite(record, quote=value.text)]
        )
        voice = (speaker, "person") if speaker is not None else (owner, role)
        self.said(store, place, Saying(now, "", *voice, spoken, cites=record, writer=owner), receipt, False)

    @rule(where=stores, owner=owners, pick=anything, forget=st.booleans())
    def retract(self, where: int, owner: str, pick: int, forget: bool) -> None:
        """A person takes back what she and her agents said."""
        aim = self.belief(where, self.believed, pick)
        if aim is None:
            return
        store, place, value = aim
        now, handle = self.act(store, place), store.handle(owner, "person", place[0])
        if forget:
            handle.forget(record_of(value), because="wrong")
        else:
            handle.retract(record_of(value), reason="no")
        value.facts.add(Stone(now, owner, False, heard(value, now)))

    @rule(where=stores, owner=owners, pick=anything, other=picks)
    def correct(self, where: int, owner: str, pick: int, other: int) -> None:
        """A person says that it was never so, but so."""
        aim = self.belief(where, self.ordinary, pick)
        if aim is None:
            return
        store, place, value = aim
        new = (*place[:3], VALUES[place[2]][other])
        instead = store.model.value(new)
        if new == place or store.model.level(instead) != LOW:
            return
        now = self.act(store, place)
        saying = Saying(now, "", owner, "person", now)
        refused = instead.blocks(saying)
        reach = heard(value, now)
        handle = store.handle(owner, "person", place[0])
        receipt = handle.correct(record_of(value), object=new[3], reason="no, so")
        instead.facts.add(Mixed())
        self.said(store, new, saying, receipt, refused)
        if receipt.outcome != "refused":
            value.facts |= {Stone(now, owner, True, reach), Mixed()}

    @rule(where=stores, owner=owners, pick=anything, other=picks)
    def change(self, where: int, owner: str, pick: int, other: int) -> None:
        """A person says that it was so, and is so from now on."""
        aim = self.belief(where, self.believed, pick)
        if aim is None:
            return
        store, place, value = aim
        new = (*place[:3], VALUES[place[2]][other])
        instead = store.model.value(new)
        if new == place or {store.model.level(value), store.model.level(instead)} != {LOW}:
            return
        now = self.act(store, place)
        saying, reach = Saying(now, "", owner, "person", now), heard(value, now)
        refused, known = instead.blocks(saying), instead.records
        handle = store.handle(owner, "person", place[0])
        receipt = handle.change(record_of(value), object=object_of(new), reason="it moved")
        kept = self.said(store, new, saying, receipt, refused)
        if receipt.outcome == "refused":
            return
        value.facts.add(Ending(now, reach, (new, kept)))
        if kept.record not in known:
            instead.facts.add(Heir(kept.record, place))

    @rule(where=stores, owner=owners, pick=anything, forget=st.booleans())
    def end(self, where: int, owner: str, pick: int, forget: bool) -> None:
        """A person says that it is so no longer."""
        aim = self.belief(where, self.believed, pick)
        if aim is None:
            return
        store, place, value = aim
        now, handle = self.act(store, place), store.handle(owner, "person", place[0])
        if forget:
            handle.forget(record_of(value), because="outdated")
        else:
            handle.change(record_of(value), reason="it is over")
        value.facts.add(Ending(now, heard(value, now)))

    @rule(where=stores, pick=anything)
    def foreign_agent_corrects(self, where: int, pick: int) -> None:
        """An agent's correction of what only others said is a proposal, and changes nothing."""
        aim = self.belief(where, lambda i: [t for t in self.believed(i) if not _said_by(t, "cid")], pick)
        if aim is None:
            return
        store, place, value = aim
        self.act(store, place)
        new = 5 if place[2] == "port" else "chat"
        receipt = store.handle("cid", "agent", place[0]).correct(record_of(value), object=new, reason="better")
        assert receipt.outcome == "proposed"

    @rule(where=stores, owner=owners, role=roles, pick=anything)
    def contest(self, where: int, owner: str, role: str, pick: int) -> None:
        """Somebody doubts it; of another owner's record an agent only proposes that."""
        aim = self.belief(where, self.believed, pick)
        if aim is None:
            return
        store, place, value = aim
        self.act(store, place)
        receipt = store.handle(owner, role, place[0]).contest(record_of(value), reason="is it?")
        assert receipt.outcome == "stored" or role == "agent"
        if receipt.outcome == "stored":
            assert receipt.entry_id is not None
            value.facts.add(Contest(receipt.entry_id))

    @rule(where=stores, owner=owners, pick=anything)
    def settle(self, where: int, owner: str, pick: int) -> None:
        """A person says that it is so after all."""
        aim = self.aim(where, lambda i: self.those(i, _is_contested), pick)
        if aim is None:
            return
        store, place, value = aim
        self.act(store, place)
        store.handle(owner, "person", place[0]).settle(record_of(value), reason="it is")
        value.facts.add(Settle(value.contests()))


def _said_by(target: Target, owner: str) -> bool:
    return owner in {who for s in target[1].all(Saying) for who in (s.source, s.writer)}


def _is_contested(model: Model, value: Value) -> bool:
    return bool(value.contests()) and value.plain and model.believed(value) and not model.hidden(value, ALL)
