"""Public names and their parameters are those of the snapshot: none is lost by accident.

docs/stability.md says what may change and how. After a change that is meant to be, write the
snapshot anew: ``python tests/test_public_names.py``.
"""

from __future__ import annotations

import inspect
import re
from enum import Enum
from importlib import import_module
from pathlib import Path

SNAPSHOT = Path(__file__).with_name("public_names.txt")
REFERENCE = Path(__file__).resolve().parent.parent / "docs" / "api.md"


def listed() -> list[tuple[str, str]]:
    """Return the module and the name of everything that the reference lists."""
    found, module = set(), ""
    pattern = r"^(?:\.\. (?:current)?module:: (\S+)|(?:   |\.\. data:: )(\w+))$"
    for line in re.finditer(pattern, REFERENCE.read_text(encoding="utf-8"), re.M):
        module = line[1] or module
        if line[2]:
            found.add((module, line[2]))
    return sorted(found)


def parameters(value: object) -> str:
    """Return the names of the parameters; those after ``*`` go by name only."""
    names: list[str] = []
    for parameter in inspect.signature(value).parameters.values():  # type: ignore[arg-type]
        by_name = parameter.kind is parameter.KEYWORD_ONLY
        if by_name and not any(name.startswith("*") for name in names):
            names.append("*")
        names.append(str(parameter.replace(annotation=parameter.empty, default=parameter.empty)))
    return f"({', '.join(names)})"


def described(module: str, name: str) -> str:
    value = getattr(import_module(module), name)
    called = inspect.isfunction(value) or (
        inspect.isclass(value) and not issubclass(value, (Exception, Enum))
    )
    return f"{module}.{name}{parameters(value) if called else ''}"


def names() -> list[str]:
    return [described(module, name) for module, name in listed()]


def test_public_names_are_those_of_the_snapshot() -> None:
    assert names() == SNAPSHOT.read_text(encoding="utf-8").splitlines()


def test_a_parameter_that_goes_or_moves_is_noticed() -> None:
    def before(a, b=1, *, c=2): ...
    def after(a, *, b=1, c=2): ...

    assert parameters(before) == "(a, b, *, c)" != parameters(after)
    assert parameters(lambda *args, key, **more: 0) == "(*args, key, **more)"


if __name__ == "__main__":
    SNAPSHOT.write_text("\n".join(names()) + "\n", encoding="utf-8")
