"""The job that reads new episodes of a scope and proposes the claims they plainly state."""

from __future__ import annotations

from collections.abc import Sequence

from firsthand.capture.gateway import Gateway, Write
from firsthand.capture.inferring import infer
from firsthand.capture.readable import payload_of
from firsthand.ports import DocRow, Reader
from firsthand.rules.access import Handle
from firsthand.rules.extraction import extract
from firsthand.vocabulary.citing import cite
from firsthand.vocabulary.entries import Revise, root_of
from firsthand.vocabulary.records import Episodic

TOPIC_KIND = "project:"
"""A scope of this kind is what a deadline without a name is of."""


def extract_claims(gateway: Gateway, handle: Handle, reader: Reader, docs: Sequence[DocRow]) -> list[Write]:
    """The writes that propose what some episodes state; one that does not stand or may not be seen states nothing."""
    rows = reader.beliefs([doc.vid for doc in docs], None)
    standing = {row.vid for row in rows if row.status == "active" and row.visibility == "visible"}
    topic = handle.scope.removeprefix(TOPIC_KIND) if handle.scope.startswith(TOPIC_KIND) else None
    writes: list[Write] = []
    for doc in docs:
        if doc.vid in standing:
            writes += _of_episode(gateway, handle, reader, doc, topic)
    return writes


def _of_episode(gateway: Gateway, handle: Handle, reader: Reader, doc: DocRow, topic: str | None) -> list[Write]:
    payload, root = payload_of(reader, doc.revision_id), reader.get(root_of(doc.record_id))
    if not isinstance(payload, Episodic) or root is None:
        return []
    edges = root.skeleton.edges
    assert isinstance(edges, Revise)
    said_at = edges.occurred if edges.occurred is not None else root.skeleton.recorded_at
    speaker = payload.speaker
    if speaker is None and edges.speaker is not None:
        speaker = reader.name("who", edges.speaker)
    found = extract(payload.text, speaker=speaker, said_at=said_at, topic=topic)
    writes = (infer(gateway, handle, each.claim, cite(doc.record_id, span=(each.start, each.end))) for each in found)
    return [write for write in writes if write is not None]
