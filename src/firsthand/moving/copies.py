"""What was erased in one store and stands in words of another, which the erasure could not name (design 09.31).

Such words are destroyed by an erase entry of our own: of ours, what an erasure that came names or keeps out; of those
that came, what any erasure here keeps out. A record under legal hold stays, and that is noted among the refusals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from firsthand.capture.certify import owe
from firsthand.capture.erase_plan import Found, every_row, of_holders
from firsthand.capture.gateway import NO_WORDS, Gateway
from firsthand.capture.holds import held_records
from firsthand.capture.planned import digest_of, planned
from firsthand.capture.sieve import KeptOut
from firsthand.ledger import adopt
from firsthand.ports import LedgerRow, Writer
from firsthand.rules.access import Handle
from firsthand.rules.bearing import KEPT_OUT_KEY
from firsthand.stored import body_of, entry_of
from firsthand.vocabulary.entries import Edges, Entry, Erase, Skeleton
from firsthand.vocabulary.erasure import Ground
from firsthand.vocabulary.errors import RefusedError
from firsthand.vocabulary.grants import SPACE_WIDE

REASON_CODE: Final = "erased_elsewhere"
_NAMED: Final = "named"


def check_holds(writer: Writer, edges: Edges) -> None:
    """Raise before an erasure that this store made itself destroys a record that is under hold in this copy of it."""
    if isinstance(edges, Erase):
        left = [entry_of(row).record_id for row in writer.rows_of(edges.targets).values() if row.body is not None]
        if held := held_records(writer, sorted(set(left))):
            raise RefusedError(
                "legal_hold", "the export erases what is under hold here; release the hold and take it in again",
                field="path", details={"held": held},
            )  # fmt: skip


def take_over(gateway: Gateway, handle: Handle, writer: Writer, row: LedgerRow, skeleton: Skeleton) -> int:
    """Append an entry that came; how many bodies it destroys here at once, whose cleaning the file is then owed.

    That does only an erasure that this store made itself, and that an older copy of it knows nothing of yet.
    """
    edges, now = skeleton.edges, gateway.clock.now()
    if not isinstance(edges, Erase) or writer.senders(row.entry_id):
        adopt(writer, row, skeleton, now)
        return 0
    left = [i for i, target in writer.rows_of(edges.targets).items() if target.body is not None]
    gone: dict[str, Ground] = dict.fromkeys(left, _NAMED)
    found = Found(gone, set(), set())
    plan = planned(writer, handle, found, 0, 0)
    made = adopt(writer, row, skeleton, now)
    if gone:
        owe(writer, made.entry.id, made.received_at, digest_of(writer, handle, plan, found, made.changes.opened, ()))
    return len(gone)


def destroy_named(gateway: Gateway, handle: Handle, writer: Writer, erasures: Iterable[Entry]) -> int:
    """Destroy the bodies here that erasures of another store name; how many."""
    targets = {t for e in erasures if isinstance(e.skeleton.edges, Erase) for t in e.skeleton.edges.targets}
    found = Found(dict.fromkeys(writer.rows_of(targets), _NAMED), set(), set())
    return _destroy(gateway, handle, writer, found)


def destroy_copies(
    gateway: Gateway, handle: Handle, writer: Writer, erasures: Iterable[Entry], arrived: Iterable[str]
) -> int:
    """Destroy what erasures that came keep out, and what came of what is kept out here; how many bodies."""
    holders = [*_holding(handle, writer, erasures), *_holding_of(handle, writer, arrived)]
    return _destroy(gateway, handle, writer, of_holders(writer, handle, holders)) if holders else 0


def _destroy(gateway: Gateway, handle: Handle, writer: Writer, found: Found) -> int:
    """Append an erase entry of our own for what may go; the file is owed its cleaning."""
    gone = _unheld(gateway, handle, writer, found)
    if not gone.gone:
        return 0
    plan = planned(writer, handle, gone, 0, 0)
    edges = Erase(targets=plan.targets, reason_code=REASON_CODE)
    made = gateway.append(handle, writer, edges, gateway.words(NO_WORDS, 0), scope_id=SPACE_WIDE)
    owe(writer, made.entry.id, made.received_at, digest_of(writer, handle, plan, gone, made.changes.opened, ()))
    return len(plan.targets)


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
    records = {i: entry_of(row).record_id for i, row in writer.rows_of(found.gone).items() if row.body is not None}
    held = held_records(writer, sorted(set(records.values())))
    for record_id in held:
        gateway.refuse(handle, writer, "import", "legal_hold", cause=record_id)
    return found._replace(gone={i: found.gone[i] for i, record_id in records.items() if record_id not in held})
