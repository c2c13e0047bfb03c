"""One entry of every kind, written from fixed words, salts and instants: what the golden fixture holds.

Run as a script it prints the fixture anew, for a deliberate change of the format.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from firsthand.ledger import Draft, append, prepare
from firsthand.ports import Writer
from firsthand.store.sqlite import SqliteStore
from firsthand.vocabulary.entries import (
    Assertion,
    Attend,
    AuthorIds,
    Body,
    Claim,
    Classify,
    Consequences,
    Define,
    Edges,
    Ending,
    Entry,
    Erase,
    Judge,
    Lift,
    PolicyRules,
    Propose,
    Reach,
    Reject,
    Relate,
    Revise,
    Seal,
    Settle,
    Show,
    Support,
    Tombstone,
)
from firsthand.vocabulary.records import (
    Alias,
    Artifact,
    Competence,
    Constraint,
    Entity,
    Environment,
    Episodic,
    Identifier,
    PlanEdge,
    PlanGraph,
    PlanNode,
    RecipeStep,
    Semantic,
    TimelineEvent,
    ToolCall,
    Trigger,
    TypedValue,
    Validity,
    Working,
)

SPACE = "golden"
FIRST = 1_800_000_000_000_000
SECOND = 1_000_000
GOLDEN = Path(__file__).parent / "golden" / "entries.json"

SCOPE = "5c09" * 6
ANA = AuthorIds(actor="a11a" * 6, owner="a11a" * 6, role="person", harness="cli", model=None, session=None, device=None)
HELPER = AuthorIds(
    actor="4e19" * 6, owner="a11a" * 6, role="agent", harness="mcp", model="m-1", session="5e55" * 6, device="de1c" * 6
)
BEN = AuthorIds(
    actor="be11" * 6, owner="be11" * 6, role="person", harness="library", model=None, session=None, device=None
)
LISBON = Claim(value="115b" * 6, subject="ab0a" * 6, predicate="11fe" * 6, one=True)
BERLIN = Claim(value="be71" * 6, subject="ab0a" * 6, predicate="11fe" * 6, one=True)
OSLO = Claim(value="0510" * 6, subject="ab0a" * 6, predicate="11fe" * 6, one=True)
RUST = Claim(value="7057" * 6, subject="ab0a" * 6, predicate="05e5" * 6, polarity="-", conditions="c0d1" * 6)


def stone(claim: Claim, *, absolute: bool = False) -> Tombstone:
    return Tombstone(
        value=claim.value, subject=claim.subject, predicate=claim.predicate, polarity=claim.polarity, one=claim.one,
        absolute=absolute,
    )  # fmt: skip


class Pen:
    """Appends with fixed instants and salts: the nth entry is the same on every machine."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._count = 0

    def write(self, author: AuthorIds, edges: Edges, body: Body, record: str | None = None, **more: Any) -> Entry:
        self._count += 1
        at = FIRST + self._count * SECOND
        words = prepare(body, bytes([self._count]) * 16, at)
        draft = Draft(scope=more.pop("scope", SCOPE), author=author, edges=edges, recorded_at=at, record=record, **more)
        return append(self._writer, draft, words).entry


def write_specimens(writer: Writer) -> str:
    """One entry of every kind and every payload; the id of the one whose body an `erase` destroys."""
    pen = Pen(writer)
    pen.write(ANA, Define(what="who", id=ANA.actor), Body(name="Ana"), scope="space:")
    pen.write(ANA, Define(what="scope", id=SCOPE), Body(name="project:boat"), scope="space:")
    pen.write(
        ANA,
        Define(what="policy", id="default", policy=PolicyRules(name="default", trusted_tools=("70f1" * 6,))),
        Body(name="default"),
        scope="space:",
    )
    pen.write(ANA, Define(what="generation", generation=1), Body(), scope="space:")
    said = pen.write(
        ANA, Revise(record_kind="episodic", occurred=FIRST, speaker=ANA.owner, attested=True), Body(payload=_episode())
    )
    heard = pen.write(
        BEN,
        Revise(record_kind="episodic", origin="0419" * 6, imported=True),
        Body(payload=Episodic(text="Ana moved to Berlin “für immer” 🛶.", origin="chat")),
        sensitivity=1,
        request="4e91" * 6,
    )
    pen.write(ANA, Revise(record_kind="entity", names=(LISBON.subject,)), Body(payload=_entity()))
    lisbon = pen.write(
        ANA,
        Revise(
            record_kind="semantic",
            supports=(Assertion(claim=LISBON, evidence=said.record_id, source=ANA.owner, spoken=FIRST, span=(0, 5)),),
        ),
        Body(payload=_semantic("Lisbon"), reason="she said so"),
        sensitivity=1,
    )
    berlin = pen.write(
        BEN,
        Revise(
            record_kind="semantic",
            supports=(
                Assertion(
                    claim=BERLIN, evidence=heard.record_id, source=BEN.owner, spoken=FIRST + SECOND, basis="observed",
                    from_=FIRST, to=FIRST + 9 * SECOND, said="5a1d" * 6, trusted=True, echo=True, imported=True,
                ),
            ),
            consequences=Consequences(
                reach=Reach(source=BEN.owner, spoken=FIRST + SECOND),
                ending=Ending(claim=LISBON, since=FIRST),
                inherits=lisbon.record_id,
            ),
        ),
        Body(payload=_semantic("Berlin")),
    )  # fmt: skip
    pen.write(HELPER, Revise(record_kind="working", names=("7a5c" * 6,)), Body(payload=_working()))
    skill = Claim(value="5c11" * 6)
    pen.write(
        HELPER,
        Revise(
            record_kind="competence",
            supports=(Assertion(claim=skill, evidence=said.record_id, source=ANA.owner, spoken=FIRST),),
        ),
        Body(payload=_competence()),
    )
    plan = Claim(value="91a0" * 6)
    pen.write(
        HELPER,
        Revise(
            record_kind="plan_graph",
            supports=(Assertion(claim=plan, evidence=said.record_id, source=ANA.owner, spoken=FIRST),),
        ),
        Body(payload=_plan()),
    )
    grant = Assertion(claim=LISBON, evidence=heard.record_id, source=BEN.owner, spoken=FIRST, attested=True)
    granted = pen.write(BEN, Support(verb="grant", supports=(grant,)), Body(reason="heard it"), lisbon.record_id)
    pen.write(BEN, Support(verb="revoke", of=f"{granted.id}.0", replaces=()), Body(reason="misheard"), lisbon.record_id)
    contest = pen.write(
        BEN, Judge(verb="contest", claim=LISBON, against=berlin.record_id), Body(reason="is it?"), lisbon.record_id
    )
    pen.write(ANA, Settle(of=(contest.id,)), Body(reason="it is"), lisbon.record_id)
    hidden = pen.write(ANA, Show(verb="withdraw", observed=(lisbon.id,)), Body(reason="not for here"), lisbon.record_id)
    restored = pen.write(
        ANA,
        Show(verb="restore", observed=(lisbon.id,), replaces=(hidden.id,)),
        Body(reason="for here"),
        lisbon.record_id,
    )
    rejected = pen.write(ANA, Reject(tombstone=stone(RUST, absolute=True)), Body(reason="never"))
    pen.write(ANA, Lift(of=rejected.id), Body(reason="perhaps"))
    pen.write(ANA, Classify(level=2), Body(reason="private"), lisbon.record_id)
    pen.write(
        HELPER, Relate(verb="begin", target=berlin.record_id, relation="4e1a" * 6), Body(name="about"), lisbon.record_id
    )
    pen.write(HELPER, Attend(outcome="failed", gain_thousandths=-100, recall="c0001"), Body(), lisbon.record_id)
    pen.write(
        ANA,
        Revise(
            record_kind="semantic",
            supersedes=(lisbon.id,),
            saw=(restored.id,),
            supports=(Assertion(claim=OSLO, evidence=said.record_id, source=ANA.owner, spoken=FIRST + 5 * SECOND),),
            consequences=Consequences(
                reach=Reach(source=ANA.owner, spoken=FIRST + 5 * SECOND, everyone=True), tombstone=stone(LISBON)
            ),
        ),
        Body(payload=_semantic("Oslo"), reason="a slip"),
        lisbon.record_id,
        sensitivity=2,
    )
    pen.write(HELPER, Propose(verb="retract"), Body(reason="stale"), berlin.record_id)
    pen.write(ANA, Erase(targets=(heard.id,), reason_code="asked"), Body())
    head = writer.head()
    pen.write(ANA, Seal(position=head.position, chain=head.chain, signature="5167" * 8), Body(), scope="space:")
    return heard.id


def blank(store: SqliteStore, entry_id: str) -> None:
    """Destroy the body of an entry, as an erasure does."""
    store._writer.execute(
        "UPDATE entry SET body = NULL, salt = NULL WHERE space_id = ? AND entry_id = ?", (SPACE, entry_id)
    )


def _episode() -> Episodic:
    return Episodic(
        text="I live in Lisbon.\nSince spring.",
        occurred_at=FIRST,
        speaker="Ana",
        event_kind="message",
        timeline=(TimelineEvent(at=FIRST, event_kind="start", ref="x", summary="said hello"),),
        tool_graph=(ToolCall(id="t", tool="clock", args={"z": 1, "a": [None, True, 1.5]}, result="9:00", at=FIRST),),
        environment=Environment(os="linux", tool_versions={"b": "2", "a": "1"}, context={"ä": "ö"}),
        outcome="success",
        artifacts=(Artifact(digest="sha256:00", name="log", media_type="text/plain", size_bytes=3),),
        thread="t1",
        source_id="m1",
        tags=("said",),
        metadata={"z": "1", "a": "2"},
    )


def _semantic(place: str) -> Semantic:
    return Semantic(
        statement=f"Ana lives in {place}",
        subject="Ana",
        predicate="lives_in",
        object=TypedValue(type="string", value=place),
        validity=Validity(mode="timeboxed", from_=FIRST, to=FIRST + 9 * SECOND),
        volatility="stable",
    )


def _entity() -> Entity:
    return Entity(
        canonical_name="Ana",
        entity_kind="person",
        aliases=(Alias(value="Anita", kind="alias", locale="pt"),),
        identifiers=(Identifier(namespace="badge", value="7"),),
        summary="builds boats",
    )


def _working() -> Working:
    return Working(
        thread_id="hull",
        state="executing",
        next_actions=("sand",),
        open_questions=("varnish?",),
        constraints=(Constraint(type="time", key="before", value="June", required=True),),
        context_summary="planks are cut",
    )


def _competence() -> Competence:
    return Competence(
        skill_name="sanding",
        triggers=(Trigger(signal="rough plank"),),
        recipe=(RecipeStep(step="sand along the grain", tool="sander"),),
        required_tools=("sander",),
        failure_modes=("dust",),
    )


def _plan() -> PlanGraph:
    return PlanGraph(
        plan_id="hull",
        version="1",
        nodes=(PlanNode(id="a", op="cut"), PlanNode(id="b", op="sand", params={"grit": 120})),
        edges=(PlanEdge(from_="a", to="b"),),
        intent="a dry hull",
    )


def specimen_rows(folder: Path) -> list[dict[str, Any]]:
    """The ledger that the specimens make in a fresh store."""
    store = SqliteStore(folder / "golden.db")
    try:
        with store.writing(SPACE) as writer:
            erased = write_specimens(writer)
            blank(store, erased)
        with store.reading(SPACE) as reader:
            return [row._asdict() for row in reader.ledger_rows(0, 1_000)]
    finally:
        store.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        json.dump(specimen_rows(Path(made)), sys.stdout, indent=1, ensure_ascii=False)
    sys.stdout.write("\n")
