"""What is near is near on a scale that an embedder says of itself: one whose vectors are all alike finds the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from stores import opened, texts

from firsthand.inference.static import StaticEmbedder
from firsthand.ports import Said, Scale

TEXTS = ("Appointment with the physician on Tuesday", "The boat is blue", "Felix plays the violin", "Her pay is 50k")
QUERIES = ("When does the doctor see me?", "salary", "Which ship?", "quantum chromodynamics", "music in the evening")
SHARED = bytes([25]) * 256
"""As long as one of our own vectors is."""


class Narrow(StaticEmbedder):
    """Our own vectors with as much again that all of them share: no two are less alike than a half."""

    identity, dimension, length = "narrow", 512, 566
    scale = Scale(zero=0.5, gain=2.0)

    def embed(self, texts: Sequence[Said]) -> list[bytes]:
        return [own + SHARED if own else b"" for own in super().embed(texts)]


def answers(folder: Path) -> list[list[str]]:
    folder.mkdir()
    with opened(folder) as memory:
        memory.capture_many({"text": text, "thread": text} for text in TEXTS)
        found = [memory.recall(query) for query in QUERIES]
        assert all(packet.degraded == () for packet in found)
        return [texts(packet) for packet in found]


def test_an_embedder_of_another_scale_finds_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = answers(tmp_path / "ours")
    assert ours[0] == [TEXTS[0]]
    assert ours[3] == []
    monkeypatch.setattr("firsthand.wiring.embedder_of", lambda *_: Narrow())
    assert answers(tmp_path / "narrow") == ours
    monkeypatch.setattr(Narrow, "scale", Scale())
    everything = answers(tmp_path / "plain")
    assert everything != ours
    assert len(everything[3]) == len(TEXTS)
