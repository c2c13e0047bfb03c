"""From windows to belief rows: tier and lift, dispute, status, per instant and then in maximal runs (design 09.3)."""

import itertools
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from firsthand.rules.bearing import CLAIMED, naming_key, unit_key
from firsthand.rules.conflict import Strand, disputes, later_observations, rank
from firsthand.rules.evidence import Grades, grade
from firsthand.rules.linking import Doubt, Original, doubts_taken_over, originals_of, within
from firsthand.rules.masks import doubts_on
from firsthand.rules.sensitivity import sensitivity
from firsthand.rules.succession import Held, hold
from firsthand.rules.tombstones import restates
from firsthand.rules.trust import CANDIDATE, FACT, TIER_NAMES, approvals, tier_of, voice_of
from firsthand.rules.view import Said, View
from firsthand.rules.visibility import shown
from firsthand.vocabulary.entries import Claim, Entry, Judge, PolicyRules, Revise, Settle, root_of
from firsthand.vocabulary.instants import BEGINNING, FOREVER
from firsthand.vocabulary.kinds import HiddenReason, Status, Tier, Visibility


class Row(NamedTuple):
    """A belief but for its known time: one record, head and run of world time. `challenged_by` is a record id."""

    unit: str
    scope: str
    record: str
    revision: str
    claim: Claim | None
    valid_from: int
    valid_to: int
    tier: Tier
    status: Status
    visibility: Visibility
    hidden_reason: HiddenReason | None
    live_support: int
    sensitivity: int
    ended_by: str
    challenged_by: str


class _Run(NamedTuple):
    low: int
    high: int
    tier: Tier
    status: Status
    foe: Claim | None
    against: str = ""


class _Claims(NamedTuple):
    """A unit of claims as far as it is settled: what was said, when each word holds, and the runs of each claim."""

    by_claim: dict[Claim, list[Said]]
    grades: Grades
    held: dict[Claim, list[Held]]
    runs: dict[Claim, list[_Run]]
    labels: dict[Claim, list[str]]


def settle_unit(view: View, unit: str, policy: PolicyRules) -> frozenset[Row]:
    """The belief rows of a unit, from everything known about it."""
    if unit.startswith("r"):
        return _record_rows(view, unit, policy)
    settled = _settled(view, unit, policy)
    rows: set[Row] = set()
    for claim, mine in settled.by_claim.items():
        rows |= _claim_rows(
            view, unit, mine, settled.held.get(claim, []), settled.grades, settled.runs.get(claim, []), settled.labels
        )
    return frozenset(rows)


def _settled(view: View, unit: str, policy: PolicyRules, above: frozenset[str] = frozenset()) -> _Claims:
    """The claims of a unit. `above`: units whose copies led here; what they copy of each other holds nothing up."""
    said = view.said_in_unit(unit)
    approved = approvals(view, unit)
    grades = grade(view, said)
    tiers = {s.id: tier_of(s, policy, s.id in approved) for s in said}
    doubts = doubts_on(view, said, approved)
    held = hold(view, unit, said, grades, tiers | dict.fromkeys(doubts, CANDIDATE), approved)
    originals = {
        h.said.id: [_original(view, u, c, policy, above | {unit}) for u, c in originals_of(view, h.said).items()]
        for h in held
        if h.said.shares
    }
    held = [within(h, originals[h.said.id]) if h.said.shares else h for h in held]
    by_claim: dict[Claim, list[Said]] = {}
    for s in said:
        by_claim.setdefault(s.claim, []).append(s)
    held_by: dict[Claim, list[Held]] = {}
    for h in held:
        held_by.setdefault(h.said.claim, []).append(h)
    runs = _runs(view, unit, held, grades, tiers, doubts, policy)
    if originals:
        runs = {c: _doubted(runs[c], doubts_taken_over(held_by[c], originals)) for c in runs}
    return _Claims(by_claim, grades, held_by, runs, {c: _carriers(view, mine, grades) for c, mine in by_claim.items()})


def _original(view: View, unit: str, claim: Claim, policy: PolicyRules, above: frozenset[str]) -> Original:
    """When a claim that was copied holds where it was made, and when it is doubted there."""
    if unit in above:
        return Original((), {}, ())
    settled = _settled(view, unit, policy, above)
    runs = settled.runs.get(claim, [])
    doubts = [
        Doubt(r.low, r.high, r.status, settled.labels[r.foe][0] if r.foe is not None else r.against)
        for r in runs
        if r.status in ("disputed", "needs_review")
    ]
    return Original(tuple((r.low, r.high) for r in runs), _ends(settled.held.get(claim, [])), tuple(doubts))


def _doubted(runs: list[_Run], doubts: list[Doubt]) -> list[_Run]:
    """Runs that would be active, with what is doubted of them."""
    for doubt in doubts:
        runs = [part for run in runs for part in _parted(run, doubt)]
    merged: list[_Run] = []
    for run in runs:
        _extend(merged, run)
    return merged


def _parted(run: _Run, doubt: Doubt) -> list[_Run]:
    low, high = max(run.low, doubt.low), min(run.high, doubt.high)
    if run.status != "active" or low >= high:
        return [run]
    parts = (run._replace(high=low), run._replace(low=low, high=high, status=doubt.status, against=doubt.against),
             run._replace(low=high))  # fmt: skip
    return [part for part in parts if part.low < part.high]


# ---- records that are no claims ------------------------------------------------------------------------------------


def _record_rows(view: View, record: str, policy: PolicyRules) -> frozenset[Row]:
    """One row per content head of an episode, a working record or an entity."""
    account = view.account(record)
    kind, heads = account.kind, account.heads
    assert kind not in CLAIMED, "a record of claims is settled by the units of its claims"
    visible = shown(view, [record])
    visibility = _visibility(visible.hidden, len(heads) > 1)
    tier: Tier = "observed" if kind in ("episodic", "working") else entity_tier(view.get(root_of(record)), policy)
    rows: set[Row] = set()
    for head in heads:
        entry = view.get(head)
        assert entry is not None
        status: Status = "erased" if view.erased(head) else "retracted" if account.taken_back else "active"
        if status == "active" and tier == "candidate":
            status = "pending_evidence"
        rows.add(
            Row(
                record, entry.skeleton.scope, record, head, None, BEGINNING, FOREVER, tier, status, visibility,
                visible.hidden, 0, sensitivity(view, record), account.taken_back or "", "",
            )
        )  # fmt: skip
    return frozenset(rows)


def entity_tier(root: Entry | None, policy: PolicyRules) -> Tier:
    """The tier of an entity, from who made it."""
    role = root.skeleton.author.role if root else "system"
    return "validated_claim" if role == "person" or policy.agent_statement_is_claim else "candidate"


def _visibility(hidden: HiddenReason | None, conflict: bool) -> Visibility:
    if hidden is not None:
        return "hidden"
    return "content_conflict" if conflict else "visible"


# ---- claims --------------------------------------------------------------------------------------------------------


def _runs(
    view: View,
    unit: str,
    held: list[Held],
    grades: Grades,
    tiers: dict[str, int],
    doubts: frozenset[str],
    policy: PolicyRules,
) -> dict[Claim, list[_Run]]:
    """Per claim the maximal runs of equal tier, status and challenger: a sweep over the instants where any changes."""
    strands = _strands(view, held, grades, tiers, doubts)
    later = later_observations(held, grades)
    contested = _contested(view, unit)
    runs: dict[Claim, list[_Run]] = {}
    for low, high, here in _sweep(strands):
        ranks = {c: rank(s, policy) for c, s in here.items()}
        verdicts = disputes({c for c in ranks if ranks[c][0] and any(s.live for s in here[c])}, ranks, later)
        for claim, strands_here in here.items():
            run = _judge(low, high, claim, strands_here, ranks[claim][0], verdicts.get(claim), contested.get(claim))
            _extend(runs.setdefault(claim, []), run)
    return runs


def _sweep(
    strands: dict[Claim, dict[Strand, list[tuple[int, int]]]],
) -> Iterator[tuple[int, int, dict[Claim, list[Strand]]]]:
    """Each stretch of world time in which nothing begins or ends, with the strands that hold there."""
    begin: dict[int, list[tuple[Claim, Strand]]] = {}
    end: dict[int, list[tuple[Claim, Strand]]] = {}
    for claim, by in strands.items():
        for strand, windows in by.items():
            for low, high in windows:
                begin.setdefault(low, []).append((claim, strand))
                end.setdefault(high, []).append((claim, strand))
    here: dict[Claim, list[Strand]] = {}
    for low, high in itertools.pairwise(sorted(begin.keys() | end.keys())):
        for claim, strand in end.get(low, ()):
            here[claim].remove(strand)
            if not here[claim]:
                del here[claim]
        for claim, strand in begin.get(low, ()):
            here.setdefault(claim, []).append(strand)
        yield low, high, here


def _strands(
    view: View, held: list[Held], grades: Grades, tiers: dict[str, int], doubts: frozenset[str]
) -> dict[Claim, dict[Strand, list[tuple[int, int]]]]:
    found: dict[Claim, dict[Strand, list[tuple[int, int]]]] = {}
    for h in held:
        s, tier = h.said, tiers[h.said.id]
        live = s.id in grades.live
        erased = not live and view.erased(s.entry)
        words = s.said if tier == CANDIDATE else ""
        restated = tier != FACT and (s.id in doubts or restates(view, s))
        strand = Strand(tier, voice_of(s), s.source, words, s.echo, live, erased, restated)
        found.setdefault(s.claim, {}).setdefault(strand, []).extend(h.windows)
    return {c: {s: _union(w) for s, w in by.items()} for c, by in found.items()}


def _union(windows: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for low, high in sorted(windows):
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return merged


def _judge(
    low: int,
    high: int,
    claim: Claim,
    strands: list[Strand],
    tier: int,
    verdict: tuple[Status, Claim | None] | None,
    against: str | None,
) -> _Run:
    """The strongest status that holds at these instants."""
    status, foe = verdict or ("active", None)
    if against is not None:
        status = "disputed"
    if status == "active" and (tier == CANDIDATE or not any(s.live for s in strands)):
        status = "pending_evidence"
    if status == "active" and claim.ambiguous:
        status = "needs_review"
    if all(s.erased for s in strands):
        status = "erased"
    return _Run(low, high, TIER_NAMES[tier], status, foe, against or "")


def _extend(runs: list[_Run], run: _Run) -> None:
    if runs and runs[-1].high == run.low and runs[-1][2:] == run[2:]:
        runs[-1] = runs[-1]._replace(high=run.high)
    else:
        runs.append(run)


def _contested(view: View, unit: str) -> dict[Claim, str]:
    """Claims with a contest that waits for a settle that names it, and the record it was made in favour of."""
    found: dict[Claim, str] = {}
    for entry in view.bearing_on(unit_key(unit)):
        edges = entry.skeleton.edges
        if isinstance(edges, Judge) and edges.verb == "contest" and edges.claim is not None:
            naming = view.bearing_on(naming_key(entry.id))
            if not any(isinstance(x.skeleton.edges, Settle) for x in naming):
                found[edges.claim] = max(found.get(edges.claim, ""), edges.against or "")
    return found


def _carriers(view: View, mine: list[Said], grades: Grades) -> list[str]:
    """Records that carry a claim: a content head says it, or an assertion of theirs on it stands. Lowest id first."""
    everyone = sorted({s.record for s in mine})
    carrying = {s.record for s in mine if s.id in grades.stands or s.entry in view.content_heads(s.record)}
    kept = [
        r for r in everyone if r in carrying and not all(view.erased(s.entry) for s in view.account(r).said)
    ]  # fmt: skip
    return kept or everyone


def _claim_rows(
    view: View,
    unit: str,
    mine: list[Said],
    held: list[Held],
    grades: Grades,
    runs: list[_Run],
    labels: dict[Claim, list[str]],
) -> set[Row]:
    claim = mine[0].claim
    carriers = labels[claim]
    record = carriers[0]
    visible = shown(view, carriers)
    level = max(sensitivity(view, r) for r in carriers)
    live = sum(s.id in grades.live for s in mine)
    heads, conflict = _revisions(view, record, claim, mine, grades)
    visibility = _visibility(visible.hidden, conflict)
    ends = _ends(held)
    rows: set[Row] = set()
    for head in heads:
        for run in runs:
            foe = labels[run.foe][0] if run.foe is not None else run.against
            rows.add(
                Row(
                    unit, mine[0].scope, record, head, claim, run.low, run.high, run.tier, run.status, visibility,
                    visible.hidden, live, level, ends.get(run.high, ""), foe,
                )
            )  # fmt: skip
        if not runs:
            status, cause = _fallen(view, mine, grades)
            cause = cause or ends.get(BEGINNING, "")
            rows.add(
                Row(
                    unit, mine[0].scope, record, head, claim, BEGINNING, FOREVER, "candidate", status, visibility,
                    visible.hidden, 0, level, cause, "",
                )
            )  # fmt: skip
    return rows


def _ends(held: list[Held]) -> dict[int, str]:
    """What ended a claim at each instant."""
    ends: dict[int, str] = {}
    for h in held:
        for at, why in h.ends.items():
            ends[at] = min(ends.get(at, why), why)
    return ends


def _fallen(view: View, mine: list[Said], grades: Grades) -> tuple[Status, str]:
    """Why a claim holds at no instant."""
    if all(view.erased(s.entry) for s in mine):
        return "erased", ""
    blocks = [grades.blocks[s.id] for s in mine if s.id in grades.blocks]
    for status in ("rejected", "retracted"):
        causes = [b.entry for b in blocks if b.status == status]
        if causes:
            return status, min(causes)
    if any(s.id in grades.stands or s.id in grades.live for s in mine):
        return "superseded", ""
    return "pending_evidence", ""


def _revisions(view: View, record: str, claim: Claim, mine: list[Said], grades: Grades) -> tuple[list[str], bool]:
    """The revisions whose words a claim is shown with, and whether they compete.

    A claim with a structure has one: its slot already settles what competes. Skills, plans and plain sentences show
    every content head.
    """
    content = set(view.content_heads(record))
    own = [s for s in mine if s.record == record] or mine
    heads = sorted({s.entry for s in own if s.entry in content})
    competing = len(content) > 1 and not claim.subject
    if heads and competing:
        return heads, True

    def newest(said: list[Said]) -> str:
        kept = [s for s in said if not view.erased(s.entry)] or said
        best = max(kept, key=lambda s: (s.entry in content, _is_revise(view, s.entry), s.spoken, s.id))
        return best.entry

    return [newest([s for s in own if s.id in grades.stands] or own)], False


def _is_revise(view: View, entry_id: str) -> bool:
    entry = view.get(entry_id)
    return entry is not None and isinstance(entry.skeleton.edges, Revise)
