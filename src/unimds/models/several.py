"""Maps of several tables, or of rows and columns, to a file and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.levels import Level, Transformation, as_level
from unimds.losses import Loss, as_loss
from unimds.models.checked import TRANSFORMATION, sound_names, sound_points
from unimds.models.parts import NOT_KEPT, label_of, part_of, plain_values, told_part
from unimds.placecenter.result import Outcome
from unimds.spaces import Space, as_space
from unimds.tables.individual import IndividualDifferences
from unimds.tables.unfolding import Unfolding

Array = NDArray[Any]
Several = IndividualDifferences | Unfolding

SEVERAL: dict[str, tuple[type[Any], tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "IndividualDifferences": (
        IndividualDifferences,
        ("embedding_", "costs_", "stresses_", "reliability_"),
        ("weights_", "matrices_"),
        ("cost_", "stress_"),
    ),
    "Unfolding": (
        Unfolding,
        ("row_embedding_", "column_embedding_", "row_stress_", "column_stress_"),
        (),
        ("cost_", "stress_", "penalised_stress_", "variation_"),
    ),
}
"""Estimators of several tables, or of rows and columns; arrays, perhaps missing ones, numbers."""


def of_several(fit: Several) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return what a file says of a map of several tables, or of rows and columns."""
    _, always, perhaps, numbers = SEVERAL[type(fit).__name__]
    asked: dict[str, Loss | Space | Level] = {
        "loss": as_loss(fit.loss),
        "space": as_space(fit.space),
        "level": as_level(fit.level),
    }
    header: dict[str, Any] = {
        "loss": told_part(fit.loss_, "loss"),
        "space": told_part(fit.space_, "space"),
        "asked": {name: told_part(part, name) for name, part in asked.items()},
        "outcome": fit.outcome_.name,
        "numbers": {name: getattr(fit, name) for name in numbers},
    }
    arrays = {name: getattr(fit, name) for name in always}
    arrays |= {name: getattr(fit, name) for name in perhaps if getattr(fit, name) is not None}
    arrays |= {"history": fit.history_, "levels": fit._levels}
    if isinstance(fit, IndividualDifferences):
        header["subjects"] = fit.subjects_
    else:
        columns = fit.column_labels_
        header["columns"] = None if columns is None else [label_of(name) for name in columns]
        header["range"] = list(fit._range)
    if fit.transformations_ is not None:
        parts = [part for part in fit.transformations_ if part is not None]
        arrays |= {
            name: np.concatenate([getattr(p, name) for p in parts]) for name in TRANSFORMATION
        }
        sizes = [0 if part is None else part.given.size for part in fit.transformations_]
        arrays["sizes"] = np.array(sizes, dtype=np.int64)
    return header, arrays


def restored_several(header: dict[str, Any], arrays: dict[str, Array]) -> Several:
    """Return an estimator of several tables, or of rows and columns, as it was saved."""
    kind, always, perhaps, numbers = SEVERAL[header["estimator"]]
    asked = header["asked"]
    fit: Any = kind(
        **plain_values(header["params"], NOT_KEPT),
        loss=part_of(asked["loss"], Loss),
        space=part_of(asked["space"], Space),
        level=part_of(asked["level"], Level),
    )
    fit._validate_params()
    fit.loss_, fit.space_ = part_of(header["loss"], Loss), part_of(header["space"], Space)
    for name in always:
        setattr(fit, name, _finite(arrays[name], name))
    for name in perhaps:
        setattr(fit, name, _finite(arrays[name], name) if name in arrays else None)
    for name in numbers:
        value = header["numbers"][name]
        setattr(fit, name, None if value is None else float(value))
    fit.outcome_ = Outcome[header["outcome"]]
    fit.history_, fit._levels = arrays["history"], arrays["levels"]
    fit.n_iter_, fit.disparities_ = len(fit.history_) - 1, None
    fit.transformations_ = _transformations(arrays, as_level(fit.level))
    if isinstance(fit, IndividualDifferences):
        sound_points(fit.embedding_, fit, "map")
        fit.subjects_ = [str(name) for name in header["subjects"]]
        counts = {len(each) for each in (fit.costs_, fit.stresses_, fit.reliability_)}
        if counts != {len(fit.subjects_)}:
            raise ValueError(f"there are {len(fit.subjects_)} subjects and {len(fit.costs_)} costs")
        fit.labels_ = sound_names(header["labels"], len(fit.embedding_), "labels")
        _check_weights(fit)
    else:
        sound_points(fit.row_embedding_, fit, "rows")
        sound_points(fit.column_embedding_, fit, "columns")
        fit.labels_ = sound_names(header["labels"], len(fit.row_embedding_), "labels")
        fit.n_features_in_ = len(fit.column_embedding_)
        fit.column_labels_ = sound_names(header["columns"], fit.n_features_in_, "columns")
        fit._range = tuple(float(value) for value in header["range"])
    fit._n_features_out = fit.embedding_.shape[1]
    restored: Several = fit
    return restored


def _check_weights(fit: IndividualDifferences) -> None:
    """Raise where the weights of a file are not those of its subjects."""
    count, k = len(fit.subjects_), fit.n_components
    shape = {"sizes": (count,), "indscal": (count, k)}.get(fit.model)
    found = None if fit.weights_ is None else fit.weights_.shape
    square = (count, k, k) if fit.model in ("indscal", "idioscal") else None
    if found != shape or (None if fit.matrices_ is None else fit.matrices_.shape) != square:
        raise ValueError(f"the weights of {count} subjects have the shape {found}")


def _finite(array: Array, name: str) -> Array:
    if array.dtype != np.float64 or not np.isfinite(array).all():
        raise ValueError(f"{name} is not an array of finite numbers")
    return array


def _transformations(arrays: dict[str, Array], level: Level) -> list[Transformation | None] | None:
    """Return the transformations that follow each other in the arrays of a file."""
    if "sizes" not in arrays:
        return None
    sizes, (given, disparities) = arrays["sizes"], (arrays[name] for name in TRANSFORMATION)
    ends = np.cumsum(sizes)
    if sizes.ndim != 1 or (sizes < 0).any() or not ends[-1] == given.size == disparities.size:
        raise ValueError("the transformations do not have the sizes that the file says")
    found: list[Transformation | None] = []
    for size, end in zip(sizes, ends, strict=True):
        own = slice(end - size, end)
        part = Transformation(level, given[own], disparities[own]) if size else None
        found.append(part)
    return found
