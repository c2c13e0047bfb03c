"""What a user does to a belief that is wrong, doubtful, private or double, and what each receipt says of the rest."""

import pytest
from houses import DAY, claim, current, texts

import firsthand
from firsthand import cite
from firsthand.stored import body_of
from firsthand.veil import Veil


def effects(receipt):
    """What a receipt says it did to other records."""
    return {e.record_id: (e.what, e.supports) for e in receipt.affected}


def absent(memory, record_id):
    with pytest.raises(firsthand.AbsentError):
        memory.read(record_id)
    return True


# ---- withdraw and restore ----


def test_what_is_withdrawn_is_in_no_read_until_it_is_restored(house):
    memory = house.memory()
    fact = claim(memory, "api", "port", 8080)
    receipt = memory.withdraw(fact.record_id, reason="not for now")
    assert (receipt.standing.visibility, receipt.standing.hidden_reason) == ("hidden", "withdrawn")
    assert receipt.standing.status == "active", "whether it is shown is no question of truth"
    assert texts(memory, "api port") == []
    assert texts(memory, "api port", known_at=fact.known_at) == [], "time travel is no way around a lock"
    assert memory.list(kinds=["semantic"]).items == ()
    assert absent(memory, fact.record_id)
    back = memory.restore(fact.record_id, reason="fine again")
    assert back.standing.visibility == "visible"
    assert texts(memory, "api port") == ["api port 8080"]
    memory.ledger.verify(deep=True)


def test_a_restore_of_what_nobody_withdrew_is_refused(house):
    memory = house.memory()
    fact = claim(memory, "api", "port", 8080)
    with pytest.raises(firsthand.RefusedError) as caught:
        memory.restore(fact.record_id, reason="why not")
    assert caught.value.code == "nothing_withdrawn"
    memory.withdraw(fact.record_id, reason="x")
    with pytest.raises(firsthand.RefusedError) as caught:
        memory.withdraw(fact.record_id, reason="x")
    assert caught.value.code == "already_withdrawn"
    memory.restore(fact.record_id, reason="y")
    with pytest.raises(firsthand.RefusedError):
        memory.restore(fact.record_id, reason="y")


@pytest.mark.parametrize("field", ["expected_heads", "expected_visibility_heads"])
def test_a_decision_on_stale_heads_is_a_conflict(house, field):
    memory = house.memory()
    fact = claim(memory, "api", "port", 8080)
    seen = memory.read(fact.record_id)
    memory.withdraw(fact.record_id, reason="x", expected_heads=seen.heads, expected_visibility_heads=())
    memory.restore(fact.record_id, reason="y")
    memory.correct(fact.record_id, object=9090, reason="misread")
    stale = {"expected_heads": seen.heads, "expected_visibility_heads": ()}[field]
    with pytest.raises(firsthand.ConflictError) as caught:
        memory.withdraw(fact.record_id, reason="z", **{field: stale})
    assert (caught.value.code, caught.value.field) == ("heads_stale", field)


def test_a_correction_after_a_withdrawal_stays_hidden_and_a_successor_is_hidden_with_it(house):
    memory = house.memory()
    fact = claim(memory, "api", "port", 8080)
    memory.withdraw(fact.record_id, reason="not for now")
    memory.correct(fact.record_id, object=9090, reason="misread")
    assert texts(memory, "api port") == []
    following = memory.change(fact.record_id, object=7070, since=house.clock.at + DAY, reason="it moves")
    assert following.standing.visibility == "hidden"
    memory.restore(fact.record_id, reason="fine")
    assert set(texts(memory, "api port")) == {"api port 9090", "api port 7070"}


def test_who_may_not_know_of_a_withdrawn_record_cannot_restore_it(house):
    fact = claim(house.memory(), "api", "port", 8080)
    house.memory().withdraw(fact.record_id, reason="x")
    stranger = house.memory("ben", grant=firsthand.Grant())
    with pytest.raises(firsthand.AbsentError):
        stranger.restore(fact.record_id, reason="let me")
    with pytest.raises(firsthand.AbsentError):
        stranger.impact(fact.record_id)
    agent = house.agent(grant=firsthand.Grant())
    receipt = agent.restore(fact.record_id, reason="it is needed")
    assert (receipt.outcome, receipt.code) == ("proposed", "needs_person"), "what a person hid, a person shows"
    hers = house.memory(grant=firsthand.Grant())
    assert hers.restore(fact.record_id, reason="fine").standing.visibility == "visible"


# ---- reject and lift ----


def test_a_rejected_value_comes_back_from_nobody_until_a_person_lifts_it(house):
    memory = house.memory()
    fact = claim(memory, "api", "uses", "redis")
    rejection = memory.reject(fact.record_id, reason="never true")
    assert rejection.standing.status == "rejected"
    for who in (memory, house.memory("ben"), house.agent(), house.agent("ben")):
        for value in ("redis", "REDIS", "r\u200bedis"):
            receipt = claim(who, "api", "uses", value)
            assert (receipt.outcome, receipt.code) == ("refused", "tombstone_rejected")
    assert absent(memory, fact.record_id)
    neighbour = claim(memory, "api", "uses", "postgres")
    assert neighbour.outcome == "stored"
    with pytest.raises(firsthand.DeniedError):
        house.agent().lift(rejection.entry_id, reason="I think so")
    lifted = memory.lift(rejection.entry_id, reason="it came true")
    assert lifted.standing.status == "active"
    assert "api uses redis" in texts(memory, "api uses")
    with pytest.raises(firsthand.RefusedError):
        memory.lift(rejection.entry_id, reason="again")


def test_a_value_is_rejected_before_anybody_says_it(house):
    memory = house.memory()
    receipt = memory.reject(value={"subject": "api", "predicate": "uses", "object": "mongo"}, reason="a rumour")
    assert (receipt.outcome, receipt.record_id) == ("stored", None)
    assert claim(house.agent(), "API", "uses", "Mongo").code == "tombstone_rejected"
    plain = memory.reject(value="The api is on fire", reason="a joke")
    assert house.agent().remember("the API is on fire").code == "tombstone_rejected"
    with pytest.raises(firsthand.RefusedError) as caught:
        memory.reject(value="the api is on fire", reason="again")
    assert caught.value.details == {"rejection_id": plain.entry_id}
    memory.lift(plain.entry_id, reason="it was no joke")
    assert house.agent().remember("the API is on fire").outcome == "stored"


def test_an_agent_only_proposes_to_reject_even_its_owners_record(house):
    fact = claim(house.agent(), "api", "uses", "redis")
    receipt = house.agent().reject(fact.record_id, reason="I doubt it")
    assert (receipt.outcome, receipt.code, receipt.next_action) == ("proposed", "needs_person", "ask_person")
    assert texts(house.memory(), "api uses") == ["api uses redis"]


# ---- contest and settle ----


def test_a_contested_record_is_a_conflict_until_a_settle(house):
    memory, ben = house.memory(), house.memory("ben")
    fact = claim(memory, "api", "port", 8080)
    other = ben.remember("The port was measured as 9090")
    doubt = ben.contest(fact.record_id, reason="I saw another", against=other.record_id)
    assert doubt.standing.status == "disputed"
    packet = memory.recall("api port", kinds=["semantic"])
    assert "api port 8080" not in [i.text for i in packet.items]
    assert {"api port 8080"} <= {i.text for g in packet.conflicts for i in g.items}
    claim(house.agent(), "api", "port", 8080)
    assert memory.read(fact.record_id).item.status == "disputed", "a restatement settles nothing"
    settled = memory.settle(fact.record_id, reason="measured again")
    assert settled.standing.status == "active"
    assert current(memory, "api port")[0] == "api port 8080"
    with pytest.raises(firsthand.RefusedError):
        memory.settle(fact.record_id, reason="again")


def test_an_agent_settles_only_what_its_owner_contested(house):
    fact = claim(house.memory(), "api", "port", 8080)
    doubt = house.memory("ben").contest(fact.record_id, reason="no")
    assert house.agent().settle(fact.record_id, reason="yes").outcome == "proposed"
    assert house.agent("ben").settle(fact.record_id, contests=[doubt.entry_id], reason="well").outcome == "stored"
    with pytest.raises(firsthand.AbsentError):
        house.memory("ben").settle(fact.record_id, contests=[fact.entry_id], reason="well")


# ---- fork ----


def test_a_fork_holds_under_its_conditions_beside_what_it_was_forked_from(house):
    memory = house.memory()
    tea = claim(memory, "Ana", "prefers", "tea")
    receipt = memory.fork(tea.record_id, object="coffee", conditions={"place": "work"}, reason="she told me")
    assert receipt.record_id != tea.record_id
    assert set(current(memory, "what does Ana prefer")) == {"Ana prefers tea", "Ana prefers coffee"}
    at_work = memory.recall("what does Ana prefer", conditions={"place": "work"})
    assert "Ana prefers coffee" in [i.text for i in at_work.items]
    at_home = memory.recall("what does Ana prefer", conditions={"place": "home"}, kinds=["semantic"])
    assert [i.text for i in at_home.items] == ["Ana prefers tea"]
    for wrong in ({"conditions": {}}, {"conditions": {"place": "home"}, "object": None}):
        with pytest.raises(firsthand.InvalidError):
            memory.fork(tea.record_id, **{"object": "water", "reason": "x", **wrong})


# ---- merge ----


def test_of_two_that_say_the_same_one_survives_with_the_evidence_of_both(house):
    memory = house.memory()
    one = memory.capture("Ana: the deploy is on Friday at noon", speaker="Ana")
    two = memory.capture("Ben: deploy Friday, 12:00", speaker="Ben")
    first = memory.remember("The deploy is on Friday at noon", evidence=[cite(one.record_id)])
    second = memory.remember("The deploy is Friday 12:00", evidence=[cite(two.record_id)])
    merged = memory.merge([first.record_id, second.record_id], reason="the same")
    assert merged.record_id == first.record_id
    assert effects(merged) == {second.record_id: ("ended", 0)}
    assert texts(memory, "deploy Friday") == ["The deploy is on Friday at noon"]
    view = memory.read(first.record_id)
    assert {c.record_id for c in view.item.citations} == {one.record_id, two.record_id}
    gone = memory.read(second.record_id)
    assert gone.item.status == "superseded"
    assert memory.history(second.record_id).beliefs[-1].ended_by == merged.entry_id
    undone = memory.undo(merged.entry_id, reason="not the same")
    assert effects(undone) == {second.record_id: ("returned", 1)}
    assert set(texts(memory, "deploy Friday")) == {"The deploy is on Friday at noon", "The deploy is Friday 12:00"}
    memory.ledger.verify(deep=True)


def test_a_merge_of_two_values_of_one_slot_has_new_words_and_returns_the_old_ones_if_they_fall(house):
    memory, ben = house.memory(), house.memory("ben")
    first = claim(memory, "Ana", "lives_in", "Berlin")
    second = claim(ben, "Ana", "lives_in", "Berlin, Germany")
    assert second.standing.status == "disputed"
    merged = memory.merge([first.record_id, second.record_id], object="Berlin (Germany)", reason="one city")
    assert (merged.record_id, merged.standing.status) == (first.record_id, "active")
    assert current(memory, "where does Ana live") == ["Ana lives in Berlin (Germany)"]
    house.clock.pass_days(1)
    memory.undo(merged.entry_id, reason="no")
    assert {memory.read(r.record_id).item.status for r in (first, second)} == {"disputed"}


def test_what_is_hidden_or_does_not_hold_or_lives_elsewhere_is_not_merged(house):
    memory = house.memory()
    facts = [memory.remember(f"The deploy is on {day}") for day in ("Monday", "Tuesday", "Friday")]
    memory.withdraw(facts[0].record_id, reason="x")
    memory.retract(facts[1].record_id, reason="x")
    for index, error in ((0, "source_hidden"), (1, "nothing_to_revise")):
        with pytest.raises(firsthand.RefusedError) as caught:
            memory.merge([facts[2].record_id, facts[index].record_id], reason="the same")
        assert caught.value.code == error
    elsewhere = memory.at(scope="project:lynx").remember("The deploy is on Sunday")
    with pytest.raises(firsthand.InvalidError):
        memory.merge([facts[2].record_id, elsewhere.record_id], reason="the same")
    with pytest.raises(firsthand.InvalidError):
        memory.merge([facts[2].record_id] * 2, reason="the same")
    with pytest.raises(firsthand.InvalidError):
        memory.merge([f"r{n:040x}" for n in range(21)], reason="too many")


def test_an_agent_merges_into_what_was_said_and_proposes_new_words(house):
    agent = house.agent()
    facts = [agent.remember(f"The deploy is on {day}").record_id for day in ("Friday", "Friday at noon")]
    assert agent.merge(facts, "The deploy is on Sunday", reason="x").code == "needs_person"
    assert agent.merge(facts, reason="the same").outcome == "stored"
    mine = house.memory().remember("The deploy is on Friday, 12:00")
    assert house.agent("ben").merge([facts[0], mine.record_id], reason="x").code == "another_owners_record"


# ---- share ----


def shared(house):
    memory = house.memory()
    fact = claim(memory, "api", "port", 8080, sensitivity="medium")
    receipt = memory.share(fact.record_id, "team:web", reason="they ask")
    return memory, memory.at(scope="team:web"), fact, receipt


def test_a_linked_copy_is_read_in_the_other_scope(house):
    _, team, fact, receipt = shared(house)
    assert receipt.record_id != fact.record_id
    assert texts(team, "api port") == ["api port 8080"]
    assert team.read(receipt.record_id).item.sensitivity == "medium"
    team.classify(receipt.record_id, "public", reason="it is nothing")
    assert team.read(receipt.record_id).item.sensitivity == "medium", "never less than its original"


DEATHS = {
    "retract": lambda m, r: m.retract(r, reason="no"),
    "reject": lambda m, r: m.reject(r, reason="no"),
    "correct": lambda m, r: m.correct(r, object=9090, reason="no"),
    "withdraw": lambda m, r: m.withdraw(r, reason="no"),
}


@pytest.mark.parametrize("how", DEATHS)
def test_a_linked_copy_dies_with_its_original(house, how):
    memory, team, fact, receipt = shared(house)
    own = claim(team, "web", "port", 3000)
    told = DEATHS[how](memory, fact.record_id)
    assert receipt.record_id in {e.record_id for e in told.affected}
    assert texts(team, "api port") == ["web port 3000"]
    assert texts(team, "api port", known_at=own.known_at, include=["pending"])[:1] != [] or how != "correct"
    memory.undo(told.entry_id, reason="it was right")
    assert "api port 8080" in texts(team, "api port")
    memory.ledger.verify(deep=True)


FALCON = {"subject": "Falcon", "predicate": "port", "object": 8081}
SAYS_IT = "It is so because Falcon listens on port 8081."


def pair_in_the_way(house):
    """Two records that say the same, one of them in another scope too, where what they say is rejected."""
    memory, web = house.memory(), house.memory(scope="team:web")
    pair = [memory.remember(text).record_id for text in ("The gate is open at night", "At night the gate is open")]
    return memory, web, pair


CLAIMING = {
    "remember": lambda m, pair: m.remember("The gate stands open"),
    "correct": lambda m, pair: m.correct(pair[0], "The gate stands open", reason="x"),
    "change": lambda m, pair: m.change(pair[0], "The gate stands open", reason="x"),
    "fork": lambda m, pair: m.fork(pair[0], "The gate stands open", conditions={"when": "fog"}, reason="x"),
    "merge": lambda m, pair: m.merge(pair, "The gate stands open", reason="x"),
    "share": lambda m, pair: m.share(pair[0], "team:web", reason="x"),
}


@pytest.mark.parametrize("verb", CLAIMING)
def test_every_verb_that_claims_asks_for_the_very_words(house, verb):
    memory, web, pair = pair_in_the_way(house)
    said = "The gate is open at night" if verb == "share" else "The gate stands open"
    at = web if verb == "share" else memory
    # The sentence is known as that of a structured claim: its own value as a plain statement is another.
    known = at.remember(said, subject="gate", predicate="status", object="open")
    at.reject(known.record_id, reason="it never was")
    refused = CLAIMING[verb](memory, pair)
    assert (refused.outcome, refused.code) == ("refused", "tombstone_rejected")
    assert "The gate stands open" not in texts(memory, "gate") + texts(web, "gate")
    at.lift(memory.refusals().refusals[0].cause_entry, reason="let it be")
    assert CLAIMING[verb](memory, pair).outcome in ("stored", "reinforced")


REASONING = {
    "reject": lambda m, pair: m.reject(pair[0], reason=SAYS_IT),
    "merge": lambda m, pair: m.merge(pair, reason=SAYS_IT),
    "share": lambda m, pair: m.share(pair[0], "team:web", reason=SAYS_IT),
    "contest": lambda m, pair: m.contest(pair[0], reason=SAYS_IT),
    "retract": lambda m, pair: m.retract(pair[0], reason=SAYS_IT),
    "withdraw": lambda m, pair: m.withdraw(pair[0], reason=SAYS_IT),
    "classify": lambda m, pair: m.classify(pair[0], "high", reason=SAYS_IT),
}


@pytest.mark.parametrize("verb", REASONING)
def test_a_reason_that_says_what_was_rejected_is_masked(house, verb):
    memory, web, pair = pair_in_the_way(house)
    for at in (memory, web):
        at.reject(value=FALCON, reason="never that one")
    receipt = REASONING[verb](memory, pair)
    assert receipt.outcome in ("stored", "reinforced")
    with memory._engine.store.reading(memory.space) as at:
        (row,) = at.rows_of([receipt.entry_id]).values()
        shown = Veil(at, [receipt.entry_id]).body(receipt.entry_id, body_of(row))
    assert shown.reason.startswith("[rejected: ")
    assert "8081" not in shown.reason


def test_a_linked_copy_ends_with_its_original_and_comes_back_with_it(house):
    memory, team, fact, receipt = shared(house)
    changed = memory.change(fact.record_id, object=9090, reason="moved")
    assert receipt.record_id in {e.record_id for e in changed.affected}
    assert team.read(receipt.record_id).item.qualifier.code == "ended"
    memory.undo(changed.entry_id, reason="it never moved")
    assert team.read(receipt.record_id).item.qualifier.code == "current"
    memory.retract(memory.recall("api port").items[0].record_id, reason="x")
    memory.ledger.verify(deep=True)


def test_a_later_word_on_the_original_ends_its_copy(house):
    memory, team, _, receipt = shared(house)
    house.clock.at += 1_000_000
    claim(memory, "api", "port", 9090)
    assert team.read(receipt.record_id).item.qualifier.code == "ended"
    memory.ledger.verify(deep=True)


def test_a_linked_copy_is_contested_with_its_original_and_cites_its_speaker(house):
    memory, team, fact, receipt = shared(house)
    (cited,) = team.read(receipt.record_id).item.citations
    assert (cited.record_id, cited.speaker) == (fact.record_id, "ana")
    assert "unnamed speaker" not in team.recall("api port").render()
    assert [s.citation.speaker for s in team.read(receipt.record_id).supports] == ["ana"]
    memory.contest(fact.record_id, reason="is it?")
    assert team.read(receipt.record_id).item.status == "disputed"
    assert team.read(receipt.record_id).item.qualifier.code == memory.read(fact.record_id).item.qualifier.code
    memory.settle(fact.record_id, reason="it is")
    assert team.read(receipt.record_id).item.status == "active"
    memory.ledger.verify(deep=True)


def test_a_linked_copy_is_as_well_vouched_for_as_its_original(house):
    """Whoever shares it: a person's word stays a person's, and an agent's an agent's."""
    person, agent = house.memory(), house.agent("ana")
    for who, other, attested in ((person, agent, True), (agent, person, False)):
        fact = claim(who, "api", "host", f"h{int(attested)}")
        copy = other.share(fact.record_id, "team:web", reason="they ask").record_id
        assert [c.attested for c in who.read(fact.record_id).item.citations] == [attested]
        assert [c.attested for c in house.memory(scope="team:web").read(copy).item.citations] == [attested]


def test_the_speaker_of_an_original_is_told_to_who_may_read_it(house):
    memory = house.memory()
    talk = memory.capture("Our port is 8080, between us.", speaker="Cleo", sensitivity="high")
    fact = claim(memory, "api", "port", 8080, evidence=[firsthand.cite(talk.record_id)])
    memory.share(fact.record_id, "team:web", reason="they ask")
    sees = house.memory(scope="team:web", grant=firsthand.Grant(clearance="high"))
    assert [c.speaker for c in sees.recall("api port").items[0].citations] == ["Cleo"]
    outside = house.memory(scope="team:web", grant=firsthand.Grant(clearance="high", read={"team:web"}))
    assert [c.speaker for i in outside.recall("api port").items for c in i.citations] == []


def test_a_copy_that_is_said_there_too_stands_on_its_own(house):
    memory, team, fact, receipt = shared(house)
    own = claim(house.memory("ben", scope="team:web"), "api", "port", 8080)
    assert own.record_id == receipt.record_id
    assert effects(memory.retract(fact.record_id, reason="no"))[receipt.record_id] == ("stood", 1)
    assert texts(team, "api port") == ["api port 8080"]


def test_what_was_withdrawn_and_restored_is_shared_and_merged_in_view(house):
    memory = house.memory()
    fact = claim(memory, "api", "port", 8080)
    memory.withdraw(fact.record_id, reason="x")
    memory.restore(fact.record_id, reason="y")
    copy = memory.share(fact.record_id, "team:web", reason="they ask")
    assert copy.standing.visibility == "visible"
    pair = [memory.remember(text).record_id for text in ("The deploy is on Friday", "The deploy is Friday")]
    memory.withdraw(pair[1], reason="x")
    memory.restore(pair[1], reason="y")
    assert memory.merge(pair, reason="the same").standing.visibility == "visible"


def test_a_copy_is_shared_from_its_original(house):
    _, team, _, copy = shared(house)
    with pytest.raises(firsthand.RefusedError) as caught:
        team.share(copy.record_id, "team:ops", reason="x")
    assert caught.value.code == "share_of_copy"


def test_sharing_needs_both_scopes(house):
    fact = claim(house.memory(), "api", "port", 8080)
    narrow = house.memory(grant=firsthand.Grant(read={"project:orion"}, write={"project:orion"}))
    with pytest.raises(firsthand.DeniedError):
        narrow.share(fact.record_id, "team:web", reason="x")
    with pytest.raises(firsthand.InvalidError):
        narrow.share(fact.record_id, "project:orion", reason="x")
    assert house.agent("ben").share(fact.record_id, "team:web", reason="x").outcome == "proposed"


# ---- forget, impact, undo ----


@pytest.mark.parametrize(
    ("because", "status", "visibility"),
    [("wrong", "retracted", "visible"), ("outdated", "active", "visible"), ("private", "active", "hidden"),
     ("never_again", "rejected", "visible")],
)  # fmt: skip
def test_forgetting_is_what_the_reason_asks_for(house, because, status, visibility):
    memory = house.memory()
    fact = claim(memory, "api", "port", 8080)
    house.clock.pass_days(1)
    receipt = memory.forget(fact.record_id, because=because)
    assert (receipt.standing.status, receipt.standing.visibility) == (status, visibility)
    assert current(memory, "api port") == []
    with pytest.raises(firsthand.InvalidError):
        memory.forget(fact.record_id, because="bored")


def resting(house):
    """A source, a claim on it alone, a claim on it and another, and a claim that rests on the first claim."""
    memory = house.memory()
    talk = memory.capture("Ana: the api is on 8080 and uses redis", speaker="Ana")
    more = house.memory("ben").capture("Ben: the api uses redis", speaker="Ben")
    alone = claim(memory, "api", "port", 8080, evidence=[cite(talk.record_id, quote="8080")])
    both = claim(memory, "api", "uses", "redis", evidence=[cite(talk.record_id, quote="uses redis")])
    house.memory("ben").support(both.record_id, [cite(more.record_id, quote="uses redis")], reason="I saw it")
    above = memory.remember("The firewall opens 8080", evidence=[cite(alone.record_id)])
    return memory, talk, alone, both, above


def test_impact_says_what_would_fall_and_changes_nothing(house):
    memory, talk, alone, both, above = resting(house)
    before = house.counts()
    told = memory.impact(talk.record_id)
    assert house.counts() == before
    assert {e.record_id: (e.what, e.independent) for e in told.retracted} == {
        alone.record_id: ("fell", 0), both.record_id: ("stood", 1), above.record_id: ("fell", 0)
    }  # fmt: skip
    assert {e.what for e in told.withdrawn} == {"stood"}
    assert {e.record_id: e.what for e in told.erased} == {
        alone.record_id: "fell", both.record_id: "stood", above.record_id: "fell"
    }  # fmt: skip
    receipt = memory.retract(talk.record_id, reason="misheard")
    assert {e.record_id: e.what for e in receipt.affected} == {e.record_id: e.what for e in told.retracted}
    back = memory.undo(receipt.entry_id, reason="it was heard well")
    assert {e.what for e in back.affected} == {"returned", "changed"}
    assert memory.read(above.record_id).item.status == "active"
    memory.ledger.verify(deep=True)


def test_who_may_not_see_a_dependant_is_told_nothing_of_it(house):
    memory, talk, alone, both, above = resting(house)
    memory.classify(alone.record_id, "hyper", reason="secret")
    low = house.memory(grant=firsthand.Grant(clearance="low"))
    assert {e.record_id for e in low.impact(talk.record_id).retracted} == {both.record_id}
    assert {e.record_id for e in low.retract(talk.record_id, reason="no").affected} == {both.record_id}
    assert above.record_id != alone.record_id


UNDOABLE = {
    "correct": lambda m, r: m.correct(r, object=9090, reason="x"),
    "change": lambda m, r: m.change(r, object=9090, reason="x"),
    "end": lambda m, r: m.change(r, reason="x"),
    "retract": lambda m, r: m.retract(r, reason="x"),
    "withdraw": lambda m, r: m.withdraw(r, reason="x"),
    "reject": lambda m, r: m.reject(r, reason="x"),
    "contest": lambda m, r: m.contest(r, reason="x"),
    "fork": lambda m, r: m.fork(r, object=9090, conditions={"env": "test"}, reason="x"),
}


@pytest.mark.parametrize("verb", UNDOABLE)
def test_a_person_undoes_an_outcome_and_what_was_believed_is_believed_again(house, verb):
    memory = house.memory()
    fact = claim(memory, "api", "port", 8080)
    house.clock.pass_days(1)
    done = UNDOABLE[verb](memory, fact.record_id)
    house.clock.pass_days(1)
    memory.undo(done.entry_id, reason="that was wrong")
    assert current(memory, "api port") == ["api port 8080"]
    with pytest.raises(firsthand.FirsthandError) as caught:
        memory.undo(done.entry_id, reason="again")
    assert caught.value.category in ("refused", "conflict")
    memory.ledger.verify(deep=True)


def test_what_has_no_opposite_is_refused_and_an_agent_undoes_only_its_own(house):
    memory, agent = house.memory(), house.agent()
    fact = claim(memory, "api", "port", 8080)
    with pytest.raises(firsthand.RefusedError) as caught:
        memory.undo(fact.entry_id, reason="x")
    assert caught.value.code == "no_opposite"
    hidden = memory.withdraw(fact.record_id, reason="x")
    assert agent.undo(hidden.entry_id, reason="x").outcome == "proposed"
    memory.undo(hidden.entry_id, reason="x")
    own = claim(agent, "api", "uses", "redis")
    done = agent.correct(own.record_id, object="kafka", reason="misread")
    agent.undo(done.entry_id, reason="read well")
    assert "api uses redis" in current(memory, "api uses")
    assert agent.undo(agent.retract(own.record_id, reason="x").entry_id, reason="y").code == "needs_person"
    with pytest.raises(firsthand.AbsentError):
        house.memory("ben", grant=firsthand.Grant(read={"team:x"}, write={"team:x"}), scope="team:x").undo(
            fact.entry_id, reason="x"
        )


# ---- all of them ----

VERBS = {**UNDOABLE, "share": lambda m, r: m.share(r, "team:web", reason="x"),
         "settle": lambda m, r: m.settle(r, reason="x")}  # fmt: skip


@pytest.mark.parametrize("verb", [v for v in VERBS if v not in ("settle", "reject")])
def test_on_another_owners_record_an_agent_only_proposes(house, verb):
    fact = claim(house.memory(), "api", "port", 8080)
    before = house.counts()["belief"]
    receipt = VERBS[verb](house.agent("ben"), fact.record_id)
    assert (receipt.outcome, receipt.code) == ("proposed", "another_owners_record")
    assert house.counts()["belief"] == before


@pytest.mark.parametrize("verb", ["withdraw", "reject", "contest", "retract", "share"])
def test_a_record_is_named_by_a_description(house, verb):
    memory = house.memory()
    fact = claim(memory, "api", "port", 8080)
    claim(memory, "web", "port", 3000)
    more = {"scope": "team:web"} if verb == "share" else {}
    receipt = getattr(memory, verb)(target="the api port 8080", reason="x", **more)
    entry = memory.history(fact.record_id).entries[-1] if verb in ("contest", "retract") else None
    assert receipt.outcome == "stored"
    assert entry is None or entry.entry_id == receipt.entry_id


@pytest.mark.parametrize("verb", [*[v for v in VERBS if v != "settle"], "forget"])
def test_the_same_request_again_gets_the_first_receipt(house, verb):
    memory = house.memory()
    fact = claim(memory, "api", "port", 8080)
    call = {
        "withdraw": lambda: memory.withdraw(fact.record_id, reason="x", idempotency_key="k"),
        "forget": lambda: memory.forget(fact.record_id, because="private", idempotency_key="k"),
        "share": lambda: memory.share(fact.record_id, "team:web", reason="x", idempotency_key="k"),
        "fork": lambda: memory.fork(fact.record_id, object=1, conditions={"a": 1}, reason="x", idempotency_key="k"),
        "contest": lambda: memory.contest(fact.record_id, reason="x", idempotency_key="k"),
        "reject": lambda: memory.reject(fact.record_id, reason="x", idempotency_key="k"),
        "retract": lambda: memory.retract(fact.record_id, reason="x", idempotency_key="k"),
    }.get(verb, lambda: memory.correct(fact.record_id, object=1, reason="x", idempotency_key="k"))
    first = call()
    before = house.counts()
    again = call()
    assert (again.entry_id, again.replayed) == (first.entry_id, True)
    assert house.counts() == before
