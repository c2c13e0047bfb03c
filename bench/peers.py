"""Other memories under the same workload in the same run, each in an environment of its own."""

import json
import subprocess
import sys
import venv
from pathlib import Path

from report import Row

LANGGRAPH = ("langgraph-checkpoint-sqlite", "pysqlite3-binary")


def langgraph(size: int, rounds: int, folder: Path, python: Path | None) -> list[Row]:
    """LangGraph's SqliteStore with the same free embedding; installs it from PyPI unless told where it is."""
    folder.mkdir()
    if python is None:
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv" / "bin" / "python"
        install = [str(python), "-m", "pip", "install", "--quiet", *LANGGRAPH]
        subprocess.run(install, check=True)
    script = Path(__file__).with_name("peer_langgraph.py")
    asked = [str(python), str(script), str(folder / "peer.db"), str(size), str(rounds)]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        raise SystemExit("the peer did not run; see its error above")
    found = json.loads(done.stdout)
    name = "LangGraph SqliteStore:"

    def row(what: str, value: float, unit: str, p95: float | None = None) -> Row:
        return Row(f"{name} {what}", value, unit, size=size, p95=p95, raw=found)

    return [
        row("one durable write", found["write_p50"], "ms", found["write_p95"]),
        row("bulk", found["bulk"], "/s"),
        row("top-10 search", found["search_p50"], "ms", found["search_p95"]),
        row("hit@10", found["hit"], ""),
        row("resident", found["resident"], "MB"),
        row("disk a fact", found["disk"], "KiB"),
    ]
