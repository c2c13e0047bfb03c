"""An array is read element by element, whatever stands in it and wherever a chunk ends."""

from __future__ import annotations

import io
import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firsthand.importers import json_array
from firsthand.importers.json_array import elements
from firsthand.vocabulary.errors import InvalidError

TEXT = st.text(st.sampled_from('a"\\[]{},é\n'), max_size=8)
VALUE = st.recursive(
    TEXT | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
ELEMENT = st.dictionaries(TEXT, VALUE, max_size=3) | st.lists(VALUE, max_size=2)


def read(raw: bytes, **options: int) -> list[tuple[int, bytes | None]]:
    return list(elements(io.BytesIO(raw), **options))


@settings(max_examples=300, deadline=None)
@given(array=st.lists(ELEMENT, max_size=4), chunk=st.integers(3, 40), spread=st.booleans(), plain=st.booleans())
def test_every_element_comes_as_it_stands(array: list[Any], chunk: int, spread: bool, plain: bool) -> None:
    raw = json.dumps(array, indent=1 if spread else None, ensure_ascii=plain).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_array, "_CHUNK_BYTES", chunk)
        found = read(raw)
    assert [number for number, _ in found] == list(range(1, len(array) + 1))
    assert [json.loads(element or b"") for _, element in found] == array


def test_one_that_is_no_json_spoils_no_other() -> None:
    assert read(b'[{"a": nonsense}, {"b": 1}]') == [(1, b'{"a": nonsense}'), (2, b'{"b": 1}')]
    assert read(b'[5, {"b": 1}]') == [(1, b""), (2, b'{"b": 1}')]
    assert read(b'[} {"b": 1}]') == [(1, b""), (2, b'{"b": 1}')]


def test_an_array_that_is_cut_short_says_so() -> None:
    assert read(b'[{"b": 1}') == [(1, b'{"b": 1}'), (2, b"")]
    assert read(b'[{"b": 1}, {"c": "x') == [(1, b'{"b": 1}'), (2, b'{"c": "x'), (3, b"")]


def test_a_byte_order_mark_and_space_may_stand_before_it() -> None:
    assert read(b'\xef\xbb\xbf \n[{"b": 1}]') == [(1, b'{"b": 1}')]
    assert read(b"[ ]") == []
    with pytest.raises(InvalidError):
        read(b'{"b": []}')


def test_one_over_its_limit_is_passed_by_and_never_held() -> None:
    size = 8 * 1024 * 1024
    giant = b'{"a": "' + b'\\"x' * size + b'"}'
    raw = io.BytesIO(b"[" + giant + b', {"b": 1}]')
    tracemalloc.start()
    found = list(elements(raw, most=1024))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == [(1, None), (2, b'{"b": 1}')]
    assert peak < size
