"""The speed benches run: a tiny size, every row, no judgement of any time."""

import json
import subprocess
import sys
from pathlib import Path

BENCHES = Path(__file__).parents[2] / "bench"


def test_core_prints_one_table_and_writes_one_json_with_every_row_and_its_circumstances(tmp_path: Path) -> None:
    written = tmp_path / "core.json"
    asked = [sys.executable, str(BENCHES / "core.py"), "--sizes", "40,50", "--rounds", "3", "--json", str(written)]
    done = subprocess.run([*asked, "--folder", str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

    found = json.loads(written.read_text(encoding="utf-8"))
    assert {"commit", "machine", "python", "sqlite", "versions", "load", "load_after", "rows"} <= set(found)
    names = {row["what"] for row in found["rows"]}
    assert {
        "FULL capture",
        "NORMAL capture",
        "bulk capture",
        "recall",
        "import firsthand",
        "verify",
        "rebuild",
    } <= names
    assert all(row["value"] >= 0 for row in found["rows"])
    for name in ("FULL capture", "recall", "rebuild"):
        assert name in done.stdout

    sure = {row["what"]: row["value"] for row in found["rows"]}
    assert sure["written but not yet recallable elsewhere"] == 0
    assert sure["hit@10, recall"] == 1


def test_tombstones_blocks_every_attack_and_no_near_miss_without_both_words(tmp_path: Path) -> None:
    written = tmp_path / "tombstones.json"
    asked = [sys.executable, str(BENCHES / "tombstones.py"), "--rounds", "2", "--stones", "2", "--json", str(written)]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

    found = json.loads(written.read_text(encoding="utf-8"))
    rows = {row["what"].split(" (")[0]: row for row in found["rows"]}
    assert (rows["all attacks"]["value"], rows["near-misses without both words"]["value"]) == (100, 0)
    assert rows["all near-misses"]["size"] >= 200
    assert "refused" not in rows["all near-misses"]["raw"]
    assert {"commit", "machine", "python", "versions", "load"} <= set(found)
