"""Random verbs by several people and their agents on one file, and what has to hold after each."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from plain_model import Model, Saying, Stone, Value

import firsthand
from firsthand.recall.gated import shown_row
from firsthand.rules.gate import may_show
from firsthand.vocabulary.errors import AbsentError
from firsthand.vocabulary.grants import Grant
from firsthand.vocabulary.kinds import KINDS, SENSITIVITIES

DAY = 86_400_000_000
START = 1_772_355_600_000_000
SCOPES = ("project:alpha", "project:beta")
OWNERS = ("ana", "ben", "cid")
SUBJECTS = ("api", "site")
PREDICATES = ("port", "hosts")
VALUES = {"port": ("7", "8", "9"), "hosts": ("wiki", "blog", "shop")}
LOW = 1

scopes, owners, roles = st.sampled_from(SCOPES), st.sampled_from(OWNERS), st.sampled_from(("person", "agent"))
subjects, predicates, picks = st.sampled_from(SUBJECTS), st.sampled_from(PREDICATES), st.integers(0, 2)
anything = st.integers(min_value=0, max_value=99)
Place = tuple[str, str, str, str]
"""Scope, subject, predicate, value."""
steps_taken = [0]
"""How many verbs every machine of this process has run."""


def rejected(value: Value) -> bool:
    """Whether somebody ruled it out for good."""
    return any(s.absolute and not s.lifted for s in value.stones)


def choose(known: list[tuple[Place, Value]], pick: int) -> tuple[Place, Value]:
    """One of what is known."""
    return known[pick % len(known)]


def heard(held: Value, now: int) -> int:
    """What is known here was spoken before, though under a clock that was ahead."""
    return max((now, *(s.spoken for s in held.sayings)))


class Still:
    """A clock that stands where it is put."""

    def __init__(self) -> None:
        self.at = START

    def now(self) -> int:
        return self.at


class Machine(RuleBasedStateMachine):
    """One store; `deep_every` steps its projections are compared with a replay, and always at the end."""

    deep_every = 25

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="machine-"))
        self.model = Model()
        self.clock = Still()
        self.time = START
        self.latest = START
        self.open_ = ExitStack()
        self.handles: dict[tuple[str, str, str], firsthand.Memory] = {}
        self.touched: tuple[str, str, str] = (SCOPES[0], SUBJECTS[0], PREDICATES[0])
        self.steps = 0
        self.changed = True

    # ---- who acts, and when ----------------------------------------------------------------------------------------

    @initialize()
    def begin(self) -> None:
        """The first handle makes the file."""
        self.handle("ana", "person", SCOPES[0])

    def handle(self, owner: str, role: str, scope: str) -> firsthand.Memory:
        """A handle of its own for each owner, role and scope."""
        key = (owner, role, scope)
        if key not in self.handles:
            actor = owner if role == "person" else f"{owner}-agent"
            given = {"clock": self.clock, "synchronous": "OFF", "receipts": False}
            memory = firsthand.open(self.folder / "m.db", actor=actor, owner=owner, role=role, scope=scope, **given)
            self.handles[key] = self.open_.enter_context(memory)
        return self.handles[key]

    def reader(self, scope: str) -> firsthand.Memory:
        """Somebody who may see nothing above low, nor any other scope."""
        key = ("guest", "agent", scope)
        if key not in self.handles:
            grant = Grant(read=frozenset((scope,)), write=frozenset(), clearance="low")
            given = {"clock": self.clock, "synchronous": "OFF", "receipts": False, "grant": grant}
            self.handles[key] = self.open_.enter_context(
                firsthand.open(self.folder / "m.db", actor="guest", role="agent", scope=scope, **given)
            )
        return self.handles[key]

    def act(self, scope: str, subject: str, predicate: str) -> int:
        """The instant of the next verb: no two share one, whichever way the clock has gone."""
        self.steps += 1
        steps_taken[0] += 1
        self.changed = True
        self.time += 1_000_003
        self.clock.at = self.time
        self.latest = max(self.latest, self.time)
        self.touched = (scope, subject, predicate)
        return self.time

    @rule(days=st.integers(min_value=-40, max_value=60))
    def clock_is_set(self, days: int) -> None:
        """Forward, or back: no later instant repeats an earlier one, since steps are no whole number of days."""
        self.time += days * DAY

    # ---- verbs -----------------------------------------------------------------------------------------------------

    @rule(owner=owners, role=roles, scope=scopes, subject=subjects, predicate=predicates, pick=picks,
          guess=st.booleans())  # fmt: skip
    def remember(self, owner: str, role: str, scope: str, subject: str, predicate: str, pick: int, guess: bool) -> None:
        """Somebody says it, or an agent guesses it."""
        now, value = self.act(scope, subject, predicate), VALUES[predicate][pick]
        guess = guess and role == "agent"
        said, held = Saying(owner, role, now, guess=guess), self.model.value(scope, subject, predicate, value)
        refused = held.blocks(said)
        receipt = self.handle(owner, role, scope).remember(
            subject=subject, predicate=predicate, object=int(value) if predicate == "port" else value,
            basis="inferred" if guess else "stated",
        )  # fmt: skip
        assert (receipt.outcome == "refused") == refused, (receipt.outcome, held)
        if not refused:
            held.sayings.append(said)
            assert held.mixed or held.record in (None, receipt.record_id), "one value has one record"
            held.record = receipt.record_id

    @rule(owner=owners, scope=scopes, subject=subjects, predicate=predicates, pick=picks)
    def person_says(self, owner: str, scope: str, subject: str, predicate: str, pick: int) -> None:
        """What people say is what most lives are made of."""
        self.remember(owner, "person", scope, subject, predicate, pick, False)

    def believed(self, *, own: str | None = None, foreign: str | None = None) -> list[tuple[Place, Value]]:
        """What is believed and may be revised by its id."""
        return [
            (k, v)
            for k, v in self.model.values.items()
            if v.believed() and not v.hidden and not v.mixed
            and (own is None or own in {s.source for s in v.sayings})
            and (foreign is None or foreign not in {s.source for s in v.sayings})
        ]  # fmt: skip

    @precondition(lambda self: self.believed())
    @rule(owner=owners, pick=anything)
    def retract(self, owner: str, pick: int) -> None:
        """A person takes back what she and her agents said."""
        key, held = choose(self.believed(), pick)
        now = self.act(*key[:3])
        self.handle(owner, "person", key[0]).retract(held.record, reason="no")
        held.stones.append(Stone(owner, everyone=False, spoken=heard(held, now)))

    @precondition(lambda self: any(k[2] == "hosts" and v.level == LOW for k, v in self.believed()))
    @rule(owner=owners, pick=anything, other=picks)
    def correct(self, owner: str, pick: int, other: int) -> None:
        """A person says that it was never so, but so."""
        key, held = choose([(k, v) for k, v in self.believed() if k[2] == "hosts" and v.level == LOW], pick)
        scope, subject, predicate, value = key
        new = VALUES[predicate][other]
        instead = self.model.value(scope, subject, predicate, new)
        if new == value or instead.level != LOW:
            return
        now = self.act(scope, subject, predicate)
        said = Saying(owner, "person", now)
        refused = instead.blocks(said)
        receipt = self.handle(owner, "person", scope).correct(held.record, object=new, reason="no, so")
        assert (receipt.outcome == "refused") == refused, (receipt, instead)
        if refused:
            return
        held.stones.append(Stone(owner, everyone=True, spoken=heard(held, now)))
        held.mixed, held.record = True, None
        instead.sayings.append(said)
        instead.mixed, instead.record = True, receipt.record_id

    @precondition(lambda self: self.believed())
    @rule(owner=owners, pick=anything)
    def withdraw(self, owner: str, pick: int) -> None:
        """A person hides it, as true as before."""
        key, held = choose(self.believed(), pick)
        self.act(*key[:3])
        self.handle(owner, "person", key[0]).withdraw(held.record, reason="not now")
        held.withdrawn = True

    def those(self, wanted: Callable[[Value], bool]) -> list[tuple[Place, Value]]:
        """Places whose value is as wanted."""
        return [(k, v) for k, v in self.model.values.items() if wanted(v)]

    @precondition(lambda self: self.those(lambda v: v.withdrawn))
    @rule(owner=owners, pick=anything)
    def restore(self, owner: str, pick: int) -> None:
        """A person shows again what was hidden."""
        key, held = choose(self.those(lambda v: v.withdrawn), pick)
        self.act(*key[:3])
        self.handle(owner, "person", key[0]).restore(held.record, reason="now it may")
        held.withdrawn = False

    @precondition(lambda self: self.believed())
    @rule(owner=owners, pick=anything)
    def reject(self, owner: str, pick: int) -> None:
        """Never again, whoever says it."""
        key, held = choose(self.believed(), pick)
        now = self.act(*key[:3])
        receipt = self.handle(owner, "person", key[0]).reject(held.record, reason="never")
        held.stones.append(Stone(owner, everyone=True, spoken=now, absolute=True, entry=receipt.entry_id))

    @precondition(lambda self: self.those(rejected))
    @rule(owner=owners, pick=anything)
    def lift(self, owner: str, pick: int) -> None:
        """It may be said again."""
        key, held = choose(self.those(rejected), pick)
        self.act(*key[:3])
        stone = next(s for s in held.stones if s.absolute and not s.lifted)
        self.handle(owner, "person", key[0]).lift(stone.entry, reason="it may")
        stone.lifted = True

    @precondition(lambda self: self.believed(foreign="cid"))
    @rule(pick=anything)
    def foreign_agent_corrects(self, pick: int) -> None:
        """An agent's correction of what only others said is a proposal, and changes nothing."""
        key, held = choose(self.believed(foreign="cid"), pick)
        self.act(*key[:3])
        value = 5 if key[2] == "port" else "chat"
        receipt = self.handle("cid", "agent", key[0]).correct(held.record, object=value, reason="better")
        assert receipt.outcome == "proposed"

    @precondition(lambda self: self.believed())
    @rule(pick=anything, level=st.sampled_from(range(5)))
    def classify(self, pick: int, level: int) -> None:
        """A person says how sensitive it is."""
        key, held = choose(self.believed(), pick)
        self.act(*key[:3])
        self.handle("ana", "person", key[0]).classify(held.record, SENSITIVITIES[level], reason="so")
        held.level = max(level, LOW)

    @precondition(lambda self: self.steps % 6 == 5)
    @rule(owner=owners, role=roles, scope=scopes)
    def talk(self, owner: str, role: str, scope: str) -> None:
        """Something is said that claims nothing."""
        self.act(scope, SUBJECTS[0], PREDICATES[0])
        self.handle(owner, role, scope).capture("It rains again.", speaker=owner)

    @precondition(lambda self: self.steps % 8 == 7)
    @rule()
    def restart(self) -> None:
        """Every process ends, and others begin."""
        self.open_.close()
        self.open_ = ExitStack()
        self.handles.clear()
        self.changed = True

    @precondition(lambda self: self.steps % 12 == 11)
    @rule()
    def rebuild(self) -> None:
        """The projections are made anew, and are the same."""
        assert self.handle("ana", "person", SCOPES[0]).ledger.rebuild().same
        self.changed = True

    # ---- what has to hold ------------------------------------------------------------------------------------------

    @invariant()
    def a_replay_says_the_same(self) -> None:
        """Now and then, since it costs as much as everything else together."""
        if self.changed and self.steps % self.deep_every == self.deep_every - 1:
            self.handle("ana", "person", SCOPES[0]).ledger.verify(deep=True)

    @invariant()
    def answers_are_those_of_the_model(self) -> None:
        """Of what was touched last, in its scope and beside it."""
        if not self.changed:
            return
        scope, subject, predicate = self.touched
        self.clock.at = self.latest + DAY * 100
        for memory, clearance in ((self.reader(scope), LOW), (self.handle("ana", "person", scope), 4)):
            packet = memory.recall(f"{subject} {predicate}", kinds=["semantic"], limit=50)
            told = {i.text for i in packet.items if i.qualifier.code == "current"}
            mine = {t for t in told if t.startswith(f"{subject} {predicate} ")}
            expected = self.model.current(scope, subject, predicate, clearance)
            assert mine == expected, self.difference(mine, expected)
            for item in packet.items:
                assert item.scope == scope
                assert item.citations, "a recallable claim has live evidence"
            texts = {i.text for i in (*packet.items, *(i for c in packet.conflicts for i in c.items))}
            for value in self.model.slot(scope, subject, predicate):
                if value.hidden or value.level > clearance or not value.standing():
                    assert value.text not in texts, value
                self._read_agrees(memory, value, clearance)

    def difference(self, told: set[str], expected: set[str]) -> str:
        """What differs, what the model holds, and every row that is believed of it."""
        lines = [f"told {sorted(told)}, expected {sorted(expected)}"]
        for value in self.model.slot(*self.touched):
            lines.append(repr(value))
            if value.record is not None:
                rows = self.handle("ana", "person", self.touched[0]).history(value.record).beliefs
                lines += [
                    f"  {r.text} {r.tier} {r.status} {r.valid_from}..{r.valid_to} support {r.live_support}"
                    for r in rows
                    if r.known_to is None
                ]
        return "\n".join(lines)

    def _read_agrees(self, memory: firsthand.Memory, value: Value, clearance: int) -> None:
        """What may not be seen is absent by its id as well."""
        if value.record is None or not (value.hidden or value.level > clearance):
            return
        try:
            memory.read(value.record)
        except AbsentError:
            return
        raise AssertionError("what is hidden can be read by its id")

    @invariant()
    def the_gate_in_sql_is_the_rule(self) -> None:
        """Over every document of the scope touched last."""
        if not self.changed:
            return
        self.changed = False
        memory = self.handle("ana", "person", self.touched[0])
        scope_id = memory._handle.keyed.scope(self.touched[0])
        with memory._engine.store.reading(memory.space) as reader:
            row = reader.scope(scope_id)
            if row is None:
                return
            vids = [(row.scope_no << 32) + n for n in range(row.next_seq)]
            for clearance in (LOW, 4):
                by_sql = {r.vid for r in reader.shown(vids, clearance, None) if r.kind in KINDS}
                rows = reader.beliefs(vids, None)
                by_rule = {r.vid for r in rows if may_show(shown_row(r, frozenset((scope_id,))), clearance=clearance)}
                assert by_sql == by_rule

    def teardown(self) -> None:
        """The whole ledger, once more."""
        try:
            if self.steps:
                self.handle("ana", "person", SCOPES[0]).ledger.verify(deep=True)
        finally:
            self.open_.close()
            shutil.rmtree(self.folder)
