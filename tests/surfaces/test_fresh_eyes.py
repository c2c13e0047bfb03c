"""What a newcomer tripped over, once."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import firsthand
from firsthand import cite
from firsthand.surfaces.cli import app


@pytest.fixture
def memory(tmp_path: Path) -> firsthand.Memory:
    return firsthand.open(tmp_path / "m.db", scope="project:orion", actor="ana", role="person")


def run(folder: Path, *words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["--db", str(folder / "m.db"), "--scope", "project:orion", *words])
    return result.exit_code, result.output


def retracted(memory: firsthand.Memory) -> str:
    fact = memory.remember(subject="staging", predicate="port", object=8080)
    memory.retract(fact.record_id, reason="wrong host")
    return fact.record_id or ""


def test_explain_and_history_tell_of_a_retracted_record_by_a_short_id(memory: firsthand.Memory, tmp_path: Path) -> None:
    record_id = retracted(memory)
    assert memory.explain("staging port", record_id).reason != "returned"
    code, said = run(tmp_path, "explain", "staging port", record_id[:13])
    assert (code, "KeyError" in said) == (0, False)
    code, said = run(tmp_path, "history", record_id[:8])
    assert (code, "wrong host" in said) == (0, True)


def test_a_short_id_that_begins_no_record_is_absent_and_one_too_short_invalid(memory: firsthand.Memory) -> None:
    record_id = retracted(memory)
    assert memory.find(record_id[:8]) == record_id
    other = "r" + ("0" if record_id[1] != "0" else "1") * 12
    with pytest.raises(firsthand.AbsentError):
        memory.find(other)
    with pytest.raises(firsthand.InvalidError):
        memory.find(record_id[:7])


def test_what_was_said_before_a_correction_says_so_at_every_instant_that_knew_of_it(memory: firsthand.Memory) -> None:
    said = memory.capture("The port is 8080 on staging")
    quote = cite(said.record_id or "", quote="port is 8080")
    fact = memory.remember("staging port is 8080", subject="staging", predicate="port", object=8080, evidence=[quote])
    fixed = memory.correct(fact.record_id, object=9090, reason="typo")
    codes = {}
    for name, at in (("before", fact.known_at), ("after", fixed.known_at), ("now", None)):
        items = memory.recall("port staging", known_at=at).items
        codes[name] = next(i.qualifier.code for i in items if i.record_id == said.record_id)
    assert codes == {"before": "current", "after": "said_then", "now": "said_then"}


def test_a_change_cannot_end_a_value_before_it_began(memory: firsthand.Memory) -> None:
    red = memory.remember(subject="door", predicate="status", object="red", valid_from="2026-05-01")
    with pytest.raises(firsthand.InvalidError) as caught:
        memory.change(red.record_id, object="blue", since="2026-01-01", reason="painted")
    assert caught.value.code == "since_before_start"
    assert memory.change(red.record_id, object="blue", since="2026-06-01", reason="painted").outcome == "stored"


def test_a_corrected_claim_quotes_its_own_words_and_keeps_the_reason_apart(memory: firsthand.Memory) -> None:
    fact = memory.remember("auth uses PostgreSQL 16")
    memory.correct(fact.record_id, "auth uses PostgreSQL 15", reason="misread the ticket")
    (item,) = memory.recall("which database does auth use").items
    assert [c.quote for c in item.citations] == ["auth uses PostgreSQL 15"]
    assert "misread the ticket" in [e.reason for e in memory.history(fact.record_id or "").entries]


def test_reading_where_there_is_no_memory_makes_none(tmp_path: Path) -> None:
    code, _ = run(tmp_path, "recall", "anything")
    assert code == 10
    assert list(tmp_path.iterdir()) == []
    assert run(tmp_path, "remember", "the door is red")[0] == 0
    assert (tmp_path / "m.db").exists()


def test_a_word_that_nothing_holds_finds_nothing_and_no_word_the_newest(memory: firsthand.Memory) -> None:
    memory.capture("the door is red")
    assert memory.recall("zebra").items == ()
    assert [i.text for i in memory.recall("").items] == ["the door is red"]


@pytest.mark.parametrize(
    "line",
    [
        "DB_PASSWORD=Xk29dkq0Zp7wq",
        "export API_KEY=Xk29dkq0Zp7wq4tR",
        "password=Xk29dkq0Zp7wq",
        "Authorization: Bearer Xk29dkq0Zp7wq4tRmm1",
    ],
)
def test_a_secret_in_a_settings_line_is_masked(memory: firsthand.Memory, line: str) -> None:
    receipt = memory.capture(f"the settings are\n{line}\nand that is all")
    text = memory.read(receipt.record_id or "").item.text
    assert "Xk29" not in text
    assert text.startswith("the settings are")
    assert text.endswith("and that is all")
    assert len(receipt.maskings) == 1


@pytest.mark.parametrize(
    "line", ["password=changeme", "token=$TOKEN", "key=value", "sort_key=created_at_2", "we set token=abc, then left"]
)
def test_what_only_looks_like_a_setting_stays(memory: firsthand.Memory, line: str) -> None:
    receipt = memory.capture(line)
    assert memory.read(receipt.record_id or "").item.text == line
    assert receipt.maskings == ()


def test_a_rebuild_refuses_a_ledger_that_is_not_what_was_written(memory: firsthand.Memory, tmp_path: Path) -> None:
    memory.capture("the door is red")
    assert memory.ledger.rebuild().same
    writer = memory._engine.store._writer
    writer.execute("DROP TRIGGER entry_no_update")
    writer.execute("UPDATE entry SET chain = 'x' WHERE position = 1")
    with pytest.raises(firsthand.BrokenError) as caught:
        memory.ledger.rebuild()
    assert caught.value.code == "ledger_broken"
