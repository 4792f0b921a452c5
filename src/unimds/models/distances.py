"""Maps of distances or of features, to a file and back."""

from __future__ import annotations

import warnings
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.distances.metric import Metric
from unimds.estimators.mds import MDS
from unimds.estimators.parameters import resolve_variant
from unimds.landmarks.estimator import LandmarkMDS
from unimds.levels import Level, as_level
from unimds.losses import Loss
from unimds.models.checked import (
    SAME,
    TRANSFORMATION,
    sound_names,
    sound_points,
    sound_result,
)
from unimds.models.parts import NOT_KEPT, PLAIN, THREADS, part_of, plain_values, told_part
from unimds.placecenter.result import Outcome, Result
from unimds.spaces import Space

Array = NDArray[Any]

MATRICES = {("mahalanobis", "V"), ("mahalanobis", "VI")}
"""Arguments of metrics that are matrices; all others are numbers or vectors."""


def of_distances(mds: MDS | LandmarkMDS) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return what a file says of a map of distances, or of features."""
    large = isinstance(mds, LandmarkMDS)
    result = mds.landmark_result_ if isinstance(mds, LandmarkMDS) else mds.result_
    params, arrays = _metric(mds)
    header = {
        "metric_params": params,
        "loss": told_part(mds.loss_, "loss"),
        "space": told_part(mds.space_, "space"),
        "asked": _asked(mds),
        "outcome": result.outcome.name,
        "ended": mds.outcome_.name if large else None,
        "cost": [result.cost, mds.cost_, mds.stress_],
        "result_stress": result.stress,
        "errors": [mds.cost_error_, mds.stress_error_] if large else None,
        "seconds": mds.seconds_ if large else None,
        "degeneracy": None if result.degeneracy is None else asdict(result.degeneracy),
    }
    if result.transformation is not None:
        arrays |= {name: getattr(result.transformation, name) for name in TRANSFORMATION}
    arrays |= {
        "map": mds.embedding_,
        "embedding": result.embedding,
        "history": result.history,
        "levels": result.levels,
    }
    known = mds._features if large else getattr(mds, "_fit_X", None)
    arrays |= {} if known is None else {"features": known}
    if large:
        arrays |= {"landmarks": mds.landmarks_, "references": mds.references_}
        arrays["points"] = mds._points
    return header, arrays


def _asked(mds: MDS | LandmarkMDS) -> dict[str, Any]:
    """Return loss, space and level as they were given, with every "auto"."""
    loss, space = resolve_variant(mds.variant, mds.loss, mds.space)
    level = as_level(mds.level)
    parts: dict[str, Loss | Space | Level] = {"loss": loss, "space": space, "level": level}
    return {name: told_part(part, name) for name, part in parts.items()}


def _metric(mds: MDS | LandmarkMDS) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return the further arguments of the metric: plain values, and arrays."""
    metric = getattr(mds, "_metric", None)
    params = {} if metric is None else {k: v for k, v in metric.params.items() if k != THREADS}
    plain = {name: value for name, value in params.items() if isinstance(value, PLAIN)}
    arrays = {f"metric.{name}": np.asarray(params[name]) for name in params.keys() - plain.keys()}
    for name, array in arrays.items():
        if array.dtype.kind not in "fiub":
            raise ValueError(f"{name} cannot be saved: it is not a number or an array of numbers")
    return plain, arrays


def restored_distances(header: dict[str, Any], arrays: dict[str, Array]) -> MDS | LandmarkMDS:
    """Return a map of distances, or of features, as it was saved."""
    mds = _estimator(header)
    mds.embedding_ = sound_points(arrays["map"], mds, "map")
    mds._n_features_out = mds.embedding_.shape[1]
    mds.n_features_in_ = _width(header["n_features_in"], mds)
    _, mds.cost_, mds.stress_ = map(float, header["cost"])
    mds.labels_ = sound_names(header["labels"], len(mds.embedding_), "labels")
    names = sound_names(header["features"], mds.n_features_in_, "features")
    if names is not None:
        mds.feature_names_in_ = names
    if isinstance(mds, LandmarkMDS):
        mds.landmarks_ = _some_points(arrays["landmarks"], mds, "landmarks")
        # written from 0.3 on; before it, new points were placed against the landmarks
        mds.references_ = _some_points(
            arrays.get("references", mds.landmarks_), mds, "points to place others against"
        )
        fitted, count = len(mds.landmarks_), len(mds.references_)
        mds._points = sound_points(arrays["points"], mds, "points", count)
        mds.seconds_ = {str(name): float(taken) for name, taken in header["seconds"].items()}
        mds.cost_error_, mds.stress_error_ = map(float, header["errors"])
        mds.outcome_ = Outcome[header.get("ended", header["outcome"])]  # 0.2 has no "ended"
    else:
        fitted = count = len(mds.embedding_)
    result = sound_result(header, arrays, mds, fitted)
    _check_same(mds, result)
    mds.metric_ = mds.metric
    features = None if mds.metric == "precomputed" else _features(arrays["features"], mds, count)
    mds._metric = _tried(mds, header["metric_params"], arrays, features)
    _keep(mds, result, features)
    return mds


def _estimator(header: dict[str, Any]) -> MDS | LandmarkMDS:
    """Return the estimator that the header describes, with its parameters validated."""
    kind = {"MDS": MDS, "LandmarkMDS": LandmarkMDS}[header["estimator"]]
    loss, space = part_of(header["loss"], Loss), part_of(header["space"], Space)
    if loss != loss.resolved(1.0) or space.is_auto:
        raise ValueError(f"{loss} and {space} do not say every size that the fit has found")
    asked = _as_asked(header, loss, space)
    mds: MDS | LandmarkMDS = kind(**plain_values(header["params"], NOT_KEPT), **asked)
    mds._validate_params()
    mds.loss_, mds.space_ = loss, space
    return mds


def _as_asked(header: dict[str, Any], loss: Loss, space: Space) -> dict[str, Any]:
    """Return the parameters loss, space and level; loss and space may be "auto".

    0.3 is the first release to write loss and space; earlier models have no level but "ratio".
    """
    told = header.get("asked")
    if told is None:
        return {"loss": loss, "space": space}
    asked = {"loss": part_of(told["loss"], Loss), "space": part_of(told["space"], Space)}
    if "level" in told:
        level = part_of(told["level"], Level)
        asked["level"] = "ratio" if level.is_given else level
    for name, found in (("loss", loss), ("space", space)):
        if type(asked[name]) is not type(found):
            raise ValueError(f"the fit of {asked[name]} cannot have found {found}")
    return asked


def _width(told: Any, mds: MDS | LandmarkMDS) -> int:
    """Return the number of features; of a table of distances it is the number of points."""
    n = len(mds.embedding_)
    whole = isinstance(told, int) and not isinstance(told, bool) and told > 0
    if not whole or (mds.metric == "precomputed" and told != n):
        raise ValueError(f"a map of {n} points cannot have n_features_in = {told!r}")
    return int(told)


def _some_points(index: Array, mds: LandmarkMDS, what: str) -> Array:
    n = len(mds.embedding_)
    if index.ndim != 1 or index.dtype.kind not in "iu" or not len(index):
        raise ValueError(f"the {what} are not a list of points")
    if index.min() < 0 or index.max() >= n or len(np.unique(index)) < len(index):
        raise ValueError(f"{len(index)} different {what} among {n} points were expected")
    return index


def _features(found: Array, mds: MDS | LandmarkMDS, count: int) -> Array:
    wanted = (count, mds.n_features_in_)
    if found.shape != wanted or found.dtype not in (np.float32, np.float64):
        raise ValueError(f"the features have the shape {found.shape}; {wanted} was expected")
    if np.isinf(found).any() or (mds.metric != "nan_euclidean" and np.isnan(found).any()):
        raise ValueError("the features are not finite")
    return found


def _check_same(mds: MDS | LandmarkMDS, result: Result) -> None:
    """Raise if the map and the points that new ones are placed against are not the same points."""
    large = isinstance(mds, LandmarkMDS)
    here = mds.embedding_[mds.references_] if large else mds.embedding_
    there = mds._points if large else result.embedding
    off = np.abs(here.astype(np.float64) - there).max(initial=0.0)
    if off > SAME * max(1e-300, float(np.abs(there).max(initial=0.0))):
        raise ValueError("the map and the points to place new ones against are not the same")


def _tried(
    mds: MDS | LandmarkMDS,
    told: dict[str, Any],
    arrays: dict[str, Array],
    features: Array | None,
) -> Metric:
    """Return the metric, after it has measured one row: its arguments must suit the features."""
    start = "metric."
    given = plain_values(told, ()) | {
        name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)
    }
    given.pop(THREADS, None)
    metric = Metric(mds.metric, given)
    if features is not None:
        for name, value in given.items():
            _check_argument(mds.metric, name, value, mds.n_features_in_)
        with warnings.catch_warnings():  # of conversions, which `transform` will warn of
            warnings.simplefilter("ignore")
            metric.between(features[:1], features[:1])
    return metric


def _check_argument(metric: str, name: str, value: Any, width: int) -> None:
    """Check the shape of a metric's argument: SciPy reads beyond a matrix that is too small."""
    shape = np.shape(value)
    wanted = [(width, width)] if (metric, name) in MATRICES else [(), (width,)]
    if shape not in wanted or np.asarray(value).dtype.kind not in "fiubU":
        raise ValueError(f"{name} of the metric {metric} has the shape {shape}")


def _keep(mds: MDS | LandmarkMDS, result: Result, features: Array | None) -> None:
    mds.n_iter_, mds.transformation_ = result.n_iter, result.transformation
    if isinstance(mds, LandmarkMDS):
        mds.landmark_result_, mds._features = result, features
        return
    mds.result_, mds.history_, mds.dissimilarity_matrix_ = result, result.history, None
    mds.degeneracy_ = result.degeneracy
    if features is not None:
        mds._fit_X = features
