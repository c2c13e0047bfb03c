"""The same claim takes one place and keeps its sources; contradictions are set apart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from packet_makers import make_candidate, make_citation, record_id

from firsthand.recall.group import Candidate, group, rank_of
from firsthand.vocabulary.packets import Why


def test_two_records_of_one_claim_take_one_place_with_both_citations() -> None:
    first = make_candidate(1, 0.9, claim_key="k", citations=(make_citation(11),))
    second = make_candidate(2, 0.5, claim_key="k", citations=(make_citation(12),), why=(Why(arm="vector", rank=3),))
    other = make_candidate(3, 0.1, claim_key="other")
    grouped = group([second, other, first])
    assert [found.item.record_id for found in grouped.items] == [record_id(1), record_id(3)]
    assert {citation.record_id for citation in grouped.items[0].item.citations} == {record_id(11), record_id(12)}
    assert {why.arm for why in grouped.items[0].item.why} == {"lexical", "vector"}
    assert grouped.absorbed == {record_id(2): record_id(1)}


def test_an_episode_that_says_what_its_claim_says_becomes_its_citation() -> None:
    claim = make_candidate(
        1, 0.5, text="Ana lives in Lisbon", citations=(make_citation(9, quote="Ana lives in Lisbon"),)
    )
    same = make_candidate(9, 0.9, text="Ana lives in Lisbon", kind="episodic", why=(Why(arm="recent", rank=1),))
    longer = make_candidate(8, 0.2, text="Ana lives in Lisbon, and Ben in Porto", kind="episodic")
    grouped = group([claim, same, longer])
    assert [found.item.record_id for found in grouped.items] == [record_id(1), record_id(8)]
    assert grouped.items[0].score == 0.9
    assert {why.arm for why in grouped.items[0].item.why} == {"lexical", "recent"}
    assert grouped.absorbed == {record_id(9): record_id(1)}


def test_an_episode_that_says_the_same_but_is_not_its_evidence_keeps_its_place() -> None:
    claim = make_candidate(1, 0.5, text="Ana lives in Lisbon", citations=(make_citation(7),))
    said = make_candidate(9, 0.4, text="Ana lives in Lisbon", kind="episodic")
    assert len(group([claim, said]).items) == 2


def test_two_episodes_are_two_utterances_even_with_one_claim_key() -> None:
    said = [make_candidate(n, 0.5, kind="episodic", claim_key="k") for n in (1, 2)]
    assert len(group(said).items) == 2


def test_several_heads_of_one_record_are_a_conflict_and_never_an_item() -> None:
    heads = [
        make_candidate(1, 0.5, text=text, revision_id=text, head_conflict=True, claim_key="k") for text in ("A", "B")
    ]
    grouped = group([*heads, make_candidate(2, 0.1)])
    assert [found.item.record_id for found in grouped.items] == [record_id(2)]
    assert [item.text for item in grouped.conflicts[0].group.items] == ["A", "B"]
    assert grouped.conflicts[0].group.code == "content_conflict"


def test_disputed_claims_are_joined_with_what_they_contradict() -> None:
    first = make_candidate(1, 0.9, disputed_with=(record_id(2),), status="disputed")
    second = make_candidate(2, 0.1, disputed_with=(record_id(1),), status="disputed")
    plain = make_candidate(3, 0.5)
    grouped = group([first, second, plain])
    assert [found.item.record_id for found in grouped.items] == [record_id(3)]
    assert [item.record_id for item in grouped.conflicts[0].group.items] == [record_id(1), record_id(2)]
    assert grouped.conflicts[0].best.score == 0.9


def test_a_dispute_reaches_a_record_that_lent_its_place_to_another() -> None:
    first = make_candidate(1, 0.9, claim_key="k")
    double = make_candidate(2, 0.8, claim_key="k")
    doubter = make_candidate(3, 0.7, disputed_with=(record_id(2),))
    grouped = group([first, double, doubter])
    assert grouped.items == ()
    assert [item.record_id for item in grouped.conflicts[0].group.items] == [record_id(1), record_id(3)]


def test_claims_that_dispute_the_same_absent_record_stand_together() -> None:
    doubters = [make_candidate(n, 0.5, disputed_with=(record_id(99),)) for n in (1, 2)]
    grouped = group(doubters)
    assert len(grouped.conflicts) == 1
    assert len(grouped.conflicts[0].group.items) == 2


def test_a_disputed_claim_alone_is_still_not_offered_as_true() -> None:
    grouped = group([make_candidate(1, 0.9, status="disputed"), make_candidate(2, 0.1)])
    assert [found.item.record_id for found in grouped.items] == [record_id(2)]
    assert len(grouped.conflicts) == 1


def candidates() -> st.SearchStrategy[list[Candidate]]:
    one = st.builds(
        make_candidate,
        st.integers(1, 8),
        st.sampled_from([0.1, 0.5, 0.9]),
        text=st.sampled_from(["A", "B"]),
        revision_id=st.sampled_from(["e1", "e2"]),
        kind=st.sampled_from(["semantic", "episodic"]),
        claim_key=st.sampled_from([None, "k", "l"]),
        head_conflict=st.booleans(),
        disputed_with=st.sampled_from([(), (record_id(1),), (record_id(2), record_id(3))]),
        citations=st.sampled_from([(), (make_citation(1),), (make_citation(2),)]),
    )
    return st.lists(one, max_size=10, unique_by=lambda found: (found.item.record_id, found.item.revision_id))


@given(candidates(), st.randoms())
def test_grouping_is_total_and_loses_no_record_whatever_the_order(found: list[Candidate], chance) -> None:
    grouped = group(found)
    shuffled = list(found)
    chance.shuffle(shuffled)
    assert group(shuffled) == grouped
    places = [place.item.record_id for place in grouped.items]
    places += [item.record_id for conflict in grouped.conflicts for item in conflict.group.items]
    assert {candidate.item.record_id for candidate in found} == set(places) | set(grouped.absorbed)
    assert list(grouped.items) == sorted(grouped.items, key=rank_of)
    cited = {citation for candidate in found for citation in candidate.item.citations}
    kept = {citation for place in grouped.items for citation in place.item.citations}
    kept |= {c for conflict in grouped.conflicts for item in conflict.group.items for c in item.citations}
    assert kept == cited


def test_among_equals_the_newer_belief_is_first_whatever_their_ids() -> None:
    older = make_candidate(1, 0.5, text="Ana lives in Lisbon", believed_since=1)
    newer = make_candidate(2, 0.5, text="Ana likes figs", believed_since=2)
    better = make_candidate(3, 0.6, text="Ana owns a boat", believed_since=0)
    grouped = group([older, newer, better])
    assert [found.item.record_id for found in grouped.items] == [record_id(3), record_id(2), record_id(1)]
