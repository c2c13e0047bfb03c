"""Bring a backup back: beside nothing, or in the place of a live store, which first says what it forgot since.

Everything is put together and verified in a folder of its own. Only then does it take its place, at once or not at all.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Generator
from pathlib import Path
from typing import Final

from firsthand import wiring
from firsthand.memory import Memory
from firsthand.moving.backups import read_backup, unpack
from firsthand.moving.manifest import read_manifest
from firsthand.moving.merging import Later
from firsthand.ports import Progress
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.moves import LaterErasures, RestoreReport

ACTOR: Final = "restore"


def restore(
    backup: str | Path,
    url: str | Path | None = None,
    *,
    erasures: str | Path | None = None,
    without_kept: bool = False,
    progress: Progress | None = None,
) -> RestoreReport:
    """Make the store that a backup holds, at `url`, and verify it deeply before it is there.

    If there is a live store at `url`, its erasures and tombstones since the backup are brought over first, and then it
    is replaced as a whole; nothing may have it open (`BusyError`). Otherwise `erasures` names an export made later by
    this store or by one registered in it. With neither, the report says that later erasures are `unknown`. A backup
    without its kept files is refused unless `without_kept` is set.
    """
    started = time.perf_counter()
    source, target = Path(backup), wiring.find_database(url)
    manifest, missing = read_backup(source, without_kept=without_kept)
    listed = None if erasures is None else read_manifest(Path(erasures)).space
    if listed is not None and listed not in manifest.spaces:
        raise InvalidError("other_space", "erasures is an export of a space that the backup does not hold",
                           field="erasures")  # fmt: skip
    live = wiring.spaces_of(target) if target.exists() else None
    erased, stones, spaces = 0, 0, dict[str, int]()
    with _workshop(target) as folder:
        database = unpack(source, manifest, folder)
        readable = wiring.lend_keys(target, database)
        for space in manifest.spaces if readable else ():
            with wiring.open(database, space=space, actor=ACTOR, role="system") as restored:
                told = target if live is not None and space in live else None, erasures if space == listed else None
                for later in _later(restored, *told):
                    merged = restored.ledger.bring_over(later)
                    erased, stones = erased + merged.erasures, stones + merged.tombstones
                spaces[space] = restored.ledger.verify(deep=True, progress=progress).position
        wiring.install(database, target)
    return RestoreReport(
        path=str(target),
        spaces=spaces,
        erasures=erased,
        tombstones=stones,
        later_erasures=_known(readable, live=live is not None, listed=listed is not None),
        kept_missing=missing,
        seconds=round(time.perf_counter() - started, 3),
    )


def _known(readable: bool, *, live: bool, listed: bool) -> LaterErasures:
    """What became of the erasures after a backup; of one that cannot be read without its keys nothing is known."""
    if not readable:
        return "unknown"
    return "merged" if live else "listed" if listed else "unknown"


def _later(restored: Memory, live: Path | None, erasures: str | Path | None) -> Generator[list[Later]]:
    """What is known of the time after the backup: by the store that is there now, and by an export."""
    if live is not None:
        with wiring.open(live, space=restored.space, actor=ACTOR, role="system") as now:
            yield now.ledger.later_than(restored.ledger.head())
    if erasures is not None:
        yield restored.ledger.read_later(erasures)


@contextlib.contextmanager
def _workshop(target: Path) -> Generator[Path]:
    """A folder beside the target, for its owner alone, that is gone afterwards."""
    folder = target.with_name(f".{target.name}.restoring-{os.getpid()}")
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
