"""How much a projection changes angles."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, gen_batches

from unimds.distributions.unit_rows import angles, canonical, unit_rows

Array = NDArray[np.floating[Any]]

BLOCK_BYTES = 2**26
SAME = 1e-14  # rounding may leave an angle this large between equal directions
EDGES = np.concatenate([[0.0], np.geomspace(1e-3, 1e3, 6001), [np.inf]])  # bins of 0.23 %


@dataclass(frozen=True, eq=False)
class AngularDistortion:
    """Ratios of the angles after a projection to the angles before it.

    Attributes
    ----------
    largest : float
        The largest relative error of an angle.
    mean, rms : float
        The mean absolute relative error, and the root of the mean squared relative error.
    lowest, highest : float
        The smallest and the largest ratio of a new angle to the old angle.
    constant : float
        The constant c of the paper's definition that minimises the distortion: all c·ratio lie
        within 1 ± `distortion`.
    distortion : float
        The largest relative error with that constant.
    worst_pair : (int, int)
        The pair with the largest relative error.
    n_pairs : int
        Number of pairs, without those at angle zero.
    """

    largest: float
    mean: float
    rms: float
    lowest: float
    highest: float
    constant: float
    distortion: float
    worst_pair: tuple[int, int]
    n_pairs: int
    counts: NDArray[np.int64] = field(repr=False)

    def quantile(self, share: float) -> float:
        """Return a quantile of the ratios, to a quarter of a per cent.

        Ratios above a thousand are counted together, and so are ratios below a thousandth.

        Examples
        --------
        >>> import numpy as np
        >>> X = np.eye(3)
        >>> round(angular_distortion(X, X).quantile(0.5), 2)
        1.0
        """
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"share={share!r} must lie between 0 and 1")
        if self.n_pairs == 0:
            return 1.0
        at = int(np.searchsorted(np.cumsum(self.counts), share * self.n_pairs))
        low, high = EDGES[min(at, len(EDGES) - 2)], EDGES[min(at, len(EDGES) - 2) + 1]
        middle = np.sqrt(low * high) if low > 0.0 and np.isfinite(high) else max(low, 0.0)
        return float(np.clip(middle, self.lowest, self.highest))


def angular_distortion(Y: Any, X: Any, /) -> AngularDistortion:
    """Compare the angles between projected points with the angles between the original points.

    The function works block by block: it never holds a table of all pairs.

    Parameters
    ----------
    Y : array-like or sparse matrix of shape (n, n_features)
        The original points; only their directions matter.
    X : array-like or sparse matrix of shape (n, n_components)
        The projected points, in the same order.

    Returns
    -------
    AngularDistortion

    Examples
    --------
    >>> import numpy as np
    >>> from unimds import SphericalRandomProjection, angular_distortion
    >>> Y = np.random.default_rng(0).normal(size=(50, 3000))
    >>> X = SphericalRandomProjection(eps=0.25, random_state=0).fit_transform(Y)
    >>> angular_distortion(Y, X).largest < 0.25
    True
    """
    before, after = _points(Y, "the original points"), _points(X, "the projected points")
    n = before.shape[0]
    if after.shape[0] != n:
        raise ValueError(
            f"there are {n} original points and {after.shape[0]} projected points: pass the same "
            "points before and after the projection, in this order"
        )
    counts = np.zeros(len(EDGES) - 1, dtype=np.int64)
    total, squares, n_pairs = 0.0, 0.0, 0
    lowest, highest, worst, worst_pair = np.inf, 0.0, -1.0, (0, 0)
    for rows in gen_batches(n, max(1, BLOCK_BYTES // (8 * n))):
        old, new = (angles(points[rows], points[: rows.stop]) for points in (before, after))
        pair = (np.arange(rows.stop) < np.arange(rows.start, rows.stop)[:, None]) & (old > SAME)
        if not pair.any():
            continue
        ratio = new[pair] / old[pair]
        error = np.abs(ratio - 1.0)
        counts += np.histogram(ratio, EDGES)[0]
        total, squares = total + float(error.sum()), squares + float(np.sum(error * error))
        n_pairs += ratio.size
        lowest, highest = min(lowest, float(ratio.min())), max(highest, float(ratio.max()))
        if error.max() > worst:
            i, j = np.argwhere(pair)[int(error.argmax())]
            worst, worst_pair = float(error.max()), (int(j), int(i) + rows.start)
    if n_pairs == 0:
        return AngularDistortion(0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, (0, 0), 0, counts)
    return AngularDistortion(
        largest=worst,
        mean=total / n_pairs,
        rms=float(np.sqrt(squares / n_pairs)),
        lowest=lowest,
        highest=highest,
        constant=2.0 / (lowest + highest) if highest > 0.0 else 1.0,
        distortion=(highest - lowest) / (highest + lowest) if highest > 0.0 else 1.0,
        worst_pair=worst_pair,
        n_pairs=n_pairs,
        counts=counts,
    )


def _points(points: Any, name: str) -> Any:
    table = check_array(points, accept_sparse="csr", dtype=np.float64, input_name=f"({name})")
    return unit_rows(canonical(table), name)
