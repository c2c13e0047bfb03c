"""An estimate of how many tokens a text costs a model, leaning to too many rather than too few."""

from __future__ import annotations

from typing import Final

from firsthand.vocabulary.patterns import lazy_pattern

QUARTERS_PER_TOKEN: Final = 4
_ASCII_QUARTERS: Final = 1
_DIGIT_EXTRA_QUARTERS: Final = 1
_ALPHABET_QUARTERS: Final = 3
_IDEOGRAPH_QUARTERS: Final = 6
_ASTRAL_QUARTERS: Final = 10
_FIRST_IDEOGRAPH: Final = "\u2e80"
_FIRST_ASTRAL: Final = "\U00010000"
_PIECE: Final = lazy_pattern(r"\w+|[^\w\s]")
_BEYOND_ASCII: Final = lazy_pattern(r"[^\x00-\x7f]")
_DIGITS: Final = "0123456789"


def estimate_tokens(text: str) -> int:
    """About how many tokens `text` costs, for any model: four ASCII characters to a token, but never fewer tokens than
    words and punctuation marks.

    Digits count twice (ids and dates are cut short by every tokenizer), letters of other alphabets three quarters of a
    token, East Asian characters one and a half, characters beyond U+FFFF two and a half. The estimate of two texts
    joined at white space is never more than the sum of theirs, so budgets may be added up part by part.
    """
    quarters = len(text) * _ASCII_QUARTERS + sum(map(text.count, _DIGITS)) * _DIGIT_EXTRA_QUARTERS
    if not text.isascii():
        quarters += sum(map(_extra_quarters, _BEYOND_ASCII.findall(text)))
    by_size = -(-quarters // QUARTERS_PER_TOKEN)
    return max(by_size, len(_PIECE.findall(text)))


def _extra_quarters(character: str) -> int:
    """What a character outside ASCII costs beyond an ASCII one."""
    if character < _FIRST_IDEOGRAPH:
        return _ALPHABET_QUARTERS - _ASCII_QUARTERS
    if character < _FIRST_ASTRAL:
        return _IDEOGRAPH_QUARTERS - _ASCII_QUARTERS
    return _ASTRAL_QUARTERS - _ASCII_QUARTERS
