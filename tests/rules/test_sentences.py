"""Where sentences end, and how a body's texts lie end to end."""

from __future__ import annotations

import pytest

from firsthand.rules.leaves import EVERYTHING, Veiled, leaves, slice_of, veiled
from firsthand.rules.sentences import apart, sentences
from firsthand.vocabulary.entries import Body
from firsthand.vocabulary.records import Entity, Episodic, PlanGraph, PlanNode, Semantic, TypedValue


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("No end", ["No end"]),
        ("  ", []),
        ("Dr. Silva lives in St. Petersburg. Good.", ["Dr. Silva lives in St. Petersburg.", "Good."]),
        ("It costs 3.50 euros. Yes.", ["It costs 3.50 euros.", "Yes."]),
        ("He said \u201cno.\u201d Then he left.", ["He said \u201cno.\u201d", "Then he left."]),
        ("first\n\nsecond", ["first", "second"]),
        ("broken\nover lines", ["broken\nover lines"]),
        ("\u4e00\u3002\u4e8c", ["\u4e00\u3002", "\u4e8c"]),
        ("a\nb\nc\nd", ["a\nb\nc", "b\nc\nd"]),
    ],
)
def test_sentences_end_where_they_seem_to(text: str, parts: list[str]) -> None:
    assert [text[low:high] for low, high in sentences(text)] == parts


def test_an_utterance_and_the_reason_after_it_are_apart() -> None:
    text = "Ana (my sister) is well (she said so (twice))"
    assert [text[a:b] for a, b in apart(text)] == ["Ana (my sister) is well", "(she said so (twice))"]
    assert apart("Ana is well") == sentences("Ana is well")


BODIES = [
    Body(payload=Episodic(text="Ana is here", speaker="Ben", tags=("x", "y"), metadata={"k": "v"}), reason="so"),
    Body(payload=Semantic(statement="Ana is 7", subject="Ana", predicate="age",
                          object=TypedValue(type="number", value=7))),
    Body(payload=Entity(canonical_name="Ana", summary="a cook")),
    Body(payload=PlanGraph(plan_id="p", version="1", edges=(), nodes=(PlanNode(id="a", op="go", params={"n": 3}),))),
    Body(reason="only a reason"),
]  # fmt: skip


@pytest.mark.parametrize("body", BODIES)
def test_every_span_of_a_body_can_be_veiled_alone_and_nothing_else_changes(body: Body) -> None:
    whole = leaves(body)
    assert [leaf.start for leaf in whole] == [sum(len(x.text) for x in whole[:n]) for n in range(len(whole))]
    for leaf in whole:
        changed = leaves(veiled(body, [Veiled(leaf.start, leaf.start + len(leaf.text), "#")]))
        assert [x.text for x in changed] == ["#" if x.path == leaf.path else x.text for x in whole]
    assert {leaf.text for leaf in leaves(veiled(body, [Veiled(*EVERYTHING, "#")]))} == {"#"}
    assert veiled(body, []) == body


def test_marks_that_overlap_are_shown_once() -> None:
    marks = [Veiled(2, 5, "A"), Veiled(4, 7, "B"), Veiled(9, 10, "C")]
    assert slice_of("0123456789", marks) == "01A78C"
    assert slice_of("0123456789", marks, 3, 9) == "A78"
