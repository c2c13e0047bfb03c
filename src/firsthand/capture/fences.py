"""Cuts the packets we delivered out of what comes back, so that recalled text is never captured as new."""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

# Transcripts quote packets inside JSON, once or twice, so a backslash may stand before the quotation marks.
_TAG: Final = re.compile(r'<(/?)firsthand-memory nonce=\\*"([0-9a-f]{16})\\*">')
MARK: Final = "firsthand-memory"


class Fence(NamedTuple):
    """One packet in a text, from its opening tag to its own closing tag or, without one, to the end of the text."""

    nonce: str
    start: int
    end: int


class Cut(NamedTuple):
    """A text without our packets, and how many there were."""

    text: str
    removed: int


def find_fences(text: str) -> list[Fence]:
    """Return the outermost packets of a text, whoever made them; whatever stands inside one is its content."""
    return list(_fences(text, lambda _: True)) if MARK in text else []


def cut(text: str, is_ours: Callable[[str], bool]) -> Cut:
    """Cut every packet whose nonce is ours out of a text, and a line that it leaves empty.

    Only our own tags count: a foreign or forged fence neither hides a packet of ours nor is touched itself.
    """
    if MARK not in text:
        return Cut(text, 0)
    kept: list[str] = []
    position = 0
    fences = list(_fences(text, _once_each(is_ours)))
    for fence in fences:
        kept.append(text[position : fence.start])
        starts_line = fence.start == 0 or text[fence.start - 1] == "\n"
        position = fence.end + (starts_line and text[fence.end : fence.end + 1] == "\n")
    return Cut("".join(kept) + text[position:], len(fences))


def _fences(text: str, counts: Callable[[str], bool]) -> Iterator[Fence]:
    opened: tuple[str, int] | None = None
    for tag in _TAG.finditer(text):
        closing, nonce = tag.groups()
        if opened is None:
            if not closing and counts(nonce):
                opened = nonce, tag.start()
        elif closing and nonce == opened[0]:
            yield Fence(*opened, tag.end())
            opened = None
    if opened is not None:
        yield Fence(*opened, len(text))


def _once_each(is_ours: Callable[[str], bool]) -> Callable[[str], bool]:
    """Ask about each nonce once: a text full of forged tags must not become as many look-ups."""
    known: dict[str, bool] = {}

    def ask(nonce: str) -> bool:
        if nonce not in known:
            known[nonce] = is_ours(nonce)
        return known[nonce]

    return ask
