"""A packet as text for a prompt: every item inside a data fence that content cannot close (design 04)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from firsthand.vocabulary.packets import Packet


def render(packet: Packet, style: Literal["text", "json"], *, max_tokens: int | None) -> str:
    """The packet fenced as data; the limit includes the fence."""
    body = "\n".join(item.text for item in packet.items)
    return f'<firsthand-memory nonce="{packet.nonce}">\n{body}\n</firsthand-memory nonce="{packet.nonce}">'
