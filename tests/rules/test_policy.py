"""A policy is data, and a mistake in it is said clearly and without its content."""

from __future__ import annotations

from importlib.resources import files

import pytest

from firsthand.rules.policy import parse_policy
from firsthand.vocabulary.entries import PolicyRules
from firsthand.vocabulary.errors import InvalidError


def shipped(name: str) -> PolicyRules:
    return parse_policy((files("firsthand") / "data" / f"policy_{name}.toml").read_text(), str.upper)


def test_the_default_policy_is_the_one_the_fold_assumes() -> None:
    assert shipped("default") == PolicyRules(name="default")


def test_strict_makes_every_agent_statement_a_candidate() -> None:
    assert shipped("strict") == PolicyRules(name="strict", agent_statement_is_claim=False)


def test_what_a_policy_leaves_out_is_as_in_the_default() -> None:
    assert parse_policy('name = "mine"', str.upper) == PolicyRules(name="mine")


def test_trusted_tools_are_kept_as_digests_in_no_order_and_once() -> None:
    one = parse_policy('name = "mine"\ntrusted_tools = ["psql", "df", "psql"]', str.upper)
    other = parse_policy('name = "mine"\ntrusted_tools = ["df", "psql"]', str.upper)
    assert one == other
    assert one.trusted_tools == ("DF", "PSQL")


@pytest.mark.parametrize(
    ("text", "code", "field"),
    [
        ("name = ", "policy_not_toml", "policy"),
        ("", "text_empty", "policy"),
        ("agent_statement_is_claim = true", "policy_name_missing", "policy.name"),
        ('name = "mine"\nsecretive = 1', "policy_key_unknown", "policy"),
        ('name = "mine"\n[believe]\nagents = true', "policy_key_unknown", "policy"),
        ("name = 3", "policy_type_wrong", "policy.name"),
        ('name = "two words"', "identifier_invalid", "policy.name"),
        ('name = "mine"\nagent_statement_is_claim = "yes"', "policy_type_wrong", "policy.agent_statement_is_claim"),
        ('name = "mine"\nagent_statement_is_claim = 1', "policy_type_wrong", "policy.agent_statement_is_claim"),
        ('name = "mine"\nlift_needs_sources = "two"', "out_of_range", "policy.lift_needs_sources"),
        ('name = "mine"\nlift_needs_sources = true', "out_of_range", "policy.lift_needs_sources"),
        ('name = "mine"\nlift_needs_sources = 1', "out_of_range", "policy.lift_needs_sources"),
        ('name = "mine"\ntrusted_tools = "psql"', "policy_type_wrong", "policy.trusted_tools"),
        ('name = "mine"\ntrusted_tools = [1]', "policy_type_wrong", "policy.trusted_tools"),
        ('name = "mine"\ntrusted_tools = [""]', "text_empty", "policy.trusted_tools"),
    ],
)
def test_a_mistake_names_its_field_and_never_its_content(text: str, code: str, field: str) -> None:
    with pytest.raises(InvalidError) as caught:
        parse_policy(text, str.upper)
    assert (caught.value.code, caught.value.field) == (code, field)
    assert "secretive" not in caught.value.message
