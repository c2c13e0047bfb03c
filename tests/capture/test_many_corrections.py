"""A record that is corrected often: what one more correction costs grows with their number, not with its square."""

from collections import Counter

from houses import claim, texts

from firsthand.rules import sensitivity

CORRECTIONS = (8, 16)


def _calls_of_one_more(memory, record_id, corrections, counted):
    """How often the counted function is called by the last of some corrections of a record."""
    for n in range(corrections):
        counted.clear()
        memory.correct(record_id, object=9000 + n, reason="it was read wrongly")
    return counted["own_level"]


def test_how_sensitive_a_record_is_is_worked_out_once_for_all_the_values_it_had(house, monkeypatch):
    counted = Counter()
    plain = sensitivity.own_level

    def own_level(view, record):
        counted["own_level"] += 1
        return plain(view, record)

    monkeypatch.setattr(sensitivity, "own_level", own_level)
    memory = house.memory()
    calls = {}
    for corrections in CORRECTIONS:
        fact = claim(memory, f"api {corrections}", "port", 8080)
        calls[corrections] = _calls_of_one_more(memory, fact.record_id, corrections, counted)
    few, many = (calls[corrections] for corrections in CORRECTIONS)
    assert few >= CORRECTIONS[0], "every value's own source is looked at"
    assert many <= 2 * few + 8, "twice as many values: twice as many looks, not four times"
    assert texts(memory, "api 16 port")[0] == f"api 16 port {9000 + CORRECTIONS[1] - 1}"
    memory.ledger.verify(deep=True)
