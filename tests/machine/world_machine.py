"""Random verbs by several people and their agents on two stores that exchange exports, and what holds after each."""

from __future__ import annotations

import checks
from hypothesis.stateful import invariant, precondition, rule
from life import COPIES, DAY, SCOPES, anything, owners, roles, scopes, stores
from locking_verbs import LockingVerbs
from saying_verbs import SayingVerbs
from two_stores import Store

ROUNDS = 4
"""Within so many exchanges both ways, the last of which adds nothing, two stores come to rest."""


class Machine(SayingVerbs, LockingVerbs):
    """`deep_every` verbs the projections of a store are compared with a replay, and of one in the end."""

    deep_every = 60

    @precondition(lambda self: self.steps % 6 == 5)
    @rule(where=stores, owner=owners, role=roles, scope=scopes)
    def talk(self, where: int, owner: str, role: str, scope: str) -> None:
        """Something is said that claims nothing."""
        store = self.both[where]
        self.act(store, (scope, "api", "hosts", ""))
        store.handle(owner, role, scope).capture("It rains again.", speaker=owner)

    @precondition(lambda self: self.steps % 16 == 15)
    @rule(where=stores)
    def restart(self, where: int) -> None:
        """Every process of a store ends, and others begin."""
        self.both[where].restart()

    @precondition(lambda self: self.steps % 32 == 31)
    @rule(where=stores)
    def rebuild(self, where: int) -> None:
        """The projections are made anew, and are the same."""
        assert self.both[where].operator(SCOPES[0]).ledger.rebuild().same

    # ---- exports -------------------------------------------------------------------------------------------------

    @precondition(lambda self: self.steps % 8 == 4)
    @rule(where=stores)
    def send(self, where: int) -> None:
        """One store learns what the other knows, and not the other way round."""
        self._send(self.both[where], self.both[1 - where])
        self._look_at_everything(self.both[1 - where])

    @precondition(lambda self: self.steps % 12 == 11)
    @rule(where=stores, pick=anything)
    def an_old_export_comes_late(self, where: int, pick: int) -> None:
        """What it holds was corrected, hidden or destroyed meanwhile, and stays so."""
        sent = self.both[1 - where].sent
        if sent:
            self.tick(self.both[where])
            self.both[where].take_in(sent[pick % len(sent)])
            self._look_at_everything(self.both[where])

    @precondition(lambda self: self.steps % 16 == 8)
    @rule(first=stores)
    def exchange(self, first: int) -> None:
        """Both learn everything, in either order; then they agree on everything.

        Who takes in destroys copies of what the other erased by an erasure of its own, which the other learns next.
        """
        one, other = self.both[first], self.both[1 - first]
        for _ in range(ROUNDS):
            if self._send(one, other) + self._send(other, one) == 0:
                break
        else:
            raise AssertionError(f"after {ROUNDS} rounds there is still something to learn")
        checks.stores_agree(one, other)
        self._look_at_everything(one)
        self._look_at_everything(other)
        self.unshared.clear()

    def _send(self, one: Store, other: Store) -> int:
        """One learns what the other knows; how many entries were written by that."""
        self.tick(one)
        sent = one.export(self.folder)
        self.tick(other)
        return other.take_in(sent)

    def _look_at_everything(self, store: Store) -> None:
        """Of all that was touched since both knew the same."""
        for scope, predicate in sorted({(scope, predicate) for scope, _, predicate in self.unshared}):
            subjects = sorted(j for s, j, p in self.unshared if (s, p) == (scope, predicate))
            self._look(store, scope, predicate, subjects)

    # ---- what has to hold ----------------------------------------------------------------------------------------

    def _look(self, store: Store, scope: str, predicate: str, subjects: list[str]) -> None:
        store.clock.at = self.latest + DAY * 100
        checks.answers_are_those_of_the_model(store, scope, predicate, subjects)
        copies = [v for p, v in store.model.values.items() if p[0] == COPIES and p[1] in subjects]
        if copies and predicate == "hosts":
            checks.copies_die_with_their_originals(store, copies)

    @invariant()
    def what_was_touched_is_as_the_model_says(self) -> None:
        """After each verb."""
        if not self.touched:
            return
        for store, (scope, subject, predicate) in dict.fromkeys(self.touched):
            self._look(store, scope, predicate, [subject])
            checks.the_gate_in_sql_is_the_rule(store, scope)
        self.touched.clear()
        if self.steps % self.deep_every == self.deep_every - 1:
            checks.a_replay_says_the_same(store)

    def teardown(self) -> None:
        """Both learn everything, and a replay of either says the same as the other store."""
        try:
            if self.steps:
                self.exchange(self.steps % 2)
                checks.a_replay_says_the_same(self.both[self.steps // 2 % 2])
        finally:
            self.close()
