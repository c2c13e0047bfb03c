"""As many steps of the state machine as are asked for, under printed seeds: `long_run.py STEPS [FIRST_SEED]`."""

from __future__ import annotations

import secrets
import sys
import time

import pytest
import test_machine
from hypothesis import Phase

LIVES = 40


def main() -> int:
    """Go on with the next seed until there are enough steps; the first violation ends it, shrunk."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else secrets.randbelow(1_000_000)
    done, started = 0, time.monotonic()
    while done < wanted:
        print(f"seed {seed}: {done} of {wanted} steps, {time.monotonic() - started:.0f} s", flush=True)
        with pytest.MonkeyPatch.context() as patch:
            done += test_machine.run(seed, LIVES, patch, (Phase.generate, Phase.shrink))
        seed += 1
    print(f"{done} steps, 0 violations, {time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
