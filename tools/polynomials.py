"""Fit the polynomials of src/unimds/compiled/elementary.py: Remez's exchange in fifty digits.

Run it with ``python tools/polynomials.py``; it prints the coefficients, constant term first, and
the largest relative error of the function that is built with them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

from mpmath import atan, atanh, cos, log, lu_solve, matrix, mp, mpf, pi, polyval, sign, sqrt

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


def main() -> None:
    """Print all fits, for single and double precision."""
    tiny, half, third = NEARLY_ZERO, mpf(1) / 2, mpf(1) / 3
    widest = ((sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1)) ** 2

    def power(r: mpf) -> mpf:
        return (mpf(2) ** r - 1) / r if r else log(2)

    for name, f, low, high, degrees in (
        ("atan", odd(atan, -third), tiny, mpf(1), (8, 18)),
        ("atanh", odd(atanh, third), tiny, widest, (2, 6)),
        ("2**r", power, -half, half, (5, 10)),
    ):
        for degree in degrees:
            found, error = remez(f, low, high, degree, lambda x: abs(x) + mpf(10) ** -30)
            print(name, degree, mp.nstr(error, 3), *(repr(float(c)) for c in found), sep="\n  ")


if __name__ == "__main__":
    main()
