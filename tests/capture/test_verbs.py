"""Every verb, end to end, on a real file."""

import contextlib
import io
import threading

import pytest
from houses import DAY, START, claim, current, texts

import firsthand
from firsthand import cite
from firsthand.surfaces import show
from firsthand.vocabulary.instants import to_micros

SKILL = {
    "kind": "competence", "skill_name": "rotate the keys", "triggers": [{"signal": "a key is older than 90 days"}],
    "recipe": [{"step": "make a new key"}, {"step": "retire the old one", "tool": "vault"}],
}  # fmt: skip
PLAN = {
    "kind": "plan_graph", "plan_id": "release", "version": "1",
    "nodes": [{"id": "a", "op": "build"}, {"id": "b", "op": "ship"}], "edges": [{"from": "a", "to": "b"}],
}  # fmt: skip
TASK = {"kind": "working", "thread_id": "t-1", "state": "planning", "next_actions": ["write the tests"]}


def test_capture_keeps_every_word_and_field_exactly(house):
    memory = house.memory()
    text = "Ana:  two  spaces,\r\nan ünïcode dash – and 🦉 at the end \n"
    receipt = memory.capture(
        text, speaker="Ana", occurred_at="2026-02-03T04:05:06+02:00", thread="talk", event_kind="message",
        timeline=[{"at": "2026-02-03T02:05Z", "event_kind": "begin"}], outcome="success",
        tool_graph=[{"id": "1", "tool": "ls", "at": START}, {"id": "2", "tool": "cat", "depends_on": ["1"]}],
        environment={"os": "linux", "tool_versions": {"ls": "9"}}, artifacts=[{"digest": "sha256:00"}],
        tags=["kick-off"], metadata={"room": "4"}, source_id="m-1", origin="minutes.md", sensitivity="medium",
        reason="worth keeping",
    )  # fmt: skip
    assert (receipt.outcome, receipt.standing.tier, receipt.standing.status) == ("stored", "observed", "active")
    item = memory.read(receipt.record_id).item
    assert (item.text, item.speaker, item.thread, item.source_id) == (text, "Ana", "talk", "m-1")
    assert item.occurred_at == to_micros("2026-02-03T02:05:06Z", "at")
    assert item.sensitivity == "medium"
    entry = memory.history(receipt.record_id).entries[0]
    assert (entry.text, entry.reason, entry.kind) == (text, "worth keeping", "revise")
    (body,) = house.column("SELECT body FROM entry WHERE body LIKE '%kick-off%'")
    for kept in (
        '"tool":"cat"',
        '"depends_on":["1"]',
        '"os":"linux"',
        "sha256:00",
        '"room":"4"',
        '"outcome":"success"',
    ):
        assert kept in body


def test_capture_many_stores_every_item_once_and_reports_progress(house):
    memory, seen = house.memory(), []
    report = memory.capture_many(({"text": f"turn {i}", "thread": "t"} for i in range(25)), progress=seen.append,
                                 batch=10)  # fmt: skip
    assert (report.total, report.stored, seen) == (25, 25, [10, 20, 25])
    assert len({r.record_id for r in report.receipts}) == 25
    assert memory.read(report.receipts[24].record_id).item.text == "turn 24"
    assert memory.capture_many([]).total == 0


def test_a_bulk_write_says_how_much_of_it_stands_when_an_item_is_bad(house):
    memory = house.memory()
    items = [{"text": f"turn {i}"} for i in range(5)] + [{"text": ""}]
    with pytest.raises(firsthand.InvalidError) as caught:
        memory.capture_many(items, batch=2)
    assert caught.value.may_have_written is True
    assert caught.value.details["stored_items"] == 4
    assert memory.stats().records["episodic"] == 4
    with pytest.raises(firsthand.InvalidError) as caught:
        memory.remember_many([{"statement": "a"}, {"statement": "b", "typo": 1}])
    assert caught.value.may_have_written is False
    assert memory.stats().records["episodic"] == 4


def test_remember_many_counts_each_outcome(house):
    memory = house.memory()
    gone = claim(memory, "api", "uses", "redis")
    memory.retract(gone.record_id, reason="never did")
    agent = house.agent()
    report = agent.remember_many(
        [
            {"statement": "Ana likes tea", "subject": "Ana", "predicate": "likes", "object": "tea"},
            {"subject": "Ana", "predicate": "likes", "object": "TEA"},
            {"subject": "api", "predicate": "uses", "object": "redis"},
        ]
    )
    assert (report.total, report.stored, report.reinforced, report.refused) == (3, 1, 1, 1)


def test_a_claim_without_a_sentence_gets_one_and_without_evidence_cites_its_own_utterance(house):
    memory = house.memory()
    receipt = claim(memory, "Ana", "lives_in", "Berlin", valid_from="2026-01-01", tags=["home"], volatility="stable")
    view = memory.read(receipt.record_id)
    assert view.item.text == "Ana lives in Berlin"
    assert view.item.structure.subject == "Ana"
    assert view.item.structure.object.value == "Berlin"
    assert view.item.valid_from == to_micros("2026-01-01", "at")
    assert [c.quote for c in view.item.citations] == ["Ana lives in Berlin"]
    assert view.item.citations[0].record_id == receipt.evidence_id
    assert memory.read(receipt.evidence_id).item.kind == "episodic"
    assert receipt.standing.status == "active"


def test_a_claim_cites_by_quote_by_span_or_whole(house):
    memory = house.memory()
    talk = memory.capture("Ana: the api listens on 8080 since May.", speaker="Ana")
    cited = [cite(talk.record_id, quote="listens on 8080"), cite(talk.record_id, span=(0, 3)), cite(talk.record_id)]
    receipt = claim(memory, "api", "port", 8080, evidence=cited)
    assert receipt.evidence_id is None
    assert {c.quote for c in memory.read(receipt.record_id).item.citations} == {
        "listens on 8080", "Ana", "Ana: the api listens on 8080 since May."
    }  # fmt: skip
    plain = memory.remember_many(
        [{"statement": "The api is up", "evidence": [{"record_id": talk.record_id, "quote": "8080"}]}]
    ).receipts[0]
    assert memory.read(plain.record_id).item.citations[0].quote == "8080"


@pytest.mark.parametrize(
    ("value", "kind", "shown"),
    [("blue", "string", "blue"), (8080, "number", 8080), (2.5, "number", 2.5), (True, "boolean", True)],
)
def test_an_object_keeps_its_type(house, value, kind, shown):
    memory = house.memory()
    receipt = claim(memory, "api", "setting", value)
    found = memory.read(receipt.record_id).item.structure.object
    assert (found.type, found.value) == (kind, shown)


def test_every_payload_kind_is_remembered_and_read_back(house):
    memory = house.memory()
    skill, plan, task = (memory.remember(payload=p) for p in (SKILL, PLAN, TASK))
    person = memory.remember(
        payload=firsthand.Entity(canonical_name="Ana Ruiz", entity_kind="person", summary="designs the api")
    )
    views = [memory.read(r.record_id).item for r in (skill, plan, task, person)]
    assert [v.kind for v in views] == ["competence", "plan_graph", "working", "entity"]
    assert views[0].text.startswith("rotate the keys: when a key is older")
    assert views[1].payload.edges[0].to == "b"
    assert views[2].text == "Task t-1 is planning. Next: write the tests."
    assert views[3].text == "Ana Ruiz: designs the api"
    assert [skill.standing.tier, task.standing.tier] == ["validated_claim", "observed"]
    assert skill.evidence_id is not None
    assert task.evidence_id is None


def test_a_skill_a_task_and_an_entity_remembered_again_are_new_states_of_one_record(house):
    memory = house.memory()
    first = [memory.remember(payload=p) for p in (SKILL, PLAN, TASK)]
    again = [
        memory.remember(payload={**SKILL, "version": "2", "recipe": [{"step": "press the button"}]}),
        memory.remember(payload={**PLAN, "version": "2"}),
        memory.remember(payload={**TASK, "state": "done", "next_actions": []}),
    ]
    assert [r.record_id for r in again] == [r.record_id for r in first]
    assert "press the button" in memory.read(first[0].record_id).item.text
    assert memory.read(first[1].record_id).item.payload.version == "2"
    assert memory.read(first[2].record_id).item.text == "Task t-1 is done."
    assert [i.text for i in memory.list(kinds=["working"]).items] == ["Task t-1 is done."]
    kept = {e.text for e in memory.history(first[2].record_id).entries}
    assert "Task t-1 is planning. Next: write the tests." in kept


def test_an_entity_gathers_its_names_and_claims_follow_them(house):
    memory = house.memory()
    ana = claim(memory, "Ana", "lives_in", "Berlin")
    entity = memory.remember(
        payload={"kind": "entity", "canonical_name": "Ana", "aliases": [{"value": "Ana Ruiz"}],
                 "identifiers": [{"namespace": "mail", "value": "ana@example.org"}]}
    )  # fmt: skip
    assert entity.outcome == "reinforced"
    by_mail = memory.remember(
        payload={"kind": "entity", "canonical_name": "A. Ruiz", "summary": "an architect",
                 "identifiers": [{"namespace": "mail", "value": "ana@example.org"}]}
    )  # fmt: skip
    assert by_mail.record_id == entity.record_id
    assert memory.read(entity.record_id).item.text == "Ana (also A. Ruiz, Ana Ruiz): an architect"
    for name in ("Ana Ruiz", "a. ruiz", "ANA"):
        assert claim(memory, name, "lives_in", "Berlin").record_id == ana.record_id


def test_the_same_number_in_two_lists_is_two_things(house):
    memory = house.memory()
    badge = memory.remember(
        payload={"kind": "entity", "canonical_name": "Ana", "identifiers": [{"namespace": "badge", "value": "7"}]}
    )
    desk = memory.remember(
        payload={
            "kind": "entity",
            "canonical_name": "corner desk",
            "identifiers": [{"namespace": "desk", "value": "7"}],
        }
    )
    same = memory.remember(
        payload={"kind": "entity", "canonical_name": "Ruiz", "identifiers": [{"namespace": "Badge", "value": "7"}]}
    )
    assert desk.record_id != badge.record_id
    assert same.record_id == badge.record_id


def test_correct_keeps_the_record_and_its_old_value_cannot_be_said_again(house):
    memory = house.memory()
    fact = claim(memory, "api", "port", 8080, tags=["net"])
    house.clock.pass_days(1)
    receipt = memory.correct(fact.record_id, object=9090, reason="misread the ticket")
    assert (receipt.outcome, receipt.record_id) == ("stored", fact.record_id)
    item = memory.read(fact.record_id).item
    assert (item.text, item.structure.object.value) == ("api port 9090", 9090)
    assert texts(memory, "api port") == ["api port 9090"]
    assert claim(house.agent(), "api", "port", 8080).code == "tombstone_retracted"
    assert texts(memory, "api port", known_at=fact.known_at) == ["api port 8080"]
    (reason,) = {e.reason for e in memory.history(fact.record_id).entries if e.reason}
    assert reason == "misread the ticket"
    cited = memory.read(receipt.evidence_id).item.text
    assert cited == "api port 9090 (misread the ticket)"


@pytest.mark.parametrize("value", ["green tea", "tea"], ids=["another value", "a typo"])
def test_what_is_corrected_is_replaced_for_all_of_its_world_time(house, value):
    memory = house.memory()
    fact = memory.remember("Ana drikns tea", subject="Ana", predicate="drinks", object="tea")
    house.clock.pass_days(30)
    before = memory.recall("Ana tea", valid_at=START - DAY)
    assert [i.text for i in before.items] == ["Ana drikns tea"]
    memory.correct(fact.record_id, f"Ana drinks {value}", object=value, reason="misspelt")
    for valid_at in (START - DAY, START + DAY, None):
        assert [i.text for i in memory.recall("Ana tea", valid_at=valid_at).items] == [f"Ana drinks {value}"]
    assert memory.read(fact.record_id).item.valid_from is None


def test_correct_changes_any_part_of_a_claim(house):
    memory = house.memory()
    fact = memory.remember("Ana drinks tea at home", subject="Ana", predicate="drinks", object="tea",
                           valid_from="2026-01-01", valid_to="2026-12-01")  # fmt: skip
    memory.correct(fact.record_id, "Ana drinks tea at her desk", reason="wrong place")
    memory.correct(fact.record_id, conditions={"place": "desk"}, reason="only there")
    item = memory.read(fact.record_id).item
    assert item.text == "Ana drinks tea at her desk"
    assert item.structure.conditions == {"place": "desk"}
    assert (item.valid_from, item.valid_to) == (to_micros("2026-01-01", "a"), to_micros("2026-12-01", "a"))
    memory.correct(fact.record_id, conditions={}, valid_to="2026-06-01", reason="everywhere, until June")
    item = memory.read(fact.record_id).item
    assert item.structure.conditions == {}
    assert item.valid_to == to_micros("2026-06-01", "a")
    memory.correct(fact.record_id, polarity="-", reason="she does not")
    assert memory.read(fact.record_id).item.text == "Ana not drinks tea"
    assert memory.read(fact.record_id).item.structure.polarity == "-"


def test_a_new_sentence_never_leaves_the_old_value_behind_it(house):
    memory = house.memory()
    fact = memory.remember("Ana lives in Berlin", subject="Ana", predicate="lives_in", object="Berlin")
    with pytest.raises(firsthand.InvalidError) as caught:
        memory.correct(fact.record_id, "Ana lives in Lisbon", reason="wrong")
    assert (caught.value.code, caught.value.field) == ("object_missing", "object")
    memory.correct(fact.record_id, "Ana lives in Lisbon", object="Lisbon", reason="wrong")
    assert memory.read(fact.record_id).item.structure.object.value == "Lisbon"


def test_a_correction_of_the_past_does_not_become_the_present(house):
    memory = house.memory()
    berlin = claim(memory, "Ana", "lives_in", "Berlin")
    house.clock.pass_days(10)
    lisbon = claim(memory, "Ana", "lives_in", "Lisbon")
    house.clock.pass_days(10)
    memory.correct(berlin.record_id, object="Bonn", reason="it was Bonn, not Berlin")
    assert current(memory, "where does Ana live?") == ["Ana lives in Lisbon"]
    assert texts(memory, "Ana lives", valid_at=START) == ["Ana lives in Bonn"]
    memory.correct(lisbon.record_id, object="Porto", reason="it was Porto")
    assert current(memory, "where does Ana live?") == ["Ana lives in Porto"]
    assert texts(memory, "Ana lives", valid_at=START + 15 * DAY) == ["Ana lives in Porto"]


def test_a_correction_to_a_value_the_slot_already_holds_joins_that_record(house):
    memory = house.memory()
    berlin = claim(memory, "Ana", "lives_in", "Berlin")
    house.clock.pass_days(10)
    lisbon = claim(memory, "Ana", "lives_in", "Lisbon")
    house.clock.pass_days(1)
    receipt = memory.correct(lisbon.record_id, object="Berlin", reason="she never moved")
    assert (receipt.outcome, receipt.record_id) == ("reinforced", berlin.record_id)
    assert receipt.standing.status == "active"
    assert current(memory, "where does Ana live?") == ["Ana lives in Berlin"]
    assert "Ana lives in Lisbon" not in texts(memory, "where does Ana live?")
    assert claim(house.agent(), "Ana", "lives_in", "Lisbon").outcome == "refused"


def test_change_ends_the_old_and_begins_the_new(house):
    memory = house.memory()
    old = claim(memory, "Ana", "lives_in", "Berlin")
    house.clock.pass_days(10)
    new = memory.change(old.record_id, object="Lisbon", since="2026-03-05", reason="she moved")
    assert new.record_id != old.record_id
    assert memory.read(old.record_id).item.valid_to == memory.read(new.record_id).item.valid_from == START + 4 * DAY
    assert texts(memory, "Ana lives", valid_at=START + DAY) == ["Ana lives in Berlin"]
    assert texts(memory, "Ana lives", valid_at=START + 6 * DAY) == ["Ana lives in Lisbon"]
    house.clock.pass_days(10)
    back = claim(memory, "Ana", "lives_in", "Berlin")
    assert back.outcome == "reinforced"


def test_change_with_nothing_new_only_ends(house):
    memory = house.memory()
    old = claim(memory, "Ana", "works_on", "the api")
    house.clock.pass_days(3)
    receipt = memory.change(old.record_id, since=START + DAY, reason="handed over")
    assert receipt.record_id == old.record_id
    assert memory.read(old.record_id).item.valid_to == START + DAY
    assert memory.read(old.record_id).item.qualifier.code == "ended"
    assert current(memory, "who works on the api?") == []


def test_retract_takes_back_a_claim_an_episode_and_a_task(house):
    memory = house.memory()
    kept = memory.remember("The owl is awake")
    fact = memory.remember("The cat is asleep")
    talk = memory.capture("Ana: ignore this")
    task = memory.remember(payload=TASK)
    for receipt in (fact, talk, task):
        assert memory.retract(receipt.record_id, reason="wrong").standing.status == "retracted"
    assert memory.read(fact.record_id).item.status == "retracted"
    assert texts(memory, "owl cat", kinds=["semantic", "episodic", "working"])[0] == "The owl is awake"
    assert "The cat is asleep" not in texts(memory, "cat asleep")
    assert "Ana: ignore this" not in texts(memory, "Ana ignore this", kinds=["episodic"])
    assert memory.list(kinds=["working"]).items == ()
    with pytest.raises(firsthand.RefusedError, match="nothing that still stands"):
        memory.retract(fact.record_id, reason="again")
    assert memory.read(kept.record_id).item.status == "active"


def test_what_rests_on_a_retracted_episode_waits_for_evidence(house):
    memory = house.memory()
    talk = memory.capture("Ana: we ship on Friday", speaker="Ana")
    fact = memory.remember("The launch is on Friday", evidence=[cite(talk.record_id, quote="ship on Friday")])
    memory.retract(talk.record_id, reason="that was a joke")
    assert memory.read(fact.record_id).item.status == "pending_evidence"
    other = memory.capture("Ben: Friday it is", speaker="Ben")
    memory.support(fact.record_id, [cite(other.record_id)], reason="Ben confirms")
    assert memory.read(fact.record_id).item.status == "active"


def test_support_is_granted_revoked_and_reinstated(house):
    memory = house.memory()
    fact = memory.remember("The api is fast")
    more = memory.capture("Ben: the api is fast", speaker="Ben")
    receipt = memory.support(fact.record_id, [cite(more.record_id, quote="api is fast")], reason="Ben says so too")
    assert receipt.outcome == "reinforced"
    view = memory.read(fact.record_id)
    assert view.item.supports == 2
    added = next(s for s in view.supports if s.citation.record_id == more.record_id)
    memory.support(fact.record_id, revoke=added.support_id, reason="misquoted")
    after = {s.support_id: s.live for s in memory.read(fact.record_id).supports}
    assert sorted(after.values()) == [False, True]
    assert after[added.support_id] is False
    memory.support(fact.record_id, reinstate=added.support_id, reason="quoted right after all")
    assert memory.read(fact.record_id).item.supports == 2
    with pytest.raises(firsthand.AbsentError):
        memory.support(fact.record_id, revoke="e" + "0" * 40 + ".0", reason="no such support")


def test_a_memory_is_no_evidence_for_itself(house):
    memory = house.memory()
    fact = memory.remember("The api is fast")
    for write in (
        lambda: memory.support(fact.record_id, [cite(fact.record_id)], reason="it says so"),
        lambda: memory.remember("the API is fast.", evidence=[cite(fact.record_id)]),
        lambda: memory.correct(fact.record_id, "The api is quick", evidence=[cite(fact.record_id)], reason="word"),
    ):
        with pytest.raises(firsthand.InvalidError) as caught:
            write()
        assert caught.value.code == "evidence_circular"
    assert memory.read(fact.record_id).item.supports == 1
    derived = memory.remember("The api can take the load", evidence=[cite(fact.record_id, quote="api is fast")])
    assert memory.read(derived.record_id).item.citations[0].quote == "api is fast"


def test_relate_begins_and_ends_an_edge_seen_from_both_sides(house):
    memory = house.memory()
    one, two = memory.remember("The api is fast"), memory.remember("The database is slow")
    memory.relate(one.record_id, "Depends on", two.record_id, reason="it reads from it")
    assert [(r.relation, r.record_id, r.direction) for r in memory.read(one.record_id).relations] == [
        ("depends_on", two.record_id, "out")
    ]
    assert [(r.relation, r.direction) for r in memory.read(two.record_id).relations] == [("depends_on", "in")]
    memory.relate(one.record_id, "depends_on", two.record_id, end=True, reason="not any more")
    assert memory.read(one.record_id).relations == ()


def test_feedback_moves_salience_and_nothing_else(house):
    memory = house.memory()
    fact, other = memory.remember("The api is fast"), memory.remember("The api is old")
    packet = memory.recall("api", kinds=["semantic"])
    house.clock.pass_days(2)
    before = {i.record_id: i.salience for i in memory.recall("api", kinds=["semantic"]).items}
    receipts = memory.feedback(packet.recall_id, used=[fact.record_id, fact.record_id], outcome="helped", reason="yes")
    assert [r.record_id for r in receipts] == [fact.record_id]
    after = {i.record_id: i.salience for i in memory.recall("api", kinds=["semantic"]).items}
    assert after[fact.record_id] > before[fact.record_id]
    assert after[other.record_id] == before[other.record_id]
    assert {r.record_id for r in memory.feedback(packet.recall_id, outcome="failed")} == set(before)
    assert memory.read(fact.record_id).item.status == "active"
    with pytest.raises(firsthand.AbsentError):
        memory.feedback(packet.recall_id, used=["r" + "0" * 40])
    with pytest.raises(firsthand.AbsentError):
        memory.feedback("no-such-recall")


@pytest.mark.parametrize("page", [1, 7, 50, 200])
def test_paging_through_a_list_shows_each_record_exactly_once(house, page):
    memory, other = house.memory(), house.memory(scope="project:other")
    made = {r.record_id for r in memory.capture_many([{"text": f"turn {i}"} for i in range(60)]).receipts}
    facts = [claim(memory, "api", "setting", f"value {i}") for i in range(20)]
    made |= {r.record_id for r in facts}
    for again in facts[:10]:
        memory.correct(again.record_id, object=f"other {again.record_id[:6]}", reason="wrong")
    other.remember("not of this scope")
    memory.retract(facts[19].record_id, reason="gone")
    seen, cursor = [], None
    while True:
        found = memory.list(limit=page, cursor=cursor, kinds=["episodic", "semantic"])
        assert len(found.items) <= page
        seen += [i.record_id for i in found.items]
        cursor = found.cursor
        if cursor is None:
            break
    assert len(seen) == len(set(seen))
    assert made - {facts[19].record_id} <= set(seen)
    assert facts[19].record_id not in seen
    assert not any("not of this scope" in i.text for i in memory.list(limit=200).items)


def test_history_pages_through_every_entry_oldest_first(house):
    memory = house.memory()
    fact = claim(memory, "api", "port", 1)
    for port in range(2, 8):
        memory.correct(fact.record_id, object=port, reason=f"no. {port}")
    whole = memory.history(fact.record_id)
    assert [e.text for e in whole.entries] == [f"api port {p}" for p in range(1, 8)]
    assert whole.cursor is None
    paged, cursor = [], None
    while True:
        part = memory.history(fact.record_id, limit=3, cursor=cursor)
        paged += part.entries
        cursor = part.cursor
        if cursor is None:
            break
    assert tuple(paged) == whole.entries
    assert [b.text for b in whole.beliefs if b.known_to is None and b.status == "active"] == ["api port 7"]


def test_explain_says_why_a_record_is_or_is_not_in_the_answer(house):
    memory = house.memory()
    fact, other = memory.remember("The api is fast"), memory.remember("The moon is far")
    assert memory.explain("fast api", fact.record_id).returned is True
    told = memory.explain("fast api", other.record_id)
    assert (told.returned, told.reason) == (False, "no_match")


def test_a_receipts_standing_says_whether_an_answer_shows_the_record(house):
    """A record that was taken back is `visible` (nobody hid it) and all the same in no answer."""
    memory = house.memory()
    shown, taken, hidden = (memory.remember(f"The {name} is blue").record_id for name in ("sky", "sea", "hull"))
    guess = memory.remember("The keel may be blue", basis="inferred")
    receipts = [
        memory.support(shown, [cite(memory.capture("The sky is blue").record_id)], reason="seen"),
        memory.retract(taken, reason="it is grey"),
        memory.withdraw(hidden, reason="not now"),
        guess,
        memory.restore(hidden, reason="now"),
    ]
    assert [(r.standing.status, r.standing.visibility, r.standing.shown) for r in receipts] == [
        ("active", "visible", True), ("retracted", "visible", False), ("active", "hidden", False),
        ("pending_evidence", "visible", False), ("active", "visible", True),
    ]  # fmt: skip
    assert sorted(texts(memory, "what is blue", kinds=["semantic"])) == ["The hull is blue", "The sky is blue"]


def test_a_handle_on_another_scope_or_session_shares_the_store(house):
    memory = house.memory()
    other = memory.at(scope="project:apollo", session="s-2")
    fact = other.remember("Apollo flies")
    assert (other.scope, other.space) == ("project:apollo", "default")
    assert texts(memory, "Apollo flies") == []
    assert texts(memory, "Apollo flies", scopes=["project:apollo"]) == ["Apollo flies"]
    assert other.read(fact.record_id).item.scope == "project:apollo"
    other.close()
    assert memory.remember("still open").outcome == "stored"
    wide = memory.at(scope="space:")
    wide.remember("Everyone reads this")
    assert texts(other, "everyone reads")[0] == "Everyone reads this"


def test_stats_count_what_is_held(house):
    memory = house.memory()
    memory.capture("one")
    memory.remember("two")
    stats = memory.stats()
    assert stats.records == {"episodic": 2, "semantic": 1}
    assert stats.standing == {"active": 3}
    assert (stats.space, stats.scopes) == ("default", 1)
    assert stats.entries == memory.ledger.verify().position
    assert stats.bytes_on_disk > 0


def test_a_context_manager_closes_and_a_closed_memory_says_so(tmp_path):
    with firsthand.open(tmp_path / "m.db", scope="project:x") as memory:
        kept = memory.remember("The api is fast")
    for use in (
        lambda: memory.remember("more"),
        lambda: memory.read(kept.record_id),
        lambda: memory.recall("api"),
    ):
        with pytest.raises(firsthand.BrokenError) as caught:
            use()
        assert caught.value.code == "store_closed"
    memory.close()
    with firsthand.open(tmp_path / "m.db", scope="project:x") as memory:
        assert memory.read(kept.record_id).item.text == "The api is fast"


@pytest.mark.parametrize("verb", ["correct", "change", "retract"])
def test_a_description_names_the_record_it_clearly_fits(house, verb):
    memory = house.memory()
    tea = memory.remember("Ana drinks green tea in the morning")
    memory.remember("The database runs on a Tuesday schedule")
    arguments = {"reason": "wrong"} if verb == "retract" else {"statement": "Ana drinks coffee", "reason": "wrong"}
    receipt = getattr(memory, verb)(target="Ana's green tea in the morning", **arguments)
    gone = memory.read(tea.record_id).item
    assert receipt.outcome == "stored"
    assert gone.text == "Ana drinks coffee" or gone.status == "retracted" or gone.qualifier.code == "ended"
    assert "Ana drinks green tea in the morning" not in current(memory, "Ana green tea morning")


@pytest.mark.parametrize("verb", ["correct", "change", "retract"])
@pytest.mark.parametrize(
    ("kept", "description"),
    [
        ("Ben lives in Porto", "Ben lives in Rome"),
        ("Crumb keeps backups for 30 days", "Crumb keeps backups for 13 days"),
        ("the api listens on port 8080 now", "the api listens on port 80 now"),
        ("Ana drinks green tea in the morning", "Ben drinks green tea in the morning"),
    ],
)  # fmt: skip
def test_a_description_with_another_name_or_number_is_of_another_record(house, verb, kept, description):
    memory = house.memory()
    record = memory.remember(kept).record_id
    arguments = {"reason": "wrong"} if verb == "retract" else {"statement": "something else", "reason": "wrong"}
    with pytest.raises(firsthand.AbsentError) as caught:
        getattr(memory, verb)(target=description, **arguments)
    assert caught.value.code == "target_absent"
    assert memory.read(record).item.qualifier.code == "current"
    assert memory.retract(target=kept, reason="wrong").record_id == record


@pytest.mark.parametrize("verb", ["correct", "change", "retract"])
def test_a_description_that_fits_two_records_or_none_changes_nothing(house, verb):
    memory = house.memory()
    two = {memory.remember(f"The api of team {n} listens on port 80").record_id for n in ("red", "blue")}
    arguments = {"reason": "wrong"} if verb == "retract" else {"statement": "something else", "reason": "wrong"}
    before = house.counts()
    with pytest.raises(firsthand.ConflictError) as caught:
        getattr(memory, verb)(target="the api listens on port 80", **arguments)
    assert caught.value.code == "target_ambiguous"
    assert two <= set(caught.value.details["candidates"])
    with pytest.raises(firsthand.AbsentError) as caught:
        getattr(memory, verb)(target="zebra crossings", **arguments)
    assert caught.value.code == "target_absent"
    for both in ({}, {"record_id": min(two), "target": "x"}):
        with pytest.raises(firsthand.InvalidError, match="one of them"):
            getattr(memory, verb)(**both, **arguments)
    after = house.counts()
    assert after["entry"] == before["entry"]
    assert after["belief"] == before["belief"]


def test_an_episode_is_never_revised_and_says_what_to_do_instead(house):
    memory = house.memory()
    talk = memory.capture("Ana: hello")
    for revise in (
        lambda: memory.correct(talk.record_id, "Ana: goodbye", reason="x"),
        lambda: memory.change(talk.record_id, "Ana: goodbye", reason="x"),
        lambda: memory.support(talk.record_id, [cite(talk.record_id)], reason="x"),
    ):
        with pytest.raises(firsthand.FirsthandError) as caught:
            revise()
        assert caught.value.code in ("episode_immutable", "evidence_circular")
    with pytest.raises(firsthand.RefusedError, match="correct what cites it"):
        memory.correct(talk.record_id, "Ana: goodbye", reason="x")
    assert memory.read(talk.record_id).item.text == "Ana: hello"


def test_a_skill_and_a_task_are_revised_by_remembering_them_anew(house):
    memory = house.memory()
    skill, task = memory.remember(payload=SKILL), memory.remember(payload=TASK)
    with pytest.raises(firsthand.InvalidError, match="remembering it anew"):
        memory.correct(skill.record_id, "press the button", reason="simpler")
    with pytest.raises(firsthand.RefusedError, match="remember what holds instead"):
        memory.correct(task.record_id, "press the button", reason="simpler")
    assert memory.read(skill.record_id).item.payload.recipe[0].step == "make a new key"


def test_a_revision_of_stale_heads_is_a_conflict_that_names_the_present_ones(house):
    memory = house.memory()
    fact = claim(memory, "api", "port", 1)
    old = memory.read(fact.record_id).heads
    memory.correct(fact.record_id, object=2, reason="wrong", expected_heads=old)
    now = memory.read(fact.record_id).heads
    for revise in (
        lambda: memory.correct(fact.record_id, object=3, reason="wrong", expected_heads=old),
        lambda: memory.change(fact.record_id, object=3, reason="moved", expected_heads=old),
        lambda: memory.retract(fact.record_id, reason="wrong", expected_heads=list(old)),
    ):
        with pytest.raises(firsthand.ConflictError) as caught:
            revise()
        assert (caught.value.code, caught.value.next_action) == ("heads_stale", "refresh_and_retry")
        assert caught.value.details == {"heads": list(now)}
    assert memory.retract(fact.record_id, reason="wrong", expected_heads=now).outcome == "stored"


def test_many_threads_may_write_through_one_handle(house):
    memory = house.memory()
    receipts, errors = [], []

    def work(n):
        try:
            receipts.extend(memory.remember(f"worker {n} wrote line {i}") for i in range(5))
        except firsthand.FirsthandError as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert errors == []
    assert len({r.record_id for r in receipts}) == 20
    assert memory.stats().records["semantic"] == 20


def test_scopes_and_predicates_are_listed_as_far_as_they_may_be_read(house):
    memory, other = house.memory(), house.memory(scope="project:apollo")
    memory.capture("one")
    other.capture_many([{"text": "two"}, {"text": "three"}])
    assert [(s.scope, s.records) for s in memory.scopes()] == [("project:apollo", 2), ("project:orion", 1)]
    guest = house.memory(grant=firsthand.Grant(read=["project:orion"]))
    assert [s.scope for s in guest.scopes()] == ["project:orion"]
    known = {p.key: p for p in memory.predicates()}
    assert known["lives_in"].cardinality == "one"
    assert known["likes"].cardinality == "many"


def test_only_the_object_itself_is_rewritten_in_a_sentence(house):
    memory = house.memory()
    fact = memory.remember("v15 of the api takes 5 retries", subject="api", predicate="retries", object=5)
    memory.correct(fact.record_id, object=7, reason="counted again")
    assert memory.read(fact.record_id).item.text == "v15 of the api takes 7 retries"
    twice = memory.remember("tea, always tea", subject="Ana", predicate="drinks", object="tea")
    memory.correct(twice.record_id, object="coffee", reason="wrong cup")
    assert memory.read(twice.record_id).item.text == "Ana drinks coffee"


def test_a_record_that_was_revised_between_look_and_write_is_a_conflict(house, monkeypatch):
    memory, other = house.memory(), house.memory()
    fact = claim(memory, "api", "port", 1)
    gateway = memory._engine.gateway
    commit = gateway.commit

    def late(handle, writes):
        monkeypatch.setattr(gateway, "commit", commit)
        other.correct(fact.record_id, object=2, reason="first")
        return commit(handle, writes)

    monkeypatch.setattr(gateway, "commit", late)
    with pytest.raises(firsthand.ConflictError) as caught:
        memory.correct(fact.record_id, object=3, reason="second")
    assert (caught.value.code, caught.value.next_action) == ("record_changed", "refresh_and_retry")
    assert memory.read(fact.record_id).item.structure.object.value == 2


def test_a_change_from_one_value_of_many_ends_it_as_long_as_the_change_stands(house):
    memory = house.memory()
    tea = claim(memory, "Ana", "prefers", "tea")
    house.clock.pass_days(1)
    talk = memory.capture("Ana: coffee it is, from now on", speaker="Ana")
    house.clock.pass_days(1)
    coffee = memory.change(tea.record_id, object="coffee", evidence=[cite(talk.record_id)], reason="she said so")
    assert memory.read(tea.record_id).item.qualifier.code == "ended"
    assert current(memory, "what does Ana prefer?") == ["Ana prefers coffee"]
    memory.retract(talk.record_id, reason="that was somebody else")
    assert memory.read(coffee.record_id).item.status == "pending_evidence"
    assert memory.read(tea.record_id).item.qualifier.code == "current"
    assert memory.ledger.verify(deep=True).deep
    assert memory.ledger.rebuild().same


def test_a_description_may_name_one_side_of_a_dispute(house):
    ana, ben = house.memory("ana"), house.memory("ben")
    claim(ana, "api", "port", 8080)
    wrong = claim(ben, "api", "port", 9090)
    assert wrong.standing.status == "disputed"
    receipt = ben.retract(target="api port 9090", reason="another service")
    assert receipt.record_id == wrong.record_id
    assert texts(ana, "which port has the api?") == ["api port 8080"]


def test_a_change_cannot_end_a_value_before_it_began(house):
    memory = house.memory()
    red = claim(memory, "door", "status", "red", valid_from="2026-05-01")
    for since in ("2026-01-01", "2026-05-01"):
        with pytest.raises(firsthand.InvalidError) as caught:
            memory.change(red.record_id, object="blue", since=since, reason="painted")
        assert caught.value.code == "since_before_start"
    assert memory.change(red.record_id, object="blue", since="2026-06-01", reason="painted").outcome == "stored"


def test_a_corrected_claim_quotes_its_own_words_and_keeps_the_reason_apart(house):
    memory = house.memory()
    fact = memory.remember("auth uses PostgreSQL 16")
    memory.correct(fact.record_id, "auth uses PostgreSQL 15", reason="misread the ticket")
    (item,) = memory.recall("which database does auth use").items
    assert [c.quote for c in item.citations] == ["auth uses PostgreSQL 15"]
    assert "misread the ticket" in [e.reason for e in memory.history(fact.record_id).entries]


def test_words_put_together_from_a_claim_are_not_shown_as_a_quote(house):
    memory = house.memory()
    claim(memory, "api", "port", 8080)
    packet = memory.recall("which port has the api?")
    with contextlib.redirect_stdout(io.StringIO()) as paper:
        show.packet(packet)
    for drawn in (packet.render(), paper.getvalue()):
        assert "api port 8080" in drawn
        assert "— ana, 2026-03-01" in drawn
        assert '"api port' not in drawn
        assert "“api port" not in drawn
