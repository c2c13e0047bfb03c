"""A reranker sorts the best of a recall anew: a bounded number of them, within bounds, and only what may be seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from stores import START, Still, erase, opened, reader_of, texts, withdraw

import firsthand
from firsthand import Memory
from firsthand.recall import rerank
from firsthand.recall.rerank import RERANKED, RERANKER_FAILED, TEXT_CHARACTERS
from firsthand.veil import Veil

QUERY = "Which boat is in the harbour?"


class Judge:
    """A reranker that keeps what it was asked, and scores by a function."""

    identity = "judge"

    def __init__(self, score: Callable[[str], float] = lambda _: 0.5) -> None:
        self._score = score
        self.asked: list[tuple[str, list[str]]] = []

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        self.asked.append((query, list(texts)))
        return [self._score(text) for text in texts]

    @property
    def heard(self) -> str:
        """Everything it was asked about."""
        return "\n".join(text for _, asked in self.asked for text in asked)


def judged(memory: Memory, judge: Any) -> Memory:
    memory._engine.reranker = judge
    return memory


def boats(memory: Memory, count: int) -> None:
    memory.capture_many({"text": f"Boat {n} is in the harbour", "thread": f"t{n}"} for n in range(count))


def wants(number: int) -> Callable[[str], float]:
    return lambda text: 1.0 if f"Boat {number} " in text else 0.1


def test_what_it_finds_best_comes_first_and_explain_says_by_how_much(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        boats(memory, 6)
        plain = texts(memory.recall(QUERY))
        assert plain[0] == "Boat 5 is in the harbour"
        judge = Judge(wants(2))
        packet = judged(memory, judge).recall(QUERY)
        assert texts(packet)[0] == "Boat 2 is in the harbour"
        assert sorted(texts(packet)) == sorted(plain)
        assert packet.degraded == ()
        first, second = packet.items[:2]
        assert memory.explain(QUERY, first.record_id).contributions["reranker"] == 1.0
        assert memory.explain(QUERY, first.record_id).rank == 1
        assert memory.explain(QUERY, second.record_id).contributions["reranker"] == pytest.approx(0.1)
        assert judge.asked[0][0] == QUERY


def test_what_it_finds_equal_stays_in_order_and_an_answer_is_the_same_twice(tmp_path: Path) -> None:
    with opened(tmp_path, Still(START)) as memory:  # of one instant, so that much is equal
        boats(memory, 30)
        packet = memory.recall(QUERY, limit=30)
        plain, records = texts(packet), [item.record_id for item in packet.items]
        ranks = [memory.explain(QUERY, record).rank for record in records]
        assert ranks == sorted(ranks)
        judged(memory, Judge())
        assert [memory.explain(QUERY, record).rank for record in records] == ranks
        for score in (0.0, 0.5, 1.0):
            assert texts(judged(memory, Judge(lambda _, s=score: s)).recall(QUERY, limit=30)) == plain
        mixed = Judge(lambda text: len(text) % 2 / 2)
        one, two = (texts(judged(memory, mixed).recall(QUERY, limit=30)) for _ in range(2))
        assert one == two != plain


def test_it_is_asked_about_a_bounded_number_which_stays_before_the_rest(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"limit": RERANKED + 16, "max_bytes": 256 * 1024}
    with opened(tmp_path) as memory:
        boats(memory, RERANKED + 16)
        plain = texts(memory.recall(QUERY, **asked))
        assert len(plain) == RERANKED + 16
        best, rest = plain[:RERANKED], plain[RERANKED:]
        of_the_rest = Judge(lambda text: float(text in rest))
        assert texts(judged(memory, of_the_rest).recall(QUERY, **asked)) == plain
        assert [sorted(heard) for _, heard in of_the_rest.asked] == [sorted(best)]
        of_the_last = Judge(lambda text: float(text == best[-1]))
        assert texts(judged(memory, of_the_last).recall(QUERY, **asked)) == [best[-1], *best[:-1], *rest]


def test_it_reads_a_bounded_part_of_a_text_and_who_said_it(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.capture("The boat is in the harbour. " * 500, speaker="Rose")
        memory.capture("Another boat")
        judge = Judge()
        judged(memory, judge).recall(QUERY)
        long, short = sorted(judge.asked[0][1], key=len, reverse=True)
        assert len(long) == TEXT_CHARACTERS + len("Rose: ")
        assert long.startswith("Rose: The boat is in")
        assert short == "Another boat"


class Failing(Judge):
    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        raise OSError


class TooFew(Judge):
    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        return super().scores(query, texts)[1:]


BROKEN = (
    Failing(), TooFew(), Judge(lambda _: float("nan")), Judge(lambda _: 1.01), Judge(lambda _: -0.01),
    Judge(lambda _: float("inf")),
)  # fmt: skip


@pytest.mark.parametrize("judge", BROKEN, ids=range(len(BROKEN)))
def test_where_it_fails_the_answer_is_the_one_without_it_and_says_so(judge: Judge, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        boats(memory, 8)
        plain = memory.recall(QUERY)
        packet = judged(memory, judge).recall(QUERY)
        assert texts(packet) == texts(plain)
        assert (plain.degraded, packet.degraded) == ((), (RERANKER_FAILED,))
        assert RERANKER_FAILED in packet.render()
        assert "reranker" not in memory.explain(QUERY, packet.items[0].record_id).contributions


def test_it_is_not_asked_where_there_is_nothing_to_sort(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        judge = Judge()
        judged(memory, judge)
        assert memory.recall(QUERY).items == ()
        memory.capture("A boat in the harbour")
        memory.recall(QUERY)
        memory.capture("The boat left")
        memory.recall("")
        assert judge.asked == []
        memory.recall(QUERY)
        assert len(judge.asked) == 1


def test_every_handle_and_every_assembly_has_it_and_a_description_of_a_target_has_not(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        judge = Judge(wants(3))
        judged(memory, judge)
        boats(memory, 6)
        memory.remember("The lighthouse keeper painted a boat")
        memory.remember("The cook of the island painted a fence")
        assert texts(memory.at(session="s").recall(QUERY))[0] == "Boat 3 is in the harbour"
        assert "Boat 3" in memory.assembly(max_tokens=4_000).turn(QUERY).packet.items[0].text
        asked = len(judge.asked)
        corrected = memory.correct(
            None, "He painted a wall", target="The lighthouse keeper painted a boat", reason="seen"
        )
        assert corrected.outcome == "stored"
        assert len(judge.asked) == asked


# ---- hidden ----------------------------------------------------------------------------------------------------------

HOW = ("above", "withdrawn", "elsewhere", "erased", "superseded", "candidate", "rejected")


def hide(memory: Memory, how: str, text: str) -> None:
    """Write something that a reader of ordinary clearance may not be told."""
    if how == "above":
        memory.capture(text, sensitivity="high")
    elif how == "elsewhere":
        memory.at(scope="project:elsewhere").capture(text)
    elif how == "candidate":
        memory.remember(text, basis="inferred")
    elif how == "superseded":
        memory.correct(memory.remember(text).record_id, "A boat in the harbour is another one", reason="misheard")
    elif how == "rejected":
        memory.reject(memory.remember(text).record_id, reason="never true")
    else:
        record = memory.capture(text).record_id or ""
        (withdraw if how == "withdrawn" else erase)(memory, record)


@pytest.mark.parametrize("how", HOW)
def test_what_may_not_be_seen_never_reaches_it(how: str, tmp_path: Path) -> None:
    with opened(tmp_path, Still(START)) as memory:
        boats(memory, 4)
        hide(memory, how, "The secret boat is in the harbour")
    judge = Judge()
    with judged(reader_of(tmp_path, "low", read=frozenset({"project:orion", "space:"})), judge) as helper:
        helper.recall(QUERY)
        helper.recall(QUERY, known_at=START)
    assert "Boat 2" in judge.heard
    assert "secret" not in judge.heard


def masked(memory: Memory) -> Judge:
    """What a judge hears of a text in which a rejected value is masked."""
    said = memory.capture("Ana's boat is in Berlin. It is in the harbour.", speaker="Ben")
    claim = memory.remember(
        subject="Ana", predicate="lives_in", object="Berlin",
        evidence=[firsthand.cite(said.record_id, quote="Ana's boat is in Berlin.")],
    )  # fmt: skip
    boats(memory, 2)
    memory.reject(claim.record_id, reason="never true")
    judge = Judge()
    judged(memory, judge).recall(QUERY)
    return judge


def test_what_is_masked_is_masked_for_it(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        heard = masked(memory).heard
        assert "It is in the harbour." in heard
        assert "Berlin" not in heard


def test_a_reranker_that_reads_what_is_masked_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Veil, "body", lambda _self, _entry, body: body)
    with opened(tmp_path) as memory, pytest.raises(AssertionError):
        assert "Berlin" not in masked(memory).heard


def test_a_reranker_that_is_asked_about_all_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rerank, "RERANKED", 1_000)
    with pytest.raises(AssertionError):
        test_it_is_asked_about_a_bounded_number_which_stays_before_the_rest(tmp_path)
