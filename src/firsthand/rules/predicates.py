"""The predicates built in: how many values a slot holds at a time, and the other names it goes by."""

from functools import lru_cache
from types import MappingProxyType
from typing import Final, Literal

import msgspec

from firsthand.rules.normalise import predicate_key
from firsthand.rules.values import Value, is_scalar

Cardinality = Literal["one", "many"]
RelationKind = Literal["state", "event"]


class Predicate(msgspec.Struct, frozen=True):
    """One version of one predicate; empty kinds mean any."""

    key: str
    version: int
    cardinality: Cardinality
    relation_kind: RelationKind = "state"
    aliases: tuple[str, ...] = ()
    subject_kinds: tuple[str, ...] = ()
    object_kinds: tuple[str, ...] = ()


_KEPT: Final = 1_024
_WHO: Final = ("person",)
_ACTORS: Final = ("person", "organization")
_THINGS: Final = ("project", "product", "document")
_WHEN: Final = ("date", "datetime")


def _one(key: str, aliases: str, subjects: tuple[str, ...], objects: tuple[str, ...]) -> Predicate:
    event: RelationKind = "event" if key == "born_on" else "state"
    return Predicate(key, 1, "one", event, tuple(aliases.split()), subjects, objects)


def _many(key: str, aliases: str, subjects: tuple[str, ...] = (), objects: tuple[str, ...] = ()) -> Predicate:
    return Predicate(key, 1, "many", "state", tuple(aliases.split()), subjects, objects)


# design 09: predicates built in. An alias says the same thing of the same subject: no inverse, past or negation.
_ALL: Final = (
    _one("lives_in", "live_in living_in resides_in home_city city_of_residence based_in", _WHO, ("place", "string")),
    _one("reports_to", "report_to reporting_to managed_by manager boss", _WHO, ("person", "string")),
    _one("located_in", "is_located_in located_at location is_in", (), ("place", "string")),
    _one("status", "has_status current_status state", (), ("string", "boolean")),
    _one("deadline", "due due_date due_on is_due due_by has_deadline", (), (*_WHEN, "string")),
    _one("is_called", "called is_named named name has_name goes_by", (), ("string",)),
    _one("version", "has_version current_version is_at_version", (*_THINGS, "other"), ("string", "number")),
    _one("port", "listens_on listen_on runs_on_port port_number", (), ("number", "string")),
    _one("uses_database", "database db database_is", _THINGS, ("product", "string")),
    _one("born_on", "birthday birthdate birth_date date_of_birth dob was_born_on", _WHO, (*_WHEN, "string")),
    _one("works_as", "work_as job job_title occupation profession role", _WHO, ("concept", "string")),
    _many("prefers", "prefer preference", _ACTORS),
    _many("likes", "like loves love enjoys enjoy fond_of", _ACTORS),
    _many("uses", "use using makes_use_of"),
    _many("owns", "own owner_of is_owner_of", _ACTORS),
    _many("knows", "know acquainted_with", _WHO),
    _many("speaks", "speak speaks_language language_spoken", _WHO, ("concept", "string")),
    _many("works_at", "work_at works_for work_for employed_by employed_at employer", _WHO, ("organization", "string")),
    _many("works_on", "work_on working_on contributes_to", _ACTORS, (*_THINGS, "concept", "string")),
    _many("member_of", "is_member_of belongs_to_group is_a_member_of", _ACTORS, ("organization", "string")),
    _many("related_to", "is_related_to relates_to associated_with"),
)
BUILT_IN: Final = MappingProxyType({predicate.key: predicate for predicate in _ALL})
_BY_NAME: Final = {name: predicate for predicate in _ALL for name in (predicate.key, *predicate.aliases)}


@lru_cache(maxsize=_KEPT)
def definition(name: str) -> Predicate:
    """Return the built-in predicate of a name or alias, or the open one (version 0, many) for any other name."""
    key = predicate_key(name)
    return _BY_NAME.get(key) or Predicate(key, 0, "many")


def cardinality_of(predicate: str | Predicate, value: Value | None, unit: str | None = None) -> Cardinality:
    """Say how many values the slot holds at a time; `value` is None where the object is an entity."""
    if isinstance(predicate, str):
        predicate = definition(predicate)
    if predicate.version > 0:
        return predicate.cardinality
    # design 09: an unknown predicate holds one number, date, instant or boolean, and any number of other things.
    return "one" if value is not None and is_scalar(value, unit) else "many"
