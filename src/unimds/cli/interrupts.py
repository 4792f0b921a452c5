"""^C on the command line: the first ends the run, and none of them loses what has been found.

Python raises KeyboardInterrupt wherever it stands: in the middle of a write, in the code that winds
up an interrupted run, or in a callback from compiled code, where it is printed and forgotten.
"""

from __future__ import annotations

import _thread
import atexit
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, final

WAIT = b"\nPlease wait: the run is ending ...\n"
SOON = 0.01  # seconds until a forgotten interruption is raised again


@final
class Interrupts:
    """Each ^C is raised once, where it can be handled; the next one waits until it is heeded."""

    def __init__(self) -> None:
        self._heeded, self._waiting, self._told, self._lost = True, False, False, False

    @contextmanager
    def handled(self) -> Iterator[None]:
        """Handle ^C in this way meanwhile; a process that ignores ^C continues to ignore it."""
        if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            yield
            return
        signal.signal(signal.SIGINT, self._hit)
        forgotten, sys.unraisablehook = sys.unraisablehook, self._forgotten
        # a process that ends has nothing left to interrupt; a caller of `main` may go on
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            sys.unraisablehook = forgotten

    @contextmanager
    def recalled(self) -> Iterator[None]:
        """Raise an interruption that was forgotten, not the error that this has led to."""
        try:
            yield
        except Exception as error:  # such as Numba's, where code that it needs is missing
            if not self._lost:
                raise
            self._heeded = self._lost = False
            raise KeyboardInterrupt().with_traceback(error.__traceback__) from error

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let ^C wait meanwhile, and raise it afterwards."""
        self._heeded = False
        yield
        self.heed()

    def heed(self) -> None:
        """Raise an interruption that waits; from now on the next one is raised at once."""
        self._heeded = True
        if self._waiting:
            self._raise()

    def _hit(self, number: int, frame: FrameType | None) -> None:
        if self._heeded:
            self._raise()
        self._waiting = True
        if not self._told:
            self._told = True
            with suppress(OSError):  # not print, which may be at work at this moment
                os.write(2, WAIT)

    def _raise(self) -> None:
        self._heeded = self._waiting = self._lost = False
        raise KeyboardInterrupt

    def _forgotten(self, what: Any) -> None:
        """Raise an interruption again that met code which cannot pass on an exception."""
        if not issubclass(what.exc_type, KeyboardInterrupt):
            sys.__unraisablehook__(what)
            return
        self._heeded = self._lost = True
        again = threading.Timer(SOON, _thread.interrupt_main)  # not here: this cannot raise either
        again.daemon = True
        again.start()


interrupts = Interrupts()


def compiled_then(error: BaseException | None) -> bool:
    """Whether code was being compiled when an exception was raised."""
    trace = None if error is None else error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__", "").startswith("numba.core."):
            return True
        trace = trace.tb_next
    return False
