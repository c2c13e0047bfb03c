"""What to write into the configuration of each client, so that it starts this server."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

NAME: Final = "firsthand"


class Client(NamedTuple):
    """A client: which file it reads, how that is written, and under which key servers stand."""

    title: str
    file: str
    form: str
    key: str = "mcpServers"


CLIENTS: Final = {
    "claude-code": Client("Claude Code", ".mcp.json in the project", "json"),
    "claude-desktop": Client("Claude Desktop", "claude_desktop_config.json", "json"),
    "codex": Client("Codex", "~/.codex/config.toml", "toml"),
    "cursor": Client("Cursor", "~/.cursor/mcp.json, or .cursor/mcp.json in the project", "json"),
    "vscode": Client("VS Code", ".vscode/mcp.json in the project", "json", "servers"),
    "windsurf": Client("Windsurf", "~/.codeium/windsurf/mcp_config.json", "json"),
    "gemini-cli": Client("Gemini CLI", "~/.gemini/settings.json", "json"),
    "zed": Client("Zed", "settings.json", "json", "context_servers"),
}


def program() -> str:
    """The console script that is running, by its full path, since a client may have another PATH."""
    beside = Path(sys.executable).with_name(NAME)
    called = Path(sys.argv[0])
    return str(called.resolve() if called.stem == NAME and called.exists() else beside)


def configuration(client: Client, arguments: Sequence[str]) -> str:
    """The text to paste, and where."""
    command, given = program(), ["mcp", *arguments]
    if client.form == "toml":
        listed = ", ".join(_quoted(each) for each in given)
        return f"[mcp_servers.{NAME}]\ncommand = {_quoted(command)}\nargs = [{listed}]\n"
    entry: dict[str, Any] = {"command": command, "args": given}
    if client.title == "VS Code":
        entry = {"type": "stdio", **entry}
    text = msgspec.json.encode({client.key: {NAME: entry}})
    return msgspec.json.format(text, indent=2).decode() + "\n"


def one_line(arguments: Sequence[str]) -> str:
    """The command that adds the server to Claude Code without a file."""
    return shlex.join(["claude", "mcp", "add", NAME, "--", program(), "mcp", *arguments])


def _quoted(text: str) -> str:
    """A string of TOML: a basic string is written as JSON writes one."""
    return msgspec.json.encode(text).decode()
