"""The address of an embeddings endpoint, read from a setting: `https://host/v1?dimensions=256#model`."""

from __future__ import annotations

import ipaddress
from typing import Final, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.limits import NAME_BYTES, check_bytes

SCHEMES: Final = ("http://", "https://")
DIMENSIONS: Final = "dimensions"
PLAIN: Final = "plain"
"""`plain=yes` lets words go unencrypted to another machine."""
DIMENSIONS_MOST: Final = 16_384


class Endpoint(NamedTuple):
    """Where vectors are asked for, and of which model. `identity` is what a space is pinned to: the setting itself."""

    url: str
    model: str
    dimensions: int | None
    identity: str


def read_endpoint(text: str) -> Endpoint:
    """An endpoint from its setting; `InvalidError` if it is none, holds a key, or would send words in the clear."""
    check_bytes(text, most=NAME_BYTES, field="embedder")
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise _invalid("it is no address") from None
    if parts.scheme not in ("http", "https") or not host or any(c.isspace() or not c.isprintable() for c in text):
        raise _invalid("it is no address")
    if parts.username is not None or parts.password is not None:
        raise _invalid("no name and no key belong into it; the key is FIRSTHAND_EMBEDDER_KEY")
    if not parts.fragment:
        raise _invalid("the model follows a #")
    asked = dict(parse_qsl(parts.query, keep_blank_values=True))
    dimensions, plain = asked.pop(DIMENSIONS, None), asked.pop(PLAIN, None)
    if asked or plain not in (None, "yes"):
        raise _invalid("of questions it takes dimensions=N and plain=yes alone")
    if dimensions is not None and not (dimensions.isascii() and dimensions.isdigit()):
        raise _invalid("dimensions is a number")
    number = None if dimensions is None else int(dimensions)
    if number is not None and not 0 < number <= DIMENSIONS_MOST:
        raise _invalid(f"dimensions is at most {DIMENSIONS_MOST}")
    if parts.scheme == "http" and plain is None and not _is_here(host):
        raise InvalidError(
            "embedder_in_the_clear",
            "the address is http, so words would go to another machine in the clear; use https, or add ?plain=yes",
            field="embedder",
        )
    shown = f"[{host}]" if ":" in host else host
    base = f"{parts.scheme}://{shown}{f':{port}' if port is not None else ''}{parts.path.rstrip('/')}"
    question = "" if number is None else f"?{DIMENSIONS}={number}"
    return Endpoint(f"{base}/embeddings", parts.fragment, number, f"{base}{question}#{parts.fragment}")


def _is_here(host: str) -> bool:
    """Whether an address is this machine's own."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _invalid(why: str) -> InvalidError:
    return InvalidError("embedder_invalid", f"embedder is no embeddings endpoint: {why}", field="embedder")
