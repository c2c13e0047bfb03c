"""What a rebuild makes of the ledger is what writing made of it, over every column of every projection."""

from __future__ import annotations

import json
import socket
from collections import Counter
from pathlib import Path

import pytest
from histories import Authors, digests, rows, store_of
from specimens import SPACE as OTHER_SPACE
from specimens import write_specimens

import firsthand
from firsthand.store.sql import PROJECTIONS

STEPS = 60


@pytest.mark.parametrize("seed", range(6))
def test_a_rebuild_of_a_random_history_gives_what_writing_gave(seed: int, tmp_path: Path) -> None:
    with Authors(tmp_path / "m.db", seed) as authors:
        authors.write(STEPS)
        live = digests(authors.first)
        report = authors.first.ledger.rebuild()
        assert report.same
        assert digests(authors.first) == live
        assert set(live) == {*PROJECTIONS, "lex", "lex_rest"}
        authors.write(STEPS // 5)
        assert authors.first.ledger.verify(deep=True).position == report.entries + _since(authors, report.entries)


def _since(authors: Authors, position: int) -> int:
    return int(rows(authors.path, "SELECT count(*) FROM entry WHERE position > ?", position)[0][0])


def test_random_histories_reach_every_verb_and_every_projection(tmp_path: Path) -> None:
    held: Counter[str] = Counter()
    verbs: Counter[str] = Counter()
    for seed in range(2):
        with Authors(tmp_path / f"m{seed}.db", seed) as authors:
            authors.write(2 * STEPS)
            for table in PROJECTIONS:
                held[table] += rows(authors.path, f"SELECT count(*) FROM {table}")[0][0]
            for (text,) in rows(authors.path, "SELECT skeleton FROM entry"):
                edges = json.loads(text)["edges"]
                verbs[edges["kind"]] += 1
                verbs[f"{edges['kind']} {edges.get('verb', edges.get('record_kind', ''))}"] += 1
    assert {*held} == {*PROJECTIONS}
    assert min(held.values()) > 0
    assert {"revise", "support", "judge", "classify", "relate", "attend", "define", "propose"} <= set(verbs)
    wanted = {"support grant", "support revoke", "judge retract", "relate begin", "relate end", "revise entity"}
    assert wanted | {"revise plan_graph", "revise working", "revise competence", "revise semantic"} <= set(verbs)


def test_rebuilding_twice_changes_nothing_and_needs_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def offline(*_: object, **__: object) -> None:
        raise AssertionError("a rebuild asked for the network")

    with Authors(tmp_path / "m.db", 11) as authors:
        authors.write(STEPS)
        monkeypatch.setattr(socket, "socket", offline)
        first, second = authors.first.ledger.rebuild(), authors.first.ledger.rebuild()
        assert first.digest_after == second.digest_before == second.digest_after


def test_a_rebuild_of_one_space_leaves_the_other_spaces_of_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with Authors(path, 12) as authors, firsthand.open(path, space=OTHER_SPACE) as other:
        authors.write(STEPS // 3)
        with store_of(other).writing(OTHER_SPACE) as writer:
            write_specimens(writer)
        authors.write(STEPS // 3)
        other.at(scope="team:dock").capture("The other dock is wet.")
        for rebuilt, left in ((authors.first, other), (other, authors.first)):
            before = digests(left)
            assert rebuilt.ledger.rebuild().same
            assert digests(left) == before
            assert left.ledger.verify(deep=True).deep
        found = other.at(scope="team:dock").recall("Is the dock wet?").items
        assert [item.text for item in found] == ["The other dock is wet."]


def test_rebuild_and_verify_say_how_far_they_are(tmp_path: Path) -> None:
    with firsthand.open(tmp_path / "m.db") as memory:
        memory.capture_many({"text": f"Plank {number}."} for number in range(250))
        total = memory.ledger.head().position
        steps: list[tuple[int, int]] = []
        memory.ledger.rebuild(progress=lambda done, of: steps.append((done, of)))
        assert steps == [(100, total), (200, total)]


def test_what_was_recalled_before_a_rebuild_is_recalled_after_it(tmp_path: Path) -> None:
    with Authors(tmp_path / "m.db", 13) as authors:
        authors.write(STEPS)
        asked = [(m, f"Where does {who} live?") for m in authors.authors for who in ("Ana", "Ben")]
        before = [[(i.record_id, i.qualifier.code) for i in m.recall(q).items] for m, q in asked]
        authors.first.ledger.rebuild()
        after = [[(i.record_id, i.qualifier.code) for i in m.recall(q).items] for m, q in asked]
        assert after == before
        assert any(before)


def test_a_rebuild_refuses_a_ledger_that_is_not_what_was_written(tmp_path: Path) -> None:
    with firsthand.open(tmp_path / "m.db", actor="ana", role="person") as memory:
        memory.capture("the door is red")
        assert memory.ledger.rebuild().same
        before = digests(memory)
        writer = store_of(memory)._writer
        writer.execute("DROP TRIGGER entry_no_update")
        writer.execute("UPDATE entry SET chain = 'x' WHERE position = 1")
        with pytest.raises(firsthand.BrokenError) as caught:
            memory.ledger.rebuild()
        assert caught.value.code == "ledger_broken"
        assert digests(memory) == before
