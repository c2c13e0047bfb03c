"""As many steps of the state machine as are asked for, under printed seeds.

`long_run.py STEPS [FIRST_SEED] [--shrink]`: the first violation ends it, told as it was found, or made small first.
"""

from __future__ import annotations

import argparse
import secrets
import time

import pytest
import test_machine
from hypothesis import Phase

LIVES = 40


def main() -> int:
    """Go on with the next seed until there are enough steps."""
    asked = _asked()
    phases = (Phase.generate, Phase.shrink) if asked.shrink else (Phase.generate,)
    seed, done, started = asked.seed, 0, time.monotonic()
    while done < asked.steps:
        print(f"seed {seed}: {done} of {asked.steps} steps, {time.monotonic() - started:.0f} s", flush=True)
        with pytest.MonkeyPatch.context() as patch:
            done += test_machine.run(seed, LIVES, patch, phases)
        seed += 1
    print(f"{done} steps, 0 violations, {time.monotonic() - started:.0f} s, {time.process_time():.0f} s of CPU")
    return 0


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("steps", type=int, nargs="?", default=200_000)
    parser.add_argument("seed", type=int, nargs="?", default=secrets.randbelow(1_000_000))
    parser.add_argument("--shrink", action="store_true", help="make a violation small, which takes minutes")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
