"""Firsthand: memory for LLM agents that proves where every belief came from and stays corrected."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from firsthand.vocabulary.citing import Cite, cite
from firsthand.vocabulary.errors import (
    AbsentError,
    BrokenError,
    BusyError,
    ConflictError,
    DeniedError,
    FirsthandError,
    InvalidError,
    RefusedError,
    UnauthenticatedError,
)
from firsthand.vocabulary.grants import Grant
from firsthand.vocabulary.packets import Citation, Item, Packet, Receipt
from firsthand.vocabulary.records import (
    Alias,
    Artifact,
    Competence,
    Entity,
    Environment,
    Identifier,
    PlanEdge,
    PlanGraph,
    PlanNode,
    RecipeStep,
    ToolCall,
    Trigger,
    TypedValue,
    Working,
)

if TYPE_CHECKING:
    from firsthand.memory import Memory
    from firsthand.restoring import restore
    from firsthand.wiring import join, open  # noqa: A004

__all__ = [
    "AbsentError",
    "Alias",
    "Artifact",
    "BrokenError",
    "BusyError",
    "Citation",
    "Cite",
    "Competence",
    "ConflictError",
    "DeniedError",
    "Entity",
    "Environment",
    "FirsthandError",
    "Grant",
    "Identifier",
    "InvalidError",
    "Item",
    "Memory",
    "Packet",
    "PlanEdge",
    "PlanGraph",
    "PlanNode",
    "Receipt",
    "RecipeStep",
    "RefusedError",
    "ToolCall",
    "Trigger",
    "TypedValue",
    "UnauthenticatedError",
    "Working",
    "cite",
    "join",
    "open",
    "restore",
]

_LATE: Final = {"Memory": "memory", "join": "wiring", "open": "wiring", "restore": "restoring"}
"""What loads the house, and where it is: who only names an error or a record does not pay for it."""


def __getattr__(name: str) -> Any:
    """Load what is asked for first, once."""
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_LATE[name]}"), name)
    return found
