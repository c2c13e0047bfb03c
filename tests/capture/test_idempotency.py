"""The same request twice is one request; another one under the same key is a conflict."""

import subprocess
import sys
import threading

import pytest
from houses import claim

import firsthand
from firsthand import cite

VERBS = {
    "capture": lambda m, f, key: m.capture("Ana: hello", speaker="Ana", idempotency_key=key),
    "remember": lambda m, f, key: m.remember("The cache is warm", tags=["t"], idempotency_key=key),
    "remember a task": lambda m, f, key: m.remember(
        payload={"kind": "working", "thread_id": "t", "state": "done"}, idempotency_key=key),
    "correct": lambda m, f, key: m.correct(f.record_id, object=2, reason="wrong", idempotency_key=key),
    "correct by description": lambda m, f, key: m.correct(
        target="the api's port", object=2, reason="wrong", idempotency_key=key),
    "change": lambda m, f, key: m.change(f.record_id, object=3, reason="moved", idempotency_key=key),
    "end": lambda m, f, key: m.change(f.record_id, reason="over", idempotency_key=key),
    "retract": lambda m, f, key: m.retract(f.record_id, reason="wrong", idempotency_key=key),
    "retract by description": lambda m, f, key: m.retract(target="the api's port", reason="no", idempotency_key=key),
    "support": lambda m, f, key: m.support(f.record_id, [cite(f.evidence_id)], reason="more", idempotency_key=key),
    "relate": lambda m, f, key: m.relate(f.record_id, "likes", f.evidence_id, reason="x", idempotency_key=key),
    "classify": lambda m, f, key: m.classify(f.record_id, "high", reason="x", idempotency_key=key),
}  # fmt: skip
OTHERS = {
    "capture": lambda m, f, key: m.capture("Ana: hello", speaker="Ana", imported=True, idempotency_key=key),
    "remember": lambda m, f, key: m.remember("The cache is warm", tags=["u"], idempotency_key=key),
    "correct": lambda m, f, key: m.correct(f.record_id, object=2, reason="another reason", idempotency_key=key),
    "change": lambda m, f, key: m.change(f.record_id, object=4, reason="moved", idempotency_key=key),
    "retract": lambda m, f, key: m.retract(f.record_id, reason="another reason", idempotency_key=key),
    "support": lambda m, f, key: m.support(f.record_id, [cite(f.evidence_id)], reason="other", idempotency_key=key),
    "relate": lambda m, f, key: m.relate(f.record_id, "likes", f.evidence_id, reason="y", idempotency_key=key),
    "classify": lambda m, f, key: m.classify(f.record_id, "hyper", reason="x", idempotency_key=key),
}  # fmt: skip


@pytest.mark.parametrize("verb", VERBS)
def test_the_same_request_gets_the_first_receipt_and_writes_nothing_more(house, verb):
    memory = house.memory()
    fact = claim(memory, "api", "port", 1)
    first = VERBS[verb](memory, fact, "k")
    house.clock.pass_days(3)
    before = house.counts()["entry"]
    again = VERBS[verb](house.memory(), fact, "k")
    assert house.counts()["entry"] == before
    assert first.replayed is False
    assert again.replayed is True
    for field in ("outcome", "record_id", "entry_id", "evidence_id", "known_at", "code"):
        assert getattr(again, field) == getattr(first, field)
    assert memory.capture("something new", idempotency_key="k2").replayed is False


@pytest.mark.parametrize("verb", OTHERS)
def test_another_request_under_the_same_key_is_a_conflict(house, verb):
    memory = house.memory()
    fact = claim(memory, "api", "port", 1)
    VERBS[verb](memory, fact, "k")
    before = house.counts()
    with pytest.raises(firsthand.ConflictError) as caught:
        OTHERS[verb](memory, fact, "k")
    assert (caught.value.code, caught.value.next_action) == ("idempotency_key_reused", "fix_and_resubmit")
    assert house.counts() == before


def test_the_same_words_in_another_scope_are_another_request(house):
    memory = house.memory()
    memory.capture("hello", idempotency_key="k")
    with pytest.raises(firsthand.ConflictError):
        memory.at(scope="project:apollo").capture("hello", idempotency_key="k")
    assert memory.at(session="later").capture("hello", idempotency_key="k").replayed is True


def test_a_key_belongs_to_one_actor_and_one_verb(house):
    ana, ben = house.memory("ana"), house.memory("ben")
    one = ana.capture("hello", idempotency_key="k")
    two = ben.capture("hello", idempotency_key="k")
    three = ana.remember("hello", idempotency_key="k")
    assert len({one.record_id, two.record_id, three.record_id}) == 3
    assert ana.capture("hello", idempotency_key="k").record_id == one.record_id


def test_a_replayed_receipt_shows_the_standing_of_now(house):
    memory = house.memory()
    first = memory.remember("The cache is warm", idempotency_key="k")
    memory.retract(first.record_id, reason="it is cold")
    again = memory.remember("The cache is warm", idempotency_key="k")
    assert (first.standing.status, again.standing.status) == ("active", "retracted")
    assert again.outcome == "stored"


def test_a_refusal_and_a_proposal_are_replayed_with_what_to_do(house):
    ana, agent, stranger = house.memory("ana"), house.agent("ana"), house.agent("ben")
    fact = claim(ana, "api", "uses", "redis")
    proposed = stranger.retract(fact.record_id, reason="no", idempotency_key="p")
    assert stranger.retract(fact.record_id, reason="no", idempotency_key="p").next_action == proposed.next_action
    ana.retract(fact.record_id, reason="wrong")
    first = claim(agent, "api", "uses", "redis", idempotency_key="k")
    again = claim(agent, "api", "uses", "redis", idempotency_key="k")
    assert (again.outcome, again.code, again.next_action, again.replayed) == (
        "refused", "tombstone_retracted", first.next_action, True
    )  # fmt: skip
    assert house.counts()["refusal"] == 1


def test_a_retry_after_the_record_was_taken_back_still_gets_its_receipt(house):
    memory = house.memory()
    fact = claim(memory, "api", "port", 1)
    first = memory.correct(fact.record_id, object=2, reason="wrong", idempotency_key="k")
    memory.retract(fact.record_id, reason="all wrong")
    again = memory.correct(fact.record_id, object=2, reason="wrong", idempotency_key="k")
    assert (again.entry_id, again.replayed, again.standing.status) == (first.entry_id, True, "retracted")


def test_a_failed_request_leaves_its_key_free(house):
    memory = house.memory()
    with pytest.raises(firsthand.InvalidError):
        memory.remember("x", evidence=[cite("r" + "0" * 40, quote="y")], idempotency_key="k", tags=[""])
    assert memory.remember("x", idempotency_key="k").replayed is False


def test_keys_in_batches_hold_within_and_across_them(house):
    memory = house.memory()
    items = [{"text": f"turn {i}", "idempotency_key": f"k{i % 4}"} for i in range(4)]
    first = memory.capture_many(items)
    twice = memory.capture_many([*items, {"text": "turn 9", "idempotency_key": "k9"}, items[0]], batch=2)
    assert [r.record_id for r in twice.receipts[:4]] == [r.record_id for r in first.receipts]
    assert [r.replayed for r in twice.receipts] == [True] * 4 + [False, True]
    assert memory.stats().records["episodic"] == 5
    before = house.counts()
    with pytest.raises(firsthand.ConflictError):
        memory.capture_many([{"text": "new"}, {"text": "turn other", "idempotency_key": "k1"}])
    assert house.counts() == before


def test_feedback_is_given_once_for_each_record(house):
    memory = house.memory()
    memory.remember("The api is fast")
    memory.remember("The api is loud")
    packet = memory.recall("api", kinds=["semantic"])
    first = memory.feedback(packet.recall_id, idempotency_key="k")
    again = memory.feedback(packet.recall_id, idempotency_key="k")
    assert len(first) == 2
    assert [r.entry_id for r in again] == [r.entry_id for r in first]
    assert all(r.replayed for r in again)
    with pytest.raises(firsthand.ConflictError):
        memory.feedback(packet.recall_id, outcome="failed", idempotency_key="k")


def test_handles_that_race_with_one_key_store_one_record(house):
    memories = [house.memory() for _ in range(4)]
    receipts = []
    threads = [
        threading.Thread(target=lambda m=m: receipts.append(m.capture("only once", idempotency_key="k")))
        for m in memories
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len({r.record_id for r in receipts}) == 1
    assert sorted(r.replayed for r in receipts) == [False, True, True, True]


def test_a_key_used_in_another_process_is_known_here(house):
    memory = house.memory()
    first = memory.capture("only once", idempotency_key="k")
    code = (
        "import sys, firsthand\n"
        "with firsthand.open(sys.argv[1], actor='ana', role='person', scope='project:orion') as m:\n"
        "    r = m.capture('only once', idempotency_key='k')\n"
        "    print(r.record_id, r.replayed)\n"
        "    try: m.capture('something else', idempotency_key='k')\n"
        "    except firsthand.ConflictError as e: print(e.code)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(house.path)], capture_output=True, text=True, timeout=60, check=True
    )
    assert ran.stdout.split() == [first.record_id, "True", "idempotency_key_reused"]


SECRET = "ghp_" + ("aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fL" * 2)[:36]
WITH_SECRETS = {
    "capture": lambda m, f, key: m.capture(f"take {SECRET}", metadata={"k": SECRET}, reason=f"not {SECRET}",
                                           idempotency_key=key),
    "remember": lambda m, f, key: m.remember(f"the key is {SECRET}", reason=f"he said {SECRET}", idempotency_key=key),
    "remember a claim": lambda m, f, key: m.remember(subject="api", predicate="key", object=SECRET,
                                                     idempotency_key=key),
    "remember a task": lambda m, f, key: m.remember(payload={"kind": "working", "thread_id": "t", "state": "done",
                                                             "context_summary": SECRET}, idempotency_key=key),
    "correct": lambda m, f, key: m.correct(f.record_id, object=f"see {SECRET}", reason=f"a {SECRET}",
                                           idempotency_key=key),
    "correct by description": lambda m, f, key: m.correct(target="the api's port", object=f"see {SECRET}",
                                                          reason="a reason", idempotency_key=key),
    "change": lambda m, f, key: m.change(f.record_id, f"api port is {SECRET}", object=f"is {SECRET}", reason="moved",
                                         idempotency_key=key),
    "end": lambda m, f, key: m.change(f.record_id, reason=f"over {SECRET}", idempotency_key=key),
    "retract": lambda m, f, key: m.retract(f.record_id, reason=f"wrong {SECRET}", idempotency_key=key),
    "support": lambda m, f, key: m.support(f.record_id, [cite(f.evidence_id)], reason=f"as {SECRET}",
                                           idempotency_key=key),
    "relate": lambda m, f, key: m.relate(f.record_id, "likes", f.evidence_id, reason=SECRET, idempotency_key=key),
    "classify": lambda m, f, key: m.classify(f.record_id, "high", reason=SECRET, idempotency_key=key),
}  # fmt: skip


@pytest.mark.parametrize("verb", WITH_SECRETS)
def test_a_replayed_receipt_tells_what_was_masked(house, verb):
    memory = house.memory()
    fact = claim(memory, "api", "port", 1)
    first = WITH_SECRETS[verb](memory, fact, "k")
    again = WITH_SECRETS[verb](house.memory(), fact, "k")
    assert again.replayed
    assert first.maskings
    assert again.maskings == first.maskings


def test_a_replayed_correction_of_what_is_gone_tells_what_was_masked_in_its_reason(house):
    memory = house.memory()
    fact = claim(memory, "api", "port", 1)
    memory.correct(fact.record_id, object=f"see {SECRET}", reason=f"a {SECRET}", idempotency_key="k")
    memory.retract(fact.record_id, reason="all wrong")
    again = memory.correct(fact.record_id, object=f"see {SECRET}", reason=f"a {SECRET}", idempotency_key="k")
    assert (again.replayed, [m.field for m in again.maskings]) == (True, ["reason"])


def both_say(house, key=None):
    ben = house.memory("ben")
    claim(ben, "api", "uses", "redis")
    ana = house.memory("ana")
    return ana, claim(ana, "api", "uses", "redis")


def near_sentences(house):
    memory = house.memory()
    memory.remember("The nightly backup of the billing database runs at two")
    return memory, lambda: memory.remember("The nightly backup of the billing database runs at four",
                                           idempotency_key="k")  # fmt: skip


def disputed(house):
    claim(house.memory("ben"), "api", "port", 8080)
    memory = house.memory("ana")
    return memory, lambda: claim(memory, "api", "port", 9090, idempotency_key="k")


def one_of_two_sams(house):
    memory = house.memory()
    first = memory.remember(payload={"kind": "entity", "canonical_name": "Sam"})
    memory.remember(payload={"kind": "entity", "canonical_name": "Sam", "distinct_from": [first.record_id]})
    return memory, lambda: claim(memory, "Sam", "likes", "jazz", idempotency_key="k")


def retracted_and_still_said(house):
    memory, fact = both_say(house)
    return memory, lambda: memory.retract(fact.record_id, reason="I never meant it", idempotency_key="k")


def corrected_and_still_said(house):
    """An agent's correction reaches its owner's words alone."""
    claim(house.memory("ben"), "api", "prefers", "redis")
    agent = house.agent("ana")
    fact = claim(agent, "api", "prefers", "kafka")
    claim(house.memory("ben"), "api", "prefers", "kafka")
    return agent, lambda: agent.correct(fact.record_id, object="rabbit", reason="misheard", idempotency_key="k")


MEETINGS = {"possible_conflict": near_sentences, "disputed": disputed, "ambiguous": one_of_two_sams,
            "also_said_by": retracted_and_still_said, "also_said_by, corrected": corrected_and_still_said}  # fmt: skip


@pytest.mark.parametrize("meeting", MEETINGS)
def test_a_replayed_receipt_tells_what_it_meets(house, meeting):
    _, write = MEETINGS[meeting](house)
    first, again = write(), write()
    assert again.replayed
    assert {c.code for c in first.conflicts} == {meeting.partition(",")[0]}
    assert again.conflicts == first.conflicts


def test_a_replayed_receipt_tells_conflicts_of_now_and_none_that_may_not_be_seen(house):
    other = claim(house.memory("ben"), "api", "port", 8080)
    agent = house.agent("ana", grant=firsthand.Grant(clearance="low"))
    assert claim(agent, "api", "port", 9090, idempotency_key="k").conflicts
    house.memory("ben").classify(other.record_id, "high", reason="not for agents")
    assert claim(agent, "api", "port", 9090, idempotency_key="k").conflicts == ()


def test_a_refusal_that_is_replayed_has_neither_conflicts_nor_maskings(house):
    memory = house.memory()
    gone = memory.remember(f"the key is {SECRET}")
    memory.retract(gone.record_id, reason="no")
    agent = house.agent()
    for _ in range(2):
        told = agent.remember(f"the key is {SECRET}", idempotency_key="k")
        assert (told.outcome, told.maskings, told.conflicts) == ("refused", (), ())
