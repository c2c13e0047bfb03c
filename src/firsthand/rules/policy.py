"""Who is believed, as data: a policy is a short TOML text, kept by `define` entries so that the fold knows which
applied (design 03)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from firsthand.vocabulary.entries import Keep, PolicyRules
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.grants import check_slug
from firsthand.vocabulary.kinds import KINDS, SENSITIVITIES
from firsthand.vocabulary.limits import LIST_ITEMS, NAME_BYTES, check_bytes, check_count, check_range

POLICY_BYTES: Final = 64 * 1024
LIFT_SOURCES_MIN: Final = 2
"""One source is the candidate itself: it lifts nothing."""
LIFT_SOURCES_MAX: Final = 20

DEFAULT_POLICY: Final = PolicyRules(name="default")
"""In force until a `define` entry says otherwise."""

_KEYS: Final = ("name", "agent_statement_is_claim", "lift_needs_sources", "trusted_tools", "retention")
_KEEP_KEYS: Final = ("days", "kind", "sensitivity", "tag", "origin")
ANY_ORIGIN: Final = "*"
"""In a rule of retention: whatever a tool or a document says."""
RETENTION_DAYS_MAX: Final = 36_500


def parse_policy(text: str, hash_name: Callable[[str], str]) -> PolicyRules:
    """The rules a policy text states; what it leaves out is as in the default. `hash_name` digests a tool's name."""
    table = _table(check_bytes(text, most=POLICY_BYTES, field="policy"))
    for key in table:
        if key not in _KEYS:
            raise InvalidError("policy_key_unknown", f"policy has a key other than {', '.join(_KEYS)}", field="policy")
    if "name" not in table:
        raise InvalidError("policy_name_missing", "policy.name is missing", field="policy.name")
    rules = PolicyRules(name=check_slug(_text(table["name"], "policy.name"), "policy.name"))
    return PolicyRules(
        name=rules.name,
        agent_statement_is_claim=_switch(table, "agent_statement_is_claim", rules.agent_statement_is_claim),
        lift_needs_sources=check_range(
            table.get("lift_needs_sources", rules.lift_needs_sources),
            least=LIFT_SOURCES_MIN,
            most=LIFT_SOURCES_MAX,
            field="policy.lift_needs_sources",
        ),
        trusted_tools=_tools(table.get("trusted_tools", []), hash_name),
        retention=_retention(table.get("retention", []), hash_name),
    )


def _table(text: str) -> dict[str, Any]:
    import tomllib  # a policy is parsed rarely: not at every start

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise InvalidError("policy_not_toml", "policy is not TOML", field="policy") from None


def _text(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise InvalidError("policy_type_wrong", f"{field} must be a string", field=field)
    return value


def _switch(table: dict[str, Any], key: str, default: bool) -> bool:
    value: object = table.get(key, default)
    if not isinstance(value, bool):
        raise InvalidError("policy_type_wrong", f"policy.{key} must be true or false", field=f"policy.{key}")
    return value


def _tools(value: object, hash_name: Callable[[str], str]) -> tuple[str, ...]:
    """Digests of the tools' names, sorted: the order of a list is no difference between two policies."""
    field = "policy.trusted_tools"
    if not isinstance(value, list):
        raise InvalidError("policy_type_wrong", f"{field} must be a list of strings", field=field)
    names = [check_bytes(_text(n, field), most=NAME_BYTES, field=field) for n in cast("list[object]", value)]
    check_count(len(names), most=LIST_ITEMS, field=field)
    return tuple(sorted({hash_name(n) for n in names}))


def _retention(value: object, hash_name: Callable[[str], str]) -> tuple[Keep, ...]:
    """How long each class of records is kept, in the order of the text."""
    field = "policy.retention"
    if not isinstance(value, list):
        raise InvalidError("policy_type_wrong", f"{field} must be a list of tables", field=field)
    tables = cast("list[object]", value)
    check_count(len(tables), most=LIST_ITEMS, field=field)
    return tuple(_keep(each, hash_name, field) for each in tables)


def _keep(value: object, hash_name: Callable[[str], str], field: str) -> Keep:
    if not isinstance(value, dict):
        raise InvalidError("policy_type_wrong", f"{field} must be a list of tables", field=field)
    table = cast("dict[str, Any]", value)
    if not set(table) <= set(_KEEP_KEYS):
        allowed = ", ".join(_KEEP_KEYS)
        raise InvalidError("policy_key_unknown", f"{field} has a key other than {allowed}", field=field)
    kind, level, origin = table.get("kind"), table.get("sensitivity"), table.get("origin")
    if kind is not None and kind not in KINDS:
        raise InvalidError("kind_unknown", f"{field}.kind is one of {', '.join(KINDS)}", field=field)
    if level is not None and level not in SENSITIVITIES:
        allowed = ", ".join(SENSITIVITIES)
        raise InvalidError("sensitivity_unknown", f"{field}.sensitivity is one of {allowed}", field=field)
    return Keep(
        days=check_range(table.get("days", 0), least=1, most=RETENTION_DAYS_MAX, field=f"{field}.days"),
        kind=kind,
        level=None if level is None else SENSITIVITIES.index(level),
        tag=_hashed(table.get("tag"), hash_name, field),
        origin=ANY_ORIGIN if origin == ANY_ORIGIN else _hashed(origin, hash_name, field),
    )


def _hashed(name: object, hash_name: Callable[[str], str], field: str) -> str | None:
    return None if name is None else hash_name(check_bytes(_text(name, field), most=NAME_BYTES, field=field))
