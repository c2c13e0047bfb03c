"""Names, entities' names and relations, as one entry says them: the part of a projection that is made of words."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from firsthand.ports import Writer
from firsthand.rules.normalise import name_key
from firsthand.vocabulary.entries import Body, Define, Entry, Relate
from firsthand.vocabulary.records import Entity, Payload

POLICY = "policy"


def define(writer: Writer, entry: Entry, edges: Define, body: Body | None) -> None:
    """Keep what an opaque id stands for."""
    name = body.name if body else None
    if edges.policy is not None and writer.senders(entry.id):
        return  # who is believed here is decided here
    if edges.policy is not None:
        writer.put_name(POLICY, "", msgspec.json.encode(edges.policy).decode())
    elif edges.what == "scope":
        writer.put_scope(edges.id, name)
    elif edges.what != "hold":
        writer.put_name(edges.what, edges.id, name)


def name_entity(writer: Writer, entry: Entry, payload: Payload | None) -> None:
    """An entity's names are those of its newest revision."""
    writer.put_entity_names(entry.skeleton.scope, entry.record_id, names_in(payload))


def names_in(payload: Payload | None) -> list[tuple[str, str]]:
    """The names an entity is known by, each with its role: canonical, aliases, former names, identifiers."""
    if not isinstance(payload, Entity):
        return []
    names = [(name_key(payload.canonical_name), "canonical")]
    names += [(name_key(a.value), a.kind) for a in payload.aliases]
    return names + [(name_key(i.value), "identifier") for i in payload.identifiers]


def relate(writer: Writer, entry: Entry, edges: Relate, body: Body | None, position: int) -> None:
    """Begin or end an edge."""
    relation = (body.name if body else None) or edges.relation
    if edges.verb == "begin":
        writer.put_relation(entry.record_id, relation, edges.target, position)
    else:
        writer.drop_relation(entry.record_id, relation, edges.target)


def known_names(writer: Writer, scope: str, perhaps: Sequence[str], level: int) -> list[str]:
    """Those of some words that name an entity which whoever reads this document may know of."""
    found = writer.entity_names_among(scope, perhaps)
    entities = {name: set(writer.entities_named(scope, name)) for name in found}
    locked = writer.locked({e for each in entities.values() for e in each}, level) if entities else set[str]()
    return [name for name in found if entities[name] - locked]
