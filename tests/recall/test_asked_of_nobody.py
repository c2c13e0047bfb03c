"""A question about somebody of whom nothing is known says that it may hold no answer; a name has many spellings."""

from __future__ import annotations

from pathlib import Path

import pytest
from stores import opened, texts

from firsthand.vocabulary.rendering import LIKELY

PEANUTS = "I am allergic to peanuts, said the card at the table"


def test_a_question_about_somebody_unheard_of_is_warned_about(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.capture(PEANUTS)
        memory.capture("The ferry to Ljubljana is late")
        of_nobody = memory.recall("Is Zoltan allergic to peanuts?")
        assert texts(of_nobody) == [PEANUTS]
        assert of_nobody.likelihood is not None
        assert of_nobody.likelihood < LIKELY
        for known in ("Is anybody allergic to peanuts?", "Is the ferry to Ljubljana late?"):
            likelihood = memory.recall(known).likelihood
            assert likelihood is not None
            assert likelihood > LIKELY


@pytest.mark.parametrize("other", ["noor", "NOOR"])
def test_another_spelling_of_a_speaker_s_name_makes_nobody_else_of_her(other: str, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.capture("I am allergic to peanuts", speaker="Ana", thread="t")
        memory.capture("The boat is blue", speaker="Noor", thread="u")
        memory.capture("Noor is late", speaker="Ben", thread="x")
        before = memory.recall("Is Noor allergic to peanuts?").likelihood
        own = memory.recall("Is Ana allergic to peanuts?").likelihood
        assert before is not None
        assert own is not None
        assert before < LIKELY < own
        memory.capture("ok", speaker=other, thread="v")
        assert memory.recall("Is Noor allergic to peanuts?").likelihood == before
        memory.capture("I sail on Sundays", speaker=other, thread="w")
        assert texts(memory.recall("When does Noor sail?"))[0] == "I sail on Sundays"
