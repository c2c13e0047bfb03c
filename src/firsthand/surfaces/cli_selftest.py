"""`firsthand selftest`: the acceptance tests, run where they cannot touch anybody's memory."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from firsthand.surfaces.desk import Desk, Progress, pass_desk
from firsthand.vocabulary.errors import BrokenError


@click.command()
@click.option("--only", multiple=True, metavar="NAME", help="Run this test alone. May be repeated.")
@click.option(
    "--at", "place", metavar="FOLDER", help="Where: an empty folder, which is kept. Default: a temporary one."
)
@pass_desk
def selftest(desk: Desk, only: tuple[str, ...], place: str | None) -> int:
    """Run the acceptance tests on stores that it makes itself.

    A test passes, fails, or is unavailable with a reason; the last never counts as a pass. The exit code is 10 if any
    fails.
    """
    from firsthand.selftest.runner import run_all
    from firsthand.surfaces.through_mcp import connect

    with Progress("testing", quiet=desk.as_json) as progress:
        report = run_all(None if place is None else Path(place), only=only or None, progress=progress, connect=connect)
    desk.show(report, "selftest")
    return BrokenError.exit_code if report.failed else 0


COMMANDS: Final[dict[str, click.Command]] = {"selftest": selftest}
