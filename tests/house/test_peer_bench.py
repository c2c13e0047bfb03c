"""What the bench of other memories finds: a careless one is found out, an honest one is not, and none is left out."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

import peer_run
import peers
from peer_run import Found, Refused
from workload import Fact, words

BENCHES = Path(__file__).parents[2] / "bench"


class Plain:
    """A memory that does what it should, in one file of JSON lines."""

    version, has_scopes, correction, deletion = "1", True, "by name", "by name"

    def __init__(self, folder: Path) -> None:
        self.file = folder / "plain.jsonl"
        lines = self.file.read_text().splitlines() if self.file.exists() else []
        self.held: list[dict[str, Any]] = [json.loads(line) for line in lines]

    def fill(self, batch: Sequence[Fact], scope: str) -> None:
        for fact in batch:
            self.write(fact, scope)

    def write(self, fact: Fact, scope: str) -> object:
        if "%" in scope:
            raise Refused
        self.held.append({"key": fact.ticket, "text": fact.text, "scope": scope, "current": True})
        return fact.ticket

    def is_in(self, stored: str, asked: str) -> bool:
        return stored == asked

    def search(self, question: str, limit: int, scope: str) -> list[Found]:
        asked = set(words(question))
        found = [line for line in self.held if self.is_in(line["scope"], scope) and asked & set(words(line["text"]))]
        found.sort(key=lambda line: -len(asked & set(words(line["text"]))))
        return [Found(line["text"], line["current"]) for line in found[:limit]]

    def correct(self, key: object, old: Fact, new: Fact, scope: str) -> None:
        self.delete(key, old, scope)
        self.write(new, scope)

    def delete(self, key: object, fact: Fact, scope: str) -> None:
        self.held = [line for line in self.held if line["key"] != key]

    def processes(self) -> list[int]:
        return peer_run.own_process()

    def close(self) -> None:
        self.file.write_text("".join(json.dumps(line) + "\n" for line in self.held))


class AddsOnly(Plain):
    def correct(self, key: object, old: Fact, new: Fact, scope: str) -> None:
        self.write(new, scope)


class Ends(AddsOnly):
    def correct(self, key: object, old: Fact, new: Fact, scope: str) -> None:
        super().correct(key, old, new, scope)
        self.held = [{**line, "current": line["current"] and line["text"] != old.text} for line in self.held]


class Forgets(Plain):
    def correct(self, key: object, old: Fact, new: Fact, scope: str) -> None:
        self.delete(key, old, scope)


class KeepsTheBytes(Plain):
    def delete(self, key: object, fact: Fact, scope: str) -> None:
        super().delete(key, fact, scope)
        (self.file.parent / "old.bin").write_bytes(fact.text.upper().encode("utf-16-le"))


class KeepsTheFact(Plain):
    def delete(self, key: object, fact: Fact, scope: str) -> None:
        pass


class WritesNothing(Plain):
    def close(self) -> None:
        pass


class ByPrefix(Plain):
    def is_in(self, stored: str, asked: str) -> bool:
        return stored.startswith(asked)


class ByPattern(Plain):
    def is_in(self, stored: str, asked: str) -> bool:
        return len(stored) == len(asked) and all(a in (s, "_") for s, a in zip(stored, asked, strict=True))


class AnyCase(Plain):
    def is_in(self, stored: str, asked: str) -> bool:
        return stored.lower() == asked.lower()


class Unscoped(Plain):
    has_scopes = False


class ReturnsNothing(Plain):
    def search(self, question: str, limit: int, scope: str) -> list[Found]:
        return []


Probe = Callable[[Any, Path], dict[str, Any]]


@pytest.mark.parametrize(
    ("probe", "memory", "outcome"),
    [
        (peer_run._corrected, Plain, "not returned"),
        (peer_run._corrected, AddsOnly, "returned as current"),
        (peer_run._corrected, Ends, "returned as ended"),
        (peer_run._corrected, Forgets, "cannot tell"),
        (peer_run._corrected, ReturnsNothing, "cannot tell"),
        (peer_run._deleted, Plain, "no word left"),
        (peer_run._deleted, KeepsTheBytes, "words left"),
        (peer_run._deleted, KeepsTheFact, "still returned"),
        (peer_run._deleted, WritesNothing, "cannot tell"),
        (peer_run._look_alike, Plain, "kept apart"),
        (peer_run._look_alike, ByPrefix, "leaked"),
        (peer_run._look_alike, ByPattern, "leaked"),
        (peer_run._look_alike, AnyCase, "leaked"),
        (peer_run._look_alike, Unscoped, "has no scopes"),
        (peer_run._look_alike, ReturnsNothing, "cannot tell"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_probe_finds_what_is_wrong_and_nothing_else(
    probe: Probe, memory: type[Plain], outcome: str, tmp_path: Path
) -> None:
    assert probe(memory, tmp_path / "store")["outcome"] == outcome


def test_a_name_that_is_refused_is_neither_a_leak_nor_hidden(tmp_path: Path) -> None:
    pairs = peer_run._look_alike(Plain, tmp_path / "store")["pairs"]
    assert isinstance(pairs, list)
    told = {pair["asked"]: pair["outcome"] for pair in pairs}
    assert told["team%"] == "name refused"
    assert told["acme-corp"] == "kept apart"


def test_an_error_is_written_down_without_addresses_hosts_or_folders() -> None:
    said = "ERROR: /home/ana/x.py: HTTPSConnectionPool(host='pypi.inside', port=443) at https://pypi.inside/simple: no"
    assert peers.scrubbed(said) == "ERROR: …: HTTPSConnectionPool(host=…, port=443) at … no"
    kept = "ERROR: No matching distribution found for mem0ai>=2"
    assert peers.scrubbed(kept) == kept


def test_a_memory_that_prints_no_result_is_unavailable_whatever_else_it_prints() -> None:
    assert peers._told('hello\n{"version": "1"}\n') == {"version": "1"}
    for printed in ("", "hello\n"):
        with pytest.raises(peers.UnavailableError, match="without a result"):
            peers._told(printed)


def test_a_run_that_is_stopped_has_written_what_it_found_and_what_it_did_not_reach(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measured(kind: peers.Kind, *given: object) -> dict[str, Any]:
        if kind.key == "mem0":
            raise KeyboardInterrupt
        return {"name": kind.name, "unavailable": "not wanted here"}

    monkeypatch.setattr(peers, "measured", measured)
    written = tmp_path / "peers.json"
    with pytest.raises(KeyboardInterrupt):
        peers.main(["--only", "langgraph,mem0,mcp", "--json", str(written), "--folder", str(tmp_path)])
    found = [peer["unavailable"] for peer in json.loads(written.read_text(encoding="utf-8"))["peers"]]
    assert found == ["not wanted here", peers.NOT_REACHED, peers.NOT_REACHED]


def test_ours_is_measured_and_what_cannot_be_installed_is_unavailable_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "nothing").mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nothing"))
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    written = tmp_path / "peers.json"
    asked = [sys.executable, str(BENCHES / "peers.py"), "--size", "40", "--rounds", "3", "--json", str(written)]
    asked += ["--only", "firsthand,langgraph,mcp", "--folder", str(tmp_path)]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

    found = json.loads(written.read_text(encoding="utf-8"))
    assert {"commit", "machine", "python", "load", "load_after", "size", "rounds", "notes", "rows"} <= set(found)
    ours, langgraph, mcp = found["peers"]
    assert ours["figures"]["hit"] == 1
    assert {name: probe["outcome"] for name, probe in ours["probes"].items()} == {
        "corrected": "not returned", "deleted": "no word left", "look_alike": "kept apart",
    }  # fmt: skip
    assert langgraph["unavailable"].startswith("python left with 1: ERROR: No matching distribution")
    assert mcp["unavailable"] == "node and npm are not installed"
    assert str(tmp_path) not in written.read_text(encoding="utf-8")
    assert [row["what"] for row in found["rows"]] == [f"Firsthand: {what}" for what, *_ in peers.ROWS]
    for peer in found["peers"]:
        assert peer["name"] in done.stdout


def test_each_memory_has_a_script_and_is_a_module_of_this_folder() -> None:
    assert [kind.key for kind in peers.KINDS] == ["firsthand", "langgraph", "mem0", "graphiti", "mcp"]
    for kind in peers.KINDS:
        assert importlib.util.find_spec(kind.script.stem) is not None, kind.key
