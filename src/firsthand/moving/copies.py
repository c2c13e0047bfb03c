"""What was erased in one store and stands in words of another, which the erasure could not name (design 09.31).

Such words are destroyed by an erase entry of our own: of ours, by what an erasure that came keeps out; of those that
came, by what any erasure here keeps out. A record under legal hold stays, and that is noted among the refusals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from firsthand.audit import replay_all
from firsthand.capture.certify import owe
from firsthand.capture.erase_plan import Found, every_row, of_holders
from firsthand.capture.gateway import NO_WORDS, Gateway
from firsthand.capture.holds import held_records
from firsthand.capture.planned import digest_of, planned
from firsthand.capture.sieve import KeptOut
from firsthand.ports import LedgerRow, Writer
from firsthand.rules.access import Handle
from firsthand.rules.bearing import KEPT_OUT_KEY
from firsthand.stored import body_of, entry_of
from firsthand.vocabulary.entries import Entry, Erase
from firsthand.vocabulary.grants import SPACE_WIDE

REASON_CODE: Final = "erased_elsewhere"


def destroy_copies(
    gateway: Gateway, handle: Handle, writer: Writer, erasures: Iterable[Entry], arrived: Iterable[str]
) -> int:
    """Destroy what erasures that came keep out, and what came of what is kept out here; how many bodies."""
    holders = [*_holding(handle, writer, erasures), *_holding_of(handle, writer, arrived)]
    found = _unheld(gateway, handle, writer, of_holders(writer, handle, holders)) if holders else None
    if found is None or not found.gone:
        return 0
    plan = planned(writer, handle, found, 0, 0)
    edges = Erase(targets=plan.targets, reason_code=REASON_CODE)
    made = gateway.append(handle, writer, edges, gateway.words(NO_WORDS, 0), scope_id=SPACE_WIDE)
    owe(writer, made.entry.id, made.received_at, digest_of(writer, handle, plan, found, made.changes.opened, ()))
    return len(plan.targets)


def destroy(gateway: Gateway, handle: Handle, writer: Writer, erasures: Iterable[Entry]) -> int:
    """Destroy what erasures of another store name and nobody holds, and make all anew from what is left; how many."""
    by_entry = {e.id: e.skeleton.edges.targets for e in erasures if isinstance(e.skeleton.edges, Erase)}
    targets = {target for each in by_entry.values() for target in each}
    held = _held_among(gateway, handle, writer, targets)
    for entry_id, own in by_entry.items():
        _owe_for(handle, writer, entry_id, set(own) - held)
    blanked = writer.blank(sorted(targets - held))
    if blanked:
        replay_all(writer, None)
    return blanked


def _owe_for(handle: Handle, writer: Writer, entry_id: str, targets: Iterable[str]) -> None:
    """Keep what an erasure destroys here; asked while the bodies are there."""
    stored = writer.rows_of(targets)
    gone = [entry_id for entry_id, row in stored.items() if row.body is not None]
    if gone:
        found = Found(dict.fromkeys(gone, "named"), set(), set())
        plan = digest_of(writer, handle, planned(writer, handle, found, 0, 0), found, (), ())
        owe(writer, entry_id, writer.head().received_at, plan)


def _held_among(gateway: Gateway, handle: Handle, writer: Writer, entry_ids: Iterable[str]) -> set[str]:
    """Those of some entries whose records are under legal hold; each hold that keeps words is noted."""
    records = {row.entry_id: entry_of(row).record_id for row in writer.rows_of(entry_ids).values() if row.body}
    held = held_records(writer, sorted(set(records.values())))
    for record_id in held:
        gateway.refuse(handle, writer, "import", "legal_hold", cause=record_id)
    return {entry_id for entry_id, record_id in records.items() if record_id in held}


def _holding(handle: Handle, writer: Writer, erasures: Iterable[Entry]) -> Iterator[Entry]:
    """Entries here that say what erasures of a value keep out."""
    kept = _of_values(handle, writer, erasures)
    return _saying(writer, kept, every_row(writer)) if kept else iter(())


def _holding_of(handle: Handle, writer: Writer, arrived: Iterable[str]) -> Iterator[Entry]:
    """Those of some entries that say what is kept out here."""
    kept = _of_values(handle, writer, writer.bearing_on(KEPT_OUT_KEY))
    return _saying(writer, kept, writer.rows_of(arrived).values()) if kept else iter(())


def _of_values(handle: Handle, writer: Writer, erasures: Iterable[Entry]) -> KeptOut | None:
    of_values = [e for e in erasures if _is_of_value(e)]
    return KeptOut(handle.keyed, writer, of_values) if of_values else None


def _is_of_value(entry: Entry) -> bool:
    return isinstance(entry.skeleton.edges, Erase) and entry.skeleton.edges.by_value


def _saying(writer: Writer, kept: KeptOut, rows: Iterable[LedgerRow]) -> Iterator[Entry]:
    for row in rows:
        body = body_of(row)
        if body is not None and kept.is_said_by(writer, entry_of(row), body):
            yield entry_of(row)


def _unheld(gateway: Gateway, handle: Handle, writer: Writer, found: Found) -> Found:
    """What may go of what was found: words that are left, and of no record under hold."""
    left = {i for i, row in writer.rows_of(found.gone).items() if row.body is not None}
    left -= _held_among(gateway, handle, writer, left)
    return found._replace(gone={i: ground for i, ground in found.gone.items() if i in left})
