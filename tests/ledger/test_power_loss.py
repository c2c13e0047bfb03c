"""After a power loss every acknowledged write is there: the disk may lose whatever it was not told to keep.

The loss strikes at random moments, between any two writes or syncs, of a store in WAL mode as in production: while it
commits, while it checkpoints, while receipts are flushed. What was not synced is lost whole, or chance keeps parts.
"""

from __future__ import annotations

import itertools
import random
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
from histories import rows, store_of
from lossy_vfs import Disk

import firsthand

SEEDS = range(3)
WRITES = 24
LOSSES = 12
CHECKPOINT_PAGES = 30
_numbers = itertools.count(1)


class Loss(NamedTuple):
    """One power loss: where its files are, and what had been acknowledged."""

    path: Path
    acknowledged: tuple[str, ...]
    in_a_commit: bool


class Storm:
    """Writes on a disk that takes a picture of itself, as a power loss would leave it, at random moments."""

    def __init__(
        self, folder: Path, seed: int, synchronous: str, *, keeps: bool, every: int = CHECKPOINT_PAGES
    ) -> None:
        self.folder = folder
        self.path = folder / "m.db"
        self.losses: list[Loss] = []
        self.acknowledged: list[str] = []
        self.syncs_to_open = 0
        self._choose = random.Random(seed)
        self._keeps = keeps
        self._checkpoint_pages = every
        self._ready = self._writing = False
        self.disk = Disk(f"lossy{next(_numbers)}", self._moment)
        self._write(synchronous)
        self._lose()
        self.disk.unregister()

    def _moment(self) -> None:
        """Something reached the disk: perhaps power fails right here."""
        if self._ready and len(self.losses) < LOSSES and self._choose.random() < 0.02:
            self._lose()

    def _lose(self) -> None:
        found = self.folder / f"loss{len(self.losses)}"
        found.mkdir()
        self.disk.put(found, self._choose if self._keeps and self._choose.random() < 0.7 else None)
        shutil.copy2(self.path.with_name("m.db.keys"), found / "m.db.keys")
        self.losses.append(Loss(found / "m.db", tuple(self.acknowledged), self._writing))

    def _write(self, synchronous: str) -> None:
        options = {"vfs": self.disk.name, "synchronous": synchronous, "actor": "ana", "role": "person"}
        with firsthand.open(self.path, **options) as memory:
            store = store_of(memory)
            for connection in (store._writer, store._journal):
                connection.execute(f"PRAGMA wal_autocheckpoint = {self._checkpoint_pages}")
                assert connection.execute("PRAGMA journal_mode").get == "wal"
            self._ready, self.syncs_to_open = True, self.disk.syncs
            for number in range(WRITES):
                self._writing = True
                made = self._one(memory, number)
                self._writing = False
                self.acknowledged += [str(r.entry_id) for r in made]

    def _one(self, memory: firsthand.Memory, number: int) -> list[firsthand.Receipt]:
        verb = self._choose.choice(("capture", "remember", "change", "batch", "recall"))
        if verb == "capture":
            return [memory.capture(f"A gull at buoy {number}.")]
        if verb == "batch":
            return list(memory.capture_many({"text": f"Plank {number} {n}."} for n in range(8)).receipts)
        if verb == "recall":
            memory.recall("Where is the gull?")
            memory.facts()
            return []
        told = memory.remember(subject="Ana", predicate="lives_in", object=f"harbour {number}")
        if verb == "remember":
            return [told]
        return [told, memory.change(told.record_id, object=f"port {number}", reason="moved")]


def lost(loss: Loss) -> list[str]:
    """Acknowledged entries that are not there after a power loss."""
    try:
        held = {entry for (entry,) in rows(loss.path, "SELECT entry_id FROM entry")}
    except Exception:  # noqa: BLE001 - a file that cannot be read holds nothing
        held = set()
    return [entry for entry in loss.acknowledged if entry not in held]


def verified(loss: Loss) -> bool:
    try:
        with firsthand.open(loss.path) as memory:
            memory.ledger.verify(deep=True)
    except firsthand.FirsthandError:
        return False
    return True


@pytest.mark.parametrize("keeps", [False, True], ids=["all that was not synced is lost", "chance keeps parts of it"])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_acknowledged_write_survives_a_power_loss(seed: int, keeps: bool, tmp_path: Path) -> None:
    storm = Storm(tmp_path, seed, "FULL", keeps=keeps)
    assert len(storm.losses) > LOSSES / 2
    assert any(loss.in_a_commit for loss in storm.losses)
    assert len(storm.losses[-1].acknowledged) > WRITES / 2
    assert storm.disk.syncs > WRITES / 2
    for loss in storm.losses:
        assert lost(loss) == []
        assert verified(loss)


@pytest.mark.parametrize("seed", SEEDS)
def test_without_syncs_acknowledged_writes_are_lost_and_the_test_sees_it(seed: int, tmp_path: Path) -> None:
    storm = Storm(tmp_path, seed, "OFF", keeps=seed % 2 == 1)
    assert storm.disk.syncs == storm.syncs_to_open
    assert storm.disk.writes > WRITES
    late = [loss for loss in storm.losses if loss.acknowledged]
    assert len(late) > LOSSES / 2
    assert any(lost(loss) for loss in late)


@pytest.mark.parametrize("seed", SEEDS)
def test_with_fewer_syncs_the_newest_writes_are_lost_but_what_is_left_holds(seed: int, tmp_path: Path) -> None:
    storm = Storm(tmp_path, seed, "NORMAL", keeps=True, every=10 * CHECKPOINT_PAGES)
    gone = [lost(loss) for loss in storm.losses]
    assert any(gone)
    for loss, missing in zip(storm.losses, gone, strict=True):
        assert list(loss.acknowledged[len(loss.acknowledged) - len(missing) :]) == missing
        assert verified(loss)


def test_mutant_a_disk_that_forgets_what_it_was_told_to_keep_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def liar(self: Disk, path: str) -> None:
        self._watch()

    monkeypatch.setattr(Disk, "synced", liar)
    storm = Storm(tmp_path, 1, "FULL", keeps=False)
    assert any(lost(loss) for loss in storm.losses if loss.acknowledged)


def test_a_store_found_after_a_power_loss_goes_on(tmp_path: Path) -> None:
    storm = Storm(tmp_path, 2, "FULL", keeps=True)
    for loss in storm.losses[::5]:
        with firsthand.open(loss.path) as memory:
            assert memory.capture("The next morning.").outcome == "stored"
            assert memory.ledger.rebuild().same
            assert memory.ledger.verify(deep=True).position > len(loss.acknowledged)
