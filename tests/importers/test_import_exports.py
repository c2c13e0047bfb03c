"""How the data exports of ChatGPT and Claude become turns."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from samples import SAMPLES

from firsthand.importers import chatgpt, claude
from firsthand.importers.intake import Line
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.instants import to_micros
from firsthand.vocabulary.packets import ImportProblem

Json = dict[str, Any]


def gpt(*conversations: object) -> list[Line | ImportProblem]:
    return list(chatgpt.parse(io.BytesIO(json.dumps(conversations).encode())))


def of_claude(*conversations: object) -> list[Line | ImportProblem]:
    return list(claude.parse(io.BytesIO(json.dumps(conversations).encode())))


def codes(lines: list[Line | ImportProblem]) -> list[tuple[int, str]]:
    return [
        (line.line, line.code) if isinstance(line, ImportProblem) else (line.number, line.text) for line in lines
    ]  # fmt: skip


def load(name: str) -> Any:
    return json.loads(SAMPLES[name].path.read_bytes())


def node(name: str, parent: str | None, text: str = "Hi", **message: object) -> Json:
    said = {"id": name, "author": {"role": "user"}, "content": {"content_type": "text", "parts": [text]}, **message}
    return {"id": name, "parent": parent, "children": [], "message": said}


def tree(*nodes: Json, current: str | None) -> Json:
    return {"id": "c1", "mapping": {n["id"]: n for n in nodes}, "current_node": current}


def test_a_chatgpt_conversation_is_the_branch_that_is_shown() -> None:
    lines = [line for line in gpt(*load("chatgpt")) if isinstance(line, Line)]
    assert [(line.speaker, line.event_kind, line.origin, line.text) for line in lines] == [
        ("user", None, None, "Which paint suits our oak hull?"),
        ("ChatGPT", "tool_use", None, "search('oak hull paint')"),
        ("tool:browser", "tool_result", "browser", "Oak wants linseed primer."),
        ("ChatGPT", None, None, "Linseed primer first, then two coats."),
    ]
    assert {line.thread for line in lines} == {"c0ffee00-0000-4000-8000-000000000001"}
    assert [line.native_id for line in lines] == ["n3", "n5", "n6", "n7"]
    assert lines[0].occurred_at == 1_773_054_100_500_000


def test_another_branch_becomes_the_conversations_own_when_it_is_shown() -> None:
    (conversation,) = load("chatgpt")
    conversation["current_node"] = "x4"
    assert [text for _, text in codes(gpt(conversation))] == ["Which paint suits an aluminium hull?", "Never copper."]


@pytest.mark.parametrize(
    ("conversation", "code"),
    [
        (tree(node("a", "b"), node("b", "a"), current="a"), "tree_broken"),
        (tree(node("a", "gone"), current="a"), "tree_broken"),
        (tree(node("a", None), current=None), "current_node_missing"),
        ({"mapping": []}, "field_not_object"),
        (5, "json_invalid"),
        ([], "json_not_object"),
    ],
)
def test_a_broken_conversation_is_told_by_its_number_and_others_are_read(conversation: object, code: str) -> None:
    good = tree(node("z", None, "Good."), current="z")
    assert codes(gpt(good, conversation, good)) == [(1, "Good."), (2, code), (3, "Good.")]


def test_a_bad_chatgpt_message_does_not_take_its_conversation_with_it() -> None:
    bad = [
        node("b", "a", create_time="noon"), node("c", "b", create_time=True), node("d", "c", "half \ud83d"),
        node("e", "d", create_time=1e300), node("f", "e", content=[]), node("g", "f", create_time=float("inf")),
    ]  # fmt: skip
    lines = gpt(tree(node("a", None, "First."), *bad, node("z", "g", "Last."), current="z"))
    assert [what for _, what in codes(lines)] == [
        "First.", "instant_invalid", "instant_invalid", "text_not_unicode", "instant_out_of_range", "field_not_object",
        "instant_invalid", "Last.",
    ]  # fmt: skip


def test_a_hidden_message_and_a_systems_are_nobodys_speech() -> None:
    hidden = node("b", "a", "Hidden.", metadata={"is_visually_hidden_from_conversation": True})
    system = node("c", "b", "You are helpful.", author={"role": "system"})
    assert codes(gpt(tree(node("a", None, "Shown."), hidden, system, current="c"))) == [(1, "Shown.")]


def test_what_was_spoken_is_read_and_a_message_without_an_instant_has_none() -> None:
    spoken = {"content_type": "audio_transcription", "text": "Ahoy.", "direction": "in"}
    (line,) = gpt(tree(node("a", None, content={"content_type": "multimodal_text", "parts": [spoken]}), current="a"))
    assert isinstance(line, Line)
    assert (line.text, line.occurred_at) == ("Ahoy.", None)


def test_a_claude_conversation_is_its_messages_block_by_block() -> None:
    lines = [line for line in of_claude(*load("claude")) if isinstance(line, Line)]
    assert [(line.speaker, line.event_kind, line.origin, line.text) for line in lines] == [
        ("user", None, None, "The spare sail is in the loft."),
        ("file:sails.txt", None, "sails.txt", "Mainsail: 21 square metres"),
        ("Claude", "tool_use", None, 'web_search {"query": "sail loft"}'),
        ("tool:web_search", "tool_result", "web_search", "A loft is where sails are made."),
        ("Claude", None, None, "Then it is dry there."),
        ("user", None, None, "An older export has text alone."),
    ]
    first = "b0000000-0000-4000-8000-000000000001"
    assert [line.native_id for line in lines[:2]] == [first, f"{first}#attachment-0"]
    assert lines[0].occurred_at == to_micros("2026-03-09T12:01:00.552627Z", "at")
    assert {line.thread for line in lines} == {"d00dfeed-0000-4000-8000-000000000001"}


def test_a_bad_claude_message_does_not_take_its_conversation_with_it() -> None:
    def said(**fields: object) -> Json:
        return {"sender": "human", "text": "Fine.", **fields}

    half: list[Json] = [{"type": "text", "text": "Half."}, {"type": "text", "text": "half \ud83d"}]
    messages = [
        said(),
        5,
        said(content=half),
        said(sender="dog"),
        said(created_at="noon"),
        said(content=5),
        said(attachments=["x", {}]),
    ]
    lines = of_claude({"chat_messages": messages}, {"messages": []})
    assert codes(lines) == [
        (1, "Fine."), (1, "message_invalid"), (1, "text_not_unicode"),
        (1, "sender_unknown"), (1, "instant_invalid"), (1, "field_not_list"),
        (1, "Fine."), (2, "not_a_conversation"),
    ]  # fmt: skip


@pytest.mark.parametrize("parse", [chatgpt.parse, claude.parse])
@pytest.mark.parametrize("raw", [b"", b"{}", b"hello", b'"[]"'])
def test_what_is_no_array_is_no_export(parse: Any, raw: bytes) -> None:
    with pytest.raises(InvalidError) as caught:
        list(parse(io.BytesIO(raw)))
    assert caught.value.code == "not_an_export"
