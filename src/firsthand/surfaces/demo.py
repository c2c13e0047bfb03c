"""`firsthand demo`: a store is born, learns from a conversation, is asked, corrected and checked, in a few seconds.

Every step holds its own expectation; one that does not hold ends the demo with an exit code that says so.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from rich import box
from rich.console import Console
from rich.panel import Panel
from rich.text import Text

import firsthand
from firsthand.importers.chat import import_chat
from firsthand.memory import Memory
from firsthand.surfaces.demo_story import (
    BACKUPS,
    BACKUPS_CORRECTED,
    BELLAVISTA,
    CORRECTION,
    CORRECTION_REASON,
    FACTS,
    HEARD,
    QUESTIONS,
    RETRACTION_REASON,
    TODAY,
    Fact,
    Question,
)
from firsthand.surfaces.demo_view import progress_bar, show, show_notes
from firsthand.vocabulary.errors import FirsthandError
from firsthand.vocabulary.instants import to_micros
from firsthand.vocabulary.kinds import Kind
from firsthand.vocabulary.limits import LIST_PAGE_ROWS
from firsthand.vocabulary.packets import ImportReport, Item, Packet, Receipt

NOT_HELD: Final = 1
SCOPE: Final = "project:crumb"
SHOWN: Final = 2


class NotHeldError(Exception):
    """Something the demo promised did not happen."""


def run(console: Console | None = None, *, directory: Path | None = None) -> int:
    """Tell the whole story in a fresh store; 0 if everything held."""
    console = console or Console()
    try:
        with _folder(directory) as folder, _opened(Path(folder) / "demo.db") as memory:
            _Demo(memory, console).tell()
    except NotHeldError as broken:
        console.print(Text(f"  ✗ did not hold: {broken}", style="bold red"))
        return NOT_HELD
    except FirsthandError as error:
        console.print(Text(f"  ✗ {error.code}: {error.message}", style="bold red"))
        return error.exit_code
    return 0


def conversation() -> Traversable:
    """The conversation that ships with the package."""
    return resources.files("firsthand") / "data" / "demo_conversation.jsonl"


def _folder(directory: Path | None) -> AbstractContextManager[Path | str]:
    if directory is None:
        return tempfile.TemporaryDirectory(prefix="firsthand-demo-")
    directory.mkdir(parents=True, exist_ok=True)
    if (directory / "demo.db").exists():
        raise NotHeldError("the folder is fresh (it already holds a demo.db; give another one)")
    return nullcontext(directory)


def _opened(path: Path) -> Memory:
    return firsthand.open(
        str(path), scope=SCOPE, actor="crumb-agent", owner="crumb", role="agent", harness="demo", clock=_StoryClock()
    )


class _StoryClock:
    """The morning after the conversation, and from there as time really passes: one story on any day."""

    def __init__(self) -> None:
        self.began_ns = time.monotonic_ns()

    def now(self) -> int:
        """Microseconds UTC."""
        return to_micros(TODAY, "today") + (time.monotonic_ns() - self.began_ns) // 1_000


class _Demo:
    """One telling: the store, the console, and what was measured on the way."""

    def __init__(self, memory: Memory, console: Console) -> None:
        self.memory = memory
        self.console = console
        self.episodes: dict[str, str] = {}
        self.receipts: dict[str, Receipt] = {}
        self.recalls_ms: list[float] = []
        self.held = 0

    def tell(self) -> None:
        """The chapters, in order; each expects something of its own."""
        self.listen()
        self.remember()
        self.ask_all()
        self.correct()
        self.look_back()
        self.explain()
        self.retract()
        self.verify()

    def listen(self) -> None:
        """Import the conversation twice; the second time adds nothing."""
        self.chapter("A conversation arrives", "two people and their agent, January to June 2026")
        turns = [json.loads(line) for line in conversation().read_text("utf-8").splitlines()]
        for turn in turns[:3]:
            self.console.print(Text.assemble("  ", (f"{turn['speaker']}: ", "bold cyan"), turn["text"]))
        self.console.print(f"  [dim]… and {len(turns) - 3} turns more[/]")
        with progress_bar(self.console) as bar:
            task = bar.add_task("importing", total=len(turns))
            first = self.bring_in(lambda read: bar.update(task, completed=read))
        self.expect(first.added == len(turns) and not first.problems, f"{first.added} turns are stored, word for word")
        again = self.bring_in(None)
        self.expect(again.added == 0 and again.known == len(turns), "importing the same file again adds nothing")
        page = self.memory.list(kinds=["episodic"], limit=LIST_PAGE_ROWS)
        self.episodes = {item.source_id: item.record_id for item in page.items if item.source_id}
        self.expect(len(self.episodes) == len(turns), "every turn is found under the id it came with")
        self.ask(HEARD, kinds=["episodic"])

    def bring_in(self, progress: Callable[[int], None] | None) -> ImportReport:
        """The shipped file, as a stream, so that it may live inside a zipped package."""
        with conversation().open("rb") as stream:
            return import_chat(self.memory, stream, name="demo_conversation.jsonl", progress=progress, batch=10)

    def remember(self) -> None:
        """The agent writes facts down, each resting on somebody's exact words."""
        self.chapter("The agent takes notes", "each fact cites the exact words it rests on")
        for fact in FACTS:
            self.receipts[fact.name] = self.memory.remember(fact.statement, **self.claim(fact))
        show_notes(self.console, [(fact, self.receipts[fact.name]) for fact in FACTS])
        kept = sum(receipt.outcome in ("stored", "reinforced") for receipt in self.receipts.values())
        self.expect(kept == len(FACTS), f"{kept} facts are kept, every quote found in the turn it names")

    def claim(self, fact: Fact) -> dict[str, Any]:
        """The structured half of a fact, as arguments of `remember`."""
        return {
            "subject": fact.subject,
            "predicate": fact.predicate,
            "object": fact.object,
            "unit": fact.unit,
            "conditions": fact.conditions,
            "valid_from": fact.valid_from,
            "volatility": fact.volatility,
            "evidence": [firsthand.cite(self.episodes[fact.turn], quote=fact.quote)],
        }

    def ask_all(self) -> None:
        """Six questions, each with the answer that must come first."""
        self.chapter("Six questions", "what is true now, with whose words, and what is only history")
        for question in QUESTIONS:
            self.ask(question)

    def ask(self, question: Question, **arguments: Any) -> Packet:
        """Recall, show the packet, and hold it against the question's expectation."""
        packet = self.recall(question.ask, valid_at=question.valid_at, conditions=question.conditions, **arguments)
        show(self.console, question, packet)
        first = packet.items[0] if packet.items else None
        self.expect(first is not None and first.text == question.first, f"the answer is: {question.first}")
        self.expect(first is not None and question.by in _speakers(first), f"it rests on {question.by}'s own words")
        if question.only_ended:
            older = [item.qualifier.code for item in packet.items if item.text == question.only_ended]
            self.expect(older == ["ended"], "what it was before is shown only with its end")
        return packet

    def recall(self, query: str, *, kinds: Sequence[Kind] = ("semantic",), **arguments: Any) -> Packet:
        """One measured recall; of what was noted, unless told otherwise."""
        started = time.perf_counter()
        packet = self.memory.recall(query, kinds=kinds, limit=SHOWN, **arguments)
        self.recalls_ms.append((time.perf_counter() - started) * 1_000)
        return packet

    def correct(self) -> None:
        """A number was misheard: the new value replaces the old one for all of its time."""
        self.chapter("A mistake is corrected", "a voice note misheard a number")
        self.ask(BACKUPS)
        receipt = self.memory.correct(
            self.receipts["backups"].record_id,
            CORRECTION.statement,
            object=CORRECTION.object,
            unit=CORRECTION.unit,
            evidence=[firsthand.cite(self.episodes[CORRECTION.turn], quote=CORRECTION.quote)],
            reason=CORRECTION_REASON,
        )
        self.say(f"correct(…, reason={CORRECTION_REASON!r})")
        self.expect(receipt.outcome == "stored", "the correction is stored")
        packet = self.ask(BACKUPS_CORRECTED)
        told = [item.text for item in packet.items]
        self.expect(BACKUPS.first not in told, "the old number is gone from the answer")

    def look_back(self) -> None:
        """The same question, as this store would have answered it before the correction."""
        self.chapter("What did we believe before?", "known_at: the instant on the receipt of the first write")
        self.ask(BACKUPS, known_at=self.receipts["backups"].known_at)

    def explain(self) -> None:
        """Which search found the answer, at which rank."""
        self.chapter("Why that answer?", "explain")
        record_id = self.receipts["porto"].record_id or ""
        found = self.memory.explain("Where does Felix live?", record_id, kinds=["semantic"], limit=SHOWN)
        by = ", ".join(f"{why.arm} search at rank {why.rank}" for why in found.why)
        self.say(f"“Felix lives in Porto” is at rank {found.rank}, found by {by or 'nothing'}")
        self.expect(found.returned and bool(found.why), "the answer can name what found it")

    def retract(self) -> None:
        """Something is taken back with nothing in its place; its history stays."""
        self.chapter("Something is taken back", RETRACTION_REASON)
        record_id = self.receipts["bellavista"].record_id or ""
        before = self.recall(BELLAVISTA)
        self.expect(any(item.record_id == record_id for item in before.items), "before: Bellavista has a yearly plan")
        receipt = self.memory.retract(record_id, reason=RETRACTION_REASON)
        self.expect(receipt.outcome == "stored", "the retraction is stored")
        after = self.recall(BELLAVISTA)
        self.expect(all(item.record_id != record_id for item in after.items), "after: nobody is told so any more")
        history = self.memory.history(record_id)
        reasons = [entry.reason for entry in history.entries]
        self.expect(RETRACTION_REASON in reasons, "its history still says who took it back, and why")

    def verify(self) -> None:
        """Recompute every digest, replay every entry, and compare with what is stored."""
        self.chapter("Is the ledger whole?", "every digest recomputed, every entry replayed")
        head = self.memory.ledger.verify(deep=True)
        stats = self.memory.stats()
        whole = head.entries > 0 and head.entries == stats.entries
        self.expect(whole, f"{head.entries} entries verified in {head.seconds:.2f} s")
        self.console.print(
            Panel(
                f"{len(self.episodes)} turns · {len(FACTS)} facts · {head.entries} ledger entries · "
                f"{stats.bytes_on_disk / 1024:,.0f} KiB on disk · "
                f"{statistics.median(self.recalls_ms):.1f} ms per recall (median of {len(self.recalls_ms)}) · "
                f"{self.held} expectations held",
                title="in figures",
                box=box.ROUNDED,
                style="green",
            )
        )

    def chapter(self, title: str, words: str) -> None:
        """A heading."""
        self.console.print()
        self.console.print(Text.assemble((title, "bold"), ("  " + words, "dim")))

    def say(self, words: str) -> None:
        """A line of narration."""
        self.console.print(Text("  " + words))

    def expect(self, condition: bool, words: str) -> None:
        """Hold the demo to its word."""
        if not condition:
            raise NotHeldError(words)
        self.held += 1
        self.console.print(Text.assemble(("  ✓ ", "bold green"), (words, "dim")))


def _speakers(item: Item) -> set[str | None]:
    """Who said it: whoever its citations quote, or whoever spoke the episode that it is."""
    return {citation.speaker for citation in item.citations} | {item.speaker}
