"""Background jobs: `jobs run` works on what waits, `jobs status` says how it stands."""

from __future__ import annotations

from typing import Final

import click

from firsthand.surfaces.desk import Desk, Progress, pass_desk
from firsthand.surfaces.sentences import jobs_sentences


@click.group()
def jobs() -> None:
    """Read claims out of what was captured, and propose merges. Both only propose, and run only when asked."""


@jobs.command("run")
@click.option("--limit", type=int, metavar="N", help="Stop after N stretches of at most 64 documents.")
@click.option("--again", is_flag=True, help="Also try again what was given up.")
@pass_desk
def run(desk: Desk, limit: int | None, again: bool) -> None:
    """Work until nothing waits that is due. Several processes may run at once, and any may be killed."""
    with Progress("jobs", quiet=desk.as_json) as progress:
        report = desk.memory.jobs.run(limit=limit, again=again, progress=progress)
    desk.answer(report, jobs_sentences)


@jobs.command("status")
@pass_desk
def status(desk: Desk) -> None:
    """Show what waits, what is being worked on and what was given up, in every scope."""
    desk.show(desk.memory.jobs.status(), "jobs")


COMMANDS: Final[dict[str, click.Command]] = {"jobs": jobs}
