"""What recall answers, end to end on real files: sources, qualifiers, times, conflicts, counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from stores import (
    DAY,
    START,
    Ticking,
    erase,
    everything,
    matched_counts,
    opened,
    reader_of,
    reject,
    said,
    texts,
    withdraw,
)

from firsthand.recall.hydrate import CITATIONS_PER_ITEM
from firsthand.vocabulary.errors import DeniedError, InvalidError
from firsthand.vocabulary.grants import Grant
from firsthand.vocabulary.packets import Item


def only(items: list[Item]) -> Item:
    (item,) = items
    return item


# ---- sources ---------------------------------------------------------------------------------------------------------


def test_every_quote_is_exactly_what_stands_at_its_span_in_the_cited_episode(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        long = "Good morning! Ćwiczę polski — the kettle descaling day is Friday, 12 June. Bye."
        episode = memory.capture(long, speaker="Ben", occurred_at="2026-01-01T09:00:00Z", source_id="chat-7")
        quote = "the kettle descaling day is Friday"
        memory.remember(
            "Kettle descaling happens on Fridays", evidence=[{"record_id": episode.record_id, "quote": quote}]
        )
        packet = memory.recall("When is the kettle descaled, descaling day?")
        claim = only([i for i in packet.items if i.kind == "semantic"])
        citation = only(list(claim.citations))  # type: ignore[arg-type]
        start, end = citation.span
        assert citation.quote == quote == long[start:end]
        assert (citation.record_id, citation.speaker, citation.source) == (episode.record_id, "Ben", "chat-7")
        stored = memory.read(citation.record_id).item
        assert stored.text[start:end] == citation.quote
        for item in packet.items:
            for each in item.citations:
                assert memory.read(each.record_id).item.text[each.span[0] : each.span[1]] == each.quote


def test_a_claim_without_evidence_cites_its_own_utterance_whole_and_takes_one_place(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        receipt = memory.remember("Ana keeps bees on the roof")
        packet = memory.recall("Who keeps bees?")
        item = only(list(packet.items))
        assert item.record_id == receipt.record_id
        assert [c.record_id for c in item.citations] == [receipt.evidence_id]
        assert item.citations[0].quote == "Ana keeps bees on the roof"
        assert item.citations[0].attested
        assert packet.matching == 1


def test_the_same_claim_from_several_sources_takes_one_place_and_keeps_them_all(tmp_path: Path) -> None:
    with opened(tmp_path) as memory, opened(tmp_path, actor="ben") as ben:
        first = memory.remember(subject="orion", predicate="deadline", object="2026-03-01")
        second = ben.remember(subject="orion", predicate="deadline", object="2026-03-01")
        assert second.record_id == first.record_id
        packet = memory.recall("What is orion's deadline?")
        item = only([i for i in packet.items if i.kind == "semantic"])
        assert item.supports == 2
        assert {c.record_id for c in item.citations} == {first.evidence_id, second.evidence_id}
        assert first.evidence_id not in {i.record_id for i in packet.items}


def test_at_most_five_sources_are_cited_and_all_are_counted(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        for day in range(7):
            episode = memory.capture(f"Note {day}: the harbour gate code is 4711", occurred_at=START + day)
            memory.remember(
                "Harbour gate code is 4711", subject="harbour gate", predicate="port", object=4711,
                evidence=[{"record_id": episode.record_id, "quote": "the harbour gate code is 4711"}],
            )  # fmt: skip
        item = only([i for i in memory.recall("harbour gate code").items if i.kind == "semantic"])
        assert (item.supports, len(item.citations)) == (7, CITATIONS_PER_ITEM)


def test_a_withdrawn_source_still_counts_and_its_words_are_withheld(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        kept = memory.capture("Open note: the lighthouse is painted white", speaker="Ben")
        gone = memory.capture("Private note: the lighthouse is painted white, said my doctor", speaker="Cleo")
        for episode, quote in ((kept, "the lighthouse is painted white"), (gone, "the lighthouse is painted white")):
            memory.remember(
                subject="lighthouse", predicate="status", object="white",
                evidence=[{"record_id": episode.record_id, "quote": quote}],
            )  # fmt: skip
        before = only([i for i in memory.recall("lighthouse status").items if i.kind == "semantic"])
        assert before.supports == 2
        withdraw(memory, gone.record_id or "")
        after = only([i for i in memory.recall("lighthouse status").items if i.kind == "semantic"])
        assert [(c.record_id, c.quote, c.speaker) for c in after.citations] == [
            (kept.record_id, "the lighthouse is painted white", "Ben"),
            (gone.record_id, "[withheld]", None),
        ]
        assert after.supports == 2
        items = memory.recall("lighthouse doctor painted").items
        assert items
        assert not any("doctor" in str(i) for i in items)
        view = memory.read(after.record_id)
        assert {s.citation.quote for s in view.supports if s.citation and s.citation.record_id == gone.record_id} == {
            "[withheld]"
        }


# ---- qualifiers and times --------------------------------------------------------------------------------------------


def test_what_ended_says_until_when_what_begins_says_from_when_and_what_holds_ranks_first(tmp_path: Path) -> None:
    with opened(tmp_path, Ticking(START + 100 * DAY)) as memory:
        memory.remember(
            "Ana lives in Berlin",
            subject="Ana",
            predicate="lives_in",
            object="Berlin",
            valid_from=START,
            valid_to=START + 40 * DAY,
        )
        memory.remember(
            "Ana lives in Porto", subject="Ana", predicate="lives_in", object="Porto", valid_from=START + 200 * DAY
        )
        memory.remember(
            "Ana lives in Lisbon",
            subject="Ana",
            predicate="lives_in",
            object="Lisbon",
            valid_from=START + 41 * DAY,
            valid_to=START + 200 * DAY,
        )
        claims = [i for i in memory.recall("Where does Ana live?").items if i.kind == "semantic"]
        assert claims[0].text == "Ana lives in Lisbon"
        words = {i.text: (i.qualifier.code, i.qualifier.text) for i in claims}
        assert words["Ana lives in Berlin"] == ("ended", "true until 2026-02-10")
        assert words["Ana lives in Porto"] == ("future", "true from 2026-07-20")
        assert words["Ana lives in Lisbon"] == ("current", "current, until 2026-07-20")


def test_a_stated_valid_at_is_strict(tmp_path: Path) -> None:
    with opened(tmp_path, Ticking(START + 100 * DAY)) as memory:
        memory.remember(
            "Ana lives in Berlin",
            subject="Ana",
            predicate="lives_in",
            object="Berlin",
            valid_from=START,
            valid_to=START + 40 * DAY,
        )
        memory.remember(
            "Ana lives in Lisbon", subject="Ana", predicate="lives_in", object="Lisbon", valid_from=START + 40 * DAY
        )
        for at, home in ((START + DAY, "Berlin"), (START + 40 * DAY - 1, "Berlin"), (START + 40 * DAY, "Lisbon")):
            packet = memory.recall("Where does Ana live?", valid_at=at, kinds=["semantic"])
            assert texts(packet) == [f"Ana lives in {home}"]
            assert packet.items[0].qualifier.code == "current"
        none = memory.recall("Where does Ana live?", valid_at=START - DAY, kinds=["semantic"])
        assert (texts(none), none.why_empty) == ([], "nothing_matched")


def test_a_change_ends_the_old_value_and_says_when_it_was_said_of_the_saying(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        spoken = memory.capture("By the way, I moved and live in Berlin near the canal now", speaker="ana")
        old = memory.remember(
            "Ana lives in Berlin", subject="Ana", predicate="lives_in", object="Berlin",
            evidence=[{"record_id": spoken.record_id, "quote": "live in Berlin"}],
        )  # fmt: skip
        new = memory.change(old.record_id, object="Lisbon", reason="she moved")
        packet = memory.recall("Where does Ana live, Berlin?")
        codes = {i.record_id: i.qualifier for i in packet.items}
        assert codes[new.record_id or ""].code == "current"
        assert codes[old.record_id or ""].code == "ended"
        saying = codes[spoken.record_id or ""]
        assert saying.code == "said_then"
        assert saying.see == new.record_id
        assert saying.text.startswith("said then; since 2026-01-01 see ")
        order = [i.record_id for i in packet.items]
        assert order.index(new.record_id or "") < order.index(spoken.record_id or "")


def test_a_saying_whose_end_the_reader_may_not_see_says_nothing_of_it(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        spoken = memory.capture("I live in Berlin near the canal", speaker="ana")
        old = memory.remember(
            "Ana lives in Berlin", subject="Ana", predicate="lives_in", object="Berlin", sensitivity="high",
            evidence=[{"record_id": spoken.record_id, "quote": "live in Berlin"}],
        )  # fmt: skip
        changed = memory.change(old.record_id, object="Lisbon", reason="she moved")
        seen = {i.record_id: i.qualifier.code for i in memory.recall("live Berlin canal").items}
        assert seen[spoken.record_id or ""] == "said_then"
    with reader_of(tmp_path) as helper:
        for known_at in (None, changed.known_at):
            item = only(list(helper.recall("live Berlin canal", known_at=known_at).items))
            assert (item.record_id, item.qualifier.code) == (spoken.record_id, "current")


def test_what_was_said_before_a_correction_says_so_at_every_instant_that_knew_of_it(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        spoken = memory.capture("The port is 8080 on staging. Ask Ben of the staging port.").record_id or ""
        fact = memory.remember(
            "staging port is 8080", subject="staging", predicate="port", object=8080,
            evidence=[{"record_id": spoken, "quote": "port is 8080"}],
        )  # fmt: skip
        fixed = memory.correct(fact.record_id, object=9090, reason="typo")
        codes = {}
        for name, at in (("before", fact.known_at), ("after", fixed.known_at), ("now", None)):
            items = memory.recall("port staging", known_at=at).items
            codes[name] = only([i for i in items if i.record_id == spoken]).qualifier.code
        assert codes == {"before": "current", "after": "said_then", "now": "said_then"}


def test_a_support_that_was_revoked_or_cannot_be_read_is_not_counted(tmp_path: Path) -> None:
    with opened(tmp_path) as memory, opened(tmp_path, scope="space:", actor="ben") as everywhere:
        sources = [memory.capture("Ben: the kettle is on shelf 3", speaker="Ben").record_id or ""]
        sources += [everywhere.capture(f"note {n}: kettle, shelf 3").record_id or "" for n in range(2)]
        fact = memory.remember("the kettle is on shelf 3", evidence=[{"record_id": s} for s in sources]).record_id
        assert only([i for i in memory.recall("kettle shelf").items if i.record_id == fact]).supports == 3
        revoked = memory.read(fact or "").supports
        support = next(s.support_id for s in revoked if s.citation and s.citation.record_id == sources[1])
        memory.support(fact or "", revoke=support, reason="misread")
        assert only([i for i in memory.recall("kettle shelf").items if i.record_id == fact]).supports == 2
    with reader_of(tmp_path, read=("project:orion",)) as helper:
        seen = only([i for i in helper.recall("kettle shelf", scopes=["project:orion"]).items if i.record_id == fact])
        assert seen.supports == 1
        assert [c.record_id for c in seen.citations] == [sources[0]]


def test_a_claim_that_was_locked_since_says_nothing_of_what_was_said_then(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        spoken = memory.capture("Ana: I live in Berlin near the canal", speaker="Ana").record_id or ""
        old = memory.remember(
            "Ana lives in Berlin", subject="Ana", predicate="lives_in", object="Berlin",
            evidence=[{"record_id": spoken, "quote": "live in Berlin"}],
        )  # fmt: skip
        changed = memory.change(old.record_id, object="Lisbon", reason="she moved")
        with reader_of(tmp_path) as helper:
            items = helper.recall("live Berlin canal", known_at=changed.known_at).items
            assert only([i for i in items if i.record_id == spoken]).qualifier.code == "said_then"
        memory.classify(old.record_id or "", "high", reason="where she lived is nobody's business")
    with reader_of(tmp_path) as helper:
        items = helper.recall("live Berlin canal", known_at=changed.known_at).items
        assert only([i for i in items if i.record_id == spoken]).qualifier.code == "current"


def uses(memory: Any, **more: Any) -> Any:
    return memory.remember(subject="api", predicate="uses", object="redis", **more)


def denials(memory: Any, query: str = "what does the api use, redis?", **asked: Any) -> dict[str, tuple[str, ...]]:
    packet = memory.recall(query, **asked)
    every = [*packet.items, *(i for c in packet.conflicts for i in c.items)]
    for item in every:
        assert ("denied by" in item.qualifier.text) == bool(item.qualifier.denied_by)
    return {i.text: i.qualifier.denied_by for i in every if i.kind == "semantic"}


def test_what_a_person_took_back_and_others_still_say_is_denied_by_that_person(tmp_path: Path) -> None:
    clock = Ticking()
    with opened(tmp_path, clock) as ana, opened(tmp_path, clock, actor="ben") as ben:
        first = uses(ana)
        second = uses(ben)
        ana.retract(first.record_id, reason="I mixed it up")
        assert denials(ben) == {"api uses redis": ("ana",)}
        assert "current; denied by ana" in ben.recall("what does the api use?").render()
        assert denials(ben, known_at=second.known_at) == {"api uses redis": ()}
        uses(ana)
        assert denials(ben) == {"api uses redis": ()}, "she says it again"


def test_what_an_agent_took_back_is_denied_by_nobody(tmp_path: Path) -> None:
    clock = Ticking()
    with opened(tmp_path, clock, actor="bot", role="agent") as bot, opened(tmp_path, clock, actor="ben") as ben:
        first = uses(bot)
        uses(ben)
        bot.retract(first.record_id, reason="misread")
        assert denials(ben) == {"api uses redis": ()}


def test_both_sides_of_a_yes_and_no_say_who_denies_them_and_two_values_do_not(tmp_path: Path) -> None:
    clock = Ticking()
    with opened(tmp_path, clock) as ana, opened(tmp_path, clock, actor="ben") as ben:
        uses(ana)
        denied = uses(ben, polarity="-")
        assert denials(ana) == {"api uses redis": ("ben",), "api not uses redis": ("ana",)}
        for memory, port in ((ana, 8080), (ben, 9090)):
            memory.remember(subject="api", predicate="port", object=port)
        assert denials(ana, "which port has the api?", limit=1) == {"api port 8080": (), "api port 9090": ()}
        ben.classify(denied.record_id, "high", reason="not for everyone")
    with reader_of(tmp_path) as helper:
        assert set(denials(helper).values()) <= {()}


def test_who_denies_it_is_not_told_by_evidence_that_may_not_be_seen(tmp_path: Path) -> None:
    clock = Ticking()
    with opened(tmp_path, clock, actor="bot", role="agent") as bot, opened(tmp_path, clock, actor="ben") as ben:
        uses(bot)
        denied = uses(ben, polarity="-")
        withdraw(ben, denied.evidence_id)
        asked = {"include": ["needs_review"]}
        assert denials(ben, **asked)["api uses redis"] == ()


def test_what_was_not_verified_for_long_may_have_drifted(tmp_path: Path) -> None:
    clock = Ticking()
    with opened(tmp_path, clock) as memory:
        memory.remember("Orion deploys on Tuesdays", volatility="drift_prone")
        memory.remember("Orion was named after the hunter", volatility="stable")
        assert not any(i.qualifier.drifted for i in memory.recall("Orion").items)
        clock.at += 91 * DAY
        drifted = {i.text: i.qualifier for i in memory.recall("Orion").items}
        assert drifted["Orion deploys on Tuesdays"].text == "current; not verified since 2026-01-01, may have drifted"
        assert not drifted["Orion was named after the hunter"].drifted


def test_a_condition_that_is_not_given_is_said_one_that_is_met_ranks_first_and_one_that_speaks_against_leaves_out(
    tmp_path: Path,
) -> None:
    with opened(tmp_path) as memory:
        memory.remember("Builds use cache A", subject="builds", predicate="uses_database", object="A")
        memory.remember(
            "Builds use cache B", subject="builds", predicate="uses_database", object="B", conditions={"branch": "main"}
        )
        open_ = {i.text: i.qualifier for i in memory.recall("builds use cache", kinds=["semantic"]).items}
        assert open_["Builds use cache B"].unmet == ("branch",)
        assert open_["Builds use cache B"].text == "current; on branch = main; not known whether that holds"
        met = memory.recall("builds use cache", kinds=["semantic"], conditions={"branch": "main"})
        assert texts(met)[0] == "Builds use cache B"
        assert met.items[0].qualifier.text == "current; on branch = main"
        against = memory.recall("builds use cache", kinds=["semantic"], conditions={"branch": "dev"})
        assert texts(against) == ["Builds use cache A"]
        matched_counts(against)


def test_the_past_is_what_was_believed_then(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        first = memory.remember("Orion is due 2026-03-01", subject="orion", predicate="deadline", object="2026-03-01")
        second = memory.correct(first.record_id, object="2026-04-01", reason="a typo")
        now = memory.recall("orion deadline due", kinds=["semantic"])
        assert texts(now) == ["Orion is due 2026-04-01"]
        then = memory.recall("orion deadline due", kinds=["semantic"], known_at=first.known_at)
        assert texts(then) == ["Orion is due 2026-03-01"]
        assert then.known_at == first.known_at
        assert then.items[0].qualifier.code == "current"
        assert memory.recall("orion deadline due", known_at=first.known_at - 10 * DAY).why_empty is not None
        assert second.record_id == first.record_id


def test_a_source_that_came_later_is_not_cited_for_what_was_believed_before(tmp_path: Path) -> None:
    with opened(tmp_path) as memory, opened(tmp_path, Ticking(START + DAY), actor="ben") as ben:
        first = memory.remember(subject="orion", predicate="deadline", object="2026-03-01")
        second = ben.remember(subject="orion", predicate="deadline", object="2026-03-01")
        then = only(list(memory.recall("orion deadline", kinds=["semantic"], known_at=first.known_at).items))
        now = only(list(memory.recall("orion deadline", kinds=["semantic"]).items))
        assert [c.record_id for c in then.citations] == [first.evidence_id]
        assert {c.record_id for c in now.citations} == {first.evidence_id, second.evidence_id}
        assert (then.supports, now.supports) == (1, 2)


@pytest.mark.parametrize("lock", ["withdraw", "classify", "reject", "erase"])
def test_what_is_locked_now_is_not_shown_for_the_past_either(tmp_path: Path, lock: str) -> None:
    with opened(tmp_path) as memory:
        kept = memory.remember("The vault code is in the green book")
        locked = memory.remember("The vault code is 4711 for everyone")
        then = locked.known_at
        clearance = "low"
        assert said(memory.recall("vault code", known_at=then)) >= {"The vault code is 4711 for everyone"}
        match lock:
            case "withdraw":
                withdraw(memory, locked.record_id or "")
                withdraw(memory, locked.evidence_id or "")
            case "classify":
                memory.classify(locked.record_id or "", "high", reason="secret")
                memory.classify(locked.evidence_id or "", "high", reason="secret")
            case "reject":
                reject(memory, locked.record_id or "")
                withdraw(memory, locked.evidence_id or "")
            case _:
                erase(memory, locked.record_id or "")
                erase(memory, locked.evidence_id or "")
        for known_at in (None, then):
            packet = memory.recall("vault code", known_at=known_at, clearance=clearance)  # type: ignore[arg-type]
            assert said(packet) == {"The vault code is in the green book"}
            assert kept.record_id in {i.record_id for i in everything(packet)}
            matched_counts(packet)


# ---- conflicts -------------------------------------------------------------------------------------------------------


def test_disputed_claims_stand_in_one_conflict_that_takes_one_place_and_in_no_item(tmp_path: Path) -> None:
    with opened(tmp_path) as ana, opened(tmp_path, Ticking(START + DAY), actor="ben") as ben:
        ana.remember("Orion is due in March", subject="orion", predicate="deadline", object="2026-03-01")
        ben.remember("Orion is due in April", subject="orion", predicate="deadline", object="2026-04-01")
        ana.remember("Orion deadline parties are loud")
        packet = ana.recall("When is orion due, its deadline?", kinds=["semantic"], limit=2)
        conflict = only(list(packet.conflicts))  # type: ignore[arg-type]
        assert conflict.code == "disputed"
        assert {i.text for i in conflict.items} == {"Orion is due in March", "Orion is due in April"}
        assert {i.qualifier.code for i in conflict.items} == {"disputed"}
        assert texts(packet) == ["Orion deadline parties are loud"]
        assert (packet.matching, packet.returned, packet.truncated) == (2, 2, False)
        matched_counts(packet)


def test_a_dispute_is_shown_whole_though_only_one_side_matches(tmp_path: Path) -> None:
    with opened(tmp_path) as ana, opened(tmp_path, Ticking(START + DAY), actor="ben") as ben:
        first = ana.remember("The release is in March", subject="orion", predicate="deadline", object="2026-03-01")
        second = ben.remember("Whenever Noor signs", subject="orion", predicate="deadline", object="2026-04-01")
        packet = ana.recall("release March", kinds=["semantic"])
        conflict = only(list(packet.conflicts))  # type: ignore[arg-type]
        assert {i.text for i in conflict.items} == {"The release is in March", "Whenever Noor signs"}
        assert texts(packet) == []
        past = ana.recall("release March", kinds=["semantic"], known_at=second.known_at)
        assert {i.text for c in past.conflicts for i in c.items} == {"The release is in March", "Whenever Noor signs"}
        before = ana.recall("release March", kinds=["semantic"], known_at=first.known_at)
        assert (texts(before), before.conflicts) == (["The release is in March"], ())


def test_the_side_of_a_dispute_that_may_not_be_seen_is_not_shown(tmp_path: Path) -> None:
    with opened(tmp_path) as ana, opened(tmp_path, Ticking(START + DAY), actor="ben") as ben:
        ana.remember("The release is in March", subject="orion", predicate="deadline", object="2026-03-01")
        hidden = ben.remember(
            "April it shall be", subject="orion", predicate="deadline", object="2026-04-01", sensitivity="high"
        )
        assert len(only(list(ana.recall("release March", kinds=["semantic"]).conflicts)).items) == 2  # type: ignore[arg-type]
        with reader_of(tmp_path) as helper:
            packet = helper.recall("release March")
            assert said(packet) >= {"The release is in March"}
            assert hidden.record_id not in str(packet.as_dict())
            assert "April" not in str(packet.as_dict())


def test_two_skills_of_one_name_with_several_heads_are_a_content_conflict(tmp_path: Path) -> None:
    skill = {"kind": "competence", "skill_name": "deploy", "triggers": [{"signal": "release day"}]}
    with opened(tmp_path) as memory:
        first = memory.remember(payload={**skill, "recipe": [{"step": "press the button"}]})
        with memory._engine.store.reading(memory.space) as reader:
            root = reader.get("e" + (first.record_id or "")[1:])
        assert root is not None
        gateway, handle = memory._engine.gateway, memory._handle
        from firsthand.ledger import prepare
        from firsthand.vocabulary.entries import Body
        from firsthand.vocabulary.records import Competence, RecipeStep, Trigger

        for step in ("pull the lever", "call Ben"):
            payload = Competence(
                skill_name="deploy", triggers=(Trigger(signal="release day"),), recipe=(RecipeStep(step=step),)
            )
            words = prepare(Body(payload=payload), bytes(16), gateway.clock.now())
            edges = root.skeleton.edges.__class__(
                record_kind="competence", supersedes=(root.id,), supports=root.skeleton.edges.supports
            )  # type: ignore[union-attr]
            with memory._engine.store.writing(memory.space) as writer:
                gateway.append(handle, writer, edges, words, record=first.record_id)
        packet = memory.recall("lever", kinds=["competence"])
        conflict = only(list(packet.conflicts))  # type: ignore[arg-type]
        assert conflict.code == "content_conflict"
        assert {"pull the lever" in i.text for i in conflict.items} == {True, False}
        assert packet.items == ()
        waiting = memory.review.list("conflicts").items
        assert {(i.kind, i.record_id) for i in waiting} == {("conflicts", first.record_id)}
        assert {"pull the lever" in (i.text or "") for i in waiting} == {True, False}
        assert memory.review.show(first.record_id or "").item.kind == "conflicts"
        assert memory.review.list("candidates").items == ()


def test_plain_sentences_that_nearly_match_are_one_possible_conflict_and_never_two_truths(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.remember("Ana lives in Berlin")
        memory.remember("Ana lives in Lisbon")
        memory.remember("Ana is afraid of spiders")
        packet = memory.recall("Where does Ana live, and what is Ana afraid of?")
        conflict = only(list(packet.conflicts))  # type: ignore[arg-type]
        assert conflict.code == "possible_conflict"
        assert {i.text for i in conflict.items} == {"Ana lives in Berlin", "Ana lives in Lisbon"}
        assert all("may contradict" in i.qualifier.text for i in conflict.items)
        assert texts(packet) == ["Ana is afraid of spiders"]
        matched_counts(packet)


def test_who_challenges_a_claim_is_named_to_those_who_may_see_the_challenger(tmp_path: Path) -> None:
    with opened(tmp_path) as ana:
        ana.remember(
            "Orion is due in March", subject="orion", predicate="deadline", object="2026-03-01", sensitivity="medium"
        )
    with opened(tmp_path, Ticking(START + DAY), actor="bot", role="agent") as bot:
        weak = bot.remember("Orion is due in April", subject="orion", predicate="deadline", object="2026-04-01")
        found = {i.text: i for i in everything(bot.recall("orion due", include=["needs_review"]))}
        assert found["Orion is due in April"].status == "needs_review"
        assert len(found["Orion is due in April"].qualifier.challenged_by) == 1
        assert "challenged by" in found["Orion is due in April"].qualifier.text
        assert weak.record_id not in {i.record_id for i in everything(bot.recall("orion due"))}
    with reader_of(tmp_path) as helper:
        item = only(
            [i for i in everything(helper.recall("orion due", include=["needs_review"])) if i.kind == "semantic"]
        )
        assert (item.record_id, item.qualifier.challenged_by) == (weak.record_id, ())


# ---- counts and limits -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 2, 3, 8, 50])
def test_the_counts_of_a_packet_add_up_whatever_the_limit(tmp_path: Path, limit: int) -> None:
    with opened(tmp_path) as ana, opened(tmp_path, Ticking(START + DAY), actor="ben") as ben:
        for who, when in ((ana, "2026-03-01"), (ben, "2026-04-01")):
            who.remember(f"Orion is due {when}", subject="orion", predicate="deadline", object=when)
        for n in range(30):
            ana.capture(f"Orion diary {n}: {'long words about nothing ' * (n % 7)}", thread="diary")
        for given in (
            {},
            {"max_bytes": 1024},
            {"max_tokens": 300},
            {"expand": 1},
            {"kinds": ["semantic"]},
            {"valid_at": START + 2 * DAY},
        ):
            packet = ana.recall("orion diary due", limit=limit, **given)  # type: ignore[arg-type]
            matched_counts(packet)
            assert packet.returned <= limit
        whole = ana.recall("orion diary due", limit=50, max_bytes=262_144)
        assert (whole.matching, whole.returned, whole.truncated) == (31, 31, False)
        assert ana.recall("orion diary due", limit=limit, max_bytes=262_144).matching == 31


def test_a_packet_that_holds_nothing_says_why(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        assert memory.recall("anything at all").why_empty == "scope_empty"
        memory.capture("pomegranates " * 400)
        assert memory.recall("kangaroo courts").why_empty == "nothing_matched"
        tight = memory.recall("pomegranates", max_bytes=1024)
        assert (tight.why_empty, tight.omitted.bytes, tight.truncated) == ("nothing_fits", 1, True)
        assert memory.recall("pomegranates").why_empty is None
        assert memory.recall("pomegranates", scopes=["project:none"]).why_empty == "scope_empty"


def test_one_item_larger_than_the_budget_is_left_out_and_smaller_ones_still_come(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.capture("pomegranates pomegranates " + "and more " * 400)
        memory.capture("pomegranates are in season")
        packet = memory.recall("pomegranates", max_bytes=1500)
        assert texts(packet) == ["pomegranates are in season"]
        assert packet.omitted.bytes == 1
        matched_counts(packet)


def test_a_rendered_packet_keeps_to_its_tokens_and_its_fence(tmp_path: Path) -> None:
    from firsthand.vocabulary.tokens import estimate_tokens

    with opened(tmp_path) as memory:
        for n in range(20):
            memory.capture(f"Entry {n} about pomegranates </firsthand-memory> and how to peel them")
        packet = memory.recall("pomegranates", max_tokens=400)
        assert 0 < packet.returned < 20
        for limit in (None, 400, 200):
            text = packet.render(max_tokens=limit)
            assert text.endswith(f'</firsthand-memory nonce="{packet.nonce}">')
            assert text.count("</firsthand-memory") == 1
            assert estimate_tokens(text) <= (limit or 400)


@pytest.mark.parametrize(
    "wrong",
    [
        {"limit": 0}, {"limit": 51}, {"limit": True}, {"max_bytes": 1023}, {"max_bytes": 262_145}, {"max_tokens": 63},
        {"expand": 4}, {"expand": -1}, {"min_salience": 1.1}, {"min_salience": -0.1}, {"kinds": ["fable"]},
        {"kinds": "semantic"}, {"include": ["everything"]}, {"clearance": "cosmic"}, {"scopes": ["project:*"]},
        {"scopes": [f"project:{n}" for n in range(33)]}, {"valid_at": "yesterday"}, {"known_at": "once"},
    ],
)  # fmt: skip
def test_what_is_outside_a_limit_is_refused_and_named(tmp_path: Path, wrong: dict[str, object]) -> None:
    with opened(tmp_path) as memory:
        memory.capture("pomegranates")
        with pytest.raises(InvalidError) as error:
            memory.recall("pomegranates", **wrong)  # type: ignore[arg-type]
        assert error.value.field is not None
        assert texts(memory.recall("pomegranates")) == ["pomegranates"]


def test_a_query_may_be_empty_but_not_over_two_kibibytes(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.capture("pomegranates")
        assert texts(memory.recall("")) == ["pomegranates"]
        assert texts(memory.recall("pomegranates " * 157)) == ["pomegranates"]
        with pytest.raises(InvalidError):
            memory.recall("x" * 2049)


# ---- kinds, scopes, arms ---------------------------------------------------------------------------------------------


def test_entities_are_items_only_when_asked_for_by_kind(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.remember(payload={"kind": "entity", "canonical_name": "Falcon", "summary": "a small satellite"})
        memory.capture("Falcon lifts off tomorrow")
        assert texts(memory.recall("Falcon satellite")) == ["Falcon lifts off tomorrow"]
        assert texts(memory.recall("Falcon satellite", kinds=["entity"])) == ["Falcon: a small satellite"]


def test_only_the_kinds_asked_for_come_however_much_else_matches(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.remember("Falcon flies at dawn")
        memory.capture_many({"text": f"Falcon falcon flies, dawn log {n}", "thread": "log"} for n in range(400))
        assert texts(memory.recall("Does the falcon fly at dawn?", kinds=["semantic"])) == ["Falcon flies at dawn"]
        assert {i.kind for i in memory.recall("Does the falcon fly at dawn?", limit=50).items} == {
            "episodic",
            "semantic",
        }


def test_a_renamed_entity_is_found_by_its_other_name(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        entity = {"kind": "entity", "canonical_name": "Project Heron", "aliases": [{"value": "Blue Kite"}]}
        memory.remember(payload=entity)
        memory.capture("We gave Blue Kite a second engine")
        memory.capture("Lunch was late")
        packet = memory.recall("What happened to Project Heron?")
        assert texts(packet)[0] == "We gave Blue Kite a second engine"
        assert "entity" in {w.arm for w in packet.items[0].why}
        assert "Lunch was late" not in texts(packet)


def test_an_entity_that_may_not_be_seen_lends_nobody_its_names(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        entity = {"kind": "entity", "canonical_name": "Project Heron", "aliases": [{"value": "Blue Kite"}]}
        memory.remember(payload=entity, sensitivity="high")
        memory.capture("We gave Blue Kite a second engine")
        assert texts(memory.recall("What happened to Project Heron?")) == ["We gave Blue Kite a second engine"]
        with reader_of(tmp_path) as helper:
            assert texts(helper.recall("What happened to Project Heron?")) == []
            assert texts(helper.recall("What happened to Blue Kite?")) == ["We gave Blue Kite a second engine"]


def test_an_empty_query_brings_the_newest_across_scopes(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        wide = memory.at(scope="space:")
        for n in range(3):
            memory.capture(f"orion note {n}")
            wide.capture(f"wide note {n}")
        newest = ["wide note 2", "orion note 2", "wide note 1", "orion note 1", "wide note 0", "orion note 0"]
        packet = memory.recall("")
        assert texts(packet) == newest
        assert {w.arm for i in packet.items for w in i.why} == {"recent"}
        assert texts(memory.recall("kangaroo")) == []
        assert texts(memory.recall("kangaroo jumps")) == []


def test_working_memory_comes_newest_first(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        for task in ("alpha", "beta", "gamma"):
            memory.remember(
                payload={"kind": "working", "thread_id": task, "state": "executing", "context_summary": f"on {task}"}
            )
        packet = memory.recall("which task am I on at the moment", kinds=["working"])
        assert [i.text.split()[1] for i in packet.items] == ["gamma", "beta", "alpha"]


def test_a_handle_reads_its_own_scope_and_the_space_and_others_must_be_named_and_granted(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        for scope in ("project:orion", "project:orion-2", "space:", "user:ana"):
            memory.at(scope=scope).capture(f"pomegranates of {scope}")
        own = {"pomegranates of project:orion", "pomegranates of space:"}
        assert said(memory.recall("pomegranates")) == own
        assert said(memory.recall("pomegranates", scopes=["user:ana"])) == {"pomegranates of user:ana"}
        assert len(said(memory.recall("pomegranates", scopes=["project:orion", "project:orion-2", "user:ana"]))) == 3
        narrow = {"grant": Grant(read=frozenset({"project:orion"}))}
        with opened(tmp_path, **narrow) as other:  # type: ignore[arg-type]
            assert said(other.recall("pomegranates")) == {"pomegranates of project:orion"}
            for scopes in (["project:orion-2"], ["project:orion", "space:"]):
                with pytest.raises(DeniedError):
                    other.recall("pomegranates", scopes=scopes)
        with opened(tmp_path, grant=Grant(verbs=frozenset({"capture"}))) as writer, pytest.raises(DeniedError):
            writer.recall("pomegranates")


def test_the_clearance_is_the_lower_of_asked_and_granted(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        for level in ("public", "low", "medium", "high", "hyper"):
            memory.capture(f"pomegranates are {level}", sensitivity=level)  # type: ignore[arg-type]
        assert len(said(memory.recall("pomegranates"))) == 5
        assert said(memory.recall("pomegranates", clearance="public")) == {"pomegranates are public"}
    with reader_of(tmp_path, "medium") as helper:
        three = {f"pomegranates are {level}" for level in ("public", "low", "medium")}
        assert said(helper.recall("pomegranates", clearance="hyper")) == three
        assert said(helper.recall("pomegranates")) == three


def test_include_brings_guesses_and_what_was_replaced_and_never_what_is_locked(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.remember("The kettle may be broken", basis="inferred")
        for colour in ("red", "blue"):  # said of the same time by one person: the later word replaces the earlier whole
            memory.remember(
                f"The kettle is {colour}", subject="kettle", predicate="status", object=colour, valid_from=START
            )
        hidden = memory.remember("The kettle was a wedding gift")
        withdraw(memory, hidden.record_id or "")
        query = {"query": "kettle", "kinds": ["semantic"]}
        assert said(memory.recall(**query)) == {"The kettle is blue"}  # type: ignore[arg-type]
        guess = memory.recall(**query, include=["candidates"])  # type: ignore[arg-type]
        assert said(guess) == {"The kettle is blue", "The kettle may be broken"}
        assert {i.qualifier.code for i in everything(guess)} == {"current", "candidate"}
        old_too = memory.recall(**query, include=["superseded"])  # type: ignore[arg-type]
        assert {i.text: i.qualifier.code for i in everything(old_too)} == {
            "The kettle is blue": "current",
            "The kettle is red": "superseded",
        }


def test_salience_filters_only_when_asked_and_neighbours_too(tmp_path: Path) -> None:
    clock = Ticking()
    with opened(tmp_path, clock) as memory:
        memory.capture("We fed the pelican", thread="zoo")
        memory.capture("It ate well", thread="zoo")
        memory.remember("The pelican is called Otto", volatility="stable")
        clock.at += 20 * DAY
        assert said(memory.recall("the pelican Otto", expand=1)) >= {
            "We fed the pelican",
            "It ate well",
            "The pelican is called Otto",
        }
        lively = memory.recall("the pelican Otto", expand=1, min_salience=0.5)
        assert said(lively) == {"The pelican is called Otto"}
        assert all(i.salience >= 0.5 for i in lively.items)
        matched_counts(lively)


def test_time_words_admit_and_prefer_and_exclude_nothing(tmp_path: Path) -> None:
    with opened(tmp_path, Ticking(START + 100 * DAY)) as memory:
        for month in (1, 2, 3):
            memory.capture(f"Dinner note {month}: we ate soup", occurred_at=f"2026-0{month}-10T18:00:00Z")
        ranked = texts(memory.recall("What dinner soup did we eat in February?"))
        assert ranked[0] == "Dinner note 2: we ate soup"
        assert len(ranked) == 3


def test_a_judgement_that_ends_a_claim_is_told_by_its_qualifier(tmp_path: Path) -> None:
    with opened(tmp_path, Ticking(START + 50 * DAY)) as memory:
        made = memory.remember("Ana lives in Berlin", subject="Ana", predicate="lives_in", object="Berlin")
        memory.change(made.record_id, since=START + 20 * DAY, reason="moved out")
        item = only([i for i in memory.recall("Where does Ana live?").items if i.kind == "semantic"])
        assert (item.qualifier.code, item.valid_to) == ("ended", START + 20 * DAY)


def test_a_dispute_that_ended_in_agreement_leaves_the_agreed_value_as_the_answer(tmp_path: Path) -> None:
    clock = Ticking()
    ana, ben = opened(tmp_path, clock), opened(tmp_path, clock, actor="ben")
    ana.remember(subject="api", predicate="port", object=8080)
    ben.remember(subject="api", predicate="port", object=9090)
    assert texts(ana.recall("api port", kinds=["semantic"])) == []
    clock.at += DAY
    ana.remember(subject="api", predicate="port", object=9090)
    packet = ana.recall("api port", kinds=["semantic"])
    assert [(i.text, i.qualifier.code) for i in packet.items] == [("api port 9090", "current")]
    assert {i.text for c in packet.conflicts for i in c.items} == {"api port 8080"}


def test_of_two_claims_that_one_record_says_only_the_contested_one_is_a_conflict(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        oak = {"subject": "hull", "predicate": "uses", "object": "oak"}
        slip = memory.remember(**oak)
        memory.correct(slip.record_id, object="ash", reason="a slip")
        assert memory.remember(**oak).record_id == slip.record_id
        assert sorted(texts(memory.recall("hull", kinds=["semantic"]))) == ["hull uses ash", "hull uses oak"]
        memory.contest(slip.record_id, reason="is it?")
        packet = memory.recall("hull", kinds=["semantic"])
        (answer,), (conflict,) = texts(packet), packet.conflicts
        assert {answer, *(i.text for i in conflict.items)} == {"hull uses ash", "hull uses oak"}
        assert [i.status for i in conflict.items] == ["disputed"]
