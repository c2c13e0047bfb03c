"""One scenario through every door: the same receipts, the same answers in the same order, the same errors."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from click.testing import CliRunner

import firsthand
from firsthand.surfaces.catalogue import find
from firsthand.surfaces.cli import app
from firsthand.surfaces.commands import Field, fields_of
from firsthand.surfaces.mcp import tools
from firsthand.surfaces.mcp.server import Server
from firsthand.surfaces.mcp.wire import Wire
from firsthand.vocabulary.errors import FirsthandError
from firsthand.vocabulary.packets import Packet, Receipt

SCENARIO = json.loads(Path(__file__).with_name("scenario.json").read_text())
SCOPE, OWNER, SESSION = "project:shop", "ana", "s"
WHO: dict[str, Any] = {"actor": "claude", "owner": OWNER, "role": "agent"}
ID = re.compile(r"\b([req])[0-9a-f]{20,40}\b")


class Answer(NamedTuple):
    """What a door says: a receipt's fields, or else a text, and the items of an answer; or an error's code."""

    receipt: Mapping[str, Any] | None = None
    text: str = ""
    items: tuple[str, ...] | None = None
    error: str | None = None


Door = Callable[[str, dict[str, Any]], Answer]


def python_door(folder: Path) -> Door:
    """The library, in this process."""
    memory = firsthand.open(folder / "python.db", scope=SCOPE, session=SESSION, **WHO)

    def run(name: str, given: dict[str, Any]) -> Answer:
        operation = find(name)
        try:
            result = operation.run(memory, msgspec.convert(given, operation.takes))
        except FirsthandError as error:
            return Answer(error=error.code)
        if isinstance(result, Receipt):
            return Answer(receipt=_plain(json.loads(msgspec.json.encode(result))))
        items = tuple(i.text for i in result.items) if isinstance(result, Packet) else None
        return Answer(text=memory.fenced(result), items=items)

    return run


def cli_door(folder: Path) -> Door:
    """The command line, a process's worth at a time."""
    flags = ["--db", str(folder / "cli.db"), "--scope", SCOPE, *(w for k, v in WHO.items() for w in (f"--{k}", v))]

    def run(name: str, given: dict[str, Any]) -> Answer:
        operation = find(name)
        options = [w for f in fields_of(operation) if f.name not in operation.words for w in _option(f, given)]
        words = [*options, *(_spelt(given[word]) for word in operation.words if word in given)]
        done = CliRunner().invoke(app, [*flags, "--json", *name.split(), *words])
        told = json.loads(done.stdout if done.exit_code == 0 else done.stderr or done.stdout)
        if done.exit_code != 0 and "error" in told:
            return Answer(error=told["error"]["code"])
        if isinstance(told, dict) and "outcome" in told:
            return Answer(receipt=_plain(told))
        items = tuple(i["text"] for i in told["items"]) if "recall_id" in told else None
        return Answer(text=json.dumps(told, ensure_ascii=False), items=items)

    return run


def mcp_door(folder: Path) -> Door:
    """The tools of an agent, message by message."""
    actions = {operation: action for action, operation in tools.REVISE.items()}

    def opened(_: str) -> firsthand.Memory:
        return firsthand.open(folder / "mcp.db", scope=SCOPE, session=SESSION, **WHO)

    def run(name: str, given: dict[str, Any]) -> Answer:
        tool, arguments = ("revise", {"action": actions[name], **given}) if name in actions else (name, given)
        result = _called(opened, tool, arguments)
        text = "\n".join(part["text"] for part in result["content"])
        data = result.get("structuredContent", {})
        if result.get("isError"):
            return Answer(error=data["error"]["code"])
        if "outcome" in data:
            return Answer(receipt=_plain(data))
        items = tuple(line[2:] for line in text.splitlines() if line.startswith("- ")) if name == "recall" else None
        return Answer(text=text, items=items)

    return run


DOORS = {"python": python_door, "cli": cli_door, "mcp": mcp_door}


@pytest.mark.parametrize("door", DOORS)
def test_every_door_tells_the_story(door: str, tmp_path: Path) -> None:
    for step, answer in _played(DOORS[door](tmp_path)):
        _check(step, answer)


def test_every_door_gives_the_same_answers(tmp_path: Path) -> None:
    played = {name: list(_played(door(tmp_path))) for name, door in DOORS.items()}
    names = {name: _Ids() for name in DOORS}
    for steps in zip(*played.values(), strict=True):
        same = {
            name: (answer.receipt and names[name].renamed(answer.receipt), answer.items, answer.error)
            for name, (_, answer) in zip(played, steps, strict=True)
        }
        assert same["python"] == same["cli"] == same["mcp"], steps[0][0]


def _played(door: Door) -> Iterator[tuple[dict[str, Any], Answer]]:
    """Every step with its answer; `$name` is the record of the step that is known as that."""
    known: dict[str, str] = {}
    for step in SCENARIO["steps"]:
        step = json.loads(re.sub(r"\$(\w+)", lambda found: known[found[1]], json.dumps(step)))
        answer = door(step["do"], step["with"])
        if "as" in step:
            assert answer.receipt is not None, (step, answer)
            known[step["as"]] = answer.receipt["record_id"]
        yield step, answer


def _check(step: Mapping[str, Any], answer: Answer) -> None:
    assert answer.error == step.get("error"), (step, answer)
    for name, value in step.get("tells", {}).items():
        assert answer.receipt is not None
        assert answer.receipt[name] == value, (step, answer)
    if "items" in step:
        assert answer.items == tuple(step["items"]), (step, answer)
    for text in step.get("says", ()):
        assert text in answer.text, (step, answer)
    for text in step.get("not", ()):
        assert text not in answer.text, (step, answer)


class _Ids:
    """Ids and instants by the order in which a door first told them: no two stores give the same."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def renamed(self, receipt: Mapping[str, Any]) -> Any:
        text = json.dumps({**receipt, "known_at": 0}, sort_keys=True)
        return json.loads(ID.sub(lambda found: self._names.setdefault(found[0], f"{found[1]}{len(self._names)}"), text))


def _called(opened: Callable[[str], firsthand.Memory], tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "claude", "version": "1"}}
    asked = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}},
    ]
    outgoing = io.BytesIO()
    lines = "".join(json.dumps(line) + "\n" for line in asked).encode()
    Server(Wire(io.BytesIO(lines), outgoing), opened, scopes=(SCOPE,), read_only=False).serve()
    return json.loads(outgoing.getvalue().splitlines()[-1])["result"]


def _option(field: Field, given: Mapping[str, Any]) -> list[str]:
    """An argument as options of a command line, one for each value."""
    value = given.get(field.name, [])
    flag = field.flag or f"--{field.name.replace('_', '-')}"
    return [word for one in (value if isinstance(value, list) else [value]) for word in (flag, _spelt(one))]


def _spelt(value: Any) -> str:
    return f"{value['record_id']}={value['quote']}" if isinstance(value, dict) else str(value)


def _plain(receipt: Mapping[str, Any]) -> dict[str, Any]:
    """A receipt without what it does not say."""
    return {name: value for name, value in receipt.items() if value not in (None, [], False)}
