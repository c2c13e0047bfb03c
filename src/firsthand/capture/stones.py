"""Tombstones and running text: what a write meets, and what a new tombstone reaches of what is stored (design 03).

Asked under the append lock, and only in a space that has a tombstone. What is found goes into the skeleton of the
entry that is written, so that fold, rebuild and erasure need neither the words nor the key to agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from firsthand.capture.ground import Ground, source_of
from firsthand.ports import Clock, Reader
from firsthand.rules.access import Handle
from firsthand.rules.bearing import CLAIMED, value_digest
from firsthand.rules.privacy import hidden_by
from firsthand.rules.tombstones import Block, blocked
from firsthand.rules.view import Said, View
from firsthand.sighting import Look, Sighting, looks_at, sightings
from firsthand.vocabulary.entries import (
    Assertion,
    AuthorIds,
    Body,
    Claim,
    Edges,
    Met,
    Propose,
    Reject,
    Revise,
    Support,
    Tombstone,
)
from firsthand.vocabulary.grants import SPACE_WIDE
from firsthand.vocabulary.kinds import Basis
from firsthand.vocabulary.records import Episodic

PRIVATE: Final = "withdrawn"
"""What binds words that say what was withdrawn as private: they are masked, and never refused."""
NEAR: Final = "tombstone_near"
"""The code of what is refused because it comes near a tombstone, and can neither wait for review nor be masked."""


class Voice(NamedTuple):
    """Whose words are looked at: what the fold asks of an assertion before it binds it."""

    source: str
    attested: bool
    spoken: int
    basis: Basis = "stated"
    imported: bool = False


class Meeting(NamedTuple):
    """One place where words meet a tombstone that binds who says them, or a withdrawal as private."""

    sighting: Sighting
    block: Block

    @property
    def is_exact(self) -> bool:
        """Whether the whole of what is said is what may not be said."""
        look = self.sighting.look
        return self.sighting.by_sentence and look.is_whole and look.leaf.start == 0

    @property
    def is_private(self) -> bool:
        """Whether the words are only masked."""
        return self.block.status == PRIVATE


def meetings(
    handle: Handle,
    reader: Reader,
    body: Body,
    voices: Sequence[Voice],
    *,
    speaker: str | None = None,
    utterance: bool = False,
    replacing: tuple[str, ...] = (),
) -> list[Meeting]:
    """Where the texts of a body meet tombstones, or withdrawals as private, of this scope or of the whole space."""
    if not reader.has_stones():
        return []
    looks = looks_at(body, handle.keyed, utterance=utterance)
    found = sightings(handle, reader, looks, speaker)
    if not found:
        return []
    view = View(reader)
    blocks: dict[tuple[str, Tombstone], list[Block]] = {}
    for _, stone, _, scope_id in found:
        if (scope_id, stone) not in blocks:
            blocks[scope_id, stone] = _binding(handle, view, stone, scope_id, voices, replacing)
    return [Meeting(s, block) for s in found for block in blocks[s.scope_id, s.stone]]


class Refused(NamedTuple):
    """Why words are refused, and by which tombstone."""

    code: str
    cause: str


def refused_words(
    handle: Handle,
    reader: Reader,
    body: Body,
    grounds: Sequence[Ground],
    basis: Basis,
    clock: Clock,
    replacing: tuple[str, ...] = (),
) -> Refused | None:
    """Why a claim is refused for its words: it is the very sentence, or nobody states what comes near it (09.16)."""
    if not reader.has_stones():
        return None
    now = clock.now()
    spoken = min(now, max((g.spoken for g in grounds), default=now))
    agent = handle.author.role != "person"
    voices = [Voice(source_of(handle, g), g.attested and agent, spoken, basis, g.imported) for g in grounds]
    own = [Voice(handle.ids.owner, False, now, basis)]
    speaker = handle.author.actor
    said = _about(meetings(handle, reader, body, voices or own, speaker=speaker, replacing=replacing))
    for meeting in said:
        if meeting.is_exact:
            return Refused(f"tombstone_{meeting.block.status}", meeting.block.entry)
    return Refused(NEAR, said[0].block.entry) if said and basis != "stated" else None


def refused_record(handle: Handle, reader: Reader, body: Body, clock: Clock) -> Refused | None:
    """Why working memory or an entity is refused: it can neither wait for review nor be masked and still be of use."""
    if not reader.has_stones():
        return None
    voice = Voice(handle.ids.owner, False, clock.now())
    said = _about(meetings(handle, reader, body, [voice], speaker=handle.author.actor))
    return Refused(NEAR, said[0].block.entry) if said else None


def _about(met: Iterable[Meeting]) -> list[Meeting]:
    """Meetings with what is forbidden, in what is said and not in why."""
    return [m for m in met if not m.sighting.look.leaf.is_reason and not m.is_private]


def met_by(handle: Handle, reader: Reader, edges: Edges, body: Body, now: int, actor: str | None) -> tuple[Met, ...]:
    """Which tombstones an entry's words meet: claims wait, other words are masked, as is all that is private.

    The `actor` speaks in words that name no speaker; unset where that name was erased.
    """
    if not reader.has_stones() or (body.payload is None and body.reason is None):
        return ()
    episode = body.payload if isinstance(body.payload, Episodic) else None
    found = meetings(
        handle, reader, body, voices_of(handle.ids, edges, now),
        speaker=episode.speaker if episode else actor,
        utterance=isinstance(edges, Revise) and edges.utterance,
        replacing=edges.supersedes if isinstance(edges, Revise) else (),
    )  # fmt: skip
    said = {value_digest(a.claim) for a in _assertions(edges)}
    claims = bool(said) or (isinstance(edges, Revise) and edges.record_kind in CLAIMED)
    spans: dict[str, list[tuple[int, int]]] = {}
    doubts: set[str] = set()
    for meeting in found:
        (sighting, block), look = meeting, meeting.sighting.look
        if meeting.is_private and value_digest(sighting.stone) in said:
            continue  # the claim itself: its record is hidden
        if claims and not meeting.is_private and not look.leaf.is_reason:
            doubts.add(block.entry)
            spans.setdefault(block.entry, [])
        elif meeting.is_private or look.leaf.is_reason or isinstance(edges, Revise | Propose):
            spans.setdefault(block.entry, []).append(look.span)
    return tuple(Met(of=of, spans=joined(spans[of]), doubt=of in doubts) for of in sorted(spans))


def own_words(look_at: Sequence[Look], handle: Handle, edges: Edges) -> tuple[Met, ...]:
    """Where a rejection says again what it rejects: the value it was given, and its reason, whoever it speaks of."""
    if not isinstance(edges, Reject):
        return ()
    spans = [look.span for look in look_at if not look.leaf.is_reason or look.holds(handle.keyed, edges.tombstone)]
    return (Met(spans=joined(spans)),) if spans else ()


def voices_of(author: AuthorIds, edges: Edges, now: int) -> list[Voice]:
    """Who says what an entry says."""
    said = _assertions(edges)
    if said:
        return [Voice(a.source, a.attested, a.spoken, a.basis, a.imported) for a in said]
    person = author.role == "person"
    if isinstance(edges, Revise) and edges.record_kind == "episodic":
        source = edges.speaker if edges.attested and edges.speaker is not None else edges.origin or author.owner
        spoken = now if edges.occurred is None else min(now, edges.occurred)
        return [Voice(source, edges.attested and not person, spoken, imported=edges.imported)]
    return [Voice(author.owner, False, now)]


def said_of(stone: Tombstone, voice: Voice, author: AuthorIds, scope_id: str) -> Said:
    """What a voice would have said if it had said what a tombstone forbids."""
    claim = Claim(
        value=stone.value, subject=stone.subject, predicate=stone.predicate, polarity=stone.polarity, one=stone.one
    )
    return Said(
        "", "", "", scope_id, claim, "", voice.source, author.owner, author.role, voice.attested, voice.basis, False,
        voice.spoken, None, None, False, voice.imported, "",
    )  # fmt: skip


def joined(spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Spans in order, those that overlap made one."""
    made: list[tuple[int, int]] = []
    for low, high in sorted(spans):
        if made and low < made[-1][1]:
            made[-1] = (made[-1][0], max(made[-1][1], high))
        else:
            made.append((low, high))
    return tuple(made)


def _assertions(edges: Edges) -> tuple[Assertion, ...]:
    return edges.supports if isinstance(edges, Revise | Support) else ()


def _binding(
    handle: Handle,
    view: View,
    stone: Tombstone,
    set_in: str,
    voices: Sequence[Voice],
    replacing: tuple[str, ...],
) -> list[Block]:
    """The tombstone on this value that binds any of some voices, by the fold's own rule, and the withdrawals of it."""
    scope_id = handle.scope_id if set_in == SPACE_WIDE else set_in
    hits = (blocked(view, said_of(stone, v, handle.ids, scope_id), frozenset(), replacing) for v in voices)
    forbidding = next((block for block in hits if block is not None), None)
    private = [Block(PRIVATE, entry.id) for entry in hidden_by(view, scope_id, stone)]
    return private if forbidding is None else [forbidding, *private]
