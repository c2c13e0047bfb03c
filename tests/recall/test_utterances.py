"""What was stored only to be cited is read by its id, and never stands beside or instead of its claim."""

from __future__ import annotations

from pathlib import Path

import firsthand


def test_a_claim_without_evidence_comes_once_with_its_words_as_citation(tmp_path: Path) -> None:
    with firsthand.open(tmp_path / "m.db", scope="project:orion", actor="ana", role="person") as memory:
        fact = memory.remember("the mail service listens on port 2525")
        (item,) = memory.recall("which port does the mail service use").items
        assert item.record_id == fact.record_id
        assert item.citations[0].record_id == fact.evidence_id
        assert memory.read(fact.evidence_id or "").item.text == "the mail service listens on port 2525"
        assert [i.record_id for i in memory.list().items] == [fact.record_id]


def test_a_retracted_claim_does_not_come_back_as_its_own_utterance(tmp_path: Path) -> None:
    with firsthand.open(tmp_path / "m.db", scope="project:orion", actor="ana", role="person") as memory:
        memory.capture("the mail service was slow today")
        fact = memory.remember("the mail service listens on port 2525")
        memory.retract(fact.record_id, reason="it does not")
        found = memory.recall("which port does the mail service use").items
        assert [i.text for i in found] == ["the mail service was slow today"]
        past = memory.recall("which port does the mail service use", known_at=fact.known_at).items
        assert fact.record_id in {i.record_id for i in past}


def test_a_guess_is_not_recalled_by_its_utterance(tmp_path: Path) -> None:
    with firsthand.open(tmp_path / "m.db", scope="project:orion", actor="bot", role="agent") as memory:
        guess = memory.remember("Ana may be on holiday", basis="inferred")
        assert memory.recall("is Ana on holiday?").items == ()
        asked = memory.recall("is Ana on holiday?", include=["candidates"]).items
        assert [i.record_id for i in asked] == [guess.record_id]


def test_an_utterance_is_nobodys_news_even_where_more_is_asked_for(tmp_path: Path) -> None:
    with firsthand.open(tmp_path / "m.db", scope="project:orion", actor="bot", role="agent") as memory:
        guess = memory.remember("Ana may be on holiday", basis="inferred")
        assert [i.record_id for i in memory.list(include=["candidates"]).items] == [guess.record_id]
        assert [i.record_id for i in memory.recall("", include=["candidates"]).items] == [guess.record_id]
