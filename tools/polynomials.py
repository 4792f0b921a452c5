"""Fit the polynomials of src/unimds/compiled/elementary.py: Remez's exchange in fifty digits.

Run it with ``python tools/polynomials.py``; it prints the coefficients, constant term first, and
the largest relative error of the function that is built with them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

from mpmath import (
    asin,
    atanh,
    cos,
    log,
    lu_solve,
    matrix,
    mp,
    mpf,
    pi,
    polyval,
    sign,
    sin,
    sqrt,
    tanh,
)

mp.dps = 50
GRID = 2000
NEARLY_ZERO = mpf(10) ** -24


def remez(f: Callable, low: mpf, high: mpf, degree: int, weight: Callable) -> tuple[list, mpf]:
    """Return the polynomial whose largest weighted error is least, and that error."""
    count = degree + 2
    points = [(low + high - (high - low) * cos(pi * i / (count - 1))) / 2 for i in range(count)]
    grid = [(low + high - (high - low) * cos(pi * i / GRID)) / 2 for i in range(GRID + 1)]
    for _ in range(30):
        A, b = matrix(count, count), matrix(count, 1)
        for i, x in enumerate(points):
            for j in range(degree + 1):
                A[i, j] = x**j
            A[i, degree + 1] = (-1) ** i / weight(x)
            b[i] = f(x)
        solution = lu_solve(A, b)
        coefficients = [solution[j] for j in range(degree + 1)]
        errors = [weight(x) * (polyval(coefficients[::-1], x) - f(x)) for x in grid]
        runs = [list(run) for _, run in groupby(range(GRID + 1), key=lambda i: sign(errors[i]))]
        peaks = [max(run, key=lambda i: abs(errors[i])) for run in runs]
        while len(peaks) > count:
            peaks = peaks[1:] if abs(errors[peaks[0]]) < abs(errors[peaks[-1]]) else peaks[:-1]
        if len(peaks) < count or max(abs(errors[i]) for i in peaks) < 1.001 * abs(
            solution[count - 1]
        ):
            break
        points = [grid[i] for i in peaks]
    return coefficients, max(map(abs, errors))


def odd(f: Callable, slope: mpf) -> Callable:
    """Return g with f(t) = t + t·z·g(z), z = t²."""
    return lambda z: (f(sqrt(z)) / sqrt(z) - 1) / z if z > NEARLY_ZERO else slope


def arc(q: mpf) -> mpf:
    """Return θ / sin θ of the angle whose chord has the square q."""
    angle = 2 * asin(sqrt(q) / 2)
    return angle / sin(angle) if q > NEARLY_ZERO else 1 + q / 6


def exponential(r: mpf) -> mpf:
    """Return g with 2**r = 1 + r·g(r)."""
    return (mpf(2) ** r - 1) / r if r else log(2)


def main() -> None:
    """Print all fits, for single and double precision."""
    tiny, half, third = NEARLY_ZERO, mpf(1) / 2, mpf(1) / 3
    # powers: logarithms of √½ to √2; areas: they may be off by log 4/3 as well
    root = ((sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1)) ** 2
    area = (2 * tanh((log(2) + log(4 * third)) / 4)) ** 2

    def in_z(z: mpf) -> mpf:
        return abs(z) + mpf(10) ** -30

    for name, f, low, high, degrees, weight in (
        ("arc", arc, mpf(0), mpf(2), (9, 20), lambda q: 1 / arc(q)),
        ("2 artanh ½g", odd(lambda g: 2 * atanh(g / 2), third / 4), tiny, area, (2, 7), in_z),
        ("artanh", odd(atanh, third), tiny, root, (2, 6), in_z),
        ("2**r", exponential, -half, half, (5, 10), in_z),
    ):
        for degree in degrees:
            found, error = remez(f, low, high, degree, weight)
            print(name, degree, mp.nstr(error, 3), *(repr(float(c)) for c in found), sep="\n  ")


if __name__ == "__main__":
    main()
