"""Each mechanism that keeps private what was forgotten as private is broken on purpose, and its test must fail."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import test_private as private
from test_stone_mutants import CAUGHT, Mutant

from firsthand import projection
from firsthand.capture import engraving, showing, stones, undoing
from firsthand.rules import masks as rules

GENUINE_TOUCHED = rules.touched
GENUINE_STONE_IN = engraving.stone_in
GENUINE_BINDING = stones._binding


def forgets_what_it_replaces(view: Any, entry: Any, units: Any) -> Any:
    return {entry.id} if getattr(entry.skeleton.edges, "verb", "") == "restore" else GENUINE_TOUCHED(view, entry, units)


def values_of_tombstones(edges: Any) -> Any:
    return None if hasattr(edges, "hides") else GENUINE_STONE_IN(edges)


MUTANTS = [
    Mutant("a withdrawal is as good as none", rules, "in_force", lambda view, entry: False,
           private.test_what_says_it_is_withheld_wherever_it_is_read),
    Mutant("a restore ends nothing", rules, "in_force", lambda view, entry: True,
           private.test_restoring_brings_back_every_word_and_every_row),
    Mutant("a restore forgets rows", projection, "touched", forgets_what_it_replaces,
           private.test_restoring_brings_back_every_word_and_every_row),
    Mutant("what it rests on is shown", rules, "is_hidden", lambda view, said: False,
           private.test_a_quote_that_names_nobody_is_withheld_where_it_backed_the_claim_and_later_ones_too),
    Mutant("what was said before is not reached", engraving, "stone_in", values_of_tombstones,
           private.test_what_says_it_is_withheld_wherever_it_is_read),
    Mutant("what is said later is shown", stones, "hidden_by", lambda *given: iter(()),
           private.test_what_is_said_of_it_later_is_stored_withheld_and_the_receipt_says_so),
    Mutant("what is private is refused", stones.Meeting, "is_private", False,
           private.test_what_is_said_of_it_later_is_stored_withheld_and_the_receipt_says_so),
    Mutant("one stone a sentence", stones, "_binding", lambda *given: GENUINE_BINDING(*given)[:1],
           private.test_what_was_also_rejected_stays_masked_when_either_is_taken_back),
    Mutant("every withdrawal masks", showing, "_hides", lambda view, asked, heads: True,
           private.test_a_plain_withdrawal_leaves_the_sayings_readable),
    Mutant("an undo of a restore only hides the record", undoing, "replaced_by", lambda *given: [],
           private.test_undoing_the_withdrawal_shows_everything_again),
    Mutant("a proposal forgets why", showing, "PRIVATELY", "withdraw",
           private.test_an_agents_wish_on_anothers_record_is_a_proposal_that_keeps_it_private),
]  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.what)
def test_broken_privacy_is_caught(mutant: Mutant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The property holds as things are, and its test fails once the mechanism is broken."""
    for name in ("whole", "broken"):
        (tmp_path / name).mkdir()
    mutant.caught_by(tmp_path=tmp_path / "whole", **mutant.given)
    with monkeypatch.context() as patch:
        patch.setattr(mutant.place, mutant.name, mutant.broken)
        with pytest.raises(CAUGHT):
            mutant.caught_by(tmp_path=tmp_path / "broken", **mutant.given)
