"""A text of somebody's session as it may be kept: without packets, without secrets, and no longer than a limit."""

from __future__ import annotations

from typing import Final, NamedTuple

from firsthand.capture.fences import cut
from firsthand.capture.secrets import mask

LOOKED_AT: Final = 256 * 1024
"""Characters of a text that are looked at: half from its beginning, half from its end."""
LEFT_OUT: Final = "\n[…]\n"


class Clipped(NamedTuple):
    """What is left of a text, and whether that is all that it says."""

    text: str
    whole: bool


def clip(text: str, most: int) -> Clipped:
    """At most `most` bytes of a text, from its beginning and its end.

    It is cut last: a packet or a secret of which only a part is left would no longer be known as one.
    """
    cleaned = clean(text)
    encoded = cleaned.encode()
    if len(encoded) <= most:
        return Clipped(cleaned, len(text) <= LOOKED_AT)
    room = most - len(LEFT_OUT.encode())
    tail = room // 3
    return Clipped(_decoded(encoded[: room - tail]) + LEFT_OUT + _decoded(encoded[len(encoded) - tail :]), False)


def clean(text: str) -> str:
    """A text as Unicode without NULs, packets and secrets, and of an endless one its two ends."""
    if len(text) > LOOKED_AT:
        return LEFT_OUT.join((clean(text[: LOOKED_AT // 2]), clean(text[-LOOKED_AT // 2 :])))
    plain = text.replace("\x00", "").encode(errors="replace").decode()
    return mask(cut(plain, _everyones).text).text.strip()


def _everyones(nonce: str) -> bool:
    """Whose packet it is does not matter: what stands in one was never said here."""
    return True


def _decoded(data: bytes) -> str:
    """Bytes that were cut anywhere, without the character that was cut through."""
    return data.decode(errors="ignore")
