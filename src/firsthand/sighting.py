"""Where the texts of a body hold what a tombstone forbids: a whole sentence of it, or its subject and its value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from firsthand.ports import Reader
from firsthand.rules.access import Handle
from firsthand.rules.bearing import masked_value_of, sentence_key_of, value_key_of
from firsthand.rules.identity import Keyed
from firsthand.rules.leaves import Leaf, leaves
from firsthand.rules.normalise import name_key
from firsthand.rules.sentences import apart, sentences
from firsthand.rules.traces import (
    Sighted,
    beginnings_in,
    names_in,
    sayings,
    sighted,
    speaks_of_itself,
    stands_at,
    value_digest,
    values_in,
)
from firsthand.rules.values import value_key
from firsthand.vocabulary.entries import Body, Entry, Revise, Tombstone, root_of
from firsthand.vocabulary.grants import SPACE_WIDE


class Look(NamedTuple):
    """One sentence of a body: where it stands, the names in and beside it, and how it is seen.

    `values`: of names for known things in it too.
    """

    leaf: Leaf
    low: int
    high: int
    seen: Sighted
    names: frozenset[str]
    words: Mapping[Keyed, frozenset[str]]
    values: Mapping[Keyed, dict[str, int | None]]

    @property
    def span(self) -> tuple[int, int]:
        """Its place in the body's texts laid end to end."""
        return self.leaf.start + self.low, self.leaf.start + self.high

    @property
    def is_whole(self) -> bool:
        """Whether it is all that its text says."""
        return self.leaf.text.strip() == self.leaf.text[self.low : self.high]

    def holds(self, keyed: Keyed, stone: Tombstone) -> bool:
        """Whether it says what a tombstone forbids, or holds its value, whoever it is said of."""
        return any(self.says(k, stone) or self._has(k, stone) for k in keyed.versions)

    def says(self, keyed: Keyed, stone: Tombstone) -> bool:
        plain = not stone.subject and not stone.predicate
        words = self.words[keyed]
        return not words.isdisjoint(stone.sentences) or (plain and stone.value in words)

    def _has(self, keyed: Keyed, stone: Tombstone) -> bool:
        if not stone.subject:
            return False
        found = self.values[keyed]
        if stone.value in found:
            return True
        at = found.get(stone.begins) if stone.begins else None
        return at is not None and stands_at(keyed, self.seen, at, stone.value)


class Sighting(NamedTuple):
    """A sentence that says what a tombstone forbids; `by_sentence`: in those very words.

    `scope_id` is where the tombstone was set.
    """

    look: Look
    stone: Tombstone
    by_sentence: bool
    scope_id: str = SPACE_WIDE


def looks_at(body: Body, keyed: Keyed, *, utterance: bool = False) -> list[Look]:
    """Every sentence of every text of a body."""
    found: list[Look] = []
    for leaf in leaves(body):
        spans = apart(leaf.text) if utterance and leaf.start == 0 else sentences(leaf.text)
        for low, high in spans:
            text = leaf.text[low:high]
            seen = sighted(text)
            keys = values_in(seen)
            words = {k: frozenset(map(k.words, sayings(text, seen))) for k in keyed.versions}
            values = {k: beginnings_in(k, seen) | {value_digest(k, key): None for key in keys} for k in keyed.versions}
            names = frozenset(names_in(f"{seen.text} {leaf.beside}"))
            found.append(Look(leaf, low, high, seen, names, words, values))
    return found


class Scene:
    """What the names in some sentences stand for in some scopes: aliases and former names lead to one thing."""

    def __init__(self, keyed: Keyed, scope_ids: Iterable[str], reader: Reader, looks: Iterable[Look]) -> None:
        self._keyed = keyed
        self._reader = reader
        names = sorted({name for look in looks for name in look.names if name})
        self._entities: dict[str, list[str]] = {}
        for scope_id in scope_ids:
            for name in reader.entity_names_among(scope_id, names):
                self._entities.setdefault(name, []).extend(reader.entities_named(scope_id, name))

    def named(self, look: Look) -> Look:
        """The sentence with the values that known things in it are by their own names."""
        own = {
            value_key(name)
            for known in look.names & self._entities.keys()
            for entity in self._entities[known]
            for name, role in self._reader.names_of_entity(entity)
            if role == "canonical"
        }
        if not own:
            return look
        return look._replace(
            values={
                k: {**held, **dict.fromkeys(value_digest(k, key) for key in own)} for k, held in look.values.items()
            }
        )

    def is_about(self, look: Look, stone: Tombstone, speaker: str | None) -> bool:
        """Whether a sentence names a tombstone's subject, or its own speaker speaks of themselves."""
        names = look.names
        if speaker is not None and speaks_of_itself(look.seen):
            names = names | {name_key(speaker)}
        if any(k.name(name) == stone.subject for k in self._keyed.versions for name in names):
            return True
        entities = {e for name in names & self._entities.keys() for e in self._entities[name]}
        return any(subject_digest(self._reader, entity) == stone.subject for entity in entities)

    def sees(self, look: Look, stone: Tombstone, speaker: str | None) -> Sighting | None:
        """Whether a sentence, with what its names stand for, says what a tombstone forbids."""
        if any(look.says(k, stone) for k in self._keyed.versions):
            return Sighting(look, stone, True)
        if look.holds(self._keyed, stone) and self.is_about(look, stone, speaker):
            return Sighting(look, stone, False)
        return None


def sightings(handle: Handle, reader: Reader, looks: Sequence[Look], speaker: str | None) -> list[Sighting]:
    """What sentences meet of the tombstones of a scope, or of the whole space: found by digest, never by a scan."""
    scene = Scene(handle.keyed, [handle.scope_id], reader, looks)
    looks = [scene.named(look) for look in looks]
    keys: set[str] = set()
    for look in looks:
        keys |= {sentence_key_of(digest) for said in look.words.values() for digest in said}
        keys |= {value_key_of(digest) for held in look.values.values() for digest in held}
    stones = _stones(handle, reader.bearing_on_any(keys))
    return [
        sighting._replace(scope_id=scope_id)
        for look in looks
        for scope_id, stone in stones
        if (sighting := scene.sees(look, stone, speaker)) is not None
    ]


def _stones(handle: Handle, found: Mapping[str, Iterable[Entry]]) -> list[tuple[str, Tombstone]]:
    """Tombstones that bind in a scope, by whichever key its name was written, each with where it was set."""
    scopes = {SPACE_WIDE, handle.scope_id, *(k.scope(handle.scope) for k in handle.keyed.versions)}
    entries = {e.id: e for each in found.values() for e in each if e.skeleton.scope in scopes}
    stones = [(e.skeleton.scope, stone) for e in entries.values() if (stone := masked_value_of(e)) is not None]
    return list(dict.fromkeys(stones))


def subject_digest(reader: Reader, entity_id: str) -> str:
    """The digest that stands for an entity in claims: that of the name it was made with."""
    root = reader.get(root_of(entity_id))
    assert root is not None
    assert isinstance(root.skeleton.edges, Revise)
    return root.skeleton.edges.names[0]
