"""A competence record as a skill file: Markdown with a short header, as agents' harnesses read skills."""

from __future__ import annotations

from typing import Final

import msgspec

from firsthand.vocabulary.patterns import lazy_pattern
from firsthand.vocabulary.records import Competence, RecipeStep
from firsthand.vocabulary.rendering import visible

NAME_CHARACTERS: Final = 64
_NO_NAME: Final = lazy_pattern(r"[^a-z0-9]+")


def skill_file(skill: Competence, record_id: str) -> str:
    """The file; every line of content is one line, so that nothing in it can close the header."""
    name = _NO_NAME.sub("-", skill.skill_name.lower()).strip("-")[:NAME_CHARACTERS] or "skill"
    signals = "; ".join(visible(trigger.signal) for trigger in skill.triggers)
    lines = [
        "---",
        f"name: {name}",
        f"description: {_quoted(f'{visible(skill.skill_name)}. Use when: {signals}')}",
        "---",
    ]
    lines += ["", f"# {visible(skill.skill_name)}", "", *_steps(skill.recipe)]
    for title, each in (
        ("Needs", skill.required_tools), ("What goes wrong", skill.failure_modes), ("Otherwise", skill.fallbacks)
    ):  # fmt: skip
        if each:
            lines += ["", f"## {title}", "", *(f"- {visible(line)}" for line in each)]
    return "\n".join([*lines, "", f"<!-- from memory record {record_id} -->", ""])


def _steps(recipe: tuple[RecipeStep, ...]) -> list[str]:
    return [f"{number}. {_step(step)}" for number, step in enumerate(recipe, 1)]


def _step(step: RecipeStep) -> str:
    tool = f" (with `{visible(step.tool)}`)" if step.tool else ""
    check = f" Check: {visible(step.validation)}" if step.validation else ""
    return f"{visible(step.step)}{tool}{check}"


def _quoted(text: str) -> str:
    """A string that YAML reads as it is: JSON is YAML."""
    return msgspec.json.encode(text).decode()
