"""What an erasure would destroy, found in bodies, in lineage and in the names that were used only there (design 03)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from firsthand.ports import LedgerRow, Reader
from firsthand.rules.access import Handle
from firsthand.rules.bearing import CLAIMED, assertions_of, citing_key, claims_of, record_key, told_in, unit_of
from firsthand.rules.destroying import Wanted, folded_body
from firsthand.rules.evidence import grade
from firsthand.rules.view import Said, View, said_by
from firsthand.stored import body_of, entry_of
from firsthand.vocabulary.entries import Claim, Define, Entry, Revise, Support, root_of
from firsthand.vocabulary.erasure import Ground
from firsthand.vocabulary.grants import SPACE_WIDE
from firsthand.vocabulary.records import Entity

PAGE_ROWS: Final = 1_000
NAMED_BY: Final = ("who", "scope", "session", "device")


class Found(NamedTuple):
    """Entries to be blanked and why, the claims they made, and records that cite them and stand all the same."""

    gone: dict[str, Ground]
    claims: set[tuple[str, Claim]]
    stands: set[str]


class Without(View):
    """The past as it would be if some entries had lost their words."""

    def __init__(self, reader: Reader, gone: Iterable[str]) -> None:
        super().__init__(reader)
        self._gone = frozenset(gone)

    def erased(self, entry_id: str) -> bool:
        """Whether the body of an entry was, or would be, destroyed."""
        return entry_id in self._gone or super().erased(entry_id)


def every_row(reader: Reader) -> Iterator[LedgerRow]:
    """The whole ledger, in pages."""
    after = 0
    while rows := reader.ledger_rows(after, PAGE_ROWS):
        yield from rows
        after = rows[-1].position


def entries_of(reader: Reader, record_id: str) -> list[Entry]:
    """Every entry about a record that is not itself an erasure."""
    root = reader.get(root_of(record_id))
    rest = reader.bearing_on(record_key(record_id))
    return [e for e in ((root, *rest) if root is not None else rest) if e.kind != "erase"]


def of_source(reader: Reader, handle: Handle, record_ids: Sequence[str]) -> Found:
    """Records, all that is written about them, and what rests only on them."""
    gone: dict[str, Ground] = {e.id: "named" for record_id in record_ids for e in entries_of(reader, record_id)}
    for entry_id in list(gone):
        _add_utterances(reader, gone, entry_id)
    stands = _lineage(reader, handle, gone, "rests_only_on_it")
    found = Found(gone, _claims_in(reader, gone), stands)
    _add_names(reader, handle, found)
    return found


def of_value(
    reader: Reader, handle: Handle, wanted: Sequence[Wanted], claims: set[Claim], record_id: str | None
) -> Found:
    """Every body in the scopes of the grant that holds a value and its subject, or says the claim, or cites it."""
    named = {e.id for e in entries_of(reader, record_id)} if record_id is not None else set[str]()
    gone: dict[str, Ground] = dict.fromkeys(named, "named")
    said = {(c.subject, c.value) for c in claims}
    digests = tuple({value for _, value in said})
    for row in every_row(reader):
        if row.body is None or row.entry_id in gone:
            continue
        holds = _may_hold(row.body, wanted) and any(w.stands_in(folded_body(row.body)) for w in wanted)
        if not holds and not any(d in row.skeleton for d in digests):
            continue
        entry = entry_of(row)
        says = holds or any((c.subject, c.value) in said for c in told_in(entry))
        if says and _may_erase(reader, handle, entry):
            gone[row.entry_id] = "holds_value"
    return _with_what_goes_too(reader, handle, gone)


def of_holders(reader: Reader, handle: Handle, holders: Iterable[Entry]) -> Found:
    """Entries that are known to hold a value, with all that goes with them."""
    gone: dict[str, Ground] = {e.id: "holds_value" for e in holders if _may_erase(reader, handle, e)}
    return _with_what_goes_too(reader, handle, gone)


def _with_what_goes_too(reader: Reader, handle: Handle, gone: dict[str, Ground]) -> Found:
    for entry_id in list(gone):
        _add_utterances(reader, gone, entry_id)
    _complete(reader, gone, "holds_value")
    stands = _lineage(reader, handle, gone, "cites_value")
    found = Found(gone, _claims_in(reader, gone), stands)
    _add_names(reader, handle, found)
    return found


def _may_hold(body: str, wanted: Sequence[Wanted]) -> bool:
    """A quick look that never overlooks a body of plain letters; any other one is read in full."""
    if not body.isascii():
        return True
    text = body.lower()
    return any(any(max(f.split(), key=len) in text or "\\" in text for f in (*w.values, *w.statements)) for w in wanted)


def _may_erase(reader: Reader, handle: Handle, entry: Entry) -> bool:
    """Whether an entry's words are within the grant: its scope, and nothing above the clearance."""
    if entry.kind == "erase" or (isinstance(entry.skeleton.edges, Define) and entry.skeleton.edges.what != "hold"):
        return False
    if not covers(handle, entry.skeleton.scope):
        return False
    docs = reader.docs_of_record(entry.record_id)
    return all(r.sensitivity <= handle.clearance for r in reader.beliefs([d.vid for d in docs], None))


def covers(handle: Handle, scope_id: str) -> bool:
    """Whether a grant includes both reading and writing a scope, by its id."""
    granted = handle.grant.write
    return handle.reads(scope_id) and (granted is None or scope_id in {handle.keyed.scope(s) for s in granted})


def _add_utterances(reader: Reader, gone: dict[str, Ground], entry_id: str) -> None:
    """The episodes that are nothing but the words of a claim that goes."""
    entry = reader.get(entry_id)
    for said in assertions_of(entry) if entry is not None else ():
        source = reader.get(root_of(said.evidence))
        edges = source.skeleton.edges if source is not None else None
        if isinstance(edges, Revise) and edges.utterance:
            gone.setdefault(root_of(said.evidence), "holds_value")


def _complete(reader: Reader, gone: dict[str, Ground], ground: Ground) -> set[str]:
    """Add the rest of every record whose content all goes: reasons, verdicts, feedback. The records that are whole."""
    whole: set[str] = set()
    for record_id in {e.record_id for i in gone if (e := reader.get(i)) is not None}:
        own = entries_of(reader, record_id)
        content = [e for e in own if _is_content(e)]
        if content and all(e.id in gone for e in content):
            whole.add(record_id)
            for entry in own:
                gone.setdefault(entry.id, ground)
    return whole


def _is_content(entry: Entry) -> bool:
    edges = entry.skeleton.edges
    return isinstance(edges, Revise) or (isinstance(edges, Support) and edges.verb == "grant")


def _lineage(reader: Reader, handle: Handle, gone: dict[str, Ground], ground: Ground) -> set[str]:
    """Add what rests only on records that go, to a fixpoint, cycles included; records that stand on something else.

    What only cites a text that holds a value does not say the value: there, only what cites the claim goes with it.
    """
    before = -1
    stands: set[str] = set()
    while before != len(gone):
        before = len(gone)
        stands = set()
        for record_id in sorted(_complete(reader, gone, ground)):
            if ground == "cites_value" and View(reader).kind_of(record_id) not in CLAIMED:
                continue
            for said in _citing(reader, record_id):
                if said.entry in gone or not covers(handle, said.scope):
                    continue
                fallen = _fallen(reader, gone, said)
                if fallen is None:
                    stands.add(said.record)
                for entry_id in fallen or ():
                    gone.setdefault(entry_id, ground)
                    _add_utterances(reader, gone, entry_id)
    return {r for r in stands if not all(e.id in gone for e in entries_of(reader, r) if _is_content(e))}


def _citing(reader: Reader, record_id: str) -> list[Said]:
    found = (s for e in reader.bearing_on(citing_key(record_id)) for s in said_by(e))
    return sorted((s for s in found if s.evidence == record_id), key=lambda s: s.id)


def _fallen(reader: Reader, gone: dict[str, Ground], said: Said) -> set[str] | None:
    """The entries that say a claim and lose the last live word for it; unset if it still has one."""
    now, then = View(reader), Without(reader, gone)
    unit = unit_of(said.scope, said.claim)
    group = [s for s in now.said_in_unit(unit) if s.claim == said.claim]
    if grade(then, group).live & {s.id for s in group}:
        return None
    live = grade(now, group).live
    return {s.entry for s in group if s.id in live} | {said.entry}


def _claims_in(reader: Reader, gone: Iterable[str]) -> set[tuple[str, Claim]]:
    entries = [e for i in gone if (e := reader.get(i)) is not None]
    return {(e.skeleton.scope, c) for e in entries for c in claims_of(e)}


# ---- names that were used only there ---------------------------------------------------------------------------------


def _add_names(reader: Reader, handle: Handle, found: Found) -> None:
    """Add what says who, where and of whom, if nothing that stays needs it."""
    gone = found.gone
    subjects = {claim.subject for _, claim in found.claims} - {""}
    ids: set[str] = set()
    for entry_id in gone:
        entry = reader.get(entry_id)
        if entry is not None:
            author = entry.skeleton.author
            ids |= {i for i in (author.actor, author.owner, author.session, author.device, entry.skeleton.scope) if i}
    own = handle.ids
    ids -= {own.actor, own.owner, own.session or "", own.device or "", SPACE_WIDE, handle.scope_id}
    defines, entities = _users(reader, gone, ids, subjects)
    for entry in entities:
        if subjects & set(_names_of(entry)):
            gone[entry.id] = "name_only_used_there"
        else:
            author = entry.skeleton.author
            ids -= {author.actor, author.owner, author.session or "", author.device or "", entry.skeleton.scope}
    for entry in defines:
        edges = entry.skeleton.edges
        if isinstance(edges, Define) and edges.id in ids:
            gone[entry.id] = "name_only_used_there"


def _users(
    reader: Reader, gone: dict[str, Ground], ids: set[str], subjects: set[str]
) -> tuple[list[Entry], list[Entry]]:
    """Strike out the ids and subjects that an entry which stays uses; the defines and bare entities of the rest."""
    defines: list[Entry] = []
    entities: list[Entry] = []
    for row in every_row(reader):
        if row.entry_id in gone or not any(i in row.skeleton for i in (*ids, *subjects)):
            continue
        entry = entry_of(row)
        edges = entry.skeleton.edges
        if isinstance(edges, Define) and edges.what in NAMED_BY:
            defines += [entry] if row.body is not None else []
        elif subjects & set(_names_of(entry)) and _is_bare(reader, row, entry):
            entities.append(entry)
        else:
            ids -= {i for i in ids if i in row.skeleton}
            subjects -= {s for s in subjects if s in row.skeleton}
    return defines, entities


def _names_of(entry: Entry) -> tuple[str, ...]:
    edges = entry.skeleton.edges
    return edges.names if isinstance(edges, Revise) and edges.record_kind == "entity" else ()


def _is_bare(reader: Reader, row: LedgerRow, entry: Entry) -> bool:
    """Whether an entity is nothing but a name that a claim needed, with nothing else written about it."""
    body = body_of(row)
    payload = body.payload if body is not None else None
    return (
        isinstance(payload, Entity)
        and payload == Entity(canonical_name=payload.canonical_name)
        and len(entries_of(reader, entry.record_id)) == 1
        and not reader.bearing_on(citing_key(entry.record_id))
    )
