"""Results drawn for people, with rich. Loaded only when something is drawn."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from firsthand.surfaces import timeline
from firsthand.surfaces.sentences import EXPLANATIONS, lifting
from firsthand.surfaces.sheets import STATUS_STYLES, console, shortened
from firsthand.surfaces.sheets import columns as _table
from firsthand.surfaces.sheets import grid as _grid
from firsthand.surfaces.sheets import row as _row
from firsthand.surfaces.show_erasure import draw_certificate, draw_erasure, draw_retention
from firsthand.surfaces.show_past import draw_timeline, measurements, past, selftest
from firsthand.vocabulary.erasure import Certificate, Erasure, RetentionReport
from firsthand.vocabulary.instants import BEGINNING, FOREVER, to_iso
from firsthand.vocabulary.jobs import JobsStatus
from firsthand.vocabulary.packets import (
    Citation,
    ConflictGroup,
    EntryView,
    Explanation,
    History,
    Item,
    Packet,
    RecordPage,
    RecordView,
    Stats,
)
from firsthand.vocabulary.refusals import RefusalPage
from firsthand.vocabulary.rendering import (
    day,
    foreign_citations,
    is_quote,
    likelihood_remarks,
    selection_remarks,
    short_id,
    visible,
    worked,
)
from firsthand.vocabulary.results import Impact
from firsthand.vocabulary.reviews import ReviewItem, ReviewPage, ReviewView

TEXT_LINES: Final = 4_000
FACTOR: Final = "factor"
SELECTION: Final = "selection"
BAR_CELLS: Final = 20
COUNTED: Final = {
    "own": "its own words",
    "near": "the turns next to it",
    "far": "the turns two away",
    "answers": "it follows a question like this",
    "session": "the best of its conversation",
    "speaker": "said by whom you ask about",
    "date": "said at the time you ask about",
    "told": "tells of the time you ask about",
    "when": "holds a time, and you ask when",
    "question": "is itself a question",
    "similarity": "its meaning",
    "theme": "the meaning nearest to yours in its conversation",
    "entity": "names what you ask about",
    "recent": "how new it is",
    "alone": "a belief, with no turns beside it",
    FACTOR: "its kind, whether it holds now, its attention",
    SELECTION: "its worth among skills and plans",
}
"""What each part of a score is, for people; the names are those of `recall.score` and `recall.fuse`."""
EMPTY: Final = {
    "nothing_matched": "Nothing matched. That proves nothing about what is true.",
    "scope_empty": "Nothing is stored in this scope.",
    "arm_down": "Part of the search was not available, and the rest found nothing.",
    "nothing_fits": "What matched does not fit the limits asked for.",
}


def packet(packet: Packet) -> None:
    """The answer to a recall."""
    out = console()
    for group in packet.conflicts:
        _conflict(out, group)
    for item in packet.items:
        _item(out, item)
    if not packet.items and not packet.conflicts:
        out.print(EMPTY.get(packet.why_empty or "", "Nothing was found."))
    out.print(Text(_packet_foot(packet), style="dim"))
    for remark in (*selection_remarks(packet.selection), *likelihood_remarks(packet.likelihood)):
        out.print(Text(remark, style="yellow"))
    if packet.degraded:
        out.print(Text("Degraded: " + ", ".join(packet.degraded), style="yellow"))


def record(view: RecordView) -> None:
    """One record in full."""
    out = console()
    _item(out, view.item, whole_id=True)
    facts = _grid()
    facts.add_row("scope", view.item.scope)
    facts.add_row("visibility", view.visibility.replace("_", " "))
    facts.add_row("sensitivity", view.item.sensitivity)
    facts.add_row("believed since", _moment(view.item.believed_since))
    facts.add_row("valid", f"{_moment(view.item.valid_from)} to {_moment(view.item.valid_to)}")
    for head in view.heads:
        facts.add_row("head", head)
    for relation in view.relations:
        facts.add_row(
            visible(relation.relation), f"{'to' if relation.direction == 'out' else 'from'} {relation.record_id}"
        )
    out.print(Padding(facts, (0, 0, 0, 2)))
    if view.supports:
        table = _table("support", "source", "basis", "spoken", "counts", "words")
        for support in view.supports:
            words = "" if support.citation is None else support.citation.quote
            live = "yes" if support.live else "no"
            _row(table, support.support_id, support.source or "", support.basis, day(support.spoken), live, words)
        out.print(table)


def page(page: RecordPage) -> None:
    """A page of records."""
    out = console()
    if not page.items:
        out.print("Nothing is stored here that this handle may read.")
        return
    table = _table("id", "kind", "standing", "since", "what")
    for item in page.items:
        standing = f"{item.tier}, {item.status}".replace("_", " ")
        _row(table, short_id(item.record_id), item.kind, standing, day(item.believed_since), shortened(item.text))
    out.print(table)
    more = "" if page.cursor is None else f"; more: --cursor {page.cursor}"
    out.print(Text(f"{len(page.items)} shown{more}", style="dim"))


def history(history: History) -> None:
    """What happened to a record, and what was believed when."""
    out = console()
    out.print(Text(f"What happened to {history.record_id}", style="bold"))
    entries = _table("#", "received", "who", "what", "words", "reason")
    for entry in history.entries:
        _entry(entries, entry)
    out.print(entries)
    if history.beliefs:
        draw_timeline(out, timeline.timeline(history, time.time_ns() // 1_000))
    if history.cursor:
        out.print(Text(f"more: --cursor {history.cursor}", style="dim"))


def explanation(told: Explanation) -> None:
    """Why a record is or is not in an answer."""
    out = console()
    out.print(EXPLANATIONS[told.reason] + (f" Rank {told.rank}." if told.rank else ""))
    if told.rejected_by is not None:
        out.print(f"  the rejection is {told.rejected_by}; a person lifts it with `firsthand lift`")
    if told.qualifier is not None:
        out.print(Text(f"  {visible(told.qualifier.text)}", style="cyan"))
    for why in told.why:
        out.print(f"  found by {why.arm} at rank {why.rank}")
    if told.contributions:
        out.print(_contributions(told.contributions))


def _contributions(parts: Mapping[str, float]) -> Table:
    """What each part added to the score, the most first; the factor that all of it was multiplied by comes last."""
    added = {name: worth for name, worth in parts.items() if name not in (FACTOR, SELECTION)}
    most = max((abs(worth) for worth in added.values()), default=0.0)
    gained = sum(worth for worth in added.values() if worth > 0)
    table = _table("what counted", "points", "share", "")
    for name, worth in sorted(added.items(), key=lambda part: (-part[1], part[0])):
        share = f"{worth / gained:.0%}" if worth > 0 else ""
        bar = "█" * round(BAR_CELLS * abs(worth) / most) if worth > 0 else ""
        _row(table, COUNTED.get(name, name), f"{worth:+.2f}", share, bar)
    factor = parts.get(FACTOR, 1.0)
    if FACTOR in parts:
        _row(table, COUNTED[FACTOR], f"×{factor:.2f}", "", "")
    _row(table, "score", f"{sum(added.values()) * factor:.2f}", "", "")
    if SELECTION in parts:
        _row(table, COUNTED[SELECTION], f"{parts[SELECTION]:.2f}", "", "")
    return table


def refusals(page: RefusalPage) -> None:
    """Refused writes, and where the next page begins."""
    out = console()
    if not page.refusals:
        out.print("Nothing was refused.")
        return
    table = _table("when", "who", "verb", "why", "scope", "cause")
    for each in page.refusals:
        cause = short_id(each.cause_entry) if each.cause_entry else ""
        _row(table, _moment(each.at), each.actor or "", each.verb, each.code, each.scope or "", cause)
    out.print(table)
    for stone in dict.fromkeys(each.cause_entry for each in page.refusals if each.cause_entry):
        out.print(Text(lifting(stone), style="dim"), soft_wrap=True)
    if page.cursor:
        out.print(f"More: --cursor {page.cursor}")


def impact(told: Impact) -> None:
    """What hangs on a record."""
    out = console()
    if not told.erased and not told.retracted and not told.withdrawn:
        out.print("Nothing that may be read here rests on it.")
        return
    table = _table("if it were", "record", "kind", "what becomes of it", "independent sources left")
    for name in ("withdrawn", "retracted", "erased"):
        for effect in getattr(told, name):
            standing = f"{effect.what}, {effect.status}".replace("_", " ")
            _row(table, name, short_id(effect.record_id), effect.kind, standing, str(effect.independent))
    out.print(table)


def review_page(page: ReviewPage) -> None:
    """What waits for a person, by kind."""
    out = console()
    if not page.items:
        out.print("Nothing waits here." if len(page.counts) > 1 else "Nothing of this kind waits here.")
        return
    for kind, items in itertools.groupby(page.items, key=lambda item: item.kind):
        count = f" ({page.counts[kind]})" if kind in page.counts else ""
        out.print(Text(f"{kind.replace('_', ' ')}{count}", style="bold"))
        table = _table("item", "since", "who", "what", "words", "reason")
        table.columns[0].no_wrap = True  # to be pasted
        for item in items:
            what = item.verb or f"{item.tier}, {item.status}".replace("_", " ")
            words = shortened(_proposed_words(item))
            _row(table, item.item_id, _moment(item.since), item.by or "", what, words, item.reason or "")
        out.print(table)
    more = "" if page.cursor is None else f"; more: --cursor {page.cursor}"
    out.print(Text(f"{len(page.items)} shown{more}", style="dim"))


def _proposed_words(item: ReviewItem) -> str:
    """What an item says; of a proposal what it is about, and what would be said instead."""
    return " → ".join(part for part in (" + ".join(item.about), item.text) if part)


def review_view(view: ReviewView) -> None:
    """One item, and what each decision would change."""
    out = console()
    item = view.item
    said = f"{item.by or 'somebody'} would {item.verb}: " if item.verb else ""
    out.print(Text(f"{said}{visible(item.text or ' + '.join(item.about))}", style="bold"))
    if item.reason:
        out.print(Text(f"  {visible(item.reason)}", style="dim"))
    if view.record is not None:
        record(view.record)
    table = _table("decision", "outcome", "the record", "and others")
    for outlook in view.outlooks:
        outcome = outlook.outcome if outlook.code is None else f"{outlook.outcome} ({outlook.code})"
        stands = outlook.standing
        standing = "" if stands is None else f"{stands.tier}, {stands.status}".replace("_", " ")
        others = ", ".join(f"{short_id(e.record_id)} {e.what}" for e in outlook.affected)
        _row(table, outlook.decision, outcome, standing, others)
    out.print(Text("What each decision would change", style="bold"))
    out.print(table)
    if view.history is not None:
        history(view.history)


def stats(stats: Stats) -> None:
    """What a space holds."""
    table = _grid()
    table.add_row("space", stats.space)
    if stats.entries is not None:
        table.add_row("entries", f"{stats.entries:,}")
    for kind, count in stats.records.items():
        table.add_row(kind.replace("_", " "), f"{count:,}")
    for standing, count in stats.standing.items():
        table.add_row(standing.replace("_", " "), f"{count:,}")
    table.add_row("scopes", f"{stats.scopes:,}")
    table.add_row("on disk", f"{stats.bytes_on_disk / 1024:,.0f} KiB")
    table.add_row("known at", _moment(stats.known_at))
    console().print(table)


def rows(found: Iterable[Any]) -> None:
    """Structs of plain fields as a table, one row each."""
    found = list(found)
    if not found:
        console().print("None.")
        return
    names: tuple[str, ...] = found[0].__struct_fields__
    table = _table(*(name.replace("_", " ") for name in names))
    for one in found:
        _row(table, *(_plain(getattr(one, name)) for name in names))
    console().print(table)


def jobs(status: JobsStatus) -> None:
    """What waits in the queue of background jobs, one row for each job and scope."""
    out = console()
    table = _table("job", "scope", "not queued yet", "waiting", "running", "given up", "last fault")
    for view in status.jobs:
        counts = (view.unseen, view.waiting, view.leased, view.dead)
        _row(table, view.job, view.scope, *map(str, counts), view.code or "")
    out.print(table if status.jobs else "No scope holds anything for a job.")


def _item(out: Console, item: Item, *, whole_id: bool = False) -> None:
    line = Text("● ", style=STATUS_STYLES.get(item.status, "red"))
    line.append(visible(item.text)[:TEXT_LINES], style="bold")
    out.print(line)
    qualifier = visible(item.qualifier.text or item.qualifier.code.replace("_", " "))
    standing = [item.tier.replace("_", " "), qualifier, *(worked(item.performance) if item.performance else ())]
    if item.kind == "episodic":
        standing = [f"said by {visible(item.speaker or 'an unnamed speaker')}"]
        standing += [] if item.occurred_at is None else [day(item.occurred_at)]
        standing += [] if item.qualifier.code == "current" else [qualifier]
    standing.append(item.record_id if whole_id else short_id(item.record_id))
    out.print(Text("  " + " · ".join(standing), style="cyan"))
    for citation in foreign_citations(item):
        out.print(Text("  " + _citation(citation, item.text), style="dim"))


def _conflict(out: Console, group: ConflictGroup) -> None:
    out.print(Text(f"Conflict ({group.code.replace('_', ' ')}): none of these is offered as true", style="yellow bold"))
    for item in group.items:
        _item(out, item)
    if group.more:
        out.print(f"… and {group.more} more that contradict them, which did not fit")
    out.print()


def _citation(citation: Citation, text: str) -> str:
    who = visible(citation.speaker or citation.source or "unnamed speaker")
    when = "" if citation.occurred_at is None else f", {day(citation.occurred_at)}"
    quote = f"“{visible(citation.quote)}” " if is_quote(citation, text) else ""
    return f"{quote}— {who}{when} [{short_id(citation.record_id)}]"


def _packet_foot(packet: Packet) -> str:
    cut = packet.omitted.rows + packet.omitted.bytes + packet.omitted.tokens
    more = f", {cut} more did not fit" if cut else ""
    return f"{packet.returned} of {packet.matching} matching{more} · recall {packet.recall_id}"


def _entry(table: Table, entry: EntryView) -> None:
    who = " ".join(part for part in (entry.actor, f"({entry.role}, {entry.harness})") if part)
    what = entry.kind if entry.verb is None else f"{entry.kind} {entry.verb}"
    words = "erased" if entry.erased else entry.text or ""
    _row(table, str(entry.position), _moment(entry.received_at), who, what, words, entry.reason or "")


def _moment(micros: int | None) -> str:
    return "…" if micros is None or not BEGINNING < micros < FOREVER else to_iso(micros)


def _plain(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return "" if value is None else str(value)


def erasure(done: Erasure) -> None:
    """The plan of an erasure and, once it was carried out, its certificate."""
    draw_erasure(console(), done)


def certificate(shown: Certificate) -> None:
    """What is proven of an erasure."""
    draw_certificate(console(), shown)


def retention(report: RetentionReport) -> None:
    """What the policy in force keeps no longer."""
    draw_retention(console(), report)


DRAWINGS: Final[dict[str, Callable[[Any], None]]] = {
    "packet": packet,
    "record": record,
    "stub": lambda found: rows([found]),
    "page": page,
    "history": history,
    "timeline": past,
    "selftest": selftest,
    "measurements": measurements,
    "explanation": explanation,
    "impact": impact,
    "refusals": refusals,
    "review_page": review_page,
    "review_view": review_view,
    "stats": stats,
    "jobs": jobs,
    "scopes": rows,
    "predicates": rows,
    "erasure": erasure,
    "certificate": certificate,
    "retention": retention,
}
