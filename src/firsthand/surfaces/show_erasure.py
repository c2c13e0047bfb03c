"""Erasures drawn for people: the plan, the certificate, and what retention makes due."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from firsthand.surfaces.sheets import columns as table
from firsthand.surfaces.sheets import row
from firsthand.vocabulary.erasure import Certificate, Erasure, ErasurePlan, RetentionReport
from firsthand.vocabulary.instants import to_iso
from firsthand.vocabulary.rendering import day, short_id


def draw_erasure(out: Console, done: Erasure) -> None:
    """The plan and, once it was carried out, its certificate."""
    _plan(out, done.plan)
    if done.certificate is not None:
        draw_certificate(out, done.certificate)
    elif not done.executed:
        out.print(Text(f"Nothing is erased yet. Plan {done.plan.hash}", style="yellow"))
    else:
        out.print(
            Text(
                "Erased. Others keep the files from being cleaned just now; clean and certify them with "
                f"firsthand certificate {done.entry_id}",
                style="yellow",
            )
        )


def _plan(out: Console, plan: ErasurePlan) -> None:
    cells = table("record", "kind", "scope", "why", "bodies", "all of it")
    for record in plan.records:
        why, whole = record.ground.replace("_", " "), "yes" if record.whole else "no"
        row(cells, short_id(record.record_id), record.kind, record.scope or "", why, str(record.bodies), whole)
    out.print(cells)
    _ids(out, "Falls to pending", plan.pending)
    _ids(out, "Stands on something else", plan.stands)
    _ids(out, "Under legal hold, so nothing will be erased", plan.held)
    kept = f"{plan.fingerprints} sentences and {plan.tombstones} values are kept out from now on, as keyed digests."
    out.print(kept)


def _ids(out: Console, label: str, record_ids: Sequence[str]) -> None:
    if record_ids:
        out.print(f"{label}: {', '.join(map(short_id, record_ids))}")


def draw_certificate(out: Console, shown: Certificate) -> None:
    """What was destroyed, and what is proven of it."""
    clean = "Clean" if shown.clean else "NOT CLEAN"
    out.print(
        f"{clean}: {shown.bodies} bodies of {shown.records} records destroyed at {to_iso(shown.at)} "
        f"({shown.reason_code}); looked for {shown.looked_for} of {shown.of}."
    )
    cells = table("place", "proof", "note")
    for place in shown.places:
        row(cells, place.place, place.proof.replace("_", " "), place.note)
    out.print(cells)
    out.print(Text(f"certificate {shown.id} · seal {shown.seal} · plan {shown.plan_hash}", style="dim"))


def draw_retention(out: Console, report: RetentionReport) -> None:
    """The rules, and what is or was due."""
    if not report.rules:
        out.print("The policy in force keeps everything for ever.")
        return
    cells = table("rule", "days", "kind", "sensitivity", "tag", "origin")
    for number, rule in enumerate(report.rules):
        classes = (rule.kind, rule.sensitivity, rule.tag, rule.origin)
        row(cells, str(number), str(rule.days), *(each or "any" for each in classes))
    out.print(cells)
    cells = table("record", "kind", "since", "due", "rule", "what became of it")
    erased = set(report.erased)
    for due in report.due:
        became = "erased" if due.record_id in erased else "held" if due.held else "due"
        row(cells, short_id(due.record_id), due.kind, day(due.since), day(due.due), str(due.rule), became)
    out.print(cells)
    if report.erased:
        out.print(f"{len(report.erased)} records erased; certificates {', '.join(report.certificates)}")
