"""Each guarantee seen to fail: one mechanism of the fold is broken at a time, and the property that it carries must
notice. A mutant that nothing catches fails here."""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import pytest
import test_fold_conflict as conflict
import test_fold_evidence as evidence_tests
import test_fold_orders as orders
import test_fold_succession as moves
import test_fold_tombstones as stones
import test_fold_verbs as verbs
import test_fold_visibility as sight
from scribe import ANA, ANAS_AGENT, ANAS_IMPORT, ANAS_SPEECH, BEN, BENS_AGENT, PLAIN, USES

from firsthand.rules import bearing, evidence, fold, sensitivity, succession, visibility
from firsthand.rules import conflict as conflict_rules
from firsthand.rules.evidence import Grades
from firsthand.rules.succession import Held
from firsthand.rules.view import Hearing, MemoryEntries, Said, View
from firsthand.vocabulary.entries import Claim, Entry, Judge, Lift, Reach, Show, Tombstone


class Mutant(NamedTuple):
    """A mechanism broken: attributes under `firsthand.rules` replaced; the property that has to fail."""

    name: str
    patches: dict[str, Any]
    caught_by: Callable[[], None]


# ---- named histories, as properties ----


def all_orders_agree() -> None:
    """Berlin, Lisbon, Berlin again."""
    scribe, _ = moves.moved()
    scribe.remember(ANAS_SPEECH, moves.BERLIN, 40)
    orders.check_some_orders(scribe, random.Random(orders.SEED), 9)


def a_chain_agrees_with_afresh() -> None:
    scribe, episode = evidence_tests.chain()
    scribe.retract(ANA, episode, 30)
    assert scribe.rows == scribe.afresh()


# ---- broken mechanisms ----


def closing_without_cause(
    view: View, unit: str, said: list[Said], grades: Grades, tiers: dict[str, int], approved: frozenset[str]
) -> list[Held]:
    everything = grades._replace(stands=frozenset(s.id for s in said))
    held = succession_hold(view, unit, said, everything, tiers, approved)
    return [h for h in held if h.said.id in grades.stands or h.said.id in grades.live]


def closing_only_while_live(
    view: View, unit: str, said: list[Said], grades: Grades, tiers: dict[str, int], approved: frozenset[str]
) -> list[Held]:
    return succession_hold(view, unit, said, grades._replace(stands=grades.live), tiers, approved)


succession_hold = succession.hold

_arrived: dict[str, int] = {}
_clock = itertools.count()
_add = MemoryEntries.add


def add_and_note(self: MemoryEntries, entry: Entry) -> bool:
    _arrived[entry.id] = next(_clock)
    return _add(self, entry)


_said_in = View.said_in


def order_of_arrival(said: Said) -> tuple[int, int, str]:
    return _arrived[said.entry], 0, said.id


BY_ARRIVAL = {"view.MemoryEntries.add": add_and_note, "view.Said.order": property(order_of_arrival)}


def echoes_unheard(view: View, entry: Entry) -> list[Said]:
    return [s._replace(echo=False) for s in _said_in(view, entry)]


def lifted_by_anyone(view: View, stone: str) -> bool:
    return any(isinstance(e.skeleton.edges, Lift) for e in view.bearing_on(bearing.naming_key(stone)))


def approvals_of_anyone(view: View, unit: str) -> frozenset[str]:
    judges = [e.skeleton.edges for e in view.bearing_on(bearing.unit_key(unit))]
    return frozenset(x for j in judges if isinstance(j, Judge) and j.verb == "approve" for x in j.seen)


def approvals_of_the_claim(view: View, unit: str) -> frozenset[str]:
    """Bound to the claim and not to the assertions that were seen."""
    return frozenset(s.id for s in view.said_in_unit(unit)) if approvals_of_anyone(view, unit) else frozenset()


def dependants_one_deep(view: View, units: set[str], entry: Entry) -> set[str]:
    records = {entry.record_id} | {s.record for u in units if u.startswith("u") for s in view.said_in_unit(u)}
    citing = [e for r in records for e in view.bearing_on(bearing.citing_key(r))]
    return units | {u for e in citing for u in view.units_of_record(e.record_id)}


def only_its_own(view: View, entry: Entry, *, fresh: bool = False) -> set[str]:
    return fold._own_units(view, entry)


def dependants_that_cite(view: View, units: set[str], entry: Entry) -> set[str]:
    """The citing claims alone, and not what else their records say."""
    found = set(units)
    todo = {entry.record_id} | {s.record for u in units if u.startswith("u") for s in view.said_in_unit(u)}
    seen: set[str] = set()
    while todo:
        record = todo.pop()
        seen.add(record)
        for citing in view.bearing_on(bearing.citing_key(record)):
            found |= {bearing.unit_of(s.scope, s.claim) for s in view.said_in(citing)}
            todo |= {citing.record_id} - seen
    return found


_sensitivity = sensitivity.sensitivity


def level_of_heads(view: View, record: str) -> int:
    account = view.account(record)
    replaced = {x for c in account.levels.values() for x in c.replaces}
    return max((c.level for i, c in account.levels.items() if i not in replaced), default=account.level)


def level_of_granted(view: View, record: str) -> int:
    granted = [s for s in view.account(record).said if evidence.granted(view, s)]
    return max([sensitivity.own_level(view, record), *(_sensitivity(view, s.evidence) for s in granted)])


def level_of_unerased(view: View, record: str) -> int:
    kept = [s for s in view.account(record).said if not view.erased(bearing_root(s.evidence))]
    return max([sensitivity.own_level(view, record), *(_sensitivity(view, s.evidence) for s in kept)])


def bearing_root(record: str) -> str:
    return "e" + record[1:]


_shown = visibility.shown


def last_decision_wins(view: View, records: Iterable[str]) -> visibility.Shown:
    answer = _shown(view, records)
    return answer._replace(hidden=None) if answer.hidden == "conflicting_decisions" else answer


def only_what_it_observed(view: View, content: str, head_id: str, head: Show) -> bool:
    return content in head.observed


def contradicts_whatever_the_conditions(a: Claim, b: Claim) -> bool:
    return a.value != b.value if a.one else a.polarity != b.polarity


def contradicts_in_every_slot(a: Claim, b: Claim) -> bool:
    return a.conditions == b.conditions and (a.value != b.value or a.polarity != b.polarity)


def never_contradicts_itself(a: Claim, b: Claim) -> bool:
    return a.conditions == b.conditions and a.value != b.value and a.one


def covers_its_own(reach: Reach, said: Said, *, by_person: bool, approved: bool) -> bool:
    return said.spoken <= reach.spoken and reach.source in (said.source, said.owner)


def covers_everybody(reach: Reach, said: Said, *, by_person: bool, approved: bool) -> bool:
    return said.spoken <= reach.spoken


def covers_whenever_spoken(reach: Reach, said: Said, *, by_person: bool, approved: bool) -> bool:
    return reach.everyone or reach.source in (said.source, said.owner)


def covers_what_is_approved(reach: Reach, said: Said, *, by_person: bool, approved: bool) -> bool:
    return said.spoken <= reach.spoken and (reach.everyone or reach.source in (said.source, said.owner))


class Deaf(set[str]):
    """A set that keeps nothing."""

    def add(self, element: str, /) -> None:
        pass


def deaf_hearing(backers: set[str], anew: dict[str, int], unreached: set[str]) -> Hearing:
    return Hearing(backers, anew, Deaf())


def rank_of_all(strands: Any, policy: Any) -> tuple[int, int]:
    return conflict_rules._rank_of([s for s in strands if s.live], policy)


def one_unit_for_all_values(scope: str, of: Claim | Tombstone) -> str:
    return "u" + "|".join((scope, of.subject, of.predicate))


def everyone_counts(voices: Iterable[tuple[str, str]]) -> int:
    return len({source for source, _ in voices})


def first_revision_only(view: View, record: str, of: Claim, mine: list[Said], grades: Grades) -> tuple[list[str], bool]:
    return [min(s.entry for s in mine)], False


def everyone_beats(
    claims: set[Claim], ranks: dict[Claim, tuple[int, int]], later: object
) -> dict[Claim, tuple[str, Claim]]:
    return {c: ("needs_review", d) for c in claims for d in claims if c != d and ranks[d] >= ranks[c]}


def greatest_fixpoint(view: View, said: list[Said]) -> Grades:
    granted = frozenset(s.id for s in said if evidence.granted(view, s))
    return Grades(granted, granted, {})


_granted = evidence.granted


def granted_by_any(view: View, said: Said) -> bool:
    verdicts = evidence.verdicts_on(view, said.record, said.id).values()
    return _granted(view, said) or any(e.verb == "reinstate" for e in verdicts)


def in_units(function: Any) -> dict[str, Any]:
    return {f"{m}.unit_of": function for m in ("bearing", "fold", "view", "evidence", "tombstones")}


_of_record = evidence._of_record
_source = evidence._source


def hidden_counts_for_nothing(view: Any, record: str) -> Any:
    source = _of_record(view, record)
    return source if visibility.shown(view, [record]).hidden is None else source._replace(kept=False)


def both(name: str, *modules: str, to: Any) -> dict[str, Any]:
    return {f"{m}.{name}": to for m in modules}


contradiction = functools.partial(both, "contradicts", "succession", "conflict")
reach_of = functools.partial(both, "covers", "succession", "tombstones")
approvals = functools.partial(both, "approvals", "standing", "evidence", "tombstones")


def given(test: Callable[..., None], *arguments: Any) -> Callable[[], None]:
    return functools.partial(test, *arguments)


def never(*_: Any, **__: Any) -> Any:
    return None


UNDONE, HIDDEN = moves.UNDONE, moves.HIDDEN
ROUND_THE_GATEWAY = sight.test_no_agent_lowers_what_was_written_or_set_whatever_its_store_let_through
HEARD_ELSEWHERE = stones.test_a_word_in_one_scope_refolds_the_others_that_a_space_wide_tombstone_binds
MUTANTS = [
    # ---- succession ----
    *(
        Mutant(f"a closure outlives its cause: {how}", {"standing.hold": closing_without_cause},
               given(moves.test_a_closure_dies_with_its_cause, undo))
        for how, undo in UNDONE.items()
    ),
    *(
        Mutant(f"hiding reopens: {how}", {"standing.hold": closing_only_while_live},
               given(moves.test_hiding_or_erasing_a_cause_reopens_nothing, hide))
        for how, hide in HIDDEN.items()
        if "withdrawn" not in how  # what is hidden is still live: nothing to mistake
    ),
    Mutant("order of arrival decides", BY_ARRIVAL,
           all_orders_agree),
    Mutant("what comes last is latest", BY_ARRIVAL,
           moves.test_an_older_statement_that_arrives_late_takes_its_place_in_the_past),
    Mutant("anybody's word closes anybody's", {"succession._sources": lambda s: ("everyone",)},
           moves.test_succession_is_per_source),
    Mutant("tools are strangers to each other", {"succession._sources": lambda s: (s.source,)},
           moves.test_observations_succeed_each_other_whichever_tool_saw_them),
    Mutant("candidates close", {"succession.CANDIDATE": -1}, moves.test_a_candidate_closes_nothing_but_a_candidate),
    Mutant("an echo closes", {"view.View.said_in": echoes_unheard}, moves.test_an_echo_closes_nothing),
    Mutant("approval protects nothing", {"succession.voice_of": lambda s: 2},
           moves.test_an_agents_word_does_not_end_what_a_person_approved_and_attested_speech_does),
    Mutant("conditions are ignored", contradiction(to=contradicts_whatever_the_conditions),
           moves.test_a_conditional_claim_does_not_meet_a_global_one),
    Mutant("no and yes live side by side", contradiction(to=never_contradicts_itself),
           moves.test_affirmed_then_denied_is_succession_even_where_many_values_may_hold),
    Mutant("every slot has one value", {**contradiction(to=contradicts_in_every_slot),
                                        **in_units(one_unit_for_all_values), "scribe.unit_of": one_unit_for_all_values},
           conflict.test_many_values_hold_side_by_side),
    Mutant("a change ends only one's own", reach_of(to=covers_its_own),
           moves.test_a_persons_explicit_change_ends_everybodys_earlier_word),
    Mutant("an agent's change ends everybody's", reach_of(to=covers_everybody),
           moves.test_an_agents_change_ends_only_what_its_own_owner_said),
    Mutant("a change ends later words too", reach_of(to=covers_whenever_spoken),
           moves.test_a_persons_explicit_change_ends_everybodys_earlier_word),
    Mutant("an agent ends what is approved", reach_of(to=covers_what_is_approved),
           moves.test_an_agents_end_does_not_end_what_a_person_approved),
    Mutant("an end outlives the value it came with", {"succession._cause_stands": lambda view, entry, grades: True},
           moves.test_an_end_that_came_with_a_value_dies_with_that_value),
    Mutant("explicit ends are forgotten", {"succession._endings": lambda view, unit: {}},
           moves.test_an_end_told_later_lets_nothing_resume),
    # ---- conflict ----
    Mutant("ranks are ignored", {"standing.voice_of": lambda s: 0},
           given(conflict.test_a_person_outranks_attested_speech_which_outranks_an_agent_whichever_came_first,
                 ANA, BENS_AGENT, (1, 0))),
    Mutant("attested speech is an agent's word", {"standing.voice_of": lambda s: 2 * (s.role == "person")},
           given(conflict.test_a_person_outranks_attested_speech_which_outranks_an_agent_whichever_came_first,
                 ANAS_SPEECH, BENS_AGENT, (0, 1))),
    Mutant("a beaten claim beats", {"standing.disputes": everyone_beats},
           conflict.test_only_a_claim_left_standing_beats),
    Mutant("nothing disputes", {"standing.disputes": lambda claims, ranks, later: {}},
           conflict.test_equals_from_different_sources_dispute),
    Mutant("copies count", {"conflict.independent_sources": everyone_counts},
           conflict.test_identical_words_from_two_sources_are_one),
    Mutant("echoes count", {"view.View.said_in": echoes_unheard}, conflict.test_an_echo_adds_no_independence),
    Mutant("repetition counts", {"conflict.independent_sources": lambda voices: len(list(voices))},
           conflict.test_one_source_is_one_however_often_and_through_whichever_agent_it_speaks),
    Mutant("a lift outlives its sources", {"evidence.granted": lambda view, said: True},
           conflict.test_two_independent_sources_lift_a_candidate_and_it_falls_back_when_one_goes),
    Mutant("agents approve", approvals(to=approvals_of_anyone),
           conflict.test_an_agents_approval_makes_nothing),
    Mutant("an approval covers what it did not see", approvals(to=approvals_of_the_claim),
           conflict.test_a_persons_approval_makes_a_fact_and_binds_to_what_it_saw),
    Mutant("observations are stale", {"standing.later_observations": lambda held, grades: set()},
           conflict.test_a_trusted_tools_later_observation_makes_both_disputed),
    Mutant("a contest never ends", {"standing.naming_key": lambda i: "nowhere"},
           conflict.test_a_contest_holds_until_a_settle_names_it),
    Mutant("a contest is not heard", {"standing._contested": lambda view, unit: {}},
           conflict.test_a_contest_holds_until_a_settle_names_it),
    # ---- tombstones ----
    *(
        Mutant(f"tombstones are off: {who.owner}", {"evidence.blocked": never},
               given(stones.test_an_absolute_tombstone_binds_whoever_says_it_before_or_after, who))
        for who in (ANA, BEN)
    ),
    Mutant("anyone lifts", {"tombstones.lifted": lifted_by_anyone}, stones.test_only_a_person_lifts),
    Mutant("nobody lifts", {"tombstones.lifted": lambda view, stone: False}, stones.test_only_a_person_lifts),
    Mutant("space-wide is a scope", {"tombstones._binds": lambda e, s: e.skeleton.scope == s.scope},
           stones.test_a_tombstone_binds_in_its_scope_and_space_wide_in_every_one),
    Mutant("every scope is space-wide", {"tombstones._binds": lambda e, s: True},
           stones.test_a_tombstone_binds_in_its_scope_and_space_wide_in_every_one),
    Mutant("a space-wide stone refolds its own scope", {"fold.tombstone_scopes": lambda scope, every: (scope,)},
           stones.test_a_tombstone_binds_in_its_scope_and_space_wide_in_every_one),
    Mutant("backers elsewhere are not seen", {"tombstones.tombstone_scopes": lambda scope, every: (scope,)},
           stones.test_backers_of_a_space_wide_value_are_found_in_every_scope),
    Mutant("an import is an own word", {"tombstones.is_own_word": lambda s: True},
           given(stones.test_what_had_backed_a_corrected_value_cannot_restate_it, ANAS_IMPORT)),
    Mutant("an agent's is an own word", {"tombstones.is_own_word": lambda s: True},
           given(stones.test_what_had_backed_a_corrected_value_cannot_restate_it, ANAS_AGENT)),
    Mutant("no own word passes", {"tombstones.is_own_word": lambda s: False},
           given(stones.test_a_persons_own_word_spoken_after_a_provisional_tombstone_passes_it, ANA)),
    Mutant("a correction reaches only its own", reach_of(to=covers_its_own),
           stones.test_a_persons_correction_overrides_all_words_spoken_before_it_and_an_agents_only_its_owners),
    Mutant("a new source restates freely", {"standing.restates": lambda view, said: False},
           given(stones.test_a_new_source_that_restates_what_was_taken_back_waits_for_review, USES, "correct")),
    Mutant("a new source restates a sentence", {"standing.restates": lambda view, said: False},
           given(stones.test_a_new_source_that_restates_what_was_taken_back_waits_for_review, PLAIN, "retract")),
    Mutant("nobody's own word ends the wait", {"tombstones.is_own_word": lambda s: False},
           stones.test_a_new_source_stops_waiting_once_its_person_says_so_in_own_words),
    Mutant("who was not reached waits too", {"tombstones.Hearing": deaf_hearing},
           stones.test_who_had_said_it_before_and_was_not_reached_is_no_new_source),
    Mutant("what waits competes", {"standing.rank": rank_of_all},
           stones.test_what_waits_for_review_neither_beats_nor_disputes_what_holds),
    Mutant("a lift is not heard by new sources", {"tombstones.lifted": lambda view, stone: False},
           stones.test_a_lifted_tombstone_lets_a_new_source_speak),
    Mutant("the opposite is bound too", {"bearing.value_digest": lambda c: c.value},
           stones.test_a_tombstone_does_not_bind_the_opposite),
    # ---- evidence ----
    Mutant("the cascade is one deep", {"fold._with_dependants": dependants_one_deep}, a_chain_agrees_with_afresh),
    Mutant("only its own unit is refolded", {"fold.affected": only_its_own}, a_chain_agrees_with_afresh),
    Mutant("claims above are not followed", {"evidence._upward": lambda view, said: said},
           evidence_tests.test_losing_evidence_reaches_everything_that_rested_only_on_it),
    Mutant("a cycle holds itself up", {"standing.grade": greatest_fixpoint},
           evidence_tests.test_a_cycle_holds_itself_up_no_longer_than_something_below_it_stands),
    Mutant("everything written here is new", {"fold._only_adds": lambda view, entry: True},
           stones.test_only_a_person_lifts),
    Mutant("erasure goes unseen", {"view.View.erased": lambda view, entry: False},
           evidence_tests.test_erased_outranks_retracted_and_rejected),
    Mutant("a reinstatement wins over a revoke made apart", {"evidence.granted": granted_by_any},
           evidence_tests.test_of_two_verdicts_made_apart_a_revoke_holds),
    Mutant("nothing is quiet", {"fold.QUIET": ()},
           evidence_tests.test_entries_that_say_nothing_about_standing_change_no_row),
    Mutant("hiding evidence takes it away", {"evidence._of_record": hidden_counts_for_nothing},
           evidence_tests.test_withdrawn_evidence_still_supports),
    # ---- visibility and sensitivity ----
    Mutant("the last decision wins", {"standing.shown": last_decision_wins},
           sight.test_a_withdrawal_and_a_restore_made_apart_stay_hidden_until_one_decides),
    Mutant("a restore shows what it did not see", {"visibility._knows": lambda *_: True},
           sight.test_content_that_a_restore_did_not_see_waits_for_review),
    Mutant("a restore shows nothing later", {"visibility._knows": only_what_it_observed},
           sight.test_a_correction_after_a_restore_that_it_saw_is_shown),
    Mutant("a successor inherits nothing", {"visibility._inherited": lambda view, record: []},
           sight.test_a_successor_inherits_a_withdrawal_that_did_not_observe_it),
    Mutant("heirs are not refolded", {"fold.heir_key": lambda record: "nowhere"},
           given(sight.test_a_withdrawal_that_arrives_late_hides_the_successor_it_did_not_observe, USES)),
    Mutant("one revision is shown", {"standing._revisions": first_revision_only},
           sight.test_two_heads_of_one_sentence_show_each_revision),
    Mutant("revoked evidence is forgotten", {"standing.sensitivity": level_of_granted},
           sight.test_sensitivity_is_the_highest_of_all_evidence_ever_granted),
    Mutant("erased evidence is forgotten", {"standing.sensitivity": level_of_unerased},
           sight.test_sensitivity_is_the_highest_of_all_evidence_ever_granted),
    Mutant("a record has its own level only", {"standing.sensitivity": sensitivity.own_level},
           sight.test_a_rise_reaches_everything_that_rests_on_it),
    Mutant("an agent lowers", {"sensitivity.own_level": level_of_heads}, ROUND_THE_GATEWAY),
    Mutant("only the citing claim is refolded", {"fold._with_dependants": dependants_that_cite},
           sight.test_a_rise_of_old_evidence_reaches_what_its_record_says_now),
    Mutant("a word is heard in its own scope", {"fold._scopes_that_hear": lambda view, of: ()}, HEARD_ELSEWHERE),
    Mutant("a correction is for ever", {"tombstones._corrects_back": lambda *_: False},
           stones.test_an_agent_may_correct_back_its_own_correction),
    Mutant("any correction may be taken back", {"tombstones._corrects_back": lambda *_: True},
           stones.test_an_agent_may_not_correct_back_what_a_person_corrected),
    Mutant("approval stops no retraction", {"evidence.approvals": lambda view, unit: frozenset()},
           stones.test_a_retraction_leaves_what_a_person_approved_to_a_person),
    Mutant("an ambiguous name is a name", contradiction(to=contradicts_in_every_slot),
           conflict.test_a_claim_about_an_ambiguous_name_waits_for_review_and_closes_and_disputes_nothing),
    # ---- merges, linked copies, lifted retractions ----
    Mutant("a merge ends nothing", {"succession.endings_of": lambda entry: ()},
           given(verbs.test_one_survives_with_the_evidence_of_all_and_the_others_end_with_the_merge_as_cause,
                 "berlin")),
    Mutant("what a merge ended still closes", {"succession.BEGINNING": -(2**63)},
           given(verbs.test_one_survives_with_the_evidence_of_all_and_the_others_end_with_the_merge_as_cause,
                 "berlin (germany)")),
    Mutant("a merge outlives its words", {"succession._cause_stands": lambda view, entry, grades: True},
           given(verbs.test_what_a_merge_ended_comes_back_when_its_words_are_taken_back, "rejected")),
    Mutant("what a merge ended elsewhere is not refolded", {"view.endings_of": lambda entry: ()},
           verbs.test_a_merge_in_slots_of_many_values_ends_and_returns_across_units),
    Mutant("a merge inherits nothing", {"view.inherits_from": lambda entry: ()},
           verbs.test_a_withdrawal_that_a_merge_did_not_know_of_hides_what_it_made),
    Mutant("a copy is of the record, whatever it says",
           {"evidence._source": lambda view, record, shares: _of_record(view, record)},
           given(verbs.test_a_linked_copy_falls_with_its_original, "corrected")),
    Mutant("a copy inherits nothing", {"view.inherits_from": lambda entry: ()},
           verbs.test_a_linked_copy_is_hidden_and_shown_with_its_original),
    Mutant("a copy outlives its original", {"standing.within": lambda held, originals: held},
           given(verbs.test_a_linked_copy_ends_with_its_original, "changed")),
    Mutant("a later word ends no copy", {"fold._is_copied": lambda view, record: False},
           given(verbs.test_a_linked_copy_ends_with_its_original, "followed by a later word")),
    Mutant("a copy is never doubted", {"standing.doubts_taken_over": lambda held, originals: []},
           verbs.test_a_linked_copy_is_contested_and_settled_with_its_original),
    Mutant("a copy hides what is disputed", {"standing.doubts_taken_over": lambda held, originals: []},
           verbs.test_a_linked_copy_is_disputed_while_its_original_is),
    Mutant("a doubted copy outweighs words of one's own", {"linking._without": lambda windows, gone: list(windows)},
           verbs.test_a_copy_that_is_said_there_too_does_not_end_with_its_original),
    Mutant("copies hold each other up", {"standing.grade": greatest_fixpoint},
           verbs.test_copies_of_each_other_hold_nothing_up),
    Mutant("anyone lifts a retraction", {"view.View.is_lifted": lambda view, entry_id: any(
               isinstance(e.skeleton.edges, Lift) for e in view.bearing_on(bearing.naming_key(entry_id)))},
           verbs.test_a_person_lifts_the_retraction_of_an_episode_and_what_rested_on_it_is_back),
    Mutant("a retraction is for ever", {"view.View.is_lifted": lambda view, entry_id: False},
           verbs.test_a_person_lifts_the_retraction_of_an_episode_and_what_rested_on_it_is_back),
    # ---- what it costs ----
    Mutant("the whole predicate is read", {**in_units(one_unit_for_all_values), "test_fold_orders.CROWD": 20},
           orders.test_one_more_value_reads_no_more_when_a_predicate_has_a_thousand),
]  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS, ids=[m.name for m in MUTANTS])
def test_a_broken_fold_is_caught(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    if "test_fold_orders.CROWD" not in mutant.patches:
        mutant.caught_by()
    for target, replacement in mutant.patches.items():
        local = target.startswith(("scribe.", "test_"))
        monkeypatch.setattr(target if local else f"firsthand.rules.{target}", replacement)
    with pytest.raises(AssertionError):
        mutant.caught_by()
