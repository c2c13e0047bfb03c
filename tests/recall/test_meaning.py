"""What means the same is found though it shares no word, and nothing that may not be seen is near anything."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stores import DAY, START, Still, erase, opened, plain, reader_of, reject, said, texts, withdraw

import firsthand
from firsthand import Memory
from firsthand.inference.static import StaticEmbedder
from firsthand.recall import arms
from firsthand.recall.query import analyse
from firsthand.recall.vectors import NEAREST_BY_SIGN, Vectors, signs_of
from firsthand.store.sqlite_read import SqliteReader
from firsthand.vocabulary.packets import Packet

DOCTOR = "Appointment with the physician on Tuesday"
QUERY = "When does the doctor see me?"
OTHERS = ("The boat is blue", "Felix plays the violin", "Postgres keeps the tickets")
HOW = ("above", "withdrawn", "elsewhere", "erased", "superseded", "candidate")


def arms_of(packet: Packet) -> dict[str, set[str]]:
    return {i.text: {w.arm for w in i.why} for i in packet.items}


@pytest.mark.parametrize(
    ("query", "text"),
    [
        (QUERY, DOCTOR),
        ("food allergies", "Ben cannot eat peanuts"),
        ("automobile repair", "My car is in the garage"),
        ("salary", "Her pay is 50k"),
    ],
)
def test_a_paraphrase_without_a_shared_word_is_found(query: str, text: str, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.capture_many({"text": other} for other in OTHERS)
        memory.remember(text)
        found = memory.recall(query)
        assert arms_of(found) == {text: {"vector"}}
        assert found.degraded == ()
    with opened(tmp_path, embedder=None) as memory:
        assert memory.recall(query).items == ()


def test_what_is_about_nothing_in_common_is_not_found(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.capture_many({"text": text} for text in (DOCTOR, *OTHERS))
        for query in ("quantum chromodynamics", "zqzqzq 4711"):
            assert memory.recall(query).why_empty == "nothing_matched", query
        assert texts(memory.recall("physician")) == [DOCTOR]


def test_kinds_that_were_not_asked_for_are_not_found_by_their_meaning(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.remember(payload={"kind": "entity", "canonical_name": "Medic", "summary": DOCTOR})
        memory.capture(DOCTOR)
        assert [i.kind for i in memory.recall(QUERY).items] == ["episodic"]
        assert memory.recall(QUERY, kinds=["semantic"]).items == ()
        assert [i.kind for i in memory.recall(QUERY, kinds=["entity"]).items] == ["entity"]


def test_the_names_of_who_speaks_here_are_no_part_of_what_a_query_means(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.capture("I saw the physician", speaker="Rose", thread="t")
        memory.capture("Tulips and daisies in the garden", speaker="Ben", thread="u")
        assert analyse("What did Rose say of doctors?", START, {"Rose": 0}).words == (
            "what", "did", "say", "of", "doctors",
        )  # fmt: skip
        assert said(memory.recall("Did Rose see the doctor?")) == {"I saw the physician"}
        assert said(memory.recall("Which flowers?")) == {"Tulips and daisies in the garden"}


# ---- hidden ----------------------------------------------------------------------------------------------------------


def hide(memory: Memory, how: str, text: str) -> None:
    """Write something that a reader of ordinary clearance may not be told."""
    if how == "above":
        memory.capture(text, sensitivity="high")
    elif how == "elsewhere":
        memory.at(scope="project:elsewhere").capture(text)
    elif how == "candidate":
        memory.remember(text, basis="inferred")
    elif how == "superseded":
        memory.correct(memory.remember(text).record_id, "Nothing of the kind", reason="misheard")
    else:
        record = memory.capture(text).record_id or ""
        (withdraw if how == "withdrawn" else erase)(memory, record)


def answers(folder: Path, hidden: str | None, times: int = 40) -> list[bytes]:
    folder.mkdir()
    with opened(folder, Still(START)) as memory:
        memory.capture(DOCTOR, thread="t")
        for n in range(times if hidden is not None else 0):
            hide(memory, str(hidden), f"the doctor sees me, {n}")
        if hidden is None:
            memory.remember("Nothing of the kind")
        memory.capture("Medicine, twice a day", thread="t")
        memory.capture("The hospital called", thread="u")
    read = frozenset({"project:orion", "space:"})
    with reader_of(folder, "low", read=read, clock=Still(START + DAY)) as helper:
        packets = [helper.recall(q, limit=n) for q in (QUERY, "doctors", "illness") for n in (2, 8)]
        assert DOCTOR in said(packets[0])
        return [plain(packet) for packet in packets]


@pytest.mark.parametrize("how", HOW)
def test_what_may_not_be_seen_is_near_nothing(how: str, tmp_path: Path) -> None:
    bare, full = answers(tmp_path / "bare", None), answers(tmp_path / "full", how)
    if how != "superseded":  # what came instead is there to be seen
        assert full == bare
    assert not any(b"sees me" in packet for packet in full)


def test_an_arm_that_sees_what_is_hidden_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def all_of_them(self: Vectors, scope: Any, asked: Any, over: Any) -> Any:
        return self.has[: scope.next_seq].copy()

    bare = answers(tmp_path / "bare", None)
    assert answers(tmp_path / "full", "above") == bare
    monkeypatch.setattr(Vectors, "seen", all_of_them)
    with pytest.raises(AssertionError):
        assert answers(tmp_path / "broken", "above") == bare


def test_what_is_kept_off_the_shelf_is_found_by_its_meaning_where_it_is_asked_for(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.remember(DOCTOR, basis="inferred")
        assert DOCTOR not in said(memory.recall(QUERY))
        assert DOCTOR in said(memory.recall(QUERY, include=["candidates"]))


def test_the_past_finds_what_was_there_and_nothing_that_came_later(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        before = memory.capture("The boat is blue").known_at
        then = memory.capture(DOCTOR).known_at
        memory.capture("The doctor is ill")
        assert said(memory.recall(QUERY, known_at=before)) == set()
        assert said(memory.recall("medical", known_at=then)) == {DOCTOR}
        assert said(memory.recall("medical")) == {DOCTOR, "The doctor is ill"}


def test_what_is_masked_is_not_found_by_what_it_means(tmp_path: Path) -> None:
    text = "Ana visits the physician. We sail at nine."
    with opened(tmp_path) as memory:
        said_once = memory.capture(text, speaker="Ben")
        claim = memory.remember(
            subject="Ana", predicate="visits", object="physician",
            evidence=[firsthand.cite(said_once.record_id, quote="Ana visits the physician.")],
        )  # fmt: skip
        assert text in said(memory.recall("a doctor in the hospital"))
        reject(memory, claim.record_id or "")
        assert memory.recall("a doctor in the hospital").items == ()
        assert len(memory.recall("sailing", kinds=["episodic"]).items) == 1


# ---- what a process keeps --------------------------------------------------------------------------------------------


@contextlib.contextmanager
def two(folder: Path) -> Iterator[tuple[Memory, Memory]]:
    with opened(folder) as one, opened(folder) as other:
        yield one, other


def test_a_process_that_read_before_finds_what_a_fresh_one_finds(tmp_path: Path) -> None:
    with two(tmp_path) as (one, other):
        kept = other.capture(DOCTOR).record_id or ""
        away = other.capture("The surgeon is in").record_id or ""
        claim = other.remember(subject="nurse", predicate="is", object="Ben").record_id or ""
        steps = (
            lambda: other.capture("Medicine, twice a day"),
            lambda: withdraw(other, away),
            lambda: other.restore(away, reason="now"),
            lambda: reject(other, claim),
            lambda: other.capture_many({"text": f"Hospital ward {n}"} for n in range(1_100)),
            lambda: erase(other, kept),
            lambda: other.correct(other.remember("Doctors are late").record_id, "Doctors are early", reason="so"),
        )
        seen = set[bytes]()
        for step in steps:
            step()
            with opened(tmp_path) as fresh:
                expected, found = fresh.recall("doctors", limit=20), one.recall("doctors", limit=20)
            assert [(i.text, i.why) for i in found.items] == [(i.text, i.why) for i in expected.items]
            seen.add(plain(found))
        assert len(seen) == len(steps)


@pytest.mark.parametrize("one_shot", [False, True])
def test_where_nothing_is_searched_by_its_meaning_what_was_found_is_ranked_by_it_all_the_same(
    one_shot: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    boat = "The boat is away on Tuesday"
    query = "Does the doctor see me on Tuesday?"
    with opened(tmp_path) as memory:
        memory.capture_many({"text": text, "thread": "t"} for text in ("4711", DOCTOR))  # no vector is near the first
        memory.capture_many({"text": text} for text in (*OTHERS, boat))
    if not one_shot:
        monkeypatch.setattr(arms, "MOST_ROWS", 0)
    with opened(tmp_path, one_shot=one_shot) as memory:
        found = memory.recall(query)
        assert (texts(found)[:2], found.degraded) == ([DOCTOR, boat], ("vector_arm_dropped",))
        ids = [i.record_id for i in found.items]
        assert "4711" in texts(found)
        shown = [memory.explain(query, i).contributions.get("similarity") for i in ids]
    monkeypatch.undo()
    with opened(tmp_path) as memory:
        assert memory.recall(query).degraded == ()
        assert shown == [memory.explain(query, i).contributions.get("similarity") for i in ids]
        assert (shown[0] or 0) > (shown[1] or 0)
    with opened(tmp_path, embedder=None) as memory:
        assert texts(memory.recall(query))[:2] == [boat, DOCTOR], "the newer of two that hold the same word"


# ---- without ---------------------------------------------------------------------------------------------------------


def test_a_recall_without_vectors_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path) as memory:
        memory.capture(DOCTOR)
        assert memory.recall("physician").degraded == ()
        with monkeypatch.context() as patch:
            patch.setattr(arms, "MOST_ROWS", 0)
            found = memory.recall("physician")
            assert (texts(found), found.degraded) == ([DOCTOR], ("vector_arm_dropped",))
        with monkeypatch.context() as patch:
            patch.setattr(SqliteReader, "off", lambda *_: 1 / 0)
            memory.capture("The boat is blue")
            found = memory.recall("physician")
            assert (texts(found), found.degraded) == ([DOCTOR], ("vector_arm_failed",))
            assert memory.recall(QUERY).why_empty == "arm_down"
        with opened(tmp_path, embedder=None) as other:
            found = other.recall("physician")
            assert (texts(found), found.degraded) == ([DOCTOR], ("vector_arm_unavailable",))
            other.capture("The surgeon is in")
        found = memory.recall("physician")
        assert (texts(found), found.degraded) == ([DOCTOR], ("vectors_pending",))
        assert texts(memory.recall(QUERY)) == [DOCTOR]  # what has a vector is found by it all the same
    with opened(tmp_path) as memory:
        found = memory.recall("physician")
        assert found.degraded == ()
        assert "The surgeon is in" in texts(found)


# ---- the nearest -----------------------------------------------------------------------------------------------------


def rows_of(count: int) -> Vectors:
    chance = np.random.default_rng(3)
    rows = np.clip(chance.normal(0, 25, (count, 256)), -127, 127).astype(np.int8)
    return Vectors(rows, signs_of(rows), np.ones(count, dtype=np.bool_), {}, StaticEmbedder.length**2)


def test_nearly_all_of_the_nearest_are_found_by_their_signs() -> None:
    vectors = rows_of(20_000)
    every = np.ones(20_000, dtype=np.bool_)
    query = (vectors.rows[7].astype(np.int16) + vectors.rows[8]) // 2
    found = vectors.near(query.astype(np.int8), every, -1, 30)
    exact = np.argsort(-vectors.similarity(query.astype(np.int8), np.arange(20_000)), kind="stable")[:30]
    assert set(found.places[:2].tolist()) == {7, 8}
    assert len(set(found.places.tolist()) & set(exact.tolist())) >= 24
    assert len(every) > NEAREST_BY_SIGN * 2


def test_the_nearest_do_not_depend_on_rows_that_are_not_seen() -> None:
    vectors = rows_of(6_000)
    seen = np.random.default_rng(4).random(6_000) < 0.5
    alone = vectors._replace(rows=vectors.rows[seen], signs=vectors.signs[:, seen], has=vectors.has[seen])
    for at in range(20):
        query = vectors.rows[at]
        among = vectors.near(query, seen, 0.0, 30)
        by_themselves = alone.near(query, np.ones(int(seen.sum()), dtype=np.bool_), 0.0, 30)
        assert np.array_equal(among.places, np.flatnonzero(seen)[by_themselves.places])
        assert np.array_equal(among.similarity, by_themselves.similarity)
        assert len(among.places) == 30
