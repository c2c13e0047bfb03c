"""Firsthand: memory for LLM agents that proves where every belief came from and stays corrected."""

from firsthand.memory import Memory
from firsthand.restoring import restore
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
