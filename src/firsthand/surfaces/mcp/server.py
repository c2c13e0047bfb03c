"""The server: one client on one pair of streams, its calls run one after another in the order in which they came.

Whatever needs no memory is answered while a call runs, so a client that asks whether anybody is there gets an answer.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final, cast

from firsthand.surfaces.desk import Memory
from firsthand.surfaces.mcp import context, tools
from firsthand.surfaces.mcp.wire import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Id,
    Request,
    Wire,
    WireError,
)
from firsthand.surfaces.sentences import installed_version
from firsthand.vocabulary.errors import FirsthandError

VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Versions of the protocol that are spoken, newest first."""
UNKNOWN_CLIENT: Final = "mcp"
Opener = Callable[[str], Memory]
"""Opens the memory for a client of a name."""
Answer = dict[str, Any]


class Server:
    """Serves one client until it closes its end. `scopes`: those the client may name, its own first."""

    def __init__(self, wire: Wire, opener: Opener, *, scopes: Sequence[str], read_only: bool = False) -> None:
        self._wire = wire
        self._opener = opener
        self._scopes = tuple(scopes)
        self._tools = tools.every_tool()
        self._read_only = read_only
        self._client: str | None = None
        self._opened: Memory | None = None
        self._waiting: queue.Queue[Request | None] = queue.Queue()
        self._cancelled: set[Id] = set()
        self._at_once: dict[str, Callable[[dict[str, Any]], Answer]] = {
            "initialize": self._initialize,
            "ping": lambda params: {},
            "tools/list": self._list_tools,
            "resources/list": lambda params: context.resources(self._scopes),
            "resources/templates/list": lambda params: context.templates(),
            "prompts/list": lambda params: context.prompts(),
        }
        self._in_turn: dict[str, Callable[[dict[str, Any]], Answer]] = {
            "tools/call": self._call,
            "resources/read": lambda params: context.read(self._memory(), params, self._scopes),
            "prompts/get": lambda params: context.prompt(self._memory(), params),
        }

    def serve(self) -> None:
        """Answer until the client has gone, and finish what it asked for before."""
        worker = threading.Thread(target=self._work, name="mcp-calls")
        worker.start()
        try:
            self._listen()
        except BrokenPipeError:
            pass  # nobody is left to answer
        finally:
            self._waiting.put(None)
            worker.join()
            if self._opened is not None:
                self._opened.close()

    # ---- requests --------------------------------------------------------------------------------------------------

    def _listen(self) -> None:
        while True:
            try:
                request = self._wire.read()
                if request is None:
                    return
                self._take(request)
            except WireError as error:
                self._wire.refuse(error)

    def _take(self, request: Request) -> None:
        if request.id is None:
            self._hear(request)
        elif self._client is None and request.method not in ("initialize", "ping", "server/discover"):
            raise WireError(INVALID_REQUEST, "initialize comes first", request.id)
        elif request.method in self._in_turn:
            self._waiting.put(request)
        elif request.method in self._at_once:
            self._run(request, self._at_once[request.method])
        else:
            raise WireError(METHOD_NOT_FOUND, "this server has no such method", request.id)

    def _hear(self, notification: Request) -> None:
        """A cancelled call that has not begun does not begin; what has begun is finished, since it may have written."""
        wanted: object = notification.params.get("requestId")
        if notification.method == "notifications/cancelled" and isinstance(wanted, str | int):
            self._cancelled.add(wanted)

    def _work(self) -> None:
        """Calls in turn. Once nobody reads the answers, what still waits is not begun."""
        while (request := self._waiting.get()) is not None:
            if request.id in self._cancelled:
                self._cancelled.discard(request.id)
                continue
            try:
                self._run(request, self._in_turn[request.method])
            except BrokenPipeError:
                return

    def _run(self, request: Request, answer: Callable[[dict[str, Any]], Answer]) -> None:
        assert request.id is not None
        try:
            result = answer(request.params)
        except WireError as error:
            error.request_id = request.id
            self._wire.refuse(error)
        except FirsthandError as error:
            self._wire.refuse(WireError(INVALID_PARAMS, f"{error.message} [{error.code}]", request.id))
        except Exception as error:  # noqa: BLE001 - its words may hold content: only what kind it was is told
            told = f"an unexpected {type(error).__name__} stopped the request"
            self._wire.refuse(WireError(INTERNAL_ERROR, told, request.id))
        else:
            self._wire.answer(request.id, result)

    # ---- answers ---------------------------------------------------------------------------------------------------

    def _initialize(self, params: dict[str, Any]) -> Answer:
        asked, who = params.get("protocolVersion"), params.get("clientInfo")
        named: object = cast("dict[str, Any]", who).get("name") if isinstance(who, dict) else None
        self._client = named if isinstance(named, str) and named else UNKNOWN_CLIENT
        return {
            "protocolVersion": asked if asked in VERSIONS else VERSIONS[0],
            "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
            "serverInfo": {"name": "firsthand", "title": "Firsthand memory", "version": installed_version()},
            "instructions": context.instructions(self._scopes, read_only=self._read_only),
        }

    def _list_tools(self, params: dict[str, Any]) -> Answer:
        offered = [tool for tool in self._tools.values() if not (self._read_only and tool.writes)]
        return {"tools": [tools.described(tool, self._scopes) for tool in offered]}

    def _call(self, params: dict[str, Any]) -> Answer:
        tool = self._tools.get(str(params.get("name")))
        if tool is None:
            raise WireError(INVALID_PARAMS, "there is no tool of this name")
        if self._read_only and tool.writes:
            return tools.failed(tools.read_only())
        arguments: object = params.get("arguments") or {}
        if not isinstance(arguments, dict):
            raise WireError(INVALID_PARAMS, "arguments is not an object")
        try:
            memory = self._memory()
        except FirsthandError as error:
            return tools.failed(error)
        return tools.call(tool, memory, cast("dict[str, Any]", arguments), self._scopes)

    def _memory(self) -> Memory:
        """The memory, opened when it is first needed."""
        if self._opened is None:
            self._opened = self._opener(self._client or UNKNOWN_CLIENT)
        return self._opened
