"""Elementary functions that vectorise: arcs, logarithms and powers without a branch.

Numba does not vectorise calls of `math`: a loop with one ``atan`` runs element by element. So
compiled code uses polynomials, one set for each precision, and Python uses `math`. The coefficients
are minimax fits by ``tools/polynomials.py``. This file must be compiled without reordering, which
would turn the corrections for rounding into zeros.
"""

from __future__ import annotations

import math

import numpy as np

from unimds.compiled.parts import compiled_as


def _atan_double(t):
    z = t * t
    z2 = z * z
    a = -2.066241150592205e-05
    a = a * z2 - 0.001180773186143489
    a = a * z2 - 0.009265421044990955
    a = a * z2 - 0.02593091491290099
    a = a * z2 - 0.04097076520514227
    a = a * z2 - 0.052398902446633096
    a = a * z2 - 0.06665892261262985
    a = a * z2 - 0.09090901659333804
    a = a * z2 - 0.1428571427235902
    a = a * z2 - 0.33333333333331994
    b = 0.00022684990818075577
    b = b * z2 + 0.003900462130102716
    b = b * z2 + 0.017084240786797517
    b = b * z2 + 0.03414541607544636
    b = b * z2 + 0.0467590133130075
    b = b * z2 + 0.0587747552810018
    b = b * z2 + 0.07692217331895113
    b = b * z2 + 0.11111110705640623
    b = b * z2 + 0.19999999999774903
    return t + t * z * (a + b * z)


def _atan_single(t):
    z = t * t
    z2 = z * z
    a = -0.0018272149467829474
    a = a * z2 - 0.03145572958961398
    a = a * z2 - 0.08419461786356613
    a = a * z2 - 0.1426524569283881
    a = a * z2 - 0.3333330186846716
    b = 0.011064452674127648
    b = b * z2 + 0.05823458589060144
    b = b * z2 + 0.10957577393823537
    b = b * z2 + 0.19998638660614326
    return t + t * z * (a + b * z)


@compiled_as(_atan_double, _atan_single)
def atan(t):
    """Return the angle whose tangent is t, for t from 0 to 1; to 4 ulp.

    One long polynomial takes less time than a division that makes t smaller; its even and its odd
    terms are two sums, which need not wait for each other.

    Examples
    --------
    >>> atan(1.0) == math.pi / 4
    True
    """
    return math.atan(t)


def _log1p_double(x):
    u = 1.0 + x
    lost = x - (u - 1.0)  # rounding error of u
    bits = np.float64(u).view(np.int64)
    exponent = (bits - 0x3FE6A09E667F3BCD) >> 52  # so that m lies between √½ and √2
    m = np.int64(bits - (exponent << 52)).view(np.float64)
    lost *= np.int64((1023 - exponent) << 52).view(np.float64)
    f = (m - 1.0 + lost) / (m + 1.0 + lost)  # log m = 2 artanh f
    z = f * f
    s = 0.07397974886812342
    s = s * z + 0.07657025280030887
    s = s * z + 0.09091782162524326
    s = s * z + 0.11111099286612178
    s = s * z + 0.14285714371193492
    s = s * z + 0.1999999999970734
    s = s * z + 0.3333333333333367
    e = np.float64(np.int32(exponent))
    return e * 0.6931471803691238 + (2.0 * (f + f * z * s) + e * 1.9082149292705877e-10)


def _log1p_single(x):
    u = 1.0 + x
    lost = x - (u - 1.0)
    bits = np.float32(u).view(np.int32)
    exponent = np.int32(np.int32(bits - np.int32(0x3F3504F3)) >> np.int32(23))
    m = np.int32(bits - np.int32(exponent << np.int32(23))).view(np.float32)
    scale = np.int32(np.int32(np.int32(127) - exponent) << np.int32(23))
    lost *= scale.view(np.float32)
    f = (m - 1.0 + lost) / (m + 1.0 + lost)
    z = f * f
    s = 0.14935863886677134
    s = s * z + 0.1998877078783588
    s = s * z + 0.33333388190803476
    e = np.float32(exponent)
    return e * 0.693145751953125 + (2.0 * (f + f * z * s) + e * 1.4286067653302207e-06)


@compiled_as(_log1p_double, _log1p_single)
def log1p(x):
    """Return log(1 + x) of x ≥ 0; to 4 ulp.

    Examples
    --------
    >>> log1p(math.expm1(2.0))
    2.0
    """
    return math.log1p(x)


def _power_double(x, a):
    bits = np.float64(x).view(np.int64)
    exponent = (bits - 0x3FE6A09E667F3BCD) >> 52
    m = np.int64(bits - (exponent << 52)).view(np.float64)
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
    scale = np.int64((np.int64(np.int32(whole)) + 1023) << 52).view(np.float64)
    return scale + scale * (r * s)


def _power_single(x, a):
    bits = np.float32(x).view(np.int32)
    exponent = np.int32(np.int32(bits - np.int32(0x3F3504F3)) >> np.int32(23))
    m = np.int32(bits - np.int32(exponent << np.int32(23))).view(np.float32)
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
    scale = np.int32(np.int32(np.int32(whole) + np.int32(127)) << np.int32(23)).view(np.float32)
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
