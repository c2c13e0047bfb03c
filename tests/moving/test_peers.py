"""What comes from another store counts as far as its registration says, and no further."""

from __future__ import annotations

from typing import Any

import pytest
from pairs import Pair, accounted, believed, erase, everything, forged, unwritten, write

import firsthand
from firsthand.rules.identity import Keyed
from firsthand.vocabulary.entries import Body, Define, Reject, Tombstone


def test_a_store_is_registered_by_its_key_and_believed_as_an_agent_unless_more_is_said(pair: Pair) -> None:
    a, b = pair.memory("a"), pair.memory("b")
    view = b.peers.register(a.peers.own().key, name="the laptop")
    assert (view.device, view.trust, view.name) == (a.peers.own().device, "agent", "the laptop")
    head = b.ledger.head()
    assert b.peers.register(a.peers.own().key, name="the laptop") == view
    assert b.ledger.head() == head, "the same again is no entry"
    b.peers.register(a.peers.own().key, trust="person")
    assert [p.trust for p in b.peers.list()] == ["person"]
    assert b.peers.remove(view.device).trust == "none"


def test_what_is_no_key_or_no_trust_or_its_own_is_refused(pair: Pair) -> None:
    b = pair.memory("b")
    for key, more, code in (
        ("00", {}, "key_invalid"),
        ("g" * 64, {}, "key_invalid"),
        (7, {}, "key_invalid"),
        ("00" * 32, {"trust": "god"}, "trust_unknown"),
        (b.peers.own().key, {}, "own_device"),
    ):
        with pytest.raises(firsthand.InvalidError) as caught:
            b.peers.register(key, **more)
        assert caught.value.code == code
    with pytest.raises(firsthand.AbsentError):
        b.peers.remove("d" + "0" * 40)


def rival(pair: Pair, trust: Any) -> tuple[Any, str, str]:
    """Here an agent says wet; there a person says dry: who wins says how far that person is believed."""
    a, b = pair.memory("a", "ben"), pair.memory("b")
    pair.trusting(b, a, trust)
    agent = pair.memory("b", "coder", "agent", owner="cem")
    wet = agent.remember(subject="hull", predicate="status", object="wet")
    dry = a.remember(subject="hull", predicate="status", object="dry")
    pair.send(a, b)
    return b, wet.record_id, dry.record_id


def statuses(memory: Any, *records: str) -> list[str]:
    return [memory.read(r).item.status for r in records]


def test_a_person_there_is_a_person_here_only_if_the_registration_says_so(pair: Pair) -> None:
    b, wet, dry = rival(pair, "agent")
    assert statuses(b, wet, dry) == ["disputed", "disputed"]
    assert b.ledger.verify(deep=True).deep


def test_a_person_there_outranks_an_agent_here_if_the_registration_says_so(pair: Pair) -> None:
    b, wet, dry = rival(pair, "person")
    assert statuses(b, wet, dry) == ["needs_review", "active"]


def test_another_registration_settles_anew_what_is_here_already_and_history_keeps_what_was_believed(pair: Pair) -> None:
    b, wet, dry = rival(pair, "agent")
    (device,) = [p.device for p in b.peers.list()]
    before = b.ledger.head().received_at
    b.peers.register(b.peers.list()[0].key, trust="person")
    assert statuses(b, wet, dry) == ["needs_review", "active"]
    assert {i.text for c in b.recall("hull status", known_at=before).conflicts for i in c.items} == {
        "hull status wet", "hull status dry"
    }  # fmt: skip
    b.peers.remove(device)
    assert statuses(b, wet) == ["active"]
    assert [i.text for i in b.recall("hull status", kinds=["semantic"]).items] == ["hull status wet"]
    b.peers.register(b.peers.list()[0].key, trust="agent")
    assert statuses(b, wet, dry) == ["disputed", "disputed"]
    assert b.ledger.verify(deep=True).deep
    assert b.ledger.rebuild().same


def stone_on(memory: Any, subject: str, value: str) -> Reject:
    keyed: Keyed = memory._handle.keyed
    from firsthand.vocabulary.records import TypedValue

    return Reject(
        tombstone=Tombstone(
            value=keyed.value(TypedValue(type="string", value=value)), subject=keyed.name(subject),
            predicate=keyed.predicate("uses", "many"), absolute=True,
        )
    )  # fmt: skip


@pytest.mark.parametrize(("trust", "binds"), [("agent", False), ("person", True)])
def test_a_rejection_there_binds_here_only_with_a_person_behind_it(trust: Any, binds: bool, pair: Pair) -> None:
    a, b = pair.memory("a"), pair.memory("b")
    pair.trusting(b, a, trust)
    fact = b.remember(subject="hull", predicate="uses", object="tar")
    write(a, stone_on(b, "hull", "tar"))
    pair.send(a, b)
    assert b.read(fact.record_id).item.status == "active" if not binds else b.recall("hull tar").items == ()
    assert b.ledger.verify(deep=True).deep


def test_an_erasure_by_a_store_that_vouches_for_no_person_destroys_nothing_but_its_own(pair: Pair) -> None:
    a, b = pair.memory("a"), pair.memory("b")
    pair.trusting(a, b)
    pair.trusting(b, a, "agent")
    ours = b.capture("The hull is dry.")
    pair.send(b, a)
    theirs = a.capture("The zqxword is here.")
    pair.send(a, b)
    erase(a, ours.record_id, theirs.record_id)
    report = pair.send(a, b)
    assert report.erased_here == 1
    assert b.read(ours.record_id).item.text == "The hull is dry."
    assert "zqxword" not in str(everything(pair.path("b")))
    assert b.ledger.verify(deep=True).deep
    pair.trusting(b, a, "person")
    again = pair.send(a, b)
    assert (again.added, again.erased_here) == (0, 1), "believed further now, its erasure reaches what is ours"
    assert "The hull is dry." not in str(everything(pair.path("b")))
    assert b.ledger.verify(deep=True).deep


def test_who_is_believed_here_is_decided_here(pair: Pair) -> None:
    a, b = pair.memory("a", policy="strict"), pair.memory("b")
    pair.trusting(b, a)
    agent = pair.memory("b", "coder", "agent", owner="cem")
    fact = agent.remember(subject="hull", predicate="uses", object="tar")
    assert pair.send(a, b).quarantined == ()
    assert b.read(fact.record_id).item.status == "active"
    later = agent.remember(subject="mast", predicate="uses", object="tar")
    assert b.read(later.record_id).item.tier == "validated_claim"
    assert b.ledger.verify(deep=True).deep


def test_nobody_vouches_for_more_than_he_believes_himself(pair: Pair) -> None:
    a, b, c = pair.memory("a", "ben"), pair.memory("b"), pair.memory("c")
    pair.trusting(b, a, "agent")
    pair.trusting(c, b, "person")
    agent = pair.memory("c", "coder", "agent", owner="cem")
    wet = agent.remember(subject="hull", predicate="status", object="wet")
    dry = a.remember(subject="hull", predicate="status", object="dry")
    pair.send(a, b)
    pair.send(b, c)
    assert statuses(c, wet.record_id, dry.record_id) == ["disputed", "disputed"]
    pair.trusting(c, a, "person")
    assert pair.send(a, c).added == 0
    assert statuses(c, wet.record_id, dry.record_id) == ["needs_review", "active"]
    assert c.ledger.verify(deep=True).deep


def test_what_a_store_says_of_its_own_peers_is_not_taken_over(pair: Pair) -> None:
    a, b = pair.memory("a"), pair.memory("b")
    pair.trusting(b, a)
    a.capture("The hull is dry.")
    registration = unwritten(a, Define(what="peer", id="d" + "0" * 40, key="11" * 32, trust="person"), Body())
    claimed = unwritten(a, Define(what="arrival", id="d" + "0" * 40, entries=("e" + "0" * 40,)), Body())
    rows = [row._replace(received_at=2**60 + i) for i, row in enumerate((registration, claimed))]
    report = accounted(b.ledger.take_in(forged(pair.export(a), a, lambda old: [*old, *rows])))
    assert report.local == 2
    assert [p.device for p in b.peers.list()] == [a.peers.own().device]


def test_two_stores_that_believe_each_other_alike_agree_whichever_sent_first(pair: Pair) -> None:
    a, b = pair.memory("a", "ben"), pair.memory("b", "ana")
    pair.trusting(a, b)
    pair.trusting(b, a)
    one = a.remember(subject="hull", predicate="status", object="dry")
    b.remember(subject="hull", predicate="status", object="wet")
    pair.send(a, b)
    b.retract(one.record_id, reason="not so")
    pair.send(b, a)
    pair.send(a, b)
    assert believed(pair.path("a")) == believed(pair.path("b"))
