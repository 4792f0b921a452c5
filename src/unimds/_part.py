"""Compiled values: losses and spaces that Numba inlines into the solver.

A `Part` is a frozen dataclass whose fields are floats and whose methods are plain Python. It
crosses into compiled code as a struct of its fields. Its Numba type is a plain string,
``kind:name(fields)#digest``, where the digest covers all code that the methods reach. So a cached
kernel is found again by the next process, is compiled anew once the code of the part has changed,
and never has to import the class that made it: a part may live in a script, a notebook or
``__main__``.

This is the only file that touches Numba's internals.
"""

from __future__ import annotations

import hashlib
import inspect
import re
import threading
import types as python_types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import cache, lru_cache
from numbers import Real
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numba import config, njit, typeof
from numba.core import cgutils, errors, types
from numba.core.dispatcher import Dispatcher
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    overload,
    overload_method,
    register_model,
    typeof_impl,
    unbox,
)

# error_model="numpy": with Python's, every division is checked and no loop vectorises.
# The flags leave out "nnan" and "ninf": a missing distance is a NaN and must stay one.
JIT: dict[str, Any] = {
    "error_model": "numpy",
    "fastmath": {"reassoc", "contract", "arcp", "nsz"},
}


def kernel(function: Callable) -> Any:
    """Compile a function that takes parts: once, cached on disk, free of the GIL."""
    try:
        return njit(cache=True, nogil=True, **JIT)(function)
    except RuntimeError:  # no folder for the cache can be written, as in a read-only container
        return njit(nogil=True, **JIT)(function)


def single_precision(function: Callable) -> Callable:
    """Return the function with its constants in single precision.

    To Numba ``0.5`` is a double, and one of them makes doubles of a whole expression.
    """
    code = function.__code__
    constants = tuple(np.float32(c) if type(c) is float else c for c in code.co_consts)
    return python_types.FunctionType(
        code.replace(co_consts=constants),
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )


def compiled_as(double: Callable, single: Callable) -> Callable[[Callable], Callable]:
    """Let compiled code use `double` or `single`, by the type of its first argument.

    Both are compiled as they are written: nothing is reordered.
    """

    def decorate(function: Callable) -> Callable:
        arguments = ", ".join(_arguments(function))
        choose = {"single": single_precision(single), "double": double, "float32": types.float32}
        first = _arguments(function)[0]
        pick = eval(f"lambda {arguments}: single if {first} == float32 else double", choose)
        options = {"error_model": "numpy", "fastmath": {"contract", "nsz"}, "forceinline": True}
        overload(function, jit_options=options)(pick)
        function.__dict__["compiled"] = (double, single)
        return function

    return decorate


def inlined(function: Callable) -> Any:
    """Compile a function that becomes a part of the loops that call it."""
    return njit(forceinline=True, **JIT)(function)


class PartError(TypeError):
    """A loss or a space that cannot be compiled; the message names class, method and mistake."""


class Part:
    """Base of `unimds.losses.Loss` and `unimds.spaces.Space`."""

    _kind: type[PartType]
    _compiled: tuple[str, ...]  # the methods that kernels call
    _part_type: ClassVar[PartType]

    def _concrete(self) -> Part:
        """Return the part with any number in place of "auto"."""
        raise NotImplementedError

    def _signatures(self) -> list[tuple[str, tuple[Any, ...]]]:
        """Methods to compile one by one where a kernel fails, with arguments of the right type."""
        raise NotImplementedError


class Single:
    """A part as single-precision kernels take it: its fields and constants are rounded to that."""

    def __init__(self, part: Part):
        self.part = part
        self.numba_type: PartType | None = None  # asked for at every call of a kernel


@lru_cache(maxsize=64)
def _single(part: Part) -> Single:
    return Single(part)


def in_precision(part: Part, dtype: Any) -> Any:
    """Return a part for kernels that compute in `dtype`."""
    if dtype != np.float32 or getattr(config, "DISABLE_JIT", 0):
        return part
    try:
        return _single(part)
    except TypeError:  # a field that is no number has no hash either; typing says it better
        return Single(part)


class PartType(types.Type):
    """Numba's name for a part: no class inside, so that it can be unpickled anywhere."""

    def __init__(self, name: str, digest: str, params: tuple[str, ...], single: bool = False):
        self.digest, self.params, self.single = digest, params, single
        kind = type(self).__name__ + ("32" if single else "")
        super().__init__(f"{kind}:{name}({', '.join(params)})#{digest}")

    @property
    def number(self) -> types.Type:
        """The type of the fields."""
        return types.float32 if self.single else types.float64


class LossType(PartType):
    """The type of losses."""


class SpaceType(PartType):
    """The type of spaces."""


_LOCK = threading.RLock()  # fits may run on threads
_CLASSES: dict[str, type[Part]] = {}  # digest -> class, in this process


# --- the digest: everything that can change what the methods compute --------------------------


def digest(cls: type[Part]) -> str:
    """Hash of all code and constants that the compiled methods of `cls` reach."""
    code = _Code()
    code.add_text(f"{cls.__module__}.{cls.__qualname__}")
    for name, method in _methods(cls).items():
        code.add_text(name)
        code.add_function(method)
    return code.hash.hexdigest()[:16]


def _methods(cls: type[Part]) -> dict[str, Callable]:
    """Return the methods that kernels call, and the methods that those call, by name."""
    found: dict[str, Callable] = {}
    todo = list(cls._compiled)
    while todo:
        name = todo.pop()
        method = getattr(cls, name, None)
        if name not in found and inspect.isfunction(method):
            found[name] = method
            todo += _names(method.__code__)
    return dict(sorted(found.items()))


class _Code:
    """Feeds functions, and what they refer to, into one hash."""

    def __init__(self) -> None:
        self.hash = hashlib.sha256()
        self.seen: set[int] = set()

    def add_text(self, text: str) -> None:
        self.hash.update(text.encode() + b"\0")

    def add_function(self, function: Callable) -> None:
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

    def _add_code(self, code: python_types.CodeType) -> None:
        self.hash.update(code.co_code)
        self.add_text(repr((code.co_names, code.co_varnames, code.co_freevars)))
        for const in code.co_consts:
            if isinstance(const, python_types.CodeType):
                self._add_code(const)
            else:
                self.add_text(repr(const))

    def _add_value(self, name: str, value: object, user: Callable) -> None:
        """Add what a global or a closure variable stands for."""
        self.add_text(name)
        if isinstance(value, np.ndarray | np.generic):
            self.add_text(f"{value.dtype}{value.shape}")
            self.hash.update(value.tobytes())
        elif isinstance(value, python_types.ModuleType):
            self._add_module(value, user)
        elif _foreign(value):
            pass  # part of numpy, math, numba: their versions are in Numba's own key
        elif inspect.isfunction(value) or isinstance(value, Dispatcher):
            self.add_function(value)
        elif isinstance(value, (bool, int, float, complex, str, bytes, tuple, type(None))):
            self.add_text(repr(value))
        else:  # we do not know what it holds: any edit of its file or of the user's counts
            home = inspect.getmodule(value) or inspect.getmodule(type(value))
            for file in (user.__code__.co_filename, getattr(home, "__file__", None) or ""):
                path = Path(file)
                self.hash.update(path.read_bytes() if path.is_file() else repr(value).encode())

    def _add_module(self, module: python_types.ModuleType, user: Callable) -> None:
        key = id(module) ^ hash(user)  # each method reads its own constants of a module
        if not _foreign(module) and key not in self.seen:
            self.seen.add(key)
            for name in _names(user.__code__):
                if hasattr(module, name):
                    self._add_value(name, getattr(module, name), user)


_FOREIGN = {"numpy", "math", "numba", "builtins", "cmath", "scipy", "functools", "dataclasses"}


def _foreign(value: object) -> bool:
    name = getattr(value, "__module__", None) or getattr(value, "__name__", "")
    return isinstance(name, str) and name.partition(".")[0] in _FOREIGN


def _names(code: python_types.CodeType) -> list[str]:
    nested = [c for c in code.co_consts if isinstance(c, python_types.CodeType)]
    return sorted({*code.co_names, *(name for c in nested for name in _names(c))})


# --- the Numba type ---------------------------------------------------------------------------


@typeof_impl.register(Part)
def _typeof(part: Part, _context: object) -> PartType:
    cls = type(part)
    _check_fields(part)
    known = cls.__dict__.get("_part_type")
    if known is None or known.digest not in _CLASSES:
        with _LOCK:
            check_part_class(cls)
            known = cls._kind(cls.__qualname__, digest(cls), tuple(f.name for f in fields(cls)))
            _register_methods(cls)
            _CLASSES[known.digest] = cls
            cls._part_type = known
    return known


@typeof_impl.register(Single)
def _typeof_single(single: Single, context: object) -> PartType:
    if single.numba_type is None:
        name = type(single.part).__qualname__
        single.numba_type = _rounded(_typeof(single.part, context), name)
    return single.numba_type


@cache
def _rounded(double: PartType, name: str) -> PartType:
    return type(double)(name, double.digest, double.params, True)


def check_part_class(cls: type[Part]) -> None:
    """Raise `PartError` unless `cls` is a frozen dataclass with every method it must have."""
    params = cls.__dict__.get("__dataclass_params__")  # the class's own, not its base's
    if params is None or not params.frozen:
        raise PartError(f"{cls.__name__} must be a frozen dataclass: write @dataclass(frozen=True)")
    missing = sorted(getattr(cls, "__abstractmethods__", ()))
    if missing:
        raise PartError(f"{cls.__name__} must define {' and '.join(f'{m}()' for m in missing)}")
    contract = next(base for base in reversed(cls.__mro__) if "_compiled" in vars(base))
    for name in cls._compiled:
        if isinstance(getattr(cls, name), Dispatcher):
            raise PartError(f"{cls.__name__}.{name}() must be plain Python: leave out its @njit")
        have, need = _arguments(getattr(cls, name)), _arguments(getattr(contract, name))
        if len(have) != len(need):
            raise PartError(
                f"{cls.__name__}.{name}() has {len(have)} arguments, but is called with "
                f"{len(need)}: {name}({', '.join(need)})"
            )


def _arguments(method: Callable) -> tuple[str, ...]:
    return method.__code__.co_varnames[: method.__code__.co_argcount]


def _check_fields(part: Part) -> None:
    """Raise `PartError` where a field is not a number."""
    for field in fields(part):
        value = getattr(part, field.name)
        if not isinstance(value, Real):
            remedy = "give it a number"
            if isinstance(value, str) and value == "auto":
                remedy = 'only a fit can replace "auto"; use what it found (loss_ or space_)'
            raise PartError(
                f"{type(part).__name__}.{field.name} is {value!r}, but compiled code takes "
                f"numbers only: {remedy}"
            )


@infer_getattr
class _Fields(AttributeTemplate):
    key = PartType

    def generic_resolve(self, typ, name):  # type: ignore[override]
        if name in typ.params:
            return typ.number
        method = getattr(_CLASSES[typ.digest], name, None)
        if not inspect.isfunction(method):
            return None
        return self.context.resolve_getattr(typ, _typed_name(name, len(_arguments(method))))


@lower_getattr_generic(PartType)
def _read_field(context, builder, typ, value, name):
    return getattr(cgutils.create_struct_proxy(typ)(context, builder, value=value), name)


def _register_kind(kind):
    @register_model(kind)
    class Model(models.StructModel):
        def __init__(self, dmm, typ):
            super().__init__(dmm, typ, [(p, typ.number) for p in typ.params])

    @unbox(kind)
    def _unbox(typ, obj, c):
        struct = cgutils.create_struct_proxy(typ)(c.context, c.builder)
        part = c.pyapi.object_getattr_string(obj, "part") if typ.single else obj
        for name in typ.params:
            item = c.pyapi.object_getattr_string(part, name)
            double = c.unbox(types.float64, item).value
            setattr(struct, name, c.context.cast(c.builder, double, types.float64, typ.number))
            c.pyapi.decref(item)
        if typ.single:
            c.pyapi.decref(part)
        failed = cgutils.is_not_null(c.builder, c.pyapi.err_occurred())
        return NativeValue(struct._getvalue(), is_error=failed)


for _kind in (LossType, SpaceType):
    _register_kind(_kind)


def _register_methods(cls: type[Part]) -> None:
    """Let compiled code call the methods of `cls`, a person's own helpers included."""
    for name, method in _methods(cls).items():
        _register_method(cls._kind, name, len(_arguments(method)))


def _typed_name(name: str, arity: int) -> str:
    """Name under which Numba knows a method: classes may have helpers of one name, not alike."""
    return f"{name}/{arity}"


@cache
def _register_method(kind: type[PartType], name: str, arity: int) -> None:
    def find(typ: PartType) -> Callable | None:
        method = getattr(_CLASSES[typ.digest], name, None)
        return single_precision(method) if method is not None and typ.single else method

    # Numba reads the number of arguments off the signature, so it has to be written out;
    # strict=False lets a person's method call them as it likes.
    args = ", ".join(f"a{i}" for i in range(arity))
    method = eval(f"lambda {args}: find(a0)", {"find": find})
    options = {**JIT, "forceinline": True}  # one call in a loop, and it would not vectorise
    register = overload_method(kind, _typed_name(name, arity), strict=False, jit_options=options)  # type: ignore[call-arg]
    register(method)


# --- errors a person can read -----------------------------------------------------------------


@contextmanager
def explained(*parts: Part) -> Iterator[None]:
    """Turn a page of compiler output into a sentence about the part that caused it."""
    try:
        yield
    except PartError:
        raise
    except (errors.NumbaError, TypeError) as error:
        if isinstance(error, TypeError) and "got None" not in str(error):
            raise  # only a method that sometimes returns None ends like this
        for part in parts:
            for name, args in part._signatures():
                _compile_alone(part._concrete(), name, args)
        raise error


def _compile_alone(part: Part, name: str, args: tuple) -> None:
    method = getattr(type(part), name)
    where = f"{type(part).__name__}.{name}()"
    alone = njit(**JIT)(method)
    try:
        alone.compile((typeof(part), *(typeof(a) for a in args)))
    except errors.NumbaError as error:
        raise PartError(f"{where} cannot be compiled: {_mistake(str(error))}") from None
    (compiled,) = alone.overloads.values()
    returned = compiled.signature.return_type
    if all(np.isscalar(a) for a in args) and not isinstance(
        returned, types.Integer | types.Float | types.Boolean
    ):
        raise PartError(f"{where} must return a number on every path, but its type is {returned}")


def _mistake(report: str) -> str:
    """Pick what is wrong, and where, out of Numba's report."""
    report = re.sub(r"(?:Loss|Space)Type(?:32)?:([\w.<>]+)\(.*?\)#\w+", r"\1", report)
    lines = [line.strip() for line in report.splitlines()]
    # what Numba met first stands deepest, below its account of the callers
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
