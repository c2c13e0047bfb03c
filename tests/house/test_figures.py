"""The README and the pictures show what the files of results say, and one that does not is found."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]
PEERS = ROOT / "bench" / "results" / "peers.json"


def figures(*words: str) -> subprocess.CompletedProcess[str]:
    asked = [sys.executable, str(ROOT / "bench" / "figures.py"), *words]
    return subprocess.run(asked, capture_output=True, text=True, check=False)


@pytest.fixture
def copied(tmp_path: Path) -> tuple[str, ...]:
    """The options that name copies of the README, the docs and the results, which may be changed."""
    shutil.copy(ROOT / "README.md", tmp_path / "README.md")
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    shutil.copytree(PEERS.parent, tmp_path / "results")
    return (
        "--readme", str(tmp_path / "README.md"), "--docs", str(tmp_path / "docs"),
        "--results", str(tmp_path / "results"),
    )  # fmt: skip


def changed(tmp_path: Path, peer: int, **fields: Any) -> None:
    file = tmp_path / "results" / "peers.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    document["peers"][peer] |= fields
    file.write_text(json.dumps(document), encoding="utf-8")


def test_the_readme_shows_what_was_measured() -> None:
    done = figures("--check")
    assert done.returncode == 0, done.stderr


def test_each_memory_and_each_outcome_of_the_results_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    _, _, rest = readme.partition("<!-- figures: peers -->")
    shown, _, _ = rest.partition("<!-- end of figures -->")
    found = json.loads(PEERS.read_text(encoding="utf-8"))["peers"]
    assert {"Firsthand", "LangGraph SqliteStore"} < {peer["name"] for peer in found}
    assert len(found) == 5
    for peer in found:
        assert peer["name"] in shown
        assert peer.get("unavailable", "") in " ".join(shown.split())
        for probe in peer.get("probes", {}).values():
            told = {probe["outcome"], *(pair["outcome"] for pair in probe.get("pairs", ()))}
            assert any(outcome in shown for outcome in told)


def test_a_readme_or_a_result_that_was_changed_alone_is_found(copied: tuple[str, ...], tmp_path: Path) -> None:
    assert figures("--check", *copied).returncode == 0
    readme = tmp_path / "README.md"
    before = readme.read_text(encoding="utf-8")
    readme.write_text(before.replace("no word left", "nothing left", 1), encoding="utf-8")
    assert readme.read_text(encoding="utf-8") != before
    assert figures("--check", *copied).returncode == 1
    assert figures(*copied).returncode == 0
    assert readme.read_text(encoding="utf-8") == before
    figure = json.loads(PEERS.read_text(encoding="utf-8"))["peers"][0]["figures"]
    changed(tmp_path, 0, figures={**figure, "bulk": 123_456.0})
    assert figures("--check", *copied).returncode == 1
    assert readme.read_text(encoding="utf-8") == before, "a check writes nothing"
    assert figures(*copied).returncode == 0
    assert "123,456" in readme.read_text(encoding="utf-8")
    assert figures("--check", *copied).returncode == 0


def test_the_picture_of_latency_shows_what_was_measured(copied: tuple[str, ...], tmp_path: Path) -> None:
    picture, file = tmp_path / "docs" / "latency.svg", tmp_path / "results" / "scale.json"
    before = picture.read_text(encoding="utf-8")
    ElementTree.fromstring(before)
    document = json.loads(file.read_text(encoding="utf-8"))
    largest = max((row for row in document["rows"] if row["what"] == "recall, warm"), key=lambda row: row["size"])
    assert f"{largest['size']:,}" in before
    largest["value"] = 4_321.0
    file.write_text(json.dumps(document), encoding="utf-8")
    assert figures("--check", *copied).returncode == 1
    assert figures(*copied).returncode == 0
    assert "recall, p50: 4,321 ms" in picture.read_text(encoding="utf-8")
    assert picture.read_text(encoding="utf-8") != before
    assert figures("--check", *copied).returncode == 0
    picture.unlink()
    assert figures("--check", *copied).returncode == 1


def test_a_memory_that_could_not_be_run_is_shown_with_its_reason(copied: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "results" / "peers.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    document["peers"][1] = {"name": document["peers"][1]["name"], "unavailable": "no such wheel"}
    file.write_text(json.dumps(document), encoding="utf-8")
    assert figures(*copied).returncode == 0
    shown = " ".join((tmp_path / "README.md").read_text(encoding="utf-8").split())
    assert f"{document['peers'][1]['name']} could not be run here: no such wheel." in shown


def test_a_place_that_is_missing_is_an_error(copied: tuple[str, ...], tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(readme.read_text(encoding="utf-8").replace("<!-- figures: peers -->", ""), encoding="utf-8")
    done = figures("--check", *copied)
    assert done.returncode == 1
    assert "no place" in done.stderr
