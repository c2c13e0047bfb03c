"""Documents as items: their words, their structure, what they rest on, and how far they can be relied on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from firsthand.ports import BeliefRow, DocRow, LedgerRow, Reader
from firsthand.recall.denials import deniers
from firsthand.recall.gated import shown_row
from firsthand.recall.plan import Plan
from firsthand.rules.access import Handle
from firsthand.rules.bearing import citing_key, claim_digest, unit_key, unit_of
from firsthand.rules.evidence import grade
from firsthand.rules.gate import unlocked
from firsthand.rules.predicates import definition
from firsthand.rules.qualify import Drift, qualify
from firsthand.rules.view import Said, View, said_by
from firsthand.rules.wording import words_of
from firsthand.vocabulary.entries import Body, Entry, Revise, Skeleton, root_of
from firsthand.vocabulary.instants import BEGINNING, FOREVER, to_date
from firsthand.vocabulary.kinds import SENSITIVITIES, Authority
from firsthand.vocabulary.packets import Citation, Item, Qualifier, Structure, Why
from firsthand.vocabulary.records import Episodic, Payload, Semantic

CITATIONS_PER_ITEM: Final = 5
STILL_SAID: Final = ("active", "disputed", "needs_review")
NO_LONGER_SAID: Final = ("active", "superseded", "retracted", "rejected")
_bodies = msgspec.json.Decoder(Body)
_skeletons = msgspec.json.Decoder(Skeleton)


class Chosen(NamedTuple):
    """A document to show: the row that speaks for it, every row that passed, and what recall knows of it."""

    doc: DocRow
    row: BeliefRow
    salience: float
    why: tuple[Why, ...]
    neighbour_of: str | None = None


class Resting(NamedTuple):
    """Live assertions of a claim whose evidence the caller may see; `bearing` is all that speaks of its slot."""

    said: list[Said]
    last_verified: int
    bearing: Sequence[Entry] = ()


def items(
    reader: Reader, handle: Handle, plan: Plan, chosen: Sequence[Chosen], scopes: Mapping[str, str] | None = None
) -> list[Item]:
    """Items for documents, in their order; what was erased is left out. `scopes`: names of scope ids known already."""
    own = {r.position: r for r in reader.rows_at([c.doc.position for c in chosen])}
    claims = [c for c in chosen if c.row.claim is not None]
    resting = _resting(reader, handle, plan, claims)
    cited = reader.rows_of({root_of(s.evidence) for r in resting.values() for s in r.said})
    endings = _said_then(reader, handle, plan, [c for c in chosen if c.row.kind == "episodic"])
    made: list[Item] = []
    for c in chosen:
        ledger_row = own[c.doc.position]
        payload = _payload(ledger_row)
        if payload is not None:
            rests = resting.get(c.doc.vid)
            ended = endings.get(c.doc.record_id)
            scope = (scopes or {}).get(c.row.scope_id) or _scope_name(reader, c.row.scope_id)
            made.append(_item(reader, handle, plan, c, ledger_row, payload, rests, cited, ended, scope))
    return made


def _item(
    reader: Reader,
    handle: Handle,
    plan: Plan,
    c: Chosen,
    stored: LedgerRow,
    payload: Payload,
    rests: Resting | None,
    cited: Mapping[str, LedgerRow],
    ended: Qualifier | None,
    scope: str,
) -> Item:
    row, episode = c.row, payload if isinstance(payload, Episodic) else None
    edges = _skeletons.decode(stored.skeleton)
    citations = _citations(handle, rests, cited) if rests is not None else _own_citation(c, payload, edges)
    verified = rests.last_verified if rests is not None else stored.received_at
    challenged_by = _readable_challenger(reader, handle, plan, row)
    denied_by = deniers(reader, plan.clearance, rests.said, rests.bearing, challenged_by) if rests is not None else ()
    qualifier = ended or qualify(
        row,
        at=plan.at,
        conditions=payload.validity.conditions if isinstance(payload, Semantic) else {},
        given=plan.conditions,
        drift=Drift(payload.volatility if isinstance(payload, Semantic) else "stable", verified, plan.now),
        challenged_by=challenged_by,
        denied_by=denied_by,
    )
    return Item(
        record_id=row.record_id,
        revision_id=row.revision_id,
        kind=row.kind,
        text=words_of(payload),
        scope=scope,
        tier=row.tier,
        status=row.status,
        authority=_authority(row, edges, rests),
        valid_from=None if row.valid_from == BEGINNING else row.valid_from,
        valid_to=None if row.valid_to == FOREVER else row.valid_to,
        believed_since=row.known_from,
        salience=round(c.salience, 3),
        citations=citations,
        why=c.why,
        qualifier=qualifier,
        structure=_structure(payload),
        payload=None if isinstance(payload, Episodic | Semantic) else payload,
        speaker=episode.speaker if episode else None,
        occurred_at=episode.occurred_at if episode else None,
        thread=episode.thread if episode else None,
        source_id=episode.source_id if episode else None,
        supports=len(rests.said) if rests is not None else row.live_support,
        volatility=payload.volatility if isinstance(payload, Semantic) else "drift_prone",
        sensitivity=SENSITIVITIES[row.sensitivity],
        neighbour_of=c.neighbour_of,
    )


def _payload(stored: LedgerRow) -> Payload | None:
    return _bodies.decode(stored.body).payload if stored.body is not None else None


def _scope_name(reader: Reader, scope_id: str) -> str:
    scope = reader.scope(scope_id)
    return (scope.name if scope is not None else None) or scope_id


def _structure(payload: Payload) -> Structure | None:
    if not isinstance(payload, Semantic) or payload.subject is None or payload.predicate is None:
        return None
    return Structure(
        subject=payload.subject,
        predicate=definition(payload.predicate).key,
        object=payload.object,
        polarity=payload.polarity,
        cardinality=definition(payload.predicate).cardinality,
        conditions=payload.validity.conditions,
    )


def _authority(row: BeliefRow, skeleton: Skeleton, rests: Resting | None) -> Authority:
    """How close the source is: approved, a person's own word, an agent's, a guess."""
    if row.tier == "fact":
        return "authoritative"
    said = rests.said if rests is not None else []
    if any(s.role == "person" or s.attested for s in said):
        return "primary"
    if not said:
        edges = skeleton.edges
        attested = isinstance(edges, Revise) and edges.attested
        return "primary" if attested or skeleton.author.role == "person" else "secondary"
    return "inferred" if all(s.basis == "inferred" for s in said) else "secondary"


# ---- what a claim rests on -------------------------------------------------------------------------------------------


def _resting(reader: Reader, handle: Handle, plan: Plan, claims: Sequence[Chosen]) -> dict[int, Resting]:
    """Live assertions of each claim, the best voice and the latest word first."""
    bearing = _known(reader, plan, reader.bearing_on_any({unit_key(c.row.unit) for c in claims}))
    found: dict[int, list[Said]] = {}
    for c in claims:
        said = [
            s
            for e in bearing.get(unit_key(c.row.unit), [])
            for s in said_by(e)
            if claim_digest(s.claim) == c.row.claim and unit_of(s.scope, s.claim) == c.row.unit
        ]
        if len(said) != c.row.live_support:
            live = grade(View(reader), said).live
            said = [s for s in said if s.id in live]
        found[c.doc.vid] = said
    made = _readable(reader, handle, plan, claims, found)
    return {c.doc.vid: made[c.doc.vid]._replace(bearing=bearing.get(unit_key(c.row.unit), ())) for c in claims}


def _known(reader: Reader, plan: Plan, bearing: dict[str, list[Entry]]) -> dict[str, list[Entry]]:
    """What had been said by the time asked about."""
    if plan.known_at is None:
        return bearing
    at = plan.known_at
    known = {
        i for i, row in reader.rows_of({e.id for es in bearing.values() for e in es}).items() if row.received_at <= at
    }
    return {key: [e for e in entries if e.id in known] for key, entries in bearing.items()}


def _readable(
    reader: Reader, handle: Handle, plan: Plan, claims: Sequence[Chosen], found: Mapping[int, list[Said]]
) -> dict[int, Resting]:
    """What of it the caller may see: evidence that is locked, or of a scope that is not readable, is not shown."""
    evidence = {s.evidence for said in found.values() for s in said}
    locked = reader.locked(evidence, plan.clearance)
    if handle.readable is not None:
        roots = [reader.get(root_of(e)) for e in evidence]
        locked |= {e.record_id for e in roots if e is not None and not handle.reads(e.skeleton.scope)}
    made: dict[int, Resting] = {}
    for c in claims:
        said = [s for s in found[c.doc.vid] if s.evidence not in locked]
        said.sort(key=lambda s: (s.role != "person", not s.attested, -s.spoken, s.id))
        made[c.doc.vid] = Resting(said, max((s.spoken for s in said), default=c.row.known_from))
    return made


def _citations(handle: Handle, rests: Resting, cited: Mapping[str, LedgerRow]) -> tuple[Citation, ...]:
    """Exact spans of the cited records, from their stored words."""
    made: list[Citation] = []
    seen: set[tuple[str, tuple[int, int] | None]] = set()
    for s in rests.said:
        span = s.span
        stored = cited.get(root_of(s.evidence))
        payload = _payload(stored) if stored is not None else None
        if payload is None or (s.evidence, span) in seen or len(made) >= CITATIONS_PER_ITEM:
            continue
        seen.add((s.evidence, span))
        text = words_of(payload)
        start, end = span if span is not None else (0, len(text))
        episode = payload if isinstance(payload, Episodic) else None
        made.append(
            Citation(
                record_id=s.evidence,
                quote=text[start:end],
                span=(start, end),
                speaker=episode.speaker if episode and episode.speaker else None,
                occurred_at=episode.occurred_at if episode and episode.occurred_at is not None else s.spoken,
                source=episode.source_id if episode else None,
                attested=s.attested or s.role == "person",
            )
        )
    return tuple(made)


def _own_citation(c: Chosen, payload: Payload, skeleton: Skeleton) -> tuple[Citation, ...]:
    """An episode is its own evidence."""
    if not isinstance(payload, Episodic):
        return ()
    edges = skeleton.edges
    return (
        Citation(
            record_id=c.row.record_id,
            quote=payload.text,
            span=(0, len(payload.text)),
            speaker=payload.speaker,
            occurred_at=payload.occurred_at,
            source=payload.source_id,
            attested=isinstance(edges, Revise) and edges.attested,
        ),
    )


def _readable_challenger(reader: Reader, handle: Handle, plan: Plan, row: BeliefRow) -> tuple[str, ...]:
    """Who challenges it, if the caller may know."""
    if row.challenged_by is None:
        return ()
    rows = reader.beliefs([d.vid for d in reader.docs_of_record(row.challenged_by)], None)
    if any(r.visibility != "hidden" and r.sensitivity <= plan.clearance and handle.reads(r.scope_id) for r in rows):
        return (row.challenged_by,)
    return ()


# ---- what was said then ----------------------------------------------------------------------------------------------


def _said_then(reader: Reader, handle: Handle, plan: Plan, episodes: Sequence[Chosen]) -> dict[str, Qualifier]:
    """Episodes whose cited claims all ended or were corrected: what was said then, and where to look since (09.23)."""
    bearing = reader.bearing_on_any({citing_key(c.doc.record_id) for c in episodes})
    found: dict[str, Qualifier] = {}
    for c in episodes:
        entries = bearing.get(citing_key(c.doc.record_id), [])
        qualifier = _since(reader, handle, plan, c.doc.record_id, entries)
        if qualifier is not None:
            found[c.doc.record_id] = qualifier
    return found


def _since(reader: Reader, handle: Handle, plan: Plan, record_id: str, entries: Sequence[Entry]) -> Qualifier | None:
    """Told by claims that the caller may see; what is hidden says nothing here."""
    said = [s for e in entries for s in said_by(e) if s.evidence == record_id and handle.reads(s.scope)]
    over: list[tuple[int, str]] = []
    for unit, claim in sorted({(unit_of(s.scope, s.claim), claim_digest(s.claim)) for s in said}, key=str):
        open_now = [r for r in reader.open_rows(unit) if r.claim == claim]
        if plan.known_at is not None:
            docs = {d.vid for r in {r.record_id for r in open_now} for d in reader.docs_of_record(r)}
            locked = reader.locked({r.record_id for r in open_now}, plan.clearance)
            then = [r for r in reader.beliefs(docs, plan.known_at) if r.unit == unit and r.claim == claim]
            open_now = [r for r in then if r.record_id not in locked]
        rows = [r for r in open_now if unlocked(shown_row(r, _own(r)), plan.clearance)]
        if any(r.status in STILL_SAID and r.valid_to > plan.now for r in rows):
            return None
        over += [(_ended_at(r), _successor(reader, handle, plan, r)) for r in rows if r.status in NO_LONGER_SAID]
    if not over:
        return None
    since, see = max(over)
    return Qualifier(code="said_then", text=f"said then; since {to_date(since)} see {see[:9]}", since=since, see=see)


def _ended_at(row: BeliefRow) -> int:
    """When a claim stopped: in the world where that is known, else when this store learnt of it."""
    return row.valid_to if row.valid_to != FOREVER else row.known_from


def _successor(reader: Reader, handle: Handle, plan: Plan, row: BeliefRow) -> str:
    """The record to look at instead: that of the entry that ended it, if the caller may see it, else its own."""
    entry = reader.get(row.ended_by) if row.ended_by is not None else None
    if entry is None or not handle.reads(entry.skeleton.scope) or reader.locked([entry.record_id], plan.clearance):
        return row.record_id
    return entry.record_id


def _own(row: BeliefRow) -> frozenset[str]:
    return frozenset((row.scope_id,))
