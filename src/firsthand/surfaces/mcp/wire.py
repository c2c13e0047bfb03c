"""JSON-RPC 2.0, one message a line: what comes in, checked, and what goes out, whole."""

from __future__ import annotations

import threading
from typing import Any, BinaryIO, Final, NamedTuple, cast

import msgspec

from firsthand.vocabulary.limits import BODY_BYTES

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
MESSAGE_BYTES: Final = 4 * BODY_BYTES
"""An argument of the largest size, with every character of it escaped."""
Id = str | int


class Request(NamedTuple):
    """A request, or without an id a notification."""

    id: Id | None
    method: str
    params: dict[str, Any]


class WireError(Exception):
    """A message that is answered by an error of the protocol; the words hold nothing of the message."""

    def __init__(self, code: int, words: str, request_id: Id | None = None) -> None:
        super().__init__(words)
        self.code = code
        self.request_id = request_id


class Wire:
    """Messages on two byte streams. Writing is safe from several threads."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._lock = threading.Lock()

    def read(self) -> Request | None:
        """The next request or notification; nothing at the end. Responses are passed over, since we ask nothing."""
        while line := self._line():
            request = _request(line)
            if request is not None:
                return request
        return None

    def _line(self) -> bytes:
        """The next line that is not blank; one that is too long is read away and refused."""
        while line := self._incoming.readline(MESSAGE_BYTES):
            if not line.endswith(b"\n") and len(line) == MESSAGE_BYTES:
                while (rest := self._incoming.readline(MESSAGE_BYTES)) and not rest.endswith(b"\n"):
                    pass
                raise WireError(INVALID_REQUEST, f"the message is over {MESSAGE_BYTES} bytes")
            if line.strip():
                return line
        return b""

    def answer(self, request_id: Id, result: object) -> None:
        """The result of a request."""
        self._send({"jsonrpc": "2.0", "id": request_id, "result": result})

    def refuse(self, error: WireError) -> None:
        """An error of the protocol."""
        told = {"code": error.code, "message": str(error)}
        self._send({"jsonrpc": "2.0", "id": error.request_id, "error": told})

    def _send(self, message: dict[str, Any]) -> None:
        line = msgspec.json.encode(message) + b"\n"
        with self._lock:
            self._outgoing.write(line)
            self._outgoing.flush()


def _request(line: bytes) -> Request | None:
    try:
        message: object = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise WireError(PARSE_ERROR, "the line is not one JSON document") from None
    if not isinstance(message, dict):
        raise WireError(INVALID_REQUEST, "the message is not a JSON object")
    fields = cast("dict[str, Any]", message)
    request_id, method, params = fields.get("id"), fields.get("method"), fields.get("params", {})
    if method is None and ("result" in fields or "error" in fields):
        return None
    known = request_id if isinstance(request_id, str | int) and not isinstance(request_id, bool) else None
    if fields.get("jsonrpc") != "2.0" or not isinstance(method, str) or (known is None and request_id is not None):
        raise WireError(INVALID_REQUEST, "the message is not a JSON-RPC 2.0 request", known)
    if not isinstance(params, dict):
        raise WireError(INVALID_PARAMS, "params is not an object", known)
    return Request(known, method, cast("dict[str, Any]", params))
