"""What one scope rejects, in the words of another that is read beside it (design 03).

A tombstone binds where it was set. So a text of `space:` stays whole where it is read without that scope; read
together with it, its sentences that say what was rejected are masked, and what cannot be masked is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from firsthand.ports import LedgerRow, Reader
from firsthand.recall.cache import Cache, Rejections, Seen
from firsthand.rules.access import Handle
from firsthand.rules.bearing import tombstone_key, tombstone_of
from firsthand.rules.leaves import Veiled, slice_of
from firsthand.rules.tombstones import lifted
from firsthand.rules.view import Said, View
from firsthand.sighting import Look, Scene, looks_at
from firsthand.veil import mark
from firsthand.vocabulary.entries import Body, Claim, Entry, Revise, Skeleton
from firsthand.vocabulary.grants import SPACE_WIDE
from firsthand.vocabulary.records import Episodic

_bodies = msgspec.json.Decoder(Body)
_skeletons = msgspec.json.Decoder(Skeleton)


class Beside:
    """The rejections of the scopes that one recall reads, each as it meets the words of the others."""

    def __init__(self, reader: Reader, handle: Handle, cache: Cache, scope_ids: Iterable[str]) -> None:
        self._reader = reader
        self._handle = handle
        self._cache = cache
        self._view = View(reader)
        rejections = cache.rejections(reader) if reader.has_stones() else {}
        # What `space:` rejects is masked in every scope already, in its own entries.
        self._rejections = {s: rejections[s] for s in scope_ids if s in rejections and s != SPACE_WIDE}
        self.kept_out: dict[str, str] = {}
        """Entries whose words may not be shown here, each with the rejection that says so."""

    def keep_out(self, claims: Iterable[tuple[str, Said]]) -> None:
        """Leave out revisions that claim, in another scope, the very thing that one of these rejects."""
        if not self._rejections:
            return
        for revision, said in claims:
            for stone in self._on(said.claim):
                if stone.skeleton.scope != said.scope and not lifted(self._view, stone.id):
                    self.kept_out[revision] = stone.id

    def marks(self, stored: Mapping[str, LedgerRow]) -> dict[str, list[Veiled]]:
        """What is masked of the words of some entries; those of which nothing may be shown are left out."""
        found: dict[str, list[Veiled]] = {}
        for scope_id, rejections in self._rejections.items():
            texts = {i: seen for i, row in stored.items() if (seen := self._seen(row)).scope_id != scope_id}
            for entry_id, look, stone in self._met(scope_id, rejections, texts):
                found.setdefault(entry_id, []).append(Veiled(*look.span, mark(stone.id)))
                if _cannot_be_masked(texts[entry_id], look, found[entry_id]):
                    self.kept_out[entry_id] = stone.id
        return found

    def _on(self, claim: Claim) -> Iterator[Entry]:
        """Rejections of a claim's value."""
        key = tombstone_key(claim)
        for rejections in self._rejections.values():
            yield from rejections.by_claim.get(key, ())

    def _met(
        self, scope_id: str, rejections: Rejections, texts: Mapping[str, Seen]
    ) -> Iterator[tuple[str, Look, Entry]]:
        """Sentences that say what a scope rejects, by the names known in that scope and in their own."""
        if not texts:
            return
        known = dict.fromkeys((scope_id, *(seen.scope_id for seen in texts.values())))
        scene = Scene(self._handle.keyed, known, self._reader, [k for seen in texts.values() for k in seen.looks])
        for entry_id, seen in texts.items():
            for look in map(scene.named, seen.looks):
                for stone in rejections.meeting(look):
                    tombstone = tombstone_of(stone)
                    assert tombstone is not None
                    if scene.sees(look, tombstone, seen.speaker) and not lifted(self._view, stone.id):
                        yield entry_id, look, stone

    def _seen(self, row: LedgerRow) -> Seen:
        held = self._cache.seen(row.entry_id)
        if held is None:
            held = _look(row, self._handle)
            self._cache.keep_seen(row.entry_id, held)
        return held


def _look(row: LedgerRow, handle: Handle) -> Seen:
    """The sentences of an entry as tombstones are looked for in them."""
    skeleton = _skeletons.decode(row.skeleton)
    body = _bodies.decode(row.body) if row.body is not None else Body()
    episode = body.payload if isinstance(body.payload, Episodic) else None
    utterance = isinstance(skeleton.edges, Revise) and skeleton.edges.utterance
    looks = looks_at(body, handle.keyed, utterance=utterance)
    return Seen(skeleton.scope, episode.speaker if episode else None, episode is not None, looks)


def _cannot_be_masked(seen: Seen, look: Look, marks: Sequence[Veiled]) -> bool:
    """Whether a record falls with its sentence: it is no episode, or an episode that says nothing else."""
    if not seen.is_episode:
        return not look.leaf.is_reason
    left = slice_of(look.leaf.text, [v._replace(mark="") for v in marks])
    return look.leaf.start == 0 and not any(map(str.isalnum, left))
