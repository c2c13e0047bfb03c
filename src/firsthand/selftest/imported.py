"""One sentence in the shape of every file that an importer reads."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, Final

import firsthand.importers
from firsthand.memory import Memory
from firsthand.vocabulary.packets import ImportReport

AT: Final = "2026-03-01T09:00:00Z"
SECONDS: Final = 1_772_355_600


def importers() -> dict[str, Callable[..., ImportReport]]:
    """Every importer there is, by name."""
    found: dict[str, Callable[..., ImportReport]] = {}
    for module in iter_modules(firsthand.importers.__path__):
        name = f"import_{module.name}"
        importer = getattr(import_module(f"firsthand.importers.{module.name}"), name, None)
        if importer is not None:
            found[name] = importer
    return found


def written(name: str, text: str, unique: str, folder: Path) -> Path:
    """A file from which the importer of this name reads the text as something that was said."""
    path = folder / f"{unique}{'.md' if name == 'import_markdown' else '.jsonl'}"
    lines = SHAPES[name](text, unique)
    path.write_text(lines if isinstance(lines, str) else "".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def brought_in(memory: Memory, name: str, text: str, unique: str, folder: Path) -> bool:
    """Whether an importer added the text, or what is left of it."""
    return bool(importers()[name](memory, written(name, text, unique, folder)).added)


def _chatgpt(text: str, unique: str) -> list[Any]:
    message = {"id": unique, "author": {"role": "user"}, "create_time": SECONDS,
               "content": {"content_type": "text", "parts": [text]}}  # fmt: skip
    nodes: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": [unique]},
             unique: {"id": unique, "message": message, "parent": "root", "children": []}}  # fmt: skip
    return [[{"conversation_id": unique, "title": "t", "mapping": nodes, "current_node": unique}]]


def _claude(text: str, unique: str) -> list[Any]:
    turn = {"uuid": unique, "sender": "human", "text": text, "created_at": AT,
            "content": [{"type": "text", "text": text}]}  # fmt: skip
    return [[{"uuid": f"c{unique}", "name": "t", "chat_messages": [turn]}]]


def _claude_code(text: str, unique: str) -> list[Any]:
    return [{"type": "user", "uuid": unique, "sessionId": f"s{unique}", "timestamp": AT,
             "message": {"role": "user", "content": text}}]  # fmt: skip


def _codex(text: str, unique: str) -> list[Any]:
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
    return [{"timestamp": AT, "type": "session_meta", "payload": {"id": unique, "timestamp": AT}},
            {"timestamp": AT, "type": "response_item", "payload": said}]  # fmt: skip


def _locomo(text: str, unique: str) -> list[Any]:
    turn = {"speaker": "Ana", "dia_id": f"D1:{unique}", "text": text}
    return [{"speaker_a": "Ana", "speaker_b": "Ben", "session_1_date_time": "9:00 am on 1 March, 2026",
             "session_1": [turn]}]  # fmt: skip


SHAPES: Final[dict[str, Callable[[str, str], list[Any] | str]]] = {
    "import_chat": lambda text, unique: [{"id": unique, "speaker": "Ana", "text": text}],
    "import_chatgpt": _chatgpt,
    "import_claude": _claude,
    "import_claude_code": _claude_code,
    "import_codex": _codex,
    "import_locomo": _locomo,
    "import_markdown": lambda text, unique: f"# Notes {unique}\n\n{text}\n",
    "import_mcp_memory": lambda text, unique: [
        {"type": "entity", "name": unique, "entityType": "note", "observations": [text]}
    ],
}
