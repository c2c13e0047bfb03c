"""The catalogue of operations: what every door offers, under one name, with the same arguments and results (design 05).

The command line and MCP are made from it. A module of it loads when one of its operations is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

from firsthand.surfaces.catalogue.operation import Arguments, Operation

__all__ = ["PLACES", "Arguments", "Operation", "every", "find"]

_MODULES: Final = {
    "writing": ("remember", "capture", "support", "relate", "classify", "feedback"),
    "reading": ("recall", "read", "stub", "list", "history", "explain", "refusals", "scopes", "predicates", "stats"),
    "revising": (
        "correct", "change", "retract", "contest", "settle", "fork", "merge", "withdraw", "restore", "reject", "lift",
        "share", "forget", "undo", "impact",
    ),
    "deciding": ("review list", "review show", "review decide", "jobs run", "jobs status"),
    "keeping": (
        "erase", "certificate", "clean", "sweep", "hold", "release", "retention show", "retention run", "verify",
        "rebuild", "embed", "reindex", "seal", "export", "pack", "import ledger", "backup", "peers list", "peers own",
        "peers add", "peers remove",
    ),
}  # fmt: skip
PLACES: Final = {name: module for module, names in _MODULES.items() for name in names}


def find(name: str) -> Operation:
    """An operation by its name; `KeyError` if there is none."""
    module = import_module(f"{__name__}.{PLACES[name]}")
    return next(operation for operation in module.OPERATIONS if operation.name == name)


def every() -> tuple[Operation, ...]:
    """All operations, in the catalogue's order."""
    return tuple(find(name) for name in PLACES)
