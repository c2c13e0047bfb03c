"""Claims are read out of what is plainly said, with their exact words, and out of nothing else."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from hypothesis import given
from hypothesis import strategies as st

import extraction as bench
from firsthand.rules import claimobjects, clauses, extraction
from firsthand.rules.extraction import CLAIMS_PER_TEXT, extract
from firsthand.rules.predicates import BUILT_IN
from firsthand.vocabulary.instants import to_micros

SENTENCES = bench.sentences()
LEAST_PRECISION, LEAST_RECALL = 0.9, 0.9


def found(text, by="Ana", at="2026-05-13T10:00Z", topic=None):
    return [each.claim.statement for each in extract(text, speaker=by, said_at=to_micros(at, "at"), topic=topic)]


# ---- measured --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("half", bench.HALVES)
def test_nine_claims_of_ten_are_right_on_sentences_looked_at_and_on_those_held_out(half):
    asked = [s for s in SENTENCES if s.half == half]
    score = bench.score(asked)
    assert len(asked) > 100
    assert score.right > 50
    assert score.precision >= LEAST_PRECISION
    assert score.recall >= LEAST_RECALL


def test_the_bench_prints_one_table_and_writes_one_json(tmp_path, capsys):
    assert bench.main(["--json", str(tmp_path / "x.json")]) == 0
    told = json.loads((tmp_path / "x.json").read_text())
    assert [row["what"] for row in told["rows"]][:3] == ["all", "all, looked at", "all, held out"]
    assert {"commit", "split", "sentences"} <= set(told)
    assert "predicate lives_in" in capsys.readouterr().out


def test_half_of_the_labelled_sentences_claim_nothing():
    silent = [s for s in SENTENCES if not s.claims]
    assert len(SENTENCES) >= 150
    assert len({s.text for s in SENTENCES}) > len(SENTENCES) - 2
    assert len(silent) > len(SENTENCES) / 2


def test_every_predicate_is_one_that_is_built_in_and_every_claim_has_its_words():
    seen = set()
    for sentence in SENTENCES:
        for each in extract(sentence.text, speaker=sentence.by, said_at=bench.SAID_AT, topic=bench.TOPIC):
            assert each.claim.predicate in BUILT_IN
            words = sentence.text[each.start : each.end]
            assert words == words.strip() != ""
            if each.claim.object.type == "string":
                assert str(each.claim.object.value) in words
            seen.add(each.form)
    assert len(seen) > 25


# ---- what is nobody's plain statement --------------------------------------------------------------------------------


NOT_CLAIMED = [
    "Does Ben live in Bonn?", "Ben lives in Bonn?", "Where is it that Ben lives in Bonn?",
    "If Ben lives in Bonn we can meet.", "Ben might move, but he lives in Bonn if all goes well.",
    "I wish Ben lives in Bonn.", "Ben says Priya lives in Pune.", "I heard Ben lives in Bonn.",
    "I don't think Ben lives in Bonn.", "It's not true that Ben lives in Bonn.", "Use Redis.",
    "Make sure auth-service uses Redis.", "You should use Redis.", 'He said "I live in Bonn".', "“Ben lives in Bonn”",
    "> Ben lives in Bonn", "```\nBen lives in Bonn.\n```", "Ben lives in Bonn, haha.",
    "Ben lives in Bonn. Just kidding!",
    "Cleo: I live in Cairo.", "In the novel Ben lives in Bonn.", "She lives in Bonn.", "My sister lives in Bonn.",
    "Ben and Tom live in Bonn.", "People like Ben.", "This works as intended.", "I live in hope.", "Ben use vim.",
    "The sign read “moving”; Ben lives in Bonn.",
]  # fmt: skip


@pytest.mark.parametrize("text", NOT_CLAIMED)
def test_no_claim_is_read_out_of(text):
    assert found(text) == []


def test_the_words_of_a_machine_claim_nothing():
    assert found("I live in Bonn. Ben lives in Bern.", by="assistant") == []
    assert found("I live in Bonn. Ben lives in Bern.", by="Ana") == ["Ana lives in Bonn", "Ben lives in Bern"]


def test_without_a_speaker_the_first_person_is_nobody():
    assert found("I live in Bonn. Ben lives in Bern.", by=None) == ["Ben lives in Bern"]


# ---- time ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "began", "ended"),
    [
        ("Ben moved to Berlin in March 2026.", "2026-03-01", None),
        ("Since March I live in Graz.", "2026-03-01", None),
        ("Ben no longer uses Slack.", None, "said"),
        ("I stopped using Notion in April.", None, "2026-04-01"),
        ("Ben works at Acme until 30 June 2026.", None, "2026-06-30"),
        ("I used to live in Rome.", None, "said"),
        ("I don't use Slack any more.", None, "said"),
    ],
)
def test_a_claim_begins_and_ends_when_its_words_say(text, began, ended):
    (each,) = extract(text, speaker="Ana", said_at=bench.SAID_AT)
    assert (bench._day(each.claim.validity.from_), bench._day(each.claim.validity.to)) == (began, ended)
    assert each.claim.polarity == "+"


def test_a_day_without_a_year_is_the_one_that_was_meant_when_it_was_said():
    text = "The Falcon deadline is 12 June."
    assert found(text, at="2024-05-01T10:00Z") == ["Falcon has the deadline 2024-06-12"]
    assert found(text, at="2026-05-01T10:00Z") == ["Falcon has the deadline 2026-06-12"]


def test_a_deadline_without_a_name_is_the_topics_or_nobodys():
    assert found("The deadline moved to 10 June 2026.") == []
    assert found("The deadline moved to 10 June 2026.", topic="orion") == ["orion has the deadline 2026-06-10"]


# ---- any text --------------------------------------------------------------------------------------------------------


def test_a_text_claims_at_most_so_much_and_the_same_once():
    many = " ".join(f"Ben{chr(97 + n // 26)}{chr(97 + n % 26)} lives in Bonn." for n in range(100))
    assert len(found(many)) == CLAIMS_PER_TEXT
    assert found("Ben lives in Bonn. " * 5) == ["Ben lives in Bonn"]


PARTS = st.sampled_from(
    ["I", " live in ", "Bonn", "Ben", " uses ", "vim", ". ", "? ", ", ", " and ", "“", '"', "\n", "since ", "2020",
     "'m ", "🙂", "ß", " is called ", "no longer ", "until ", ":", "the deadline ", "moved to ", "12 June", "x" * 50]
)  # fmt: skip


@given(st.lists(PARTS, max_size=30).map("".join) | st.text(max_size=200))
def test_any_text_is_read_and_every_claim_lies_inside_it(text):
    for each in extract(text, speaker="Ana", said_at=bench.SAID_AT, topic="orion"):
        assert 0 <= each.start < each.end <= len(text)
        assert each.claim.subject
        assert each.claim.object


def test_a_long_text_is_read_in_time_that_grows_with_its_length():
    """No pattern tries a text again and again: sixteen times the text takes no more steps for each of its parts."""
    hard = ["I " + "a " * 30_000, "Ben " * 16_000, "I like " + "x-" * 30_000, "The " + "service " * 8_000, "'" * 60_000]
    for text in hard:
        assert found(text) == []


# ---- mutants ---------------------------------------------------------------------------------------------------------

NOTHING = re.compile(r"(?!)")
BROKEN = {
    "doubts are not looked at": (clauses, "_DOUBT", NOTHING),
    "a quote is plain speech": (clauses, "_MARKED_AS_QUOTE", NOTHING),
    "laughter is serious": (clauses, "_LAUGHTER", NOTHING),
    "a joke is serious": (clauses, "_JOKE", NOTHING),
    "a question is plain": (clauses, "_is_plain", lambda text, start, end: True),
    "labels are not looked at": (clauses, "_LABEL", NOTHING),
    "code is speech": (clauses, "_CODE", NOTHING),
    "any verb agrees": (extraction, "_agrees", lambda written, said: True),
    "any capital is a name": (extraction, "is_name", lambda text: True),
    "any words are an object": (claimobjects, "_objects", lambda kind, text: (text,)),
    "machines are people": (extraction, "MACHINES", frozenset()),
    "times are not looked at": (claimobjects, "_when", lambda text, said_at: None),
    "ends are not looked at": (extraction, "_ENDED", ()),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_extractor_makes_more_mistakes(broken, monkeypatch):
    """One at a time: the labelled sentences notice, or those that claim nothing."""
    before = mistakes()
    module, name, replacement = BROKEN[broken]
    monkeypatch.setattr(module, name, replacement)
    assert mistakes() > before


def mistakes():
    score = bench.score(SENTENCES)
    return score.wrong + score.missed + sum(len(found(text)) for text in NOT_CLAIMED)
