"""The digest of a part's code: it changes whenever compiled methods may compute otherwise."""

from __future__ import annotations

import hashlib
import inspect
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, final

import numpy as np
from numba.core.dispatcher import Dispatcher


def code_digest(cls: type[Any]) -> str:
    """Return a hash of all code and constants that the compiled methods of `cls` reach."""
    code = _Code()
    code.add_text(f"{cls.__module__}.{cls.__qualname__}")
    code.add_text(repr([*getattr(cls, "__dataclass_fields__", {})]))  # read by their place
    for name, method in methods(cls).items():
        code.add_text(name)
        code.add_function(method)
    return code.hash.hexdigest()[:16]


def methods(cls: type[Any]) -> dict[str, Callable[..., Any]]:
    """Return by name the methods that kernels call, and all methods that these call."""
    found: dict[str, Callable[..., Any]] = {}
    todo = list(cls._compiled)
    while todo:
        name = todo.pop()
        method = getattr(cls, name, None)
        if name not in found and inspect.isfunction(method):
            found[name] = method
            todo += _names(method.__code__)
    return dict(sorted(found.items()))


@final
class _Code:
    """Add functions, and all that they refer to, to one hash."""

    def __init__(self) -> None:
        self.hash = hashlib.sha256()
        self.seen: set[int] = set()

    def add_text(self, text: str) -> None:
        self.hash.update(text.encode() + b"\0")

    def add_function(self, function: Callable[..., Any]) -> None:
        function = getattr(function, "py_func", function)
        if id(function) in self.seen:
            return
        self.seen.add(id(function))
        for compiled in function.__dict__.get("compiled", ()):
            self.add_function(compiled)
        self._add_code(function.__code__)
        self.add_text(repr(function.__defaults__))
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        for name, cell in cells.items():
            self._add_value(name, cell.cell_contents, function)
        for name in _names(function.__code__):
            if name in function.__globals__:
                self._add_value(name, function.__globals__[name], function)

    def _add_code(self, code: types.CodeType) -> None:
        self.hash.update(code.co_code)
        self.add_text(repr((code.co_names, code.co_varnames, code.co_freevars)))
        for const in code.co_consts:
            if isinstance(const, types.CodeType):
                self._add_code(const)
            else:
                self.add_text(repr(const))

    def _add_value(self, name: str, value: object, user: Callable[..., Any]) -> None:
        """Add the value of a global or closure variable."""
        self.add_text(name)
        if isinstance(value, np.ndarray | np.generic):
            self.add_text(f"{value.dtype}{value.shape}")
            self.hash.update(value.tobytes())
        elif isinstance(value, types.ModuleType):
            self._add_module(value, user)
        elif _foreign(value):
            pass  # code of numpy, math, numba: Numba's own key has their versions
        elif inspect.isfunction(value) or isinstance(value, Dispatcher):
            self.add_function(value)
        elif isinstance(value, (bool, int, float, complex, str, bytes, tuple, type(None))):
            self.add_text(repr(value))
        else:  # unknown contents: any edit of its file, or of the file of its user, counts
            home = inspect.getmodule(value) or inspect.getmodule(type(value))
            for file in (user.__code__.co_filename, getattr(home, "__file__", None) or ""):
                path = Path(file)
                self.hash.update(path.read_bytes() if path.is_file() else repr(value).encode())

    def _add_module(self, module: types.ModuleType, user: Callable[..., Any]) -> None:
        key = id(module) ^ hash(user)  # each method reads other constants of a module
        if not _foreign(module) and key not in self.seen:
            self.seen.add(key)
            for name in _names(user.__code__):
                if hasattr(module, name):
                    self._add_value(name, getattr(module, name), user)


_FOREIGN = {"numpy", "math", "numba", "builtins", "cmath", "scipy", "functools", "dataclasses"}


def _foreign(value: object) -> bool:
    name = getattr(value, "__module__", None) or getattr(value, "__name__", "")
    return isinstance(name, str) and name.partition(".")[0] in _FOREIGN


def _names(code: types.CodeType) -> list[str]:
    nested = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return sorted({*code.co_names, *(name for c in nested for name in _names(c))})
