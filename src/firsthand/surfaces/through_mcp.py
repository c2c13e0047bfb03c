"""An agent that has nothing of a memory but the tools: what the acceptance tests tell through MCP.

Client and server are in one process, so that both have the clock that a test sets. Between them is a pair of pipes:
each message is written, read and answered by the server's own loop, and all that the client knows is what came back.
Receipts are data there; an answer is the text that a model reads, and is read here as one would read it.
"""

from __future__ import annotations

import itertools
import os
import re
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

import msgspec

from firsthand.config import Settings
from firsthand.ports import Clock
from firsthand.selftest.outcomes import FailedError
from firsthand.selftest.telling import ASKED_FOR, Seen
from firsthand.surfaces.cli_mcp import USUAL_CLEARANCE, open_for
from firsthand.surfaces.mcp.server import VERSIONS, Server
from firsthand.surfaces.mcp.wire import Wire
from firsthand.vocabulary.citing import Cite
from firsthand.vocabulary.grants import SPACE_WIDE
from firsthand.vocabulary.packets import Receipt

FENCE: Final = re.compile(r'<firsthand-memory nonce="(\w+)">\n(.*)\n</firsthand-memory nonce="\1">', re.DOTALL)
CONFLICTS: Final = ("Disputed; ", "Conflicting versions ", "Possibly in conflict:")
CONFLICT_ENDS: Final = "The conflict ends here."
ITEM: Final = "- "
STANDING: Final = re.compile(r"  \((.*)\) \[r[0-9a-f]+\]")
AGAINST: Final = (
    "true until ", "true from ", "said then", "may contradict ", "challenged by ", "denied by ", "disputed",
    "superseded", "waits for review", "a guess",
)  # fmt: skip
"""How something begins that speaks against an item."""


class Agent:
    """A client of the server, from `initialize` on."""

    def __init__(self, outgoing: BinaryIO, incoming: BinaryIO, name: str) -> None:
        self._outgoing, self._incoming = outgoing, incoming
        self._asked = 0
        hello = {"protocolVersion": VERSIONS[0], "capabilities": {}, "clientInfo": {"name": name, "version": "1"}}
        self._ask("initialize", hello)
        self._send({"method": "notifications/initialized"})

    def capture(self, text: str, *, speaker: str, occurred_at: str | int) -> Receipt:
        """Keep what was said."""
        return self._write("capture", text=text, speaker=speaker, occurred_at=occurred_at)

    def remember(self, statement: str, *, evidence: Sequence[Cite] = (), **structure: Any) -> Receipt:
        """Claim something."""
        return self._write("remember", statement=statement, evidence=evidence, **structure)

    def retract(self, record_id: str, *, reason: str) -> Receipt:
        """Take a claim back."""
        return self._write("revise", action="retract", record_id=record_id, reason=reason)

    def change(self, record_id: str, *, since: str, reason: str) -> Receipt:
        """End a claim."""
        return self._write("revise", action="change", record_id=record_id, since=since, reason=reason)

    def recall(self, question: str, *, known_at: int | None = None) -> list[Seen]:
        """The items of the answer, those in conflict first."""
        told = self._call("recall", query=question, limit=ASKED_FOR, known_at=known_at)
        return items_of(told["content"][0]["text"])

    # ---- messages --------------------------------------------------------------------------------------------------

    def _write(self, tool: str, **arguments: Any) -> Receipt:
        told = self._call(tool, **arguments)["structuredContent"]
        return msgspec.convert({"record_id": None, "entry_id": None, **told}, Receipt)

    def _call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = self._ask("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            raise FailedError(f"the tool {tool} answered: {result['content'][0]['text']}")
        return result

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": params})
        line = self._incoming.readline()
        if not line:
            raise FailedError(f"the server hung up at {method}")
        answer = msgspec.json.decode(line, type=dict[str, Any])
        if answer.get("id") != self._asked or "result" not in answer:
            raise FailedError(f"the server answered {method} by {answer.get('error', 'something else')}")
        return cast("dict[str, Any]", answer["result"])

    def _send(self, message: dict[str, Any]) -> None:
        self._outgoing.write(msgspec.json.encode({"jsonrpc": "2.0", **message}) + b"\n")
        self._outgoing.flush()


@contextmanager
def connect(file: Path, *, name: str, owner: str, scope: str, clock: Clock) -> Generator[Agent]:
    """A client of this name, and the server that `firsthand mcp` starts for it, until it is left."""
    settings = Settings(db=str(file), space="default", scope=scope, actor=owner, owner=None, role="agent", origins={})
    scopes = (scope, SPACE_WIDE)
    asked, asking = _pipe()
    answers, answering = _pipe()

    def serve() -> None:
        with asked, answering:
            Server(
                Wire(asked, answering),
                lambda client: open_for(settings, client, scopes, USUAL_CLEARANCE, clock=clock, synchronous="OFF"),
                scopes=scopes,
            ).serve()

    server = threading.Thread(target=serve, name="mcp-server")
    server.start()
    try:
        with answers, asking:
            yield Agent(asking, answers, name)
    finally:
        server.join()


def _pipe() -> tuple[BinaryIO, BinaryIO]:
    reading, writing = os.pipe()
    return os.fdopen(reading, "rb"), os.fdopen(writing, "wb")


# ---- reading an answer -----------------------------------------------------------------------------------------------


def items_of(text: str) -> list[Seen]:
    """The items of an answer, by its text alone: where nothing is said against an item, it is offered as true."""
    fenced = FENCE.fullmatch(text)
    if fenced is None:
        raise FailedError("an answer is not fenced")
    found: list[Seen] = []
    numbers = itertools.count()
    conflict: int | None = None
    for line in fenced[2].splitlines():
        if line.startswith(CONFLICTS):
            conflict = next(numbers)
        elif line == CONFLICT_ENDS:
            conflict = None
        elif line.startswith(ITEM):
            found.append(Seen(line.removeprefix(ITEM), qualified=False, conflict=conflict))
        elif found and (standing := STANDING.fullmatch(line)):
            against = any(part.startswith(AGAINST) for part in standing[1].split("; "))
            found[-1] = found[-1]._replace(qualified=against)
    return found
