"""What is forgotten as private: out of view with all that says it, earlier and later, and back again once restored."""

from __future__ import annotations

from pathlib import Path

from stores import Ticking, opened, texts
from test_stone_arrivals import arrive
from test_stone_arrivals import told as tell
from test_stone_masks import EVERY_KIND, LATER, digests, told

from firsthand import Memory, cite
from firsthand.rules.bearing import assertions_of
from firsthand.vocabulary.entries import Body, Revise, Show, Tombstone, root_of
from firsthand.vocabulary.records import Episodic

WITHHELD = "[withheld]"


def forget(memory: Memory, record_id: str | None) -> str:
    """Withdrawn as private; its record."""
    return memory.forget(record_id, because="private").record_id or ""


def withdrawn_value(memory: Memory, record_id: str) -> Tombstone:
    """What a record says, as another store names it that knows no text of this one."""
    with memory._engine.store.reading(memory.space) as reader:
        root = reader.get(root_of(record_id))
    assert root is not None
    claim = assertions_of(root)[0].claim
    return Tombstone(value=claim.value, subject=claim.subject, predicate=claim.predicate, one=claim.one)


def test_what_says_it_is_withheld_wherever_it_is_read(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        first, second, fact = told(memory)
        forget(memory, fact)
        assert memory.read(first).item.text == f"{WITHHELD} She likes tea."
        assert memory.read(second).item.text == f"{WITHHELD} Ben lives in Berlin too."
        (own,) = memory.read(first).item.citations
        assert own.quote == f"{WITHHELD} She likes tea."
        assert {e.text for e in memory.history(first).entries} == {f"{WITHHELD} She likes tea."}
        packet = memory.recall("What does Ana like, tea? Has she a flat?", kinds=EVERY_KIND)
        flat = next(i for i in packet.items if i.text == "Ana has a flat")
        assert [c.quote for c in flat.citations] == [f"{WITHHELD} She"]
        assert "Ana lives" not in packet.render()
        assert memory.recall("tea").items
        found = [i for i in memory.recall("berlin", kinds=EVERY_KIND).items if "lexical" in {w.arm for w in i.why}]
        assert [i.text for i in found] == [f"{WITHHELD} Ben lives in Berlin too."]


def test_a_plain_withdrawal_leaves_the_sayings_readable(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        first, _, fact = told(memory)
        memory.withdraw(fact, reason="not now")
        assert memory.read(first).item.text == "Ana lives in Berlin. She likes tea."
        forget(memory, fact)
        assert memory.read(first).item.text == f"{WITHHELD} She likes tea."


def test_a_quote_that_names_nobody_is_withheld_where_it_backed_the_claim_and_later_ones_too(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        said = "Well, she moved there in May, you know."
        talk, later = memory.capture(said, speaker="Ben"), memory.capture(said, speaker="Cleo")
        claim = {"subject": "Ana", "predicate": "lives_in", "object": "Berlin"}
        fact = memory.remember(**claim, evidence=[cite(talk.record_id or "", quote="she moved there in May")])
        forget(memory, fact.record_id)
        assert memory.read(talk.record_id or "").item.text == f"Well, {WITHHELD}, you know."
        assert memory.read(later.record_id or "").item.text == said
        memory.remember(**claim, evidence=[cite(later.record_id or "", quote="she moved there in May")])
        assert memory.read(later.record_id or "").item.text == f"Well, {WITHHELD}, you know."


def test_what_is_said_of_it_later_is_stored_withheld_and_the_receipt_says_so(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        fact = memory.remember(subject="Ana", predicate="plays", object="cello")
        forget(memory, fact.record_id)
        talk = memory.capture("I play the cello on Sundays. It rains.", speaker="Ana")
        assert talk.notes == ("private_masked",)
        assert memory.read(talk.record_id or "").item.text == f"{WITHHELD} It rains."
        again = memory.remember(subject="Ana", predicate="plays", object="cello")
        assert (again.outcome, again.notes) == ("reinforced", ("hidden_until_restored",))
        near = memory.remember("Ana bought a cello in May")
        assert near.notes == ("private_masked",)
        assert near.standing is not None
        assert near.standing.status == "active"
        assert memory.read(near.record_id or "").item.text == WITHHELD
        task = memory.remember(payload={"kind": "working", "thread_id": "m", "state": "planning",
                                        "context_summary": "Ana needs a cello. It rains."})  # fmt: skip
        assert WITHHELD in memory.read(task.record_id or "").item.text
        assert "cello" not in memory.recall("cello Ana rains", kinds=EVERY_KIND).render()
        assert memory.recall("rains").items
        memory.restore(fact.record_id or "", reason="no secret any more")
        assert memory.read(talk.record_id or "").item.text == "I play the cello on Sundays. It rains."
        assert memory.read(near.record_id or "").item.text == "Ana bought a cello in May"
        assert memory.capture("I play the cello, still.", speaker="Ana").notes == ()


def test_the_past_is_withheld_as_well(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        _, _, fact = told(memory)
        before = memory.ledger.head().received_at
        forget(memory, fact)
        then = memory.recall("tea", known_at=before, kinds=["episodic"])
        assert f"{WITHHELD} She likes tea." in texts(then)
        assert "Ana lives" not in then.render()
        memory.restore(fact, reason="no secret")
        then = memory.recall("tea", known_at=before, kinds=["episodic"])
        assert "Ana lives in Berlin. She likes tea." in texts(then)


def test_restoring_brings_back_every_word_and_every_row(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        _, _, fact = told(memory)
        memory.remember(payload={"kind": "entity", "canonical_name": "Ana", "summary": "from Berlin"})
        memory.remember("Ana knows Berlin well", subject="Ana", predicate="knows", object="Berlin")
        before = digests(memory)
        words = [sorted(texts(memory.recall(q, kinds=EVERY_KIND))) for q in ("Berlin", "Ana", "tea")]
        forget(memory, fact)
        hidden = digests(memory)
        assert {t for t in before if hidden[t] != before[t]} >= {"mask", "mention", "lex"}
        assert memory.ledger.rebuild().same
        memory.restore(fact, reason="no secret")
        after = digests(memory)
        assert {t for t in before if after[t] != before[t]} == set(LATER)
        assert [sorted(texts(memory.recall(q, kinds=EVERY_KIND))) for q in ("Berlin", "Ana", "tea")] == words
        assert memory.ledger.rebuild().same
        assert memory.ledger.verify(deep=True).deep


def test_it_holds_through_a_restart_and_a_rebuild(tmp_path: Path) -> None:
    clock = Ticking()
    with opened(tmp_path, clock) as memory:
        first, _, fact = told(memory)
        forget(memory, fact)
    with opened(tmp_path, clock) as memory:
        assert memory.ledger.rebuild().same
        assert memory.read(first).item.text == f"{WITHHELD} She likes tea."
        again = memory.capture("Ana lives in Berlin. She likes tea.", speaker="Ben", thread="t")
        assert memory.read(again.record_id or "").item.text == f"{WITHHELD} She likes tea."


def test_undoing_the_withdrawal_shows_everything_again(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        first, _, fact = told(memory)
        entry = memory.forget(fact, because="private").entry_id or ""
        assert memory.read(first).item.text.startswith(WITHHELD)
        undone = memory.undo(entry, reason="a slip")
        assert memory.read(first).item.text == "Ana lives in Berlin. She likes tea."
        memory.undo(undone.entry_id or "", reason="no slip")
        assert memory.read(first).item.text.startswith(WITHHELD)


def test_what_another_store_wrote_is_masked_here_and_what_is_private_there_masks_words_here(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        fact = memory.remember(subject="Ana", predicate="lives_in", object="Berlin").record_id or ""
        mine = memory.capture("I hear Ana is in Berlin. It rains.", speaker="Ben").record_id or ""
        value = withdrawn_value(memory, fact)
        there = arrive(memory, Show(verb="withdraw", hides=value), Body(reason="so"), fact)
        assert tell(memory, there)
        theirs = arrive(memory, Revise(record_kind="episodic"), Body(payload=Episodic(text="Ana is in Berlin. So.")))
        assert tell(memory, theirs)
        assert memory.read(mine).item.text == f"{WITHHELD} It rains."
        assert memory.read("r" + theirs[1:]).item.text == f"{WITHHELD} So."
        assert memory.ledger.rebuild().same
        memory.restore(fact, reason="no secret")
        assert memory.read(mine).item.text == "I hear Ana is in Berlin. It rains."
        assert memory.read("r" + theirs[1:]).item.text == "Ana is in Berlin. So."
        assert memory.ledger.rebuild().same


def test_what_was_also_rejected_stays_masked_when_either_is_taken_back(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        fact = memory.remember(subject="Ana", predicate="plays", object="cello")
        stone = memory.reject(value=("Ana", "plays", "cello"), reason="never").entry_id or ""
        forget(memory, fact.record_id)
        talk = memory.capture("Ana plays the cello. It rains.", speaker="Ben").record_id or ""
        memory.lift(stone, reason="well")
        assert memory.read(talk).item.text == f"{WITHHELD} It rains."
        memory.restore(fact.record_id or "", reason="no secret")
        assert memory.read(talk).item.text == "Ana plays the cello. It rains."


def test_an_agents_wish_on_anothers_record_is_a_proposal_that_keeps_it_private(tmp_path: Path) -> None:
    clock = Ticking()
    with opened(tmp_path, clock) as ana, opened(tmp_path, clock, role="agent", actor="bot", owner="ben") as bot:
        first, _, fact = told(ana)
        assert bot.forget(fact, because="private").outcome == "proposed"
        assert ana.read(first).item.text == "Ana lives in Berlin. She likes tea."
        (item,) = ana.review.list(kind="proposals").items
        ana.review.decide(item.item_id, "approve", reason="yes")
        assert ana.read(first).item.text == f"{WITHHELD} She likes tea."


def test_a_skill_that_is_private_withholds_what_it_rests_on(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        talk = memory.capture("Turn the key twice, then push. It rains.", speaker="Ana").record_id or ""
        skill = memory.remember(
            payload={"kind": "competence", "skill_name": "vault",
                     "triggers": [{"signal": "open the vault"}], "recipe": [{"step": "turn"}]},
            evidence=[cite(talk, quote="Turn the key twice, then push.")],
        )  # fmt: skip
        forget(memory, skill.record_id)
        assert memory.read(talk).item.text == f"{WITHHELD} It rains."
        memory.restore(skill.record_id or "", reason="so")
        assert memory.read(talk).item.text == "Turn the key twice, then push. It rains."
