"""Plain sentences that may contradict each other are never two equal truths: they are marked as possible conflicts."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from firsthand.recall.group import Candidate
from firsthand.rules.near import near_terms
from firsthand.rules.normalise import statement_key
from firsthand.rules.terms import terms


def with_near_conflicts(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Plain current sentences that nearly match name each other; grouping sets them apart from what is plainly true."""
    plain = [
        c
        for c in candidates
        if c.item.kind == "semantic" and c.item.structure is None and c.item.qualifier.code == "current"
    ]
    words = [terms(c.item.text) for c in plain]
    keys = [statement_key(c.item.text) for c in plain]
    met: dict[str, set[str]] = {}
    for i, one in enumerate(plain):
        for j in range(i + 1, len(plain)):
            other = plain[j]
            if one.item.record_id != other.item.record_id and keys[i] != keys[j] and near_terms(words[i], words[j]):
                met.setdefault(one.item.revision_id, set()).add(other.item.record_id)
                met.setdefault(other.item.revision_id, set()).add(one.item.record_id)
    return [_marked(c, met[c.item.revision_id]) if c.item.revision_id in met else c for c in candidates]


def _marked(candidate: Candidate, others: set[str]) -> Candidate:
    q = candidate.item.qualifier
    challenged = tuple(sorted({*q.challenged_by, *others}))
    text = f"{q.text}; may contradict {', '.join(o[:9] for o in sorted(others))}"
    qualifier = msgspec.structs.replace(q, code="unverified", text=text, challenged_by=challenged)
    item = msgspec.structs.replace(candidate.item, qualifier=qualifier)
    return msgspec.structs.replace(candidate, item=item, near=tuple(sorted(others)))
