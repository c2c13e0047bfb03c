"""How far the entries of another store are believed here: as its registration says, and never further (design 03).

An entry stays byte for byte what its author wrote. What changes is how the fold reads it: where the store it came from
vouches only for agents, a person's word weighs as an agent's, and what only a person may do has no effect.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from firsthand.vocabulary.entries import (
    Assertion,
    Consequences,
    Define,
    Edges,
    Entry,
    Erase,
    Judge,
    Reject,
    Revise,
    Support,
)
from firsthand.vocabulary.kinds import PeerTrust


def most(trusts: Iterable[PeerTrust]) -> PeerTrust:
    """How far an entry is believed that several stores vouch for."""
    held = set(trusts)
    if "person" in held:
        return "person"
    return "agent" if "agent" in held else "none"


def least(one: PeerTrust, other: PeerTrust) -> PeerTrust:
    """How far an entry is believed that one store vouches for only as far as another does."""
    if "none" in (one, other):
        return "none"
    return "agent" if "agent" in (one, other) else "person"


def as_vouched(entry: Entry, trust: PeerTrust, own: frozenset[str]) -> Entry | None:
    """An entry as a store reads it that trusts its sender so far; nothing, if it does not trust it at all.

    `own`: those of the entries it erases that came from the same sender, which may always take its own words back.
    """
    if trust == "person":
        return entry
    if trust == "none":
        return None
    skeleton = entry.skeleton
    author, edges = skeleton.author, _as_agent(skeleton.edges, skeleton.author.owner, own)
    if author.role == "person":
        author = msgspec.structs.replace(author, role="agent")
    # What a tombstone of theirs reaches of our words is for this store to say, which reads it as weak as it is here.
    return Entry(id=entry.id, skeleton=msgspec.structs.replace(skeleton, author=author, edges=edges, reaches=()))


def _as_agent(edges: Edges, owner: str, own: frozenset[str]) -> Edges:
    """What is left of an entry if no person stands behind it."""
    match edges:
        case Revise():
            return msgspec.structs.replace(
                edges, supports=_unattested(edges.supports), consequences=_reaching(edges.consequences, owner),
                attested=False,
            )  # fmt: skip
        case Support():
            return msgspec.structs.replace(
                edges, supports=_unattested(edges.supports), consequences=_reaching(edges.consequences, owner)
            )
        case Judge(verb="approve"):
            return msgspec.structs.replace(edges, seen=())
        case Judge():
            return msgspec.structs.replace(edges, consequences=_reaching(edges.consequences, owner))
        case Reject():
            return Define(what="generation")
        case Erase():
            return Erase(targets=tuple(t for t in edges.targets if t in own), reason_code=edges.reason_code)
        case _:
            return edges


def _unattested(supports: tuple[Assertion, ...]) -> tuple[Assertion, ...]:
    return tuple(msgspec.structs.replace(said, attested=False, trusted=False) for said in supports)


def _reaching(consequences: Consequences | None, owner: str) -> Consequences | None:
    """An agent reaches only the words of its own owner, and leaves no stone that binds everyone."""
    if consequences is None:
        return None
    stone = consequences.tombstone
    return msgspec.structs.replace(
        consequences,
        reach=msgspec.structs.replace(consequences.reach, source=owner, everyone=False),
        tombstone=stone if stone is None else msgspec.structs.replace(stone, absolute=False),
    )
