"""The event a harness writes to a hook's standard input. Fields that are not named here are left alone.

Claude Code: https://code.claude.com/docs/en/hooks ("Hook input"). All events have `session_id`, `transcript_path`,
`cwd` and `hook_event_name`; SessionStart has `source` (startup, resume, clear, compact) and `model`; UserPromptSubmit
`prompt`; PostToolUse `tool_name`, `tool_input`, `tool_response` and `tool_use_id`; Stop `last_assistant_message`.
Codex: `codex-rs/hooks/schema/generated/*.command.input.schema.json` of github.com/openai/codex name the same fields;
`transcript_path` may be null, and events within a turn have a `turn_id`.
"""

from __future__ import annotations

from typing import Any, BinaryIO, Final, Literal, get_args

import msgspec

from firsthand.surfaces.hooks.texts import decoded
from firsthand.vocabulary.errors import InvalidError

Harness = Literal["claude-code", "codex"]
HARNESSES: Final[tuple[Harness, ...]] = get_args(Harness)
EVENT_BYTES: Final = 32 * 1024 * 1024


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One event of either harness."""

    hook_event_name: str
    session_id: str
    transcript_path: str | None = None
    cwd: str | None = None
    model: Any = None
    source: str | None = None
    turn_id: str | None = None
    prompt: str | None = None
    tool_name: str | None = None
    tool_input: Any = None
    tool_response: Any = None
    tool_use_id: str | None = None
    last_assistant_message: str | None = None

    @property
    def name(self) -> str:
        """Which event it is."""
        return self.hook_event_name


def read_event(stream: BinaryIO) -> Event:
    """The event on standard input."""
    data = stream.read(EVENT_BYTES + 1)
    if len(data) > EVENT_BYTES:
        raise InvalidError("event_too_large", f"the event is over its limit of {EVENT_BYTES} bytes", field="event")
    try:
        return decoded(data, Event)
    except (ValueError, RecursionError):
        raise InvalidError("event_invalid", "the event is not one that a harness sends", field="event") from None
