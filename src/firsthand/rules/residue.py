"""Every form in which a file may still hold words that were destroyed: what a sweep looks for, byte by byte."""

from __future__ import annotations

import hashlib
import json
from typing import Final, Literal, NamedTuple

from firsthand.rules.normalise import folded, name_key, statement_key
from firsthand.rules.terms import normalise, terms

Form = Literal["words", "utf16", "escaped", "folded", "term", "term_end", "digest"]
FORMS: Final[tuple[Form, ...]] = ("words", "utf16", "escaped", "folded", "term", "term_end", "digest")
SHORTEST_END: Final = 4
"""Of a term the index may hold only the end, after what it shares with the term before; shorter ends say nothing."""
DIGEST_HEX: Final = 24


class Needle(NamedTuple):
    """Bytes to look for, in lower case, and which form of the words they are."""

    form: Form
    data: bytes


def needles(words: str) -> tuple[Needle, ...]:
    """The bytes of a text in every form that an engine can hold; a phrase is looked for as a whole."""
    found: dict[Needle, None] = {}

    def add(form: Form, data: bytes) -> None:
        if data and not any(n.data == data.lower() for n in found):
            found[Needle(form, data.lower())] = None

    add("words", words.encode())
    for coding in ("utf-16-le", "utf-16-be"):
        add("utf16", words.encode(coding))
    for escaped in _escaped(words):
        add("escaped", escaped.encode())
    keys = dict.fromkeys((folded(words), name_key(words), statement_key(words), normalise(words)))
    for key in keys:
        add("folded", key.encode())
    own = terms(words)
    if len(own) == 1:
        add("term", own[0].encode())
        for start in range(1, len(own[0]) - max(SHORTEST_END, (len(own[0]) + 1) // 2) + 1):
            add("term_end", own[0][start:].encode())
    for text in dict.fromkeys((words, *keys)):
        for kind in ("md5", "sha1", "sha256"):
            digest = hashlib.new(kind, text.encode(), usedforsecurity=False)
            add("digest", digest.hexdigest()[:DIGEST_HEX].encode())
            found[Needle("digest", digest.digest().lower())] = None
    return tuple(found)


def _escaped(words: str) -> list[str]:
    """A text inside JSON, and inside JSON inside JSON."""
    once = json.dumps(words, ensure_ascii=False)[1:-1]
    ascii_only = json.dumps(words)[1:-1]
    return [once, ascii_only, json.dumps(once, ensure_ascii=False)[1:-1], json.dumps(ascii_only)[1:-1]]
