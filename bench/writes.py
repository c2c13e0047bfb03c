"""What a write costs: one at a time beside the floor in the same window, and in bulk."""

import itertools
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import apsw

import firsthand
from floor import Floor
from report import Bar, Row, Samples, percentile, row_of
from workload import Fact, packed

WARM_UP = 5
BATCH = 500
CORRECTED_EVERY = 50
SPEAKER = "Hanna Weber"
CAPTURE_BAR = Bar(2, "ratio")
REMEMBER_BAR = Bar(3, "ratio")
GROWTH_BARS = {"p50": Bar(1.3, "ratio"), "p95": Bar(2, "ratio")}


@dataclass
class Loaded:
    """The stores of one size, filled with the same facts."""

    size: int
    facts: list[Fact]
    ours: Path
    captures: Path
    floor: Path
    middle: int = 0
    rows: list[Row] = field(default_factory=list)


class Window:
    """One store of ours and one floor, written in turn."""

    KINDS = ("bare row", "row + text index", "row + text index + vector", "capture", "remember, evidence cited",
             "remember and its evidence", "correct")  # fmt: skip

    def __init__(self, loaded: Loaded, folder: Path, synchronous: str) -> None:
        self.size = loaded.size
        folder.mkdir()
        copied = copy_store(loaded.ours, folder)
        floor = Path(shutil.copy(loaded.floor, folder))
        self._ours = firsthand.open(copied, actor="bench", synchronous=synchronous)
        self._floor = Floor(floor, synchronous)
        self.samples = {kind: Samples() for kind in self.KINDS}

    def round(self, unused: Iterator[Fact], *, keep: bool = True) -> None:
        """Every kind of write once, each of ours next to a write of the floor, so that disk noise cancels."""
        samples = self.samples if keep else {kind: Samples() for kind in self.KINDS}
        one, other = next(unused), next(unused)
        vector = packed(one.text)

        def floor() -> None:
            samples["row + text index + vector"].measure(lambda: self._floor.full(one.text, vector))

        floor()
        said = samples["capture"].measure(lambda: self._ours.capture(one.text, speaker=SPEAKER, thread="desk"))
        floor()
        cited = [firsthand.cite(said.record_id or "")]
        samples["remember, evidence cited"].measure(
            lambda: self._ours.remember(one.text, **one.structure, evidence=cited)
        )
        floor()
        held = samples["remember and its evidence"].measure(lambda: self._ours.remember(other.text, **other.structure))
        floor()
        amended = other.text.replace("ticket", "amended ticket")
        samples["correct"].measure(lambda: self._ours.correct(held.record_id, amended, reason="it was misheard"))
        samples["row + text index"].measure(lambda: self._floor.indexed(one.text))
        samples["bare row"].measure(lambda: self._floor.bare(one.text))

    def close(self) -> None:
        """Release both stores."""
        self._ours.close()
        self._floor.close()


def copy_store(store: Path, folder: Path) -> Path:
    """Copy a closed store, key file included."""
    shutil.copy(store.with_name(store.name + ".keys"), folder)
    return Path(shutil.copy(store, folder))


def load(size: int, source: Iterator[Fact], folder: Path) -> Loaded:
    """Fill the stores of one size in bulk, batch by batch in turn, and say how fast each took them."""
    folder.mkdir()
    loaded = Loaded(size, list(itertools.islice(source, size)), *(folder / f"{name}.db" for name in _STORES))
    floor = Floor(loaded.floor)
    ours = firsthand.open(loaded.ours, actor="bench")
    captures = firsthand.open(loaded.captures, actor="bench")
    empty = disk_bytes(loaded.ours), disk_bytes(loaded.captures)
    samples = [Samples(), Samples(), Samples()]
    held: list[str] = []
    for batch in itertools.batched(loaded.facts, BATCH) if hasattr(itertools, "batched") else _batched(loaded.facts):
        texts = [fact.text for fact in batch]
        said = [{"text": text, "speaker": SPEAKER, "thread": "desk"} for text in texts]
        claims = [{"statement": fact.text, **fact.structure} for fact in batch]
        samples[0].measure(lambda texts=texts: floor.many(texts))
        samples[1].measure(lambda said=said: captures.capture_many(said))
        report = samples[2].measure(lambda claims=claims: ours.remember_many(claims))
        held += [receipt.record_id for receipt in report.receipts]
        if len(held) <= size / 2 or not loaded.middle:
            loaded.middle = report.receipts[-1].known_at
    loaded.rows = _bulk_rows(size, samples)
    captures.close()
    ours.close()
    floor.close()
    loaded.rows += _disk_rows(loaded, empty)
    _revise(loaded, held)
    return loaded


_STORES = ("ours", "captures", "floor")


def _batched(facts: list[Fact]) -> Iterator[list[Fact]]:
    """`itertools.batched`, which Python 3.11 lacks."""
    for start in range(0, len(facts), BATCH):
        yield facts[start : start + BATCH]


def _revise(loaded: Loaded, held: list[str]) -> None:
    """Correct one fact in fifty, so that there is a past to ask about."""
    with firsthand.open(loaded.ours, actor="bench", synchronous="NORMAL") as ours:
        for at in range(0, len(held), CORRECTED_EVERY):
            amended = loaded.facts[at].text.replace("ticket", "amended ticket")
            ours.correct(held[at], amended, reason="it was misheard")


def disk_bytes(store: Path) -> int:
    """The size of a store's file once its log is folded in."""
    connection = apsw.Connection(str(store))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.close()
    return store.stat().st_size


def _bulk_rows(size: int, samples: list[Samples]) -> list[Row]:
    def rate(what: str, taken: Samples, least: float | None, ratio: float | None = None) -> Row:
        seconds, busy = sum(taken.wall) / 1e3, sum(taken.cpu) / 1e3
        raw = {**taken.raw(), "items": size, "seconds": seconds, "cpu_seconds": busy}
        bar = None if least is None else Bar(least, at="least")
        return Row(what, size / seconds, "/s", size=size, cpu=1e3 * busy / size, ratio=ratio, bar=bar, raw=raw)

    spent = [sum(taken.wall) for taken in samples]
    return [
        rate("bulk floor (row + text index + vector)", samples[0], None),
        rate("bulk capture", samples[1], 4_000, spent[1] / spent[0]),
        rate("bulk remember and its evidence", samples[2], 1_200, spent[2] / spent[0]),
    ]


def _disk_rows(loaded: Loaded, empty: tuple[int, int]) -> list[Row]:
    a_fact = (disk_bytes(loaded.ours) - empty[0]) / loaded.size / 1024
    a_capture = (disk_bytes(loaded.captures) - empty[1]) / loaded.size / 1024
    a_row = loaded.floor.stat().st_size / loaded.size / 1024
    return [
        Row("disk, floor row", a_row, "KiB", size=loaded.size),
        Row("disk, a capture", a_capture, "KiB", size=loaded.size, ratio=a_capture / a_row, bar=Bar(2.5)),
        Row("disk, a fact with its evidence", a_fact, "KiB", size=loaded.size, ratio=a_fact / a_row, bar=Bar(4.5)),
    ]


def one_at_a_time(stores: list[Loaded], unused: Iterator[Fact], rounds: int, folder: Path) -> list[list[Row]]:
    """Single durable writes at every size in the same window, first synced at every commit, then not."""
    sections: list[list[Row]] = []
    for synchronous in ("FULL", "NORMAL"):
        windows = [Window(store, folder / f"{synchronous}-{store.size}", synchronous) for store in stores]
        for number in range(WARM_UP + rounds):
            for window in windows:
                window.round(unused, keep=number >= WARM_UP)
        for window in windows:
            sections.append(_window_rows(window, synchronous))
            window.close()
        if len(windows) > 1:
            sections.append(_growth_rows(windows[0], windows[-1], synchronous))
    return sections


def _window_rows(window: Window, synchronous: str) -> list[Row]:
    floor = window.samples["row + text index + vector"]
    rows = []
    for kind, samples in window.samples.items():
        # The bars are for durable writes; without a sync the floor costs next to nothing, so its ratio says little.
        bar = _bar(kind) if synchronous == "FULL" else None
        ratios = {
            "ratio_p50": samples.p50 / floor.p50,
            "ratio_p95": samples.p95 / floor.p95,
            "ratio_mean": sum(samples.wall) / len(samples.wall) / (sum(floor.wall) / len(floor.wall)),
            "ratio_cpu": percentile(samples.cpu, 50) / percentile(floor.cpu, 50),
        }
        what = f"{synchronous} {kind}"
        rows.append(row_of(what, samples, size=window.size, ratio=ratios["ratio_p50"], bar=bar, raw=ratios))
    return rows


def _bar(kind: str) -> Bar | None:
    if kind == "capture":
        return CAPTURE_BAR
    return REMEMBER_BAR if kind.startswith("remember") else None


def _growth_rows(small: Window, large: Window, synchronous: str) -> list[Row]:
    """One write at the largest size against one at the smallest."""
    rows = []
    for kind in ("capture", "remember and its evidence"):
        for name, bar in GROWTH_BARS.items():
            before, after = getattr(small.samples[kind], name), getattr(large.samples[kind], name)
            what = f"{synchronous} {kind}: growth of {name}"
            rows.append(Row(what, after, "ms", size=large.size, ratio=after / before, bar=bar))
    return rows


def audit(loaded: Loaded, folder: Path) -> list[Row]:
    """How fast the ledger is verified and replayed."""
    folder.mkdir()
    rows = []
    with firsthand.open(copy_store(loaded.ours, folder), actor="bench") as ours:
        for verb, least in (("verify", 20_000), ("rebuild", 3_000)):
            entries = ours.ledger.head().position
            cpu, wall = time.process_time(), time.perf_counter()
            getattr(ours.ledger, verb)()
            seconds, busy = time.perf_counter() - wall, time.process_time() - cpu
            raw = {"entries": entries, "seconds": seconds, "cpu_seconds": busy}
            bar = Bar(least, at="least")
            rows.append(
                Row(verb, entries / seconds, "entries/s", size=loaded.size, cpu=1e3 * busy / entries, bar=bar, raw=raw)
            )
    return rows
