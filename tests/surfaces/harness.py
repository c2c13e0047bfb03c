"""A harness of our own making: it sends the events, and writes the transcripts, that Claude Code and Codex do."""

from __future__ import annotations

import io
import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import firsthand
from firsthand.config import Name
from firsthand.surfaces.hooks.events import Harness
from firsthand.surfaces.hooks.running import run

TIMESTAMP = "2026-11-30T12:00:00.000Z"
OWNER = "ana"
FLAGS: dict[Name, str | None] = {"actor": OWNER}


class Kept(NamedTuple):
    """An episode as the ledger has it."""

    text: str
    payload: dict[str, Any]
    attested: bool


class Session:
    """One session in a project folder; `said` are the lines of its transcript."""

    def __init__(self, folder: Path, database: Path, session: str = "s-1", harness: Harness = "claude-code") -> None:
        self.folder, self.database, self.session, self.harness = folder, database, session, harness
        self.transcript = database.parent / f"{session}.jsonl"
        self.calls = self.lines = 0

    def event(self, name: str, **fields: Any) -> dict[str, Any]:
        """An event in the harness's form, with a field that no version of ours knows."""
        turn = {"turn_id": f"{self.session}-{self.calls}"} if self.harness == "codex" else {}
        return {
            "session_id": self.session, "transcript_path": str(self.transcript), "cwd": str(self.folder),
            "hook_event_name": name, "permission_mode": "default", "field_of_tomorrow": [1], **turn, **fields,
        }  # fmt: skip

    def hook(self, name: str, **fields: Any) -> str | None:
        """Run a hook to its end; what it adds to the session."""
        return added(self.raw(json.dumps(self.event(name, **fields)).encode()), name)

    def raw(self, data: bytes) -> bytes:
        """Run a hook on these bytes; what it prints."""
        self.calls += 1
        out = io.BytesIO()
        flags = {"db": str(self.database), **FLAGS}
        run(self.harness, flags, started=time.monotonic(), stdin=io.BytesIO(data), stdout=out)
        return out.getvalue()

    # ---- a turn, as the harness lives it -----------------------------------------------------------------------------

    def ask(self, prompt: str) -> str | None:
        """The user says something: the hook first, then the transcript, with what the hook added."""
        context = self.hook("UserPromptSubmit", prompt=prompt)
        self.write("user", prompt)
        if context is not None:
            self.line({"type": "attachment", "attachment": {"type": "hook_additional_context", "content": [context]}})
        return context

    def use(self, tool: str, given: dict[str, Any], response: Any, *, failed: bool = False) -> None:
        """The agent uses a tool."""
        call = f"toolu_{self.session}_{self.lines}"
        self.write("assistant", [{"type": "tool_use", "id": call, "name": tool, "input": given}])
        told = response if isinstance(response, str) else json.dumps(response)
        self.write("user", [{"type": "tool_result", "tool_use_id": call, "content": told, "is_error": failed}])
        if not failed:
            self.hook("PostToolUse", tool_name=tool, tool_input=given, tool_response=response, tool_use_id=call)

    def reply(self, text: str, **stop: Any) -> None:
        """The agent says something and stops."""
        self.write("assistant", [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": text}])
        self.hook("Stop", stop_hook_active=False, **stop)

    def write(self, role: str, content: Any, **more: Any) -> None:
        """A line of Claude Code's transcript."""
        self.lines += 1
        told = {"message": {"role": role, "content": content}, "uuid": f"{self.session}-line-{self.lines}"}
        where = {"type": role, "isSidechain": False, "timestamp": TIMESTAMP, "sessionId": self.session}
        self.line({**where, **told, **more})

    def line(self, fields: Any) -> None:
        """Any line."""
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(fields) + "\n")

    # ---- what became of it -------------------------------------------------------------------------------------------

    @contextmanager
    def memory(self, scope: str | None = None) -> Iterator[firsthand.Memory]:
        """The memory as its owner has it."""
        where = scope or f"project:{self.folder.name}"
        with firsthand.open(self.database, scope=where, actor=OWNER, role="person", create=False) as opened:
            yield opened

    def kept(self, event_kind: str | None = None) -> list[Kept]:
        """Every episode of the whole file, oldest first; or those of a kind."""
        with sqlite3.connect(f"file:{self.database}?mode=ro", uri=True) as connection:
            rows = connection.execute(
                "SELECT skeleton, body FROM entry WHERE body IS NOT NULL ORDER BY position"
            ).fetchall()
        connection.close()
        told = [(json.loads(skeleton)["edges"], json.loads(body).get("payload", {})) for skeleton, body in rows]
        found = [Kept(p["text"], p, e.get("attested", False)) for e, p in told if p.get("kind") == "episodic"]
        return [episode for episode in found if event_kind in (None, episode.payload.get("event_kind"))]

    def texts(self, event_kind: str | None = None) -> list[str]:
        """What every episode says."""
        return [item.text for item in self.kept(event_kind)]


def added(output: bytes, name: str) -> str | None:
    """What a hook's output adds to the session."""
    if not output:
        return None
    told = json.loads(output)["hookSpecificOutput"]
    assert told["hookEventName"] == name
    assert told.keys() == {"hookEventName", "additionalContext"}
    return str(told["additionalContext"])


Make = Callable[..., Session]
