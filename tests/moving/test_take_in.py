"""An export is taken in whole or not at all, byte for byte, and a second time adds nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from histories import Authors
from pairs import (
    SCOPE,
    Pair,
    accounted,
    believed,
    entries,
    erase,
    everything,
    forged,
    look,
    put_manifest,
    signed_again,
    unwritten,
)

import firsthand
from firsthand.rules.identity import entry_id
from firsthand.surfaces.sentences import transfer_sentences
from firsthand.vocabulary.entries import Body, Define, Revise, Seal
from firsthand.vocabulary.records import Episodic

LOCAL = 'skeleton NOT LIKE \'%"what":"arrival"%\' AND skeleton NOT LIKE \'%"what":"peer"%\''


def shared(path: Path) -> list[tuple[Any, ...]]:
    """A ledger without what concerns its own store alone."""
    return look(path, f"SELECT entry_id, skeleton, body, salt FROM entry WHERE {LOCAL} ORDER BY entry_id")


# ---- two stores ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [3, 14, 159, 2653])
def test_two_stores_that_exchanged_everything_agree_on_everything_they_believe(seed: int, pair: Pair) -> None:
    a, b = pair.memory("a"), pair.memory("b")
    pair.trusting(a, b)
    pair.trusting(b, a)
    with Authors(pair.path("a"), seed) as ours, Authors(pair.path("b"), seed + 1) as theirs:
        ours.write(18)
        theirs.write(18)
        a.ledger.seal()
        for one, other in ((a, b), (b, a)):
            assert pair.send(one, other).quarantined == ()
        ours.claims, ours.records = ours.claims + theirs.claims, ours.records + theirs.records
        ours.write(18)
        theirs.write(12)
        assert shared(pair.path("a")) != shared(pair.path("b"))
        assert believed(pair.path("a")) != believed(pair.path("b"))
        pair.send(a, b)
        pair.send(b, a)
    assert shared(pair.path("a")) == shared(pair.path("b"))
    assert believed(pair.path("a")) == believed(pair.path("b"))
    assert len(believed(pair.path("a"))) > 20
    for memory in (a, b):
        assert memory.ledger.verify(deep=True).deep


def test_entries_stay_byte_for_byte_and_only_their_place_and_time_are_this_stores_own(pair: Pair) -> None:
    a, b = pair.memory("a"), pair.memory("b")
    pair.trusting(b, a)
    a.capture("The hull is dry.", speaker="Ana")
    sent = entries(pair.path("a"))
    head = b.ledger.head()
    report = pair.send(a, b)
    assert report.added == len(sent) > 2
    assert set(sent) <= set(entries(pair.path("b")))
    received = look(pair.path("b"), "SELECT received_at FROM entry WHERE position > ?", head.position)
    assert min(received)[0] > head.received_at
    assert b.recall("hull").items[0].text == "The hull is dry."


def test_taking_in_an_export_twice_adds_nothing(pair: Pair) -> None:
    a, b = pair.memory("a"), pair.memory("b")
    pair.trusting(b, a)
    a.remember(subject="hull", predicate="status", object="dry")
    path = pair.export(a)
    first = b.ledger.take_in(path)
    held = everything(pair.path("b"))
    second = b.ledger.take_in(path)
    assert (second.added, second.known) == (0, first.added)
    assert everything(pair.path("b")) == held


def test_a_store_takes_its_own_export_for_its_own(pair: Pair) -> None:
    a, b = pair.memory("a"), pair.memory("b")
    pair.trusting(a, b, "agent")
    b.remember(subject="hull", predicate="status", object="dry")
    pair.send(b, a)
    held = everything(pair.path("a"))
    report = a.ledger.take_in(pair.export(a))
    assert (report.added, report.trust, report.local) == (0, "person", 0)
    assert everything(pair.path("a")) == held


# ---- bad input -------------------------------------------------------------------------------------------------------


def cut_off(path: Path) -> Path:
    file = path / "entries-000001.jsonl"
    file.write_bytes(file.read_bytes()[:-40])
    return path


def flipped(path: Path) -> Path:
    file = path / "entries-000001.jsonl"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    return path


def without_a_file(path: Path) -> Path:
    (path / "entries-000001.jsonl").unlink()
    return path


def relisted(**changes: Any) -> Callable[[Path], Path]:
    def change(path: Path) -> Path:
        listed = json.loads((path / "manifest.json").read_text())
        put_manifest(path, listed | changes)
        return path

    return change


def of_another_program(path: Path) -> Path:
    (path / "manifest.json").write_text('{"name": "somebody", "version": 1}')
    return path


def noise(path: Path) -> Path:
    (path / "manifest.json").write_bytes(b"\x00\xff not json")
    return path


BAD: dict[str, tuple[Callable[[Path], Path], str]] = {
    "a file cut off": (cut_off, "export_damaged"),
    "a byte flipped": (flipped, "export_damaged"),
    "a file missing": (without_a_file, "export_incomplete"),
    "a manifest changed": (relisted(made_at=1), "export_forged"),
    "a manifest of another version": (relisted(version=2), "export_version"),
    "a manifest with another field": (relisted(more=1), "export_unreadable"),
    "another program's folder": (of_another_program, "not_an_export"),
    "noise": (noise, "export_unreadable"),
    "nothing": (lambda path: path / "nowhere", "path_missing"),
}


@pytest.mark.parametrize("what", BAD)
def test_an_export_that_is_not_whole_leaves_no_trace(what: str, pair: Pair) -> None:
    a, b = pair.memory("a"), pair.memory("b")
    pair.trusting(b, a)
    a.capture("The hull is dry.")
    path = pair.export(a)
    held = everything(pair.path("b"))
    damage, code = BAD[what]
    with pytest.raises(firsthand.FirsthandError) as caught:
        b.ledger.take_in(damage(path))
    assert caught.value.code == code
    assert everything(pair.path("b")) == held


def torn(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """An export with a rejection, a blank body and its erasure, broken off at every entry."""
    a, whole = pair.memory("a"), pair.memory("b")
    gone = a.capture("The zqxword is here.")
    wrong = a.remember(subject="hull", predicate="uses", object="tar")
    a.reject(wrong.record_id, reason="never")
    a.capture("The hull uses tar, they say.")
    a.remember(subject="hull", predicate="status", object="dry")
    a.erase(gone.record_id, reason_code="privacy")
    path = pair.export(a)
    pair.trusting(whole, a)
    total = whole.ledger.take_in(path).added
    monkeypatch.setattr("firsthand.moving.importing.BATCH_ENTRIES", 3)
    monkeypatch.setattr("firsthand.moving.importing.PAUSE_SECONDS", 0)
    for breaks_at in range(total):
        c = broken_off(pair, a, path, breaks_at, monkeypatch)
        added = len(shared(pair.folder / f"c{breaks_at}.db")) - len(shared(pair.folder / "fresh.db"))
        assert added in (breaks_at // 3 * 3, breaks_at // 3 * 3 + 1), "whole batches, and what they tell of meetings"
        assert c.ledger.verify(deep=True).deep
        assert c.ledger.take_in(path).added == total - breaks_at // 3 * 3
        assert believed(pair.folder / f"c{breaks_at}.db") == believed(pair.path("b"))
        assert c.ledger.verify(deep=True).deep
        c.close()


def broken_off(pair: Pair, a: Any, path: Path, breaks_at: int, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A store whose taking in of an export broke off before so many entries."""
    from firsthand.ledger import adopt

    at = pair.folder / f"c{breaks_at}.db"
    if not (pair.folder / "fresh.db").exists():
        firsthand.join(pair.folder / "fresh.db", pair.folder / "space.key")
        with firsthand.open(pair.folder / "fresh.db", actor="ana", role="person", scope=SCOPE, clock=pair.clock) as c:
            pair.trusting(c, a)
    firsthand.join(at, pair.folder / "space.key")
    c = firsthand.open(at, actor="ana", role="person", scope=SCOPE, clock=pair.clock)
    pair.trusting(c, a)
    calls: list[int] = []

    def failing(*given: Any) -> Any:
        if len(calls) == breaks_at:
            raise OSError(5, "gone")
        calls.append(1)
        return adopt(*given)

    with monkeypatch.context() as patch:
        patch.setattr("firsthand.moving.copies.adopt", failing)
        with pytest.raises(OSError, match="gone"):
            c.ledger.take_in(path)
    return c


def test_an_export_that_breaks_off_leaves_whole_batches_that_verify_and_taking_it_in_again_finishes(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    torn(pair, monkeypatch)


def others_write_in_between(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = pair.memory("a"), pair.memory("b")
    pair.trusting(b, a)
    for number in range(8):
        a.capture(f"Plank {number} is dry.")
    path = pair.export(a)
    monkeypatch.setattr("firsthand.moving.importing.BATCH_ENTRIES", 3)
    monkeypatch.setattr("firsthand.moving.importing.PAUSE_SECONDS", 0)
    ours: list[str] = []

    def write(done: int, total: int) -> None:
        with firsthand.open(pair.path("b"), actor="ben", role="person", scope=SCOPE, clock=pair.clock) as other:
            ours.append(other.capture(f"Heard after {done} of {total}.").record_id or "")

    report = b.ledger.take_in(path, progress=write)
    assert len(ours) == -(-report.added // 3)
    order = [e for (e,) in look(pair.path("b"), "SELECT entry_id FROM entry ORDER BY position")]
    places = [order.index("e" + record[1:]) for record in ours]
    taken = [order.index(e) for (e,) in look(pair.path("a"), "SELECT entry_id FROM entry") if e in order]
    assert min(taken) < places[0] < places[1] < max(taken)
    assert b.ledger.verify(deep=True).deep


def test_others_write_between_two_batches(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    others_write_in_between(pair, monkeypatch)


def test_a_store_that_is_removed_meanwhile_is_believed_no_further(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = pair.memory("a"), pair.memory("b")
    pair.trusting(b, a)
    said = [a.capture(f"Plank {number} is dry.") for number in range(8)]
    monkeypatch.setattr("firsthand.moving.importing.BATCH_ENTRIES", 3)
    with pytest.raises(firsthand.RefusedError) as caught:
        b.ledger.take_in(pair.export(a), progress=lambda done, total: b.peers.remove(a.peers.own().device))
    assert caught.value.code == "peer_unknown"
    here = entries(pair.path("b"))
    assert "Plank 0" in str(here)
    assert (said[-1].record_id or "")[1:] not in str(here)
    assert b.ledger.verify(deep=True).deep


def test_a_store_that_is_not_registered_is_refused_and_noted_without_content(pair: Pair) -> None:
    a, b = pair.memory("a"), pair.memory("b")
    a.capture("The hull is dry.")
    held = entries(pair.path("b"))
    with pytest.raises(firsthand.RefusedError) as caught:
        pair.send(a, b)
    assert caught.value.code == "peer_unknown"
    assert caught.value.details["key"] == a.peers.own().key
    assert [e for e in entries(pair.path("b")) if e not in held and "hull" in str(e)] == []
    assert look(pair.path("b"), "SELECT verb, code FROM refusal") == [("import", "peer_unknown")]
    pair.trusting(b, a, "none")
    with pytest.raises(firsthand.RefusedError):
        pair.send(a, b)


def test_another_space_and_another_key_are_told_apart_from_this_one(pair: Pair) -> None:
    a, b = pair.memory("a"), pair.memory("b")
    with firsthand.open(pair.folder / "other.db") as other:
        other.capture("Not ours.")
        pair.trusting(b, other)
        foreign = pair.export(other)
    with firsthand.open(pair.path("a"), space="second") as second:
        second.capture("Not here.")
        elsewhere = pair.export(second)
    pair.trusting(b, a)
    for path, code in ((foreign, "other_key"), (elsewhere, "other_space")):
        with pytest.raises(firsthand.InvalidError) as caught:
            b.ledger.take_in(path)
        assert caught.value.code == code


# ---- quarantine ------------------------------------------------------------------------------------------------------


def altered(**columns: Any) -> Callable[[Any], Any]:
    return lambda row: row._replace(**columns)


def another_skeleton(row: Any) -> Any:
    return row._replace(skeleton=row.skeleton.replace('"recorded_at":1', '"recorded_at":2'))


def later_format(row: Any) -> Any:
    text = row.skeleton.replace('"format":1', '"format":2')
    return row._replace(skeleton=text, entry_id=entry_id(text))


def unknown_kind(row: Any) -> Any:
    text = row.skeleton.replace('"kind":"revise"', '"kind":"revolve"')
    return row._replace(skeleton=text, entry_id=entry_id(text))


UNFIT: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a skeleton that is not its id's": (another_skeleton, "id_differs"),
    "a body that is not its skeleton's": (altered(body='{"reason":"other"}'), "body_differs"),
    "a salt that is no salt": (altered(salt="00"), "body_differs"),
    "a body without a salt": (altered(salt=None), "body_differs"),
    "a body that is gone and that nothing erased": (altered(body=None, salt=None), "body_missing"),
    "a format of a later version": (later_format, "format_unknown"),
    "a kind that is not known": (unknown_kind, "format_unknown"),
}


@pytest.mark.parametrize("what", UNFIT)
def test_an_entry_that_fails_its_checks_is_quarantined_whole_and_the_others_are_taken_in(what: str, pair: Pair) -> None:
    a, b = pair.memory("a"), pair.memory("b")
    pair.trusting(b, a)
    bad = a.capture("The zqxword is here.")
    good = a.capture("The hull is dry.")
    change, code = UNFIT[what]

    def one(rows: list[Any]) -> list[Any]:
        return [change(row) if row.entry_id[1:] == bad.record_id[1:] else row for row in rows]

    path = forged(pair.export(a), a, one)
    report = accounted(b.ledger.take_in(path))
    assert [q.code for q in report.quarantined] == [code]
    assert report.added > 0
    told = transfer_sentences(report)[0]
    assert f"{report.read} read = {report.added} added + 0 known already + 0 of the other store alone + 1 quar" in told
    assert look(pair.path("b"), "SELECT verb, code FROM refusal") == [("import", code)]
    assert "zqxword" not in str(everything(pair.path("b")))
    assert b.read(good.record_id).item.text == "The hull is dry."
    assert b.ledger.verify(deep=True).deep
    held = everything(pair.path("b"))
    again = accounted(b.ledger.take_in(path))
    assert (again.added, again.known, again.quarantined_entries) == (0, report.added, 1)
    assert everything(pair.path("b")) == held


def forgeries(a: Any) -> dict[str, tuple[Any, str]]:
    seal = Seal(position=1, chain="0" * 40, signature="0" * 128, device=a.peers.own().device)
    stranger = Define(what="device", id="d" + "0" * 40, key="11" * 32)
    episode = Body(payload=Episodic(text="x" * 1_100_000))
    return {
        "a name that its id does not stand for": (
            unwritten(a, Define(what="who", id=a._handle.ids.actor), Body(name="mallory")), "name_differs"),
        "a seal that its device did not sign": (unwritten(a, seal, Body()), "signature_differs"),
        "a key that is not the device's": (unwritten(a, stranger, Body()), "signature_differs"),
        "an entry of another space": (
            unwritten(a, Revise(record_kind="episodic"), Body(reason="x"), space="second"), "other_space"),
        "an entry that is too large": (unwritten(a, Revise(record_kind="episodic"), episode), "too_large"),
    }  # fmt: skip


@pytest.mark.parametrize(
    "what",
    [
        "a name that its id does not stand for",
        "a seal that its device did not sign",
        "a key that is not the device's",
        "an entry of another space",
        "an entry that is too large",
    ],
)
def test_what_no_honest_store_would_send_is_quarantined(what: str, pair: Pair) -> None:
    a, b = pair.memory("a"), pair.memory("b")
    pair.trusting(b, a)
    a.ledger.seal()
    row, code = forgeries(a)[what]
    row = row._replace(received_at=2**60)
    report = b.ledger.take_in(forged(pair.export(a), a, lambda rows: [*rows, row]))
    assert [(q.code, q.entry_id) for q in report.quarantined] == [(code, row.entry_id)]
    assert b.ledger.verify(deep=True).deep


def test_a_ledger_with_a_gap_is_no_ledger(pair: Pair) -> None:
    a, b = pair.memory("a"), pair.memory("b")
    pair.trusting(b, a)
    a.capture("The hull is dry.")
    path = pair.export(a)
    listed = json.loads((path / "manifest.json").read_text())
    data = b"".join((path / "entries-000001.jsonl").read_bytes().splitlines(keepends=True)[:-1])
    (path / "entries-000001.jsonl").write_bytes(data)
    import hashlib

    from firsthand.moving.manifest import FileOf

    file = FileOf(
        name="entries-000001.jsonl", bytes=len(data), sha256=hashlib.sha256(data).hexdigest(),
        entries=listed["entries"] - 1,
    )  # fmt: skip
    signed_again(path, a, files=(file,), entries=listed["entries"] - 1)
    held = everything(pair.path("b"))
    with pytest.raises(firsthand.BrokenError) as caught:
        b.ledger.take_in(path)
    assert caught.value.code == "export_incomplete"
    assert everything(pair.path("b")) == held


def test_a_claim_whose_record_was_quarantined_waits_until_the_record_comes(pair: Pair) -> None:
    a, b = pair.memory("a"), pair.memory("b")
    pair.trusting(b, a)
    said = a.capture("The hull is dry, said Ben.")
    fact = a.remember(subject="hull", predicate="status", object="dry")
    a.support(fact.record_id, [firsthand.cite(said.record_id)], reason="heard it too")
    path = pair.export(a)
    whole = pair.export(a)

    def without_root(rows: list[Any]) -> list[Any]:
        return [altered(salt=None)(r) if r.entry_id[1:] == fact.record_id[1:] else r for r in rows]

    report = b.ledger.take_in(forged(path, a, without_root))
    assert [q.code for q in report.quarantined] == ["body_differs"]
    with pytest.raises(firsthand.AbsentError):
        b.read(fact.record_id)
    assert b.ledger.verify(deep=True).deep
    assert b.ledger.take_in(whole).added == 1
    assert b.read(fact.record_id).item.status == "active"
    assert believed(pair.path("a")) == believed(pair.path("b"))
    assert b.ledger.verify(deep=True).deep


# ---- what was taken back, and what was erased ------------------------------------------------------------------------


def test_an_export_made_before_an_erasure_does_not_bring_the_words_back(pair: Pair) -> None:
    a, b = pair.memory("a"), pair.memory("b")
    pair.trusting(b, a)
    gone = a.capture("The zqxword is here.")
    kept = a.capture("The hull is dry.")
    old = pair.export(a)
    b.ledger.take_in(old)
    erase(b, gone.record_id)
    assert b.ledger.take_in(old).added == 0
    assert "zqxword" not in str(everything(pair.path("b")))
    assert b.recall("zqxword").items == ()
    assert b.read(kept.record_id).item.text == "The hull is dry."


def test_an_erasure_that_came_first_keeps_the_words_out_when_their_entry_arrives(pair: Pair) -> None:
    a, b, c = pair.memory("a"), pair.memory("b"), pair.memory("c")
    pair.trusting(b, a)
    pair.trusting(c, a)
    pair.trusting(c, b)
    gone = a.capture("The zqxword is here.")
    old = pair.export(a)
    b.ledger.take_in(old)
    erase(b, gone.record_id)
    first = pair.send(b, c)
    assert (first.blank, first.quarantined) == (1, ())
    c.ledger.take_in(old)
    assert "zqxword" not in str(everything(pair.path("c")))
    assert c.ledger.verify(deep=True).deep


def test_a_blank_body_whose_erasure_is_quarantined_stops_the_whole_export(pair: Pair) -> None:
    a, b = pair.memory("a"), pair.memory("b")
    pair.trusting(b, a)
    gone = a.capture("The zqxword is here.")
    named = erase(a, gone.record_id)
    held = everything(pair.path("b"))

    def unfit(rows: list[Any]) -> list[Any]:
        return [altered(salt=None)(row) if row.entry_id == named else row for row in rows]

    with pytest.raises(firsthand.BrokenError) as caught:
        b.ledger.take_in(forged(pair.export(a), a, unfit))
    assert caught.value.code == "export_unfit"
    assert everything(pair.path("b")) == held


def test_words_whose_erasure_came_before_they_did_stay_out(pair: Pair) -> None:
    a, b, c = pair.memory("a"), pair.memory("b"), pair.memory("c")
    for one, other in ((b, a), (c, a), (c, b)):
        pair.trusting(one, other)
    gone = a.capture("The zqxword is here.")
    old = pair.export(a)
    b.ledger.take_in(old)
    erase(b, gone.record_id)

    def without_it(rows: list[Any]) -> list[Any]:
        return [row for row in rows if row.entry_id[1:] != gone.record_id[1:]]

    c.ledger.take_in(forged(pair.export(b), b, without_it))
    report = c.ledger.take_in(old)
    assert (report.blank, report.quarantined) == (1, ())
    assert "zqxword" not in str(everything(pair.path("c")))
    assert c.ledger.verify(deep=True).deep


def test_an_erasure_by_a_store_that_vouches_for_persons_destroys_the_words_here_too(pair: Pair) -> None:
    a, b = pair.memory("a"), pair.memory("b")
    pair.trusting(a, b)
    pair.trusting(b, a)
    gone = a.capture("The zqxword is here.")
    kept = a.capture("The hull is dry.")
    pair.send(a, b)
    erase(b, gone.record_id)
    report = pair.send(b, a)
    assert report.erased_here == 1
    assert "zqxword" not in str(everything(pair.path("a")))
    assert a.recall("hull").items[0].record_id == kept.record_id
    assert a.ledger.verify(deep=True).deep
    assert believed(pair.path("a")) == believed(pair.path("b"))


def test_an_export_made_before_a_correction_does_not_bring_the_old_value_back(pair: Pair) -> None:
    a, b = pair.memory("a"), pair.memory("b")
    pair.trusting(b, a)
    fact = a.remember(subject="hull", predicate="status", object="zqxwet")
    old = pair.export(a)
    b.ledger.take_in(old)
    b.correct(fact.record_id, object="dry", reason="a slip")
    b.ledger.take_in(old)
    assert [i.text for i in b.recall("hull status", kinds=["semantic"]).items] == ["hull status dry"]
