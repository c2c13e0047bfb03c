from datetime import date

import msgspec
import pytest

from firsthand.rules.normalise import predicate_key
from firsthand.rules.predicates import BUILT_IN, cardinality_of, definition

ONE = [
    "lives_in",
    "reports_to",
    "located_in",
    "status",
    "deadline",
    "is_called",
    "version",
    "port",
    "uses_database",
    "born_on",
    "works_as",
]
MANY = [
    "prefers",
    "likes",
    "uses",
    "owns",
    "knows",
    "speaks",
    "works_at",
    "works_on",
    "member_of",
    "related_to",
]


def test_the_table_holds_the_ruled_predicates_and_no_other():
    assert [p.key for p in BUILT_IN.values() if p.cardinality == "one"] == ONE
    assert [p.key for p in BUILT_IN.values() if p.cardinality == "many"] == MANY


def test_every_name_is_a_key_and_belongs_to_one_predicate():
    names = [name for p in BUILT_IN.values() for name in (p.key, *p.aliases)]
    assert len(names) == len(set(names)) > len(BUILT_IN)
    assert names == [predicate_key(name) for name in names]


@pytest.mark.parametrize("name", ["lives_in", "Lives in", "livesIn", "resides in"])
def test_an_alias_leads_to_its_predicate(name):
    assert definition(name) is BUILT_IN["lives_in"]


def test_an_unknown_predicate_is_open():
    found = definition("Favourite colour")
    assert (found.key, found.version, found.cardinality) == ("favourite_colour", 0, "many")
    assert definition("port").version == 1


@pytest.mark.parametrize("value", [8080, 3.5, True, date(2026, 3, 4), "8080", "4 March 2026"])
def test_an_unknown_predicate_holds_one_scalar(value):
    assert cardinality_of("max_connections", value) == "one"
    assert cardinality_of("max_connections", "pgbouncer") == "many"


def test_an_unknown_predicate_holds_many_entities():
    assert cardinality_of("max_connections", None) == "many"


def test_a_built_in_predicate_keeps_its_cardinality_whatever_the_object():
    assert cardinality_of("lives_in", None) == cardinality_of(definition("home city"), "Berlin") == "one"
    assert cardinality_of("likes", 42) == "many"


def test_a_definition_cannot_be_altered():
    with pytest.raises(AttributeError):
        definition("port").cardinality = "many"
    with pytest.raises(TypeError):
        BUILT_IN["port"] = definition("x")
    assert isinstance(definition("port"), msgspec.Struct)
