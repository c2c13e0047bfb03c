"""Reads by id, in pages and through history: the same gate as recall."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from stores import DAY, START, Ticking, erase, opened, reader_of, reject, withdraw

from firsthand.capture import shape
from firsthand.vocabulary.errors import AbsentError, InvalidError


def test_a_page_lists_each_record_once_newest_first_until_there_are_no_more(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        written = [memory.capture(f"note {n}").record_id for n in range(23)]
        changed = memory.remember(subject="orion", predicate="deadline", object="2026-03-01")
        memory.correct(changed.record_id, object="2026-04-01", reason="typo")
        hidden = memory.capture("hush")
        withdraw(memory, hidden.record_id or "")
        seen: list[str] = []
        cursor = None
        for _ in range(30):
            page = memory.list(limit=5, cursor=cursor, kinds=["episodic"])
            seen += [i.record_id for i in page.items]
            cursor = page.cursor
            if cursor is None:
                break
        assert [r for r in seen if r in written] == written[::-1]
        assert len(seen) == len(set(seen))
        assert hidden.record_id not in seen
        (claim,) = memory.list(kinds=["semantic"]).items
        assert (claim.record_id, claim.text) == (changed.record_id, "orion deadline 2026-04-01")
        for wrong in ("x", "-1", "9" * 19, 7):
            with pytest.raises(InvalidError):
                memory.list(cursor=wrong)  # type: ignore[arg-type]


def test_a_page_brings_guesses_only_when_they_are_asked_for(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.remember("It may rain", basis="inferred")
        memory.remember("It is warm")
        assert [i.text for i in memory.list(kinds=["semantic"]).items] == ["It is warm"]
        both = memory.list(kinds=["semantic"], include=["candidates"]).items
        assert [i.text for i in both] == ["It is warm", "It may rain"]


def test_a_record_is_read_with_its_supports_relations_and_heads(tmp_path: Path) -> None:
    with opened(tmp_path) as memory, opened(tmp_path, Ticking(START + DAY), actor="ben") as ben:
        first = memory.remember("Falcon is due", subject="Falcon", predicate="deadline", object="2026-03-01")
        second = ben.remember(subject="Falcon", predicate="deadline", object="2026-03-01")
        other = memory.capture("Falcon has a cousin called Kite")
        memory.relate(first.record_id or "", "see_also", other.record_id or "", reason="kin")
        view = memory.read(first.record_id or "")
        assert {s.citation.record_id for s in view.supports if s.citation} == {first.evidence_id, second.evidence_id}
        assert all(s.live for s in view.supports)
        assert {s.source for s in view.supports} == {"ana", "ben"}
        assert ("see_also", other.record_id, "out") in {(r.relation, r.record_id, r.direction) for r in view.relations}
        (entity,) = memory.list(kinds=["entity"]).items
        assert ("mentions", entity.record_id, "out") in {(r.relation, r.record_id, r.direction) for r in view.relations}
        named = {(r.relation, r.record_id, r.direction) for r in memory.read(entity.record_id).relations}
        assert {("mentions", first.record_id, "in"), ("mentions", other.record_id, "in")} <= named
        assert view.heads == (first.entry_id,)
        assert view.item.supports == 2


@pytest.mark.parametrize("lock", [withdraw, reject, erase])
def test_what_is_locked_is_absent_by_id_and_leaves_no_relation(tmp_path: Path, lock) -> None:
    with opened(tmp_path) as memory:
        kept = memory.capture("We start here")
        locked = memory.remember("The vault is open")
        memory.relate(kept.record_id or "", "next", locked.record_id or "", reason="chain")
        assert memory.read(locked.record_id or "").item.text == "The vault is open"
        assert [r.record_id for r in memory.read(kept.record_id or "").relations] == [locked.record_id]
        lock(memory, locked.record_id or "")
        with pytest.raises(AbsentError):
            memory.read(locked.record_id or "")
        assert memory.read(kept.record_id or "").relations == ()
        with pytest.raises(AbsentError):
            memory.history(locked.record_id or "")


def test_history_tells_every_entry_and_every_state_in_pages_and_only_to_those_who_may_know(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        made = memory.remember("Orion is due in March", subject="orion", predicate="deadline", object="2026-03-01")
        for month in (4, 5, 6):
            memory.correct(made.record_id, object=f"2026-0{month}-01", reason=f"moved to month {month}")
        whole = memory.history(made.record_id or "")
        assert [e.reason for e in whole.entries] == [None, "moved to month 4", "moved to month 5", "moved to month 6"]
        assert whole.entries[0].text == "Orion is due in March"
        assert whole.cursor is None
        assert {b.text for b in whole.beliefs} >= {"Orion is due in March"}
        assert [b.known_to for b in whole.beliefs].count(None) >= 1
        paged: list[str] = []
        cursor = None
        for _ in range(10):
            page = memory.history(made.record_id or "", limit=1, cursor=cursor)
            paged += [e.entry_id for e in page.entries]
            assert bool(page.beliefs) == (cursor is None)
            cursor = page.cursor
            if cursor is None:
                break
        assert paged == [e.entry_id for e in whole.entries]
        memory.classify(made.record_id or "", "high", reason="secret")
    with reader_of(tmp_path) as helper, pytest.raises(AbsentError):
        helper.history(made.record_id or "")


def test_a_short_id_finds_what_was_taken_back_too_and_one_too_short_is_invalid(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        kept, gone = (memory.remember(f"staging listens on {port}").record_id or "" for port in (8080, 9090))
        memory.retract(gone, reason="wrong host")
        assert (memory.find(kept[:8]), memory.find(gone[:8])) == (kept, gone)
        other = next(r for r in ("r" + digit * 12 for digit in "0123") if r[:8] not in (kept[:8], gone[:8]))
        with pytest.raises(AbsentError):
            memory.find(other)
        with pytest.raises(InvalidError) as caught:
            memory.find(kept[:7])
        assert caught.value.code == "id_too_short"


def test_a_short_id_that_begins_several_is_ambiguous_to_those_who_may_read_several(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shape, "_RECORD_ID_START", re.compile("r[0-9a-f]*"))
    with opened(tmp_path) as memory:
        open_ = memory.capture("the door is red").record_id
        hidden = memory.capture("the safe is blue").record_id or ""
        with pytest.raises(InvalidError) as caught:
            memory.find("r")
        assert caught.value.code == "id_ambiguous"
        withdraw(memory, hidden)
        assert memory.find("r") == open_
