"""When two sayings are one: reinforced, near, or apart."""

import pytest
from houses import claim, texts

from firsthand import cite


@pytest.mark.parametrize(
    ("subject", "predicate", "value"),
    [
        ("api", "latency", "5 ms"), ("API", "latency", "5 msec"), ("ａｐｉ", "latency", "5 milliseconds"),
        ("a\u200bpi", "Latency", " 5  ms "), ("ap\u0456", "LATENCY", "5ms"),
    ],
)  # fmt: skip
def test_spellings_of_one_claim_meet_in_one_record(house, subject, predicate, value):
    memory = house.memory()
    first = memory.remember("api answers in 5 ms", subject="api", predicate="latency", object=5, unit="ms")
    again = claim(memory, subject, predicate, value)
    assert (again.outcome, again.record_id) == ("reinforced", first.record_id)
    apart = claim(memory, "api", "latency", "6 ms")
    assert apart.record_id != first.record_id


@pytest.mark.parametrize("predicate", ["Works for", "employed-by", "employer", "worksAt", "works_at"])
def test_aliases_of_a_predicate_are_one_slot(house, predicate):
    memory = house.memory()
    first = claim(memory, "Ana", "works_at", "Acme")
    assert claim(memory, "Ana", predicate, "ACME").record_id == first.record_id
    assert claim(memory, "Ana", "owns", "Acme").record_id != first.record_id


def test_an_alias_of_the_object_is_the_same_value(house):
    memory = house.memory()
    memory.remember(payload={"kind": "entity", "canonical_name": "Acme Corporation", "aliases": [{"value": "Acme"}]})
    first = claim(memory, "Ana", "works_at", "Acme Corporation")
    assert claim(memory, "Ana", "works_at", "Acme").record_id == first.record_id
    assert claim(memory, "Ana", "works_at", "Acme Bakery").record_id != first.record_id


def test_the_same_plain_sentence_is_reinforced_however_it_is_typed(house):
    memory = house.memory()
    first = memory.remember("The cache is warm.")
    for again in ("the cache is WARM", "The  cache is warm!", "Ｔhe cache is warm"):
        receipt = memory.remember(again)
        assert (receipt.outcome, receipt.record_id, receipt.conflicts) == ("reinforced", first.record_id, ())
    assert memory.remember("The cache is cold").record_id != first.record_id


def test_a_near_sentence_is_a_possible_conflict_and_an_unrelated_one_is_not(house):
    memory = house.memory()
    first = memory.remember("Ana lives in Berlin")
    memory.remember("The build is green")
    near = memory.remember("Ana lives in Lisbon")
    assert near.outcome == "stored"
    (met,) = near.conflicts
    assert (met.code, met.record_id, met.text) == ("possible_conflict", first.record_id, "Ana lives in Berlin")
    assert {"correct", "change", "retract"} <= set(met.settle_with)
    assert memory.remember("The moon is far away").conflicts == ()
    packet = memory.recall("where does Ana live?", kinds=["semantic"])
    (group,) = packet.conflicts
    assert group.code == "possible_conflict"
    assert {i.text for i in group.items} == {"Ana lives in Berlin", "Ana lives in Lisbon"}
    assert not any("Ana lives" in i.text for i in packet.items)


def test_a_denied_sentence_is_near_its_affirmation(house):
    memory = house.memory()
    first = memory.remember("Ana likes tea")
    near = memory.remember("Ana does not like tea")
    assert [c.record_id for c in near.conflicts] == [first.record_id]


def test_near_sentences_of_other_scopes_and_retracted_ones_are_not_met(house):
    memory, other = house.memory(), house.memory(scope="project:apollo")
    gone = memory.remember("Ana lives in Berlin")
    memory.retract(gone.record_id, reason="wrong")
    other.remember("Ana lives in Paris")
    assert memory.remember("Ana lives in Lisbon").conflicts == ()
    assert [c.text for c in memory.remember("Ana lives in Rome").conflicts] == ["Ana lives in Lisbon"]


def test_a_denial_of_one_value_is_a_claim_of_its_own(house):
    memory = house.memory()
    yes = claim(memory, "api", "uses", "redis")
    house.clock.pass_days(1)
    no = claim(memory, "api", "uses", "redis", polarity="-")
    assert no.record_id != yes.record_id
    assert texts(memory, "api uses redis")[0] == "api not uses redis"
    assert memory.read(yes.record_id).item.qualifier.code == "ended"


def test_the_same_claim_under_other_conditions_is_another_record(house):
    memory = house.memory()
    plain = claim(memory, "Ana", "prefers", "tea")
    if_cold = claim(memory, "Ana", "prefers", "tea", conditions={"weather": "cold", "day": 1})
    same = claim(memory, "Ana", "prefers", "tea", conditions={"Day": "1", "weather": "COLD"})
    assert if_cold.record_id != plain.record_id
    assert same.record_id == if_cold.record_id


def test_a_claim_that_was_superseded_and_is_said_again_joins_its_record_and_the_receipt_says_how_it_stands(house):
    owner, other = house.memory(), house.agent("ben")
    talk = owner.capture("We run on PostgreSQL 16", speaker="Ana", occurred_at="2026-01-10")
    quote = [cite(talk.record_id, quote="We run on PostgreSQL 16")]
    for number in range(8):  # which of two records of one claim is shown depends on their ids, which are digests
        about = {"subject": f"api {number}", "predicate": "uses_database"}
        first = house.agent("ana").remember(**about, object="PostgreSQL 16", valid_from="2026-01-15", evidence=quote)
        owner.remember(**about, object="PostgreSQL 17", valid_from="2026-01-15")
        assert owner.read(first.record_id).item.status == "superseded"
        again = other.remember(**about, object="PostgreSQL 16", valid_to="2026-02-10", evidence=quote)
        assert (again.outcome, again.record_id) == ("reinforced", first.record_id)
        assert again.standing is not None
        assert other.read(again.record_id).item.supports == 2
