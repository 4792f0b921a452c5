"""Attacks on the server of the studio, each of which is refused; and what is let through."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("starlette")

from tests.studio.asking import HERE, OWN, PORT, TOKEN, Asking, asking
from tests.studio.inline import CITIES, Inline
from unimds.files import Table
from unimds.studio import security
from unimds.studio.security import HEADERS, Guard, safe_name
from unimds.studio.server import FRAMES, HOST, Mailbox, Studio, bound, columns_of


@pytest.fixture(scope="module")
def studio() -> Studio:
    return Studio(worker=Inline)


@pytest.fixture(scope="module")
def client(studio: Studio) -> Iterator[Asking]:
    with asking(studio) as client:
        client.put("cities.csv", CITIES)
        yield client


def test_the_own_page_is_let_through(client: Asking) -> None:
    assert client.get("/", {"sec-fetch-site": "none"}).status == 200
    own = {**OWN, "origin": HERE, "sec-fetch-site": "same-origin"}
    assert client.request("POST", "/api/do", own, {"action": "stop"}).status == 200
    assert client.get("/api/names").json()["names"][0] == "Ulm"
    there = {**OWN, "host": f"localhost:{PORT}"}
    assert client.get("/api/names", there).status == 200


def test_columns_with_gaps_and_infinities_are_told() -> None:
    columns = {"a": np.array([1.0, np.nan, np.inf]), "b": ["x", "", "y"], "c": np.array([1, 2, 3])}
    table = Table(np.eye(3), "points", "csv", "rows", columns=columns)
    told = json.loads(json.dumps(columns_of(table), allow_nan=False))
    assert told == {"a": [1.0, None, None], "b": ["x", "", "y"], "c": [1, 2, 3]}


STOP = {"action": "stop"}
# name: method, path, headers (None leaves the token out), body, status
ATTACKS: dict[str, tuple[str, str, dict[str, str] | None, Any, int]] = {
    "no token": ("GET", "/api/names", None, None, 401),
    "a wrong token": ("GET", "/api/names", {"authorization": "Bearer x"}, None, 401),
    "an empty token": ("GET", "/api/names", {"authorization": "Bearer "}, None, 401),
    "the token of a scheme": ("GET", "/api/names", {"authorization": f"Basic {TOKEN}"}, None, 401),
    "the token in the address": ("GET", f"/api/names?token={TOKEN}", None, None, 401),
    "the token as a cookie": ("GET", "/api/names", {"cookie": f"token={TOKEN}"}, None, 401),
    "a token that is no ASCII": ("GET", "/api/names", {"authorization": "Bearer é"}, None, 401),
    "events without a token": ("GET", "/api/events", None, None, 401),
    "DNS rebinding": ("GET", "/api/names", {**OWN, "host": f"evil.test:{PORT}"}, None, 421),
    "rebinding of the page": ("GET", "/", {"host": f"evil.test:{PORT}"}, None, 421),
    "a host that begins like ours": (
        *("GET", "/api/names"),
        *({**OWN, "host": f"127.0.0.1:{PORT}.evil.test"}, None, 421),
    ),
    "another port": ("GET", "/api/names", {**OWN, "host": "127.0.0.1:1"}, None, 421),
    "another name of this machine": ("GET", "/", {"host": f"0.0.0.0:{PORT}"}, None, 421),
    "no host": ("GET", "/api/names", {**OWN, "host": ""}, None, 421),
    "another site": ("POST", "/api/do", {**OWN, "origin": "http://evil.test"}, STOP, 403),
    "a page of another port": (
        *("POST", "/api/do", {**OWN, "origin": "http://127.0.0.1:1"}, STOP),
        403,
    ),
    "a sandboxed frame": ("POST", "/api/do", {**OWN, "origin": "null"}, STOP, 403),
    "the other scheme": (
        *("POST", "/api/do", {**OWN, "origin": HERE.replace("http", "https")}, STOP),
        403,
    ),
    "a cross-site request": ("POST", "/api/do", {**OWN, "sec-fetch-site": "cross-site"}, STOP, 403),
    "a same-site request": ("GET", "/api/names", {**OWN, "sec-fetch-site": "same-site"}, None, 403),
    "a cross-site event stream": (
        *("GET", "/api/events", {**OWN, "sec-fetch-site": "cross-site"}, None),
        403,
    ),
    "a typed address that acts": ("POST", "/api/do", {**OWN, "sec-fetch-site": "none"}, STOP, 403),
    "a foreign preflight": ("OPTIONS", "/api/do", {"origin": "http://evil.test"}, None, 405),
    "a strange method": ("DELETE", "/api/file", OWN, None, 405),
    "a trace": ("TRACE", "/", OWN, None, 405),
    "acting by a link": ("GET", "/api/do", OWN, None, 405),
    "a file by a form": ("POST", "/api/file?name=a.csv", OWN, "a=b", 405),
    "a length that is none": ("POST", "/api/do", {**OWN, "content-length": "-5"}, STOP, 400),
    "a length that is too large": (
        *("POST", "/api/do", {**OWN, "content-length": str(2**40)}, STOP),
        413,
    ),
    "a large action": ("POST", "/api/do", OWN, {"action": "stop", "x": "y" * 100_000}, 413),
    "a path out of the page": ("GET", "/page/..%2Fserver.py", None, None, 404),
    "a file of the package": ("GET", "/page/server.py", None, None, 404),
    "an absolute path": ("GET", "/page/%2Fetc%2Fpasswd", None, None, 404),
    "a file that is no export": ("GET", "/api/export/..%2F..%2Fetc%2Fpasswd", OWN, None, 404),
    "an export of no kind": ("GET", "/api/export/passwd", OWN, None, 400),
    "a column that there is not": ("GET", "/api/export/svg?color=..%2Fpasswd", OWN, None, 400),
    "an action of no name": ("POST", "/api/do", OWN, {"action": "__class__"}, 400),
    "an action that is no text": ("POST", "/api/do", OWN, {"action": ["stop"]}, 400),
    "arguments of another action": ("POST", "/api/do", OWN, {**STOP, "path": "/etc/passwd"}, 400),
    "a list for an action": ("POST", "/api/do", OWN, ["stop"], 400),
    "no JSON": ("POST", "/api/do", OWN, "{", 400),
    "deep JSON": ("POST", "/api/do", OWN, "[" * 50_000, 400),
    "an unknown setting": (
        *("POST", "/api/do", OWN),
        *({"action": "change", "settings": {"callback": "print"}}, 400),
    ),
    "a setting that is code": (
        *("POST", "/api/do", OWN),
        *({"action": "change", "settings": {"loss": "__import__('os')"}}, 400),
    ),
    "a point that there is not": (
        *("POST", "/api/do", OWN, {"action": "drop_point", "point": 10**9}),
        400,
    ),
    "a point that is no number": (
        *("POST", "/api/do", OWN, {"action": "drop_point", "point": True}),
        400,
    ),
    "a place that is endless": (
        *("POST", "/api/do", OWN),
        *('{"action": "move", "point": 0, "place": [Infinity, NaN], "last": true}', 400),
    ),
    "a map that is a list": ("POST", "/api/do", OWN, {"action": "show", "map": [1]}, 400),
    "a map that is a truth": ("POST", "/api/do", OWN, {"action": "show", "map": True}, 400),
    "a map of 5000 digits": ("GET", f"/api/judged/{'9' * 5000}", OWN, None, 404),
    "a point of no number": ("GET", "/api/point/-1", OWN, None, 404),
    "a choice that is a list": ("POST", "/api/do", OWN, {"action": "choose", "name": ["dim"]}, 400),
    "a file read from a path": (
        *("POST", "/api/do", OWN),
        *({"action": "read_as", "how": {"kind": "/etc/passwd"}, "refused": False}, 400),
    ),
    "a file read with any argument": (
        *("POST", "/api/do", OWN),
        *({"action": "read_as", "how": {"max_bytes": "1"}, "refused": False}, 400),
    ),
    "a file read with a list": (
        *("POST", "/api/do", OWN),
        *({"action": "read_as", "how": {"kind": ["graph"]}, "refused": False}, 400),
    ),
    "an empty file": ("PUT", "/api/file?name=a.csv", OWN, "", 400),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_refused(client: Asking, studio: Studio, name: str) -> None:
    method, path, headers, body, status = ATTACKS[name]
    before = studio.session.state()
    answer = client.request(method, path, headers, body)
    assert answer.status == status, answer.text
    # nothing was done, nothing was told, and no other site may read even the refusal
    assert studio.session.state()["settings"] == before["settings"]
    assert studio.session.work.source is not None
    assert studio.session.work.source.name == "cities.csv"
    assert "access-control-allow-origin" not in answer.headers
    assert "Ulm" not in answer.text
    assert TOKEN not in answer.text
    for header, value in HEADERS.items():
        assert answer.headers[header] == value


def test_a_page_does_not_ask_again_on_a_connection_that_an_error_closes() -> None:
    studio, sent = Studio(worker=Inline), []

    async def failing() -> None:
        studio.session = None  # type: ignore[assignment]
        scope = {"type": "http", "method": "GET", "path": "/api/names", "headers": []}

        async def send(message: Any) -> None:
            sent.append(message)

        with pytest.raises(AttributeError):
            await studio.application()(scope, None, send)  # type: ignore[arg-type]

    asyncio.run(failing())
    assert sent[0]["status"] == 500
    assert (b"connection", b"close") in sent[0]["headers"]
    assert sent[1]["body"] == b"the studio has failed: AttributeError"


def test_a_header_given_twice_is_refused(client: Asking) -> None:
    twice = [("authorization", f"Bearer {TOKEN}"), ("origin", HERE), ("origin", "http://evil.test")]
    assert client.get("/api/names", twice).status == 400


def test_a_file_is_counted_as_it_comes(client: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(security, "LARGEST_FILE", 1000)

    def endless() -> Iterator[bytes]:  # without a length
        for _ in range(100):
            yield b"x" * 100

    answer = client.request("PUT", "/api/file?name=a.csv", OWN, endless())
    assert answer.status == 413


def test_what_waits_for_a_slow_page_stays_small() -> None:
    async def scenario() -> list[bytes]:
        box = Mailbox()
        for i in range(500):
            box.put({"type": "state"}, b"state %d" % i)
        box.put({"type": "frame", "kind": "plane"}, b"shape")
        for i in range(500):
            box.put({"type": "frame"}, b"frame %d" % i)
        box.put({"type": "frame", "kind": "globe"}, b"other shape")
        box.put({"type": "view"}, b"view")
        box.put({"type": "state"}, b"last")
        found = [await box.get()]
        while found[-1] != b"last":
            found.append(await box.get())
        return found

    found = asyncio.run(scenario())
    assert found[:2] == [b"state 499", b"shape"]
    assert found[-3:] == [b"other shape", b"view", b"last"]
    assert len(found) < FRAMES + 10


def test_web_sockets_are_closed() -> None:
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    guard = Guard(Studio(worker=Inline).application(), TOKEN, PORT)
    asyncio.run(guard({"type": "websocket", "headers": []}, receive, send))
    assert sent == [{"type": "websocket.close", "code": 1008}]


def test_the_page_may_load_and_run_only_its_own_files(client: Asking) -> None:
    policy = client.get("/").headers["content-security-policy"]
    parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert parts["default-src"] == "'none'"
    assert parts["script-src"] == parts["style-src"] == parts["connect-src"] == "'self'"
    assert parts["frame-ancestors"] == parts["base-uri"] == parts["form-action"] == "'none'"
    assert "unsafe" not in policy


def test_the_page_has_no_code_of_its_own_and_no_other_address(client: Asking) -> None:
    page = client.get("/").text
    assert "<style" not in page
    assert "onclick" not in page
    assert page.count("<script") == page.count('src="page/') == 1
    for name in ("main.js", "map.js", "net.js", "parts.js", "panels.js", "charts.js", "compare.js"):
        text = client.get(f"/page/{name}").text
        assert "innerHTML" not in text
        assert "eval(" not in text
        assert "://" not in text


def test_the_server_listens_on_this_machine_only() -> None:
    assert HOST == "127.0.0.1"
    place = bound(0)
    assert place.getsockname()[0] == "127.0.0.1"
    place.listen()
    with pytest.raises(OSError, match="choose another"):
        bound(place.getsockname()[1])
    place.close()


@given(given=st.text(max_size=200))
def test_a_safe_name_is_only_a_name(given: str) -> None:
    name = safe_name(given)
    assert name
    assert len(name) <= 100
    assert not set(name) & set("/\\\0\n\r\"'`$;|&<>:*?")
    assert name[0] not in ".-"
    assert name.isprintable()
    assert safe_name(name) == name


def test_a_long_name_of_any_letters_is_one_for_a_file() -> None:
    name = safe_name("\U00020000" * 300 + ".csv")
    assert len(name.encode()) <= 255
    assert name.endswith(".csv")


def test_devices_of_windows_are_no_names() -> None:
    assert safe_name("NUL.csv") == "table-NUL.csv"
