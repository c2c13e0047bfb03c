"""Each mechanism of the jobs is broken on purpose, and a test that names its property must fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest
import test_jobs as jobs
import test_queue as queues
from houses import House

from firsthand.capture import inferring
from firsthand.capture.claims import claim_of, name_subject, place, prepare_saying
from firsthand.capture.gateway import Write
from firsthand.capture.ground import ground
from firsthand.capture.receipts import receipt_for, rows_now
from firsthand.learning import propose_merges, queue
from firsthand.vocabulary.citing import cite
from firsthand.vocabulary.errors import FirsthandError
from firsthand.vocabulary.grants import Author


class Mutant(NamedTuple):
    """What is broken, how, and the test that must see it."""

    what: str
    broken: dict[str, object]
    caught_by: Callable[..., None]
    arguments: dict[str, object] | None = None


def past_the_gateway(gateway, handle, payload, evidence):
    """An extractor that writes what it found without asking what was taken back."""
    saying = prepare_saying(gateway, handle, payload, "stated", "public", (evidence,), None)

    def run(writer):
        grounds = [ground(writer, handle, c) for c in saying.evidence]
        subject, claim = claim_of(handle, writer, payload)
        name_subject(gateway, handle, writer, payload, subject)
        return receipt_for(handle, writer, place(gateway, handle, writer, saying, claim, grounds))

    return Write("remember", run)


def every_scope(reader, handle, text):
    """Grouping without the scope."""
    found = []
    for scope in reader.scope_rows():
        first, *others = propose_merges.terms(text)
        found += reader.similar(scope.scope_no, first, others, 64)
    return found


def whole_space(reader, row, kind):
    """Reading without the scope."""
    found = []
    for scope in reader.scope_rows():
        low, high = queue._numbers_after(reader, scope, 0)
        found += reader.docs_between(low, high, kind, 64)
    return found


def finish_whoever(writer, lease, now):
    writer.drop_job(lease)


def same_fence(writer, scope_ids, kinds, now):
    """Leases that all have the same fence."""
    row = writer.due_job(now, scope_ids)
    if row is None:
        return None
    taken = row._replace(state="leased", due=now + queue.LEASE_MICROSECONDS, fence=1)
    writer.put_job(taken)
    return taken


def never_ends(reader, lease, now):
    row = reader.job(lease.job, lease.scope_id, lease.upto)
    return row is not None and row.fence == lease.fence


def stated(gateway, handle, payload, basis, sensitivity, evidence, reason, **more):
    return PREPARE(gateway, handle, payload, "stated", sensitivity, evidence, reason, **more)


def no_echo(gateway, handle, payload, basis, sensitivity, evidence, reason):
    saying = PREPARE(gateway, handle, payload, basis, sensitivity, evidence, reason)

    class Deaf(type(saying)):
        def _replace(self, **more):
            return saying

    return Deaf(*saying)


def whole_episode(gateway, handle, payload, evidence):
    return GENUINE_INFER(gateway, handle, payload, cite(evidence.record_id))


def give_up_at_once(writer, row, code, kind, now, *, wait):
    writer.put_job(row._replace(state="dead", failures=row.failures + 1, code=code))


def no_pause(writer, row, code, kind, now, *, wait):
    GENUINE_GIVE_UP(writer, row, code, kind, now, wait=False)


def forever(writer, row, code, kind, now, *, wait):
    if row.failures + 1 >= queue.ATTEMPTS_MOST:
        row = row._replace(failures=0)
    GENUINE_GIVE_UP(writer, row, code, kind, now, wait=wait)


def owned_by_nobody(**fields):
    return Author(**{**fields, "owner": "nobody"})


PREPARE = prepare_saying
ROWS_NOW = rows_now
GENUINE_INFER = inferring.infer
GENUINE_GIVE_UP = queue._give_up
CAUGHT = (AssertionError, ValueError, KeyError, FirsthandError, pytest.fail.Exception)

MUTANTS = [
    Mutant("the extractor skips the gateway", {"firsthand.learning.extract_claims.infer": past_the_gateway},
           jobs.test_reextraction_after_a_retraction_stays_inactive),
    Mutant("what was taken back binds only who had said it",
           {"firsthand.capture.inferring.forbidding": lambda *given: None},
           jobs.test_a_value_that_was_taken_back_is_refused_from_whoever_said_it_and_the_refusal_is_noted),
    Mutant("what was taken back never comes back", {"firsthand.capture.inferring.rows_of_claim": lambda *given: []},
           jobs.test_a_value_that_its_owner_brought_back_is_supported_again),
    Mutant("a claim is written as often as it is found",
           {"firsthand.capture.inferring._already_said": lambda *given: None},
           jobs.test_reading_everything_again_from_the_start_adds_nothing_either),
    Mutant("a merge is proposed as often as it is found",
           {"firsthand.learning.propose_merges._proposed": lambda *given: None},
           jobs.test_reading_everything_again_from_the_start_adds_nothing_either),
    Mutant("an inference counts as a statement", {"firsthand.capture.inferring.prepare_saying": stated},
           jobs.test_claims_are_candidates_that_cite_the_exact_words_they_were_read_in),
    Mutant("a reader has a voice of its own", {"firsthand.capture.inferring.prepare_saying": no_echo},
           jobs.test_a_job_adds_no_voice_of_its_own_to_what_it_reads),
    Mutant("a claim cites all of its episode", {"firsthand.learning.extract_claims.infer": whole_episode},
           jobs.test_claims_are_candidates_that_cite_the_exact_words_they_were_read_in),
    Mutant("sentences are grouped without their scope", {"firsthand.learning.propose_merges.neighbours": every_scope},
           jobs.test_overlapping_content_of_two_scopes_never_mixes),
    Mutant("episodes are read without their scope", {"firsthand.learning.queue.documents": whole_space},
           jobs.test_overlapping_content_of_two_scopes_never_mixes),
    Mutant("the grant's scopes are not asked", {"firsthand.vocabulary.grants.Grant.may_write": lambda *given: True,
                                                "firsthand.vocabulary.grants.Grant.may_read": lambda *given: True},
           jobs.test_jobs_stay_in_the_scopes_of_the_grant),
    Mutant("clearance is not asked", {"firsthand.learning.jobs.HIGHEST_SENSITIVITY": 0},
           jobs.test_jobs_need_their_verb_and_the_highest_clearance),
    Mutant("small words carry no weight", {"firsthand.rules.near._weighty": lambda text: []},
           jobs.test_sentences_that_say_the_same_are_proposed_for_a_merge_by_their_ids_alone),
    Mutant("what was retracted is merged", {"firsthand.learning.propose_merges._stands": lambda row: True},
           jobs.test_a_retracted_sentence_is_not_proposed_for_a_merge),
    Mutant("a proposal is sensitive to nobody", {"firsthand.learning.propose_merges.rows_now": lambda reader, record: [
               row._replace(sensitivity=0) for row in ROWS_NOW(reader, record)]},
           jobs.test_a_proposal_is_as_sensitive_as_the_most_sensitive_record_it_names),
    Mutant("jobs have an owner of their own", {"firsthand.learning.jobs.Author": owned_by_nobody},
           jobs.test_who_ran_a_job_may_take_its_guess_back),
    Mutant("the fence is ignored", {"firsthand.learning.queue.finish": finish_whoever},
           jobs.test_a_worker_that_was_overtaken_writes_nothing),
    Mutant("the fence is ignored in the queue", {"firsthand.learning.queue.finish": finish_whoever},
           queues.test_a_worker_whose_lease_ended_cannot_finish_though_nobody_else_came),
    Mutant("every lease has the same fence", {"firsthand.learning.queue.lease": same_fence},
           queues.test_a_worker_that_was_overtaken_neither_finishes_nor_fails_what_another_holds),
    Mutant("a lease has no end", {"firsthand.learning.queue._holds": never_ends},
           queues.test_a_worker_whose_lease_ended_cannot_finish_though_nobody_else_came),
    Mutant("what is new is not marked", {"firsthand.store.sqlite_write.SqliteWriter.put_job_mark": lambda *given: None},
           queues.test_only_what_is_new_is_queued_and_every_document_once),
    Mutant("places in the ledger are not compared", {"firsthand.learning.queue._position": lambda reader, vid: 10**9},
           queues.test_only_what_is_new_is_queued_and_every_document_once),
    Mutant("a failure is not halved", {"firsthand.learning.queue._give_up": give_up_at_once},
           queues.test_several_documents_that_fail_are_halved_until_one_alone_is_to_blame),
    Mutant("a failure does not wait", {"firsthand.learning.queue._give_up": no_pause},
           queues.test_failures_are_counted_wait_longer_each_time_and_end),
    Mutant("failures never end", {"firsthand.learning.queue._give_up": forever},
           queues.test_failures_are_counted_wait_longer_each_time_and_end),
    Mutant("a rebuild drops the queue", {"firsthand.store.sqlite_write.PROJECTIONS":
                                         {**queues.queue_tables(), "job": "upto"}},
           queues.test_a_rebuild_leaves_the_queue_and_what_is_new_as_they_are),
]  # fmt: skip


def run(mutant, house, monkeypatch):
    given = dict(mutant.arguments or {})
    names = mutant.caught_by.__code__.co_varnames[: mutant.caught_by.__code__.co_argcount]
    given |= {"house": house} if "house" in names else {}
    given |= {"monkeypatch": monkeypatch} if "monkeypatch" in names else {}
    mutant.caught_by(**given)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.what)
def test_broken_jobs_are_caught(mutant, tmp_path, monkeypatch):
    """The property holds as things are, and its test fails once the mechanism is broken."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    whole, broken = House(tmp_path / "a"), House(tmp_path / "b")
    try:
        with monkeypatch.context() as patch:
            run(mutant, whole, patch)
        with monkeypatch.context() as patch:
            for path, replacement in mutant.broken.items():
                patch.setattr(path, replacement)
            with pytest.raises(CAUGHT):
                run(mutant, broken, patch)
    finally:
        whole.close()
        broken.close()


def test_every_mutant_has_a_name_of_its_own():
    assert len({m.what for m in MUTANTS}) == len(MUTANTS)
