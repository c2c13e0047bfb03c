"""What ranks above what, through the public verbs, on a store of sayings and beliefs."""

from __future__ import annotations

from pathlib import Path

import pytest
from stores import DAY, START, Ticking, everything, opened, texts

from firsthand import Memory
from firsthand.recall.query import analyse, likely
from firsthand.vocabulary.rendering import LIKELY, MAY_HOLD_NONE


@pytest.fixture
def mixed(tmp_path: Path):
    """A long chat of three people, and what was made of it."""
    with opened(tmp_path, Ticking(START + 300 * DAY)) as memory:
        chatter = ("the weather", "a film about trains", "the broken printer", "lunch", "where we parked the car")
        for n in range(150):
            who = ("Ben", "Felix", "Cleo")[n % 3]
            other = ("Felix", "Cleo", "Ben")[n % 3]
            memory.capture(
                f"{other}, let us talk about {chatter[n % 5]} again, number {n}", speaker=who, thread=f"day{n // 30}",
                occurred_at=START + n * DAY,
            )  # fmt: skip
        said = memory.capture(
            "I finally live in Lyon, near the old silk market!",
            speaker="Felix",
            thread="day2",
            occurred_at=START + 80 * DAY,
        )
        memory.capture(
            "Felix, how is the place where you live?", speaker="Ben", thread="day2", occurred_at=START + 81 * DAY
        )
        ids = {"said": said.record_id or ""}
        cites = [{"record_id": said.record_id, "quote": "live in Lyon"}]
        claims = {
            "lyon": ("Felix lives in Lyon", "lives_in", "Lyon", cites),
            "tea": ("Felix likes smoked tea", "likes", "smoked tea", []),
            "role": ("Felix works as an archivist", "works_as", "archivist", []),
            "ben": ("Ben lives in Ghent", "lives_in", "Ghent", []),
        }
        for key, (words, predicate, value, evidence) in claims.items():
            made = memory.remember(
                words, subject=words.split()[0], predicate=predicate, object=value, evidence=evidence
            )
            ids[key] = made.record_id or ""
        yield memory, ids


def ranked(memory: Memory, query: str, limit: int = 20) -> list[str]:
    return [i.record_id for i in memory.recall(query, limit=limit, max_bytes=262_144).items]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("Where does Felix live?", "lyon"),
        ("Where does Ben live?", "ben"),
        ("What does Felix like?", "tea"),
        ("What does Felix work as?", "role"),
        ("Who lives in Lyon?", "lyon"),
        ("Does felix like smoked tea?", "tea"),
    ],
)
def test_the_belief_that_answers_comes_first(mixed: tuple[Memory, dict[str, str]], query: str, best: str) -> None:
    memory, ids = mixed
    assert ranked(memory, query)[0] == ids[best]


def test_a_belief_ranks_above_the_saying_it_cites_and_above_other_beliefs_about_the_same_person(
    mixed: tuple[Memory, dict[str, str]],
) -> None:
    memory, ids = mixed
    for query in ("Where does Felix live?", "live Lyon", "Felix Lyon", "In which city does Felix live now?"):
        order = ranked(memory, query)
        assert order.index(ids["lyon"]) < order.index(ids["said"]), query
        for other in ("tea", "role"):
            assert other not in order or order.index(ids["lyon"]) < order.index(ids[other]), query


def test_a_saying_that_holds_more_of_what_is_asked_stays_above_what_was_made_of_another_part_of_it(
    mixed: tuple[Memory, dict[str, str]],
) -> None:
    memory, ids = mixed
    assert ranked(memory, "old silk market")[0] == ids["said"]


def test_what_holds_ranks_above_what_ended_even_where_the_ended_one_fits_better(tmp_path: Path) -> None:
    with opened(tmp_path, Ticking(START + 100 * DAY)) as memory:
        old = memory.remember("Felix lives in Lyon", subject="Felix", predicate="lives_in", object="Lyon")
        new = memory.change(old.record_id, object="Ghent", since=START + 60 * DAY, reason="moved")
        for query in ("Where does Felix live?", "Felix Lyon", "Does Felix live in Lyon?"):
            order = ranked(memory, query)
            assert order.index(new.record_id or "") < order.index(old.record_id or ""), query


def test_one_belief_is_not_crowded_out_by_hundreds_of_sayings_that_say_the_same(tmp_path: Path) -> None:
    with opened(tmp_path, embedder=None) as memory:  # by its meaning it would be found all the same
        made = memory.remember("Falcon flies at dawn", subject="Falcon", predicate="status", object="at dawn")
        memory.capture_many(
            {"text": f"Falcon flies at dawn, log {n}", "thread": "log", "speaker": "Ben"} for n in range(500)
        )
        assert made.record_id in ranked(memory, "Does the falcon fly at dawn?", limit=8)


def test_an_approved_fact_outranks_a_claim_that_fits_as_well(tmp_path: Path) -> None:
    from stores import write

    from firsthand.vocabulary.entries import Judge, Revise, root_of

    with opened(tmp_path) as memory:
        first = memory.remember(
            "Lamp oil is in cupboard four", subject="lamp oil", predicate="located_in", object="cupboard four"
        )
        memory.remember(
            "Lamp wick is in cupboard four", subject="lamp wick", predicate="located_in", object="cupboard four"
        )
        assert texts(memory.recall("lamp cupboard"))[0] == "Lamp wick is in cupboard four"
        with memory._engine.store.reading(memory.space) as reader:
            root = reader.get(root_of(first.record_id or ""))
        assert root is not None
        assert isinstance(root.skeleton.edges, Revise)
        support = f"{root.id}.0"
        write(
            memory, Judge(verb="approve", claim=root.skeleton.edges.supports[0].claim, seen=(support,)), first.record_id
        )
        best = memory.recall("lamp cupboard").items[0]
        assert (best.text, best.tier) == ("Lamp oil is in cupboard four", "fact")


def test_the_turn_that_answers_a_question_is_found_though_it_shares_no_word_with_it(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.capture("When did you paint the boathouse?", speaker="Ben", thread="t")
        memory.capture("Monday at noon!", speaker="Felix", thread="t")
        memory.capture("Monday at noon!", speaker="Felix", thread="another")
        packet = memory.recall("the boathouse")
        assert [(i.text, i.thread) for i in packet.items] == [
            ("When did you paint the boathouse?", "t"),
            ("Monday at noon!", "t"),
        ]
        assert packet.items[1].why[0].arm == "thread"


def test_coverage_is_low_for_a_question_about_the_wrong_person(mixed: tuple[Memory, dict[str, str]]) -> None:
    memory, _ = mixed
    right = memory.recall("Does Felix live near the silk market?").coverage
    wrong = memory.recall("Does Cleo live near the silk market?").coverage
    nobody = memory.recall("What is near the silk market?").coverage
    assert 0 <= wrong < 0.5 < right <= 1
    assert nobody == 1.0
    assert memory.recall("zebra crossing").coverage == 0.0
    assert memory.recall("Felix").coverage == 0.0
    assert memory.recall("Felix").likelihood is None


def test_a_packet_says_how_likely_it_holds_an_answer(mixed: tuple[Memory, dict[str, str]]) -> None:
    """The more of the question it speaks to; little is said in its text as well, nothing where nothing was asked."""
    memory, _ = mixed
    right = memory.recall("Does Felix live near the silk market?")
    wrong = memory.recall("Does Cleo live near the silk market?")
    assert right.likelihood is not None
    assert wrong.likelihood is not None
    assert right.likelihood > LIKELY > wrong.likelihood
    assert MAY_HOLD_NONE in wrong.render()
    assert MAY_HOLD_NONE not in right.render()
    assert f'"likelihood":{wrong.likelihood}' in wrong.render("json").replace(" ", "")
    assert memory.recall("").likelihood is None
    assert memory.recall("").items


def test_every_item_says_by_which_arm_and_at_which_rank_it_was_found(mixed: tuple[Memory, dict[str, str]]) -> None:
    memory, _ = mixed
    for item in everything(memory.recall("Where does Felix live?", limit=50, max_bytes=262_144)):
        assert item.why
        assert all(w.rank >= 1 for w in item.why)


def test_of_many_speakers_only_those_a_query_may_name_are_looked_at_and_none_of_them_is_missed() -> None:
    names = {f"Person{n} Family{n}": n for n in range(5_000)} | {
        "Félix Ünal": 6_000,
        "Jo": 6_001,
        "Mary-Jane Watson": 6_002,
    }
    queries = (
        "What did Person17 say?", "Did person4242 family4242 call?", "where is felix", "Felix Unal's boat",
        "Has Jo left?",
        "What does Mary-Jane like?", "Mel and Fam ate", "nobody at all", "", "Where did Mar go?",
    )  # fmt: skip
    for query in queries:
        few = likely(query, names)
        assert analyse(query, START, few).speakers == analyse(query, START, names).speakers, query
    assert set(likely("where is felix", names)) == {"Félix Ünal"}
    assert likely("Has Jo left?", names) == {"Jo": 6_001}
