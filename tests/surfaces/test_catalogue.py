"""The catalogue says all that a memory can do, and says it truly."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import inspect as shapes

import firsthand
from firsthand.surfaces import catalogue
from firsthand.surfaces.catalogue import Operation
from firsthand.vocabulary.errors import DeniedError, FirsthandError
from firsthand.vocabulary.grants import VERBS

OPERATIONS = catalogue.every()
NAMES = [operation.name for operation in OPERATIONS]
PARTS = ("", "review", "jobs", "ledger", "peers", "erasure")
ELSEWHERE = {
    "assembly": "holds a session's prompts, which a door that starts anew for each call cannot",
    "at": "a handle, not an operation", "close": "of the handle itself",
    "fenced": "how a door quotes a result", "find": "how a short id is read",
    "facts": "what the doctor reads", "capture_many": "bulk, by importers", "remember_many": "bulk, by importers",
    "ledger.head": "of programs", "ledger.check": "what the doctor reads",
    "peers.share_key": "writes a key to a file: firsthand peers key", "ledger.later_than": "of a restore",
    "ledger.read_later": "of a restore", "ledger.bring_over": "of a restore",
    "erasure.is_genuine": "of whoever was shown a certificate",
}  # fmt: skip
"""What a memory offers and no door does, with the reason."""
SPREAD = {"reject": {"value"}, "erase": {"value"}}
"""Arguments of a verb that the catalogue takes in parts."""
ALSO = {"forget": ("withdraw",), "retention run": ("erase",)}
"""Further verbs that an operation comes to."""
RECORD, ENTRY = "r" + "0" * 40, "e" + "0" * 40


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[firsthand.Memory]:
    with firsthand.open(tmp_path / "m.db", actor="ana", role="person", scope="project:boat") as opened:
        yield opened


def offered(memory: firsthand.Memory) -> set[str]:
    """Every public method of a memory and of its parts."""
    found: set[str] = set()
    for part in PARTS:
        owner = attrgetter(part)(memory) if part else memory
        methods = [name for name, value in inspect.getmembers(type(owner)) if callable(value) and name[0] != "_"]
        found |= {f"{part}.{name}" if part else name for name in methods}
    return found


def test_every_verb_is_in_the_catalogue_or_its_absence_has_a_reason(memory: firsthand.Memory) -> None:
    paths = {operation.path for operation in OPERATIONS}
    assert offered(memory) - paths == set(ELSEWHERE)
    assert paths <= offered(memory)
    assert len(NAMES) == len(set(NAMES)) > 50


@pytest.mark.parametrize("operation", OPERATIONS, ids=NAMES)
def test_an_operation_takes_what_its_verb_takes(operation: Operation, memory: firsthand.Memory) -> None:
    parameters = inspect.signature(attrgetter(operation.path)(memory)).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return
    taken = {p.name for p in parameters} - {"progress", "imported", "turns", *SPREAD.get(operation.name, ())}
    fields = {field.name for field in msgspec.structs.fields(operation.takes)}
    parts = {"subject", "predicate", "object", "statement", "unit", "polarity"} if operation.name in SPREAD else set()
    left = taken - fields
    assert left <= {"timeline", "tool_graph", "environment", "artifacts"}, "what only programs give"
    assert fields - taken <= parts
    required = {p.name for p in parameters if p.default is p.empty and p.kind is not p.VAR_POSITIONAL}
    declared = {field.name for field in msgspec.structs.fields(operation.takes) if field.required}
    assert required - declared <= {"conditions"}


@pytest.mark.parametrize("operation", OPERATIONS, ids=NAMES)
def test_every_argument_is_described_and_bounded(operation: Operation) -> None:
    shape = shapes.type_info(operation.takes)
    assert isinstance(shape, shapes.StructType)
    for field in shape.fields:
        kinds = field.type.types if isinstance(field.type, shapes.UnionType) else (field.type,)
        (told,) = [t for t in kinds if isinstance(t, shapes.Metadata)]
        assert len((told.extra_json_schema or {})["description"]) > 10, field.name
        match told.type:
            case shapes.StrType() | shapes.VarTupleType() | shapes.DictType():
                assert told.type.max_length is not None, field.name
            case shapes.IntType():
                assert told.type.ge is not None, field.name
            case _:
                pass


@pytest.mark.parametrize("operation", OPERATIONS, ids=NAMES)
def test_the_example_is_one(operation: Operation) -> None:
    asked = msgspec.convert(dict(operation.example), operation.takes)
    assert asked.given().keys() >= operation.example.keys() - {"object", "subject", "predicate"}
    assert operation.does.endswith(".")


def asked_for(operation: Operation) -> Any:
    """The example with ids that have the form of ids."""
    text = msgspec.json.encode(dict(operation.example)).decode()
    shaped = text.replace("r…", RECORD).replace("e…", ENTRY).replace('"…"', '"' + "0" * 64 + '"')
    return msgspec.json.decode(shaped, type=operation.takes)


@pytest.mark.parametrize("operation", OPERATIONS, ids=NAMES)
def test_an_operation_needs_the_grant_that_it_says(
    operation: Operation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if operation.name in ("predicates", "peers own"):
        return  # they tell what is the same for everybody
    asked = asked_for(operation)

    def denied(verbs: frozenset[str]) -> bool:
        grant = firsthand.Grant(verbs=verbs, role="person")
        with firsthand.open(tmp_path / "m.db", actor="ana", role="person", scope="project:boat", grant=grant) as memory:
            try:
                operation.run(memory, asked)
            except DeniedError as error:
                return error.code.endswith("_not_granted")
            except FirsthandError:
                return False
            return False

    if operation.needs == "operator":
        assert denied(VERBS), "no grant is enough"
        return
    assert denied(VERBS - {operation.needs})
    assert not denied(frozenset((operation.needs, *ALSO.get(operation.name, ()))))
