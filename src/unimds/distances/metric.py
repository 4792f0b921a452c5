"""Distances between rows of features."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import warn
from unimds.distances.standard import MAXIMA, STANDARDISE, largest_of, standardised

if TYPE_CHECKING:
    from unimds.files.table import Table

Array = NDArray[Any]

METRICS = (
    *("euclidean", "l2", "sqeuclidean", "seuclidean", "nan_euclidean", "mahalanobis"),
    *("manhattan", "cityblock", "l1", "chebyshev", "minkowski", "canberra", "braycurtis"),
    *("cosine", "correlation", "haversine", "hamming", "matching", "jaccard", "dice"),
    *("rogerstanimoto", "russellrao", "sokalsneath", "yule", "hellinger", "precomputed"),
)
"""Metrics by their names in scikit-learn, and Hellinger's."""

IN_R = 'make the table in R, write.csv(as.matrix(vegdist(x, "{}")), "d.csv"), and embed this table'
REMEDIES = {
    "pearson": "use metric='correlation', which is 1 − r",
    "spearman": "rank each row, scipy.stats.rankdata(X, axis=1), and use metric='correlation'",
    "aitchison": "take logarithms of the proportions, subtract the mean of each row, and use "
    "metric='euclidean'",
    "chord": "the chord distance is √(2d) for the distance d by 'cosine', which orders all pairs "
    "alike; or divide each row by its length, and use 'euclidean'",
    **dict.fromkeys(
        ("sorensen", "srensen", "soerensen", "sorenson"),
        "use 'dice' for presence and absence, or 'braycurtis' for counts",
    ),
    **dict.fromkeys(("steinhaus", "czekanowski", "odum"), "use 'braycurtis'"),
    "gower": "divide each column by its range, and use 'manhattan', which is Gower's distance "
    "times the number of columns; for columns of words, make the table with R's cluster::daisy, "
    "and embed it",
    **{
        name: IN_R.format(name)
        for name in ("morisita", "horn", "kulczynski", "chao", "cao", "raup", "mountford")
    },
    **dict.fromkeys(("morisitahorn", "hornmorisita"), IN_R.format("horn")),
    "raupcrick": IN_R.format("raup"),
    **dict.fromkeys(
        ("chisquare", "chisquared", "chisq", "chi2"),
        "divide each row by its sum, and each column by the root of its share in the total of the "
        "counts, and use 'euclidean'",
    ),
    **dict.fromkeys(
        ("greatcircle", "geodesic", "geographic"),
        "use 'haversine' for latitude and longitude in radians; or make the table from degrees in "
        "Python, unimds.datasets.great_circle(latlon), and embed it",
    ),
}
"""What to do for a metric that goes by another name, or is two steps."""


def unknown_metric(name: str) -> str:
    """Return the message for a metric of an unknown name, which says what to do instead.

    Examples
    --------
    >>> print(unknown_metric("bray"))
    metric='bray' is unknown; did you mean 'braycurtis'?
    >>> print(unknown_metric("pearson"))
    metric='pearson' is unknown; use metric='correlation', which is 1 − r
    """
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    if plain in REMEDIES:
        return f"metric={name!r} is unknown; {REMEDIES[plain]}"
    near = [known for known in METRICS if len(plain) > 2 and known.startswith(plain)]
    near = near or get_close_matches(plain, METRICS, 2, 0.7)
    if near:
        return f"metric={name!r} is unknown; did you mean {' or '.join(map(repr, near))}?"
    return (
        f"metric={name!r} is unknown; use one of {', '.join(METRICS)}, a function of two rows, or "
        "distances of your own with metric='precomputed'"
    )


class RowsWarning(UserWarning):
    """A warning of some rows of features, which may have labels.

    Parameters
    ----------
    told, effect : str
        What is wrong with the rows, and what follows.
    rows : list of int
        Their numbers.
    labels : sequence, default=None
        The labels of all rows, if they have any.
    name : str, default="X"
        The argument that has the rows.

    Examples
    --------
    >>> print(RowsWarning("there is no value", [2, 5, 7], "drop the rows"))
    there is no value (X[2] and X[5], and 1 more): drop the rows
    """

    def __init__(
        self,
        told: str,
        rows: list[int],
        effect: str,
        labels: Sequence[Any] | None = None,
        name: str = "X",
    ):
        super().__init__(told, rows, effect, labels, name)

    def __str__(self) -> str:
        return self.named(None)

    def named(self, labels: Sequence[Any] | None) -> str:
        """Return the message with labels, if there are any, in place of numbers."""
        told, rows, effect, own, name = self.args
        labels = own if labels is None else labels
        few = [f"{name}[{row}]" if labels is None else repr(labels[row]) for row in rows[:2]]
        more = f", and {len(rows) - 2} more" if len(rows) > 2 else ""
        return f"{told} ({' and '.join(few)}{more}): {effect}"


class EmptyRowsWarning(RowsWarning):
    """A warning of rows of zeros, which a metric puts equally far from all other rows."""


PROPORTIONS = ("braycurtis", "cosine", "jaccard", "dice")
"""Metrics that compare the shares of rows, which rows of zeros do not have."""
PRESENCE = (
    *("jaccard", "dice", "rogerstanimoto", "russellrao", "sokalmichener", "sokalsneath", "yule"),
)
"""Metrics of presence and absence: every number but 0 counts as present."""


def empty_rows(metric: Any, features: Array) -> list[int]:
    """Return the rows of zeros, if they are equally far from all other rows by this metric.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [0.0, 0.0]])
    >>> empty_rows("braycurtis", X), empty_rows("euclidean", X)
    ([1], [])
    """
    if not isinstance(metric, str) or metric not in PROPORTIONS or not np.size(features):
        return []
    return [int(i) for i in np.flatnonzero(~np.asarray(features).any(axis=1))]


def warn_of_empty_rows(metric: Any, features: Array) -> None:
    """Warn of rows of zeros under a metric that cannot place them."""
    rows = empty_rows(metric, features)
    if rows:
        are = "a row is" if len(rows) == 1 else "rows are"
        told = f"metric={metric!r}: {are} empty (all zeros)"
        effect = (
            "an empty row is at the distance 1 from every other row, which says nothing about its "
            "place; drop it, or choose another metric"
        )
        warn(EmptyRowsWarning(told, rows, effect), EmptyRowsWarning)


@final
@dataclass(frozen=True)
class Metric:
    """A distance of rows, as in `sklearn.metrics.pairwise_distances`, or Hellinger's.

    Hellinger's distance, as in `unimds.hellinger_distances`, is the Euclidean between the square
    roots of proportions, divided by √2.

    Attributes
    ----------
    name : str or callable
        The metric.
    params : dict
        Its further arguments. "standardise" says how counts are standardised before they are
        measured, as in `unimds.distances.standard`.
    """

    name: Any
    params: dict[str, Any]

    def learnt(self, features: Array) -> Metric:
        """Return the metric with the arguments that it takes from all of the data, if any.

        A metric that cannot measure these features is refused, and pairs of rows for which it has
        no value are reported.
        """
        if STANDARDISE in self.params:
            return self._learnt_of_counts(features)
        if not isinstance(self.name, str):
            self._warn_of_gaps(features)
            return self
        if self.name == "haversine":
            _check_radians(features)
        if self.name == "hellinger":
            _roots(features)
        found = self
        if self.name == "seuclidean" and "V" not in self.params:
            found = replace(self, params={**self.params, "V": _variances(features)})
        if self.name == "mahalanobis" and not {"V", "VI"} & set(self.params):
            inverse = _inverse_covariance(features)
            found = replace(self, params={**self.params, "VI": inverse})
        if self.name != "euclidean" or self.params:  # that one measures all numbers
            found._try(features)
        found._warn_of_gaps(features)
        found._warn_of_presence(features)
        if self.name == "braycurtis":
            _warn_of_negative(features)
        return found

    def _learnt_of_counts(self, features: Array) -> Metric:
        """Return the metric with the maxima of the features, by which new rows are standardised."""
        names = self.params[STANDARDISE]
        maxima = self.params.get(MAXIMA, largest_of(features, names))
        plain = self._plain.learnt(standardised(features, names, maxima))
        return replace(plain, params={**plain.params, STANDARDISE: names, MAXIMA: maxima})

    @property
    def _plain(self) -> Metric:
        """The metric between rows that have been standardised."""
        kept = {k: v for k, v in self.params.items() if k not in (STANDARDISE, MAXIMA)}
        return replace(self, params=kept)

    def _try(self, features: Array) -> None:
        """Raise if a metric by its name is unknown, or if its arguments do not suit it."""
        try:
            with warnings.catch_warnings():  # the fit repeats what is to be said
                warnings.simplefilter("ignore")
                self.between(features[:1], features[:1])
        except (TypeError, ValueError, np.linalg.LinAlgError) as error:
            if self.name not in METRICS:
                raise ValueError(unknown_metric(self.name)) from None
            told = str(error).partition(". ")[0].partition("\n")[0] or type(error).__name__
            given = f" and metric_params={self.params!r}" if self.params else ""
            raise ValueError(f"metric={self.name!r}{given} cannot measure X: {told}") from error

    def _warn_of_gaps(self, features: Array) -> None:
        """Warn if rows of equal numbers, or two rows of zeros, have no distance by this metric."""
        if self.name in ("euclidean", "nan_euclidean") or features.shape[1] == 0:
            return
        equal = (features == features[:, :1]).all(axis=1)
        flat, other = np.flatnonzero(equal), np.flatnonzero(~equal)[:1]
        zero = flat[features[flat, 0] == 0.0]
        if flat.size and other.size and self._has_gap(features[flat[:1]], features[other]):
            self._warn_of_gap("for rows of equal numbers", flat)
        elif zero.size > 1 and self._has_gap(features[zero[:1]], features[zero[1:2]]):
            self._warn_of_gap("between two rows of zeros", zero)

    def _warn_of_presence(self, features: Array) -> None:
        """Warn if a metric of presence and absence is given amounts."""
        if self.name in PRESENCE and not ((features == 0.0) | (features == 1.0)).all():
            warn(
                f"metric={self.name!r} compares presence and absence: every number but 0 counts as "
                "present, and amounts do not count. For abundances use metric='braycurtis'; to say "
                "that presence is meant, give X != 0",
                UserWarning,
            )

    def _has_gap(self, A: Array, B: Array) -> bool:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return bool(np.isnan(self.between(A, B)).any())

    def _warn_of_gap(self, where: str, rows: Array) -> None:
        told = f"metric={self.name!r} has no value {where}"
        effect = (
            "these distances are missing (NaN), and do not count; drop the rows, or choose another "
            "metric"
        )
        warn(RowsWarning(told, rows.tolist(), effect), RowsWarning)

    def between(self, A: Array, B: Array | None = None) -> Array:
        """Return the distances of the rows of `A` to those of `B`, or among each other."""
        from sklearn.metrics import pairwise_distances  # not cheap, and not for given distances

        if STANDARDISE in self.params:
            how = self.params[STANDARDISE], self.params[MAXIMA]
            B = None if B is None else standardised(B, *how)
            return self._plain.between(standardised(A, *how), B)
        if self.name == "hellinger":
            A, B = _roots(A), None if B is None else _roots(B)
            D = Metric("euclidean", self.params).between(A, B)
            return np.asarray(D * np.sqrt(0.5), dtype=A.dtype)
        if self.name in ("euclidean", "l2"):
            # scikit-learn's formula cancels where features are far from zero, as dates are
            centre = (A if B is None else B).mean(axis=0, dtype=np.float64).astype(A.dtype)
            A, B = A - centre, None if B is None else B - centre
        dtype = A.dtype
        if self.name in PRESENCE:  # as scikit-learn does, with a warning for each block
            A, B = A != 0.0, None if B is None else B != 0.0
        D = pairwise_distances(A, B, metric=self.name, **self.params)
        return np.asarray(D, dtype=dtype)


def _warn_of_negative(features: Array) -> None:
    """Warn of rows whose Bray–Curtis distances mean nothing."""
    rows = np.flatnonzero((features < 0.0).any(axis=1))
    if rows.size:
        told = "metric='braycurtis' is meant for counts, and some rows hold negative numbers"
        effect = "their distances may mean nothing; correct the numbers, or choose another metric"
        warn(RowsWarning(told, rows.tolist(), effect), RowsWarning)


def _roots(features: Array) -> Array:
    """Return the square roots of the proportions in each row, or raise if it has none."""
    if (features < 0.0).any():
        i, j = np.argwhere(features < 0.0)[0]
        raise ValueError(
            f"metric='hellinger' compares proportions, and X[{i}, {j}] = {features[i, j]:g} is "
            "negative; correct it, or choose another metric"
        )
    sums = features.sum(axis=1, keepdims=True)
    empty = np.flatnonzero(sums == 0.0)
    if empty.size:
        raise ValueError(
            f"metric='hellinger' compares proportions, and X[{empty[0]}] is empty; drop such rows"
        )
    return np.asarray(np.sqrt(features / sums))


def _check_radians(features: Array) -> None:
    """Raise if rows are not latitude and longitude in radians."""
    if features.shape[1] != 2:
        raise ValueError(
            "metric='haversine' needs two features, latitude and longitude in radians, and X has "
            f"{features.shape[1]}; choose these two columns, or another metric"
        )
    latitude = np.abs(features[:, 0])
    if (latitude > 0.5 * np.pi + 1e-6).any():
        i = int(np.argmax(latitude))
        raise ValueError(
            f"metric='haversine' needs latitude and longitude in radians, and X[{i}] has the "
            f"latitude {features[i, 0]:g}, outside −π/2…π/2; for degrees, use np.radians(X)"
        )


def _variances(features: Array) -> Array:
    _check_rows(features, "seuclidean")
    variances = np.var(features, axis=0, ddof=1)
    _check_no_constant(variances, "seuclidean", "features that vary")
    return np.asarray(variances)


def _inverse_covariance(features: Array) -> Array:
    """Return the inverse of the covariance of features, or say why there is none."""
    _check_rows(features, "mahalanobis")
    n, m = features.shape
    covariance = np.atleast_2d(np.cov(features.T))
    spread = np.sqrt(np.diagonal(covariance))
    _check_no_constant(spread, "mahalanobis", "a covariance that can be inverted")
    rank = int(np.linalg.matrix_rank(covariance / np.outer(spread, spread)))
    if rank < m:
        reason = f"only {n} rows" if rank == n - 1 else "features that others determine"
        raise ValueError(
            f"metric='mahalanobis' needs a covariance that can be inverted, and the covariance of "
            f"the {m} features of X has rank {rank}: X has {reason}. Drop features, or give "
            "metric_params={'VI': np.linalg.pinv(np.cov(X.T))}"
        )
    return np.asarray(np.linalg.inv(covariance).T)


def _check_rows(features: Array, name: str) -> None:
    if len(features) < 2:
        raise ValueError(f"metric={name!r} learns from X, and needs at least 2 rows; X has 1")


def _check_no_constant(spread: Array, name: str, need: str) -> None:
    constant = np.flatnonzero(spread == 0.0)
    if constant.size:
        raise ValueError(
            f"metric={name!r} needs {need}, and X[:, {constant[0]}] is constant; drop the constant "
            "features"
        )


def distances_of(table: Table, metric: str, params: dict[str, Any] | None = None) -> Array:
    """Return the distances of a file: those it holds, or those between its points by a metric."""
    if table.precomputed:
        return table.values
    return Metric(metric, params or {}).learnt(table.values).between(table.values)


def warn_of_distances(features: Array) -> None:
    """Warn where what is given as features looks like a table of distances."""
    n, m = features.shape
    if n == m > 1 and not np.diagonal(features).any() and np.array_equal(features, features.T):
        warn(
            "X looks like a table of distances (square, symmetric, zero diagonal), but is used as "
            "features; use metric='precomputed' if it is one",
            UserWarning,
        )
