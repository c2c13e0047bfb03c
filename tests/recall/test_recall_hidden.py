"""What the caller may not see changes no count, rank, order, coverage or code of a reply."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stores import DAY, START, Still, opened, plain, reader_of, said, texts, withdraw

from firsthand import Memory

WORDS = ("harbour", "kettle", "lantern", "pelican", "violin", "Falcon", "Ben", "Felix", "lives", "paints")
QUERIES = (
    "harbour kettle",
    "What did Felix say of the lantern?",
    "Falcon",
    "",
    "Where does Ben live, violin?",
    "Felicia kettle",
)


class Row(NamedTuple):
    """One thing written; `hidden` says how it is kept from the reader."""

    words: tuple[str, ...]
    kind: str
    speaker: str
    thread: str | None
    hidden: str


rows = st.builds(
    Row,
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(tuple),
    st.sampled_from(("capture", "capture", "claim")),
    st.sampled_from(("Ben", "Felix")),
    st.sampled_from((None, "t1", "t2")),
    st.just(""),
)
hidden_rows = st.builds(
    Row,
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(tuple),
    st.sampled_from(("capture", "capture", "claim", "entity")),
    st.sampled_from(("Ben", "Felix", "Felicia", "Bennet")),
    st.sampled_from((None, "t1", "t2")),
    st.sampled_from(("above", "withdrawn", "elsewhere")),
)


def put(memory: Memory, row: Row) -> None:
    level = "high" if row.hidden == "above" else "low"
    into = memory.at(scope="project:elsewhere") if row.hidden == "elsewhere" else memory
    # A hidden word for a shown claim would be one more support of it: what is hidden says something else.
    text = " ".join((*row.words, "hush") if row.hidden else row.words)
    match row.kind:
        case "capture":
            made = into.capture(text, speaker=row.speaker, thread=row.thread, occurred_at=START, sensitivity=level)  # type: ignore[arg-type]
        case "claim":
            made = into.remember(text, sensitivity=level)  # type: ignore[arg-type]
        case _:
            entity = {"kind": "entity", "canonical_name": row.words[0], "aliases": [{"value": row.speaker}]}
            made = into.remember(payload=entity, sensitivity=level)  # type: ignore[arg-type]
    if row.hidden == "withdrawn":
        for record in (made.record_id, made.evidence_id):
            if record is not None:
                withdraw(memory, record)


def answers(folder: Path, written: list[Row], queries: tuple[str, ...]) -> list[object]:
    clock = Still(START)
    with opened(folder, clock) as memory:
        for at, row in enumerate(written):
            clock.at = START + 1_000_000 * sum(not r.hidden for r in written[:at])
            put(memory, row)
    own = frozenset({"project:orion", "space:"})
    with reader_of(folder, "low", read=own, clock=Still(START + DAY)) as helper:
        seen: list[object] = [
            plain(helper.recall(query, limit=limit, expand=expand, kinds=kinds))  # type: ignore[arg-type]
            for query in queries
            for limit, expand, kinds in ((3, 0, None), (8, 2, None), (8, 0, ["semantic"]))
        ]
        page, stats = helper.list(), helper.stats()
        return [*seen, [i.text for i in page.items], stats.records, stats.standing, helper.scopes()]


def merged(shown: list[Row], hidden: list[tuple[int, Row]]) -> list[Row]:
    both = list(shown)
    for place, row in hidden:
        both.insert(place % (len(both) + 1), row)
    return both


@settings(max_examples=30, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(
    shown=st.lists(rows, min_size=2, max_size=8, unique_by=lambda r: r.words),
    hidden=st.lists(st.tuples(st.integers(0, 40), hidden_rows), min_size=1, max_size=8),
    query=st.sampled_from(QUERIES),
)
def test_a_store_answers_the_same_with_and_without_what_the_caller_may_not_see(
    shown: list[Row], hidden: list[tuple[int, Row]], query: str
) -> None:
    with tempfile.TemporaryDirectory() as without, tempfile.TemporaryDirectory() as with_:
        bare = answers(Path(without), shown, (query,))
        full = answers(Path(with_), merged(shown, hidden), (query,))
        assert full == bare


def test_the_fixture_of_that_property_has_something_to_hide_and_something_to_show(tmp_path: Path) -> None:
    shown = [Row(("harbour", "kettle"), "capture", "Ben", "t1", "")]
    hidden = [
        (n, Row(("harbour", "kettle", "violin"), "capture", "Felicia", "t1", how))
        for n, how in enumerate(("above", "withdrawn"))
    ]
    with opened(tmp_path) as memory:
        for row in merged(shown, hidden):
            put(memory, row)
        assert len(said(memory.recall("harbour kettle violin"))) == 2
    with reader_of(tmp_path) as helper:
        assert said(helper.recall("harbour kettle violin")) == {"harbour kettle"}


def test_a_neighbour_that_may_not_be_seen_never_comes_and_leads_nowhere(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        start = memory.capture("We start at the lighthouse", thread="walk")
        memory.capture("Then a secret stop at the vault", thread="walk", sensitivity="high")
        end = memory.capture("We end at the bakery", thread="walk")
        middle = memory.capture("Middle of a chain", sensitivity="high")
        far = memory.capture("Far end of a chain")
        memory.relate(start.record_id or "", "next", middle.record_id or "", reason="chain")
        memory.relate(middle.record_id or "", "next", far.record_id or "", reason="chain")
        memory.relate(start.record_id or "", "next", end.record_id or "", reason="chain")
        whole = memory.recall("lighthouse start", expand=3)
        assert said(whole) == {
            "We start at the lighthouse", "Then a secret stop at the vault", "We end at the bakery",
            "Middle of a chain", "Far end of a chain",
        }  # fmt: skip
        chain = {i.text: (i.why, i.neighbour_of) for i in whole.items}
        assert chain["Far end of a chain"][0][0].rank == 2
        assert chain["Middle of a chain"][1] == start.record_id
    with reader_of(tmp_path) as helper:
        for hops in (0, 1, 2, 3):
            packet = helper.recall("lighthouse start", expand=hops)
            assert said(packet) == {"We start at the lighthouse", "We end at the bakery"}
            assert "vault" not in str(packet.as_dict())


def test_expansion_reaches_as_far_as_it_was_asked_to(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        ids = [
            memory.capture(f"{name} station").record_id or "" for name in ("Alpha", "Bravo", "Charlie", "Delta", "Echo")
        ]
        for one, other in pairwise(ids):
            memory.relate(one, "next", other, reason="line")
        for hops in (0, 1, 2, 3):
            packet = memory.recall("Alpha", kinds=["episodic"], expand=hops)
            reached = [
                t for t in texts(packet) if any(w.arm == "expand" for i in packet.items if i.text == t for w in i.why)
            ]
            assert len(reached) <= hops
        line = memory.recall("Alpha bound", expand=2)
        assert texts(line) == ["Alpha station", "Bravo station", "Charlie station"]
        assert texts(memory.recall("Alpha bound", expand=2, kinds=["semantic"])) == []
        cited = memory.remember("Echo is closed", evidence=[{"record_id": ids[4], "quote": "Echo station"}])
        assert cited.record_id in {i.record_id for i in memory.recall("Delta bound", expand=2).items}


def test_expansion_stops_at_its_limits_of_nodes(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        hub = memory.capture("Hub of it all").record_id or ""
        for n in range(130):
            spoke = memory.capture(f"Spoke number {n}").record_id or ""
            memory.relate(hub, "has", spoke, reason="wheel")
        packet = memory.recall("Hub", expand=1, limit=50, max_bytes=262_144, kinds=["episodic"])
        wide = memory.recall("Hub wheelhouse", expand=1, limit=50, max_bytes=262_144)
        assert (wide.returned, wide.matching) == (50, 101)
        assert packet.items[0].record_id is not None


def test_what_is_locked_now_is_not_reached_through_the_past_either(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        start = memory.capture("We start at the lighthouse").record_id or ""
        stop = memory.capture("Then a stop at the vault").record_id or ""
        then = memory.relate(start, "next", stop, reason="chain").known_at
        walked = {"We start at the lighthouse", "Then a stop at the vault"}
        assert said(memory.recall("lighthouse start", expand=1, known_at=then)) == walked
        memory.classify(stop, "high", reason="secret")
        assert said(memory.recall("lighthouse start", expand=1, known_at=then)) == walked
        low = memory.recall("lighthouse start", expand=1, known_at=then, clearance="low")
        assert said(low) == {"We start at the lighthouse"}
        withdraw(memory, stop)
        for known_at in (None, then):
            again = memory.recall("lighthouse start", expand=1, known_at=known_at)
            assert said(again) == {"We start at the lighthouse"}


def test_somebody_heard_only_in_what_is_hidden_makes_no_name_ambiguous(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.capture("I paint lanterns", speaker="Felix")
        memory.capture("I paint lanterns too", speaker="Ben")
        memory.capture("hush", speaker="Felicia", sensitivity="high")
        assert texts(memory.recall("What does Feli paint?"))[0] == "I paint lanterns too"
    with reader_of(tmp_path) as helper:
        packet = helper.recall("What does Feli paint?")
        assert texts(packet) == ["I paint lanterns", "I paint lanterns too"]


def test_a_run_of_turns_that_may_not_be_seen_does_not_tear_a_thread(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.capture("Which colour is the ferry?", thread="talk")
        for n in range(40):
            memory.capture(f"hush {n}", thread="talk", sensitivity="high")
        memory.capture("Green, as always", thread="talk")
    with reader_of(tmp_path) as helper:
        packet = helper.recall("ferry colour")
        assert said(packet) == {"Which colour is the ferry?", "Green, as always"}
        assert {i.text: [w.arm for w in i.why] for i in packet.items}["Green, as always"] == ["thread"]


def test_what_one_process_writes_another_recalls_at_once_and_a_ranking_has_no_history(tmp_path: Path) -> None:
    script = (
        "import sys; sys.path[:0] = sys.argv[2:]; from pathlib import Path; from stores import *\n"
        "with opened(Path(sys.argv[1]), Still(START + 2 * DAY)) as m:\n"
        "    m.capture('The violin is in the harbour', speaker='Felix', thread='t')\n"
        "    m.capture('Felix sold it', speaker='Ben', thread='t')\n"
    )
    with opened(tmp_path, Still(START)) as warm:
        warm.capture("The harbour is closed", speaker="Ben", thread="t")
        assert texts(warm.recall("violin harbour")) == ["The harbour is closed"]
        assert warm.recall("Felix").coverage == 0.0
        paths = [str(Path(__file__).parent), *sys.path]
        subprocess.run([sys.executable, "-c", script, str(tmp_path), *paths], check=True)
        for query in ("violin harbour", "What did Felix say of the harbour?", "Felix", ""):
            with opened(tmp_path, Still(START)) as fresh:
                assert plain(warm.recall(query)) == plain(fresh.recall(query))
        assert texts(warm.recall("violin harbour"))[0] == "The violin is in the harbour"
        withdraw(warm, warm.recall("violin harbour").items[0].record_id)
        for query in ("violin harbour", "What did Felix say of the harbour?", "Felix", ""):
            with opened(tmp_path, Still(START)) as fresh:
                again = plain(warm.recall(query))
                assert again == plain(fresh.recall(query))
                assert b"violin is in" not in again


def test_handles_of_one_memory_share_what_they_read(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.capture("pomegranates")
        assert memory.at(scope="project:orion").recall("pomegranates").returned == 1
        assert memory.at(scope="project:orion")._cache() is memory._cache()


@pytest.mark.parametrize("clearance", ["public", "low", "medium", "high", "hyper"])
def test_stats_and_scopes_count_what_may_be_read(tmp_path: Path, clearance: str) -> None:
    levels = ("public", "low", "medium", "high", "hyper")
    with opened(tmp_path) as memory:
        for level in levels:
            memory.capture(f"{level} matter", sensitivity=level)  # type: ignore[arg-type]
        memory.at(scope="user:ana").capture("mine alone", sensitivity="hyper")
        gone = memory.capture("gone matter", sensitivity="public")
        withdraw(memory, gone.record_id or "")
    with reader_of(tmp_path, clearance) as helper:
        count = levels.index(clearance) + 1
        seen = {"project:orion": count} | ({"user:ana": 1} if clearance == "hyper" else {})
        assert {s.scope: s.records for s in helper.scopes()} == seen
        assert helper.stats().records == {"episodic": sum(seen.values())}
        assert helper.stats().scopes == len(seen)
        page = helper.list()
        assert len(page.items) == count
