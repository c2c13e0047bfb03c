"""What an operation is: its name, what it takes and gives, what grant it needs, and how it is told (design 05)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any

import msgspec

Memory = Any
Progress = Callable[..., None]


class Arguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an operation takes. Every field but a required one has the memory's own default when it is left out."""

    def given(self) -> dict[str, Any]:
        """What was given, by its name in the memory's verb; the rest is left to the verb."""
        fields = msgspec.structs.fields(self)
        given = {field.name: getattr(self, field.name) for field in fields}
        return {field.name: given[field.name] for field in fields if given[field.name] != field.default}


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that every door offers under one name.

    `needs` is the verb a grant must name, or `operator`: only who opens the file without a grant. `path` leads from a
    `Memory` to the method; `spread` is the argument it takes as several. `shows` says how a person is told the result.
    `words` are the arguments that need no option on a command line, in their order. `working` is what a progress bar
    says; an operation without one takes no progress.
    """

    name: str
    needs: str
    does: str
    takes: type[Arguments]
    gives: Any
    shows: str
    example: Mapping[str, Any]
    path: str
    words: tuple[str, ...] = ()
    writes: bool = False
    working: str | None = None
    spread: str | None = None

    def run(self, memory: Memory, asked: Arguments, progress: Progress | None = None) -> Any:
        """Run it on a memory."""
        given = asked.given()
        several = () if self.spread is None else given.pop(self.spread)
        reporting = {} if progress is None else {"progress": progress}
        return attrgetter(self.path)(memory)(*several, **given, **reporting)
