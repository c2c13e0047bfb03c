"""A dispute too large for a packet is cut and says so; silence would leave its place to what merely matched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from stores import START, Still, opened

from firsthand import Memory
from firsthand.vocabulary.limits import PACKET_BYTES_MIN

SIDES = 13
NOVEL = "I once read about the reactor located in a novel"


def disputed(path: Path, sides: int = SIDES) -> Memory:
    """People who contradict each other, and a saying that only holds the words."""
    memory = opened(path, Still(START), role="person", actor="ana")
    for n in range(sides):
        said = opened(path, Still(START), role="person", actor=f"person-{n}")
        said.remember(
            subject="reactor", predicate="located_in", object=f"hall {n} of the old power station by the river"
        )
        said.close()
    memory.capture(NOVEL)
    return memory


@pytest.mark.parametrize("asked", [{}, {"max_bytes": 4_096}, {"max_tokens": 400}])
def test_a_dispute_that_does_not_fit_is_cut_and_says_how_much_is_missing(asked: dict[str, Any], tmp_path: Path) -> None:
    with disputed(tmp_path) as memory:
        packet = memory.recall("reactor located", **asked)
        (group,) = packet.conflicts
        assert group.items
        assert len(group.items) + group.more == SIDES
        assert group.more > 0
        assert "conflict_capped" in packet.degraded
        text = packet.render()
        assert "none is offered as true" in text
        assert f"and {group.more} more that contradict them, which did not fit" in text


def test_a_packet_too_small_for_any_side_says_that_something_is_missing(tmp_path: Path) -> None:
    with disputed(tmp_path) as memory:
        packet = memory.recall("reactor located", max_bytes=PACKET_BYTES_MIN)
        assert (packet.conflicts, packet.omitted.bytes > 0) == ((), True)
        assert "conflict_capped" in packet.degraded
        assert "conflict_capped" in packet.render()


def test_a_dispute_that_fits_is_whole(tmp_path: Path) -> None:
    with disputed(tmp_path) as memory:
        packet = memory.recall("reactor located", max_bytes=262_144)
        (group,) = packet.conflicts
        assert (len(group.items), group.more) == (SIDES, 0)
        assert packet.degraded == ()
        assert "which did not fit" not in packet.render()
        short = packet.render(max_tokens=400)
        assert "none is offered as true" in short
        assert "which did not fit" in short


def test_a_session_s_prompt_holds_a_part_of_a_dispute_that_is_larger_than_it(tmp_path: Path) -> None:
    with disputed(tmp_path, 40) as memory:
        prompt = memory.assembly(max_tokens=800).turn("reactor located").text
        assert "none is offered as true" in prompt
        assert "which did not fit" in prompt


def test_what_is_contradicted_after_it_was_shown_stands_beside_what_contradicts_it(tmp_path: Path) -> None:
    with opened(tmp_path, Still(START), actor="ana") as memory, opened(tmp_path, Still(START), actor="ben") as other:
        memory.remember(subject="lamp", predicate="located_in", object="the attic")
        memory.capture("The ferry is late")
        session = memory.assembly(max_tokens=2_000)
        assert "the attic" in session.turn("Where is the lamp located?").text
        other.remember(subject="lamp", predicate="located_in", object="the cellar")
        later = session.turn("Is the ferry late?").text
        assert "none is offered as true" in later
        assert "the attic" in later
        assert "the cellar" in later
