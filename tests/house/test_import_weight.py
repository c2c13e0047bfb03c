"""`import firsthand` is light: what only some calls need is loaded by those calls."""

import json
import os
import subprocess
import sys

HEAVY = ("numpy", "rich", "click", "asyncio", "http", "urllib.request", "ssl", "socket", "sqlite3", "pydantic", "email",
         "cryptography")  # fmt: skip
LISTED = "import json, sys; import firsthand; print(json.dumps(sorted(sys.modules)))"


def modules_after(script: str) -> set[str]:
    # What measures the coverage of a subprocess loads modules of its own.
    plain = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=plain)
    return set(json.loads(done.stdout))


def test_import_loads_no_array_terminal_event_loop_or_network_library() -> None:
    loaded = modules_after(LISTED)
    assert "firsthand.memory" in loaded
    assert not loaded & set(HEAVY)


def test_import_leaves_recall_the_importers_and_the_surfaces_for_later() -> None:
    loaded = modules_after(LISTED)
    late = ("firsthand.recall.", "firsthand.importers", "firsthand.surfaces")
    assert not [name for name in loaded if name.startswith(late)]


def test_the_command_itself_loads_neither_arrays_nor_the_terminal_library_until_a_command_needs_them() -> None:
    loaded = modules_after("import json, sys; import firsthand.surfaces.cli; print(json.dumps(sorted(sys.modules)))")
    assert not loaded & {"numpy", "rich", "asyncio"}
