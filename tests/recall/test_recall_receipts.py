"""Receipts of recalls, explanations of answers, and arms that fail."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from stores import DAY, START, Ticking, everything, matched_counts, opened, reader_of, said, texts, withdraw

from firsthand.recall import arms
from firsthand.store.sqlite_read import SqliteReader
from firsthand.vocabulary.errors import AbsentError, DeniedError
from firsthand.vocabulary.grants import Grant


def broken(*_: Any, **__: Any) -> Any:
    raise RuntimeError("a damaged index page")


# ---- arms that fail --------------------------------------------------------------------------------------------------


def test_an_arm_that_fails_says_so_and_the_others_still_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path) as memory:
        memory.remember("Felix keeps an old violin", subject="Felix", predicate="owns", object="old violin")
        assert memory.recall("Felix violin").degraded == ()
        with monkeypatch.context() as patch:
            patch.setattr(SqliteReader, "postings", broken)
            packet = memory.at(scope="project:orion")  # a fresh look: what was read before would still answer
            packet._engine.first = None
            found = packet.recall("Felix violin string")
            assert texts(found) == ["Felix keeps an old violin"]
            assert found.degraded == ("lexical_arm_failed",)
            assert "Degraded: lexical_arm_failed." in found.render()
            matched_counts(found)
            empty = packet.recall("zebra crossing")
            assert (empty.items, empty.why_empty) == ((), "arm_down")
        with monkeypatch.context() as patch:
            patch.setattr(SqliteReader, "known_names", broken)
            found = memory.recall("Felix violin")
            assert texts(found) == ["Felix keeps an old violin"]
            assert "entity_arm_failed" in found.degraded
        with monkeypatch.context() as patch:
            patch.setattr(arms, "_recent", broken)
            found = memory.recall("")
            assert (found.items, found.why_empty) == ((), "arm_down")
            assert "recent_arm_failed" in found.degraded
        assert texts(memory.recall("")) == ["Felix keeps an old violin"]
        assert memory.recall("zebra crossing").why_empty == "nothing_matched"


def test_a_search_that_the_gate_keeps_empty_widens_and_says_when_it_gives_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path, Ticking(START + 100 * DAY)) as memory:
        old = {"valid_from": START, "valid_to": START + 2 * DAY}
        memory.remember("Gate code is zero today", **old)
        memory.remember_many(
            {"statement": f"Gate code is {n} today", "valid_from": START + 50 * DAY} for n in range(150)
        )
        then = memory.recall("gate code today", kinds=["semantic"], valid_at=START + DAY)
        assert texts(then) == ["Gate code is zero today"]
        assert then.degraded == ()
        monkeypatch.setattr("firsthand.recall.pipeline.WIDEST", 100)
        capped = memory.recall("gate code today", kinds=["semantic"], valid_at=START + DAY)
        assert "lexical_arm_capped" in capped.degraded


# ---- receipts --------------------------------------------------------------------------------------------------------


def journal(memory: Any, recall_id: str) -> list[str] | None:
    memory._engine.gateway.journal.flush()
    with memory._engine.store.reading(memory.space) as reader:
        return reader.delivery(recall_id)


def test_a_receipt_holds_what_was_delivered_in_rank_order_and_the_packets_nonce(tmp_path: Path) -> None:
    with opened(tmp_path) as ana, opened(tmp_path, Ticking(START + DAY), actor="ben") as ben:
        for who, when in ((ana, "2026-03-01"), (ben, "2026-04-01")):
            who.remember(f"Orion is due {when}", subject="orion", predicate="deadline", object=when)
        ana.capture("Orion has a deadline, people say")
        ana.capture("Orion is a name for a deadline that is due")
        packet = ana.recall("orion deadline due")
        assert packet.conflicts
        assert len(packet.items) == 2
        delivered = journal(ana, packet.recall_id)
        assert delivered is not None
        assert sorted(delivered) == sorted({i.record_id for i in everything(packet)})
        shown = [i.record_id for i in packet.items]
        assert [r for r in delivered if r in shown] == shown
        assert ana._handle.keyed.is_fence(packet.nonce)
        assert not ana._handle.keyed.is_fence("0" * 16)
        other = ana.recall("orion deadline due")
        assert other.recall_id != packet.recall_id
        assert other.nonce != packet.nonce
        assert journal(ana, "q" + "0" * 20) is None


def test_recall_without_receipts_leaves_none_and_explain_never_does(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        record = memory.capture("pomegranates").record_id or ""
        kept = memory.recall("pomegranates")
        assert memory.facts()["receipts"] == 1
        memory.explain("pomegranates", record)
        assert memory.facts()["receipts"] == 1
        assert journal(memory, kept.recall_id) == [record]
    with opened(tmp_path, receipts=False) as quiet:
        left = quiet.recall("pomegranates")
        assert left.returned == 1
        assert quiet.facts()["receipts"] == 1
        assert journal(quiet, left.recall_id) is None


def test_feedback_on_a_receipt_moves_the_salience_of_what_it_delivered_only(tmp_path: Path) -> None:
    clock = Ticking()
    with opened(tmp_path, clock) as memory:
        good = memory.capture("pomegranates are sweet").record_id or ""
        other = memory.capture("pomegranates are red").record_id or ""
        strange = memory.capture("kangaroos hop").record_id or ""
        clock.at += 2 * DAY
        packet = memory.recall("pomegranates taste")
        before = {i.record_id: i.salience for i in packet.items}
        memory.feedback(packet.recall_id, used=[good], outcome="helped")
        after = {i.record_id: i.salience for i in memory.recall("pomegranates taste").items}
        assert after[good] > before[good]
        assert after[other] == before[other]
        with pytest.raises(AbsentError):
            memory.feedback(packet.recall_id, used=[strange])
        with pytest.raises(AbsentError):
            memory.feedback("q" + "0" * 20)


# ---- explanations ----------------------------------------------------------------------------------------------------


def test_explain_gives_arm_and_rank_or_the_first_reason_against(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        ids = [memory.capture(f"pomegranates number {n} {'and seeds ' * 30}").record_id or "" for n in range(6)]
        alone = memory.capture("a kangaroo hopped").record_id or ""
        guess = memory.remember("Kangaroos may swim", basis="inferred")
        whole = memory.capture("Pomegranates grow in Lyon").record_id or ""
        memory.remember(
            "Pomegranates grow in Lyon", evidence=[{"record_id": whole, "quote": "Pomegranates grow in Lyon"}]
        )
        best = memory.explain("pomegranates number 3", ids[3])
        assert (best.returned, best.reason, best.rank) == (True, "returned", 1)
        assert ("lexical", 1) in {(w.arm, w.rank) for w in best.why}
        assert best.contributions["own"] > 0
        query = "pomegranates number seeds"
        cut = memory.explain(query, ids[0], limit=2)
        assert (cut.returned, cut.reason) == (False, "cut_by_rank")
        assert cut.rank is not None
        assert cut.rank > 2
        assert memory.explain(query, ids[0], limit=8, max_bytes=1500).reason == "cut_by_budget"
        assert memory.explain(query, alone).reason == "no_match"
        assert memory.explain("pomegranates grow Lyon", whole).reason == "grouped"
        assert memory.explain("kangaroos swim", guess.record_id or "").reason == "gated"
        assert memory.explain("a kangaroo hopped", alone, kinds=["semantic"]).returned is False
        assert memory.explain("kangaroo", alone, scopes=["space:"]).reason == "no_match"
    with reader_of(tmp_path) as helper:
        assert helper.explain("kangaroos swim", guess.record_id or "").reason == "no_match"


def test_explain_says_what_became_of_a_record_that_nobody_says_any_more(tmp_path: Path) -> None:
    """Also to who has no audit grant: whoever may read a record is told its standing by `read` as well."""
    with opened(tmp_path) as memory:
        hull = {"subject": "hull", "predicate": "colour"}
        taken = memory.remember("the hull is blue", **hull, object="blue")
        kept = memory.remember("the sail is blue", subject="sail", predicate="colour", object="blue")
        memory.retract(taken.record_id, reason="it is green")
        hidden = memory.remember("the keel is blue", subject="keel", predicate="colour", object="blue")
        withdraw(memory, hidden.record_id or "")
        assert memory.explain("which hull is blue", taken.record_id or "").reason == "retracted"
        assert memory.explain("which sail is blue", kept.record_id or "").reason == "returned"
        then = memory.explain("which hull is blue", taken.record_id or "", known_at=taken.known_at)
        assert then.reason == "returned"
    with reader_of(tmp_path) as helper:
        assert helper.explain("which hull is blue", taken.record_id or "").reason == "retracted"
        assert helper.read(taken.record_id or "").item.status == "retracted"
        assert helper.explain("zebra", taken.record_id or "", known_at=taken.known_at).reason == "no_match"
        with pytest.raises(AbsentError):
            helper.explain("which keel is blue", hidden.record_id or "")


def test_what_may_not_be_read_is_explained_like_what_does_not_exist(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        seen = memory.capture("pomegranates are sweet").record_id or ""
        above = memory.capture("pomegranates are secret", sensitivity="high").record_id or ""
        gone = memory.capture("pomegranates are gone").record_id or ""
        elsewhere = memory.at(scope="user:ana").capture("pomegranates of mine").record_id or ""
        withdraw(memory, gone)
    with reader_of(tmp_path, read=frozenset({"project:orion"})) as helper:
        assert helper.explain("pomegranates", seen).returned
        messages: set[tuple[str, str]] = set()
        for record in (above, gone, elsewhere, "r" + "0" * 40):
            with pytest.raises(AbsentError) as error:
                helper.explain("pomegranates", record)
            messages.add((error.value.code, error.value.message))
        assert len(messages) == 1
        assert said(helper.recall("pomegranates")) == {"pomegranates are sweet"}
    with opened(tmp_path, grant=Grant(verbs=frozenset({"recall"}))) as narrow:
        assert narrow.recall("pomegranates").returned
        with pytest.raises(DeniedError):
            narrow.explain("pomegranates", seen)
