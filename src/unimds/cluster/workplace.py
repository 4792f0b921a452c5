"""A Dask cluster as the place where data are, and are worked on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.watch import Watch
from unimds.cluster.read import any_client, as_dask_square, present_client, spread_out
from unimds.distances.pairs import Pairs
from unimds.distances.table import ComputedTable
from unimds.placecenter.fixed import Anchors
from unimds.placecenter.problem import Problem
from unimds.starts.hopping.small import Chosen
from unimds.starts.race import (
    RACE_SAMPLE,
    Starts,
    extended,
    held,
    lowest,
    starts_in_memory,
)
from unimds.starts.search import Search

Array = NDArray[Any]


def starts_from_sample(
    search: Search, problem: Problem, anchors: Anchors | None, random: np.random.Generator
) -> Chosen:
    """Return the map of a sample, with all other points placed where their rows are."""
    if not isinstance(search.init, str) or search.init not in ("auto", "shaken"):
        return starts_in_memory(search, problem, anchors, random)
    sample = np.sort(random.permutation(problem.pairs.n)[:RACE_SAMPLE])
    search.watch.say(f"Mapping {len(sample):,} of the points …")
    small = problem.on(sample).within(problem.frame.space)
    run = lowest(replace(search, watch=search.watch.silent()), small, random)
    X = extended(problem, sample, small.inner(run.embedding))
    return Chosen([held(problem, X, anchors)])


@final
class Cluster:
    """Data are Dask's collections, and the workers of its cluster hold the distances."""

    find: Starts = staticmethod(starts_from_sample)
    holds_table = False

    def labels(self, X: Any, square: bool = False) -> None:
        """Return None: on a cluster points go by their number."""

    def local(self, X: Any) -> Any:
        return X.compute() if hasattr(X, "compute") else X

    def client(self) -> Any:
        """Return the client of the present cluster, None if there is none."""
        return present_client()

    def square(self, X: Any, estimator: Any) -> Any:
        table = as_dask_square(X)
        estimator.n_features_in_ = int(table.shape[1])
        return table

    def measured(self, table: ComputedTable, features: Array, limit: float | str | None) -> Any:
        """Return the table itself: the workers compute its rows, each its own."""
        return table

    @contextmanager
    def pairs(
        self, D: Any, weights: Any, free: Array | None, dtype: str | None, watch: Watch
    ) -> Iterator[Pairs]:
        """Hold the rows on the workers for the time of a run."""
        watch.step = "round"
        with any_client(watch) as client:
            yield spread_out(D, client, weights, free, dtype, watch)
