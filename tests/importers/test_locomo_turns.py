"""How a LoCoMo file becomes turns."""

from __future__ import annotations

import io
import json

import pytest

from firsthand.importers.intake import Line
from firsthand.importers.locomo import CONVERSATION_BYTES_MAX, parse, spoken_at
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.instants import to_iso
from firsthand.vocabulary.packets import ImportProblem

CONVERSATION: dict[str, object] = {
    "speaker_a": "Ruth",
    "speaker_b": "Omar",
    "session_1_date_time": "12:05 am on 29 February, 2024",
    "session_1": [
        {"speaker": "Ruth", "dia_id": "D1:1", "text": "The boat is finally painted."},
        {
            "speaker": "Omar",
            "dia_id": "D1:2",
            "text": "Show me!",
            "img_url": ["https://example.org/boat.jpg"],
            "query": "boat",
            "blip_caption": "a photo of a green rowing boat",
            "re-download": True,
        },
    ],
    "session_10_date_time": "4:30 pm on 1 May, 2024",
    "session_10": [{"speaker": "Ruth", "dia_id": "D10:1", "clean_text": "We sold it."}],
    "session_2_date_time": "1:56 pm on 8 March, 2024",
    "session_2": [{"speaker": "Omar", "dia_id": "D2:1", "text": "", "blip_caption": "a photo of an oar"}],
    "session_3_date_time": "1:56 pm on 9 March, 2024",
    "session_1_observation": {"Ruth": []},
    "events_session_1": {"Ruth": []},
    "qa": [{"question": "What colour is the boat?", "answer": "green", "evidence": ["D1:2"], "category": 4}],
}


def parsed(conversation: object) -> list[Line | ImportProblem]:
    return list(parse(io.BytesIO(json.dumps(conversation).encode())))


def turns(conversation: object) -> list[Line]:
    return [turn for turn in parsed(conversation) if isinstance(turn, Line)]


def test_turns_come_in_the_order_of_the_sessions_by_number_and_not_by_spelling():
    assert [turn.native_id for turn in turns(CONVERSATION)] == ["D1:1", "D1:2", "D2:1", "D10:1"]
    assert [turn.number for turn in turns(CONVERSATION)] == [1, 2, 3, 4]


def test_a_caption_stands_on_a_line_of_its_own_after_the_words():
    assert [turn.text for turn in turns(CONVERSATION)] == [
        "The boat is finally painted.",
        "Show me!\n[image: a photo of a green rowing boat]",
        "[image: a photo of an oar]",
        "We sold it.",
    ]


def test_every_turn_has_the_minute_and_the_thread_of_its_session():
    assert [(to_iso(turn.occurred_at or 0), turn.thread) for turn in turns(CONVERSATION)] == [
        ("2024-02-29T00:05Z", "session_1"),
        ("2024-02-29T00:05Z", "session_1"),
        ("2024-03-08T13:56Z", "session_2"),
        ("2024-05-01T16:30Z", "session_10"),
    ]


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56Z"),
        ("12:00 am on 1 January, 2023", "2023-01-01T00:00Z"),
        ("12:30 pm on 31 December, 2022", "2022-12-31T12:30Z"),
        ("11:59 PM on 9 June 2023", "2023-06-09T23:59Z"),
    ],
)
def test_a_session_time_is_read_as_utc(text: str, iso: str):
    assert to_iso(spoken_at(text)) == iso


@pytest.mark.parametrize(
    "text",
    [
        None,
        17,
        "",
        "8 May, 2023",
        "13:56 pm on 8 May, 2023",
        "0:10 am on 8 May, 2023",
        "1:76 pm on 8 May, 2023",
        "1:56 pm on 31 June, 2023",
        "1:56 pm on 8 Mai, 2023",
        "٣:٠٠ pm on 8 May, 2023",
    ],
)
def test_a_session_time_that_is_none_is_refused(text: object):
    with pytest.raises(InvalidError) as caught:
        spoken_at(text)
    assert caught.value.code == "instant_invalid"


@pytest.mark.parametrize(
    ("change", "problems"),
    [
        ({"session_2_date_time": "some day"}, [(3, "instant_invalid")]),
        ({"session_2": "hello"}, [(3, "turn_invalid")]),
        ({"session_2": [7, {"speaker": "Omar", "text": "Hi"}]}, [(3, "turn_invalid")]),
        ({"session_2": [{"speaker": "Omar", "dia_id": "D2:1"}]}, [(3, "text_empty")]),
        ({"session_2": [{"dia_id": "D2:1", "text": "Hi"}]}, [(3, "text_empty")]),
        ({"session_2": [{"speaker": "Omar", "text": ["Hi"]}]}, [(3, "field_not_text")]),
    ],
)
def test_a_bad_turn_is_a_problem_by_its_place_and_the_rest_arrives(
    change: dict[str, object], problems: list[tuple[int, str]]
):
    found = parsed(CONVERSATION | change)
    assert [(at.line, at.code) for at in found if isinstance(at, ImportProblem)] == problems
    assert [turn.native_id for turn in found if isinstance(turn, Line)][-1] == "D10:1"


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"{", "json_invalid"),
        (b'{"session_1": "\xe9"}', "json_invalid"),
        (b"[]", "not_a_conversation"),
        (b'{"speaker_a": "Ruth", "events_session_1": {}}', "not_a_conversation"),
        (b" " * (CONVERSATION_BYTES_MAX + 1), "source_too_long"),
    ],
)
def test_a_file_that_is_no_conversation_is_refused_as_a_whole(raw: bytes, code: str):
    with pytest.raises(InvalidError) as caught:
        list(parse(io.BytesIO(raw)))
    assert caught.value.code == code
