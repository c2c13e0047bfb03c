"""The policy in force belongs to the space, not to who opens it."""

from __future__ import annotations

from pathlib import Path

import pytest

import firsthand
from firsthand.projection import DEFAULT_POLICY
from firsthand.rules.policy import parse_policy
from firsthand.wiring import _policy_text


def agents(path: Path, policy: str | None = None) -> firsthand.Memory:
    return firsthand.open(path, scope="project:orion", actor="claude", role="agent", policy=policy)


def port(memory: firsthand.Memory, service: str) -> firsthand.Receipt:
    return memory.remember(subject=service, predicate="port", object=8080)


def test_a_space_keeps_its_policy_whoever_opens_it(tmp_path: Path) -> None:
    with agents(tmp_path / "m.db", "strict") as memory:
        assert port(memory, "auth").standing.tier == "candidate"
    with agents(tmp_path / "m.db") as memory:
        assert port(memory, "mail").standing.tier == "candidate"
        assert memory.ledger.verify(deep=True).position > 0
        assert memory.ledger.rebuild().same
    with agents(tmp_path / "other.db") as memory:
        assert port(memory, "mail").standing.tier == "validated_claim"


def test_another_policy_settles_everything_anew_and_history_keeps_what_was_believed(tmp_path: Path) -> None:
    with agents(tmp_path / "m.db") as memory:
        before = port(memory, "auth")
        assert [i.record_id for i in memory.recall("auth port").items] == [before.record_id]
    with agents(tmp_path / "m.db", "strict") as memory:
        assert memory.recall("auth port").items == ()
        assert [i.record_id for i in memory.recall("auth port", known_at=before.known_at).items] == [before.record_id]
        assert memory.ledger.verify(deep=True).position > 0
        entries = memory.stats().entries
    with agents(tmp_path / "m.db", "strict") as memory:
        assert memory.stats().entries == entries
    with agents(tmp_path / "m.db", "default") as memory:
        assert [i.record_id for i in memory.recall("auth port").items] == [before.record_id]
        assert memory.ledger.rebuild().same


def test_only_the_operator_of_the_file_sets_its_policy(tmp_path: Path) -> None:
    with pytest.raises(firsthand.DeniedError):
        firsthand.open(tmp_path / "m.db", grant=firsthand.Grant(), policy="strict")
    with agents(tmp_path / "m.db") as memory:
        assert port(memory, "auth").standing.tier == "validated_claim"


def test_the_default_in_code_is_the_default_that_ships() -> None:
    assert parse_policy(_policy_text("default"), str) == DEFAULT_POLICY
    assert parse_policy(_policy_text("strict"), str) != DEFAULT_POLICY
