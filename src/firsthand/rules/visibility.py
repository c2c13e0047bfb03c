"""Whether a record may be shown, from the graph of withdrawals alone (designs 03, 09.29).

No clock, no order, no text is read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from firsthand.rules.bearing import consequences_of
from firsthand.rules.view import View
from firsthand.vocabulary.entries import Entry, Revise, Show, Support
from firsthand.vocabulary.kinds import HiddenReason


class Shown(NamedTuple):
    """The answer: `hidden` is unset when the record is visible."""

    hidden: HiddenReason | None
    heads: tuple[str, ...]


def shown(view: View, records: Iterable[str]) -> Shown:
    """One answer for all records that carry one claim."""
    records = sorted(set(records))
    shows: dict[str, Entry] = {}
    replaced: set[str] = set()
    for record in records:
        for source in (record, *_sources(view, record)):
            replaced |= {x for e in _shows(view, source) for x in _edges(e).replaces}
        shows |= {e.id: e for e in _shows(view, record)}
        shows |= {e.id: e for e in _inherited(view, record)}
    heads: tuple[str, ...] = tuple(sorted(i for i in shows if i not in replaced))
    if len(heads) == 0:
        # Nothing was ever withdrawn, or an inherited withdrawal was restored at its source.
        return Shown(None, ())
    if len(heads) > 1:
        return Shown("conflicting_decisions", heads)
    (head_id,) = heads
    head = _edges(shows[head_id])
    if head.verb == "withdraw":
        return Shown("withdrawn", heads)
    seen = all(_knows(view, c, head_id, head) for r in records for c in view.content_heads(r))
    return Shown(None if seen else "unreviewed_content", heads)


def show_heads(view: View, records: Iterable[str]) -> tuple[str, ...]:
    """The withdrawals and restores that no other replaces, on these records themselves."""
    entries = {e.id: e for r in set(records) for e in _shows(view, r)}
    replaced = {x for e in entries.values() for x in _edges(e).replaces}
    return tuple(sorted(i for i in entries if i not in replaced))


def _knows(view: View, content: str, head_id: str, head: Show) -> bool:
    """Whether a restore observed a revision, or the revision itself names that restore among what it saw."""
    entry = view.get(content)
    return content in head.observed or (
        entry is not None and isinstance(entry.skeleton.edges, Revise) and head_id in entry.skeleton.edges.saw
    )


def _shows(view: View, record: str) -> list[Entry]:
    return [e for e in view.of_record(record) if isinstance(e.skeleton.edges, Show)]


def _edges(entry: Entry) -> Show:
    assert isinstance(entry.skeleton.edges, Show)
    return entry.skeleton.edges


def _heirs(view: View, record: str) -> list[tuple[str, str]]:
    """(entry, record it inherits from) for each content of `record` that succeeds another record."""
    found: list[tuple[str, str]] = []
    for entry in view.of_record(record):
        consequences = consequences_of(entry)
        if isinstance(entry.skeleton.edges, Revise | Support) and consequences and consequences.inherits:
            found.append((entry.id, consequences.inherits))
    return found


def _sources(view: View, record: str) -> list[str]:
    return [source for _, source in _heirs(view, record)]


def _inherited(view: View, record: str) -> list[Entry]:
    """Withdrawals of the source that did not observe this successor (design 09.29)."""
    return [
        e for heir, source in _heirs(view, record) for e in _shows(view, source) if heir not in _edges(e).observed
    ]  # fmt: skip
