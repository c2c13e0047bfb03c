"""What a hook adds to a session: a bounded packet, fenced as data, in the form that both harnesses read.

Both take `{"hookSpecificOutput": {"hookEventName": …, "additionalContext": …}}` from SessionStart and UserPromptSubmit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from firsthand.surfaces.hooks.events import Event
from firsthand.surfaces.hooks.projects import user_scope
from firsthand.surfaces.hooks.spool import Who
from firsthand.surfaces.hooks.texts import clipped
from firsthand.vocabulary.grants import SPACE_WIDE
from firsthand.vocabulary.kinds import Kind
from firsthand.vocabulary.limits import PACKET_BYTES_MAX, QUERY_BYTES, RECALL_LIMIT_MAX
from firsthand.vocabulary.records import Working
from firsthand.vocabulary.rendering import as_fits, conflict_block, item_block

if TYPE_CHECKING:
    from firsthand.memory import Memory
    from firsthand.vocabulary.packets import ConflictGroup, Item, Packet

BELIEFS_FIRST: Final = 5
"""How many beliefs come before anything that was only said."""
LASTING: Final[tuple[Kind, ...]] = ("semantic", "competence", "plan_graph")
RESUMED_BY: Final = frozenset(("startup", "resume", "compact"))
"""How a session may start that goes on with something; after `clear` the user wants to start afresh."""


def scopes_of(who: Who) -> list[str]:
    """Where a session reads: its project, what holds for everybody, and what holds of its user."""
    return list(dict.fromkeys((who.scope, SPACE_WIDE, user_scope(who.owner))))


def answer(memory: Memory, event: Event, who: Who, most: int) -> str | None:
    """What is added to the session, at most `most` bytes of it; nothing where nothing is known or nothing fits."""
    match event.name:
        case "UserPromptSubmit":
            return _about(memory, event.prompt or "", who, most)
        case "SessionStart":
            return _at_start(memory, event, who, most)
        case _:
            return None


def as_output(event: Event, text: str) -> bytes:
    """The answer as the harness reads it."""
    added = {"hookEventName": event.name, "additionalContext": text}
    return msgspec.json.encode({"hookSpecificOutput": added})


def _about(memory: Memory, prompt: str, who: Who, most: int) -> str | None:
    """What is known about a prompt, without what this session said itself: the harness still has that.

    Beliefs are asked for apart, since nothing a long session says crowds them out, and come first.
    """
    query = clipped(prompt, QUERY_BYTES)
    if not query:
        return None
    beliefs = _recalled(memory, query, scopes_of(who), LASTING)
    sayings = _recalled(memory, query, scopes_of(who), ("episodic",))
    cited = {citation.record_id for item in beliefs.items for citation in item.citations}
    others = [i for i in sayings.items if i.thread != who.session and i.record_id not in cited]
    items = (*beliefs.items[:BELIEFS_FIRST], *others, *beliefs.items[BELIEFS_FIRST:])
    return fitted(beliefs, items, most)


def _recalled(memory: Memory, query: str, scopes: Sequence[str], kinds: Sequence[Kind]) -> Packet:
    """As much as a packet can hold: some of it is of this very session, and some will not fit."""
    return memory.recall(query, scopes=scopes, kinds=kinds, limit=RECALL_LIMIT_MAX, max_bytes=PACKET_BYTES_MAX)


def _at_start(memory: Memory, event: Event, who: Who, most: int) -> str | None:
    """Where the work was left, and the newest of what lasts."""
    left_at = _where_left(memory, who, most) if event.source in RESUMED_BY else None
    room = most - len(f"{left_at}\n".encode()) if left_at else most
    lasting = _recalled(memory, "", scopes_of(who), LASTING)
    return "\n".join(text for text in (left_at, fitted(lasting, lasting.items, room)) if text) or None


def _where_left(memory: Memory, who: Who, most: int) -> str | None:
    """The working record of this session, or the latest of its project."""
    packet = memory.recall(
        "", scopes=[who.scope], kinds=["working"], limit=RECALL_LIMIT_MAX, max_bytes=PACKET_BYTES_MAX
    )
    latest = sorted(packet.items, key=lambda item: (_is_of(item, who.session), item.believed_since), reverse=True)
    return fitted(msgspec.structs.replace(packet, conflicts=()), latest[:1], most)


def _is_of(item: Item, session: str) -> bool:
    return isinstance(item.payload, Working) and item.payload.thread_id == session


def fitted(packet: Packet, items: Sequence[Item], most: int) -> str | None:
    """A packet's conflicts and the best of these items as text of at most `most` bytes; nothing if none fits."""
    packet = msgspec.structs.replace(packet, why_empty=None)  # it is told where it holds something, and then of others
    room = most - len(msgspec.structs.replace(packet, conflicts=(), items=()).render().encode())
    conflicts: list[ConflictGroup] = []
    kept: list[Item] = []
    for whole in packet.conflicts:
        left = room
        group = as_fits(whole, lambda group, left=left: _size(conflict_block(group)) <= left)
        if group is not None:
            conflicts.append(group)
            room -= _size(conflict_block(group))
    for item in items:
        if (size := _size(item_block(item))) <= room:
            kept.append(item)
            room -= size
    chosen = msgspec.structs.replace(packet, conflicts=tuple(conflicts), items=tuple(kept))
    return chosen.render() if kept or conflicts else None


def _size(block: str) -> int:
    """What a block adds to a rendered packet, with the end of its line."""
    return len(block.encode()) + 1
