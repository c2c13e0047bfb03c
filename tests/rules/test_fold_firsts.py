"""What is said of the first word on a matter without a fold is what the fold says."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from scribe import (
    ANA,
    ANAS_AGENT,
    ANAS_IMPORT,
    ANAS_SPEECH,
    BEN,
    LIVES_IN,
    PLAIN,
    PROBE,
    SCRAPER,
    USES,
    Scribe,
    Voice,
    claim,
)

from firsthand.rules import fold as folding
from firsthand.rules.firsts import first_claim_row
from firsthand.rules.fold import fold
from firsthand.vocabulary.entries import Entry, PolicyRules, Revise
from firsthand.vocabulary.kinds import Kind

VOICES = (ANA, BEN, ANAS_AGENT, ANAS_SPEECH, ANAS_IMPORT, PROBE, SCRAPER)
POLICIES = (
    PolicyRules(name="default"),
    PolicyRules(name="strict", agent_statement_is_claim=False),
    PolicyRules(name="three", lift_needs_sources=3),
)
KINDS: tuple[Kind, ...] = ("semantic", "semantic", "semantic", "competence", "plan_graph")
STEPS = 60


class Comparing(Scribe):
    """A store that folds every entry of its own twice: as fresh, and as one that anything may refer to."""

    def receive(self, entry: Entry, *, fresh: bool = False) -> Entry:
        before = self.rows
        super().receive(entry, fresh=fresh)
        asked = fold(self.entries, entry, self.policy).rows
        for unit, rows in asked.items():
            assert self.rows.get(unit, frozenset()) == rows, (entry, before.get(unit))
        return entry


def one_step(scribe: Scribe, chosen: random.Random, at: int, episodes: list[str], claims: list[str]) -> None:
    who: Voice = chosen.choice(VOICES)
    level = chosen.choice((0, 0, 1, 3))
    step = chosen.choice(("capture", "entity", "remember", "remember", "remember", "cite", "other"))
    if step == "capture":
        episodes.append(scribe.capture(who, at, level=level))
    elif step == "entity":
        scribe.write(who, Revise(record_kind=chosen.choice(("entity", "working")), names=(f"n{at}",)), at, level=level)
    elif step in ("remember", "cite"):
        of = claim(f"v{chosen.randrange(9)}", chosen.choice((LIVES_IN, USES, PLAIN)))
        of = msgspec.structs.replace(of, ambiguous=chosen.random() < 0.2, subject=f"{of.subject}{chosen.randrange(6)}")
        more: dict[str, Any] = {"echo": chosen.random() < 0.2}
        if chosen.random() < 0.4:
            more |= {"from_": chosen.choice((None, at - 50, at + 5)), "to": chosen.choice((None, at + 5, at - 60))}
        more["elsewhere"] = chosen.random() < 0.3
        evidence = chosen.choice([*episodes, *claims]) if step == "cite" and episodes else None
        made = scribe.remember(who, of, at, evidence=evidence, level=level, kind=chosen.choice(KINDS), **more)
        claims += [made] if made is not None else []
    elif episodes:
        record = chosen.choice(episodes)
        again = chosen.choice((scribe.retract, scribe.withdraw))
        again(who, record, at)
    if claims and chosen.random() < 0.2:
        scribe.retract(chosen.choice((ANA, BEN)), chosen.choice(claims), at + 1)


@pytest.mark.parametrize("seed", range(30))
def test_short_ways_say_what_the_fold_says(seed: int) -> None:
    chosen = random.Random(seed)
    scribe = Comparing(chosen.choice(POLICIES), name=str(seed))
    episodes: list[str] = []
    claims: list[str] = []
    for number in range(STEPS):
        one_step(scribe, chosen, 100 + 10 * number, episodes, claims)
    assert scribe.rows == scribe.afresh()


def test_most_first_words_take_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[bool] = []

    def counted(*asked: Any) -> Any:
        row = first_claim_row(*asked)
        taken.append(row is not None)
        return row

    monkeypatch.setattr(folding, "first_claim_row", counted)
    scribe = Scribe()
    scribe.remember(ANA, claim("lisbon"), 10)
    scribe.remember(BEN, claim("oslo", USES), 20)
    assert taken == [True, True]
    scribe.remember(BEN, claim("berlin"), 30)
    assert taken == [True, True, False], "a second value meets the first"


def test_a_mutant_that_takes_the_short_way_past_a_contradiction_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def alone(view: Any, entry: Entry, policy: PolicyRules) -> Any:
        class Deaf:
            said_in, get = view.said_in, view.get

            def bearing_on(self, key: str) -> tuple[Entry, ...]:
                return (entry,) if key.startswith("u:") else ()

        return first_claim_row(Deaf(), entry, policy)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(folding, "first_claim_row", alone)
    scribe = Comparing()
    scribe.remember(ANA, claim("lisbon"), 10)
    with pytest.raises(AssertionError):
        scribe.remember(BEN, claim("berlin"), 30)
