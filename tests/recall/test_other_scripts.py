"""What is said in Chinese, Japanese, German, Arabic and Hindi is found by questions in those languages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import firsthand
from firsthand.memory import Memory

LANGUAGES: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_name("other_scripts.json").read_text(encoding="utf-8")
)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """All languages in one scope, so that none may be taken for another."""
    folder = tmp_path_factory.mktemp("scripts")
    with firsthand.open(folder / "m.db", owner="ana", role="person", scope="project:talk") as memory:
        memory.capture_many([{"text": text} for language in LANGUAGES.values() for text in language["said"]])
        yield memory


def places(memory: Memory, language: str) -> list[int | None]:
    """For each question where what answers it stands among what is returned."""
    said, found = LANGUAGES[language]["said"], []
    for question, answer in LANGUAGES[language]["asked"]:
        texts = [item.text for item in memory.recall(question, limit=3).items]
        found.append(texts.index(said[answer]) if said[answer] in texts else None)
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_answers_a_question_comes_first_or_second(memory: Memory, language: str) -> None:
    found = places(memory, language)
    assert len(found) == 8
    assert None not in found
    assert found.count(0) >= 7


def test_a_question_in_one_script_finds_nothing_in_another(memory: Memory) -> None:
    for language, other in (("Chinese", "Hindi"), ("Hindi", "Arabic"), ("Arabic", "Japanese")):
        texts = [i.text for q, _ in LANGUAGES[language]["asked"] for i in memory.recall(q, limit=10).items]
        assert not set(texts) & set(LANGUAGES[other]["said"])
        assert set(texts) & set(LANGUAGES[language]["said"])
