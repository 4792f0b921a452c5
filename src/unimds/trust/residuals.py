r"""The errors of a map, on the scale where they are alike, and tables with errors like them.

The residual of a pair is what its loss measures: the difference of distances, or of their squares.
Residuals differ in size: by weights, :math:`1/\sqrt w`, and often the residuals of long distances
are larger, by a power of the distance from 0 (the same for all) to 1 (a share of each). Divided by
both, residuals are alike, and any pair may have the residual of any other.

They are smaller than the errors, as the map follows the errors: by a factor of :math:`\sqrt{f/m}`
for m pairs and

.. math:: f = m - n k + k (k + 1) / 2

degrees of freedom, less those of the transformation at a level. A map of least absolute errors
meets as many distances exactly as it has coordinates; these residuals, all 0, are left out instead.
"""

from __future__ import annotations

from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from unimds.levels import Interval, MonotoneSpline, PowerLaw
from unimds.losses import Loss, SquaredDistance
from unimds.trust.study import Study

Array = NDArray[Any]

ZERO = 1e-7
"""Share of the typical distance below which a residual is 0 up to rounding."""
CLEAR = 2.0
"""Standard errors from 0 that the power of the distance must have to count."""


@final
class Errors(NamedTuple):
    """The residuals of a map, alike and as large as the errors.

    Attributes
    ----------
    i, j : ndarray of int
        The points of each known pair; both directions if they differ.
    mapped : ndarray
        The distance of each pair on the map.
    size : ndarray
        How large the residuals of each pair are, relative to others.
    pool : ndarray
        Residuals divided by their size, with mean 0, as large as errors.
    power : float
        The power of the distance that residuals grow with.
    freedom : float
        The degrees of freedom of the residuals.
    squared : bool
        Whether residuals are those of squared distances.
    """

    i: Array
    j: Array
    mapped: Array
    size: Array
    pool: Array
    power: float
    freedom: float
    squared: bool

    def drawn(self, rng: np.random.Generator) -> Array:
        """Return distances of the map with errors that are drawn from the residuals."""
        error = self.size * rng.choice(self.pool, size=len(self.mapped))
        if self.squared:
            return np.asarray(np.sqrt(np.maximum(self.mapped**2 + error, 0.0)))
        return np.asarray(np.maximum(self.mapped + error, 0.0))


def errors_of(study: Study) -> Errors:
    """Return the errors of a map; raise if it has too few pairs to tell."""
    table, result = study.table, study.result
    squared = _is_of_squares(result.loss)
    i, j = table.once()
    mapped = study.mapped()[i, j]
    targets, spent = _targets(study, i, j)
    gap = targets**2 - mapped**2 if squared else targets - mapped
    n, k = table.n, table.k
    coordinates = n * k - k * (k + 1) / 2
    freedom = len(gap) - coordinates - spent
    if freedom < 1.0:
        raise ValueError(
            f"{len(gap)} known pairs are too few to tell their errors from {coordinates:.0f} "
            f"coordinates{' and a transformation' if spent else ''}: use perturbation, or more "
            "points or fewer dimensions"
        )
    alike = gap * np.sqrt(table.weights_at(i, j))
    exact = _exact(alike, mapped, squared, int(coordinates))
    power = grown(np.abs(alike[~exact]), mapped[~exact])
    base = np.maximum(mapped, 1e-3 * float(np.median(mapped))) ** power
    alike = (alike / base)[~exact]
    alike = alike - alike.mean()
    inflation = np.sqrt(max(len(alike) / freedom, 1.0))
    size = base / np.sqrt(table.weights_at(i, j))
    return Errors(i, j, mapped, size, alike * inflation, power, float(freedom), squared)


def _is_of_squares(loss: Loss) -> bool:
    if type(loss).residual is Loss.residual:
        return False
    if isinstance(loss, SquaredDistance):
        return True
    raise ValueError(
        f"{loss} measures errors on a scale of its own, from which distances cannot be drawn; use "
        "jackknife or perturbation"
    )


def _targets(study: Study, i: Array, j: Array) -> tuple[Array, float]:
    """Return what the map was to match, and how many parameters of a transformation were fitted.

    A transformation of ranks follows the errors, as it is free at every step. So here a smooth
    rising curve of the dissimilarities takes its place, which hardly follows them.
    """
    result = study.result
    if result.scaling is None:
        return study.targets()[i, j], 0.0
    if len(result.scaling.codes.blocks) > 1:
        raise ValueError(
            'conditional="row" gives every row a transformation of its own, and errors cannot be '
            "told from these; use jackknife or perturbation"
        )
    assert result.transformation is not None
    level = result.transformation.level
    if level.in_steps:
        curve = MonotoneSpline()
        return _smooth(curve, study, i, j), float(curve.degree + curve.knots)
    if isinstance(level, MonotoneSpline):
        return study.targets()[i, j], float(level.degree + level.knots)
    spent = 1.0 if isinstance(level, Interval | PowerLaw) else 2.0
    return study.targets()[i, j], spent


def _smooth(curve: MonotoneSpline, study: Study, i: Array, j: Array) -> Array:
    """Return the distances that a smooth rising curve of the dissimilarities fits to the map."""
    d, w = study.table.D[i, j].astype(np.float64), study.table.weights_at(i, j)
    different, code = np.unique(d, return_inverse=True)
    weight = np.bincount(code, w)
    mean = np.bincount(code, w * study.mapped()[i, j]) / weight
    known = curve.prepare(different, different)
    return np.asarray(curve.project(known, mean, weight))[code]


def _exact(alike: Array, mapped: Array, squared: bool, coordinates: int) -> Array:
    """Return which residuals are 0 because the map could meet so many distances exactly."""
    typical = float(np.median(mapped)) ** (2 if squared else 1)
    exact = np.abs(alike) <= ZERO * typical
    most = np.zeros(len(alike), dtype=bool)
    most[np.flatnonzero(exact)[:coordinates]] = True
    return most if most.sum() < len(alike) else np.zeros(len(alike), dtype=bool)


def grown(size: Array, mapped: Array) -> float:
    """Return the power of the distance that residuals grow with, from 0 to 1; 0 unless it is clear.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> d = rng.uniform(1.0, 10.0, 400)
    >>> error = np.abs(rng.normal(size=400))
    >>> grown(error, d), 0.7 < grown(d * error, d) <= 1.0
    (0.0, True)
    """
    some = (size > 0.0) & (mapped > 0.0)
    if np.count_nonzero(some) < 10:
        return 0.0
    x, y = np.log(mapped[some]), np.log(size[some])
    x = x - x.mean()
    spread = float(x @ x)
    if spread <= 0.0:
        return 0.0
    slope = float(x @ y) / spread
    rest = y - y.mean() - slope * x
    error = float(np.sqrt(rest @ rest / (len(x) - 2) / spread))
    return float(np.clip(slope, 0.0, 1.0)) if slope > CLEAR * error else 0.0
