"""What is rejected, looked for in words when they are shown: where no mask that is stored can reach (design 03).

Stored masks are those of an entry's own scope, on words that an index finds. Two kinds of words are looked at when they
are read: those of another scope, and reasons.
"""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from firsthand.ports import LedgerRow, Reader
from firsthand.rules.access import Handle
from firsthand.rules.bearing import PEERS_KEY, is_absolute, tombstone_key, tombstone_of
from firsthand.rules.leaves import Veiled
from firsthand.rules.tombstones import lifted
from firsthand.rules.view import View
from firsthand.sighting import Look, Scene, looks_at
from firsthand.veil import mark
from firsthand.vocabulary.decoding import decode_body, decode_skeleton
from firsthand.vocabulary.entries import Body, Entry, Propose, Revise
from firsthand.vocabulary.grants import SPACE_WIDE
from firsthand.vocabulary.records import Episodic

KEPT: Final = 512
"""Entries whose sentences are kept, as digests, for the next time they are shown."""


class Seen(NamedTuple):
    """The sentences of one entry as tombstones are looked for in them."""

    scope_id: str
    speaker: str | None
    is_episode: bool
    is_unindexed: bool
    looks: Sequence[Look]


class Sight(NamedTuple):
    """A sentence of an entry that says what is rejected."""

    entry_id: str
    look: Look
    stone: Entry

    @property
    def veiled(self) -> Veiled:
        """How it reads."""
        return Veiled(*self.look.span, mark(self.stone.id))


class Rejections:
    """What one scope rejects: by the value forbidden, and by every digest under which it is found in a sentence."""

    def __init__(self) -> None:
        self.by_claim: dict[str, list[Entry]] = {}
        self._by_digest: dict[str, list[Entry]] = {}

    def add(self, stone: Entry) -> None:
        """One more rejection."""
        tombstone = tombstone_of(stone)
        assert tombstone is not None
        self.by_claim.setdefault(tombstone_key(tombstone), []).append(stone)
        for digest in {tombstone.value, tombstone.begins, *tombstone.sentences} - {""}:
            self._by_digest.setdefault(digest, []).append(stone)

    def meeting(self, look: Look) -> Iterable[Entry]:
        """Rejections that a sentence may meet, each once."""
        held = set(itertools.chain(*look.words.values(), *look.values.values()))
        return {e.id: e for digest in held & self._by_digest.keys() for e in self._by_digest[digest]}.values()


class Looked:
    """What one process keeps of this: what each scope rejects, and sentences looked at lately; safe for threads."""

    def __init__(self) -> None:
        self._version = (0, 0)
        self._rejections: dict[str, Rejections] = {}
        self._seen: OrderedDict[str, Seen] = OrderedDict()
        self._lock = threading.Lock()

    def rejections(self, reader: Reader) -> dict[str, Rejections]:
        """What each scope rejects, until another value is forbidden or another store is believed otherwise."""
        if not reader.has_stones():
            return {}
        version = reader.last_stone(), reader.last_bearing_on(PEERS_KEY)
        with self._lock:
            if self._version == version:
                return self._rejections
        found: dict[str, Rejections] = {}
        for stone in reader.stones():
            if is_absolute(stone):
                found.setdefault(stone.skeleton.scope, Rejections()).add(stone)
        with self._lock:
            self._version, self._rejections = version, found
        return found

    def seen(self, row: LedgerRow, handle: Handle) -> Seen:
        """The sentences of an entry."""
        with self._lock:
            held = self._seen.get(row.entry_id)
        if held is None:
            held = _look(row, handle)
            with self._lock:
                self._seen[row.entry_id] = held
                while len(self._seen) > KEPT:
                    self._seen.popitem(last=False)
        return held

    def forget(self) -> None:
        """Forget every sentence: some were erased."""
        with self._lock:
            self._seen.clear()


def sights(
    reader: Reader, handle: Handle, scope_id: str, rejections: Rejections, texts: Mapping[str, Seen]
) -> Iterator[Sight]:
    """Sentences that say what a scope rejects, by the names known in that scope and in their own."""
    if not texts:
        return
    view = View(reader)
    known = dict.fromkeys((scope_id, *(seen.scope_id for seen in texts.values())))
    scene = Scene(handle.keyed, known, reader, [look for seen in texts.values() for look in seen.looks])
    for entry_id, seen in texts.items():
        for look in map(scene.named, seen.looks):
            for stone in rejections.meeting(look):
                tombstone = tombstone_of(stone)
                assert tombstone is not None
                if scene.sees(look, tombstone, seen.speaker) and not lifted(view, stone.id):
                    yield Sight(entry_id, look, stone)


class Hindsight:
    """What was said before it was rejected where no index finds it: in reasons, utterances and proposals."""

    kept_out: Final[Mapping[str, str]] = MappingProxyType({})

    def __init__(self, reader: Reader, handle: Handle, looked: Looked) -> None:
        self._reader = reader
        self._handle = handle
        self._looked = looked

    def keep_out(self, claims: Iterable[object]) -> None:
        """Leave out nothing: a record that may be read at all is shown, with its masks."""

    def marks(self, stored: Mapping[str, LedgerRow]) -> dict[str, list[Veiled]]:
        """What is masked of the words of some entries."""
        found: dict[str, list[Veiled]] = {}
        rejections = self._looked.rejections(self._reader)
        seen = {i: self._looked.seen(row, self._handle) for i, row in stored.items()} if rejections else {}
        for scope_id in rejections.keys() & {SPACE_WIDE, *(text.scope_id for text in seen.values())}:
            texts = {i: text for i, text in seen.items() if scope_id in (SPACE_WIDE, text.scope_id)}
            for sight in sights(self._reader, self._handle, scope_id, rejections[scope_id], texts):
                if sight.look.leaf.is_reason or texts[sight.entry_id].is_unindexed:
                    found.setdefault(sight.entry_id, []).append(sight.veiled)
        return found


def _look(row: LedgerRow, handle: Handle) -> Seen:
    """The sentences of an entry as tombstones are looked for in them."""
    skeleton = decode_skeleton(row.skeleton)
    body = decode_body(row.body) if row.body is not None else Body()
    episode = body.payload if isinstance(body.payload, Episodic) else None
    utterance = isinstance(skeleton.edges, Revise) and skeleton.edges.utterance
    looks = looks_at(body, handle.keyed, utterance=utterance)
    unindexed = utterance or isinstance(skeleton.edges, Propose)
    return Seen(skeleton.scope, episode.speaker if episode else None, episode is not None, unindexed, looks)
