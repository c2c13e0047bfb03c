"""An estimate of how many tokens a text costs a model, leaning to too many rather than too few."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.patterns import lazy_pattern

CountTokens = Callable[[str], int]
"""How many tokens a text costs: a model's own tokenizer where the caller has one, else the estimate below."""
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


def counting(count: CountTokens | None) -> CountTokens:
    """The caller's counter, each of its answers looked at; without one, the estimate."""
    if count is None or count is estimate_tokens:
        return estimate_tokens
    if not callable(count):
        raise InvalidError("counter_invalid", "count_tokens is a function of one text", field="count_tokens")

    def counted(text: str) -> int:
        tokens = count(text)
        if isinstance(tokens, bool) or not isinstance(tokens, int) or tokens < 0:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidError("counter_invalid", "count_tokens gave no whole number from 0 on", field="count_tokens")
        return tokens

    return counted
