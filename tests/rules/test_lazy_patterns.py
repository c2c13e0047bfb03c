"""A lazy pattern is a pattern like any other, but for when it compiles."""

import re

import pytest

from firsthand.vocabulary.patterns import lazy_pattern


def test_it_compiles_when_it_is_first_used_and_only_then(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    compile_now = re.compile
    monkeypatch.setattr("re.compile", lambda source, flags=0: compiled.append(source) or compile_now(source, flags))
    pattern = lazy_pattern(r"b(o+)at")
    assert compiled == []
    assert [bool(pattern.search(text)) for text in ("a booat", "a bat", "boat")] == [True, False, True]
    assert pattern.sub("ship", "boat, booat") == "ship, ship"
    assert compiled == [r"b(o+)at"]


def test_it_answers_as_a_compiled_one_does() -> None:
    text = "One boat, two BOATS\nand a Boat"
    for source, flags in ((r"boats?", 0), (r"boats?", re.IGNORECASE), (r"^(\w+)", re.MULTILINE)):
        plain = re.compile(source, flags)
        assert lazy_pattern(source, flags).findall(text) == plain.findall(text)
        assert [m.span() for m in lazy_pattern(source, flags).finditer(text)] == [
            m.span() for m in plain.finditer(text)
        ]
        assert lazy_pattern(source, flags).split(text) == plain.split(text)
        assert lazy_pattern(source, flags).subn("-", text) == plain.subn("-", text)
        assert lazy_pattern(source, flags).pattern == source
        assert lazy_pattern(source, flags).fullmatch(text) is None
        assert lazy_pattern(source, flags).match("boat") is not None
