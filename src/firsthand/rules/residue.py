"""Every form in which a file may still hold words that were destroyed: what a sweep looks for, byte by byte."""

from __future__ import annotations

import hashlib
import json
from typing import Final, Literal, NamedTuple

from firsthand.rules.normalise import folded, name_key, statement_key
from firsthand.rules.terms import normalise, terms

Form = Literal["words", "utf16", "escaped", "folded", "term", "term_end", "digest", "vector"]
FORMS: Final[tuple[Form, ...]] = ("words", "utf16", "escaped", "folded", "term", "term_end", "digest", "vector")
SHORTEST_END: Final = 6
"""Of a term the index may hold only the end, after what it shares with the term before; shorter ends say nothing."""
SURE_BYTES: Final = 12
"""Fewer bytes than these stand in some id or digest by chance: they count only where they stand alone."""
SHORTEST_BYTES: Final = 4
"""Fewer than these stand anywhere by chance, and even alone: they are looked for in columns and word indexes only."""
DIGEST_HEX: Final = 24


class Needle(NamedTuple):
    """Bytes to look for, in lower case, and which form of the words they are.

    `alone`: they count only where no ASCII letter or digit stands beside them.
    """

    form: Form
    data: bytes
    alone: bool = False

    @property
    def is_short(self) -> bool:
        """Whether chance puts it into any file."""
        return self.alone and len(self.data) < SHORTEST_BYTES


def vector_needle(vector: bytes) -> Needle:
    """A vector as it stands in a file, of whole texts only: that of a word is in no sum that it is part of."""
    return Needle("vector", vector.lower())


def needles(words: str) -> tuple[Needle, ...]:
    """The bytes of a text in every form that an engine can hold; a phrase is looked for as a whole."""
    found: dict[Needle, None] = {}

    def add(form: Form, data: bytes, *, alone: bool = False) -> None:
        if data and not any(n.data == data.lower() for n in found):
            found[Needle(form, data.lower(), alone)] = None

    def add_text(form: Form, text: str) -> None:
        data = text.encode()
        add(form, data, alone=len(data) < SURE_BYTES)

    add_text("words", words)
    for coding in ("utf-16-le", "utf-16-be") if len(words) >= SHORTEST_BYTES else ():
        add("utf16", words.encode(coding))
    for escaped in _escaped(words):
        add_text("escaped", escaped)
    keys = dict.fromkeys((folded(words), name_key(words), statement_key(words), normalise(words)))
    for key in keys:
        add_text("folded", key)
    own = terms(words)
    if len(own) == 1:
        term = own[0].encode()
        add("term", _size(len(term) + 1) + _MARK + term)
        for start in range(len(term)):
            end = term[start:]
            if not start or len(end) >= max(SHORTEST_END, (len(term) + 1) // 2):
                add("term_end" if start else "term", _size(start + 1) + _size(len(end)) + end)
    for text in dict.fromkeys((words, *keys)):
        for kind in ("md5", "sha1", "sha256"):
            digest = hashlib.new(kind, text.encode(), usedforsecurity=False)
            add("digest", digest.hexdigest()[:DIGEST_HEX].encode())
            found[Needle("digest", digest.digest().lower())] = None
    return tuple(found)


_MARK: Final = b"0"
"""What FTS5 puts before each term of its main index."""


def _size(size: int) -> bytes:
    """A size as FTS5 writes it before a term: of what it shares with the term before it, and of the rest."""
    return bytes([size]) if size < 0x80 else bytes([0x80 | size >> 7, size & 0x7F])


def _escaped(words: str) -> list[str]:
    """A text inside JSON, and inside JSON inside JSON."""
    once = json.dumps(words, ensure_ascii=False)[1:-1]
    ascii_only = json.dumps(words)[1:-1]
    return [once, ascii_only, json.dumps(once, ensure_ascii=False)[1:-1], json.dumps(ascii_only)[1:-1]]
