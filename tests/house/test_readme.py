"""What the documents show is what happens: every example runs, and prints what stands below it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from documents import DOCUMENTS, ROOT, agrees, blocks, check_examples, commands

README = ROOT / "README.md"
GUIDE = ROOT / "docs" / "guide.md"
WITH_EXAMPLES = (README, GUIDE)


@pytest.fixture(autouse=True)
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.mark.parametrize("document", WITH_EXAMPLES, ids=lambda d: d.name)
def test_every_example_runs_and_prints_what_it_shows(document: Path, tmp_path: Path) -> None:
    assert check_examples(document, tmp_path) >= 5


def test_examples_stand_only_where_they_run() -> None:
    elsewhere = [d.name for d in DOCUMENTS if d not in WITH_EXAMPLES for b in blocks(d) if b.language in RUN]
    assert elsewhere == []


RUN = ("python", "console")
SHOWN = ("sh", "text", "json", "mermaid", "toml")


def test_every_block_says_what_it_is() -> None:
    unknown = [(d.name, b.line) for d in DOCUMENTS for b in blocks(d) if b.language not in (*RUN, *SHOWN)]
    assert unknown == []


def test_every_make_target_that_is_named_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    for document in DOCUMENTS:
        shown = "\n".join(b.text for b in blocks(document) if b.language == "sh")
        named = re.findall(r"^make ([a-z-]+)", shown, flags=re.MULTILINE)
        named += re.findall(r"`make ([a-z-]+)`", document.read_text())
        assert set(named) <= targets, document.name


def test_every_script_that_is_named_exists() -> None:
    for document in DOCUMENTS:
        for script in re.findall(r"\b((?:bench|tools|tests)/[\w/]+\.(?:py|sql|toml))\b", document.read_text()):
            assert (ROOT / script).is_file(), f"{document.name}: {script}"


def test_the_demo_that_is_shown_is_cut_from_a_real_one(tmp_path: Path) -> None:
    """Every line stands in the demo's output, in this order; `…` stands for lines or for what changes."""
    from io import StringIO

    from rich.console import Console

    from firsthand.surfaces.demo import run

    page = StringIO()
    assert run(Console(file=page, width=80), directory=tmp_path / "demo") == 0
    printed = [line.rstrip() for line in page.getvalue().splitlines()]
    (block,) = [b for b in blocks(README) if b.label == "demo"]
    at = 0
    for line in block.text.splitlines():
        if line.strip() in ("", "…"):
            continue
        found = next((i for i in range(at, len(printed)) if agrees(line, printed[i])), None)
        assert found is not None, f"the demo does not print, after its line {at}: {line}"
        at = found + 1


def test_the_reader_of_blocks_reads_what_it_says_it_reads(tmp_path: Path) -> None:
    document = tmp_path / "a.md"
    document.write_text("# A\n```python\nprint(1)\n```\n\n```text\n1\n```\n\n```console\n$ a \\\n  b\nx\ny\n$ c\n```\n")
    first, shown, console = blocks(document)
    assert (first.language, first.line, first.below) == ("python", 2, "1\n")
    assert shown.below is None
    assert list(commands(console)) == [("a b", "x\ny"), ("c", None)]
    assert agrees("a … c\n…\nd", "a b c\n1\n2\nd")
    assert agrees("a\n…\nd", "a\n\nd")
    assert not agrees("a … c", "a b\nc")
    assert not agrees("a", "a\nb")


@pytest.mark.parametrize("name", ["core", "locomo_retrieval"])
def test_figures_that_were_measured_are_in_the_readme(name: str) -> None:
    """As long as a file of results is not there its place says so, and once it is there it does not."""
    (line,) = re.findall(rf"^.*\(`bench/results/{name}\.json`\).*$", README.read_text(), flags=re.MULTILINE)
    assert ("not measured" in line) == (not (ROOT / "bench" / "results" / f"{name}.json").exists())
