"""What the commands tell a person: messages on standard error, never a traceback for a mistake."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer


def say(message: str) -> None:
    """Tell something that is not a result."""
    print(message, file=sys.stderr, flush=True)


@contextmanager
def failures_told(interrupted: str) -> Iterator[None]:
    """Tell in one line what went wrong, and end with exit code 1."""
    try:
        yield
    except KeyboardInterrupt:
        say(f"\n{interrupted}")
        raise typer.Exit(1) from None
    except (ValueError, OSError, ImportError) as error:
        say(f"error: {error}")
        raise typer.Exit(1) from None
