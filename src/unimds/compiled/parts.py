"""Parts: losses and spaces as values that Numba inlines into the solver.

A `Part` is a frozen dataclass with float fields and methods in plain Python. Compiled code gets it
as a struct of its fields. Its Numba type is a plain string, ``kind:name(fields)#digest``, where the
digest covers all code that the methods reach. So the next process finds a cached kernel again,
compiles it anew only if the code of the part has changed, and never imports the class: a part may
live in a script, a notebook or ``__main__``.
"""

from __future__ import annotations

import inspect
import re
import threading
import types as python_types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import cache, lru_cache, partial
from glob import escape
from hashlib import blake2b
from numbers import Real
from pathlib import Path
from typing import Any, ClassVar, final

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

from unimds._runtime.watch import compiling
from unimds.compiled.compilers import Inlined, Method, Whole
from unimds.compiled.digest import code_digest, methods

# error_model="numpy": Python's checks every division, and then no loop vectorises.
# The flags leave out "nnan" and "ninf": a missing distance is a NaN and must stay one.
JIT: dict[str, Any] = {
    "error_model": "numpy",
    "fastmath": {"reassoc", "contract", "arcp", "nsz"},
}


# Nobody calls inlined functions from Python: their wrappers would take a third of the time.
INLINED: dict[str, Any] = {
    **JIT,
    "forceinline": True,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": Inlined,
}


def kernel(function: Callable) -> Any:
    """Compile a function that takes parts: cached on disk, without the GIL."""
    try:
        return looked_up(njit(cache=True, nogil=True, pipeline_class=Whole, **JIT)(function))
    except RuntimeError:  # no folder for the cache is writable, as in a read-only container
        return looked_up(njit(nogil=True, pipeline_class=Whole, **JIT)(function))


def looked_up(compiled: Any) -> Any:
    """Let an outdated index in the cache count as empty, and tell of code that is not found there.

    Numba unpickles the whole index before it sees that another version of this package left it;
    and it looks at the file of a function alone, though constants and inlined functions come from
    other files. What it does not find it compiles.
    """
    kept = getattr(compiled, "_cache", None)
    if kept is None:  # plain Python
        return compiled
    load, file = kept.load_overload, getattr(kept, "_cache_file", None)
    if file is not None:
        file._source_stamp = file._source_stamp, _edition()
        file.save = partial(_save, file)

    def load_overload(signature: Any, context: Any) -> Any:
        try:
            found = load(signature, context)
        except (ImportError, AttributeError):  # a type of a module that is gone
            kept.flush()
            found = None
        if found is None:
            compiling()
        return found

    kept.load_overload = load_overload
    return compiled


def _save(file: Any, key: Any, code: Any) -> None:
    """Save the code for some types under a name that no other code has.

    Numba numbers the files of a function. Two processes that compile at the same time, for other
    types or from another version of this package, would give one number to two codes; and to run
    the code for other types writes beyond the end of arrays.
    """
    known = file._load_index()
    told = blake2b(repr((file._source_stamp, key)).encode(), digest_size=7).hexdigest()
    known[key] = file._data_name(int(told, 16))
    file._save_index(known)
    file._save_data(known[key], code)
    folder, stem = Path(file._cache_path), file._index_name.removesuffix(".nbi")
    known = {**known, **file._load_index()}  # what others have saved meanwhile
    for path in folder.glob(f"{escape(stem)}.*.nbc"):
        if path.name not in known.values():  # of an older version
            path.unlink(missing_ok=True)


@cache
def _edition() -> str:
    """Return a text that changes with any file that compiled code is made from."""
    rooms = Path(__file__).parent, Path(__file__).parents[1] / "kernels"
    files = sorted(path for room in rooms for path in room.glob("*.py"))
    told = [(path.name, path.stat().st_mtime_ns, path.stat().st_size) for path in files]
    return blake2b(repr(told).encode(), digest_size=8).hexdigest()


def single_precision(function: Callable) -> Callable:
    """Return the function with its constants in single precision.

    To Numba ``0.5`` is a double, and one double makes the whole expression double.
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
    """Let compiled code call `double` or `single`, by the type of the first argument.

    Both are compiled as written, without reordering.
    """

    def decorate(function: Callable) -> Callable:
        arguments = ", ".join(_arguments(function))
        choose = {"single": single_precision(single), "double": double, "float32": types.float32}
        first = _arguments(function)[0]
        pick = eval(f"lambda {arguments}: single if {first} == float32 else double", choose)
        options = {**INLINED, "fastmath": {"contract", "nsz"}}
        overload(function, jit_options=options)(pick)
        function.__dict__["compiled"] = (double, single)
        return function

    return decorate


def inlined(function: Callable) -> Any:
    """Compile a function that Numba inlines into its callers."""
    return njit(**INLINED)(function)


class PartError(TypeError):
    """A loss or space that cannot be compiled; the message names class, method and mistake."""


@final
class Call:
    """How kernels call a method: arguments of the right type, and the count of numbers returned."""

    def __init__(self, *args: Any, returns: int = 1):
        self.args, self.returns = args, returns


class Part:
    """Base class of `unimds.losses.Loss` and `unimds.spaces.Space`."""

    _kind: type[PartType]
    _compiled: ClassVar[dict[str, Call]]  # the methods that kernels call
    _part_type: ClassVar[PartType]

    def _concrete(self) -> Part:
        """Return the part with some number in place of "auto"."""
        raise NotImplementedError


@final
class Single:
    """A part for single-precision kernels: its fields and constants are float32."""

    def __init__(self, part: Part):
        self.part = part
        self.numba_type: PartType | None = None  # kept here: every call of a kernel needs it


_single = lru_cache(maxsize=64)(Single)


def in_precision(part: Part, dtype: Any) -> Any:
    """Return the part for kernels that compute in `dtype`."""
    if dtype != np.float32 or getattr(config, "DISABLE_JIT", 0):
        return part
    try:
        return _single(part)
    except TypeError:  # a field without a hash is not a number: `check_fields` says it better
        return Single(part)


class PartType(types.Type):
    """Numba type of a part: it holds no class, so any process can unpickle it."""

    def __init__(self, name: str, digest: str, params: tuple[str, ...], single: bool = False):
        self.digest, self.params, self.single = digest, params, single
        kind = type(self).__name__ + ("32" if single else "")
        super().__init__(f"{kind}:{name}({', '.join(params)})#{digest}")

    @property
    def number(self) -> types.Type:
        """The type of the fields."""
        return types.float32 if self.single else types.float64


@final
class LossType(PartType):
    """The type of losses."""


@final
class SpaceType(PartType):
    """The type of spaces."""


_LOCK = threading.RLock()  # fits may run on threads
_CLASSES: dict[str, type[Part]] = {}  # digest -> class, in this process


# --- the Numba type ---------------------------------------------------------------------------


@typeof_impl.register(Part)
def _typeof(part: Part, _context: object) -> PartType:
    check_fields(part)
    return part_type(type(part))


def part_type(cls: type[Part], single: bool = False) -> PartType:
    """Return the Numba type of a class of parts."""
    known = cls.__dict__.get("_part_type")
    if known is None or known.digest not in _CLASSES:
        with _LOCK:
            check_part_class(cls)
            known = cls._kind(cls.__qualname__, code_digest(cls), _field_names(cls))
            for name, method in methods(cls).items():  # the user's own helpers too
                _register_method(cls._kind, name, len(_arguments(method)))
            _CLASSES[known.digest] = cls
            cls._part_type = known
    return type(known)(cls.__qualname__, known.digest, known.params, True) if single else known


@typeof_impl.register(Single)
def _typeof_single(single: Single, context: object) -> PartType:
    if single.numba_type is None:
        name, double = type(single.part).__qualname__, _typeof(single.part, context)
        single.numba_type = type(double)(name, double.digest, double.params, True)
    return single.numba_type


def check_part_class(cls: type[Part]) -> None:
    """Raise `PartError` unless `cls` is a frozen dataclass with all required methods."""
    params = cls.__dict__.get("__dataclass_params__")  # the class's own, not its base's
    if params is None or not params.frozen:
        raise PartError(f"{cls.__name__} must be a frozen dataclass: write @dataclass(frozen=True)")
    missing = sorted(getattr(cls, "__abstractmethods__", ()))
    if missing:
        raise PartError(f"{cls.__name__} must define {' and '.join(f'{m}()' for m in missing)}")
    contract = next(base for base in reversed(cls.__mro__) if "_compiled" in vars(base))
    for name in cls._compiled:
        method, need = getattr(cls, name), _arguments(getattr(contract, name))
        if isinstance(method, Dispatcher):
            raise PartError(f"{cls.__name__}.{name}() must be plain Python: leave out its @njit")
        if not inspect.isfunction(method):
            raise PartError(
                f"{cls.__name__}.{name} must be a method: def {name}({', '.join(need)})"
            )
        have = _arguments(method)
        if len(have) != len(need):
            raise PartError(
                f"{cls.__name__}.{name}() has {len(have)} arguments, but is called with "
                f"{len(need)}: {name}({', '.join(need)})"
            )


def _arguments(method: Callable) -> tuple[str, ...]:
    return method.__code__.co_varnames[: method.__code__.co_argcount]


@lru_cache(maxsize=256)
def _field_names(cls: type[Part]) -> tuple[str, ...]:
    """Return the names of the fields: they are looked up whenever a part meets compiled code."""
    return tuple(field.name for field in fields(cls))


def check_fields(part: Part) -> None:
    """Raise `PartError` if a field is not a number."""
    for name in _field_names(type(part)):
        value = getattr(part, name)
        if type(value) is not float and not isinstance(value, Real):
            remedy = "give it a number"
            if isinstance(value, str) and value == "auto":
                remedy = 'only a fit can replace "auto"; use what it found (loss_ or space_)'
            raise PartError(
                f"{type(part).__name__}.{name} is {value!r}, but compiled code takes "
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


def _typed_name(name: str, arity: int) -> str:
    """Return Numba's name for a method: two classes may have unlike helpers of the same name."""
    return f"{name}/{arity}"


@cache
def _register_method(kind: type[PartType], name: str, arity: int) -> None:
    def find(typ: PartType) -> Callable | None:
        method = getattr(_CLASSES[typ.digest], name, None)
        return single_precision(method) if method is not None and typ.single else method

    # Numba takes the number of arguments from the signature, so it must be written out;
    # strict=False lets the user choose their names.
    args = ", ".join(f"a{i}" for i in range(arity))
    method = eval(f"lambda {args}: find(a0)", {"find": find})
    options = {**INLINED, "pipeline_class": Method}  # a loop with a call does not vectorise
    register = overload_method(kind, _typed_name(name, arity), strict=False, jit_options=options)  # type: ignore[call-arg]
    register(method)


# --- errors a person can read -----------------------------------------------------------------


@contextmanager
def explained(*parts: Part) -> Iterator[None]:
    """Turn Numba's errors, and a misspelt field, into a `PartError` about the part at fault."""
    try:
        yield
    except PartError:
        raise
    except (errors.NumbaError, AttributeError, TypeError) as error:
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
