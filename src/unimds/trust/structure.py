r"""Is there structure at all? The stress of the data beside that of permuted data.

Any table can be drawn as a map, and a table of few points has a low stress whatever its numbers
are. A permutation test asks whether the map of the data has less stress than maps of the same
numbers in another order:

.. math:: p = \frac{1 + \#\{\text{permuted stress} \le \text{observed stress}\}}{1 + B}

Where nothing but chance decides which pair has which dissimilarity, the table is one of its
permutations, and p is uniform. That is exact if all tables are fitted in the same way: so the data
are fitted anew, from as many starts of the same kind as each permutation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unimds._runtime.words import counted
from unimds.estimators.mds import MDS
from unimds.losses import Loss, Squared
from unimds.placecenter.result import Outcome, Result, targets_of
from unimds.quality import total_cost
from unimds.trust.study import (
    StudiedTable,
    all_done,
    check_count,
    fit_anew,
    loss_and_space,
    seed_of,
    table_of,
    warn_of_interruption,
)

Array = NDArray[Any]

WAYS = ("auto", "pairs", "columns")
ROUNDING = 1e-9
"""A permuted stress that is higher by less is as low."""
EXACT = 1e-6
"""Stress below this is none: which of two perfect maps has less, rounding would decide."""
FEWEST = 3
"""Points from which permutations of their pairs are different tables."""


@final
@dataclass(frozen=True, eq=False)
class PermutationTest:
    """Whether the data have structure that a map can show.

    Attributes
    ----------
    observed : float
        The stress of the data, fitted in the same way as the permuted tables.
    permuted : ndarray of shape (n_permutations,)
        The stress of each permuted table.
    p_value : float
        (1 + how many of them are as low) / (1 + how many there are).
    statistic : {"stress_1", "relative_cost"}
        What "stress" is here: Kruskal's Stress-1, or, of a loss other than the squared, the cost
        divided by the cost of a map with all points in one place, which a few wrong distances do
        not dominate.
    permute : {"pairs", "columns"}
        What was permuted.
    n_points, n_components : int
        Number of points, and dimension of the maps.
    interrupted : bool
        Whether ^C ended the test; the permutations that were done count.
    """

    observed: float
    permuted: Array
    p_value: float
    statistic: str
    permute: str
    n_points: int
    n_components: int
    interrupted: bool = False

    @property
    def n_permutations(self) -> int:
        """Number of permutations."""
        return len(self.permuted)

    @property
    def z(self) -> float:
        """By how many standard deviations the observed stress is below the permuted ones."""
        spread = float(self.permuted.std(ddof=1)) if self.n_permutations > 1 else 0.0
        gap = float(self.permuted.mean()) - self.observed
        return gap / spread if spread > 0.0 else float("nan")

    @property
    def sentence(self) -> str:
        """The outcome in words."""
        name = STATISTICS[self.statistic]
        low = round(self.p_value * (1 + self.n_permutations)) - 1
        beside = (
            f"{name} {self.observed:.3g}; of {counted(self.n_permutations, 'permuted table')} "
            f"{'none has' if low == 0 else f'{low} have' if low > 1 else 'one has'} so little "
            f"({float(self.permuted.mean()):.3g} on average): p = {told(self.p_value)}."
        )
        if self.p_value <= CLEAR:
            return f"There is structure. {beside}"
        if 1.0 / (1.0 + self.n_permutations) > CLEAR:
            return f"{beside} With so few permutations p cannot be less than 0.05: make more."
        what = (
            "maps of the same numbers" if self.permute == "pairs" else "features without relation"
        )
        return f"No structure that this map shows: {what} fit as well. {beside}"

    def __repr__(self) -> str:
        """Return the outcome in words."""
        return self.sentence


STATISTICS = {"stress_1": "Stress-1", "relative_cost": "Relative cost"}
CLEAR = 0.05
"""The p-value up to which the words say that there is structure."""


def told(p: float) -> str:
    """Return a p-value for people.

    Examples
    --------
    >>> told(0.001), told(0.5)
    ('0.001', '0.5')
    """
    return f"{p:.2g}"


def permutation_test(
    mds: MDS,
    X: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    n_permutations: int = 99,
    permute: str = "auto",
    n_jobs: int | None = None,
    random_state: Any = None,
    verbose: int = 0,
) -> PermutationTest:
    """Test whether a table has structure that a map can show, by permutations.

    Parameters
    ----------
    mds : MDS
        What maps are made: dimension, loss, space and level. If it is fitted, `X` may be left out.
    X : array-like, default=None
        Features, or distances with NaN where one is missing, as ``mds.fit`` takes them; by default
        what `mds` was fitted to.
    weights : array-like of shape (n, n), default=None
        Weight of each pair. A weight goes with its dissimilarity.
    n_permutations : int, default=99
        Number of permuted tables.
    permute : {"auto", "pairs", "columns"}, default="auto"
        "pairs" permutes the known dissimilarities among the pairs: is there any structure? With
        ``conditional="row"``, those of an asymmetric table within each row. "columns" permutes the
        values of each feature among the points, and measures distances anew: do the features go
        together? "auto" permutes columns of features, and pairs of dissimilarities.
    n_jobs : int, default=None
        Number of threads, which share the fits. The outcome does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the permutations and of the fits.
    verbose : int, default=0
        1 shows a progress bar on standard error.

    Returns
    -------
    PermutationTest

    Notes
    -----
    All tables are fitted from the same number and kind of starts, those of one fold of
    `MDSSearchCV`, so `observed` may differ from ``mds.stress_`` a little. It is smacof's
    ``permtest``, but for the fits and for the two ones in p, without which p could be 0.

    References
    ----------
    P. Mair, I. Borg and T. Rusch, *Goodness-of-fit assessment in multidimensional scaling and
    unfolding*, Multivariate Behavioral Research 51 (2016).

    Examples
    --------
    >>> import numpy as np
    >>> from unimds import MDS
    >>> from unimds.spaces import distances
    >>> from unimds.trust import permutation_test
    >>> rng = np.random.default_rng(0)
    >>> D = distances(rng.normal(size=(12, 2))) * rng.uniform(0.7, 1.3, size=(12, 12))
    >>> mds = MDS(metric="precomputed")
    >>> permutation_test(mds, (D + D.T) / 2, n_permutations=39, random_state=0).p_value
    0.025
    """
    count = check_count(n_permutations, "n_permutations", 1)
    table = table_of(mds, X, weights)
    permute = _way(permute, table)
    if table.n <= FEWEST:
        raise ValueError(
            f"permuting the pairs of {table.n} points changes nothing: {FEWEST + 1} points are "
            "needed at least"
        )
    seed = seed_of(random_state)

    def one(number: int) -> _Fit:
        rng = np.random.default_rng([seed, number])
        data = (table.D, table.W) if number == 0 else _permuted(table, permute, rng)
        result = fit_anew(table, *data, int(rng.integers(2**31)))
        return _Fit(_statistic(result, *data), result.outcome)

    numbers = range(count + 1)
    what = f"{count} permutations"
    done, interrupted = all_done(one, numbers, what, n_jobs, verbose, lambda fit: fit.outcome)
    found = {number: fit.value for number, fit in done}
    if 0 not in found or len(found) < 2:
        raise KeyboardInterrupt
    if interrupted:
        warn_of_interruption(len(found) - 1, count, "permutations")
    observed = found.pop(0)
    permuted = np.array(list(found.values()))
    as_low = int(np.count_nonzero(permuted <= max(observed * (1.0 + ROUNDING), EXACT)))
    if _all_same(table):
        as_low = len(permuted)
    p = (1.0 + as_low) / (1.0 + len(permuted))
    name = statistic_of(loss_and_space(mds)[0])
    return PermutationTest(observed, permuted, p, name, permute, table.n, table.k, interrupted)


def _all_same(table: StudiedTable) -> bool:
    """Whether every permutation is the table itself; only the starts of their maps differ."""
    known = table.D[table.known()]
    return float(np.ptp(known)) <= ROUNDING * float(np.max(known))


class _Fit(NamedTuple):
    value: float
    outcome: Outcome


def statistic_of(loss: Loss) -> str:
    """Return what is compared: the stress, or the cost of another loss than the squared."""
    return "stress_1" if type(loss) is Squared else "relative_cost"


def _statistic(result: Result, D: Array, W: Array | None) -> float:
    if statistic_of(result.loss) == "stress_1":
        assert result.stress is not None
        return float(result.stress)
    targets = targets_of(D.astype(np.float64), result)
    one_place = np.repeat(np.asarray(result.embedding[:1], dtype=np.float64), len(D), axis=0)
    worst = total_cost(targets, one_place, loss=result.loss, space=result.space, weights=W)
    return result.cost / worst if worst > 0.0 else 0.0


def _way(permute: str, table: StudiedTable) -> str:
    """Return what to permute."""
    if permute not in WAYS:
        raise ValueError(f"permute={permute!r} is not known: use one of {', '.join(WAYS)}")
    if permute == "auto":
        return "pairs" if table.features is None else "columns"
    if permute == "columns" and table.features is None:
        raise ValueError(
            'permute="columns" needs features, a row for each point; these are distances: use '
            'permute="pairs"'
        )
    if permute == "columns" and table.W is not None:
        raise ValueError('permute="columns" makes other distances, which these weights are not for')
    return permute


def _permuted(
    table: StudiedTable, permute: str, rng: np.random.Generator
) -> tuple[Array, Array | None]:
    """Return a permuted table and its weights."""
    if permute == "columns":
        assert table.features is not None
        return table.measured(rng.permuted(table.features, axis=0)), None
    if table.both and table.mds.conditional == "row":
        return within_rows(table, rng)
    return among_pairs(table, rng)


def among_pairs(table: StudiedTable, rng: np.random.Generator) -> tuple[Array, Array | None]:
    """Return the table with its known pairs in another order; both directions stay together.

    Missing pairs stay where they are: without that, some permutations would fall apart.
    """
    known = table.known()
    i, j = np.nonzero(np.triu(known | known.T))
    there = rng.permutation(len(i))

    def moved(part: Array) -> Array:
        found = part.copy()
        found[i, j], found[j, i] = part[i[there], j[there]], part[j[there], i[there]]
        return found

    return moved(table.D), None if table.W is None else moved(table.W)


def within_rows(table: StudiedTable, rng: np.random.Generator) -> tuple[Array, Array | None]:
    """Return the table with the known entries of each row in another order."""
    D, W, known = table.D.copy(), None if table.W is None else table.W.copy(), table.known()
    for row in range(table.n):
        here = np.flatnonzero(known[row])
        there = rng.permutation(here)
        D[row, here] = table.D[row, there]
        if W is not None:
            W[row, here] = table.W[row, there]  # type: ignore[index]
    return D, W
