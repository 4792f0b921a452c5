"""Elementary functions that vectorise: arcs, areas and powers without a branch.

Numba does not vectorise calls of `math`: a loop with one ``asin`` runs element by element. So
compiled code uses polynomials, one set for each precision, and Python uses `math`. The coefficients
are minimax fits by ``tools/polynomials.py``, but those of `turn`, which are 1/m!. This file must be
compiled without reordering, which would turn the corrections for rounding into zeros.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from unimds.compiled.parts import compiled_as


@intrinsic
def _bits(context, x):
    """Return the integer with the bits of a number; NumPy's ``view`` takes longer to compile."""

    def generate(context, builder, signature, args):
        return builder.bitcast(args[0], ir.IntType(signature.return_type.bitwidth))

    return (types.int64 if x == types.float64 else types.int32)(x), generate


@intrinsic
def _number(context, whole):
    """Return the number with the bits of an integer."""

    def generate(context, builder, signature, args):
        kind = context.get_value_type(signature.return_type)
        return builder.bitcast(args[0], kind)

    return (types.float64 if whole == types.int64 else types.float32)(whole), generate


bits: Any = _bits
number: Any = _number


def _arc_double(q):
    q2 = q * q
    q4 = q2 * q2
    a = 1.1777710678739886e-10
    a = a * q4 + 2.795379662563699e-07
    a = a * q4 + 2.353359030813313e-06
    a = a * q4 + 4.908683466462446e-06
    a = a * q4 + 0.001587302011256713
    a = a * q4 + 1.0
    b = -8.056312520063222e-08
    b = b * q4 - 2.022267012276421e-06
    b = b * q4 + 2.7275613889486324e-07
    b = b * q4 + 0.000360746422567854
    b = b * q4 + 0.1666666666666533
    c = 1.610320337532591e-08
    c = c * q4 + 1.367269691911371e-06
    c = c * q4 + 1.7424946641524752e-06
    c = c * q4 + 8.327444052751238e-05
    c = c * q4 + 0.033333333334302495
    d = -2.0003754485119694e-09
    d = d * q4 - 7.102404240651694e-07
    d = d * q4 - 2.0480176262463107e-06
    d = d * q4 + 1.9318932484576975e-05
    d = d * q4 + 0.007142857114977015
    return (a + b * q) + (c + d * q) * q2


def _arc_single(q):
    q2 = q * q
    a = -0.00013069279532469655
    a = a * q2 - 0.0005492314949741484
    a = a * q2 + 0.0012405441362223705
    a = a * q2 + 0.03331522100274783
    a = a * q2 + 0.999999988502928
    b = 2.2182340514363236e-05
    b = b * q2 + 0.0004107704966880607
    b = b * q2 + 0.000968300926306099
    b = b * q2 + 0.007254712670510913
    b = b * q2 + 0.16666779419901026
    return a + b * q


@compiled_as(_arc_double, _arc_single)
def arc(q):
    """Return θ / sin θ of the angle θ whose chord has the square q, from 0 to 2; to 2 ulp.

    The chord is that of a unit circle: q is 2 (1 − cos θ), and θ is at most a right angle. In q the
    quotient is a power series, so neither a square root nor a division comes before it. Its
    terms are several sums, which need not wait for each other.

    Examples
    --------
    >>> math.isclose(arc(2.0), math.pi / 2, rel_tol=1e-15)
    True
    """
    angle = 2.0 * math.asin(0.5 * math.sqrt(q))
    return angle / math.sin(angle) if angle > 0.0 else 1.0


def _arsinh_double(s, q):
    whole = (
        bits(q + 1.0) - 0x3FE3988E1409212E
    ) & ~0xFFFFFFFFFFFFF  # e, where numbers have their exponent
    up = number(0x3FF0000000000000 + whole)
    down = number(0x3FF0000000000000 - whole)
    g = (2.0 * s + (down - up)) * (2.0 / ((q + 2.0) + (up + down)))
    z = g * g
    z2 = z * z
    a = 3.961429588338103e-06
    a = a * z2 + 8.877495490585774e-05
    a = a * z2 + 0.002232142845298292
    a = a * z2 + 0.08333333333333155
    b = 1.1367979467176502e-06
    b = b * z2 + 1.8805472385798013e-05
    b = b * z2 + 0.0004340280500491704
    b = b * z2 + 0.012500000000248855
    e = np.float64(np.int32(whole >> 52))
    return e * 0.6931471805599453 + (g + g * z * (a + b * z))


def _arsinh_single(s, q):
    raw = bits(np.float32(q + 1.0))
    whole = np.int32(np.int32(raw - np.int32(0x3F1CC471)) & np.int32(~0x7FFFFF))
    up = number(np.int32(np.int32(0x3F800000) + whole))
    down = number(np.int32(np.int32(0x3F800000) - whole))
    g = (2.0 * s + (down - up)) * (2.0 / ((q + 2.0) + (up + down)))
    z = g * g
    t = 0.0024384719196884888
    t = t * z + 0.012471679694697146
    t = t * z + 0.08333442743937824
    e = np.float32(np.int32(whole >> np.int32(23)))
    return e * 0.6931471805599453 + (g + g * z * t)


@compiled_as(_arsinh_double, _arsinh_single)
def arsinh(s, q):
    """Return u whose hyperbolic sine is s ≥ 0, where q is 2 (cosh u − 1); to 4 ulp.

    With v = e·log 2 near u, tanh ½(u − v) is (sinh u − sinh v) / (cosh u + cosh v), and u − v
    follows by a polynomial. e is found from q: log(1 + q) is less than u by 0 to log 4/3. So the
    division need not wait for s, which is a square root.

    Examples
    --------
    >>> arsinh(math.sinh(2.0), 2.0 * (math.cosh(2.0) - 1.0))
    2.0
    """
    return math.asinh(s)


def _power_double(x, a):
    raw = bits(np.float64(x))
    exponent = (raw - 0x3FE6A09E667F3BCD) >> 52
    m = number(raw - (exponent << 52))
    f = (m - 1.0) / (m + 1.0)
    z = f * f
    s = 0.07397974886812342
    s = s * z + 0.07657025280030887
    s = s * z + 0.09091782162524326
    s = s * z + 0.11111099286612178
    s = s * z + 0.14285714371193492
    s = s * z + 0.1999999999970734
    s = s * z + 0.3333333333333367
    log2 = np.float64(np.int32(exponent)) + 2.8853900817779268 * (f + f * z * s)
    t = min(max(a * log2, -1022.0), 1023.0)
    whole = np.floor(t + 0.5)
    r = t - whole
    s = 4.455205841387517e-10
    s = s * r + 7.070706299076747e-09
    s = s * r + 1.017806061051914e-07
    s = s * r + 1.3215452115860373e-06
    s = s * r + 1.525273383453185e-05
    s = s * r + 0.00015403530425777502
    s = s * r + 0.0013333558146412172
    s = s * r + 0.009618129107616731
    s = s * r + 0.05550410866482161
    s = s * r + 0.2402265069591008
    s = s * r + 0.6931471805599453
    scale = number((np.int64(np.int32(whole)) + 1023) << 52)
    return scale + scale * (r * s)


def _power_single(x, a):
    raw = bits(np.float32(x))
    exponent = np.int32(np.int32(raw - np.int32(0x3F3504F3)) >> np.int32(23))
    m = number(np.int32(raw - np.int32(exponent << np.int32(23))))
    f = (m - 1.0) / (m + 1.0)
    z = f * f
    s = 0.14935863886677134
    s = s * z + 0.1998877078783588
    s = s * z + 0.33333388190803476
    log2 = np.float32(exponent) + 2.8853900817779268 * (f + f * z * s)
    t = min(max(a * log2, -126.0), 127.0)
    whole = np.float32(np.floor(t + 0.5))
    r = t - whole
    s = 0.0001547629977810276
    s = s * r + 0.0013400269651606795
    s = s * r + 0.009618003891528476
    s = s * r + 0.0555032779121318
    s = s * r + 0.24022651345904172
    s = s * r + 0.6931472062482357
    scale = number(np.int32(np.int32(np.int32(whole) + np.int32(127)) << np.int32(23)))
    return scale + scale * (r * s)


@compiled_as(_power_double, _power_single)
def power(x, a):
    """Return x to the power a for x ≥ 0; a relative error of about ``a·log(x)`` ulp.

    Examples
    --------
    >>> power(4.0, 1.5)
    8.0
    """
    return x**a


def _turn(q):
    if q > 1.0:
        angle = math.sqrt(q)
        return math.cos(angle), math.sin(angle) / angle
    c = 4.110317623312165e-19
    c = c * q - 1.5619206968586225e-16
    c = c * q + 4.779477332387385e-14
    c = c * q - 1.1470745597729725e-11
    c = c * q + 2.08767569878681e-09
    c = c * q - 2.755731922398589e-07
    c = c * q + 2.48015873015873e-05
    c = c * q - 0.001388888888888889
    c = c * q + 0.041666666666666664
    c = c * q - 0.5
    c = c * q + 1.0
    s = 1.9572941063391263e-20
    s = s * q - 8.22063524662433e-18
    s = s * q + 2.8114572543455206e-15
    s = s * q - 7.647163731819816e-13
    s = s * q + 1.6059043836821613e-10
    s = s * q - 2.505210838544172e-08
    s = s * q + 2.7557319223985893e-06
    s = s * q - 0.0001984126984126984
    s = s * q + 0.008333333333333333
    s = s * q - 0.16666666666666666
    s = s * q + 1.0
    return c, s


@compiled_as(_turn, _turn)
def turn(q):
    """Return cos θ and sin θ / θ, where θ has the square q; to 2 units of the precision of 1.

    Both are power series in q: up to 1, a short turn needs neither a root nor a call of `math`.

    Examples
    --------
    >>> turn(0.25) == (math.cos(0.5), math.sin(0.5) / 0.5)
    True
    """
    angle = math.sqrt(q)
    return math.cos(angle), math.sin(angle) / angle if angle > 0.0 else 1.0
