"""The one rule that turns text into index terms; every engine stores what it returns, ready-made."""

import re
import threading
import unicodedata
from functools import cache, lru_cache
from typing import NamedTuple, Protocol, cast

import Stemmer

from firsthand.rules.wordlists import IRREGULAR_FORMS, STOP_WORDS
from firsthand.vocabulary.patterns import lazy_pattern

MAX_TERM_CHARACTERS = 64
_MAX_CACHED_WORDS = 32_768
_MAX_CACHED_CHARACTERS = 24

# Marks that only decorate a letter. Vowel signs of Indic and south-east Asian scripts are marks too, but they carry
# the word: so this is a list of blocks and not the category Mn.
_DIACRITICS = lazy_pattern(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
)
# Invisible characters would split a word, or hide one from search.
_INVISIBLE = lazy_pattern(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_FOREIGN_DIGIT = lazy_pattern(r"[^\D0-9]")
_PLAIN_LETTERS = {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe"}
_BARRED_LETTER = lazy_pattern(f"[{''.join(_PLAIN_LETTERS)}]")

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SYLLABLES = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uac00-\ud7a3"
_STACKED = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u0edc-\u0edf\u1000-\u103f\u1050-\u109d\u1780-\u17d3"
_VOWEL_SIGNS = "\u0900-\u0963\u0966-\u0dff\u0f18-\u0fbc"

_HALF_WIDTH = "\uff66-\uff9f"

_PLAIN = rf"[^\W_{_HAN}{_SYLLABLES}{_STACKED}]"
_WORD = rf"{_PLAIN}+(?:[{_VOWEL_SIGNS}]+{_PLAIN}*)*"
_ASCII_TOKEN = lazy_pattern(r"[a-z0-9]+(?:'[a-z0-9]+)*")
_CONTRACTED = lazy_pattern(r"'(?:s|m|d|ll|re|ve)$")
_ORDINAL = lazy_pattern(r"([0-9]+)(?:st|nd|rd|th)")


class _Scripts(NamedTuple):
    unspaced: re.Pattern[str]
    token: re.Pattern[str]
    syllabic: re.Pattern[str]
    stacked: re.Pattern[str]
    han: re.Pattern[str]


@cache  # these classes take longer to compile than all else that importing this module does
def _scripts() -> _Scripts:
    return _Scripts(
        unspaced=re.compile(rf"[{_HAN}{_SYLLABLES}{_STACKED}{_HALF_WIDTH}]"),
        token=re.compile(rf"[{_HAN}{_SYLLABLES}]+|[{_STACKED}]+|{_WORD}(?:'{_WORD})*"),
        syllabic=re.compile(rf"[{_HAN}{_SYLLABLES}]+"),
        stacked=re.compile(rf"[{_STACKED}]+"),
        han=re.compile(f"[{_HAN}]"),
    )


class _Stem(Protocol):
    def stemWord(self, word: str, /) -> str: ...  # noqa: N802


class _PerThread(threading.local):
    # A PyStemmer object has state and no lock; one per thread costs less than a lock per word.
    def __init__(self) -> None:
        self.stemmer = cast(_Stem, Stemmer.Stemmer("english", 0))  # pyright: ignore[reportUnknownMemberType]


_per_thread = _PerThread()


def normalise(text: str) -> str:
    """Fold a text to the characters that searching compares: NFKC, no case, no diacritics, nothing invisible."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = _INVISIBLE.sub("", folded).replace("\u2019", "'").replace("\u02bc", "'")
    if not folded.isascii():
        folded = _DIACRITICS.sub("", unicodedata.normalize("NFKD", folded))
        folded = _BARRED_LETTER.sub(lambda letter: _PLAIN_LETTERS[letter[0]], unicodedata.normalize("NFC", folded))
        folded = _FOREIGN_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), folded)
    return folded


def inside_word(text: str, at: int) -> bool:
    """Whether the place before `text[at]` is within a word of letters and digits; in scripts without spaces none is."""
    around = text[at - 1 : at + 1] if at else ""
    return len(around) == 2 and all(map(_in_word, around)) and not _scripts().unspaced.search(around)


def _in_word(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char).startswith("M")


def tokens(text: str) -> list[str]:
    """Return the words of a text in order, and its runs of unsegmented script, all normalised."""
    folded = normalise(text)
    return (_ASCII_TOKEN if folded.isascii() else _scripts().token).findall(folded)


class IndexedText(NamedTuple):
    """What the index keeps of a text: its distinct terms in the order in which they first occur, and its length.

    `tokens`: its words as they stand, of which the terms were made.
    """

    terms: list[str]
    words: int
    tokens: list[str]


def index_text(text: str) -> IndexedText:
    """Return the index terms of a text and how many words it has, two unsegmented characters counting as one."""
    found: dict[str, None] = {}
    in_order = tokens(text)
    for token in in_order:
        for term in _cached_terms(token) if len(token) <= _MAX_CACHED_CHARACTERS else _token_terms(token):
            found[term] = None
    size = len(in_order) if text.isascii() else sum(map(_words_in, in_order))
    return IndexedText(list(found), size, in_order)


def terms(text: str) -> list[str]:
    """Return the distinct index terms of a text, in the order in which they first occur."""
    return index_text(text).terms


def stem(word: str) -> str:
    """Return the English stem of a normalised word, irregular forms first brought to their base."""
    return _per_thread.stemmer.stemWord(IRREGULAR_FORMS.get(word, word))


def _words_in(token: str) -> int:
    is_run = _scripts().syllabic.match(token) or _scripts().stacked.match(token)
    return max(1, len(token) // 2) if is_run else 1


def _token_terms(token: str) -> tuple[str, ...]:
    if not token.isascii():
        if _scripts().syllabic.match(token):
            return (*_scripts().han.findall(token), *_grams(token, 2))
        if _scripts().stacked.match(token):
            return _grams(token, 3)
    return _word_terms(token)


# Only short words are kept: a long token is rare, and may be a secret that must not outlive its record.
_cached_terms = lru_cache(maxsize=_MAX_CACHED_WORDS)(_token_terms)


def _word_terms(token: str) -> tuple[str, ...]:
    # "don't" is a stop word joined; "we'll" only once its ending is gone, for joined it is a well.
    if token.endswith("'t") and token.replace("'", "") in STOP_WORDS:
        return ()
    word = _CONTRACTED.sub("", token).replace("'", "")
    if ordinal := _ORDINAL.fullmatch(word):
        word = ordinal[1]
    if not word or word in STOP_WORDS:
        return ()
    return (stem(word)[:MAX_TERM_CHARACTERS],)


def _grams(run: str, size: int) -> tuple[str, ...]:
    if len(run) <= size:
        return (run,)
    return tuple(run[at : at + size] for at in range(len(run) - size + 1))


def forget() -> None:
    """Forget every word seen so far."""
    _cached_terms.cache_clear()
