"""The vectorised elementary functions against fifty digits, and that loops with them vectorise."""

import platform
import re
from itertools import product

import mpmath
import numpy as np
import pytest
from numba import njit

from unimds import losses, spaces
from unimds.compiled.elementary import arc, arsinh, power, turn
from unimds.compiled.functions import Precision, c_function
from unimds.compiled.parts import JIT
from unimds.kernels.rows import PULL, Row, row_function

mpmath.mp.dps = 50
PRECISIONS = pytest.mark.parametrize("dtype", [np.float64, np.float32])


@njit(**JIT)
def all_arc(q, out):
    for j in range(len(q)):
        out[j] = arc(q[j])


@njit(**JIT)
def all_arsinh(s, q, out):
    for j in range(len(s)):
        out[j] = arsinh(s[j], q[j])


@njit(**JIT)
def all_power(x, a, out):
    for j in range(len(x)):
        out[j] = power(x[j], a)


@njit(**JIT)
def all_turn(q, out):
    for j in range(len(q)):
        out[0, j], out[1, j] = turn(q[j])


def ulps(found, truth):
    """Return how many units in the last place the numbers are off, at most."""
    spacing = [mpmath.mpf(float(np.spacing(found.dtype.type(abs(t))))) for t in truth]
    off = [abs(mpmath.mpf(float(f)) - t) / s for f, t, s in zip(found, truth, spacing, strict=True)]
    return float(max(off))


def exact_arc(q):
    """Return θ / sin θ of the angle whose chord has the square q."""
    angle = 2 * mpmath.asin(mpmath.sqrt(mpmath.mpf(float(q))) / 2)
    return angle / mpmath.sin(angle) if q > 0.0 else mpmath.mpf(1)


@PRECISIONS
def test_turn_to_two_units_of_one(dtype):
    """Cosines near zero have no relative precision, and need none: they turn points of length 1."""
    q = np.concatenate([np.linspace(0.0, 10.0, 2001), 10.0 ** np.linspace(-30, 0, 500)])
    q = q.astype(dtype)
    out = np.empty((2, q.size), dtype=dtype)
    all_turn(q, out)
    angles = [mpmath.sqrt(mpmath.mpf(float(v))) for v in q]
    sines = [mpmath.sin(a) / a if a > 0 else 1 for a in angles]
    for found, truth in zip(out, ([mpmath.cos(a) for a in angles], sines), strict=True):
        off = max(abs(mpmath.mpf(float(f)) - t) for f, t in zip(found, truth, strict=True))
        assert off <= 2.0 * np.finfo(dtype).eps


@PRECISIONS
def test_arc_to_two_ulp(dtype):
    q = np.concatenate([np.linspace(0.0, 2.0, 4001), 10.0 ** np.linspace(-30, 0, 1000)])
    q = q.astype(dtype)
    out = np.empty_like(q)
    all_arc(q, out)
    assert ulps(out, [exact_arc(v) for v in q]) <= 2.0


@pytest.mark.sample(1)
@PRECISIONS
def test_arsinh_to_four_ulp(dtype):
    longest = 80.0 if dtype == np.float32 else 700.0
    u = np.concatenate([[0.0], 10.0 ** np.linspace(-15, 0, 1000), np.linspace(0.0, longest, 5000)])
    s = [mpmath.sinh(float(v)) for v in u]
    q = [2 * (mpmath.cosh(float(v)) - 1) for v in u]
    s, q = (np.array([float(v) for v in values]).astype(dtype) for values in (s, q))
    out = np.empty_like(s)
    all_arsinh(s, q, out)
    assert ulps(out, [mpmath.asinh(float(v)) for v in s]) <= 4.0


@PRECISIONS
def test_arsinh_hardly_depends_on_the_last_digit_of_the_other_argument(dtype):
    u = np.linspace(0.0, 5.0, 2000)
    s, q = np.sinh(u).astype(dtype), (2.0 * (np.cosh(u) - 1.0)).astype(dtype)
    for other in (np.nextafter(q, dtype(0.0)), np.nextafter(q, dtype(np.inf))):
        out = np.empty_like(s)
        all_arsinh(s, other, out)
        assert ulps(out, [mpmath.asinh(float(v)) for v in s]) <= 5.0


@pytest.mark.parametrize("value", [0.0, 1e-300, 0.3, 2.0])
def test_python_runs_the_same_functions(value):
    out = np.empty(1)
    all_arc(np.array([value]), out)
    assert arc(value) == pytest.approx(out[0], rel=1e-15)
    s, q = np.sqrt(value * (1.0 + 0.25 * value)), value
    all_arsinh(np.array([s]), np.array([q]), out)
    assert arsinh(s, q) == pytest.approx(out[0], rel=1e-15)


@PRECISIONS
@pytest.mark.parametrize("a", [0.5, 0.75, -0.25, 1.0, -0.5])
def test_power_to_rounding_of_the_exponent(dtype, a):
    x = (10.0 ** np.linspace(-12, 12, 3000)).astype(dtype)
    out = np.empty_like(x)
    all_power(x, dtype(a), out)
    truth = x.astype(np.longdouble) ** a
    # an error of one ulp in a·log2(x), which is at most 40, is one of 40·ln 2 ulp in the result
    assert np.max(np.abs(out / truth - 1.0)) <= 40 * np.finfo(dtype).eps


@PRECISIONS
def test_a_power_of_zero_is_next_to_nothing(dtype):
    out = np.empty(1, dtype)
    all_power(np.zeros(1, dtype), dtype(0.75), out)
    assert 0.0 <= out[0] < 1e-25


SPACES = [spaces.Euclidean(), spaces.Sphere(), spaces.ChordalSphere(), spaces.Hyperbolic()]
LOSSES = [losses.Squared(), losses.Absolute(0.1), losses.Power(1.5, 0.1), losses.Huber(0.3)]


def loops():
    """Return each space with the squared loss and each loss in the plane; most are slow tests."""
    pairs = [*((LOSSES[0], space) for space in SPACES), *((loss, SPACES[0]) for loss in LOSSES[1:])]
    for (loss, space), dtype in product(pairs, (np.float32, np.float64)):
        quick = dtype == np.float32 and (loss, space) in (pairs[0], pairs[1], pairs[5])
        marks = () if quick else pytest.mark.slow
        yield pytest.param(loss, space, dtype, marks=marks, id=f"{loss}-{space}-{dtype.__name__}")


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="names x86 instructions")
@pytest.mark.parametrize(("loss", "space", "dtype"), list(loops()))
def test_the_innermost_loop_vectorises(loss, space, dtype):
    k, dtype = (2 if isinstance(space, spaces.Euclidean) else 3), np.dtype(dtype)
    function = row_function(Row(PULL, (type(loss), type(space)), k), dtype)
    made = c_function(function, Precision(dtype, dtype, dtype))
    made.compile()
    assembly = made._library.get_asm_str()
    kind = "ps" if dtype == np.float32 else "pd"
    packed = rf"v(?:sqrt|rsqrt14|rsqrt|div){kind}\s|\b(?:sqrt|rsqrt|div){kind}\s"
    assert re.search(packed, assembly)
    assert not re.search(r"\$(?:atan2?|asinh?|log1p|pow|sqrt)f?\b", assembly)  # no call of libm
    assert re.search(r"and\w?\s+\$-64, %[re]sp", assembly)  # vectors on the stack, at whole lines
