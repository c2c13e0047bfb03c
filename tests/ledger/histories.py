"""Rich random histories through the public verbs, and small looks behind them that several tests share."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import apsw

import firsthand
from firsthand.memory import Memory
from firsthand.ports import Reader
from firsthand.store.sqlite import SqliteStore
from firsthand.vocabulary.errors import FirsthandError

START = 1_800_000_000_000_000
PLACES = ("Lisbon", "Berlin", "Oslo", "Quito", "Turin")
TOOLS = ("rust", "sqlite", "emacs", "nix")
PEOPLE = ("Ana", "Ben", "Cem")


class Ticking:
    """A clock that a test moves: each look adds `step`, forwards or backwards."""

    def __init__(self, at: int = START, step: int = 1_000_003) -> None:
        self.at = at
        self.step = step

    def now(self) -> int:
        self.at += self.step
        return self.at


def store_of(memory: Memory) -> SqliteStore:
    store = memory._engine.store
    assert isinstance(store, SqliteStore)
    return store


@contextmanager
def reading(memory: Memory) -> Iterator[Reader]:
    with store_of(memory).reading(memory.space) as reader:
        yield reader


def digests(memory: Memory) -> dict[str, str]:
    with reading(memory) as reader:
        return reader.digests()


def positions(memory: Memory) -> list[int]:
    with reading(memory) as reader:
        return [row.position for row in reader.ledger_rows(0, 1_000_000)]


def rows(path: Path, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    """Rows of a plain look at a file."""
    connection = apsw.Connection(str(path))
    try:
        return list(connection.execute(sql, values))
    finally:
        connection.close()


def copied(path: Path, folder: Path) -> Path:
    """A closed memory, its key with it, somewhere else."""
    folder.mkdir(parents=True, exist_ok=True)
    for each in path.parent.glob(path.name + "*"):
        shutil.copy2(each, folder / each.name)
    return folder / path.name


class Authors:
    """Several people and agents who write to two scopes of one file, as a seed says."""

    def __init__(self, path: Path, seed: int) -> None:
        self.path = path
        self.random = random.Random(seed)
        self.clock = Ticking(START + seed)
        self.claims: list[str] = []
        self.records: list[str] = []
        self.episodes: list[tuple[str, str]] = []
        self.outcomes: list[str] = []
        self._open = ExitStack()
        self.authors = [
            self._author("ana", "person", "project:boat"),
            self._author("ben", "person", "project:boat"),
            self._author("helper", "agent", "project:boat", owner="ana", session="morning"),
            self._author("scraper", "agent", "team:dock", policy="strict"),
            self._author("ana", "person", "team:dock"),
        ]

    def __enter__(self) -> Authors:
        return self

    def __exit__(self, *gone: object) -> None:
        self._open.close()

    @property
    def first(self) -> Memory:
        return self.authors[0]

    def write(self, steps: int) -> None:
        """So many random writes; what a rule forbids is part of a history too."""
        for _ in range(steps):
            self._step()

    def _author(self, actor: str, role: Any, scope: str, **more: Any) -> Memory:
        opened = firsthand.open(self.path, actor=actor, role=role, scope=scope, clock=self.clock, **more)
        return self._open.enter_context(opened)

    def _step(self) -> None:
        who = self.random.choice(self.authors)
        verb = self.random.choice(self._verbs())
        try:
            receipts = verb(who)
        except FirsthandError as error:
            self.outcomes.append(error.code)
            return
        for receipt in receipts:
            self.outcomes.append(receipt.outcome)
            if receipt.record_id and receipt.record_id not in self.records:
                self.records.append(receipt.record_id)

    def _verbs(self) -> list[Callable[[Memory], Sequence[firsthand.Receipt]]]:
        verbs = [self._capture, self._remember, self._remember, self._remember, self._entity, self._payload]
        if self.claims:
            verbs += [self._correct, self._change, self._retract, self._support, self._verdict, self._classify]
            verbs += [self._relate, self._feedback, self._cited]
        return verbs

    def _capture(self, who: Memory) -> Sequence[firsthand.Receipt]:
        text = f"{self.random.choice(PEOPLE)} said that {self.random.choice(PLACES)} is cold, visit {self._number()}."
        speaker = self.random.choice((None, *PEOPLE))
        receipt = who.capture(text, speaker=speaker, thread=self.random.choice((None, "t1", "t2")), tags=("said",))
        if receipt.record_id:
            self.episodes.append((receipt.record_id, text))
        return [receipt]

    def _claim(self, who: Memory, **more: Any) -> firsthand.Receipt:
        subject = self.random.choice(PEOPLE)
        predicate, values = self.random.choice((("lives_in", PLACES), ("uses", TOOLS)))
        receipt = who.remember(subject=subject, predicate=predicate, object=self.random.choice(values), **more)
        if receipt.record_id:
            self.claims.append(receipt.record_id)
        return receipt

    def _remember(self, who: Memory) -> Sequence[firsthand.Receipt]:
        more: dict[str, Any] = self.random.choice(
            (
                {},
                {},
                {"polarity": "-"},
                {"sensitivity": "high"},
                {"basis": "inferred"},
                {"conditions": {"season": "dry"}},
            )
        )
        return [self._claim(who, **more)]

    def _cited(self, who: Memory) -> Sequence[firsthand.Receipt]:
        record, text = self.random.choice(self.episodes or [("r" + "0" * 40, "")])
        return [self._claim(who, evidence=[firsthand.cite(record, quote=text[:8])])]

    def _entity(self, who: Memory) -> Sequence[firsthand.Receipt]:
        name = self.random.choice(PEOPLE)
        payload = firsthand.Entity(
            canonical_name=f"{name} of the {self.random.choice(PLACES)} office",
            entity_kind="person",
            aliases=(firsthand.Alias(value=f"{name} {self._number()}"),),
            identifiers=(firsthand.Identifier(namespace="badge", value=str(self._number())),),
        )
        return [who.remember(payload=payload)]

    def _payload(self, who: Memory) -> Sequence[firsthand.Receipt]:
        number = self._number()
        step = firsthand.RecipeStep(step=f"sand plank {number}")
        node = firsthand.PlanNode(id="a", op=f"sand {number}")
        payload = self.random.choice(
            (
                firsthand.Working(thread_id=f"task {number % 3}", state="executing", next_actions=(f"sand {number}",)),
                firsthand.Competence(
                    skill_name=f"sanding {number % 4}", triggers=(firsthand.Trigger(signal="rough"),), recipe=(step,)
                ),
                firsthand.PlanGraph(plan_id=f"p{number % 4}", version="1", nodes=(node,), edges=()),
            )
        )
        return [who.remember(payload=payload)]

    def _correct(self, who: Memory) -> Sequence[firsthand.Receipt]:
        return [who.correct(self._some(), object=self.random.choice(PLACES + TOOLS), reason="a slip")]

    def _change(self, who: Memory) -> Sequence[firsthand.Receipt]:
        value = self.random.choice((*PLACES, None))
        receipt = who.change(self._some(), object=value, reason="moved")
        if receipt.record_id:
            self.claims.append(receipt.record_id)
        return [receipt]

    def _retract(self, who: Memory) -> Sequence[firsthand.Receipt]:
        some = self.random.choice((self._some(), self.random.choice(self.records)))
        return [who.retract(some, reason="not so")]

    def _support(self, who: Memory) -> Sequence[firsthand.Receipt]:
        record, _ = self.random.choice(self.episodes or [("r" + "0" * 40, "")])
        return [who.support(self._some(), [firsthand.cite(record)], reason="heard it too")]

    def _verdict(self, who: Memory) -> Sequence[firsthand.Receipt]:
        record = self._some()
        with reading(who) as reader:
            made = [e.id for e in reader.bearing_on("r:" + record)] + ["e" + record[1:]]
        verb = self.random.choice(("revoke", "revoke", "reinstate"))
        return [who.support(record, reason="looked again", **{verb: self.random.choice(made) + ".0"})]

    def _classify(self, who: Memory) -> Sequence[firsthand.Receipt]:
        some = self.random.choice(self.records)
        level = self.random.choice(("public", "low", "medium", "high"))
        return [who.classify(some, level, reason="looked again")]

    def _relate(self, who: Memory) -> Sequence[firsthand.Receipt]:
        end = self.random.random() < 0.3
        return [who.relate(self._some(), "about", self.random.choice(self.records), end=end, reason="seen together")]

    def _feedback(self, who: Memory) -> Sequence[firsthand.Receipt]:
        packet = who.recall(f"Where does {self.random.choice(PEOPLE)} live?", limit=3)
        return who.feedback(packet.recall_id, outcome=self.random.choice(("helped", "failed", "unused")))

    def _some(self) -> str:
        return self.random.choice(self.claims)

    def _number(self) -> int:
        return self.random.randrange(10_000)
