"""What the commands tell a person: messages on standard error, never a traceback for a mistake."""

from __future__ import annotations

import json
import os
import re
import sys
import traceback
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import UnsupportedOperation
from math import isfinite
from typing import Any, NoReturn

import typer

from unimds.cli import INTERRUPTED

EXPECTED = (ValueError, OSError, ImportError, MemoryError)
"""What goes wrong without a mistake of ours."""

OPTIONS = {
    "kind": "kind",
    "format": "format",
    "encoding": "encoding",
    "max_iter": "max-iter",
    "eps": "eps",
    "delta": "delta",
    "n_components": "dim",
}
ARGUMENT = re.compile(rf"\b({'|'.join(OPTIONS)})=(?:'([^']*)'|([\w+-]+(?:\.\w+)*))")
"""Arguments of the library in its messages, which are options here."""

PHRASES = {
    "n_components": "--dim",
    "metric='precomputed'": "--kind distances",
    "force=True": "--force",
    "raise max_bytes to read it": "from Python, max_bytes can be raised",
}
SIZE = re.compile(r"\b[A-Z]\w+\((radius|curvature|size)=\"(\w+)\"\)")

ENTRY = re.compile(r"\bD\[(\d+), (\d+)\]")


def say(message: str) -> None:
    """Tell something that is not a result; where nobody can be told, the run goes on."""
    with suppress(OSError):
        print(message, file=sys.stderr, flush=True)


def give_up_output() -> None:
    """Have Python not try again, at its end, to write what could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def as_options(message: str) -> str:
    """Return a message of the library in the words of the command line.

    Examples
    --------
    >>> as_options("for points, give kind='points'; or raise max_iter=2000.")
    'for points, give --kind points; or raise --max-iter 2000.'
    >>> as_options('use Sphere(radius="auto") with n_components=2')
    'use --radius auto with --dim 2'
    """
    named = ARGUMENT.sub(
        lambda found: f"--{OPTIONS[found[1]]} {found[2] or found[3]}",
        SIZE.sub(r"--\1 \2", message),
    )
    for words, here in PHRASES.items():
        named = named.replace(words, here)
    return named


@contextmanager
def entries_named(labels: Sequence[str] | None) -> Iterator[None]:
    """Name the entries of a table in errors by their labels, which people can find in a file."""
    try:
        yield
    except ValueError as error:
        if labels is None:
            raise
        names = labels
        raise ValueError(
            ENTRY.sub(lambda at: f"D[{names[int(at[1])]!r}, {names[int(at[2])]!r}]", str(error))
        ) from error


def in_words(error: Exception) -> str:
    """Return what went wrong, in a line."""
    if isinstance(error, UnsupportedOperation):  # see `unimds.cli._open_streams`
        return "standard output is closed, and the result goes there"
    return as_options(" ".join(str(error).split())) or type(error).__name__


def counted(n: int) -> str:
    """Return a number of points, for people."""
    return f"{n} point{'' if n == 1 else 's'}"


def print_json(found: Mapping[str, Any]) -> None:
    """Print the result for a machine: one JSON object, null for what is no number."""
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
def failures_told(interrupted: str, debug: bool = False, quiet: bool = False) -> Iterator[None]:
    """Tell in one line what went wrong, and end with the exit code for it."""
    try:
        with warnings_told(quiet):
            yield
    except (typer.Exit, typer.BadParameter):
        raise
    except KeyboardInterrupt:
        say(f"\n{interrupted}")
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:  # whoever read our output has had enough
        give_up_output()
        raise typer.Exit(1) from None
    except EXPECTED as error:
        _fail(in_words(error), debug)
    except Exception as error:
        name = type(error).__name__
        _fail(f"unexpected {name}: {error}; with --debug there is more to report", debug)


def _fail(message: str, debug: bool) -> NoReturn:
    if debug:
        traceback.print_exc()
    say(f"error: {message}")
    raise typer.Exit(1) from None


@contextmanager
def warnings_told(quiet: bool) -> Iterator[None]:
    """Tell warnings as messages, each once, without the line of code; or not at all."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind in () if quiet else (UserWarning, RuntimeWarning):
            warnings.simplefilter("always", kind)
        told: set[str] = set()

        def tell(message: Warning | str, *_: Any, **__: Any) -> None:
            if str(message) not in told:
                told.add(str(message))
                say(f"warning: {as_options(str(message))}")

        warnings.showwarning = tell
        yield
