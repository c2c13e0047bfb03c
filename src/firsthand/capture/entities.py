"""One name, one entity in a scope; a second only when made explicitly, and then a bare name is ambiguous (09.13)."""

from __future__ import annotations

from typing import NamedTuple

from firsthand.capture.gateway import Gateway
from firsthand.ledger import Appended
from firsthand.ports import Reader, Writer
from firsthand.rules.access import Handle
from firsthand.rules.normalise import name_key
from firsthand.vocabulary.entries import Body, Revise, root_of
from firsthand.vocabulary.records import Entity


class Subject(NamedTuple):
    """A subject as a digest; the entities it may be when it is ambiguous."""

    digest: str
    entity_id: str | None
    candidates: tuple[str, ...] = ()

    @property
    def ambiguous(self) -> bool:
        """Whether several entities have this name."""
        return bool(self.candidates)


def subject_digest(reader: Reader, entity_id: str) -> str:
    """The digest that stands for an entity in claims: that of the name it was made with."""
    root = reader.get(root_of(entity_id))
    assert root is not None
    assert isinstance(root.skeleton.edges, Revise)
    return root.skeleton.edges.names[0]


def resolve(reader: Reader, handle: Handle, name: str, scope_id: str | None = None) -> Subject:
    """The one entity of a name, alias or former name in a scope; none yet is not an error."""
    scope_id = scope_id if scope_id is not None else handle.scope_id
    found = [e for e in reader.entities_named(scope_id, name_key(name)) if _stands(reader, e)]
    if len(found) > 1:
        return Subject(handle.keyed.digest("ambiguous", name_key(name)), None, tuple(found))
    if found:
        return Subject(subject_digest(reader, found[0]), found[0])
    return Subject(handle.keyed.name(name), None)


def resolve_or_make(gateway: Gateway, handle: Handle, writer: Writer, name: str) -> Subject:
    """The one entity of a name, made if there is none."""
    subject = resolve(writer, handle, name)
    if subject.entity_id is not None or subject.ambiguous:
        return subject
    payload = Entity(canonical_name=name)
    edges = Revise(record_kind="entity", names=(subject.digest,))
    words = gateway.words(Body(payload=payload), gateway.clock.now())
    made: Appended = gateway.append(handle, writer, edges, words)
    return Subject(subject.digest, made.entry.record_id)


def _stands(reader: Reader, entity_id: str) -> bool:
    docs = reader.docs_of_record(entity_id)
    return any(
        r.status in ("active", "pending_evidence") and r.visibility != "hidden"
        for r in reader.beliefs([d.vid for d in docs], None)
    )
