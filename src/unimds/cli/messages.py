"""Messages of the commands on standard error; a traceback only with --debug."""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import UnsupportedOperation
from math import isfinite
from typing import Any, NoReturn

import typer

from unimds._runtime.watch import warn
from unimds.cli.interrupts import interrupts

INTERRUPTED = 128 + signal.SIGINT
"""The exit code after ^C, as in shells; 1 means a failed run and 2 wrong usage."""

EXPECTED = (ValueError, OSError, ImportError, MemoryError)
"""Errors that are not bugs."""


def say(message: str) -> None:
    """Print a message; the run continues if it cannot be printed."""
    with suppress(OSError):
        print(message, file=sys.stderr, flush=True)


def caution(message: str) -> None:
    """Warn of something; `errors_told` prints it, and keeps it for JSON."""
    warn(message, UserWarning)


def give_up_output() -> None:
    """Stop Python from trying again, at exit, to write to a broken standard output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def usage(option: str | None = None) -> Iterator[None]:
    """Report a ValueError as wrong usage of an option, unless it is about a file."""
    from unimds.files.errors import FileError

    try:
        yield
    except FileError:
        raise
    except ValueError as error:
        raise typer.BadParameter(in_words(error), param_hint=option) from None


@contextmanager
def rows_named(labels: Sequence[str] | None) -> Iterator[None]:
    """Name the rows that a warning is about by their labels."""
    from unimds.distances.metric import RowsWarning

    show = warnings.showwarning

    def named(message: Warning | str, *rest: Any, **more: Any) -> None:
        if isinstance(message, RowsWarning):
            message = UserWarning(message.named(labels))
        show(message, *rest, **more)

    warnings.showwarning = named
    try:
        yield
    finally:
        warnings.showwarning = show


def in_words(error: Exception) -> str:
    """Return what went wrong, in one line, with options in place of Python's arguments."""
    from unimds.files.errors import FileError, as_option

    if isinstance(error, UnsupportedOperation):  # see `unimds.cli._open_streams`
        return "standard output is closed, and the result goes there"
    told = error.told(as_option) if isinstance(error, FileError) else str(error)
    return " ".join(told.split()) or type(error).__name__


def print_json(found: Mapping[str, Any]) -> None:
    """Print the result as one JSON object, with null for NaN and infinity."""
    print(json.dumps(_plain(found), ensure_ascii=False, allow_nan=False), flush=True)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float):
        return float(value) if isfinite(value) else None
    return value


@contextmanager
def errors_told(
    interrupted: str | Callable[[], str],
    debug: bool = False,
    quiet: bool = False,
    as_json: bool = False,
) -> Iterator[list[str]]:
    """Report an error in one line, and exit with its code; yield the warnings, as they come.

    Parameters
    ----------
    interrupted : str or callable
        What to say after ^C, or what returns it then.
    debug, quiet : bool
        Whether to show the traceback, and whether to hide warnings.
    as_json : bool
        Whether to print the error as a JSON object too.
    """
    try:
        with warnings_told(quiet) as warned, interrupts.recalled():
            yield warned
    except (typer.Exit, typer.BadParameter):
        raise
    except KeyboardInterrupt:
        told = interrupted if isinstance(interrupted, str) else interrupted()
        say(f"\n{told}")
        end_with(told, INTERRUPTED, as_json)
    except BrokenPipeError:  # the reader of our output has closed it
        give_up_output()
        raise typer.Exit(1) from None
    except EXPECTED as error:
        _fail(in_words(error), debug, as_json)
    except Exception as error:
        name = type(error).__name__
        _fail(f"unexpected {name}: {error}; --debug shows where, for a bug report", debug, as_json)


def end_with(problem: str, code: int, as_json: bool) -> NoReturn:
    """Exit with a code; with --json, print the problem first."""
    if as_json:
        with suppress(OSError):
            print_json({"error": problem, "exit_code": code})
    raise typer.Exit(code) from None


def _fail(message: str, debug: bool, as_json: bool) -> NoReturn:
    if debug:
        traceback.print_exc()
    say(f"error: {message}")
    end_with(message, 1, as_json)


@contextmanager
def warnings_told(quiet: bool) -> Iterator[list[str]]:
    """Yield the warnings; print each once without the line of code, or none if quiet."""
    from unimds.files.errors import FileWarning, as_option
    from unimds.files.meaning.similarities import SimilarityWarning
    from unimds.files.meaning.squares import AdjacencyWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind in (UserWarning, RuntimeWarning):
            warnings.simplefilter("always", kind)
        for kind in (SimilarityWarning, AdjacencyWarning):  # whatever reads a file asks first
            warnings.simplefilter("ignore", kind)
        told: list[str] = []

        def tell(message: Warning | str, *_: Any, **__: Any) -> None:
            text = message.told(as_option) if isinstance(message, FileWarning) else str(message)
            if text not in told:
                told.append(text)
                if not quiet:
                    say(f"warning: {text}")

        warnings.showwarning = tell
        yield told
