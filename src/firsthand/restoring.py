"""Bring a backup back: beside nothing, or in the place of a live store, which first says what it forgot since.

Everything is put together and verified in a folder of its own. Only then does it take its place, at once or not at all.
"""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Generator
from pathlib import Path
from typing import Final

from firsthand import wiring
from firsthand.memory import Memory
from firsthand.moving.backups import read_backup, unpack
from firsthand.moving.manifest import beside, read_manifest
from firsthand.moving.merging import Later
from firsthand.ports import Progress
from firsthand.vocabulary.errors import BusyError, InvalidError
from firsthand.vocabulary.moves import LaterErasures, RestoreReport

ACTOR: Final = "restore"
TRIES: Final = 3
"""How often what a live store says is brought over, if somebody writes to it meanwhile."""


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
    with _workshop(target) as folder:
        database = unpack(source, manifest, folder)
        readable = wiring.lend_keys(target, database)
        told = _Told(database, target, listed, erasures)
        for _ in range(TRIES):
            live = target.exists()
            seen = wiring.ends(target)
            for space in manifest.spaces if readable else ():
                told.bring_over(space, live=space in seen, progress=progress)
            if wiring.install(database, target, seen):
                break
        else:
            raise BusyError("store_in_use", "the database is written by others; close every program that uses it",
                            field="url")  # fmt: skip
    return RestoreReport(
        path=str(target),
        spaces=told.spaces,
        erasures=told.erasures,
        tombstones=told.tombstones,
        later_erasures=_known(readable, live=live, listed=listed is not None),
        kept_missing=missing,
        seconds=round(time.perf_counter() - started, 3),
    )


class _Told:
    """What a restored database was told of the time after its backup."""

    def __init__(self, database: Path, target: Path, listed: str | None, export: str | Path | None) -> None:
        self._database = database
        self._target = target
        self._listed = listed
        self._export = export
        self.spaces: dict[str, int] = {}
        self.erasures = self.tombstones = 0

    def bring_over(self, space: str, *, live: bool, progress: Progress | None) -> None:
        """Bring over what binds of a later time to one space, and verify it."""
        with wiring.open(self._database, space=space, actor=ACTOR, role="system", embedder=None) as restored:
            told = self._target if live else None, self._export if space == self._listed else None
            for later in _later(restored, *told):
                merged = restored.ledger.bring_over(later)
                self.erasures, self.tombstones = self.erasures + merged.erasures, self.tombstones + merged.tombstones
            self.spaces[space] = restored.ledger.verify(deep=True, progress=progress).position


def _known(readable: bool, *, live: bool, listed: bool) -> LaterErasures:
    """What became of the erasures after a backup; of one that cannot be read without its keys nothing is known."""
    if not readable:
        return "unknown"
    return "merged" if live else "listed" if listed else "unknown"


def _later(restored: Memory, live: Path | None, erasures: str | Path | None) -> Generator[list[Later]]:
    """What is known of the time after the backup: by the store that is there now, and by an export."""
    if live is not None:
        with wiring.open(live, space=restored.space, actor=ACTOR, role="system", embedder=None) as now:
            yield now.ledger.later_than(restored.ledger.head())
    if erasures is not None:
        yield restored.ledger.read_later(erasures)


@contextlib.contextmanager
def _workshop(target: Path) -> Generator[Path]:
    """A folder beside the target, for its owner alone, that is gone afterwards."""
    folder = beside(target, "restoring")
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
