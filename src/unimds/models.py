"""Models: a fitted map in a file, to place new points on later.

A file holds plain numbers and a header in JSON, never code: reading it executes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from unimds.distances.metric import Metric
from unimds.estimators.mds import MDS
from unimds.files import endings
from unimds.files.archive import read_archive, write_archive
from unimds.files.errors import FileError
from unimds.landmarks.estimator import LandmarkMDS
from unimds.losses import LOSSES, Loss, Power
from unimds.placecenter.result import Outcome, Result
from unimds.spaces import SPACES, Space

Array = NDArray[Any]
Model = MDS | LandmarkMDS

__all__ = ["load", "save"]

KIND = "model"
BUILT_IN: tuple[type[Any], ...] = (*LOSSES.values(), Power, *SPACES.values())
PARTS = {kind.__name__: kind for kind in BUILT_IN}
PLAIN = (bool, int, float, str, type(None))
NOT_KEPT = ("loss", "space", "variant", "init", "callback", "checkpoint", "metric_params")
"""Parameters that are saved as fitted, or that mean nothing once the map exists."""


def save(
    mds: Model,
    path: str | os.PathLike[str],
    *,
    labels: Sequence[str] | None = None,
    features: Sequence[str] | None = None,
    force: bool = False,
) -> None:
    """Write a fitted model to a file, completely or not at all.

    Parameters
    ----------
    mds : MDS or LandmarkMDS
        The model; its loss and space must be built in, and its metric must be a name.
    path : str or PathLike
        The file. Its name may end in ".unimds" or in anything but the ending of another kind of
        file, such as ".csv" or ".html".
    labels : sequence of str, default=None
        Names of the points; by default those that the model was fitted with.
    features : sequence of str, default=None
        Names of the features, or of the points that distances lead to; by default those that the
        model was fitted with.
    force : bool, default=False
        Whether to replace a file that exists.

    Raises
    ------
    FileError
        If the file cannot be written, or if its name is that of another kind of file.
    ValueError
        If the model uses custom code, which cannot be saved.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> X = np.random.default_rng(0).normal(size=(20, 3))
    >>> mds = MDS(random_state=0).fit(X)
    >>> save(mds, f"{folder.name}/model.unimds")
    >>> again = load(f"{folder.name}/model.unimds")
    >>> np.array_equal(again.transform(X), mds.transform(X))
    True
    >>> folder.cleanup()
    """
    endings.MODEL.check(path)
    check_is_fitted(mds)
    large = isinstance(mds, LandmarkMDS)
    result = mds.landmark_result_ if large else mds.result_
    own: Any = mds.labels_ if labels is None else labels
    names = getattr(mds, "feature_names_in_", None) if features is None else features
    params, arrays = _metric(mds)
    header = {
        "estimator": type(mds).__name__,
        "params": _params(mds),
        "metric_params": params,
        "loss": _described(mds.loss_, "loss"),
        "space": _described(mds.space_, "space"),
        "outcome": result.outcome.name,
        "ended": mds.outcome_.name if large else None,
        "cost": [result.cost, mds.cost_, mds.stress_],
        "errors": [mds.cost_error_, mds.stress_error_] if large else None,
        "seconds": mds.seconds_ if large else None,
        "n_features_in": int(mds.n_features_in_),
        "labels": None if own is None else [_label(label) for label in own],
        "features": None if names is None else [str(name) for name in names],
    }
    arrays |= {
        "map": mds.embedding_,
        "embedding": result.embedding,
        "history": result.history,
        "levels": result.levels,
    }
    known = mds._features if large else getattr(mds, "_fit_X", None)
    arrays |= {} if known is None else {"features": known}
    arrays |= {"landmarks": mds.landmarks_, "points": mds._points} if large else {}
    write_archive(path, KIND, header, arrays, force=force)


def load(path: str | os.PathLike[str]) -> Model:
    """Read a model that `save` has written.

    It places new points as the saved model does, but holds no table of distances:
    ``dissimilarity_matrix_`` is None.

    Parameters
    ----------
    path : str or PathLike
        The file.

    Returns
    -------
    MDS or LandmarkMDS

    Raises
    ------
    FileError
        If the file is not a model, is broken, or has another version.
    """
    header, arrays = read_archive(path, KIND)
    try:
        return _restored(header, arrays)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        told = error if isinstance(error, ValueError) else f"{error!r} is missing or wrong"
        raise FileError(os.fspath(path), f"the model is broken: {told}") from None


# --- to a file ------------------------------------------------------------------------------------


def _described(part: Loss | Space, what: str) -> dict[str, Any]:
    if PARTS.get(type(part).__name__) is not type(part):
        raise ValueError(
            f"{part} is a custom {what}, whose code cannot be saved; save `embedding_` with "
            "unimds.files.write, and place points with unimds.place_points"
        )
    return {"name": type(part).__name__, **asdict(part)}


def _params(mds: Model) -> dict[str, Any]:
    params = mds.get_params(deep=False)
    if not isinstance(params["metric"], str):
        raise ValueError(
            f"metric={params['metric']!r} is a custom function, which cannot be saved; give the "
            'distances themselves, with metric="precomputed"'
        )
    plain = {name: getattr(value, "item", lambda v=value: v)() for name, value in params.items()}
    return {
        name: value
        for name, value in plain.items()
        if name not in NOT_KEPT and isinstance(value, PLAIN)
    }


def _metric(mds: Model) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return the further arguments of the metric: plain values, and arrays."""
    metric = getattr(mds, "_metric", None)
    params = {} if metric is None else metric.params
    plain = {name: value for name, value in params.items() if isinstance(value, PLAIN)}
    arrays = {f"metric.{name}": np.asarray(params[name]) for name in params.keys() - plain.keys()}
    for name, array in arrays.items():
        if array.dtype.kind not in "fiub":
            raise ValueError(f"{name} cannot be saved: it is not a number or an array of numbers")
    return plain, arrays


def _label(label: Any) -> Any:
    return int(label) if isinstance(label, int | np.integer) else str(label)


# --- from a file ----------------------------------------------------------------------------------


def _restored(header: dict[str, Any], arrays: dict[str, Array]) -> Model:
    kind = {"MDS": MDS, "LandmarkMDS": LandmarkMDS}[header["estimator"]]
    loss, space = _part(header["loss"], Loss), _part(header["space"], Space)
    mds: Model = kind(**header["params"], loss=loss, space=space)
    result = _result(header, arrays, loss, space)
    mds.loss_, mds.space_, mds.n_iter_ = loss, space, result.n_iter
    mds.n_features_in_ = header["n_features_in"]
    mds._metric = Metric(mds.metric, header["metric_params"] | _arguments(arrays))
    mds.embedding_ = _points(arrays["map"], mds, "map")
    mds._n_features_out = mds.embedding_.shape[1]
    _, mds.cost_, mds.stress_ = map(float, header["cost"])
    mds.labels_ = _names(header["labels"], len(mds.embedding_), "labels")
    names = _names(header["features"], mds.n_features_in_, "features")
    if names is not None:
        mds.feature_names_in_ = names
    if isinstance(mds, LandmarkMDS):
        _restore_landmarks(mds, header, arrays, result)
    else:
        _points(result.embedding, mds, "embedding")
        mds.result_, mds.history_, mds.dissimilarity_matrix_ = result, result.history, None
        if mds.metric != "precomputed":
            mds._fit_X = _features(arrays, mds, len(mds.embedding_))
    return mds


def _restore_landmarks(
    mds: LandmarkMDS, header: dict[str, Any], arrays: dict[str, Array], result: Result
) -> None:
    mds.landmark_result_, mds.seconds_ = result, dict(header["seconds"])
    mds.outcome_ = Outcome[header.get("ended", header["outcome"])]  # version 0.2 has no "ended"
    mds.cost_error_, mds.stress_error_ = map(float, header["errors"])
    mds.landmarks_, mds._points = arrays["landmarks"], _points(arrays["points"], mds, "points")
    count, n = len(mds._points), len(mds.embedding_)
    index = mds.landmarks_
    if index.shape != (count,) or index.dtype.kind not in "iu" or not np.all(index < n):
        raise ValueError(f"{count} landmarks among {n} points were expected")
    mds._features = None if mds.metric == "precomputed" else _features(arrays, mds, count)


def _part(told: dict[str, Any], kind: type[Any]) -> Any:
    fields = {name: value for name, value in told.items() if name != "name"}
    part = PARTS.get(told["name"])
    if part is None or not issubclass(part, kind):
        raise ValueError(f"{told['name']!r} is not a {kind.__name__.lower()} of this release")
    return part(**fields)


def _result(header: dict[str, Any], arrays: dict[str, Array], loss: Loss, space: Space) -> Result:
    history, levels = arrays["history"], arrays["levels"]
    if history.ndim != 2 or history.shape[1] != 2 or levels.shape != history.shape:
        raise ValueError(f"the history has the shapes {history.shape} and {levels.shape}")
    return Result(
        embedding=arrays["embedding"],
        cost=float(header["cost"][0]),
        history=history,
        levels=levels,
        outcome=Outcome[header["outcome"]],
        loss=loss,
        space=space,
    )


def _arguments(arrays: dict[str, Array]) -> dict[str, Array]:
    return {
        name.removeprefix("metric."): array
        for name, array in arrays.items()
        if name.startswith("metric.")
    }


def _points(array: Array, mds: Model, what: str) -> Array:
    width = mds.space_.n_coordinates(mds.n_components)
    if array.ndim != 2 or array.shape[1] != width or not len(array) or array.dtype.kind != "f":
        raise ValueError(f"{what} has the shape {array.shape}; rows of {width} were expected")
    if not np.isfinite(array).all():
        raise ValueError(f"{what} is not finite")
    mds.space_.check_points(array.astype(np.float64), what)
    return array


def _features(arrays: dict[str, Array], mds: Model, count: int) -> Array:
    found = arrays["features"]
    if found.shape != (count, mds.n_features_in_) or found.dtype.kind != "f":
        raise ValueError(
            f"the features have the shape {found.shape}; {(count, mds.n_features_in_)} was expected"
        )
    return found


def _names(told: list[Any] | None, count: int, what: str) -> Array | None:
    if told is None:
        return None
    if len(told) != count:
        raise ValueError(f"there are {len(told)} {what} instead of {count}")
    names = np.empty(count, dtype=object)
    names[:] = told
    return names
