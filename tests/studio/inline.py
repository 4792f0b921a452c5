"""A worker on a thread, without a process: for the quick tests of sessions and of the server."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

from unimds.studio.session import Session
from unimds.studio.worker import Bench

CITIES = b""",Ulm,Bonn,Kiel,Trier,Jena,Celle
Ulm,0,305,650,290,280,460
Bonn,305,0,430,130,320,310
Kiel,650,430,0,550,400,190
Trier,290,130,550,0,380,420
Jena,280,320,400,380,0,230
Celle,460,310,190,420,230,0
"""


class Pipe:
    """The end of a pipe that the worker holds."""

    def __init__(self, heard: Callable[[tuple[Any, ...]], None]):
        self.send, self._waiting = heard, queue.SimpleQueue()

    def put(self, message: tuple[Any, ...]) -> None:
        self._waiting.put(message)

    def poll(self) -> bool:
        return not self._waiting.empty()

    def recv(self) -> tuple[Any, ...]:
        return self._waiting.get()


class Inline:
    """A worker that can be stopped, and that can seem to die."""

    def __init__(self, heard: Callable[[tuple[Any, ...]], None]):
        self._heard, self.pid, self.held = heard, 0, 0
        self.deaf = False  # whether messages are lost, as if the worker hung
        self._begun: list[tuple[Pipe, threading.Thread]] = []
        self.start()

    def start(self) -> None:
        self.pid += 1
        pid = self.pid
        pipe = Pipe(lambda message: self._heard(message) if self.pid == pid else None)
        self.pipe = pipe
        self._begun.append((pipe, threading.Thread(target=self._work, args=(pipe,), daemon=True)))
        self._begun[-1][1].start()

    def _work(self, pipe: Pipe) -> None:
        bench = Bench(pipe)
        pipe.send(("ready",))
        while True:
            message = bench.waiting.popleft() if bench.waiting else pipe.recv()
            if message[0] == "end":
                return
            if message[0] == "hold":
                self.held += 1
            bench.do(message)

    def send(self, *message: Any) -> None:
        if not self.deaf:
            self.pipe.put(message)

    def close(self) -> None:
        """End, and wait: else the thread might read its file in the folder of another test."""
        for pipe, thread in self._begun:
            pipe.put(("end",))
            thread.join(timeout=60.0)
            assert not thread.is_alive()

    def kill(self) -> None:
        self.pipe.put(("end",))
        self._heard(("died", self.pid, -9))


class Stage:
    """A session with all that it told."""

    def __init__(self) -> None:
        self.told: list[tuple[dict[str, Any], bytes]] = []
        self.session = Session(Inline, lambda header, body: self.told.append((header, body)))

    async def until(self, condition: Callable[[], Any], patience: float = 60.0) -> None:
        end = time.monotonic() + patience
        while not condition():
            assert time.monotonic() < end, self.session.state()
            await asyncio.sleep(0.002)

    async def rest(self) -> None:
        """Wait until nothing is running."""
        await self.until(lambda: self.session.state()["running"] is None)

    async def opened(self, data: bytes = CITIES, name: str = "cities.csv") -> Session:
        await self.session.open(name, data, {})
        await self.rest()
        return self.session


def play(scenario: Callable[[Stage], Awaitable[Any]]) -> Any:
    """Play a scenario on an event loop of its own."""

    async def whole() -> Any:
        stage = Stage()
        try:
            return await scenario(stage)
        finally:
            stage.session.close()

    return asyncio.run(whole())
