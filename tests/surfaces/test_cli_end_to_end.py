"""The command line on a real memory file: what people and programs see, and with which exit code."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest
from click.testing import CliRunner, Result

from firsthand.rules.gate import INCLUDES
from firsthand.surfaces.cli import app

COMMAND = (sys.executable, "-c", "from firsthand.surfaces.cli import main; main()")
SAID = "Ana: auth-service runs on PostgreSQL 16 since March."


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in (
        "XDG_DATA_HOME",
        *(f"FIRSTHAND_{name}" for name in ("DB", "SPACE", "SCOPE", "ACTOR", "OWNER", "ROLE")),
    ):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "firsthand.toml").write_text(
        'db = "memory.db"\nscope = "project:orion"\nactor = "ana"\nrole = "person"\n'
    )
    return tmp_path


def run(*words: str, given: bytes | str | None = None) -> Result:
    return CliRunner().invoke(app, words, input=given)


def ask(*words: str, given: bytes | str | None = None) -> Any:
    result = run(*words, "--json", given=given)
    assert result.stderr == ""
    assert result.stdout.count("\n") == 1
    document = json.loads(result.stdout)
    assert result.exit_code == 0, document
    return document


def process(*words: str, given: bytes = b"", **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run((*COMMAND, *words), input=given, capture_output=True, timeout=60, check=False, **options)


def a_fact() -> tuple[dict[str, Any], dict[str, Any]]:
    talk = ask("capture", SAID, "--speaker", "Ana", "--at", "2026-03-09T10:00Z")
    fact = ask(
        *("remember", "auth-service uses PostgreSQL 16", "--subject", "auth-service", "--predicate", "uses_database"),
        *("--object", "PostgreSQL 16", "--valid-from", "2026-03-01"),
        *("--evidence", f"{talk['record_id']}=auth-service runs on PostgreSQL 16"),
    )
    return talk, fact


def correct_to_17(fact: dict[str, Any]) -> None:
    words = ("auth-service uses PostgreSQL 17", "--object", "PostgreSQL 17", "--reason", "misread")
    ask("correct", fact["record_id"], *words)


def texts(packet: dict[str, Any]) -> list[str]:
    return [item["text"] for item in packet["items"]]


def test_what_one_process_remembers_another_recalls_with_its_source(home: Path) -> None:
    said = process("capture", "-", "--speaker", "Ana", "--json", given=SAID.encode() + b"\n")
    assert said.returncode == 0, said.stderr
    talk = json.loads(said.stdout)
    told = process(
        *("remember", "auth-service uses PostgreSQL 16", "--subject", "auth-service", "--predicate", "uses_database"),
        *("--object", "PostgreSQL 16", "--evidence", f"{talk['record_id']}=auth-service runs on PostgreSQL 16"),
    )
    assert told.returncode == 0, told.stderr
    assert told.stdout.startswith(b"Stored: r")
    piped = process("recall", "which database does auth-service use?")
    assert piped.returncode == 0
    shown = piped.stdout.decode()
    assert shown.startswith("<firsthand-memory nonce=")
    assert "auth-service uses PostgreSQL 16" in shown
    assert '"auth-service runs on PostgreSQL 16" — Ana' in shown


def test_a_correction_ends_the_old_value_and_history_keeps_it(home: Path) -> None:
    _, fact = a_fact()
    correct_to_17(fact)
    now = ask("recall", "auth-service database", "--kind", "semantic")
    before = ask("recall", "auth-service database", "--kind", "semantic", "--known-at", str(fact["known_at"]))
    assert texts(now) == ["auth-service uses PostgreSQL 17"]
    assert texts(before) == ["auth-service uses PostgreSQL 16"]
    past = ask("history", fact["record_id"])
    assert "auth-service uses PostgreSQL 16" in [belief["text"] for belief in past["beliefs"]]
    assert "misread" in [entry["reason"] for entry in past["entries"]]


def test_a_change_keeps_both_values_each_in_its_time(home: Path) -> None:
    _, fact = a_fact()
    ask(
        *("change", fact["record_id"], "auth-service uses PostgreSQL 17", "--object", "PostgreSQL 17"),
        *("--since", "2026-06-01", "--reason", "upgraded"),
    )
    spring = ask("recall", "auth-service database", "--kind", "semantic", "--valid-at", "2026-04-01")
    summer = ask("recall", "auth-service database", "--kind", "semantic", "--valid-at", "2026-07-01")
    assert texts(spring) == ["auth-service uses PostgreSQL 16"]
    assert texts(summer) == ["auth-service uses PostgreSQL 17"]


def test_what_was_retracted_is_no_longer_recalled(home: Path) -> None:
    _, fact = a_fact()
    assert texts(ask("recall", "auth-service database", "--kind", "semantic")) == ["auth-service uses PostgreSQL 16"]
    ask("retract", fact["record_id"], "--reason", "wrong service")
    assert texts(ask("recall", "auth-service database", "--kind", "semantic")) == []


def test_the_beginning_of_an_id_is_enough(home: Path) -> None:
    _, fact = a_fact()
    short = ask("read", fact["record_id"][:13])
    assert short["item"]["record_id"] == fact["record_id"]
    assert run("read", fact["record_id"][:4]).exit_code == 2
    assert run("read", "r00000000000").exit_code == 6


def test_the_options_of_a_scope_keep_scopes_apart(home: Path) -> None:
    a_fact()
    assert texts(ask("recall", "auth-service database", "--scope", "project:other")) == []
    assert "auth-service uses PostgreSQL 16" in texts(
        ask("recall", "auth-service database", "--scope", "project:other", "--scopes", "project:orion")
    )


def test_reading_commands_draw_tables_for_people(home: Path) -> None:
    talk, fact = a_fact()
    record = run("read", fact["record_id"])
    assert record.exit_code == 0
    assert fact["record_id"] in record.stdout
    assert "project:orion" in record.stdout
    listed = run("list", "--kind", "semantic")
    assert fact["record_id"][:13] in listed.stdout
    assert talk["record_id"][:13] not in listed.stdout
    past = run("history", fact["record_id"])
    assert "What happened to" in past.stdout
    assert "What was believed" in past.stdout
    counted = run("stats")
    assert "entries" in counted.stdout
    told = run("explain", "auth-service database", fact["record_id"])
    assert "It is in the answer." in told.stdout
    assert {result.exit_code for result in (record, listed, past, counted, told)} == {0}


def test_scopes_and_predicates_are_listed(home: Path) -> None:
    a_fact()
    assert "project:orion" in [scope["scope"] for scope in ask("scopes")]
    known = {predicate["key"]: predicate for predicate in ask("predicates")}
    assert known["lives_in"]["cardinality"] == "one"
    assert known["likes"]["cardinality"] == "many"
    assert "project:orion" in run("scopes").stdout
    assert "uses_database" in run("predicates").stdout


def test_an_absent_record_is_one_line_on_the_error_stream_and_leaves_with_six(home: Path) -> None:
    a_fact()
    absent = "r" + "0" * 40
    plain = run("read", absent)
    assert plain.exit_code == 6
    assert plain.stdout == ""
    assert plain.stderr.count("\n") == 1
    told = run("read", absent, "--json")
    assert told.exit_code == 6
    assert json.loads(told.stdout)["error"]["category"] == "absent"


def test_a_refused_write_shows_its_receipt_and_leaves_with_eight(home: Path) -> None:
    _, fact = a_fact()
    ask(
        "correct", fact["record_id"], "auth-service uses PostgreSQL 17", "--object", "PostgreSQL 17", "--reason", "typo"
    )
    words = ("--subject", "auth-service", "--predicate", "uses_database", "--object", "PostgreSQL 16")
    again = run("remember", "auth-service uses PostgreSQL 16", *words, "--role", "agent", "--json")
    assert again.exit_code == 8
    receipt = json.loads(again.stdout)
    assert receipt["outcome"] == "refused"
    assert receipt["code"]


def test_the_same_key_stores_the_same_request_once(home: Path) -> None:
    first = ask("capture", "Ana: hello", "--idempotency-key", "k1")
    second = ask("capture", "Ana: hello", "--idempotency-key", "k1")
    assert second["record_id"] == first["record_id"]
    assert second["replayed"]
    assert run("capture", "Ana: something else", "--idempotency-key", "k1").exit_code == 7


def test_support_classify_relate_and_feedback_leave_their_mark(home: Path) -> None:
    _, fact = a_fact()
    more = ask("capture", "Ben: yes, PostgreSQL 16 it is.", "--speaker", "Ben")
    ask("support", fact["record_id"], "--evidence", f"{more['record_id']}=PostgreSQL 16", "--reason", "Ben agrees")
    ask("classify", fact["record_id"], "high", "--reason", "names a host")
    ask("relate", fact["record_id"], "mentioned_in", more["record_id"], "--reason", "same talk")
    view = ask("read", fact["record_id"])
    assert len(view["supports"]) == 2
    assert view["item"]["sensitivity"] == "high"
    assert more["record_id"] in [r["record_id"] for r in view["relations"] if r["relation"] == "mentioned_in"]
    packet = ask("recall", "auth-service database")
    receipts = ask("feedback", packet["recall_id"], "--used", fact["record_id"], "--outcome", "helped")
    assert [receipt["record_id"] for receipt in receipts] == [fact["record_id"]]


def test_verify_and_rebuild_say_that_all_is_whole(home: Path) -> None:
    a_fact()
    head = ask("verify", "--deep")
    assert head["entries"] > 0
    assert ask("rebuild")["same"] is True
    assert run("verify").stdout.startswith("Whole: ")
    assert "the same as before" in run("rebuild").stdout


def test_import_adds_a_conversation_once(home: Path) -> None:
    lines = [
        {"id": "1", "speaker": "Ana", "text": "The launch is on Friday.", "at": "2026-03-09T10:00Z", "thread": "t"},
        {"id": "2", "speaker": "Ben", "text": "I will bring the cake.", "at": "2026-03-09T10:01Z", "thread": "t"},
    ]
    (home / "chat.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines) + "not json\n")
    first = ask("import", "chat", "chat.jsonl")
    assert (first["added"], first["known"], len(first["problems"])) == (2, 0, 1)
    second = ask("import", "chat", "chat.jsonl")
    assert (second["added"], second["known"]) == (0, 2)
    assert "I will bring the cake." in texts(ask("recall", "who brings the cake?"))
    assert "line 3" in run("import", "chat", "chat.jsonl").stdout


SAMPLES = Path(__file__).parents[1] / "importers" / "fixtures"


@pytest.mark.parametrize(
    ("format_", "folder", "turns"),
    [
        ("claude-code", "claude_code", 10),
        ("codex", "codex", 6),
        ("chatgpt", "chatgpt", 4),
        ("claude", "claude", 6),
        ("mcp-memory", "mcp_memory", 3),
        ("markdown", "markdown", 9),
    ],
)
def test_import_adds_every_file_of_a_folder_once(home: Path, format_: str, folder: str, turns: int) -> None:
    (home / "memory.db").unlink(missing_ok=True)
    first = ask("import", format_, str(SAMPLES / folder))
    assert (first["source"], first["added"], first["problems"]) == (folder, turns, [])
    again = run("import", format_, str(SAMPLES / folder))
    assert f"{folder}: {turns} read, 0 added, {turns} known already" in again.stdout


def test_import_says_whose_the_users_turns_are_and_in_which_file_a_line_is_bad(home: Path) -> None:
    (home / "sessions").mkdir()
    said = {"type": "user", "uuid": "u", "message": {"content": "The sails are blue."}}
    (home / "sessions" / "a.jsonl").write_text(json.dumps(said) + "\n{\n")
    shown = run("import", "claude-code", "sessions", "--speaker", "Ruth").stdout
    assert "  a.jsonl, line 2: the line is not valid JSON [json_invalid]" in shown.splitlines()
    (item,) = ask("recall", "which colour are the sails?")["items"]
    assert item["speaker"] == "Ruth"
    stopped = run("import", "claude-code", "sessions", "--on-error", "stop")
    assert stopped.exit_code == 2
    assert "a.jsonl, line 2" in stopped.stderr
    assert run("import", "markdown", "sessions", "--speaker", "Ruth").exit_code == 2


def test_init_makes_the_memory_and_writes_down_what_it_was_told(home: Path) -> None:
    (home / "firsthand.toml").unlink()
    made = ask("init", "--db", "fresh.db", "--scope", "project:new", "--actor", "ana")
    assert (home / "fresh.db").exists()
    assert made["db"] == "fresh.db"
    assert 'scope = "project:new"' in (home / "firsthand.toml").read_text()
    ask("capture", "Ana: hello")
    assert "project:new" in [scope["scope"] for scope in ask("scopes")]
    assert run("init").exit_code == 7


@pytest.mark.parametrize("command", ["recall", "explain", "list"])
def test_help_lists_every_word_that_include_takes(command: str, home: Path) -> None:
    told = " ".join(run(command, "--help").stdout.split())
    assert f"[{'|'.join(INCLUDES)}]" in told
    for word in INCLUDES:
        arguments = ("recall", "x") if command == "recall" else ("list",)
        assert run("init", "--no-file").exit_code == 0
        assert run(*arguments, "--include", word).exit_code == 0
    assert run("list", "--include", "nonsense").exit_code == 2


def test_an_explanation_for_programs_has_the_names_and_figures_of_the_engine(home: Path) -> None:
    _, fact = a_fact()
    told = ask("explain", "auth-service PostgreSQL", fact["record_id"])
    assert told["contributions"]["own"] > 0
    assert "factor" in told["contributions"]


def test_the_doctor_finds_nothing_before_a_first_write_and_makes_nothing(home: Path) -> None:
    found = ask("doctor")
    assert found["exists"] is False
    assert not (home / "memory.db").exists()
    assert "no memory yet" in run("doctor").stdout


def test_the_doctor_says_where_the_memory_is_and_that_it_is_well(home: Path) -> None:
    a_fact()
    found = ask("doctor")
    assert found["exists"]
    assert found["db"] == str(home / "memory.db")
    assert found["entries"] > 0
    assert found["key_file_mode"] == "0600"
    assert found["problems"] == []
    assert found["origins"]["db"] == "firsthand.toml"
    said = run("doctor")
    assert said.exit_code == 0
    assert f"every hash of {found['entries']} entries holds" in said.stdout
    assert "SQLite 3." in said.stdout
    assert "No hook has run yet." in said.stdout
    assert "Receipts of recalls in its journal: 0." in said.stdout
    ask("recall", "tea")
    found = ask("doctor")
    said = " ".join(run("doctor").stdout.split())
    assert f"Receipts of recalls in its journal: {found['receipts']}, the last at " in said
    assert found["receipts"] == 1


def test_the_doctor_verifies_the_ledger_unless_told_not_to(home: Path) -> None:
    a_fact()
    assert ask("doctor")["verified"]
    connection = apsw.Connection(str(home / "memory.db"))
    trigger = str(connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'entry_no_update'").get)
    connection.execute("DROP TRIGGER entry_no_update")
    connection.execute("UPDATE entry SET chain = 'x' WHERE position = 2")
    connection.execute(trigger)
    connection.close()
    sick = run("doctor")
    assert sick.exit_code == 10
    assert "PROBLEM: Entry e" in sick.stdout
    assert "at position 2: the chain does not hold" in sick.stdout
    quick = run("doctor", "--no-verify")
    assert quick.exit_code == 0
    assert "were not verified" in quick.stdout
    assert ask("doctor", "--no-verify")["verified"] is False


def test_the_doctor_lists_what_the_engine_finds(home: Path) -> None:
    a_fact()
    connection = apsw.Connection(str(home / "memory.db"))
    connection.execute("DROP TRIGGER entry_no_update")
    connection.close()
    for asked in (("doctor",), ("doctor", "--no-verify")):
        sick = run(*asked)
        assert sick.exit_code == 10
        assert "PROBLEM: the database reports: schema: trigger entry_no_update" in sick.stdout


def test_the_doctor_sees_keys_that_others_can_read_and_a_file_that_is_no_memory(home: Path) -> None:
    a_fact()
    (home / "memory.db.keys").chmod(0o644)
    loose = run("doctor")
    assert loose.exit_code == 10
    assert "can be read by others" in loose.stdout
    (home / "other.db").write_bytes(b"this is not a database, whatever its name says" * 100)
    foreign = run("doctor", "--db", "other.db")
    assert foreign.exit_code == 10
    assert "PROBLEM" in foreign.stdout


@pytest.mark.parametrize("name", ["memory.db.keys", "memory.db.device"])
def test_the_doctor_sees_each_secret_that_others_can_read(name: str, home: Path) -> None:
    a_fact()
    assert run("peers", "own").exit_code == 0
    assert ask("doctor")["problems"] == []
    (home / name).chmod(0o640)
    found = run("doctor")
    assert found.exit_code == 10
    assert f"the key file {home / name} can be read by others; run `chmod 600` on it." in plain_text(found.stdout)
    (home / name).chmod(0o600)
    assert run("doctor").exit_code == 0


def test_the_doctor_sees_what_an_erasure_owes_and_what_a_killed_restore_left(home: Path) -> None:
    _, fact = a_fact()
    reader = apsw.Connection(str(home / "memory.db"))
    reader.execute("BEGIN; SELECT count(*) FROM entry").fetchall()
    done = ask("erase", fact["record_id"], "--reason-code", "privacy", "--yes")
    assert done["certificate"]["clean"] is False
    assert json.loads(run("doctor", "--json").stdout)["erasures_owed"] == 1
    owing = run("doctor")
    assert owing.exit_code == 10
    assert "run `firsthand clean`" in plain_text(owing.stdout)
    reader.close()
    assert ask("clean") == [done["entry_id"]]
    assert ask("certificate", done["entry_id"])["clean"] is True
    assert ask("doctor")["problems"] == []
    (home / ".memory.db.restoring-1").mkdir()
    left = run("doctor")
    assert left.exit_code == 10
    assert "an interrupted restore left" in plain_text(left.stdout)


def plain_text(shown: str) -> str:
    return " ".join(shown.split())


def test_a_reader_that_goes_away_is_no_error(home: Path) -> None:
    a_fact()
    with subprocess.Popen((*COMMAND, "list"), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as listing:
        assert listing.stdout is not None
        assert listing.stderr is not None
        listing.stdout.close()
        said = listing.stderr.read()
        assert listing.wait(60) == 141
    assert said == b""


def test_an_interrupt_leaves_with_130_and_no_traceback(home: Path) -> None:
    with subprocess.Popen(
        (*COMMAND, "capture", "-"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=heed_interrupts,  # noqa: PLW1509 - no thread runs here
    ) as waiting:
        assert waiting.stdin is not None
        waiting.stdin.write(b"half a sentence")
        waiting.stdin.flush()
        wait_until_reading(waiting.pid)
        waiting.send_signal(2)
        said, complaint = waiting.communicate(timeout=60)
    assert waiting.returncode == 130
    assert said == b""
    assert b"Traceback" not in complaint


def heed_interrupts() -> None:
    """Whoever is started in the background ignores them, and what it starts does so, too."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def wait_until_reading(pid: int) -> None:
    """Until the process sleeps on its pipe: its start-up is over."""
    import time

    for _ in range(600):
        time.sleep(0.05)
        try:
            if "pipe" in Path(f"/proc/{pid}/wchan").read_text():
                return
        except OSError:
            break
    time.sleep(1.5)


def test_text_from_a_terminal_escape_is_never_printed_raw(home: Path) -> None:
    ask("capture", "-", given=b"red \x1b[31m alert about the cake\n")
    shown = run("list").stdout + run("recall", "alert cake").stdout
    assert "alert about the cake" in shown
    assert "\x1b[31m" not in shown


def test_a_text_given_on_standard_input_is_kept_exactly_but_for_its_last_line_end(home: Path) -> None:
    receipt = ask("capture", "-", given="two\r\nlines – and a dash \n\n".encode())
    view = ask("read", receipt["record_id"])
    assert view["item"]["text"] == "two\r\nlines – and a dash \n"


def test_recall_pays_for_no_table_and_no_other_command(home: Path) -> None:
    a_fact()
    code = (
        "import sys; from firsthand.surfaces.cli import app\n"
        "try: app.main(['recall', 'auth-service database'])\n"
        "finally: print(*sorted(name for name in sys.modules if name.split('.')[0] in ('rich', 'typer', 'pydantic')"
        " or name.startswith('firsthand.surfaces.cli_')), sep='\\n', file=sys.stderr)"
    )
    ran = subprocess.run((sys.executable, "-c", code), capture_output=True, timeout=60, check=True)
    assert b"PostgreSQL 16" in ran.stdout
    assert ran.stderr.decode().split() == ["firsthand.surfaces.cli_read"]


def test_background_jobs_run_when_told_and_say_how_they_stand(home: Path) -> None:
    ask("capture", "I live in Lisbon. auth-service uses Redis.", "--speaker", "Ana")
    (job, _) = ask("jobs", "status")["jobs"]
    assert (job["job"], job["scope"], job["unseen"], job["waiting"]) == ("extract_claims", "project:orion", 1, 0)
    report = ask("jobs", "run", "--limit", "1")
    assert (report["stretches"], report["stored"], report["failed"]) == (1, 2, 0)
    assert ask("jobs", "run", "--again")["stored"] == 0
    assert "0 candidates stored" in run("jobs", "run").stdout
    drawn = run("jobs", "status").stdout
    assert "extract_claims" in drawn
    assert "propose_merges" in drawn
    assert run("jobs", "run", "--limit", "0").exit_code == 2
    assert run("jobs", "dance").exit_code == 2


def test_an_import_ends_by_saying_how_many_lines_were_not_taken(home: Path) -> None:
    lines = [{"id": "1", "speaker": "Ben", "text": "yes"}, {"id": "1", "speaker": "Ben", "text": "no"}]
    (home / "chat.jsonl").write_text("\n".join(json.dumps(line) for line in lines) + "\nnot a line\n")
    said = run("import", "chat", "chat.jsonl")
    assert said.exit_code == 0
    first, *problems, last = said.stdout.splitlines()
    assert "3 read, 1 added, 0 known already, 0 refused, 2 bad" in first
    assert [line.split(":")[0] for line in problems] == ["  line 2", "  line 3"]
    assert last.startswith("NOT TAKEN: 2 of 3 lines.")
    assert "exit with 0" in run("import", "chat", "--help").stdout
    assert run("import", "chat", "chat.jsonl", "--on-error", "stop").exit_code == 2


def test_standard_input_is_imported_under_a_name_only(home: Path) -> None:
    given = b'{"speaker": "Ben", "text": "yes"}\n'
    refused = process("import", "chat", "-", given=given)
    assert refused.returncode == 2
    assert refused.stdout == b""
    assert refused.stderr.startswith(b"Name is missing;")
    assert refused.stderr.rstrip().endswith(b"Fix this and run it again.")
    assert b"1 added" in process("import", "chat", "-", "--name", "ben", given=given).stdout


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-"])
@pytest.mark.parametrize("words", ["recall auth-service", "recall auth-service --json", "stats"])
def test_a_closed_standard_stream_is_a_clean_exit(home: Path, closed: str, words: str) -> None:
    a_fact()
    python, flag, program = COMMAND
    shell = f"exec {shlex.quote(python)} {flag} {shlex.quote(program)} {words} {closed}"
    done = subprocess.run(shell, shell=True, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_closed_standard_input_is_an_empty_one(home: Path) -> None:
    python, flag, program = COMMAND
    shell = f"exec {shlex.quote(python)} {flag} {shlex.quote(program)} capture - <&-"
    done = subprocess.run(shell, shell=True, capture_output=True, timeout=60, check=False)
    assert done.returncode == 2
    assert b"[text_empty]" in done.stderr


def test_an_agent_of_an_owner_revises_its_owners_records(home: Path) -> None:
    made = ask("remember", "Ana likes tea", "--actor", "ana", "--role", "person")["record_id"]
    own = ("--actor", "helper", "--owner", "ana", "--role", "agent")
    assert ask("retract", made, "--reason", "a slip", "--actor", "helper", "--role", "agent")["outcome"] == "proposed"
    assert ask("retract", made, "--reason", "a slip", *own)["outcome"] == "stored"
    assert ask("doctor", *own)["owner"] == "ana"
    assert "helper (agent) of ana" in run("doctor", *own).stdout
