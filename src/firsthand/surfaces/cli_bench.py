"""`firsthand bench`: how long one's own memory takes, measured where nothing of it is changed."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from firsthand.surfaces.desk import Desk, Progress, pass_desk
from firsthand.surfaces.sentences import installed_version

MOST_ROUNDS: Final = 10_000


@click.command()
@click.option("--rounds", type=click.IntRange(1, MOST_ROUNDS), default=100, show_default=True,
              help="How often each kind of work is measured.")  # fmt: skip
@click.option(
    "--at", "place", metavar="FOLDER", help="Where the copy is made. Default: beside the memory, on its disk."
)
@pass_desk
def bench(desk: Desk, rounds: int, place: str | None) -> None:
    """Measure how long recalls, reads and durable writes take here, beside bare SQLite in the same run.

    It works on a copy that it makes and removes: nothing is written into the memory, and nothing of it is shown.
    Questions are made of words of the scope's own records. For a moment it needs about twice the memory's size on disk.
    """
    from firsthand.measuring import measure

    at = None if place is None else Path(place)
    with Progress("measuring", quiet=desk.as_json) as progress:
        found = measure(desk.settings, installed_version(), rounds=rounds, at=at, progress=progress)
    desk.show(found, "measurements")


COMMANDS: Final[dict[str, click.Command]] = {"bench": bench}
