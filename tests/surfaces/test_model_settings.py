"""Which models a memory is opened with: a variable before the file, by every door, and none in a hook but our own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from harness import Make

from firsthand import measuring
from firsthand.config import NAMES, Settings, read_settings
from firsthand.inference.choosing import embedder_of, reranker_of
from firsthand.surfaces.cli_mcp import open_for
from firsthand.surfaces.desk import open_memory
from firsthand.surfaces.doctor import examine
from firsthand.vocabulary.errors import InvalidError

NO_FLAGS = dict.fromkeys(NAMES)


def of(folder: Path, **variables: str) -> Settings:
    return read_settings(NO_FLAGS, {"HOME": "/", **variables}, folder)


def test_without_anything_the_vectors_are_ours_and_nothing_is_judged_again(tmp_path: Path) -> None:
    settings = of(tmp_path)
    assert (settings.embedder, settings.reranker) == ("default", "none")
    assert (settings.origins["embedder"], settings.origins["reranker"]) == ("default", "default")


def test_a_variable_beats_the_file_whose_folders_start_from_its_own(tmp_path: Path) -> None:
    below = tmp_path / "below"
    below.mkdir()
    (tmp_path / "firsthand.toml").write_text('embedder = "onnx:models/mini"\nreranker = "onnx:/opt/judge"\n')
    settings = of(below)
    assert settings.embedder == f"onnx:{tmp_path / 'models' / 'mini'}"
    assert settings.reranker == "onnx:/opt/judge"
    assert settings.origins["embedder"] == "firsthand.toml"
    settings = of(below, FIRSTHAND_EMBEDDER="default", FIRSTHAND_RERANKER="onnx:other")
    assert (settings.embedder, settings.reranker) == ("default", "onnx:other")
    assert (settings.origins["embedder"], settings.origins["reranker"]) == ("FIRSTHAND_EMBEDDER", "FIRSTHAND_RERANKER")
    assert of(below, FIRSTHAND_EMBEDDER="").embedder == f"onnx:{tmp_path / 'models' / 'mini'}"


def test_none_means_none(tmp_path: Path) -> None:
    (tmp_path / "firsthand.toml").write_text('embedder = "none"\nreranker = "onnx:judge"\n')
    settings = of(tmp_path, FIRSTHAND_RERANKER="none")
    assert (settings.embedder, settings.reranker) == ("none", "none")
    assert embedder_of(settings.embedder) is reranker_of(settings.reranker) is None


@pytest.mark.parametrize("text", ["embedder = 3", 'embedders = "default"', f'reranker = "onnx:{"a" * 5_000}"'])
def test_what_is_no_name_of_a_model_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "firsthand.toml").write_text(text)
    with pytest.raises(InvalidError):
        of(tmp_path)


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str | None]]:
    """What memories are opened with; whatever it is, with no model that is not there."""
    found: dict[str, list[str | None]] = {"embedder_of": [], "reranker_of": []}

    def keeps(name: str) -> Callable[..., object]:
        def choose(text: str | None, *_: object) -> object:
            found[name].append(text)
            return embedder_of("default") if name == "embedder_of" and text is not None else None

        return choose

    for name in found:
        monkeypatch.setattr(f"firsthand.wiring.{name}", keeps(name))
    return found


def test_every_door_opens_with_the_models_of_the_settings(tmp_path: Path, chosen: dict[str, list[str | None]]) -> None:
    settings = of(
        tmp_path, FIRSTHAND_DB=str(tmp_path / "m.db"), FIRSTHAND_EMBEDDER="onnx:a", FIRSTHAND_RERANKER="onnx:b"
    )
    with open_memory(settings) as memory:
        memory.capture("The boat is blue", speaker="Ben")
    with open_for(settings, "a-client", ("space:",), "high"):
        pass
    examine(settings)
    measuring.measure(settings, rounds=1, version="0")
    assert chosen == {"embedder_of": ["onnx:a"] * 4, "reranker_of": ["onnx:b"] * 4}


def test_a_hook_has_no_time_for_a_model_of_ones_own(
    make: Make, monkeypatch: pytest.MonkeyPatch, chosen: dict[str, list[str | None]]
) -> None:
    session = make()
    session.ask("Which bread is baked first?")
    assert set(chosen["embedder_of"]) == {"default"}
    monkeypatch.setenv("FIRSTHAND_EMBEDDER", "onnx:a")
    monkeypatch.setenv("FIRSTHAND_RERANKER", "onnx:b")
    chosen["embedder_of"].clear()
    session.ask("Which bread is baked last?")
    assert set(chosen["embedder_of"]) == {None}
    assert set(chosen["reranker_of"]) == {None}
