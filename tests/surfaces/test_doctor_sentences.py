"""What `firsthand doctor` tells of a memory, sentence by sentence: one that is well, one that is not, none."""

from __future__ import annotations

import msgspec

from firsthand.surfaces.doctor import Checkup, findings
from firsthand.surfaces.hooks.health import Health

WELL = Checkup(
    db="/m/m.db", exists=True, bytes_on_disk=20 * 1024, log_bytes=4 * 1024, key_file="/m/m.db.keys",
    key_file_mode="0600", space="default", scope="project:boat", actor="cleo", owner="ana", role="agent",
    origins={"db": "firsthand.toml"}, settings_file="/m/firsthand.toml", firsthand="1.0", python="3.11",
    engine="SQLite", schema_version=3, synchronous="FULL", read_only=False, embedder="words", entries=7,
    records={"semantic": 2, "episodic": 3}, last_write=1_772_355_600_000_000, receipts=4,
    last_receipt=1_772_355_660_000_000, erasures_owed=0, hook_scope="project:boat",
    hooks=Health(stored=5, last_write_at=1_772_355_600_000_000, last_event="Stop", failures=2, last_error="late",
                 last_error_at=1_772_355_720_000_000, spooled=2, dropped=1),
    spool_items=2, spool_bytes=2048, verified=True, verify_seconds=0.25,
)  # fmt: skip
BEGINNING = [
    "The memory is /m/m.db (from /m/firsthand.toml), 20 KiB and 4 KiB of log.",
    "It is opened as cleo (agent) of ana, in space default, scope project:boat.",
    "Firsthand 1.0 on Python 3.11; SQLite, schema 3, synchronous FULL.",
    "Its keys are /m/m.db.keys, mode 0600; back both files up together.",
    "Embedder: words.",
    "Entries: 7; records: 5; last written 2026-03-01T09:00Z.",
    "Receipts of recalls in its journal: 4, the last at 2026-03-01T09:01Z.",
    "Hooks that run in this folder keep what they hear in project:boat.",
    "Hooks stored 5 episodes, last at 2026-03-01T09:00Z (Stop).",
    "Hook calls that failed or were late: 2, the last with late at 2026-03-01T09:02Z; put into the spool: 2, lost: 1.",
    "Waiting in the spool: 2 episodes, 2 KiB.",
]


def test_a_memory_that_is_well_is_told_in_these_sentences() -> None:
    assert findings(WELL) == [
        *BEGINNING,
        "Nothing is wrong: every hash of 7 entries holds, in 0.25 s.",
        "`firsthand verify --deep` also folds them again.",
    ]
    quick = msgspec.structs.replace(WELL, verified=False)
    assert findings(quick) == [*BEGINNING, "Quick integrity check: nothing wrong. The entries were not verified."]


def test_problems_stand_in_the_place_of_the_good_news() -> None:
    ill = msgspec.structs.replace(WELL, problems=("the key file can be read by others.",))
    assert findings(ill) == [*BEGINNING, "PROBLEM: the key file can be read by others."]
    assert not ill.well
    assert WELL.well


def test_what_is_not_known_is_not_told() -> None:
    bare = Checkup(
        db="/m/m.db", exists=True, space="default", scope="space:", actor=None, owner=None, role="person",
        origins={"db": "default"}, firsthand="1.0", python="3.11", entries=0, receipts=0, hook_scope="space:",
    )  # fmt: skip
    assert findings(bare) == [
        "The memory is /m/m.db (by default), 0 KiB.",
        "It is opened as person (person), in space default, scope space:.",
        "Firsthand 1.0 on Python 3.11.",
        "Entries: 0; records: 0; never written.",
        "Receipts of recalls in its journal: 0.",
        "Hooks that run in this folder keep what they hear in space:.",
        "No hook has run yet.",
        "Quick integrity check: nothing wrong. The entries were not verified.",
    ]
    none = msgspec.structs.replace(bare, exists=False)
    assert findings(none) == [
        "There is no memory yet at /m/m.db (by default).", "The first write makes it; so does `firsthand init`.",
    ]  # fmt: skip
