"""What the jobs propose: candidates with their exact words, inside one scope, through the gateway, once."""

from __future__ import annotations

import json

import pytest

from firsthand.learning import jobs as runner
from firsthand.vocabulary.errors import DeniedError
from firsthand.vocabulary.grants import Grant
from firsthand.vocabulary.instants import to_micros

SAID = "I live in Lisbon and work at Siemens. The deadline moved to 10 June 2026. Does Ben use vim?"
AT = "2026-02-10T09:00Z"


def claims(memory):
    """Claims of this scope, whatever their standing."""
    page = memory.list(kinds=["semantic"], include=["candidates", "needs_review", "pending", "superseded"])
    return {item.text: item for item in page.items}


def entries(memory):
    with memory._engine.store.reading(memory.space) as reader:
        return [json.loads(row.skeleton) for row in reader.ledger_rows(0, 10_000)]


def proposals(memory):
    return [e for e in entries(memory) if e["edges"]["kind"] == "propose"]


def quiet(report):
    return (report.stretches, report.stored, report.reinforced, report.proposed, report.refused) == (0, 0, 0, 0, 0)


# ---- claims ----------------------------------------------------------------------------------------------------------


def test_claims_are_candidates_that_cite_the_exact_words_they_were_read_in(house):
    memory = house.memory()
    talk = memory.capture(SAID, speaker="Ana", occurred_at=AT)
    report = memory.jobs.run()
    assert (report.stored, report.failed, report.refused) == (3, 0, 0)
    found = claims(memory)
    assert set(found) == {"Ana lives in Lisbon", "Ana works at Siemens", "orion has the deadline 2026-06-10"}
    for item in found.values():
        assert (item.tier, item.status) == ("candidate", "pending_evidence")
        (cited,) = item.citations
        assert cited.record_id == talk.record_id
        assert SAID[slice(*cited.span)] == cited.quote
    assert found["Ana lives in Lisbon"].citations[0].quote == "I live in Lisbon"


def test_candidates_are_not_recalled_unless_asked_for_and_displace_nothing(house):
    memory = house.memory()
    memory.remember(subject="Ana", predicate="lives_in", object="Porto")
    memory.capture("I live in Lisbon.", speaker="Ana", occurred_at=AT)
    memory.jobs.run()
    items = memory.recall("Where does Ana live?", kinds=["semantic"]).items
    assert [(i.text, i.status) for i in items] == [("Ana lives in Porto", "active")]


def test_what_is_over_is_claimed_with_its_end(house):
    memory = house.memory()
    memory.capture("The billing service no longer uses MySQL.", speaker="Ana", occurred_at=AT)
    memory.capture("payments-api does not use Kafka.", speaker="Ana", occurred_at=AT)
    memory.jobs.run()
    found = claims(memory)
    assert found["billing service uses MySQL"].valid_to == to_micros(AT, "at")
    assert found["payments-api does not use Kafka"].tier == "candidate"


def test_a_job_adds_no_voice_of_its_own_to_what_it_reads(house):
    memory = house.memory()
    memory.capture("Ben lives in Bonn.", speaker="Somebody", imported=True)
    memory.capture("As you know, Ben lives in Bonn now.", speaker="Another", imported=True)
    house.agent(owner="cleo").remember("Ben lives in Bonn", subject="Ben", predicate="lives_in", object="Bonn",
                                       basis="inferred")  # fmt: skip
    assert memory.jobs.run().reinforced == 2
    assert claims(memory)["Ben lives in Bonn"].tier == "candidate"


def test_the_speakers_own_word_gives_an_attested_claim_its_source(house):
    memory = house.memory()
    memory.capture("I speak Greek.", occurred_at=AT)
    memory.jobs.run()
    assert "ana speaks Greek" in claims(memory)


def test_the_author_of_what_a_job_finds_is_the_system_itself(house):
    memory = house.memory(grant=Grant(role="person", audit=True))
    memory.capture("I live in Lisbon.", speaker="Ana")
    memory.jobs.run()
    (made,) = [e for e in entries(memory) if e["edges"].get("record_kind") == "semantic"]
    assert (made["author"]["role"], made["author"]["harness"]) == ("system", "jobs")
    (assertion,) = made["edges"]["supports"]
    assert assertion["basis"] == "inferred"


@pytest.mark.parametrize("hide", ["retract", "sensitive"])
def test_what_does_not_stand_or_is_sensitive_is_read_as_such(house, hide):
    memory = house.memory()
    talk = memory.capture(
        "I live in Lisbon.", speaker="Ana", sensitivity="hyper" if hide == "sensitive" else "low"
    )  # fmt: skip
    if hide == "retract":
        memory.retract(talk.record_id, reason="not for here")
    memory.jobs.run()
    found = claims(memory)
    if hide == "retract":
        assert found == {}
    else:
        assert set(found) == {"Ana lives in Lisbon"}
        low = house.memory(grant=Grant(clearance="low"))
        assert claims(low) == {}


def test_what_belongs_to_the_whole_space_is_read_too(house):
    memory = house.memory(scope="space:")
    memory.capture("I prefer tabs. The deadline is 3 June 2026.", speaker="Ana")
    memory.jobs.run()
    assert set(claims(memory)) == {"Ana prefers tabs"}


# ---- once ------------------------------------------------------------------------------------------------------------


def test_running_twice_adds_nothing(house):
    memory = house.memory()
    memory.capture(SAID, speaker="Ana", occurred_at=AT)
    memory.remember("The deploy script needs the VPN to be up")
    memory.remember("Deploy script needs the VPN up")
    assert not quiet(memory.jobs.run())
    before = house.counts()
    assert quiet(memory.jobs.run())
    assert quiet(house.agent("ben").jobs.run())
    assert house.counts() == before


def test_reading_everything_again_from_the_start_adds_nothing_either(house):
    memory = house.memory()
    memory.capture(SAID, speaker="Ana", occurred_at=AT)
    memory.remember("The deploy script needs the VPN to be up")
    memory.remember("Deploy script needs the VPN up")
    memory.jobs.run()
    before = house.counts()
    with memory._engine.store.writing(memory.space) as writer:
        for scope in writer.scope_rows():
            for job in runner.LEARNERS:
                writer.put_job_mark(job, scope.scope_id, 0)
    again = memory.jobs.run()
    assert (again.known, again.stored, again.reinforced, again.proposed) == (4, 0, 0, 0)
    assert house.counts() == before


def test_a_run_stops_at_its_limit_and_the_next_goes_on(house, monkeypatch):
    monkeypatch.setattr(runner.queue, "STRETCH_DOCUMENTS", 1)
    memory = house.memory()
    for city in ("Lisbon", "Porto", "Braga"):
        memory.capture(f"Ben moved to {city}.", speaker="Ana")
    told = []
    first = memory.jobs.run(limit=2, progress=lambda done, total: told.append((done, total)))
    assert (first.stretches, first.stored, first.waiting) == (2, 2, 1)
    assert told == [(1, 3), (2, 3)]
    assert memory.jobs.run().stored == 1


# ---- scopes ----------------------------------------------------------------------------------------------------------


def overlapping(house):
    here, there = house.memory(), house.memory(scope="project:other")
    here.capture("Ben lives in Bonn.", speaker="Ana")
    there.capture("Ben lives in Bonn. Ben uses vim.", speaker="Ana")
    here.remember("The deploy script needs the VPN to be up")
    there.remember("Deploy script needs the VPN up")
    there.remember("The deploy script needs a VPN up")
    return here, there


def test_overlapping_content_of_two_scopes_never_mixes(house):
    here, there = overlapping(house)
    report = here.jobs.run()
    assert report.failed == 0
    (proposal,) = proposals(here)
    assert proposal["scope"] == there._handle.scope_id
    sentences = {i.record_id for i in claims(there).values() if "script" in i.text}
    assert {proposal["record"], *proposal["edges"]["others"]} == sentences
    assert {text for text in claims(here) if text.startswith("Ben")} == {"Ben lives in Bonn"}
    assert {text for text in claims(there) if text.startswith("Ben")} == {"Ben lives in Bonn", "Ben uses vim"}
    for memory in (here, there):
        for item in claims(memory).values():
            cited = {memory.read(c.record_id).item.scope for c in item.citations}
            assert (item.scope, cited) == (memory.scope, {memory.scope})


def test_jobs_stay_in_the_scopes_of_the_grant(house):
    here, there = overlapping(house)
    narrow = house.memory(grant=Grant(read=frozenset({"project:orion"}), write=frozenset({"project:orion"})))
    assert narrow.jobs.run().stored == 1
    assert {view.scope for view in narrow.jobs.status().jobs} == {"project:orion"}
    assert {t for t in claims(there) if t.startswith("Ben")} == set()
    assert there.jobs.run().stored == 2
    assert "Ben lives in Bonn" in claims(here)


def test_jobs_need_their_verb_and_the_highest_clearance(house):
    house.memory().capture("I live in Lisbon.", speaker="Ana")
    with pytest.raises(DeniedError):
        house.memory(grant=Grant(verbs=frozenset({"capture", "recall"}))).jobs.run()
    with pytest.raises(DeniedError):
        house.memory(grant=Grant(verbs=frozenset({"capture", "recall"}))).jobs.status()
    with pytest.raises(DeniedError):
        house.memory(grant=Grant(clearance="high")).jobs.run()


# ---- staying corrected -----------------------------------------------------------------------------------------------


def taken_back(house):
    """A claim that was read out of a talk and taken back by a person."""
    memory = house.memory()
    memory.capture("I own a boat. I speak Greek.", speaker="Ana", occurred_at=AT)
    memory.jobs.run()
    item = claims(memory)["Ana owns boat"]
    house.clock.pass_days(1)
    memory.retract(item.record_id, reason="I misspoke, I have no boat")
    return memory


def active(memory, text):
    return [i for i in claims(memory).values() if i.text == text and i.status in ("active", "pending_evidence")]


def test_reextraction_after_a_retraction_stays_inactive(house):
    memory = taken_back(house)
    memory.capture("I own a boat. I speak Greek.", speaker="Ana", occurred_at=AT)
    memory.capture("I own a boat. I speak Greek.", speaker="Ana", occurred_at=AT, imported=True)
    report = memory.jobs.run()
    assert (report.refused, report.reinforced) == (2, 2)
    assert active(memory, "Ana owns boat") == []
    assert active(memory, "Ana speaks Greek")


def test_a_value_that_was_taken_back_is_refused_from_whoever_said_it_and_the_refusal_is_noted(house):
    memory = taken_back(house)
    house.clock.pass_days(1)
    house.memory("ben").capture("Ana owns a boat.", speaker="Ben")
    assert memory.jobs.run().refused == 1
    assert active(memory, "Ana owns boat") == []
    assert house.column("SELECT verb || ' ' || code FROM refusal") == ["remember tombstone_retracted"]


def test_who_ran_a_job_may_take_its_guess_back(house):
    memory = house.memory()
    memory.capture("Ben owns a boat.", speaker="Ben")
    memory.jobs.run()
    house.clock.pass_days(1)
    memory.retract(claims(memory)["Ben owns boat"].record_id, reason="he does not")
    assert active(memory, "Ben owns boat") == []
    memory.capture("Ben owns a boat.", speaker="Ben")
    assert memory.jobs.run().refused == 1
    assert active(memory, "Ben owns boat") == []


def test_a_value_that_its_owner_brought_back_is_supported_again(house):
    memory = taken_back(house)
    house.clock.pass_days(1)
    memory.remember("Ana owns a boat", subject="Ana", predicate="owns", object="boat")
    house.clock.pass_days(1)
    memory.capture("I own a boat.", speaker="Ana")
    report = memory.jobs.run()
    assert (report.refused, report.reinforced) == (0, 1)


def test_a_corrected_value_is_refused_when_the_old_talk_comes_in_again(house):
    memory = house.memory()
    memory.capture("auth-service listens on port 8080.", speaker="Ana", occurred_at=AT)
    memory.jobs.run()
    found = claims(memory)["auth-service listens on port 8080"]
    memory.correct(found.record_id, object=8081, reason="misread")
    memory.capture("auth-service listens on port 8080.", speaker="Ben", occurred_at=AT, imported=True)
    assert memory.jobs.run().refused == 1
    assert active(memory, "auth-service listens on port 8080") == []


# ---- merges ----------------------------------------------------------------------------------------------------------


def test_sentences_that_say_the_same_are_proposed_for_a_merge_by_their_ids_alone(house):
    memory = house.memory()
    one = memory.remember("The deploy script needs the VPN to be up")
    two = memory.remember("Deploy script needs the VPN up")
    memory.remember("The deploy script needs the VPN down")
    memory.remember("The deploy script never needs the VPN up")
    report = memory.jobs.run()
    assert report.proposed == 1
    (proposal,) = proposals(memory)
    assert proposal["edges"]["verb"] == "merge"
    assert {proposal["record"], *proposal["edges"]["others"]} == {one.record_id, two.record_id}
    assert proposal["edges"]["heads"] == ["e" + proposal["record"][1:]]
    bodies = house.column("SELECT body FROM entry WHERE json_extract(skeleton, '$.edges.kind') = 'propose'")
    assert bodies == ["{}"]
    standing = {i.record_id: i.status for i in claims(memory).values()}
    assert standing[one.record_id] == standing[two.record_id] == "active"


def test_a_proposal_is_as_sensitive_as_the_most_sensitive_record_it_names(house):
    memory = house.memory()
    memory.remember("The deploy script needs the VPN to be up")
    memory.remember("Deploy script needs the VPN up", sensitivity="hyper")
    memory.jobs.run()
    assert [proposal["sensitivity"] for proposal in proposals(memory)] == [4]


def test_a_retracted_sentence_is_not_proposed_for_a_merge(house):
    memory = house.memory()
    one = memory.remember("The deploy script needs the VPN to be up")
    memory.retract(one.record_id, reason="wrong")
    memory.remember("Deploy script needs the VPN up")
    assert memory.jobs.run().proposed == 0


# ---- faults ----------------------------------------------------------------------------------------------------------


def test_a_fault_of_ours_is_counted_and_raised_and_leaves_nothing_behind(house, monkeypatch):
    memory = house.memory()
    memory.capture("I live in Lisbon.", speaker="Ana")

    def broken(*_):
        raise ZeroDivisionError("secret words")

    whole = runner.LEARNERS["extract_claims"]
    monkeypatch.setitem(runner.LEARNERS, "extract_claims", whole._replace(propose=broken))
    with pytest.raises(ZeroDivisionError):
        memory.jobs.run()
    (view,) = [v for v in memory.jobs.status().jobs if v.job == "extract_claims"]
    assert (view.waiting, view.code) == (1, "ZeroDivisionError")
    assert memory.jobs.run().stretches == 0
    monkeypatch.setitem(runner.LEARNERS, "extract_claims", whole)
    house.clock.pass_days(1)
    assert memory.jobs.run().stored == 1


def test_a_batch_that_cannot_be_stored_is_halved_and_the_rest_goes_through(house, monkeypatch):
    memory = house.memory()
    for city in ("Lisbon", "Porto", "Braga", "Faro"):
        memory.capture(f"Ben moved to {city}.", speaker="Ana")
    whole = runner.LEARNERS["extract_claims"]

    def choosy(gateway, handle, reader, docs):
        if len(docs) > 1 or docs[0].vid & 3 == 2:
            raise DeniedError("chosen", "this one is refused")
        return whole.propose(gateway, handle, reader, docs)

    monkeypatch.setitem(runner.LEARNERS, "extract_claims", whole._replace(propose=choosy))
    report = memory.jobs.run()
    assert (report.stored, report.failed, report.waiting) == (3, 4, 1)
    for _ in range(runner.queue.ATTEMPTS_MOST):
        house.clock.pass_days(1)
        memory.jobs.run()
    assert memory.jobs.status().dead == 1
    monkeypatch.setitem(runner.LEARNERS, "extract_claims", whole)
    assert memory.jobs.run().stored == 0
    assert memory.jobs.run(again=True).stored == 1
    assert memory.jobs.status().dead == 0


def test_a_worker_that_was_overtaken_writes_nothing(house, monkeypatch):
    memory = house.memory()
    memory.capture("I live in Lisbon.", speaker="Ana")
    whole = runner.LEARNERS["extract_claims"]

    def slow(gateway, handle, reader, docs):
        house.clock.pass_days(1)
        return whole.propose(gateway, handle, reader, docs)

    monkeypatch.setitem(runner.LEARNERS, "extract_claims", whole._replace(propose=slow))
    report = memory.jobs.run(limit=1)
    assert (report.lost, report.stored) == (1, 0)
    assert claims(memory) == {}
    monkeypatch.setitem(runner.LEARNERS, "extract_claims", whole)
    assert memory.jobs.run().stored == 1


def test_nothing_runs_by_itself(house):
    memory = house.memory()
    memory.capture("I live in Lisbon.", speaker="Ana")
    memory.recall("Where does Ana live?")
    assert claims(memory) == {}
    status = memory.jobs.status()
    assert (status.waiting, status.leased, status.dead) == (0, 0, 0)
    assert status.unseen > 0


def test_a_ledger_with_what_jobs_wrote_verifies_and_is_rebuilt_the_same(house):
    here, _ = overlapping(house)
    here.jobs.run()
    assert here.ledger.verify(deep=True).deep
    assert here.ledger.rebuild().same
