"""How a chat file becomes turns, and what a line is told when it cannot."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firsthand.importers.chat import parse
from firsthand.importers.intake import Line
from firsthand.vocabulary.instants import to_micros
from firsthand.vocabulary.limits import EPISODE_TEXT_BYTES, IMPORT_LINE_BYTES, NAME_BYTES, says_nothing
from firsthand.vocabulary.packets import ImportProblem

GOOD = b'{"id": "m1", "speaker": "Ada", "text": "Hello", "at": "2026-03-09T10:00Z", "thread": "monday"}'
PLAIN = b'{"speaker": "Ada", "text": "Hello"}'


def parsed(raw: bytes) -> list[Line | ImportProblem]:
    return list(parse(io.BytesIO(raw)))


def codes(raw: bytes) -> list[tuple[int, str]]:
    """Every line by its number, with the code of its problem or `ok`."""
    return [
        (found.line, found.code) if isinstance(found, ImportProblem) else (found.number, "ok") for found in parsed(raw)
    ]


def test_every_field_of_a_line_arrives():
    assert parsed(GOOD) == [
        Line(
            number=1,
            text="Hello",
            speaker="Ada",
            occurred_at=to_micros("2026-03-09T10:00Z", "at"),
            thread="monday",
            native_id="m1",
        )
    ]


def test_id_and_instant_and_thread_may_be_left_out_or_null():
    nulls = b'{"id": null, "speaker": "Ada", "text": "Hello", "at": null, "thread": null}'
    assert parsed(PLAIN + b"\n" + nulls) == [
        Line(number=1, text="Hello", speaker="Ada"),
        Line(number=2, text="Hello", speaker="Ada"),
    ]


def test_a_whole_number_is_an_id_too():
    (line,) = parsed(b'{"id": 17, "speaker": "Ada", "text": "Hello"}')
    assert isinstance(line, Line)
    assert line.native_id == "17"


def test_an_instant_keeps_its_offset():
    (line,) = parsed(b'{"speaker": "Ada", "text": "Hi", "at": "2026-03-09T10:00:00+02:00"}')
    assert isinstance(line, Line)
    assert line.occurred_at == to_micros("2026-03-09T08:00Z", "at")


def test_blank_lines_count_as_lines_and_as_nothing_else():
    assert codes(b"\n" + PLAIN + b"\r\n   \n\n" + b"nonsense\n" + PLAIN) == [(2, "ok"), (5, "json_invalid"), (6, "ok")]


def test_a_byte_order_mark_belongs_to_the_file_and_not_to_the_first_line():
    assert codes(b"\xef\xbb\xbf" + PLAIN + b"\n" + b"\xef\xbb\xbf" + PLAIN) == [(1, "ok"), (2, "json_invalid")]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b'{"speaker": "Ada", "text": "caf\xe9"}', "utf8_invalid"),
        (b'{"speaker": "Ada", "text": "Hel', "json_invalid"),
        (b'{"speaker": "Ada", "text": "Hello"} {"speaker": "Ada"}', "json_invalid"),
        (b"[" * 100_000, "json_invalid"),
        (b'{"id": ' + b"9" * 10_000 + b', "speaker": "Ada", "text": "Hello"}', "json_invalid"),
        (b'["Ada", "Hello"]', "json_not_object"),
        (b'"Hello"', "json_not_object"),
        (b'{"speaker": "Ada", "text": "yes", "text": "no"}', "field_repeated"),
        (b'{"speaker": "Ada", "text": "Hello", "mood": "good"}', "field_unknown"),
        (b'{"speaker": "Ada"}', "field_missing"),
        (b'{"text": "Hello"}', "field_missing"),
        (b'{"speaker": null, "text": "Hello"}', "field_missing"),
        (b'{"speaker": "Ada", "text": 5}', "field_not_text"),
        (b'{"speaker": ["Ada"], "text": "Hello"}', "field_not_text"),
        (b'{"id": true, "speaker": "Ada", "text": "Hello"}', "field_not_text"),
        (b'{"id": 1.5, "speaker": "Ada", "text": "Hello"}', "field_not_text"),
        (b'{"speaker": "Ada", "text": "Hello", "at": 1773050400}', "field_not_text"),
        (b'{"speaker": "Ada", "text": "Hello", "at": "2026-03-09T10:00"}', "instant_naive"),
        (b'{"speaker": "Ada", "text": "Hello", "at": "last Monday"}', "instant_invalid"),
        (b'{"speaker": "Ada", "text": "Hello", "at": "2026-02-30T10:00Z"}', "instant_invalid"),
        (b'{"speaker": "Ada", "text": "  \\n "}', "text_empty"),
        (b'{"speaker": "", "text": "Hello"}', "text_empty"),
        (b'{"id": "", "speaker": "Ada", "text": "Hello"}', "text_empty"),
        (b'{"speaker": "Ada", "text": "half \\ud83d of a smile"}', "text_not_unicode"),
        (b'{"speaker": "A\\udfffda", "text": "Hello"}', "text_not_unicode"),
        (b'{"id": "\\ud800", "speaker": "Ada", "text": "Hello"}', "text_not_unicode"),
        (b'{"speaker": "Ada", "text": "Hello", "thread": "\\ud800"}', "text_not_unicode"),
        (b'{"speaker": "Ada", "text": "nul\\u0000"}', "text_has_nul"),
        (b'{"speaker": "' + b"A" * (NAME_BYTES + 1) + b'", "text": "Hello"}', "text_too_long"),
        (b'{"speaker": "Ada", "text": "' + b"a" * (EPISODE_TEXT_BYTES + 1) + b'"}', "text_too_long"),
    ],
)
def test_a_bad_line_is_a_problem_with_its_number_and_its_neighbours_arrive(line: bytes, code: str):
    assert codes(PLAIN + b"\n" + line + b"\n" + PLAIN) == [(1, "ok"), (2, code), (3, "ok")]


def test_a_whole_smile_in_two_escapes_is_text():
    (line,) = parsed(b'{"speaker": "Ada", "text": "a smile: \\ud83d\\ude00"}')
    assert isinstance(line, Line)
    assert line.text == "a smile: \N{GRINNING FACE}"


def test_text_at_its_limit_is_taken():
    assert codes(b'{"speaker": "Ada", "text": "' + b"a" * EPISODE_TEXT_BYTES + b'"}') == [(1, "ok")]


def test_a_problem_names_the_field_and_never_shows_what_was_in_it():
    secret = "hunter2"
    lines = [{"speaker": "Ada", "text": "x", "at": secret}, {"speaker": "Ada", "text": "x", f"{secret} !": 1}]
    found = parsed("\n".join(json.dumps(line) for line in lines).encode())
    messages = [problem.message for problem in found if isinstance(problem, ImportProblem)]
    assert messages == [
        "at is not an ISO 8601 instant; write it like 2026-03-09T10:00Z",
        "the line has an unknown field",
    ]


def test_an_unknown_field_with_a_plain_name_is_named():
    (found,) = parsed(b'{"speaker": "Ada", "text": "x", "mood": 1}')
    assert isinstance(found, ImportProblem)
    assert found.message == "the line has an unknown field mood"


class Counted(io.BytesIO):
    """A stream that remembers the largest piece anybody asked for."""

    largest = 0

    def readline(self, size: int | None = -1, /) -> bytes:
        assert size is not None
        assert size >= 0, "a line was read without a limit"
        self.largest = max(self.largest, size)
        return super().readline(size)


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
@pytest.mark.parametrize("over", [0, 1, 2, 3, 4, 5, 6, 7, 5_000_000])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_line_over_its_limit_is_read_past_and_never_held(ending: bytes, over: int, mark: bytes):
    size = IMPORT_LINE_BYTES + over - len(PLAIN)
    stream = Counted(mark + PLAIN + b" " * size + ending + PLAIN + ending + PLAIN)
    found = [(at.line, at.code) if isinstance(at, ImportProblem) else (at.number, "ok") for at in parse(stream)]
    assert found == [(1, "line_too_long" if over else "ok"), (2, "ok"), (3, "ok")]
    assert stream.largest < IMPORT_LINE_BYTES + 16


def test_lines_are_read_one_at_a_time():
    stream = io.BytesIO((PLAIN + b"\n") * 1_000)
    lines = parse(stream)
    next(lines)
    assert stream.tell() == len(PLAIN) + 1


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_at_all_make_it_raise(raw: bytes):
    assert len(parsed(raw)) <= raw.count(b"\n") + 1


text = st.text(
    alphabet=["a", "B", "7", " ", "-", ":", "T", "Z", "\x00", "\n", "\ud800", "é", "\N{GRINNING FACE}"], max_size=9
)
scalar = st.none() | st.booleans() | st.integers() | st.floats() | text
anything = scalar | st.lists(scalar, max_size=2) | st.dictionaries(text, scalar, max_size=2)
line = st.dictionaries(st.sampled_from(["id", "speaker", "text", "at", "thread", "mood"]), anything)


@settings(deadline=None)
@given(st.lists(line, max_size=5))
def test_every_json_line_is_a_turn_or_a_problem_under_its_own_number(values: list[dict[str, object]]):
    found = parsed("\n".join(json.dumps(value) for value in values).encode())
    assert [at.line if isinstance(at, ImportProblem) else at.number for at in found] == list(range(1, len(values) + 1))


@settings(deadline=None)
@given(
    st.lists(
        st.fixed_dictionaries(
            {"speaker": st.text(min_size=1, max_size=20), "text": st.text(min_size=1, max_size=200)},
        ),
        min_size=1,
        max_size=5,
    )
)
def test_words_arrive_exactly_as_they_were_written(values: list[dict[str, str]]):
    found = parsed("\n".join(json.dumps(value, ensure_ascii=False) for value in values).encode(errors="surrogatepass"))
    assert len(found) == len(values)
    for value, at in zip(values, found, strict=True):
        if isinstance(at, Line):
            assert (at.speaker, at.text) == (value["speaker"], value["text"])
        else:
            bad = value["speaker"] + value["text"]
            assert "\x00" in bad or says_nothing(value["speaker"]) or says_nothing(value["text"])
