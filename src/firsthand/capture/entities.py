"""One name, one entity in a scope; a second only when made explicitly, and then a bare name is ambiguous (09.13)."""

from __future__ import annotations

from typing import NamedTuple

from firsthand.capture.gateway import Gateway
from firsthand.ports import Reader, Writer
from firsthand.rules.access import Handle
from firsthand.rules.normalise import name_key
from firsthand.sighting import subject_digest
from firsthand.vocabulary.entries import Body, Revise
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


def resolve(reader: Reader, handle: Handle, name: str) -> Subject:
    """The one entity of a name, alias or former name in a scope; none yet is not an error."""
    found = entities_of(reader, handle, name)
    if len(found) > 1:
        return Subject(handle.keyed.digest("ambiguous", name_key(name)), None, tuple(found))
    if found:
        return Subject(subject_digest(reader, found[0]), found[0])
    return Subject(handle.keyed.name(name), None)


def entities_of(reader: Reader, handle: Handle, name: str) -> list[str]:
    """Every entity of this scope that a name, alias, former name or identifier stands for.

    Claims about those that two stores made apart for one name have one subject: they are one entity, the lowest id.
    """
    by_digest: dict[str, str] = {}
    for record_id in reader.standing_entities(handle.scope_id, name_key(name)):
        by_digest.setdefault(subject_digest(reader, record_id), record_id)
    return list(by_digest.values())


def make(gateway: Gateway, handle: Handle, writer: Writer, name: str, subject: Subject) -> None:
    """Make the entity of a name that no entity has yet."""
    payload = Entity(canonical_name=name)
    edges = Revise(record_kind="entity", names=(subject.digest,))
    words = gateway.words(Body(payload=payload), gateway.clock.now())
    gateway.append(handle, writer, edges, words)
