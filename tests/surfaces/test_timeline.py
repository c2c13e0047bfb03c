"""A record's timeline explains the record to a stranger: what was believed when, what changed it, who and why."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

import firsthand
from firsthand.surfaces import show
from firsthand.surfaces.cli import app
from firsthand.surfaces.timeline import MEANINGS, STEPS_MOST, UNTOLD, Timeline, timeline, whole_history
from firsthand.surfaces.timeline_svg import FILLS, INTRODUCTION, draw, measure, wrapped
from firsthand.vocabulary.grants import Grant
from firsthand.vocabulary.instants import MICROSECONDS_PER_DAY, to_micros

START = to_micros("2026-03-01T09:00Z", "start")
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</text><script>alert('1')</script> & \x1b[31m \ud800 \ufffe ]]> \u202e " + "W" * 400


class Days:
    """A clock that is a day later whenever it is asked."""

    def __init__(self) -> None:
        self.at = START

    def now(self) -> int:
        self.at += MICROSECONDS_PER_DAY
        return self.at


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Any]:
    """Opens handles on one file under one clock."""
    clock, memories = Days(), list[firsthand.Memory]()

    def open_as(actor: str = "ana", **given: Any) -> firsthand.Memory:
        asked = {"role": "person", "scope": "project:orion", "clock": clock, "synchronous": "OFF", **given}
        memories.append(firsthand.open(tmp_path / "memory.db", actor=actor, **asked))
        return memories[-1]

    yield open_as
    for memory in memories:
        memory.close()


def a_life(opened: Any) -> tuple[firsthand.Memory, str]:
    """Berlin; Lisbon, which is taken back; then it was Bonn all along."""
    ana = opened()
    berlin = ana.remember(subject="Ana", predicate="lives_in", object="Berlin", valid_from="2024-02-01")
    lisbon = ana.remember(subject="Ana", predicate="lives_in", object="Lisbon", valid_from="2026-02-01")
    ana.retract(lisbon.record_id, reason="it was only a week")
    ana.correct(berlin.record_id, object="Bonn", reason="the note was misheard")
    return ana, berlin.record_id


def shown(memory: firsthand.Memory, record_id: str) -> Timeline:
    return timeline(whole_history(memory, record_id), START + 100 * MICROSECONDS_PER_DAY)


def told(drawing: str) -> str:
    """Every word of a drawing, in order."""
    return " ".join("".join(e.itertext()) for e in ElementTree.fromstring(drawing).iter(f"{SVG}text"))


def test_each_known_time_says_what_changed_who_did_it_and_why(opened: Any) -> None:
    steps = shown(*a_life(opened)).steps
    assert [(s.who, s.what, s.words, s.reason, s.elsewhere) for s in steps] == [
        ("ana (person)", "said it first", None, None, False),
        ("ana (person)", "said something else", "Ana lives in Lisbon", None, True),
        ("ana (person)", "took it back", None, "it was only a week", True),
        ("ana (person)", "revised it", None, "the note was misheard", False),
    ]


def test_each_cell_says_what_was_believed_of_one_stretch_of_the_world_from_one_known_time_on(opened: Any) -> None:
    life = shown(*a_life(opened))
    told = [[[(h.standing, h.text) for h in cell] for cell in step.cells] for step in life.steps]
    berlin, bonn, gone = ("active", "Ana lives in Berlin"), ("active", "Ana lives in Bonn"), "retracted"
    assert [s.valid_from is None for s in life.spans] == [True, False, False]
    assert told[0] == [[], [berlin], [berlin]]
    assert told[1] == [[], [berlin], []]
    assert told[2] == told[0]
    assert told[3][1] == [bonn, (gone, "Ana lives in Berlin")]
    assert life.title == "Ana lives in Bonn"


def test_the_picture_has_a_title_both_axes_a_legend_and_every_step(opened: Any) -> None:
    life = shown(*a_life(opened))
    words = told(draw(life))
    for part in ("Ana lives in Bonn", "Known since", "True in the world", "2024-02-01", "no known end", "now",
                 "ana (person) said it first", "“Ana lives in Lisbon”", "because: it was only a week",
                 "because: the note was misheard", "retracted: " + MEANINGS["retracted"]):  # fmt: skip
        assert part in words, part
    assert " ".join(wrapped(INTRODUCTION, 1_000, 13, 9))[:60] in words
    legend = [s for s in MEANINGS if f"{s.replace('_', ' ')}: {MEANINGS[s]}" in words]
    assert tuple(legend) == life.standings


def test_content_stays_text_whatever_it_holds(opened: Any) -> None:
    ana = opened()
    talk = ana.remember(HOSTILE.replace("\ud800", ""), subject="A<&>", predicate="says", object="</svg>")
    ana.retract(talk.record_id, reason="<!-- ]]> & \x1b[2J")
    life = shown(ana, talk.record_id)
    drawing = draw(Timeline(**{f: getattr(life, f) for f in life.__struct_fields__} | {"title": HOSTILE}))
    tree = ElementTree.fromstring(drawing.encode())
    allowed = {"svg", "title", "desc", "style", "rect", "text", "line", "path", "circle"}
    assert {e.tag.removeprefix(SVG) for e in tree.iter()} <= allowed
    assert "alert('1')" in told(drawing) or "alert('1')" in drawing
    assert not re.search("[\x00-\x08\x0e-\x1f\u202e]", drawing)


def test_boxes_keep_inside_the_sheet_and_apart_and_words_inside_their_box(opened: Any) -> None:
    ana, record_id = a_life(opened)
    ana.change(record_id, object="Porto " + "and so on " * 20, since="2026-05-01", reason="a long reason " * 30)
    opened("ben").remember(subject="Ana", predicate="lives_in", object="Rome", valid_from="2026-04-01")
    tree = ElementTree.fromstring(draw(shown(ana, record_id)))
    width, height = float(tree.get("width", 0)), float(tree.get("height", 0))
    boxes = [tuple(float(r.get(k, 0)) for k in ("x", "y", "width", "height")) for r in tree.iter(f"{SVG}rect")][1:]
    for x, y, w, h in boxes:
        assert x >= 0
        assert y >= 0
        assert x + w <= width
        assert y + h <= height
    for one, other in itertools.combinations(boxes, 2):
        across = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
        down = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
        assert across <= 0 or down <= 0, (one, other)
    for text in tree.iter(f"{SVG}text"):
        x, y = float(text.get("x", 0)), float(text.get("y", 0))
        words = "".join(t for t in [text.text, *(c.tail for c in text)] if t)
        for bx, by, bw, bh in boxes:
            if bx < x < bx + bw and by < y < by + bh and text.get("text-anchor") == "start":
                assert x + measure(words, 13) <= bx + bw + 1, words
        assert y <= height


def test_every_colour_has_its_day_and_its_night_and_no_meaning_is_colour_alone(opened: Any) -> None:
    assert set(FILLS) == set(MEANINGS)
    drawing = draw(shown(*a_life(opened)))
    night = drawing.partition("@media (prefers-color-scheme:dark){")[2].partition("</style>")[0]
    for looks in set(re.findall(r'class="(s-\w+)"', drawing)):
        assert drawing.count(f".{looks}{{") == 2
        assert f".{looks}{{" in night
    assert all(contrast(fill, "#1f2328") > 7 and contrast(dark, "#e6edf3") > 7 for fill, _, dark, _ in FILLS.values())
    assert "active" in told(drawing)


def contrast(one: str, other: str) -> float:
    """As WCAG 2 defines it; 7 is its strictest bar for text."""
    a, b = sorted((luminance(one), luminance(other)))
    return (b + 0.05) / (a + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_what_another_record_said_is_told_only_to_who_may_read_that_record(opened: Any) -> None:
    ana = opened()
    berlin = ana.remember(subject="Ana", predicate="lives_in", object="Berlin")
    ana.remember(subject="Ana", predicate="lives_in", object="Zanzibar", sensitivity="high")
    guest = opened("guest", role="agent", grant=Grant(clearance="low"))
    whole, cut = shown(ana, berlin.record_id), shown(guest, berlin.record_id)
    assert "Zanzibar" in draw(whole)
    assert "Zanzibar" not in draw(cut)
    assert len(cut.steps) == len(whole.steps)
    assert (cut.steps[-1].what, cut.steps[-1].who, cut.steps[-1].words) == (UNTOLD, None, None)


def test_restatements_share_a_line_and_a_very_long_life_leaves_out_its_oldest_steps(opened: Any) -> None:
    ana = opened()
    fact = ana.remember(subject="api", predicate="port", object=8080)
    for _ in range(3):
        ana.remember(subject="api", predicate="port", object=8080)
    (step,) = shown(ana, fact.record_id).steps
    assert (step.also, step.cells[0][0].supports) == (3, 4)
    assert "3 times since" in told(draw(shown(ana, fact.record_id)))
    task = ana.remember(payload={"kind": "working", "thread_id": "t", "state": "planning"})
    for n in range(STEPS_MOST + 3):
        ana.remember(
            payload={"kind": "working", "thread_id": "t", "state": "executing", "context_summary": f"step {n}"}
        )
    long = shown(ana, task.record_id)
    assert (len(long.steps), long.left_out) == (STEPS_MOST, 4)
    assert "The oldest 4 changes are left out" in told(draw(long))


def test_the_text_timeline_says_the_same(opened: Any, capsys: pytest.CaptureFixture[str]) -> None:
    ana, record_id = a_life(opened)
    parts = ("from 2026-02-01", "2024-02-01 to 2026-02-01", "ana (person) said it first", "as above",
             "because: the note was misheard", "Ana lives in Bonn", "retracted: " + MEANINGS["retracted"])  # fmt: skip
    for name, result in (("timeline", shown(ana, record_id)), ("history", ana.history(record_id))):
        show.DRAWINGS[name](result)
        drawn = capsys.readouterr().out
        for part in parts:
            assert part in " ".join(drawn.split()), part


def test_the_command_draws_prints_and_speaks_json(opened: Any, tmp_path: Path) -> None:
    _, record_id = a_life(opened)
    door = ("--db", str(tmp_path / "memory.db"), "--scope", "project:orion")
    picture = tmp_path / "past.svg"
    drawn = CliRunner().invoke(app, (*door, "timeline", record_id[:12], "--svg", str(picture)))
    assert (drawn.exit_code, drawn.stdout) == (0, f"Drawn into {picture}.\n")
    ElementTree.fromstring(picture.read_text(encoding="utf-8"))
    piped = CliRunner().invoke(app, (*door, "timeline", record_id, "--svg", "-"))
    assert piped.stdout.startswith("<svg ")
    asked = json.loads(CliRunner().invoke(app, (*door, "timeline", record_id, "--json")).stdout)
    assert asked["steps"][0]["what"] == "said it first"
    assert "said it first" in CliRunner().invoke(app, (*door, "timeline", record_id)).stdout
    nowhere = CliRunner().invoke(app, (*door, "timeline", record_id, "--svg", str(tmp_path / "no" / "where.svg")))
    assert nowhere.exit_code == 2
    assert "file_not_written" in nowhere.stderr
