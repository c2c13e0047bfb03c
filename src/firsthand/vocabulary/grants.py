"""Who writes and reads: author, scope, grant (design 02)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, cast

import msgspec

from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.kinds import ROLES, SENSITIVITIES, Role, Sensitivity
from firsthand.vocabulary.limits import NAME_BYTES, check_bytes
from firsthand.vocabulary.patterns import lazy_pattern

SPACE_WIDE: Final = "space:"
_SCOPE: Final = lazy_pattern(r"[a-z][a-z0-9_-]{0,31}:[A-Za-z0-9._/@+-]{1,96}")
_SLUG: Final = lazy_pattern(r"[A-Za-z0-9][A-Za-z0-9._:/+-]{0,95}")


VERBS: Final = frozenset(
    ("capture", "remember", "recall", "read", "list", "history", "explain", "feedback", "impact", "forget",
     "share", "classify", "correct", "change", "retract", "contest", "fork", "merge", "withdraw", "restore",
     "reject", "lift", "support", "relate", "review", "approve", "settle", "undo", "verify", "seal", "rebuild",
     "export", "import", "sync", "erase", "hold", "sweep", "retention", "stats", "jobs", "refusals")
)  # fmt: skip
"""What a grant may name: a verb misspelt would silently allow nothing."""


def check_scope(scope: str, field: str = "scope") -> str:
    """`scope` if it is `kind:id` or exactly `space:`; patterns are refused."""
    if isinstance(scope, str) and (scope == SPACE_WIDE or _SCOPE.fullmatch(scope)):  # pyright: ignore[reportUnnecessaryIsInstance]
        return scope
    raise InvalidError(
        "scope_invalid",
        f"{field} is not kind:id (such as project:orion) nor exactly space:; patterns are never scopes",
        field=field,
    )


def check_slug(text: str, field: str) -> str:
    """`text` if it is a plain identifier of at most 96 characters."""
    if isinstance(text, str) and _SLUG.fullmatch(text):  # pyright: ignore[reportUnnecessaryIsInstance]
        return text
    raise InvalidError("identifier_invalid", f"{field} is not a plain identifier of 1 to 96 characters", field=field)


class Author(msgspec.Struct, frozen=True, kw_only=True):
    """Who made an entry. `None` means that the surface has no such thing, and says so."""

    actor: str
    owner: str
    role: Role
    harness: str
    model: str | None
    session: str | None
    device: str | None

    def __post_init__(self) -> None:
        check_bytes(self.actor, most=NAME_BYTES, field="actor")
        check_bytes(self.owner, most=NAME_BYTES, field="owner")
        check_slug(self.harness, "harness")
        if self.model is not None:
            check_slug(self.model, "model")
        for field in ("session", "device"):
            value: str | None = getattr(self, field)
            if value is not None:
                check_bytes(value, most=NAME_BYTES, field=field)


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """What a handle may do. `None` for verbs, read or write means all; a request narrows it, never widens it.

    `stubs`: that a record just above the clearance is there may be known, by its id, and how it stands.
    """

    verbs: frozenset[str] | None = None
    read: frozenset[str] | None = None
    write: frozenset[str] | None = None
    clearance: Sensitivity = "hyper"
    role: Role | None = None
    attests: frozenset[str] = frozenset()
    audit: bool = False
    stubs: bool = False

    def __post_init__(self) -> None:
        for field in ("verbs", "read", "write", "attests"):
            names: object = getattr(self, field)
            if names is None and field != "attests":
                continue
            if not isinstance(names, frozenset | set | list | tuple) or not all(
                isinstance(n, str) for n in cast("Iterable[object]", names)
            ):
                raise InvalidError("grant_invalid", f"grant.{field} is a set of strings", field=f"grant.{field}")
            msgspec.structs.force_setattr(self, field, frozenset(cast("Iterable[str]", names)))
        for field in ("read", "write"):
            for scope in getattr(self, field) or ():
                check_scope(scope, f"grant.{field}")
        if self.verbs is not None and not self.verbs <= VERBS:
            allowed = ", ".join(sorted(VERBS))
            raise InvalidError("verb_unknown", f"grant.verbs holds a verb other than {allowed}", field="grant.verbs")
        if self.clearance not in SENSITIVITIES:
            allowed = ", ".join(SENSITIVITIES)
            raise InvalidError("sensitivity_unknown", f"grant.clearance is one of {allowed}", field="grant.clearance")
        if self.role is not None and self.role not in ROLES:
            raise InvalidError("role_unknown", f"grant.role is one of {', '.join(ROLES)}", field="grant.role")

    def may_read(self, scope: str) -> bool:
        """Equality only: `acme` never reads `acme-corp`."""
        return self.read is None or scope in self.read

    def may_write(self, scope: str) -> bool:
        """Equality only."""
        return self.write is None or scope in self.write

    def may_use(self, verb: str) -> bool:
        """Whether this grant names `verb`."""
        return self.verbs is None or verb in self.verbs


OPERATOR_GRANT: Final = Grant(audit=True)
"""`open(grant=None)`: the operator of the file, over the whole space (design 09.20)."""
