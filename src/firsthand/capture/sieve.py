"""What an erasure keeps out: its sentences are cut out of what comes in again, before it is stored (design 03)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Final, NamedTuple, cast

import msgspec

from firsthand.ledger import Words, prepare
from firsthand.ports import Reader, Writer
from firsthand.rules.bearing import KEPT_OUT_KEY, PEERS_KEY, told_in
from firsthand.rules.destroying import WHOLE_SENTENCE, sentences
from firsthand.rules.identity import SALT_BYTES, Keyed
from firsthand.rules.normalise import statement_key
from firsthand.rules.tombstones import lifted
from firsthand.rules.view import View
from firsthand.vocabulary.entries import Body, Claim, Entry, Erase, Revise, root_of
from firsthand.vocabulary.grants import SPACE_WIDE
from firsthand.vocabulary.records import Episodic, TypedValue

CUT: Final = "[erased]"
ERASED: Final = "erased"
"""Why a write is refused that says only what was erased."""
ERASED_TEXT_CUT: Final = "erased_text_cut"
DOMAIN: Final = "sentence"
GRAM_WORDS: Final = 6
AROUND: Final = "\"'()[]{}<>,;:.!?"


class Sieved(NamedTuple):
    """Words without what was erased, and how many of their sentences were."""

    words: Words
    cut: int

    @property
    def nothing_left(self) -> bool:
        """Whether all that an episode said was erased."""
        payload = self.words.body.payload
        return bool(self.cut) and isinstance(payload, Episodic) and not payload.text.replace(CUT, "").strip()


class _Kept(NamedTuple):
    """What one scope keeps out: digests of sentences, and of values by the digest of their subject."""

    sentences: set[str]
    pairs: dict[str, set[str]]


class KeptOut:
    """What some erasures keep out, by scope, unless they were lifted."""

    def __init__(self, keyed: Keyed, reader: Reader, erasures: Iterable[Entry]) -> None:
        self._keyed = keyed
        self._kept: dict[str, _Kept] = {}
        view = View(reader)
        for entry in erasures:
            edges = entry.skeleton.edges
            if not isinstance(edges, Erase) or lifted(view, entry.id):
                continue
            own = self._kept.setdefault(entry.skeleton.scope, _Kept(set(), {}))
            own.sentences.update(edges.fingerprints)
            if edges.tombstone is not None and edges.tombstone.subject:
                own.pairs.setdefault(edges.tombstone.subject, set()).add(edges.tombstone.value)

    def cutter(self, reader: Reader, scope_id: str) -> Cutter | None:
        """What cuts it out of words of a scope; unset where nothing is kept out."""
        kept = [self._kept[s] for s in dict.fromkeys((scope_id, SPACE_WIDE)) if s in self._kept]
        return Cutter(self._keyed, reader, scope_id, kept) if kept else None

    def is_said_by(self, reader: Reader, entry: Entry, body: Body) -> bool:
        """Whether stored words say what is kept out: in a sentence of it, or by what they claim."""
        cutter = self.cutter(reader, entry.skeleton.scope)
        if cutter is None:
            return False
        return any(map(cutter.keeps_out, told_in(entry))) or cutter.cuts(body)


class Sieve:
    """The fingerprints of one space, read anew whenever an erasure, a lift or a registration came."""

    def __init__(self, keyed: Keyed) -> None:
        self._keyed = keyed
        self._read_at: tuple[int, int] | None = None
        self._kept: KeptOut | None = None

    def through(self, writer: Writer, scope_id: str, words: Words, said_at: int) -> Sieved:
        """Words as they may be stored in a scope now; the caller holds the append lock."""
        payload, reason = words.body.payload, words.body.reason
        cutter = self._for(writer).cutter(writer, scope_id)
        if cutter is None or (payload is None and reason is None):
            return Sieved(words, 0)
        if payload is not None:
            payload = msgspec.convert(cutter.value(msgspec.to_builtins(payload)), type(payload))
        if reason is not None:
            reason = cutter.text(reason)
        if not cutter.cut:
            return Sieved(words, 0)
        body = Body(payload=payload, reason=reason, name=words.body.name)
        fresh = prepare(body, os.urandom(SALT_BYTES), said_at, indexed=bool(words.indexed.terms))
        return Sieved(fresh, cutter.cut)

    def _for(self, writer: Writer) -> KeptOut:
        # Another registration may change whose erasures count.
        at = writer.last_bearing_on(KEPT_OUT_KEY), writer.last_bearing_on(PEERS_KEY)
        if self._kept is None or at != self._read_at:
            self._kept, self._read_at = KeptOut(self._keyed, writer, writer.bearing_on(KEPT_OUT_KEY)), at
        return self._kept


class Cutter:
    """Cuts text after text; `cut` is how often."""

    def __init__(self, keyed: Keyed, reader: Reader, scope_id: str, kept: list[_Kept]) -> None:
        self._keyed = keyed
        self._reader = reader
        self._scope_id = scope_id
        self._kept = kept
        self.cut = 0

    def keeps_out(self, claim: Claim) -> bool:
        """Whether a claim is of a value that was erased with its subject."""
        return any(claim.value in kept.pairs.get(claim.subject, ()) for kept in self._kept)

    def cuts(self, body: Body) -> bool:
        """Whether anything would be cut out of a body."""
        self.value(msgspec.to_builtins(body))
        return bool(self.cut)

    def value(self, value: Any) -> Any:
        """A payload's value, every text of it cut."""
        match value:
            case str():
                return self.text(value)
            case dict():
                return {k: v if k == "kind" else self.value(v) for k, v in cast("dict[str, Any]", value).items()}
            case list() | tuple():
                return [self.value(v) for v in cast("list[Any]", value)]
            case _:
                return value

    def text(self, text: str) -> str:
        """A text without the sentences that were erased, or without itself."""
        if self._is_kept_out(text, short=False):
            self.cut += 1
            return CUT
        kept: list[str] = []
        position = 0
        for start, end in sentences(text):
            if self._is_kept_out(text[start:end], short=True):
                kept += text[position:start], CUT
                position = end
                self.cut += 1
        return "".join(kept) + text[position:] if position else text

    def _is_kept_out(self, sentence: str, *, short: bool) -> bool:
        key = statement_key(sentence)
        if len(key) >= WHOLE_SENTENCE:
            digest = self._keyed.digest(DOMAIN, key)
            return any(digest in kept.sentences for kept in self._kept)
        return short and any(kept.pairs for kept in self._kept) and self._says_both(key)

    def _says_both(self, sentence: str) -> bool:
        """Whether a short sentence holds a subject and a value that were erased together."""
        grams = _grams(sentence)
        subjects = {self._keyed.name(g) for g in grams} | self._entities(grams)
        known = {s for kept in self._kept for s in subjects & kept.pairs.keys()}
        if not known:
            return False
        values = {self._keyed.value(TypedValue(type="string", value=g)) for g in grams}
        return any(values & kept.pairs.get(s, set()) for kept in self._kept for s in known)

    def _entities(self, grams: list[str]) -> set[str]:
        """Digests of the entities that are called so here, by any of their names."""
        found: set[str] = set()
        for name in self._reader.entity_names_among(self._scope_id, grams):
            for record in self._reader.entities_named(self._scope_id, name):
                root = self._reader.get(root_of(record))
                if root is not None and isinstance(root.skeleton.edges, Revise):
                    found |= set(root.skeleton.edges.names)
        return found


def _grams(sentence: str) -> list[str]:
    """Every stretch of at most so many words, as they stand and without the punctuation around it."""
    words = [w.removesuffix("'s") for w in sentence.split()]
    stretches = (
        " ".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, min(len(words), i + GRAM_WORDS) + 1)
    )
    return list(dict.fromkeys(form for stretch in stretches for form in (stretch, stretch.strip(AROUND))))
