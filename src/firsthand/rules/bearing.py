"""What an entry bears on: the keys under which the fold finds the part of the past that matters.

The unit of the fold is the slot (design 03). For a cardinality-many predicate no two values can meet, so there the
unit is one value's cell; records without a claim are their own unit.
"""

from __future__ import annotations

import functools
import hashlib
from typing import Final

from firsthand.vocabulary.entries import (
    Assertion,
    Claim,
    Consequences,
    Define,
    Ending,
    Entry,
    Erase,
    Judge,
    Lift,
    Propose,
    Reject,
    Revise,
    Settle,
    Show,
    Support,
    Tombstone,
    root_of,
)
from firsthand.vocabulary.grants import SPACE_WIDE
from firsthand.vocabulary.instants import BEGINNING

UNIT_HEX: Final = 24
DIGESTS_KEPT: Final = 8_192
STONE_KEYS: Final = "t:"
"""How the keys begin under which tombstones are found by what they forbid."""
CLAIMED: Final = frozenset({"semantic", "competence", "plan_graph"})
"""Kinds whose records stand on supported claims; the others are their own unit."""


@functools.lru_cache(maxsize=DIGESTS_KEPT)
def unit_of(scope: str, claim: Claim | Tombstone) -> str:
    """The unit a claim (or a tombstone on its value) belongs to."""
    cell = "" if claim.one else claim.value
    text = "|".join((scope, claim.subject, claim.predicate, cell))
    return "u" + hashlib.sha256(text.encode()).hexdigest()[:UNIT_HEX]


@functools.lru_cache(maxsize=DIGESTS_KEPT)
def value_digest(claim: Claim | Tombstone) -> str:
    """What a tombstone matches: subject, predicate, value, polarity; no window, no conditions (design 09.15)."""
    text = "|".join((claim.subject, claim.predicate, claim.value, claim.polarity))
    return hashlib.sha256(text.encode()).hexdigest()[:UNIT_HEX]


def claim_digest(claim: Claim | None) -> str | None:
    """What tells the claims of a unit apart, in a belief row."""
    if claim is None:
        return None
    return "|".join((claim.value, claim.polarity, claim.conditions))


def unit_key(unit: str) -> str:
    """Entries with something to say about a unit's claims."""
    return "u:" + unit


def record_key(record_id: str) -> str:
    """Entries about a record, other than its root."""
    return "r:" + record_id


def citing_key(record_id: str) -> str:
    """Entries with an assertion that cites a record."""
    return "c:" + record_id


def heir_key(record_id: str) -> str:
    """Entries whose record inherits the withdrawals of a record it succeeds."""
    return "i:" + record_id


def tombstone_key(claim: Claim | Tombstone) -> str:
    """Entries that forbid a value, or mask what says it, in any scope."""
    return STONE_KEYS + value_digest(claim)


KEPT_OUT_KEY: Final = "f:"
"""Erase entries that keep words from coming in again, and lifts, which may let them."""


def naming_key(entry_id: str) -> str:
    """Entries that lift, settle or erase an entry by its id."""
    return "n:" + entry_id


def proposals_key(scope: str) -> str:
    """Proposals made in a scope."""
    return "p:" + scope


def task_key(scope: str, task: str) -> str:
    """Entries of the working record of one task in one scope."""
    return "k:" + hashlib.sha256(f"{scope}|{task}".encode()).hexdigest()[:UNIT_HEX]


def value_key_of(digest: str) -> str:
    """Tombstones on a value, whatever it is said of; by its own digest, or by that of its first words."""
    return "v:" + digest


def sentence_key_of(digest: str) -> str:
    """Tombstones on what a whole sentence says."""
    return "s:" + digest


def met_key(entry_id: str) -> str:
    """Entries whose words meet a tombstone, or whose tombstone meets an entry's words."""
    return "m:" + entry_id


def arrival_key(entry_id: str) -> str:
    """Arrivals that say from where an entry came."""
    return "o:" + entry_id


def sender_key(device: str) -> str:
    """Arrivals from one device."""
    return "q:" + device


PEERS_KEY: Final = "y:"
"""Registrations of other stores."""


def assertions_of(entry: Entry) -> tuple[Assertion, ...]:
    """The assertions an entry carries."""
    edges = entry.skeleton.edges
    return edges.supports if isinstance(edges, Revise | Support) else ()


def consequences_of(entry: Entry) -> Consequences | None:
    """What an entry does to the claim it leaves behind."""
    edges = entry.skeleton.edges
    return edges.consequences if isinstance(edges, Revise | Support | Judge) else None


def inherits_from(entry: Entry) -> tuple[str, ...]:
    """The records whose withdrawals the content of an entry inherits: what it succeeds or merges (design 09.29)."""
    consequences = consequences_of(entry)
    if consequences is None or not isinstance(entry.skeleton.edges, Revise | Support):
        return ()
    above = [consequences.inherits] if consequences.inherits is not None else []
    above += [m.record for m in consequences.merged if m.record != entry.record_id]
    return tuple(dict.fromkeys(above))


def endings_of(entry: Entry) -> tuple[Ending, ...]:
    """The claims an entry ends: one from some instant on, or those it merged for all time."""
    consequences = consequences_of(entry)
    if consequences is None:
        return ()
    told = (consequences.ending,) if consequences.ending is not None else ()
    return (*told, *(Ending(claim=m.claim, since=BEGINNING) for m in consequences.merged))


def tombstone_of(entry: Entry) -> Tombstone | None:
    """The value an entry forbids."""
    edges = entry.skeleton.edges
    if isinstance(edges, Reject | Erase):
        return edges.tombstone
    consequences = consequences_of(entry)
    return consequences.tombstone if consequences else None


def masked_value_of(entry: Entry) -> Tombstone | None:
    """The value whose sayings an entry masks: the one it forbids, or the one it withdraws as private."""
    edges = entry.skeleton.edges
    return edges.hides if isinstance(edges, Show) else tombstone_of(entry)


def is_absolute(entry: Entry) -> bool:
    """Whether what an entry forbids is forbidden to everybody, at every time asked about."""
    tombstone = tombstone_of(entry)
    return tombstone is not None and (tombstone.absolute or isinstance(entry.skeleton.edges, Erase))


def claims_of(entry: Entry) -> list[Claim]:
    """Every claim an entry says something about: asserted, judged, ended."""
    return told_in(entry) + [ending.claim for ending in endings_of(entry)]


def told_in(entry: Entry) -> list[Claim]:
    """The claims that an entry's words are about. What only ended another claim speaks of what came instead."""
    edges = entry.skeleton.edges
    judged = [edges.claim] if isinstance(edges, Judge) and edges.claim is not None else []
    return [a.claim for a in assertions_of(entry)] + judged


def named_by(entry: Entry) -> tuple[str, ...]:
    """Entry ids that an entry lifts, settles or erases."""
    match entry.skeleton.edges:
        case Lift(of=of):
            return (of,)
        case Settle(of=of):
            return of
        case Erase(targets=targets):
            return targets
        case _:
            return ()


def begins_plainly(entry: Entry) -> bool:
    """Whether an entry begins a record that claims nothing, such as an episode."""
    edges = entry.skeleton.edges
    return (
        isinstance(edges, Revise)
        and entry.skeleton.record is None
        and edges.record_kind not in CLAIMED
        and not edges.supports
        and edges.consequences is None
    )


def bearings(entry: Entry) -> list[str]:
    """The keys an entry is found under, without repeats; a plain capture has none."""
    scope, edges = entry.skeleton.scope, entry.skeleton.edges
    plain = begins_plainly(entry) and not entry.skeleton.met and not entry.skeleton.reaches
    if plain and isinstance(edges, Revise) and edges.record_kind != "working":
        return []
    keys = [unit_key(unit_of(scope, claim)) for claim in claims_of(entry)]
    keys += [citing_key(a.evidence) for a in assertions_of(entry)]
    if entry.skeleton.record is not None:
        keys.append(record_key(entry.skeleton.record))
    if isinstance(edges, Revise) and edges.record_kind == "working":
        keys += [task_key(scope, name) for name in edges.names]
    masked = masked_value_of(entry)
    if masked:
        keys += [tombstone_key(masked), *_found_in_text(masked)]
    met = (*entry.skeleton.met, *entry.skeleton.reaches)
    keys += [met_key(side) for m in met for side in (m.of, m.by) if side]
    keys += [heir_key(record) for record in inherits_from(entry)]
    keys += [naming_key(i) for i in named_by(entry)]
    if isinstance(edges, Lift) or (isinstance(edges, Erase) and (edges.tombstone or edges.fingerprints)):
        keys.append(KEPT_OUT_KEY)
    match edges:
        case Define(what="peer"):
            keys.append(PEERS_KEY)
        case Define(what="arrival", id=device, entries=arrived):
            keys += [sender_key(device), *map(arrival_key, arrived)]
        case Propose():
            keys.append(proposals_key(scope))
        case _:
            pass
    return list(dict.fromkeys(keys))


def _found_in_text(tombstone: Tombstone) -> list[str]:
    """Keys under which a tombstone is found from running text."""
    keys = [sentence_key_of(digest) for digest in tombstone.sentences]
    if tombstone.subject:
        keys.append(value_key_of(tombstone.value))
        keys += [value_key_of(tombstone.begins)] if tombstone.begins else []
    elif not tombstone.predicate:
        keys.append(sentence_key_of(tombstone.value))
    return keys


def keys_about(entry: Entry) -> list[str]:
    """The keys under which entries that refer to this one, or to the record it begins, are found."""
    if entry.skeleton.record is not None:
        return [naming_key(entry.id)]
    record = entry.record_id
    return [naming_key(entry.id), record_key(record), citing_key(record), heir_key(record)]


def keys_looked_under(entry: Entry) -> list[str]:
    """The keys a fold of this entry reads before any others; one left out costs time, and changes nothing."""
    keys = bearings(entry) + keys_about(entry)
    keys += [tombstone_key(claim) for claim in claims_of(entry)]
    for assertion in assertions_of(entry):
        keys += [record_key(assertion.evidence), naming_key(root_of(assertion.evidence))]
    return keys


def tombstone_scopes(scope: str, all_scopes: tuple[str, ...]) -> tuple[str, ...]:
    """Where a tombstone written in `scope` binds: there, or everywhere if it is space-wide."""
    return all_scopes if scope == SPACE_WIDE else (scope,)
