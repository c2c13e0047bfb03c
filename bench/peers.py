"""Other memories under the same workload in one run, ours among them, each in a process and an environment of its own.

python bench/peers.py [--size 10000] [--rounds 100] [--only NAME,…] [--environments DIR] [--json FILE] [--folder DIR]

Needs the network once, to install the others by pip and npm into a temporary folder, or into --environments to keep
them. What cannot be installed or run here is in the result as unavailable, with the reason.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from report import WIDTH, Row, circumstances, save, table

HERE = Path(__file__).parent
INSTALL_SECONDS = 900
RUN_SECONDS = 1_800
SYNC_WRITES = 20
NOT_REACHED = "the run ended before its turn"
SYNCS = "fsync,fdatasync,msync,sync_file_range,sync,syncfs"
SERVER_VARIABLE = "FIRSTHAND_BENCH_MCP_SERVER"
NOTES = (
    "Each memory runs in a process of its own, one after the other: filled in batches of 500, then single writes, then "
    "the same questions in the same order. Ratio: ours to this one's.",
    "Where a vector is needed it is the same free embedding of 256 dimensions. No model is called: Mem0 stores texts "
    "as given and, without a model to download, searches vectors alone; Graphiti takes ready edges and nodes.",
    "One write is as durable as the memory makes it by itself; `syncs a write` counts its calls to fsync and the like.",
    "The reference MCP memory server looks for the whole question as it stands, so none hits; `by the ticket alone` "
    "asks for the number only.",
)


@dataclass(frozen=True)
class Kind:
    """A memory that is measured: its name, its script, and what installs it."""

    key: str
    name: str
    pip: tuple[str, ...] = ()
    npm: str | None = None

    @property
    def script(self) -> Path:
        """What puts it through the workload."""
        return HERE / f"peer_{self.key}.py"


OURS = Kind("firsthand", "Firsthand")
KINDS = (
    OURS,
    Kind("langgraph", "LangGraph SqliteStore", ("langgraph-checkpoint-sqlite", "pysqlite3-binary")),
    Kind("mem0", "Mem0, local Qdrant", ("mem0ai", "qdrant-client")),
    Kind("graphiti", "Graphiti, Kuzu", ("graphiti-core[kuzu]", "httpx")),  # it imports httpx and does not ask for it
    Kind("mcp", "reference MCP memory server", npm="@modelcontextprotocol/server-memory"),
)
ROWS = (
    ("one durable write", "write_p50", "ms", "write_p95"),
    ("bulk", "bulk", "/s", None),
    ("top-10 search", "search_p50", "ms", "search_p95"),
    ("hit@10", "hit", "", None),
    ("hit@10, by the ticket alone", "hit_by_ticket", "", None),
    ("resident", "resident", "MB", None),
    ("disk a fact", "disk", "KiB", None),
)


class UnavailableError(Exception):
    """It cannot be installed or run here, and why."""


def main(arguments: Sequence[str]) -> None:
    """Measure all of them, print two tables and write one JSON."""
    given = _arguments(arguments)
    began = circumstances()
    wanted = [kind for kind in KINDS if not given.only or kind.key in given.only]
    peers: list[dict[str, Any]] = [{"name": kind.name, "unavailable": NOT_REACHED} for kind in wanted]
    with tempfile.TemporaryDirectory(prefix="firsthand-peers-", dir=given.folder) as made:
        for number, kind in enumerate(wanted):
            print(f"… {kind.name}", file=sys.stderr, flush=True)
            folder, kept = Path(made) / kind.key, given.environments or Path(made) / "environments"
            peers[number] = measured(kind, given.size, given.rounds, folder, kept)
            # After each of them: a run that is stopped has told what it found, and what it did not reach.
            sections = _sections(peers, given.size)
            document = {**began, "size": given.size, "rounds": given.rounds, "peers": peers}
            save(given.json, document, sections, NOTES)
    title = f"firsthand and others, commit {str(began['commit'])[:10] or 'unknown'}, {began['machine']}"
    table(title, [rows for rows in sections if rows], NOTES)
    _probes(peers)


def _sections(peers: Sequence[dict[str, Any]], size: int) -> list[list[Row]]:
    ours = next((peer for peer in peers if peer["name"] == OURS.name and "figures" in peer), None)
    return [rows_of(peer, size, ours) for peer in peers]


def measured(
    kind: Kind, size: int, rounds: int, folder: Path, environments: Path, python: Path | None = None
) -> dict[str, Any]:
    """What became of one memory: its figures and probes, or why there are none."""
    try:
        runs, environment = (python, {}) if python is not None else _installed(kind, environments / kind.key)
        asked = [str(runs), str(kind.script), str(folder), str(size), str(rounds)]
        found = _told(_run(asked, environment, RUN_SECONDS).stdout)
        found["figures"]["syncs"] = _syncs([str(runs), str(kind.script)], environment, folder)
    except UnavailableError as reason:
        return {"name": kind.name, "unavailable": str(reason)}
    return {"name": kind.name, **found}


def rows_of(peer: dict[str, Any], size: int, ours: dict[str, Any] | None = None) -> list[Row]:
    """The rows of one memory, each with the ratio of ours to it."""
    if "unavailable" in peer:
        return []
    rows = []
    for what, name, unit, p95 in ROWS:
        value, late = peer["figures"][name], peer["figures"][p95] if p95 else None
        against = ours is not None and peer is not ours and value
        ratio = ours["figures"][name] / value if ours is not None and against else None
        rows.append(Row(f"{peer['name']}: {what}", value, unit, size=size, p95=late, ratio=ratio))
    syncs = peer["figures"]["syncs"]
    return rows if syncs is None else [*rows, Row(f"{peer['name']}: syncs a write", syncs, "", size=size)]


def langgraph(size: int, rounds: int, folder: Path, python: Path | None) -> list[Row]:
    """LangGraph's SqliteStore alone, for a bench of ours; installs it unless told where it is."""
    kind = next(kind for kind in KINDS if kind.key == "langgraph")
    peer = measured(kind, size, rounds, folder / "peer", folder / "environments", python)
    if "unavailable" in peer:
        raise SystemExit(f"the peer did not run: {peer['unavailable']}")
    return rows_of(peer, size)


def _installed(kind: Kind, folder: Path) -> tuple[Path, dict[str, str]]:
    """The interpreter that runs its script, and what its environment needs besides."""
    if kind.npm is not None:
        module = folder / "node_modules" / kind.npm
        if shutil.which("npm") is None or shutil.which("node") is None:
            raise UnavailableError("node and npm are not installed")
        if not module.exists():
            folder.mkdir(parents=True, exist_ok=True)
            _run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), kind.npm])
        return Path(sys.executable), {SERVER_VARIABLE: str(module)}
    if not kind.pip:
        return Path(sys.executable), {}
    python = folder / "bin" / "python"
    ready = folder / ".installed"
    if not ready.exists():
        venv.create(folder, with_pip=True)
        _run([str(python), "-m", "pip", "install", "--quiet", *kind.pip])
        ready.touch()
    return python, {}


def _run(
    asked: list[str], environment: dict[str, str] | None = None, seconds: float = INSTALL_SECONDS
) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    try:
        done = subprocess.run(
            asked, env={**kept, **(environment or {})}, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        raise UnavailableError(f"{Path(asked[0]).name} did not end within {seconds:,.0f} s") from None
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        said = [line for line in done.stderr.splitlines() if line.strip()] or ["it said nothing"]
        raise UnavailableError(f"{Path(asked[0]).name} left with {done.returncode}: {scrubbed(said[-1])}")
    return done


def _told(printed: str) -> dict[str, Any]:
    """What a script printed last; a memory may print what it likes before."""
    try:
        return json.loads((printed.splitlines() or [""])[-1])
    except ValueError:
        raise UnavailableError("it ended without a result") from None


def scrubbed(line: str) -> str:
    """An error's line without addresses, hosts and folders, which are nobody's business in a file of results."""
    line = re.sub(r"\w+://\S+", "…", line)
    line = re.sub(r"host='[^']*'", "host=…", line)
    line = re.sub(r"(?<!\w)(?:~|[A-Za-z]:)?(?:[/\\][\w.@+~-]+)+[/\\]?", "…", line)
    return line.strip()[:200]


def _syncs(script: list[str], environment: dict[str, str], folder: Path) -> float | None:
    """How often one write tells the disk to keep it: the calls of some writes less those of none."""
    if shutil.which("strace") is None:
        return None
    counts = []
    for writes in (0, SYNC_WRITES):
        told = folder / f"calls-{writes}"
        traced = ["strace", "-f", "-c", "-e", f"trace={SYNCS}", "-o", str(told)]
        try:
            _run([*traced, *script, str(folder / f"writes-{writes}"), "--writes", str(writes)], environment)
        except UnavailableError:  # a machine that lets nobody trace; said above by the tracer itself
            return None
        lines = [line.split() for line in told.read_text(encoding="utf-8").splitlines()]
        counts.append(sum(int(words[3]) for words in lines if words and words[-1] in SYNCS.split(",")))
    return (counts[1] - counts[0]) / SYNC_WRITES


def _probes(peers: Sequence[dict[str, Any]]) -> None:
    drawn = Table(title="Correctness, as it was found", title_justify="left")
    for heading in ("memory", "its old value, corrected", "its words, deleted", "scopes that look alike"):
        drawn.add_column(heading)
    for peer in peers:
        if "unavailable" in peer:
            drawn.add_row(peer["name"], f"unavailable: {peer['unavailable']}")
        else:
            drawn.add_row(peer["name"], *(probe["outcome"] for probe in peer["probes"].values()))
    Console(width=None if os.isatty(1) else WIDTH).print(drawn)


def _arguments(arguments: Sequence[str]) -> argparse.Namespace:
    keys = [kind.key for kind in KINDS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=10_000, help="facts a memory")
    parser.add_argument("--rounds", type=int, default=100, help="single writes and questions")
    parser.add_argument("--only", type=lambda text: text.split(","), help=f"some of {','.join(keys)}")
    parser.add_argument("--environments", type=Path, help="a folder that keeps what is installed for the next run")
    parser.add_argument("--json", type=Path, default=HERE / "results" / "peers.json")
    parser.add_argument("--folder", type=Path, help="a folder on the disk to measure (default: the system's temporary)")
    given = parser.parse_args(arguments)
    if unknown := set(given.only or ()) - set(keys):
        parser.error(f"--only knows {', '.join(keys)}, not {', '.join(sorted(unknown))}")
    return given


if __name__ == "__main__":
    main(sys.argv[1:])
