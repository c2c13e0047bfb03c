"""The benches run: a tiny size, every row, no judgement of any time."""

import json
import subprocess
import sys
from pathlib import Path

BENCHES = Path(__file__).parents[2] / "bench"

HERON = {
    "said": [
        [
            ("Ana", "The heron is moored at pier 1."),
            ("Ben", "Good! Who painted it?"),
            ("Ana", "Mia Lund painted the hull and Omar cut the sail."),
            ("Ben", "Mia Lund lives in Porto now."),
        ],
        [
            ("Ana", "In Porto we ate sardines with Omar."),
            ("Ben", "I bought a red mast for the heron."),
            ("Ana", "A red mast? The old mast was red too."),
            ("Ben", "Omar says the sail tears near the mast."),
        ],
        [("Ana", "My sister swims at the harbour every Monday."), ("Ben", "I swim in Porto, never at the harbour.")],
    ],
    "asked": [
        (1, "Who worked on the heron, and where does the painter live?", "D1:3", "D1:4"),
        (1, "What did Ben buy, and what happens near the mast?", "D2:2", "D2:4"),
        (3, "Would Ana like sailing, which needs a sail?", "D1:3", "D2:4"),
        (4, "Where is the heron moored?", "D1:1"),
        (4, "When does the sister who swims go to the harbour?", "D3:1"),
    ],
}
KILN = {
    "said": [
        [("Eve", "The kiln broke on Friday."), ("Dan", "Then the blue bowls are lost?"),
         ("Eve", "The blue bowls are fine; the plates cracked."), ("Dan", "Plates crack when glaze is thick.")],
        [("Eve", "Noor Hale lent us her kiln."), ("Dan", "Noor Hale fires plates at night."),
         ("Eve", "She asked for two bowls in return."), ("Dan", "I glazed two bowls for Noor Hale.")],
        [("Eve", "The market on Saturday sold all bowls."), ("Dan", "At the market a cook ordered plates.")],
    ],
    "asked": [
        (1, "What cracked, and who lent the kiln?", "D1:3", "D2:1"),
        (1, "Who got bowls and who ordered plates?", "D2:4", "D3:2"),
        (3, "Would Dan be called careful with glaze?", "D1:4", "D2:4"),
        (4, "When did the kiln break?", "D1:1"),
        (4, "What was sold at the market, where the cook came?", "D3:1"),
    ],
}  # fmt: skip


def test_core_prints_one_table_and_writes_one_json_with_every_row_and_its_circumstances(tmp_path: Path) -> None:
    written = tmp_path / "core.json"
    asked = [sys.executable, str(BENCHES / "core.py"), "--sizes", "40,50", "--rounds", "3", "--json", str(written)]
    done = subprocess.run([*asked, "--folder", str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

    found = json.loads(written.read_text(encoding="utf-8"))
    assert {"commit", "machine", "python", "sqlite", "versions", "load", "load_after", "rows"} <= set(found)
    names = {row["what"] for row in found["rows"]}
    assert {
        "FULL capture",
        "NORMAL capture",
        "bulk capture",
        "recall",
        "import firsthand",
        "verify",
        "rebuild",
    } <= names
    assert all(row["value"] >= 0 for row in found["rows"])
    for name in ("FULL capture", "recall", "rebuild"):
        assert name in done.stdout

    sure = {row["what"]: row["value"] for row in found["rows"]}
    assert sure["written but not yet recallable elsewhere"] == 0
    assert sure["hit@10, recall"] == 1


def test_corrections_prints_thirteen_steps_and_two_matrices_and_writes_every_cell(tmp_path: Path) -> None:
    written = tmp_path / "corrections.json"
    asked = [sys.executable, str(BENCHES / "corrections.py"), "--json", str(written)]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    found = json.loads(written.read_text(encoding="utf-8"))
    assert {s["step"] for s in found["steps"]} == set(range(1, 14))
    assert {s["how"] for s in found["steps"]} == {"reject", "erase"}
    assert len(found["matrix"]) == 2 * 5 * 6
    assert done.returncode == ("fail" in [c["outcome"] for c in (*found["steps"], *found["matrix"])])
    for title in (
        "Deletion in thirteen steps",
        "Contradictions: a structured claim",
        "Contradictions: a plain sentence through MCP",
    ):
        assert title in done.stdout


def test_a_short_soak_loses_nothing_and_brings_nothing_back(tmp_path: Path) -> None:
    written = tmp_path / "soak.json"
    asked = [sys.executable, str(BENCHES / "soak.py"), "--processes", "2", "--seconds", "2", "--json", str(written)]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(written.read_text(encoding="utf-8"))
    assert (found["lost"], found["gate_violations"], found["standing_not_recalled"], found["crashed"]) == (0, 0, 0, 0)
    assert found["acknowledged"] > 0
    assert found["verified_deeply"]


def test_tombstones_blocks_every_attack_and_no_near_miss_without_both_words(tmp_path: Path) -> None:
    written = tmp_path / "tombstones.json"
    asked = [sys.executable, str(BENCHES / "tombstones.py"), "--rounds", "2", "--stones", "2", "--json", str(written)]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

    found = json.loads(written.read_text(encoding="utf-8"))
    rows = {row["what"].split(" (")[0]: row for row in found["rows"]}
    assert (rows["all attacks"]["value"], rows["near-misses without both words"]["value"]) == (100, 0)
    assert rows["all near-misses"]["size"] >= 200
    assert "refused" not in rows["all near-misses"]["raw"]
    assert {"commit", "machine", "python", "versions", "load"} <= set(found)


def test_a_few_random_kills_lose_no_write_and_leave_no_erased_byte(tmp_path: Path) -> None:
    written = tmp_path / "kills.json"
    asked = [sys.executable, str(BENCHES / "kills_moving.py"), "--kills", "4", "--json", str(written)]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(written.read_text(encoding="utf-8"))
    assert found["kills"] == 4
    assert (found["acknowledged writes lost"], found["of these, values left in a file"], found["faults"]) == (0, 0, [])
    assert found["acknowledged writes"] > 0


def test_hooks_measures_each_event_as_a_whole_process(tmp_path: Path) -> None:
    written = tmp_path / "hooks.json"
    asked = [sys.executable, str(BENCHES / "hooks.py"), "--size", "40", "--runs", "1", "--json", str(written)]
    done = subprocess.run([*asked, "--folder", str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    names = {row["what"].split(",")[0] for row in json.loads(written.read_text(encoding="utf-8"))["rows"]}
    assert names == {
        "hook UserPromptSubmit", "hook SessionStart", "hook PostToolUse", "hook Stop", "import firsthand",
        "python alone",
    }  # fmt: skip


def test_answers_tells_questions_with_an_answer_from_one_without(tmp_path: Path) -> None:
    texts = ("The red boat has a new mast.", "My sister is called Mia.", "I work at the harbour on Mondays.")
    questions = ("What is new on the red boat?", "What is the sister called?", "Where is work on Mondays?")
    turns = [{"speaker": "Ruth", "dia_id": f"D1:{n}", "text": text} for n, text in enumerate(texts, 1)]
    qa = [{"question": q, "category": 4, "evidence": [f"D1:{n}"]} for n, q in enumerate(questions, 1)]
    qa.append({"question": "Which opera did the violinist rehearse?", "category": 5, "evidence": []})
    told = {"session_1_date_time": "9:00 am on 2 March, 2024", "session_1": turns, "qa": qa}
    for name in ("one", "two"):
        whole = {"speaker_a": "Ruth", "speaker_b": "Omar", **told}
        (tmp_path / f"{name}.json").write_text(json.dumps(whole), encoding="utf-8")
    written = tmp_path / "found"
    asked = [sys.executable, str(BENCHES / "answers.py"), str(tmp_path), "--json", str(written)]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(written.read_text(encoding="utf-8"))
    assert (found["questions"], found["with an answer"]) == (8, 6)
    assert found["area, held or not"] == 1
    assert sum(line["questions"] for line in found["by coverage"]) == 8


def test_assembly_measures_shared_prefixes_and_evidence_beside_plain_recall(tmp_path: Path) -> None:
    said = ["The heron is moored at pier 1", "The gannet needs new paint", "We sail to Porto in May", "Fine, then!"] * 4
    turns = [{"speaker": "Ana" if n % 2 else "Ben", "dia_id": f"D1:{n}", "text": f"{t} ({n})"}
             for n, t in enumerate(said, 1)]  # fmt: skip
    asked = [("Where is the heron moored?", "D1:1"), ("What needs paint?", "D1:2"), ("Where do we sail?", "D1:3")] * 3
    talk = {
        "session_1": turns,
        "session_1_date_time": "1:56 pm on 8 May, 2026",
        "qa": [{"question": question, "evidence": [turn], "category": 4} for question, turn in asked],
    }
    (tmp_path / "talks").mkdir()
    (tmp_path / "talks" / "one.json").write_text(json.dumps(talk), encoding="utf-8")
    written = tmp_path / "assembly.json"
    command = [sys.executable, str(BENCHES / "assembly.py"), str(tmp_path / "talks"), "--tokens", "400", "--limit", "4"]
    done = subprocess.run([*command, "--json", str(written)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

    found = json.loads(written.read_text(encoding="utf-8"))
    assert {"commit", "machine", "python", "versions", "load", "load_after"} <= set(found)
    rows = {row["what"].removeprefix("400 tokens, "): row["value"] for row in found["rows"]}
    assert rows["shared prefix, mean: assembly"] > rows["shared prefix, mean: recall"] > 0
    assert rows["bytes sent again: assembly"] < rows["bytes sent again: recall"]
    assert rows["evidence in the prompt: assembly"] >= rows["evidence in the prompt: recall"] > 0
    assert {"one turn: assembly", "one turn: recall", "turns that made room: assembly"} <= set(rows)
    assert "evidence in the prompt" in done.stdout


def test_scale_and_profile_measure_small_stores_as_they_would_large_ones(tmp_path: Path) -> None:
    written, stores = tmp_path / "scale.json", tmp_path / "stores"
    small = ["--sizes", "60,120", "--beside", "120", "--scopes", "4", "--spaces", "3", "--rounds", "3"]
    asked = [sys.executable, str(BENCHES / "scale.py"), "--folder", str(stores), *small, "--json", str(written)]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(written.read_text(encoding="utf-8"))
    names = {row["what"] for row in found["rows"]}
    assert {"small scope, alone", "small scope, among 4", "small scope, in one of 3 spaces"} <= names
    assert all(row["value"] > 0 for row in found["rows"])

    written = tmp_path / "profile.json"
    asked = [sys.executable, str(BENCHES / "recall_profile.py"), "--folder", str(stores), "--sizes", "60"]
    done = subprocess.run(
        [*asked, "--rounds", "3", "--json", str(written)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads(written.read_text(encoding="utf-8"))["rows"]
    assert any("gate" in row["what"] for row in rows)


def test_what_was_tried_is_measured_in_settings_chosen_on_the_other_conversation(tmp_path: Path) -> None:
    for name, talk in (("heron", HERON), ("kiln", KILN)):
        sessions = {f"session_{n}": [{"speaker": who, "dia_id": f"D{n}:{at}", "text": text}
                    for at, (who, text) in enumerate(said, 1)] for n, said in enumerate(talk["said"], 1)}  # fmt: skip
        dates = {f"session_{n}_date_time": f"9:00 am on {n} March, 2024" for n in range(1, len(talk["said"]) + 1)}
        qa = [{"question": q, "category": category, "evidence": turns} for category, q, *turns in talk["asked"]]
        (tmp_path / f"{name}.json").write_text(json.dumps({**sessions, **dates, "qa": qa}), encoding="utf-8")
    written = tmp_path / "found"
    asked = [sys.executable, str(BENCHES / "locomo_tried.py"), str(tmp_path), "--json", str(written)]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Steps that recall does not take" in done.stdout

    found = json.loads(written.read_text(encoding="utf-8"))
    assert {"commit", "machine", "python", "load", "load_after", "as it is"} <= set(found)
    assert found["questions"] == len(HERON["asked"]) + len(KILN["asked"])
    names = {step["step"].split(":")[0].split(",")[0] for step in found["steps"]}
    assert names >= {"proximity", "parts of a question", "feedback", "entities", "sessions kept apart", "two rounds"}
    assert {"recall of 10 from more than 60", "recall of 20 from more than 120"} <= names
    for step in found["steps"]:
        lines = {(line["where"], line["questions"]) for line in step["differences"]}
        assert lines == {
            (w, q) for w in ("a scope each", "all in one scope") for q in ("all", "multi-hop", "open-domain")
        }
        worth = {name: [one["by conversation"][name] for one in step["settings"]] for name in ("heron", "kiln")}
        taken = 0.0
        for name, other in (("heron", "kiln"), ("kiln", "heron")):
            best = worth[other].index(max(worth[other]))
            assert step["chosen"][name] == step["settings"][best]["setting"], step["step"]
            taken += worth[name][best] / 2
        told = [
            line[m]["mean"]
            for line in step["differences"]
            if line["questions"] == "all"
            for m in ("R@10", "R@20", "MRR")
        ]
        assert abs(sum(told) - taken) < 0.1, step["step"]
    assert any(step["chosen"]["heron"] != step["chosen"]["kiln"] for step in found["steps"])
    changed = {
        step["step"] for step in found["steps"] for one in step["settings"] if any(one["by conversation"].values())
    }
    assert len(changed) > len(names) // 2
