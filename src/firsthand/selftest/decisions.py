"""Every decision about what is there, made with a reason, and what is told of that reason afterwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from firsthand.memory import Memory
from firsthand.selftest.world import World, word
from firsthand.vocabulary.citing import cite


def _made(memory: Memory) -> str:
    """A record of its own, like no other."""
    return str(memory.remember(f"{word()} {word()} {word()}").record_id)


def _told(decide: Callable[[World, Memory, str, str], object]) -> Callable[[World, str], str]:
    """Decide about a new record as a person; what its history tells then."""

    def told(world: World, reason: str) -> str:
        ana = world.person()
        record = _made(ana)
        decide(world, ana, record, reason)
        return repr(ana.history(record))

    return told


def _contest(world: World, ana: Memory, record: str, reason: str) -> None:
    world.person("ben").contest(record, reason=reason)


def _settle(world: World, ana: Memory, record: str, reason: str) -> None:
    world.person("ben").contest(record, reason="I doubt it")
    ana.settle(record, reason=reason)


def _withdraw(world: World, ana: Memory, record: str, reason: str) -> None:
    ana.withdraw(record, reason=reason)
    ana.restore(record, reason="seen")


def _restore(world: World, ana: Memory, record: str, reason: str) -> None:
    ana.withdraw(record, reason="unseen")
    ana.restore(record, reason=reason)


def _reject(world: World, ana: Memory, record: str, reason: str) -> None:
    ana.lift(str(ana.reject(record, reason=reason).entry_id), reason="I erred")


def _lift(world: World, ana: Memory, record: str, reason: str) -> None:
    ana.lift(str(ana.reject(record, reason="never").entry_id), reason=reason)


def _undo(world: World, ana: Memory, record: str, reason: str) -> None:
    ana.undo(str(ana.retract(record, reason="never").entry_id), reason=reason)


def _release(world: World, ana: Memory, record: str, reason: str) -> None:
    ana.hold(record, "a dispute")
    ana.release_hold(record, reason)


def _feedback(world: World, ana: Memory, record: str, reason: str) -> None:
    packet = ana.recall(ana.read(record).item.text)
    ana.feedback(packet.recall_id, outcome="helped", reason=reason)


def _support(world: World, ana: Memory, record: str, reason: str) -> None:
    talk = ana.capture(f"{word()} {word()}")
    ana.support(record, [cite(str(talk.record_id))], reason=reason)


def _decide(world: World, reason: str) -> str:
    """A proposal of another owner's agent, with its reason, and the decision on it."""
    ana, agent = world.person(), world.agent("ben")
    record = str(ana.remember(subject=word(), predicate="port", object=1).record_id)
    agent.correct(record, object=2, reason=reason)
    (item,) = ana.review.list("proposals").items
    shown = repr(ana.review.show(item.item_id))
    ana.review.decide(item.item_id, "approve", reason=reason)
    return shown + repr(ana.history(record))


DECISIONS: Final[dict[str, Callable[[World, str], str]]] = {
    "classify": _told(lambda world, ana, record, reason: ana.classify(record, "medium", reason=reason)),
    "contest": _told(_contest),
    "feedback": _told(_feedback),
    "forget": _told(lambda world, ana, record, reason: ana.forget(record, because="wrong", reason=reason)),
    "hold": _told(lambda world, ana, record, reason: ana.hold(record, reason)),
    "lift": _told(_lift),
    "reject": _told(_reject),
    "relate": _told(lambda world, ana, record, reason: ana.relate(record, "beside", _made(ana), reason=reason)),
    "release_hold": _told(_release),
    "restore": _told(_restore),
    "retract": _told(lambda world, ana, record, reason: ana.retract(record, reason=reason)),
    "review.decide": _decide,
    "settle": _told(_settle),
    "support": _told(_support),
    "undo": _told(_undo),
    "withdraw": _told(_withdraw),
}
"""By the verb, how it is decided, and all that is told of it."""
