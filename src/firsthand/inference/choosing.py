"""Models by name: what `embedder` and `reranker` say when a memory is opened."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from firsthand.inference.static import StaticEmbedder
from firsthand.ports import Embedder, Reranker
from firsthand.vocabulary.errors import InvalidError

DEFAULT: Final = "default"
NONE: Final = "none"
ONNX: Final = "onnx:"
KEPT: Final = 4
"""Models that a process keeps; every handle on the same folder shares one."""

M = TypeVar("M")


def embedder_of(text: str | None) -> Embedder | None:
    """The embedder that a setting names: `default`, `onnx:FOLDER`, or none."""
    if text is None or text == NONE:
        return None
    if text == DEFAULT:
        return _own()
    if (folder := _folder(text)) is not None:
        return _sentences(folder, _state(folder))
    raise InvalidError("embedder_unknown", "embedder is default, onnx:FOLDER, or none (None)", field="embedder")


def reranker_of(text: str | None) -> Reranker | None:
    """The reranker that a setting names: `onnx:FOLDER`, or none."""
    if text is None or text == NONE:
        return None
    if (folder := _folder(text)) is not None:
        return _cross(folder, _state(folder))
    raise InvalidError("reranker_unknown", "reranker is onnx:FOLDER, or none (None)", field="reranker")


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


@functools.cache
def _own() -> StaticEmbedder:
    """One for the process: its words take five milliseconds to open, and as many megabytes."""
    return StaticEmbedder()


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
