"""A memory whose vectors an endpoint makes: no write waits for it, only what may leave is sent, nothing is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from endpoint_server import KEY, Server, dying, first, saying, serving, slow, status, well

import firsthand
from firsthand.embedding import LEASE_MICROSECONDS
from firsthand.inference import remote
from firsthand.inference.static import IDENTITY
from firsthand.memory import Memory
from firsthand.ports import Embedding, Pending
from firsthand.store.sqlite_write import SqliteWriter
from firsthand.vocabulary.errors import BrokenError, ConflictError, DeniedError, FirsthandError, InvalidError

HARBOUR = "The harbour master painted the lighthouse on Saturday."
FERRY = "The ferry is late"
START = 1_800_000_000_000_000


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "FIRST_WAIT_SECONDS", 0.01)
    monkeypatch.delenv("FIRSTHAND_EMBEDDER", raising=False)
    monkeypatch.setenv("FIRSTHAND_EMBEDDER_KEY", KEY)


class Clock:
    def __init__(self) -> None:
        self.at = START

    def now(self) -> int:
        self.at += 1_000_003
        return self.at


def opened(folder: Path, server: Server | str | None, **more: Any) -> Memory:
    embedder = server.setting if isinstance(server, Server) else server
    asked: dict[str, Any] = {"actor": "ana", "role": "person", "scope": "project:boat", "embedder": embedder, **more}
    return firsthand.open(folder / "m.db", **asked)


def counts(memory: Memory) -> Pending:
    with memory._engine.store.reading(memory.space) as reader:
        return reader.pending_counts()


def pinned(memory: Memory) -> Embedding:
    with memory._engine.store.reading(memory.space) as reader:
        held = reader.embedding()
    assert held is not None
    return held


def kept(memory: Memory, *record_ids: str | None) -> list[int]:
    """How many bytes the vector of each record has."""
    sizes: list[int] = []
    with memory._engine.store.reading(memory.space) as reader:
        for record_id in record_ids:
            (doc, *_) = reader.docs_of_record(record_id or "")
            sizes.append(sum(len(packed) for _, packed in reader.vectors_of([doc.vid])))
    return sizes


def test_a_write_waits_for_nobody_and_a_worker_makes_the_vector_later(tmp_path: Path, server: Server) -> None:
    with opened(tmp_path, server) as memory:
        said = memory.capture(HARBOUR)
        claim = memory.remember(
            "The lighthouse is white", evidence=[firsthand.cite(said.record_id, quote="lighthouse")]
        )
        assert server.asked == []
        found = memory.recall("lighthouse")
        assert (found.degraded, len(found.items), server.asked) == (("vectors_pending",), 2, [])
        report = memory.embed_pending()
        assert (report.embedded, report.waiting, report.code) == (2, 0, None)
        assert kept(memory, said.record_id, claim.record_id) == [64, 64]
        assert sorted(server.texts) == sorted([HARBOUR, "The lighthouse is white"])
        assert (pinned(memory).identity, pinned(memory).dimension) == (server.setting, 64)
        found = memory.recall("who painted what")
        assert found.degraded == ()
        assert {w.arm for i in found.items for w in i.why} >= {"vector"}
        assert memory.embed_pending().looked_at == 0
        assert memory.ledger.verify(deep=True).deep
        assert memory.ledger.rebuild().same
        assert kept(memory, said.record_id, claim.record_id) == [64, 64]
        assert len(server.asked) == 2  # one batch and one question: neither a check nor a rebuild asks


def test_a_recall_asks_once_and_answers_without_the_endpoint(tmp_path: Path, server: Server) -> None:
    with opened(tmp_path, server) as memory:
        memory.capture(HARBOUR)
        memory.embed_pending()
        server.usual = status(500)
        found = memory.recall("lighthouse")
        assert (found.degraded, [i.text for i in found.items]) == (("vector_arm_failed",), [HARBOUR])
        asked = len(server.asked)
        assert memory.recall("harbour").degraded == ("vector_arm_failed",)
        assert len(server.asked) == asked  # not again so soon


def test_a_question_has_its_secrets_masked(tmp_path: Path, server: Server) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with opened(tmp_path, server) as memory:
        memory.capture(HARBOUR)
        memory.embed_pending()
        memory.recall(f"what is {token} good for")
    assert len(server.asked) == 2
    assert "what is [masked" in server.texts[-1]
    assert token not in str(server.asked)


# ---- what is sent ----------------------------------------------------------------------------------------------------


def test_only_what_the_gate_lets_through_and_nobody_called_sensitive_is_sent(tmp_path: Path, server: Server) -> None:
    with opened(tmp_path, server) as memory:
        memory.capture(HARBOUR)
        secret = memory.capture("Ana has an illness", sensitivity="medium")
        candidate = memory.at(session="s").remember("The mast may be oak", basis="inferred")
        hidden = memory.capture("A quiet word")
        memory.withdraw(hidden.record_id, reason="not now")
        erased = memory.capture("A gone word")
        memory.erase(erased.record_id, reason_code="privacy")
        masked = memory.capture("Ben lives in Berlin. He likes tea.", speaker="Ben")
        lives = memory.remember(
            subject="Ben", predicate="lives_in", object="Berlin",
            evidence=[firsthand.cite(masked.record_id, quote="Ben lives in Berlin.")],
        )  # fmt: skip
        memory.reject(lives.record_id, reason="never true")
        report = memory.embed_pending()
        sent = " | ".join(server.texts)
        assert HARBOUR in sent
        assert "He likes tea." in sent
        for word in ("illness", "quiet", "gone", "Berlin"):
            assert word not in sent, word
        assert report.waiting == 0
        assert counts(memory).kept_back >= 1
        assert kept(memory, secret.record_id) == [0]
        assert memory.recall("tea").degraded == ()
        assert candidate.record_id is not None
        memory.classify(secret.record_id, sensitivity="low", reason="it is known")
        assert memory.recall("illness").degraded == ("vectors_pending",)
        memory.embed_pending()
        assert "Ana has an illness" in server.texts
        assert kept(memory, secret.record_id) == [64]


def test_what_waits_unseen_is_told_to_nobody_who_may_not_see_it(tmp_path: Path, server: Server) -> None:
    low = firsthand.Grant(read=frozenset(("project:boat",)), clearance="low", role="agent")
    with opened(tmp_path, server) as memory, opened(tmp_path, server, grant=low, actor="bot", role="agent") as other:
        memory.capture(HARBOUR)
        memory.embed_pending()
        assert other.recall("lighthouse").degraded == ()
        memory.capture("Ana has an illness", sensitivity="high")
        assert memory.recall("lighthouse").degraded == ("vectors_pending",)
        assert other.recall("lighthouse").degraded == ()


# ---- while it is on its way ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("act", "left"),
    [
        (lambda m, r: m.erase(r, reason_code="privacy"), 0),
        (lambda m, r: m.withdraw(r, reason="not now"), 0),
        (lambda m, r: (m.withdraw(r, reason="not now"), m.restore(r, reason="now")), 64),
        (lambda m, r: m.classify(r, sensitivity="high", reason="it is private"), 0),
        (lambda m, r: m.ledger.rebuild(), 64),
        (lambda m, r: m.capture(FERRY), 64),
    ],
    ids=["erased", "withdrawn", "withdrawn and back", "more sensitive", "rebuilt", "nothing"],
)  # fmt: skip
def test_a_vector_is_written_only_if_its_words_still_stand(
    act: Callable[[Memory, str | None], object], left: int, tmp_path: Path, server: Server
) -> None:
    with opened(tmp_path, server) as memory, opened(tmp_path, server) as other:
        said = memory.capture(HARBOUR)
        server.answers = [first(lambda: act(other, said.record_id))]
        memory.embed_pending(limit=1)
        assert HARBOUR in server.texts
        assert kept(memory, said.record_id) == [left]
        assert memory.ledger.verify(deep=True).deep
        found = other.recall("who painted the lighthouse on Saturday")
        assert any(w.arm == "vector" for i in found.items for w in i.why) == bool(left)


def test_a_vector_of_words_that_were_masked_meanwhile_is_thrown_away(tmp_path: Path, server: Server) -> None:
    with opened(tmp_path, server) as memory, opened(tmp_path, server) as other:
        masked = memory.capture("Ben lives in Berlin. He likes tea.", speaker="Ben")
        lives = memory.remember(
            subject="Ben", predicate="lives_in", object="Berlin",
            evidence=[firsthand.cite(masked.record_id, quote="Ben lives in Berlin.")],
        )  # fmt: skip
        server.answers = [first(lambda: other.reject(lives.record_id, reason="never true"))]
        memory.embed_pending()
        before, after = (a["input"] for a in server.asked)
        assert "Ben lives in Berlin. He likes tea." in before
        assert "Berlin" not in str(after)
        assert kept(memory, masked.record_id) == [64]
        assert counts(memory).waiting == 0


def test_two_workers_at_once_send_each_text_once(tmp_path: Path, server: Server) -> None:
    with opened(tmp_path, server) as memory, opened(tmp_path, server) as other:
        memory.capture_many({"text": f"{FERRY} on day {n}"} for n in range(200))
        server.usual = slow(0.05)
        with_one = threading.Thread(target=other.embed_pending)
        with_one.start()
        memory.embed_pending()
        with_one.join()
        assert sorted(server.texts) == sorted(f"{FERRY} on day {n}" for n in range(200))
        assert counts(memory) == (0, 0, 0)
        assert memory.recall("ferry").degraded == ()
        assert memory.ledger.verify(deep=True).deep


def test_a_worker_that_comes_back_after_its_lease_changes_nothing(tmp_path: Path, server: Server) -> None:
    later = Clock()
    with opened(tmp_path, server) as memory, opened(tmp_path, server, clock=later) as other:
        said = memory.capture(HARBOUR)
        later.at = memory._engine.gateway.clock.now() + LEASE_MICROSECONDS
        server.answers = [first(other.embed_pending)]
        report = memory.embed_pending()
        assert server.texts == [HARBOUR] * 2
        assert (report.embedded, report.waiting, report.code) == (0, 0, None)
        assert kept(memory, said.record_id) == [64]


WORKER = """
import sys, firsthand
with firsthand.open(sys.argv[1], actor="ana", role="person", scope="project:boat", embedder=sys.argv[2]) as memory:
    memory.embed_pending()
"""


def test_a_worker_that_is_killed_loses_nothing(tmp_path: Path, server: Server) -> None:
    clock = Clock()
    with opened(tmp_path, server) as memory:
        said = memory.capture(HARBOUR)
        arrived = threading.Event()
        server.answers = [first(arrived.set, slow(1.0))]
        worker = subprocess.Popen([sys.executable, "-c", WORKER, str(tmp_path / "m.db"), server.setting])
        assert arrived.wait(30)
        worker.send_signal(signal.SIGKILL)
        assert worker.wait() == -signal.SIGKILL
        assert (counts(memory).waiting, kept(memory, said.record_id)) == (1, [0])
        assert memory.embed_pending().looked_at == 0  # its lease still runs
    clock.at = memory._engine.gateway.clock.now() + LEASE_MICROSECONDS
    with opened(tmp_path, server, clock=clock) as memory:
        assert memory.embed_pending().embedded == 1
        assert kept(memory, said.record_id) == [64]


def test_a_worker_that_is_interrupted_gives_back_what_it_took(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path, server) as memory:
        memory.capture(HARBOUR)

        def interrupted(self: object, texts: object) -> list[bytes]:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(remote.RemoteEmbedder, "embed", interrupted)
            with pytest.raises(KeyboardInterrupt):
                memory.embed_pending()
        assert memory.embed_pending().embedded == 1


# ---- failures --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (status(500), "embedder_busy"), (status(429, Retry_After="9999"), "embedder_busy"),
        (status(401), "embedder_denied"), (dying, "embedder_unreachable"), (saying(b"{"), "embedder_answer_invalid"),
        (status(400), "embedder_refused"),
    ],
)  # fmt: skip
def test_a_failure_is_told_as_a_code_and_everything_still_waits(
    answer: Any, code: str, tmp_path: Path, server: Server
) -> None:
    with opened(tmp_path, server) as memory:
        memory.capture_many({"text": f"{FERRY} on day {n}"} for n in range(3))
        server.usual = answer
        report = memory.embed_pending()
        assert (report.embedded, report.waiting, report.given_up, report.code) == (0, 3, 0, code)
        facts = memory.facts()
        assert (facts["embedder_error"], facts["vectors_pending"]) == (code, 3)
        assert "ferry" not in str(facts).lower()
        server.usual = well
        assert memory.embed_pending().embedded == 3
        assert memory.facts()["embedder_error"] is None


def test_one_text_that_the_endpoint_would_not_have_is_given_up_and_the_rest_goes_on(
    tmp_path: Path, server: Server
) -> None:
    def picky(handler: Any, texts: list[str]) -> None:
        (status(400) if any("poison" in t for t in texts) else well)(handler, texts)

    server.usual = picky
    with opened(tmp_path, server) as memory:
        memory.capture_many({"text": f"{FERRY} on day {n}{' poison' * (n == 5)}"} for n in range(12))
        report = memory.embed_pending()
        assert (report.embedded, report.given_up, report.waiting) == (11, 1, 0)
        assert memory.embed_pending().looked_at == 0
        server.usual = well
        assert memory.embed_pending(again=True).embedded == 1
        assert counts(memory) == (0, 0, 0)


def test_an_endpoint_that_gives_another_dimension_by_now_is_refused(tmp_path: Path, server: Server) -> None:
    with opened(tmp_path, server) as memory:
        memory.capture(HARBOUR)
        memory.embed_pending()
        memory.capture(FERRY)
    server.dimension = 256
    with opened(tmp_path, server) as memory:
        report = memory.embed_pending()
        assert (report.embedded, report.waiting, report.code) == (0, 1, "embedder_dimension_changed")
        assert "vector_arm_failed" in memory.recall("lighthouse").degraded
        report = memory.reindex(server.setting)
        assert (report.embedded, pinned(memory).dimension) == (2, 256)
        assert memory.recall("lighthouse").degraded == ()


# ---- the pin ---------------------------------------------------------------------------------------------------------


def test_a_space_keeps_its_embedder_until_it_is_given_another(tmp_path: Path, server: Server) -> None:
    with opened(tmp_path, server) as memory:
        said = memory.capture(HARBOUR)
        memory.embed_pending()
    for other in ("default", server.setting + "-2"):
        with pytest.raises(ConflictError) as caught:
            opened(tmp_path, other)
        assert (caught.value.code, caught.value.next_action) == ("embedder_differs", "reindex")
        assert server.setting in caught.value.message
        assert KEY not in str(caught.value.as_dict())
    with opened(tmp_path, None) as memory:
        assert memory.recall("lighthouse").degraded == ("vector_arm_unavailable",)
        with opened(tmp_path, server) as remote_one:
            remote_one.recall("lighthouse")
            report = memory.reindex()
            assert (report.embedded, report.waiting) == (1, 0)
            assert (pinned(memory).identity, pinned(memory).dimension) == (IDENTITY, 256)
            assert kept(memory, said.record_id) == [256]
            assert memory.recall("lighthouse").degraded == ()
            found = remote_one.recall("lighthouse")
            assert (found.degraded, len(found.items)) == (("vectors_outdated",), 1)
            late = remote_one.capture(FERRY)
            assert kept(memory, late.record_id) == [0]
            with pytest.raises(BrokenError) as gone:
                remote_one.embed_pending()
            assert gone.value.code == "embedder_replaced"
    with opened(tmp_path, "default") as memory:
        assert kept(memory, late.record_id) == [256]
        assert memory.ledger.rebuild().same
    with pytest.raises(ConflictError) as caught:
        opened(tmp_path, server)
    assert "set embedder to default" in caught.value.message


def test_a_reindex_that_could_not_begin_leaves_everything_as_it_was(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path, "default") as memory:
        memory.capture(HARBOUR)
        monkeypatch.setattr(SqliteWriter, "renew_vectors", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            memory.reindex(server.setting)
        assert memory.recall("lighthouse").degraded == ()
        said = memory.capture(FERRY)
        assert kept(memory, said.record_id) == [256]
        assert pinned(memory).identity == IDENTITY
        assert server.asked == []
        monkeypatch.undo()
        assert memory.reindex(server.setting).embedded == 2
        assert pinned(memory).identity != IDENTITY


def test_vectors_of_two_kinds_are_never_there_together_wherever_a_reindex_stops(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path, "default") as memory:
        ids = [memory.capture(f"{FERRY} on day {n}").record_id for n in range(5)]
    server.usual = status(500)
    with opened(tmp_path, None) as memory:
        report = memory.reindex(server.setting)
        assert (report.code, report.waiting) == ("embedder_busy", 5)
        assert kept(memory, *ids) == [0] * 5
        found = memory.recall("ferry")
        assert (found.degraded, len(found.items)) == (("vectors_pending",), 5)
    server.usual = well
    with opened(tmp_path, server) as memory:
        assert memory.embed_pending(limit=2).embedded == 2
        assert kept(memory, *ids) == [64, 64, 0, 0, 0]
        assert memory.recall("ferry").degraded == ("vectors_pending",)
        assert memory.ledger.rebuild().same
        assert memory.embed_pending().embedded == 3
        assert memory.recall("ferry").degraded == ()
        before = pinned(memory)
        monkeypatch.setattr("firsthand.store.write_vectors.VectorWrites._take", lambda self, held: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            memory.reindex("default")
        monkeypatch.undo()
    with opened(tmp_path, server) as memory:
        assert (pinned(memory), kept(memory, *ids)) == (before, [64] * 5)


def test_what_was_read_before_a_reindex_is_not_remembered_after_it(tmp_path: Path, server: Server) -> None:
    def arms() -> tuple[set[str], tuple[str, ...]]:
        found = other.recall("painted lighthouse")
        (item,) = [i for i in found.items if i.text == HARBOUR]
        return {w.arm for w in item.why}, found.degraded

    with opened(tmp_path, server) as memory, opened(tmp_path, server) as other:
        memory.capture(FERRY)
        memory.capture(HARBOUR)
        memory.embed_pending()
        assert arms() == ({"lexical", "vector"}, ())
        server.usual = status(500)
        memory.reindex(server.setting)
        assert arms() == ({"lexical"}, ("vectors_pending",))
        server.usual = lambda h, t: h.send(200, h.vectors([x[::-1] for x in t]))
        memory.embed_pending(limit=1)
        assert arms() == ({"lexical"}, ("vectors_pending",))
        memory.embed_pending()
        assert arms() == ({"lexical"}, ())


def test_only_the_operator_gives_a_space_another_embedder(tmp_path: Path, server: Server) -> None:
    grant = firsthand.Grant(role="person")
    with opened(tmp_path, "default", grant=grant) as memory:
        with pytest.raises(DeniedError) as caught:
            memory.reindex(server.setting)
        assert caught.value.code == "reindex_not_granted"
    with opened(tmp_path, None) as memory:
        for nothing in ("none", "other"):
            with pytest.raises(InvalidError):
                memory.reindex(nothing)
        with pytest.raises(InvalidError) as missing:
            memory.embed_pending()
        assert missing.value.code == "embedder_missing"


# ---- erasure ---------------------------------------------------------------------------------------------------------


def test_what_is_looked_for_is_not_sent_and_a_certificate_says_what_is_out_of_reach(
    tmp_path: Path, server: Server
) -> None:
    with opened(tmp_path, server) as memory:
        said, other = memory.capture(HARBOUR), memory.capture(FERRY)
        memory.embed_pending()
        with memory._engine.store.reading(memory.space) as reader:
            (doc, *_) = reader.docs_of_record(said.record_id or "")
            ((_, vector),) = reader.vectors_of([doc.vid])
        sent = len(server.asked)
        done = memory.erase(said.record_id, reason_code="privacy")
        report = memory.erasure.sweep(HARBOUR)
        assert (report.clean, bool(report.control["vector"]), len(server.asked)) == (True, True, sent)
        assert done.certificate is not None
        assert done.certificate.clean
        assert memory.erasure.is_genuine(done.certificate)
        (out,) = [p for p in done.certificate.places if p.place == "endpoints that made vectors"]
        assert (out.proof, server.setting in out.note) == ("not_provable", True)
        assert kept(memory, other.record_id) == [64]
        held = b"".join(p.read_bytes() for p in tmp_path.iterdir())
        assert vector not in held
        memory.reindex()
        done = memory.erase(other.record_id, reason_code="privacy")
        assert done.certificate is not None
        assert any(server.setting in p.note for p in done.certificate.places)
    with firsthand.open(tmp_path / "n.db", actor="ana", role="person") as plain:
        done = plain.erase(plain.capture(HARBOUR).record_id, reason_code="privacy")
        assert done.certificate is not None
        assert {p.place for p in done.certificate.places} >= {"vector", "other stores"}
        assert "endpoints that made vectors" not in {p.place for p in done.certificate.places}


def test_an_erasure_empties_what_is_remembered_of_questions(tmp_path: Path, server: Server) -> None:
    with opened(tmp_path, server) as memory:
        said = memory.capture(HARBOUR)
        memory.capture(FERRY)
        memory.embed_pending()
        memory.recall("lighthouse")
        memory.recall("lighthouse")
        assert server.texts.count("lighthouse") == 1
        memory.erase(said.record_id, reason_code="privacy")
        memory.recall("lighthouse")
        assert server.texts.count("lighthouse") == 2


def test_the_key_is_in_no_file_no_error_and_nothing_a_doctor_says(tmp_path: Path, server: Server) -> None:
    def doctor() -> str:
        environ = {**os.environ, "FIRSTHAND_EMBEDDER": server.setting, "FIRSTHAND_DB": str(tmp_path / "m.db")}
        done = subprocess.run(
            [sys.executable, "-c", "from firsthand.surfaces.entry import main; main()", "doctor", "--json"],
            env=environ, capture_output=True, text=True, check=False, cwd=tmp_path,
        )  # fmt: skip
        return done.stdout + done.stderr

    with opened(tmp_path, server) as memory:
        memory.capture(HARBOUR)
        memory.embed_pending()
        assert server.keys == [f"Bearer {KEY}"]
        memory.capture(FERRY)
        server.usual = status(401)
        memory.embed_pending()
        told = str(memory.facts()) + doctor()
    assert "embedder_denied" in told
    assert server.setting in told
    assert KEY not in told
    assert all(KEY.encode() not in path.read_bytes() for path in tmp_path.iterdir())
    with pytest.raises(FirsthandError) as caught:
        opened(tmp_path, f"http://{KEY}@127.0.0.1/v1#m")
    assert KEY not in str(caught.value.as_dict())


# ---- copies ----------------------------------------------------------------------------------------------------------


def test_a_backup_brings_vectors_and_what_waits_back_and_asks_nobody(tmp_path: Path, server: Server) -> None:
    with opened(tmp_path, server) as memory:
        said = memory.capture(HARBOUR)
        memory.embed_pending()
        late = memory.capture(FERRY)
        sent = len(server.asked)
        memory.ledger.backup(tmp_path / "backup")
    (tmp_path / "there").mkdir()
    firsthand.restore(tmp_path / "backup", tmp_path / "there" / "m.db")
    firsthand.restore(tmp_path / "backup", tmp_path / "m.db")
    assert len(server.asked) == sent
    for folder in (tmp_path, tmp_path / "there"):
        with opened(folder, server) as memory:
            assert kept(memory, said.record_id, late.record_id) == [64, 0]
            assert counts(memory).waiting == 1
