"""The function `place_center`: PlaceCenter for those who need no estimator."""

from __future__ import annotations

import os
from typing import Any

from numpy.typing import ArrayLike

from unimds._runtime.watch import Callback
from unimds.checkpoint import Checkpoint
from unimds.distances.inputs import labels_of, weights_by_label
from unimds.distances.objects.taking import kind_of
from unimds.distances.validate import points_named
from unimds.estimators.parameters import check_parameters, documented
from unimds.estimators.solver import Solver
from unimds.levels import Level
from unimds.losses import Loss
from unimds.placecenter.result import Result
from unimds.spaces.base import Space


@documented
def place_center(
    D: ArrayLike,
    n_components: int = 2,
    *,
    loss: str | Loss = "squared",
    space: str | Space = "euclidean",
    level: str | Level = "ratio",
    conditional: str = "table",
    weights: ArrayLike | None = None,
    fixed: Any = None,
    init: str | ArrayLike = "auto",
    n_init: int | str = "auto",
    max_iter: int = 2000,
    eps: float = 1e-7,
    smoothing: float | str = "auto",
    solver: str = "auto",
    accelerate: bool = True,
    inner_iter: int = 1,
    dtype: str | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    callback: Callback | None = None,
    verbose: int = 0,
    checkpoint: str | os.PathLike[str] | Checkpoint | None = None,
) -> Result:
    r"""Embed a table of distances: minimise Σ loss(dist(x_i, x_j), d_ij) over points of a space.

    Parameters
    ----------
    D : array-like of shape (n, n)
        Distances; NaN where one is missing. An asymmetric table is used as such: both directions
        of a pair count half. The columns of a data frame are matched with its rows by label, and
        the map has the order of the rows. A condensed vector, a graph and other objects are taken
        too, see :doc:`/objects`. The table may be in a file, as `numpy.memmap`; or, if it is
        symmetric, on a cluster, as a dask array.
    {n_components}
    {loss}
    {space}
    {level}
    {conditional}
    weights : array-like of shape (n, n), default=None
        Weight of each pair in the cost; 0 leaves it out.
    fixed : dict or array-like of shape (n, n_coordinates), default=None
        Points that stay where they are: ``{index: coordinates}``, or one row a point with NaN for
        points that may move.
    {others}

    Returns
    -------
    Result
        The embedding, its cost, the history and why the run ended.

    Notes
    -----
    With :math:`u_j = dist(x_i, x_j)`, one placement is

    .. math:: x_i \leftarrow \exp_{x_i}\left(
        \frac{\sum_j w_j (1 - \rho_j / u_j) \log_{x_i}(x_j)}{\sum_j w_j} \right)

    where w and ρ come from the loss's majorizer. ``smoothing=0, accelerate=False,
    inner_iter=100, n_init=1`` runs the paper's pseudo-code as printed.

    Examples
    --------
    >>> from unimds import place_center
    >>> result = place_center([[0, 3, 4], [3, 0, 5], [4, 5, 0]])
    >>> result.embedding.shape, round(result.cost, 6), result.converged
    ((3, 2), 0.0, True)
    """
    descent = (max_iter, eps, smoothing, solver, accelerate, inner_iter, dtype)
    run = Solver(
        level,
        conditional,
        init,
        n_init,
        *descent,
        n_jobs,
        random_state,
        callback,
        verbose,
        checkpoint,
    )
    check_parameters("place_center", n_components=n_components, loss=loss, space=space)
    check_parameters("place_center", **vars(run))
    labels = labels_of(D, square=True)
    if kind_of(D) is not None or kind_of(weights) is not None:  # a solver knows frames of pandas
        weights = weights_by_label(weights, labels)
    with points_named(labels):
        return run.solve(D, n_components, loss, space, weights, fixed)
