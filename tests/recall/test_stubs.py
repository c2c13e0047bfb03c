"""A record just above the clearance may be known to be there, by its id and where the grant says so; nothing more."""

from __future__ import annotations

from pathlib import Path

import pytest
from stores import opened

import firsthand
from firsthand import Grant
from firsthand.memory import Memory

LEVELS = ("low", "medium", "high", "hyper")


def clerk(path: Path, **given: object) -> Memory:
    """Somebody who reads only what is of low sensitivity."""
    grant = Grant(**{"clearance": "low", "stubs": True, **given})  # type: ignore[arg-type]
    return opened(path, actor="clerk", grant=grant)


@pytest.fixture
def written(tmp_path: Path) -> dict[str, str]:
    """A secret of each level."""
    with opened(tmp_path) as memory:
        return {
            level: str(memory.remember(f"The {level} figure is zebra {level}", sensitivity=level).record_id)  # type: ignore[arg-type]
            for level in LEVELS
        }


def test_it_tells_how_a_record_one_level_above_stands_and_no_word_of_it(
    tmp_path: Path, written: dict[str, str]
) -> None:
    with clerk(tmp_path) as memory:
        stub = memory.stub(written["medium"])
        assert (stub.record_id, stub.kind, stub.status, stub.sensitivity) == (
            written["medium"], "semantic", "active", "medium",
        )  # fmt: skip
        assert stub.recorded_at <= stub.believed_since
        assert "zebra" not in repr(stub)
        assert "zebra low" in memory.read(written["low"]).item.text
        assert memory.stub(written["low"]).sensitivity == "low"
        with pytest.raises(firsthand.AbsentError):
            memory.read(written["medium"])
        assert [i.record_id for i in memory.recall("zebra medium figure").items] == [written["low"]]


def test_what_is_further_above_or_hidden_or_elsewhere_is_as_absent_as_what_is_not_there(
    tmp_path: Path, written: dict[str, str]
) -> None:
    with opened(tmp_path) as memory:
        gone = memory.remember("The withdrawn figure is zebra", sensitivity="medium")
        memory.withdraw(str(gone.record_id), reason="not for the office")
        elsewhere = memory.at(scope="project:elsewhere").remember("A figure elsewhere is zebra", sensitivity="medium")
    codes: list[str] = []
    for record_id in (written["high"], written["hyper"], str(gone.record_id), str(elsewhere.record_id), "r" + "0" * 40):
        with (
            clerk(tmp_path, read=frozenset({memory.scope})) as low,
            pytest.raises(firsthand.AbsentError) as absent,
        ):
            low.stub(record_id)
        codes.append(str(absent.value))
    assert len(set(codes)) == 1
    with clerk(tmp_path, read=frozenset({memory.scope})) as low:
        assert low.stub(written["medium"]).kind == "semantic"


def test_without_the_grant_there_are_no_stubs(tmp_path: Path, written: dict[str, str]) -> None:
    with clerk(tmp_path, stubs=False) as memory:
        with pytest.raises(firsthand.AbsentError):
            memory.stub(written["medium"])
        assert memory.stub(written["low"]).status == "active"
