"""A small embeddings endpoint on loopback, which does as a test says and keeps what it was sent."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "k-3f9a77b1c0ffee"
Answer = Callable[["Handler", list[str]], None]


def meaning(text: str, dimension: int) -> list[float]:
    """The sum of a direction for each word: texts that share words are alike."""
    total = [0.0] * dimension
    for word in re.findall(r"\w+", text.lower()) or ["nothing"]:
        digest = hashlib.shake_128(word.encode()).digest(dimension)
        total = [t + (b - 127.5) / 127.5 for t, b in zip(total, digest, strict=True)]
    return total


class Handler(BaseHTTPRequestHandler):
    """One request: kept, then answered by the next answer that the test left, or else well."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.guard:
            self.server.asked.append(asked)
            self.server.keys.append(self.headers.get("Authorization"))
            answer = self.server.answers.pop(0) if self.server.answers else self.server.usual
        answer(self, asked["input"])

    def vectors(self, texts: list[str], dimension: int | None = None) -> bytes:
        size = dimension or self.server.dimension
        rows = [{"index": i, "embedding": meaning(t, size)} for i, t in enumerate(texts)]
        return json.dumps({"object": "list", "data": rows[::-1]}).encode()

    def send(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing."""


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.guard = threading.Lock()
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.answers: list[Answer] = []
        self.usual: Answer = well
        self.dimension = 48

    @property
    def setting(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1#tiny"

    @property
    def texts(self) -> list[str]:
        """Every text that was ever sent here."""
        return [text for asked in self.asked for text in asked["input"]]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is what a test wanted."""


def well(handler: Handler, texts: list[str]) -> None:
    handler.send(200, handler.vectors(texts))


def status(code: int, **headers: str) -> Answer:
    return lambda handler, _: handler.send(code, b'{"error": {"message": "the words of nobody"}}', **headers)


def saying(body: bytes, **headers: str) -> Answer:
    return lambda handler, _: handler.send(200, body, **headers)


def slow(seconds: float, then: Answer = well) -> Answer:
    def answer(handler: Handler, texts: list[str]) -> None:
        time.sleep(seconds)
        then(handler, texts)

    return answer


def dying(handler: Handler, texts: list[str]) -> None:
    """It promises more than it sends."""
    body = handler.vectors(texts)
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body[: len(body) // 2])
    handler.close_connection = True


def first(act: Callable[[], object], then: Answer = well) -> Answer:
    """Something happens elsewhere while the request is on its way."""

    def answer(handler: Handler, texts: list[str]) -> None:
        act()
        then(handler, texts)

    return answer


@contextmanager
def serving() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
