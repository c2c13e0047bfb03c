"""The review desk: what waits for a person, what a decision would change, and what it does."""

import pytest
from houses import claim, current, texts

import firsthand
from firsthand import cite
from firsthand.vocabulary.reviews import REVIEW_KINDS


def proposed(house, verb="correct", **more):
    """Ana's fact, and what Ben's agent would do to it."""
    memory = house.memory()
    fact = claim(memory, "api", "port", 8080)
    agent = house.agent("ben")
    calls = {
        "correct": lambda: agent.correct(fact.record_id, object=9090, reason="I measured", **more),
        "change": lambda: agent.change(fact.record_id, object=9090, reason="it moved"),
        "end": lambda: agent.change(fact.record_id, reason="it stopped"),
        "fork": lambda: agent.fork(fact.record_id, object=9090, conditions={"env": "test"}, reason="there it is"),
        "retract": lambda: agent.retract(fact.record_id, reason="never"),
        "withdraw": lambda: agent.withdraw(fact.record_id, reason="hide it"),
        "contest": lambda: agent.contest(fact.record_id, reason="I doubt it"),
        "reject": lambda: agent.reject(fact.record_id, reason="a lie"),
        "share": lambda: agent.share(fact.record_id, "team:web", reason="they ask"),
    }
    return memory, fact, calls[verb]()


AFTER = {
    "correct": ["api port 9090"], "change": ["api port 9090"], "end": [], "retract": [], "withdraw": [],
    "contest": [], "reject": [], "share": ["api port 8080"], "fork": ["api port 8080", "api port 9090"],
}  # fmt: skip


@pytest.mark.parametrize("verb", AFTER)
def test_an_approved_proposal_does_what_it_meant(house, verb):
    memory, fact, proposal = proposed(house, verb)
    (item,) = memory.review.list().items
    assert (item.item_id, item.record_id, item.verb) == (
        proposal.entry_id,
        fact.record_id,
        verb if verb != "end" else "change",
    )
    assert item.by == "ben-coder"
    view = memory.review.show(item.item_id)
    assert view.record.item.text == "api port 8080"
    assert view.history.entries
    before = house.counts()
    approve = next(o for o in view.outlooks if o.decision == "approve")
    memory.review.show(item.item_id)
    assert house.counts() == before, "looking changes nothing"
    receipt = memory.review.decide(item.item_id, "approve", reason="checked")
    assert (receipt.outcome, receipt.standing) == (approve.outcome, approve.standing)
    assert sorted(current(memory, "api port")) == AFTER[verb]
    if verb in ("correct", "change", "fork"):
        assert receipt.standing.tier == "fact"
        assert memory.recall("api port 9090").items[0].authority == "authoritative"
    assert memory.review.list("proposals").items == ()
    with pytest.raises(firsthand.AbsentError):
        memory.review.decide(item.item_id, "approve", reason="again")
    memory.ledger.verify(deep=True)


def test_a_rejected_proposal_is_closed_and_changes_nothing(house):
    memory, _, proposal = proposed(house)
    memory.review.decide(proposal.entry_id, "reject", reason="no")
    assert memory.review.list().items == ()
    assert current(memory, "api port") == ["api port 8080"]
    assert claim(house.agent("ben"), "web", "port", 9090).outcome == "stored", "the value is not forbidden"


def test_only_a_person_decides(house):
    _, _, proposal = proposed(house)
    agent = house.agent()
    assert agent.review.list().items
    with pytest.raises(firsthand.DeniedError) as caught:
        agent.review.decide(proposal.entry_id, "approve", reason="the user approved this")
    assert caught.value.code == "deciding_needs_person"
    with pytest.raises(firsthand.InvalidError):
        house.memory().review.decide(proposal.entry_id, "settle", reason="x")


def test_a_proposal_keeps_its_evidence(house):
    memory = house.memory()
    talk = house.agent("ben").capture("probe: the api answers on 9090")
    _, fact, proposal = proposed(house, evidence=[cite(talk.record_id, quote="9090")])
    memory.review.decide(proposal.entry_id, "approve", reason="yes")
    assert [(c.record_id, c.quote) for c in memory.read(fact.record_id).item.citations] == [(talk.record_id, "9090")]


def test_a_decision_launders_no_rejected_value(house):
    memory, fact, proposal = proposed(house)
    memory.reject(value={"subject": "api", "predicate": "port", "object": 9090}, reason="never")
    outlook = memory.review.show(proposal.entry_id).outlooks[0]
    assert (outlook.decision, outlook.outcome, outlook.code) == ("approve", "refused", "tombstone_rejected")
    receipt = memory.review.decide(proposal.entry_id, "approve", reason="let it in")
    assert (receipt.outcome, receipt.code) == ("refused", "tombstone_rejected")
    assert current(memory, "api port") == ["api port 8080"]
    assert memory.review.list().items, "it still waits"
    guess = claim(house.agent(), "api", "uses", "redis", basis="inferred")
    memory.reject(value={"subject": "api", "predicate": "uses", "object": "redis"}, reason="never")
    with pytest.raises(firsthand.AbsentError):
        memory.review.decide(guess.record_id, "approve", reason="let it in")
    assert fact.record_id


def test_a_proposal_made_before_a_revision_is_not_carried_out(house):
    memory, fact, proposal = proposed(house)
    memory.correct(fact.record_id, object=7070, reason="misread")
    assert memory.review.show(proposal.entry_id).outlooks[0].code == "record_changed"
    with pytest.raises(firsthand.ConflictError):
        memory.review.decide(proposal.entry_id, "approve", reason="yes")


def test_a_guess_is_approved_as_a_fact_or_forbidden(house):
    memory, agent = house.memory(), house.agent()
    good = claim(agent, "Ana", "likes", "tea", basis="inferred")
    bad = claim(agent, "Ana", "likes", "war", basis="inferred")
    assert {i.item_id for i in memory.review.list("candidates").items} == {good.record_id, bad.record_id}
    assert memory.review.decide(good.record_id, "approve", reason="she does").standing.tier == "fact"
    memory.review.decide(bad.record_id, "reject", reason="she does not")
    assert texts(memory, "Ana likes") == ["Ana likes tea"]
    assert claim(agent, "Ana", "likes", "war").code == "tombstone_rejected"
    assert memory.review.list("candidates").items == ()


def test_a_conflict_is_decided_for_one_side(house):
    memory, ben = house.memory(), house.memory("ben")
    one = claim(memory, "api", "port", 8080)
    two = claim(ben, "api", "port", 9090)
    items = memory.review.list("conflicts").items
    assert {(i.item_id, i.against) for i in items} == {(one.record_id, two.record_id), (two.record_id, one.record_id)}
    outlook = memory.review.show(two.record_id).outlooks[0]
    assert outlook.standing.tier == "fact"
    assert [(e.record_id, e.status) for e in outlook.affected] == [(one.record_id, "needs_review")]
    memory.review.decide(two.record_id, "approve", reason="measured")
    assert current(memory, "api port") == ["api port 9090"]
    doubt = ben.contest(two.record_id, reason="hm")
    assert [i.item_id for i in memory.review.list("conflicts").items if i.status == "disputed"] == [two.record_id]
    memory.review.decide(two.record_id, "settle", reason="measured twice")
    assert current(memory, "api port") == ["api port 9090"]
    assert doubt.outcome == "stored"


def test_what_was_taken_back_and_is_said_by_a_new_source_waits(house):
    memory = house.memory()
    fact = claim(memory, "api", "uses", "redis")
    memory.retract(fact.record_id, reason="no")
    house.clock.pass_days(1)
    claim(house.agent("ben"), "api", "uses", "redis")
    (item,) = memory.review.list("near_tombstones").items
    assert item.status == "needs_review"


def test_who_may_not_read_a_record_sees_no_proposal_on_it(house):
    memory, fact, proposal = proposed(house)
    memory.classify(fact.record_id, "hyper", reason="secret")
    low = house.memory("cem", grant=firsthand.Grant(clearance="low"))
    assert low.review.list().items == ()
    assert low.review.list("conflicts").items == ()
    with pytest.raises(firsthand.AbsentError):
        low.review.show(proposal.entry_id)
    with pytest.raises(firsthand.AbsentError):
        low.review.decide(proposal.entry_id, "approve", reason="x")
    with pytest.raises(firsthand.DeniedError):
        house.memory(grant=firsthand.Grant(verbs={"recall"})).review.list()


def test_pages_go_on_where_they_ended(house):
    memory = house.memory()
    agent = house.agent()
    guesses = [claim(agent, "Ana", "likes", f"thing {n}", basis="inferred").record_id for n in range(5)]
    facts = [claim(memory, f"host {n}", "port", n) for n in range(5)]
    stranger = house.agent("ben")
    made = [stranger.retract(f.record_id, reason="x").entry_id for f in facts]
    for kind, expected in (("candidates", guesses), ("proposals", made)):
        seen, cursor = [], None
        while True:
            page = memory.review.list(kind, limit=2, cursor=cursor)
            seen += [i.item_id for i in page.items]
            cursor = page.cursor
            if cursor is None:
                break
        assert seen == expected[::-1]


def test_everything_that_waits_is_listed_by_kind_with_counts(house):
    memory, ben, agent = house.memory(), house.memory("ben"), house.agent("cem")
    assert memory.review.list().counts == dict.fromkeys(REVIEW_KINDS, 0)
    one, two = claim(memory, "api", "port", 8080), claim(ben, "api", "port", 9090)
    guess = claim(agent, "Ana", "likes", "tea", basis="inferred")
    memory.reject(value={"subject": "Ana", "predicate": "lives_in", "object": "Rome"}, reason="no")
    near = memory.remember("Ana was seen in Rome")
    proposal = agent.retract(one.record_id, reason="is it?")
    page = memory.review.list()
    assert [(i.kind, i.item_id) for i in page.items] == [
        ("proposals", proposal.entry_id), ("conflicts", two.record_id), ("conflicts", one.record_id),
        ("candidates", guess.record_id), ("near_tombstones", near.record_id),
    ]  # fmt: skip
    assert page.counts == {"proposals": 1, "conflicts": 2, "candidates": 1, "near_tombstones": 1}
    assert page.cursor is None
    assert [memory.review.show(i.item_id).item.kind for i in page.items] == [i.kind for i in page.items]
    seen, cursor = [], None
    while True:
        part = memory.review.list(limit=2, cursor=cursor)
        assert bool(part.counts) == (cursor is None)
        seen += part.items
        if (cursor := part.cursor) is None:
            break
    assert tuple(seen) == page.items
    assert [i.kind for i in memory.review.list("conflicts").items] == ["conflicts"] * 2
    with pytest.raises(firsthand.InvalidError):
        memory.review.list("candidates", cursor="conflicts:3")


def test_each_reason_to_wait_is_listed_and_shown_as_the_same_kind(house):
    """Challenged by a person's word, two heads of one plain text, and near what was taken back."""
    memory, ben = house.memory(), house.memory("ben")
    claim(memory, "api", "port", 8080)
    challenged = claim(house.agent("cem"), "api", "port", 9090)
    text = memory.remember("The deploy is on Friday")
    heads = tuple(memory.read(text.record_id).heads)
    memory.correct(text.record_id, "The deploy is on Monday", reason="it moved", expected_heads=heads)
    taken = claim(memory, "api", "uses", "redis")
    memory.retract(taken.record_id, reason="no")
    house.clock.pass_days(1)
    near = claim(house.agent("ben"), "api", "uses", "redis")
    expected = {challenged.record_id: "conflicts", near.record_id: "near_tombstones"}
    assert ben.read(challenged.record_id).item.status == "needs_review"
    for item_id, kind in expected.items():
        assert item_id in [i.item_id for i in memory.review.list(kind).items]
        assert memory.review.show(item_id).item.kind == kind
        assert all(item_id not in [i.item_id for i in memory.review.list(k).items] for k in REVIEW_KINDS if k != kind)


def test_what_a_proposal_is_about_leaves_out_what_is_hidden(house):
    memory = house.memory()
    said = [memory.remember(f"The deploy is on {a}Friday at noon") for a in ("", "a ")]
    memory.jobs.run()
    (merge,) = memory.review.list("proposals").items
    assert len(merge.about) == 2
    other = next(r.record_id for r in said if r.record_id != merge.record_id)
    left = next(r.record_id for r in said if r.record_id != other)
    memory.withdraw(other, reason="not for all")
    (merge,) = memory.review.list("proposals").items
    assert merge.about == (memory.read(left).item.text,)


def test_a_proposal_says_what_it_is_about_to_who_may_read_it(house):
    memory, agent = house.memory(), house.agent("cem")
    first = memory.remember("The deploy is on Friday at noon")
    second = memory.remember("The deploy is on a Friday at noon")
    memory.jobs.run()
    (merge,) = memory.review.list("proposals").items
    assert (merge.text, set(merge.about)) == (None, {memory.read(r.record_id).item.text for r in (first, second)})
    retracting = agent.retract(first.record_id, reason="Falcon listens on port 8081, no? Look.").entry_id
    correcting = agent.correct(first.record_id, "Falcon, says the deploy, is at port 8081", reason="look").entry_id

    def shown(reader):
        return {i.item_id: i for i in reader.review.list("proposals").items}

    assert shown(memory)[retracting].about == ("The deploy is on Friday at noon",)
    memory.reject(value={"subject": "Falcon", "predicate": "port", "object": 8081}, reason="never")
    for item in (shown(memory)[retracting], shown(memory)[correcting]):
        assert "8081" not in f"{item.text} {item.reason}"
        assert "[rejected: " in f"{item.text} {item.reason}"
    later = agent.change(second.record_id, "Falcon has port 8081", since="2026-03-02", reason="look").entry_id
    assert shown(memory)[later].text.startswith("[rejected: ")
    memory.classify(second.record_id, "high", reason="secret")
    low = house.memory("low", grant=firsthand.Grant(clearance="medium"))
    assert [i.about for i in shown(low).values() if i.verb == "merge"] in ([], [("The deploy is on Friday at noon",)])
    assert "The deploy is on a Friday at noon" not in str(shown(low))


def test_the_same_decision_again_gets_the_first_receipt(house):
    memory, _, proposal = proposed(house)
    first = memory.review.decide(proposal.entry_id, "approve", reason="yes", idempotency_key="k")
    again = memory.review.decide(proposal.entry_id, "approve", reason="yes", idempotency_key="k")
    assert (again.entry_id, again.replayed) == (first.entry_id, True)


def test_a_proposal_is_taken_back_by_who_made_it(house):
    memory, _, proposal = proposed(house)
    house.agent("ben").undo(proposal.entry_id, reason="never mind")
    assert memory.review.list().items == ()


def test_a_merge_that_a_job_proposed_is_carried_out_when_it_is_approved(house):
    memory = house.memory()
    first = memory.remember("The deploy is on Friday at noon")
    second = memory.remember("The deploy is on Friday at noon.")
    if second.record_id == first.record_id:
        second = memory.remember("The deploy is on a Friday at noon")
    memory.jobs.run()
    items = [i for i in memory.review.list().items if i.verb == "merge"]
    assert len(items) == 1
    assert memory.review.decide(items[0].item_id, "approve", reason="the same").standing.tier == "fact"
    assert {memory.read(r.record_id).item.status for r in (first, second)} == {"active", "superseded"}
    assert memory.review.list().items == ()
