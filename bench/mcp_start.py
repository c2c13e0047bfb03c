"""How long does an agent wait for its memory? Spawn to `initialize` answered, beside importing the official SDK."""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import firsthand
from report import circumstances

RESULTS = Path(__file__).parent / "results" / "mcp_start.json"
PROGRAM = Path(sys.executable).with_name("firsthand")
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
RECORDS = 10_000


def asked(number: int, method: str, params: dict[str, Any]) -> bytes:
    """One request as a line."""
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"


def server(database: Path) -> tuple[float, float]:
    """Milliseconds from spawn to `initialize` answered, and to the answer of a first recall."""
    command = [PROGRAM, "mcp", "--db", database, "--scope", "project:bench", "--actor", "ana"]
    started = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(asked(1, "initialize", HELLO))
        process.stdin.flush()
        process.stdout.readline()
        ready = time.perf_counter()
        process.stdin.write(asked(2, "tools/call", {"name": "recall", "arguments": {"query": "where is buoy 77?"}}))
        process.stdin.flush()
        found = process.stdout.readline()
        recalled = time.perf_counter()
        assert b"buoy 77" in found
        process.stdin.close()
    return (ready - started) * 1_000, (recalled - started) * 1_000


def sdk() -> float:
    """Milliseconds of a process that does nothing but import the SDK's server."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import mcp.server.mcpserver"], check=True)
    return (time.perf_counter() - started) * 1_000


def main() -> None:
    """Run both in turn, print and write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=15)
    options.add_argument("--json", type=Path, default=RESULTS)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "m.db"
        with firsthand.open(database, actor="ana", role="person", scope="project:bench", synchronous="OFF") as memory:
            memory.capture_many({"text": f"buoy {n} is at mark m{n % 97}", "thread": "log"} for n in range(RECORDS))
        server(database), sdk()
        runs = [(*server(database), sdk()) for _ in range(chosen.runs)]
    ready, recalled, imported = (sorted(each) for each in zip(*runs, strict=True))
    found = {
        "runs": chosen.runs,
        "initialize_ms": {"p50": round(statistics.median(ready), 1), "max": round(ready[-1], 1)},
        "first_recall_ms": {"p50": round(statistics.median(recalled), 1), "max": round(recalled[-1], 1)},
        "import_sdk_ms": {"p50": round(statistics.median(imported), 1), "max": round(imported[-1], 1)},
        "ratio": round(statistics.median(ready) / statistics.median(imported), 2),
        "records": RECORDS,
    }
    for name, value in found.items():
        print(f"{name.replace('_', ' '):>18}  {value}")
    chosen.json.parent.mkdir(exist_ok=True)
    chosen.json.write_text(json.dumps({**circumstances(), **found}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
