"""Each guarantee of recall seen to fail: one mechanism is broken at a time, and the property it carries must notice."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import msgspec
import pytest
import test_adversarial_stores as adversarial
import test_kept_lists as kept
import test_recall_answers as answers
import test_recall_hidden as hidden
import test_recall_past as past
import test_recall_ranking as ranking
import test_recall_reading as reads
import test_recall_receipts as receipts
import test_utterances as utterances

from firsthand import projection
from firsthand.capture import claims
from firsthand.recall import arms, cache, denials, expand, fill, fuse, gated, hydrate, pipeline, reading, said_then
from firsthand.recall import pack as packing
from firsthand.recall.group import group, rank_of
from firsthand.store.sqlite_read import SqliteReader
from firsthand.vocabulary.errors import AbsentError, FirsthandError

FOREIGN = [hidden.Row(("Falcon", "harbour"), "capture", "Ben", "t1", "elsewhere")]
SHOWN = [hidden.Row(("kettle",), "capture", "Ben", "t1", ""), hidden.Row(("Falcon",), "capture", "Felix", "t1", "")]


class Mutant(NamedTuple):
    """A mechanism broken, and the property that has to fail."""

    name: str
    owner: Any
    attribute: str
    broken: Any
    caught_by: Callable[..., None]
    given: tuple[Any, ...] = ()


# ---- a property of its own ----


def another_scope_changes_nothing(tmp_path: Path) -> None:
    bare, full = tmp_path / "bare", tmp_path / "full"
    bare.mkdir()
    full.mkdir()
    queries = ("Falcon harbour", "", "What of Falcon?")
    assert hidden.answers(full, hidden.merged(SHOWN, [(0, FOREIGN[0])]), queries) == hidden.answers(
        bare, SHOWN, queries
    )


# ---- broken mechanisms ----


def newest_of_every_scope(self: SqliteReader, scope_no: int, *asked: Any) -> list[int]:
    return [v for s in self.scope_rows() for v in newest(self, s.scope_no, *asked)]


def postings_of_every_scope(self: SqliteReader, scope_no: int, *asked: Any) -> str:
    return ",".join(filter(None, (postings(self, s.scope_no, *asked) for s in self.scope_rows())))


def mentioning_in_every_scope(self: SqliteReader, scope_id: str, *asked: Any) -> list[int]:
    return [v for s in self.scope_rows() for v in mentioning(self, s.scope_id, *asked)]


def ungated(reader: Any, gate: Any, record_id: str) -> Any:
    docs = reader.docs_of_record(record_id)
    for row in reader.beliefs([d.vid for d in docs], None):
        gate.passed.setdefault(row.vid, []).append(row)
    return [d.vid for d in docs if d.vid in gate.passed]


def admitting_all(self: Any, vids: Any) -> list[int]:
    wanted = list(vids)
    for row in self._reader.beliefs(wanted, None):
        self.passed.setdefault(row.vid, []).append(row)
    return [v for v in wanted if v in self.passed]


def reading_the_slot_again(self: Any, row: Any) -> Any:
    self._disputed.clear()
    return foes(self, row)


def first_two_then_grouped(candidates: Any) -> Any:
    return group(sorted(candidates, key=rank_of)[:2])


def forgetful_of_changes(self: Any, reader: Any, scope: Any, *asked: Any) -> Any:
    return held(self, reader, scope._replace(next_seq=0, changed=0), *asked)


def forgetful_of_older_changes(self: Any, reader: Any, scope: Any, *asked: Any) -> Any:
    return held(self, reader, scope._replace(changed=scope.next_seq), *asked)


def forgetful_of_next_turns(self: Any, reader: Any, scope: Any, places: Any) -> Any:
    found = got(self, reader, scope, places)
    self._last_at[found.slots] = 0
    return found


def spans_off_by_one(*given: Any) -> Any:
    def moved(c: Any) -> Any:
        start, end = c.span
        return msgspec.structs.replace(c, span=(start + 1, end + 1))

    return tuple(moved(c) for c in citations(*given))


def not_stepping_over(columns: Any, link: Any, start: Any, hidden_: Any, size: int) -> Any:
    return step(columns, link, start, hidden_[:0], size)


def bearing_whenever_received(self: SqliteReader, keys: Any, known_at: int | None = None) -> Any:
    return bearing_on_any(self, keys)


def counts_of_everything(self: SqliteReader, readable: Any, clearance: int) -> Any:
    return counts(self, readable, 4)


def same(candidates: Any) -> Any:
    return list(candidates)


def counted_by_records(*given: Any) -> Any:
    made = packet(*given)
    return msgspec.structs.replace(made, matching=made.matching + sum(len(c.items) - 1 for c in made.conflicts))


def as_an_episode(*given: Any, utterance: bool, **more: Any) -> Any:
    return prepare_episode(*given, **more)


def all_of_them(view: Any, said: Any) -> Any:
    every = frozenset(s.id for s in said)
    return graded(view, said)._replace(live=every, stands=every)


def readable_everywhere(reader: Any, handle: Any, plan: Any, chosen: Any, found: Any) -> Any:
    return readable(reader, msgspec.structs.replace(handle, readable=None), plan, chosen, found)


def rows_that_hold(reader: Any, handle: Any, record_id: str) -> Any:
    rows = [r for r in readable_rows(reader, handle, record_id) if r.status == "active"]
    if not rows:
        raise AbsentError("record_absent", "ended", field="record_id")
    return rows


def the_first_beginning_so(self: SqliteReader, prefix: str, limit: int) -> list[str]:
    return beginning(self, prefix, limit)[:1]


def since_as_of_now(reader: Any, handle: Any, plan: Any, *given: Any) -> Any:
    return since(reader, handle, plan._replace(known_at=None), *given)


def since_for_now_only(reader: Any, handle: Any, plan: Any, *given: Any) -> Any:
    return None if plan.known_at is not None else since(reader, handle, plan, *given)


newest, postings, mentioning, counts, bearing_on_any, beginning = (
    SqliteReader.newest,
    SqliteReader.postings,
    SqliteReader.mentioning,
    SqliteReader.counts,
    SqliteReader.bearing_on_any,
    SqliteReader.records_beginning,
)
prepare_episode, graded, readable, since, readable_rows = (
    claims.prepare_episode,
    hydrate.grade,
    hydrate._readable,
    said_then._since,
    reading.readable_rows,
)
foes = fill.Filling._foes
held, of_kinds, got, step, citations, delivered, packet = (
    cache.Cache.postings,
    cache.Cache.of_kinds,
    cache._Held.get,
    fuse._step,
    hydrate._citations,
    pipeline.delivered_ids,
    pipeline._packet,
)
NO_NONCE = SimpleNamespace(urandom=bytes)

MUTANTS = [
    Mutant(
        "scope dropped from the recent arm",
        SqliteReader,
        "newest",
        newest_of_every_scope,
        another_scope_changes_nothing,
    ),
    Mutant(
        "scope dropped from the lexical arm",
        SqliteReader,
        "postings",
        postings_of_every_scope,
        another_scope_changes_nothing,
    ),
    Mutant(
        "scope dropped from the entity arm",
        SqliteReader,
        "mentioning",
        mentioning_in_every_scope,
        another_scope_changes_nothing,
    ),
    Mutant(
        "gate skipped after expansion",
        gated.Gate,
        "admit",
        admitting_all,
        hidden.test_a_neighbour_that_may_not_be_seen_never_comes_and_leads_nowhere,
    ),
    Mutant(
        "gate skipped on the way of expansion",
        expand,
        "admitted",
        lambda r, g, i: ungated(r, SimpleNamespace(passed={}), i),
        hidden.test_a_neighbour_that_may_not_be_seen_never_comes_and_leads_nowhere,
    ),
    Mutant(
        "limit counted before grouping",
        fill,
        "group",
        first_two_then_grouped,
        answers.test_disputed_claims_stand_in_one_conflict_that_takes_one_place_and_in_no_item,
    ),
    Mutant(
        "records counted instead of places",
        pipeline,
        "_packet",
        counted_by_records,
        answers.test_the_counts_of_a_packet_add_up_whatever_the_limit,
        (8,),
    ),
    Mutant(
        "nonce that is no secret",
        pipeline,
        "os",
        NO_NONCE,
        receipts.test_a_receipt_holds_what_was_delivered_in_rank_order_and_the_packets_nonce,
    ),
    Mutant(
        "receipt in another order",
        pipeline,
        "delivered_ids",
        lambda items: delivered(items)[::-1],
        receipts.test_a_receipt_holds_what_was_delivered_in_rank_order_and_the_packets_nonce,
    ),
    Mutant(
        "locks of now ignored for the past",
        gated,
        "locks",
        lambda *_: {},
        hidden.test_what_is_locked_now_is_not_reached_through_the_past_either,
    ),
    Mutant(
        "cache not invalidated",
        cache.Cache,
        "postings",
        forgetful_of_changes,
        hidden.test_what_one_process_writes_another_recalls_at_once_and_a_ranking_has_no_history,
    ),
    Mutant(
        "past as large as the present",
        cache.Cache,
        "size_at",
        lambda self, reader, scope, known_at: scope.next_seq,
        past.test_words_that_became_common_later_are_as_rare_in_the_past_as_they_were,
    ),
    Mutant(
        "names looked up among what came later",
        SqliteReader,
        "mentioning",
        lambda self, scope_id, name, before, *asked: mentioning(self, scope_id, name, None, *asked),
        past.test_a_name_that_many_spoke_of_later_still_finds_what_was_said_of_it_then,
    ),
    Mutant(
        "posting lists that only grow",
        cache.Cache,
        "postings",
        forgetful_of_older_changes,
        kept.test_what_came_and_what_went_is_in_the_lists_of_a_process_that_asked_before,
    ),
    Mutant(
        "posting lists beyond the time asked about",
        arms,
        "_known",
        lambda found, place: found,
        past.test_a_process_that_begins_with_the_past_answers_the_present_as_well,
    ),
    Mutant(
        "the last turn of a thread for ever",
        cache._Held,
        "get",
        forgetful_of_next_turns,
        kept.test_a_turn_that_was_the_last_of_its_thread_leads_to_the_one_that_came_after,
    ),
    Mutant(
        "the kinds of documents that were there at first",
        cache.Cache,
        "of_kinds",
        lambda self, reader, scope, kinds: of_kinds(self, reader, scope._replace(next_seq=3), kinds),
        kept.test_documents_of_a_kind_that_came_later_are_of_that_kind,
    ),
    Mutant(
        "spans off by one",
        hydrate,
        "_citations",
        spans_off_by_one,
        answers.test_every_quote_is_exactly_what_stands_at_its_span_in_the_cited_episode,
    ),
    Mutant(
        "sources of later cited for before",
        SqliteReader,
        "bearing_on_any",
        bearing_whenever_received,
        answers.test_a_source_that_came_later_is_not_cited_for_what_was_believed_before,
    ),
    Mutant(
        "hidden claims tell what was said then",
        said_then,
        "unlocked",
        lambda *_: True,
        answers.test_a_saying_whose_end_the_reader_may_not_see_says_nothing_of_it,
    ),
    Mutant(
        "hidden sources quoted",
        SqliteReader,
        "locked",
        lambda *_: set(),
        answers.test_a_withdrawn_source_still_counts_and_its_words_are_withheld,
    ),
    Mutant(
        "hidden entities lend their names",
        SqliteReader,
        "locked",
        lambda *_: set(),
        answers.test_an_entity_that_may_not_be_seen_lends_nobody_its_names,
    ),
    Mutant(
        "hidden turns tear a thread",
        fuse,
        "_step",
        not_stepping_over,
        hidden.test_a_run_of_turns_that_may_not_be_seen_does_not_tear_a_thread,
    ),
    Mutant(
        "hidden speakers are known",
        SqliteReader,
        "has_spoken",
        lambda *_: True,
        hidden.test_somebody_heard_only_in_what_is_hidden_makes_no_name_ambiguous,
    ),
    Mutant(
        "hidden rows are counted",
        SqliteReader,
        "counts",
        counts_of_everything,
        hidden.test_stats_and_scopes_count_what_may_be_read,
        ("low",),
    ),
    Mutant(
        "near sentences as two truths",
        fill,
        "with_near_conflicts",
        same,
        answers.test_plain_sentences_that_nearly_match_are_one_possible_conflict_and_never_two_truths,
    ),
    Mutant(
        "one side of a dispute shown",
        fill.Filling,
        "_opponents",
        lambda *_: [],
        answers.test_a_dispute_is_shown_whole_though_only_one_side_matches,
    ),
    Mutant(
        "what ended above what holds",
        fill,
        "_current_first",
        same,
        ranking.test_what_holds_ranks_above_what_ended_even_where_the_ended_one_fits_better,
    ),
    Mutant(
        "beliefs crowded out",
        arms,
        "_with_claims",
        lambda reader, base, dense, found, kept: found,
        ranking.test_one_belief_is_not_crowded_out_by_hundreds_of_sayings_that_say_the_same,
    ),
    Mutant(
        "an arm that fails in silence",
        pipeline,
        "FAILED",
        "_never",
        receipts.test_an_arm_that_fails_says_so_and_the_others_still_answer,
    ),
    Mutant(
        "a search that never widens",
        pipeline,
        "wider",
        lambda *_: None,
        receipts.test_a_search_that_the_gate_keeps_empty_widens_and_says_when_it_gives_up,
    ),
    Mutant(
        "nobody denies anything",
        hydrate,
        "deniers",
        lambda *_: (),
        answers.test_what_a_person_took_back_and_others_still_say_is_denied_by_that_person,
    ),
    Mutant(
        "anybody who took it back denies it",
        denials,
        "_takes_back",
        lambda view, entry, claim, said: entry.kind == "judge",
        answers.test_what_an_agent_took_back_is_denied_by_nobody,
    ),
    Mutant(
        "another value is a denial",
        denials,
        "_opposite",
        lambda one, other: one != other,
        answers.test_both_sides_of_a_yes_and_no_say_who_denies_them_and_two_values_do_not,
    ),
    Mutant(
        "hidden evidence tells who denies it",
        SqliteReader,
        "locked",
        lambda *_: set(),
        answers.test_who_denies_it_is_not_told_by_evidence_that_may_not_be_seen,
    ),
    Mutant(
        "utterances beside their claims",
        claims,
        "prepare_episode",
        as_an_episode,
        utterances.test_a_claim_without_evidence_comes_once_with_its_words_as_citation,
    ),
    Mutant(
        "utterances instead of their claims",
        claims,
        "prepare_episode",
        as_an_episode,
        utterances.test_a_claim_without_evidence_comes_once_with_its_words_as_citation,
    ),
    Mutant(
        "utterances of guesses",
        claims,
        "prepare_episode",
        as_an_episode,
        utterances.test_a_guess_is_not_recalled_by_its_utterance,
    ),
    Mutant(
        "utterances listed as news",
        projection,
        "_UTTERED",
        projection.BLANK,
        utterances.test_an_utterance_is_nobodys_news_even_where_more_is_asked_for,
    ),
    Mutant(
        "revoked supports counted",
        hydrate,
        "grade",
        all_of_them,
        answers.test_a_support_that_was_revoked_or_cannot_be_read_is_not_counted,
    ),
    Mutant(
        "unreadable supports counted",
        hydrate,
        "_readable",
        readable_everywhere,
        answers.test_a_support_that_was_revoked_or_cannot_be_read_is_not_counted,
    ),
    Mutant(
        "short ids of what holds alone",
        reading,
        "readable_rows",
        rows_that_hold,
        reads.test_a_short_id_finds_what_was_taken_back_too_and_one_too_short_is_invalid,
    ),
    Mutant(
        "the first of several short ids",
        SqliteReader,
        "records_beginning",
        the_first_beginning_so,
        reads.test_a_short_id_that_begins_several_is_ambiguous_to_those_who_may_read_several,
    ),
    Mutant(
        "hidden records behind a short id",
        reading,
        "readable_rows",
        lambda *_: [],
        reads.test_a_short_id_that_begins_several_is_ambiguous_to_those_who_may_read_several,
    ),
    Mutant(
        "what was said then is not told",
        hydrate,
        "said_then",
        lambda *_: {},
        answers.test_what_was_said_before_a_correction_says_so_at_every_instant_that_knew_of_it,
    ),
    Mutant(
        "the past is told what came later",
        said_then,
        "_since",
        since_as_of_now,
        answers.test_what_was_said_before_a_correction_says_so_at_every_instant_that_knew_of_it,
    ),
    Mutant(
        "the past is not told what was said then",
        said_then,
        "_since",
        since_for_now_only,
        answers.test_what_was_said_before_a_correction_says_so_at_every_instant_that_knew_of_it,
    ),
    Mutant(
        "claims locked since tell what was said then",
        SqliteReader,
        "locked",
        lambda *_: set(),
        answers.test_a_claim_that_was_locked_since_says_nothing_of_what_was_said_then,
    ),
    Mutant(
        "posting lists of any length",
        cache.Cache,
        "postings",
        lambda self, reader, scope, term, shelf, most: held(self, reader, scope, term, shelf, 1 << 32),
        adversarial.test_words_that_are_in_every_record_share_the_work_of_one_recall_and_it_says_so,
    ),
    Mutant(
        "conflicts of any size",
        fill,
        "OPPONENTS_MOST",
        10_000,
        adversarial.test_a_dispute_of_many_is_shown_as_far_as_a_cap_and_says_so,
        (140, (*adversarial.ORDINARY, "conflict_capped")),
    ),
    Mutant(
        "a slot read for every side of a dispute",
        fill.Filling,
        "_foes",
        reading_the_slot_again,
        adversarial.test_a_dispute_of_many_is_shown_as_far_as_a_cap_and_says_so,
        (12, adversarial.ORDINARY),
    ),
    Mutant(
        "packets of any size",
        packing._Room,
        "refusal",
        lambda *_: None,
        adversarial.test_ten_mebibytes_of_texts_neither_fill_the_packet_nor_the_memory,
    ),
    Mutant(
        "everything that matches is a candidate",
        arms,
        "FETCH_LEAST",
        2_000,
        adversarial.test_twenty_thousand_documents_that_match_are_ranked_in_little_memory_and_few_are_read,
    ),
]


def run(mutant: Mutant, tmp_path: Path, patch: pytest.MonkeyPatch) -> None:
    wanted = list(inspect.signature(mutant.caught_by).parameters)
    fixtures: dict[str, Any] = {"tmp_path": tmp_path, "monkeypatch": patch}
    given = dict(zip([w for w in wanted if w not in fixtures], mutant.given, strict=True))
    mutant.caught_by(**{w: fixtures[w] for w in wanted if w in fixtures}, **given)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.name)
def test_a_broken_mechanism_is_caught_by_the_property_it_carries(
    mutant: Mutant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    whole.mkdir()
    broken.mkdir()
    with monkeypatch.context() as patch:
        run(mutant, whole, patch)
    with monkeypatch.context() as patch:
        patch.setattr(mutant.owner, mutant.attribute, mutant.broken)
        with pytest.raises((AssertionError, KeyError, IndexError, ValueError, pytest.fail.Exception, FirsthandError)):
            run(mutant, broken, patch)
