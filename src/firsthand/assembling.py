"""Memory for a session's prompts, turn by turn: what is unchanged stays where it stands, byte for byte."""

from __future__ import annotations

import threading
from typing import Any

import msgspec

from firsthand.handled import Engine, Handled
from firsthand.recall.assemble import Key, Place, Session, assemble
from firsthand.recall.pipeline import NOTICE, new_nonce, recall, receipt_of
from firsthand.rules.access import Handle
from firsthand.vocabulary import limits
from firsthand.vocabulary.assembled import Assembled
from firsthand.vocabulary.tokens import CountTokens, counting


class Assembly(Handled):
    """One session's memory block. Its fence has one nonce, and it remembers ids and digests, never words.

    Every turn reads all of it anew: what was corrected, taken back, hidden or erased, or may no longer be read, is gone
    from the next text; what says something else now moves to the end. Safe for threads; its turns come one by one.
    """

    def __init__(
        self, engine: Engine, caller: Handle, *, receipts: bool, max_tokens: int, count_tokens: CountTokens | None
    ) -> None:
        super().__init__(engine, caller, receipts=receipts)
        limits.check_range(max_tokens, least=limits.PACKET_TOKENS_MIN, most=limits.PACKET_BYTES_MAX, field="max_tokens")
        self._session = Session.begun(new_nonce(caller), NOTICE, max_tokens, counting(count_tokens))
        self._shown: dict[Key, Place] = {}
        self._turn = 0
        self._lock = threading.Lock()

    def turn(self, query: str, **asked: Any) -> Assembled:
        """The text for the next prompt: what a recall of `query` finds, after what stood there before and still does.

        Takes recall's arguments but `max_tokens`. They hold for the whole text: what they keep out of an answer leaves.
        `limit` and `max_bytes` bound what a turn may add. Leaves one receipt, of every record in the text.
        """
        self._handle.may("recall")
        session = self._session
        plan = self._plan(query, max_tokens=session.max_tokens, count_tokens=session.count_tokens, **asked)
        with self._lock:
            with self._engine.store.reading(self._handle.space) as reader:
                trace = recall(reader, self._handle, plan, self._cache(), self._engine.reranker)
                prompt = assemble(
                    reader, self._handle, plan, self._cache(), trace, session, self._shown, self._turn + 1
                )  # fmt: skip
            packet = msgspec.structs.replace(trace.packet, nonce=session.nonce)
            ids = tuple(dict.fromkeys(record for record, _ in prompt.shown))
            left = tuple(dict.fromkeys(record for record, _ in self._shown if record not in ids))
            self._shown, self._turn = dict(prompt.shown), self._turn + 1
        if self._receipts:
            self._engine.gateway.journal.add(receipt_of(self._handle, plan, packet, ids))
        return Assembled(
            text=prompt.text, record_ids=ids, left=left, tokens=prompt.tokens, made_room=prompt.made_room, packet=packet
        )
