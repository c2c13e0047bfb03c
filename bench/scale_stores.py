"""Stores of the scale bench: filled once in bulk, kept in a folder with what that cost, and found there again."""

import itertools
import json
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import firsthand
from floor import Floor
from report import Bar, Row, Samples, circumstances
from workload import Fact, facts
from writes import BATCH, Loaded, copy_store, load

SMALL = "project:small"
SMALL_FACTS = 1_000
FACTS_A_SCOPE = 100
FACTS_A_SPACE = 20
_MADE = "made.json"
"""Written last: a folder without it was not finished, and is filled again."""


def sized(folder: Path, size: int) -> Loaded:
    """Our store of so many facts in one scope, one of captures alone, and the floor."""
    at = folder / f"{size}"
    said = list(itertools.islice(facts(), size))
    made = _made(at)
    if made is None:
        loaded = load(size, iter(said), at)
        _searchable(loaded.floor)
        _finish(at, {"middle": loaded.middle, "rows": [asdict(row) for row in loaded.rows]})
        return loaded
    rows = [Row(**{**row, "bar": row["bar"] and Bar(**row["bar"])}) for row in made["rows"]]
    return Loaded(size, said, *(at / f"{name}.db" for name in ("ours", "captures", "floor")), made["middle"], rows)


def alone(folder: Path) -> Path:
    """A store that holds the small scope and nothing else."""
    return _made_by(folder / "small-alone", _fill_small)


def beside_large(folder: Path, large: Loaded) -> Path:
    """The same small scope in a copy of a large store."""

    def fill(store: Path) -> None:
        copied = copy_store(large.ours, store.parent)
        _fill_small(copied)
        for made, name in ((copied, store.name), (copied.with_name(copied.name + ".keys"), store.name + ".keys")):
            made.rename(store.with_name(name))

    return _made_by(folder / f"small-beside-{large.size}", fill)


def beside_many(folder: Path, scopes: int) -> Path:
    """The same small scope among so many."""

    def fill(store: Path) -> None:
        source = facts(seed=11)
        with firsthand.open(store, actor="bench", synchronous="OFF") as ours:
            for number in range(scopes - 1):
                claims = [_claim(fact) for fact in itertools.islice(source, FACTS_A_SCOPE)]
                ours.at(scope=scope_of(number)).remember_many(claims)
        _fill_small(store)

    return _made_by(folder / f"small-among-{scopes}", fill)


def many_spaces(folder: Path, spaces: int) -> Path:
    """So many spaces in one file, each with its own key, the first with the small scope's facts."""

    def fill(store: Path) -> None:
        source = facts(seed=13)
        for number in range(1, spaces):
            claims = [_claim(fact) for fact in itertools.islice(source, FACTS_A_SPACE)]
            with firsthand.open(store, space=space_of(number), actor="bench", synchronous="OFF") as ours:
                ours.at(scope=SMALL).remember_many(claims)
        _fill_small(store, space_of(0))

    return _made_by(folder / f"spaces-{spaces}", fill)


def scope_of(number: int) -> str:
    """One of the other scopes."""
    return f"project:other-{number}"


def space_of(number: int) -> str:
    """One of the spaces."""
    return f"bench-{number}"


def small_facts() -> list[Fact]:
    """What the small scope holds, wherever it lies."""
    return list(itertools.islice(facts(seed=17), SMALL_FACTS))


def _fill_small(store: Path, space: str = "default") -> None:
    with firsthand.open(store, space=space, actor="bench", synchronous="OFF") as ours:
        small, held = ours.at(scope=SMALL), small_facts()
        for start in range(0, len(held), BATCH):
            small.remember_many([_claim(fact) for fact in held[start : start + BATCH]])


def _claim(fact: Fact) -> dict[str, Any]:
    return {"statement": fact.text, **fact.structure}


def _searchable(floor: Path) -> None:
    made = Floor(floor)
    made.prepare_search()
    made.close()


def _made_by(folder: Path, fill: Callable[[Path], None]) -> Path:
    store = folder / "memory.db"
    if _made(folder) is None:
        folder.mkdir()
        taken = Samples()
        taken.measure(lambda: fill(store))
        _finish(folder, {"seconds": taken.wall[0] / 1e3, "cpu_seconds": taken.cpu[0] / 1e3})
    return store


def _made(folder: Path) -> dict[str, Any] | None:
    """What filling a folder cost; None, and the folder gone, if that was never finished."""
    if (folder / _MADE).exists():
        return json.loads((folder / _MADE).read_text(encoding="utf-8"))
    if folder.exists():
        shutil.rmtree(folder)
    return None


def _finish(folder: Path, cost: dict[str, Any]) -> None:
    told = {"commit": circumstances()["commit"], **cost}
    (folder / _MADE).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
