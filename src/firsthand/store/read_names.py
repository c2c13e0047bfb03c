"""Reads of scopes, names, entities, speakers and relations."""

from __future__ import annotations

from collections.abc import Sequence

from firsthand.ports import ScopeRow
from firsthand.store.snapshot import Snapshot, array


class NameReads(Snapshot):
    """Scopes, the words behind opaque ids, entities, speakers and relations."""

    def scope(self, scope_id: str) -> ScopeRow | None:
        """A scope by its id."""
        row = self._one("scope", scope_id)
        return ScopeRow(*row) if row else None

    def scope_rows(self) -> list[ScopeRow]:
        """All scopes, by number."""
        return [ScopeRow(*r) for r in self._all("scope_rows")]

    def some_names(self, what: str, limit: int) -> list[tuple[str, str]]:
        """A few (opaque id, words), of those whose words are still known."""
        return [(r[0], r[1]) for r in self._all("some_names", what, limit)]

    def name(self, what: str, name_id: str) -> str | None:
        """The words behind an opaque id."""
        row = self._one("name", what, name_id)
        return row[0] if row else None

    def known_names(self, scope_id: str, names: Sequence[str]) -> list[str]:
        """Which of these names a document mentions or an entity has, in a scope."""
        found = self._connection.execute(self._q["known_names"], (array(names), self._space, scope_id))
        return [r[0] for r in found.fetchall()]

    def mentions_among(self, scope_id: str, vid: int, names: Sequence[str]) -> list[str]:
        """Those of some names that a document mentions."""
        return [r[0] for r in self._all("mentions_among", scope_id, array(names), vid)]

    def entities_named(self, scope_id: str, name: str) -> list[str]:
        """Entity records a name stands for in a scope."""
        return [r[0] for r in self._all("entities_named", scope_id, name)]

    def entity_names_among(self, scope_id: str, names: Sequence[str]) -> list[str]:
        """Which of these name keys an entity of a scope has."""
        return [r[0] for r in self._all("entity_names_among", scope_id, array(names))]

    def standing_entities(self, scope_id: str, name: str) -> list[str]:
        """Entity records that a name stands for in a scope and that stand themselves."""
        return [r[0] for r in self._all("standing_entities", scope_id, name)]

    def names_of_entity(self, record_id: str) -> list[tuple[str, str]]:
        """(name, role) of an entity."""
        return [(r[0], r[1]) for r in self._all("names_of_entity", record_id)]

    def speakers(self, scope_id: str) -> dict[str, int]:
        """Speaker names of a scope with their numbers."""
        return {r[0]: r[1] for r in self._all("speakers", scope_id)}

    def relations_of(self, record_id: str) -> list[tuple[str, str, str]]:
        """(relation, other record, direction)."""
        out = [(r[0], r[1], "out") for r in self._all("relations_out", record_id)]
        return out + [(r[0], r[1], "in") for r in self._all("relations_in", record_id)]
