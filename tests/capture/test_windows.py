"""A correction of a value that held more than once: what takes its place takes all of its stretches of time."""

import pytest
from houses import current, texts

DAYS = {"2024-03-01": True, "2024-08-01": False, "2025-03-01": True}
"""Whether the first port held on a day."""


def coming_and_going(memory):
    """A port that another takes the place of for half a year; its record."""
    first = memory.remember(
        subject="api", predicate="port", object=8080, valid_from="2024-01-01", valid_to="2024-06-01"
    )
    memory.remember(subject="api", predicate="port", object=9090, valid_from="2024-06-01", valid_to="2025-01-01")
    memory.remember(subject="api", predicate="port", object=8080, valid_from="2025-01-01")
    return first.record_id


def held(memory, port):
    return {day: f"api port {port}" in texts(memory, "api port", valid_at=day) for day in DAYS}


def test_a_correction_takes_all_of_its_windows(house):
    memory = house.memory()
    record = coming_and_going(memory)
    assert held(memory, 8080) == DAYS
    fixed = memory.correct(record, object=8081, reason="misread, both times")
    assert fixed.record_id == record
    assert (held(memory, 8081), held(memory, 8080)) == (DAYS, dict.fromkeys(DAYS, False))
    assert held(memory, 9090) == {day: not then for day, then in DAYS.items()}
    assert memory.ledger.verify(deep=True).deep
    memory.undo(fixed.entry_id, reason="read it again")
    assert (held(memory, 8080), held(memory, 8081)) == (DAYS, dict.fromkeys(DAYS, False))


def test_a_typo_in_its_sentence_takes_no_window_from_it(house):
    memory = house.memory()
    record = coming_and_going(memory)
    memory.correct(record, "The api listens on port 8080", reason="clearer")
    days = {day: "The api listens on port 8080" in texts(memory, "api port", valid_at=day) for day in DAYS}
    assert days == DAYS


def test_a_correction_with_a_window_of_its_own_is_of_that_time_alone(house):
    memory = house.memory()
    record = coming_and_going(memory)
    memory.correct(record, object=8081, valid_from="2025-01-01", reason="only this year")
    assert held(memory, 8081) == {"2024-03-01": False, "2024-08-01": False, "2025-03-01": True}


@pytest.mark.parametrize("joins", [False, True])
def test_a_proposed_correction_takes_all_of_its_windows_once_approved(house, joins):
    memory, bot = house.memory(), house.memory(actor="bot", owner="ben", role="agent")
    record = coming_and_going(memory)
    if joins:
        memory.remember(subject="api", predicate="port", object=8081, valid_from="2020-01-01", valid_to="2020-02-01")
    assert bot.correct(record, object=8081, reason="misread").outcome == "proposed"
    (item,) = memory.review.list(kind="proposals").items
    memory.review.decide(item.item_id, "approve", reason="so it is")
    assert held(memory, 8081) == DAYS
    assert current(memory, "api port") == ["api port 8081"]
