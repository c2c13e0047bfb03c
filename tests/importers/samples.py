"""The sample file of every format: where it is, what imports it, and what it holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from firsthand.importers.chatgpt import import_chatgpt
from firsthand.importers.claude import import_claude
from firsthand.importers.claude_code import import_claude_code
from firsthand.importers.codex import import_codex
from firsthand.importers.markdown import import_markdown
from firsthand.importers.mcp_memory import import_mcp_memory

FIXTURES = Path(__file__).parent / "fixtures"
Json = dict[str, Any]


class Sample(NamedTuple):
    """A format with a file of it, and one more turn of it that says `words`."""

    run: Callable[..., Any]
    folder: str
    file: str
    turns: int
    grown: Callable[[bytes, str], bytes]
    bad: Callable[[bytes], bytes]
    bad_line: int
    code: str

    @property
    def path(self) -> Path:
        return FIXTURES / self.folder / self.file


def _lines(*rows: Json) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def _claude_code(raw: bytes, words: str) -> bytes:
    return raw + _lines(
        {
            "type": "user", "uuid": "new-1", "sessionId": "s", "timestamp": "2026-03-10T08:00:00.000Z",
            "message": {"role": "user", "content": words},
        }
    )  # fmt: skip


def _codex(raw: bytes, words: str) -> bytes:
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": words}]}
    return raw + _lines({"timestamp": "2026-03-10T08:00:00.000Z", "type": "response_item", "payload": said})


def _chatgpt(raw: bytes, words: str) -> bytes:
    (conversation,) = json.loads(raw)
    message: Json = {"id": "new-1", "author": {"role": "user"}, "create_time": 1773129600.0}
    message["content"] = {"content_type": "text", "parts": [words]}
    node = {"id": "new-1", "parent": conversation["current_node"], "children": [], "message": message}
    conversation["mapping"]["new-1"] = node
    conversation["current_node"] = "new-1"
    return json.dumps([conversation]).encode()


def _claude(raw: bytes, words: str) -> bytes:
    (conversation,) = json.loads(raw)
    message = {"uuid": "new-1", "sender": "human", "text": words, "created_at": "2026-03-10T08:00:00Z"}
    conversation["chat_messages"].append(message)
    return json.dumps([conversation]).encode()


def _mcp_memory(raw: bytes, words: str) -> bytes:
    return raw + b"\n" + _lines({"type": "entity", "name": "Omar", "entityType": "person", "observations": [words]})


def _markdown(raw: bytes, words: str) -> bytes:
    return raw + f"\n- {words}\n".encode()


def _spoilt_line(raw: bytes) -> bytes:
    return b'{"type": \n' + raw


def _spoilt_element(raw: bytes) -> bytes:
    return b'[{"mapping": nonsense, "chat_messages": []},' + raw.lstrip()[1:]


def _spoilt_passage(raw: bytes) -> bytes:
    return b"caf\xe9\n\n" + raw


_SESSION = "3f6c1c52-8a53-4c1e-9a51-6f6f0d9d1b01.jsonl"
_ROLLOUT = "2026/03/09/rollout-2026-03-09T11-00-00-0199c0de-1111-7222-8333-444455556666.jsonl"
SAMPLES = {
    "claude-code": Sample(
        import_claude_code, "claude_code", f"-home-ruth-boat/{_SESSION}", 10, _claude_code, _spoilt_line, 1,
        "json_invalid",
    ),
    "codex": Sample(import_codex, "codex", _ROLLOUT, 6, _codex, _spoilt_line, 1, "json_invalid"),
    "chatgpt": Sample(
        import_chatgpt, "chatgpt", "conversations.json", 4, _chatgpt, _spoilt_element, 1, "json_invalid"
    ),
    "claude": Sample(import_claude, "claude", "conversations.json", 6, _claude, _spoilt_element, 1, "json_invalid"),
    "mcp-memory": Sample(
        import_mcp_memory, "mcp_memory", "memory.jsonl", 3, _mcp_memory, _spoilt_line, 1, "json_invalid"
    ),
    "markdown": Sample(import_markdown, "markdown", "CLAUDE.md", 8, _markdown, _spoilt_passage, 1, "utf8_invalid"),
}  # fmt: skip
