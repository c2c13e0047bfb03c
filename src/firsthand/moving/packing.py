"""A pack: an export of a selection, that holds only what may be shown, and lists what it leaves out.

Decided record by record, from what is believed now: what is hidden, erased, taken back or over the clearance stays
here. Of a record with a corrected past only what stands goes; its other entries may repeat what was taken back.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from firsthand.audit import Walk, pages
from firsthand.capture.gateway import Gateway
from firsthand.moving.exporting import reported
from firsthand.moving.manifest import FORMAT, VERSION, End, EntryFiles, Manifest, key_check, new_folder, write_manifest
from firsthand.moving.sealing import device_key
from firsthand.ports import BeliefRow, LedgerRow, Progress, Reader, Store
from firsthand.rules.access import Handle
from firsthand.rules.bearing import assertions_of, tombstone_of
from firsthand.rules.evidence import grade
from firsthand.rules.view import View
from firsthand.veil import says_only_what_is_hidden
from firsthand.vocabulary.entries import Attend, Define, Entry, Judge, Propose, Revise, Skeleton, Support, root_of
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.kinds import Sensitivity
from firsthand.vocabulary.limits import RECALL_LIMIT_MAX
from firsthand.vocabulary.moves import ExportReport, Left

NAMES: Final = ("who", "scope", "session")
GONE: Final = {"rejected": "taken_back", "retracted": "taken_back", "erased": "erased"}


class Wanted(NamedTuple):
    """What a pack is asked to hold: whole scopes, records by id with what they rest on, the answers to a query."""

    scopes: tuple[str, ...] = ()
    records: tuple[str, ...] = ()
    query: str | None = None
    clearance: Sensitivity | None = None


def pack(
    store: Store, gateway: Gateway, handle: Handle, path: Path, wanted: Wanted, progress: Progress | None
) -> ExportReport:
    """Write a selection of the space to a new folder."""
    handle.may("export")
    started = time.perf_counter()
    key = device_key(store, handle.space)
    with new_folder(path) as folder, EntryFiles(folder) as files, store.reading(handle.space) as reader:
        chosen = _Choice(reader, handle, wanted, gateway.clock.now())
        total, agents = reader.head().position, list[str]()
        chosen.look_through(_entries(reader, progress, total))
        for row, skeleton in _entries(reader, None, total):
            if chosen.holds(row, skeleton):
                files.write(row)
                if reader.trust_in(row.entry_id) == "agent":
                    agents.append(row.entry_id)
        files.close()
        head = reader.head()
        manifest = Manifest(
            format=FORMAT, version=VERSION, kind="pack", space=handle.space, key_check=key_check(handle),
            device=key.device, key=key.public, made_at=gateway.clock.now(), head=End(**head._asdict()),
            entries=files.entries, files=tuple(files.files), left_out=chosen.left_out(),
            believed_as_agent=tuple(agents),
        )  # fmt: skip
        write_manifest(folder, manifest.signed(key))
    return reported(path, manifest, key, 0, started)


def _entries(reader: Reader, progress: Progress | None, total: int) -> Iterator[tuple[LedgerRow, Skeleton]]:
    """The ledger from its beginning, verified."""
    walk = Walk(reader)
    for page in pages(reader):
        yield from walk.verified(page)
        if progress is not None:
            progress(walk.position, total)


class _Choice:
    """Which entries of a ledger a pack holds."""

    def __init__(self, reader: Reader, handle: Handle, wanted: Wanted, now: int) -> None:
        if not (wanted.scopes or wanted.records or wanted.query):
            raise InvalidError("selection_missing", "a pack needs scopes, records or a query", field="scopes")
        self._reader = reader
        self._handle = handle
        self._view = View(reader)
        self._level = handle.level(wanted.clearance)
        self._scopes = {handle.keyed.scope(s) for s in handle.scopes(wanted.scopes)} if wanted.scopes else set[str]()
        named = (*wanted.records, *_found(reader, handle, wanted, now))
        self._records = _with_evidence(self._view, reader, handle, named)
        self._reasons: dict[str, str | None] = {}
        self._positions: set[int] = set()
        self._names: set[str] = set()
        self._cited: set[str] = set()
        self._left: Counter[str] = Counter()

    def look_through(self, entries: Iterable[tuple[LedgerRow, Skeleton]]) -> None:
        """Decide about every entry, in order."""
        for row, skeleton in entries:
            entry = Entry(id=row.entry_id, skeleton=skeleton)
            if isinstance(skeleton.edges, Define) or not self._asked_for(entry):
                continue
            reason = self._why_not(row, entry)
            if reason is None:
                self._positions.add(row.position)
                author = skeleton.author
                self._names |= {author.actor, author.owner, skeleton.scope, author.session or ""}
                self._cited |= {said.evidence for said in assertions_of(entry)}
            elif reason:
                self._left[reason] += 1

    def holds(self, row: LedgerRow, skeleton: Skeleton) -> bool:
        """Whether an entry goes into the pack: it was chosen, or is a name that a chosen one needs."""
        edges = skeleton.edges
        if isinstance(edges, Define):
            return edges.what in NAMES and edges.id in self._names and row.body is not None
        return row.position in self._positions

    def left_out(self) -> tuple[Left, ...]:
        """What was asked for and stays here, by reason; and what the packed claims rest on that is not in the pack."""
        found = [Left(reason=reason, count=count) for reason, count in sorted(self._left.items())]
        missing = tuple(sorted(r for r in self._cited if not self._is_packed(r)))
        if missing:
            found.append(Left(reason="evidence_not_packed", count=len(missing), ids=missing))
        return tuple(found)

    def _is_packed(self, record: str) -> bool:
        place = self._reader.position_of(root_of(record))
        return place is not None and place in self._positions

    def _asked_for(self, entry: Entry) -> bool:
        return entry.record_id in self._records or entry.skeleton.scope in self._scopes

    def _why_not(self, row: LedgerRow, entry: Entry) -> str | None:
        """Why an entry stays here; nothing, if it goes, and no word, if its reader may not even know of it."""
        record = entry.record_id
        if record not in self._reasons:
            self._reasons[record] = self._why_not_record(record)
        reason = self._reasons[record]
        if reason is not None:
            return reason
        if row.body is None:
            return "erased"
        if isinstance(entry.skeleton.edges, Attend | Propose):
            return "feedback_and_proposals"
        if self._reader.trust_in(entry.id) == "none":
            return "not_believed"
        return self._masked(entry.id) or ("masked" if self._repeats_what_fell(entry) else None)

    def _why_not_record(self, record: str) -> str | None:
        docs = self._reader.docs_of_record(record)
        rows = self._reader.beliefs([d.vid for d in docs], None)
        if not rows:
            return "not_current"
        if any(r.sensitivity > self._handle.clearance or not self._handle.reads(r.scope_id) for r in rows):
            return ""
        root = self._reader.get(root_of(record))
        if root is not None and says_only_what_is_hidden(self._reader, root):
            return "hidden"
        return _lock(rows, self._level) or self._masked(root_of(record))

    def _masked(self, entry_id: str) -> str | None:
        """Whether an entry's words say what was taken back since, or what is private."""
        return "masked" if self._reader.masks([entry_id]) else None

    def _repeats_what_fell(self, entry: Entry) -> bool:
        """Of a record with a corrected past, every entry but the ones that say what stands."""
        account = self._view.account(entry.record_id)
        if not any(map(_takes_back, account.entries)):
            return False
        if not isinstance(entry.skeleton.edges, Revise | Support):
            return True
        if isinstance(entry.skeleton.edges, Revise) and entry.id not in account.heads:
            return True
        said = self._view.said_in(entry)
        return bool(said) and not grade(self._view, said).stands.issuperset(s.id for s in said)


def _takes_back(entry: Entry) -> bool:
    edges = entry.skeleton.edges
    return tombstone_of(entry) is not None or (isinstance(edges, Judge) and edges.verb == "retract")


def _lock(rows: Sequence[BeliefRow], level: int) -> str | None:
    """What keeps all of a record here."""
    if any(r.sensitivity > level for r in rows):
        return "over_clearance"
    if any(r.visibility == "hidden" for r in rows):
        return "hidden"
    standing = {r.status for r in rows}
    if standing <= GONE.keys():
        return GONE[min(standing)]
    return "erased" if "erased" in standing else None


def _found(reader: Reader, handle: Handle, wanted: Wanted, now: int) -> tuple[str, ...]:
    """The records that answer a query."""
    if wanted.query is None:
        return ()
    from firsthand.recall.cache import Cache
    from firsthand.recall.pipeline import recall
    from firsthand.recall.plan import plan

    asked = plan(handle, now, wanted.query, limit=RECALL_LIMIT_MAX, clearance=wanted.clearance)
    # By words alone: a pack leaves the house, and what is merely alike was not asked for.
    packet = recall(reader, handle, asked, Cache(None)).packet
    conflicts = [item.record_id for group in packet.conflicts for item in group.items]
    return (*(item.record_id for item in packet.items), *conflicts)


def _with_evidence(view: View, reader: Reader, handle: Handle, records: Sequence[str]) -> set[str]:
    """Readable records with what they rest on and what ended or disputes them; absent and unreadable are one answer."""
    if not records:
        return set()
    from firsthand.recall.reading import readable_rows

    for record in records:
        readable_rows(reader, handle, record)
    found, todo = set[str](), list(records)
    while todo:
        record = todo.pop()
        if record not in found:
            found.add(record)
            todo += [said.evidence for said in view.said_of_record(record)]
            todo += _settled_by(reader, record)
    return found


def _settled_by(reader: Reader, record: str) -> Iterator[str]:
    """The records without which one would read as if nothing had ended or contradicted it."""
    for row in reader.beliefs([d.vid for d in reader.docs_of_record(record)], None):
        if row.challenged_by is not None:
            yield row.challenged_by
        cause = reader.get(row.ended_by.partition(".")[0]) if row.ended_by is not None else None
        if cause is not None:
            yield cause.record_id
