"""The past is answered from what there was then: what came later neither ranks, nor counts, nor pushes out."""

from __future__ import annotations

from pathlib import Path

from stores import Ticking, opened

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
