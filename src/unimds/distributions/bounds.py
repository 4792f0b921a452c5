"""How many coordinates a random projection needs to preserve all angles between points."""

from __future__ import annotations

from functools import cache
from math import log, log10
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Array = NDArray[np.floating[Any]]

BOUNDS = ("exact", "theorem")
FEWEST = 5  # with at least this many coordinates, small angles are the worst case
TINY_ANGLE = 1e-8  # smaller angles differ from the limit of small angles only by rounding


def spherical_jl_min_dim(
    n_samples: int, eps: float = 0.1, delta: float = 0.05, *, bound: str = "exact"
) -> int:
    r"""Return how many coordinates preserve all angles between points within a factor of 1 ± eps.

    Parameters
    ----------
    n_samples : int
        Number of points.
    eps : float, default=0.1
        Maximum relative error of an angle, above 0 and below 1; for the theorem at most 1/4.
    delta : float, default=0.05
        Maximum probability that some angle is off by more than `eps`.
    bound : "exact" or "theorem", default="exact"
        "exact": the distribution of one projected angle, and a union bound over the pairs.
        "theorem": the constants of the paper's proof.

    Returns
    -------
    int
        Number of coordinates m: the sphere is :math:`S^{m-1}`.

    Notes
    -----
    For a Gaussian projection, the projected angle of a pair depends only on its true angle θ and on
    m. With at least 5 coordinates its relative error is largest for small θ, where
    :math:`(\hat\theta/\theta)^2` is the ratio of independent :math:`\chi^2_{m-1}` and
    :math:`\chi^2_m`; see `pair_failure`. Hence the result is at least 5. An orthonormal basis of a
    random subspace does slightly better.

    Examples
    --------
    >>> spherical_jl_min_dim(1000, eps=0.25)
    544
    >>> spherical_jl_min_dim(1000, eps=0.25, bound="theorem")
    81050
    """
    if not (isinstance(n_samples, Integral) and n_samples >= 1):
        raise ValueError(f"n_samples={n_samples!r} must be an integer of at least 1")
    if bound not in BOUNDS:
        raise ValueError(f"bound={bound!r} is not known: use one of {', '.join(map(repr, BOUNDS))}")
    largest = 0.25 if bound == "theorem" else 1.0
    if not (isinstance(eps, Real) and 0.0 < eps < 1.0 and eps <= largest):
        raise ValueError(
            f"eps={eps!r} must be above 0 and "
            + ("at most 0.25, as the theorem requires" if bound == "theorem" else "below 1")
        )
    if not (isinstance(delta, Real) and 0.0 < delta < 1.0):
        raise ValueError(f"delta={delta!r} must be above 0 and below 1")
    pairs = int(n_samples) * (int(n_samples) - 1) // 2
    if pairs == 0:
        return 2
    if log(pairs) - log(delta) > 600.0:  # smaller probabilities underflow
        raise ValueError(
            f"delta={delta:.3g} divided by 10^{log10(pairs):.0f} pairs is too small a probability "
            "to compute with; raise delta, or lower n_samples"
        )
    if bound == "theorem":
        return _theorem_dim(int(n_samples), float(eps), float(delta))
    return _smallest(lambda m: pairs * float(pair_failure(0.0, m, eps)) <= delta)


def _theorem_dim(n: int, eps: float, delta: float) -> int:
    """Return the paper's dimension: JL at ε/8 for all lengths and chords that its proof uses.

    The proof adds 6 points on the arc of a far pair, hence 6 more lengths and 7 short chords. All
    squares stay within 1 ± ε/8 if 2·exp(−m(s²/4 − s³/6)) ≤ δ/count (Dasgupta & Gupta 2003). One
    step of that proof fails; the repaired proof in docs/spherical-jl.md needs fewer lengths at the
    same precision, so the number holds.
    """
    pairs = n * (n - 1) // 2
    count = n + (6 + 7) * pairs
    s = eps / 8.0
    return int(np.ceil(np.log(2.0 * count / delta) / (s**2 / 4.0 - s**3 / 6.0)))


def _smallest(fits: Any) -> int:
    """Return the smallest m that fits, at least `FEWEST`; all larger m must fit too."""
    if fits(FEWEST):
        return FEWEST
    high = 2 * FEWEST
    while not fits(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high


def pair_failure(theta: float, n_components: int, eps: float) -> float:
    r"""Return the probability that the relative error of an angle exceeds `eps`, if G is Gaussian.

    For x, y at the angle θ and a Gaussian matrix G of m rows, :math:`Gx = u` and
    :math:`Gy = \cos\theta\,u + \sin\theta\,w` with independent u, w. The component of Gy along u is
    :math:`\cos\theta\,U + \sin\theta\,z`, the component across u is :math:`\sin\theta\,V`, where U
    has the distribution :math:`\chi_m`, V has :math:`\chi_{m-1}`, and z is normal. So the new angle
    exceeds a if :math:`z < V\cot a - U\cot\theta`. The probability is the integral of the
    distribution function of one of the three variables over the other two.

    Parameters
    ----------
    theta : float
        The true angle, from 0 to π; 0 stands for the limit of small angles.
    n_components : int
        Number of coordinates after the projection, at least 2.
    eps : float
        A larger relative error counts as a failure.

    Returns
    -------
    float

    Examples
    --------
    >>> round(pair_failure(0.0, 60, 0.25), 3), round(pair_failure(1.6, 60, 0.25), 3)
    (0.055, 0.002)
    """
    if not (isinstance(n_components, Integral) and n_components >= 2):
        raise ValueError(f"n_components={n_components!r} must be an integer of at least 2")
    if not (isinstance(theta, Real) and 0.0 <= theta <= np.pi):
        raise ValueError(f"theta={theta!r} must be an angle from 0 to pi")
    if not (isinstance(eps, Real) and 0.0 < eps < np.inf):
        raise ValueError(f"eps={eps!r} must be a positive number")
    from scipy.stats import chi, f, norm  # a third of a second, which no other part needs

    m = int(n_components)
    if theta < TINY_ANGLE:
        scale = m / (m - 1)  # from a ratio of sums of squares to a ratio of means
        low, high = scale * max(1.0 - eps, 0.0) ** 2, scale * (1.0 + eps) ** 2
        return float(f.cdf(low, m - 1, m) + f.sf(high, m - 1, m))
    flat = 1.0 / np.tan(theta)

    def share(angle: float, above: bool) -> float:
        """Probability of a new angle above `angle`, or below it: 1 − p would lose digits."""
        slope = 1.0 / np.tan(angle)
        V, wV = _nodes(chi(m - 1))
        if abs(flat) < 1.0:
            U, wU = _nodes(chi(m))
            gap = V[:, None] * slope - U * flat
            return float(wV @ ndtr(gap if above else -gap) @ wU)
        # near 0 and π integrate over z instead: Φ would be too steep a function of U
        z, wz = _nodes(norm())
        law = chi(m)
        inside = law.cdf if (flat > 0.0) == above else law.sf
        return float(wV @ inside((V[:, None] * slope - z) / flat) @ wz)

    too_large = share((1.0 + eps) * theta, True) if (1.0 + eps) * theta < np.pi else 0.0
    return float(too_large + (share((1.0 - eps) * theta, False) if eps < 1.0 else 0.0))


@cache
def _gauss() -> tuple[Array, Array]:
    return np.polynomial.legendre.leggauss(200)


def _nodes(law: Any) -> tuple[Array, Array]:
    """Return the nodes and weights of an integral over a distribution."""
    nodes, weights = _gauss()
    low, high = law.ppf(1e-15), law.isf(1e-15)
    x = 0.5 * (high - low) * nodes + 0.5 * (high + low)
    return x, weights * 0.5 * (high - low) * law.pdf(x)
