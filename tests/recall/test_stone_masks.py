"""What a tombstone hides of words that stay: in every answer, at the times it binds, and back again once lifted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from stores import everything, lift, opened, reject, texts, withdraw

from firsthand import Memory, cite

EVERY_KIND: Any = ["episodic", "semantic", "working", "entity", "competence", "plan_graph"]
LATER = ("bearing", "scope", "belief")
"""What a rejection and its lift leave behind: entries bear on something, counters went on, beliefs have a past."""


def digests(memory: Memory) -> dict[str, str]:
    with memory._engine.store.reading(memory.space) as reader:
        return reader.digests()


def told(memory: Memory) -> tuple[str, str, str]:
    """Talk about Ana: what backs the claim, what only holds it, and what another claim quotes of it; their ids."""
    first = memory.capture("Ana lives in Berlin. She likes tea.", speaker="Ben", thread="t")
    second = memory.capture("I heard that Ana moved to Berlin! Ben lives in Berlin too.", speaker="Cleo", thread="t")
    quote = cite(first.record_id or "", quote="Ana lives in Berlin")
    fact = memory.remember("Ana lives in Berlin", subject="Ana", predicate="lives_in", object="Berlin",
                           evidence=[quote])  # fmt: skip
    other = memory.remember("Ana has a flat", evidence=[cite(first.record_id or "", quote="Ana lives in Berlin. She")])
    assert other.outcome == "stored"
    return first.record_id or "", second.record_id or "", fact.record_id or ""


def stone(memory: Memory) -> str:
    """The mark of the newest entry."""
    return f"[rejected: {memory.ledger.head().entry_id}]"


def test_what_backed_a_rejected_claim_and_what_holds_it_read_as_rejected(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        first, second, fact = told(memory)
        reject(memory, fact)
        mark = stone(memory)
        assert memory.read(first).item.text == f"{mark} She likes tea."
        assert memory.read(second).item.text == f"{mark} Ben lives in Berlin too."
        (own,) = memory.read(first).item.citations
        assert own.quote == f"{mark} She likes tea."
        assert {e.text for e in memory.history(first).entries} == {f"{mark} She likes tea."}
        assert {b.text for b in memory.history(first).beliefs} == {f"{mark} She likes tea."}
        packet = memory.recall("What does Ana like, tea? Has she a flat?", kinds=EVERY_KIND)
        flat = next(i for i in packet.items if i.text == "Ana has a flat")
        assert [c.quote for c in flat.citations] == [f"{mark} She"]
        assert [s.citation.quote for s in memory.read(flat.record_id).supports if s.citation] == [f"{mark} She"]
        assert "Ana lives" not in packet.render()
        assert "moved" not in packet.render()


def test_a_quote_that_names_nobody_is_masked_where_it_backed_the_claim(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        talk = memory.capture("Well, she moved there in May, you know.", speaker="Ben")
        quote = cite(talk.record_id or "", quote="she moved there in May")
        fact = memory.remember(subject="Ana", predicate="lives_in", object="Berlin", evidence=[quote])
        reject(memory, fact.record_id or "")
        assert memory.read(talk.record_id or "").item.text == f"Well, {stone(memory)}, you know."


def test_a_search_for_a_masked_word_finds_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.capture("Ana lives in Wuppertal. She likes tea.", speaker="Ben")
        fact = memory.remember(subject="Ana", predicate="lives_in", object="Wuppertal")
        assert memory.recall("wuppertal", kinds=EVERY_KIND).items
        reject(memory, fact.record_id or "")
        for query in ("wuppertal", "Who lives in Wuppertal?"):
            found = everything(memory.recall(query, kinds=EVERY_KIND, include=["candidates", "superseded", "pending"]))
            assert [i.text for i in found if "lexical" in {w.arm for w in i.why}] == []
        assert memory.recall("wuppertal", kinds=EVERY_KIND).items == ()
        assert memory.recall("tea").items


def test_lifting_restores_every_word_and_every_row(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        first, second, fact = told(memory)
        memory.remember(payload={"kind": "working", "thread_id": "m", "state": "planning", "context_summary":
                                 "Ana moves to Berlin"})  # fmt: skip
        memory.remember(payload={"kind": "entity", "canonical_name": "Ana", "summary": "from Berlin"})
        memory.remember("Ana knows Berlin well", subject="Ana", predicate="knows", object="Berlin")
        before = digests(memory)
        words = [sorted(texts(memory.recall(q, kinds=EVERY_KIND))) for q in ("Berlin", "Ana", "tea")]
        reject(memory, fact)
        masked = digests(memory)
        assert {t for t in before if masked[t] != before[t]} == {
            *LATER,
            "doc",
            "mask",
            "mention",
            "lex",
            "lex_rest",
            "vector",
        }
        assert memory.ledger.rebuild().same
        assert digests(memory) == masked
        lift(memory)
        after = digests(memory)
        assert {t for t in before if after[t] != before[t]} == set(LATER)
        assert [sorted(texts(memory.recall(q, kinds=EVERY_KIND))) for q in ("Berlin", "Ana", "tea")] == words
        assert memory.ledger.rebuild().same
        assert memory.read(first).item.text == "Ana lives in Berlin. She likes tea."
        assert memory.read(second).item.text.startswith("I heard that Ana moved")
        assert memory.ledger.verify(deep=True).deep


def test_lifting_one_of_two_leaves_the_other(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        talk = memory.capture("Ana lives in Berlin. Ana lives in Rome. Done.", speaker="Ben")
        berlin = memory.remember(subject="Ana", predicate="lives_in", object="Berlin")
        rome = memory.remember(subject="Ana", predicate="lives_in", object="Rome")
        reject(memory, berlin.record_id or "")
        kept = stone(memory)
        reject(memory, rome.record_id or "")
        lift(memory)
        assert memory.read(talk.record_id or "").item.text == f"{kept} Ana lives in Rome. Done."


def test_new_words_are_stored_and_masked_where_they_say_it(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        _, _, fact = told(memory)
        reject(memory, fact)
        mark = stone(memory)
        talk = memory.capture("Guess what. ANA is in B\u0435rlin! It rains.", speaker="Dan")
        assert talk.notes == ("tombstone_near",)
        assert memory.capture("Guess what. It rains again.", speaker="Dan").notes == ()
        assert memory.read(talk.record_id or "").item.text == f"Guess what. {mark} It rains."
        own = memory.capture("I live in Berlin now. It rains.", speaker="Ana")
        assert memory.read(own.record_id or "").item.text == f"{mark} It rains."
        assert memory.recall("guess").items
        assert [i.text for i in memory.recall("berlin", kinds=["episodic"]).items if "lexical" in
                {w.arm for w in i.why}] == [f"{mark} Ben lives in Berlin too."]  # fmt: skip
        lift(memory)
        assert memory.read(talk.record_id or "").item.text == "Guess what. ANA is in B\u0435rlin! It rains."
        assert memory.ledger.rebuild().same


def test_the_source_text_fed_again_brings_nothing_back(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        said = "We spoke for long. They moved to a house by the old northern harbour. Then it rained."
        talk = memory.capture(said, speaker="Ben")
        quote = cite(talk.record_id or "", quote="They moved to a house by the old northern harbour.")
        fact = memory.remember("The Silvas live at the harbour", evidence=[quote])
        reject(memory, fact.record_id or "")
        mark = stone(memory)
        again = memory.capture(said, speaker="Ben")
        for record in (talk, again):
            assert memory.read(record.record_id or "").item.text == f"We spoke for long. {mark} Then it rained."


def test_a_correction_masks_from_its_own_time_on(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        first, second, fact = told(memory)
        before = memory.read(fact).item.believed_since
        corrected = memory.correct(fact, object="Lisbon", reason="misheard")
        mark = stone(memory)
        assert memory.read(first).item.text == f"{mark} She likes tea."
        assert memory.read(second).item.text == f"{mark} Ben lives in Berlin too."
        then = memory.recall("Where does Ana live?", known_at=before, kinds=EVERY_KIND)
        quotes = {c.quote for i in then.items if i.record_id == fact for c in i.citations}
        assert quotes == {"Ana lives in Berlin"}
        assert "Ana lives in Berlin" in {e.text for e in memory.history(fact).entries}
        now = memory.recall("Where does Ana live?", known_at=corrected.known_at, kinds=EVERY_KIND)
        assert not any("in Berlin" in c.quote for i in now.items for c in i.citations if i.record_id == fact)


def test_a_rejection_masks_at_every_time_asked_about(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        first, _, fact = told(memory)
        before = memory.read(fact).item.believed_since
        reject(memory, fact)
        packet = memory.recall("tea Ana Berlin", known_at=before + 1, kinds=EVERY_KIND)
        assert first in {i.record_id for i in packet.items}
        assert "lives in Berlin." not in packet.render().replace("Ben lives in Berlin", "")


def test_a_retraction_masks_only_what_nobody_else_still_says(tmp_path: Path) -> None:
    with opened(tmp_path) as memory, opened(tmp_path, actor="ben") as ben:
        talk = memory.capture("The gate code is 4711. Bye.", speaker="Cleo")
        quote = cite(talk.record_id or "", quote="The gate code is 4711.")
        fact = memory.remember(subject="gate", predicate="code", object=4711, evidence=[quote])
        said = memory.read(talk.record_id or "").item.text
        ben.remember(subject="gate", predicate="code", object=4711, evidence=[quote])
        memory.retract(fact.record_id, reason="I was not there")
        assert memory.read(talk.record_id or "").item.text == said
        ben.retract(fact.record_id, reason="nor was I")
        masked = memory.read(talk.record_id or "").item.text
        assert masked.startswith("[rejected: e")
        assert masked.endswith("] Bye.")
        assert memory.ledger.rebuild().same


def test_the_reason_of_a_rejection_does_not_say_it_again(tmp_path: Path) -> None:
    from stores import write

    from firsthand.rules.bearing import assertions_of
    from firsthand.vocabulary.entries import Reject, Tombstone, root_of

    with opened(tmp_path) as memory:
        _, _, fact = told(memory)
        kept = memory.remember(subject="Ana", predicate="lives_in", object="Lisbon")
        with memory._engine.store.reading(memory.space) as reader:
            root = reader.get(root_of(fact))
        assert root is not None
        c = assertions_of(root)[0].claim
        named = Tombstone(value=c.value, subject=c.subject, predicate=c.predicate, one=c.one, absolute=True)
        write(memory, Reject(tombstone=named), kept.record_id, reason="She never lived in Berlin. She asked for this.")
        reasons = [e.reason for e in memory.history(kept.record_id or "").entries]
        assert reasons[-1] == f"{stone(memory)} She asked for this."


SPELLINGS: list[tuple[object, str]] = [
    ("Berlin", "\u0410n\u0430 lives in B\u0435rlin"),
    ("Berlin", "\uff21\uff4e\uff41 lives in \uff22\uff45\uff52\uff4c\uff49\uff4e"),
    ("Berlin", "Ana lives in B\u200berlin"),
    ("Berlin", "Annie lives in Berlin"),
    ("Berlin", "Ana lives in Spree-Athen"),
    ("14C", "Ana sits in 14 C"),
    ("14 C", "Ana sits in 14-C"),
    (1000, "Ana has 1,000 of them"),
    (1000, "Ana has 1 000 of them"),
    ("30 days", "Ana keeps them 30d"),
    ("2026-05-09", "Ana begins on 9 May 2026"),
    ("C++", "Ana likes c++ best"),
]


@pytest.mark.parametrize(("value", "sentence"), SPELLINGS)
def test_a_spelling_is_masked_alike_before_and_after_the_rejection(
    value: object, sentence: str, tmp_path: Path
) -> None:
    with opened(tmp_path) as memory:
        memory.remember(payload={"kind": "entity", "canonical_name": "Ana", "aliases": [{"value": "Annie"}]})
        memory.remember(payload={"kind": "entity", "canonical_name": "Berlin", "aliases": [{"value": "Spree-Athen"}]})
        before = memory.capture(f"{sentence}. It rains.", speaker="Zoe").record_id or ""
        other = memory.capture("Ana has 15 B, 2,000 and Bern. It rains.", speaker="Zoe").record_id or ""
        memory.reject(value={"subject": "Ana", "predicate": "has", "object": value}, reason="never")
        mark = stone(memory)
        after = memory.capture(f"{sentence}. It rains.", speaker="Ben").record_id or ""
        assert [memory.read(i).item.text for i in (before, after)] == [f"{mark} It rains."] * 2
        assert memory.read(other).item.text == "Ana has 15 B, 2,000 and Bern. It rains."


SAID = "Ana never lived in Berlin, it was a guess. She said so."
"""A reason that says what is rejected later."""


def reasons_of(memory: Memory, record_id: str) -> list[str | None]:
    return [e.reason for e in memory.history(record_id).entries]


def test_a_reason_given_before_the_rejection_does_not_say_it_in_history(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        fact = memory.remember(subject="Ana", predicate="lives_in", object="Lisbon", reason=SAID).record_id or ""
        memory.contest(fact, reason=SAID)
        memory.settle(fact, reason=SAID)
        corrected = memory.correct(fact, object="Porto", reason=SAID)
        memory.withdraw(fact, reason=SAID)
        memory.restore(fact, reason=SAID)
        berlin = memory.remember(subject="Ben", predicate="knows", object="Ana", reason="Ben met Ana in Lisbon.")
        memory.retract(berlin.record_id, reason=SAID)
        before = reasons_of(memory, fact)
        assert set(before) == {SAID}
        memory.reject(value={"subject": "Ana", "predicate": "lives_in", "object": "Berlin"}, reason="never again")
        hidden = f"{stone(memory)} She said so."
        assert reasons_of(memory, fact) == [hidden] * len(before)
        assert reasons_of(memory, berlin.record_id or "") == ["Ben met Ana in Lisbon.", hidden]
        utterance = memory.read(corrected.evidence_id or "").item
        assert "Berlin" not in utterance.text + "".join(c.quote for c in utterance.citations)
        assert "Porto" in utterance.text
        assert all("Berlin" not in str(e.text) for e in memory.history(corrected.evidence_id or "").entries)
        other = memory.at(scope="project:other")
        elsewhere = other.remember(subject="Ana", predicate="lives_in", object="Rome", reason=SAID)
        assert reasons_of(memory, elsewhere.record_id or "") == [SAID], "it was rejected in one scope alone"
        lift(memory)
        assert reasons_of(memory, fact) == before
        assert "Berlin" in memory.read(corrected.evidence_id or "").item.text


def test_withdrawn_evidence_is_withheld_and_comes_back_in_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        talk = memory.capture("The secret garden opens at nine", speaker="Cleo")
        fact = memory.remember("the garden opens at nine", evidence=[cite(talk.record_id or "", quote="at nine")])
        withdraw(memory, talk.record_id or "")
        (item,) = memory.recall("when does the garden open?").items
        assert item.record_id == fact.record_id
        assert [(c.record_id, c.quote, c.speaker) for c in item.citations] == [(talk.record_id, "[withheld]", None)]
