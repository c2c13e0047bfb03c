"""What the transactions of one writer read or wrote, so that nothing is read twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from firsthand.ports import BeliefRow, Head, ScopeRow
from firsthand.rules.bearing import unit_key
from firsthand.store.engine import Connection
from firsthand.store.sqlite_read import SqliteReader
from firsthand.vocabulary.entries import Entry

KEPT: Final = 2_048
"""How much of each kind is remembered before that starts anew."""
KEPT_KEYS: Final = 16_384


class Remembering(SqliteReader):
    """Reads under the append lock: nobody else can write meanwhile, so each question is asked once.

    The writer that stands on it notes its own writes here. It holds no words but names.
    """

    def __init__(self, connection: Connection, queries: dict[str, str], space: str) -> None:
        super().__init__(connection, queries, space)
        self._head: Head | None = None
        self._stones: bool | None = None
        self._speakers: dict[tuple[str, str], int] = {}
        self._scopes: dict[str, ScopeRow] = {}
        self._names: dict[tuple[str, str], str | None] = {}
        self._named: dict[str, set[str]] = {}
        self._nameless: dict[str, set[str]] = {}
        self._entities: dict[tuple[str, str], list[str]] = {}
        self._entries: dict[str, Entry] = {}
        self._bearing: dict[str, list[Entry]] = {}
        self._open: dict[str, list[BeliefRow]] = {}
        self._last_bearing: dict[str, int] = {}

    def head(self) -> Head:
        """The end of the ledger, which nobody else can move while this transaction lasts."""
        if self._head is None:
            self._head = super().head()
        return self._head

    def get(self, entry_id: str) -> Entry | None:
        """The entry with this id."""
        entry = self._entries.get(entry_id)
        if entry is None:
            entry = super().get(entry_id)
            if entry is not None:
                self._keep(entry)
        return entry

    def bearing_on(self, key: str) -> Sequence[Entry]:
        """Entries found under `key`."""
        found = self._bearing.get(key)
        if found is None:
            if len(self._bearing) >= KEPT_KEYS:
                self._bearing.clear()
            found = self._bearing[key] = list(super().bearing_on(key))
        return found

    def last_bearing_on(self, key: str) -> int:
        """The position of the last entry found under `key`, or 0."""
        if key not in self._last_bearing:
            self._last_bearing[key] = super().last_bearing_on(key)
        return self._last_bearing[key]

    def has_stones(self) -> bool:
        """Whether any entry forbids a value: asked at every write, looked up once."""
        if self._stones is None:
            self._stones = super().has_stones()
        return self._stones

    def foresee(self, keys: Iterable[str]) -> None:
        """Read at once what bears on keys that will be asked for one by one."""
        if len(self._bearing) >= KEPT_KEYS:
            self._bearing.clear()
        asked = dict.fromkeys(key for key in keys if key not in self._bearing)
        found = super().bearing_on_any(asked)
        self._bearing |= {key: found.get(key, []) for key in asked}

    def open_rows(self, unit: str) -> list[BeliefRow]:
        """The rows of a unit that are believed now."""
        if unit.startswith("r"):
            return super().open_rows(unit)
        found = self._open.get(unit)
        if found is None:
            if len(self._open) >= KEPT:
                self._open.clear()
            # The fold reads it anyway. Where other stores are known, what they said may be there and not count.
            said = self.bearing_on(unit_key(unit)) or self._trusts()
            found = self._open[unit] = super().open_rows(unit) if said else []
        return list(found)

    def scope(self, scope_id: str) -> ScopeRow | None:
        """A scope by its id."""
        row = self._scopes.get(scope_id) or super().scope(scope_id)
        if row is not None:
            self._scopes[scope_id] = row
        return row

    def name(self, what: str, name_id: str) -> str | None:
        """The words behind an opaque id."""
        if (what, name_id) not in self._names:
            self._names[what, name_id] = super().name(what, name_id)
        return self._names[what, name_id]

    def foresee_names(self, scope_id: str, names: Iterable[str]) -> None:
        """Read at once which of many names an entity of a scope has."""
        named, nameless = self._names_known(scope_id)
        asked = set(names).difference(nameless, named)
        if asked:
            for known in (named, nameless):
                if len(known) + len(asked) >= KEPT_KEYS:
                    known.clear()
            found = super().entity_names_among(scope_id, sorted(asked))
            named.update(found)
            nameless.update(asked.difference(found))

    def entity_names_among(self, scope_id: str, names: Sequence[str]) -> list[str]:
        """Which of these name keys an entity of a scope has."""
        named, nameless = self._names_known(scope_id)
        perhaps = set(names).difference(nameless)
        if not perhaps <= named:
            self.foresee_names(scope_id, perhaps)
        return sorted(perhaps & named)

    def _names_known(self, scope_id: str) -> tuple[set[str], set[str]]:
        """Names that an entity of a scope has, and names that none has, as far as anybody asked."""
        return self._named.setdefault(scope_id, set()), self._nameless.setdefault(scope_id, set())

    def standing_entities(self, scope_id: str, name: str) -> list[str]:
        """Entity records that a name stands for in a scope and that stand themselves."""
        if name in self._nameless.get(scope_id, ()):
            return []
        found = self._entities.get((scope_id, name))
        if found is None:
            if len(self._entities) >= KEPT:
                self._entities.clear()
            found = self._entities[scope_id, name] = super().standing_entities(scope_id, name)
        return found

    def _decoded(self, entry_id: str, skeleton: str) -> Entry | None:
        entry = self._entries.get(entry_id) or super()._decoded(entry_id, skeleton)
        return None if entry is None else self._keep(entry)

    def _keep(self, entry: Entry) -> Entry:
        if len(self._entries) >= KEPT:
            self._entries.clear()
            self._bearing.clear()
        self._entries[entry.id] = entry
        return entry

    def _forget_the_surplus(self) -> None:
        """Start anew, between two transactions, with what has no bound inside one."""
        for known in (self._scopes, self._speakers, self._names, self._named, self._nameless):
            if len(known) >= KEPT:
                known.clear()

    def _forget(self) -> None:
        """Know nothing of any projection."""
        for known in (self._speakers, self._scopes, self._names, self._named, self._nameless, self._entities):
            known.clear()
        for past in (self._entries, self._bearing, self._open, self._last_bearing):
            past.clear()
        self._stones = None
        self._trusted = None
