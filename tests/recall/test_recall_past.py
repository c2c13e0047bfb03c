"""The past is answered from what there was then: what came later neither ranks, nor counts, nor pushes out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stores import Ticking, opened, texts

from firsthand.recall.cache import GROW_ROWS

LATER = GROW_ROWS + 100
"""More documents than a scope's columns have room for at first."""


def test_words_that_became_common_later_are_as_rare_in_the_past_as_they_were(tmp_path: Path) -> None:
    with opened(tmp_path, Ticking()) as memory:
        rare = memory.capture("the quokka slept")
        for n in range(6):
            memory.capture(f"wombat number {n} dug")
        then = memory.recall("quokka wombat", limit=3)
        assert then.items[0].record_id == rare.record_id
        memory.capture_many([{"text": f"a quokka was counted {n}"} for n in range(LATER)])
        now = memory.recall("quokka wombat", limit=3)
        past = memory.recall("quokka wombat", limit=3, known_at=then.known_at)
    assert [i.record_id for i in past.items] == [i.record_id for i in then.items]
    assert [i.record_id for i in now.items] != [i.record_id for i in then.items]
    assert past.matching == then.matching
    assert past.degraded == then.degraded


def test_a_name_that_many_spoke_of_later_still_finds_what_was_said_of_it_then(tmp_path: Path) -> None:
    with opened(tmp_path, Ticking()) as memory:
        memory.capture("The Quokka Company moved to Perth")
        then = memory.recall("Where is the Quokka Company?")
        memory.capture_many([{"text": f"Quokka Company sold {n} lamps"} for n in range(LATER)])
        past = memory.recall("Where is the Quokka Company?", known_at=then.known_at)
    assert [i.text for i in past.items] == ["The Quokka Company moved to Perth"]
    assert {w.arm for w in past.items[0].why} == {w.arm for w in then.items[0].why}


def test_a_process_that_begins_with_the_past_answers_the_present_as_well(tmp_path: Path) -> None:
    with opened(tmp_path, Ticking()) as memory:
        memory.capture("The Quokka Company moved to Perth")
        known_at = memory.recall("Quokka").known_at
        memory.capture_many([{"text": f"Quokka Company sold {n} lamps"} for n in range(LATER)])
    with opened(tmp_path, Ticking()) as memory:
        assert len(memory.recall("Quokka", known_at=known_at).items) == 1
        now = memory.recall(f"lamps {LATER - 1}", limit=1)
    with opened(tmp_path, Ticking()) as memory:
        assert memory.recall(f"lamps {LATER - 1}", limit=1).items == now.items


def test_the_past_cites_the_supports_of_then(tmp_path: Path) -> None:
    with opened(tmp_path) as memory, opened(tmp_path, memory._engine.gateway.clock, actor="ben") as ben:
        fact = memory.remember("The crane is green").record_id or ""
        ben.remember("The crane is green")
        before = memory.ledger.head().received_at
        asked = {"query": "which crane is green?", "kinds": ["semantic"]}

        def speakers(**at: Any) -> set[str | None]:
            (item,) = memory.recall(**asked, **at).items
            return {c.speaker for c in item.citations}

        support = memory.read(fact).supports[1].support_id
        memory.support(fact, revoke=support, reason="misheard")
        assert speakers() == {"ana"}
        assert speakers(known_at=before) == {"ana", "ben"}
        between = memory.ledger.head().received_at
        memory.support(fact, reinstate=support, reason="heard well")
        assert speakers(known_at=between) == {"ana"}
        ben.retract(fact, reason="I was wrong")
        assert speakers() == {"ana"}
        assert speakers(known_at=before) == {"ana", "ben"}


def test_what_a_better_claim_left_of_one_that_said_no_start_is_not_shown_as_over(tmp_path: Path) -> None:
    with opened(tmp_path) as memory, opened(tmp_path, memory._engine.gateway.clock, actor="bot", role="agent") as bot:
        guess = bot.remember("The depot is in Bath", subject="depot", predicate="located_in", object="Bath").record_id
        before = memory.ledger.head().received_at
        memory.remember("The depot is in York", subject="depot", predicate="located_in", object="York",
                        valid_from="2025-06-01")  # fmt: skip
        query, kinds = "where is the depot?", ["semantic"]
        assert texts(memory.recall(query, kinds=kinds)) == ["The depot is in York"]
        assert texts(memory.recall(query, kinds=kinds, known_at=before)) == ["The depot is in Bath"]
        assert texts(memory.recall(query, kinds=kinds, valid_at="2024-01-01")) == ["The depot is in Bath"]
        waiting = memory.recall(query, kinds=kinds, include=["needs_review"])
        assert {i.record_id: i.qualifier.code for i in waiting.items}[guess] == "unverified"


def test_what_said_its_start_is_still_shown_as_over(tmp_path: Path) -> None:
    with opened(tmp_path) as memory, opened(tmp_path, memory._engine.gateway.clock, actor="bot", role="agent") as bot:
        bot.remember("The depot is in Bath", subject="depot", predicate="located_in", object="Bath",
                     valid_from="2020-01-01")  # fmt: skip
        memory.remember("The depot is in York", subject="depot", predicate="located_in", object="York",
                        valid_from="2025-06-01")  # fmt: skip
        packet = memory.recall("where is the depot?", kinds=["semantic"])
        assert [(i.text, i.qualifier.code) for i in packet.items] == [
            ("The depot is in York", "current"), ("The depot is in Bath", "ended"),
        ]  # fmt: skip
