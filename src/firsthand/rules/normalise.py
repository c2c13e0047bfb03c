"""Names, statements and predicates as keys: two spellings of one thing give one key, two things never do."""

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from firsthand.rules.lookalikes import CAPITALS, LOOKALIKES
from firsthand.vocabulary.patterns import lazy_pattern

# White space is kept here (it is collapsed later); every other control, format and default-ignorable character goes.
_UNSEEN: Final = lazy_pattern(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_WORD: Final = lazy_pattern(r"[^\W\d_]+")
_ASCII_LETTER: Final = lazy_pattern("[A-Za-z]")
_LOOKS: Final = str.maketrans({char: look for look, chars in LOOKALIKES.items() for char in chars})
_CAPITALS: Final = str.maketrans({char: look for look, chars in CAPITALS.items() for char in chars})
_DIGITS: Final = str.maketrans({char: look for look, chars in LOOKALIKES.items() if look.isdigit() for char in chars})
_CLOSES: Final = {'"': '"', "'": "'", "`": "`", "(": ")", "[": "]", "{": "}", "<": ">"}
_NAME_END: Final = ".,;!?"
_STATEMENT_END: Final = ".,;:!?"
_QUOTED: Final = lazy_pattern(r"(?<!\w)(['`])(?=\S)([^'`\"]+)(?<=\S)\1(?!\w)")
_CAMEL: Final = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PLAIN_PREDICATE: Final = lazy_pattern(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
# Plain NFKC would read ten to the sixth as 106 and five and a half as 51/2.
_POWER: Final = lazy_pattern(r"(?<=\d)(?=[\u2070\u00b9\u00b2\u00b3\u2074-\u2079\u207b])")
_FRACTION: Final = lazy_pattern(r"(?<=\d)(?=[\u00bc-\u00be\u2150-\u215f\u2189])")
_PASSES: Final = 8
KEPT_NAMES: Final = 32_768
KEPT_CHARACTERS: Final = 24


def name_key(text: str) -> str:
    """Return the form under which a name is compared; empty only if there is nothing to see in it."""
    return _kept_name_key(text) if len(text) <= KEPT_CHARACTERS else _name_key(text)


def _name_key(text: str) -> str:
    if text.isascii() and text.isprintable():
        text = text.lower()
        if text.isalnum():
            return text
        return _bare(" ".join(text.split()), _NAME_END)
    return _settle(text, lambda t: _bare(folded(t), _NAME_END))


# Only short names are kept: a long one is rare, and may be a secret that must not outlive its record.
_kept_name_key = lru_cache(maxsize=KEPT_NAMES)(_name_key)


def statement_key(text: str) -> str:
    """Return the form under which a plain statement is compared: as a name, without its closing punctuation."""
    return _settle(text, lambda t: _bare(_one_quote(folded(t)), _STATEMENT_END))


def predicate_key(text: str) -> str:
    """Return a predicate in snake case: `Lives in`, `lives-in` and `livesIn` are all `lives_in`."""
    if text.isascii() and _PLAIN_PREDICATE.fullmatch(text):
        return text
    split = _CAMEL.sub("_", visible(text))
    return _settle(split, lambda t: "_".join("".join(map(_letter_or_space, folded(t))).split()))


def visible(text: str) -> str:
    """Return the text as a reader sees it: compatibility forms and digits unified, the unseen removed, case kept."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    return _settle(text, lambda t: " ".join(_compatible(t).translate(_DIGITS).split()))


def folded(text: str) -> str:
    """Return the text with look-alikes, case, the unseen and white space unified, and its punctuation kept."""
    if text.isascii() and text.isprintable():
        return " ".join(text.lower().split())
    return _settle(text, _fold_once)


def outer_bare(text: str) -> str:
    """Return the text without the punctuation around it."""
    return _bare(text, _NAME_END)


def _fold_once(text: str) -> str:
    text = _WORD.sub(_capitals_among_latin, _compatible(text)).casefold()
    # Accents are taken off for the look-up and put back: a Cyrillic e with two dots looks like the Latin one.
    text = unicodedata.normalize("NFKD", text).translate(_LOOKS).replace("i\u0307", "i")
    return " ".join(unicodedata.normalize("NFKC", text).split())


def _compatible(text: str) -> str:
    text = _FRACTION.sub(" ", _POWER.sub("^", _UNSEEN.sub("", text)))
    return unicodedata.normalize("NFKC", text)


def _capitals_among_latin(word: re.Match[str]) -> str:
    """Read a Greek capital Nu inside a Latin word as N; alone among its own it folds to the small letter."""
    found = word.group()
    return found.translate(_CAPITALS) if _ASCII_LETTER.search(found) else found


def _bare(text: str, end: str) -> str:
    """Strip what encloses or closes a text, but never down to nothing: `?` and `...` stay what they are."""
    while True:
        inner = text.rstrip(end + " ").lstrip(",;¡¿ ")
        if len(inner) > 2 and _CLOSES.get(inner[0]) == inner[-1]:
            inner = inner[1:-1].strip()
        if not inner or inner == text:
            return text
        text = inner


def _one_quote(text: str) -> str:
    """Write every quotation with double quotes, and leave apostrophes, feet and inches alone."""
    return _QUOTED.sub(r'"\2"', text) if "'" in text or "`" in text else text


def _letter_or_space(char: str) -> str:
    return char if char.isalnum() or unicodedata.category(char)[0] == "M" else " "


def _settle(text: str, rule: Callable[[str], str]) -> str:
    """Apply a rule until nothing changes, so that a key is its own key."""
    for _ in range(_PASSES):
        if (after := rule(text)) == text:
            break
        text = after
    return text


def forget() -> None:
    """Forget every name seen so far."""
    _kept_name_key.cache_clear()
