"""Who was refused what, and when and why: told to whoever may read the scope, and never what was said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stores import opened, reject

from firsthand import DeniedError, Grant, InvalidError, Memory


def refused(memory: Memory, agent: Memory, times: int = 1) -> str:
    """An agent says again what was rejected; the tombstone."""
    fact = memory.remember("Ana lives in Wuppertal", subject="Ana", predicate="lives_in", object="Wuppertal")
    reject(memory, fact.record_id or "")
    stone = memory.ledger.head().entry_id
    for _ in range(times):
        assert agent.remember("Ana lives in WUPPERTAL").outcome == "refused"
    return stone or ""


def test_a_refusal_tells_who_when_and_why_and_not_what(tmp_path: Path) -> None:
    with opened(tmp_path) as memory, opened(tmp_path, actor="bot", role="agent") as agent:
        stone = refused(memory, agent)
        (told,) = memory.refusals().refusals
        assert (told.actor, told.verb, told.code, told.cause_entry) == ("bot", "remember", "tombstone_rejected", stone)
        assert (told.scope, told.at > 0) == ("project:orion", True)
        assert "uppertal" not in json.dumps([str(told)]).lower()
        memory.ledger.rebuild()
        assert memory.refusals().refusals == (told,)


def test_refusals_of_a_scope_that_may_not_be_read_are_not_told(tmp_path: Path) -> None:
    with opened(tmp_path) as memory, opened(tmp_path, actor="bot", role="agent") as agent:
        refused(memory, agent)
        stone = refused(memory.at(scope="project:secret"), agent.at(scope="project:secret"))
        assert len(memory.refusals().refusals) == 2
    grant = Grant(read=frozenset(("project:orion",)))
    with opened(tmp_path, grant=grant) as guest:
        (told,) = guest.refusals().refusals
        assert told.scope == "project:orion"
        assert told.cause_entry != stone
    with opened(tmp_path, grant=Grant(verbs=frozenset(("recall",)))) as guest, pytest.raises(DeniedError):
        guest.refusals()


def test_a_refused_receipt_names_what_is_to_be_lifted_to_who_may_see_it(tmp_path: Path) -> None:
    with opened(tmp_path) as memory, opened(tmp_path, actor="bot", role="agent") as agent:
        stone = refused(memory, agent)
        receipt = agent.remember("Ana lives in Wuppertal")
        assert (receipt.outcome, receipt.cause_entry, receipt.next_action) == ("refused", stone, "ask_person")
        assert memory.refusals().refusals[0].next_action == "ask_person"
        hidden = memory.remember("Ana lives in Bochum", subject="Ana", predicate="lives_in", object="Bochum",
                                 sensitivity="high")  # fmt: skip
        rejection = memory.reject(hidden.record_id, reason="not so").entry_id
        space = memory.at(scope="space:").reject(value={"subject": "Ana", "predicate": "owns", "object": "a boat"},
                                                 reason="not so").entry_id  # fmt: skip
    grant = Grant(read=frozenset(("project:orion",)), write=frozenset(("project:orion",)), clearance="low")
    with opened(tmp_path, actor="low", role="agent", grant=grant) as low, opened(tmp_path) as memory:
        for sentence, stone in (("Ana lives in Bochum", rejection), ("Ana owns a boat", space)):
            receipt = low.remember(sentence, basis="inferred")
            assert (receipt.outcome, receipt.cause_entry) == ("refused", None)
            assert low.refusals().refusals[0].cause_entry is None
            assert memory.refusals().refusals[0].cause_entry == stone


def test_refusals_come_in_pages_newest_first(tmp_path: Path) -> None:
    with opened(tmp_path) as memory, opened(tmp_path, actor="bot", role="agent") as agent:
        refused(memory, agent, times=5)
        seen: list[int] = []
        cursor: str | None = None
        pages = 0
        while pages == 0 or cursor is not None:
            page = memory.refusals(limit=2, cursor=cursor)
            seen += [r.at for r in page.refusals]
            cursor = page.cursor
            pages += 1
        assert pages == 3
        assert seen == sorted(seen, reverse=True)
        assert len(set(seen)) == 5
        with pytest.raises(InvalidError):
            memory.refusals(cursor="x")
