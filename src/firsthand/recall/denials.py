"""Who denies a belief: who says the opposite, and who took it back though others still say it (design 09.8)."""

from __future__ import annotations

from collections.abc import Sequence

from firsthand.ports import Reader
from firsthand.rules.evidence import grade
from firsthand.rules.tombstones import lifted
from firsthand.rules.view import Said, View
from firsthand.vocabulary.entries import Claim, Entry, Judge


def deniers(
    reader: Reader, clearance: int, said: Sequence[Said], bearing: Sequence[Entry], slot: Sequence[Said],
    challenged_by: Sequence[str],
) -> tuple[str, ...]:  # fmt: skip
    """Names of those who deny what is said; `bearing` speaks of its slot, `slot` is what is asserted there, and
    `challenged_by` may be seen."""
    if not said:
        return ()
    view, claim = View(reader), said[0].claim
    sources = {e.skeleton.author.owner for e in bearing if _takes_back(view, e, claim, said)}
    if challenged_by:
        sources |= _opposed(reader, view, clearance, claim, slot, challenged_by)
    names = [reader.name("who", source) for source in sources]
    return tuple(sorted(name for name in names if name is not None))


def _takes_back(view: View, entry: Entry, claim: Claim, said: Sequence[Said]) -> bool:
    """Whether an entry is a person's retraction of a claim that this person has not said anew."""
    edges, author = entry.skeleton.edges, entry.skeleton.author
    if not isinstance(edges, Judge) or edges.verb != "retract" or edges.claim != claim or author.role != "person":
        return False
    return author.owner not in {s.source for s in said} and not lifted(view, entry.id)


def _opposed(
    reader: Reader, view: View, clearance: int, claim: Claim, slot: Sequence[Said], challenged_by: Sequence[str]
) -> set[str]:
    """Whose live word a challenger is, if it says the opposite of a claim and not merely another value."""
    challengers = set(challenged_by)
    against = [s for s in slot if s.record in challengers and _opposite(s.claim, claim)]
    if not against:
        return set()
    live, locked = grade(view, against).live, reader.locked({s.evidence for s in against}, clearance)
    return {s.source for s in against if s.id in live and s.evidence not in locked}


def _opposite(one: Claim, other: Claim) -> bool:
    return one.value == other.value and one.polarity != other.polarity
