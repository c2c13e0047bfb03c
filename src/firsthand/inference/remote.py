"""An embedder on another machine: any endpoint that speaks as OpenAI's `/embeddings` does. Asked of httpx, when asked.

What is sent there is out of our hands: who calls this has seen to it that it may be. Nothing of it, and no key, is in
any error, name or log line of ours.
"""

from __future__ import annotations

import hashlib
import os
import random
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from firsthand.inference.endpoint import Endpoint
from firsthand.ports import Said, Scale
from firsthand.vocabulary.errors import BrokenError, BusyError, FirsthandError

if TYPE_CHECKING:
    import httpx

KEY_VARIABLE: Final = "FIRSTHAND_EMBEDDER_KEY"
CONNECT_SECONDS: Final = 5.0
BATCH_SECONDS: Final = 30.0
QUERY_SECONDS: Final = 2.0
"""How long a recall waits for the vector of its question before it does without."""
REST_SECONDS: Final = 30.0
"""How long no question is asked after one failed: a recall does not wait twice for what is down."""
ATTEMPTS: Final = 4
FIRST_WAIT_SECONDS: Final = 0.5
LONGEST_WAIT_SECONDS: Final = 30.0
ANSWER_BYTES: Final = 16 * 1024 * 1024
DIMENSION_MOST: Final = 16_384
TEXT_CHARACTERS: Final = 6_000
"""How far a text is read: endpoints refuse what is longer than their model reads."""
QUERIES_KEPT: Final = 256
STEPS: Final = 25
"""How many steps of an int8 number an average dimension has; so much is left for those that are larger."""
LENGTH_MOST: Final = 4_000
"""The square of it is exact in single precision, and so is every sum on the way to it."""
_WORD_BITS: Final = 64
_MOST: Final = 127
_TRY_LATER: Final = frozenset((408, 409, 425, 429))
_NOT_ALLOWED: Final = frozenset((401, 403))
_NO_SUCH: Final = frozenset((404, 405))


class RemoteEmbedder:
    """Vectors from an endpoint. Safe for threads; the connection is made by the first text."""

    is_exact = False
    is_remote = True

    def __init__(
        self,
        endpoint: Endpoint,
        hide: Callable[[str], str],
        *,
        wait: Callable[[float], object] = time.sleep,
        batch_seconds: float = BATCH_SECONDS,
        query_seconds: float = QUERY_SECONDS,
    ) -> None:
        self.identity = endpoint.identity
        self._endpoint = endpoint
        self._hide = hide
        self._wait = wait
        self._batch_seconds = batch_seconds
        self._query_seconds = query_seconds
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None
        self._asked: OrderedDict[bytes, bytes] = OrderedDict()
        self._rests_until = 0.0
        self._given = 0

    @property
    def scale(self) -> Scale:
        """As it comes: to measure it would take another call."""
        return Scale()

    @property
    def dimension(self) -> int:
        """How many bytes a vector has: 0 until the first answer; what it gives is filled up with zeros."""
        return -(-self._given // _WORD_BITS) * _WORD_BITS

    @property
    def length(self) -> int:
        """How long a vector is, in steps of its int8 numbers."""
        return min(LENGTH_MOST, round(STEPS * self._given**0.5))

    def embed(self, texts: Sequence[Said]) -> list[bytes]:
        """The vectors of some texts, tried a few times where that may help."""
        attempt = 0
        while True:
            try:
                return self._vectors(texts, self._batch_seconds)
            except _TryLaterError as later:
                code, pause = later.code, _pause(attempt, later.after)
            if pause is None:
                raise _busy(code)
            self._wait(pause)
            attempt += 1

    def ask(self, query: Said) -> bytes:
        """The vector of a question: one that was asked before, or else one short try, and none soon after a failure."""
        name = hashlib.sha256(query.text.encode()).digest()
        with self._lock:
            known = self._asked.get(name)
            if known is not None:
                self._asked.move_to_end(name)
                return known
            if time.monotonic() < self._rests_until:
                raise _busy("embedder_resting")
        failed: FirsthandError | None = None
        try:
            (made,) = self._vectors([query], self._query_seconds)
        except _TryLaterError as later:
            failed = _busy(later.code)
        except FirsthandError as error:
            failed = error
        else:
            with self._lock:
                self._asked[name] = made
                while len(self._asked) > QUERIES_KEPT:
                    self._asked.popitem(last=False)
            return made
        self._rests_until = time.monotonic() + REST_SECONDS
        raise failed

    def forget(self) -> None:
        """Empty what it remembers of questions, and close its connection; the next question makes another."""
        with self._lock:
            self._asked.clear()
            client, self._client = self._client, None
        if client is not None:
            client.close()

    # ---- one call --------------------------------------------------------------------------------------------------

    def _vectors(self, texts: Sequence[Said], seconds: float) -> list[bytes]:
        asked: dict[str, Any] = {
            "model": self._endpoint.model,
            "input": [self._hide(said.text[:TEXT_CHARACTERS]) or " " for said in texts],
            "encoding_format": "float",
        }
        if self._endpoint.dimensions is not None:
            asked["dimensions"] = self._endpoint.dimensions
        rows = _rows(self._post(asked, seconds), len(texts))
        self._learn(len(rows[0]))
        return [_packed(row, self.length, self.dimension) for row in rows]

    def _learn(self, given: int) -> None:
        with self._lock:
            self._given = self._given or given
            if given != self._given:
                raise _broken("embedder_dimension_changed")

    def _post(self, asked: dict[str, Any], seconds: float) -> bytes:
        """One request and its answer, whatever comes bounded in time and size. What httpx raises holds the request
        with its key, so it is never chained to what is raised here."""
        import httpx

        end = time.monotonic() + seconds
        headers = {"Accept-Encoding": "identity"}
        if key := os.environ.get(KEY_VARIABLE):
            if not key.isascii() or not key.isprintable():
                raise _broken("embedder_denied")
            headers["Authorization"] = f"Bearer {key}"
        timeout = httpx.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))
        code = "embedder_unreachable"
        try:
            with self._opened().stream("POST", self._endpoint.url, json=asked, headers=headers, timeout=timeout) as got:
                return _read(got, end)
        except httpx.TimeoutException:
            code = "embedder_slow"
        except (httpx.TransportError, httpx.StreamError, RuntimeError):
            pass  # a RuntimeError says that another thread has closed the connection meanwhile
        except (httpx.HTTPError, httpx.InvalidURL, ValueError):
            code = ""
        if not code:
            raise _broken("embedder_answer_invalid")
        raise _TryLaterError(code)

    def _opened(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._client is None:
                # Neither a redirect, a proxy nor a .netrc may lead anything anywhere but to the endpoint.
                self._client = httpx.Client(follow_redirects=False, trust_env=False)
            return self._client


class _Row(msgspec.Struct):
    embedding: list[float]
    index: int | None = None


class _Answer(msgspec.Struct):
    data: list[_Row]


class _TryLaterError(Exception):
    """The endpoint may answer later: `after` so many seconds, if it says so."""

    def __init__(self, code: str, after: float | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.after = after


TOLD: Final = {
    "embedder_unreachable": "the embeddings endpoint cannot be reached",
    "embedder_slow": "the embeddings endpoint did not answer in time",
    "embedder_busy": "the embeddings endpoint has too much to do or an error of its own",
    "embedder_resting": "the embeddings endpoint failed a moment ago and is not asked again yet",
    "embedder_denied": f"the embeddings endpoint does not accept the key in {KEY_VARIABLE}, or there is none",
    "embedder_absent": "there is no embeddings endpoint of this kind at this address, or no such model",
    "embedder_refused": "the embeddings endpoint would not have a text",
    "embedder_answer_invalid": "what the embeddings endpoint answered are no vectors of the texts it was sent",
    "embedder_answer_too_large": f"the embeddings endpoint answered with more than {ANSWER_BYTES} bytes",
    "embedder_dimension_changed": "the embeddings endpoint gives vectors of another dimension than before",
}
"""Every way in which an endpoint fails, in words without content."""


def _broken(code: str) -> BrokenError:
    return BrokenError(code, TOLD[code], field="embedder")


def _busy(code: str) -> BusyError:
    return BusyError(code, TOLD[code], field="embedder", retryable=True)


def _pause(attempt: int, after: float | None) -> float | None:
    """How long to wait before the next attempt; unset after the last, or if the endpoint asks for too long."""
    if attempt == ATTEMPTS - 1 or (after is not None and after > LONGEST_WAIT_SECONDS):
        return None
    backoff = FIRST_WAIT_SECONDS * 2**attempt
    return max(after or 0.0, backoff * (1 + random.random()) / 2)


def _read(got: httpx.Response, end: float) -> bytes:
    status = got.status_code
    if status in _TRY_LATER or status >= 500:
        raise _TryLaterError("embedder_busy", _after(got.headers.get("Retry-After")))
    if status in _NOT_ALLOWED:
        raise _broken("embedder_denied")
    if status in _NO_SUCH:
        raise _broken("embedder_absent")
    if 400 <= status < 500:
        raise _broken("embedder_refused")
    if status != 200 or got.headers.get("Content-Encoding", "identity") != "identity":
        raise _broken("embedder_answer_invalid")
    parts: list[bytes] = []
    size = 0
    for part in got.iter_raw():
        size += len(part)
        if size > ANSWER_BYTES:
            raise _broken("embedder_answer_too_large")
        if time.monotonic() > end:
            raise _TryLaterError("embedder_slow")
        parts.append(part)
    return b"".join(parts)


def _after(header: str | None) -> float | None:
    """The seconds of a `Retry-After`; a date in it is passed over."""
    return float(header) if header is not None and header.isascii() and header.isdigit() else None


def _rows(answer: bytes, count: int) -> list[list[float]]:
    """The vectors of an answer in the order of what was sent, all of one dimension."""
    try:
        data = msgspec.json.decode(answer, type=_Answer).data
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        data = []
    places = [place if row.index is None else row.index for place, row in enumerate(data)]
    if len(data) != count or sorted(places) != list(range(count)):
        raise _broken("embedder_answer_invalid")
    rows = [row.embedding for _, row in sorted(zip(places, data, strict=True), key=lambda each: each[0])]
    if len({len(row) for row in rows}) != 1 or not 0 < len(rows[0]) <= DIMENSION_MOST:
        raise _broken("embedder_answer_invalid")
    return rows


def _packed(row: Sequence[float], length: int, dimension: int) -> bytes:
    """A vector as int8 numbers of one length; an empty one where there is nothing in it."""
    import numpy as np

    given = np.array(row, dtype=np.float64)
    if not np.isfinite(given).all():
        raise _broken("embedder_answer_invalid")
    largest = float(np.abs(given).max())
    if not largest:
        return b""
    given /= largest  # so that no square of a number is too small or too large to be one
    made = np.rint(given * (length / float(np.sqrt(given @ given))))
    packed = np.zeros(dimension, dtype=np.int8)
    packed[: len(row)] = np.clip(made, -_MOST, _MOST)
    return packed.tobytes()
