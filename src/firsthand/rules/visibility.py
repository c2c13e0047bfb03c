"""Whether a record may be shown, from the graph of withdrawals alone (designs 03, 09.29).

No clock, no order, no text is read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from firsthand.rules.bearing import claim_digest, heir_key, unit_of
from firsthand.rules.view import View
from firsthand.vocabulary.entries import Revise, Show
from firsthand.vocabulary.kinds import HiddenReason


class Shown(NamedTuple):
    """The answer: `hidden` is unset when the record is visible."""

    hidden: HiddenReason | None
    heads: tuple[str, ...]


NEVER_WITHDRAWN: Final = Shown(None, ())


def shown(view: View, records: Iterable[str]) -> Shown:
    """One answer for all records that carry one claim."""
    accounts = [view.account(r) for r in set(records)]
    if not any(a.shows or a.heirs for a in accounts):
        return NEVER_WITHDRAWN
    shows: dict[str, Show] = {}
    replaced: set[str] = set()
    for account in accounts:
        shows |= account.shows
        for heir, source in account.heirs:
            above = _shows_on_what(view, source)
            shows |= _inherited(heir, above)
            replaced |= _replaced(above)
        replaced |= _replaced(account.shows)
    heads: tuple[str, ...] = tuple(sorted(i for i in shows if i not in replaced))
    if len(heads) == 0:
        # An inherited withdrawal was restored at its source.
        return NEVER_WITHDRAWN
    if len(heads) > 1:
        return Shown("conflicting_decisions", heads)
    (head_id,) = heads
    head = shows[head_id]
    if head.verb == "withdraw":
        return Shown("withdrawn", heads)
    seen = all(_knows(view, c, head_id, head) for a in accounts for c in a.heads)
    return Shown(None if seen else "unreviewed_content", heads)


def _shows_on_what(view: View, source: str) -> dict[str, Show]:
    """The decisions about what a record says, whichever of the records that two stores made of it apart they name."""
    account = view.account(source)
    claims = [(unit_of(s.scope, s.claim), claim_digest(s.claim)) for s in account.said if s.entry in account.heads]
    return {i: edges for r in carriers(view, source, claims) for i, edges in view.account(r).shows.items()}


def show_heads(view: View, records: Iterable[str]) -> tuple[str, ...]:
    """The withdrawals and restores that no other replaces, on these records themselves."""
    shows = {i: edges for r in set(records) for i, edges in view.account(r).shows.items()}
    replaced = _replaced(shows)
    return tuple(sorted(i for i in shows if i not in replaced))


def carriers(view: View, record: str, claims: Iterable[tuple[str, str | None]]) -> list[str]:
    """The records that carry what a record says, of (unit, claim digest): one answer holds for all of them."""
    found = {record}
    for unit, claim in claims:
        if claim is not None:
            found |= {s.record for s in view.said_in_unit(unit) if claim_digest(s.claim) == claim}
    return sorted(found)


def observable(view: View, records: Iterable[str], scope: str | None = None) -> tuple[str, ...]:
    """The content that a decision on records looks at: theirs, and that of their successors.

    A withdrawal looks only at those in its own `scope`: a linked copy elsewhere inherits it. A restore looks at all.
    """
    seen: set[str] = set()
    for record in records:
        seen |= set(view.content_heads(record))
        for heir in view.bearing_on(heir_key(record)):
            if scope is None or heir.skeleton.scope == scope:
                seen |= {heir.id, *view.content_heads(heir.record_id)}
    return tuple(sorted(seen))


def _knows(view: View, content: str, head_id: str, head: Show) -> bool:
    """Whether a restore observed a revision, or the revision itself names that restore among what it saw."""
    entry = view.get(content)
    return content in head.observed or (
        entry is not None and isinstance(entry.skeleton.edges, Revise) and head_id in entry.skeleton.edges.saw
    )


def _replaced(shows: dict[str, Show]) -> set[str]:
    return {x for edges in shows.values() for x in edges.replaces}


def _inherited(heir: str, above: dict[str, Show]) -> dict[str, Show]:
    """Withdrawals of the source that did not observe this successor (design 09.29)."""
    return {i: edges for i, edges in above.items() if heir not in edges.observed}
