"""An embeddings endpoint is asked over real sockets; what it answers is checked, bounded and tried again."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from endpoint_server import KEY, Handler, Server, dying, meaning, saying, serving, slow, status, well

from firsthand.inference.choosing import embedder_of
from firsthand.inference.endpoint import read_endpoint
from firsthand.inference.remote import ANSWER_BYTES, ATTEMPTS, QUERIES_KEPT, RemoteEmbedder
from firsthand.ports import Said
from firsthand.vocabulary.errors import BusyError, FirsthandError, InvalidError

BOAT, CAR = Said(("boat",), "the boat is blue"), Said(("car",), "my car is in the garage")


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


MADE: list[RemoteEmbedder] = []


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    while MADE:
        MADE.pop().forget()


class Remote(RemoteEmbedder):
    """One that notes how long it would have waited."""

    def __init__(self, server: Server, setting: str | None = None, **more: Any) -> None:
        self.pauses: list[float] = []
        super().__init__(read_endpoint(setting or server.setting), lambda t: t, wait=self.pauses.append, **more)
        MADE.append(self)


def code_of(embedder: RemoteEmbedder, *texts: Said) -> str:
    with pytest.raises(FirsthandError) as caught:
        embedder.embed(texts or (BOAT,))
    assert "boat" not in str(caught.value.as_dict())
    return caught.value.code


def test_vectors_come_in_the_order_of_the_texts_with_one_length_and_a_fit_dimension(server: Server) -> None:
    embedder = Remote(server)
    assert embedder.dimension == 0
    one, other = embedder.embed([BOAT, CAR])
    assert embedder.dimension == len(one) == len(other) == 64  # 48 filled up to whole words of bits
    for packed, said in ((one, BOAT), (other, CAR)):
        made, meant = np.frombuffer(packed, dtype=np.int8).astype(float), np.array(meaning(said.text, 48))
        assert np.linalg.norm(made) == pytest.approx(embedder.length, rel=0.02)
        assert made[:48] @ meant / np.linalg.norm(made) / np.linalg.norm(meant) > 0.999
        assert not made[48:].any()
    assert embedder.length**2 < 1 << 24
    (asked,) = server.asked
    assert asked == {"model": "tiny", "input": [BOAT.text, CAR.text], "encoding_format": "float"}


def test_a_number_of_dimensions_is_asked_for_where_the_address_names_one(server: Server) -> None:
    server.dimension = 128
    setting = server.setting.replace("#", "?dimensions=128#")
    embedder = Remote(server, setting)
    embedder.embed([BOAT])
    assert server.asked[0]["dimensions"] == 128
    assert (embedder.dimension, embedder.identity) == (128, setting)


@pytest.mark.parametrize(
    ("answers", "pauses"),
    [
        ([status(429)], 1), ([status(503), status(500)], 2), ([dying], 1), ([status(429, Retry_After="7")], 1),
        ([slow(1.0, status(200))], 1),
    ],
)  # fmt: skip
def test_what_may_pass_is_tried_again(answers: list[Any], pauses: int, server: Server) -> None:
    server.answers = list(answers)
    embedder = Remote(server, batch_seconds=0.5)
    assert embedder.embed([BOAT]) == Remote(server).embed([BOAT])
    assert len(embedder.pauses) == pauses
    assert all(pause > 0 for pause in embedder.pauses)


def test_it_waits_as_long_as_it_is_asked_to_but_not_for_ever(server: Server) -> None:
    server.answers = [status(429, Retry_After="7")]
    patient = Remote(server)
    patient.embed([BOAT])
    assert patient.pauses == [7.0]
    server.answers = [status(429, Retry_After="7200")]
    assert code_of(Remote(server)) == "embedder_busy"
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("answer", "code"), [(status(500), "embedder_busy"), (dying, "embedder_unreachable"), (slow(0.6), "embedder_slow")]
)
def test_what_does_not_pass_ends_after_a_few_attempts(answer: Any, code: str, server: Server) -> None:
    server.usual = answer
    assert code_of(Remote(server, batch_seconds=0.2)) == code
    assert len(server.asked) == ATTEMPTS


def test_an_answer_that_drips_is_ended_by_the_clock_and_not_by_its_silence(server: Server) -> None:
    def drip(handler: Handler, texts: list[str]) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100000")
        handler.end_headers()
        for _ in range(100):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            slow(0.05, lambda *_: None)(handler, texts)

    server.usual = drip
    embedder = Remote(server, query_seconds=0.4)
    with pytest.raises(BusyError) as caught:
        embedder.ask(BOAT)
    assert caught.value.code == "embedder_slow"


ROWS = [{"embedding": [0.5, 0.25]}]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (status(401), "embedder_denied"), (status(403), "embedder_denied"), (status(404), "embedder_absent"),
        (status(400), "embedder_refused"), (status(413), "embedder_refused"),
        (status(302, Location="http://127.0.0.1:1/"), "embedder_answer_invalid"),
        (saying(b"not json"), "embedder_answer_invalid"), (saying(b"\xff\xfe"), "embedder_answer_invalid"),
        (saying(b'{"data": []}'), "embedder_answer_invalid"), (saying(b'{"data": null}'), "embedder_answer_invalid"),
        (saying(json.dumps({"data": ROWS * 2}).encode()), "embedder_answer_invalid"),
        (saying(json.dumps({"data": [{**ROWS[0], "index": 1}]}).encode()), "embedder_answer_invalid"),
        (saying(json.dumps({"data": [{"embedding": []}]}).encode()), "embedder_answer_invalid"),
        (saying(b'{"data": [{"embedding": [1e999]}]}'), "embedder_answer_invalid"),
        (saying(b'{"data": [{"embedding": ["x"]}]}'), "embedder_answer_invalid"),
        (saying(b"[" * 100_000), "embedder_answer_invalid"),
        (saying(b"{}", Content_Encoding="gzip"), "embedder_answer_invalid"),
        (saying(b" " * (ANSWER_BYTES + 1)), "embedder_answer_too_large"),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_refused_at_once(answer: Any, code: str, server: Server) -> None:
    server.answers = [answer]
    embedder = Remote(server)
    assert code_of(embedder) == code
    assert len(server.asked) == 1
    assert embedder.embed([BOAT])[0]


def test_another_dimension_than_before_is_refused(server: Server) -> None:
    embedder = Remote(server)
    embedder.embed([BOAT])
    server.dimension = 64
    assert code_of(embedder) == "embedder_dimension_changed"
    server.answers = [lambda h, t: h.send(200, json.dumps({"data": [ROWS[0], {"embedding": [1.0]}]}).encode())]
    assert code_of(Remote(server), BOAT, CAR) == "embedder_answer_invalid"


def test_a_vector_of_nothing_is_none(server: Server) -> None:
    server.answers = [saying(b'{"data": [{"embedding": [0, 0, 0]}]}')]
    assert Remote(server).embed([BOAT]) == [b""]


def test_a_question_is_asked_once_and_not_again_soon_after_a_failure(server: Server) -> None:
    embedder = Remote(server)
    assert embedder.ask(BOAT) == embedder.ask(BOAT) == embedder.embed([BOAT])[0]
    assert len(server.asked) == 2
    server.answers = [status(500)]
    with pytest.raises(BusyError) as caught:
        embedder.ask(CAR)
    assert (caught.value.code, len(server.asked)) == ("embedder_busy", 3)
    with pytest.raises(BusyError) as caught:
        embedder.ask(CAR)
    assert (caught.value.code, len(server.asked)) == ("embedder_resting", 3)
    assert embedder.ask(BOAT)  # what it knows it still answers
    embedder.forget()
    with pytest.raises(BusyError):
        embedder.ask(BOAT)


def test_it_remembers_no_more_questions_than_it_says(server: Server) -> None:
    embedder = Remote(server)
    for at in range(QUERIES_KEPT + 2):
        embedder.ask(Said(("q",), f"question {at}"))
    before = len(server.asked)
    embedder.ask(Said(("q",), f"question {QUERIES_KEPT + 1}"))
    assert len(server.asked) == before
    embedder.ask(Said(("q",), "question 0"))
    assert len(server.asked) == before + 1


# ---- the key ---------------------------------------------------------------------------------------------------------


def test_the_key_goes_to_the_endpoint_and_nowhere_else(
    server: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("FIRSTHAND_EMBEDDER_KEY", KEY)
    with caplog.at_level(logging.DEBUG):
        embedder = Remote(server, batch_seconds=0.3, query_seconds=0.3)
        embedder.embed([BOAT])
        assert server.keys == [f"Bearer {KEY}"]
        for answer in (status(401), status(404), dying, slow(0.5), saying(b"{"), status(302)):
            server.answers = [answer] * ATTEMPTS
            with pytest.raises(FirsthandError) as caught:
                embedder.embed([CAR])
            seen: list[BaseException | None] = [caught.value]
            while seen[-1] is not None:
                error = seen[-1]
                assert KEY not in repr(error) + repr(vars(error))
                seen.append(error.__cause__ or error.__context__)
            assert len(seen) == 2, "what httpx raised holds the request with its key"
    assert caplog.text
    assert KEY not in caplog.text + repr(embedder) + repr(vars(embedder))
    monkeypatch.setenv("FIRSTHAND_EMBEDDER_KEY", "line\nbreak")
    assert code_of(embedder) == "embedder_denied"
    monkeypatch.delenv("FIRSTHAND_EMBEDDER_KEY")
    server.answers = []
    embedder.embed([BOAT])
    assert server.keys[-1] is None


def test_neither_a_proxy_nor_a_netrc_of_the_environment_is_heeded(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login a password b\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert Remote(server).embed([BOAT])
    assert server.keys == [None]


# ---- the address -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "url", "identity"),
    [
        ("https://api.example.com/v1#small", "https://api.example.com/v1/embeddings", "https://api.example.com/v1#small"),
        ("https://API.example.com:8443/v1/#a/b:c", "https://api.example.com:8443/v1/embeddings",
         "https://api.example.com:8443/v1#a/b:c"),
        ("http://localhost:1234#m", "http://localhost:1234/embeddings", "http://localhost:1234#m"),
        ("http://[::1]:1234/v1#m", "http://[::1]:1234/v1/embeddings", "http://[::1]:1234/v1#m"),
        ("http://10.0.0.5/v1?plain=yes&dimensions=256#m", "http://10.0.0.5/v1/embeddings",
         "http://10.0.0.5/v1?dimensions=256#m"),
    ],
)  # fmt: skip
def test_an_address_is_read(text: str, url: str, identity: str) -> None:
    found = read_endpoint(text)
    assert (found.url, found.identity) == (url, identity)


@pytest.mark.parametrize(
    "text",
    [
        "https://host/v1", "https://host/v1#", "https://#m", "https://user:secret@host/v1#m", "https://secret@host/v1#m",
        "https://host/v1?key=secret#m", "https://host/v1?dimensions=secret#m", "https://host/v1?dimensions=0#m",
        "https://host:port/v1#m", "https://host/v1?plain=secret#m", "https://host/v 1#m", "https://host/v1#m\n",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(InvalidError) as caught:
        embedder_of(text, lambda t: t)
    assert (caught.value.code, caught.value.field) == ("embedder_invalid", "embedder")
    assert "secret" not in caught.value.message


@pytest.mark.parametrize("host", ["10.0.0.5", "api.example.com", "localhost.example.com", "[2001:db8::1]"])
def test_words_go_to_no_other_machine_in_the_clear_unless_somebody_says_so(host: str) -> None:
    with pytest.raises(InvalidError) as caught:
        read_endpoint(f"http://{host}/v1#m")
    assert caught.value.code == "embedder_in_the_clear"
    assert read_endpoint(f"https://{host}/v1#m").model == read_endpoint(f"http://{host}/v1?plain=yes#m").model


def test_secrets_of_known_shapes_are_hidden_and_long_texts_are_cut_before_anything_is_sent(server: Server) -> None:
    embedder = RemoteEmbedder(read_endpoint(server.setting), lambda text: text.replace("hunter2", "[masked]"))
    MADE.append(embedder)
    embedder.embed([Said(("a",), "it is hunter2"), Said(("a",), "x" * 20_000), Said(("a",), "")])
    one, other, empty = server.texts
    assert (one, len(other), empty) == ("it is [masked]", 6_000, " ")


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert embedder_of("https://host/v1#m", lambda t: t) is not None
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(FirsthandError) as caught:
        embedder_of("https://host/v1#m", lambda t: t)
    assert caught.value.code == "extra_missing"
    assert "firsthand[llm]" in caught.value.message


def test_well_is_what_the_endpoint_does_unless_it_is_told_otherwise(server: Server) -> None:
    assert server.usual is well
