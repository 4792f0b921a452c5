"""Write tests/public_names.txt: every public name with its parameters, as users may rely on them.

Run it when a public name is meant to change: ``python tools/public_names.py``.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "api.md"
TARGET = ROOT / "tests" / "public_names.txt"
ENTRY = re.compile(r"^\.\. (?:current)?module:: (\S+)|^(?:   |\.\. data:: )(\w+)$", re.MULTILINE)


def reference() -> dict[str, set[str]]:
    """Return the public modules, each with the names that the reference lists of it."""
    found: dict[str, set[str]] = {}
    module = ""
    for opened, name in ENTRY.findall(REFERENCE.read_text(encoding="utf-8")):
        module = opened or module
        found.setdefault(module, set()).update({name} - {""})
    return found


def parameters(function: Any) -> str:
    """Return the signature of a function, without the types: they may become wider."""
    signature = inspect.signature(function)
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    text = str(signature.replace(parameters=bare, return_annotation=signature.empty))
    return re.sub(r" at 0x[0-9a-f]+", "", text)  # where a function that is a default lies


def members(kind: type) -> dict[str, Any]:
    """Return what a class and its own ancestors define, without what they inherit from others."""
    own = [base for base in reversed(kind.__mro__) if base.__module__.startswith("unimds")]
    return {name: value for base in own for name, value in vars(base).items()}


def described(name: str, thing: Any) -> Iterator[str]:
    """Yield a line for a name, and one for each public member of a class."""
    if not isinstance(thing, type):
        yield name + (parameters(thing) if callable(thing) else f": {type(thing).__name__}")
        return
    if issubclass(thing, Enum):
        yield f"{name}: {', '.join(thing.__members__)}"
        return
    found = members(thing)
    yield name + (parameters(thing) if {"__init__", "__new__"} & set(found) else "")
    for member, value in sorted(found.items()):
        function = getattr(value, "__func__", value)  # of a class method or a static one
        if member.startswith("_"):
            continue
        if isinstance(value, property):
            yield f"{name}.{member}"
        elif inspect.isfunction(function) and function.__module__.startswith("unimds"):
            yield f"{name}.{member}{parameters(function)}"


def snapshot() -> str:
    """Return all public names, a line each; a class that has two names is described under one."""
    lines: list[str] = []
    known: dict[type, str] = {}
    for module, listed in sorted(reference().items()):
        home = import_module(module)
        for short in sorted(listed | set(getattr(home, "__all__", ()))):
            name, thing = f"{module}.{short}", getattr(home, short)
            if isinstance(thing, type) and known.setdefault(thing, name) != name:
                lines.append(f"{name} is {known[thing]}")
            else:
                lines += described(name, thing)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    TARGET.write_text(snapshot(), encoding="utf-8")
