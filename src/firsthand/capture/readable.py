"""What a writer may see of a record it names: the same gate as every read, asked under the lock."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from firsthand.capture import shape
from firsthand.ports import BeliefRow, DocRow, Reader
from firsthand.rules.access import Handle
from firsthand.rules.view import View
from firsthand.veil import Veil
from firsthand.vocabulary.decoding import decode_body
from firsthand.vocabulary.entries import Entry, Revise, Show, root_of
from firsthand.vocabulary.errors import AbsentError, DeniedError
from firsthand.vocabulary.records import Payload


class Held(NamedTuple):
    """A record as its root, its documents and the rows believed of it now."""

    root: Entry
    edges: Revise
    docs: list[DocRow]
    rows: list[BeliefRow]

    @property
    def record_id(self) -> str:
        """Its id."""
        return self.root.record_id


def held(reader: Reader, handle: Handle, record_id: str, field: str = "record_id", *, restoring: bool = False) -> Held:
    """The record, if this handle may know of it; absent and unreadable are one answer (design 02).

    `restoring`: who withdrew it from view knows of it and may ask for it again.
    """
    root = reader.get(root_of(shape.record_id(record_id, field)))
    if root is None or not isinstance(root.skeleton.edges, Revise) or root.skeleton.record is not None:
        raise absent(field)
    docs = reader.docs_of_record(record_id)
    rows = reader.beliefs([d.vid for d in docs], None)
    if not handle.reads(root.skeleton.scope) or any(r.sensitivity > handle.clearance for r in rows):
        raise absent(field)
    unseen = bool(rows) and all(r.visibility == "hidden" or r.status == "erased" for r in rows)
    if unseen and not handle.grant.audit and not (restoring and _withdrew(reader, record_id, handle.ids.owner)):
        raise absent(field)
    return Held(root, root.skeleton.edges, docs, rows)


def _withdrew(reader: Reader, record_id: str, owner: str) -> bool:
    """Whether this owner's credentials withdrew a record, or one that it inherits that from."""
    view = View(reader)
    account = view.account(record_id)
    above = [e for _, source in account.heirs for e in view.account(source).entries]
    return any(
        isinstance(e.skeleton.edges, Show) and e.skeleton.author.owner == owner for e in (*account.entries, *above)
    )


def at_record(reader: Reader, handle: Handle, record: Held) -> Handle:
    """The same caller in the record's own scope: what is said about a record is said where it lives."""
    return at_scope(reader, handle, record.root.skeleton.scope)


def at_scope(reader: Reader, handle: Handle, scope_id: str) -> Handle:
    """The same caller in another scope that the grant lets it write to, by the scope's id."""
    if scope_id == handle.scope_id:
        return handle
    scope = reader.scope(scope_id)
    name = scope.name if scope is not None else None
    if name is None or not handle.grant.may_write(name):
        raise DeniedError(
            "scope_not_granted", "the grant does not include writing to the record's scope", field="scope"
        )
    return msgspec.structs.replace(handle, scope=name, scope_id=scope_id)


def absent(field: str) -> AbsentError:
    """The one answer for what is not there and what may not be seen."""
    return AbsentError("record_absent", f"{field} names no record that can be read here", field=field)


def payload_of(reader: Reader, entry_id: str) -> Payload | None:
    """The words of a revision, unless erased."""
    row = reader.rows_of([entry_id]).get(entry_id)
    return decode_body(row.body).payload if row is not None and row.body is not None else None


def readable_payload(reader: Reader, entry_id: str) -> Payload | None:
    """The words of a revision as they may be read, unless erased."""
    row = reader.rows_of([entry_id]).get(entry_id)
    if row is None or row.body is None:
        return None
    return Veil(reader, [entry_id]).body(entry_id, decode_body(row.body)).payload
