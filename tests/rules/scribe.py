"""A scribe: the least gateway that can write a history for the fold, in memory and with no words.

It looks up and appends as the real one does: identity, tombstones, heads seen, what a revising verb reaches. It knows
no grants and no proposals. Names stand for their digests, instants are small numbers, ids follow from the history.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from firsthand.rules.bearing import citing_key, claim_digest, record_key, unit_of
from firsthand.rules.evidence import verdict_heads
from firsthand.rules.fold import fold, fold_afresh
from firsthand.rules.sensitivity import classify_heads
from firsthand.rules.standing import Row
from firsthand.rules.tombstones import blocked
from firsthand.rules.trust import approvals
from firsthand.rules.view import MemoryEntries, Said, View, said_by
from firsthand.rules.visibility import observable, show_heads, shown
from firsthand.vocabulary.entries import (
    FORMAT_VERSION,
    Assertion,
    AuthorIds,
    Claim,
    Classify,
    Consequences,
    Edges,
    Ending,
    Entry,
    Erase,
    Judge,
    Lift,
    Merged,
    PolicyRules,
    Reach,
    Reject,
    Revise,
    Settle,
    Show,
    Skeleton,
    Support,
    Tombstone,
    root_of,
)
from firsthand.vocabulary.kinds import Basis, Kind, Polarity, Role

SCOPE = "team:x"
Rows = dict[str, frozenset[Row]]


class Voice(NamedTuple):
    """Who speaks through which credential; `origin` is the tool or document that is the source instead of its owner."""

    owner: str
    role: Role
    origin: str | None = None
    attested: bool = False
    trusted: bool = False
    imported: bool = False
    basis: Basis = "stated"

    @property
    def source(self) -> str:
        return self.origin or self.owner


ANA, BEN, CEM = Voice("ana", "person"), Voice("ben", "person"), Voice("cem", "person")
ANAS_AGENT, BENS_AGENT = Voice("ana", "agent"), Voice("ben", "agent")
ANAS_SPEECH, BENS_SPEECH = Voice("ana", "agent", attested=True), Voice("ben", "agent", attested=True)
PROBE = Voice("ops", "system", origin="probe", trusted=True, basis="observed")
SECOND_PROBE = Voice("ops", "system", origin="second probe", trusted=True, basis="observed")
SCRAPER = Voice("ops", "system", origin="scraper", basis="observed")
ANAS_IMPORT = Voice("ana", "system", attested=True, imported=True)

LIVES_IN = ("x", "lives_in", True)
USES = ("x", "uses", False)
PLAIN = ("", "", False)


def claim(value: str, slot: tuple[str, str, bool] = LIVES_IN, polarity: Polarity = "+", conditions: str = "") -> Claim:
    subject, predicate, one = slot
    return Claim(value=value, subject=subject, predicate=predicate, one=one, polarity=polarity, conditions=conditions)


def tombstone(of: Claim, *, absolute: bool = False) -> Tombstone:
    return Tombstone(
        value=of.value, subject=of.subject, predicate=of.predicate, polarity=of.polarity, one=of.one, absolute=absolute
    )


class Scribe:
    """One store: its entries in the order they came, and the rows folded from them one by one."""

    def __init__(self, policy: PolicyRules | None = None, *, name: str = "") -> None:
        self.policy = policy or PolicyRules(name="default")
        self.name = name
        self.entries = MemoryEntries()
        self.rows: Rows = {}
        self.reads: list[int] = []

    # ---- append and ask ----

    def receive(self, entry: Entry, *, fresh: bool = False) -> Entry:
        """Fold an entry, from here or from another store; the same entry twice is one."""
        if self.entries.add(entry):
            change = fold(self.entries, entry, self.policy, fresh=fresh)
            self.rows = kept(self.rows | change.rows)
            self.reads.append(change.reads)
        return entry

    def write(
        self, who: Voice, edges: Edges, at: int, record: str | None = None, *, scope: str = SCOPE, level: int = 0
    ) -> Entry:
        author = AuthorIds(
            actor=f"{who.owner}/{who.role}/{who.source}", owner=who.owner, role=who.role, harness="library",
            model=None, session=None, device=None,
        )  # fmt: skip
        number = len(self.entries.all())
        skeleton = Skeleton(
            format=FORMAT_VERSION, space="s", scope=scope, author=author, recorded_at=at,
            body=f"words {self.name}{number}", edges=edges, sensitivity=level, record=record,
        )  # fmt: skip
        digest = hashlib.sha256(msgspec.json.encode(skeleton)).hexdigest()[:16]
        return self.receive(Entry(id="e" + digest, skeleton=skeleton), fresh=True)

    def branch(self, name: str) -> Scribe:
        """A second store that holds what this one holds and goes on by itself."""
        other = Scribe(self.policy, name=name)
        for entry in self.entries.all():
            other.entries.add(entry)
        other.rows = dict(self.rows)
        return other

    def take(self, other: Scribe) -> None:
        """Receive everything that another store holds."""
        for entry in other.entries.all():
            self.receive(entry)

    def view(self) -> View:
        return View(self.entries)

    def afresh(self) -> Rows:
        return kept(fold_afresh(self.entries, self.entries.all(), self.policy))

    def rows_of(self, of: Claim, scope: str = SCOPE) -> list[Row]:
        """Rows of a claim, in order of world time."""
        found = [r for r in self.rows.get(unit_of(scope, of), ()) if r.claim == of]
        return sorted(found, key=lambda r: (r.valid_from, r.revision))

    def shape(self, of: Claim, scope: str = SCOPE) -> list[tuple[int, int, str]]:
        """(from, to, status) of each run of a claim."""
        return [(r.valid_from, r.valid_to, r.status) for r in self.rows_of(of, scope)]

    def row(self, of: Claim, scope: str = SCOPE) -> Row:
        """The only row of a claim."""
        rows = self.rows_of(of, scope)
        assert len(rows) == 1, rows
        return rows[0]

    def rows_about(self, record: str) -> list[Row]:
        return sorted((r for rows in self.rows.values() for r in rows if r.record == record), key=repr)

    def said_of(self, of: Claim, scope: str = SCOPE) -> list[Said]:
        return [s for s in self.view().said_in_unit(unit_of(scope, of)) if s.claim == of]

    def claim_of(self, record: str) -> Claim | None:
        """The claim a record says now."""
        rows = [r for r in self.rows_about(record) if r.claim]
        fallen = ("superseded", "retracted", "rejected", "erased")
        return min(rows, key=lambda r: (r.status in fallen, -r.live_support, repr(r))).claim if rows else None

    def _said(self, record: str) -> tuple[Claim, str]:
        of = self.claim_of(record)
        assert of is not None, "no claim has this record"
        root = self.entries.get(root_of(record))
        assert root is not None
        return of, root.skeleton.scope

    # ---- saying ----

    def capture(self, who: Voice, at: int, *, scope: str = SCOPE, level: int = 0) -> str:
        """An episode; its record id."""
        edges = Revise(
            record_kind="episodic", occurred=at, speaker=None if who.origin else who.owner, attested=who.attested,
            origin=who.origin, imported=who.imported,
        )  # fmt: skip
        return self.write(who, edges, at, scope=scope, level=level).record_id

    def assertion(self, who: Voice, of: Claim, evidence: str, at: int, **more: Any) -> Assertion:
        told: dict[str, Any] = {
            "source": who.source, "basis": who.basis, "attested": who.attested, "trusted": who.trusted,
            "imported": who.imported, "said": f"words of {who.source} at {at}",
        }  # fmt: skip
        return Assertion(claim=of, evidence=evidence, spoken=at, **(told | more))

    def remember(
        self,
        who: Voice,
        of: Claim,
        at: int,
        *,
        evidence: str | None = None,
        scope: str = SCOPE,
        level: int = 0,
        kind: Kind = "semantic",
        elsewhere: bool = False,
        **more: Any,
    ) -> str | None:
        """The record that says it, or nothing if a tombstone refuses. `elsewhere`: said where nothing is known."""
        evidence = evidence or self.capture(who, at, scope=scope, level=level)
        said = self.assertion(who, of, evidence, at, **more)
        if not elsewhere and self.refusal(who, said, scope):
            return None
        return self.place(who, said, at, scope=scope, level=level, kind=kind, apart=elsewhere).record_id

    def refusal(self, who: Voice, said: Assertion, scope: str = SCOPE, replacing: tuple[str, ...] = ()) -> str | None:
        """The tombstone that forbids an assertion: the fold's own rule, asked before the entry exists."""
        author = AuthorIds(
            actor="", owner=who.owner, role=who.role, harness="library", model=None, session=None, device=None
        )
        skeleton = Skeleton(
            format=FORMAT_VERSION, space="s", scope=scope, author=author, recorded_at=0, body="",
            edges=Revise(record_kind="semantic", supports=(said,)),
        )  # fmt: skip
        (asked,) = said_by(Entry(id="e?", skeleton=skeleton))
        view = self.view()
        block = blocked(view, asked, approvals(view, unit_of(scope, said.claim)), replacing)
        return block.entry if block else None

    def place(
        self,
        who: Voice,
        said: Assertion,
        at: int,
        *,
        scope: str = SCOPE,
        level: int = 0,
        kind: Kind = "semantic",
        apart: bool = False,
        consequences: Consequences | None = None,
        saw: tuple[str, ...] = (),
    ) -> Entry:
        """Identity: the same claim again supports its record, else it is a new one."""
        here = [r.record for r in self.rows_of(said.claim, scope) if r.status not in ("superseded", "erased")]
        edges: Edges
        if here and not apart:
            edges = Support(verb="grant", supports=(said,), consequences=consequences, saw=saw)
            return self.write(who, edges, at, here[0], scope=scope, level=level)
        edges = Revise(record_kind=kind, supports=(said,), consequences=consequences, saw=saw)
        return self.write(who, edges, at, scope=scope, level=level)

    # ---- revising ----

    def correct(self, who: Voice, record: str, value: str, at: int, *, elsewhere: bool = False) -> str | None:
        """It was never that, it is this: one record, a tombstone for the old value."""
        old, scope = self._said(record)
        new = msgspec.structs.replace(old, value=value)
        said = self.assertion(who, new, self.capture(who, at, scope=scope), at)
        view = self.view()
        if not elsewhere and self.refusal(who, said, scope, view.content_heads(record)):
            return None
        reach = Reach(source=who.owner, spoken=at, everyone=who.role == "person")
        edges = Revise(
            record_kind="semantic",
            supersedes=view.content_heads(record),
            saw=show_heads(view, {record, *(r.record for r in self.rows_of(new, scope))}),
            supports=(said,),
            consequences=Consequences(reach=reach, tombstone=tombstone(old) if new != old else None),
        )
        return self.write(who, edges, at, record, scope=scope).record_id

    def change(self, who: Voice, record: str, value: str | None, at: int, *, since: int | None = None) -> str | None:
        """It was that, since then it is this; without a value it only ends."""
        old, scope = self._said(record)
        since = at if since is None else since
        reach = Reach(source=who.owner, spoken=at, everyone=who.role == "person")
        ending = Ending(claim=old, since=since)
        if value is None:
            edges = Judge(verb="end", consequences=Consequences(reach=reach, ending=ending))
            return self.write(who, edges, at, record, scope=scope).record_id
        new = msgspec.structs.replace(old, value=value)
        said = self.assertion(who, new, self.capture(who, at, scope=scope), at, from_=since)
        if self.refusal(who, said, scope):
            return None
        joins = bool(self.rows_of(new, scope))
        consequences = Consequences(reach=reach, ending=ending, inherits=None if joins else record)
        saw = () if joins else show_heads(self.view(), {record})
        return self.place(who, said, at, scope=scope, consequences=consequences, saw=saw).record_id

    def merge(self, who: Voice, records: Iterable[str], value: str, at: int) -> str | None:
        """They are all this: the first survives, with the evidence of all; the claims of the others end."""
        ids = list(records)
        claims = [self._said(r)[0] for r in ids]
        scope = self._said(ids[0])[1]
        new = msgspec.structs.replace(claims[0], value=value)
        carried = [s for of in claims if of != new for s in self.said_of(of, scope) if s.evidence not in ids]
        if not carried or any(of.subject != new.subject for of in claims):
            return None
        supports = tuple(
            Assertion(
                claim=new, evidence=s.evidence, source=s.source, spoken=s.spoken, basis=s.basis, from_=s.stated_from,
                to=s.stated_to, said=s.said, trusted=s.trusted, echo=s.echo, imported=s.imported,
            )
            for s in carried
        )  # fmt: skip
        if any(self.refusal(who, s, scope) for s in supports):
            return None
        home = next((r for r, of in zip(ids, claims, strict=True) if of == new), ids[0])
        view = self.view()
        consequences = Consequences(
            reach=Reach(source=who.owner, spoken=at, everyone=who.role == "person"),
            merged=tuple(Merged(record=r, claim=of) for r, of in zip(ids, claims, strict=True) if of != new),
        )
        edges = Revise(
            record_kind="semantic", supersedes=view.content_heads(home), saw=show_heads(view, {home, *ids}),
            supports=supports, consequences=consequences,
        )  # fmt: skip
        return self.write(who, edges, at, home, scope=scope).id

    def share(self, who: Voice, record: str, to: str, at: int) -> str | None:
        """A linked copy in another scope, which inherits the withdrawals of its original."""
        of, scope = self._said(record)
        if to == scope:
            return None
        said = self.assertion(who, of, record, at, shares=claim_digest(of), attested=False, imported=False)
        if self.refusal(who, said, to):
            return None
        here = [r.record for r in self.rows_of(of, to) if r.status not in ("superseded", "erased")]
        reach = Reach(source=who.owner, spoken=at)
        consequences = None if here else Consequences(reach=reach, inherits=record)
        saw = () if here else show_heads(self.view(), {record})
        return self.place(who, said, at, scope=to, consequences=consequences, saw=saw).record_id

    def retract(self, who: Voice, record: str, at: int) -> Entry:
        """A claim: takes back what the retractor said. An episode: it no longer stands."""
        of = self.claim_of(record)
        if of is None:
            return self.write(who, Judge(verb="retract"), at, record)
        reach = Reach(source=who.owner, spoken=at)
        edges = Judge(verb="retract", consequences=Consequences(reach=reach, tombstone=tombstone(of)))
        return self.write(who, edges, at, record, scope=self._said(record)[1])

    # ---- judging ----

    def approve(self, who: Voice, record: str, at: int) -> Entry:
        of, scope = self._said(record)
        seen = tuple(sorted(s.id for s in self.said_of(of, scope)))
        return self.write(who, Judge(verb="approve", claim=of, seen=seen), at, record, scope=scope)

    def contest(self, who: Voice, record: str, at: int) -> Entry:
        of, scope = self._said(record)
        return self.write(who, Judge(verb="contest", claim=of), at, record, scope=scope)

    def settle(self, who: Voice, contests: Iterable[Entry], at: int) -> Entry:
        return self.write(who, Settle(of=tuple(c.id for c in contests)), at)

    def revoke(self, who: Voice, support: Said, at: int) -> Entry:
        return self._verdict(who, support, Support(verb="revoke"), at)

    def reinstate(self, who: Voice, support: Said, at: int) -> Entry:
        return self._verdict(who, support, Support(verb="reinstate"), at)

    def _verdict(self, who: Voice, support: Said, verb: Support, at: int) -> Entry:
        heads = verdict_heads(self.view(), support.record, support.id)
        edges = msgspec.structs.replace(verb, of=support.id, replaces=heads)
        return self.write(who, edges, at, support.record, scope=support.scope)

    # ---- showing and classifying ----

    def withdraw(self, who: Voice, record: str, at: int) -> Entry:
        return self._show(who, Show(verb="withdraw"), record, at)

    def restore(self, who: Voice, record: str, at: int) -> Entry:
        return self._show(who, Show(verb="restore"), record, at)

    def _show(self, who: Voice, verb: Show, record: str, at: int) -> Entry:
        """It observes the content of the records that carry the claim, and of their successors by change."""
        view, of, scope = self.view(), self.claim_of(record), self._scope(record)
        said = self.said_of(of, self._said(record)[1]) if of else ()
        carriers = {record} | {s.record for s in said}
        observed = observable(view, carriers, scope if verb.verb == "withdraw" else None)
        edges = msgspec.structs.replace(verb, observed=observed, replaces=shown(view, carriers).heads)
        return self.write(who, edges, at, record, scope=scope)

    def classify(self, who: Voice, record: str, level: int, at: int) -> Entry:
        """Anyone raises; only a person replaces a higher level."""
        heads = classify_heads(self.view(), record).items()
        replaces = tuple(sorted(i for i, current in heads if who.role == "person" or current <= level))
        return self.write(who, Classify(level=level, replaces=replaces), at, record, scope=self._scope(record))

    def _scope(self, record: str) -> str:
        root = self.entries.get(root_of(record))
        return root.skeleton.scope if root else SCOPE

    # ---- forbidding and destroying ----

    def reject(self, who: Voice, of: Claim, at: int, *, scope: str = SCOPE) -> Entry:
        return self.write(who, Reject(tombstone=tombstone(of, absolute=True)), at, scope=scope)

    def lift(self, who: Voice, stone: Entry, at: int) -> Entry:
        return self.write(who, Lift(of=stone.id), at, scope=stone.skeleton.scope)

    def erase(self, who: Voice, record: str, at: int) -> Entry:
        """An episode and what rests only on it, or every entry of a claim's record."""
        targets = set(self._of_record(record))
        if self.claim_of(record) is None:
            targets |= {s.entry for s in self._citing(record) if not self._otherwise_live(s, record)}
        return self.write(who, Erase(targets=tuple(sorted(targets)), reason_code="asked"), at, record)

    def erase_value(self, who: Voice, of: Claim, at: int, *, scope: str = SCOPE) -> Entry:
        """Every entry that holds the value, and its evidence; the value may not come back."""
        holders = [(s.entry, root_of(s.evidence)) for s in self.said_of(of, scope)]
        edges = Erase(
            targets=tuple(sorted({i for pair in holders for i in pair})),
            reason_code="asked",
            tombstone=tombstone(of, absolute=True),
        )
        return self.write(who, edges, at, scope=scope)

    def _of_record(self, record: str) -> list[str]:
        return [root_of(record), *(e.id for e in self.entries.bearing_on(record_key(record)))]

    def _citing(self, episode: str) -> list[Said]:
        found = [s for e in self.entries.bearing_on(citing_key(episode)) for s in said_by(e)]
        return [s for s in found if s.evidence == episode]

    def _otherwise_live(self, said: Said, episode: str) -> bool:
        live = any(r.live_support for r in self.rows_of(said.claim, said.scope))
        return live and any(s.evidence != episode for s in self.said_of(said.claim, said.scope))


def kept(rows: Rows) -> Rows:
    return {unit: found for unit, found in rows.items() if found}


def fold_in(order: Iterable[Entry], policy: PolicyRules | None = None) -> Scribe:
    """Another store that receives these entries in this order."""
    other = Scribe(policy)
    for entry in order:
        other.receive(entry)
    return other


def names_in(entry: Entry, known: frozenset[str]) -> frozenset[str]:
    """Ids of the known entries that an entry names: what has to come before it."""
    found: set[str] = set()
    for text in _texts(msgspec.to_builtins(entry.skeleton)):
        head = text.split(".")[0]
        found |= {head, root_of(head) if head.startswith("r") else head} & known
    return frozenset(found - {entry.id})


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)
