"""How Markdown notes and the reference memory server's file become passages."""

from __future__ import annotations

import io
import tracemalloc

import pytest
from samples import SAMPLES

from firsthand.importers import markdown, mcp_memory
from firsthand.importers.intake import Line
from firsthand.vocabulary.limits import EPISODE_TEXT_BYTES, IMPORT_LINE_BYTES
from firsthand.vocabulary.packets import ImportProblem


def notes(raw: bytes) -> list[Line | ImportProblem]:
    return list(markdown.parse(io.BytesIO(raw), "boat/CLAUDE.md"))


def read(raw: bytes) -> list[tuple[int, str]]:
    return [(n.line, n.code) if isinstance(n, ImportProblem) else (n.number, n.text) for n in notes(raw)]


def test_a_note_is_its_passages_under_their_headings() -> None:
    assert read(SAMPLES["markdown"].path.read_bytes()) == [
        (2, "name: boat"),
        (7, "Boat\n\nThe boat is called Heron.\nShe is made of oak."),
        (
            12,
            "Boat › Moorings\n\nBerth 14 is ours from May to October.\n  The key hangs in the office.\n"
            "  - The spare one is with Omar.",
        ),
        (15, "Boat › Moorings\n\nNever moor at the fuel pier."),
        (19, "Boat › Moorings › Commands\n\n```sh\n# this is no heading\n\ntide --today\n```"),
        (25, "Boat › Moorings › Commands\n\nCheck the tide."),
        (26, "Boat › Moorings › Commands\n\nCast off."),
        (31, "House rules\n\nWipe your boots."),
    ]


def test_a_passage_is_its_files_word() -> None:
    (line,) = notes(b"Wipe your boots.")
    assert isinstance(line, Line)
    assert (line.speaker, line.origin, line.thread, line.occurred_at) == (
        "file:boat/CLAUDE.md", "boat/CLAUDE.md", "boat/CLAUDE.md", None,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("raw", "texts"),
    [
        (b"- a\n\n  b\n\nc", ["a\n\n  b", "c"]),
        (b"- a\n- \n- c", ["a", "c"]),
        (b"a\n- b", ["a", "b"]),
        (b"* a\n  * b\n* c", ["a\n  * b", "c"]),
        (b"~~~\n\n```\n\n~~~\nb\n\nc", ["~~~\n\n```\n\n~~~\nb", "c"]),
        (b"# A\n### B\n## C\nx", ["A › C\n\nx"]),
        (b"# A\n# B", []),
        (b"#tag\r\nb\r\n\r\n---\r\nc", ["#tag\nb", "c"]),
    ],
)
def test_where_a_passage_ends(raw: bytes, texts: list[str]) -> None:
    assert [text for _, text in read(raw)] == texts


def test_a_bad_passage_is_told_by_the_line_it_begins_at_and_others_are_read() -> None:
    huge = b"y" * (EPISODE_TEXT_BYTES + 1)
    long_line = b"z" * (IMPORT_LINE_BYTES + 1)
    raw = b"a\n\nb\ncaf\xe9\n\n- " + huge + b"\n- c\n\nd\n" + long_line + b"\n\ne\x00\n\nf"
    assert read(raw) == [
        (1, "a"), (3, "utf8_invalid"), (6, "text_too_long"), (7, "c"), (9, "text_too_long"), (12, "text_has_nul"),
        (14, "f"),
    ]  # fmt: skip


def test_a_passage_over_its_limit_is_read_past_unkept() -> None:
    raw = io.BytesIO(b"- a\n" + b"  y\n" * 100_000 + b"- c")
    tracemalloc.start()
    found = [n.line if isinstance(n, ImportProblem) else n.text for n in markdown.parse(raw)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == [1, "c"]
    assert peak < 3_000_000


def server(raw: bytes) -> list[tuple[int, str]]:
    found = mcp_memory.parse(io.BytesIO(raw))
    return [(n.line, n.code) if isinstance(n, ImportProblem) else (n.number, n.text) for n in found]


def test_a_memory_servers_file_is_its_observations_and_relations() -> None:
    assert server(SAMPLES["mcp-memory"].path.read_bytes()) == [
        (1, "About Ruth_Ames (person):\n\nSpeaks fluent Portuguese"),
        (1, "About Ruth_Ames (person):\n\nPrefers morning tides"),
        (3, "Ruth_Ames is skipper of Heron"),
    ]


def test_what_an_agent_told_its_memory_is_nobodys_own_word() -> None:
    (line,) = mcp_memory.parse(io.BytesIO(b'{"type": "entity", "name": "ruth", "observations": ["I like tea"]}'))
    assert isinstance(line, Line)
    assert (line.speaker, line.origin, line.thread) == ("tool:mcp-memory", "mcp-memory", "ruth")


def test_a_line_of_the_server_that_is_wrong_is_wrong_as_a_whole() -> None:
    raw = b"""{"type": "entity", "name": "a", "observations": ["good", 5]}
{"type": "relation", "from": "a", "to": "b"}
{"type": "note"}
{"type": "entity", "name": "", "observations": []}
{"type": "relation", "from": "a", "to": "b", "relationType": "knows"}"""
    assert server(raw) == [
        (1, "field_not_text"), (2, "field_missing"), (3, "type_unknown"), (4, "field_missing"), (5, "a knows b"),
    ]  # fmt: skip
