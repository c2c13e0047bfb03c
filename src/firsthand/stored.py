"""A stored entry read again: as the fold sees it, its words, and what the indexes hold of them."""

from __future__ import annotations

from collections.abc import Sequence

from firsthand.ports import LedgerRow, MaskRow, Said
from firsthand.rules.terms import tokens
from firsthand.rules.wording import BLANK, Indexed, index_words, words_of
from firsthand.veil import unread
from firsthand.vocabulary.decoding import decode_body, decode_skeleton
from firsthand.vocabulary.entries import Body, Entry, Revise
from firsthand.vocabulary.records import Episodic, Payload


def entry_of(row: LedgerRow) -> Entry:
    """A stored entry as the fold sees it."""
    return Entry(id=row.entry_id, skeleton=decode_skeleton(row.skeleton))


def body_of(row: LedgerRow) -> Body | None:
    """The words of a stored entry, unless erased."""
    return decode_body(row.body) if row.body is not None else None


def indexed_again(entry: Entry, body: Body | None, masks: Sequence[MaskRow] = ()) -> Indexed:
    """What the indexes hold of a stored entry: of what is masked no word, but when it was and what it asks."""
    edges = entry.skeleton.edges
    if body is None or body.payload is None or (isinstance(edges, Revise) and edges.utterance):
        return BLANK
    whole = index_words(body.payload, said_at(entry, body.payload))
    payload = unread(body, masks).payload if masks else None
    if payload is None:
        return whole
    seen = index_words(payload, said_at(entry, payload))
    return whole._replace(
        terms=seen.terms, mentions=seen.mentions, perhaps=seen.perhaps, words=seen.words, text=seen.text
    )


def said_again(entry: Entry, body: Body | None, masks: Sequence[MaskRow] = ()) -> Said:
    """What a vector is made of: the `words` and the `text` of `indexed_again`, for a third of its cost."""
    edges = entry.skeleton.edges
    if body is None or body.payload is None or (isinstance(edges, Revise) and edges.utterance):
        return Said((), "")
    text = words_of((unread(body, masks).payload if masks else None) or body.payload)
    return Said(tuple(tokens(text)), text)


def said_at(entry: Entry, payload: Payload) -> int:
    """The instant against which a payload's relative time words are read."""
    if isinstance(payload, Episodic) and payload.occurred_at is not None:
        return payload.occurred_at
    return entry.skeleton.recorded_at
