"""Each mechanism of the engine, broken on purpose: random lives fall over it under seeds that they pass as it is.

`test_machine.py` is the control: it runs the same lives on the engine as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import msgspec
import pytest
from test_machine import LIVES, run

from firsthand.capture import merging
from firsthand.ledger import adopt
from firsthand.rules import fold, tombstones, visibility
from firsthand.store import sql
from firsthand.vocabulary.entries import Entry, Reject
from firsthand.vocabulary.errors import FirsthandError

SEEDS_TRIED = 12
"""How many few lives a mutant may survive."""


class Mutant(NamedTuple):
    """What is broken, and how; `seed`: under which it was seen to fall soon, where most lives take long to meet it."""

    what: str
    broken: dict[str, Callable[..., Any]]
    seed: int = 1


QUERIES, ADOPT, EDGES = sql.queries, adopt, merging._edges


def unclassified(list_source: str) -> dict[str, str]:
    """The gate in SQL without its clause about sensitivity."""
    shown = QUERIES(list_source)["shown"].replace("AND sensitivity <= ?", "AND ? >= 0")
    assert shown != QUERIES(list_source)["shown"]
    return QUERIES(list_source) | {"shown": shown}


def one_step_down(view: Any, units: set[str], entry: Entry) -> set[str]:
    """What rests on what an entry changed is left as it was."""
    return units


def without_rejections(writer: Any, row: Any, skeleton: Any, now: int) -> Any:
    """What another store rejected is not taken over."""
    return None if isinstance(skeleton.edges, Reject) else ADOPT(writer, row, skeleton, now)


def in_its_own_scope(reader: Any, handle: Any, entry: Entry) -> bool:
    """The same words in another scope are left."""
    return entry.kind != "erase" and entry.skeleton.scope == handle.scope_id


def ending_nothing(*given: Any) -> Any:
    """The claims that a merge joined to another are told beside it."""
    edges = EDGES(*given)
    return msgspec.structs.replace(edges, consequences=msgspec.structs.replace(edges.consequences, merged=()))


def replacing_nothing(shows: dict[str, Any]) -> set[str]:
    """A restore and the withdrawal it was about are both in force."""
    return set()


def seen_by_all(*given: Any) -> bool:
    """A restore shows what it never looked at."""
    return True


def reaching_everyone(reach: Any, said: Any, **how: Any) -> bool:
    """A retraction takes back what others said as well."""
    return said.spoken <= reach.spoken


def lifting_nothing(view: Any, entry_id: str) -> bool:
    """What was lifted stays out."""
    return False


def keeping_words(*given: Any) -> int:
    """Words that another store erased stay here."""
    return 0


def reopened(*given: Any) -> bool:
    """What was destroyed closes nothing any more."""
    return False


def settled(view: Any, unit: str) -> dict[Any, str]:
    """A doubt changes nothing."""
    return {}


MUTANTS = [
    Mutant("the gate in SQL drops a clause", {"firsthand.store.sqlite.queries": unclassified}),
    Mutant("the cascade stops at once", {"firsthand.rules.fold._with_dependants": one_step_down}),
    Mutant("an import skips tombstones", {"firsthand.moving.copies.adopt": without_rejections}),
    Mutant("an erasure leaves a copy", {"firsthand.capture.erase_plan._may_erase": in_its_own_scope}, 11),
    Mutant("an erasure reopens what it ended", {"firsthand.rules.tombstones._destroyed": reopened}, 11),
    Mutant("an import keeps erased words", {"firsthand.moving.importing.destroy_named": keeping_words}),
    Mutant("a merge keeps an ended source", {"firsthand.capture.merging._edges": ending_nothing}, 10),
    Mutant("a restore ignores heads", {"firsthand.rules.visibility._replaced": replacing_nothing}),
    Mutant("a restore shows what it did not see", {"firsthand.rules.visibility._knows": seen_by_all}, 7),
    Mutant("a retraction reaches everyone", {"firsthand.rules.tombstones.covers": reaching_everyone}),
    Mutant("a lift lifts nothing", {"firsthand.rules.tombstones.lifted": lifting_nothing}),
    Mutant("a contest is not heard", {"firsthand.rules.standing._contested": settled}),
]


CAUGHT = (AssertionError, FirsthandError)


def fall(seeds: Iterable[int], monkeypatch: pytest.MonkeyPatch) -> Exception | None:
    """What the first lives of these seeds fall over."""
    for seed in seeds:
        try:
            run(seed * 1_000, LIVES, monkeypatch)
        except CAUGHT as violation:
            return violation
    return None


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.what)
def test_a_broken_engine_does_not_survive(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    for path, broken in mutant.broken.items():
        monkeypatch.setattr(path, broken)
    assert fall(range(mutant.seed, mutant.seed + SEEDS_TRIED), monkeypatch) is not None


def test_what_is_broken_is_there() -> None:
    assert all((fold._with_dependants, tombstones.covers, visibility._knows))
    assert len({m.what for m in MUTANTS}) == len(MUTANTS)
