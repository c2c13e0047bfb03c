"""Who said what a linked copy repeats: the speaker of its original, as far as the caller may know."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from firsthand.ports import Reader
from firsthand.rules.access import Handle
from firsthand.rules.bearing import claim_digest
from firsthand.rules.evidence import grade
from firsthand.rules.view import Said, View
from firsthand.stored import body_of
from firsthand.vocabulary.entries import root_of
from firsthand.vocabulary.records import Episodic


class Spoken(NamedTuple):
    """Who said the original of a copy, and whether that is vouched for."""

    speaker: str
    attested: bool


def spoken_first(reader: Reader, handle: Handle, clearance: int, said: Iterable[Said]) -> dict[str, Spoken]:
    """Of those assertions that copy another, who said the original; by assertion."""
    view = View(reader)
    found: dict[str, Spoken] = {}
    for copy in (s for s in said if s.shares):
        originals = _readable(reader, handle, clearance, view, copy)
        stored = reader.rows_of({root_of(s.evidence) for s in originals})
        for s in originals:
            body = body_of(stored[root_of(s.evidence)])
            episode = body.payload if body is not None else None
            if isinstance(episode, Episodic) and episode.speaker:
                found.setdefault(copy.id, Spoken(episode.speaker, s.attested or s.role == "person"))
    return found


def _readable(reader: Reader, handle: Handle, clearance: int, view: View, copy: Said) -> list[Said]:
    """The live words behind a copy whose evidence may be read, the best first."""
    said = [s for s in view.account(copy.evidence).said if claim_digest(s.claim) == copy.shares]
    live = grade(view, said).live
    locked = reader.locked({s.evidence for s in said}, clearance)
    kept = [s for s in said if s.id in live and s.evidence not in locked and _in_reach(handle, view, s)]
    return sorted(kept, key=lambda s: (s.role != "person", not s.attested, -s.spoken, s.id))


def _in_reach(handle: Handle, view: View, said: Said) -> bool:
    root = view.get(root_of(said.evidence))
    return root is not None and handle.reads(root.skeleton.scope)
