"""What the conformance suite is run against works: the fixture over its own streams, and behind the bridge."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import anyio
import mcp
from mcp.client.stdio import StdioServerParameters

HERE = Path(__file__).parent
FIXTURE = [sys.executable, str(HERE / "fixture_server.py")]
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


def test_the_official_client_finds_what_the_suite_asks_for() -> None:
    async def talk() -> None:
        async with mcp.Client(StdioServerParameters(command=FIXTURE[0], args=FIXTURE[1:])) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            mixed = await client.call_tool("test_multiple_content_types", {})
            assert [part.type for part in mixed.content] == ["text", "image", "resource"]
            assert (await client.call_tool("test_error_handling", {})).is_error
            assert "json_schema_2020_12_tool" in tools
            read = await client.read_resource("test://template/123/data")
            assert '"id": "123"' in read.contents[0].text
            found = await client.get_prompt("test_prompt_with_arguments", {"arg1": "a", "arg2": "b"})
            assert "arg1='a', arg2='b'" in found.messages[0].content.text

    anyio.run(talk)


def test_the_bridge_gives_each_session_a_server_and_strangers_none() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with subprocess.Popen([sys.executable, str(HERE / "bridge.py"), str(port), *FIXTURE]) as bridge:
        try:
            headers, hello = first(port, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO})
            assert hello["result"]["serverInfo"]["name"] == "firsthand"
            ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
            assert post(port, ping, **{"Mcp-Session-Id": headers["Mcp-Session-Id"]})[1] == {
                "jsonrpc": "2.0", "id": 2, "result": {}
            }  # fmt: skip
            assert refused(port, ping, Origin="http://evil.example") == 403
            assert refused(port, ping) == 404
        finally:
            bridge.terminate()


def first(port: int, message: dict[str, Any]) -> tuple[Any, Any]:
    """The answer to the first message, as soon as the bridge listens."""
    for _ in range(600):
        try:
            return post(port, message)
        except urllib.error.URLError:
            time.sleep(0.1)
    raise AssertionError("the bridge does not listen")


def post(port: int, message: dict[str, Any], **headers: str) -> tuple[Any, Any]:
    request = urllib.request.Request(f"http://127.0.0.1:{port}/mcp", json.dumps(message).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.headers, json.load(answer)


def refused(port: int, message: dict[str, Any], **headers: str) -> int:
    try:
        post(port, message, **headers)
    except urllib.error.HTTPError as error:
        return error.code
    return 200
