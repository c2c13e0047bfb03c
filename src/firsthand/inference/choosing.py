"""Models by their settings, and whether an embedder may take the place of another."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from firsthand.inference.static import IDENTITY, StaticEmbedder
from firsthand.ports import Embedder, Reranker
from firsthand.vocabulary.errors import InvalidError

DEFAULT: Final = "default"
NONE: Final = "none"
ONNX: Final = "onnx:"
REMOTE: Final = ("http://", "https://")
KEPT: Final = 4
"""Models that a process keeps; every handle on the same folder shares one."""

M = TypeVar("M")


def embedder_of(text: str | None, hide: Callable[[str], str] = str) -> Embedder | None:
    """The embedder that a setting names, if it names one. `hide` masks secrets in what is sent to another machine."""
    if text is None or text == NONE:
        return None
    if text == DEFAULT:
        return own_embedder()
    if (folder := _folder(text)) is not None:
        return _sentences(folder, _state(folder))
    if isinstance(text, str) and text.startswith(REMOTE):  # pyright: ignore[reportUnnecessaryIsInstance]
        return _remote(text, hide)
    raise InvalidError(
        "embedder_unknown", "embedder is default, none (None), onnx:FOLDER, or https://host/v1#model", field="embedder"
    )


def reranker_of(text: str | None) -> Reranker | None:
    """The reranker that a setting names: `onnx:FOLDER`, or none."""
    if text is None or text == NONE:
        return None
    if (folder := _folder(text)) is not None:
        return _cross(folder, _state(folder))
    raise InvalidError("reranker_unknown", "reranker is onnx:FOLDER, or none (None)", field="reranker")


@functools.cache
def own_embedder() -> StaticEmbedder:
    """One for the process: its words take five milliseconds to open, and as many megabytes."""
    return StaticEmbedder()


def _remote(text: str, hide: Callable[[str], str]) -> Embedder:
    from firsthand.inference.endpoint import read_endpoint
    from firsthand.inference.remote import RemoteEmbedder

    endpoint = read_endpoint(text)
    if importlib.util.find_spec("httpx") is None:
        raise InvalidError(
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
    if identity.startswith("onnx-"):
        return f"{ONNX}FOLDER, with the folder of the model {identity}"
    return DEFAULT if identity.rpartition("-")[0] == IDENTITY.rpartition("-")[0] else identity


# ---- folders ---------------------------------------------------------------------------------------------------------


def _folder(text: object) -> Path | None:
    if not isinstance(text, str) or not text.startswith(ONNX) or "\x00" in text:
        return None
    name = text.removeprefix(ONNX)
    return Path(name).expanduser().absolute() if name else None


def _state(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """What tells whether the files of a folder are still those that were read."""
    files = [file for pattern in ("*", "*/*") for file in folder.glob(pattern) if file.is_file()]
    told = [(str(file), file.stat()) for file in sorted(files)]
    return tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in told)


def _kept(make: Callable[[Path], M]) -> Callable[[Path, object], M]:
    """The same model for the same files, as long as others are not asked for instead."""

    @functools.lru_cache(maxsize=KEPT)
    def made(folder: Path, _: object) -> M:
        return make(folder)

    return made


@_kept
def _sentences(folder: Path) -> Embedder:
    from firsthand.inference.sentences import SentenceEmbedder

    return SentenceEmbedder(folder)


@_kept
def _cross(folder: Path) -> Reranker:
    from firsthand.inference.rerankers import CrossEncoder

    return CrossEncoder(folder)
