"""A secret that is pasted anywhere is masked before anything is stored: it never reaches the disk."""

import pytest
from houses import claim

import firsthand
from firsthand import cite
from firsthand.capture.secrets import mask

# Put together here, so that no scanner takes this file for a leak.
SECRET = "ghp_" + ("aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fL" * 2)[:36]
OTHER = "AKIA" + "QRSTUVWX2345ABCD"
MASK = "[masked: github_token]"


def everywhere(memory, secret):
    """Put a secret into every text a caller can give, and yield the receipts."""
    near = f"before-{{}} {secret} after-{{}}"
    talk = memory.capture(near.format(1, 1), speaker=f"bot {secret}", thread=secret, event_kind=secret,
                          source_id=secret, origin=secret, tags=[secret], metadata={"token": secret, secret: "x"},
                          timeline=[{"at": 1, "event_kind": "e", "summary": near.format(2, 2)}],
                          tool_graph=[{"id": secret, "tool": "curl", "args": {"h": [{"auth": secret}]},
                                       "result": {secret: near.format(3, 3)}}],
                          environment={"context": {"env": secret}, "tool_versions": {"x": secret}},
                          artifacts=[{"digest": "d", "name": secret}], reason=near.format(4, 4))  # fmt: skip
    fact = memory.remember(near.format(5, 5), subject=f"host {secret}", predicate="uses", object=secret,
                           conditions={"key": secret}, tags=[secret], metadata={"k": secret},
                           reason=near.format(6, 6), unit=secret)  # fmt: skip
    skill = memory.remember(payload={
        "kind": "competence", "skill_name": secret, "triggers": [{"signal": secret}],
        "recipe": [{"step": near.format(7, 7), "args_schema": {"a": secret}}], "failure_modes": [secret]})  # fmt: skip
    task = memory.remember(payload={
        "kind": "working", "thread_id": secret, "state": "done", "next_actions": [near.format(8, 8)],
        "constraints": [{"type": "t", "key": secret, "value": {"v": secret}}]})  # fmt: skip
    plan = memory.remember(payload={
        "kind": "plan_graph", "plan_id": secret, "version": "1", "intent": secret, "edges": [],
        "nodes": [{"id": secret, "op": near.format(9, 9), "params": {"p": secret}}]})  # fmt: skip
    who = memory.remember(payload={
        "kind": "entity", "canonical_name": secret, "aliases": [{"value": f"a {secret}"}],
        "identifiers": [{"namespace": "key", "value": secret}], "summary": near.format(10, 10)})  # fmt: skip
    plain = memory.remember(near.format(11, 11))
    corrected = memory.correct(plain.record_id, near.format(12, 12), reason=near.format(13, 13))
    changed = memory.change(corrected.record_id, near.format(14, 14), reason=near.format(15, 15))
    ended = memory.change(changed.record_id, reason=near.format(16, 16))
    supported = memory.support(fact.record_id, [cite(talk.record_id)], reason=near.format(17, 17))
    edge = memory.relate(fact.record_id, "likes", talk.record_id, reason=near.format(18, 18))
    level = memory.classify(fact.record_id, "high", reason=near.format(19, 19))
    packet = memory.recall("before")
    judged = memory.feedback(packet.recall_id, reason=near.format(20, 20))
    retracted = memory.retract(fact.record_id, reason=near.format(21, 21))
    return [talk, fact, skill, task, plan, who, plain, corrected, changed, ended, supported, edge, level, *judged,
            retracted]  # fmt: skip


def test_a_secret_in_any_text_of_any_verb_never_reaches_the_disk(house):
    memory = house.memory()
    receipts = everywhere(memory, SECRET)
    assert all(r.maskings for r in receipts)
    assert {m.type for r in receipts for m in r.maskings} == {"github_token"}
    proposal = house.agent("ben").retract(receipts[6].record_id, reason=f"before-22 {SECRET} after-22")
    assert proposal.outcome == "proposed"
    memory.recall(f"what is {SECRET}?")
    memory.close()
    raw = house.raw_bytes()
    for shape in (SECRET, SECRET.lower(), SECRET[4:], SECRET[4:].lower()):
        assert shape.encode() not in raw
        assert shape.encode("utf-16-le") not in raw
    for n in range(1, 23):
        assert f"before-{n} {MASK} after-{n}".encode() in raw


def test_the_scan_would_find_the_secret_if_it_were_there(house, monkeypatch):
    from firsthand.capture import cleaning

    monkeypatch.setattr(cleaning, "may_hold", lambda text: False)
    house.memory().capture(f"before-1 {SECRET} after-1")
    assert SECRET.encode() in house.raw_bytes()


def test_a_masking_says_what_was_where_in_the_text_as_given(house):
    memory = house.memory()
    text = f"two keys: {SECRET} and {OTHER}."
    receipt = memory.capture(text, tags=["x", SECRET])
    found = {(m.type, m.field): text[m.start : m.end] for m in receipt.maskings if m.field == "episodic.text"}
    assert found == {("github_token", "episodic.text"): SECRET, ("aws_access_key", "episodic.text"): OTHER}
    assert [m.field for m in receipt.maskings] == ["episodic.text", "episodic.text", "episodic.tags[1]"]
    assert memory.read(receipt.record_id).item.text == f"two keys: {MASK} and [masked: aws_access_key]."
    assert memory.capture("no secret here").maskings == ()


def test_a_masking_never_names_the_secret_it_masked(house):
    receipt = house.memory().capture("x", metadata={SECRET: SECRET}, tool_graph=[
        {"id": "1", "tool": "t", "args": {SECRET: {"a": SECRET}}}])  # fmt: skip
    assert len(receipt.maskings) == 4
    assert SECRET not in repr(receipt)


def test_spans_are_of_the_text_as_given_even_when_our_own_words_were_cut_from_it(house):
    memory = house.memory()
    claim(memory, "api", "port", 8080)
    packet = memory.recall("api port").render()
    text = f"{packet}\nthe key is {SECRET}"
    receipt = memory.capture(text)
    (found,) = receipt.maskings
    assert text[found.start : found.end] == SECRET
    assert memory.read(receipt.record_id).item.text == f"the key is {MASK}"
    assert receipt.notes == ("own_packet_cut",)


def test_a_quote_that_holds_a_secret_is_masked_before_it_is_looked_for(house):
    memory = house.memory()
    talk = memory.capture(f"Ana: the key is {SECRET}, keep it")
    fact = memory.remember("Ana shared a key", evidence=[cite(talk.record_id, quote=f"the key is {SECRET}, keep")])
    assert memory.read(fact.record_id).item.citations[0].quote == f"the key is {MASK}, keep"


@pytest.mark.parametrize("field", ["actor", "owner", "scope", "session", "device", "model", "harness", "space"])
def test_a_secret_is_no_name_for_a_person_a_place_or_a_session(house, field):
    value = f"project:{OTHER}" if field == "scope" else OTHER
    with pytest.raises(firsthand.InvalidError) as caught:
        firsthand.open(house.path, **{"scope": "project:orion", field: value})
    assert (caught.value.code, caught.value.field) == ("name_is_secret", field)
    memory = house.memory()
    for asked in ({"scope": f"project:{OTHER}"}, {"session": OTHER}):
        with pytest.raises(firsthand.InvalidError):
            memory.at(**asked)
    with pytest.raises(firsthand.InvalidError):
        memory.relate("r" + "0" * 40, SECRET, "r" + "1" * 40, reason="x")
    assert OTHER.encode() not in house.raw_bytes()


def test_two_secrets_masked_alike_are_not_one_claim_by_their_words(house):
    memory = house.memory()
    assert mask(SECRET).text == MASK
    one = memory.remember(f"the token of Ana is {SECRET}")
    two = memory.remember(f"the token of Ben is {SECRET}")
    assert one.record_id != two.record_id


@pytest.mark.parametrize(
    "line",
    [
        "DB_PASSWORD=Xk29dkq0Zp7wq",
        "export API_KEY=Xk29dkq0Zp7wq4tR",
        "password=Xk29dkq0Zp7wq",
        "Authorization: Bearer Xk29dkq0Zp7wq4tRmm1",
    ],
)
def test_a_secret_in_a_settings_line_is_masked(house, line):
    memory = house.memory()
    receipt = memory.capture(f"the settings are\n{line}\nand that is all")
    text = memory.read(receipt.record_id).item.text
    assert "Xk29" not in text
    assert text.startswith("the settings are")
    assert text.endswith("and that is all")
    assert len(receipt.maskings) == 1


@pytest.mark.parametrize(
    "line", ["password=changeme", "token=$TOKEN", "key=value", "sort_key=created_at_2", "we set token=abc, then left"]
)
def test_what_only_looks_like_a_setting_stays(house, line):
    memory = house.memory()
    receipt = memory.capture(line)
    assert memory.read(receipt.record_id).item.text == line
    assert receipt.maskings == ()
