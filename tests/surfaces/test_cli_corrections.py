"""The revising commands and the review desk, as people and programs see them."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

from firsthand.surfaces import asking
from firsthand.surfaces.cli import app
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.reviews import ReviewItem, ReviewPage

AGENT = ("--actor", "bens-agent", "--role", "agent")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in (
        "XDG_DATA_HOME",
        *(f"FIRSTHAND_{name}" for name in ("DB", "SPACE", "SCOPE", "ACTOR", "OWNER", "ROLE")),
    ):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "firsthand.toml").write_text(
        'db = "memory.db"\nscope = "project:orion"\nactor = "ana"\nrole = "person"\n'
    )
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(app, words)


def ask(*words: str) -> Any:
    result = run(*words, "--json")
    document = json.loads(result.stdout)
    assert result.exit_code == 0, document
    return document


def a_port(number: str = "8080") -> str:
    words = ("remember", f"api port {number}", "--subject", "api", "--predicate", "port", "--object", number)
    return ask(*words)["record_id"]


def told(query: str = "api port") -> list[str]:
    return [i["text"] for i in ask("recall", query, "--kind", "semantic")["items"]]


def test_withdraw_and_restore() -> None:
    record = a_port()
    hidden = run("withdraw", record[:9], "--reason", "not now")
    assert "hidden" in hidden.stdout
    assert "  entry e" in hidden.stdout
    assert told() == []
    assert run("read", record).exit_code == 6
    assert ask("restore", record, "--reason", "now")["standing"]["visibility"] == "visible"
    assert told() == ["api port 8080"]
    assert run("restore", record, "--reason", "now").exit_code == 8


def test_reject_and_lift() -> None:
    record = a_port()
    above = ask("remember", "The firewall opens 8080", "--evidence", record)["record_id"]
    receipt = run("reject", record, "--reason", "never").stdout
    assert f"{above[:9]} fell (pending evidence; 0 supports left, 1 lost): The firewall opens 8080" in receipt
    again = run("remember", "--subject", "api", "--predicate", "port", "--object", "8080")
    assert again.exit_code == 8
    refused = run("refusals")
    assert refused.exit_code == 0
    assert "tombstone_rejected" in refused.stdout
    assert "8080" not in refused.stdout
    entry = receipt.split("entry ")[1].split()[0]
    assert f"{above[:9]} is back" in run("lift", entry, "--reason", "it is so").stdout
    value = ask("reject", "--subject", "api", "--predicate", "uses", "--object", "redis", "--reason", "a rumour")
    assert value["record_id"] is None
    assert run("lift", value["entry_id"], *AGENT, "--reason", "x").exit_code == 5


def test_contest_settle_fork_merge_share_and_undo() -> None:
    record = a_port()
    assert ask("contest", record[:9], "--reason", "I doubt it")["standing"]["status"] == "disputed"
    assert ask("settle", record[:9], "--reason", "measured")["standing"]["status"] == "active"
    fork = ask("fork", "--target", "api port 8080", "--object", "9090", "--if", "env=test", "--reason", "there")
    assert fork["record_id"] != record
    assert run("fork", record, "--object", "1", "--reason", "x").exit_code == 2
    pair = [ask("remember", text)["record_id"] for text in ("The deploy is on Friday", "The deploy is Friday")]
    merged = ask("merge", *pair, "--reason", "the same")
    assert [(e["record_id"], e["what"]) for e in merged["affected"]] == [(pair[1], "ended")]
    assert ask("undo", merged["entry_id"], "--reason", "not the same")["affected"][0]["what"] == "returned"
    copy = ask("share", record, "team:web", "--reason", "they ask")
    assert ask("read", copy["record_id"])["item"]["scope"] == "team:web"
    assert run("share", record, "--reason", "x").exit_code == 2


def test_forget_and_impact() -> None:
    record = a_port()
    assert run("impact", record).stdout.startswith("Nothing that may be read here rests on it.")
    above = ask("remember", "The firewall opens 8080", "--evidence", record)["record_id"]
    drawn = run("impact", record[:9]).stdout
    assert above[:9] in drawn
    assert "fell, pending evidence" in drawn
    assert [e["record_id"] for e in ask("impact", record)["retracted"]] == [above]
    assert ask("forget", "--target", "api port 8080", "--because", "private")["standing"]["visibility"] == "hidden"
    assert run("forget", record, "--because", "bored").exit_code == 2


def test_a_refusal_names_what_a_person_lifts() -> None:
    record = a_port()
    stone = ask("reject", record, "--reason", "never")["entry_id"]
    refused = run("remember", "--subject", "api", "--predicate", "port", "--object", "8080", *AGENT)
    assert f"firsthand lift {stone} --reason WHY" in " ".join(refused.stdout.split())
    listed = run("refusals")
    assert f"firsthand lift {stone} --reason WHY" in " ".join(listed.stdout.split())
    assert "8080" not in listed.stdout
    assert run("lift", stone, "--reason", "it is right").exit_code == 0
    assert run("remember", "--subject", "api", "--predicate", "port", "--object", "8080", *AGENT).exit_code == 0


def test_the_beginning_of_an_item_is_looked_for_on_every_page_and_must_be_of_one() -> None:
    pages = {None: (["e1234567a", "e1234567b"], "2"), "2": (["e7654321a"], None)}

    def listed(kind: str, *, limit: int, cursor: str | None) -> ReviewPage:
        ids, more = pages[cursor]
        assert (kind, limit) == ("proposals", 200)
        items = [ReviewItem(kind="proposals", item_id=each, record_id=None, text=None, since=0) for each in ids]
        return ReviewPage(items=tuple(items), cursor=more)

    memory = SimpleNamespace(review=SimpleNamespace(list=listed))
    assert asking.item_id(memory, "e7654321") == "e7654321a"
    with pytest.raises(InvalidError, match="several") as found:
        asking.item_id(memory, "e1234567")
    assert found.value.code == "id_ambiguous"


def test_the_review_desk(monkeypatch: pytest.MonkeyPatch) -> None:
    record = a_port()
    proposed = ask("correct", record, "--object", "9090", "--reason", "I measured", *AGENT)
    assert proposed["outcome"] == "proposed"
    listed = run("review", "list").stdout
    assert proposed["entry_id"] in listed
    assert "bens-agent" in listed
    assert "proposals (1)" in listed
    with monkeypatch.context() as narrow:
        narrow.setattr("firsthand.surfaces.sheets.PIPE_COLUMNS", 80)
        assert proposed["entry_id"] in run("review", "list").stdout, "whole, to be pasted"
    assert ask("review", "show", proposed["entry_id"][:8])["item"]["item_id"] == proposed["entry_id"]
    assert "[id_too_short]" in run("review", "show", proposed["entry_id"][:7]).stderr
    other = "e" + ("0" if proposed["entry_id"][1] != "0" else "1") * 9
    assert "[item_absent]" in run("review", "show", other).stderr
    shown = run("review", "show", proposed["entry_id"]).stdout
    assert "bens-agent would correct: api port 9090" in shown
    assert "What each decision would change" in shown
    assert run("review", "decide", proposed["entry_id"], "approve", *AGENT, "--reason", "x").exit_code == 5
    decided = ask("review", "decide", proposed["entry_id"], "approve", "--reason", "checked")
    assert decided["standing"]["tier"] == "fact"
    assert told() == ["api port 9090"]
    assert run("review", "list").stdout.startswith("Nothing waits here.")
    assert run("review", "list", "--kind", "conflicts").stdout.startswith("Nothing of this kind waits here.")
    guess = ask("remember", "Ana likes tea", "--basis", "inferred", *AGENT)["record_id"]
    assert "candidates (1)" in run("review", "list").stdout
    (item,) = ask("review", "list", "--kind", "candidates")["items"]
    assert item["item_id"] == guess
    assert ask("review", "decide", guess[:9], "approve", "--reason", "she does")["standing"]["tier"] == "fact"
