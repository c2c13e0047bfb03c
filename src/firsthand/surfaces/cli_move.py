"""Commands that bring a memory, or its key, from one place to another: restore-backup, join, peers key."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click
import msgspec

from firsthand.config import make_folder
from firsthand.surfaces.desk import Desk, Progress, pass_desk
from firsthand.surfaces.sentences import restore_sentences


class Joined(msgspec.Struct, frozen=True, kw_only=True):
    """What `join` and `peers key` did: which space, and where."""

    space: str
    path: str


@click.command("restore-backup")
@click.argument("path", metavar="FOLDER")
@click.option("--erasures", metavar="EXPORT", help="A later export: what was erased and taken back since stays so.")
@click.option("--without-kept", is_flag=True, help="Even if the files that are kept beside the database are missing.")
@pass_desk
def restore_backup(desk: Desk, path: str, erasures: str | None, without_kept: bool) -> None:
    """Bring back the backup in FOLDER, in the place of the memory there is, or of none.

    What that memory erased or took back since the backup stays so. Nothing else may have it open.
    """
    import firsthand

    make_folder(Path(desk.settings.db))
    with Progress("verifying", quiet=desk.as_json) as progress:
        report = firsthand.restore(
            path, desk.settings.db, erasures=erasures, without_kept=without_kept, progress=progress
        )
    desk.answer(report, restore_sentences)


@click.command()
@click.argument("key_file", metavar="KEYFILE")
@pass_desk
def join(desk: Desk, key_file: str) -> None:
    """Make the memory a store of a space that exists elsewhere, from the KEYFILE that `peers key` wrote there."""
    import firsthand

    make_folder(Path(desk.settings.db))
    space = firsthand.join(desk.settings.db, key_file)
    desk.answer(Joined(space=space, path=desk.settings.db), lambda j: f"{j.path} is a store of space {j.space} now.")


@click.command("key")
@click.argument("path", metavar="KEYFILE")
@pass_desk
def write_key(desk: Desk, path: str) -> None:
    """Write the space's key to a new KEYFILE, for `firsthand join` on another machine. Carry it as a secret."""
    made = desk.memory.peers.share_key(path)
    joined = Joined(space=desk.settings.space, path=str(made))
    desk.answer(joined, lambda j: f"The key of space {j.space} is in {j.path}. Whoever has it can join.")


COMMANDS: Final[dict[str, click.Command]] = {
    command.name or "": command for command in (restore_backup, join, write_key)
}
