"""How the session files of Claude Code and Codex become turns, and what in them is nobody's speech."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from samples import SAMPLES

from firsthand.importers import claude_code, codex
from firsthand.importers.intake import Line
from firsthand.vocabulary.instants import to_micros
from firsthand.vocabulary.limits import EPISODE_TEXT_BYTES, SESSION_LINE_BYTES
from firsthand.vocabulary.packets import ImportProblem

Json = dict[str, Any]
SESSION = "3f6c1c52-8a53-4c1e-9a51-6f6f0d9d1b01"
THREAD = "0199c0de-1111-7222-8333-444455556666"


def claude(*rows: Json | bytes) -> list[Line | ImportProblem]:
    return list(claude_code.parse(io.BytesIO(raw(*rows))))


def of_codex(*rows: Json | bytes) -> list[Line | ImportProblem]:
    return list(codex.parse(io.BytesIO(raw(*rows))))


def raw(*rows: Json | bytes) -> bytes:
    return b"\n".join(row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows)


def sample(name: str) -> list[Line]:
    parse = {"claude-code": claude_code.parse, "codex": codex.parse}[name]
    with SAMPLES[name].path.open("rb") as stream:
        return [line for line in parse(stream) if isinstance(line, Line)]


def told(lines: list[Line | ImportProblem]) -> list[tuple[str, str]]:
    return [(line.speaker, line.text) for line in lines if isinstance(line, Line)]


def codes(lines: list[Line | ImportProblem]) -> list[str]:
    return [line.code if isinstance(line, ImportProblem) else "ok" for line in lines]


def user(content: object, **more: object) -> Json:
    return {"type": "user", "uuid": "u1", "sessionId": "s", "message": {"role": "user", "content": content}, **more}


def assistant(*blocks: Json, **more: object) -> Json:
    return {"type": "assistant", "uuid": "a1", "sessionId": "s", "message": {"content": list(blocks)}, **more}


def test_a_claude_code_session_is_what_was_said_called_and_answered() -> None:
    assert [(line.speaker, line.event_kind, line.text) for line in sample("claude-code")] == [
        ("user", None, "The tide tables live in tides.csv, and the harbour closes at nine."),
        ("Claude", None, "Noted. Let me look at the tide tables."),
        ("Claude", "tool_use", 'Bash {"command": "head -1 tides.csv"}'),
        ("tool:Bash", "tool_result", "date,high,low"),
        ("Claude", None, "The file has three columns."),
        ("user", None, "This is the mast I meant."),
        ("Claude", None, "Look for other tide tables."),
        ("Claude", None, "There is one more, for the river."),
        ("Claude", "summary", "This session is being continued. The user keeps tide tables in tides.csv."),
        ("Claude", "summary", "Tide tables and the harbour"),
    ]


def test_a_claude_code_turn_keeps_its_instant_its_thread_and_its_id() -> None:
    by_text = {line.text: line for line in sample("claude-code")}
    words, result = by_text["The file has three columns."], by_text["date,high,low"]
    assert words.occurred_at == to_micros("2026-03-09T10:06:00.006Z", "at")
    assert (words.number, words.thread, words.native_id) == (7, SESSION, "a0000000-0000-4000-8000-000000000006")
    assert (result.origin, words.origin) == ("Bash", None)
    assert by_text['Bash {"command": "head -1 tides.csv"}'].native_id == "a0000000-0000-4000-8000-000000000004#2"
    assert by_text["There is one more, for the river."].thread == f"{SESSION}/32335b9b"
    assert by_text["Tide tables and the harbour"].native_id == "a0000000-0000-4000-8000-000000000006#summary"


@pytest.mark.parametrize(
    "written",
    [
        "<command-name>/clear</command-name>",
        "<local-command-stdout>done</local-command-stdout>",
        "\n<system-reminder>Be brief.</system-reminder>",
        "<bash-stdout>x</bash-stdout>",
        "<task-notification>x</task-notification>",
        "[Request interrupted by user for tool use]",
    ],
)
def test_what_claude_code_writes_in_the_users_place_is_nobodys_speech(written: str) -> None:
    assert told(claude(user(written), user([{"type": "text", "text": written}]), user("Mine."))) == [("user", "Mine.")]
    assert told(claude(user("Hook says so", isMeta=True), user("Mine."))) == [("user", "Mine.")]
    assert told(claude(assistant({"type": "text", "text": written}))) == [("Claude", written)]


def test_a_summary_and_a_subagents_task_are_claudes_words_and_not_the_users() -> None:
    lines = claude(user("Summed up.", isCompactSummary=True), user("Search.", isSidechain=True), user("Mine."))
    assert told(lines) == [("Claude", "Summed up."), ("Claude", "Search."), ("user", "Mine.")]


def test_an_error_of_the_service_is_not_claudes_word() -> None:
    error = assistant({"type": "text", "text": "API Error"})
    error["message"]["model"] = "<synthetic>"
    assert told(claude(error, assistant({"type": "text", "text": "Hello"}))) == [("Claude", "Hello")]


def test_a_result_without_its_call_is_some_tools() -> None:
    result = {
        "type": "tool_result",
        "tool_use_id": "gone",
        "content": [{"type": "text", "text": "42"}, {"type": "image"}],
    }
    (line,) = claude(user([result]))
    assert isinstance(line, Line)
    assert (line.speaker, line.text, line.origin) == ("tool:tool", "42", "tool")


def test_instants_may_be_missing_and_out_of_order_but_not_wrong() -> None:
    rows = [user("a", timestamp="2026-03-09T10:00:00Z"), user("b"), user("c", timestamp="2025-01-01T00:00:00Z")]
    lines = claude(*rows, user("d", timestamp="yesterday"), user("e", timestamp=1773054000))
    assert [line.occurred_at for line in lines if isinstance(line, Line)] == [
        to_micros("2026-03-09T10:00Z", "at"), None, to_micros("2025-01-01T00:00Z", "at"),
    ]  # fmt: skip
    assert codes(lines) == ["ok", "ok", "ok", "instant_invalid", "field_not_text"]


def test_a_line_with_one_bad_block_is_bad_as_a_whole() -> None:
    lines = claude(assistant({"type": "text", "text": "Fine."}, {"type": "text", "text": "a\ud83d"}), user("Mine."))
    assert codes(lines) == ["text_not_unicode", "ok"]


def test_a_text_over_the_limit_is_reported_and_not_cut() -> None:
    """Cut in two, a secret or a packet of ours across the cut would escape its mask."""
    lines = claude(user("x" * (EPISODE_TEXT_BYTES + 1)), user("y" * EPISODE_TEXT_BYTES))
    assert codes(lines) == ["text_too_long", "ok"]


def test_a_picture_does_not_keep_the_words_beside_it_out() -> None:
    picture = {"type": "image", "source": {"type": "base64", "data": "A" * 2_000_000}}
    assert told(claude(user([picture, {"type": "text", "text": "My boat."}]))) == [("user", "My boat.")]
    assert codes(claude(user([picture | {"source": "A" * SESSION_LINE_BYTES}]), user("Mine."))) == [
        "line_too_long",
        "ok",
    ]


def test_what_says_nothing_and_what_is_no_turn_is_passed_over() -> None:
    assert claude(user("  \n"), {"type": "progress"}, {"type": "file-history-snapshot"}, assistant()) == []


def test_a_line_that_is_no_line_of_a_session_is_told() -> None:
    rows: list[Json] = [{"speaker": "Ben", "text": "Hi"}, user(5), user([5]), {"type": "user", "message": "Hi"}]
    assert codes(claude(*rows)) == ["type_missing", "field_not_list", "block_invalid", "field_not_object"]


def test_a_codex_session_is_what_was_said_called_and_answered() -> None:
    assert [(line.speaker, line.event_kind, line.text) for line in sample("codex")] == [
        ("user", None, "The winch needs grease every spring."),
        ("Codex", "tool_use", 'shell {"command":["cat","winch.md"]}'),
        ("tool:shell", "tool_result", "Grease: marine, 200 g"),
        ("Codex", "tool_use", "apply_patch *** Begin Patch\n*** End Patch"),
        ("tool:apply_patch", "tool_result", "Done"),
        ("Codex", None, "I wrote down that the winch takes marine grease."),
    ]


def test_a_codex_turn_keeps_its_instant_its_thread_and_the_id_of_its_call() -> None:
    lines = sample("codex")
    assert {line.thread for line in lines} == {THREAD}
    assert [line.native_id for line in lines] == [None, "call_1", "call_1#output", "call_2", "call_2#output", None]
    assert lines[0].occurred_at == to_micros("2026-03-09T11:01Z", "at")
    assert [line.origin for line in lines[:3]] == [None, None, "shell"]


def response(payload: Json) -> Json:
    return {"timestamp": "2026-03-09T11:00:00Z", "type": "response_item", "payload": payload}


def test_what_codex_writes_in_the_users_place_is_nobodys_speech() -> None:
    texts = ["# AGENTS.md instructions for /x", "<environment_context>x</environment_context>", "<b>Mine.</b>"]
    parts = [{"type": "input_text", "text": text} for text in texts]
    said = of_codex(response({"type": "message", "role": "user", "content": parts}))
    assert told(said) == [("user", "<b>Mine.</b>")]


def test_a_forked_codex_session_is_its_own_and_not_its_forebears() -> None:
    metas = [{"type": "session_meta", "payload": {"id": name}} for name in ("fork", "forebear")]
    said = response({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]})
    (line,) = of_codex(*metas, said)
    assert isinstance(line, Line)
    assert line.thread == "fork"


def test_older_forms_of_a_codex_call_and_output_are_read() -> None:
    call = {"type": "local_shell_call", "call_id": "c", "action": {"type": "exec", "command": ["ls"]}}
    output = {"type": "function_call_output", "call_id": "c", "output": {"content": "a.txt", "success": True}}
    assert told(of_codex(response(call), response(output))) == [
        ("Codex", 'shell {"type": "exec", "command": ["ls"]}'), ("tool:shell", "a.txt"),
    ]  # fmt: skip


def test_codex_lines_that_are_wrong_are_told_and_others_passed_over() -> None:
    rows: list[Json] = [{"payload": {}}, {"type": "response_item", "payload": []}, {"type": "compacted", "payload": {}}]
    bad = response({"type": "message", "role": "user", "content": "x"})
    assert codes(of_codex(*rows, bad, response({"type": "web_search_call"}))) == [
        "type_missing", "field_not_object", "field_not_list",
    ]  # fmt: skip
