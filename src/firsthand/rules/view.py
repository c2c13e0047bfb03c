"""The past as the fold may see it: entries by id, and entries bearing on a key. Reads are counted and kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from firsthand.rules.bearing import (
    CLAIMED,
    assertions_of,
    bearings,
    citing_key,
    heir_key,
    naming_key,
    record_key,
    unit_key,
    unit_of,
)
from firsthand.vocabulary.entries import Claim, Entry, Erase, Revise, root_of
from firsthand.vocabulary.kinds import Basis, Kind, Role


class Entries(Protocol):
    """Where the fold reads: a dictionary in tests, an index in a store."""

    def get(self, entry_id: str) -> Entry | None:
        """The entry with this id."""
        ...

    def bearing_on(self, key: str) -> Sequence[Entry]:
        """Entries found under `key`, in any order."""
        ...

    def scopes(self) -> tuple[str, ...]:
        """Every scope id in the space."""
        ...


class MemoryEntries:
    """Entries in a dictionary: for tests and for asking what a history means."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._bearing: dict[str, list[Entry]] = defaultdict(list)
        self._scopes: dict[str, None] = {}

    def add(self, entry: Entry) -> bool:
        """Index an entry; whether it was new."""
        if entry.id in self._entries:
            return False
        self._entries[entry.id] = entry
        self._scopes[entry.skeleton.scope] = None
        for key in bearings(entry):
            self._bearing[key].append(entry)
        return True

    def get(self, entry_id: str) -> Entry | None:
        """The entry with this id."""
        return self._entries.get(entry_id)

    def bearing_on(self, key: str) -> Sequence[Entry]:
        """Entries found under `key`."""
        return self._bearing.get(key, ())

    def scopes(self) -> tuple[str, ...]:
        """Every scope id in the space."""
        return tuple(self._scopes)

    def all(self) -> tuple[Entry, ...]:
        """Every entry, in arrival order."""
        return tuple(self._entries.values())


class Said(NamedTuple):
    """An assertion with its author: what the strata work on. Windows in microseconds, unset where unstated."""

    id: str
    entry: str
    record: str
    scope: str
    claim: Claim
    evidence: str
    source: str
    owner: str
    role: Role
    attested: bool
    basis: Basis
    trusted: bool
    spoken: int
    stated_from: int | None
    stated_to: int | None
    echo: bool
    imported: bool
    said: str
    span: tuple[int, int] | None = None

    @property
    def order(self) -> tuple[int, int, str]:
        """Later latest-instant, max(stated start, spoken), comes later; ties end in the entry id (design 09.6)."""
        start = self.spoken if self.stated_from is None else self.stated_from
        return (max(start, self.spoken), self.spoken, self.id)


def said_by(entry: Entry) -> list[Said]:
    """The assertions of an entry, each with its author."""
    author, scope, record = entry.skeleton.author, entry.skeleton.scope, entry.record_id
    return [
        Said(
            f"{entry.id}.{i}", entry.id, record, scope, a.claim, a.evidence, a.source, author.owner, author.role,
            a.attested, a.basis, a.trusted, a.spoken, a.from_, a.to, a.echo, a.imported, a.said, a.span,
        )
        for i, a in enumerate(assertions_of(entry))
    ]  # fmt: skip


class View:
    """One fold step's look at the past: each question is asked of the store once; `reads` counts entries seen."""

    def __init__(self, entries: Entries, fresh: Entry | None = None) -> None:
        self._entries = entries
        self._by_key: dict[str, tuple[Entry, ...]] = {}
        self._by_id: dict[str, Entry | None] = {}
        self._said: dict[str, list[Said]] = {}
        self.reads = 0
        if fresh is not None:
            self._take(fresh)

    def _take(self, fresh: Entry) -> None:
        """Know an entry that was just written: nothing can refer to it yet, nor to its record if it is a root."""
        self._by_id[fresh.id] = fresh
        self._by_key[naming_key(fresh.id)] = ()
        if fresh.skeleton.record is None:
            record = fresh.record_id
            self._by_key |= {record_key(record): (), citing_key(record): (), heir_key(record): ()}

    def get(self, entry_id: str) -> Entry | None:
        """The entry with this id."""
        if entry_id not in self._by_id:
            self._by_id[entry_id] = self._entries.get(entry_id)
            self.reads += 1
        return self._by_id[entry_id]

    def bearing_on(self, key: str) -> tuple[Entry, ...]:
        """Entries found under `key`, by id: no answer may depend on arrival."""
        if key not in self._by_key:
            found = tuple(sorted(self._entries.bearing_on(key), key=lambda e: e.id))
            self._by_key[key] = found
            self.reads += len(found)
        return self._by_key[key]

    def scopes(self) -> tuple[str, ...]:
        """Every scope id in the space."""
        return self._entries.scopes()

    def of_record(self, record_id: str) -> tuple[Entry, ...]:
        """The root, if it is here, and every other entry about a record."""
        root = self.get(root_of(record_id))
        rest = self.bearing_on(record_key(record_id))
        return (root, *rest) if root else rest

    def kind_of(self, record_id: str) -> Kind | None:
        """The kind of a record, if any content of it is here."""
        for entry in self.of_record(record_id):
            if isinstance(entry.skeleton.edges, Revise):
                return entry.skeleton.edges.record_kind
        return None

    def said_in(self, entry: Entry) -> list[Said]:
        """The assertions of an entry."""
        if entry.id not in self._said:
            self._said[entry.id] = said_by(entry)
        return self._said[entry.id]

    def said_of_record(self, record_id: str) -> list[Said]:
        """Every assertion made on a record."""
        return [s for e in self.of_record(record_id) for s in self.said_in(e)]

    def said_in_unit(self, unit: str) -> list[Said]:
        """Every assertion on the claims of a unit."""
        return [
            s
            for e in self.bearing_on(unit_key(unit))
            for s in self.said_in(e)
            if unit_of(s.scope, s.claim) == unit
        ]  # fmt: skip

    def units_of_record(self, record_id: str) -> set[str]:
        """The units a record has a part in."""
        units = {unit_of(s.scope, s.claim) for s in self.said_of_record(record_id)}
        kind = self.kind_of(record_id)
        return units if kind is None or kind in CLAIMED else units | {record_id}

    def erased(self, entry_id: str) -> bool:
        """Whether the body of an entry was destroyed."""
        return any(isinstance(e.skeleton.edges, Erase) for e in self.bearing_on(naming_key(entry_id)))

    def content_heads(self, record_id: str) -> tuple[str, ...]:
        """Revisions of a record that no other replaces."""
        revisions = [e for e in self.of_record(record_id) if isinstance(e.skeleton.edges, Revise)]
        gone = {x for e in revisions if isinstance(e.skeleton.edges, Revise) for x in e.skeleton.edges.supersedes}
        return tuple(sorted(e.id for e in revisions if e.id not in gone))
