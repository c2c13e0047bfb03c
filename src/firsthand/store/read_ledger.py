"""Reads of the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from firsthand.ports import Head, LedgerRow
from firsthand.rules.bearing import PEERS_KEY, arrival_key, named_by, sender_key
from firsthand.rules.vouching import as_vouched, least, most
from firsthand.store.engine import Connection
from firsthand.store.snapshot import Snapshot, array
from firsthand.vocabulary.decoding import decode_skeleton
from firsthand.vocabulary.entries import Define, Entry
from firsthand.vocabulary.instants import FOREVER
from firsthand.vocabulary.kinds import PeerTrust

GENESIS = "0" * 40
ARRIVALS_KEPT = 64


class LedgerReads(Snapshot):
    """Entries by id, by place and by what they bear on, each as far as the store it came from is believed."""

    def __init__(self, connection: Connection, queries: dict[str, str], space: str) -> None:
        super().__init__(connection, queries, space)
        self._trusted: dict[str, PeerTrust] | None = None
        self._arrivals: dict[str, Define] = {}
        self._last_seen = FOREVER

    def head(self) -> Head:
        """The end of the ledger."""
        row = self._one("head")
        return Head(*row) if row else Head(0, None, GENESIS, 0)

    def ledger_rows(self, after: int, limit: int) -> list[LedgerRow]:
        """Entries after a position, in order."""
        return [LedgerRow(*r) for r in self._all("ledger_rows", after, limit)]

    def position_of(self, entry_id: str) -> int | None:
        """The position of an entry."""
        row = self._one("position_of", entry_id)
        return row[0] if row else None

    def rows_of(self, entry_ids: Iterable[str]) -> dict[str, LedgerRow]:
        """Entries by id."""
        return {r[1]: LedgerRow(*r) for r in self._all("rows_of", array(entry_ids))}

    def rows_at(self, positions: Iterable[int]) -> list[LedgerRow]:
        """Entries by position, in order."""
        return [LedgerRow(*r) for r in self._all("rows_at", array(positions))]

    def get(self, entry_id: str) -> Entry | None:
        """The entry with this id."""
        row = self._one("skeleton_of", entry_id, self._last_seen)
        return self._decoded(entry_id, row[0]) if row else None

    def scopes(self) -> tuple[str, ...]:
        """Every scope id of the space."""
        return tuple(r[0] for r in self._all("scope_rows"))

    def bearing_on(self, key: str) -> Sequence[Entry]:
        """Entries found under `key`."""
        found = (self._decoded(i, s) for i, s in self._all("bearing_on", key))
        return [entry for entry in found if entry is not None]

    def bearing_on_any(self, keys: Iterable[str], known_at: int | None = None) -> dict[str, list[Entry]]:
        """Entries found under each of several keys, of those received by an instant, or of all."""
        found: dict[str, list[Entry]] = {}
        for key, entry_id, text in self._all("bearing_on_any", array(keys), FOREVER if known_at is None else known_at):
            entry = self._decoded(entry_id, text)
            if entry is not None:
                found.setdefault(key, []).append(entry)
        return found

    def last_bearing_on(self, key: str) -> int:
        """The position of the last entry found under `key`, or 0."""
        row = self._one("last_bearing_on", key)
        return (row[0] or 0) if row else 0

    def has_stones(self) -> bool:
        """Whether any entry forbids a value."""
        return self._one("has_stones") is not None

    def last_stone(self) -> int:
        """The position of the last entry that forbids a value, or 0."""
        row = self._one("last_stone")
        return (row[0] or 0) if row else 0

    def stones(self) -> list[Entry]:
        """Every entry that forbids a value, oldest first."""
        found = (self._decoded(i, s) for i, s in self._all("stones"))
        return [entry for entry in found if entry is not None]

    def positions_bearing_on(self, key: str) -> list[int]:
        """Positions of entries found under `key`."""
        return [r[0] for r in self._all("positions_bearing_on", key)]

    def _decoded(self, entry_id: str, skeleton: str) -> Entry | None:
        return self.vouched(Entry(id=entry_id, skeleton=decode_skeleton(skeleton)))

    # ---- other stores ------------------------------------------------------------------------------------------

    def peers(self) -> dict[str, Define]:
        """The newest registration of each other store, by its device."""
        return {edges.id: edges for edges in self._defines(PEERS_KEY)}

    def senders(self, entry_id: str) -> dict[str, PeerTrust]:
        """The devices an entry came from, each with how far it itself believes it; none, if it was written here."""
        found: dict[str, PeerTrust] = {}
        for arrival, text in self._all("bearing_on", arrival_key(entry_id)):
            edges = self._arrivals.get(arrival) or self._keep_arrival(arrival, text)
            found[edges.id] = most((edges.trust or "none", found.get(edges.id, "none")))
        return found

    def _keep_arrival(self, entry_id: str, skeleton: str) -> Define:
        """An arrival names hundreds of entries, which are read one after the other."""
        edges = decode_skeleton(skeleton).edges
        assert isinstance(edges, Define)
        if len(self._arrivals) >= ARRIVALS_KEPT:
            self._arrivals.clear()
        self._arrivals[entry_id] = edges
        return edges

    def arrived_from(self, device: str) -> list[str]:
        """The ids of all entries that came from a device."""
        return [entry_id for edges in self._defines(sender_key(device)) for entry_id in edges.entries]

    def vouched(self, entry: Entry) -> Entry | None:
        """An entry as far as those it came from are believed; unset, if they are not."""
        trust = self.trust_in(entry.id)
        if trust == "person":
            return entry
        senders = self.senders(entry.id).keys()
        return as_vouched(entry, trust, frozenset(i for i in named_by(entry) if senders & self.senders(i).keys()))

    def trust_in(self, entry_id: str) -> PeerTrust:
        """How far those an entry came from are believed; what was written here counts as it says."""
        trusts = self._trusts()
        senders = self.senders(entry_id) if trusts else {}
        if not senders:
            return "person"
        return most(least(trusts.get(device, "none"), held) for device, held in senders.items())

    def _trusts(self) -> dict[str, PeerTrust]:
        """How far each registered store is believed, asked once for this look at the space."""
        if self._trusted is None:
            self._trusted = {device: edges.trust or "none" for device, edges in self.peers().items()}
        return self._trusted

    def _defines(self, key: str) -> list[Define]:
        found = (decode_skeleton(text).edges for _, text in self._all("bearing_on", key))
        return [edges for edges in found if isinstance(edges, Define)]
