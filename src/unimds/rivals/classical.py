"""Classical MDS (Torgerson 1952), which the paper calls cMDS or the SVD method."""

from __future__ import annotations

from numpy.typing import ArrayLike

from unimds.losses import Loss
from unimds.placecenter.result import Result
from unimds.rivals.base import Steps, follow, pose, seed
from unimds.spaces import Euclidean


def classical_mds(D: ArrayLike, n_components: int = 2, *, loss: str | Loss = "squared") -> Result:
    r"""Classical MDS: the top eigenvectors of the double-centred :math:`-D^2/2`.

    It minimises the error of inner products, not of distances, and needs no iteration.

    Parameters
    ----------
    D : array-like of shape (n, n)
        Distances without missing values.
    n_components : int, default=2
        Dimension of the map.
    loss : str or Loss, default="squared"
        Measures the cost in the result.

    Returns
    -------
    Result

    Examples
    --------
    >>> from unimds.rivals import classical_mds
    >>> round(classical_mds([[0, 3, 4], [3, 0, 5], [4, 5, 0]]).cost, 9)
    0.0
    """
    problem = pose(D, n_components, loss, Euclidean())

    def steps() -> Steps:
        yield seed(problem, "classical", 0), None

    return follow(problem, steps(), max_iter=1)
