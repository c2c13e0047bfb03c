"""The first word on a matter, which most entries are: what the fold would say of it, without looking further.

Nothing here says other than `settle_unit` does; `tests/rules/test_fold_firsts.py` compares the two.
"""

from __future__ import annotations

from firsthand.rules.bearing import CLAIMED, begins_plainly, naming_key, record_key, tombstone_key, unit_key, unit_of
from firsthand.rules.standing import Row, entity_tier
from firsthand.rules.trust import CANDIDATE, TIER_NAMES, tier_of
from firsthand.rules.view import View
from firsthand.vocabulary.entries import Entry, PolicyRules, Revise, root_of
from firsthand.vocabulary.instants import BEGINNING, FOREVER
from firsthand.vocabulary.kinds import Status, Tier


def first_row(entry: Entry, policy: PolicyRules) -> Row:
    """The row of a record that claims nothing, as long as the entry that began it is all that is known of it."""
    edges = entry.skeleton.edges
    assert isinstance(edges, Revise)
    tier: Tier = entity_tier(entry, policy) if edges.record_kind == "entity" else "observed"
    record = entry.record_id
    return Row(
        record, entry.skeleton.scope, record, entry.id, None, BEGINNING, FOREVER, tier,
        "pending_evidence" if tier == "candidate" else "active", "visible", None, 0, entry.skeleton.sensitivity, "", "",
    )  # fmt: skip


def first_claim_row(view: View, entry: Entry, policy: PolicyRules) -> Row | None:
    """The row of a record that is the first to speak about its unit, on the word of one record; else nothing.

    `entry` was just written: nothing refers to it yet.
    """
    edges = entry.skeleton.edges
    if not isinstance(edges, Revise) or entry.skeleton.record is not None or edges.record_kind not in CLAIMED:
        return None
    if len(edges.supports) != 1 or edges.consequences is not None or entry.skeleton.met:
        return None
    (said,) = view.said_in(entry)
    unit = unit_of(said.scope, said.claim)
    if len(view.bearing_on(unit_key(unit))) != 1 or view.bearing_on(tombstone_key(said.claim)):
        return None
    source = _untouched(view, said.evidence)
    start = BEGINNING if said.stated_from is None else said.stated_from
    stop = FOREVER if said.stated_to is None else said.stated_to
    if source is None or start >= stop:
        return None
    tier = tier_of(said, policy, approved=False)
    status: Status = "pending_evidence" if tier == CANDIDATE else "needs_review" if said.claim.ambiguous else "active"
    level = max(entry.skeleton.sensitivity, source.skeleton.sensitivity)
    return Row(
        unit, said.scope, said.record, entry.id, said.claim, start, stop, TIER_NAMES[tier], status, "visible", None, 1,
        level, "", "",
    )  # fmt: skip


def _untouched(view: View, record: str) -> Entry | None:
    """The entry that began a record that claims nothing, if nobody has said anything about that record since."""
    root = view.get(root_of(record))
    if root is None or not begins_plainly(root) or view.bearing_on(record_key(record)):
        return None
    return None if view.bearing_on(naming_key(root.id)) else root
