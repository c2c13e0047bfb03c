"""`import firsthand` is light: what only some calls need is loaded by those calls."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import firsthand

HEAVY = ("numpy", "rich", "click", "asyncio", "http", "urllib.request", "ssl", "socket", "sqlite3", "pydantic", "email",
         "cryptography", "onnxruntime", "tokenizers", "firsthand.inference.onnx")  # fmt: skip
FOR_SOME_VERBS = ("json", "shutil", "tempfile", "secrets", "dataclasses", "importlib.resources")
"""Of the standard library: a cold process feels each of them."""
FOR_SOME_ROOMS = ("firsthand.recall.", "firsthand.importers", "firsthand.surfaces", "firsthand.moving.",
                  "firsthand.learning", "firsthand.review", "firsthand.selftest", "firsthand.audit",
                  "firsthand.restoring", "firsthand.rules.residue", "firsthand.capture.erase")  # fmt: skip


def modules_after(script: str, *arguments: str) -> set[str]:
    # What measures the coverage of a subprocess loads modules of its own.
    plain = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    script = f"import sys; {script}; print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True, env=plain
    )
    return set(done.stdout.split())


def test_opening_loads_no_array_terminal_event_loop_or_network_library() -> None:
    loaded = modules_after("import firsthand; firsthand.open")
    assert "firsthand.memory" in loaded
    assert not loaded & {*HEAVY, *FOR_SOME_VERBS}


def test_opening_leaves_recall_the_importers_and_the_surfaces_for_later() -> None:
    loaded = modules_after("import firsthand; firsthand.open")
    assert "firsthand.capture.gateway" in loaded
    assert not [name for name in loaded if name.startswith(FOR_SOME_ROOMS)]


def test_naming_an_error_or_a_record_loads_the_vocabulary_alone() -> None:
    loaded = modules_after("import firsthand; firsthand.InvalidError, firsthand.Entity")
    ours = {name for name in loaded if name.startswith("firsthand.")}
    assert "firsthand.vocabulary.records" in ours
    assert {name for name in ours if not name.startswith("firsthand.vocabulary")} == set()


def test_a_write_and_a_recall_load_what_they_need_and_no_more(tmp_path: Path) -> None:
    script = "import firsthand; m = firsthand.open(sys.argv[1]); m.capture('The boat is blue.')"
    written = modules_after(script, str(tmp_path / "m.db"))
    assert "firsthand.rules.fold" in written
    assert not written & {*HEAVY, *FOR_SOME_VERBS}
    assert not [name for name in written if name.startswith(FOR_SOME_ROOMS)]
    recalled = modules_after(f"{script}; m.recall('boat').render()", str(tmp_path / "m.db"))
    assert {"numpy", "firsthand.recall.pipeline"} <= recalled
    assert not recalled & {"firsthand.moving.ledger", "firsthand.audit", "dataclasses"}


def test_the_command_itself_loads_neither_arrays_nor_the_terminal_library_until_a_command_needs_them() -> None:
    loaded = modules_after("import firsthand.surfaces.cli")
    assert not loaded & {"numpy", "rich", "asyncio"}


@pytest.mark.parametrize("name", firsthand.__all__)
def test_every_name_of_the_package_is_there(name: str) -> None:
    assert getattr(firsthand, name).__name__ == name


def test_a_name_it_does_not_have_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'recal'"):
        firsthand.recal  # noqa: B018 - asked for only to be refused
