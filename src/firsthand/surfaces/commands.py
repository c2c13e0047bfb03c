"""An operation of the catalogue as a command: its arguments as words and options, its result drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

import click
from msgspec import inspect

from firsthand.surfaces import asking
from firsthand.surfaces.catalogue import Arguments, Operation
from firsthand.surfaces.desk import Desk, Memory, Progress, pass_desk, prose
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.limits import BODY_BYTES

Words = Mapping[str, Any]
"""What click read, by the name of the parameter."""
Run = Callable[[Desk, Operation, Arguments, Words], int]
PLURAL: Final = ("records", "evidence", "conditions", "pairs", "texts")
"""Ways to read that take an option as often as it is given."""
OBJECT_TYPE: Final = "object_type"


class Field(NamedTuple):
    """An argument of an operation, as a command line needs to know it."""

    name: str
    type: inspect.Type
    required: bool
    description: str
    flag: str | None
    metavar: str | None
    reads: str

    @property
    def many(self) -> bool:
        """Whether it may be given several times."""
        return isinstance(self.type, inspect.VarTupleType) or self.reads in PLURAL

    @property
    def kind(self) -> Any:
        """The type of one word of it, for click."""
        one = self.type.item_type if isinstance(self.type, inspect.VarTupleType) else self.type
        match one.type if isinstance(one, inspect.Metadata) else one:
            case inspect.LiteralType(values):
                return asking.one_of(list(map(str, values)))
            case inspect.IntType():
                return int
            case inspect.FloatType():
                return float
            case _:
                return str


def fields_of(operation: Operation) -> list[Field]:
    """The arguments of an operation, required ones first."""
    shape = inspect.type_info(operation.takes)
    assert isinstance(shape, inspect.StructType)
    found = [_field(field) for field in shape.fields]
    return sorted(found, key=lambda field: not field.required)


def _field(field: inspect.Field) -> Field:
    told = field.type
    if isinstance(told, inspect.UnionType):
        told = next(t for t in told.types if isinstance(t, inspect.Metadata))
    assert isinstance(told, inspect.Metadata), "every argument is described in catalogue/fields.py"
    spelt = cast("Words", told.extra)  # pyright: ignore[reportUnknownMemberType]
    schema = cast("Words", told.extra_json_schema)  # pyright: ignore[reportUnknownMemberType]
    return Field(
        field.name, told.type, field.required, schema["description"], spelt["flag"], spelt["metavar"],
        spelt["reads"],
    )  # fmt: skip


def command_of(operation: Operation, run: Run | None = None, *more: click.Parameter, help: str = "") -> click.Command:  # noqa: A002
    """A command that takes what the operation takes, runs it, and shows what it gives.

    `run` does so in a way of its own, with options of its own.
    """
    fields = fields_of(operation)
    running = run_and_tell if run is None else run

    @pass_desk
    def callback(desk: Desk, **words: Any) -> int:
        return running(desk, operation, asked_by(desk, operation, fields, words), words)

    return click.Command(
        operation.name.rpartition(" ")[2], callback=callback, params=[*_parameters(operation, fields), *more],
        help=" ".join((operation.does, help)).strip(),
    )  # fmt: skip


def _parameters(operation: Operation, fields: Sequence[Field]) -> list[click.Parameter]:
    by_name = {field.name: field for field in fields}
    shown: list[click.Parameter] = [_word(by_name[name], may_shift="target" in by_name) for name in operation.words]
    for field in fields:
        if field.name not in operation.words:
            shown.append(_option(field))
            if field.reads == "value":
                shown.append(click.Option([f"--{field.name}-type", OBJECT_TYPE], type=asking.VALUE_TYPE,
                                          help="What kind of value it is."))  # fmt: skip
    return shown


def _word(field: Field, *, may_shift: bool) -> click.Argument:
    shown = field.metavar or field.name.upper()
    return click.Argument(
        [_parameter(field)], nargs=-1 if field.many else 1, required=field.required and not may_shift, type=field.kind,
        metavar=f"{shown} {shown}..." if field.many else shown if field.required else f"[{shown}]",
    )  # fmt: skip


def _option(field: Field) -> click.Option:
    flag = field.flag or f"--{field.name.replace('_', '-')}"
    if field.reads == "negation" or isinstance(field.type, inspect.BoolType):
        return click.Option([flag, _parameter(field)], is_flag=True, help=field.description)
    again = " May be repeated." if field.many else ""
    return click.Option(
        [flag, _parameter(field)], multiple=field.many, type=field.kind, required=field.required,
        metavar=None if isinstance(field.kind, click.Choice) else field.metavar, help=field.description + again,
    )  # fmt: skip


def _parameter(field: Field) -> str:
    """Its name in click: a global option may have the same."""
    return f"its_{field.name}"


def asked_by(desk: Desk, operation: Operation, fields: Sequence[Field], words: Words) -> Arguments:
    """The arguments that the words of a command line mean."""
    given = _shifted(operation, {field.name: words[_parameter(field)] for field in fields})
    read = {f.name: READERS[f.reads](desk, f, given, words) for f in fields if not _left_out(given[f.name])}
    missing = next((f for f in fields if f.required and f.name not in read), None)
    if missing is not None:
        raise InvalidError("argument_missing", f"{missing.name} is missing; give it", field=missing.name)
    return operation.takes(**{name: value for name, value in read.items() if value is not None})


def run_and_tell(desk: Desk, operation: Operation, asked: Arguments, words: Words) -> int:
    """Run an operation and show what it gives."""
    if operation.working is None:
        return desk.told(operation.run(desk.memory, asked), operation.shows)
    with Progress(operation.working, quiet=desk.as_json) as progress:
        result = operation.run(desk.memory, asked, progress)
    return desk.told(result, operation.shows)


def _left_out(value: object) -> bool:
    return value is None or value is False or value == ()


def _shifted(operation: Operation, given: dict[str, Any]) -> dict[str, Any]:
    """Where a description names the record, the first word is what would have been the second."""
    match operation.words:
        case ("record_id", second) if given.get("target") is not None and given[second] is None:
            return {**given, "record_id": None, second: given["record_id"]}
        case _:
            return given


def _negated(*_: Any) -> str:
    return "-"


def _value(desk: Desk, field: Field, given: Words, words: Words) -> Any:
    return asking.typed_object(given[field.name], words[OBJECT_TYPE], given.get("unit"))


def _prose(desk: Desk, field: Field, given: Words, words: Words) -> str:
    return prose(given[field.name], field.name)


def _payload(desk: Desk, field: Field, given: Words, words: Words) -> Any:
    return asking.payload(prose(given[field.name], field.name, most=BODY_BYTES))


def _of_memory(read: Callable[[Memory, Any], Any]) -> Reader:
    return lambda desk, field, given, words: read(desk.memory, given[field.name])


def _of_words(read: Callable[[Any], Any]) -> Reader:
    return lambda desk, field, given, words: read(given[field.name])


Reader = Callable[[Desk, Field, Words, Words], Any]
READERS: Final[dict[str, Reader]] = {
    "text": _of_words(lambda word: word),
    "texts": _of_words(lambda words: tuple(prose(word, "words") for word in words)),
    "prose": _prose,
    "instant": _of_words(asking.instant),
    "record": _of_memory(asking.full_id),
    "records": _of_memory(lambda memory, ids: tuple(asking.full_id(memory, each) for each in ids)),
    "item": _of_memory(asking.item_id),
    "evidence": _of_memory(asking.evidence),
    "conditions": _of_words(asking.conditions),
    "pairs": _of_words(lambda words: asking.pairs(words, "meta")),
    "negation": _negated,
    "value": _value,
    "payload": _payload,
}
