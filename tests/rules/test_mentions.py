import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firsthand.rules.lexicon import NEVER, OPENERS, is_ordinary, ordinary
from firsthand.rules.mentions import Mention, mentions


def found(text, **known):
    return [(mention.text, mention.form) for mention in mentions(text, **known)]


def names(text, **known):
    return [mention.text for mention in mentions(text, **known) if mention.form == "name"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I met Ana in Berlin.", ["Ana", "Berlin"]),
        ("Hey Mel! Good to see you!", ["Mel"]),
        ("Thanks, Caroline. That means a lot.", ["Caroline"]),
        ("Caroline moved to Sweden", ["Caroline", "Sweden"]),
        ("Tell John that New York is loud", ["John", "New York"]),
        ("New York is loud", ["New York"]),
        ("we saw Ludwig van Beethoven and Oscar de la Hoya", ["Ludwig van Beethoven", "Oscar de la Hoya"]),
        ("she studied at the University of Oxford", ["University of Oxford"]),
        ("I read J.K. Rowling and George R. R. Martin", ["J.K. Rowling", "George R. R. Martin"]),
        ("ask Dr. Smith or Mrs. Jones near St. Louis", ["Smith", "Jones", "St. Louis"]),
        ("that is Melanie's Instagram", ["Melanie", "Instagram"]),
        ("meet O'Brien and Jean-Luc", ["O'Brien", "Jean-Luc"]),
        ("we use PostgreSQL, GPT-4 and NASA data", ["PostgreSQL", "GPT-4", "NASA"]),
        ("with Ana and Ben", ["Ana", "Ben"]),
        ("we saw Ángela in Łódź with Юлия", ["Ángela", "Łódź", "Юлия"]),
        ("The Beatles, and I love The Beatles", ["Beatles", "Beatles"]),
        ("I live in Berlin. I'm happy", ["Berlin"]),
        ("Apple is a company. I work at Apple.", ["Apple", "Apple"]),
        ("friends of Ana de", ["Ana"]),
        ("Ana Don't know", ["Ana"]),
        ("we met  Ana", ["Ana"]),
    ],
)
def test_names_are_found_where_a_reader_finds_them(text, expected):
    assert names(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Going home now. Thanks! Congrats! Wow, that is great.",
        "I'm sure I'd say I will.",
        "See you on Monday in May, or March.",
        "Hello! Good morning. Dear all, hello",
        "Don't. Won't! Can't? It's. That's. We're. Let's",
        "THIS IS GREAT NEWS",
        "we said THIS IS GREAT NEWS and WOW",
        "Sounds good. Running late; Baking bread - Reading: Missed it",
        "soooo Yayyy and Noooo",
        '(Maybe) "Perhaps" * Probably\n- Definitely',
        "Great Job! Good Luck! Happy Birthday!",
        "OMG, LOL, BTW, FYI",
        "plan B and vitamin C",
        "Money-wise it works",
        "Alternatively, rewrote it. Performance matters. Optional: True",
        "the thisIsCamelCase word and a #Hashtag",
        "",
    ],
)
def test_ordinary_words_with_a_capital_are_no_names(text):
    assert found(text) == []
    assert names(text + " and Ana") == ["Ana"] or text.isupper()


def test_a_common_word_at_the_start_counts_only_if_it_is_a_name_elsewhere():
    assert names("Apple is red.") == []
    assert names("Apple grew. She left Apple.") == ["Apple", "Apple"]


def test_a_known_name_counts_even_at_the_start():
    assert names("Rose called.") == []
    assert names("Rose called.", known={"rose"}) == ["Rose"]


@pytest.mark.parametrize(
    ("text", "mention"),
    [
        ("set ``with_npm`` to", ("with_npm", "code")),
        ("run `make test` now", ("make test", "code")),
        ('she read "Becoming Nicole" twice', ("Becoming Nicole", "quoted")),
        ("she read “Charlotte's Web” twice", ("Charlotte's Web", "quoted")),
        ("elle lit «Les Misérables»", ("Les Misérables", "quoted")),
        ("edit src/firsthand/ledger.py:12", ("src/firsthand/ledger.py", "path")),
        ("see /etc/hosts.", ("/etc/hosts", "path")),
        ("see ~/notes and", ("~/notes", "path")),
        ("in ../design/plan.md", ("../design/plan.md", "path")),
        ("open pyproject.toml first", ("pyproject.toml", "path")),
        (r"open C:\Users\ana\notes.txt", (r"C:\Users\ana\notes.txt", "path")),
        ("at https://example.com/a?b=c#d.", ("https://example.com/a?b=c#d", "url")),
        ("at (www.example.com)", ("www.example.com", "url")),
        ("mail ana.b+c@example.co.uk!", ("ana.b+c@example.co.uk", "email")),
        ("ping @ana_b please", ("@ana_b", "handle")),
    ],
)
def test_marked_names_are_found_by_their_form(text, mention):
    assert found(text) == [mention]
    only = mentions(text)[0]
    assert text[only.start : only.end] == only.text


@pytest.mark.parametrize(
    "text",
    [
        'he said "I love you so much"',
        'that is "cool" and "Great"',
        'he said "Thanks, Ana went home."',
        '"Wow"',
        "and/or he/she 24/7 1/2 w/o",
        "a /s and a / b",
        "see `# 74` and ` x ` and `a whole sentence with a point`",
        "3.5 and e.g. this, i.e. that",
        "```\nAna = Berlin\n```",
        "5 @ 3 and a@b",
        'a " b',
        '" Ana Lee "',
    ],
)
def test_marks_without_a_name_give_none(text):
    assert [mention for mention in found(text) if mention[1] != "name"] == []
    assert ("@ana", "handle") in found(f"{text} @ana")


def test_what_is_marked_is_not_found_again_inside():
    assert found('"Becoming Nicole" is at https://example.com/Ana by `Ben`') == [
        ("Becoming Nicole", "quoted"),
        ("https://example.com/Ana", "url"),
        ("Ben", "code"),
    ]


def test_spans_count_code_points():
    assert mentions("🎉🎉 we met Ána") == [Mention("Ána", 10, 13, "name")]


@given(st.text() | st.text(alphabet="AaBéÉ .,'’\"`@/:-_\n1I", max_size=60))
def test_every_mention_stands_where_it_says_and_none_overlap(text):
    result = mentions(text)
    assert all(text[m.start : m.end] == m.text != "" for m in result)
    assert all(one.end <= two.start for one, two in itertools.pairwise(result))


@pytest.mark.parametrize(
    "piece", ["Ana ", "A.", "/a", '"A ', "`a", "a@", "Aa-", "https://", "@a", "Ana of the ", "a.b/"]
)
def test_a_hostile_text_of_full_length_is_read_in_a_moment(piece):
    began = time.process_time()
    mentions((piece * 65_536)[:65_536])
    assert time.process_time() - began < 3


def test_the_word_lists_do_not_overlap_and_openers_may_begin_names():
    assert not NEVER & ordinary()
    assert all(word == word.lower() for word in NEVER | ordinary() | OPENERS)
    assert is_ordinary("going")
    assert not is_ordinary("berlin")
