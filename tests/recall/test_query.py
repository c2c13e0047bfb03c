import pytest

from firsthand.recall.query import analyse
from firsthand.rules.timewords import Window

NOW = 1_692_189_000_000_000  # 16 August 2023
KNOWN = {"Caroline": 1, "Melanie": 2, "John Smith": 3, "John Doe": 4, "Will": 5, "user": 6}


@pytest.mark.parametrize(
    ("query", "speakers"),
    [
        ("What did Caroline buy?", {1}),
        ("what did caroline buy", {1}),
        ("Where are Caroline's and Melanie’s kids?", {1, 2}),
        ("What did Mel paint?", {2}),
        ("what did mel paint", set()),
        ("What does John do?", set()),
        ("What does John Smith do?", {3}),
        ("What does Doe do?", {4}),
        ("What does Jo do?", set()),
        ("What did Will say?", {5}),
        ("Will it rain?", set()),
        ("What will Caroline say?", {1}),
        ("what did the user say", {6}),
        ("Did I melanie-tone it?", set()),
        ("Who painted it?", set()),
        ("", set()),
    ],
)
def test_a_query_names_known_speakers_by_name_part_or_unambiguous_nickname(query: str, speakers: set[int]) -> None:
    assert analyse(query, NOW, KNOWN).speakers == speakers


def test_a_nickname_that_fits_two_people_names_neither() -> None:
    assert analyse("What did Mel paint?", NOW, {"Melanie": 1}).speakers == {1}
    assert analyse("What did Mel paint?", NOW, {"Melanie": 1, "Melvin": 2}).speakers == frozenset()
    assert analyse("What did Mel paint?", NOW, {"Melanie": 1, "Mel": 2}).speakers == {2}


def test_a_name_written_small_amid_capitals_is_taken_for_a_word() -> None:
    assert analyse("What do you mark?", NOW, {"Mark": 1}).speakers == frozenset()
    assert analyse("What does Mark do?", NOW, {"Mark": 1}).speakers == {1}


def test_only_the_names_of_speakers_are_faint_terms() -> None:
    features = analyse("What did Mel tell John Smith about Rome?", NOW, KNOWN)
    assert features.terms == ("mel", "tell", "john", "smith", "rome")
    assert features.faint == {"mel", "john", "smith"}


def test_date_words_become_windows_and_stay_terms() -> None:
    features = analyse("What happened on 3 June 2023?", NOW, KNOWN)
    assert features.windows == (Window(1_685_750_400_000_000, 1_685_836_800_000_000),)
    assert "june" in features.terms
    assert analyse("What happened?", NOW, KNOWN).windows == ()


@pytest.mark.parametrize(
    ("query", "asks"),
    [
        ("When did it start?", True),
        ("Which year was it?", True),
        ("How long has she painted?", True),
        ("Where were you?", False),
        ("whenever you like", False),
    ],
)
def test_a_query_may_ask_when(query: str, asks: bool) -> None:
    assert analyse(query, NOW, {}).asks_when is asks


@pytest.mark.parametrize(
    ("query", "is_question"),
    [
        ("pottery class?", True),
        ("where is it", True),
        ("Does she paint", True),
        ("pottery class", False),
        ("island", False),
    ],
)
def test_a_question_is_known_by_its_mark_or_its_first_word(query: str, is_question: bool) -> None:
    assert analyse(query, NOW, {}).is_question is is_question


def test_a_query_of_common_words_alone_has_no_word_to_search_for():
    assert analyse("hello, what is it?", 0, {}).terms == ()
