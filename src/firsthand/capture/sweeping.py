"""A sweep: whether any byte of the store still holds some words, and the control that shows it would have been seen."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from firsthand.capture.gateway import Gateway
from firsthand.ports import Residue, Said, Store
from firsthand.rules.access import Handle
from firsthand.rules.lexicon import ordinary
from firsthand.rules.residue import FORMS, Needle, needles, vector_needle
from firsthand.rules.terms import terms, tokens
from firsthand.vocabulary.erasure import SweepHit, SweepReport
from firsthand.vocabulary.errors import BrokenError, InvalidError
from firsthand.vocabulary.limits import LIST_ITEMS, QUERY_BYTES, check_bytes, check_count

_LETTERS: Final = "ghjkmnpqrtvwxz"
"""No hexadecimal digits, and no letter that a stem may lose."""
CANARY_LETTERS: Final = 16
CANARY_BYTES: Final = 256
CANARY_WORDS: Final = 8
"""No embedder knows a row of letters, so the canary among the vectors is made of words."""
DECLARED: Final = (
    "keyed digests of erased values and sentences stay: they say nothing without the key file",
    "a vector is looked for where the words were a whole text; in one of more words they cannot be told apart",
    "where an endpoint makes the vectors, words to look for are not sent there, so theirs are not looked for",
    "backups, exports, other stores and other processes' memory are not looked at",
)


def sweep(gateway: Gateway, handle: Handle, words: Sequence[str]) -> SweepReport:
    """Where any of these words stand, letters in either case."""
    if not words:
        raise InvalidError("words_missing", "give the words to look for", field="words")
    check_count(len(words), most=LIST_ITEMS, field="words")
    for text in words:
        check_bytes(text, most=QUERY_BYTES, field="words")
    gateway.journal.flush()
    found: list[Residue] = []
    for text in dict.fromkeys(words):
        found += gateway.store.sweep(needles(text), terms(text), _vectors(gateway.store, text))
    return SweepReport(
        clean=not found,
        files=tuple(gateway.store.files()),
        hits=tuple(SweepHit(where=r.where, form=r.form, times=r.times, offsets=r.offsets) for r in found),
        control=control(gateway.store),
        declared=DECLARED,
    )


def control(store: Store) -> dict[str, int]:
    """How often a canary is found in each form and place where one was put; a sweep that misses one is blind."""
    canary = "".join(secrets.choice(_LETTERS) for _ in range(CANARY_LETTERS))
    spelled = f'É"{canary.upper()}'
    looked_for = (*needles(canary), *needles(spelled))
    vectors = _canary_vectors(store)
    planted = _planted((*looked_for, *map(vector_needle, vectors)))
    with tempfile.TemporaryDirectory() as folder:
        seen = store.rehearse(Path(folder), canary, planted, looked_for, vectors)
    for place, times in seen.items():
        if not times:
            raise BrokenError("sweep_blind", f"the sweep does not see a canary in {place}", field=place)
    return seen


def _vectors(store: Store, text: str) -> list[bytes]:
    """The vector of a whole text, if this store makes any; what is looked for is sent to nobody."""
    if store.embedder is None or store.embedder.is_remote:
        return []
    return [vector for vector in store.embedder.embed([Said(tokens(text), text)]) if vector]


def _canary_vectors(store: Store) -> list[bytes]:
    """A vector that nothing has; bytes by chance, where none can be made here."""
    words = " ".join(secrets.choice(sorted(ordinary())) for _ in range(CANARY_WORDS))
    return _vectors(store, words) or [secrets.token_bytes(CANARY_BYTES)]


def _planted(looked_for: Sequence[Needle]) -> dict[str, bytes]:
    """One needle of each form, as bytes for a file of its own."""
    made: dict[str, Needle] = {}
    for needle in looked_for:
        made.setdefault(needle.form, needle)
    return {form: b"..." + made[form].data + b"..." for form in FORMS if form in made}
