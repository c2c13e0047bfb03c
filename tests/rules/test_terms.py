import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firsthand.rules.terms import MAX_TERM_CHARACTERS, index_text, normalise, stem, terms, tokens
from firsthand.rules.wordlists import IRREGULAR_FORMS, STOP_WORDS

any_text = st.text(alphabet=st.characters(exclude_categories=["Cs"]))


@given(any_text)
def test_normalising_twice_is_normalising_once(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


def test_every_single_character_normalises_once_and_for_all() -> None:
    for code in range(0x30000):
        if not 0xD800 <= code < 0xE000:
            once = normalise(chr(code))
            assert normalise(once) == once, hex(code)


@given(any_text)
def test_a_term_holds_nothing_that_a_plain_ascii_tokenizer_would_split_or_fold(text: str) -> None:
    for term in [*terms(text), *terms("pottery " + text)]:
        assert term
        assert re.search(r"[\x00-\x2f\x3a-\x60\x7b-\x7f]|\s", term) is None
        assert len(term) <= MAX_TERM_CHARACTERS
        term.encode("utf-8")


def test_lone_surrogates_end_a_word_and_enter_no_term() -> None:
    assert terms("pottery\ud800class") == ["potteri", "class"]


@given(any_text, any_text)
def test_terms_are_distinct_and_those_of_a_part_come_first(first: str, second: str) -> None:
    whole = terms(first + " \n " + second)
    assert len(set(whole)) == len(whole)
    assert whole[: len(terms(first))] == terms(first)
    assert set(whole) == set(terms(first)) | set(terms(second))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I went to a support group yesterday", ["go", "support", "group", "yesterday"]),
        ("Caroline's kids don't, we'll, CAN’T paint", ["carolin", "kid", "paint"]),
        ("O'Brien's 8th of December, ２０２３ ٢٠٢٣", ["obrien", "8", "decemb", "2023"]),
        ("Ünïcödé Straße ŁÓDŹ Æsop", ["unicod", "strass", "lodz", "aesop"]),
        ("pass\u200bword soft\u00adware", ["password", "softwar"]),
        ("snake_case dotted.name", ["snake", "case", "dot", "name"]),
        ("Ёлка й", ["елка", "и"]),
        ("אֱלֹהִים", ["אלהים"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("", []),
        ("who are you?", []),
    ],
)
def test_words_are_folded_stemmed_and_freed_of_stop_words(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("text", "within"),
    [
        ("我喜欢猫", "猫"),
        ("東京タワーへ行きました", "タワー"),
        ("한국어를 배워요", "한국어"),
        ("ฉันรักแมว", "แมว"),
        ("iPhone手机", "手机"),
    ],
)
def test_a_word_inside_unsegmented_text_is_found_by_its_own_terms(text: str, within: str) -> None:
    assert terms(within)
    assert set(terms(within)) <= set(terms(text))


def test_a_run_of_script_does_not_swallow_the_word_beside_it() -> None:
    assert terms("iPhone手机") == ["iphon", "手", "机", "手机"]


def test_forms_that_no_ending_rule_can_relate_share_a_term() -> None:
    for form, base in IRREGULAR_FORMS.items():
        assert stem(form) == stem(base), (form, base)
    assert terms("bought") == terms("buying")
    assert terms("bought") != terms("brought")


def test_a_plural_spelled_like_a_verb_stays_with_the_verb() -> None:
    assert terms("Felix lives in Porto") == [*terms("Where does Felix live?"), "porto"]
    assert terms("she leaves on Monday") == terms("to leave on Monday")
    assert terms("two loaves") == terms("a loaf, two")[::-1]


def test_no_base_form_is_itself_taken_for_a_form_of_another_word() -> None:
    chained = {form for form, base in IRREGULAR_FORMS.items() if IRREGULAR_FORMS.get(base, base) != base}
    assert chained == set()


def test_stop_words_are_written_as_the_tokenizer_leaves_them() -> None:
    assert all(tokens(word) == [word] for word in STOP_WORDS)
    assert "pottery" not in STOP_WORDS


def test_a_long_token_is_cut_but_found_again() -> None:
    token = "ab1" * 100
    assert terms(f"see {token}") == ["see", *terms(token)]
    assert len(terms(token)[0]) == MAX_TERM_CHARACTERS


def test_length_counts_words_with_stop_words_and_halves_unsegmented_runs() -> None:
    assert index_text("I went to the zoo").words == 5
    assert index_text("Café olé, naïve").words == 3
    assert index_text("我喜欢猫").words == 2
    assert index_text("猫").words == 1
    assert index_text("…!").words == 0


def test_threads_stem_alike_at_the_same_time() -> None:
    words = [f"painting{at}s painting running{at}" for at in range(400)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(terms, words * 4))
    assert together == [terms(text) for text in words] * 4
