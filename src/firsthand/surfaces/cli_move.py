"""Commands that move a memory: seal, export, backup, restore-backup, peers, join."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click
import msgspec

from firsthand.surfaces.asking import SENSITIVITY, several
from firsthand.surfaces.desk import Desk, Progress, make_folder, pass_desk
from firsthand.surfaces.sentences import (
    backup_sentences,
    export_sentences,
    peer_sentence,
    peers_sentences,
    restore_sentences,
    seal_sentences,
)
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.kinds import TRUSTS, PeerTrust, Sensitivity


class Joined(msgspec.Struct, frozen=True, kw_only=True):
    """What `join` and `peers key` did: which space, and where."""

    space: str
    path: str


@click.command()
@pass_desk
def seal(desk: Desk) -> None:
    """Sign the end of the ledger, and print a line to keep elsewhere; `verify --against LINE` compares later."""
    desk.answer(desk.memory.ledger.seal(), seal_sentences)


@click.command()
@click.argument("path", metavar="FOLDER")
@several("--only-scope", "Pack only this scope.", "KIND:ID")
@several("--record", "Pack this record and what it rests on.", "ID")
@click.option("--query", metavar="WORDS", help="Pack what answers this.")
@click.option("--clearance", type=SENSITIVITY, help="Pack nothing more sensitive than this.")
@pass_desk
def export(
    desk: Desk,
    path: str,
    only_scope: tuple[str, ...],
    record: tuple[str, ...],
    query: str | None,
    clearance: Sensitivity | None,
) -> None:
    """Write the whole ledger to a new FOLDER, byte for byte, hashed and signed. It holds every word, and no key.

    With a selection, write a pack: only what may be shown, with a list of what was left out.
    """
    ledger = desk.memory.ledger
    with Progress("exporting", quiet=desk.as_json) as progress:
        if only_scope or record or query is not None:
            records = [desk.memory.find(each) for each in record]
            report = ledger.pack(
                path, scopes=only_scope, records=records, query=query, clearance=clearance, progress=progress
            )
        elif clearance is not None:
            raise InvalidError("selection_missing", "a clearance needs a selection to pack", field="clearance")
        else:
            report = ledger.export(path, progress=progress)
    desk.answer(report, export_sentences)


@click.command()
@click.argument("path", metavar="FOLDER")
@pass_desk
def backup(desk: Desk, path: str) -> None:
    """Copy the memory and its keys to a new FOLDER, while it is in use. Who has the folder has everything."""
    with Progress("copying pages", quiet=desk.as_json) as progress:
        report = desk.memory.ledger.backup(path, progress=progress)
    desk.answer(report, backup_sentences)


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


@click.group(invoke_without_command=True)
@click.pass_context
def peers(ctx: click.Context) -> None:
    """List the other stores of this space that are registered, and how far they are believed."""
    if ctx.invoked_subcommand is None:
        desk: Desk = ctx.obj
        desk.answer(desk.memory.peers.list(), peers_sentences)


@peers.command()
@pass_desk
def own(desk: Desk) -> None:
    """Show this store's own public key, for another store to register."""
    desk.answer(desk.memory.peers.own(), lambda device: device.key)


@peers.command()
@click.argument("key")
@click.option("--trust", type=click.Choice(TRUSTS), default="agent", show_default=True, help="How far it is believed.")
@click.option("--name", metavar="NAME", help="What to call it here.")
@pass_desk
def add(desk: Desk, key: str, trust: PeerTrust, name: str | None) -> None:
    """Take in exports of the store with this public KEY; with trust `agent`, a person there is an agent here."""
    desk.answer(desk.memory.peers.register(key, trust=trust, name=name), peer_sentence)


@peers.command()
@click.argument("device")
@pass_desk
def remove(desk: Desk, device: str) -> None:
    """Believe nothing that came from DEVICE any more."""
    desk.answer(desk.memory.peers.remove(device), peer_sentence)


@peers.command("key")
@click.argument("path", metavar="KEYFILE")
@pass_desk
def write_key(desk: Desk, path: str) -> None:
    """Write the space's key to a new KEYFILE, for `firsthand join` on another machine. Carry it as a secret."""
    made = desk.memory.peers.share_key(path)
    joined = Joined(space=desk.settings.space, path=str(made))
    desk.answer(joined, lambda j: f"The key of space {j.space} is in {j.path}. Whoever has it can join.")


COMMANDS: Final[dict[str, click.Command]] = {
    command.name or "": command for command in (seal, export, backup, restore_backup, join, peers)
}
