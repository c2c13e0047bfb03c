"""The gate: one truth table, and the locks that time travel cannot open."""

from __future__ import annotations

import itertools

import pytest

from firsthand.rules.gate import INCLUDES, Include, Shown, check_include, is_conflict, may_show, stands, unlocked
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.kinds import KINDS, STATUSES, TIERS, Status, Tier, Visibility

EVERYTHING = frozenset(INCLUDES)
PLAIN = Shown("validated_claim", "active", "visible", 1, 1, "semantic")
VISIBILITIES: tuple[Visibility, ...] = ("visible", "content_conflict", "hidden")


def rows() -> list[Shown]:
    return [
        Shown(tier, status, visibility, live, level, kind, scope, generation)
        for tier, status, visibility, live, level, kind, scope, generation in itertools.product(
            TIERS, STATUSES, VISIBILITIES, (0, 1), (1, 2), KINDS, (True, False), (True, False)
        )
    ]


def test_default_recall_passes_exactly_what_the_design_lists() -> None:
    for row in rows():
        listed = (
            row.status in ("active", "disputed")
            and row.tier != "candidate"
            and row.visibility in ("visible", "content_conflict")
            and (row.live_support > 0 or row.kind in ("episodic", "working", "entity"))
            and row.sensitivity <= 1
            and row.in_scope
            and row.current_generation
        )
        assert may_show(row, clearance=1) == listed, row


# tier, status, live supports, the smallest sets of `include` that show it
TRUTH: list[tuple[Tier, Status, int, list[set[Include]]]] = [
    ("fact", "active", 1, [set()]),
    ("validated_claim", "active", 1, [set()]),
    ("validated_claim", "active", 0, []),
    ("validated_claim", "disputed", 1, [set()]),
    ("validated_claim", "disputed", 0, []),
    ("candidate", "disputed", 1, [{"candidates"}]),
    ("candidate", "pending_evidence", 1, [{"candidates"}]),
    ("candidate", "pending_evidence", 0, [{"pending"}]),
    ("validated_claim", "pending_evidence", 0, [{"pending"}]),
    ("validated_claim", "needs_review", 1, [{"needs_review"}]),
    ("validated_claim", "needs_review", 0, []),
    ("candidate", "needs_review", 1, [{"needs_review", "candidates"}]),
    ("validated_claim", "superseded", 1, [{"superseded"}]),
    ("candidate", "superseded", 0, [{"superseded"}]),
    ("validated_claim", "quarantined", 1, []),
    ("validated_claim", "retracted", 1, []),
    ("validated_claim", "rejected", 1, []),
    ("validated_claim", "erased", 1, []),
]


@pytest.mark.parametrize(("tier", "status", "live", "smallest"), TRUTH)
def test_include_admits_what_it_names_and_no_more(
    tier: Tier, status: Status, live: int, smallest: list[set[Include]]
) -> None:
    row = Shown(tier, status, "visible", live, 0, "semantic")
    for size in range(len(INCLUDES) + 1):
        for asked in itertools.combinations(INCLUDES, size):
            assert stands(row, frozenset(asked)) == any(s <= set(asked) for s in smallest), asked


def test_nothing_locked_is_ever_shown_whatever_is_asked() -> None:
    for row in rows():
        locked = (
            row.visibility == "hidden"
            or row.status in ("erased", "rejected")
            or row.sensitivity > 1
            or not row.in_scope
            or not row.current_generation
        )
        if locked or row.status in ("retracted", "quarantined"):
            assert not may_show(row, clearance=1, include=EVERYTHING), row
        assert unlocked(row, 1) != locked


def test_asking_for_more_never_shows_less() -> None:
    for row in rows():
        for name in INCLUDES:
            assert stands(row, frozenset((name,))) >= stands(row)
            assert stands(row, EVERYTHING) >= stands(row, frozenset((name,)))


def test_the_past_passes_the_locks_of_then_and_now_and_the_standing_of_then() -> None:
    sample = rows()[::37]
    for then, now in itertools.product(sample, sample[::5]):
        expected = stands(then) and unlocked(then, 1) and unlocked(now, 1)
        assert may_show(now, then, clearance=1) == expected


@pytest.mark.parametrize(
    "locked",
    [
        PLAIN._replace(visibility="hidden"),
        PLAIN._replace(status="rejected"),
        PLAIN._replace(status="erased"),
        PLAIN._replace(sensitivity=3),
        PLAIN._replace(in_scope=False),
        PLAIN._replace(current_generation=False),
    ],
)
def test_a_lock_of_either_time_holds_at_both(locked: Shown) -> None:
    assert may_show(PLAIN, PLAIN, clearance=1)
    assert not may_show(locked, PLAIN, clearance=1)
    assert not may_show(PLAIN, locked, clearance=1)


def test_what_was_believed_and_is_taken_back_since_is_shown_at_its_time_alone() -> None:
    retracted = PLAIN._replace(status="retracted", tier="candidate", live_support=0)
    assert may_show(retracted, PLAIN, clearance=1)
    assert not may_show(retracted, clearance=1)
    assert not may_show(PLAIN, retracted, clearance=1)


def test_an_unknown_visibility_counts_as_hidden() -> None:
    assert not unlocked(PLAIN._replace(visibility="sealed"), 4)  # pyright: ignore[reportArgumentType]


def test_disputed_claims_and_competing_contents_are_conflicts() -> None:
    assert is_conflict(PLAIN._replace(status="disputed"))
    assert is_conflict(PLAIN._replace(visibility="content_conflict"))
    assert not is_conflict(PLAIN)


def test_hidden_things_cannot_be_asked_for() -> None:
    assert check_include(["pending", "candidates"]) == {"pending", "candidates"}
    for name in ("hidden", "erased", "rejected", "retracted", ""):
        with pytest.raises(InvalidError) as caught:
            check_include([name])
        assert caught.value.code == "include_unknown"
