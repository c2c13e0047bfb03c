"""Finding what a tombstone forbids in running text, by keyed digests alone: no word of it is kept for this.

A value is found by the very digest that its claim has, for every run of a few words; so `30 days` is found as `30d`,
and a name as any spelling that looks like it. A long value is found by its first words, then compared whole.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from firsthand.rules.identity import Keyed
from firsthand.rules.normalise import name_key, visible
from firsthand.rules.values import value_key
from firsthand.rules.wordlists import STOP_WORDS
from firsthand.vocabulary.patterns import lazy_pattern

FEW: Final = 3
"""Words of a value that is looked for as it stands."""
MANY: Final = 24
"""Words of the longest value that is looked for at all."""
NAMED: Final = 4
"""Words of the longest subject that is looked for."""
SENTENCE_CHARACTERS: Final = 20
"""What is shorter is said too often to tell where it comes from."""
FIRST_PERSON: Final = frozenset(("i", "me", "my", "mine", "myself", "im", "ive"))
_WORD: Final = lazy_pattern(r"[^\W_]+")
_CUT_BEFORE: Final = lazy_pattern(r"\d[.,]\Z")
_CUT_AFTER: Final = lazy_pattern(r"[.,]\d")
_CHUNK: Final = lazy_pattern(r"\S+")
_SIGNED: Final = lazy_pattern(r"[\d+#]")
_DASHES: Final = frozenset("-\u2010\u2011\u2012\u2013\u2014\u2212")
_INSIDE: Final = lazy_pattern(r"(?<=\d)(?=[^\W\d_])|(?<=[^\W\d_])(?=\d)")
UNIT: Final = 2
"""Letters of what is read together with a number it stands apart from, as in `14 C` and `5 GB`."""
JOINTS: Final = 2
"""Places in a value where a number meets letters: one with more is an id, and is written in one way."""


class Sighted(NamedTuple):
    """One sentence as it is seen, with the places of its words, and of the joints where a number meets letters."""

    text: str
    words: list[tuple[int, int]]
    joints: list[tuple[int, int]]

    def run(self, first: int, count: int) -> str:
        """Some words as they stand, with what is between them."""
        return self.text[self.words[first][0] : self.words[first + count - 1][1]]

    def runs(self, most: int) -> Iterator[str]:
        """Every run of up to so many words; none that ends in the middle of a number."""
        for first in range(len(self.words)):
            if _CUT_BEFORE.search(self.text, 0, self.words[first][0]):
                continue
            for count in range(1, min(most, len(self.words) - first) + 1):
                if not _CUT_AFTER.match(self.text, self.words[first + count - 1][1]):
                    yield self.run(first, count)

    def respelt(self, first: int, count: int) -> set[str]:
        """Some words with their joints closed, spaced and hyphened: `14C`, `14 C` and `14-C`; nothing without one."""
        low, high = self.words[first][0], self.words[first + count - 1][1]
        joints = [joint for joint in self.joints if low < joint[0] and joint[1] < high]
        if not 0 < len(joints) <= JOINTS:
            return set()
        ends = [low, *(place for joint in joints for place in joint), high]
        parts = [self.text[a:b] for a, b in zip(ends[::2], ends[1::2], strict=True)]
        return {between.join(parts) for between in ("", " ", "-")}


def sighted(sentence: str) -> Sighted:
    """A sentence as a reader sees it."""
    seen = visible(sentence)
    words = [found.span() for found in _WORD.finditer(seen)]
    return Sighted(seen, words, _joints(seen, words) if any(map(str.isdigit, seen)) else [])


def _joints(text: str, words: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Where a number meets letters: inside a word, at a hyphen, or at a space beside what may be its unit."""
    found = [at.span() for low, high in words for at in _INSIDE.finditer(text, low, high)]
    for before, after in itertools.pairwise(words):
        low, high = before[1], after[0]
        if text[low - 1].isdigit() == text[high].isdigit():
            continue
        gap, letters = text[low:high], after if text[low - 1].isdigit() else before
        if gap in _DASHES or (gap == " " and _may_be_unit(text, *letters)):
            found.append((low, high))
    return sorted(found)


def _may_be_unit(text: str, low: int, high: int) -> bool:
    """Whether a word is a letter or two that are no word of their own, nor part of a longer one with a hyphen."""
    word, beside = text[low:high], text[low - 1 : low] + text[high : high + 1]
    return len(word) <= UNIT and word.isalpha() and word not in STOP_WORDS and _DASHES.isdisjoint(beside)


def values_in(sentence: Sighted) -> set[str]:
    """The canonical form of everything of a few words in a sentence that may be a value.

    Not so of `true` and `false`: they are words of every sentence.
    """
    found = {_value_key(run) for run in sentence.runs(FEW)}
    # A sign, a currency or a unit stands against its number, and some names end in a sign: `$30`, `-5`, `30%`, `C++`.
    chunks = [chunk for chunk in _CHUNK.findall(sentence.text) if _SIGNED.search(chunk)]
    found |= {value_key(chunk) for chunk in chunks}
    found |= {value_key(spelling) for _, spelling in _respelt(sentence) if len(_WORD.findall(spelling)) <= FEW}
    return found


def _respelt(sentence: Sighted) -> Iterator[tuple[int, str]]:
    """Runs of words with a joint, each as it may also be written, with the place of its first word."""
    for first in range(len(sentence.words)) if sentence.joints else ():
        for count in range(1, min(FEW + JOINTS, len(sentence.words) - first) + 1):
            yield from ((first, spelling) for spelling in sentence.respelt(first, count))


def sayings(text: str, sentence: Sighted) -> set[str]:
    """A whole sentence, and the same with its joints otherwise."""
    return {text, *(sentence.respelt(0, len(sentence.words)) if sentence.joints else ())}


def _value_key(run: str) -> str:
    """The form of a value; what has no digit is no number and no date, and is told so at a third of the cost."""
    return value_key(run) if any(map(str.isdigit, run)) else f"s:{name_key(run)}"


def names_in(text: str) -> set[str]:
    """Name keys of every run of a few words."""
    return {name_key(run) for run in sighted(text).runs(NAMED)}


def speaks_of_itself(sentence: Sighted) -> bool:
    """Whether who says it speaks of themselves."""
    return any(sentence.run(i, 1).lower() in FIRST_PERSON for i in range(len(sentence.words)))


def value_digest(keyed: Keyed, key: str) -> str:
    """The digest that a claim has for a value of this form."""
    return keyed.digest("value", key)


def beginnings_in(keyed: Keyed, sentence: Sighted) -> dict[str, int | None]:
    """Digests of every run of as many words as a long value begins with, and where it stands."""
    runs = [(first, sentence.run(first, FEW)) for first in range(len(sentence.words) - FEW + 1)]
    runs += [(first, spelling) for first, spelling in _respelt(sentence) if len(_WORD.findall(spelling)) == FEW]
    return {begins(keyed, run): first for first, run in sorted(runs, reverse=True)}


def begins(keyed: Keyed, run: str) -> str:
    """The digest of a long value's first words."""
    return keyed.digest("begins", name_key(run))


def beginning_of(keyed: Keyed, value: str) -> str:
    """The digest under which a value is found in text, if it is too long to be found whole; else nothing."""
    seen = sighted(value)
    return begins(keyed, seen.run(0, FEW)) if len(seen.words) > FEW else ""


def stands_at(keyed: Keyed, sentence: Sighted, first: int, digest: str) -> bool:
    """Whether a long value of this digest stands at a word of a sentence."""
    most = min(MANY, len(sentence.words) - first)
    spellings = ({sentence.run(first, n), *sentence.respelt(first, n)} for n in range(FEW, most + 1))
    return any(value_digest(keyed, value_key(one)) == digest for each in spellings for one in each)


def is_telling(sentence: str) -> bool:
    """Whether a sentence is long enough to be known again."""
    return len(visible(sentence)) >= SENTENCE_CHARACTERS


def digests_of_names(keyed: Keyed, keys: Iterable[str]) -> set[str]:
    """The digests that claims have for subjects of these names."""
    return {keyed.name(key) for key in keys}
