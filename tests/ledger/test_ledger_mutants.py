"""Guarantees of the ledger and of opening it, seen to fail: one mechanism is broken at a time, and its test notices."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
import test_keys as keys
import test_policy_in_force as policy
import test_rebuild as rebuild

from firsthand import audit, projection, wiring
from firsthand.capture import gateway
from firsthand.rules.policy import DEFAULT_POLICY, parse_policy
from firsthand.vocabulary.entries import Skeleton
from firsthand.vocabulary.errors import FirsthandError


class Mutant(NamedTuple):
    """A mechanism broken, and the test that has to fail."""

    what: str
    owner: Any
    attribute: str
    broken: Any
    caught_by: Callable[[Path], None]


def as_the_opener_says(self: gateway.Gateway, handle: Any, rules: Any) -> None:
    """The policy of this process, whatever the ledger says."""
    OPENED[:] = [rules]


def opened_with(reader: Any) -> Any:
    return OPENED[-1] if OPENED else DEFAULT_POLICY


def always_made(url: Any, *, create: bool) -> Path:
    return path_of(url, create=True)


def as_it_reads(self: audit.Walk, row: Any) -> Skeleton:
    return msgspec.json.decode(row.skeleton, type=Skeleton)


def put_by_anyone(gate: Any, caller: Any, text: str) -> None:
    gate.set_policy(caller, parse_policy(wiring._policy_text(text), lambda name: caller.keyed.digest("origin", name)))


OPENED: list[Any] = []
path_of = wiring._path
MUTANTS = (
    Mutant("the policy in force is not looked up", projection, "policy_in_force", lambda reader: DEFAULT_POLICY,
           policy.test_a_space_keeps_its_policy_whoever_opens_it),
    Mutant("whoever opens a space brings its policy", gateway.Gateway, "set_policy", as_the_opener_says,
           policy.test_a_space_keeps_its_policy_whoever_opens_it),
    Mutant("another policy settles nothing anew", projection, "_settle_all", lambda writer, rules: {},
           policy.test_another_policy_settles_everything_anew_and_history_keeps_what_was_believed),
    Mutant("anybody sets a policy", wiring, "_put_in_force", put_by_anyone,
           policy.test_only_the_operator_of_the_file_sets_its_policy),
    Mutant("a rebuild takes any ledger", audit.Walk, "_step", as_it_reads,
           rebuild.test_a_rebuild_refuses_a_ledger_that_is_not_what_was_written),
    Mutant("opening makes a file in any case", wiring, "_path", always_made,
           keys.test_opening_without_making_makes_neither_file),
)  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.what)
def test_a_broken_mechanism_is_caught(mutant: Mutant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    whole.mkdir()
    broken.mkdir()
    mutant.caught_by(whole)
    OPENED.clear()
    monkeypatch.setattr(mutant.owner, mutant.attribute, mutant.broken)
    if mutant.broken is as_the_opener_says:
        monkeypatch.setattr(projection, "policy_in_force", opened_with)
    with pytest.raises((AssertionError, pytest.fail.Exception, FirsthandError)):
        mutant.caught_by(broken)
