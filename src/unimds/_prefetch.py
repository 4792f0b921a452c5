"""A hint to the processor that memory will be read soon: an instruction that Numba lacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic


def _prefetch(typing: Any, array: Any, first: Any) -> tuple[Any, Callable[..., Any]] | None:
    if not isinstance(array, types.Array) or array.ndim != 1 or array.layout != "C":
        return None  # not a row

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        row = context.make_array(array)(context, builder, arguments[0])
        at = builder.gep(row.data, [arguments[1]])
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        hint = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        read, keep, data = (ir.Constant(number, value) for value in (0, 3, 1))
        builder.call(hint, [builder.bitcast(at, byte), read, keep, data])
        return context.get_dummy_value()

    return types.none(array, types.intp), generate


def _nothing(array: Any, first: Any) -> None:
    """Stand in where nothing is compiled."""


prefetch: Any = _nothing if getattr(config, "DISABLE_JIT", 0) else intrinsic(_prefetch)
"""``prefetch(row, j)`` asks for the memory of ``row[j]``; any j is allowed, and nothing changes."""
