"""What an assembly gives for one turn."""

from __future__ import annotations

from firsthand.vocabulary.packets import Packet
from firsthand.vocabulary.results import Result


class Assembled(Result, frozen=True):
    """One turn's memory for a prompt. `packet` is the answer to this turn's question alone.

    `record_ids` stand in `text`, in its order; `left` stood in the turn before and stand there no more. `made_room`:
    something left because the budget was full, and the prompt's cache with it.
    """

    text: str
    record_ids: tuple[str, ...]
    left: tuple[str, ...]
    tokens: int
    made_room: bool
    packet: Packet

    @property
    def recall_id(self) -> str:
        """Names this turn's receipt, for feedback."""
        return self.packet.recall_id
