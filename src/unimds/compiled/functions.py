"""Functions behind one C signature: drivers call them by their address.

What depends on a loss or a space is a small function with a fixed signature (`ARGUMENTS`). What is
common to all of them, such as a sweep, is a *driver*: it calls the function at an address, so it is
compiled once and never again for another loss, space, precision or number of coordinates. A driver
takes numbers and addresses only.

Pointers are indexed without the checks of arrays, so loops over them compile in a tenth of a second
and vectorise.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from functools import lru_cache
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import carray, config, njit, types  # type: ignore[attr-defined]
from numba.core import cgutils
from numba.core.ccallback import CFunc
from numba.core.compiler_lock import global_compiler_lock
from numba.extending import intrinsic

from unimds.compiled.compilers import Apart, ApartShort, Driver, Loops, Stage
from unimds.compiled.parts import INLINED, JIT, Part, looked_up, part_type

__all__ = [
    "ARGUMENTS",
    "PLAIN",
    "Precision",
    "addressed",
    "align_stack",
    "beyond",
    "c_function",
    "call",
    "carray",
    "compiled_function",
    "doubles",
    "driver",
    "looping",
    "named_code",
    "once",
    "part_reader",
    "stage",
    "with_names",
]

ARGUMENTS = {
    "P": "points",  # P[axis * stride + i] and P[axis * stride + j] are the two points to work for
    "stride": "number",
    "i": "number",
    "j": "number",
    "X": "points",  # X[axis * n + m] are the points they meet
    "n": "number",
    "k": "number",  # coordinates of a point
    "r": "table",  # r[m] and s[m] are the given distances of the two points
    "s": "table",
    "w": "weights",  # w[m] and z[m] are the weights
    "z": "weights",
    "start": "number",  # the range of m
    "stop": "number",
    "mode": "number",  # what to do, where there is a choice
    "unit": "unit",  # what given distances are multiplied by
    "scratch": "points",  # memory to work in
    "out": "sums",  # where sums are added, doubles
    "fields": "sums",  # the fields of the space, then those of the loss
}


PLAIN = bool(getattr(config, "DISABLE_JIT", 0))
"""Whether everything runs as Python, as for a debugger."""


class Precision(NamedTuple):
    """The kinds of numbers that points, distances and weights are."""

    points: np.dtype[Any]
    table: np.dtype[Any]
    weights: np.dtype[Any]


def _kind(name: str, precision: Precision) -> Any:
    """Return the Numba type of an argument."""
    if name in ("number", "unit"):
        return types.intp if name == "number" else types.float64
    dtype = np.dtype(np.float64) if name == "sums" else getattr(precision, name)
    return types.CPointer(types.float32 if dtype == np.float32 else types.float64)


# --- making a function ----------------------------------------------------------------------------


def addressed(function: Callable) -> Callable:
    """Mark a function of `ARGUMENTS`: it runs compiled, behind an address."""
    return function


def c_function(function: Callable, precision: Precision, short: bool = False) -> Any:
    """Return a function of `ARGUMENTS`, ready to be compiled; its loops may all be short."""
    signature = tuple(_kind(kind, precision) for kind in ARGUMENTS.values()), types.void
    return CFunc(function, signature, {}, dict(JIT), pipeline_class=ApartShort if short else Apart)


def compiled_function(function: Callable, precision: Precision, short: bool = False) -> int:
    """Compile a function of `ARGUMENTS`, or find it in the cache; return its address."""
    if PLAIN:
        return _in_python(function, precision)
    made = c_function(function, precision, short)
    with suppress(RuntimeError):  # no folder for the cache is writable: a read-only container
        made.enable_caching()
    looked_up(made)
    address = _address(made)
    _KEPT[address] = made  # the code lives as long as its owner
    return address


_KEPT: dict[int, Any] = {}


@global_compiler_lock
def _address(made: Any) -> int:
    """Return the address of the function itself: the callback around it would swallow errors."""
    found = made._cache.load_overload(made._sig, made._targetdescr.target_context)
    made._cache_hits = 0 if found is None else 1
    if found is None:
        found = made._compile_uncached()
        made._cache.save_overload(made._sig, found)
    made._library = found.library
    return int(found.library.get_pointer_to_function(found.fndesc.llvm_func_name))


def named_code(source: str, file: str, name: str, names: dict[str, Any]) -> Callable:
    """Return the function that a text defines; Numba's cache knows it by file and name."""
    scope = dict(names)
    exec(compile(source, file, "exec"), scope)
    function = scope["function"]
    function.__name__ = function.__qualname__ = name
    function.__module__ = names["__name__"]
    return function


def with_names(function: Callable, name: str, names: dict[str, Any]) -> Callable:
    """Return a function under another name, with values for names that its module leaves open."""
    code = function.__code__.replace(co_name=name, co_qualname=name)
    return FunctionType(code, {**function.__globals__, **names}, name)


@lru_cache(maxsize=256)
def part_reader(cls: type[Part], single: bool, offset: int) -> Callable:
    """Return a function of compiled code that makes the part from its fields, from `offset` on."""
    if PLAIN:
        count = len(fields(cls))
        return lambda numbers: cls(*(numbers[offset + a] for a in range(count)))
    kind = part_type(cls, single)

    @intrinsic
    def read(context, numbers):
        def generate(context, builder, signature, args):
            struct = cgutils.create_struct_proxy(kind)(context, builder)
            for number, name in enumerate(kind.params):
                at = builder.gep(args[0], [ir.Constant(ir.IntType(64), offset + number)])
                value = builder.load(at)
                value = context.cast(builder, value, types.float64, kind.number)
                setattr(struct, name, value)
            return struct._getvalue()

        return kind(numbers), generate

    return read


# --- drivers --------------------------------------------------------------------------------------


def driver(function: Callable) -> Any:
    """Compile a driver, whose own loops are short: cached on disk, without the GIL."""
    return _cached(function, Driver)


def looping(function: Callable) -> Any:
    """Compile a function with long loops of its own: cached on disk, without the GIL."""
    return _cached(function, Loops)


def stage(function: Callable) -> Any:
    """Compile a part of such functions, which is inlined: Python cannot call it."""
    return njit(**{**INLINED, "fastmath": False, "pipeline_class": Stage})(function)


def _cached(function: Callable, compiler: type[Loops]) -> Any:
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    options["pipeline_class"] = compiler
    try:
        return looked_up(njit(cache=True, **options)(function))
    except RuntimeError:
        return looked_up(njit(**options)(function))


@intrinsic
def _call(context, address, who, others, given, span, unit, memory):
    """Call the function at an address; the arguments are those of `ARGUMENTS`, in groups."""

    def generate(context, builder, signature, args):
        flat = []
        for kind, value in zip(signature.args[1:], args[1:], strict=True):
            count = len(kind) if isinstance(kind, types.BaseTuple) else 0
            flat += [builder.extract_value(value, a) for a in range(count)] or [value]
        pointer, kinds, passed = ir.PointerType(ir.IntType(8)), [], []
        for value, kind in zip(flat, ARGUMENTS.values(), strict=True):
            if kind == "number" or kind == "unit":
                kinds.append(types.intp if kind == "number" else types.float64)
                passed.append(value)
            else:
                kinds.append(types.voidptr)
                passed.append(builder.inttoptr(value, pointer))
        shape = context.call_conv.get_function_type(types.none, kinds)
        function = builder.inttoptr(args[0], ir.PointerType(shape))
        status, _ = context.call_conv.call_function(builder, function, types.none, kinds, passed)
        with cgutils.if_unlikely(builder, status.is_error):  # a loss or a space may raise
            context.call_conv.return_status_propagate(builder, status)
        return context.get_dummy_value()

    groups = [
        types.UniTuple(types.intp, len(group)) for group in (who, others, given, span, memory)
    ]
    return types.void(types.intp, *groups[:4], types.float64, groups[4]), generate


@intrinsic
def _beyond(context, pointer, count):
    """Return the pointer to what is `count` places further on."""

    def generate(context, builder, signature, args):
        return builder.gep(args[0], [args[1]])

    return pointer(pointer, types.intp), generate


@intrinsic
def _doubles(context, address):
    """Return the pointer to the doubles at an address."""

    def generate(context, builder, signature, args):
        return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

    return types.CPointer(types.float64)(types.intp), generate


@intrinsic
def _align_stack(context):
    """Let the function keep vectors that find no register at whole cache lines.

    LLVM leaves that to chance: it finds out too late that it needs the stack. A row with
    polynomials reads dozens of them for each pair, and took a third longer whenever they lay across
    two lines.
    """

    def generate(context, builder, signature, args):
        attributes = builder.function.attributes
        attributes.alignstack = 64
        attributes.add("nounwind")  # true of all compiled code; without a name llvmlite writes none
        return context.get_dummy_value()

    return types.void(), generate


# --- without compiling ----------------------------------------------------------------------------

_PYTHON: dict[int, Callable] = {}


def _in_python(function: Callable, precision: Precision) -> int:
    """Register a function that runs as Python; return the number that stands for its address."""

    def run(*arguments: Any) -> None:
        given = []
        for value, kind in zip(arguments, ARGUMENTS.values(), strict=True):
            if kind in ("number", "unit"):
                given.append(value)
            else:
                dtype = np.float64 if kind == "sums" else getattr(precision, kind)
                real = ctypes.c_float if dtype == np.float32 else ctypes.c_double
                given.append(ctypes.cast(int(value), ctypes.POINTER(real)) if value else None)
        with np.errstate(all="ignore"):  # as in compiled code
            function(*given)

    number = 1 + len(_PYTHON)
    _PYTHON[number] = run
    return number


def _python_call(address, who, others, given, span, unit, memory):
    _PYTHON[address](*who, *others, *given, *span, unit, *memory)


def _python_beyond(pointer, count):
    kind = pointer._type_
    address = ctypes.cast(pointer, ctypes.c_void_p).value + count * ctypes.sizeof(kind)
    return ctypes.cast(address, ctypes.POINTER(kind))


def _python_doubles(address):
    return ctypes.cast(int(address), ctypes.POINTER(ctypes.c_double))


def _nothing() -> None:
    pass


align_stack: Any = _nothing if PLAIN else _align_stack
call: Any = _python_call if PLAIN else _call
beyond: Any = _python_beyond if PLAIN else _beyond
doubles: Any = _python_doubles if PLAIN else _doubles


@driver
def once(function, who, others, given, span, unit, memory):
    """Call a function once."""
    call(function, who, others, given, span, unit, memory)
