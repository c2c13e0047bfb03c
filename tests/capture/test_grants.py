"""A grant says what a handle may do; nothing in a request widens it, and what it hides looks absent."""

import pytest
from houses import claim, texts

import firsthand
from firsthand import Grant, cite

NO_RECORD = "r" + "0" * 40

CALLS = {
    "capture": lambda m, f: m.capture("hello"),
    "remember": lambda m, f: m.remember("the sky is blue"),
    "correct": lambda m, f: m.correct(f, object=2, reason="x"),
    "change": lambda m, f: m.change(f, object=2, reason="x"),
    "retract": lambda m, f: m.retract(f, reason="x"),
    "support": lambda m, f: m.support(f, revoke="x", reason="x"),
    "relate": lambda m, f: m.relate(f, "likes", f, reason="x"),
    "classify": lambda m, f: m.classify(f, "high", reason="x"),
    "feedback": lambda m, f: m.feedback("x"),
    "recall": lambda m, f: m.recall("api"),
    "explain": lambda m, f: m.explain("api", f),
    "read": lambda m, f: m.read(f),
    "list": lambda m, f: m.list(),
    "history": lambda m, f: m.history(f),
    "stats": lambda m, f: m.stats(),
    "verify": lambda m, f: m.ledger.verify(),
    "rebuild": lambda m, f: m.ledger.rebuild(),
}
STOPPED = {"feedback": firsthand.AbsentError, "support": firsthand.AbsentError, "relate": firsthand.InvalidError}
"""What some of these calls run into once they may be made."""
WRITES = ("capture", "remember", "correct", "change", "retract", "support", "relate", "classify", "feedback")
BY_RECORD = {
    "read": CALLS["read"], "history": CALLS["history"], "correct": CALLS["correct"], "change": CALLS["change"],
    "retract": CALLS["retract"], "classify": CALLS["classify"], "support": CALLS["support"],
    "support with evidence": lambda m, f: m.support(f, [cite(NO_RECORD)], reason="x"),
    "cite": lambda m, f: m.remember("x", evidence=[cite(f)]),
    "relate from": lambda m, f: m.relate(f, "likes", f, reason="x"),
    "distinct from": lambda m, f: m.remember(
        payload={"kind": "entity", "canonical_name": "Zed", "distinct_from": [f]}),
}  # fmt: skip


@pytest.mark.parametrize("verb", CALLS)
def test_a_verb_works_only_if_the_grant_names_it(house, verb):
    fact = claim(house.memory(), "api", "port", 1)
    without = house.memory(grant=Grant(verbs=frozenset(CALLS) - {verb}))
    before = house.counts()
    with pytest.raises(firsthand.DeniedError) as caught:
        CALLS[verb](without, fact.record_id)
    assert (caught.value.code, caught.value.next_action) == ("verb_not_granted", "ask_person")
    assert house.counts() == before
    only = house.memory(grant=Grant(verbs=frozenset([verb])))
    if verb in STOPPED:
        with pytest.raises(STOPPED[verb]):
            CALLS[verb](only, fact.record_id)
    else:
        CALLS[verb](only, fact.record_id)


@pytest.mark.parametrize("verb", WRITES)
def test_writing_needs_the_scope_in_the_grant(house, verb):
    fact = claim(house.memory(), "api", "port", 1)
    reader = house.memory(grant=Grant(write=frozenset(["project:apollo"])))
    before = house.counts()
    with pytest.raises(firsthand.DeniedError) as caught:
        CALLS[verb](reader, fact.record_id)
    assert caught.value.code == "scope_not_granted"
    assert house.counts() == before
    assert reader.read(fact.record_id).item.text == "api port 1"
    assert reader.at(scope="project:apollo").capture("hello").outcome == "stored"


def test_what_can_be_read_elsewhere_is_not_written_from_here(house):
    fact = claim(house.memory(scope="project:apollo"), "api", "port", 1)
    guest = house.memory(grant=Grant(write=frozenset(["project:orion"])))
    assert guest.read(fact.record_id).item.text == "api port 1"
    before = house.counts()
    for verb in ("correct", "change", "retract", "support", "relate", "classify"):
        with pytest.raises(firsthand.DeniedError):
            CALLS[verb](guest, fact.record_id)
    agent = house.agent("ben", grant=Grant(write=frozenset(["project:orion"])))
    with pytest.raises(firsthand.DeniedError):
        agent.retract(fact.record_id, reason="not even a proposal")
    after = house.counts()
    assert after["belief"] == before["belief"]
    assert house.memory().retract(fact.record_id, reason="the operator may").standing.status == "retracted"


def test_acme_never_reads_acme_corp(house):
    corp = house.memory(scope="org:acme-corp")
    fact = corp.remember("The merger is on Friday")
    acme = house.memory(scope="org:acme", grant=Grant(read=frozenset(["org:acme"]), write=frozenset(["org:acme"])))
    acme.remember("The picnic is on Friday")
    assert texts(acme, "what is on Friday?") == ["The picnic is on Friday"]
    assert [i.text for i in acme.list(kinds=["semantic"]).items] == ["The picnic is on Friday"]
    with pytest.raises(firsthand.AbsentError):
        acme.read(fact.record_id)
    for scope in ("org:acme-corp", "org:acme-", "org:acm"):
        with pytest.raises(firsthand.DeniedError):
            acme.recall("Friday", scopes=["org:acme", scope])
    assert texts(corp, "what is on Friday?") == ["The merger is on Friday"]


@pytest.mark.parametrize("call", BY_RECORD)
@pytest.mark.parametrize("why", ["scope", "clearance"])
def test_a_denied_record_and_an_absent_one_are_one_answer(house, call, why):
    owner = house.memory(scope="project:secret")
    fact = claim(owner, "api", "port", 1)
    if why == "clearance":
        owner.classify(fact.record_id, "hyper", reason="secret")
        guest = house.memory("ben", scope="project:secret", grant=Grant(clearance="high"))
    else:
        guest = house.memory("ben", grant=Grant(read=frozenset(["project:orion"])))
    answers = []
    for record in (fact.record_id, NO_RECORD):
        before = house.counts()
        with pytest.raises(firsthand.FirsthandError) as caught:
            BY_RECORD[call](guest, record)
        assert house.counts() == before
        answers.append((type(caught.value), caught.value.as_dict()))
    assert answers[0] == answers[1]
    assert answers[0][0] is firsthand.AbsentError
    assert owner.read(fact.record_id).item.text == "api port 1"


def test_what_is_above_a_clearance_is_not_counted(house):
    owner = house.memory()
    kept = owner.remember("The cafeteria opens at noon")
    hidden = owner.remember("The merger is on Friday", sensitivity="hyper")
    guest = house.memory("ben", grant=Grant(clearance="low"))
    assert texts(guest, "merger cafeteria") == ["The cafeteria opens at noon"]
    assert {i.record_id for i in guest.list().items} == {kept.record_id}
    assert guest.stats().records == {"episodic": 1, "semantic": 1}
    assert owner.stats().records == {"episodic": 2, "semantic": 2}
    assert (guest.stats().entries, owner.stats().entries) == (None, owner.ledger.verify().entries)
    elsewhere = house.memory(grant=Grant(read=frozenset(["project:apollo"])))
    assert elsewhere.stats().entries is None
    assert owner.read(hidden.record_id).item.sensitivity == "hyper"


def test_another_scope_or_session_stays_under_the_same_grant(house):
    grant = Grant(verbs=frozenset(["capture", "recall"]), read=frozenset(["project:orion"]),
                  write=frozenset(["project:orion"]), clearance="low")  # fmt: skip
    guest = house.memory(grant=grant)
    elsewhere = guest.at(scope="project:apollo", session="s")
    for call in (lambda: elsewhere.capture("x"), lambda: elsewhere.recall("x"), lambda: elsewhere.remember("x"),
                 lambda: elsewhere.at(scope="project:orion").remember("x")):  # fmt: skip
        with pytest.raises(firsthand.DeniedError):
            call()
    assert elsewhere.at(scope="project:orion").capture("x").outcome == "stored"


def test_the_role_is_the_grants_whatever_the_caller_says(house):
    ana = house.memory("ana")
    fact = claim(ana, "api", "port", 1)
    ana.classify(fact.record_id, "high", reason="x")
    pretender = house.memory("ben", role="person", grant=Grant(role="agent"))
    with pytest.raises(firsthand.DeniedError):
        pretender.classify(fact.record_id, "low", reason="x")
    assert pretender.retract(fact.record_id, reason="x").outcome == "proposed"
    entries = ana.history(fact.record_id).entries
    assert entries[-1].role == "agent"
    promoted = house.memory("cleo", role="agent", grant=Grant(role="person"))
    assert promoted.classify(fact.record_id, "low", reason="x").outcome == "stored"
    assert ana.history(fact.record_id).entries[-1].role == "person"


@pytest.mark.parametrize("field", ["role", "actor", "owner", "author", "space", "scope"])
def test_no_payload_or_metadata_says_who_writes_or_where(house, field):
    agent = house.agent("ben")
    with pytest.raises(firsthand.InvalidError):
        agent.capture_many([{"text": "x", field: "person"}])
    told = agent.capture("x", metadata={field: "person"}, speaker="ana", tags=["role:person"])
    entry = agent.history(told.record_id).entries[0]
    assert (entry.actor, entry.role) == ("ben-coder", "agent")
    assert agent.read(told.record_id).item.scope == "project:orion"
    assert agent.read(told.record_id).item.authority == "secondary"


def test_an_agent_only_proposes_on_another_owners_record(house):
    ana, agent = house.memory("ana"), house.agent("ben")
    fact = claim(ana, "api", "port", 1)
    before = ana.read(fact.record_id)
    rows = house.counts()["belief"]
    supports = ana.read(fact.record_id).supports
    for call in (
        lambda: agent.correct(fact.record_id, object=2, reason="I saw 2"),
        lambda: agent.change(fact.record_id, object=2, reason="I saw 2"),
        lambda: agent.change(fact.record_id, reason="over"),
        lambda: agent.retract(fact.record_id, reason="wrong"),
        lambda: agent.support(fact.record_id, revoke=supports[0].support_id, reason="wrong"),
    ):
        receipt = call()
        assert (receipt.outcome, receipt.code, receipt.next_action) == (
            "proposed", "another_owners_record", "ask_person"
        )  # fmt: skip
        assert receipt.entry_id is not None
        after = ana.read(fact.record_id)
        assert (after.item.text, after.item.status, after.supports) == (
            before.item.text, before.item.status, before.supports
        )  # fmt: skip
    assert house.counts()["belief"] == rows
    assert [e.kind for e in ana.history(fact.record_id).entries].count("propose") == 5
    own = claim(house.agent("ana"), "api", "uses", "redis")
    assert house.agent("ana", "reviewer").correct(own.record_id, object="kafka", reason="x").outcome == "stored"


def test_anyone_who_may_write_raises_a_sensitivity_and_only_a_person_lowers_it(house):
    ana, agent = house.memory("ana"), house.agent("ana")
    fact = claim(ana, "api", "port", 1)
    agent.classify(fact.record_id, "high", reason="it names a host")
    assert ana.read(fact.record_id).item.sensitivity == "high"
    before = house.counts()
    with pytest.raises(firsthand.DeniedError) as caught:
        agent.classify(fact.record_id, "medium", reason="not so bad")
    assert caught.value.code == "lowering_needs_person"
    assert house.counts() == before
    ana.classify(fact.record_id, "low", reason="it is public")
    assert ana.read(fact.record_id).item.sensitivity == "low"


def test_a_claim_is_as_sensitive_as_its_evidence(house):
    ana = house.memory("ana")
    talk = ana.capture("Ana: the merger is on Friday", speaker="Ana", sensitivity="high")
    fact = ana.remember("The merger is on Friday", evidence=[cite(talk.record_id)], sensitivity="public")
    derived = ana.remember("Friday will be busy", evidence=[cite(fact.record_id)])
    plain = ana.remember("The canteen is open")
    assert [ana.read(r.record_id).item.sensitivity for r in (fact, derived, plain)] == ["high", "high", "low"]
    kept = ana.classify(fact.record_id, "low", reason="I would like it lower")
    assert "kept_at_its_evidence" in kept.notes
    assert ana.read(fact.record_id).item.sensitivity == "high"
    ana.classify(talk.record_id, "hyper", reason="worse than thought")
    assert ana.read(derived.record_id).item.sensitivity == "hyper"
    corrected = ana.correct(derived.record_id, "Friday will be quiet", reason="x")
    assert ana.read(corrected.record_id).item.sensitivity == "hyper"
    assert ana.read(corrected.evidence_id).item.sensitivity == "hyper"


@pytest.mark.parametrize("why", ["clearance", "scope"])
def test_a_writer_who_may_not_see_what_it_met_gets_a_plain_receipt(house, why):
    owner = house.memory("ana")
    same = claim(owner, "api", "uses", "redis")
    port = claim(owner, "api", "port", 1)
    plain = owner.remember("Ana lives in Berlin")
    sam = owner.remember(payload={"kind": "entity", "canonical_name": "Sam"})
    other = owner.remember(payload={"kind": "entity", "canonical_name": "Sam", "distinct_from": [sam.record_id]})
    if why == "clearance":
        for record in (same, port, plain, sam, other):
            owner.classify(record.record_id, "hyper", reason="secret")
        guest = house.memory("ben", grant=Grant(clearance="high"))
    else:
        guest = house.memory("ben", grant=Grant(read=frozenset(["project:apollo"])))
    met = [
        claim(guest, "api", "uses", "redis"),
        claim(guest, "api", "port", 2),
        guest.remember("Ana lives in Lisbon"),
        claim(guest, "Sam", "works_as", "cook"),
    ]
    assert [(r.outcome, r.conflicts) for r in met] == [("stored", ())] * 4
    open_eyes = house.memory("cleo")
    seen = [
        claim(open_eyes, "api", "uses", "redis"),
        claim(open_eyes, "api", "port", 3),
        open_eyes.remember("Ana lives in Rome"),
        claim(open_eyes, "Sam", "works_as", "cook"),
    ]
    assert seen[0].outcome == "reinforced"
    assert [bool(r.conflicts) for r in seen[1:]] == [True] * 3


def test_a_speaker_is_only_a_claim_unless_the_credential_may_attest_it(house):
    hook = house.agent("ana", "hook", grant=Grant(attests=frozenset(["Ana"])))
    plain = house.agent("ben")
    heard = hook.capture("Ana: the api listens on 8080", speaker="ana")
    told = plain.capture("Ana: the api listens on 9090", speaker="Ana")
    assert hook.read(heard.record_id).item.authority == "primary"
    assert plain.read(told.record_id).item.authority == "secondary"
    assert hook.read(heard.record_id).item.citations[0].attested is True
    assert plain.read(told.record_id).item.citations[0].attested is False
    other = hook.capture("Cleo: hello", speaker="Cleo")
    assert hook.read(other.record_id).item.authority == "secondary"


def test_under_a_strict_policy_what_an_agent_states_is_a_candidate(house):
    agent = house.agent("ana")
    assert agent.remember("The cache is large").standing.tier == "validated_claim"
    person = house.memory("ana", policy="strict")
    assert agent.remember("The cache is warm").standing.tier == "candidate"
    assert person.remember("The cache is cold").standing.tier == "validated_claim"
    with pytest.raises(firsthand.DeniedError):
        house.agent("ana", policy="default", grant=Grant())
    assert agent.remember("The cache is blue").standing.tier == "candidate"
    house.memory("ana", policy="default")
    assert agent.remember("The cache is red").standing.tier == "validated_claim"
