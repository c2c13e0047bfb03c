"""What people see: every fact of a result is in its drawing, and nothing in content can steer the terminal."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from firsthand.recall.score import WEIGHTS
from firsthand.surfaces import catalogue, show
from firsthand.surfaces.cli import app, report
from firsthand.surfaces.sentences import WORDS, error_sentence, import_sentences, jobs_sentences, receipt_sentences
from firsthand.vocabulary.errors import BusyError, DeniedError, InvalidError, RefusedError
from firsthand.vocabulary.instants import FOREVER, to_micros
from firsthand.vocabulary.jobs import JobsReport, JobsStatus, JobView
from firsthand.vocabulary.packets import (
    BeliefView,
    Citation,
    Conflict,
    ConflictGroup,
    EntryView,
    Explanation,
    History,
    ImportProblem,
    ImportReport,
    Item,
    Masking,
    Omitted,
    Packet,
    Qualifier,
    Receipt,
    RecordPage,
    RecordView,
    RelationView,
    Standing,
    Stats,
    SupportView,
    Why,
)

MARCH_9 = to_micros("2026-03-09T10:00Z", "when")
FACT, TALK = "r" + "1" * 64, "r" + "2" * 64
CITED = Citation(record_id=TALK, quote="runs on \x1b[31mPostgreSQL", span=(0, 9), speaker="Ana", occurred_at=MARCH_9)
ITEM = Item(
    record_id=FACT,
    revision_id="e1",
    kind="semantic",
    text="auth-service uses [bold]PostgreSQL[/bold] \x1b]0;owned\x07",
    scope="project:orion",
    tier="fact",
    status="active",
    authority="primary",
    valid_from=MARCH_9,
    valid_to=FOREVER,
    believed_since=MARCH_9,
    salience=1.0,
    citations=(CITED,),
    why=(Why(arm="lexical", rank=1),),
    qualifier=Qualifier(code="current", text="current"),
)
PACKET = Packet(
    recall_id="q7",
    query="x",
    items=(ITEM,),
    conflicts=(ConflictGroup(code="disputed", items=(ITEM, ITEM)),),
    matching=9,
    returned=2,
    truncated=True,
    omitted=Omitted(rows=4, bytes=3),
    degraded=("vector_down",),
    coverage=1.0,
    likelihood=0.91,
    known_at=MARCH_9,
    valid_at=None,
    notice="n",
    nonce="0" * 16,
    scopes=("project:orion",),
)
RECORD = RecordView(
    item=ITEM,
    visibility="visible",
    supports=(SupportView(support_id="s1", citation=CITED, source="Ana", basis="stated", live=True, spoken=MARCH_9),),
    relations=(RelationView(relation="mentioned_in", record_id=TALK, direction="out"),),
    heads=("e1",),
    visibility_heads=(),
)
HISTORY = History(
    record_id=FACT,
    entries=(
        EntryView(
            position=3,
            entry_id="e1",
            kind="revise",
            verb="correct",
            actor="ana",
            role="person",
            harness="cli",
            recorded_at=MARCH_9,
            received_at=MARCH_9,
            text=None,
            reason="misread",
            erased=True,
        ),
    ),
    beliefs=(
        BeliefView(
            record_id=FACT,
            revision_id="e1",
            text="it was so",
            tier="fact",
            status="superseded",
            visibility="visible",
            hidden_reason=None,
            valid_from=None,
            valid_to=MARCH_9,
            known_from=MARCH_9,
            known_to=FOREVER,
            live_support=1,
            sensitivity="low",
            cause_entry="e1",
        ),
    ),
    cursor="c9",
)
STATS = Stats(
    space="default",
    entries=1234,
    records={"semantic": 7},
    standing={"needs_review": 3},
    scopes=2,
    bytes_on_disk=4096,
    known_at=MARCH_9,
    generation=1,
)


@pytest.mark.parametrize(
    ("name", "result", "words"),
    [
        ("packet", PACKET, ("Conflict (disputed)", "[bold]PostgreSQL", "Ana, 2026-03-09", "2 of 9", "7 more", "q7")),
        ("packet", PACKET, ("Degraded: vector_down",)),
        ("record", RECORD, (FACT, "project:orion", "to " + TALK, "s1", "2026-03-09T10:00Z to …", "yes")),
        ("page", RecordPage(items=(ITEM,), cursor="c2"), (FACT[:13], "1 shown", "--cursor c2", "fact, active")),
        ("page", RecordPage(items=(), cursor=None), ("Nothing is stored here",)),
        ("history", HISTORY, ("ana (person, cli)", "revise correct", "misread", "erased", "it was so", "--cursor c9")),
        ("explanation", Explanation(record_id=FACT, returned=False, why=(), reason="cut_by_rank", rank=12), ("12.",)),
        (
            "explanation",
            Explanation(record_id=FACT, returned=True, why=ITEM.why, reason="returned", contributions={"words": 0.5}),
            ("It is in the answer.", "lexical at rank 1", "words", "+0.50"),
        ),
        ("stats", STATS, ("1,234", "needs review", "4 KiB")),
    ],
)
def test_every_fact_is_drawn_and_no_control_character_passes(
    name: str, result: object, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    show.DRAWINGS[name](result)
    drawn = capsys.readouterr().out
    for word in words:
        assert word in drawn
    assert "\x1b" not in drawn
    assert "\x07" not in drawn


def test_an_explanation_says_in_words_what_each_part_added_the_most_first(capsys: pytest.CaptureFixture[str]) -> None:
    parts = {"question": -0.25, "own": 0.5, "entity": 1.5, "factor": 1.2}
    show.explanation(Explanation(record_id=FACT, returned=True, why=(), reason="returned", rank=1, contributions=parts))
    lines = [
        line.split("  ") for line in capsys.readouterr().out.splitlines() if "+" in line or "×" in line or "-" in line
    ]
    cells = [[cell.strip() for cell in line if cell.strip()] for line in lines]
    full, part = "█" * show.BAR_CELLS, "█" * 7
    assert cells == [
        [show.COUNTED["entity"], "+1.50", "75%", full],
        [show.COUNTED["own"], "+0.50", "25%", part],
        [show.COUNTED["question"], "-0.25"],
        [show.COUNTED["factor"], "×1.20"],
    ]


def test_an_explanation_ends_with_the_score_they_make(capsys: pytest.CaptureFixture[str]) -> None:
    parts = {"own": 0.5, "entity": 1.5, "factor": 1.2}
    show.explanation(Explanation(record_id=FACT, returned=True, why=(), reason="returned", contributions=parts))
    assert capsys.readouterr().out.split()[-2:] == ["score", "2.40"]


def test_every_part_of_a_score_has_its_words() -> None:
    assert set(show.COUNTED) == {*WEIGHTS, "entity", "recent", "alone", show.FACTOR, show.SELECTION}


def test_a_receipt_says_what_became_of_the_write() -> None:
    receipt = Receipt(
        outcome="stored",
        record_id=FACT,
        entry_id="e1",
        known_at=MARCH_9,
        standing=Standing(tier="fact", status="needs_review", visibility="hidden", shown=False),
        conflicts=(Conflict(code="challenged", record_id=TALK, text="no\x1b", settle_with=("correct", "contest")),),
        maskings=(Masking(type="token", field="text", start=0, end=9),),
        notes=("one note",),
        evidence_id=TALK,
        next_action="ask_person",
    )
    said = "\n".join(receipt_sentences(receipt))
    for words in (
        f"Stored: {FACT}",
        "fact, needs review, hidden; answers leave it out",
        "known at 2026-03-09T10:00Z",
        f"rests on {TALK}",
        f"challenged {TALK}",
        "settle with correct, contest",
        "masked a token in text",
        "one note",
        "Ask a person",
    ):
        assert words in said
    assert "\x1b" not in said


def test_an_error_is_one_sentence_with_its_code_and_what_to_do() -> None:
    busy = error_sentence(BusyError("store_busy", "the database was locked", retryable=True))
    assert busy == "The database was locked [store_busy]. Try the same command again."
    unclear = InvalidError("ambiguous", "several records match", details={"candidates": [FACT, TALK]})
    assert f"(candidates: {FACT}, {TALK})" in error_sentence(unclear)


def test_a_message_that_begins_with_a_fields_name_leaves_it_as_it_is() -> None:
    assert error_sentence(InvalidError("x", "record_id is wrong")).startswith("record_id is wrong [x].")


def test_only_who_lacks_the_role_is_told_to_say_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    hint = "say --role person"
    made = CliRunner().invoke(app, ["--db", "m.db", "init", "--no-file"])
    assert made.exit_code == 0, made.output
    asked = ("--db", "m.db", "review", "decide", "e" + "0" * 40, "approve", "--reason", "it holds")
    assert hint in CliRunner().invoke(app, asked).stderr
    assert hint not in CliRunner().invoke(app, (*asked, "--role", "person")).stderr
    needs = DeniedError("lifting_needs_person", "only a person lifts", field="role")
    assert "Ask a person" in error_sentence(needs)
    assert hint not in error_sentence(needs), "an agent reads this"
    assert report(DeniedError("scope_not_granted", "not this scope"), as_json=False) == DeniedError.exit_code
    assert report(RefusedError("peer_unknown", "not known here"), as_json=False) == RefusedError.exit_code
    told = capsys.readouterr().err
    assert "scope_not_granted" in told
    assert hint not in told
    proposed = Receipt(outcome="proposed", record_id=FACT, entry_id=None, known_at=0, next_action="ask_person")
    assert hint in "\n".join(receipt_sentences(proposed))
    refused = msgspec.structs.replace(proposed, outcome="refused", code="rejected_value")
    assert hint not in "\n".join(receipt_sentences(refused))


def test_an_episode_says_who_said_it_and_what_became_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    then = Qualifier(code="said_then", text="said then; see rabc")
    said = msgspec.structs.replace(ITEM, kind="episodic", speaker="Ana", occurred_at=MARCH_9, qualifier=then)
    show.packet(msgspec.structs.replace(PACKET, items=(said,), conflicts=()))
    assert "said by Ana · 2026-03-09 · said then; see rabc" in capsys.readouterr().out


def test_an_import_shows_its_first_problems_and_counts_the_rest() -> None:
    problems = tuple(ImportProblem(line=n, code="bad", message="not JSON") for n in range(1, 24))
    report = ImportReport(
        source="chat", scopes=("user:ana",), read=30, added=5, known=2, refused=0, problems=problems, seconds=1.0
    )
    said = "\n".join(import_sentences(report))
    assert "30 read, 5 added, 2 known already, 0 refused, 23 bad, into user:ana, in 1.0 s." in said
    assert "line 20: not JSON [bad]" in said
    assert "line 21" not in said
    assert "and 3 more" in said


def test_what_waits_for_jobs_and_why_it_was_given_up_is_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    view = JobView(
        job="extract_claims", scope="project:orion", waiting=31, leased=32, dead=33, unseen=34, code="store_busy"
    )
    show.DRAWINGS["jobs"](JobsStatus(jobs=(view,), waiting=31, leased=32, dead=33, unseen=34))
    drawn = capsys.readouterr().out
    assert {"extract_claims", "project:orion", "31", "32", "33", "34", "store_busy"} <= set(drawn.split())
    show.DRAWINGS["jobs"](JobsStatus(jobs=(), waiting=0, leased=0, dead=0, unseen=0))
    assert "No scope" in capsys.readouterr().out


def test_a_run_of_the_jobs_says_what_failed_and_what_is_left() -> None:
    quiet = jobs_sentences(JobsReport(documents=7, stored=2))
    assert len(quiet) == 1
    assert "7 documents read: 2 candidates stored" in quiet[0]
    loud = " ".join(jobs_sentences(JobsReport(failed=3, lost=1, waiting=4, dead=5)))
    assert "3 stretches failed" in loud
    assert "1 went to others" in loud
    assert "4 waiting, 5 given up" in loud


def test_whatever_a_command_shows_can_be_drawn() -> None:
    source = Path(show.__file__).parent
    shown = {
        name
        for module in source.glob("cli*.py")
        for name in re.findall(r'desk\.show\(.*?, "(\w+)"\)', module.read_text())
    }
    shown |= {operation.shows for operation in catalogue.every()}
    assert {"packet", "refusals", "review_page", "timeline", "selftest"} <= shown
    assert shown == set(show.DRAWINGS) | set(WORDS)
