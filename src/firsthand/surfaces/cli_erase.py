"""Commands that destroy, and that look whether anything is left: erase, sweep, hold, retention."""

from __future__ import annotations

import sys
from typing import Any, Final

import click

from firsthand.surfaces.asking import full_id
from firsthand.surfaces.desk import Desk, pass_desk, prose
from firsthand.vocabulary.erasure import Erasure, SweepReport
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.rendering import visible

SHORT_HASH: Final = 8
FOUND_EXIT_CODE: Final = 1
"""What `sweep` leaves with when it found something."""


@click.command()
@click.argument("record_id", metavar="[ID]", required=False)
@click.option("--target", metavar="WORDS", help="Say which claim by what it is about, in place of its ID.")
@click.option(
    "--value", nargs=3, metavar="SUBJECT PREDICATE OBJECT", help="Every body that holds this value; - for none."
)
@click.option("--reason-code", metavar="WORD", help="Why, in one plain word such as privacy; it is kept.")
@click.option("--reason", help="Why, in words that do not say what is erased; they are kept.")
@click.option("--dry-run", is_flag=True, help="Only show the plan.")
@click.option("--hash", "plan_hash", metavar="HASH", help="Carry out exactly the plan of this hash.")
@click.option("--yes", is_flag=True, help="Carry the plan out without asking.")
@click.option("--certificate", metavar="ID", help="Show the certificate of an erasure again.")
@click.option("--finish", is_flag=True, help="Clean the file after erasures that somebody's reading kept from it.")
@click.option("--idempotency-key", metavar="KEY", help="The same key erases the same thing once.")
@pass_desk
def erase(desk: Desk, record_id: str | None, certificate: str | None, finish: bool, **words: Any) -> int:
    """Destroy an episode and what rests only on it, or every body that holds the value of a claim.

    Shows the plan first, and carries it out when its hash, or --yes, is given.
    """
    if certificate is not None:
        desk.show(desk.memory.erasure.certificate(certificate), "certificate")
        return 0
    if finish:
        for finished in desk.memory.erasure.finish():
            desk.show(desk.memory.erasure.certificate(finished), "certificate")
        return 0
    if words["reason_code"] is None:
        raise InvalidError("reason_code_missing", "give a --reason-code", field="reason_code")
    asked = _asked(desk, record_id, words)
    if words["dry_run"]:
        desk.show(desk.memory.erase(**asked, dry_run=True), "erasure")
        return 0
    agreed = words["plan_hash"]
    if agreed is None and not words["yes"]:
        planned: Erasure = desk.memory.erase(**asked, dry_run=True)
        desk.show(planned, "erasure")
        if desk.as_json or not sys.stdin.isatty():
            return 0
        agreed = _agree(planned.plan.hash)
    done: Erasure = desk.memory.erase(**asked, plan_hash=agreed, idempotency_key=words["idempotency_key"])
    desk.show(done, "erasure")
    return 0


def _asked(desk: Desk, record_id: str | None, words: dict[str, Any]) -> dict[str, Any]:
    value = words["value"]
    return {
        "record_id": None if record_id is None else full_id(desk.memory, record_id),
        "target": words["target"],
        "value": None if not value else tuple(None if part == "-" else part for part in value),
        "reason_code": words["reason_code"],
        "reason": None if words["reason"] is None else prose(words["reason"], "reason"),
    }


def _agree(plan_hash: str) -> str:
    """Ask for the hash that is shown, as the sign that the plan was read."""
    typed = click.prompt(f"Type {plan_hash[:SHORT_HASH]} to carry this out", default="", show_default=False)
    if typed.strip() != plan_hash[:SHORT_HASH]:
        raise click.Abort
    return plan_hash


@click.command()
@click.argument("words", nargs=-1, required=True)
@pass_desk
def sweep(desk: Desk, words: tuple[str, ...]) -> int:
    """Look for WORDS in every byte of every file of the store; the exit code says whether any were found."""
    report: SweepReport = desk.memory.erasure.sweep(*(prose(text, "words") for text in words))
    desk.answer(report, sweep_sentences)
    return 0 if report.clean else FOUND_EXIT_CODE


@click.command()
@click.argument("record_id", metavar="ID")
@click.option("--release", is_flag=True, help="Release every hold on it.")
@click.option("--reason", required=True, help="Why; it is kept. - reads standard input.")
@pass_desk
def hold(desk: Desk, record_id: str, release: bool, reason: str) -> int:
    """Keep the record ID from being erased until a person releases it."""
    memory = desk.memory
    change = memory.release_hold if release else memory.hold
    return desk.receipt(change(full_id(memory, record_id), prose(reason, "reason")))


@click.command()
@click.argument("what", type=click.Choice(["show", "run"]))
@pass_desk
def retention(desk: Desk, what: str) -> int:
    """Show what is older than the policy in force keeps it, or run: erase it."""
    erasure = desk.memory.erasure
    desk.show(erasure.due() if what == "show" else erasure.retain(), "retention")
    return 0


def sweep_sentences(report: SweepReport) -> list[str]:
    """What a sweep found, as lines for a person."""
    lines = [f"Looked at {', '.join(map(visible, report.files))}."]
    lines += [f"  {visible(hit.where)}: {hit.times} × {hit.form.replace('_', ' ')}" for hit in report.hits]
    lines.append("Found nothing." if report.clean else "Found.")
    seen = ", ".join(place.replace("_", " ") for place in report.control)
    lines.append(f"The control saw its canary in every place: {seen}.")
    return [*lines, *(f"Not proven: {note}." for note in report.declared)]


COMMANDS: Final[dict[str, click.Command]] = {command.name or "": command for command in (erase, sweep, hold, retention)}
