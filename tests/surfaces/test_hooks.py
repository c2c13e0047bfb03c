"""Hooks keep what the user says, what tools do and what the agent says, and bring back what is known."""

from __future__ import annotations

import json
import random
import string
from typing import Any

import pytest
from harness import OWNER, Make, Session

import firsthand
from firsthand.config import read_settings
from firsthand.recall.vectors import Matrix
from firsthand.surfaces.hooks import health
from firsthand.vocabulary.errors import InvalidError

WORDS = ["".join(random.Random(n).choices(string.ascii_lowercase, k=7)) for n in range(400)]
SECRET = "AKIA" + "QWERTYUIOPASDFGH"


@pytest.fixture(params=["claude-code", "codex"])
def session(request: pytest.FixtureRequest, make: Make) -> Session:
    """A session of either harness."""
    return make(harness=request.param)


# ---- what is kept ----------------------------------------------------------------------------------------------------


def test_a_prompt_is_kept_as_attested_speech_of_the_owner(session: Session) -> None:
    session.ask("The mast is made of spruce.")
    (prompt,) = session.kept("prompt")
    assert prompt.text == "The mast is made of spruce."
    assert (prompt.payload["speaker"], prompt.payload["thread"]) == (OWNER, session.session)
    assert prompt.attested


def test_what_the_agent_says_is_its_own_speech_and_not_attested(session: Session) -> None:
    session.ask("What is the mast made of?")
    session.reply("It is made of spruce.", last_assistant_message="It is made of spruce.")
    (reply,) = session.kept("reply")
    assert (reply.text, reply.payload["speaker"]) == ("It is made of spruce.", session.harness)
    assert not reply.attested


def test_a_tool_call_is_kept_as_evidence_of_the_tool(session: Session) -> None:
    session.use("Bash", {"command": "make rig"}, {"stdout": "rigged in 3 s", "stderr": "", "interrupted": False})
    (call,) = session.kept("tool")
    assert call.text == 'Bash: {"command":"make rig"}\nrigged in 3 s'
    assert (call.payload.get("speaker"), call.payload["origin"]) == (None, "Bash")
    assert [each["tool"] for each in call.payload["tool_graph"]] == ["Bash"]


def test_a_tool_call_is_bounded_and_its_secrets_are_masked_before_it_is_cut(session: Session) -> None:
    # The secret lies across the place where the result is cut, or would be if it were cut first.
    offsets = (*range(640, 700, 6), *range(1_002, 1_026, 6))
    for offset in offsets:
        session.use("Read", {"file_path": f"/f{offset}"}, "x " * (offset // 2) + SECRET + " y" * 4_000)
    assert len(session.texts("tool")) == len(offsets)
    for text in session.texts("tool"):
        assert len(text.encode()) < 1_700
        assert "AKIA" not in text
    assert any("[masked" in text for text in session.texts("tool"))


def test_a_prompt_of_any_length_is_kept_within_a_limit_with_both_its_ends(session: Session) -> None:
    session.ask("Begin. " + "word " * 100_000 + "The end.")
    (text,) = session.texts("prompt")
    assert text.startswith("Begin. ")
    assert text.endswith("The end.")
    assert len(text.encode()) <= 32 * 1024


def test_what_is_no_text_is_kept_as_text(session: Session) -> None:
    session.ask("a \ud800 lone half and a \x00 nothing")
    assert session.texts("prompt") == ["a ? lone half and a  nothing"]


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("mcp__firsthand__list", {"limit": 3}), ("Bash", {"command": "cd x && firsthand recall mast"}),
        ("shell", {"command": ["bash", "-lc", "firsthand list"]}), ("TodoWrite", {"todos": []}),
        ("update_plan", {"plan": []}),
    ],
)  # fmt: skip
def test_what_this_memory_answers_and_a_session_s_own_list_are_no_evidence(
    session: Session, tool: str, given: dict[str, Any]
) -> None:
    session.use("Bash", {"command": "cat firsthand.toml"}, "db = 1")
    session.use(tool, given, "the mast is of spruce")
    assert [text.splitlines()[0] for text in session.texts()] == ['Bash: {"command":"cat firsthand.toml"}']


def test_what_a_harness_says_in_the_user_s_place_is_not_the_user_s_word(session: Session) -> None:
    session.ask("<task-notification>\n<status>completed</status> the mast is of spruce\n</task-notification>")
    session.ask("<b>bold</b> is what I want")
    notice, mine = session.kept("prompt")
    assert (notice.payload.get("speaker"), notice.attested) == (None, False)
    assert (mine.payload["speaker"], mine.attested) == (OWNER, True)


def test_what_is_told_twice_is_kept_once(make: Make) -> None:
    session = make()
    session.ask("How is the mast?")
    session.reply("The mast is fine.", last_assistant_message="The mast is fine.")
    session.hook("PreCompact", trigger="auto")
    session.hook("SessionEnd", reason="other")
    event = session.event("PostToolUse", tool_name="Bash", tool_input={}, tool_response="ok", tool_use_id="toolu_1")
    for _ in range(2):
        session.raw(json.dumps(event).encode())
    assert session.texts() == ["How is the mast?", "The mast is fine.", "Bash: {}\nok"]
    session.ask("yes")
    session.ask("yes")
    assert session.texts("prompt")[1:] == ["yes", "yes"]


def test_a_reply_told_before_it_is_written_down_is_kept_once(make: Make) -> None:
    session = make()
    session.ask("How is the mast?")
    session.hook("Stop", last_assistant_message="The mast is fine.")
    session.write("assistant", [{"type": "text", "text": "The mast is fine."}])
    session.hook("SessionEnd", reason="other")
    assert session.texts("reply") == ["The mast is fine."]
    assert health.read(session.database).failures == 0


def test_what_a_side_chain_or_the_harness_itself_says_is_not_taken_for_the_agent_s(make: Make) -> None:
    session = make()
    session.ask("How is the mast?")
    session.write("assistant", [{"type": "text", "text": "a helper's words"}], isSidechain=True)
    session.write("assistant", [{"type": "text", "text": "the harness's words"}], isMeta=True)
    session.line("not an object")
    session.line({"type": "assistant", "message": {"content": 7}})
    session.reply("The agent's words.")
    assert session.texts("reply") == ["The agent's words."]


def test_codex_s_own_transcript_is_read(make: Make) -> None:
    session = make(harness="codex")
    session.hook("UserPromptSubmit", prompt="How is the mast?")
    for kind, payload in (
        ("session_meta", {"id": "x"}),
        ("response_item", {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "# AGENTS"}]}),
        ("event_msg", {"type": "user_message", "message": "How is the mast?"}),
        ("response_item", {"type": "message", "role": "assistant",
                           "content": [{"type": "output_text", "text": "The mast is fine."}]}),
    ):  # fmt: skip
        session.line({"timestamp": "2026-11-30T12:00:00.000Z", "type": kind, "payload": payload})
    session.hook("Stop", last_assistant_message=None)
    assert session.texts() == ["How is the mast?", "The mast is fine."]


def test_a_transcript_that_is_not_there_costs_only_what_it_would_have_said(session: Session) -> None:
    session.hook("Stop", last_assistant_message="The mast is fine.")
    assert session.texts("reply") == ["The mast is fine."]


# ---- what is brought back --------------------------------------------------------------------------------------------


def test_what_was_said_in_one_session_is_known_in_the_next(session: Session, make: Make) -> None:
    session.ask("The mast of the boat is made of spruce.")
    later = make("s-2", harness=session.harness)
    context = later.ask("What is the mast made of?")
    assert context is not None
    assert "The mast of the boat is made of spruce." in context
    assert "evidence, not instruction" in context
    assert context.startswith("<firsthand-memory nonce=")
    assert context.rstrip().splitlines()[-1].startswith("</firsthand-memory nonce=")


def test_a_prompt_is_answered_without_reading_every_vector(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    first = make()
    first.ask("The mast is made of spruce.")
    with first.memory() as memory, monkeypatch.context() as patch:
        patch.setattr(Matrix, "upto", lambda *_: 1 / 0)
        assert memory.recall("What is the mast made of?").degraded == ("vector_arm_failed",)
    monkeypatch.setattr(Matrix, "upto", lambda *_: pytest.fail("all were read"))
    later = make("s-2")
    assert "spruce" in (later.ask("What is the mast made of?") or "")


def test_what_this_session_said_itself_is_not_brought_back_to_it(make: Make) -> None:
    session = make()
    session.ask("The mast of the boat is made of spruce.")
    assert session.ask("What is the mast made of?") is None
    assert make("s-2").ask("What is the mast made of?") is not None


def test_nothing_is_added_where_nothing_is_known_or_nothing_fits(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    assert make().ask("How old is the keel?") is None
    make("s-2").ask("The mast is made of spruce. " + "It is long. " * 200)
    monkeypatch.setenv("FIRSTHAND_HOOK_PACKET_BYTES", "1024")
    assert make("s-3").ask("The mast, long?") is None
    monkeypatch.delenv("FIRSTHAND_HOOK_PACKET_BYTES")
    assert make("s-4").ask("The mast, long?") is not None


@pytest.mark.parametrize("most", [1_024, 2_048, 4_096, 10_000])
def test_what_is_added_keeps_within_its_bytes(make: Make, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    session = make()
    for number in range(20):
        session.ask(f"The mast {WORDS[number]} is made of spruce and " + "ä" * (number * 20))
    with session.memory() as memory:
        for number in range(40):
            memory.remember(" ".join(random.Random(number).sample(WORDS, 40)))
    monkeypatch.setenv("FIRSTHAND_HOOK_PACKET_BYTES", str(most))
    later = make("s-2")
    for context in (later.ask("Which mast is made of spruce?"), later.hook("SessionStart", source="startup")):
        assert context is not None
        assert most // 2 < len(context.encode()) <= most


def test_a_session_starts_with_what_lasts_in_its_project_and_everywhere(session: Session) -> None:
    session.ask("Hello.")
    with session.memory() as memory:
        memory.remember("The mast is made of spruce")
        memory.at(scope=f"user:{OWNER}").remember("Ana wants short answers")
        memory.at(scope="space:").remember("The company sails in May")
        memory.at(scope="project:car").remember("The car is red")
    context = session.hook("SessionStart", source="clear") or ""
    for words in ("The mast is made of spruce", "Ana wants short answers", "The company sails in May"):
        assert words in context
    assert "The car is red" not in context


def test_a_dispute_larger_than_what_is_added_is_cut_and_says_so(make: Make) -> None:
    session = make()
    session.ask("I read of a lamp that was located in a novel.")
    for n in range(30):
        scope = f"project:{session.folder.name}"
        with firsthand.open(session.database, scope=scope, actor=f"person-{n}", role="person") as person:
            person.remember(subject="lamp", predicate="located_in", object=f"shelf {n} of the storehouse by the river")
    context = make("s-2").ask("Where is the lamp located?") or ""
    assert "none is offered as true" in context
    assert "more that contradict them, which did not fit" in context


def test_what_was_rejected_is_not_brought_back(make: Make) -> None:
    session = make()
    with firsthand.open(session.database, scope="project:boat", actor=OWNER, role="person") as memory:
        oak = memory.remember("The mast is made of oak", subject="mast", predicate="made_of", object="oak")
        memory.remember("The keel is made of oak", subject="keel", predicate="made_of", object="oak")
        memory.reject(oak.record_id or "", reason="it is spruce")
    context = session.ask("What are the mast and the keel made of?") or ""
    assert "The keel is made of oak" in context
    assert "The mast is made of oak" not in context


def test_a_packet_of_sayings_alone_does_not_say_that_nothing_matched(make: Make) -> None:
    make("s-1").ask("The mast is made of spruce.")
    told = make("s-2").ask("What is the mast made of?")
    assert told is not None
    assert "The mast is made of spruce." in told
    assert "Nothing matched" not in told


def test_a_hook_setting_that_says_no_sense_loses_no_prompt(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line refuses it; a hook that did would lose what was said."""
    monkeypatch.setenv("FIRSTHAND_HOOK_BUDGET_MS", "soon")
    monkeypatch.setenv("FIRSTHAND_HOOK_PACKET_BYTES", "4k")
    session.ask("The larch is tall.")
    assert session.texts() == ["The larch is tall."]
    with pytest.raises(InvalidError):
        read_settings({}, {"HOME": "/", "FIRSTHAND_HOOK_BUDGET_MS": "soon"}, session.folder)
