"""What we delivered is never captured as new, and an agent that was told adds no weight by saying it back."""

import json

from houses import claim, current, texts

import firsthand

FOREIGN = '<firsthand-memory nonce="0123456789abcdef">\nthe moon is made of cheese\n</firsthand-memory>'


def told(house, **more):
    """An agent that was just given a packet about the api's port, and the packet as it reads it."""
    memory = house.memory()
    claim(memory, "api", "port", 8080)
    agent = house.agent()
    packet = agent.recall("which port has the api?", kinds=["semantic"], **more)
    assert [i.text for i in packet.items] == ["api port 8080"]
    return agent, packet


def test_a_packet_inside_a_longer_text_is_cut_and_the_receipt_says_so(house):
    agent, packet = told(house)
    receipt = agent.capture(f"I asked my memory.\n{packet.render()}\nThen I deployed to Oslo.")
    assert receipt.notes == ("own_packet_cut",)
    assert agent.read(receipt.record_id).item.text == "I asked my memory.\nThen I deployed to Oslo."
    assert agent.capture("nothing of ours").notes == ()


def test_a_packet_is_known_by_every_process_at_once_and_without_its_receipt(house):
    _, packet = told(house)
    other = house.agent()
    assert other.capture(packet.render()).code == "only_own_words"
    unheard = house.agent(receipts=False).recall("which port has the api?", kinds=["semantic"])
    assert other.capture(unheard.render()).code == "only_own_words"
    altered = unheard.nonce[:-1] + ("0" if unheard.nonce[-1] != "0" else "1")
    assert other.capture(unheard.render().replace(unheard.nonce, altered)).outcome == "stored"


def test_only_a_packet_is_refused_and_leaves_no_words(house):
    agent, packet = told(house)
    before = house.counts()
    for write in (
        lambda: agent.capture(packet.render()),
        lambda: agent.capture(f"\n {packet.render('json')} \n{packet.render()}"),
        lambda: agent.remember(packet.render()),
        lambda: agent.correct(packet.items[0].record_id, packet.render(), object=1, reason="x"),
    ):
        receipt = write()
        assert (receipt.outcome, receipt.code, receipt.next_action) == ("refused", "only_own_words", "none")
        assert receipt.record_id is None
    after = house.counts()
    assert after["refusal"] == before["refusal"] + 4
    assert {t: n for t, n in after.items() if t in ("doc", "belief")} == {
        t: n for t, n in before.items() if t in ("doc", "belief")
    }
    replay = [agent.capture(packet.render(), idempotency_key="k").next_action for _ in range(2)]
    assert replay == ["none", "none"]


def test_a_message_that_only_quotes_a_packet_is_refused_and_leaves_no_episode(house):
    agent, packet = told(house)
    quoted = "> " + packet.render().replace("\n", "\n> ")
    before = house.counts()
    for text in (quoted, f"> \n{quoted}\n>\n", quoted.replace("> ", ">> ")):
        receipt = agent.capture(text, speaker="Ana")
        assert (receipt.outcome, receipt.code, receipt.record_id) == ("refused", "only_own_words", None)
    many = agent.capture_many([{"text": quoted, "speaker": "Ana", "imported": True}, {"text": "and you?"}])
    assert (many.refused, many.stored) == (1, 1)
    assert house.counts()["doc"] == before["doc"] + 1
    receipt = agent.capture(f"Ana wrote:\n{quoted}\nThen I deployed to Oslo.")
    assert agent.read(receipt.record_id).item.text == "Ana wrote:\nThen I deployed to Oslo."


def test_a_packet_is_cut_out_of_every_text_of_every_verb(house):
    agent, packet = told(house)
    own = packet.render()
    fact = agent.remember("The deploy is green", reason=f"I read {own} and looked")
    agent.remember(f"The deploy took five minutes {own}")
    agent.capture("ran a tool", tool_graph=[{"id": "1", "tool": "recall", "args": {"q": ["port"]}, "result": own}],
                  metadata={"note": own}, environment={"context": {"seen": own}})  # fmt: skip
    agent.remember(payload={"kind": "working", "thread_id": "t", "state": "done", "context_summary": f"after {own}"})
    agent.support(fact.record_id, [firsthand.cite(fact.evidence_id)], reason=f"because {own}")
    agent.correct(fact.record_id, f"The deploy is blue {own}", reason=f"{own} says so")
    agent.retract(fact.record_id, reason=own)
    bodies = "\n".join(b for b in house.column("SELECT body FROM entry") if b)
    assert packet.nonce not in bodies
    for kept in ("and looked", "took five minutes", "ran a tool", "deploy is blue", "says so", "[own packet cut]"):
        assert kept in bodies


def test_a_packet_quoted_inside_json_is_cut_too(house):
    agent, packet = told(house)
    receipt = agent.capture("tool said: " + json.dumps({"content": packet.render(), "ok": True}))
    text = agent.read(receipt.record_id).item.text
    assert packet.nonce not in text
    assert text.startswith("tool said: ")


def test_a_foreign_fence_stays_and_a_packet_of_another_space_too(house, tmp_path):
    agent, packet = told(house)
    receipt = agent.capture(f"{FOREIGN}\nand {packet.render()}")
    assert agent.read(receipt.record_id).item.text == f"{FOREIGN}\nand "
    with firsthand.open(tmp_path / "other.db", scope="project:orion") as other:
        kept = other.capture(packet.render())
        assert other.read(kept.record_id).item.text == packet.render()


def test_a_text_over_the_limit_only_by_our_own_packet_fits(house):
    agent, packet = told(house)
    receipt = agent.capture("a" * (64 * 1024 - 1) + "\n" + packet.render())
    assert receipt.outcome == "stored"
    assert len(agent.read(receipt.record_id).item.text) == 64 * 1024


def test_pasting_back_every_turn_never_multiplies(house):
    agent, packet = told(house)
    for turn in range(5):
        agent.capture(f"turn {turn}: {packet.render()}")
        packet = agent.recall("which port has the api?")
    assert [i.text for i in agent.list(limit=200).items if "8080" in i.text] == ["api port 8080"]
    assert len(agent.list(kinds=["episodic"], limit=200).items) == 5


def test_an_agent_that_was_told_a_guess_cannot_lift_it_and_one_that_was_not_can(house):
    guesser = house.agent("ana")
    guess = guesser.remember("Ana guesses that the api is in Frankfurt", subject="api", predicate="located_in",
                             object="Frankfurt", basis="inferred")  # fmt: skip
    told_agent, free_agent = house.agent("ben"), house.agent("cleo")
    packet = told_agent.recall("where is the api?", kinds=["semantic"], include=["candidates"])
    assert [i.record_id for i in packet.items] == [guess.record_id]
    echo = told_agent.remember("Ben's own logs put that api into Frankfurt am Main", subject="api",
                               predicate="located_in", object="Frankfurt", basis="inferred")  # fmt: skip
    assert (echo.outcome, echo.standing.tier) == ("reinforced", "candidate")
    free = free_agent.remember("Traceroutes by Cleo end in a Frankfurt machine", subject="api",
                               predicate="located_in", object="Frankfurt", basis="inferred")  # fmt: skip
    assert free.standing.tier == "validated_claim"


def test_an_agent_that_was_delivered_an_ended_value_cannot_bring_it_back_by_repeating_it(house):
    agent = house.agent()
    claim(agent, "Ana", "lives_in", "Berlin")
    house.clock.pass_days(5)
    claim(agent, "Ana", "lives_in", "Lisbon")
    house.clock.pass_days(5)
    packet = agent.recall("where does Ana live?", kinds=["semantic"])
    assert {"Ana lives in Berlin", "Ana lives in Lisbon"} == {i.text for i in packet.items}
    echo = claim(agent, "Ana", "lives_in", "Berlin")
    assert echo.conflicts == ()
    assert current(agent, "where does Ana live?") == ["Ana lives in Lisbon"]
    assert agent.recall("where does Ana live?", kinds=["semantic"]).conflicts == ()
    house.clock.pass_days(1)
    claim(house.memory(), "Ana", "lives_in", "Berlin")
    assert current(agent, "where does Ana live?") == ["Ana lives in Berlin"]


def test_an_agent_brings_a_delivered_value_back_by_a_change(house):
    agent = house.agent()
    claim(agent, "Ana", "lives_in", "Berlin")
    house.clock.pass_days(5)
    lisbon = claim(agent, "Ana", "lives_in", "Lisbon")
    house.clock.pass_days(5)
    assert len(agent.recall("where does Ana live?", kinds=["semantic"]).items) == 2
    agent.change(lisbon.record_id, object="Berlin", reason="she moved back")
    assert current(agent, "where does Ana live?") == ["Ana lives in Berlin"]


def test_a_recall_that_left_no_receipt_is_known_again_all_the_same(house):
    memory = house.memory(receipts=False)
    claim(memory, "api", "port", 8080)
    packet = memory.recall("which port has the api?")
    assert memory.capture(f"seen: {packet.render()}").notes == ("own_packet_cut",)
    assert texts(memory, "which port has the api?")[0] == "api port 8080"
