"""A pack holds a selection of what may be shown, no key, and a list of what it leaves out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pairs import SCOPE, Pair, erase, look, write

import firsthand
from firsthand.vocabulary.entries import Body, Show


def words(path: Path) -> str:
    return "".join(p.read_text() for p in sorted(path.iterdir()))


def left(report: Any) -> dict[str, int]:
    return {each.reason: each.count for each in report.left_out}


def packed(pair: Pair, memory: Any, name: str = "pack", **selection: Any) -> tuple[Path, dict[str, int]]:
    path = pair.folder / name
    report = memory.ledger.pack(path, **selection)
    listed = json.loads((path / "manifest.json").read_text())
    assert {each["reason"]: each["count"] for each in listed["left_out"]} == left(report)
    return path, left(report)


def test_a_scope_is_packed_and_another_store_reads_it_the_same(pair: Pair) -> None:
    a, b = pair.memory("a"), pair.memory("b")
    pair.trusting(b, a)
    fact = a.remember(subject="hull", predicate="status", object="dry")
    a.change(fact.record_id, object="painted", since="2027-02-01", reason="it was painted")
    elsewhere = pair.memory("a", scope="project:house")
    elsewhere.remember(subject="roof", predicate="status", object="zqxleaky")
    path, omitted = packed(pair, a, scopes=[SCOPE])
    assert "zqxleaky" not in words(path)
    assert omitted == {}
    report = b.ledger.take_in(path)
    assert (report.kind, report.quarantined) == ("pack", ())
    assert [i.text for i in b.recall("hull").items] == [i.text for i in a.recall("hull").items]
    assert b.ledger.verify(deep=True).deep


def test_a_record_is_packed_with_what_it_rests_on_and_what_ended_it(pair: Pair) -> None:
    a, b = pair.memory("a"), pair.memory("b")
    pair.trusting(b, a)
    talk = a.capture("Noor said the hull is dry.", speaker="Noor")
    fact = a.remember(
        subject="hull", predicate="status", object="dry", evidence=[firsthand.cite(talk.record_id, quote="hull is dry")]
    )
    a.change(fact.record_id, object="painted", since="2027-02-01", reason="it was painted")
    a.capture("The zqxword is here.")
    path, _ = packed(pair, a, records=[fact.record_id])
    assert "zqxword" not in words(path)
    b.ledger.take_in(path)
    assert b.read(fact.record_id).item.citations[0].quote == "hull is dry"
    assert b.read(fact.record_id).item.valid_to == a.read(fact.record_id).item.valid_to is not None


def test_the_answers_to_a_query_are_packed(pair: Pair) -> None:
    a = pair.memory("a")
    a.capture("The hull is dry.")
    a.capture("The zqxword is elsewhere.")
    path, _ = packed(pair, a, query="hull")
    assert "The hull is dry." in words(path)
    assert "zqxword" not in words(path)


def test_what_may_not_be_shown_stays_and_is_listed_by_its_reason(pair: Pair) -> None:
    a = pair.memory("a")
    kept = a.capture("The hull is dry.")
    secret = a.capture("The zqxsecret is here.", sensitivity="high")
    gone = a.capture("The zqxgone is here.")
    erase(a, gone.record_id)
    hidden = a.capture("The zqxhidden is here.")
    write(a, Show(verb="withdraw", observed=("e" + hidden.record_id[1:],)), Body(reason="x"), hidden.record_id)
    wrong = a.remember(subject="hull", predicate="status", object="zqxwet")
    a.correct(wrong.record_id, object="dry", reason="a slip")
    false = a.remember("The mast is zqxfalse.")
    a.retract(false.record_id, reason="not so")
    path, omitted = packed(pair, a, scopes=[SCOPE], clearance="medium")
    assert kept.record_id[1:] in words(path)
    assert "hull status dry" in words(path)
    for word in ("zqxsecret", "zqxgone", "zqxhidden", "zqxwet", "zqxfalse"):
        assert word not in words(path), word
    assert omitted.keys() >= {"over_clearance", "erased", "hidden", "masked", "taken_back"}
    assert secret.record_id not in words(path)
    whole, omitted = packed(pair, a, "whole", scopes=[SCOPE])
    assert "zqxsecret" in words(whole), "the control: it is the clearance that kept it"
    assert "over_clearance" not in omitted


def test_a_pack_reads_no_more_than_its_maker_and_does_not_count_the_rest(pair: Pair) -> None:
    a = pair.memory("a")
    a.capture("The hull is dry.")
    secret = a.capture("The zqxsecret is here.", sensitivity="high")
    narrow = pair.memory("a", grant=firsthand.Grant(read=frozenset((SCOPE,)), clearance="low"))
    path, omitted = packed(pair, narrow, scopes=[SCOPE])
    assert "zqxsecret" not in words(path)
    assert omitted == {}
    for more in ({"scopes": ["project:house"]}, {"records": [secret.record_id]}):
        with pytest.raises(firsthand.FirsthandError) as caught:
            narrow.ledger.pack(pair.folder / "more", **more)
        assert caught.value.category in ("denied", "absent")
    with pytest.raises(firsthand.InvalidError):
        narrow.ledger.pack(pair.folder / "more")
    assert not (pair.folder / "more").exists()


def test_no_key_is_in_a_pack(pair: Pair) -> None:
    a = pair.memory("a")
    a.capture("The hull is dry.")
    a.ledger.seal()
    path, _ = packed(pair, a, scopes=[SCOPE])
    for kept in (".keys", ".device"):
        for key in json.loads(pair.path("a").with_name("a.db" + kept).read_text()).values():
            assert key not in words(path)


def test_what_a_pack_relays_is_believed_no_further_than_its_maker_believes_it(pair: Pair) -> None:
    a, b, c = pair.memory("a", "ben"), pair.memory("b"), pair.memory("c")
    pair.trusting(b, a, "agent")
    pair.trusting(c, b, "person")
    agent = pair.memory("c", "coder", "agent", owner="cem")
    wet = agent.remember(subject="hull", predicate="status", object="wet")
    dry = a.remember(subject="hull", predicate="status", object="dry")
    pair.send(a, b)
    path, _ = packed(pair, b, scopes=[SCOPE])
    c.ledger.take_in(path)
    assert [c.read(r).item.status for r in (wet.record_id, dry.record_id)] == ["disputed", "disputed"]


def test_evidence_that_is_not_packed_is_named_and_the_claim_waits_for_it(pair: Pair) -> None:
    a, b = pair.memory("a"), pair.memory("b")
    pair.trusting(b, a)
    everywhere = pair.memory("a", scope="space:")
    talk = everywhere.capture("Noor said the hull is dry.", speaker="Noor")
    fact = a.remember(
        subject="hull", predicate="status", object="dry", evidence=[firsthand.cite(talk.record_id, quote="hull is dry")]
    )
    report = a.ledger.pack(pair.folder / "p", scopes=[SCOPE])
    (missing,) = report.left_out
    assert (missing.reason, missing.ids) == ("evidence_not_packed", (talk.record_id,))
    b.ledger.take_in(pair.folder / "p")
    assert b.read(fact.record_id).item.status == "pending_evidence"
    assert look(pair.path("b"), "SELECT count(*) FROM refusal") == [(0,)]


def test_the_saying_of_what_is_withdrawn_is_out_of_sight_with_it_and_comes_back_with_it(pair: Pair) -> None:
    """The saying that `remember` makes of its own words; what was said beside it stays."""
    memory = pair.memory("a")
    told = memory.remember("Noor's sister Wilhelmina lives in Kaunas")
    talk = memory.capture("Wilhelmina lives in Kaunas, says Noor.", speaker="Noor")
    utterance = memory.read(str(told.record_id)).supports[0].citation
    assert utterance is not None
    assert "Kaunas" in memory.read(utterance.record_id).item.text
    memory.withdraw(str(told.record_id), reason="forget that")
    folder, left_out = packed(pair, memory, scopes=[memory.scope])
    assert "sister" not in words(folder)
    assert "says Noor" in words(folder)
    assert left_out["hidden"] >= 2
    other = pair.memory("a", actor="cleo", owner="cleo", role="agent")
    for quote in (None, "Kaunas", "Vilnius"):
        with pytest.raises(firsthand.AbsentError):
            memory.read(utterance.record_id)
        with pytest.raises(firsthand.AbsentError) as absent:
            other.remember("A note on lunch", evidence=[firsthand.cite(utterance.record_id, quote=quote)])
        assert absent.value.field == "evidence"
    assert other.remember("A note on tea", evidence=[firsthand.cite(str(talk.record_id), quote="Kaunas")]).record_id
    assert memory.read(str(talk.record_id)).item.text
    memory.restore(str(told.record_id), reason="it may be known")
    assert "Kaunas" in memory.read(utterance.record_id).item.text
    folder, _ = packed(pair, memory, "again", scopes=[memory.scope])
    assert "sister" in words(folder)
