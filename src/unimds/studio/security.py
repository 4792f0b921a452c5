"""Who may ask the server for anything: a page of this server, opened with its token.

The server listens on this machine only. Any page in the browser could still reach it, so every
request must name this host (no DNS rebinding), must not come from another site, and, for anything
but the empty page itself, must carry the token. The token comes in the fragment of the address,
which browsers never send; the page keeps it for its tab and sends it as a header, which no other
site can make a browser do. There are no cookies: those are shared by all ports of a host.
"""

from __future__ import annotations

import hmac
import re
import secrets
import unicodedata
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, final

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST_FILE = 256 * 2**20
"""Bytes of an uploaded file."""
LARGEST_REQUEST = 64 * 2**10
"""Bytes of any other request."""
FILE = "/api/file"
"""Where files are uploaded."""
METHODS = {"GET", "POST", "PUT"}

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), usb=()",
}
"""What every answer says."""


def new_token() -> str:
    """Return a token that nobody can guess."""
    return secrets.token_urlsafe(32)


@final
class Guard:
    """Lets requests of the own page through, limits their size, and adds the headers.

    Parameters
    ----------
    app : ASGI application
        What answers.
    token : str
        What every request under ``/api`` must carry.
    port : int
        Where the server listens.
    """

    def __init__(self, app: App, token: str, port: int):
        self._app, self._token = app, token.encode()
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        if port == 80:  # which browsers leave out
            self._hosts |= {"127.0.0.1", "localhost"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no web sockets here
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await _answer(send, *refusal)
            return
        most = LARGEST_FILE if scope["path"] == FILE else LARGEST_REQUEST
        body = Limited(receive, send, most)
        await self._app(scope, body.receive, body.send)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Return why a request is refused, if it is."""
        headers = _headers(scope)
        if headers is None:
            return 400, "a header is given twice"
        host = headers.get("host", "")
        if host not in self._hosts:
            return 421, "this is not the host that was asked for"
        if scope["method"] not in METHODS:
            return 405, "this is not how to ask"
        if headers.get("origin", f"http://{host}") != f"http://{host}":
            return 403, "another site asked"
        site = headers.get("sec-fetch-site", "same-origin")
        # the address typed, or clicked in a terminal, comes from no site
        if site != "same-origin" and not (site == "none" and scope["method"] == "GET"):
            return 403, "another site asked"
        length = headers.get("content-length", "0")
        most = LARGEST_FILE if scope["path"] == FILE else LARGEST_REQUEST
        if not re.fullmatch(r"\d{1,15}", length, re.ASCII):
            return 400, "the length is no number"
        if int(length) > most:
            return 413, f"at most {most:,} bytes are taken"
        if scope["path"].startswith("/api") and not self._knows(headers):
            return 401, "the token is missing or wrong; use the address that the terminal shows"
        return None

    def _knows(self, headers: dict[str, str]) -> bool:
        given = headers.get("authorization", "")
        return hmac.compare_digest(given.encode(), b"Bearer " + self._token)


SINGLE = {"host", "origin", "authorization", "content-length", "sec-fetch-site"}


def _headers(scope: Scope) -> dict[str, str] | None:
    """Return the headers; None if one that decides is given twice."""
    found: dict[str, str] = {}
    for raw, value in scope["headers"]:
        name = raw.decode("latin-1").lower()
        if name in found and name in SINGLE:
            return None
        found[name] = value.decode("latin-1")
    return found


class TooLarge(Exception):
    """A body with more bytes than are taken, whatever its header says; the answer is 413."""


@final
class Limited:
    """A request whose body is counted as it comes, and an answer that has our headers."""

    def __init__(self, receive: Receive, send: Send, most: int):
        self._receive, self._send, self._most, self._left = receive, send, most, most

    async def receive(self) -> MutableMapping[str, Any]:
        """Take the next part of the body."""
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise TooLarge(f"at most {self._most:,} bytes are taken")
        return message

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """Send a part of the answer."""
        if message["type"] == "http.response.start":
            own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message["headers"] = [*message.get("headers", []), *own]
        await self._send(message)


async def _answer(send: Send, status: int, words: str) -> None:
    """Refuse a request, in a line."""
    headers = {"content-type": "text/plain; charset=utf-8", "connection": "close", **HEADERS}
    told = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": told})
    await send({"type": "http.response.body", "body": words.encode()})


LONGEST = 60
"""Letters of a name: of four bytes each, they are fewer than the 255 that file systems take."""
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE | re.ASCII)
"""Names that Windows keeps for devices."""


def safe_name(given: str) -> str:
    r"""Return a name for a file: the last part of what was given, without anything special.

    Examples
    --------
    >>> safe_name("../../etc/passwd"), safe_name("C:\\tables\\Zürich 2.csv"), safe_name("-rf")
    ('passwd', 'Zürich 2.csv', 'rf')
    >>> safe_name('a"b<script>.csv'), safe_name("..")
    ('a_b_script_.csv', 'table')
    """
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", given))[-1]
    kept = "".join(c if c.isalnum() or c in " ._-+()" else "_" for c in last)
    kept = kept.strip(" .-")
    if len(kept) > LONGEST:  # the ending says what a file is
        kept = kept[: LONGEST - 12] + kept[-12:]
    if not kept or RESERVED.fullmatch(kept):
        return f"table{kept and '-' + kept}"
    return kept
