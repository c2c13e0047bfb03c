"""What a record says now: what every revising verb looks at under the lock before it writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from firsthand.capture.readable import Held, held, payload_of
from firsthand.ports import BeliefRow, Reader
from firsthand.rules.access import Handle
from firsthand.rules.bearing import claim_digest
from firsthand.rules.view import Said, View
from firsthand.vocabulary.entries import Claim
from firsthand.vocabulary.errors import ConflictError, RefusedError
from firsthand.vocabulary.records import Payload

GONE = ("superseded", "erased")
SOURCES = ("active", "disputed", "needs_review")
TAKEN_BACK = ("retracted", "rejected")


class Current(NamedTuple):
    """The claim a record says now, with its payload and the assertions on it."""

    record: Held
    row: BeliefRow
    claim: Claim
    payload: Payload
    said: list[Said]

    @property
    def record_id(self) -> str:
        """Its id."""
        return self.record.record_id


def current_claim(reader: Reader, handle: Handle, record_id: str, gone: Sequence[str] = TAKEN_BACK) -> Current:
    """The claim that a record says now; a record that claims nothing has none to revise."""
    record = held(reader, handle, record_id)
    row = standing_row(record, gone)
    view = View(reader)
    said = {claim_digest(s.claim): s.claim for s in view.said_in_unit(row.unit)}
    payload = payload_of(reader, row.revision_id)
    if payload is None:
        raise RefusedError("record_erased", "the words of the record were erased", field="record_id")
    claim = said[row.claim]
    return Current(record, row, claim, payload, [s for s in view.said_in_unit(row.unit) if s.claim == claim])


def standing_row(record: Held, gone: Sequence[str] = TAKEN_BACK) -> BeliefRow:
    """The row of the claim that a record says now."""
    if record.edges.record_kind == "episodic":
        raise RefusedError(
            "episode_immutable", "an episode is exact and never revised; retract it or correct what cites it",
            field="record_id",
        )  # fmt: skip
    rows = [r for r in record.rows if r.claim is not None and r.status not in (*GONE, *gone)]
    if not rows:
        raise RefusedError(
            "nothing_to_revise",
            "the record claims nothing that still stands; remember what holds instead",
            field="record_id",
        )
    return max(rows, key=lambda r: (r.live_support > 0, r.valid_to, r.vid))


def check_source(current: Current, field: str) -> None:
    """Refuse what is hidden or does not hold: it is no source of another belief (design 03)."""
    if current.row.visibility == "hidden":
        raise RefusedError("source_hidden", f"{field} names a record that is withdrawn from view", field=field)
    if current.row.status not in SOURCES or current.row.live_support == 0:
        raise RefusedError("source_inactive", f"{field} names a record that does not hold now", field=field)


def check_heads(reader: Reader, record_id: str, expected: Sequence[str] | None) -> None:
    """Refuse a caller whose picture of the record is stale."""
    heads = View(reader).content_heads(record_id)
    if expected is not None and tuple(sorted(expected)) != heads:
        raise ConflictError(
            "heads_stale", "expected_heads are not the record's heads any more", field="expected_heads",
            details={"heads": list(heads)},
        )  # fmt: skip
