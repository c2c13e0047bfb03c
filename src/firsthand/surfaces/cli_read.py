"""Reading commands that do more than show what they got: recall, which fills prompts, and timeline, which draws."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

import click

from firsthand.surfaces.asking import full_id
from firsthand.surfaces.catalogue import Arguments, Operation, find
from firsthand.surfaces.catalogue.reading import Recall
from firsthand.surfaces.commands import Words, command_of
from firsthand.surfaces.desk import STANDARD_INPUT, Desk, pass_desk
from firsthand.vocabulary.errors import InvalidError


def tell_packet(desk: Desk, operation: Operation, asked: Arguments, words: Words) -> int:
    """A packet: drawn on a terminal, fenced in a pipe."""
    assert isinstance(asked, Recall)
    packet = operation.run(desk.memory, asked)
    if desk.as_json or (desk.for_people and not words["fenced"]):
        desk.show(packet, operation.shows)
    else:
        click.echo(packet.render(**({"max_tokens": asked.max_tokens} if asked.max_tokens else {})))
    return 0


recall: Final = command_of(
    find("recall"),
    tell_packet,
    click.Option(["--fenced"], is_flag=True, help="Print the packet for a prompt, fenced; so it is when piped."),
    help="On a terminal the answer is drawn for people. Into a pipe it is printed as it belongs in a prompt: fenced, "
    "with a notice that memory is evidence and not instruction.",
)


@click.command()
@click.argument("record_id", metavar="ID")
@click.option("--svg", "picture", metavar="FILE", help="Draw it into FILE, as a picture that explains itself.")
@pass_desk
def timeline(desk: Desk, record_id: str, picture: str | None) -> None:
    """Show what was believed of the record ID, and when: world time across, known time down.

    FILE may be - for standard output.
    """
    from firsthand.surfaces.timeline import timeline as made
    from firsthand.surfaces.timeline import whole_history

    shown = made(whole_history(desk.memory, full_id(desk.memory, record_id)), time.time_ns() // 1_000)
    if picture is None:
        desk.show(shown, "timeline")
        return
    from firsthand.surfaces.timeline_svg import draw

    drawn = draw(shown)
    if picture == STANDARD_INPUT:
        click.echo(drawn, nl=False)
        return
    write_text(Path(picture), drawn)
    desk.answer({"svg": picture, "steps": len(shown.steps)}, lambda _: f"Drawn into {picture}.")


def write_text(path: Path, text: str) -> None:
    """Write a file, or say why not."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidError("file_not_written", f"FILE cannot be written: {error.strerror}", field="FILE") from None


COMMANDS: Final[dict[str, click.Command]] = {"recall": recall, "timeline": timeline}
