"""Cuts the packets we delivered out of what comes back, so that recalled text is never captured as new."""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from firsthand.vocabulary.patterns import lazy_pattern

# Transcripts quote packets inside JSON, once or twice, so a backslash may stand before the quotation marks.
_TAG: Final = lazy_pattern(r'<(/?)firsthand-memory nonce=\\*"([0-9a-f]{16})\\*">')
MARK: Final = "firsthand-memory"
_QUOTING: Final = lazy_pattern(r"[ \t]*>[ \t>]*")
_SAYS_NOTHING: Final = lazy_pattern(r"[\s>]*")


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
    """Cut every packet whose nonce is ours out of a text, and a line that it leaves empty but for marks of quoting.

    Only our own tags count: a foreign or forged fence neither hides a packet of ours nor is touched itself.
    """
    if MARK not in text:
        return Cut(text, 0)
    kept: list[str] = []
    position = 0
    fences = list(_fences(text, _once_each(is_ours)))
    for fence in fences:
        start = _start(text, fence, position)
        kept.append(text[position:start])
        starts_line = start == 0 or text[start - 1] == "\n"
        position = fence.end + (starts_line and text[fence.end : fence.end + 1] == "\n")
    return Cut("".join(kept) + text[position:], len(fences))


def _start(text: str, fence: Fence, position: int) -> int:
    """Where a packet starts, with the marks of quoting before it if its last line holds nothing else."""
    line = text.rfind("\n", position, fence.start) + 1 or position
    alone = text[fence.end : fence.end + 1] in ("", "\n") and (line == 0 or text[line - 1] == "\n")
    return line if alone and _QUOTING.fullmatch(text, line, fence.start) else fence.start


def says_nothing(text: str) -> bool:
    """Whether what is left of a text is no more than space and marks of quoting."""
    return _SAYS_NOTHING.fullmatch(text) is not None


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
