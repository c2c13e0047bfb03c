"""What an erasure takes and what it leaves: the plan says it first, and exactly that happens, or nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from erasing import canary, left, opened
from histories import digests, positions, reading, store_of

import firsthand
from firsthand.memory import Memory
from firsthand.vocabulary.entries import root_of
from firsthand.vocabulary.erasure import ErasurePlan
from firsthand.vocabulary.grants import Grant


def plan_of(memory: Memory, *target: str, **asked: object) -> ErasurePlan:
    return memory.erase(*target, reason_code="privacy", dry_run=True, **asked).plan  # type: ignore[arg-type]


def words_of(memory: Memory, record_id: str) -> bool:
    """Whether the body that began a record is there."""
    with reading(memory) as reader:
        return reader.rows_of([root_of(record_id)])[root_of(record_id)].body is not None


def whole(plan: ErasurePlan) -> set[str]:
    return {r.record_id for r in plan.records if r.whole and r.kind not in ("name", "entity")}


def lineage_goes_to_the_end(folder: Path) -> None:
    """A chain of claims on claims goes with its source; a sibling, and what stands on something else, stays."""
    with opened(folder) as memory:
        source = memory.capture("Noor: the hull is larch.", speaker="Noor")
        other = memory.capture("Ben: the hull is larch.", speaker="Ben")
        first = memory.remember("The hull is larch wood.", evidence=[firsthand.cite(source.record_id)])
        second = memory.remember("So the hull floats.", evidence=[firsthand.cite(str(first.record_id))])
        third = memory.remember("So the boat floats.", evidence=[firsthand.cite(str(second.record_id))])
        both = memory.remember("Larch is light.", evidence=[firsthand.cite(source.record_id)])
        memory.support(str(both.record_id), [firsthand.cite(other.record_id)], reason="Ben too")
        gone = {str(r.record_id) for r in (source, first, second, third)}
        plan = plan_of(memory, source.record_id)
        assert whole(plan) == gone
        assert plan.stands == (both.record_id,)
        assert plan.pending == ()
        memory.erase(source.record_id, reason_code="privacy", plan_hash=plan.hash)
        assert not any(words_of(memory, r) for r in gone)
        assert all(words_of(memory, str(r.record_id)) for r in (other, both))
        assert memory.read(both.record_id).item.status == "active"
        assert memory.ledger.verify(deep=True).deep


def test_lineage_goes_to_the_end(tmp_path: Path) -> None:
    lineage_goes_to_the_end(tmp_path)


def test_claims_that_cite_each_other_go_with_the_source_they_came_from(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        source = memory.capture("Noor: the hull is larch.")
        one = memory.remember("The hull is larch wood.", evidence=[firsthand.cite(source.record_id)])
        two = memory.remember("So the hull floats.", evidence=[firsthand.cite(str(one.record_id))])
        memory.support(str(one.record_id), [firsthand.cite(str(two.record_id))], reason="it floats, so it is larch")
        plan = plan_of(memory, source.record_id)
        assert whole(plan) == {source.record_id, one.record_id, two.record_id}
        assert memory.erase(source.record_id, reason_code="privacy").plan.targets == plan.targets


def test_what_only_shares_a_source_with_the_value_falls_to_pending_and_keeps_its_words(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        talk = memory.capture("Noor lives in Larchmont and likes tea.", speaker="Noor")
        home = memory.remember(
            subject="Noor", predicate="lives_in", object="Larchmont", evidence=[firsthand.cite(talk.record_id)]
        )
        tea = memory.remember(
            subject="Noor", predicate="likes", object="tea", evidence=[firsthand.cite(talk.record_id)]
        )
        done = memory.erase(home.record_id, reason_code="privacy")
        assert done.plan.pending == (tea.record_id,)
        assert whole(done.plan) == {talk.record_id, home.record_id}
        assert memory.read(tea.record_id).item.status == "pending_evidence"
        assert left(memory, "Larchmont") == {}


def test_what_came_instead_of_an_erased_value_keeps_its_words(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        old = memory.remember(subject="hull", predicate="uses", object="zqxoak")
        new = memory.change(old.record_id, object="ash", reason="it was rebuilt")
        told = memory.change(new.record_id, object="elm", reason="zqxoak in the hull was rotten")
        assert words_of(memory, str(old.record_id))
        memory.erase(old.record_id, reason_code="privacy")
        assert not words_of(memory, str(old.record_id))
        assert words_of(memory, str(new.record_id))
        assert not words_of(memory, str(told.record_id))
        assert memory.ledger.verify(deep=True).deep


def a_dry_run_changes_nothing(folder: Path) -> None:
    with opened(folder) as memory:
        talk = memory.capture("The word is larch.")
        memory.remember("The word is larch wood.", evidence=[firsthand.cite(talk.record_id)])
        before = digests(memory), positions(memory)
        plan = plan_of(memory, talk.record_id)
        assert len(plan.targets) == 2
        assert plan_of(memory, talk.record_id) == plan
        assert (digests(memory), positions(memory)) == before
        assert words_of(memory, talk.record_id)


def test_a_dry_run_changes_nothing(tmp_path: Path) -> None:
    a_dry_run_changes_nothing(tmp_path)


def a_stale_plan_is_refused(folder: Path) -> None:
    with opened(folder) as memory:
        talk = memory.capture("The word is larch.")
        plan = plan_of(memory, talk.record_id)
        memory.remember("The word is larch wood.", evidence=[firsthand.cite(talk.record_id)])
        with pytest.raises(firsthand.ConflictError) as caught:
            memory.erase(talk.record_id, reason_code="privacy", plan_hash=plan.hash)
        assert caught.value.code == "plan_stale"
        assert words_of(memory, talk.record_id)
        again = plan_of(memory, talk.record_id)
        assert len(again.targets) == 2
        assert memory.erase(talk.record_id, reason_code="privacy", plan_hash=again.hash).executed


def test_a_plan_that_is_stale_is_refused_and_nothing_is_lost(tmp_path: Path) -> None:
    a_stale_plan_is_refused(tmp_path)


def a_hold_refuses(folder: Path) -> None:
    with opened(folder) as memory:
        talk = memory.capture("The word is larch.")
        claim = memory.remember("The word is larch wood.", evidence=[firsthand.cite(talk.record_id)])
        memory.hold(str(claim.record_id), "case 7")
        plan = plan_of(memory, talk.record_id)
        assert plan.held == (claim.record_id,)
        with pytest.raises(firsthand.RefusedError) as caught:
            memory.erase(talk.record_id, reason_code="privacy")
        assert caught.value.code == "legal_hold"
        assert words_of(memory, talk.record_id)
        with opened(folder, actor="helper", role="agent") as agent, pytest.raises(firsthand.DeniedError):
            agent.release_hold(str(claim.record_id), "no")
        memory.ledger.rebuild()
        assert plan_of(memory, talk.record_id).held
        memory.release_hold(str(claim.record_id), "case closed")
        assert memory.erase(talk.record_id, reason_code="privacy").executed
        assert left(memory, "larch") == {}
        assert memory.ledger.verify(deep=True).deep


def test_a_legal_hold_refuses_until_a_person_releases_it(tmp_path: Path) -> None:
    a_hold_refuses(tmp_path)


def only_who_may(folder: Path) -> None:
    with opened(folder) as memory:
        talk = memory.capture("The word is larch.")
        for given in (
            {"role": "agent"},
            {"role": "agent", "grant": Grant()},
            {"grant": Grant(verbs=frozenset({"capture"}))},
        ):
            with opened(folder, **given) as other, pytest.raises(firsthand.DeniedError):
                other.erase(talk.record_id, reason_code="privacy")
        assert words_of(memory, talk.record_id)
        with opened(folder, role="agent", grant=Grant(verbs=frozenset({"erase"}))) as trusted:
            assert trusted.erase(talk.record_id, reason_code="privacy").executed


def test_an_agent_erases_only_where_its_grant_names_the_verb(tmp_path: Path) -> None:
    only_who_may(tmp_path)


def scopes_of_the_grant(folder: Path) -> None:
    word = canary(12)
    with opened(folder) as memory:
        for scope in ("project:boat", "project:dock", "team:yard"):
            memory.at(scope=scope).remember(subject="anchor", predicate="password", object=word)
        two = frozenset({"project:boat", "project:dock"})
        with opened(folder, grant=Grant(read=two, write=two)) as narrow:
            done = narrow.erase(value=("anchor", "password", word), reason_code="privacy")
            assert set(done.plan.scopes) == two
            for scope in two:
                again = narrow.at(scope=scope).remember(subject="anchor", predicate="password", object=word)
                assert again.code == "tombstone_rejected"
        yard = memory.at(scope="team:yard")
        assert word in yard.recall("anchor password").items[0].text
        assert yard.remember(subject="anchor", predicate="password", object=word).outcome == "reinforced"
        memory.erase(value=("anchor", "password", word), reason_code="privacy")
        assert left(memory, word) == {}
        assert memory.ledger.verify(deep=True).deep


def test_a_value_is_erased_in_every_scope_of_the_grant_and_in_no_other(tmp_path: Path) -> None:
    scopes_of_the_grant(tmp_path)


def test_a_value_is_known_by_every_name_of_its_subject(tmp_path: Path) -> None:
    word = canary(12)
    with opened(tmp_path) as memory:
        anna = firsthand.Entity(canonical_name="Annabel Reed", aliases=(firsthand.Alias(value="Annie"),))
        memory.remember(payload=anna)
        memory.remember(subject="Annabel Reed", predicate="password", object=word)
        alias = memory.capture(f"annie told me: {word.upper()}!")
        other = memory.capture(f"Cem told me: {word}.")
        plan = plan_of(memory, value=("Annabel Reed", None, word))
        assert alias.record_id in whole(plan)
        assert other.record_id not in whole(plan)
        assert whole(plan_of(memory, value=(None, None, word))) > {other.record_id}


def test_at_most_a_thousand_bodies_go_in_one_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firsthand.capture.erase.ERASE_TARGETS_PER_CALL", 3)
    with opened(tmp_path) as memory:
        memory.capture_many({"text": f"The anchor word is larch, {n}."} for n in range(4))
        with pytest.raises(firsthand.InvalidError) as caught:
            memory.erase(value=("anchor", None, "larch"), reason_code="privacy")
        assert caught.value.code == "too_many"
        assert len(left(memory, "larch")) > 0


BAD = {
    "nothing named": ({}, "target_unclear"),
    "two things named": ({"record_id": "r" + "0" * 40, "target": "x"}, "target_unclear"),
    "a reason code in words": ({"record_id": "r" + "0" * 40, "reason_code": "it was Noor"}, "reason_code_invalid"),
    "no such record": ({"record_id": "r" + "0" * 40}, "record_absent"),
    "a value of two parts": ({"value": ("a", "b")}, "value_invalid"),
    "a short value of nobody": ({"value": (None, None, "ab")}, "value_too_short"),
    "no plan's hash": ({"value": ("a", "b", "c"), "plan_hash": "x"}, "plan_hash_invalid"),
    "a value that nobody holds": ({"value": ("a", "b", "nowhere")}, "nothing_to_erase"),
}


@pytest.mark.parametrize("asked", BAD)
def test_a_request_that_makes_no_sense_is_refused_by_its_field(asked: str, tmp_path: Path) -> None:
    given, code = BAD[asked]
    with opened(tmp_path) as memory:
        memory.capture("The mast is oak.")
        before = positions(memory)
        with pytest.raises(firsthand.FirsthandError) as caught:
            memory.erase(**{"reason_code": "privacy", **given})  # type: ignore[arg-type]
        assert caught.value.code == code
        assert positions(memory) == before


def test_a_reason_that_says_what_is_erased_is_refused(tmp_path: Path) -> None:
    word = canary(12)
    with opened(tmp_path) as memory:
        told = memory.remember(subject="anchor", predicate="password", object=word)
        with pytest.raises(firsthand.InvalidError) as caught:
            memory.erase(told.record_id, reason_code="privacy", reason=f"{word} was leaked")
        assert caught.value.code == "reason_holds_value"
        assert words_of(memory, told.record_id)


def test_the_same_key_erases_once_and_other_keys_of_the_erased_answer_refused(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        talk = memory.capture("The word is larch.", idempotency_key="k1")
        done = memory.erase(talk.record_id, reason_code="privacy", idempotency_key="e1")
        again = memory.erase(talk.record_id, reason_code="privacy", idempotency_key="e1")
        assert again.replayed
        assert again.certificate == done.certificate
        with pytest.raises(firsthand.ConflictError):
            memory.erase(talk.record_id, reason_code="mistake", idempotency_key="e1")
        told = memory.capture("The word is larch.", idempotency_key="k1")
        assert (told.outcome, told.code, told.replayed) == ("refused", "erased", True)


def test_a_certificate_can_be_shown_again_and_a_forged_one_is_known(tmp_path: Path) -> None:
    import msgspec

    with opened(tmp_path) as memory:
        talk = memory.capture("The word is larch.")
        shown = memory.erase(talk.record_id, reason_code="privacy").certificate
        assert shown is not None
        assert memory.erasure.certificate(shown.id) == shown
        assert memory.erasure.is_genuine(shown)
        assert not memory.erasure.is_genuine(msgspec.structs.replace(shown, bodies=0))
        with pytest.raises(firsthand.AbsentError):
            memory.erasure.certificate("e" + "0" * 40)
        memory.ledger.rebuild()
        assert memory.erasure.certificate(shown.id) == shown


def test_every_trace_of_a_writer_in_memory_is_of_now(tmp_path: Path) -> None:
    word = canary(12)
    with opened(tmp_path) as memory:
        told = memory.remember(subject=word, predicate="uses", object="larch")
        memory.erase(told.record_id, reason_code="privacy")
        assert store_of(memory)._last is None or word not in repr(vars(store_of(memory)._last[0]))


MUTANTS = {
    "the cascade stops at the first": (
        "firsthand.capture.erase_plan._fallen", lambda reader, gone, said: None, lineage_goes_to_the_end),
    "everything that cites it goes": (
        "firsthand.capture.erase_plan._fallen", lambda reader, gone, said: {said.entry}, lineage_goes_to_the_end),
    "a dry run is carried out": (
        "firsthand.capture.erase._check_plan", lambda asked, plan, *, dry_run: None, a_dry_run_changes_nothing),
    "any hash will do": (
        "firsthand.capture.planned.ID_HEX", 0, a_stale_plan_is_refused),
    "holds are not looked for": (
        "firsthand.capture.planned.held_records", lambda reader, records: [], a_hold_refuses),
    "anybody's hold is released": (
        "firsthand.capture.holds.holds_on", lambda reader, record: [], a_hold_refuses),
    "every grant erases": ("firsthand.capture.erase.authorise", lambda handle: None, only_who_may),
    "a grant covers everything": (
        "firsthand.capture.erase_plan.covers", lambda handle, scope_id: True, scopes_of_the_grant),
    "a value may come back": ("firsthand.capture.erase._tombstones", lambda aim, found: [], scopes_of_the_grant),
}  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_plan_is_caught(mutant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, broken, caught_by = MUTANTS[mutant]
    monkeypatch.setattr(place, broken)
    with pytest.raises((AssertionError, pytest.fail.Exception, firsthand.FirsthandError)):
        caught_by(tmp_path)


def test_a_certificate_counts_what_holds_the_value_and_stays(tmp_path: Path) -> None:
    """Design 09.31: a value goes with its subject; of words that hold it alone the certificate says that they stay."""
    with opened(tmp_path) as memory:
        memory.remember("Ana's code is Wumpusfrotz", subject="Ana", predicate="code", object="Wumpusfrotz")
        memory.capture("hello", speaker="Wumpusfrotz")
        memory.remember("Bob likes Wumpusfrotz", subject="Bob", predicate="likes", object="Wumpusfrotz")
        done = memory.erase(value=("Ana", "code", "Wumpusfrotz"), reason_code="privacy")
        assert done.certificate is not None
        (stays,) = [p for p in done.certificate.places if p.place == "other words"]
        assert stays.proof == "declared_controlled"
        assert int(stays.note.split()[0]) >= 2
        assert not memory.erasure.sweep("Wumpusfrotz").clean
        alone = memory.erase(value=(None, None, "Wumpusfrotz"), reason_code="privacy")
        assert alone.certificate is not None
        assert "other words" not in {p.place for p in alone.certificate.places}
        assert memory.erasure.sweep("Wumpusfrotz").clean
