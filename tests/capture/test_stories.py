"""Everyday stories, as people would tell them."""

from houses import DAY, START, claim, current, texts

import firsthand
from firsthand import cite


def test_ana_moves_to_another_city_and_her_old_address_stays_true_of_its_time(house):
    memory = house.memory()
    old = claim(memory, "Ana", "lives_in", "Berlin")
    house.clock.pass_days(20)
    memory.capture("Ana: I moved to Lisbon last week!", speaker="Ana")
    new = claim(memory, "Ana", "lives_in", "Lisbon")
    assert new.conflicts == ()
    assert current(memory, "where does Ana live?") == ["Ana lives in Lisbon"]
    items = {i.record_id: i for i in memory.recall("where does Ana live?", kinds=["semantic"]).items}
    assert items[old.record_id].qualifier.code == "ended"
    assert texts(memory, "Ana lives", valid_at=START + DAY) == ["Ana lives in Berlin"]


def test_a_preference_with_an_exception_keeps_both(house):
    memory = house.memory(scope="user:ana")
    tea = claim(memory, "Ana", "prefers", "tea")
    coffee = claim(memory, "Ana", "prefers", "coffee", conditions={"place": "airport"})
    assert coffee.conflicts == ()
    assert coffee.record_id != tea.record_id
    assert sorted(texts(memory, "what does Ana prefer?")) == ["Ana prefers coffee", "Ana prefers tea"]
    met = memory.recall("what does Ana prefer?", kinds=["semantic"], conditions={"place": "airport"}).items
    assert met[0].text == "Ana prefers coffee"
    unmet = memory.recall("what does Ana prefer?", kinds=["semantic"], conditions={"place": "home"}).items
    assert unmet[0].text == "Ana prefers tea"


def test_a_conditional_preference_changes_without_touching_the_general_one(house):
    memory = house.memory(scope="user:ana")
    tea = claim(memory, "Ana", "prefers", "tea")
    coffee = claim(memory, "Ana", "prefers", "coffee", conditions={"place": "airport"})
    house.clock.pass_days(1)
    water = memory.change(coffee.record_id, object="water", reason="the coffee there is bad")
    assert current(memory, "what does Ana prefer?", conditions={"place": "airport"}) == [
        "Ana prefers water", "Ana prefers tea"
    ]  # fmt: skip
    assert memory.read(water.record_id).item.structure.conditions == {"place": "airport"}
    assert memory.read(tea.record_id).item.valid_to is None


def test_a_bare_name_that_two_people_share_waits_for_review_and_closes_nothing(house):
    memory = house.memory()
    cook = claim(memory, "Sam", "works_as", "cook")
    (first,) = memory.list(kinds=["entity"]).items
    second = memory.remember(
        payload={"kind": "entity", "canonical_name": "Sam", "summary": "the pilot", "distinct_from": [first.record_id]}
    )
    assert second.record_id != first.record_id
    house.clock.pass_days(1)
    told = claim(memory, "Sam", "works_as", "pilot")
    assert (told.outcome, told.standing.status) == ("stored", "needs_review")
    assert {(c.code, c.record_id) for c in told.conflicts} == {
        ("ambiguous", first.record_id), ("ambiguous", second.record_id)
    }  # fmt: skip
    assert memory.read(cook.record_id).item.status == "active"
    assert memory.read(cook.record_id).item.valid_to is None
    assert current(memory, "what is Sam's job?") == ["Sam works as cook"]


def test_a_third_sam_is_not_made_by_accident(house):
    memory = house.memory()
    first = memory.remember(payload={"kind": "entity", "canonical_name": "Sam"})
    second = memory.remember(
        payload={"kind": "entity", "canonical_name": "Sam", "distinct_from": [first.record_id],
                 "identifiers": [{"namespace": "mail", "value": "sam@example.org"}]}
    )  # fmt: skip
    try:
        memory.remember(payload={"kind": "entity", "canonical_name": "Sam", "summary": "which one?"})
    except firsthand.ConflictError as error:
        told = error
    assert (told.code, told.next_action) == ("entity_ambiguous", "fix_and_resubmit")
    assert set(told.details["candidates"]) == {first.record_id, second.record_id}
    by_mail = memory.remember(
        payload={"kind": "entity", "canonical_name": "Sam", "summary": "the pilot",
                 "identifiers": [{"namespace": "mail", "value": "sam@example.org"}]}
    )  # fmt: skip
    by_difference = memory.remember(
        payload={"kind": "entity", "canonical_name": "Sam", "summary": "the cook", "distinct_from": [second.record_id]}
    )
    assert (by_mail.record_id, by_difference.record_id) == (second.record_id, first.record_id)
    assert len(memory.list(kinds=["entity"]).items) == 2


def test_a_guess_is_a_candidate_until_somebody_says_it(house):
    agent = house.agent()
    guess = claim(agent, "deploy", "uses", "helm", basis="inferred")
    assert (guess.standing.tier, guess.standing.status) == ("candidate", "pending_evidence")
    assert texts(agent, "what does deploy use?") == []
    assert texts(agent, "what does deploy use?", include=["candidates"]) == ["deploy uses helm"]
    house.clock.pass_days(1)
    said = claim(house.memory(), "deploy", "uses", "helm")
    assert (said.outcome, said.record_id) == ("reinforced", guess.record_id)
    assert said.standing.tier == "validated_claim"
    assert texts(agent, "what does deploy use?") == ["deploy uses helm"]


def test_a_deadline_slips_twice_told_by_the_same_agent_in_new_sessions(house):
    for session, day in (("s1", "2026-04-10"), ("s2", "2026-04-20"), ("s3", "2026-05-01")):
        agent = house.agent(session=session)
        told = claim(agent, "launch", "deadline", day)
        assert told.standing.status == "active"
        assert told.conflicts == ()
        assert current(agent, "when is the launch deadline?") == [f"launch deadline {day}"]
        house.clock.pass_days(7)
    history = [b.text for b in agent.history(told.record_id).beliefs]
    assert set(history) == {"launch deadline 2026-05-01"}
    assert texts(agent, "launch deadline", valid_at=START + 10 * DAY) == ["launch deadline 2026-04-20"]


def test_a_port_changes_and_changes_back_in_one_record_with_two_windows(house):
    memory = house.memory()
    first = claim(memory, "api", "port", 8080)
    house.clock.pass_days(10)
    claim(memory, "api", "port", 9090)
    house.clock.pass_days(10)
    back = claim(memory, "api", "port", "8080")
    assert (back.outcome, back.record_id) == ("reinforced", first.record_id)
    now = [b for b in memory.history(first.record_id).beliefs if b.known_to is None]
    windows = sorted((b.valid_from or 0, b.valid_to or 0) for b in now)
    assert len(windows) == 2
    assert windows[0][1] < windows[1][0]
    for day, port in ((5, 8080), (15, 9090), (25, 8080)):
        assert texts(memory, "api port", valid_at=START + day * DAY) == [f"api port {port}"]
    assert current(memory, "which port has the api?") == ["api port 8080"]


def test_an_old_chat_imported_late_takes_its_place_in_the_past(house):
    memory = house.memory()
    claim(memory, "Ana", "lives_in", "Lisbon")
    old = memory.capture(
        "Ana: I live in Berlin.", speaker="Ana", occurred_at="2024-01-05T10:00Z", imported=True, source_id="chat-1"
    )
    told = claim(memory, "Ana", "lives_in", "Berlin", evidence=[cite(old.record_id, quote="I live in Berlin")])
    assert told.conflicts == ()
    assert current(memory, "where does Ana live?") == ["Ana lives in Lisbon"]
    assert texts(memory, "Ana lives", valid_at="2025-01-01") == ["Ana lives in Berlin"]


def test_a_typo_fixed_leaves_no_tombstone(house):
    memory, agent = house.memory(), house.agent()
    fact = memory.remember("Ana livs in Berlin", subject="Ana", predicate="lives_in", object="Berlin")
    fixed = memory.correct(fact.record_id, "Ana lives in Berlin", reason="typo")
    assert fixed.record_id == fact.record_id
    assert memory.read(fact.record_id).item.text == "Ana lives in Berlin"
    assert claim(agent, "Ana", "lives_in", "Berlin").outcome == "reinforced"
    memory.correct(fact.record_id, object="Bonn", reason="another city")
    assert claim(agent, "Ana", "lives_in", "Berlin").outcome == "refused"


def test_a_team_fact_that_a_member_contradicts_is_disputed_and_the_receipt_says_so(house):
    ana, ben = house.memory("ana"), house.memory("ben")
    fact = claim(ana, "api", "port", 8080)
    house.clock.pass_days(1)
    other = claim(ben, "api", "port", 9090)
    assert (other.outcome, other.standing.status) == ("stored", "disputed")
    (met,) = other.conflicts
    assert (met.code, met.record_id, met.text) == ("disputed", fact.record_id, "api port 8080")
    assert {"correct", "retract"} <= set(met.settle_with)
    packet = ana.recall("which port has the api?", kinds=["semantic"])
    assert packet.items == ()
    assert {i.text for g in packet.conflicts for i in g.items} == {"api port 8080", "api port 9090"}
    ben.retract(other.record_id, reason="I looked at the wrong service")
    assert texts(ana, "which port has the api?") == ["api port 8080"]


def test_an_agent_that_contradicts_a_person_waits_for_review(house):
    ana = house.memory("ana")
    fact = claim(ana, "api", "port", 8080)
    told = claim(house.agent("ben"), "api", "port", 9090)
    assert told.standing.status == "needs_review"
    assert [(c.code, c.record_id) for c in told.conflicts] == [("challenged", fact.record_id)]
    assert texts(ana, "which port has the api?") == ["api port 8080"]


def test_what_a_second_person_also_said_outlives_a_retraction_and_the_receipt_names_her(house):
    ana, ben = house.memory("ana"), house.memory("ben")
    fact = claim(ana, "api", "uses", "redis")
    claim(ben, "api", "uses", "redis")
    house.clock.pass_days(1)
    taken = ana.retract(fact.record_id, reason="I am not sure any more")
    assert taken.standing.status == "active"
    (met,) = taken.conflicts
    assert (met.code, met.record_id, met.text) == ("also_said_by", fact.record_id, "ben: api uses redis")
    assert texts(ana, "what does the api use?") == ["api uses redis"]
    alone = claim(ana, "api", "uses", "kafka")
    assert ana.retract(alone.record_id, reason="no").conflicts == ()


def a_retracted_fact(house):
    ana = house.memory("ana")
    fact = claim(ana, "api", "uses", "redis")
    house.clock.pass_days(1)
    ana.retract(fact.record_id, reason="it never did")
    house.clock.pass_days(1)
    return ana


def test_a_retracted_fact_is_refused_from_her_own_agent_without_a_trace_of_its_words(house):
    ana = a_retracted_fact(house)
    before = house.counts()
    told = house.agent().remember("REDIS is what the api uses!", subject="API", predicate="uses", object="Redis")
    assert (told.outcome, told.code, told.record_id, told.entry_id) == ("refused", "tombstone_retracted", None, None)
    assert told.next_action == "ask_person"
    after = house.counts()
    assert after["refusal"] == before["refusal"] + 1
    assert after["belief"] == before["belief"]
    assert b"REDIS is what" not in house.raw_bytes()
    assert b"api uses redis" in house.raw_bytes()
    assert texts(ana, "what does the api use?") == []


def test_a_refused_claim_leaves_not_even_its_subject_behind(house):
    ana = house.memory("ana")
    plain = ana.remember("The zeppelin is blue")
    ana.retract(plain.record_id, reason="wrong")
    agent = house.agent()
    assert agent.remember("the zeppelin is BLUE").outcome == "refused"
    memory = house.memory("ana", scope="space:")
    everywhere = claim(memory, "zeppelin", "colour", "blue")
    memory.retract(everywhere.record_id, reason="wrong")
    before = len(agent.list(kinds=["entity"]).items)
    assert claim(agent, "zeppelin", "colour", "blue").outcome == "refused"
    assert len(agent.list(kinds=["entity"]).items) == before
    assert claim(agent, "zeppelin", "colour", "red").outcome == "stored"
    assert len(agent.list(kinds=["entity"]).items) == before + 1


def test_a_retracted_fact_is_refused_from_an_import(house):
    ana = a_retracted_fact(house)
    old = ana.capture("Ana: api uses redis", speaker="Ana", occurred_at="2026-02-01T10:00Z", imported=True)
    cited = [cite(old.record_id, quote="api uses redis")]
    assert claim(house.agent(), "api", "uses", "redis", evidence=cited).code == "tombstone_retracted"
    assert claim(ana, "api", "uses", "redis", evidence=cited).code == "tombstone_retracted"
    assert texts(ana, "what does the api use?") == []


def test_a_retracted_fact_is_accepted_from_the_person_herself_and_then_from_her_agent(house):
    ana = a_retracted_fact(house)
    again = claim(ana, "api", "uses", "redis")
    assert again.outcome == "reinforced"
    assert again.standing.status == "active"
    assert claim(house.agent(), "api", "uses", "redis").outcome == "reinforced"
    assert texts(ana, "what does the api use?") == ["api uses redis"]


def test_a_retracted_fact_is_accepted_from_an_independent_person(house):
    ana = a_retracted_fact(house)
    told = claim(house.memory("ben"), "api", "uses", "redis")
    assert told.standing.status == "active"
    assert texts(ana, "what does the api use?") == ["api uses redis"]
    assert claim(house.agent("ana"), "api", "uses", "redis").outcome == "refused"


def test_a_corrected_value_from_another_owners_agent_waits_until_a_person_says_so(house):
    ana, stranger = house.memory("ana"), house.agent("ben")
    door = claim(ana, "door", "painted colour", "red")
    ana.correct(door.record_id, object="green", reason="misread")
    house.clock.pass_days(1)
    told = claim(stranger, "door", "painted colour", "red")
    assert (told.outcome, told.standing.status) == ("reinforced", "needs_review")
    assert texts(ana, "which colour is the door?") == ["door painted colour green"]
    assert sorted(texts(ana, "which colour is the door?", include=["needs_review"])) == [
        "door painted colour green", "door painted colour red"
    ]  # fmt: skip
    assert ana.ledger.verify(deep=True).deep
    assert claim(house.memory("ben"), "door", "painted colour", "red").standing.status == "active"
    assert claim(stranger, "door", "painted colour", "red").standing.status == "active"


def test_an_agent_may_correct_back_its_own_correction_and_no_more(house):
    agent = house.agent()
    fact = claim(agent, "api", "port", 8080)
    agent.correct(fact.record_id, object=9090, reason="misread")
    house.clock.pass_days(1)
    assert claim(agent, "api", "port", 8080).outcome == "refused"
    back = agent.correct(fact.record_id, object=8080, reason="read it right the first time")
    assert back.outcome in ("stored", "reinforced")
    assert texts(agent, "which port has the api?") == ["api port 8080"]
