"""A name that a scope knows is a mention wherever and however it is written."""

from __future__ import annotations

from pathlib import Path

import firsthand
from firsthand import Alias, Entity


def mentioned_by(memory: firsthand.Memory, record_id: str) -> set[str]:
    return {r.record_id for r in memory.read(record_id).relations if (r.relation, r.direction) == ("mentions", "out")}


def test_an_alias_in_lower_case_is_a_mention_of_its_entity_and_an_unknown_word_is_none(tmp_path: Path) -> None:
    with firsthand.open(tmp_path / "m.db", scope="project:orion", actor="ana", role="person") as memory:
        entity = memory.remember(payload=Entity(canonical_name="PostgreSQL", aliases=(Alias(value="pg"),)))
        known = memory.capture("pg is slow today, and so is the proxy")
        unknown = memory.capture("the proxy is slow today")
        assert entity.record_id is not None
        assert mentioned_by(memory, known.record_id or "") == {entity.record_id}
        assert mentioned_by(memory, unknown.record_id or "") == set()


def test_a_name_of_two_words_is_found_and_a_rebuild_finds_it_again(tmp_path: Path) -> None:
    with firsthand.open(tmp_path / "m.db", scope="project:orion", actor="ana", role="person") as memory:
        entity = memory.remember(payload=Entity(canonical_name="billing worker"))
        talk = memory.capture("yesterday the billing worker ran out of memory")
        assert mentioned_by(memory, talk.record_id or "") == {entity.record_id}
        assert memory.ledger.rebuild().same
        assert mentioned_by(memory, talk.record_id or "") == {entity.record_id}


def test_a_name_known_in_one_scope_is_no_mention_in_another(tmp_path: Path) -> None:
    with firsthand.open(tmp_path / "m.db", scope="project:orion", actor="ana", role="person") as memory:
        memory.remember(payload=Entity(canonical_name="PostgreSQL", aliases=(Alias(value="pg"),)))
        elsewhere = memory.at(scope="project:vega")
        talk = elsewhere.capture("pg is slow today")
        assert mentioned_by(elsewhere, talk.record_id or "") == set()
        assert mentioned_by(memory, memory.capture("pg is slow today").record_id or "") != set()
