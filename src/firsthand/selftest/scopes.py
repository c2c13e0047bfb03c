"""Section A, scopes: what belongs to one tenant reaches no other, whoever asks and however."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from firsthand.memory import Memory
from firsthand.selftest.outcomes import check
from firsthand.selftest.world import EVERYTHING, World, everything_said, verb, word
from firsthand.vocabulary.citing import cite
from firsthand.vocabulary.errors import FirsthandError
from firsthand.vocabulary.grants import Grant

ALPHA: Final = "project:alpha"
BETA: Final = "project:beta"
LOOK_ALIKES: Final = ("project:alphab", "project:alph", "project:\u0430lpha", "Project:alpha", "project:alpha ",
                      "*", "project:*", "%", "project:%", "project:?lpha", "", "space:all")  # fmt: skip


@check(
    "scope.cross_tenant_absent",
    section="A",
    given="the best match for a question is in scope A, a weaker one in B",
    when="the question is asked in B, in every way a reader may ask it",
    then="nothing of A is in the answer, in its counts or in its order",
    control="the same question in A finds it",
)
def cross_tenant_absent(world: World) -> str:
    """The answer of B is that of a store in which A never was."""
    secret = word()
    query = f"what is the gate's code word {secret}?"
    alpha, beta = world.person(scope=ALPHA), world.person("ben", scope=BETA)
    alone = world.person("ben", scope=BETA, file="alone.db")
    alpha.capture(f"The gate's code word is {secret}.", speaker="Ana", thread="t")
    alpha.remember(f"the gate has the code word {secret}", subject="gate", predicate="has_code", object=secret)
    for memory in (beta, alone):
        memory.remember("the gate is painted green", subject="gate", predicate="colour", object="green")
    world.control(secret in alpha.recall(query).render(), "the best match is not found even where it belongs")
    world.control("painted green" in beta.recall(query).render(), "B does not find its own weaker match")
    world.expect(secret not in everything_said(beta, (query.replace(secret, ""), "gate", "")), "A's words reach B")
    for asked in (query, "gate", ""):
        for include in ((), EVERYTHING):
            here, there = beta.recall(asked, include=include), alone.recall(asked, include=include)
            world.expect(
                ([i.text for i in here.items], here.matching, here.coverage)
                == ([i.text for i in there.items], there.matching, there.coverage),
                "an answer in B differs because A holds something",
            )
    return "A's best match is absent in B, and B's answer is that of a store without A, to its counts and coverage."


@check(
    "scope.caller_cannot_widen",
    section="A",
    given="a credential for scope A alone",
    when="it names B, a wildcard, nothing or a look-alike, in every read and every write",
    then="it is denied or confined to A, and B has gained nothing",
    control="its legitimate calls still work afterwards",
)
def caller_cannot_widen(world: World) -> str:
    """No argument widens a grant."""
    secret = word()
    owner = world.person("ben", scope=BETA)
    hidden = owner.remember(f"the vault opens with {secret}", subject="vault", predicate="opens_with", object=secret)
    talk = owner.capture(f"The vault opens with {secret}.", speaker="Ben")
    grant = Grant(read=frozenset((ALPHA,)), write=frozenset((ALPHA,)), clearance="hyper")
    caller = world.agent("cid", scope=ALPHA, grant=grant)
    caller.remember("alpha ships on Friday")
    before = len(owner.list(limit=200).items)
    attempts = 0
    for scope in (BETA, "space:", *LOOK_ALIKES):
        for attempt in _in_scope(caller, scope):
            attempts += 1
            world.expect(world.refused(attempt, secret), "a scope that was not granted could be named")
    for attempt in _by_id(caller, str(hidden.record_id), str(talk.record_id)):
        attempts += 1
        world.expect(world.refused(attempt), "a record of another scope could be reached by its id")
    world.expect(len(owner.list(limit=200).items) == before, "B has gained a record")
    world.expect(secret not in everything_said(caller, ("vault", secret, "")), "B's words were told")
    world.control(
        caller.remember("alpha ships on Monday").outcome == "stored" and "alpha" in caller.recall("alpha").render(),
        "the caller's own calls no longer work",
    )
    return f"{attempts} attempts to name, guess or reach another scope were denied or confined."


def _in_scope(caller: Memory, scope: str) -> list[Callable[[], Any]]:
    """Every way to name a scope, reading and writing."""
    return [
        lambda: caller.recall("vault", scopes=[scope], limit=50).render(),
        lambda: caller.at(scope=scope).recall("vault").render(),
        lambda: caller.at(scope=scope).list().items,
        lambda: _wrote(caller.at(scope=scope), "remember"),
        lambda: _wrote(caller.at(scope=scope), "capture"),
        lambda: caller.at(scope=scope).refusals().refusals,
        lambda: caller.at(scope=scope).erase(value=("vault", None, "sesame"), reason_code="mine"),
        lambda: caller.at(scope=scope).reject(value=("vault", "opens_with", "sesame"), reason="mine"),
        lambda: caller.remember_many([{"statement": "x", "scope": scope}]),
        lambda: caller.capture_many([{"text": "x", "scope": scope}]),
    ]


def _wrote(memory: Memory, how: str) -> Any:
    return getattr(memory, how)("the vault is mine")


def _by_id(caller: Memory, record: str, talk: str) -> list[Callable[[], Any]]:
    """Every verb that takes a record by its id."""
    calls: list[Callable[[], Any]] = [
        lambda: caller.read(record),
        lambda: caller.history(record),
        lambda: caller.find(record[:12]),
        lambda: caller.explain("vault", record),
        lambda: caller.impact(record),
        lambda: caller.correct(record, object="sesame", reason="mine"),
        lambda: caller.change(record, object="sesame", reason="mine"),
        lambda: caller.fork(record, object="sesame", conditions={"day": "one"}, reason="mine"),
        lambda: caller.merge([record, talk], reason="mine"),
        lambda: caller.share(record, ALPHA, reason="mine"),
        lambda: caller.retract(record, reason="mine"),
        lambda: caller.contest(record, reason="mine"),
        lambda: caller.settle(record, reason="mine"),
        lambda: caller.withdraw(record, reason="mine"),
        lambda: caller.restore(record, reason="mine"),
        lambda: caller.reject(record, reason="mine"),
        lambda: caller.erase(record, reason_code="mine"),
        lambda: caller.forget(record, because="private"),
        lambda: caller.undo(record, reason="mine"),
        lambda: caller.hold(record, "mine"),
        lambda: caller.remember("the vault is mine", evidence=[cite(talk)]),
        lambda: caller.support(record, revoke=record, reason="mine"),
        lambda: caller.relate(record, "about", talk, reason="mine"),
        lambda: caller.classify(record, "hyper", reason="mine"),
    ]
    return calls


@check(
    "scope.background_respects_boundary",
    section="A",
    given="overlapping material in scopes A and B",
    when="every background job runs until there is nothing left to do",
    then="nothing that was derived mixes the two",
    control="A's recall finds what was derived from A",
)
def background_respects_boundary(world: World) -> str:
    """Jobs look at one scope at a time."""
    alpha, beta = world.person(scope=ALPHA), world.person("ben", scope=BETA)
    run = verb(alpha, "jobs", "run")
    city, other = word(10).capitalize(), word(10).capitalize()
    for memory, place in ((alpha, city), (beta, other)):
        memory.capture(f"Mia lives in {place}.", speaker="Mia", thread="t")
        memory.capture("The build uses Bazel.", speaker="Mia", thread="t")
    run()
    verb(beta, "jobs", "run")()
    found = alpha.recall("where does Mia live?", include=EVERYTHING, kinds=["semantic"])
    world.control(any(city in i.text for i in found.items), "nothing was derived from A")
    for memory, foreign in ((alpha, other), (beta, city)):
        world.expect(
            foreign not in everything_said(memory, ("where does Mia live?", "Mia", "")), "two scopes were mixed"
        )
        for item in memory.recall("Mia", include=EVERYTHING, limit=50).items:
            cited = [c.record_id for c in item.citations]
            world.expect(all(_reads(memory, c) for c in cited), "a derived record cites another scope")
    return "What was derived from each scope cites and says only what that scope holds."


def _reads(memory: Memory, record: str) -> bool:
    try:
        return memory.read(record).item.scope == memory.scope
    except FirsthandError:
        return False
