"""The reference MCP memory server, spoken to over its standard input and output: an entity with one observation a fact.

Its search looks for the whole question as it stands, so a question is a hit only where its very words were stored.
Where its module is, FIRSTHAND_BENCH_MCP_SERVER says.
"""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from peer_run import Found, main
from workload import Fact

PROTOCOL = "2025-06-18"


class Server:
    """One server process on one file; it knows no scopes."""

    has_scopes = False
    correction = "delete_observations, then add_observations"
    deletion = "delete_entities"

    def __init__(self, folder: Path) -> None:
        module = Path(os.environ["FIRSTHAND_BENCH_MCP_SERVER"])
        self.version = json.loads((module / "package.json").read_text(encoding="utf-8"))["version"]
        environment = {**os.environ, "MEMORY_FILE_PATH": str(folder.absolute() / "memory.jsonl")}
        self._process = subprocess.Popen(
            ["node", str(module / "dist" / "index.js")], env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._asked = 0
        about = {"name": "bench", "version": "1"}
        self._request("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": about})
        self._send({"method": "notifications/initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._process.stdin.flush()

    def _request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdout is not None
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": params})
        for line in self._process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self._asked:
                return answer["result"]
        raise RuntimeError("the server has gone")

    def _call(self, tool: str, **arguments: object) -> Any:
        result = self._request("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            raise RuntimeError(f"{tool} failed")
        return result["structuredContent"]

    def fill(self, batch: Sequence[Fact], scope: str) -> None:
        made = [{"name": str(f.ticket), "entityType": "fact", "observations": [f.text]} for f in batch]
        self._call("create_entities", entities=made)

    def write(self, fact: Fact, scope: str) -> object:
        self.fill([fact], scope)
        return str(fact.ticket)

    def search(self, question: str, limit: int, scope: str) -> list[Found]:
        found = self._call("search_nodes", query=question)["entities"]
        return [Found(text) for entity in found[:limit] for text in entity["observations"]]

    def correct(self, key: object, old: Fact, new: Fact, scope: str) -> None:
        self._call("delete_observations", deletions=[{"entityName": key, "observations": [old.text]}])
        self._call("add_observations", observations=[{"entityName": key, "contents": [new.text]}])

    def delete(self, key: object, fact: Fact, scope: str) -> None:
        self._call("delete_entities", entityNames=[key])

    def processes(self) -> list[int]:
        return [self._process.pid]

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


if __name__ == "__main__":
    main(Server)
