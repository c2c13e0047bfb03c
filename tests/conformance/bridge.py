"""A server over standard input and output, as the one over HTTP that the conformance suite talks to.

    python bridge.py PORT COMMAND [ARGUMENT …]

Each session is a process of its own. An answer is one JSON document; there is no stream that the server begins.
"""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

SESSION: Final = "Mcp-Session-Id"
HOSTS: Final = ("localhost", "127.0.0.1", "[::1]")


class Session:
    """A process, and those who wait for an answer of it."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._waiting: dict[Any, tuple[threading.Event, list[bytes]]] = {}
        self._lock = threading.Lock()
        threading.Thread(target=self._listen, daemon=True).start()

    def send(self, message: Any) -> bytes | None:
        """Hand over a message; the answer, where it is a request."""
        answered, box = threading.Event(), list[bytes]()
        wanted = message.get("id") if "method" in message else None
        with self._lock:
            if wanted is not None:
                self._waiting[wanted] = (answered, box)
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        if wanted is None:
            return None
        answered.wait(30)
        return box[0] if box else None

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            answered, box = self._waiting.pop(json.loads(line).get("id"), (threading.Event(), []))
            box.append(line)
            answered.set()

    def close(self) -> None:
        """The client has gone."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)


class Handler(BaseHTTPRequestHandler):
    """The part of streamable HTTP that needs no stream."""

    program: list[str]
    sessions: dict[str, Session]
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        if not self._is_local():
            self._tell(403)
            return
        name = self.headers.get(SESSION) or ""
        if message.get("method") == "initialize":
            name = secrets.token_hex(8)
            self.sessions[name] = Session(self.program)
        if name not in self.sessions:
            self._tell(404)
            return
        answer = self.sessions[name].send(message)
        self._tell(202 if answer is None else 200, answer or b"", name)

    def do_GET(self) -> None:
        self._tell(405)

    def do_DELETE(self) -> None:
        session = self.sessions.pop(self.headers.get(SESSION) or "", None)
        if session is not None:
            session.close()
        self._tell(200 if session is not None else 404)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the method it replaces
        """Nothing: what is sent is content."""

    def _is_local(self) -> bool:
        origin = (self.headers.get("Origin") or "http://localhost").partition("://")[2]
        return all(name.rpartition(":")[0] in HOSTS or name in HOSTS for name in (self.headers.get("Host", ""), origin))

    def _tell(self, status: int, body: bytes = b"", session: str | None = None) -> None:
        self.send_response(status)
        if session is not None:
            self.send_header(SESSION, session)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main(port: str, *command: str) -> None:
    """Serve until interrupted."""
    Handler.program, Handler.sessions = list(command), {}
    ThreadingHTTPServer(("127.0.0.1", int(port)), Handler).serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
