"""What a tombstone stops at the door: whatever field it comes in, however it is spelt, whoever says it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from stores import DAY, START, Ticking, lift, opened, reject, texts, write

from firsthand import Memory, cite
from firsthand.vocabulary.entries import Reject, Tombstone

EXACT = "tombstone_rejected"
NEAR = "tombstone_near"


def forbidden(
    memory: Memory, value: object = "Berlin", sentence: str | None = None, predicate: str = "lives_in"
) -> str:
    """Ana's value, said and then rejected; the record."""
    fact = memory.remember(sentence, subject="Ana", predicate=predicate, object=value)
    reject(memory, fact.record_id or "")
    return fact.record_id or ""


def claims(memory: Memory) -> list[tuple[str, str]]:
    """Every claim that may be shown at all, with its status."""
    everything: Any = ["candidates", "needs_review", "pending", "superseded"]
    return [(i.text, i.status) for i in memory.list(kinds=["semantic"], include=everything, limit=200).items]


DISGUISES = {
    "as it was": "Ana lives in Berlin",
    "another case": "ANA LIVES IN BERLIN",
    "white space": "  Ana \t lives  in\u00a0Berlin ",
    "closing punctuation": "Ana lives in Berlin!!",
    "look-alikes": "\u0410n\u0430 lives in B\u0435rlin",
    "full width": "\uff21\uff4e\uff41 lives in \uff22\uff45\uff52\uff4c\uff49\uff4e",
    "zero width": "Ana lives in B\u200berl\u200din",
    "soft hyphens": "Ana lives in Ber\u00adlin",
    "bidi controls": "\u202eAna\u202c lives in \u2067Berlin\u2069",
    "quotation marks": "\u201cAna lives in Berlin\u201d",
}


@pytest.mark.parametrize("sentence", DISGUISES.values(), ids=DISGUISES.keys())
def test_a_disguise_does_not_bring_back_what_was_rejected(sentence: str, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        forbidden(memory)
        before = memory.ledger.head().position
        assert memory.remember(sentence).code == EXACT
        assert memory.remember(sentence, subject="Ana", predicate="works_at", object="home").code == EXACT
        assert memory.ledger.head().position == before, "a refusal leaves nothing in the ledger"
        assert claims(memory) == []


def test_composed_and_decomposed_letters_are_one(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        forbidden(memory, "Z\u00fcrich")
        assert memory.remember("Ana lives in Zu\u0308rich").code == EXACT
        assert memory.remember(subject="A\u200bna", predicate="lives in", object="Zu\u0308rich").code == EXACT


def test_a_paraphrase_and_other_values_pass(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        forbidden(memory)
        for said in ("Ana has a flat in the German capital", "Ana lives in Lisbon", "Ben lives in Berlin"):
            assert memory.remember(said).standing.status == "active", said  # type: ignore[union-attr]


def test_a_sentence_with_subject_and_value_waits_for_review(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        forbidden(memory)
        near = memory.remember("Ana was seen in Berlin. She was cheerful.")
        assert near.outcome == "stored"
        assert near.standing is not None
        assert near.standing.status == "needs_review"
        assert memory.recall("where was Ana seen?").items == ()
        assert near.record_id in {i.record_id for i in memory.recall("Ana", include=["needs_review"]).items}


def test_two_sentences_apart_do_not_make_one(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        forbidden(memory)
        assert memory.remember("Ana called. Ben lives in Berlin.").standing.status == "active"  # type: ignore[union-attr]
        wrapped = memory.remember("Ana lives\nnowadays in\nBerlin")
        assert wrapped.standing is not None
        assert wrapped.standing.status == "needs_review", "a line break is no end of a sentence"


def test_what_comes_near_displaces_and_lifts_nothing_until_a_person_decides(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        forbidden(memory)
        kept = memory.remember("Ana works at the mill", subject="Ana", predicate="works_as", object="miller")
        near = memory.remember("Ana is a baker in Berlin", subject="Ana", predicate="works_as", object="baker")
        ben = opened(tmp_path, actor="ben")
        again = ben.remember("Ana is a baker in Berlin", subject="Ana", predicate="works_as", object="baker")
        ben.close()
        assert near.standing is not None
        assert again.standing is not None
        assert (near.standing.status, again.standing.status) == ("needs_review", "needs_review")
        assert memory.read(kept.record_id or "").item.qualifier.code == "current"


@pytest.mark.parametrize("name", ["Annie", "Ana Silva", "ana-7"])
def test_every_name_of_the_subject_counts(name: str, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        forbidden(memory)
        memory.remember(
            payload={
                "kind": "entity", "canonical_name": "Ana",
                "aliases": [{"value": "Annie"}, {"value": "Ana Silva", "kind": "former"}],
                "identifiers": [{"namespace": "staff", "value": "ana-7"}],
            }
        )  # fmt: skip
        near = memory.remember(f"We visited {name} in Berlin")
        assert near.standing is not None
        assert near.standing.status == "needs_review"


def test_an_alias_of_the_value_counts(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        forbidden(memory, "New York")
        memory.remember(payload={"kind": "entity", "canonical_name": "New York", "aliases": [{"value": "NYC"}]})
        near = memory.remember("Ana has moved to NYC")
        assert near.standing is not None
        assert near.standing.status == "needs_review"


def test_a_whole_sentence_is_known_again_however_its_numbers_are_joined(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        spellings = ("The spare key is in 14C", "The spare key is in 14 C", "The spare key is in 14-C")
        for at, rejected in enumerate(spellings):
            project = memory.at(scope=f"project:p{at}")
            fact = project.remember(rejected)
            reject(project, fact.record_id or "")
            assert [project.remember(said).code for said in spellings] == [EXACT] * 3
            assert project.remember("The spare key is in 14 D").outcome == "stored"


@pytest.mark.parametrize(
    "sentence",
    ["Ana has 14 cats", "Ana pays 14 a month", "Ana is at 114 C Street", "Ana has 14 C-clamps", "Ana knows C, page 14",
     "Ana has 9 C. The other had 14 C."],
)  # fmt: skip
def test_what_only_resembles_a_number_with_its_letter_passes(sentence: str, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        forbidden(memory, "14C", predicate="has")
        assert memory.remember(sentence).standing.status == "active"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (30, "Ana keeps 30 of them"),
        ("30 days", "Ana keeps them for 30d now"),
        ("2026-05-09", "Ana begins on 9 May 2026"),
        ("2026-05-09", "Ana begins on May 9, 2026, they say"),
        ("$30", "Ana paid $30, no more"),
        ("14C", "Ana has the 14 C now"),
        ("14C", "Ana has 14-C now"),
        ("14C", "Ana has 14\u2011C now"),
        ("14 C", "Ana has 14C now"),
        ("14 C", "Ana has 14-C now"),
        ("14-C", "Ana has 14C, no more"),
        ("B-12", "Ana has B 12 by now"),
        ("PostgreSQL 16", "Ana has PostgreSQL16 now"),
        ("30 days", "Ana has 30-day passes"),
        ("seat 14C", "Ana has seat 14 C now"),
        ("seat 14 C", "Ana has seat 14C now"),
        ("seat 14 C by the window", "Ana: seat 14C by the window!"),
        ("seat 14C by the window", "Ana: seat 14 C by the window!"),
        ("the old mill by the northern harbour wall", "Ana: at the OLD mill by the northern harbour wall!"),
    ],
)
def test_a_value_is_found_however_it_is_written(value: object, sentence: str, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        forbidden(memory, value, sentence="Said in other words", predicate="has")
        near = memory.remember(sentence)
        assert near.standing is not None
        assert near.standing.status == "needs_review"


FIELDS: dict[str, dict[str, Any]] = {
    "a recipe": {"kind": "competence", "skill_name": "post", "triggers": [{"signal": "letter"}],
                 "recipe": [{"step": "Send it to Ana in Berlin"}]},
    "a trigger": {"kind": "competence", "skill_name": "post", "triggers": [{"signal": "a letter to Ana, Berlin"}],
                  "recipe": [{"step": "Stamp it"}]},
    "a way to fail": {"kind": "competence", "skill_name": "post", "triggers": [{"signal": "letter"}],
                      "recipe": [{"step": "Stamp it"}], "failure_modes": ["Ana is not in Berlin"]},
    "an op of a plan": {"kind": "plan_graph", "plan_id": "p", "version": "1", "edges": [],
                        "nodes": [{"id": "a", "op": "fly to Ana in Berlin"}]},
    "a parameter of a plan": {"kind": "plan_graph", "plan_id": "p", "version": "1", "edges": [],
                              "nodes": [{"id": "a", "op": "fly", "params": {"who": "Ana", "where": "Berlin"}}]},
    "an intent": {"kind": "plan_graph", "plan_id": "p", "version": "1", "edges": [], "intent": "see Ana in Berlin",
                  "nodes": [{"id": "a", "op": "fly"}]},
    "a tag": {"kind": "semantic", "statement": "She has a flat", "subject": "Ana", "predicate": "owns",
              "object": {"type": "string", "value": "flat"}, "tags": ["Berlin"]},
    "metadata": {"kind": "semantic", "statement": "She has a flat", "metadata": {"Ana": "Berlin"}},
    "a condition": {"kind": "semantic", "statement": "She has a flat", "subject": "Ana", "predicate": "owns",
                    "object": {"type": "string", "value": "flat"},
                    "validity": {"mode": "conditional", "conditions": {"city": "Berlin"}}},
}  # fmt: skip


@pytest.mark.parametrize("payload", FIELDS.values(), ids=FIELDS.keys())
def test_every_text_field_of_a_claim_is_looked_at(payload: dict[str, Any], tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        forbidden(memory)
        near = memory.remember(payload=payload)
        assert near.standing is not None
        assert near.standing.status == "needs_review"


RECORDS: dict[str, dict[str, Any]] = {
    "a summary": {"kind": "entity", "canonical_name": "Ana", "summary": "Now in Berlin"},
    "an alias": {"kind": "entity", "canonical_name": "Ana", "aliases": [{"value": "Berlin"}]},
    "a context": {"kind": "working", "thread_id": "t", "state": "planning", "context_summary": "Ana is in Berlin"},
    "a question": {"kind": "working", "thread_id": "t", "state": "planning", "open_questions": ["Is Ana in Berlin?"]},
    "a constraint": {"kind": "working", "thread_id": "t", "state": "planning",
                     "constraints": [{"type": "city", "key": "Ana", "value": {"Ana": "Berlin"}}]},
}  # fmt: skip


@pytest.mark.parametrize("payload", RECORDS.values(), ids=RECORDS.keys())
def test_working_memory_and_entities_are_refused(payload: dict[str, Any], tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        record = forbidden(memory)
        receipt = memory.remember(payload=payload)
        assert (receipt.outcome, receipt.code, receipt.record_id) == ("refused", NEAR, None)
        assert memory.refusals().refusals[0].code == NEAR
        assert record


def test_a_guess_that_comes_near_is_refused_and_one_that_does_not_is_a_candidate(tmp_path: Path) -> None:
    with opened(tmp_path) as memory, opened(tmp_path, actor="bot", role="agent") as agent:
        forbidden(memory)
        assert agent.remember("Ana may be in Berlin", basis="inferred").code == NEAR
        assert agent.remember("Ana may be in Rome", basis="inferred").outcome == "stored"


def test_a_correction_and_a_change_to_a_rejected_sentence_are_refused(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        forbidden(memory)
        other = memory.remember("Ana is well")
        assert memory.correct(other.record_id, "Ana lives in Berlin.", reason="so they say").code == EXACT
        assert memory.change(other.record_id, "ana LIVES in berlin", reason="so they say").code == EXACT
        assert memory.read(other.record_id or "").item.text == "Ana is well"


def test_words_taken_back_are_not_claimed_again_by_who_said_them(tmp_path: Path) -> None:
    with opened(tmp_path) as memory, opened(tmp_path, actor="bot", owner="ana", role="agent") as agent:
        fact = agent.remember("Ana lives in Berlin", subject="Ana", predicate="lives_in", object="Berlin")
        memory.correct(fact.record_id, object="Lisbon", reason="misheard")
        assert agent.remember("Ana lives in Berlin").code == "tombstone_retracted"
        near = agent.remember("Ana has been seen in Berlin")
        assert near.standing is not None
        assert near.standing.status == "needs_review"
        free = opened(tmp_path, Ticking(START + DAY), actor="cleo")
        assert free.remember("Ana has been seen in Berlin often").standing.status == "active"  # type: ignore[union-attr]
        free.close()


def test_a_tombstone_binds_where_it_was_set_and_one_of_the_space_everywhere(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        forbidden(memory)
        elsewhere = memory.at(scope="project:other")
        assert elsewhere.remember("Ana lives in Berlin").outcome == "stored"
        forbidden(memory.at(scope="space:"), "Paris")
        assert elsewhere.remember("Ana lives in Paris").code == EXACT


def test_recall_applies_the_tombstones_of_every_scope_it_names(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        elsewhere = memory.at(scope="project:other")
        kept = elsewhere.remember(subject="Ana", predicate="lives_in", object="Berlin")
        forbidden(memory)
        both = ["project:orion", "project:other"]
        asked = {"kinds": ["semantic"], "scopes": both}
        assert kept.record_id in {i.record_id for i in elsewhere.recall("Where does Ana live?").items}
        assert memory.recall("Where does Ana live?", **asked).items == ()
        lift(memory)
        assert kept.record_id in {i.record_id for i in memory.recall("Where does Ana live?", **asked).items}


def test_what_was_lifted_may_be_said_again(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        forbidden(memory)
        near = memory.remember("Ana was seen in Berlin")
        lift(memory)
        assert memory.read(near.record_id or "").item.status == "active"
        assert memory.remember("Ana lives in Berlin").outcome in ("stored", "reinforced")
        assert memory.ledger.rebuild().same


def test_a_tombstone_outlives_half_lives_rebuilds_and_restarts(tmp_path: Path) -> None:
    clock = Ticking()
    with opened(tmp_path, clock) as memory:
        forbidden(memory)
        kept = memory.remember("Ana likes tea")
        clock.at += 3_650 * DAY
    with opened(tmp_path, clock) as memory:
        memory.ledger.rebuild()
        assert memory.remember("Ana lives in Berlin").code == EXACT
        memory.remember("Ana lives in Lisbon", subject="Ana", predicate="lives_in", object="Lisbon")
        assert memory.remember(subject="Ana", predicate="lives_in", object="Berlin").code == EXACT
        talk = memory.capture("Ana lives in Berlin, I am told.", speaker="Ben")
        cited = [cite(talk.record_id or "")]
        assert memory.remember(subject="Ana", predicate="lives_in", object="Berlin", evidence=cited).code == EXACT
        assert kept.record_id in {i.record_id for i in memory.recall("What does Ana like?").items}


def test_a_value_that_was_never_said_can_be_forbidden(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        keyed = memory._handle.keyed
        claim = keyed.plain_claim("the vault is empty", "+", "")
        write(memory, Reject(tombstone=Tombstone(value=claim.value, absolute=True)))
        assert memory.remember("The vault is empty.").code == EXACT
        assert texts(memory.recall("vault")) == []


def test_what_was_forbidden_under_an_older_key_is_still_found(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        forbidden(memory)
    keys = tmp_path / "memory.db.keys"
    held: dict[str, str] = json.loads(keys.read_text())
    keys.write_text(json.dumps({space: ["ab" * 32, key] for space, key in held.items()}))
    with opened(tmp_path) as memory:
        assert memory.remember("ANA lives in Berlin!").code == EXACT
        near = memory.remember("Ana was seen in Berlin")
        assert near.standing is not None
        assert near.standing.status == "needs_review"
