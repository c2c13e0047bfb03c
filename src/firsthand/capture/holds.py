"""Legal holds: a person keeps a record from being destroyed, and lets it go again; both are entries."""

from __future__ import annotations

from collections.abc import Iterable

from firsthand.capture import cleaning
from firsthand.capture.gateway import Gateway, Write
from firsthand.capture.readable import at_record, held
from firsthand.capture.receipts import standing_of
from firsthand.ports import Reader, Writer
from firsthand.rules.access import Handle
from firsthand.rules.bearing import record_key
from firsthand.vocabulary.entries import Body, Define, Entry
from firsthand.vocabulary.errors import DeniedError, RefusedError
from firsthand.vocabulary.packets import Receipt


def holds_on(reader: Reader, record_id: str) -> list[Entry]:
    """The holds on a record that nobody released."""
    said = [e for e in reader.bearing_on(record_key(record_id)) if _is_persons_hold(e)]
    released = {e.skeleton.edges.id for e in said if isinstance(e.skeleton.edges, Define) and e.skeleton.edges.released}
    return [
        e
        for e in said
        if isinstance(e.skeleton.edges, Define) and not e.skeleton.edges.released and e.id not in released
    ]


def held_records(reader: Reader, record_ids: Iterable[str]) -> list[str]:
    """Those of some records that are under hold."""
    return [r for r in record_ids if holds_on(reader, r)]


def _is_persons_hold(entry: Entry) -> bool:
    edges = entry.skeleton.edges
    return isinstance(edges, Define) and edges.what == "hold" and entry.skeleton.author.role == "person"


def hold(gateway: Gateway, handle: Handle, record_id: str, reason: str, *, release: bool) -> Write:
    """The write that puts a record under hold, or releases every hold on it."""
    handle.may_write("hold")
    if handle.author.role != "person":
        raise DeniedError("hold_needs_person", "only a person holds a record or releases it", field="role")
    said, masked = cleaning.reason(reason, gateway.is_ours(handle), required=True)

    def run(writer: Writer) -> Receipt:
        record = held(writer, handle, record_id)
        here = at_record(writer, handle, record)
        current = holds_on(writer, record_id)
        if release and not current:
            raise RefusedError("not_held", "the record is under no hold", field="record_id", next_action="none")
        edges = [Define(what="hold", id=e.id, released=True) for e in current] if release else [_begin(record_id)]
        made = [gateway.append(here, writer, e, gateway.words(Body(reason=said), 0), record=record_id) for e in edges]
        return Receipt(
            outcome="stored",
            record_id=record_id,
            entry_id=made[-1].entry.id,
            known_at=made[-1].received_at,
            standing=standing_of(record.rows),
            maskings=masked,
            notes=("hold_released",) if release else ("held",),
        )

    return Write("hold", run)


def _begin(record_id: str) -> Define:
    return Define(what="hold", id=record_id)
