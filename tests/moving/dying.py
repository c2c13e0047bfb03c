"""A process that does one deed to a memory and kills itself at a named step: `python dying.py FOLDER DEED STEP`."""

from __future__ import annotations

import json
import os
import pkgutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

import firsthand
from firsthand.memory import Memory

SCOPE = "project:boat"


class Step(NamedTuple):
    """Before or after which call of a function the process dies; the first call unless said."""

    when: Literal["before", "after"]
    function: str
    call: int = 1


WRITER = "firsthand.store.sqlite_write.SqliteWriter"
STORE = "firsthand.store.sqlite.SqliteStore"
CERTIFY = "firsthand.capture.certify"
CLEANING = {
    "committed, not cleaned": Step("before", f"{STORE}.scrub"),
    "pages given back, the log not emptied": Step("after", f"{STORE}._pragma", 2),
    "the log emptied, not swept": Step("after", f"{STORE}.scrub"),
    "swept, not certified": Step("after", f"{STORE}.sweep"),
    "while it is certified": Step("before", f"{CERTIFY}._certified"),
    "certified, not committed": Step("after", f"{CERTIFY}._certified"),
}
STEPS: dict[str, dict[str, Step]] = {
    "erase": {
        "planned": Step("after", "firsthand.capture.erase.planned"),
        "before the first body": Step("before", f"{WRITER}.blank_body"),
        "between two bodies": Step("after", f"{WRITER}.blank_body"),
        "bodies blank, words indexed": Step("before", f"{WRITER}.optimise_words"),
        "words rewritten, nothing owed": Step("after", f"{WRITER}.optimise_words"),
        "owed, not committed": Step("after", "firsthand.capture.erase.owe"),
        **CLEANING,
    },
    "import": {
        "surveyed": Step("before", "firsthand.moving.importing._Intake.take_all"),
        "in the first batch": Step("after", "firsthand.moving.copies.adopt", 2),
        "in a later batch": Step("after", "firsthand.moving.copies.adopt", 8),
        "erasures taken over, nothing destroyed": Step("before", "firsthand.moving.importing.destroy_named"),
        "named words destroyed, copies not": Step("before", "firsthand.moving.importing.destroy_copies"),
        "copies destroyed, meetings not told": Step("before", "firsthand.moving.importing.tell_meetings"),
        "between two batches": Step("after", "firsthand.moving.importing._Intake._take"),
        **CLEANING,
    },
    "restore": {
        "unpacked": Step("after", "firsthand.restoring.unpack"),
        "later erasures brought over": Step("after", "firsthand.restoring._Told.bring_over"),
        "keys in place": Step("before", "firsthand.store.copying.replace_database"),
        "pages half copied": Step("after", "firsthand.store.copying._copy_step", 2),
        "pages copied": Step("after", "firsthand.store.copying._copy"),
        "in place, not tidied": Step("after", "firsthand.wiring.install"),
    },
    "backup": {
        "half copied": Step("after", "firsthand.store.copying._copy_step"),
        "copied, not listed": Step("after", f"{STORE}.copy_to"),
        "listed, not named": Step("after", "firsthand.moving.backups.write_new"),
    },
}


def die_at(step: Step) -> None:
    """Replace a function by one that ends the process at one of its calls."""
    place, _, name = step.function.rpartition(".")
    holder = pkgutil.resolve_name(place)
    genuine: Callable[..., Any] = getattr(holder, name)
    calls = 0

    def dying(*given: Any, **more: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == step.call and step.when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = genuine(*given, **more)
        if calls == step.call:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(holder, name, dying)


def opened(path: Path) -> Memory:
    return firsthand.open(path, actor="ana", role="person", scope=SCOPE)


def do(deed: str, folder: Path) -> None:
    """The deed itself, on what the test has put in the folder."""
    if deed == "restore":
        firsthand.restore(folder / "backup", folder / "m.db")
        return
    with opened(folder / "m.db") as memory:
        if deed == "erase":
            memory.erase(json.loads((folder / "records.json").read_text())["gone"], reason_code="privacy")
        elif deed == "import":
            memory.ledger.take_in(folder / "export")
        else:
            memory.ledger.backup(folder / "second")


if __name__ == "__main__":
    from firsthand.moving import importing
    from firsthand.store import copying

    importing.BATCH_ENTRIES, importing.PAUSE_SECONDS = 4, 0.0  # type: ignore[misc]
    copying.PAGES_A_STEP = 4  # type: ignore[misc]
    die_at(STEPS[sys.argv[2]][sys.argv[3]])
    do(sys.argv[2], Path(sys.argv[1]))
