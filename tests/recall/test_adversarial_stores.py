"""Stores made to be expensive: what a recall returns, holds in memory and looks at stays bounded, and it says so."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import msgspec
import pytest
from stores import START, Still, everything, opened, texts

from firsthand import InvalidError, Memory, Packet
from firsthand.recall import arms, fill, hydrate
from firsthand.store.sqlite_read import SqliteReader
from firsthand.vocabulary.limits import EPISODE_TEXT_BYTES

ORDINARY = ()
"""What a recall says that lacks nothing."""
MEMORY_MOST = 12 << 20
"""Bytes that a recall may hold at once, over what the process holds; the largest texts that can match are under six."""


def peak(memory: Memory, query: str, **asked: Any) -> tuple[Packet, int]:
    """A packet, and the most memory that making it took; the libraries are loaded before."""
    memory.recall("nothing like it")
    tracemalloc.start()
    try:
        packet = memory.recall(query, **asked)
        return packet, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def within(packet: Packet, max_bytes: int) -> bool:
    """Whether what is shown keeps within a limit, as JSON and as text."""
    shown = [*packet.items, *packet.conflicts]
    return sum(len(msgspec.json.encode(each)) for each in shown) <= max_bytes >= len(packet.render().encode())


def test_ten_mebibytes_of_texts_neither_fill_the_packet_nor_the_memory(tmp_path: Path) -> None:
    long = "wombat " * (EPISODE_TEXT_BYTES // 7 - 2)
    with opened(tmp_path, Still(START)) as memory:
        with pytest.raises(InvalidError, match="over its limit"):
            memory.capture("wombat " * (10 * 1024 * 1024 // 7))
        memory.capture_many([{"text": f"{n} {long}"} for n in range(160)])
        memory.capture("a wombat dug here")
        for max_bytes in (16_384, 262_144):
            packet, most = peak(memory, "which wombat dug?", max_bytes=max_bytes)
            assert texts(packet)[0] == "a wombat dug here"
            assert packet.omitted.bytes > 50
            assert packet.degraded == ORDINARY
            assert within(packet, max_bytes)
            assert most < MEMORY_MOST


def test_twenty_thousand_documents_that_match_are_ranked_in_little_memory_and_few_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hydrated: list[int] = []
    whole = hydrate.items

    def counted(reader: Any, handle: Any, plan: Any, chosen: Any, *given: Any, **named: Any) -> Any:
        hydrated.append(len(chosen))
        return whole(reader, handle, plan, chosen, *given, **named)

    monkeypatch.setattr(fill, "items", counted)
    with opened(tmp_path, Still(START)) as memory:
        memory.capture_many([{"text": f"quokka {n}"} for n in range(20_000)])
        packet, most = peak(memory, "quokka")
        assert packet.degraded == ORDINARY
        assert (packet.returned, packet.matching) == (8, 60)
        assert sum(hydrated) <= 60
        assert within(packet, 16_384)
        assert most < MEMORY_MOST
        assert texts(memory.recall("quokka 17"))[0] == "quokka 17"


def test_words_that_are_in_every_record_share_the_work_of_one_recall_and_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    whole = SqliteReader.postings

    def counted(self: SqliteReader, *asked: Any) -> str:
        found = whole(self, *asked)
        read.append(found.count(",") + 1 if found else 0)
        return found

    monkeypatch.setattr(SqliteReader, "postings", counted)
    monkeypatch.setattr(arms, "POSTINGS_PER_RECALL", 10_000)
    words = " ".join(f"animal{n}" for n in range(40))
    with opened(tmp_path, Still(START)) as memory:
        memory.capture_many([{"text": f"{words} seen {n}"} for n in range(2_000)])
        rare = memory.recall("seen 17 times")
        assert rare.degraded == ORDINARY
        assert texts(rare)[0].endswith("seen 17")
        read.clear()
        packet = memory.recall(words)
        assert packet.degraded == (*ORDINARY, "lexical_terms_capped")
        assert packet.returned == 8
        assert 0 < sum(read) <= 10_000 + 40
        newest = [memory.recall(f"{words} seen", limit=1).items[0].text for _ in range(2)]
        with opened(tmp_path, Still(START)) as fresh:
            assert newest == [fresh.recall(f"{words} seen", limit=1).items[0].text] * 2
            assert fresh.recall("seen 17 times").degraded == ORDINARY


@pytest.mark.parametrize(("sides", "degraded"), [(12, ORDINARY), (140, (*ORDINARY, "conflict_capped"))])
def test_a_dispute_of_many_is_shown_as_far_as_a_cap_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sides: int, degraded: tuple[str, ...]
) -> None:
    asked: list[str] = []
    whole = SqliteReader.open_rows

    def counted(self: SqliteReader, unit: str) -> Any:
        asked.append(unit)
        return whole(self, unit)

    with opened(tmp_path, Still(START)) as memory:
        for n in range(sides):
            with opened(tmp_path, Still(START + n), actor=f"p{n}") as person:
                person.remember(subject="lamp", predicate="located_in", object=f"shelf {n}")
        monkeypatch.setattr(SqliteReader, "open_rows", counted)
        packet = memory.recall("shelf 3", kinds=["semantic"], max_bytes=262_144)
        assert packet.degraded == degraded
        assert (len(packet.conflicts), len(packet.items)) == (1, 0)
        shown = everything(packet)
        assert "lamp located in shelf 3" in {item.text for item in shown}
        assert len(shown) == sides if degraded == ORDINARY else 32 < len(shown) <= 60 + 30 + 32
        assert len(asked) == len(set(asked)) == 1
        assert within(memory.recall("shelf 3", kinds=["semantic"]), 16_384)


def test_a_record_of_many_revisions_takes_one_place_and_is_hydrated_once(tmp_path: Path) -> None:
    with opened(tmp_path, Still(START)) as memory:
        crane = memory.remember("The crane is green").record_id
        for n in range(40):
            memory.correct(crane, f"The crane is green, shade {n}", reason="it was repainted")
        memory.remember("The crane is old")
        packet, most = peak(memory, "what colour is the crane, green?", kinds=["semantic"])
        assert texts(packet)[0] == "The crane is green, shade 39"
        assert {item.record_id for item in packet.items if item.record_id == crane} == {crane}
        assert packet.returned == 2
        assert packet.degraded == ORDINARY
        assert most < MEMORY_MOST
