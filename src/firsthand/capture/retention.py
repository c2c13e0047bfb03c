"""Retention: records older than the policy in force keeps their class, erased as if a person had named them.

What may not come back stays forbidden: tombstones are in skeletons, which no erasure touches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from firsthand.capture.erase import Asked, authorise, erase
from firsthand.capture.erase_plan import covers, every_row
from firsthand.capture.gateway import Gateway
from firsthand.capture.holds import holds_on
from firsthand.ports import LedgerRow, Reader
from firsthand.projection import policy_in_force
from firsthand.rules.access import Handle
from firsthand.rules.policy import ANY_ORIGIN
from firsthand.stored import body_of, entry_of
from firsthand.vocabulary.entries import Keep, Revise
from firsthand.vocabulary.erasure import Erasure, RetentionDue, RetentionReport, RetentionRule
from firsthand.vocabulary.errors import InvalidError, RefusedError
from firsthand.vocabulary.instants import MICROSECONDS_PER_DAY
from firsthand.vocabulary.kinds import SENSITIVITIES

REASON_CODE: Final = "retention"
TOGETHER: Final = 200
"""How many expired records go in one erasure; one that would be too large, or meets a hold, is done in halves."""


class _Record(NamedTuple):
    """A record as retention sees it: its newest content, since when it is here; tags and origin as keyed digests."""

    record_id: str
    kind: str
    scope: str
    since: int
    tags: frozenset[str]
    origin: str | None


def due(gateway: Gateway, handle: Handle) -> RetentionReport:
    """The rules in force, and the records that are older than they allow, oldest first."""
    handle.may("retention")
    with gateway.store.reading(handle.space) as reader:
        rules = policy_in_force(reader).retention
        found = _due(reader, handle, rules, gateway.clock.now())
    return RetentionReport(rules=tuple(map(_shown, rules)), due=tuple(found))


def retain(gateway: Gateway, handle: Handle) -> RetentionReport:
    """Erase what is due and not held."""
    authorise(handle)
    report = due(gateway, handle)
    waiting = [d.record_id for d in report.due if not d.held]
    batches = [waiting[start : start + TOGETHER] for start in range(0, len(waiting), TOGETHER)]
    done = [e for batch in batches for e in _erased(gateway, handle, batch)]
    erased = {r.record_id for e in done for r in e.plan.records if r.whole and r.kind != "name"}
    certificates = tuple(e.entry_id for e in done if e.entry_id is not None)
    return RetentionReport(rules=report.rules, due=report.due, erased=tuple(sorted(erased)), certificates=certificates)


def _erased(gateway: Gateway, handle: Handle, record_ids: Sequence[str]) -> list[Erasure]:
    """Erase records together; in halves where that is refused, down to the one that may not go."""
    with gateway.store.reading(handle.space) as reader:
        roots = reader.rows_of(["e" + r[1:] for r in record_ids])
    left = [r for r in record_ids if roots["e" + r[1:]].body is not None]
    if not left:
        return []
    asked = Asked(None, None, REASON_CODE, None, expired=tuple(left))
    try:
        return [erase(gateway, handle, asked)]
    except (RefusedError, InvalidError):
        if len(left) == 1:
            return []
    half = len(left) // 2
    return [*_erased(gateway, handle, left[:half]), *_erased(gateway, handle, left[half:])]


def _due(reader: Reader, handle: Handle, rules: Sequence[Keep], now: int) -> list[RetentionDue]:
    if not rules:
        return []
    oldest_kept = now - min(rule.days for rule in rules) * MICROSECONDS_PER_DAY
    found: list[RetentionDue] = []
    for record in _records(reader, handle):
        if record.since > oldest_kept:
            continue
        rows = reader.beliefs_of_records([record.record_id])
        if any(r.sensitivity > handle.clearance for r in rows):
            continue
        level = max((r.sensitivity for r in rows), default=0)
        ends = [
            (record.since + rule.days * MICROSECONDS_PER_DAY, number)
            for number, rule in enumerate(rules)
            if _fits(rule, record, level)
        ]
        if ends and min(ends)[0] <= now:
            until, number = min(ends)
            found.append(
                RetentionDue(
                    record_id=record.record_id, kind=record.kind, since=record.since, due=until, rule=number,
                    held=bool(holds_on(reader, record.record_id)),
                )
            )  # fmt: skip
    return sorted(found, key=lambda d: (d.since, d.record_id))


def _records(reader: Reader, handle: Handle) -> Iterator[_Record]:
    """Every record with words left, by its newest content. An utterance goes with its claim and is none by itself."""
    newest: dict[str, tuple[LedgerRow, Revise, str]] = {}
    for row in every_row(reader):
        if row.body is None or '"kind":"revise"' not in row.skeleton:
            continue
        entry = entry_of(row)
        edges = entry.skeleton.edges
        if isinstance(edges, Revise) and not edges.utterance and covers(handle, entry.skeleton.scope):
            newest[entry.record_id] = (row, edges, entry.skeleton.scope)
    for record_id, (row, edges, scope) in newest.items():
        body = body_of(row)
        tags = body.payload.tags if body is not None and body.payload is not None else ()
        digests = frozenset(handle.keyed.digest("origin", tag) for tag in tags)
        yield _Record(record_id, edges.record_kind, scope, row.received_at, digests, edges.origin)


def _fits(rule: Keep, record: _Record, level: int) -> bool:
    return (
        (rule.kind is None or rule.kind == record.kind)
        and (rule.level is None or rule.level == level)
        and (rule.tag is None or rule.tag in record.tags)
        and (rule.origin is None or rule.origin == record.origin or (rule.origin == ANY_ORIGIN and bool(record.origin)))
    )


def _shown(rule: Keep) -> RetentionRule:
    sensitivity = None if rule.level is None else SENSITIVITIES[rule.level]
    return RetentionRule(days=rule.days, kind=rule.kind, sensitivity=sensitivity, tag=rule.tag, origin=rule.origin)
