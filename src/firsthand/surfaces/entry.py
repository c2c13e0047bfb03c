"""The console script. A hook runs at every turn of a session, so it takes a short way, without the command line."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

from firsthand.config import NAMES, Name
from firsthand.surfaces.hooks.events import HARNESSES, Harness

HOOK = "hook"
HELP = ("-h", "--help")
LOADED = 50_000
"""As many objects as the house has when it is loaded: they all stay, so nothing looks for garbage among them."""


class HookCall(NamedTuple):
    """A hook as it stands on a command line."""

    harness: Harness
    flags: dict[Name, str | None]


def hook_call(arguments: Sequence[str]) -> HookCall | None:
    """The hook that a command line calls, if it calls one.

    Words that are not known are passed over: the line was written by another version, and a hook must not fail.
    """
    flags: dict[Name, str | None] = {}
    words: list[str] = []
    waiting = list(arguments)
    while waiting:
        word = waiting.pop(0)
        option, is_assigned, value = word.removeprefix("--").partition("=")
        if word.startswith("--") and option in NAMES:
            flags[option] = value if is_assigned else waiting.pop(0) if waiting else None
        else:
            words.append(word)
    if words[:1] != [HOOK] or words[1:2] == [] or words[1] not in HARNESSES or any(word in HELP for word in words):
        return None
    return HookCall(words[1], flags)


def main() -> None:
    """Run a hook, or else the command line."""
    call = hook_call(sys.argv[1:])
    if call is None:
        gc.set_threshold(LOADED)
        from firsthand.surfaces.cli import main as command_line

        command_line()
    else:
        run_hook(call)


def run_hook(call: HookCall) -> None:
    """Do one hook call, and end the process with 0, whatever became of it and whatever still runs.

    Its time began with the process: what Python and the imports have taken is as long as they kept a core busy.
    """
    started = time.monotonic() - time.process_time()
    gc.disable()  # what lives for less than a second leaves nothing to collect
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from firsthand.surfaces.hooks.running import run

    open_closed_streams()
    try:
        run(call.harness, call.flags, started=started, stdin=sys.stdin.buffer, stdout=sys.stdout.buffer)
    finally:
        os._exit(0)


def open_closed_streams() -> None:
    """Whoever started this with a standard stream closed wants nothing said there: nowhere is written to instead."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))
