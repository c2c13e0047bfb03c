"""What one project rejects, in the words of another scope: masked where both are read, whole where it is read alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from stores import everything, lift, opened, said, texts

from firsthand import Memory, cite

ALL: Any = ["episodic", "semantic", "working", "entity", "competence", "plan_graph"]
ASK = "Which port does Falcon use?"


def rejecting(folder: Path) -> Memory:
    """A project that rejected what it was told of Falcon."""
    memory = opened(folder)
    memory.reject(value={"subject": "Falcon", "predicate": "port", "object": 8081}, reason="never that one")
    return memory


@pytest.fixture
def orion(tmp_path: Path) -> Iterator[Memory]:
    with rejecting(tmp_path) as memory:
        yield memory


def mark_of(memory: Memory) -> str:
    """How the words read that the newest entry hides."""
    return f"[rejected: {memory.ledger.head().entry_id}]"


def test_a_sentence_of_the_space_is_left_out_beside_the_project_that_rejected_it(orion: Memory) -> None:
    space, other = orion.at(scope="space:"), orion.at(scope="project:other")
    for sentence in ("Falcon listens on port 8081", "The port of Falcon is 8081, says the wiki"):
        said_there = space.remember(sentence)
        assert said_there.standing is not None
        assert said_there.standing.status == "active"
    space.remember("Falcon has a port of its own")
    assert said(orion.recall(ASK, kinds=["semantic"])) == {"Falcon has a port of its own"}
    assert len(said(other.recall(ASK, kinds=["semantic"]))) == 3


def test_the_very_claim_is_left_out_though_its_subject_is_too_long_to_be_found_in_text(orion: Memory) -> None:
    claim = {"subject": "the second gate of the old north harbour", "predicate": "code", "object": 4711}
    orion.reject(value=claim, reason="never that one")
    space = orion.at(scope="space:")
    space.remember("It opens as it always did", **claim)
    assert said(orion.recall("how does it open?", kinds=["semantic"])) == set()
    assert said(space.recall("how does it open?", kinds=["semantic"])) == {"It opens as it always did"}


def test_an_episode_of_the_space_is_masked_where_it_says_it(orion: Memory) -> None:
    mark = mark_of(orion)
    orion.at(scope="space:").capture("Falcon uses port 8081. Its gate has 9 bolts.", speaker="Ben")
    (item,) = orion.recall(ASK, kinds=["episodic"]).items
    assert item.text == f"{mark} Its gate has 9 bolts."
    assert [c.quote for c in item.citations] == [item.text]
    packet = orion.at(scope="project:other").recall(ASK, kinds=["episodic"])
    assert texts(packet) == ["Falcon uses port 8081. Its gate has 9 bolts."]


def test_a_quote_from_the_space_is_masked_where_it_says_it(orion: Memory) -> None:
    mark = mark_of(orion)
    talk = orion.at(scope="space:").capture("The gate of Falcon squeaks. Falcon uses port 8081.", speaker="Ben")
    for memory in (orion, orion.at(scope="project:other")):
        memory.remember("The gate needs oil", evidence=[cite(talk.record_id or "")])
    quotes = {
        memory.scope: [c.quote for i in memory.recall("gate oil", kinds=["semantic"]).items for c in i.citations]
        for memory in (orion, orion.at(scope="project:other"))
    }
    assert quotes["project:orion"] == [f"The gate of Falcon squeaks. {mark}"]
    assert quotes["project:other"] == ["The gate of Falcon squeaks. Falcon uses port 8081."]


def test_what_is_known_by_another_name_is_known_across_scopes(orion: Memory) -> None:
    space = orion.at(scope="space:")
    orion.remember(payload={"kind": "entity", "canonical_name": "Falcon", "aliases": [{"value": "the Bird"}]})
    space.remember(payload={"kind": "entity", "canonical_name": "Falcon", "aliases": [{"value": "F16"}]})
    space.remember("The Bird listens on port 8081")
    space.remember("Port 8081 is where F16 listens")
    space.remember("Port 8081 is where Sparrow listens")
    assert said(orion.recall("who listens on port 8081?", kinds=["semantic"])) == {"Port 8081 is where Sparrow listens"}


def test_every_scope_that_is_named_is_heard_in_the_others(orion: Memory) -> None:
    other = orion.at(scope="project:other")
    other.remember("Falcon listens on port 8081")
    other.capture("We moved Falcon to port 8081! It was late.")
    named = {"scopes": ["project:orion", "project:other"], "kinds": ["episodic", "semantic"]}
    assert said(other.recall(ASK, **named)) == {f"{mark_of_rejection(orion)} It was late."}
    assert len(said(other.recall(ASK, kinds=["episodic", "semantic"]))) == 2


def mark_of_rejection(memory: Memory) -> str:
    """How the words read that the project rejected, by its first entry that forbids a value."""
    with memory._engine.store.reading(memory.space) as reader:
        return f"[rejected: {reader.stones()[0].id}]"


def test_a_lift_shows_it_again(orion: Memory) -> None:
    orion.at(scope="space:").remember("Falcon listens on port 8081")
    assert orion.recall(ASK, kinds=["semantic"]).items == ()
    lift(orion)
    assert said(orion.recall(ASK, kinds=["semantic"])) == {"Falcon listens on port 8081"}


def test_a_rejection_is_heard_at_once_by_a_memory_that_recalled_before(orion: Memory) -> None:
    space = orion.at(scope="space:")
    space.remember("Wren listens on port 9090")
    assert said(orion.recall("Wren port", kinds=["semantic"])) == {"Wren listens on port 9090"}
    orion.reject(value={"subject": "Wren", "predicate": "port", "object": 9090}, reason="nor that one")
    assert orion.recall("Wren port", kinds=["semantic"]).items == ()
    orion.remember(payload={"kind": "entity", "canonical_name": "Wren", "aliases": [{"value": "Zaunkoenig"}]})
    space.remember("Zaunkoenig listens on 9090")
    assert orion.recall("Zaunkoenig", kinds=["semantic"]).items == ()
    assert said(space.recall("Zaunkoenig", kinds=["semantic"])) == {"Zaunkoenig listens on 9090"}


def test_explain_names_the_rejection(orion: Memory) -> None:
    space = orion.at(scope="space:")
    claim = space.remember("Falcon listens on port 8081").record_id or ""
    talk = space.capture("Falcon uses port 8081.", speaker="Ben").record_id or ""
    rejection = mark_of_rejection(orion)[11:-1]
    for record in (claim, talk):
        why = orion.explain(ASK, record, kinds=["episodic", "semantic"])
        assert (why.returned, why.reason, why.rejected_by) == (False, "rejected", rejection)
        assert orion.at(scope="project:other").explain(ASK, record, kinds=["episodic", "semantic"]).returned


def test_what_was_only_corrected_in_a_project_is_still_said_in_the_space(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        fact = memory.remember(subject="Falcon", predicate="port", object=8081)
        memory.correct(fact.record_id, object=8082, reason="a slip")
        memory.at(scope="space:").remember("Falcon once had port 8081")
        assert "Falcon once had port 8081" in {i.text for i in everything(memory.recall(ASK, kinds=ALL))}
