"""What the house promises of itself: its limits, its contracts, its words, and links that lead somewhere."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from documents import DOCUMENTS, ROOT, headings, links

import firsthand

SOURCE = ROOT / "src" / "firsthand"
MODULES = tuple(sorted(SOURCE.rglob("*.py")))
FILE_LINES = 400
FUNCTION_LINES = 60
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())

LONGER_FILES = {
    "memory.py": "every verb with its signature and docstring is on one page; the bodies hand over in a few lines",
}
"""Files over the limit, each with its reason. One that no longer needs its line here fails a test."""
LONGER_FUNCTIONS: dict[str, str] = {}

IMPORT_NAMES = {"pystemmer": "Stemmer"}
"""Distributions whose module has another name."""


# ---- size ------------------------------------------------------------------------------------------------------------


def test_no_file_is_longer_than_its_limit() -> None:
    longer = {str(m.relative_to(SOURCE)) for m in MODULES if len(m.read_text().splitlines()) > FILE_LINES}
    assert longer == set(LONGER_FILES)


def test_no_function_is_longer_than_its_limit() -> None:
    longer = {
        f"{module.relative_to(SOURCE)}:{node.name}"
        for module, node in nodes()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno + 1 - docstring_lines(node) > FUNCTION_LINES
    }
    assert longer == set(LONGER_FUNCTIONS)


def nodes() -> Iterator[tuple[Path, ast.AST]]:
    for module in MODULES:
        for node in ast.walk(ast.parse(module.read_text())):
            yield module, node


def docstring_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    first = node.body[0]
    is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return (first.end_lineno or 0) - first.lineno + 1 if is_docstring else 0


# ---- docstrings ------------------------------------------------------------------------------------------------------


def test_public_names_are_sorted_and_there() -> None:
    assert list(firsthand.__all__) == sorted(firsthand.__all__)
    assert all(hasattr(firsthand, name) for name in firsthand.__all__)


@pytest.mark.parametrize("name", firsthand.__all__)
def test_every_public_name_has_a_docstring_of_its_own(name: str) -> None:
    assert own_docstring(getattr(firsthand, name)), name


def test_every_public_method_has_a_docstring() -> None:
    silent = [
        f"{name}.{attribute}"
        for name in firsthand.__all__
        if isinstance(owner := getattr(firsthand, name), type)
        for attribute, value in vars(owner).items()
        if not attribute.startswith("_") and (callable(value) or isinstance(value, property)) and not value.__doc__
    ]
    assert silent == []


def test_every_module_says_what_it_is_for() -> None:
    trees = {module: ast.parse(module.read_text()) for module in MODULES}
    assert [str(m) for m, tree in trees.items() if tree.body and not ast.get_docstring(tree)] == []


def own_docstring(value: object) -> str | None:
    """Not one that was inherited."""
    return vars(value).get("__doc__") if isinstance(value, type) else value.__doc__


# ---- contracts and dependencies --------------------------------------------------------------------------------------


def test_the_import_contracts_hold() -> None:
    command = shutil.which("lint-imports", path=str(Path(sys.executable).parent)) or shutil.which("lint-imports")
    assert command, "import-linter is one of the development tools"
    done = subprocess.run((command, "--no-cache"), cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_rooms_are_those_of_the_contract_of_layers() -> None:
    (layers,) = [c for c in PROJECT["tool"]["importlinter"]["contracts"] if c["type"] == "layers"]
    named = set(re.findall(r"\w+", " ".join(layers["layers"]))) | set(layers["exhaustive_ignores"])
    rooms = {p.stem for p in SOURCE.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()} - {"__init__"}
    assert rooms == named - set(layers["exhaustive_ignores"])


def test_every_contract_names_modules_that_exist() -> None:
    for contract in PROJECT["tool"]["importlinter"]["contracts"]:
        for module in (*contract.get("source_modules", ()), *contract.get("forbidden_modules", ())):
            assert importlib.util.find_spec(module), f"{contract['name']}: {module}"


def test_every_dependency_is_imported_and_has_its_line_in_the_decisions() -> None:
    decisions = (ROOT / "docs" / "DECISIONS.md").read_text()
    imported = {
        name.partition(".")[0]
        for _, node in nodes()
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    for requirement in PROJECT["project"]["dependencies"]:
        name = re.split(r"[<>=\[ ;]", requirement)[0]
        assert IMPORT_NAMES.get(name, name.replace("-", "_")) in imported, f"{name} is required and never imported"
        assert f"**{name}**" in decisions, f"{name} has no line in docs/DECISIONS.md"
    for requirement in PROJECT["dependency-groups"]["dev"]:
        name = re.split(r"[<>=\[ ;]", requirement)[0]
        assert name in decisions, f"{name} has no line in docs/DECISIONS.md"


# ---- documents -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_links_lead_somewhere(document: Path) -> None:
    for link in links(document):
        target, _, anchor = link.partition("#")
        if "://" in target:
            continue
        place = (document.parent / target).resolve() if target else document
        assert place.exists(), link
        assert not anchor or anchor in headings(place), link


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_every_test_that_is_named_exists(document: Path) -> None:
    for file, name in re.findall(r"`(tests/[\w/]+\.py)::(\w+)", document.read_text()):
        path = ROOT / file
        assert path.is_file(), f"{document.name}: {file}"
        assert re.search(rf"^ *def {name}\(", path.read_text(), flags=re.MULTILINE), f"{document.name}: {file}::{name}"


def test_the_command_line_that_is_shown_is_the_one_there_is() -> None:
    from firsthand.surfaces.cli import COMMANDS

    (shown,) = re.findall(r"^Commands: `([^`]+)`", (ROOT / "README.md").read_text(), flags=re.MULTILINE)
    assert shown.split() == list(COMMANDS)


def test_the_tables_that_are_described_are_those_of_the_schema() -> None:
    schema = (SOURCE / "store" / "schema.sql").read_text()
    made = re.findall(r"^CREATE (?:VIRTUAL )?TABLE (\w+)", schema, flags=re.MULTILINE)
    _, _, section = (ROOT / "docs" / "ARCHITECTURE.md").read_text().partition("## Tables")
    rows = [line.split("|")[2] for line in section.splitlines() if line.startswith("|")][2:]
    told = [name for row in rows for names in re.findall(r"`([^`]+)`", row) for name in names.split()]
    assert sorted(told) == sorted(made)


def test_every_term_of_the_glossary_is_in_the_code_where_it_says() -> None:
    found = terms()
    assert len(found) > 40
    for term, place, name in found:
        path = SOURCE / place
        assert path.is_file(), f"{term}: {place}"
        if name and path.suffix == ".py":
            module = importlib.import_module("firsthand." + place.removesuffix(".py").replace("/", "."))
            assert hasattr(module, name), f"{term}: {place} has no {name}"
        elif name:
            assert f"TABLE {name} " in path.read_text(), f"{term}: {place} has no {name}"


def test_the_glossary_is_in_order() -> None:
    names = [term.lower() for term, _, _ in terms()]
    assert names == sorted(names)
    assert len(names) == len(set(names))


def terms() -> list[tuple[str, str, str]]:
    """Term, file below the package, and the name in it, where the glossary gives one."""
    text = (ROOT / "docs" / "GLOSSARY.md").read_text()
    lines = re.findall(r"^\*\*(.+?)\*\*.*\[`([\w/.]+?)(?:: (\w+))?`\]$", text, flags=re.MULTILINE)
    assert len(lines) == len(re.findall(r"^\*\*", text, flags=re.MULTILINE)), "a line of the glossary has another form"
    return lines


def test_the_version_is_in_the_changelog() -> None:
    version = PROJECT["project"]["version"].partition(".dev")[0]
    assert f"## [{version}]" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_no_document_names_a_machine(document: Path) -> None:
    text = document.read_text()
    assert not re.search(r"/(?:home|root|work|tmp|Users)/", text)
