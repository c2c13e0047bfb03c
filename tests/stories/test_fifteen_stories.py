"""Fifteen everyday stories, told to the end: what a packet then shows, says, and must not say.

Each is written as somebody would tell it, and reads from top to bottom.
"""

from __future__ import annotations

from telling import Story, everywhere, in_conflict, now, one, shown

from firsthand import cite
from firsthand.vocabulary.instants import to_micros


def test_1_ana_moves_to_another_city(story: Story) -> None:
    ana = story.person("ana")
    berlin = ana.remember(subject="Ana", predicate="lives_in", object="Berlin", valid_from="2020-01-01")

    story.calendar.on("2026-05-02")
    ana.remember("Ana moved to Lisbon", subject="Ana", predicate="lives_in", object="Lisbon", valid_from="2026-05-01")

    # The new city is the answer; the old one follows, with its end.
    packet = ana.recall("where does Ana live?")
    assert list(shown(packet).items()) == [
        ("Ana moved to Lisbon", "current"),
        ("Ana lives in Berlin", "true until 2026-05-01"),
    ]
    assert packet.items[0].valid_from == to_micros("2026-05-01", "day")
    assert packet.conflicts == ()

    # What was true then, and what was believed then, are still answered.
    assert now(ana.recall("where does Ana live?", valid_at="2022-06-01")) == ["Ana lives in Berlin"]
    assert shown(ana.recall("where does Ana live?", known_at=berlin.known_at)) == {"Ana lives in Berlin": "current"}


def test_2_a_preference_has_an_exception(story: Story) -> None:
    ana = story.person("ana")
    ana.remember("Ana prefers tabs", subject="Ana", predicate="prefers", object="tabs")
    spaces = ana.remember(
        "Ana prefers spaces in Python",
        subject="Ana",
        predicate="prefers",
        object="spaces",
        conditions={"language": "python"},
    )
    assert spaces.record_id is not None
    question = "does Ana prefer tabs or spaces?"

    # In Python the exception comes first; in Go it does not come at all.
    assert [item.text for item in ana.recall(question, conditions={"language": "python"}).items] == [
        "Ana prefers spaces in Python",
        "Ana prefers tabs",
    ]
    assert [item.text for item in ana.recall(question, conditions={"language": "go"}).items] == ["Ana prefers tabs"]

    # The rule says that it has an exception, unless that is ruled out.
    default = one(ana.recall(question), "Ana prefers tabs").qualifier
    assert default.text == f"default, except on language = python (see {spaces.record_id[:9]})"
    assert default.text in everywhere(ana.recall(question))
    assert shown(ana.recall(question, conditions={"language": "go"})) == {"Ana prefers tabs": "current"}

    # Where the language is not known, the exception says on what it depends.
    unsure = one(ana.recall(question), "Ana prefers spaces in Python").qualifier
    assert (unsure.unmet, unsure.conditions) == (("language",), {"language": "python"})
    assert "not known whether that holds" in unsure.text


def test_3_two_people_are_called_sam(story: Story) -> None:
    ana = story.person("ana")
    cook = ana.remember(payload={"kind": "entity", "canonical_name": "Sam", "summary": "the cook"})
    ana.remember(subject="Sam", predicate="works_as", object="cook")
    pilot = ana.remember(
        payload={
            "kind": "entity",
            "canonical_name": "Sam",
            "summary": "the pilot",
            "distinct_from": [cook.record_id],
            "aliases": [{"value": "Captain Sam", "kind": "alias"}],
        }
    )

    # A bare "Sam" could be either: the claim waits, and the receipt names both.
    unclear = ana.remember(subject="Sam", predicate="works_as", object="pilot")
    assert unclear.standing is not None
    assert unclear.standing.status == "needs_review"
    assert {c.record_id for c in unclear.conflicts} == {cook.record_id, pilot.record_id}

    # Nobody's cook becomes a pilot by it.
    packet = ana.recall("what does Sam work as?")
    assert shown(packet) == {"Sam works as cook": "current"}
    assert packet.conflicts == ()

    # Under a name that only one of them has, it is clear.
    clear = ana.remember(subject="Captain Sam", predicate="works_as", object="pilot")
    assert clear.standing is not None
    assert clear.standing.status == "active"
    assert set(now(ana.recall("what does Sam work as?"))) == {"Sam works as cook", "Captain Sam works as pilot"}


def test_4_a_guess_is_confirmed_later(story: Story) -> None:
    ana, agent = story.person("ana"), story.agent("ana")
    guess = agent.remember("Ben is the tech lead", basis="inferred")

    # A guess answers nobody, unless guesses are asked for; then it says what it is.
    assert agent.recall("who is the tech lead?").items == ()
    (item,) = agent.recall("who is the tech lead?", include=["candidates"]).items
    assert (item.record_id, item.tier, item.qualifier.code) == (guess.record_id, "candidate", "candidate")

    story.calendar.days_pass(2)
    said = ana.remember("Ben is the tech lead")

    # It is the same record, now believed, and it rests on the words of both.
    assert (said.outcome, said.record_id) == ("reinforced", guess.record_id)
    item = one(agent.recall("who is the tech lead?"), "Ben is the tech lead")
    assert (item.tier, item.qualifier.code) == ("validated_claim", "current")
    assert "ana" in everywhere(agent.recall("who is the tech lead?"))


def test_5_a_deadline_slips_twice_told_by_an_agent_in_new_sessions(story: Story) -> None:
    for session, deadline in (("monday", "2026-04-10"), ("friday", "2026-04-20"), ("later", "2026-05-01")):
        told = story.agent("ana", session=session).remember(subject="launch", predicate="deadline", object=deadline)
        # Its own earlier word is no contradiction.
        assert told.conflicts == ()
        story.calendar.days_pass(5)

    packet = story.person("ana").recall("when is the launch deadline?")
    assert now(packet) == ["launch deadline 2026-05-01"]
    assert packet.conflicts == ()
    ended = {text: words for text, words in shown(packet).items() if text not in now(packet)}
    assert set(ended) == {"launch deadline 2026-04-10", "launch deadline 2026-04-20"}
    assert all(words.startswith("true until ") for words in ended.values())


def test_6_a_port_changes_and_changes_back(story: Story) -> None:
    ana = story.person("ana")
    first = ana.remember(subject="api", predicate="port", object=8080)
    story.calendar.on("2026-04-01")
    ana.change(first.record_id, object=9090, since="2026-04-01", reason="8080 is taken by the proxy")
    assert now(ana.recall("which port does the api have?")) == ["api port 9090"]

    story.calendar.on("2026-05-01")
    back = ana.change(target="api port 9090", object=8080, since="2026-05-01", reason="the proxy is gone")

    # An ended value may return: it is the first record again, with two stretches of time.
    assert back.record_id == first.record_id
    assert now(ana.recall("which port does the api have?")) == ["api port 8080"]
    for day, port in (("2026-03-15", 8080), ("2026-04-15", 9090), ("2026-05-02", 8080)):
        assert now(ana.recall("which port does the api have?", valid_at=day)) == [f"api port {port}"]


def test_7_it_is_taken_back_and_then_mentioned_again_by_the_user(story: Story) -> None:
    ana, agent = story.person("ana"), story.agent("ana")
    talk = ana.capture("By the way, I play the cello on Sundays.", speaker="Ana", occurred_at="2026-03-01T09:00Z")
    played = [cite(talk.record_id, quote="I play the cello")]
    fact = agent.remember("Ana plays the cello", evidence=played)
    story.calendar.days_pass(1)
    ana.retract(fact.record_id, reason="forget it, that was years ago")

    # It is gone, and the old words do not bring it back.
    assert "Ana plays the cello" not in shown(ana.recall("does Ana play the cello?"))
    again = agent.remember("Ana plays the cello", evidence=played)
    assert (again.outcome, again.code) == ("refused", "tombstone_retracted")
    assert "Ana plays the cello" not in everywhere(ana.recall("what does Ana play?"))

    # Her own new word does.
    story.calendar.days_pass(7)
    ana.remember("Ana plays the cello")
    assert now(ana.recall("what does Ana play?", kinds=["semantic"])) == ["Ana plays the cello"]


def test_7_it_is_private_and_then_mentioned_again_by_the_user(story: Story) -> None:
    ana, agent = story.person("ana"), story.agent("ana")
    talk = ana.capture("I play the cello. My neighbours are kind.", speaker="Ana")
    fact = agent.remember(
        subject="Ana", predicate="plays", object="cello", evidence=[cite(talk.record_id, quote="I play the cello.")]
    )
    story.calendar.days_pass(1)
    ana.forget(fact.record_id, because="private")

    # It is gone with the words that had said it; what she said beside it is not.
    packet = ana.recall("does Ana play the cello? Are the neighbours kind?")
    assert "cello" not in everywhere(packet).replace(packet.query, "")
    assert "[withheld] My neighbours are kind." in shown(packet)

    # She mentions it again: kept, not shown, and each receipt says so.
    again = ana.capture("I still play the cello on Sundays. It is loud.", speaker="Ana")
    assert again.notes == ("private_masked",)
    noted = agent.remember(
        subject="Ana", predicate="plays", object="cello", evidence=[cite(again.record_id, quote="It is loud.")]
    )
    assert (noted.outcome, noted.notes) == ("reinforced", ("hidden_until_restored",))
    assert noted.standing is not None
    assert (noted.standing.visibility, noted.standing.hidden_reason) == ("hidden", "withdrawn")
    packet = ana.recall("what does Ana play on Sundays?")
    assert "cello" not in everywhere(packet)

    # Until she says that it may be seen: then all of it is back.
    ana.restore(fact.record_id, reason="it is no secret any more")
    packet = ana.recall("does Ana play the cello?")
    assert "Ana plays cello" in now(packet)
    assert "I still play the cello on Sundays. It is loud." in shown(packet)


def test_8_an_old_chat_is_imported_late(story: Story) -> None:
    ana = story.person("ana")
    ana.remember(subject="Ana", predicate="lives_in", object="Lisbon")
    story.calendar.days_pass(30)
    old = ana.capture("I live in Berlin.", speaker="Ana", occurred_at="2024-01-05T10:00Z", imported=True)
    told = ana.remember(
        subject="Ana", predicate="lives_in", object="Berlin", evidence=[cite(old.record_id, quote="I live in Berlin")]
    )

    # It takes its place in the past and retires nothing, though it arrived last.
    assert told.conflicts == ()
    packet = ana.recall("where does Ana live?", kinds=["semantic"])
    assert now(packet) == ["Ana lives in Lisbon"]
    assert shown(packet)["Ana lives in Berlin"].startswith("true until 2026-03-01")
    assert now(ana.recall("where does Ana live?", kinds=["semantic"], valid_at="2025-01-01")) == ["Ana lives in Berlin"]


def test_9_a_typo_is_fixed(story: Story) -> None:
    ana = story.person("ana")
    fact = ana.remember("Ana livs in Berlin", subject="Ana", predicate="lives_in", object="Berlin")
    ana.correct(fact.record_id, "Ana lives in Berlin", reason="typo")

    packet = ana.recall("where does Ana live?")
    assert shown(packet) == {"Ana lives in Berlin": "current"}

    # The source is still quoted as it was written, word for word.
    assert "Ana livs in Berlin" in [c.quote for c in one(packet, "Ana lives in Berlin").citations]

    # The value was never wrong, so whoever says it again is welcome.
    assert story.agent("ana").remember(subject="Ana", predicate="lives_in", object="Berlin").outcome == "reinforced"


def test_10_a_member_contradicts_a_shared_team_fact(story: Story) -> None:
    ana, ben = story.person("ana"), story.person("ben")
    ana.remember(subject="api", predicate="port", object=8080)
    story.calendar.days_pass(1)
    other = ben.remember(subject="api", predicate="port", object=9090)
    assert [c.code for c in other.conflicts] == ["disputed"]

    # Neither is offered as true, to anybody.
    for reader in (ana, ben, story.agent("ana")):
        packet = reader.recall("which port does the api have?", kinds=["semantic"])
        assert packet.items == ()
        assert in_conflict(packet) == {"api port 8080", "api port 9090"}
        assert "none is offered as true" in everywhere(packet)

    # Ben looks again, and the team has one answer.
    ben.retract(other.record_id, reason="I looked at the wrong service")
    packet = ana.recall("which port does the api have?", kinds=["semantic"])
    assert (now(packet), packet.conflicts) == (["api port 8080"], ())


def test_11_a_secret_is_pasted(story: Story) -> None:
    ana = story.person("ana")
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    pasted = ana.capture(f"The bucket key is {key}, please keep it.", speaker="Ana")
    assert [m.type for m in pasted.maskings] == ["aws_access_key"]
    claimed = ana.remember(f"The bucket key is {key}", reason=f"she pasted {key}")
    assert {m.type for m in claimed.maskings} == {"aws_access_key"}

    # That a key was pasted is remembered; the key is nowhere, in no answer and in no file.
    packet = ana.recall("what is the bucket key?")
    assert "[masked: aws_access_key]" in everywhere(packet)
    assert key not in everywhere(packet)
    assert key.encode() not in story.bytes_on_disk()
    assert b"bucket key is" in story.bytes_on_disk()


def test_12_a_company_is_renamed(story: Story) -> None:
    ana = story.person("ana")
    register = [{"namespace": "register", "value": "HRB 1234"}]
    labs = ana.remember(
        payload={"kind": "entity", "canonical_name": "Orion Labs", "entity_kind": "organization",
                 "identifiers": register}
    )  # fmt: skip
    ana.remember(subject="Orion Labs", predicate="located_in", object="Porto")
    story.calendar.on("2026-04-01")
    works = ana.remember(
        payload={"kind": "entity", "canonical_name": "Vega Works", "entity_kind": "organization",
                 "identifiers": register, "aliases": [{"value": "Orion Labs", "kind": "former"}]},
        reason="renamed",
    )  # fmt: skip
    assert works.record_id == labs.record_id

    # What was known under the old name is found under the new one, and the other way round.
    assert now(ana.recall("where is Vega Works?", kinds=["semantic"])) == ["Orion Labs located in Porto"]
    story.calendar.on("2026-05-01")
    ana.remember(subject="Vega Works", predicate="located_in", object="Braga")
    for name in ("Vega Works", "Orion Labs"):
        packet = ana.recall(f"where is {name}?", kinds=["semantic"])
        # One company has one place: the old one ended.
        assert now(packet) == ["Vega Works located in Braga"]
        assert shown(packet)["Orion Labs located in Porto"] == "true until 2026-05-01"


def test_13_a_preference_depends_on_where_one_is(story: Story) -> None:
    ana = story.person("ana")
    ana.remember("Ana drinks tea at the office", subject="Ana", predicate="drinks", object="tea",
                 conditions={"place": "office"})  # fmt: skip
    ana.remember("Ana drinks coffee at home", subject="Ana", predicate="drinks", object="coffee",
                 conditions={"place": "home"})  # fmt: skip

    # Each in its place, and neither contradicts the other.
    asked = "what does Ana drink?"
    assert now(ana.recall(asked, conditions={"place": "office"})) == ["Ana drinks tea at the office"]
    assert now(ana.recall(asked, conditions={"place": "home"})) == ["Ana drinks coffee at home"]
    assert ana.recall(asked, conditions={"place": "train"}).items == ()
    anywhere = ana.recall(asked)
    assert anywhere.conflicts == ()
    assert {i.qualifier.unmet for i in anywhere.items} == {("place",)}


def test_14_what_is_retracted_was_also_said_by_a_second_person(story: Story) -> None:
    ana, ben = story.person("ana"), story.person("ben")
    fact = ana.remember(subject="api", predicate="uses", object="redis")
    ben.remember(subject="api", predicate="uses", object="redis")
    story.calendar.days_pass(1)
    taken = ana.retract(fact.record_id, reason="I am not sure any more")

    # Ben still says it: it stands on his word alone, and Ana is told so.
    assert [(c.code, c.text) for c in taken.conflicts] == [("also_said_by", "ben: api uses redis")]
    item = one(ana.recall("what does the api use?", kinds=["semantic"]), "api uses redis")
    assert item.qualifier.code == "current"
    assert {c.speaker or c.source for c in item.citations} == {"ben"}

    # Once he takes it back too, it is gone.
    ben.retract(fact.record_id, reason="nor am I")
    assert ana.recall("what does the api use?", kinds=["semantic"]).items == ()


def test_15_a_plan_fails_and_then_succeeds(story: Story) -> None:
    agent = story.agent("ana")
    steps = {"kind": "plan_graph", "plan_id": "deploy", "intent": "deploy the api"}
    first = agent.remember(
        payload={**steps, "version": "1", "nodes": [{"id": "b", "op": "build"}, {"id": "p", "op": "push"}],
                 "edges": [{"from": "b", "to": "p", "kind": "control"}]}
    )  # fmt: skip
    tried = agent.recall("how do we deploy the api?")
    agent.feedback(tried.recall_id, used=[first.record_id], outcome="failed", reason="pushed a broken build")
    liked = agent.read(first.record_id).item.salience

    story.calendar.days_pass(1)
    second = agent.remember(
        payload={**steps, "version": "2", "nodes": [{"id": "b", "op": "build"}, {"id": "t", "op": "test"},
                                                    {"id": "p", "op": "push"}],
                 "edges": [{"from": "b", "to": "t", "kind": "control"}, {"from": "t", "to": "p", "kind": "control"}]},
        reason="version 1 pushed a broken build",
    )  # fmt: skip

    # The plan keeps its record; the answer is the version that tests first, and only that one.
    assert second.record_id == first.record_id
    packet = agent.recall("how do we deploy the api?")
    assert now(packet) == ["Plan deploy v2: deploy the api. build → test → push"]
    assert "worked 0 of 1 time" in everywhere(packet)
    agent.feedback(packet.recall_id, used=[second.record_id], outcome="helped")
    assert agent.read(second.record_id).item.salience > liked

    # It says how often it worked; beside another plan, the one that worked comes first.
    other = agent.remember(payload={**steps, "plan_id": "by hand", "version": "1", "edges": [],
                                    "nodes": [{"id": "c", "op": "copy the files"}]})  # fmt: skip
    agent.feedback(agent.recall("how do we deploy the api?").recall_id, used=[other.record_id], outcome="failed")
    packet = agent.recall("how do we deploy the api?")
    assert [item.record_id for item in packet.items] == [second.record_id, other.record_id]
    assert "worked 1 of 2 times" in everywhere(packet)
    assert packet.selection is not None
    assert not packet.selection.needs_more

    # Its history says what came of it, and why there is a second version.
    history = agent.history(second.record_id).entries
    assert [e.verb for e in history if e.kind == "attend"] == ["failed", "helped"]
    assert "version 1 pushed a broken build" in [e.reason for e in history]
