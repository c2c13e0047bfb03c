"""Two stores of one space on real files, exports that a dishonest store might sign, and looks at what they believe."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import apsw
import msgspec

import firsthand
from firsthand.capture.gateway import Write
from firsthand.ledger import Draft, Words, prepare
from firsthand.memory import Memory
from firsthand.moving.manifest import MANIFEST, Manifest, read_manifest
from firsthand.moving.sealing import device_key
from firsthand.ports import LedgerRow
from firsthand.rules.identity import chained
from firsthand.vocabulary.entries import Body, Edges, Erase
from firsthand.vocabulary.moves import TransferReport
from firsthand.vocabulary.packets import Receipt

SCOPE = "project:boat"
START = 1_800_000_000_000_000
BELIEVED = """
SELECT b.unit, b.record_id, b.revision_id, b.kind, b.scope_id, b.valid_from, b.valid_to, b.claim, b.conditions, b.tier,
       b.status, b.visibility, b.hidden_reason, b.live_support, b.sensitivity, b.ended_by, b.challenged_by
FROM belief b WHERE b.known_to = 9223372036854775807
"""


def accounted(report: TransferReport) -> TransferReport:
    """A report in which every entry that was read is in one count."""
    counts = (report.added, report.known, report.local, report.quarantined_entries)
    assert report.read == sum(counts), counts
    assert report.quarantined_entries == len(report.quarantined)
    assert report.blank <= report.added
    return report


class Clock:
    """Each look is a second later, for both stores."""

    def __init__(self) -> None:
        self.at = START

    def now(self) -> int:
        self.at += 1_000_000
        return self.at


class Pair:
    """Stores `a`, `b` and more of one space, each with its own file, sharing the space's key and one clock."""

    def __init__(self, folder: Path, names: str = "ab") -> None:
        self.folder = folder
        self.clock = Clock()
        self._open = ExitStack()
        self._numbers = itertools.count()
        first, *others = names
        firsthand.open(self.path(first)).close()
        with firsthand.open(self.path(first)) as opened:
            key = opened.peers.share_key(folder / "space.key")
        for other in others:
            firsthand.join(self.path(other), key)

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.db"

    def memory(self, name: str, actor: str = "ana", role: Any = "person", **more: Any) -> Memory:
        given = {"scope": SCOPE, "clock": self.clock, "synchronous": "OFF", **more}
        return self._open.enter_context(firsthand.open(self.path(name), actor=actor, role=role, **given))

    def trusting(self, one: Memory, other: Memory, trust: Any = "person") -> None:
        one.peers.register(other.peers.own().key, trust=trust)

    def export(self, memory: Memory) -> Path:
        path = self.folder / f"export {next(self._numbers)}"
        memory.ledger.export(path)
        return path

    def send(self, one: Memory, other: Memory) -> Any:
        return accounted(other.ledger.take_in(self.export(one)))

    def close(self) -> None:
        self._open.close()


def believed(path: Path) -> list[tuple[Any, ...]]:
    """What a store believes now, apart from when it learnt it."""
    return sorted(look(path, BELIEVED), key=repr)


def look(path: Path, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return list(connection.execute(sql, values))
    finally:
        connection.close()


def entries(path: Path) -> list[tuple[Any, ...]]:
    """What is in a ledger, byte for byte, without its own places and times."""
    return look(path, "SELECT entry_id, skeleton, body, salt FROM entry ORDER BY entry_id")


def everything(path: Path) -> list[tuple[Any, ...]]:
    """Every ledger row, refusal and belief: nothing can be written unnoticed."""
    tables = ("entry", "refusal", "belief", "bearing", "doc", "request")
    return [row for table in tables for row in look(path, f"SELECT '{table}', * FROM {table} ORDER BY 1, 2, 3, 4")]


def files_of(path: Path) -> bytes:
    """Every byte of a memory, its logs and its keys."""
    return b"".join(p.read_bytes() for p in sorted(path.parent.glob(path.name + "*")) if p.is_file())


def write(memory: Memory, edges: Edges, body: Body | None = None, record: str | None = None) -> str:
    """Append one entry by a handle's author, whatever the verbs of this version are."""
    gateway, handle = memory._engine.gateway, memory._handle
    made: list[str] = []

    def run(writer: Any) -> Receipt:
        appended = gateway.append(handle, writer, edges, gateway.words(body or Body(), 0), record=record)
        made.append(appended.entry.id)
        return Receipt(outcome="stored", record_id=None, entry_id=appended.entry.id, known_at=appended.received_at)

    gateway.commit(handle, [Write("test", run)])
    return made[0]


def erase(memory: Memory, *records: str) -> str:
    """Erase the words that began some records."""
    return write(memory, Erase(targets=tuple("e" + record[1:] for record in records), reason_code="asked"))


def forged(path: Path, memory: Memory, change: Callable[[list[LedgerRow]], list[LedgerRow]], **manifest: Any) -> Path:
    """An export whose entries its own store changed and signed again, with a chain that holds."""
    listed = read_manifest(path)
    lines = (path / listed.files[0].name).read_bytes().splitlines()
    rows = change([msgspec.json.decode(line, type=LedgerRow) for line in lines])
    chain, linked = "0" * 40, []
    for position, row in enumerate(rows, start=1):
        chain = chained(chain, row.entry_id, row.received_at)
        linked.append(row._replace(position=position, chain=chain))
    data = b"".join(msgspec.json.encode(row) + b"\n" for row in linked)
    (path / listed.files[0].name).write_bytes(data)
    return signed_again(path, memory, data=data, rows=linked, **manifest)


def signed_again(
    path: Path, memory: Memory, *, data: bytes | None = None, rows: list[LedgerRow] | None = None, **changes: Any
) -> Path:
    """The manifest of an export with other content, signed by a store's device."""
    import hashlib

    listed = read_manifest(path)
    if data is not None and rows is not None:
        file = msgspec.structs.replace(
            listed.files[0], bytes=len(data), sha256=hashlib.sha256(data).hexdigest(), entries=len(rows)
        )
        last = rows[-1]
        head = msgspec.structs.replace(
            listed.head, position=last.position, entry_id=last.entry_id, chain=last.chain, received_at=last.received_at
        )
        changes = {"files": (file,), "entries": len(rows), "head": head, **changes}
    key = device_key(memory._engine.store, memory.space)
    again = msgspec.structs.replace(listed, device=key.device, key=key.public, **changes).signed(key)
    put_manifest(path, again)
    return path


def put_manifest(path: Path, manifest: Manifest | dict[str, Any]) -> None:
    plain = json.loads(msgspec.json.encode(manifest))
    (path / MANIFEST).write_text(json.dumps(plain, indent=1, sort_keys=True), encoding="utf-8")


def unwritten(memory: Memory, edges: Edges, body: Body, **given: Any) -> LedgerRow:
    """An entry as this author would write it, in no ledger yet."""
    from firsthand.rules.identity import entry_id, skeleton_text
    from firsthand.vocabulary.entries import FORMAT_VERSION, Skeleton

    words: Words = prepare(body, bytes(range(16)), 0)
    draft = Draft(scope=memory._handle.scope_id, author=memory._handle.ids, edges=edges, recorded_at=START)
    fields = {"format": FORMAT_VERSION, "space": memory.space, "sensitivity": 0, **given}
    skeleton = Skeleton(
        scope=draft.scope, author=draft.author, recorded_at=draft.recorded_at, body=words.digest, edges=edges, **fields
    )
    text = skeleton_text(skeleton)
    return LedgerRow(0, entry_id(text), START, "", text, words.text, words.salt)
