"""Asking the server of the studio in the process of the tests, with any headers whatever."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import unquote

from unimds.studio.security import Guard
from unimds.studio.server import Studio

TOKEN, PORT = "a-token-for-the-tests", 8123
OWN = {"authorization": f"Bearer {TOKEN}"}
HERE = f"http://127.0.0.1:{PORT}"


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    data: bytes

    @property
    def text(self) -> str:
        return self.data.decode()

    def json(self) -> Any:
        return json.loads(self.data)


class Asking:
    """A client that speaks ASGI."""

    def __init__(self, studio: Studio, loop: asyncio.AbstractEventLoop):
        self._app, self._loop = Guard(studio.application(), TOKEN, PORT), loop

    def request(
        self,
        method: str,
        path: str,
        headers: dict[str, str] | list[tuple[str, str]] | None = None,
        body: Any = None,
    ) -> Answer:
        """Send a request; the body is a text, an object for JSON, or parts without a length."""
        parts = _parts(body)
        given = list(headers.items() if isinstance(headers, dict) else headers or [])
        names = {name for name, _ in given}
        given += [] if "host" in names else [("host", f"127.0.0.1:{PORT}")]
        if isinstance(parts, list) and "content-length" not in names:
            given.append(("content-length", str(len(parts[0]))))
        place, _, query = path.partition("?")
        scope = {"type": "http", "http_version": "1.1", "method": method, "scheme": "http"}
        scope |= {
            "path": unquote(place),
            "raw_path": place.encode(),
            "query_string": query.encode(),
        }
        scope |= {"headers": [(a.encode("latin-1"), b.encode("latin-1")) for a, b in given]}
        whole = self._ask(scope, iter(parts))
        return asyncio.run_coroutine_threadsafe(whole, self._loop).result(60)

    async def _ask(self, scope: dict[str, Any], parts: Iterator[bytes]) -> Answer:
        sent: list[Any] = []

        async def receive() -> dict[str, Any]:
            part = next(parts, None)
            return {"type": "http.request", "body": part or b"", "more_body": part is not None}

        async def send(message: Any) -> None:
            sent.append(message)

        await self._app(scope, receive, send)
        start, *rest = sent
        headers = {name.decode(): value.decode() for name, value in start["headers"]}
        return Answer(start["status"], headers, b"".join(part.get("body", b"") for part in rest))

    def get(self, path: str, headers: Any = OWN) -> Answer:
        return self.request("GET", path, headers)

    def do(self, action: str, **more: Any) -> Answer:
        return self.request("POST", "/api/do", OWN, {"action": action, **more})

    def put(self, name: str, data: bytes) -> Answer:
        return self.request("PUT", f"/api/file?name={name}", OWN, data)


def _parts(body: Any) -> Iterable[bytes]:
    if body is None or isinstance(body, str | bytes):
        return [(body.encode() if isinstance(body, str) else body or b"")]
    return body if isinstance(body, Iterator) else [json.dumps(body).encode()]


@contextmanager
def asking(studio: Studio) -> Iterator[Asking]:
    """Have a server, as it were, on the event loop of a thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    life = studio.lifespan(None)
    asyncio.run_coroutine_threadsafe(life.__aenter__(), loop).result(60)
    try:
        yield Asking(studio, loop)
    finally:
        asyncio.run_coroutine_threadsafe(life.__aexit__(None, None, None), loop).result(60)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
