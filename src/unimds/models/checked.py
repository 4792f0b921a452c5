"""Numbers and names of a file, checked before anything is computed from them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.landmarks.estimator import LandmarkMDS
from unimds.levels import Transformation, as_level
from unimds.models.parts import Model
from unimds.placecenter.degeneracy import Degeneracy
from unimds.placecenter.result import Outcome, Result

Array = NDArray[Any]

SAME = 1e-5
"""A map in single precision differs from its points by less than this share."""

TRANSFORMATION = ("given", "disparities")
"""The arrays of a transformation, at levels of measurement other than "ratio"."""


def sound_points(array: Array, mds: Model, what: str, count: int | None = None) -> Array:
    """Return points of the space of a map; raise for anything else."""
    width, n = mds.space_.n_coordinates(mds.n_components), len(array) if count is None else count
    if array.shape != (n, width) or not n or array.dtype not in (np.float32, np.float64):
        raise ValueError(
            f"{what} has the shape {array.shape} and the type {array.dtype}; {n} rows of {width} "
            "floating-point numbers were expected"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"{what} is not finite")
    mds.space_.check_points(array.astype(np.float64), what)
    return array


def sound_names(told: list[Any] | None, count: int, what: str) -> Array | None:
    """Return as many names as there are points or features, or None."""
    if told is None:
        return None
    if not isinstance(told, list) or not all(isinstance(name, str | int) for name in told):
        raise ValueError(f"the {what} are not a list of names")
    if len(told) != count:
        raise ValueError(f"there are {len(told)} {what} instead of {count}")
    names = np.empty(count, dtype=object)
    names[:] = told
    return names


def sound_result(
    header: dict[str, Any], arrays: dict[str, Array], mds: Model, count: int
) -> Result:
    """Return the run that a map came from."""
    history, levels = arrays["history"], arrays["levels"]
    numbers = history.dtype.kind == levels.dtype.kind == "f"
    if not numbers or history.ndim != 2 or history.shape[1] != 2 or not len(history):
        raise ValueError(f"the history has the shape {history.shape}")
    if levels.shape != history.shape:
        raise ValueError(f"the history has the shapes {history.shape} and {levels.shape}")
    # written from 0.3 on; before it, the stress of a map without landmarks is that of its run
    usual = None if isinstance(mds, LandmarkMDS) else header["cost"][2]
    stress = header.get("result_stress", usual)
    return Result(
        embedding=sound_points(arrays["embedding"], mds, "embedding", count),
        cost=float(header["cost"][0]),
        history=history,
        levels=levels,
        outcome=Outcome[header["outcome"]],
        loss=mds.loss_,
        space=mds.space_,
        stress=None if stress is None else float(stress),
        transformation=_transformation(arrays, mds),
        degeneracy=_degeneracy(header.get("degeneracy")),
    )


def _transformation(arrays: dict[str, Array], mds: Model) -> Transformation | None:
    """Return the transformation of a model; None where nothing is transformed."""
    level = as_level(getattr(mds, "level", "ratio"))
    given_as_is = level.is_given and getattr(mds, "conditional", "table") == "table"
    if given_as_is or len(mds.embedding_) == 1:
        return None
    known = [arrays[name] for name in TRANSFORMATION]
    for array, name in zip(known, TRANSFORMATION, strict=True):
        sound = array.ndim == 1 and array.size and array.dtype == np.float64
        if not sound or not np.isfinite(array).all() or array.min() < 0.0:
            raise ValueError(f"{name} is not a list of finite numbers that are not negative")
    given, disparities = known
    if given.size != disparities.size or (np.diff(given) <= 0.0).any():
        raise ValueError("the transformation is not one number for each of rising dissimilarities")
    return Transformation(level, given, disparities)


def _degeneracy(told: dict[str, Any] | None) -> Degeneracy | None:
    if told is None:
        return None
    points, distinct, levels = (int(told[name]) for name in ("points", "distinct", "levels"))
    alone, reason = int(told.get("alone", 0)), str(told.get("reason", ""))  # written from 0.3 on
    return Degeneracy(points, distinct, levels, float(told["largest"]), alone, reason)
