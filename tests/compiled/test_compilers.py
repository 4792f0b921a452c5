"""What the compiler may leave out changes nothing that it finds."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from numba import njit, types
from numba.core.registry import cpu_target

from unimds.compiled import compilers
from unimds.compiled.compilers import Loops, remembering
from unimds.compiled.functions import PLAIN

pytestmark = pytest.mark.skipif(PLAIN, reason="nothing is compiled")

ARRAY = types.Array(types.float64, 2, "C")
ASKED = [
    (operator.add, (types.float64, types.int64)),
    (operator.add, (types.float32, types.float32)),
    (operator.lt, (types.int64, types.float64)),
    (operator.getitem, (ARRAY, types.UniTuple(types.intp, 2))),
    (operator.getitem, (ARRAY, types.intp)),
]


@pytest.mark.parametrize(("function", "args"), ASKED)
def test_remembered_signatures_are_those_that_numba_finds(function, args):
    context = cpu_target.typing_context
    context.refresh()
    asked = context.resolve_value_type(function)
    found = asked.get_call_type(context, args, {})
    with remembering():
        assert [asked.get_call_type(context, args, {}) for _ in range(2)] == [found, found]


def test_an_operator_is_asked_once(monkeypatch):
    context, asked = cpu_target.typing_context, []
    context.refresh()
    add = context.resolve_value_type(operator.add)
    template = add.templates[0]
    apply = template.apply
    monkeypatch.setattr(compilers, "_KNOWN", {})
    monkeypatch.setattr(template, "apply", lambda *a: asked.append(a) or apply(*a))
    with remembering():
        for _ in range(3):
            add.get_call_type(context, (types.float64, types.float64), {})
    assert len(asked) in (1, 2)  # by literal types, and by others


def test_other_code_is_compiled_as_ever(monkeypatch):
    before = types.Function.get_call_type
    monkeypatch.setattr(compilers, "_KNOWN", {})

    @njit(pipeline_class=Loops)
    def total(X):
        found = 0.0
        for a in range(X.shape[0]):
            found += X[a] * 2.0 - a
        return found

    X = np.arange(7.0)
    assert total(X) == total.py_func(X)
    assert compilers._KNOWN  # our own code was compiled from memory
    assert types.Function.get_call_type is before
    assert "get_call_type" not in vars(types.Function)
