"""Commands that only read: recall, read, list, history, timeline, explain, refusals, scopes, predicates, stats."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Final

import click

from firsthand.rules.gate import INCLUDES
from firsthand.surfaces.asking import KIND, SENSITIVITY, conditions, full_id, instant, several, together
from firsthand.surfaces.desk import STANDARD_INPUT, Desk, pass_desk, prose
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.limits import HISTORY_PAGE_ROWS, PACKET_BYTES_DEFAULT, RECALL_LIMIT_DEFAULT

LIST_ROWS: Final = 20

INCLUDE: Final = several("--include", f"What else to admit: {', '.join(INCLUDES)}.", "WORD")
RECALL_OPTIONS: Final = together(
    several("--scopes", "A scope to read instead of the handle's own and space:.", "KIND:ID"),
    click.option("--kind", "kinds", type=KIND, multiple=True, help="Only this kind. May be repeated."),
    click.option("--limit", type=int, default=RECALL_LIMIT_DEFAULT, show_default=True, help="At most so many items."),
    click.option(
        "--max-bytes", type=int, default=PACKET_BYTES_DEFAULT, show_default=True, help="At most so many bytes."
    ),
    click.option("--max-tokens", type=int, help="At most so many tokens, by estimate."),
    click.option("--valid-at", metavar="WHEN", help="True in the world at this instant."),
    click.option("--known-at", metavar="WHEN", help="As the memory knew it at this instant."),
    several("--if", "A condition that holds.", "NAME=VALUE"),
    INCLUDE,
    click.option("--expand", type=int, default=0, help="Follow relations so many steps, at most 3."),
    click.option("--min-salience", type=float, help="Only what is at least this salient."),
    click.option("--clearance", type=SENSITIVITY, help="Nothing more sensitive than this."),
)


def asked(words: dict[str, Any]) -> dict[str, Any]:
    """The options of a recall as the memory's arguments."""
    return {
        "scopes": words["scopes"] or None,
        "kinds": words["kinds"] or None,
        "limit": words["limit"],
        "max_bytes": words["max_bytes"],
        "max_tokens": words["max_tokens"],
        "valid_at": instant(words["valid_at"]),
        "known_at": instant(words["known_at"]),
        "conditions": conditions(words["if"]),
        "include": words["include"],
        "expand": words["expand"],
        "min_salience": words["min_salience"],
        "clearance": words["clearance"],
    }


@click.command()
@click.argument("query")
@RECALL_OPTIONS
@click.option("--fenced", is_flag=True, help="Print the packet for a prompt, fenced; so it is when piped.")
@pass_desk
def recall(desk: Desk, query: str, fenced: bool, **words: Any) -> None:
    """Ask what is known about QUERY, with its sources.

    On a terminal the answer is drawn for people. Into a pipe it is printed as it belongs in a prompt: fenced, with a
    notice that memory is evidence and not instruction.
    """
    query = prose(query, "query")
    packet = desk.memory.recall(query, **asked(words))
    if desk.as_json or (desk.for_people and not fenced):
        desk.show(packet, "packet")
    else:
        click.echo(packet.render(max_tokens=words["max_tokens"]))


@click.command()
@click.argument("record_id", metavar="ID")
@pass_desk
def read(desk: Desk, record_id: str) -> None:
    """Show the record ID: its words, standing, sources and relations."""
    desk.show(desk.memory.read(full_id(desk.memory, record_id)), "record")


@click.command("list")
@click.option("--kind", "kinds", type=KIND, multiple=True, help="Only this kind. May be repeated.")
@click.option("--limit", type=int, default=LIST_ROWS, show_default=True, help="At most so many records.")
@click.option("--cursor", help="Go on where the last page ended.")
@INCLUDE
@pass_desk
def list_(desk: Desk, kinds: tuple[str, ...], limit: int, cursor: str | None, include: tuple[str, ...]) -> None:
    """List what is known in the scope, newest first."""
    desk.show(desk.memory.list(kinds=kinds or None, limit=limit, cursor=cursor, include=include), "page")


@click.command()
@click.argument("record_id", metavar="ID")
@click.option("--limit", type=int, default=HISTORY_PAGE_ROWS, show_default=True, help="At most so many entries.")
@click.option("--cursor", help="Go on where the last page ended.")
@pass_desk
def history(desk: Desk, record_id: str, limit: int, cursor: str | None) -> None:
    """Show everything that happened to the record ID, oldest first."""
    desk.show(desk.memory.history(full_id(desk.memory, record_id), limit=limit, cursor=cursor), "history")


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


@click.command()
@click.argument("query")
@click.argument("record_id", metavar="ID")
@RECALL_OPTIONS
@pass_desk
def explain(desk: Desk, query: str, record_id: str, **words: Any) -> None:
    """Say why the record ID is or is not in the answer to QUERY."""
    query = prose(query, "query")
    memory = desk.memory
    desk.show(memory.explain(query, full_id(memory, record_id), **asked(words)), "explanation")


@click.command()
@click.option("--limit", type=int, default=LIST_ROWS, show_default=True, help="At most so many.")
@click.option("--cursor", metavar="CURSOR", help="Go on where a page ended.")
@pass_desk
def refusals(desk: Desk, limit: int, cursor: str | None) -> None:
    """List writes that were refused, newest first: who, when and why, never what they said."""
    desk.show(desk.memory.refusals(limit=limit, cursor=cursor), "refusals")


@click.command()
@pass_desk
def scopes(desk: Desk) -> None:
    """List the scopes that hold something this handle may read."""
    desk.show(desk.memory.scopes(), "scopes")


@click.command()
@pass_desk
def predicates(desk: Desk) -> None:
    """List the predicates, and whether each holds one value or many."""
    desk.show(desk.memory.predicates(), "predicates")


@click.command()
@pass_desk
def stats(desk: Desk) -> None:
    """Count what the space holds."""
    desk.show(desk.memory.stats(), "stats")


COMMANDS: Final[dict[str, click.Command]] = {
    command.name or "": command
    for command in (recall, read, list_, history, timeline, explain, refusals, scopes, predicates, stats)
}
