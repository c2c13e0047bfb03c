"""The working record of a session: where it stands, by what its transcript says and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from firsthand.surfaces.hooks.texts import fields_of, one_line
from firsthand.surfaces.hooks.transcripts import Turn, last_turn
from firsthand.vocabulary.kinds import TaskState
from firsthand.vocabulary.patterns import lazy_pattern
from firsthand.vocabulary.records import Working

ASKS: Final = 3
STEPS: Final = 8
FILES: Final = 5
CHARACTERS: Final = 160
ASKED: Final = "Last asked for: "
LEFT_OUT: Final = "What was asked last is left out here: it comes near something that was ruled out."
_LISTS: Final = {"TodoWrite": ("todos", "content"), "update_plan": ("plan", "step")}
"""Tools that keep a list of steps, where the list stands in their input, and what a step is called in it."""
_WRITERS: Final = frozenset(("Edit", "MultiEdit", "Write", "NotebookEdit"))
_PATCHED: Final = lazy_pattern(r"^\*\*\* (?:Add|Update) File: (.+)$", re.MULTILINE)


def working_of(session: str, turns: list[Turn], root: Path, *, stopped: bool) -> Working | None:
    """What a session would need to go on; nothing where the transcript says nothing. `stopped`: it is the user's turn.

    Files are named by their place under `root`.
    """
    asked = [turn.text for turn in turns if turn.what == "asked" and turn.text.strip()]
    asks = [one_line(text, CHARACTERS) for text in asked[-ASKS:]]
    steps = _steps(turns)
    if not asks and not steps:
        return None
    next_actions = [text for status in ("in_progress", "pending") for text, is_now in steps if is_now == status]
    question = _question(turns)
    return Working(
        thread_id=session,
        state=_state(steps, stopped=stopped),
        next_actions=tuple(next_actions[:STEPS]),
        open_questions=(question,) if question else (),
        context_summary=_summary(asks, turns, root),
        tags=("session",),
    )


def with_less(record: Working) -> Iterator[Working]:
    """A working record, and what it may say instead where that comes near what was ruled out: the old one must go."""
    yield record
    newest = (record.context_summary or "").partition("\n")[0]
    if newest.startswith(ASKED):
        yield _bare(record, ASKED + newest.removeprefix(ASKED).rpartition(" | ")[2])
    yield _bare(record, LEFT_OUT)


def _bare(record: Working, summary: str) -> Working:
    return msgspec.structs.replace(record, next_actions=(), open_questions=(), context_summary=summary)


def _summary(asks: list[str], turns: list[Turn], root: Path) -> str | None:
    parts = [f"{ASKED}{' | '.join(asks)}"] if asks else []
    files = list(dict.fromkeys(_place(path, root) for path in _files(turns)))[:FILES]
    parts += [f"Last changed: {', '.join(files)}"] if files else []
    errors = [turn.text for turn in last_turn(turns) if turn.what == "failed" and turn.text.strip()]
    parts += [f"Last error: {one_line(errors[-1], CHARACTERS)}"] if errors else []
    return "\n".join(parts) or None


def _state(steps: list[tuple[str, str]], *, stopped: bool) -> TaskState:
    if steps and all(status == "completed" for _, status in steps):
        return "done"
    return "waiting" if stopped else "executing"


def _steps(turns: list[Turn]) -> list[tuple[str, str]]:
    """The steps of the list that was written last, each with its status."""
    for turn in reversed(turns):
        if turn.tool in _LISTS:
            place, name = _LISTS[turn.tool]
            try:
                steps = msgspec.convert(fields_of(turn.input).get(place), list[dict[str, Any]])
            except msgspec.ValidationError:
                return []
            return [(one_line(str(step.get(name, "")), CHARACTERS), str(step.get("status"))) for step in steps]
    return []


def _files(turns: list[Turn]) -> Iterator[str]:
    """Files that were written, the latest first."""
    for turn in reversed(turns):
        match turn.input:
            case {"file_path": str(path)} | {"notebook_path": str(path)} if turn.tool in _WRITERS:
                yield path
            case {"input": str(patch)} if turn.tool == "apply_patch":
                yield from reversed(_PATCHED.findall(patch))
            case _:
                continue


def _place(path: str, root: Path) -> str:
    file = Path(path)
    return one_line(str(file.relative_to(root)) if file.is_relative_to(root) else file.name, CHARACTERS)


def _question(turns: list[Turn]) -> str | None:
    """The last line the agent said, if it asks something and nobody has said anything since."""
    said = [turn for turn in turns if turn.what in ("asked", "replied") and turn.text.strip()]
    if not said or said[-1].what != "replied":
        return None
    line = one_line(said[-1].text.strip().splitlines()[-1], CHARACTERS)
    return line if line.endswith("?") else None
