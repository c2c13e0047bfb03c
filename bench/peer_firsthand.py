"""Firsthand itself, put through what the others are: each fact remembered with its evidence, receipts and gate on."""

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import firsthand
from firsthand.vocabulary.errors import InvalidError
from peer_run import Found, Refused, main, own_process
from workload import Fact


class Ours:
    """One memory; every scope is a project of its own. Erasing takes a person, the rest an agent."""

    has_scopes = True
    correction = "correct"
    deletion = "erase"

    def __init__(self, folder: Path) -> None:
        self.version = version("firsthand")
        self._memory = firsthand.open(folder / "memory.db", actor="bench", role="person")

    def _in(self, scope: str) -> firsthand.Memory:
        try:
            return self._memory.at(scope=f"project:{scope}")
        except InvalidError as error:
            raise Refused from error

    def fill(self, batch: Sequence[Fact], scope: str) -> None:
        self._in(scope).remember_many([{"statement": fact.text, **fact.structure} for fact in batch])

    def write(self, fact: Fact, scope: str) -> object:
        return self._in(scope).remember(fact.text, **fact.structure).record_id

    def search(self, question: str, limit: int, scope: str) -> list[Found]:
        packet = self._in(scope).recall(question, limit=limit)
        disputed = [Found(item.text) for group in packet.conflicts for item in group.items]
        return [*(Found(i.text, i.qualifier.code == "current") for i in packet.items), *disputed]

    def correct(self, key: object, old: Fact, new: Fact, scope: str) -> None:
        told = {"object": new.structure["object"]}
        self._in(scope).correct(str(key), new.text, **told, reason="it was misheard")

    def delete(self, key: object, fact: Fact, scope: str) -> None:
        memory = self._in(scope)
        plan = memory.erase(str(key), reason_code="privacy", dry_run=True).plan
        memory.erase(str(key), reason_code="privacy", plan_hash=plan.hash)

    def processes(self) -> list[int]:
        return own_process()

    def close(self) -> None:
        self._memory.close()


if __name__ == "__main__":
    main(Ours)
