"""Write a ledger to a folder, byte for byte as it is stored."""

from __future__ import annotations

import time
from pathlib import Path

from firsthand.audit import Walk, pages
from firsthand.capture.gateway import Gateway
from firsthand.moving.manifest import (
    FORMAT,
    VERSION,
    End,
    EntryFiles,
    ErasureOf,
    Manifest,
    key_check,
    new_folder,
    write_manifest,
)
from firsthand.moving.sealing import device_key
from firsthand.ports import Progress, Store
from firsthand.rules.access import Handle
from firsthand.rules.seals import Anchor
from firsthand.rules.signing import DeviceKey
from firsthand.vocabulary.entries import Erase, Seal
from firsthand.vocabulary.errors import DeniedError
from firsthand.vocabulary.grants import OPERATOR_GRANT
from firsthand.vocabulary.moves import ExportReport


def only_the_operator(handle: Handle, what: str) -> None:
    """Refuse what reaches the whole space, or who is believed in it, to everyone but the operator of the file."""
    if handle.grant != OPERATOR_GRANT:
        raise DeniedError(f"{what}_not_granted", f"only the operator of the file may do this: {what}", field="grant")


def export(store: Store, gateway: Gateway, handle: Handle, path: Path, progress: Progress | None) -> ExportReport:
    """The whole ledger of a space, verified while it is written."""
    handle.may("export")
    only_the_operator(handle, "export")
    started = time.perf_counter()
    key = device_key(store, handle.space)
    seals: list[str] = []
    erasures: list[ErasureOf] = []
    erased = 0
    with new_folder(path) as folder, EntryFiles(folder) as files, store.reading(handle.space) as reader:
        total, walk = reader.head().position, Walk(reader)
        for page in pages(reader):
            for row, skeleton in walk.verified(page):
                files.write(row)
                erased += row.body is None
                match skeleton.edges:
                    case Seal() as seal if seal.device == key.device:
                        seals.append(Anchor(handle.space, seal.position, seal.chain, key.public, seal.signature).line())
                    case Erase(targets=targets, reason_code=why):
                        erasures.append(ErasureOf(entry_id=row.entry_id, targets=targets, reason_code=why))
                    case _:
                        pass
            if progress is not None:
                progress(files.entries, total)
        head = walk.end()
        files.close()
        manifest = Manifest(
            format=FORMAT, version=VERSION, kind="ledger", space=handle.space, key_check=key_check(handle),
            device=key.device, key=key.public, made_at=gateway.clock.now(),
            head=End(**head._asdict()), entries=files.entries, files=tuple(files.files), seals=tuple(seals),
            erasures=tuple(erasures),
        )  # fmt: skip
        write_manifest(folder, manifest.signed(key))
    return reported(path, manifest, key, erased, started)


def reported(path: Path, manifest: Manifest, key: DeviceKey, erased: int, started: float) -> ExportReport:
    """What was written."""
    return ExportReport(
        path=str(path),
        kind=manifest.kind,
        space=manifest.space,
        entries=manifest.entries,
        erased=erased,
        files=len(manifest.files),
        bytes=sum(file.bytes for file in manifest.files),
        position=manifest.head.position,
        chain=manifest.head.chain,
        device=key.device,
        left_out=manifest.left_out,
        seconds=round(time.perf_counter() - started, 3),
    )
