"""Documents as items: their words, their structure, what they rest on, and how far they can be relied on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from firsthand.ports import Attention, BeliefRow, LedgerRow, Reader
from firsthand.recall.beside import Beside
from firsthand.recall.denials import deniers
from firsthand.recall.exceptions import exceptions
from firsthand.recall.originals import Spoken, spoken_first
from firsthand.recall.past import entries_at
from firsthand.recall.plan import Plan
from firsthand.recall.rejections import Hindsight
from firsthand.recall.said_then import said_then
from firsthand.rules.access import Handle
from firsthand.rules.bearing import claim_digest, heir_key, unit_key, unit_of
from firsthand.rules.evidence import grade
from firsthand.rules.leaves import Veiled
from firsthand.rules.performance import performance_of
from firsthand.rules.predicates import definition
from firsthand.rules.qualify import Drift, excepting, qualify
from firsthand.rules.view import Said, View, said_by
from firsthand.rules.wording import claim_words, words_of
from firsthand.veil import WITHHELD, Veil
from firsthand.vocabulary.decoding import decode_body, decode_skeleton
from firsthand.vocabulary.entries import Body, Entry, Revise, root_of
from firsthand.vocabulary.instants import BEGINNING, FOREVER
from firsthand.vocabulary.kinds import SENSITIVITIES, Authority
from firsthand.vocabulary.packets import Citation, Item, Qualifier, Structure, Why
from firsthand.vocabulary.records import Episodic, Payload, Performance, Semantic

CITATIONS_PER_ITEM: Final = 5


class Chosen(NamedTuple):
    """A document to show: the row that speaks for it, and what recall knows of it."""

    row: BeliefRow
    salience: float
    why: tuple[Why, ...]
    neighbour_of: str | None = None


class Voice(NamedTuple):
    """Who made an entry: a person, or an agent that vouches for a person's own words."""

    is_person: bool
    attested: bool


class Resting(NamedTuple):
    """Live assertions of a claim whose evidence the caller may see; `bearing` is all that speaks of its slot, `heirs`
    all of records that succeed its own, `slot` all that is asserted in the slot.

    Evidence that was `withheld` counts, and its words are not shown.
    """

    said: list[Said]
    last_verified: int
    bearing: Sequence[Entry] = ()
    heirs: Sequence[Entry] = ()
    slot: Sequence[Said] = ()
    withheld: frozenset[str] = frozenset()


class Sources(NamedTuple):
    """Stored words as they may be read, and who said what is cited as another's copy."""

    stored: Mapping[str, LedgerRow]
    veil: Veil
    spoken: Mapping[str, Spoken]


def items(
    reader: Reader,
    handle: Handle,
    plan: Plan,
    chosen: Sequence[Chosen],
    scopes: Mapping[str, str] | None = None,
    beside: Beside | Hindsight | None = None,
) -> list[Item]:
    """Items for documents, in their order; what was erased is left out. `scopes`: names of scope ids known already.

    `beside`: what is rejected in the scopes that are read together, or since it was said.
    """
    claims = [c for c in chosen if c.row.claim is not None]
    asserted = _asserted(reader, plan, claims)
    resting = _readable(reader, handle, plan, claims, asserted)
    cited = {root_of(s.evidence) for r in resting.values() for s in r.said}
    stored = reader.rows_of(cited.union(c.row.revision_id for c in chosen))
    kept_out, marks = _beside(beside, claims, asserted, stored)
    veil = Veil(reader, stored, plan.known_at, marks)
    sources = Sources(
        stored, veil, spoken_first(reader, handle, plan.clearance, (s for r in resting.values() for s in r.said))
    )
    endings = said_then(reader, handle, plan, [c.row.record_id for c in chosen if c.row.kind == "episodic"])
    used = reader.attention([c.row.record_id for c in chosen if c.row.kind in ("competence", "plan_graph")])
    made: list[Item] = []
    for c in chosen:
        body = _body(stored[c.row.revision_id])
        if body is not None and body.payload is not None and c.row.revision_id not in kept_out:
            rests = resting.get(c.row.vid)
            ended = endings.get(c.row.record_id)
            scope = (scopes or {}).get(c.row.scope_id) or _scope_name(reader, c.row.scope_id)
            made.append(_item(reader, handle, plan, c, body, rests, sources, ended, scope, used))
    return made


def _beside(
    beside: Beside | Hindsight | None,
    claims: Sequence[Chosen],
    asserted: Mapping[int, Resting],
    stored: Mapping[str, LedgerRow],
) -> tuple[Collection[str], Mapping[str, Sequence[Veiled]]]:
    """Revisions that may not be shown beside what else is read, and what is masked of the others."""
    if beside is None:
        return (), {}
    beside.keep_out((c.row.revision_id, s) for c in claims for s in asserted[c.row.vid].said[:1])
    marks = beside.marks(stored)
    return beside.kept_out, marks


def _item(
    reader: Reader,
    handle: Handle,
    plan: Plan,
    c: Chosen,
    body: Body,
    rests: Resting | None,
    sources: Sources,
    ended: Qualifier | None,
    scope: str,
    used: Mapping[str, Attention],
) -> Item:
    row, payload = c.row, sources.veil.body(c.row.revision_id, body).payload
    assert payload is not None
    episode = payload if isinstance(payload, Episodic) else None
    own = sources.stored[row.revision_id]
    said: Sequence[Said] = rests.said if rests is not None else ()
    voice = _voice(reader, own) if not said else None
    citations = _citations(rests, sources) if voice is None else _own_citation(row, body.payload, payload, voice)
    qualifier = ended or _qualifier(reader, handle, plan, row, payload, rests or Resting([], own.received_at))
    return Item(
        record_id=row.record_id,
        revision_id=row.revision_id,
        kind=row.kind,
        text=words_of(payload),
        scope=scope,
        tier=row.tier,
        status=row.status,
        authority=_authority(row, voice, said),
        valid_from=None if row.valid_from == BEGINNING else row.valid_from,
        valid_to=None if row.valid_to == FOREVER else row.valid_to,
        believed_since=row.known_from,
        salience=round(c.salience, 3),
        citations=citations,
        why=c.why,
        qualifier=qualifier,
        structure=_structure(payload),
        payload=None if isinstance(payload, Episodic | Semantic) else payload,
        performance=_performance(payload, used.get(row.record_id)),
        speaker=episode.speaker if episode else None,
        occurred_at=episode.occurred_at if episode else None,
        thread=episode.thread if episode else None,
        source_id=episode.source_id if episode else None,
        supports=len(said) if rests is not None else row.live_support,
        sources=max(1, len({s.source for s in said if not s.echo})),
        volatility=payload.volatility if isinstance(payload, Semantic) else "drift_prone",
        sensitivity=SENSITIVITIES[row.sensitivity],
        neighbour_of=c.neighbour_of,
    )


def _qualifier(
    reader: Reader, handle: Handle, plan: Plan, row: BeliefRow, payload: Payload, rests: Resting
) -> Qualifier:
    """How far it can be relied on, and what speaks against it, as far as the caller may know."""
    challenged_by = _readable_challenger(reader, handle, plan, row)
    semantic = payload if isinstance(payload, Semantic) else None
    qualifier = qualify(
        row,
        at=plan.at,
        conditions=semantic.validity.conditions if semantic else {},
        given=plan.conditions,
        drift=Drift(semantic.volatility if semantic else "stable", rests.last_verified, plan.now),
        challenged_by=challenged_by,
        denies=_denied(payload),
        denied_by=deniers(reader, plan.clearance, rests.said, rests.bearing, rests.slot, challenged_by),
    )
    return excepting(qualifier, exceptions(reader, handle, plan, row, rests.slot, rests.heirs))


def _body(stored: LedgerRow) -> Body | None:
    return decode_body(stored.body) if stored.body is not None else None


def _scope_name(reader: Reader, scope_id: str) -> str:
    scope = reader.scope(scope_id)
    return (scope.name if scope is not None else None) or scope_id


def _denied(payload: Payload) -> str | None:
    """What a negative claim says is not so: its own sentence may not tell."""
    if not isinstance(payload, Semantic) or payload.polarity == "+":
        return None
    if payload.subject is None or payload.predicate is None:
        return payload.statement
    return claim_words(payload.subject, payload.predicate, payload.object, "+")


def _performance(payload: Payload, used: Attention | None) -> Performance | None:
    return performance_of(payload, used.helped if used else 0, used.failed if used else 0)


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


def _voice(reader: Reader, own: LedgerRow) -> Voice:
    entry = reader.vouched(Entry(id=own.entry_id, skeleton=decode_skeleton(own.skeleton)))
    if entry is None:
        return Voice(False, False)
    edges = entry.skeleton.edges
    return Voice(entry.skeleton.author.role == "person", isinstance(edges, Revise) and edges.attested)


def _authority(row: BeliefRow, voice: Voice | None, said: Sequence[Said]) -> Authority:
    """How close the source is: approved, a person's own word, an agent's, a guess."""
    if row.tier == "fact":
        return "authoritative"
    if voice is not None:
        return "primary" if voice.is_person or voice.attested else "secondary"
    if any(s.role == "person" or s.attested for s in said):
        return "primary"
    return "inferred" if all(s.basis == "inferred" for s in said) else "secondary"


# ---- what a claim rests on -------------------------------------------------------------------------------------------


def _asserted(reader: Reader, plan: Plan, claims: Sequence[Chosen]) -> dict[int, Resting]:
    """All assertions of each claim that were live at the time asked about, by its document."""
    keys = {key for c in claims for key in (unit_key(c.row.unit), heir_key(c.row.record_id))}
    bearing = reader.bearing_on_any(keys, plan.known_at)
    found: dict[int, Resting] = {}
    slots: dict[str, tuple[Said, ...]] = {}
    of_claim: dict[tuple[str, str | None], list[Said]] = {}
    for unit in {c.row.unit for c in claims}:
        slots[unit] = tuple(s for e in bearing.get(unit_key(unit), ()) for s in said_by(e))
        for s in slots[unit]:
            if unit_of(s.scope, s.claim) == unit:
                of_claim.setdefault((unit, claim_digest(s.claim)), []).append(s)
    for c in claims:
        said = of_claim.get((c.row.unit, c.row.claim), [])
        if len(said) != c.row.live_support:
            live = grade(View(entries_at(reader, plan.known_at)), said).live
            said = [s for s in said if s.id in live]
        of_slot, heirs = (bearing.get(k, ()) for k in (unit_key(c.row.unit), heir_key(c.row.record_id)))
        found[c.row.vid] = Resting(said, c.row.known_from, of_slot, heirs, slots[c.row.unit])
    return found


def _readable(
    reader: Reader, handle: Handle, plan: Plan, claims: Sequence[Chosen], found: Mapping[int, Resting]
) -> dict[int, Resting]:
    """What of it the caller may see: evidence that is locked, or of a scope that is not readable, is not shown."""
    evidence = {s.evidence for rests in found.values() for s in rests.said}
    locked = reader.locked(evidence, plan.clearance)
    if handle.readable is not None:
        roots = [reader.get(root_of(e)) for e in evidence]
        locked |= {e.record_id for e in roots if e is not None and not handle.reads(e.skeleton.scope)}
    withheld = withdrawn(reader, handle, locked, plan.clearance)
    made: dict[int, Resting] = {}
    for c in claims:
        said = [s for s in found[c.row.vid].said if s.evidence not in locked or s.evidence in withheld]
        said.sort(key=lambda s: (s.evidence in withheld, s.role != "person", not s.attested, -s.spoken, s.id))
        verified = max((s.spoken for s in said), default=c.row.known_from)
        made[c.row.vid] = found[c.row.vid]._replace(said=said, last_verified=verified, withheld=withheld)
    return made


def withdrawn(reader: Reader, handle: Handle, locked: Collection[str], clearance: int) -> frozenset[str]:
    """Records that nothing but a withdrawal locks: that they support is told, their words are not (design 03)."""
    found: dict[str, bool] = {}
    for row in reader.beliefs_of_records(locked) if locked else ():
        only = row.visibility == "hidden" and row.sensitivity <= clearance and handle.reads(row.scope_id)
        found[row.record_id] = found.get(row.record_id, True) and only and row.status not in ("rejected", "erased")
    return frozenset(record for record, only in found.items() if only)


def _citations(rests: Resting | None, sources: Sources) -> tuple[Citation, ...]:
    """Exact spans of the cited records, from their stored words."""
    if rests is None:
        return ()
    made: list[Citation] = []
    seen: set[tuple[str, tuple[int, int] | None]] = set()
    for s in rests.said:
        span = s.span
        row = sources.stored.get(root_of(s.evidence))
        body = _body(row) if row is not None else None
        payload = body.payload if body is not None else None
        if payload is None or (s.evidence, span) in seen or len(made) >= CITATIONS_PER_ITEM:
            continue
        seen.add((s.evidence, span))
        text = words_of(payload)
        start, end = span if span is not None else (0, len(text))
        if s.evidence in rests.withheld:
            made.append(Citation(record_id=s.evidence, quote=WITHHELD, span=(start, end)))
            continue
        episode = payload if isinstance(payload, Episodic) else None
        first = sources.spoken.get(s.id)
        made.append(
            Citation(
                record_id=s.evidence,
                quote=sources.veil.quote(root_of(s.evidence), text, start, end),
                span=(start, end),
                speaker=first.speaker if first else episode.speaker if episode and episode.speaker else None,
                occurred_at=episode.occurred_at if episode and episode.occurred_at is not None else s.spoken,
                source=episode.source_id if episode else None,
                attested=first.attested if first else s.attested or s.role == "person",
            )
        )
    return tuple(made)


def _own_citation(row: BeliefRow, whole: Payload | None, payload: Payload, voice: Voice) -> tuple[Citation, ...]:
    """An episode is its own evidence; the span is that of its words as they were stored."""
    if not isinstance(payload, Episodic) or not isinstance(whole, Episodic):
        return ()
    return (
        Citation(
            record_id=row.record_id,
            quote=payload.text,
            span=(0, len(whole.text)),
            speaker=payload.speaker,
            occurred_at=payload.occurred_at,
            source=payload.source_id,
            attested=voice.attested,
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
