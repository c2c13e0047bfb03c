"""A record's belief timeline: world time across, knowledge time down, and at each known time what changed and why.

Everything here comes from `Memory.history`, so what a reader may not see cannot be drawn.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from firsthand.vocabulary.instants import BEGINNING, FOREVER, MICROSECONDS_PER_DAY, to_date, to_iso
from firsthand.vocabulary.packets import BeliefView, EntryView, History

STEPS_MOST: Final = 40
"""More known times than this are not drawn one by one: the oldest are left out, and counted."""
QUOTE_CHARACTERS: Final = 200

MEANINGS: Final = {
    "active": "believed",
    "pending_evidence": "not believed: too little supports it",
    "needs_review": "waits for a person's decision",
    "quarantined": "set aside",
    "disputed": "contradicted by an equal; not offered as true",
    "superseded": "replaced",
    "retracted": "taken back or corrected away",
    "rejected": "may not come back",
    "erased": "its words were destroyed",
    "hidden": "hidden from view",
}
"""What each standing means, in the order in which a legend lists them."""

_DOINGS: Final = {
    "support grant": "said it too",
    "support revoke": "took evidence back",
    "support reinstate": "gave evidence back",
    "judge retract": "took it back",
    "judge end": "said when it ended",
    "judge approve": "approved it",
    "judge contest": "doubts it",
    "show withdraw": "hid it",
    "show restore": "showed it again",
    "reject": "ruled that this may not come back",
    "lift": "allowed this value again",
    "classify": "set how sensitive it is",
    "define": "changed a setting of the memory",
    "erase": "had words destroyed",
    "settle": "ended a doubt",
}
UNTOLD: Final = "Something that is not shown here changed it."
ON_ANOTHER_PAGE: Final = "What changed it is on a later page."
ELSEWHERE: Final = "in another record, which bears on this one"
UNSETTLED: Final = frozenset(("active", "pending_evidence", "needs_review", "disputed"))
"""Standings beside which the tier still matters."""


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of world time; an unset end is open."""

    valid_from: int | None
    valid_to: int | None


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """What was believed of one stretch of world time: a standing (a status, or hidden) and the words."""

    standing: str
    tier: str
    text: str | None
    supports: int
    revision_id: str


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One known time: what happened, who did it and why, and what was believed from then on, span by span.

    `elsewhere`: it happened to another record. `also` counts later entries that added or took away support and changed
    nothing else.
    """

    known_at: int
    entry_id: str | None
    who: str | None
    what: str
    words: str | None
    reason: str | None
    cells: tuple[tuple[Held, ...], ...]
    elsewhere: bool = False
    also: int = 0


class Timeline(msgspec.Struct, frozen=True, kw_only=True):
    """One record's life in two times. `left_out` counts the oldest steps of a very long one."""

    record_id: str
    title: str
    spans: tuple[Span, ...]
    steps: tuple[Step, ...]
    now: int
    left_out: int = 0

    @property
    def standings(self) -> tuple[str, ...]:
        """The standings that occur, in the order of a legend."""
        held = {h.standing for step in self.steps for cell in step.cells for h in cell}
        return tuple(s for s in MEANINGS if s in held)


def whole_history(memory: Any, record_id: str) -> History:
    """A record's history, all its pages as one."""
    first: History = memory.history(record_id)
    entries, cursor = list(first.entries), first.cursor
    while cursor is not None:
        more: History = memory.history(record_id, cursor=cursor)
        entries, cursor = [*entries, *more.entries], more.cursor
    return msgspec.structs.replace(first, entries=tuple(entries), cursor=None)


def timeline(history: History, now: int) -> Timeline:
    """The timeline of a record, from its whole history."""
    rows = history.beliefs
    edges = sorted({e for row in rows for e in _window(row)})
    times = {t for row in rows for t in (row.known_from, row.known_to) if t is not None and t < FOREVER}
    spans = [Span(valid_from=_open(a), valid_to=_open(b)) for a, b in itertools.pairwise(edges)]
    steps: list[Step] = []
    for known_at in sorted(times):
        step = _step(history, known_at, edges)
        if steps and _looks(steps[-1].cells) == _looks(step.cells) and not _decides(step, history):
            steps[-1] = msgspec.structs.replace(steps[-1], cells=step.cells, also=steps[-1].also + 1)
        else:
            steps.append(step)
    left_out = max(0, len(steps) - STEPS_MOST)
    return Timeline(
        record_id=history.record_id,
        title=_title(rows, now),
        spans=tuple(spans),
        steps=tuple(steps[left_out:]),
        now=now,
        left_out=left_out,
    )


def _window(row: BeliefView) -> tuple[int, int]:
    return (
        BEGINNING if row.valid_from is None else row.valid_from,
        FOREVER if row.valid_to is None else row.valid_to,
    )


def _open(edge: int) -> int | None:
    return None if edge in (BEGINNING, FOREVER) else edge


def _step(history: History, known_at: int, edges: Sequence[int]) -> Step:
    known = [r for r in history.beliefs if r.known_from <= known_at and (r.known_to is None or known_at < r.known_to)]
    cells = tuple(
        tuple(_held(r) for r in sorted(known, key=_order) if _window(r)[0] <= left and right <= _window(r)[1])
        for left, right in itertools.pairwise(edges)
    )
    entry = _entry_of(history, known_at)
    if entry is None:
        what = UNTOLD if history.cursor is None else ON_ANOTHER_PAGE
        return Step(known_at=known_at, entry_id=None, who=None, what=what, words=None, reason=None, cells=cells)
    elsewhere = entry in history.causes
    told = {h.text for cell in cells for h in cell}
    return Step(
        known_at=known_at,
        entry_id=entry.entry_id,
        who=f"{entry.actor or 'somebody'} ({entry.role})",
        what=_doing(entry, history, elsewhere=elsewhere),
        words=_words(entry, told, elsewhere=elsewhere),
        reason=entry.reason,
        cells=cells,
        elsewhere=elsewhere,
    )


def _entry_of(history: History, known_at: int) -> EntryView | None:
    """The entry that was received then, of this record or of another that may be read."""
    found = [e for e in (*history.entries, *history.causes) if e.received_at == known_at]
    return found[0] if found else None


def _order(row: BeliefView) -> tuple[int, str]:
    """What is believed stands above what is not."""
    return list(MEANINGS).index(row.status), row.revision_id


def _held(row: BeliefView) -> Held:
    return Held(
        standing="hidden" if row.visibility == "hidden" else row.status,
        tier=row.tier,
        text=row.text,
        supports=row.live_support,
        revision_id=row.revision_id,
    )


def _doing(entry: EntryView, history: History, *, elsewhere: bool) -> str:
    if entry.kind == "revise":
        if elsewhere:
            return "said something else"
        return "said it first" if entry.entry_id[1:] == history.record_id[1:] else "revised it"
    return _DOINGS.get(f"{entry.kind} {entry.verb}", _DOINGS.get(entry.kind, entry.kind))


def _words(entry: EntryView, told: set[str | None], *, elsewhere: bool) -> str | None:
    """An entry's words, unless the cells beside it say them anyway."""
    if entry.erased:
        return "(words destroyed)"
    return entry.text if entry.text is not None and (elsewhere or entry.text not in told) else None


def _looks(cells: Iterable[tuple[Held, ...]]) -> tuple[tuple[tuple[str, str, str | None], ...], ...]:
    """Cells but for how many supports they have."""
    return tuple(tuple((h.standing, h.tier, h.text) for h in cell) for cell in cells)


def _decides(step: Step, history: History) -> bool:
    """Whether what happened deserves a line of its own though no standing changed."""
    entry = _entry_of(history, step.known_at)
    return entry is None or entry.kind not in ("support", "revise")


def _title(rows: Sequence[BeliefView], now: int) -> str:
    """What the record says now, else what it said last."""
    if not rows:
        return "A record without a visible past"
    best = max(rows, key=lambda r: (r.known_to is None, r.status == "active", _window(r)[0] <= now, r.known_from))
    return best.text or "A record whose words were destroyed"


def moment_labels(instants: Sequence[int]) -> dict[int, tuple[str, str]]:
    """Each instant as a day and, where a day alone would not do, a time; as short as tells them apart."""
    found = sorted(set(instants))
    minutes = {i: to_iso(i // 60_000_000 * 60_000_000) for i in found}
    exact = len(set(minutes.values())) < len(found)
    return {i: _label(i, exact=exact) for i in found}


def _label(instant: int, *, exact: bool) -> tuple[str, str]:
    if instant % MICROSECONDS_PER_DAY == 0:
        return to_date(instant), ""
    _, _, time = to_iso(instant).removesuffix("Z").partition("T")
    return to_date(instant), time[:12] if exact else time[:5]


def span_words(spans: Sequence[Span]) -> list[str]:
    """Stretches of world time as people say them."""
    ends = [e for span in spans for e in (span.valid_from, span.valid_to) if e is not None]
    labels = {at: " ".join(label).strip() for at, label in moment_labels(ends).items()}
    return [_span_words(labels, span) for span in spans]


def _span_words(labels: dict[int, str], span: Span) -> str:
    start = "" if span.valid_from is None else labels[span.valid_from]
    end = "" if span.valid_to is None else labels[span.valid_to]
    if start and end:
        return f"{start} to {end}"
    if start:
        return f"from {start}"
    return f"until {end}" if end else "at all times"


def standing_words(held: Held) -> str:
    """A standing, its tier and what it rests on, in a few words."""
    words = [held.standing.replace("_", " ")]
    if held.standing in UNSETTLED and held.tier in ("candidate", "fact"):
        words.append({"candidate": "unconfirmed", "fact": "approved"}[held.tier])
    if held.supports > 1:
        words.append(f"{held.supports} sayings")
    return ", ".join(words)
