"""Section C, and what section A says of corrections: five shapes, five questions, told in two ways and by two doors."""

from __future__ import annotations

from typing import Final

import msgspec

from firsthand.selftest.outcomes import Outcome, UnavailableError, check
from firsthand.selftest.shapes import (
    MODES,
    SHAPES,
    Mode,
    Shape,
    after_again,
    after_jobs,
    again,
    answers_right,
    believed_before,
    derived_agree,
    near_is_told,
    stale_says_so,
    tell,
)
from firsthand.selftest.world import World, everything_said, verb, word
from firsthand.vocabulary.citing import cite

QUESTIONS: Final = {
    "A": "the right answer is returned",
    "B": "the stale value appears only with a qualifier",
    "C": "both hold after every job",
    "C′": "both hold after day one came in again",
    "D": "what was believed before is answerable",
    "E": "derived records agree",
}

WAYS: Final[dict[Mode, str]] = {"structured": "a structured claim", "plain": "a plain sentence through MCP"}


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """One cell of the matrix. `why` is set unless it passes."""

    shape: str
    mode: Mode
    question: str
    outcome: Outcome
    why: str | None = None


def row(world: World, shape: Shape, mode: Mode) -> list[Cell]:
    """One shape in one mode: the answer to every question."""
    told = tell(world, shape, mode)
    found: dict[str, str | None] = {
        "A": answers_right(told),
        "B": stale_says_so(told) or near_is_told(told),
        "D": believed_before(told),
    }
    missing: dict[str, str] = {}
    try:
        found["C"] = after_jobs(told, verb(told.ana, "jobs", "run"))
    except UnavailableError as reason:
        missing["C"] = str(reason)
    found["C′"] = after_again(told)
    found["E"] = derived_agree(told)
    cells: list[Cell] = []
    for question in QUESTIONS:
        why = missing.get(question, found.get(question))
        outcome: Outcome = "unavailable" if question in missing else "pass" if why is None else "fail"
        cells.append(Cell(shape=shape.name, mode=mode, question=question, outcome=outcome, why=why))
    return cells


def _enter(shape: Shape, mode: Mode) -> None:
    @check(
        f"contradiction.{shape.name.replace(' ', '_')}.{mode}",
        section="C",
        given=f"{shape.stale!r}, told as {WAYS[mode]}",
        when=f"it is contradicted: {shape.name}",
        then="; ".join(f"{q} {what}" for q, what in QUESTIONS.items()),
        control="what was believed before is found in the past",
    )
    def run(world: World) -> str:
        cells = {cell.question: cell for cell in row(world, shape, mode)}
        world.control(cells["D"].outcome == "pass", f"D: {cells['D'].why}")
        for question, cell in cells.items():
            world.expect(cell.outcome != "fail", f"{question}: {cell.why}")
        held = " ".join(q for q, cell in cells.items() if cell.outcome == "pass")
        missing = [f"{q}: {cell.why}" for q, cell in cells.items() if cell.outcome == "unavailable"]
        if missing:
            raise UnavailableError(f"{held} hold; {'; '.join(missing)}")
        return f"{held} hold."

    assert run


for _shape in SHAPES:
    for _mode in MODES:
        _enter(_shape, _mode)


@check(
    "correction.survives_reindex",
    section="A",
    given="the five shapes of contradiction, structured",
    when="every projection and index is made anew",
    then="the corrected value is returned, history is intact, and what is derived agrees",
    control="each was returned before",
)
def survives_reindex(world: World) -> str:
    """Decisions are in the ledger."""
    entries = 0
    for shape in SHAPES:
        place = World(world.folder / shape.name.replace(" ", "_"))
        try:
            told = tell(place, shape, "structured")
            world.control(answers_right(told) is None, f"{shape.name}: {answers_right(told)}")
            past = told.ana.history(told.record)
            world.expect(told.ana.ledger.rebuild().same, f"{shape.name}: the projections have another digest")
            for look in (answers_right, stale_says_so, believed_before, derived_agree):
                world.expect(look(told) is None, f"{shape.name}: {look(told)}")
            world.expect(told.ana.history(told.record) == past, f"{shape.name}: its history changed")
            entries += told.ana.ledger.verify(deep=True).entries
        finally:
            place.close()
    return f"Five shapes in {entries} entries say the same after a rebuild, now, in the past and in history."


@check(
    "correction.retraction_without_replacement",
    section="A",
    given="“I misspoke, I have no sister”, and other things said in the same breath",
    when="the claim is retracted, its source comes in again, and every job runs",
    then="it stays absent, with no newer fact in its place",
    control="everything else from that source is recalled",
)
def retraction_without_replacement(world: World) -> str:
    """Nothing has to take a retracted value's place."""
    shape = next(s for s in SHAPES if s.name == "retraction")
    told = tell(world, shape, "structured")
    cello = word()
    other = told.ana.capture(f"{shape.day_one} I play the {cello}.", speaker="Ana", occurred_at="2026-03-01T09:00Z")
    told.ana.remember(f"Ana plays the {cello}", evidence=[cite(str(other.record_id), quote=f"I play the {cello}")])
    receipts = again(told)
    verb(told.ana, "jobs", "run")()
    world.control(cello in told.ana.recall("what does Ana play?").render(), "what else was said is gone as well")
    world.expect({r.outcome for r in receipts} == {"refused"}, "the source's words were taken again")
    said = everything_said(told.ana, (shape.question, "Mia"), kinds=["semantic"])
    world.expect(shape.stale not in said, "the retracted claim is recalled")
    items = told.ana.recall(shape.question).items
    world.expect(not any(i.text == shape.day_one and i.qualifier.code == "current" for i in items),
                 "its source stands there as if nothing had happened")  # fmt: skip
    return f"It stayed absent through {len(receipts)} new deliveries of its source; the rest of the source is recalled."
