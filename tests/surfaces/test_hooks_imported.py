"""A session that hooks kept, and its file imported before or after: a turn is kept once, and what differs is added."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner
from harness import OWNER, TIMESTAMP, Make, Session

import firsthand
from firsthand.importers.claude_code import import_claude_code
from firsthand.importers.codex import import_codex
from firsthand.surfaces.cli import app
from firsthand.surfaces.hooks import running
from firsthand.vocabulary.packets import ImportReport

Live = Callable[[Make], Session]


def imported(session: Session, *, actor: str = OWNER) -> ImportReport:
    """Import the session's file, as its owner unless another is named."""
    run = {"claude-code": import_claude_code, "codex": import_codex}[session.harness]
    scope = f"project:{session.folder.name}"
    with firsthand.open(session.database, scope=scope, actor=actor, role="person") as memory:
        return run(memory, session.transcript, speaker=actor)


def in_claude_code(make: Make) -> Session:
    """Prompts that repeat, tools, replies; every hook is called."""
    session = make("s-claude")
    session.ask("Go on.")
    session.use("Bash", {"command": "ls"}, {"stdout": "a.txt", "stderr": ""})
    session.reply("I see one file.")
    session.ask("Go on.")
    session.reply("That is all.", last_assistant_message="That is all.")
    return session


def in_codex(make: Make) -> Session:
    """The same in Codex's form."""
    session = make("s-codex", "codex")
    session.line({"timestamp": TIMESTAMP, "type": "session_meta", "payload": {"id": "s-codex"}})
    codex_ask(session, "Go on.")
    call = {"type": "function_call", "name": "shell", "arguments": '{"command":["ls"]}', "call_id": "call_1"}
    codex_line(session, call)
    codex_line(session, {"type": "function_call_output", "call_id": "call_1", "output": "a.txt"})
    codex_used(session)
    codex_reply(session, "I see one file.")
    codex_ask(session, "Go on.")
    codex_reply(session, "That is all.")
    return session


def codex_line(session: Session, payload: dict[str, Any], kind: str = "response_item") -> None:
    session.line({"timestamp": TIMESTAMP, "type": kind, "payload": payload})


def codex_ask(session: Session, text: str) -> None:
    session.hook("UserPromptSubmit", prompt=text)
    codex_line(session, {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})
    codex_line(session, {"type": "user_message", "message": text}, "event_msg")


def codex_used(session: Session) -> None:
    given = {"tool_input": {"command": ["ls"]}, "tool_response": "a.txt"}
    session.hook("PostToolUse", tool_name="shell", tool_use_id="call_1", **given)


def codex_reply(session: Session, text: str) -> None:
    codex_line(session, {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]})
    session.hook("Stop", last_assistant_message=text)


LIVES = pytest.mark.parametrize("live", [in_claude_code, in_codex])
SPOKEN = Counter({"Go on.": 2, "I see one file.": 1, "That is all.": 1})


def spoken(session: Session) -> Counter[str]:
    return Counter(text for text in session.texts() if text in SPOKEN)


@LIVES
def test_importing_a_session_that_hooks_kept_adds_nothing(make: Make, live: Live) -> None:
    session = live(make)
    kept = session.texts()
    assert spoken(session) == SPOKEN
    assert len(kept) == SPOKEN.total() + 1, "and one call of a tool with its result"
    report = imported(session)
    assert (report.added, report.refused, report.known) == (0, 0, SPOKEN.total() + 2)
    assert session.texts() == kept
    assert imported(session).known == report.read
    assert session.texts() == kept


@LIVES
def test_hooks_that_go_on_after_an_import_add_only_what_is_new(
    make: Make, live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as unheard:
        unheard.setattr(Session, "hook", lambda self, name, **fields: None)
        session = live(make)
    assert imported(session).added == SPOKEN.total() + 2
    kept = session.texts()
    session.hook("Stop", last_assistant_message="That is all.")
    session.hook("SessionEnd", reason="other")
    if session.harness == "codex":
        codex_used(session)
    else:
        given = {"tool_input": {"command": "ls"}, "tool_response": {"stdout": "a.txt", "stderr": ""}}
        session.hook("PostToolUse", tool_name="Bash", tool_use_id="toolu_s-claude_1", **given)
    assert session.texts() == kept
    session.hook("UserPromptSubmit", prompt="Go on.")
    assert session.texts() == [*kept, "Go on."], "what is said again is said again"
    if session.harness == "codex":
        codex_ask(session, "And now?")
    else:
        session.write("user", "Go on.")
        session.ask("And now?")
    assert session.texts() == [*kept, "Go on.", "And now?"]
    assert imported(session).added == 0


def test_what_the_hooks_never_saw_is_added_by_an_import(make: Make) -> None:
    session = make("s-part")
    session.write("user", "Said before there were hooks.")
    session.ask("Said to the hook.")
    session.use("Bash", {"command": "false"}, "exit code 1", failed=True)
    session.use("Read", {"file_path": "/log"}, "line\n" * 1_000)
    session.reply("Done.")
    session.ask("Again, please.")
    session.reply("Done.")
    kept = session.texts()
    report = imported(session)
    added = session.texts()[len(kept) :]
    assert added[0] == "Said before there were hooks."
    assert [text for text in added if text.startswith("Bash")]
    assert "exit code 1" in added
    assert "line\n" * 1_000 in added, "of which the hook kept only the two ends"
    assert added[-1] == "Done.", "which the hook kept once in this session"
    assert (report.added, report.known) == (5, 4)
    assert imported(session).added == 0


def test_what_was_retracted_or_erased_after_a_hook_kept_it_does_not_come_back_by_an_import(make: Make) -> None:
    session = make("s-gone")
    session.ask("My code name is Heron.")
    session.ask("The boat is blue.")
    with session.memory() as memory:
        said = {item.text: item.record_id for item in memory.list(kinds=["episodic"]).items}
        memory.erase(said["My code name is Heron."], reason_code="privacy", reason="not for keeping")
        memory.retract(said["The boat is blue."], reason="it is green")
    report = imported(session)
    assert (report.added, report.known, report.refused) == (0, 1, 1)
    with session.memory() as memory:
        assert [item.text for item in memory.list(kinds=["episodic"]).items] == []


def test_what_another_owner_imports_is_not_taken_for_what_a_hook_kept(make: Make) -> None:
    session = in_claude_code(make)
    kept = len(session.texts())
    assert imported(session, actor="ben").added == SPOKEN.total() + 2
    assert len(session.texts()) == kept + SPOKEN.total() + 2


def test_what_waits_in_the_spool_is_stored_before_an_import(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    session = make("s-late")
    with monkeypatch.context() as late:
        late.setattr(running, "WORK_MS", -10_000_000)
        late.setattr(running, "_allowance", lambda call: -10_000_000)
        session.ask("Said while the machine was busy.")
    args = ["--db", str(session.database), "--actor", OWNER, "--scope", f"project:{session.folder.name}", "--json"]
    result = CliRunner().invoke(app, [*args, "import", "claude-code", str(session.transcript), "--speaker", OWNER])
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)["added"] == 0
    assert session.texts() == ["Said while the machine was busy."]
