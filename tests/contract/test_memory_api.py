"""The names of the Python API that others build on: they stay, and they mean this (design 05)."""

import inspect

import pytest

import firsthand
from firsthand.vocabulary.packets import Citation, Item, Packet, Receipt

NAMES = {
    Receipt: "record_id entry_id outcome standing conflicts maskings code next_action known_at replayed",
    Packet: "items conflicts matching returned truncated omitted degraded coverage notice recall_id",
    Item: "record_id kind text tier status valid_from valid_to citations qualifier why",
    Citation: "record_id quote span speaker occurred_at",
}
ARGUMENTS = {
    "capture": "text speaker occurred_at thread event_kind timeline tool_graph environment outcome artifacts tags "
               "metadata sensitivity reason idempotency_key",
    "remember": "statement payload basis subject predicate object polarity conditions valid_from valid_to volatility "
                "sensitivity evidence tags reason idempotency_key",
    "recall": "query scopes kinds limit max_bytes max_tokens valid_at known_at conditions",
    "correct": "record_id statement target object polarity conditions valid_from valid_to evidence reason "
               "expected_heads idempotency_key",
    "change": "record_id statement target object since evidence reason idempotency_key",
    "retract": "record_id target reason idempotency_key",
    "support": "record_id evidence revoke reinstate reason idempotency_key",
    "relate": "record_id relation target end reason idempotency_key",
    "classify": "record_id sensitivity reason idempotency_key",
    "feedback": "recall_id used outcome reason idempotency_key",
    "erase": "record_id target value reason_code reason dry_run plan_hash idempotency_key",
    "hold": "record_id reason",
    "release_hold": "record_id reason",
    "read": "record_id",
    "list": "kinds limit cursor",
    "history": "record_id limit cursor",
    "explain": "query record_id",
    "at": "scope session",
    "capture_many": "items progress batch",
    "remember_many": "items progress batch",
    "stats": "",
    "close": "",
}  # fmt: skip
OPEN = "url space scope actor owner role harness model session device grant policy embedder clock"


@pytest.mark.parametrize("struct", NAMES, ids=lambda s: s.__name__)
def test_a_result_keeps_its_names(struct):
    assert set(NAMES[struct].split()) <= set(struct.__struct_fields__)
    assert struct.__struct_config__.frozen


@pytest.mark.parametrize("verb", ARGUMENTS)
def test_a_verb_keeps_its_arguments_and_says_in_a_sentence_what_it_does(verb):
    method = getattr(firsthand.Memory, verb)
    known = inspect.signature(method).parameters
    assert set(ARGUMENTS[verb].split()) <= set(known)
    assert method.__doc__
    assert method.__doc__.strip().split("\n")[0].endswith((".", ":", ","))


def test_every_verb_that_revises_needs_a_reason():
    for verb in ("correct", "change", "retract", "support", "relate", "classify"):
        assert (
            inspect.signature(getattr(firsthand.Memory, verb)).parameters["reason"].default is inspect.Parameter.empty
        )
    for verb in ("capture", "remember", "feedback"):
        assert inspect.signature(getattr(firsthand.Memory, verb)).parameters["reason"].default is None


def test_open_keeps_its_arguments_and_everything_exported_is_there():
    assert set(OPEN.split()) <= set(inspect.signature(firsthand.open).parameters)
    assert all(hasattr(firsthand, name) for name in firsthand.__all__)
    assert {"open", "cite", "FirsthandError", "Memory", "Receipt", "Packet", "Item", "Citation"} <= set(
        firsthand.__all__
    )
    assert list(inspect.signature(firsthand.cite).parameters) == ["record_id", "quote", "span"]


def test_each_category_of_error_has_its_exit_code_and_wire_status():
    table = {
        "InvalidError": ("invalid", 2, 400), "UnauthenticatedError": ("unauthenticated", 4, 401),
        "DeniedError": ("denied", 5, 403), "AbsentError": ("absent", 6, 404), "ConflictError": ("conflict", 7, 409),
        "RefusedError": ("refused", 8, 409), "BusyError": ("busy", 9, 503), "BrokenError": ("broken", 10, 500),
    }  # fmt: skip
    for name, row in table.items():
        error = getattr(firsthand, name)
        assert issubclass(error, firsthand.FirsthandError)
        assert (error.category, error.exit_code, error.http_status) == row
    shown = firsthand.InvalidError("code_word", "text is empty", field="text").as_dict()
    assert set(shown) == {
        "category", "code", "message", "field", "retryable", "may_have_written", "next_action", "details"
    }  # fmt: skip


def test_the_example_of_the_documentation_runs_as_it_is_written(tmp_path):
    memory = firsthand.open(tmp_path / "memory.db", scope="project:orion", actor="ana", role="person")
    talk = memory.capture(
        "Ana: auth-service runs on PostgreSQL 16 since March.", speaker="Ana", occurred_at="2026-03-09T10:00Z"
    )
    fact = memory.remember(
        "auth-service uses PostgreSQL 16", subject="auth-service", predicate="uses_database", object="PostgreSQL 16",
        valid_from="2026-03-01",
        evidence=[firsthand.cite(talk.record_id, quote="auth-service runs on PostgreSQL 16")],
    )  # fmt: skip
    packet = memory.recall("which database does auth-service use?", limit=5)
    assert "auth-service uses PostgreSQL 16" in packet.render(max_tokens=400)
    memory.correct(
        fact.record_id, "auth-service uses PostgreSQL 17", object="PostgreSQL 17", reason="misread the ticket"
    )
    before = memory.recall("auth-service database", known_at=fact.known_at)
    assert "auth-service uses PostgreSQL 16" in [i.text for i in before.items]
    now = [i.text for i in memory.recall("auth-service database", kinds=["semantic"]).items]
    assert now == ["auth-service uses PostgreSQL 17"]
    assert memory.ledger.verify().position == memory.stats().entries
    memory.close()


def test_jobs_keep_their_arguments_and_what_they_report():
    from firsthand.learning.jobs import Jobs
    from firsthand.vocabulary.jobs import JobsReport, JobView

    assert {"limit", "again", "progress"} <= set(inspect.signature(Jobs.run).parameters)
    assert isinstance(firsthand.Memory.jobs, property)
    assert {"stored", "reinforced", "proposed", "refused", "known", "failed", "dead"} <= set(
        JobsReport.__struct_fields__
    )
    assert {"job", "scope", "waiting", "leased", "dead", "unseen", "code"} <= set(JobView.__struct_fields__)
