"""Explanations: from a page of compiler output to one sentence about a user's loss or space."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numba import njit, typeof
from numba.core import errors, types

from unimds.compiled.parts import JIT, Call, Part, PartError, in_precision, single_precision


@contextmanager
def explained(*parts: Part) -> Iterator[None]:
    """Turn Numba's errors into a `PartError` about the part that caused them."""
    try:
        yield
    except PartError:
        raise
    except (errors.NumbaError, TypeError) as error:
        if isinstance(error, TypeError) and "got None" not in str(error):
            raise  # Numba raises a TypeError only for a method that sometimes returns None
        for dtype in (np.float64, np.float32):
            for part in parts:
                for name, call in part._compiled.items():
                    _compile_alone(part._concrete(), name, call, dtype)
        raise error


def _compile_alone(part: Part, name: str, call: Call, dtype: type[np.floating]) -> None:
    where, method = f"{type(part).__name__}.{name}()", getattr(type(part), name)
    alone = njit(**JIT)(single_precision(method) if dtype == np.float32 else method)
    args = [a if isinstance(a, int) else np.asarray(a, dtype)[()] for a in call.args]
    try:
        alone.compile((typeof(in_precision(part, dtype)), *map(typeof, args)))
    except errors.NumbaError as error:
        raise PartError(f"{where} cannot be compiled: {_mistake(str(error))}") from None
    (compiled,) = alone.overloads.values()
    found = compiled.signature.return_type
    returned = getattr(found, "types", (found,))  # those of a tuple
    numbers = all(isinstance(r, types.Integer | types.Float | types.Boolean) for r in returned)
    if call.returns and not (numbers and len(returned) == call.returns):
        want = "a number" if call.returns == 1 else f"{call.returns} numbers"
        raise PartError(f"{where} must return {want} on every path, but its type is {found}")


def _mistake(report: str) -> str:
    """Find the mistake and its place in Numba's report."""
    report = re.sub(r"(?:Loss|Space)Type(?:32)?:([\w.<>]+)\(.*?\)#\w+", r"\1", report)
    lines = [line.strip() for line in report.splitlines()]
    # the first cause stands deepest, below the account of its callers
    causes = ("NameError:", "Unknown attribute", "Untyped global name", "TypingError: ")
    named = [line for line in lines if line.startswith(causes) and "Failed in nopython" not in line]
    calls = [f"no way to compute {line[4:]}" for line in lines if line.startswith(">>> ")]
    calls = [call for call in calls if "<lambda>" not in call]
    what = next(iter([*named, *calls, *lines[1:]]), "the reason is not known")
    helper = re.search(r"BoundFunction\(\(<class '[^']+'>, '(\w+)/\d+'\)", report)
    if helper:
        what = f"in its call of {helper[1]}(): {what}"
    if what.startswith("Untyped global name") and "function" in what:
        what += "; a function that a method calls needs Numba's @njit"
    place = next((line for line in lines if line.startswith("File ") and "<" not in line), "")
    return f"{what} ({place.rstrip(':')})" if place else what
