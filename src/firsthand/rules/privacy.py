"""What was withdrawn as private: its sayings, earlier and later, are masked while the withdrawal is in force (09.17).

Truth is not touched by it: nothing is refused, and no claim waits.
"""

from __future__ import annotations

from collections.abc import Iterator

from firsthand.rules.bearing import claim_digest, tombstone_key, unit_of
from firsthand.rules.view import Said, View
from firsthand.rules.visibility import carriers, show_heads
from firsthand.vocabulary.entries import Claim, Entry, Show, Tombstone
from firsthand.vocabulary.grants import SPACE_WIDE


def is_private(entry: Entry) -> bool:
    """Whether an entry withdraws a record together with its sayings."""
    return isinstance(entry.skeleton.edges, Show) and entry.skeleton.edges.hides is not None


def in_force(view: View, withdrawal: Entry) -> bool:
    """Whether no later decision, on any record that carries the claim, has replaced a withdrawal."""
    record = withdrawal.record_id
    claims = {(unit_of(s.scope, s.claim), claim_digest(s.claim)) for s in view.said_of_record(record)}
    return withdrawal.id in show_heads(view, carriers(view, record, claims))


def hidden_by(view: View, scope: str, value: Claim | Tombstone) -> Iterator[Entry]:
    """The withdrawals in force, in a scope, of a value as private."""
    for entry in view.bearing_on(tombstone_key(value)):
        if is_private(entry) and entry.skeleton.scope in (scope, SPACE_WIDE) and in_force(view, entry):
            yield entry


def is_hidden(view: View, said: Said) -> bool:
    """Whether an assertion is on a record that is withdrawn as private, or says what such a record says."""
    for entry in hidden_by(view, said.scope, said.claim):
        if any(s.claim == said.claim for s in view.said_of_record(entry.record_id)):
            return True
    shows = view.account(said.record).shows
    withdrawals = (view.get(i) for i, show in shows.items() if show.hides is not None)
    return any(w is not None and in_force(view, w) for w in withdrawals)


def replaced_by(view: View, decision: Entry) -> list[Entry]:
    """The withdrawals as private that a decision replaces."""
    edges = decision.skeleton.edges
    heads = edges.replaces if isinstance(edges, Show) else ()
    return [entry for head in heads if (entry := view.get(head)) is not None and is_private(entry)]
