"""An embedder from its setting, and whether it may take the place of another."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable
from typing import Final

from firsthand.inference.static import IDENTITY, StaticEmbedder
from firsthand.ports import Embedder
from firsthand.vocabulary.errors import BrokenError, InvalidError

DEFAULT: Final = "default"
NONE: Final = "none"
REMOTE: Final = ("http://", "https://")


def embedder_of(text: str | None, hide: Callable[[str], str]) -> Embedder | None:
    """The embedder that a setting names, if it names one. `hide` masks secrets in what is sent to another machine."""
    if text is None or text == NONE:
        return None
    if text == DEFAULT:
        return own_embedder()
    if isinstance(text, str) and text.startswith(REMOTE):  # pyright: ignore[reportUnnecessaryIsInstance]
        return _remote(text, hide)
    raise InvalidError(
        "embedder_unknown", "embedder is default, none (None), or https://host/v1#model", field="embedder"
    )


@functools.cache
def own_embedder() -> StaticEmbedder:
    """One for the process: its words take five milliseconds to open, and as many megabytes."""
    return StaticEmbedder()


def _remote(text: str, hide: Callable[[str], str]) -> Embedder:
    from firsthand.inference.endpoint import read_endpoint
    from firsthand.inference.remote import RemoteEmbedder

    endpoint = read_endpoint(text)
    if importlib.util.find_spec("httpx") is None:
        raise BrokenError(
            "extra_missing", "an embeddings endpoint needs httpx: pip install 'firsthand[llm]'", field="embedder"
        )
    return RemoteEmbedder(endpoint, hide)


def is_remote(text: str | None) -> bool:
    """Whether a setting names an embedder on another machine."""
    return text is not None and text.startswith(REMOTE)


def replaces(own: str, held: str) -> bool:
    """Whether an embedder takes the place of another unasked: our own words do, of an older version of them."""
    family, _, version = IDENTITY.rpartition("-")
    other, _, older = held.rpartition("-")
    return own == IDENTITY and other == family and older.isdigit() and int(older) < int(version)


def setting_of(identity: str) -> str:
    """What to set so that the vectors of a space are by the embedder of this name."""
    return DEFAULT if identity.rpartition("-")[0] == IDENTITY.rpartition("-")[0] else identity
