"""Whatever is wrong comes back as a typed error that says what to do, repeats nothing, and leaves no trace."""

import datetime as dt
import math
import re

import msgspec
import pytest
from houses import House, claim

import firsthand
from firsthand import Grant, cite
from firsthand.vocabulary.errors import FirsthandError
from firsthand.vocabulary.instants import to_micros
from firsthand.vocabulary.limits import check_range

CANARY = "zqxcanary"


class Thing:
    """Something that is no JSON, and is called the same in every process."""

    def __repr__(self) -> str:
        return "a thing"


THING = Thing()
NO_RECORD = "r" + "0" * 40
NEXT = ("retry_same", "fix_and_resubmit", "refresh_and_retry", "ask_person", "contact_operator", "none")
SKILL = {"kind": "competence", "skill_name": "s", "triggers": [{"signal": "x"}], "recipe": [{"step": "y"}]}
TASK = {"kind": "working", "thread_id": "t", "state": "planning"}
PERSON = {"kind": "entity", "canonical_name": "Zed"}


def plan(nodes=("a", "b"), edges=(("a", "b"),), **more):
    return {
        "kind": "plan_graph", "plan_id": "p", "version": "1", "nodes": [{"id": n, "op": "x"} for n in nodes],
        "edges": [{"from": a, "to": b, "kind": (k or ["control"])[0]} for a, b, *k in edges], **more,
    }  # fmt: skip


def deep(levels, leaf=1):
    """A JSON value of that many containers inside each other."""
    value = leaf
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.fixture
def known(house):
    return furnished(house)


@pytest.fixture(scope="module")
def steady(tmp_path_factory):
    """One memory for all tests that only try what is refused: each asserts that it wrote nothing."""
    house = House(tmp_path_factory.mktemp("steady"))
    yield furnished(house)
    house.close()


def furnished(house):
    """A memory with something in it: a talk, a claim that cites it, a claim elsewhere, a retracted talk."""
    memory = house.memory()
    talk = memory.capture("Ana: the api listens on 8080", speaker="Ana")
    fact = claim(memory, "api", "port", 8080, evidence=[cite(talk.record_id, quote="8080")])
    plain = memory.remember("The api is fast")
    elsewhere = house.memory(scope="project:apollo").capture("Apollo flies")
    retracted = memory.capture("never mind this")
    memory.retract(retracted.record_id, reason="noise")
    packet = memory.recall("api")
    memory.stats()
    return {
        "house": house, "memory": memory, "talk": talk.record_id, "fact": fact.record_id, "plain": plain.record_id,
        "elsewhere": elsewhere.record_id, "retracted": retracted.record_id, "recall": packet.recall_id,
    }  # fmt: skip


def refused(known, call, *, code=None, field=None):
    """Assert that a call raises a typed error that is usable, keeps quiet, and wrote nothing at all."""
    house, memory = known["house"], known["memory"]
    memory.facts()  # whatever the journal still holds is written before the count
    before = house.counts()
    with pytest.raises(FirsthandError) as caught:
        call(memory)
    error = caught.value
    assert house.counts() == before
    assert error.may_have_written is False
    assert error.code
    assert re.fullmatch(r"[a-z][a-z_]+", error.code)
    assert error.next_action in NEXT
    assert len(error.message) < 600
    assert CANARY not in error.message.lower()
    assert CANARY not in repr(error.as_dict()).lower()
    assert error.__cause__ is None or CANARY not in repr(error.__cause__).lower()
    if code is not None:
        assert error.code == code
    if field is not None:
        assert error.field == field
    return error


# ---- limits, exactly at and one over ---------------------------------------------------------------------------------

BIG = "€"  # three bytes

AT_AND_OVER = {
    "episode text": (lambda m, n: m.capture("a" * n), 64 * 1024, "text_too_long", "text"),
    "episode text in bytes": (
        lambda m, n: m.capture(BIG * (n // 3) + "a" * (n % 3)), 64 * 1024, "text_too_long", "text"),
    "statement": (lambda m, n: m.remember("a" * n), 8 * 1024, "text_too_long", "statement"),
    "statement of a correction": (
        lambda m, n: m.correct(m.plain, "a" * n, reason="x"), 8 * 1024, "text_too_long", "statement"),
    "reason": (lambda m, n: m.retract(m.plain, reason="a" * n), 4_096, "text_too_long", "reason"),
    "reason of a capture": (lambda m, n: m.capture("x", reason="a" * n), 4_096, "text_too_long", "reason"),
    "tags": (lambda m, n: m.capture("x", tags=[f"t{i}" for i in range(n)]), 32, "too_many", "tags"),
    "a tag": (lambda m, n: m.capture("x", tags=["ü" * n]), 64, "tag_invalid", "tags"),
    "metadata": (lambda m, n: m.capture("x", metadata={f"k{i}": "v" for i in range(n)}), 32, "too_many", "metadata"),
    "a metadata value": (lambda m, n: m.remember("x", metadata={"k": "v" * n}), 1_024, "text_too_long", "metadata"),
    "a name": (lambda m, n: m.capture("x", speaker="a" * n), 512, "text_too_long", "speaker"),
    "a subject": (lambda m, n: m.remember(subject="a" * n, predicate="is", object=1), 512, "text_too_long", "subject"),
    "evidence": (lambda m, n: m.remember("x", evidence=[cite(m.talk)] * n), 32, "too_many", "evidence"),
    "idempotency key": (lambda m, n: m.capture("x", idempotency_key="k" * n), 256, "text_too_long", "idempotency_key"),
    "feedback's idempotency key": (
        lambda m, n: m.feedback(m.recalled, idempotency_key="k" * n), 256, "text_too_long", "idempotency_key"),
    "conditions": (
        lambda m, n: m.remember("x", conditions={f"c{i}": i for i in range(n)}), 32, "too_many", "conditions"),
    "query": (lambda m, n: m.recall("a" * n), 2 * 1024, "text_too_long", "query"),
    "a target": (
        lambda m, n: m.retract(target="The api is fast".ljust(n), reason="x"), 2 * 1024, "text_too_long", "target"),
    "recall limit": (lambda m, n: m.recall("x", limit=n), 50, "out_of_range", "limit"),
    "packet bytes": (lambda m, n: m.recall("x", max_bytes=n), 256 * 1024, "out_of_range", "max_bytes"),
    "hops": (lambda m, n: m.recall("x", expand=n), 3, "out_of_range", "expand"),
    "scopes": (lambda m, n: m.recall("x", scopes=[f"project:p{i}" for i in range(n)]), 32, "too_many", "scopes"),
    "history page": (lambda m, n: m.history(m.fact, limit=n), 200, "out_of_range", "limit"),
    "list page": (lambda m, n: m.list(limit=n), 200, "out_of_range", "limit"),
    "a batch": (lambda m, n: m.capture_many([], batch=n), 10_000, "out_of_range", "batch"),
    "plan nodes": (lambda m, n: m.remember(payload=plan([f"n{i}" for i in range(n)], ())), 500, "too_many", "nodes"),
    "recipe": (
        lambda m, n: m.remember(payload={**SKILL, "recipe": [{"step": "y"}] * n}), 500, "too_many", "recipe"),
    "next actions": (
        lambda m, n: m.remember(payload={**TASK, "next_actions": ["y"] * n}), 500, "too_many", "next_actions"),
    "aliases": (
        lambda m, n: m.remember(payload={**PERSON, "aliases": [{"value": f"z{i}"} for i in range(n)]}), 500,
        "too_many", "aliases"),
    "JSON depth": (
        lambda m, n: m.remember(payload={**TASK, "constraints": [
            {"type": "t", "key": "k", "value": deep(n - 3)}]}), 32, "json_too_deep", "payload"),
    "JSON depth of a tool call": (
        lambda m, n: m.capture("x", tool_graph=[{"id": "1", "tool": "t", "args": deep(n - 3)}]), 32,
        "json_too_deep", "payload"),
}  # fmt: skip


class Probe:
    """A memory with the ids a limit needs."""

    def __init__(self, known):
        self.__dict__.update(memory=known["memory"], fact=known["fact"], plain=known["plain"], talk=known["talk"])
        self.recalled = known["recall"]

    def __getattr__(self, name):
        return getattr(self.memory, name)


@pytest.mark.parametrize("what", AT_AND_OVER)
def test_a_limit_holds_exactly(known, what):
    call, limit, code, field = AT_AND_OVER[what]
    refused(known, lambda m: call(Probe(known), limit + 1), code=code, field=field)
    call(Probe(known), limit)


@pytest.mark.parametrize(
    ("call", "least"),
    [
        (lambda m, n: m.recall("x", limit=n), 1),
        (lambda m, n: m.recall("x", max_bytes=n), 1024),
        (lambda m, n: m.recall("x", max_tokens=n), 64),
        (lambda m, n: m.recall("x", expand=n), 0),
        (lambda m, n: m.list(limit=n), 1),
        (lambda m, n: m.capture_many([], batch=n), 1),
    ],
)
def test_a_lower_limit_holds_exactly(known, call, least):
    refused(known, lambda m: call(m, least - 1), code="out_of_range")
    call(known["memory"], least)


def test_a_record_has_at_most_two_hundred_supports(known):
    memory = known["memory"]
    talks = memory.capture_many({"text": f"Ben said the api is fast, take {i}"} for i in range(199)).receipts
    for i in range(0, 192, 32):
        memory.support(known["plain"], [cite(t.record_id) for t in talks[i : i + 32]], reason="more of it")
    refused(
        known, lambda m: m.support(known["plain"], [cite(t.record_id) for t in talks[191:199]], reason="x"),
        code="supports_full",
    )  # fmt: skip
    memory.support(known["plain"], [cite(t.record_id) for t in talks[192:199]], reason="the last")
    assert memory.read(known["plain"]).item.supports == 200
    counted = memory.remember("The api is fast")
    assert (counted.outcome, counted.notes) == ("reinforced", ("support_counted",))
    assert memory.read(known["plain"]).item.supports == 200


def test_a_payload_is_bounded_as_a_whole(known):
    step = {"step": "y" * 4_000}
    error = refused(known, lambda m: m.remember(payload={**SKILL, "recipe": [step] * 400}), code="payload_too_large")
    assert "split" in error.message


# ---- text that is not text -------------------------------------------------------------------------------------------

BAD_TEXTS = {
    "a lone surrogate": CANARY + "\ud800", "a NUL": CANARY + "\x00", "nothing": "", "blanks": " \n\t",
    "zero-width characters": "\u200b \u2060\ufeff\x1b", "fillers": "\u3164\u115f\u2800\ufe0f\U000e0041",
}  # fmt: skip
TEXT_FIELDS = {
    "capture": lambda m, k, t: m.capture(t),
    "speaker": lambda m, k, t: m.capture("x", speaker=t),
    "thread": lambda m, k, t: m.capture("x", thread=t),
    "source_id": lambda m, k, t: m.capture("x", source_id=t),
    "event_kind": lambda m, k, t: m.capture("x", event_kind=t),
    "tag": lambda m, k, t: m.capture("x", tags=["fine", t]),
    "tag of a claim": lambda m, k, t: m.remember("x", tags=[t]),
    "metadata key": lambda m, k, t: m.capture("x", metadata={t: "v"}),
    "statement": lambda m, k, t: m.remember(t),
    "subject": lambda m, k, t: m.remember("x", subject=t, predicate="is", object="y"),
    "predicate": lambda m, k, t: m.remember("x", subject="a", predicate=t, object="y"),
    "object": lambda m, k, t: m.remember("x", subject="a", predicate="is", object=t),
    "unit": lambda m, k, t: m.remember("x", subject="a", predicate="is", object=1, unit=t),
    "condition": lambda m, k, t: m.remember("x", conditions={"c": t}),
    "condition name": lambda m, k, t: m.remember("x", conditions={t: 1}),
    "reason": lambda m, k, t: m.retract(k["plain"], reason=t),
    "reason of a correction": lambda m, k, t: m.correct(k["plain"], "new", reason=t, idempotency_key="k"),
    "reason of a support": lambda m, k, t: m.support(k["plain"], [cite(k["talk"])], reason=t),
    "correction": lambda m, k, t: m.correct(k["plain"], t, reason="x"),
    "change": lambda m, k, t: m.change(k["plain"], t, reason="x"),
    "target": lambda m, k, t: m.retract(target=t, reason="x"),
    "relation": lambda m, k, t: m.relate(k["plain"], t, k["fact"], reason="x"),
    "idempotency key": lambda m, k, t: m.capture("x", idempotency_key=t),
    "recall id": lambda m, k, t: m.feedback(t),
    "session": lambda m, k, t: m.at(session=t),
    "scope": lambda m, k, t: m.at(scope=t),
    "thread id": lambda m, k, t: m.remember(payload={**TASK, "thread_id": t}),
    "skill name": lambda m, k, t: m.remember(payload={**SKILL, "skill_name": t}),
    "canonical name": lambda m, k, t: m.remember(payload={**PERSON, "canonical_name": t}),
    "alias": lambda m, k, t: m.remember(payload={**PERSON, "aliases": [{"value": t}]}),
    "identifier": lambda m, k, t: m.remember(payload={**PERSON, "identifiers": [{"namespace": "n", "value": t}]}),
    "quote": lambda m, k, t: m.remember("x", evidence=[firsthand.Cite(record_id=k["talk"], quote=t)]),
}  # fmt: skip


@pytest.mark.parametrize("bad", BAD_TEXTS)
@pytest.mark.parametrize("field", TEXT_FIELDS)
def test_text_that_says_nothing_or_is_not_text_is_refused_everywhere(steady, field, bad):
    refused(steady, lambda m: TEXT_FIELDS[field](m, steady, BAD_TEXTS[bad]))


@pytest.mark.parametrize("bad", ["a lone surrogate", "a NUL"])
@pytest.mark.parametrize(
    "write",
    [
        lambda m, t: m.capture("x", tool_graph=[{"id": "1", "tool": "t", "args": {"a": [t]}}]),
        lambda m, t: m.capture("x", timeline=[{"at": 1, "event_kind": "e", "summary": t}]),
        lambda m, t: m.capture("x", environment={"os": t}),
        lambda m, t: m.capture("x", metadata={"k": t}),
        lambda m, t: m.remember("x", metadata={"k": t}),
        lambda m, t: m.remember(payload={**TASK, "next_actions": [t]}),
        lambda m, t: m.remember(payload={**SKILL, "failure_modes": [t]}),
        lambda m, t: m.remember(payload=plan(intent=t)),
        lambda m, t: m.remember(payload={**PERSON, "summary": t}),
    ],
)
def test_text_that_is_not_text_is_refused_deep_inside_too(steady, write, bad):
    refused(steady, lambda m: write(m, BAD_TEXTS[bad]))


def test_words_about_an_escaped_nul_are_only_words(known):
    memory = known["memory"]
    receipt = memory.remember("in JSON a NUL is written \\u0000")
    assert memory.read(receipt.record_id).item.text == "in JSON a NUL is written \\u0000"


# ---- wrong types -----------------------------------------------------------------------------------------------------

ODD = [5, 2.5, True, b"bytes", {"zqxcanary": 1}, ["zqxcanary"], THING, dt.date(2026, 3, 1)]
STRING_ARGUMENTS = {
    "text": lambda m, k, v: m.capture(v),
    "speaker": lambda m, k, v: m.capture("x", speaker=v),
    "event_kind": lambda m, k, v: m.capture("x", event_kind=v),
    "outcome": lambda m, k, v: m.capture("x", outcome=v),
    "sensitivity": lambda m, k, v: m.capture("x", sensitivity=v),
    "reason": lambda m, k, v: m.capture("x", reason=v),
    "key": lambda m, k, v: m.capture("x", idempotency_key=v),
    "statement": lambda m, k, v: m.remember(v),
    "subject": lambda m, k, v: m.remember("x", subject=v, predicate="is", object="y"),
    "predicate": lambda m, k, v: m.remember(subject="x", predicate=v, object="y"),
    "unit": lambda m, k, v: m.remember("x", subject="a", predicate="is", object=1, unit=v),
    "basis": lambda m, k, v: m.remember("x", basis=v),
    "polarity": lambda m, k, v: m.remember("x", polarity=v),
    "volatility": lambda m, k, v: m.remember("x", volatility=v),
    "correct id": lambda m, k, v: m.correct(v, "new", reason="x"),
    "correct statement": lambda m, k, v: m.correct(k["plain"], v, reason="x"),
    "correct reason": lambda m, k, v: m.correct(k["plain"], "new", reason=v, idempotency_key="k"),
    "correct polarity": lambda m, k, v: m.correct(k["fact"], polarity=v, reason="x"),
    "change id": lambda m, k, v: m.change(v, "new", reason="x"),
    "change statement": lambda m, k, v: m.change(k["plain"], v, reason="x"),
    "retract id": lambda m, k, v: m.retract(v, reason="x"),
    "retract reason": lambda m, k, v: m.retract(k["plain"], reason=v, idempotency_key="k"),
    "target": lambda m, k, v: m.retract(target=v, reason="x"),
    "support id": lambda m, k, v: m.support(v, [cite(k["talk"])], reason="x"),
    "revoke": lambda m, k, v: m.support(k["plain"], revoke=v, reason="x"),
    "reinstate": lambda m, k, v: m.support(k["plain"], reinstate=v, reason="x"),
    "relate id": lambda m, k, v: m.relate(v, "likes", k["fact"], reason="x"),
    "relation": lambda m, k, v: m.relate(k["plain"], v, k["fact"], reason="x"),
    "relate target": lambda m, k, v: m.relate(k["plain"], "likes", v, reason="x"),
    "classify id": lambda m, k, v: m.classify(v, "high", reason="x"),
    "classify level": lambda m, k, v: m.classify(k["plain"], v, reason="x"),
    "feedback id": lambda m, k, v: m.feedback(v),
    "feedback outcome": lambda m, k, v: m.feedback(k["recall"], outcome=v),
    "query": lambda m, k, v: m.recall(v),
    "clearance": lambda m, k, v: m.recall("x", clearance=v),
    "explain id": lambda m, k, v: m.explain("x", v),
    "read id": lambda m, k, v: m.read(v),
    "history id": lambda m, k, v: m.history(v),
    "history cursor": lambda m, k, v: m.history(k["fact"], cursor=v),
    "list cursor": lambda m, k, v: m.list(cursor=v),
    "at scope": lambda m, k, v: m.at(scope=v),
    "at session": lambda m, k, v: m.at(session=v),
}  # fmt: skip


@pytest.mark.parametrize("argument", STRING_ARGUMENTS)
def test_what_is_not_a_string_where_one_belongs_is_refused(steady, argument):
    for value in ODD:
        refused(steady, lambda m, v=value: STRING_ARGUMENTS[argument](m, steady, v))


LIST_ARGUMENTS = {
    "tags": lambda m, k, v: m.capture("x", tags=v),
    "tags of a claim": lambda m, k, v: m.remember("x", tags=v),
    "timeline": lambda m, k, v: m.capture("x", timeline=v),
    "tool_graph": lambda m, k, v: m.capture("x", tool_graph=v),
    "artifacts": lambda m, k, v: m.capture("x", artifacts=v),
    "evidence": lambda m, k, v: m.remember("x", evidence=v),
    "evidence of a correction": lambda m, k, v: m.correct(k["plain"], "new", evidence=v, reason="x"),
    "evidence of a support": lambda m, k, v: m.support(k["plain"], v, reason="x"),
    "expected_heads": lambda m, k, v: m.retract(k["plain"], reason="x", expected_heads=v),
    "used": lambda m, k, v: m.feedback(k["recall"], used=v),
    "kinds": lambda m, k, v: m.recall("x", kinds=v),
    "kinds of a list": lambda m, k, v: m.list(kinds=v),
    "scopes": lambda m, k, v: m.recall("x", scopes=v),
    "include": lambda m, k, v: m.recall("x", include=v),
    "items": lambda m, k, v: m.capture_many(v),
    "items to remember": lambda m, k, v: m.remember_many(v),
}  # fmt: skip


@pytest.mark.parametrize("argument", LIST_ARGUMENTS)
@pytest.mark.parametrize(
    "value",
    ["zqxcanary", 5, True, {"zqxcanary": 1}, [5], [None], [["zqxcanary"]], [THING], ["zqxcanary"]],
    ids=str,
)
def test_what_is_not_a_list_of_the_right_things_is_refused(steady, argument, value):
    if argument.startswith("tags") and value == ["zqxcanary"]:
        value = [{"zqxcanary": 1}]
    if argument == "expected_heads" and value == ["zqxcanary"]:
        refused(steady, lambda m: LIST_ARGUMENTS[argument](m, steady, value), code="heads_stale")
        return
    refused(steady, lambda m: LIST_ARGUMENTS[argument](m, steady, value))


@pytest.mark.parametrize(
    "write",
    [
        lambda m, v: m.capture("x", metadata=v),
        lambda m, v: m.remember("x", metadata=v),
        lambda m, v: m.remember("x", conditions=v),
        lambda m, v: m.recall("x", conditions=v),
        lambda m, v: m.capture("x", environment=v),
        lambda m, v: m.remember(payload=v),
    ],
)
@pytest.mark.parametrize("value", ["zqxcanary", 5, ["zqxcanary"], THING, {"zqxcanary": {"a": 1}}, {5: "a"}], ids=str)
def test_what_is_not_a_mapping_of_the_right_things_is_refused(steady, write, value):
    refused(steady, lambda m: write(m, value))


@pytest.mark.parametrize("value", [True, 1.0, "8", None, [8], math.nan])
def test_a_number_is_a_whole_number_and_never_a_boolean(steady, value):
    for call in (
        lambda m: m.recall("x", limit=value),
        lambda m: m.recall("x", max_bytes=value),
        lambda m: m.recall("x", expand=value),
        lambda m: m.list(limit=value),
        lambda m: m.history(steady["fact"], limit=value),
        lambda m: m.capture_many([], batch=value),
    ):
        refused(steady, call, code="out_of_range")
    with pytest.raises(firsthand.InvalidError):
        check_range(value, least=0, most=10, field="x")


@pytest.mark.parametrize("value", ["yes", 1, 0, None, "false"])
def test_a_switch_is_true_or_false(steady, value):
    refused(steady, lambda m: m.capture("x", imported=value), code="switch_invalid", field="imported")
    refused(steady, lambda m: m.relate(steady["plain"], "likes", steady["fact"], end=value, reason="x"), field="end")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 2**63, -(2**64)])
def test_numbers_beyond_what_can_be_kept_are_refused(known, value):
    for write in (
        lambda m: claim(m, "api", "setting", value),
        lambda m: m.correct(known["fact"], object=value, reason="x"),
        lambda m: m.change(known["fact"], object=value, reason="x"),
        lambda m: m.remember("x", conditions={"c": value}),
        lambda m: m.capture("x", tool_graph=[{"id": "1", "tool": "t", "args": {"a": [value]}}]),
        lambda m: m.remember(payload={**TASK, "constraints": [{"type": "t", "key": "k", "value": value}]}),
        lambda m: claim(m, "api", "setting", firsthand.TypedValue(type="number", value=value)),
    ):
        refused(known, write)
    kept = claim(known["memory"], "api", "count", 2**63 - 1)
    assert known["memory"].read(kept.record_id).item.structure.object.value == 2**63 - 1


@pytest.mark.parametrize(
    ("kind", "value"),
    [("number", "8"), ("number", True), ("boolean", 1), ("string", 5), ("entity", 2.5), ("colour", "red")],
)
def test_a_typed_value_must_be_of_its_type(steady, kind, value):
    refused(steady, lambda m: claim(m, "api", "is", firsthand.TypedValue(type=kind, value=value)))
    payload = {"kind": "semantic", "statement": "x", "subject": "a", "predicate": "b",
               "object": {"type": kind, "value": value}}  # fmt: skip
    refused(steady, lambda m: m.remember(payload=payload))


# ---- instants --------------------------------------------------------------------------------------------------------

BAD_INSTANTS = [
    "2026-W10-1", "2026-03", "yesterday", "", "20260309", "2026-03-09T10:00", "2026-02-30", "2026-13-01T00:00Z",
    dt.datetime(2026, 3, 9, 10), True, 1.5, None.__class__, "0001-01-01T00:00+10:00", "9999-12-31T23:59-10:00", 2**63,
    -(2**62), dt.datetime.max.replace(tzinfo=dt.timezone(dt.timedelta(hours=-5))), b"2026-03-09",
    "2026-03-09T10:00Z\x00", [2026],
]  # fmt: skip


@pytest.mark.parametrize("instant", BAD_INSTANTS, ids=str)
def test_an_instant_that_is_unclear_or_out_of_range_is_refused_everywhere(steady, instant):
    for call in (
        lambda m: m.capture("x", occurred_at=instant),
        lambda m: m.remember("x", valid_from=instant),
        lambda m: m.remember("x", valid_to=instant),
        lambda m: m.correct(steady["plain"], "new", valid_from=instant, reason="x"),
        lambda m: m.change(steady["plain"], "new", since=instant, reason="x"),
        lambda m: m.recall("x", valid_at=instant),
        lambda m: m.recall("x", known_at=instant),
        lambda m: m.capture("x", timeline=[{"at": instant, "event_kind": "e"}]),
    ):
        error = refused(steady, call)
        assert error.code.startswith("instant_")


@pytest.mark.parametrize(
    ("instant", "micros"),
    [
        ("1970-01-02", 86_400_000_000), ("1970-01-01T00:00Z", 0), (" 1970-01-01T02:00+02:00 ", 0), (7, 7),
        (dt.datetime(1970, 1, 1, tzinfo=dt.UTC), 0), (dt.date(1970, 1, 2), 86_400_000_000),
        ("0001-01-01T00:00Z", -62_135_596_800_000_000),
        ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
    ],
)  # fmt: skip
def test_an_instant_may_be_written_in_any_clear_way(instant, micros):
    assert to_micros(instant, "at") == micros


@pytest.mark.parametrize("end", ["2026-01-01", "2025-12-31"])
def test_a_window_must_end_after_it_begins(steady, end):
    refused(steady, lambda m: m.remember("x", valid_from="2026-01-01", valid_to=end), code="window_empty")
    refused(
        steady, lambda m: m.correct(steady["fact"], valid_from="2026-01-01", valid_to=end, reason="x"),
        code="window_empty",
    )  # fmt: skip


# ---- evidence --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("evidence", "code"),
    [
        (lambda k: cite(k["talk"], quote="zqxcanary"), "quote_not_found"),
        (lambda k: cite(k["talk"], quote="The API listens"), "quote_not_found"),
        (lambda k: cite(k["talk"], quote="e"), "quote_cuts_word"),
        (lambda k: cite(k["talk"], quote="api listen"), "quote_cuts_word"),
        (lambda k: cite(k["talk"], quote="80"), "quote_cuts_word"),
        (lambda k: cite(k["talk"], span=(0, 500)), "span_out_of_range"),
        (lambda k: cite(k["talk"], span=(5, 5)), "span_out_of_range"),
        (lambda k: cite(k["talk"], span=(-3, 5)), "span_out_of_range"),
        (lambda k: cite(NO_RECORD), "record_absent"),
        (lambda k: cite(k["elsewhere"], quote="Apollo flies"), "evidence_elsewhere"),
        (lambda k: cite(k["retracted"]), "evidence_not_effective"),
        (lambda k: cite("zqxcanary"), "record_id_invalid"),
        (lambda k: cite(k["talk"].upper()), "record_id_invalid"),
        (lambda k: k["talk"], "shape_invalid"),
        (lambda k: {"record_id": k["talk"], "quote": "8080", "span": [0, 3]}, "cite_overspecified"),
        (lambda k: {"record_id": k["talk"], "zqxcanary": 1}, "shape_invalid"),
        (lambda k: {"quote": "8080"}, "shape_invalid"),
        (lambda k: firsthand.Cite(record_id=k["talk"], span=(True, 3)), "shape_invalid"),
        (lambda k: firsthand.Cite(record_id=k["talk"], span=(1, 2, 3)), "shape_invalid"),
        (lambda k: firsthand.Cite(record_id=k["talk"], span="0-3"), "shape_invalid"),
        (lambda k: firsthand.Cite(record_id=5), "shape_invalid"),
    ],
)  # fmt: skip
def test_evidence_that_does_not_bear_a_claim_out_is_refused(steady, evidence, code):
    cited = [cite(steady["talk"], quote="8080"), evidence(steady)]
    error = refused(steady, lambda m: m.remember("The api listens", evidence=cited), code=code)
    assert error.field in ("evidence", "record_id")
    refused(steady, lambda m: m.support(steady["plain"], cited, reason="x"), code=code)
    refused(steady, lambda m: m.correct(steady["fact"], object=9, evidence=cited, reason="x"), code=code)


def test_evidence_may_be_in_the_claims_scope_or_space_wide(house):
    memory, wide = house.memory(), house.memory(scope="space:")
    talk = wide.capture("The office closes on Friday")
    told = memory.remember("Friday is a holiday", evidence=[cite(talk.record_id, quote="closes on Friday")])
    assert memory.read(told.record_id).item.citations[0].record_id == talk.record_id


@pytest.mark.parametrize(
    ("said", "quote", "start"),
    [
        ("Breathe in the air", "the", 11), ("don't panic", "don", 0), ("auth_service on 3.5", "service on 3", 5),
        ("東京に住んでいます", "京に", 1), ("ﾄｳｷｮｳ", "ｳｷ", 1), ("อยู่กรุงเทพฯ", "กรุงเทพ", 4), ("v2は速い", "v2", 0),
    ],
)  # fmt: skip
def test_a_quote_stands_where_it_cuts_no_word(house, said, quote, start):
    memory = house.memory()
    talk = memory.capture(said)
    told = memory.remember("So it was said", evidence=[cite(talk.record_id, quote=quote)])
    assert memory.read(told.record_id).item.citations[0].span == (start, start + len(quote))


@pytest.mark.parametrize(("said", "quote"), [("cafe\u0301 au lait", "cafe"), ("Grüße", "Grü"), ("हिन्दी", "ह")])
def test_a_quote_that_cuts_a_word_of_any_spaced_script_is_refused(house, said, quote):
    memory = house.memory()
    talk = memory.capture(said)
    with pytest.raises(firsthand.InvalidError) as caught:
        memory.remember("So it was said", evidence=[cite(talk.record_id, quote=quote)])
    assert (caught.value.code, caught.value.next_action) == ("quote_cuts_word", "fix_and_resubmit")


def test_a_record_is_not_related_to_itself(steady):
    refused(
        steady, lambda m: m.relate(steady["plain"], "see_also", steady["plain"], reason="x"),
        code="relation_to_itself", field="target",
    )  # fmt: skip


def test_one_string_is_no_list(steady):
    refused(steady, lambda m: m.recall("x", scopes="project:orion"), code="scope_invalid", field="scopes")
    refused(steady, lambda m: m.capture("x", tags="abc"), code="shape_invalid", field="tags")


def test_what_shows_anything_at_all_is_text(known):
    for text in ("\u200b.", "…", "🙂", "\u0301", "한", "ー"):
        assert known["memory"].capture(text).outcome == "stored"


def test_a_citation_is_a_quote_or_a_span(known):
    with pytest.raises(firsthand.InvalidError, match="not both"):
        cite(known["talk"], quote="a", span=(0, 1))
    with pytest.raises(firsthand.InvalidError):
        cite(known["talk"], quote="")
    with pytest.raises(firsthand.InvalidError):
        cite(known["talk"], quote="\u200b")


# ---- scopes and ids --------------------------------------------------------------------------------------------------

BAD_SCOPES = [
    "", "*", "project:*", "project:%", "project:or?on", "project:", ":orion", "project", "Project:orion",
    "project:orion ", "project:o rion", "project:ü", "p" * 33 + ":x", "project:" + "x" * 97, "project:a\n",
    None.__class__, 7, ["project:orion"],
]  # fmt: skip


@pytest.mark.parametrize("scope", BAD_SCOPES, ids=str)
def test_a_scope_is_one_kind_and_id_and_never_a_pattern(steady, scope):
    refused(steady, lambda m: m.at(scope=scope), code="scope_invalid")
    if not isinstance(scope, list):
        refused(steady, lambda m: m.recall("x", scopes=[scope]), code="scope_invalid")
    with pytest.raises(firsthand.InvalidError):
        Grant(read=frozenset([scope]) if not isinstance(scope, list) else scope[0][1:])


@pytest.mark.parametrize(
    "scope", ["project:orion", "space:", "user:ana@example.org", "repo:a/b.c_d+e-F", "p:" + "x" * 96]
)
def test_a_well_formed_scope_is_taken_as_it_is(known, scope):
    assert known["memory"].at(scope=scope).scope == scope


@pytest.mark.parametrize(
    "record_id", ["", "r", "zqxcanary", "r" + "0" * 39, "r" + "0" * 41, "e" + "0" * 40, "r" + "G" * 40, "R" + "0" * 40]
)
def test_an_id_of_another_form_is_invalid_and_one_of_the_right_form_absent(steady, record_id):
    calls = (
        lambda m, i: m.read(i),
        lambda m, i: m.history(i),
        lambda m, i: m.explain("x", i),
        lambda m, i: m.correct(i, "new", reason="x"),
        lambda m, i: m.change(i, "new", reason="x"),
        lambda m, i: m.retract(i, reason="x"),
        lambda m, i: m.support(i, [cite(steady["talk"])], reason="x"),
        lambda m, i: m.classify(i, "high", reason="x"),
        lambda m, i: m.relate(i, "likes", steady["fact"], reason="x"),
        lambda m, i: m.relate(steady["fact"], "likes", i, reason="x"),
        lambda m, i: m.remember(payload={**PERSON, "distinct_from": [i]}),
    )
    for call in calls:
        refused(steady, lambda m, c=call: c(m, record_id), code="record_id_invalid")
    for call in (*calls[:2], *calls[3:]):
        error = refused(steady, lambda m, c=call: c(m, NO_RECORD), code="record_absent")
        assert isinstance(error, firsthand.AbsentError)


@pytest.mark.parametrize("cursor", ["zqxcanary", "-1", "1.0", "²", "9" * 30, "", " 1"])
def test_a_cursor_is_one_that_a_page_gave(steady, cursor):
    refused(steady, lambda m: m.list(cursor=cursor), code="cursor_invalid")
    refused(steady, lambda m: m.history(steady["fact"], cursor=cursor), code="cursor_invalid")


# ---- payloads and items ----------------------------------------------------------------------------------------------

BAD_PAYLOADS = {
    "no kind": {"statement": "x"},
    "unknown kind": {"kind": "zqxcanary"},
    "a kind that is no word": {"kind": ["working"]},
    "an episode": {"kind": "episodic", "text": "x"},
    "unknown field": {**TASK, "zqxcanary": 1},
    "unknown field inside": {**TASK, "constraints": [{"type": "t", "key": "k", "value": 1, "zqxcanary": 1}]},
    "missing field": {"kind": "working", "thread_id": "zqxcanary"},
    "unknown state": {**TASK, "state": "zqxcanary"},
    "a cycle": plan("abc", [("a", "b"), ("b", "c"), ("c", "a")]),
    "a loop": plan("a", [("a", "a")]),
    "missing endpoint": plan("ab", [("a", "zqxcanary")]),
    "two nodes of one id": plan("aa", []),
    "no nodes": plan([], []),
    "edge of unknown kind": plan("ab", [("a", "b", "zqxcanary")]),
    "no triggers": {**SKILL, "triggers": []},
    "no recipe": {**SKILL, "recipe": []},
    "alias of unknown kind": {**PERSON, "aliases": [{"value": "z", "kind": "zqxcanary"}]},
    "half a claim": {"kind": "semantic", "statement": "x", "subject": "a"},
    "too deep by far": {**TASK, "constraints": [{"type": "t", "key": "k", "value": deep(100_000)}]},
    "a struct of wrong types": firsthand.Working(thread_id=5, state="planning"),
    "a struct of wrong words": firsthand.Working(thread_id="t", state="zqxcanary"),
    "a struct that holds an object": firsthand.Working(thread_id="t", state="done", context_summary=object()),
}


@pytest.mark.parametrize("what", BAD_PAYLOADS)
def test_a_payload_that_breaks_its_kinds_rules_is_refused(steady, what):
    error = refused(steady, lambda m: m.remember(payload=BAD_PAYLOADS[what]))
    assert isinstance(error, firsthand.InvalidError)
    assert error.field


def test_data_edges_may_go_round(known):
    told = known["memory"].remember(
        payload=plan("ab", [("a", "b"), ("b", "a", "data")]),
    )
    assert told.outcome == "stored"


def test_a_fault_is_named_by_its_place_and_what_belongs_there(known):
    nodes = [{"id": "a", "op": "x"}, {"id": 5, "op": "x"}]
    error = refused(known, lambda m: m.remember(payload={**plan(), "nodes": nodes}))
    assert error.message == "nodes[1].id must be str, not int"
    assert error.field == "nodes"
    assert (
        refused(known, lambda m: m.remember(payload={"kind": "working"})).message == "payload lacks thread_id; add it"
    )
    assert "one of" in refused(known, lambda m: m.remember(payload={"kind": "zqxcanary"})).message
    assert refused(known, lambda m: m.capture("x", tags=5)).field == "tags"


@pytest.mark.parametrize(
    "beside",
    [{"statement": "x"}, {"subject": "x"}, {"object": 1}, {"tags": ["x"]}, {"valid_from": 1}, {"polarity": "-"},
     {"metadata": {"a": "b"}}, {"conditions": {"a": 1}}],
)  # fmt: skip
def test_what_a_payload_would_silently_drop_is_refused(steady, beside):
    error = refused(steady, lambda m: m.remember(payload=TASK, **beside), code="payload_unclear")
    assert error.field in beside
    refused(steady, lambda m: m.remember(payload=TASK, evidence=[cite(steady["talk"])]), code="evidence_not_taken")
    refused(steady, lambda m: m.remember(payload=PERSON, evidence=[cite(steady["talk"])]), code="evidence_not_taken")


@pytest.mark.parametrize(
    "claimed",
    [
        {},
        {"subject": "a", "predicate": "b"},
        {"statement": "x", "subject": "a", "predicate": "b"},
        {"statement": "x", "object": 5},
        {"statement": "x", "predicate": "b"},
        {"statement": "x", "unit": "ms"},
        {"statement": "x", "subject": "a", "object": 5},
    ],
)
def test_half_a_structured_claim_is_refused(steady, claimed):
    refused(steady, lambda m: m.remember(**claimed))


@pytest.mark.parametrize(
    "item",
    [{}, {"text": "x", "zqxcanary": 1}, {"text": None}, {"text": 5}, {"text": "x", "imported": "no"}, "zqxcanary", 5,
     {"text": "x", "occurred_at": "zqxcanary"}, {"text": "x", "metadata": {"a": 1}}, {"text": "x", "role": "person"},
     {"text": "x", "actor": "ben"}, {"text": "x", 5: 1}],
)  # fmt: skip
def test_an_item_that_is_wrong_stops_the_batch_before_anything_is_written(known, item):
    error = refused(known, lambda m: m.capture_many([{"text": "fine"}, item]))
    assert error.details == {"stored_items": 0}
    assert known["memory"].capture_many([{"text": "fine"}]).stored == 1


@pytest.mark.parametrize(
    "item",
    [{"statement": "x", "zqxcanary": 1}, {"statement": "x", "role": "person"}, {"payload": {"kind": "zqxcanary"}},
     {"statement": "x", "evidence": "zqxcanary"}, {"statement": "x", "scope": "project:apollo"}, ["statement"]],
)  # fmt: skip
def test_an_item_to_remember_that_is_wrong_stops_the_batch(steady, item):
    refused(steady, lambda m: m.remember_many([{"statement": "fine"}, item]))


@pytest.mark.parametrize(
    "graph",
    [[{"id": "1", "tool": "a"}, {"id": "1", "tool": "b"}], [{"id": "1", "tool": "a", "depends_on": ["zqxcanary"]}],
     [{"id": "1"}], [{"id": "1", "tool": "a", "zqxcanary": 2}], [5]],
)  # fmt: skip
def test_a_tool_graph_names_each_call_once_and_only_calls_it_has(steady, graph):
    refused(steady, lambda m: m.capture("x", tool_graph=graph))


def test_revisions_that_say_nothing_new_are_refused(known):
    fact, plain = known["fact"], known["plain"]
    refused(known, lambda m: m.correct(fact, reason="x"), code="nothing_new")
    refused(known, lambda m: m.correct(fact, unit="ms", reason="x"), code="claim_incomplete")
    refused(known, lambda m: m.correct(plain, object=5, reason="x"), code="claim_incomplete")
    refused(known, lambda m: m.correct(plain, polarity="-", reason="x"), code="statement_missing")
    refused(known, lambda m: m.change(plain, evidence=[cite(known["talk"])], reason="x"), code="evidence_not_taken")
    refused(known, lambda m: m.correct(fact, object=5, reason=None), code="reason_missing", field="reason")
    refused(known, lambda m: m.support(plain, reason="x"), code="support_unclear")
    refused(known, lambda m: m.support(plain, [cite(known["talk"])], revoke="e", reason="x"), code="support_unclear")
    refused(known, lambda m: m.relate(plain, "!?", fact, reason="x"), code="relation_invalid")
    refused(known, lambda m: m.recall("x", min_salience=2))
    refused(known, lambda m: m.recall("x", include=["zqxcanary"]), code="include_unknown")
    refused(known, lambda m: m.recall("x", kinds=["zqxcanary"]), code="kind_unknown")


# ---- opening ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [{"space": ""}, {"space": "a b"}, {"space": 5}, {"scope": "*"}, {"scope": 5}, {"actor": ""}, {"actor": 5},
     {"role": "admin"}, {"role": 5}, {"harness": ""}, {"harness": "a b"}, {"model": 5}, {"session": ""}, {"device": 5},
     {"grant": "all"}, {"policy": "name = zqxcanary"}, {"policy": 5}, {"synchronous": "OFF; DROP TABLE entry"},
     {"owner": "x" * 513}],
    ids=str,
)  # fmt: skip
def test_a_memory_is_not_opened_on_wrong_arguments(tmp_path, wrong):
    with pytest.raises(firsthand.InvalidError) as caught:
        firsthand.open(tmp_path / "m.db", **wrong)
    assert CANARY not in str(caught.value)
    with firsthand.open(tmp_path / "m.db", scope="project:x") as memory:
        assert memory.stats().entries == 0


@pytest.mark.parametrize("url", [5, b"m.db", "http://example.org/m.db", "postgresql://x", "a\x00b"])
def test_what_is_no_path_is_not_opened(url, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(firsthand.InvalidError):
        firsthand.open(url)
    assert list(tmp_path.iterdir()) == []
    with firsthand.open("m.db") as memory:
        assert memory.stats().entries == 0


@pytest.mark.parametrize(
    "wrong",
    [{"verbs": "remember"}, {"verbs": ["rembember"]}, {"read": "project:x"}, {"read": [5]}, {"write": ["project:*"]},
     {"clearance": "top"}, {"role": "admin"}, {"attests": [5]}, {"attests": None}, {"verbs": 5}],
    ids=str,
)  # fmt: skip
def test_a_grant_that_means_nothing_is_not_made(wrong):
    with pytest.raises(firsthand.InvalidError):
        Grant(**wrong)
    made = Grant(verbs=["remember"], read=["project:x"])
    assert made.may_use("remember")
    assert not made.may_use("recall")
    assert msgspec.structs.asdict(made)["read"] == frozenset(["project:x"])
