"""From ranked documents to a packet's places: hydrate the best, see what belongs together, pack (steps 5 to 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from firsthand.ports import Attention, BeliefRow, Reader
from firsthand.recall.arms import Found, Ground
from firsthand.recall.beside import Beside
from firsthand.recall.exceptions import with_exceptions_beside
from firsthand.recall.expand import Reached, admitted, expand
from firsthand.recall.fuse import Ranked, current_row, salience_of
from firsthand.recall.gated import Gate
from firsthand.recall.group import Candidate, Grouped, group
from firsthand.recall.hydrate import Chosen, items
from firsthand.recall.near import with_near_conflicts
from firsthand.recall.pack import Packed, pack
from firsthand.recall.plan import Plan
from firsthand.recall.rejections import Looked
from firsthand.recall.selection import Selected, select
from firsthand.rules.access import Handle
from firsthand.rules.qualify import contradicted
from firsthand.vocabulary.packets import ArmName, Why
from firsthand.vocabulary.rendering import MAY_HOLD_NONE, selection_remarks

HYDRATE_MORE: Final = 2
NEIGHBOUR_DEMOTION: Final = 0.7
SAID_THEN_DEMOTION: Final = 0.5
BELOW: Final = 0.99
CAPPED: Final = "conflict_capped"
"""A conflict has more sides than are shown."""
OPPONENTS_MOST: Final = 32
"""Other sides of conflicts that are fetched although they did not match."""
MET_FACTOR: Final = 1.1
"""A met condition outranks the unconditional (design 09.7)."""


class Filled(NamedTuple):
    """What was grouped, selected and packed, the documents of all of it by revision, and how many more matched.

    `kept_out`: revisions that a scope read beside theirs rejects, each with the rejection.
    """

    grouped: Grouped
    selected: Selected
    packed: Packed
    numbers: Mapping[str, int]
    left_behind: int
    kept_out: Mapping[str, str]
    degraded: tuple[str, ...]


class Filling:
    """One recall's way from its ranking to its places. Whatever it reads comes back through the gate."""

    def __init__(
        self,
        reader: Reader,
        handle: Handle,
        plan: Plan,
        base: Ground,
        found: Found,
        ranked: Ranked,
        attention: Mapping[str, Attention],
        looked: Looked,
    ) -> None:
        self._reader = reader
        self._handle = handle
        self._plan = plan
        self._base = base
        self._found = found
        self._ranked = ranked
        self._attention = attention
        self._gate = Gate(reader, plan, frozenset(p.row.scope_id for p in base.places))
        self._scopes = {p.row.scope_id: p.name for p in base.places}
        self._beside = Beside(reader, handle, looked, self._scopes)
        self._numbers: dict[str, int] = {}
        self._disputed: dict[str, frozenset[str]] = {}
        self._degraded: dict[str, None] = {}

    def fill(self, notice: str) -> Filled:
        """Hydrate the best, group and pack; more of them while places are left and something fell together."""
        plan, ranked = self._plan, self._ranked
        candidates: list[Candidate] = []
        taken, more = 0, plan.limit + HYDRATE_MORE
        while True:
            candidates += self._hydrated(taken, more)
            taken += more
            whole = [*candidates, *self._opponents(candidates)]
            whole += self._expanded(whole)
            whole = with_exceptions_beside(_above_its_source(whole))
            selected = select(group(with_near_conflicts(_met_first(_current_first(whole)))), plan)
            grouped = selected.grouped
            remarks = (*selection_remarks(selected.selection), MAY_HOLD_NONE)
            packed = pack(
                grouped.items, grouped.conflicts, limit=plan.limit, max_bytes=plan.max_bytes,
                max_tokens=plan.max_tokens, count=plan.count_tokens, notice=notice, remarks=remarks,
            )  # fmt: skip
            full = len(packed.items) + len(packed.conflicts) >= plan.limit
            if full or taken >= len(ranked.numbers):
                seen = {r.record_id for r in ranked.rows[:taken]} | {c.item.record_id for c in whole}
                left_behind = len({r.record_id for r in ranked.rows[taken:]} - seen)
                if packed.cut:
                    self._degraded[CAPPED] = None
                kept_out, degraded = self._beside.kept_out, tuple(self._degraded)
                return Filled(grouped, selected, packed, self._numbers, left_behind, kept_out, degraded)
            more *= 2

    def again(self, record_ids: Sequence[str]) -> list[Candidate]:
        """Records by their ids as they are now, whatever was asked, with the other sides of their conflicts."""
        if self._plan.known_at is None:
            self._gate.admit({row.vid for row in self._reader.beliefs_of_records(record_ids)})
        found = self._reached([Reached(record, record, 0.0, 0) for record in record_ids], ())
        return with_near_conflicts(with_exceptions_beside([*found, *self._opponents(found)]))

    def _hydrated(self, start: int, count: int) -> list[Candidate]:
        """Some of the best documents as items; the pure gate again on every row that comes back."""
        best = self._ranked.numbers[start : start + count]
        numbers: list[int] = best.tolist()
        vids = self._base.vids(best)
        admitted = set(self._gate.admit(vids))
        ranks = self._ranks(set(numbers))
        chosen: list[Chosen] = []
        for number, vid in zip(numbers, vids, strict=True):
            if vid in admitted:
                row = current_row(self._gate.passed[vid], self._plan.at)
                why = tuple(Why(arm=arm, rank=places[number]) for arm, places in ranks.items() if number in places)
                chosen.append(Chosen(row, salience_of(row, self._attention, self._plan.now), why))
        scores: list[float] = self._ranked.scores[start : start + count].tolist()
        return self._candidates(chosen, dict(zip(vids, scores, strict=True)))

    def _ranks(self, wanted: set[int]) -> dict[ArmName, dict[int, int]]:
        """Where each arm found some documents."""
        return {
            arm: {n: rank for rank, n in enumerate(found.tolist(), 1) if n in wanted}
            for arm, found in self._found.arms.items()
        }

    def _opponents(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The other sides of conflicts whose own words did not match: a conflict is shown whole, or says it is not."""
        sides: dict[str, Candidate] = {}
        for c in reversed(candidates):
            sides |= dict.fromkeys((*c.disputed_with, *([c.item.record_id] if c.head_conflict else [])), c)
        around = [Reached(side, c.item.record_id, c.score, 0) for side, c in sorted(sides.items())]
        here = {c.item.record_id for c in candidates}
        absent = [reached for reached in around if reached.record_id not in here]
        if len(absent) > OPPONENTS_MOST:
            self._degraded[CAPPED] = None
            around = sorted(absent, key=lambda reached: -reached.score)[:OPPONENTS_MOST]
        return self._reached(around, candidates)

    def _expanded(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Neighbours in the graph and the thread, back through the same gate, ranked below what led to them."""
        if self._plan.expand == 0:
            return []
        return self._reached(expand(self._reader, self._plan, self._gate, candidates), candidates)

    def _reached(self, around: Sequence[Reached], candidates: Sequence[Candidate]) -> list[Candidate]:
        """Records that others led to, as far as the gate lets them through and they are not here already."""
        if not around:
            return []
        plan, here = self._plan, {c.item.revision_id for c in candidates}
        chosen: list[Chosen] = []
        scores: dict[int, float] = {}
        attention = self._reader.attention([r.record_id for r in around])
        for reached in around:
            for vid in admitted(self._reader, self._gate, reached.record_id):
                row = current_row(self._gate.passed[vid], plan.at)
                salience = salience_of(row, attention, plan.now)
                if row.revision_id in here or (plan.min_salience is not None and salience < plan.min_salience):
                    continue
                scores[vid] = reached.score * NEIGHBOUR_DEMOTION**reached.hop
                why = (Why(arm="expand", rank=reached.hop),) if reached.hop else ()
                chosen.append(Chosen(row, salience, why, reached.via))
        return self._candidates(chosen, scores)

    def _candidates(self, chosen: Sequence[Chosen], scores: Mapping[int, float]) -> list[Candidate]:
        """Items on their way into the packet; what a given condition speaks against is left out."""
        plan = self._plan
        by_revision = {c.row.revision_id: c for c in chosen}
        numbers = self._base.numbers([c.row.vid for c in chosen])
        self._numbers |= {c.row.revision_id: n for c, n in zip(chosen, numbers.tolist(), strict=True)}
        made: list[Candidate] = []
        for item in items(self._reader, self._handle, plan, chosen, self._scopes, self._beside):
            row = by_revision[item.revision_id].row
            if contradicted(item.qualifier.conditions, plan.conditions):
                continue
            score = scores[row.vid] * (SAID_THEN_DEMOTION if item.qualifier.code == "said_then" else 1.0)
            if item.qualifier.conditions and not item.qualifier.unmet:
                score *= MET_FACTOR
            made.append(
                Candidate(
                    item=item,
                    score=score,
                    own=float(self._found.dense[self._numbers[row.revision_id]]),
                    claim_key=f"{row.unit}|{row.claim}" if row.claim is not None else None,
                    unit=row.unit if item.structure is not None else None,
                    head_conflict=row.visibility == "content_conflict",
                    disputed_with=self._foes(row) if row.status == "disputed" else (),
                )
            )
        return made

    def _foes(self, row: BeliefRow) -> tuple[str, ...]:
        """The other disputed records of the slot, of those that the caller may see.

        What was disputed once and holds undisputed at the instant asked about is no other side: it is the answer.
        """
        if row.unit not in self._disputed:
            self._disputed[row.unit] = self._disputing(row.unit)
        return tuple(sorted(self._disputed[row.unit] - {row.record_id}))

    def _disputing(self, unit: str) -> frozenset[str]:
        """Records that dispute a slot, of those that the caller may see."""
        slot = self._reader.open_rows(unit)
        if self._plan.known_at is not None:
            slot = self._reader.beliefs({r.vid for r in slot}, self._plan.known_at)
        rows: dict[int, list[BeliefRow]] = {}
        for other in slot:
            rows.setdefault(other.vid, []).append(other)
        speaking = [current_row(of, self._plan.at) for of in rows.values()]
        disputing = {r.record_id for r in speaking if r.status == "disputed"}
        return frozenset(disputing - self._reader.locked(disputing, self._plan.clearance))


def _above_its_source(candidates: Sequence[Candidate]) -> list[Candidate]:
    """A belief that holds as many of the words asked for as the saying it cites ranks above that saying."""
    sayings = {c.item.record_id: c for c in candidates if c.item.kind == "episodic"}
    made: list[Candidate] = []
    for c in candidates:
        sources = (sayings.get(each.record_id) for each in c.item.citations) if c.item.kind != "episodic" else ()
        best = max((s.score for s in sources if s is not None and s.own <= c.own), default=0.0)
        made.append(msgspec.structs.replace(c, score=best / BELOW) if best >= c.score else c)
    return made


def _met_first(candidates: Sequence[Candidate]) -> list[Candidate]:
    """A default ranks below its exception where the exception's conditions are met (design 09.7)."""
    met = {c.item.record_id: c.score for c in candidates if c.item.qualifier.conditions and not c.item.qualifier.unmet}
    made: list[Candidate] = []
    for c in candidates:
        above = min((met[e.record_id] for e in c.item.qualifier.excepted if e.record_id in met), default=None)
        late = above is not None and c.score >= above
        made.append(msgspec.structs.replace(c, score=above * BELOW) if late and above is not None else c)
    return made


def _current_first(candidates: Sequence[Candidate]) -> list[Candidate]:
    """What ended ranks below what holds in its slot, and what was said then below what replaced it (09.22, 09.23)."""
    holds: dict[str, float] = {}
    for c in candidates:
        if c.item.qualifier.code in ("current", "disputed"):
            for key in (c.item.record_id, *([c.unit] if c.unit is not None else [])):
                holds[key] = max(holds.get(key, 0.0), c.score)
    made: list[Candidate] = []
    for c in candidates:
        code, above = c.item.qualifier.code, None
        if code in ("ended", "future") and c.unit is not None:
            above = holds.get(c.unit)
        elif code == "said_then" and c.item.qualifier.see is not None:
            above = holds.get(c.item.qualifier.see)
        late = above is not None and c.score >= above
        made.append(msgspec.structs.replace(c, score=above * BELOW) if late and above is not None else c)
    return made
