"""Each mechanism of the revising verbs and of the review desk is broken on purpose, and a test must see it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import NamedTuple

import pytest
import test_corrections as verbs
import test_review as desk
from houses import House

import firsthand


class Mutant(NamedTuple):
    """What is broken, how, and the test that must see it."""

    what: str
    broken: dict[str, object]
    caught_by: Callable[..., None]
    arguments: dict[str, object] | None = None


def genuine(path):
    module, name = path.rsplit(".", 1)
    return getattr(importlib.import_module(module), name)


OBSERVABLE = genuine("firsthand.rules.visibility.observable")
APPROVE = genuine("firsthand.review.deciding.approve")


def observes_copies(view, records, scope=None):
    return OBSERVABLE(view, records)


def observes_nothing(view, records, scope=None):
    return ()


def restores_anything(reader, asked, now):
    return None


def whoever_asks(reader, record_id, owner):
    return True


def approves_whatever(gateway, handle, writer, record_id, reason):
    writer_blocks = importlib.import_module("firsthand.review.deciding")
    original = writer_blocks.grade
    writer_blocks.grade = lambda view, said: original(view, said)._replace(blocks={})
    try:
        return APPROVE(gateway, handle, writer, record_id, reason)
    finally:
        writer_blocks.grade = original


def sees_all(handle, rows):
    return True


def kept_for_good(gateway, handle, write):
    (receipt,) = gateway.commit(handle, [write])
    return receipt


CAUGHT = (AssertionError, pytest.fail.Exception, firsthand.FirsthandError, ValueError, StopIteration)

MUTANTS = [
    Mutant("a restore needs no withdrawal", {"firsthand.capture.showing._check_decision": restores_anything},
           verbs.test_a_restore_of_what_nobody_withdrew_is_refused),
    Mutant("stale heads decide", {"firsthand.capture.showing._check_decision": restores_anything},
           verbs.test_a_decision_on_stale_heads_is_a_conflict, {"field": "expected_visibility_heads"}),
    Mutant("a restore observes nothing", {"firsthand.capture.showing.observable": observes_nothing},
           verbs.test_what_is_withdrawn_is_in_no_read_until_it_is_restored),
    Mutant("a withdrawal leaves copies in view", {"firsthand.capture.showing.observable": observes_copies},
           verbs.test_a_linked_copy_dies_with_its_original, {"how": "withdraw"}),
    Mutant("anybody knows of what is withdrawn", {"firsthand.capture.readable._withdrew": whoever_asks},
           verbs.test_who_may_not_know_of_a_withdrawn_record_cannot_restore_it),
    Mutant("an agent shows what a person hid", {"firsthand.capture.showing._proposed": lambda *given: None},
           verbs.test_who_may_not_know_of_a_withdrawn_record_cannot_restore_it),
    Mutant("a rejection is not in force", {"firsthand.rules.tombstones.blocked": lambda *given: None,
                                           "firsthand.capture.admitting.would_block": lambda *given: None,
                                           "firsthand.capture.stones.blocked": lambda *given: None},
           verbs.test_a_rejected_value_comes_back_from_nobody_until_a_person_lifts_it),
    Mutant("a value is rejected over and over", {"firsthand.capture.rejecting.standing_rejection": lambda *given: None},
           verbs.test_a_value_is_rejected_before_anybody_says_it),
    Mutant("contests are anybody's to settle", {"firsthand.capture.contesting._is_anothers": lambda *given: False},
           verbs.test_an_agent_settles_only_what_its_owner_contested),
    Mutant("hidden sources merge", {"firsthand.capture.merging.check_source": lambda current, field: None},
           verbs.test_what_is_hidden_or_does_not_hold_or_lives_elsewhere_is_not_merged),
    Mutant("an agent puts words into a merge", {"firsthand.capture.merging._waits": lambda *given: None},
           verbs.test_an_agent_merges_into_what_was_said_and_proposes_new_words),
    Mutant("a merge ends nothing", {"firsthand.rules.succession.endings_of": lambda entry: ()},
           verbs.test_of_two_that_say_the_same_one_survives_with_the_evidence_of_both),
    Mutant("a copy stands on whatever its original says",
           {"firsthand.rules.evidence._source": lambda view, record, shares:
               genuine("firsthand.rules.evidence._of_record")(view, record),
            "firsthand.rules.standing.within": lambda held, originals: held},
           verbs.test_a_linked_copy_dies_with_its_original, {"how": "correct"}),
    Mutant("merge asks for no words", {"firsthand.capture.admitting.refused_words": lambda *given: None},
           verbs.test_every_verb_that_claims_asks_for_the_very_words, {"verb": "merge"}),
    Mutant("share asks for no words", {"firsthand.capture.admitting.refused_words": lambda *given: None},
           verbs.test_every_verb_that_claims_asks_for_the_very_words, {"verb": "share"}),
    Mutant("proposals say what was rejected", {"firsthand.capture.gateway.met_by": lambda *given: ()},
           verbs.test_a_reason_that_says_what_was_rejected_is_masked, {"verb": "merge"}),
    Mutant("the other scope is not asked for",
           {"firsthand.vocabulary.grants.Grant.may_write": lambda self, scope: True},
           verbs.test_sharing_needs_both_scopes),
    Mutant("receipts tell of nothing else", {"firsthand.capture.effects.effects": lambda *given: ()},
           verbs.test_impact_says_what_would_fall_and_changes_nothing),
    Mutant("receipts tell of what the caller may not see", {"firsthand.capture.effects.may_see": sees_all},
           verbs.test_who_may_not_see_a_dependant_is_told_nothing_of_it),
    Mutant("impact tells of what the caller may not see",
           {"firsthand.recall.impact.may_read": lambda handle, row: True},
           verbs.test_who_may_not_see_a_dependant_is_told_nothing_of_it),
    Mutant("a retraction cannot be lifted", {"firsthand.rules.view.View.is_lifted": lambda self, entry_id: False},
           verbs.test_a_person_undoes_an_outcome_and_what_was_believed_is_believed_again, {"verb": "retract"}),
    Mutant("anybody undoes anything", {"firsthand.capture.undoing._waits": lambda handle, entry: None},
           verbs.test_what_has_no_opposite_is_refused_and_an_agent_undoes_only_its_own),
    Mutant("strangers revise", {"firsthand.capture.proposals.may_revise": lambda handle, record: True},
           verbs.test_on_another_owners_record_an_agent_only_proposes, {"verb": "withdraw"}),
    Mutant("looking decides", {"firsthand.capture.gateway.Gateway.trial": kept_for_good},
           desk.test_an_approved_proposal_does_what_it_meant, {"verb": "correct"}),
    Mutant("an approval makes no fact", {"firsthand.review.deciding.SAYING": frozenset()},
           desk.test_an_approved_proposal_does_what_it_meant, {"verb": "change"}),
    Mutant("a decision asks no tombstone", {"firsthand.capture.admitting.would_block": lambda *given: None,
                                            "firsthand.capture.admitting.refused_words": lambda *given: None,
                                            "firsthand.review.deciding.approve": approves_whatever},
           desk.test_a_decision_launders_no_rejected_value),
    Mutant("a decided proposal still waits", {"firsthand.review.waiting.is_open": lambda reader, entry: True},
           desk.test_a_rejected_proposal_is_closed_and_changes_nothing),
    Mutant("a proposal is carried out on whatever the record says now",
           {"firsthand.review.deciding._check_unrevised": lambda *given: None},
           desk.test_a_proposal_made_before_a_revision_is_not_carried_out),
    Mutant("proposals on hidden records are listed",
           {"firsthand.review.waiting.held": lambda reader, handle, *given, **more: None,
            "firsthand.rules.access.Handle.clearance": property(lambda self: 4)},
           desk.test_who_may_not_read_a_record_sees_no_proposal_on_it),
]  # fmt: skip


def run(mutant, house):
    mutant.caught_by(house, **(mutant.arguments or {}))


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.what)
def test_a_broken_verb_is_caught(mutant, tmp_path, monkeypatch):
    """The property holds as things are (its own test says so), and fails once the mechanism is broken."""
    house = House(tmp_path)
    try:
        for path, replacement in mutant.broken.items():
            monkeypatch.setattr(path, replacement)
        with pytest.raises(CAUGHT):
            run(mutant, house)
    finally:
        monkeypatch.undo()
        house.close()


def test_the_mutants_are_told_apart():
    assert len({m.what for m in MUTANTS}) == len(MUTANTS)
