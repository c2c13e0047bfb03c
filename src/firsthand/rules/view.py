"""The past as the fold may see it: entries by id, and entries bearing on a key. Reads are counted and kept."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from firsthand.rules.bearing import (
    CLAIMED,
    STONE_KEYS,
    assertions_of,
    bearings,
    citing_key,
    endings_of,
    inherits_from,
    keys_about,
    naming_key,
    record_key,
    unit_key,
    unit_of,
)
from firsthand.vocabulary.entries import Claim, Classify, Entry, Erase, Judge, Lift, Revise, Show, Support, root_of
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

    def has_stones(self) -> bool:
        """Whether any entry forbids a value: without one, nothing has to be looked for."""
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

    def has_stones(self) -> bool:
        """Whether any entry forbids a value."""
        return any(key.startswith(STONE_KEYS) for key in self._bearing)

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
    shares: str = ""

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
            a.attested, a.basis, a.trusted, a.spoken, a.from_, a.to, a.echo, a.imported, a.said, a.span, a.shares,
        )
        for i, a in enumerate(assertions_of(entry))
    ]  # fmt: skip


class Level(NamedTuple):
    """One `classify` of a record."""

    level: int
    replaces: tuple[str, ...]
    by_person: bool


class Account(NamedTuple):
    """Everything written about one record, told apart once."""

    entries: tuple[Entry, ...]
    said: list[Said]
    kind: Kind | None
    heads: tuple[str, ...]
    level: int
    shows: dict[str, Show]
    levels: dict[str, Level]
    verdicts: dict[str, dict[str, Support]]
    heirs: list[tuple[str, str]]
    taken_back: str | None


def _account(entries: tuple[Entry, ...], said: list[Said], is_lifted: Callable[[str], bool]) -> Account:
    """`verdicts` by support; `heirs`: (content, record whose withdrawals it inherits); `level`: as written."""
    revisions: dict[str, Revise] = {}
    shows: dict[str, Show] = {}
    levels: dict[str, Level] = {}
    verdicts: dict[str, dict[str, Support]] = {}
    heirs: list[tuple[str, str]] = []
    retracts: list[str] = []
    level = 0
    for entry in entries:
        match entry.skeleton.edges:
            case Revise() as edges:
                revisions[entry.id] = edges
                level = max(level, entry.skeleton.sensitivity)
            case Support() as edges if edges.of is not None:
                verdicts.setdefault(edges.of, {})[entry.id] = edges
            case Show() as edges:
                shows[entry.id] = edges
            case Classify() as edges:
                levels[entry.id] = Level(edges.level, edges.replaces, entry.skeleton.author.role == "person")
            case Judge(verb="retract") if not is_lifted(entry.id):
                retracts.append(entry.id)
            case _:
                pass
        heirs += [(entry.id, source) for source in inherits_from(entry)]
    gone = {x for edges in revisions.values() for x in edges.supersedes}
    heads = tuple(sorted(i for i in revisions if i not in gone))
    kind: Kind | None = next((edges.record_kind for edges in revisions.values()), None)
    return Account(entries, said, kind, heads, level, shows, levels, verdicts, heirs, min(retracts, default=None))


class Hearing(NamedTuple):
    """Who had backed a value that was provisionally taken back, since when each source says it anew, and who had said
    it before and was not reached."""

    backers: set[str]
    anew: dict[str, int]
    unreached: set[str]


def _id(entry: Entry) -> str:
    return entry.id


class View:
    """One fold step's look at the past: each question is asked of the store once; `reads` counts entries seen."""

    def __init__(self, entries: Entries, fresh: Entry | None = None) -> None:
        self._entries = entries
        self._by_key: dict[str, tuple[Entry, ...]] = {}
        self._by_id: dict[str, Entry | None] = {}
        self._said: dict[str, list[Said]] = {}
        self._in_unit: dict[str, list[Said]] = {}
        self._accounts: dict[str, Account] = {}
        self.hearings: dict[str, Hearing] = {}
        self.sensitivities: dict[str, int] = {}
        self.reads = 0
        if fresh is not None:
            self._take(fresh)

    def _take(self, fresh: Entry) -> None:
        """Know an entry that was just written: nothing can refer to it yet, nor to its record if it is a root."""
        self._by_id[fresh.id] = fresh
        self._by_key |= dict.fromkeys(keys_about(fresh), ())

    def get(self, entry_id: str) -> Entry | None:
        """The entry with this id."""
        if entry_id not in self._by_id:
            self._by_id[entry_id] = self._entries.get(entry_id)
            self.reads += 1
        return self._by_id[entry_id]

    def bearing_on(self, key: str) -> tuple[Entry, ...]:
        """Entries found under `key`, by id: no answer may depend on arrival."""
        if key not in self._by_key:
            found = tuple(self._entries.bearing_on(key))
            if len(found) > 1:
                found = tuple(sorted(found, key=_id))
            self._by_key[key] = found
            self.reads += len(found)
        return self._by_key[key]

    def scopes(self) -> tuple[str, ...]:
        """Every scope id in the space."""
        return self._entries.scopes()

    def has_stones(self) -> bool:
        """Whether any entry forbids a value."""
        return self._entries.has_stones()

    def account(self, record_id: str) -> Account:
        """What the root, if it is here, and every other entry about a record say."""
        account = self._accounts.get(record_id)
        if account is None:
            root = self.get(root_of(record_id))
            rest = self.bearing_on(record_key(record_id))
            entries = (root, *rest) if root else rest
            account = _account(entries, [s for e in entries for s in self.said_in(e)], self.is_lifted)
            self._accounts[record_id] = account
        return account

    def of_record(self, record_id: str) -> tuple[Entry, ...]:
        """The root, if it is here, and every other entry about a record."""
        return self.account(record_id).entries

    def said_of_record(self, record_id: str) -> list[Said]:
        """Every assertion made on a record."""
        return self.account(record_id).said

    def cited_by(self, record_id: str) -> tuple[Entry, ...]:
        """Entries with an assertion that cites a record."""
        return self.bearing_on(citing_key(record_id))

    def kind_of(self, record_id: str) -> Kind | None:
        """The kind of a record, if any content of it is here."""
        return self.account(record_id).kind

    def said_in(self, entry: Entry) -> list[Said]:
        """The assertions of an entry."""
        if entry.id not in self._said:
            self._said[entry.id] = said_by(entry)
        return self._said[entry.id]

    def said_in_unit(self, unit: str) -> list[Said]:
        """Every assertion on the claims of a unit."""
        if unit not in self._in_unit:
            said = (s for e in self.bearing_on(unit_key(unit)) for s in self.said_in(e))
            self._in_unit[unit] = [s for s in said if unit_of(s.scope, s.claim) == unit]
        return self._in_unit[unit]

    def units_of_record(self, record_id: str) -> set[str]:
        """The units a record has a part in: those of its claims, and of the claims that its words ended."""
        account = self.account(record_id)
        units = {unit_of(s.scope, s.claim) for s in account.said}
        for entry in account.entries:
            units |= {unit_of(entry.skeleton.scope, ending.claim) for ending in endings_of(entry)}
        return units if account.kind is None or account.kind in CLAIMED else units | {record_id}

    def is_lifted(self, entry_id: str) -> bool:
        """Whether a person lifted what an entry forbids or takes back."""
        return any(
            isinstance(e.skeleton.edges, Lift) and e.skeleton.author.role == "person"
            for e in self.bearing_on(naming_key(entry_id))
        )

    def erased(self, entry_id: str) -> bool:
        """Whether the body of an entry was destroyed."""
        naming = (e.skeleton.edges for e in self.bearing_on(naming_key(entry_id)))
        return any(isinstance(edges, Erase) and entry_id in edges.targets for edges in naming)

    def content_heads(self, record_id: str) -> tuple[str, ...]:
        """Revisions of a record that no other replaces."""
        return self.account(record_id).heads
