"""What the turns of a session are called, so that a hook and an importer know them for the same.

A harness tells a hook the ids of tool calls, but of words no id that stands in its session file: they are known by the
session and what they say.
"""

from __future__ import annotations

import hashlib
from typing import Final, Literal

Part = Literal["prompt", "reply", "call", "result"]

CHARACTERS: Final = 40


def turn_name(harness: str, session: str, part: Part, known_by: str) -> str:
    """The name of a part of a session; `known_by`: the id of a tool's call, or else the cleaned words."""
    parts = "\x00".join((harness, session, part, known_by)).encode(errors="replace")
    return f"turn:{hashlib.sha256(parts).hexdigest()[:CHARACTERS]}"
