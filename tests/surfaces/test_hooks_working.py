"""The working record of a session: made of what the transcript says, brought back where the work goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness import TIMESTAMP, Make, Session

from firsthand.surfaces.hooks.working import LEFT_OUT, with_less
from firsthand.vocabulary.records import Working

TODOS = [
    {"content": "Measure the mast", "status": "completed", "activeForm": "Measuring"},
    {"content": "Order the spruce", "status": "pending"},
    {"content": "Draw the mast", "status": "in_progress"},
]


def state(session: Session) -> Any:
    """The one working record of the session's project."""
    with session.memory() as memory:
        (item,) = memory.list(kinds=["working"]).items
        return memory.read(item.record_id).item.payload


def worked(make: Make, name: str = "s-1") -> Session:
    session = make(name)
    session.ask("Build me a mast.")
    session.use("TodoWrite", {"todos": TODOS}, "ok")
    session.use("Edit", {"file_path": str(session.folder / "src" / "mast.py"), "old_string": "a"}, "ok")
    session.use("Write", {"file_path": "/elsewhere/secret-place/keel.py", "content": "b"}, "ok")
    session.use("Read", {"file_path": str(session.folder / "only_read.py")}, "ok")
    return session


def test_it_says_what_was_asked_what_is_next_what_was_changed_and_what_is_open(make: Make) -> None:
    session = worked(make)
    session.ask("And make it tall.")
    session.use("Bash", {"command": "make mast"}, "make: *** no spruce\nin the shed", failed=True)
    session.reply("The shed is empty.\nShall I order spruce?")
    record = state(session)
    assert (record.thread_id, record.state) == (session.session, "waiting")
    assert record.next_actions == ("Draw the mast", "Order the spruce")
    assert record.open_questions == ("Shall I order spruce?",)
    assert record.context_summary == (
        "Last asked for: Build me a mast. | And make it tall.\n"
        "Last changed: keel.py, src/mast.py\n"
        "Last error: make: *** no spruce in the shed"
    )


def test_it_says_nothing_that_the_transcript_does_not_say(make: Make) -> None:
    session = make()
    session.hook("Stop", last_assistant_message="Ready.")
    session.hook("PreCompact", trigger="manual")
    with session.memory() as memory:
        assert memory.list(kinds=["working"]).items == ()
    session.ask("Build me a mast.")
    session.reply("Done.")
    record = state(session)
    assert (record.next_actions, record.open_questions) == ((), ())
    assert record.context_summary == "Last asked for: Build me a mast."


def test_an_error_before_the_last_request_and_a_question_that_was_answered_are_over(make: Make) -> None:
    session = worked(make)
    session.use("Bash", {"command": "make"}, "it broke", failed=True)
    session.reply("It broke. Again?")
    assert "it broke" in state(session).context_summary
    assert state(session).open_questions == ("It broke. Again?",)
    session.ask("No.")
    session.hook("PreCompact", trigger="auto")
    assert "it broke" not in state(session).context_summary
    assert state(session).open_questions == ()
    assert state(session).state == "executing"


def test_it_is_one_record_with_a_past_and_done_when_every_step_is(make: Make) -> None:
    session = worked(make)
    session.hook("PreCompact", trigger="auto")
    session.use("TodoWrite", {"todos": [{**todo, "status": "completed"} for todo in TODOS]}, "ok")
    session.reply("All done.")
    assert (state(session).state, state(session).next_actions) == ("done", ())
    with session.memory() as memory:
        (item,) = memory.list(kinds=["working"]).items
        assert len(memory.history(item.record_id).entries) == 2


def test_the_last_list_counts_however_it_looks(make: Make) -> None:
    session = worked(make)
    session.use("TodoWrite", {"todos": "none"}, "ok")
    session.reply("Hm.")
    assert state(session).next_actions == ()


@pytest.mark.parametrize("source", ["startup", "resume", "compact"])
def test_a_session_of_the_project_begins_where_the_work_was_left(make: Make, source: str) -> None:
    worked(make).reply("So far.")
    context = make("s-2").hook("SessionStart", source=source) or ""
    assert "Build me a mast." in context
    assert "Next: Draw the mast; Order the spruce." in context
    assert len(context.encode()) <= 4_096


def test_after_clear_and_in_another_project_it_is_not_brought_back(make: Make, tmp_path: Path) -> None:
    worked(make).reply("So far.")
    assert "mast" not in (make("s-2").hook("SessionStart", source="clear") or "")
    elsewhere = make("s-3")
    elsewhere.folder = tmp_path / "car"
    assert elsewhere.hook("SessionStart", source="startup") is None
    assert "mast" in (make("s-4").hook("SessionStart", source="startup") or "")


def test_a_session_goes_on_with_its_own_record_and_a_new_one_with_the_latest(make: Make) -> None:
    first, second = make("s-1"), make("s-2")
    first.ask("Build me a mast.")
    first.reply("Yes.")
    second.ask("Build me a keel.")
    second.reply("Yes.")
    assert "mast" in (first.hook("SessionStart", source="compact") or "")
    latest = make("s-3").hook("SessionStart", source="startup") or ""
    assert ("keel" in latest, "mast" in latest) == (True, False)


def test_a_secret_in_a_request_or_an_error_is_masked(make: Make) -> None:
    secret = "AKIA" + "QWERTYUIOPASDFGH"
    session = make()
    session.ask(f"Use {secret} for the mast.")
    session.use("Bash", {"command": "x"}, f"{secret} was refused", failed=True)
    session.reply("Hm.")
    summary = state(session).context_summary
    assert "AKIA" not in summary
    assert summary.count("[masked: aws_access_key]") == 2


def test_of_a_long_transcript_only_the_end_is_read(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    session = make()
    session.ask("The first request.")
    session.line({"type": "summary", "summary": "x" * 300_000})
    session.ask("The last request.")
    session.reply("Done.")
    assert state(session).context_summary == "Last asked for: The last request."


def test_codex_s_plan_patches_and_errors_are_read(make: Make) -> None:
    session = make(harness="codex")
    patch = "*** Begin Patch\n*** Update File: src/mast.py\n@@\n*** Add File: src/keel.py\n+x\n*** End Patch"
    for kind, payload in (
        ("event_msg", {"type": "user_message", "message": "Build me a mast."}),
        ("response_item", {"type": "function_call", "name": "update_plan", "call_id": "1",
                           "arguments": '{"plan":[{"step":"Draw it","status":"in_progress"}]}'}),
        ("response_item", {"type": "custom_tool_call", "name": "apply_patch", "call_id": "2", "input": patch}),
        ("response_item", {"type": "function_call", "name": "shell", "arguments": "not JSON", "call_id": "3"}),
        ("response_item", {"type": "function_call_output", "call_id": "3", "output": "Exit code: 2\nno spruce"}),
        ("response_item", {"type": "function_call_output", "call_id": "4", "output": "Exit code: 0\nfine"}),
    ):  # fmt: skip
        session.line({"timestamp": TIMESTAMP, "type": kind, "payload": payload})
    session.hook("Stop", last_assistant_message="It failed.")
    record = state(session)
    assert record.next_actions == ("Draw it",)
    assert record.context_summary == (
        "Last asked for: Build me a mast.\nLast changed: keel.py, mast.py\nLast error: Exit code: 2 no spruce"
    )


def test_what_was_ruled_out_takes_the_old_record_with_it(make: Make) -> None:
    """A record that may not say what was asked last says less; it never leaves the one before in its place."""
    session = make()
    session.ask("Paint the hull with qwxzkv.")
    session.reply("Done.")
    with session.memory() as memory:
        claim = memory.remember(subject="hull", predicate="paint", object="qwxzkv")
        memory.reject(str(claim.record_id), reason="never")
    session.ask("Paint the hull with qwxzkv again.")
    session.reply("No.")
    assert state(session).context_summary == LEFT_OUT
    session.ask("Write the changelog.")
    session.reply("Done.")
    assert state(session).context_summary == "Last asked for: Write the changelog."


@pytest.mark.parametrize(
    ("summary", "then"),
    [
        ("Last asked for: Draw it. | Build it.\nLast changed: mast.py", ["Last asked for: Build it.", LEFT_OUT]),
        ("Last changed: mast.py", [LEFT_OUT]),
        (None, [LEFT_OUT]),
    ],
)
def test_a_record_says_less_step_by_step_and_nothing_that_was_not_asked(summary: str | None, then: list[str]) -> None:
    record = Working(thread_id="s", state="executing", next_actions=("Draw it",), context_summary=summary)
    whole, *less = with_less(record)
    assert whole == record
    assert [each.context_summary for each in less] == then
    assert all(each.next_actions == () for each in less)
