"""From the map of a sample to a configuration of all points."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unimds.placecenter.new_points import place_against
from unimds.placecenter.schedule import rounded

if TYPE_CHECKING:
    from unimds.placecenter.problem import Frame, Problem

Array = NDArray[Any]

STEPS = 6


def extended(problem: Problem, sample: Array, fixed: Array) -> Array:
    """Place all other points against the map of a sample, one column a point."""
    n, frame = problem.pairs.n, problem.frame
    if len(sample) == n:
        return np.ascontiguousarray(fixed[:, np.argsort(sample)], dtype=problem.dtype)
    frame, fixed = replace(frame, loss=rounded(frame, frame.scale)), fixed.astype(problem.dtype)
    X = np.empty((len(fixed), n), dtype=problem.dtype)
    X[:, sample] = fixed
    rest = np.setdiff1d(np.arange(n), sample)
    X[:, rest] = problem.pairs.table.against(rest, sample, partial(_placed, frame, fixed))
    return X


def _placed(frame: Frame, fixed: Array, D: Array, W: Array | None) -> Array:
    """Return the places of some rows; where nothing is known, any place."""
    P = np.tile(fixed[:, :1], (1, len(D)))
    told = ~np.isnan(D).all(axis=1)
    if told.any():
        weights = None if W is None else W[told]
        P[:, told] = place_against(frame, D[told], weights, fixed, starts=1, steps=STEPS).points
    return P
