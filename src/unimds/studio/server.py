"""The server of the studio: it serves the page, and passes on what the page asks for.

Only this module imports starlette and uvicorn; whoever imports it has asked whether they are there.
"""

from __future__ import annotations

import asyncio
import json
import math
import socket
import struct
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from importlib.resources import files
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

import uvicorn
from starlette.applications import Starlette
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from unimds.studio.exports import KINDS
from unimds.studio.reading import READINGS, arguments
from unimds.studio.recipe import SCRIPT, archive
from unimds.studio.security import FILE, Guard, TooLarge, new_token, safe_name
from unimds.studio.session import Refused, Session
from unimds.studio.settings import help_told
from unimds.studio.worker import Worker

HOST = "127.0.0.1"
FRAMES = 90
"""Frames that wait for a page; one that is slower misses some."""
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


class Count(IntegerConvertor):
    """A number in an address that is not longer than any of ours."""

    regex = "[0-9]{1,9}"


register_url_convertor("count", Count())


def packed(header: dict[str, Any], body: bytes) -> bytes:
    """Return a message for the page: two lengths, a header in JSON, and bytes."""
    text = json.dumps(header, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    return struct.pack("<II", len(text), len(body)) + text + body


class Mailbox:
    """The messages that wait for a page, of which a slow page misses what is out of date."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[str, bytes]] = deque()
        self._some = asyncio.Event()

    def put(self, header: dict[str, Any], message: bytes) -> None:
        """Have a message wait; of states in a row the last is enough, and of many frames some."""
        kind = header["type"]
        # the first frame of a view says what shape it has
        if kind == "frame" and "kind" not in header and len(self._waiting) > FRAMES:
            return
        if kind == "state" and self._waiting and self._waiting[-1][0] == "state":
            self._waiting.pop()
        self._waiting.append((kind, message))
        self._some.set()

    async def get(self) -> bytes:
        """Return the next message, once there is one."""
        while not self._waiting:
            self._some.clear()
            await self._some.wait()
        return self._waiting.popleft()[1]


class Pages:
    """The open pages, each with the messages that wait for it."""

    def __init__(self) -> None:
        self._open: set[Mailbox] = set()

    def tell(self, header: dict[str, Any], body: bytes) -> None:
        """Tell all pages."""
        if self._open:
            message = packed(header, body)
            for page in self._open:
                page.put(header, message)

    async def listen(self, first: bytes) -> AsyncIterator[bytes]:
        """Yield the messages for a new page, beginning with the first."""
        page = Mailbox()
        self._open.add(page)
        try:
            yield first
            while True:
                yield await page.get()
        finally:
            self._open.discard(page)


def actions(session: Session) -> dict[str, tuple[tuple[str, ...], Callable[..., Any]]]:
    """Return what a page may ask for: the names of the arguments, and what is done."""
    return {
        "change": (("settings",), lambda settings: session.change(_mapping(settings))),
        "fit": ((), session.fit),
        "go_on": ((), session.go_on),
        "stop": ((), session.stop),
        "move": (("point", "place", "last"), session.move),
        "free": (("point",), session.free),
        "drop_point": (("point",), session.drop_point),
        "restore_point": (("point",), session.restore_point),
        "drop_pair": (("point", "other"), session.drop_pair),
        "restore_pair": (("point", "other"), session.restore_pair),
        "show": (("map",), session.show),
        "choose": (("name",), session.questions.choose),
        "study": ((), session.questions.study),
        "judge": ((), session.questions.judge),
        "read_as": (
            ("how", "refused"),
            lambda how, refused: session.again(_how(how), refused is True),
        ),
        "forget": ((), session.forget),
        "example": ((), lambda: session.open("cities.csv", example(), {})),
    }


def _mapping(given: Any) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise Refused("settings are names and values")
    return given


def _how(chosen: Any) -> dict[str, str]:
    found = arguments(chosen)
    if found is None:
        raise Refused("a file is not read like that")
    return found


def example() -> bytes:
    """Return a table to begin with: great-circle distances between cities."""
    from unimds.datasets import great_circle, load_cities

    cities = load_cities()
    rows = [[f"{value:.0f}" for value in row] for row in great_circle(cities.latlon)]
    lines = [",".join(["", *cities.names])]
    lines += [",".join([name, *row]) for name, row in zip(cities.names, rows, strict=True)]
    return "\n".join([*lines, ""]).encode()


class Studio:
    """What answers the requests that `unimds.studio.security.Guard` lets through.

    `first` is a file that is open from the beginning: its name and content. `worker` makes what
    fits the maps.
    """

    session: Session

    def __init__(self, first: tuple[str, bytes] | None = None, worker: Any = Worker):
        self._first, self._pages, self._worker = first, Pages(), worker
        page = files("unimds.studio").joinpath("page")
        self._static = {path.name: path.read_bytes() for path in page.iterdir() if path.is_file()}

    @asynccontextmanager
    async def lifespan(self, app: Any) -> AsyncIterator[None]:
        """Have a session and its worker while the server runs."""
        self.session = Session(self._worker, self._pages.tell)
        if self._first is not None:
            name, data = self._first
            self.session.open(safe_name(name), data, {})
        yield
        self.session.close()

    def application(self) -> Starlette:
        """Return what answers, without a guard."""
        routes = [
            Route("/", self.page),
            Route("/page/{name}", self.page),
            Route("/api/events", self.events),
            Route(FILE, self.file, methods=["PUT"]),
            Route("/api/do", self.do, methods=["POST"]),
            Route("/api/names", self.names),
            Route("/api/judged/{number:count}", self.judged),
            Route("/api/point/{number:count}", self.point),
            Route("/api/stability", self.stability),
            Route("/api/compare/{one:count}/{other:count}", self.compare),
            Route("/api/recipe", self.recipe),
            Route("/api/export/{kind}", self.export),
        ]
        handlers: Any = {ValueError: _refused, TooLarge: _too_large, Exception: _failed}
        app = Starlette(routes=routes, lifespan=self.lifespan, exception_handlers=handlers)
        app.router.redirect_slashes = False
        return app

    async def page(self, request: Request) -> Response:
        """Serve a file of the page, which has no secrets."""
        name = request.path_params.get("name", "index.html")
        if name not in self._static:
            return PlainTextResponse("there is no such file", 404)
        return Response(self._static[name], media_type=TYPES[PurePath(name).suffix])

    async def events(self, request: Request) -> Response:
        """Tell a page all that happens, from now on."""
        session = self.session
        readings = [reading._asdict() for reading in READINGS]
        start = packed({**session.state(), "help": help_told(), "readings": readings}, b"")
        for told, shown in [] if session.work is None else session.work.pictures():
            start += packed(told, shown)
        kind = "application/octet-stream"
        return StreamingResponse(self._pages.listen(start), media_type=kind)

    async def file(self, request: Request) -> Response:
        """Take a file; its name is only a name."""
        name = safe_name(request.query_params.get("name", ""))
        data = await request.body()
        if not data:
            raise Refused("the file is empty")
        await self.session.open(name, data, {})
        return JSONResponse({"name": name})

    async def do(self, request: Request) -> Response:
        """Do what the page asks for, by name, if the arguments are those that it has."""
        try:
            asked = json.loads(await request.body())
        except (ValueError, RecursionError):
            raise Refused("this is no JSON") from None
        known = actions(self.session)
        if not isinstance(asked, dict) or asked.get("action") not in list(known):
            raise Refused("there is no such action")
        names, call = known[asked.pop("action")]
        if set(asked) != set(names):
            raise Refused(f"give {', '.join(names) or 'nothing'}")
        call(*(asked[name] for name in names))
        return JSONResponse({})

    async def names(self, request: Request) -> Response:
        """Tell the names of the points, and the columns to colour by."""
        source = self.session.opened().source
        return JSONResponse({"names": source.names, "columns": columns_of(source.table)})

    async def judged(self, request: Request) -> Response:
        """Tell how well a map fits."""
        found = self.session.opened().found(request.path_params["number"]).judged
        if found is None:
            raise Refused("nobody has looked yet how well this map fits")
        return JSONResponse(found)

    async def point(self, request: Request) -> Response:
        """Tell all pairs of a point."""
        found = self.session.questions.partners(request.path_params["number"])
        return JSONResponse(await asyncio.to_thread(found))

    async def stability(self, request: Request) -> Response:
        """Tell where else the points could be."""
        work = self.session.opened()
        found = None if work.current is None else work.shelf[work.current].stability
        return JSONResponse(found or {})

    async def compare(self, request: Request) -> Response:
        """Tell how two maps differ."""
        one, other = request.path_params["one"], request.path_params["other"]
        found = self.session.questions.compare(one, other)
        return JSONResponse(await asyncio.to_thread(found))

    async def recipe(self, request: Request) -> Response:
        """Tell the lines that make the map, and the names of the files that they read."""
        found = self.session.questions.recipe()
        needs = [self.session.opened().source.name, *found.files]
        return JSONResponse({"python": found.python, "shell": found.shell, "needs": needs})

    async def export(self, request: Request) -> Response:
        """Give a file of the map."""
        questions, kind = self.session.questions, request.path_params["kind"]
        source = self.session.opened().source
        if kind in LINES:
            found = questions.recipe()
            ending, media = LINES[kind]
            data = archive(source, found) if kind == "archive" else found.python.encode()
        else:
            data = await questions.export(kind, request.query_params.get("color"))
            ending, media, _ = KINDS[kind]
        name = f"{PurePath(source.name).stem}-{ending}"
        how = {"content-disposition": f"attachment; filename*=UTF-8''{quote(name)}"}
        return Response(data, media_type=media, headers=how)


LINES = {
    "archive": ("map.zip", "application/zip"),
    "python": (SCRIPT, "text/x-python; charset=utf-8"),
}
"""The files of the lines that make a map: how each ends, and its type."""


async def _too_large(request: Request, error: Exception) -> Response:
    return PlainTextResponse(str(error), 413)


async def _refused(request: Request, error: Exception) -> Response:
    return PlainTextResponse(str(error), 400)


async def _failed(request: Request, error: Exception) -> Response:
    # the server closes the connection after an error: a page must not ask on it again
    told = f"the studio has failed: {type(error).__name__}"
    return PlainTextResponse(told, 500, {"connection": "close"})


def columns_of(table: Any) -> dict[str, Any]:
    """Return the columns to colour by: numbers, None where there is none, or words."""
    return {
        name: column
        if isinstance(column, list)
        else [x if math.isfinite(x) else None for x in column.tolist()]
        for name, column in table.columns.items()
    }


def bound(port: int) -> socket.socket:
    """Return a socket on this machine only; port 0 is any that is free."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if sys.platform != "win32":  # there it would let another program take the port
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((HOST, port))
    except OSError as error:
        found.close()
        raise OSError(
            f"port {port} cannot be used ({error.strerror}); choose another, or 0 for any"
        ) from None
    return found


def serve(first: tuple[str, bytes] | None, port: int, opened: Callable[[str], None]) -> None:
    """Serve the studio until ^C.

    Parameters
    ----------
    first : tuple of str and bytes, or None
        Name and content of the file to begin with.
    port : int
        Where to listen; 0 for any free port.
    opened : callable
        Gets the address once it answers.
    """
    place = bound(port)
    port = place.getsockname()[1]
    token = new_token()
    how: dict[str, Any] = {"log_level": "critical", "access_log": False, "ws": "none"}
    how |= {"proxy_headers": False, "server_header": False, "timeout_graceful_shutdown": 1}
    config = uvicorn.Config(Guard(Studio(first).application(), token, port), **how)
    server = uvicorn.Server(config)

    async def run() -> None:
        task = asyncio.create_task(server.serve(sockets=[place]))
        while not server.started and not task.done():
            await asyncio.sleep(0.02)
        if server.started:
            opened(f"http://{HOST}:{port}/#{token}")
        await task

    with suppress(KeyboardInterrupt):
        asyncio.run(run())
    place.close()
