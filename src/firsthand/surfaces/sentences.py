"""What the command line says in words: receipts, errors, warnings. No table, so nothing here needs rich."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from firsthand.vocabulary.embedding import EmbedReport
from firsthand.vocabulary.erasure import SweepReport
from firsthand.vocabulary.errors import FirsthandError
from firsthand.vocabulary.instants import to_iso
from firsthand.vocabulary.jobs import JobsReport
from firsthand.vocabulary.moves import (
    BackupReport,
    DeviceView,
    ExportReport,
    LedgerHead,
    PeerView,
    RebuildReport,
    RestoreReport,
    SealView,
    TransferReport,
)
from firsthand.vocabulary.packets import BatchReport, ImportReport, Receipt
from firsthand.vocabulary.rendering import visible
from firsthand.vocabulary.results import Effect

NEXT: Final = {
    "retry_same": "Try the same command again.",
    "fix_and_resubmit": "Fix this and run it again.",
    "refresh_and_retry": "Read the record again, then retry.",
    "ask_person": "Ask a person who may decide this.",
    "contact_operator": "Run `firsthand doctor`.",
    "reindex": "Or make the vectors anew with `firsthand reindex`.",
    "none": "",
}
AS_PERSON: Final = "If you are that person, say --role person."
NEEDS_PERSON: Final = frozenset(
    ("deciding_needs_person", "hold_needs_person", "lifting_needs_person", "lowering_needs_person", "erase_not_granted")
)
"""Errors in which nothing but the role is missing."""
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


def person_hint(error: FirsthandError) -> str:
    """What a command line tells whom only the role keeps from it."""
    return f" {AS_PERSON}" if error.code in NEEDS_PERSON else ""


def receipt_sentences(receipt: Receipt) -> list[str]:
    """A receipt as lines for a person."""
    head = OUTCOMES[receipt.outcome]
    if receipt.code:
        head += f" ({receipt.code})"
    lines = [f"{head}: {receipt.record_id}" if receipt.record_id else f"{head}."]
    if receipt.standing:
        standing = receipt.standing
        shown = "" if standing.visibility == "visible" else f", {standing.visibility.replace('_', ' ')}"
        unshown = "" if standing.shown else "; answers leave it out"
        lines.append(f"  {standing.tier.replace('_', ' ')}, {standing.status.replace('_', ' ')}{shown}{unshown}")
    lines.append(f"  known at {to_iso(receipt.known_at)}" + (", replayed" if receipt.replayed else ""))
    if receipt.evidence_id:
        lines.append(f"  rests on {receipt.evidence_id}")
    for conflict in receipt.conflicts:
        verbs = f"; settle with {', '.join(conflict.settle_with)}" if conflict.settle_with else ""
        lines.append(f"  {conflict.code.replace('_', ' ')} {conflict.record_id}: {visible(conflict.text or '')}{verbs}")
    lines += [f"  {effect_words(effect)}" for effect in receipt.affected]
    lines += [f"  masked a {masking.type} in {masking.field}" for masking in receipt.maskings]
    lines += [f"  {visible(note)}" for note in receipt.notes]
    if receipt.next_action and NEXT[receipt.next_action]:
        hint = f" {AS_PERSON}" if receipt.outcome == "proposed" else ""  # a person's own writes never wait
        lines.append(f"  {NEXT[receipt.next_action]}{hint}")
    if receipt.cause_entry:
        lines.append(f"  {lifting(receipt.cause_entry)}")
    return lines


def lifting(stone: str) -> str:
    """How what forbids something is lifted."""
    return f"If it may be said again, a person lifts it: firsthand lift {stone} --reason WHY"


def entry_sentences(receipt: Receipt) -> list[str]:
    """The entry a write left, for who may want to undo or lift it."""
    return [] if receipt.entry_id is None else [f"  entry {receipt.entry_id}"]


EXPLANATIONS: Final = {
    "returned": "It is in the answer.",
    "no_match": "No search arm found it for these words.",
    "cut_by_rank": "It matched, but others ranked higher; ask with a larger --limit.",
    "cut_by_budget": "It matched, but did not fit; ask with a larger --max-bytes or --max-tokens.",
    "grouped": "It says the same as another item, and stands there as its source.",
    "retracted": "It was taken back, and nobody says it any more: see its history.",
    "superseded": "Something else took its place: see its history.",
    "rejected": "What it says was rejected in a scope that is read with its own.",
    "gated": "It is not believed now, or not for this question: see its history.",
}
EFFECTS: Final = {
    "fell": "fell",
    "stood": "still stands",
    "returned": "is back",
    "ended": "ends",
    "disputed": "is disputed now",
    "hidden": "is hidden too",
    "shown": "is shown again",
    "changed": "changed",
}


def effect_words(effect: Effect) -> str:
    """What happened to another record, in one line."""
    rests = f"{effect.supports} support{'' if effect.supports == 1 else 's'} left"
    lost = f", {effect.lost} lost" if effect.lost else ""
    said = f": {visible(effect.text)}" if effect.text else ""
    standing = effect.status.replace("_", " ")
    return f"{effect.record_id[:9]} {EFFECTS[effect.what]} ({standing}; {rests}{lost}){said}"


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
        f"{report.refused} refused, {report.bad} bad, into {', '.join(report.scopes)}, in {report.seconds:.1f} s."
    ]
    shown = report.problems[:PROBLEMS_SHOWN]
    lines += [f"  {visible(problem.place)}: {visible(problem.message)} [{problem.code}]" for problem in shown]
    if report.bad > len(shown):
        lines.append(f"  and {report.bad - len(shown)} more")
    if missing := report.bad + report.refused:
        lines.append(f"NOT TAKEN: {missing} of {report.read} lines. Mend them and import again: only they are added.")
    return lines


def jobs_sentences(report: JobsReport) -> list[str]:
    """A run of the background jobs as lines for a person."""
    lines = [
        f"{report.documents} documents read: {report.stored} candidates stored, {report.reinforced} supported again, "
        f"{report.proposed} merges proposed, {report.known} known already, {report.refused} refused, "
        f"in {report.seconds:.1f} s."
    ]
    if report.failed or report.lost:
        lines.append(f"  {report.failed} stretches failed and wait to be tried again; {report.lost} went to others")
    if report.waiting or report.dead:
        lines.append(f"  left: {report.waiting} waiting, {report.dead} given up; see firsthand jobs status")
    return lines


def embedded_sentences(report: EmbedReport) -> list[str]:
    """A run over what waits for a vector as lines for a person."""
    lines = [f"{report.looked_at} documents looked at, {report.embedded} have a vector now; {report.waiting} wait."]
    if report.kept_back or report.given_up:
        lines.append(
            f"  {report.kept_back} may not be sent to the endpoint as they stand; it would not have {report.given_up}"
        )
    if report.code is not None:
        lines.append(f"  ENDED EARLY: {report.code}; what waits still waits")
    return lines


def ledger_sentence(head: LedgerHead) -> str:
    """A verified ledger in one line."""
    how = "every hash and every projection" if head.deep else "every hash"
    sealed = f" {head.seals} seals hold, up to position {head.sealed_to}." if head.seals else ""
    kept = f" The ledger still holds what was sealed at position {head.against}." if head.against else ""
    return (
        f"Whole: {head.entries} entries of space {head.space}, {how}, in {head.seconds:.2f} s. "
        f"Head {head.chain[:16]}.{sealed}{kept}"
    )


def rebuild_sentence(report: RebuildReport) -> str:
    """A rebuild in one line."""
    same = "the same as before" if report.same else "DIFFERENT from before"
    return f"Rebuilt from {report.entries} entries in {report.seconds:.2f} s; the projections are {same}."


def seal_sentences(made: SealView) -> list[str]:
    """A seal, with the line to keep last."""
    return [f"Sealed up to position {made.position}. Keep this line somewhere else:", made.line]


def export_sentences(report: ExportReport) -> list[str]:
    """An export as lines for a person."""
    erased = f", {report.erased} of them erased" if report.erased else ""
    lines = [
        f"{report.entries} entries of space {visible(report.space)}{erased}, in {report.files} files "
        f"({report.bytes:,} bytes), in {report.seconds:.1f} s: {visible(report.path)}"
    ]
    lines += [f"  left out: {left.count} {left.reason.replace('_', ' ')}" for left in report.left_out]
    return [*lines, f"  signed by {report.device}"]


def transfer_sentences(report: TransferReport) -> list[str]:
    """What taking in an export did."""
    lines = [
        f"{visible(report.source)}: {report.read} read = {report.added} added + {report.known} known already + "
        f"{report.local} of the other store alone + {report.quarantined_entries} quarantined, "
        f"in {report.seconds:.1f} s."
    ]
    if report.blank:
        lines.append(f"  of those added {report.blank} without their words, which were erased")
    if report.erased_here:
        lines.append(f"  {report.erased_here} erased here, as the other store erased them")
    shown = report.quarantined[:PROBLEMS_SHOWN]
    return lines + [f"  position {q.position}: {q.code}" for q in shown]


def peer_sentence(peer: PeerView) -> str:
    """A registered store in one line."""
    name = f" {visible(peer.name)}" if peer.name else ""
    return f"{peer.device}{name}: believed as {peer.trust}"


def peers_sentences(peers: tuple[PeerView, ...]) -> list[str]:
    """Every registered store, one a line."""
    return [peer_sentence(peer) for peer in peers] or ["No other store is registered."]


def device_sentence(device: DeviceView) -> str:
    """This store's public key."""
    return device.key


def sweep_sentences(report: SweepReport) -> list[str]:
    """What a sweep found, as lines for a person."""
    lines = [f"Looked at {', '.join(map(visible, report.files))}."]
    lines += [f"  {visible(hit.where)}: {hit.times} × {hit.form.replace('_', ' ')}" for hit in report.hits]
    lines.append("Found nothing." if report.clean else "Found.")
    seen = ", ".join(place.replace("_", " ") for place in report.control)
    lines.append(f"The control saw its canary in every place: {seen}.")
    return [*lines, *(f"Not proven: {note}." for note in report.declared)]


def backup_sentences(report: BackupReport) -> list[str]:
    """A backup as lines for a person."""
    spaces = ", ".join(f"{visible(space)} ({entries})" for space, entries in sorted(report.spaces.items()))
    return [f"{report.bytes:,} bytes in {report.seconds:.1f} s: {visible(report.path)}", f"  spaces: {spaces}"]


def restore_sentences(report: RestoreReport) -> list[str]:
    """A restore as lines for a person."""
    lines = [f"Restored and verified in {report.seconds:.1f} s: {visible(report.path)}"]
    if report.later_erasures == "unknown":
        lines.append("  later erasures unknown: what was erased after the backup may be back")
    else:
        lines.append(f"  {report.erasures} later erasures and {report.tombstones} tombstones {report.later_erasures}")
    return lines + [f"  missing: {name}" for name in report.kept_missing]


def _detail(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def cleaned_sentences(entry_ids: tuple[str, ...]) -> list[str]:
    """Which erasures were cleaned up after."""
    told = [f"Cleaned after {each}; see firsthand certificate {each}" for each in entry_ids]
    return told or ["No erasure owes anything."]


def _revision(receipt: Receipt) -> list[str]:
    return [*receipt_sentences(receipt), *entry_sentences(receipt)]


def _receipts(receipts: tuple[Receipt, ...]) -> list[str]:
    return [line for receipt in receipts for line in receipt_sentences(receipt)]


WORDS: Final[dict[str, Callable[[Any], Iterable[str] | str]]] = {
    "receipt": receipt_sentences,
    "revision": _revision,
    "receipts": _receipts,
    "jobs_report": jobs_sentences,
    "embedded": embedded_sentences,
    "cleaned": cleaned_sentences,
    "sweep": sweep_sentences,
    "head": ledger_sentence,
    "rebuild": rebuild_sentence,
    "seal": seal_sentences,
    "export": export_sentences,
    "transfer": transfer_sentences,
    "backup": backup_sentences,
    "peers": peers_sentences,
    "peer": peer_sentence,
    "device": device_sentence,
}
"""What is told in sentences, by the name an operation gives for it; the rest is drawn."""
