"""What the command line says in words: receipts, errors, warnings. No table, so nothing here needs rich."""

from __future__ import annotations

from typing import Final

from firsthand.vocabulary.errors import FirsthandError
from firsthand.vocabulary.instants import to_iso
from firsthand.vocabulary.moves import LedgerHead, RebuildReport
from firsthand.vocabulary.packets import BatchReport, ImportReport, Receipt
from firsthand.vocabulary.rendering import visible

NEXT: Final = {
    "retry_same": "Try the same command again.",
    "fix_and_resubmit": "Fix this and run it again.",
    "refresh_and_retry": "Read the record again, then retry.",
    "ask_person": "Ask a person who may decide this.",
    "contact_operator": "Run `firsthand doctor`.",
    "none": "",
}
OUTCOMES: Final = {
    "stored": "Stored",
    "reinforced": "Known already; this saying was added to it",
    "proposed": "Proposed; it waits for its owner",
    "refused": "Refused",
}
PROBLEMS_SHOWN: Final = 20


def installed_version() -> str:
    """The version of this package, as its installer wrote it down."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("firsthand")
    except PackageNotFoundError:
        return "(not installed)"


def error_sentence(error: FirsthandError) -> str:
    """An error as one line: what is wrong, its code, what to do."""
    first = error.message.split(" ", 1)[0]
    message = error.message[:1].upper() + error.message[1:] if first.isalpha() else error.message
    details = "; ".join(f"{name}: {_detail(value)}" for name, value in error.details.items())
    parts = [f"{message} [{error.code}].", f"({details})" if details else "", NEXT[error.next_action]]
    return visible(" ".join(part for part in parts if part))


def receipt_sentences(receipt: Receipt) -> list[str]:
    """A receipt as lines for a person."""
    head = OUTCOMES[receipt.outcome]
    if receipt.code:
        head += f" ({receipt.code})"
    lines = [f"{head}: {receipt.record_id}" if receipt.record_id else f"{head}."]
    if receipt.standing:
        standing = receipt.standing
        shown = "" if standing.visibility == "visible" else f", {standing.visibility.replace('_', ' ')}"
        lines.append(f"  {standing.tier.replace('_', ' ')}, {standing.status.replace('_', ' ')}{shown}")
    lines.append(f"  known at {to_iso(receipt.known_at)}" + (", replayed" if receipt.replayed else ""))
    if receipt.evidence_id:
        lines.append(f"  rests on {receipt.evidence_id}")
    for conflict in receipt.conflicts:
        verbs = f"; settle with {', '.join(conflict.settle_with)}" if conflict.settle_with else ""
        lines.append(f"  {conflict.code.replace('_', ' ')} {conflict.record_id}: {visible(conflict.text or '')}{verbs}")
    lines += [f"  masked a {masking.type} in {masking.field}" for masking in receipt.maskings]
    lines += [f"  {visible(note)}" for note in receipt.notes]
    if receipt.next_action and NEXT[receipt.next_action]:
        lines.append(f"  {NEXT[receipt.next_action]}")
    return lines


def batch_sentence(report: BatchReport) -> str:
    """A bulk write in one line."""
    return (
        f"{report.total} read: {report.stored} stored, {report.reinforced} known, {report.proposed} proposed, "
        f"{report.refused} refused."
    )


def import_sentences(report: ImportReport) -> list[str]:
    """An import as lines for a person."""
    lines = [
        f"{visible(report.source)}: {report.read} read, {report.added} added, {report.known} known already, "
        f"{report.refused} refused, {len(report.problems)} bad, in {report.seconds:.1f} s."
    ]
    shown = report.problems[:PROBLEMS_SHOWN]
    lines += [f"  line {problem.line}: {visible(problem.message)} [{problem.code}]" for problem in shown]
    if len(report.problems) > len(shown):
        lines.append(f"  and {len(report.problems) - len(shown)} more")
    return lines


def ledger_sentence(head: LedgerHead) -> str:
    """A verified ledger in one line."""
    how = "every hash and every projection" if head.deep else "every hash"
    return (
        f"Whole: {head.entries} entries of space {head.space}, {how}, in {head.seconds:.2f} s. Head {head.chain[:16]}."
    )


def rebuild_sentence(report: RebuildReport) -> str:
    """A rebuild in one line."""
    same = "the same as before" if report.same else "DIFFERENT from before"
    return f"Rebuilt from {report.entries} entries in {report.seconds:.2f} s; the projections are {same}."


def _detail(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
