"""Each guarantee of an assembly seen to fail: one mechanism is broken at a time, and its property must notice."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import test_assembly as assembly

from firsthand import assembling
from firsthand.recall import assemble, fill
from firsthand.recall.group import Grouped
from firsthand.recall.pipeline import new_nonce
from firsthand.vocabulary import rendering
from firsthand.vocabulary.errors import FirsthandError

ASSEMBLE, PARTS, FITTING, DIGEST = assemble.assemble, assemble._parts, assemble._fitting, assemble._digest
AGAIN, RECEIPT = fill.Filling.again, assembling.receipt_of
MADE: dict[str, Any] = {}
"""Candidates by record, as they were when they were first looked at."""


class Mutant(NamedTuple):
    """A mechanism broken, and the property that has to fail."""

    name: str
    owner: Any
    attribute: str
    broken: Any
    caught_by: Callable[..., None]
    given: tuple[Any, ...] = ()


def as_remembered(self: fill.Filling, record_ids: Any) -> Any:
    """Looked at once, and then taken from memory."""
    for c in AGAIN(self, [r for r in record_ids if r not in MADE]):
        MADE.setdefault(c.item.record_id, c)
    return [MADE[r] for r in record_ids if r in MADE]


def ungated(self: Any, vids: Any) -> list[int]:
    wanted = list(vids)
    for row in self._reader.beliefs(wanted, None):
        self.passed.setdefault(row.vid, []).append(row)
    return [v for v in wanted if v in self.passed]


def nonce_a_turn(reader: Any, handle: Any, plan: Any, cache: Any, trace: Any, session: Any, *more: Any) -> Any:
    return ASSEMBLE(reader, handle, plan, cache, trace, session._replace(nonce=new_nonce(handle)), *more)


def by_rank(*given: Any) -> Any:
    parts, absorbed = PARTS(*given)
    return sorted(parts, key=lambda p: (p.rank is None, p.rank or 0)), absorbed


def places_kept_whatever_they_say(*given: Any) -> Any:
    parts, absorbed = PARTS(*given)
    order = [record for record, _ in given[3]]
    return sorted(parts, key=lambda p: order.index(p.keys[0][0]) if p.keys[0][0] in order else 999), absorbed


def folded(*given: Any) -> Any:
    parts, absorbed = PARTS(*given)
    return [p for p in parts if p.keys[0][0] not in absorbed], absorbed


def oldest_first(parts: Any, room: int, target: int) -> Any:
    turned = [p._replace(turn=-p.turn) for p in parts]
    kept = {p.keys for p in FITTING(turned, room, target)}
    return [p for p in parts if p.keys in kept]


def no_more_than_needed(parts: Any, room: int, target: int) -> Any:
    return FITTING(parts, room, room)


def parts_alone(count: Any) -> Any:
    return lambda text: 0 if text.startswith("<") else count(text)


def each_alone(candidates: Any) -> Any:
    return Grouped(items=tuple(candidates), conflicts=(), absorbed={})


MUTANTS = [
    *(
        Mutant(f"what was shown is not looked at again: {leave.__name__}", fill.Filling, "again", as_remembered,
               assembly.test_what_no_longer_holds_is_gone_from_the_very_next_text, (leave,))
        for leave in assembly.LEAVING
    ),
    *(
        Mutant(f"it is looked at past the gate: {leave.__name__}", fill.Gate, "admit", ungated,
               assembly.test_what_no_longer_holds_is_gone_from_the_very_next_text, (leave,))
        for leave in (assembly.rejected, assembly.withdrawn, assembly.above_clearance)
    ),
    Mutant("it is looked at past the gate: arguments", fill.Gate, "admit", ungated,
           assembly.test_the_arguments_of_a_turn_hold_for_what_was_shown_before),
    Mutant("a nonce for each turn", assembling, "assemble", nonce_a_turn,
           assembly.test_a_turn_that_brings_nothing_new_is_the_same_text_byte_for_byte),
    Mutant("the best first", assemble, "_parts", by_rank,
           assembly.test_what_is_new_comes_after_what_was_shown_whatever_fits_the_question_best),
    Mutant("what says something else keeps its place", assemble, "_parts", places_kept_whatever_they_say,
           assembly.test_what_changed_its_qualifier_moves_to_the_end),
    Mutant("a conflict keeps its place", assemble, "_parts", places_kept_whatever_they_say,
           assembly.test_a_conflict_stands_at_the_end_and_what_is_settled_comes_back),
    Mutant("what is cited later is folded away", assemble, "_parts", folded,
           assembly.test_a_claim_that_cites_what_was_shown_leaves_it_where_it_is),
    Mutant("each turn groups alone", assemble, "group", each_alone,
           assembly.test_sentences_found_in_different_turns_that_may_contradict_are_never_two_truths),
    *(
        Mutant(f"the parts alone are counted: {counter}", assembling, "counting", parts_alone,
               assembly.test_no_text_is_ever_over_the_budget_as_the_caller_counts_and_no_item_is_cut, (counter, 0))
        for counter in ("characters", "greedy")
    ),
    Mutant("the oldest stay", assemble, "_fitting", oldest_first,
           assembly.test_room_is_made_seldom_and_what_was_found_last_stays),
    Mutant("room is made for one at a time", assemble, "_fitting", no_more_than_needed,
           assembly.test_room_is_made_seldom_and_what_was_found_last_stays),
    Mutant("this turn's answer is not kept first", assemble, "_fitting",
           lambda parts, room, target: FITTING([p._replace(rank=None) for p in parts], room, target),
           assembly.test_what_a_plain_recall_of_the_same_budget_shows_is_always_in_the_text),
    Mutant("a nonce in stored text stays", assemble, "without", lambda blocks, nonce: list(blocks),
           assembly.test_stored_text_that_knows_the_sessions_nonce_cannot_close_its_fence),
    Mutant("the fence's name in stored text stays", rendering, "_inert", lambda text, indent: text,
           assembly.test_stored_text_that_knows_the_sessions_nonce_cannot_close_its_fence),
    Mutant("places are remembered by their words", assemble, "_digest", lambda block: block,
           assembly.test_an_assembly_remembers_no_words),
    Mutant("a receipt of this turn's answer alone", assembling, "receipt_of",
           lambda handle, plan, packet, ids: RECEIPT(handle, plan, packet, [i.record_id for i in packet.items]),
           assembly.test_a_turn_leaves_a_receipt_of_all_that_stands_in_its_text_and_feedback_goes_by_it),
    Mutant("the parts of a packet alone are counted", rendering, "counting",
           parts_alone, assembly.test_a_packet_is_rendered_within_what_the_caller_counts, ("greedy", "text")),
]  # fmt: skip


def run(mutant: Mutant, tmp_path: Path) -> None:
    MADE.clear()
    wanted = [name for name in inspect.signature(mutant.caught_by).parameters if name != "tmp_path"]
    mutant.caught_by(tmp_path=tmp_path, **dict(zip(wanted, mutant.given, strict=True)))


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.name)
def test_a_broken_assembly_is_caught(mutant: Mutant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The property holds as things are, and its test fails once the mechanism is broken."""
    for name in ("whole", "broken"):
        (tmp_path / name).mkdir()
    run(mutant, tmp_path / "whole")
    with monkeypatch.context() as patch:
        patch.setattr(mutant.owner, mutant.attribute, mutant.broken)
        with pytest.raises((AssertionError, ValueError, IndexError, KeyError, FirsthandError)):
            run(mutant, tmp_path / "broken")
