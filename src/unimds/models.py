"""Models: a fitted map in a file, to place new points on later.

A file holds plain numbers and a header in JSON, never code: reading it executes nothing.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from sklearn.utils.validation import check_is_fitted

from unimds._runtime.arguments import model_and_path
from unimds.distances.metric import Metric
from unimds.distributions.embedding import TARGETS, DistributionEmbedding
from unimds.distributions.projection import SphericalRandomProjection
from unimds.distributions.unit_rows import row_lengths
from unimds.estimators.mds import MDS
from unimds.estimators.parameters import resolve_variant
from unimds.files import endings
from unimds.files.archive import read_archive, write_archive
from unimds.files.errors import FileError
from unimds.landmarks.estimator import LandmarkMDS
from unimds.levels import LEVELS, Level, Transformation, as_level
from unimds.losses import LOSSES, Loss, as_loss
from unimds.placecenter.degeneracy import Degeneracy
from unimds.placecenter.result import Outcome, Result
from unimds.spaces import SPACES, Space, as_space
from unimds.tables.individual import IndividualDifferences
from unimds.tables.unfolding import Unfolding

Array = NDArray[Any]
Several = IndividualDifferences | Unfolding
Model = MDS | LandmarkMDS | DistributionEmbedding | IndividualDifferences | Unfolding

__all__ = ["load", "save"]

SAME = 1e-5
"""A map in single precision differs from its points by less than this share."""
KIND = "model"
BUILT_IN: tuple[type[Any], ...] = (*LOSSES.values(), *SPACES.values(), *LEVELS.values())
PARTS = {kind.__name__: kind for kind in BUILT_IN}
MATRICES = {("mahalanobis", "V"), ("mahalanobis", "VI")}
"""Arguments of metrics that are matrices; all others are numbers or vectors."""
PLAIN = (bool, int, float, str, type(None))
SPARSE = ("data", "indices", "indptr")
"""The arrays of a sparse table in SciPy's CSR format."""
TRANSFORMATION = ("given", "disparities")
"""The arrays of a transformation, at levels of measurement other than "ratio"."""
THREADS = "n_jobs"
NOT_KEPT = (
    *("loss", "space", "level", "variant"),
    *("init", "callback", "checkpoint", "metric_params", THREADS),
)
"""Parameters that are saved as fitted, that mean nothing once the map exists, or that only the
person at the machine decides: no file says how many threads to start, or where to write."""


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
    mds : fitted MDS, LandmarkMDS, DistributionEmbedding, IndividualDifferences or Unfolding
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
    mds, path = model_and_path(mds, path, "save")
    endings.MODEL.check(path)
    check_is_fitted(mds)
    own: Any = mds.labels_ if labels is None else labels
    names = getattr(mds, "feature_names_in_", None) if features is None else features
    named = {
        "estimator": type(mds).__name__,
        "params": _params(mds),
        "n_features_in": int(getattr(mds, "n_features_in_", len(mds.embedding_))),
        "labels": None if own is None else [_label(label) for label in own],
        "features": None if names is None else [str(name) for name in names],
    }
    if isinstance(mds, DistributionEmbedding):
        header, arrays = _of_distributions(mds)
    elif isinstance(mds, IndividualDifferences | Unfolding):
        header, arrays = _of_several(mds)
    else:
        header, arrays = _of_distances(mds)
    write_archive(path, KIND, named | header, arrays, force=force)


def _of_distances(mds: MDS | LandmarkMDS) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return what a file says of a map of distances, or of features."""
    large = isinstance(mds, LandmarkMDS)
    result = mds.landmark_result_ if isinstance(mds, LandmarkMDS) else mds.result_
    params, arrays = _metric(mds)
    header = {
        "metric_params": params,
        "loss": _described(mds.loss_, "loss"),
        "space": _described(mds.space_, "space"),
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


def _of_distributions(few: DistributionEmbedding) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return what a file says of a map of distributions; counts that are sparse stay so."""
    asked = {"asked": {"loss": _described(as_loss(few.loss), "loss")}, "space": few.space}
    if few.result_ is None:
        return asked, {"map": few.embedding_, "components": few._projection.components_}
    result, rows = few.result_, few._points
    header = {
        **asked,
        "loss": _described(few.loss_, "loss"),
        "outcome": result.outcome.name,
        "cost": [result.cost, few.cost_, few.stress_],
        "result_stress": result.stress,
    }
    points = (
        {f"points.{name}": getattr(rows, name) for name in SPARSE}
        if issparse(rows)
        else {"points": rows}
    )
    found = {"map": few.embedding_, "embedding": result.embedding}
    return header, {**found, "history": result.history, "levels": result.levels, **points}


SEVERAL: dict[str, tuple[type[Any], tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "IndividualDifferences": (
        IndividualDifferences,
        ("embedding_", "costs_", "stresses_"),
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


def _of_several(fit: Several) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return what a file says of a map of several tables, or of rows and columns."""
    _, always, perhaps, numbers = SEVERAL[type(fit).__name__]
    asked: dict[str, Loss | Space | Level] = {
        "loss": as_loss(fit.loss),
        "space": as_space(fit.space),
        "level": as_level(fit.level),
    }
    header: dict[str, Any] = {
        "loss": _described(fit.loss_, "loss"),
        "space": _described(fit.space_, "space"),
        "asked": {name: _described(part, name) for name, part in asked.items()},
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
        header["columns"] = None if columns is None else [_label(name) for name in columns]
        header["range"] = list(fit._range)
    if fit.transformations_ is not None:
        parts = [part for part in fit.transformations_ if part is not None]
        arrays |= {
            name: np.concatenate([getattr(p, name) for p in parts]) for name in TRANSFORMATION
        }
        sizes = [0 if part is None else part.given.size for part in fit.transformations_]
        arrays["sizes"] = np.array(sizes, dtype=np.int64)
    return header, arrays


def _restored_several(header: dict[str, Any], arrays: dict[str, Array]) -> Several:
    """Return an estimator of several tables, or of rows and columns, as it was saved."""
    kind, always, perhaps, numbers = SEVERAL[header["estimator"]]
    asked = header["asked"]
    fit: Any = kind(
        **_plain(header["params"], NOT_KEPT),
        loss=_part(asked["loss"], Loss),
        space=_part(asked["space"], Space),
        level=_part(asked["level"], Level),
    )
    fit._validate_params()
    fit.loss_, fit.space_ = _part(header["loss"], Loss), _part(header["space"], Space)
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
        _points(fit.embedding_, fit, "map")
        fit.subjects_ = [str(name) for name in header["subjects"]]
        if not len(fit.subjects_) == len(fit.costs_) == len(fit.stresses_):
            raise ValueError(f"there are {len(fit.subjects_)} subjects and {len(fit.costs_)} costs")
        fit.labels_ = _names(header["labels"], len(fit.embedding_), "labels")
        _check_weights(fit)
    else:
        _points(fit.row_embedding_, fit, "rows")
        _points(fit.column_embedding_, fit, "columns")
        fit.labels_ = _names(header["labels"], len(fit.row_embedding_), "labels")
        fit.n_features_in_ = len(fit.column_embedding_)
        fit.column_labels_ = _names(header["columns"], fit.n_features_in_, "columns")
        fit._range = tuple(float(value) for value in header["range"])
    fit._n_features_out = fit.embedding_.shape[1]
    return fit  # type: ignore[no-any-return]


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


def load(path: str | os.PathLike[str]) -> Model:
    """Read a model that `save` has written.

    It places new points as the saved model does, but holds no table of distances:
    ``dissimilarity_matrix_`` and ``disparities_`` are None. The file is checked before anything is
    computed from it, and it has no say in the number of threads: ``n_jobs`` is None.

    Parameters
    ----------
    path : str or PathLike
        The file.

    Returns
    -------
    MDS, LandmarkMDS, DistributionEmbedding, IndividualDifferences or Unfolding

    Raises
    ------
    FileError
        If the file is not a model, is broken, or has another version.
    """
    header, arrays = read_archive(path, KIND)
    try:
        if header["estimator"] == DistributionEmbedding.__name__:
            return _restored_distributions(header, arrays)
        if header["estimator"] in SEVERAL:
            return _restored_several(header, arrays)
        return _restored(header, arrays)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        told = error if isinstance(error, ValueError) else f"{error!r} is missing or wrong"
        raise FileError(os.fspath(path), f"the model is broken: {told}") from None


# --- to a file ------------------------------------------------------------------------------------


def _described(part: Loss | Space | Level, what: str) -> dict[str, Any]:
    if PARTS.get(type(part).__name__) is not type(part):
        raise ValueError(
            f"{part} is a custom {what}, whose code cannot be saved; save `embedding_` with "
            "unimds.files.write, and place points with unimds.place_points"
        )
    return {"name": type(part).__name__, **asdict(part)}


def _asked(mds: MDS | LandmarkMDS) -> dict[str, Any]:
    """Return loss, space and level as they were given, with every "auto"."""
    loss, space = resolve_variant(mds.variant, mds.loss, mds.space)
    level = as_level(mds.level)
    parts: dict[str, Loss | Space | Level] = {"loss": loss, "space": space, "level": level}
    return {name: _described(part, name) for name, part in parts.items()}


def _params(mds: Model) -> dict[str, Any]:
    params = mds.get_params(deep=False)
    if not isinstance(params.get("metric", ""), str):
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


def _label(label: Any) -> Any:
    return int(label) if isinstance(label, int | np.integer) else str(label)


# --- from a file ----------------------------------------------------------------------------------


def _restored(header: dict[str, Any], arrays: dict[str, Array]) -> MDS | LandmarkMDS:
    mds = _estimator(header)
    mds.embedding_ = _points(arrays["map"], mds, "map")
    mds._n_features_out = mds.embedding_.shape[1]
    mds.n_features_in_ = _width(header["n_features_in"], mds)
    _, mds.cost_, mds.stress_ = map(float, header["cost"])
    mds.labels_ = _names(header["labels"], len(mds.embedding_), "labels")
    names = _names(header["features"], mds.n_features_in_, "features")
    if names is not None:
        mds.feature_names_in_ = names
    if isinstance(mds, LandmarkMDS):
        mds.landmarks_ = _some_points(arrays["landmarks"], mds, "landmarks")
        # written from 0.3 on; before it, new points were placed against the landmarks
        mds.references_ = _some_points(
            arrays.get("references", mds.landmarks_), mds, "points to place others against"
        )
        fitted, count = len(mds.landmarks_), len(mds.references_)
        mds._points = _points(arrays["points"], mds, "points", count)
        mds.seconds_ = {str(name): float(taken) for name, taken in header["seconds"].items()}
        mds.cost_error_, mds.stress_error_ = map(float, header["errors"])
        mds.outcome_ = Outcome[header.get("ended", header["outcome"])]  # 0.2 has no "ended"
    else:
        fitted = count = len(mds.embedding_)
    result = _result(header, arrays, mds, fitted)
    _check_same(mds, result)
    features = None if mds.metric == "precomputed" else _features(arrays["features"], mds, count)
    mds._metric = _tried(mds, header["metric_params"], arrays, features)
    _keep(mds, result, features)
    return mds


def _restored_distributions(
    header: dict[str, Any], arrays: dict[str, Array]
) -> DistributionEmbedding:
    few = DistributionEmbedding(
        **_plain(header["params"], NOT_KEPT),
        loss=_part(header["asked"]["loss"], Loss),
        space=header["space"],
    )
    few._validate_params()
    few.n_features_in_, few.embedding_ = int(header["n_features_in"]), arrays["map"]
    few.space_, few._n_features_out = TARGETS[few.space], few.n_components + 1
    few.labels_ = _names(header["labels"], len(few.embedding_), "labels")
    names = _names(header["features"], few.n_features_in_, "features")
    if names is not None:
        few.feature_names_in_ = names
    few.result_ = None
    if few.method == "jl":
        _points(few.embedding_, few, "map")
        few._projection = _projection(arrays["components"], few)
        return few
    few.loss_ = _part(header["loss"], Loss)
    few.stress_, few.dissimilarity_matrix_ = float(header["cost"][2]), None
    result = _result(header, arrays, few, len(few.embedding_))
    few._keep(result)
    few._points = _distributions(arrays, few)
    here = few._outer(result.embedding)
    if few.embedding_.shape != here.shape or np.abs(few.embedding_ - here).max() > SAME:
        raise ValueError("the map and the points to place new ones against are not the same")
    return few


def _projection(components: Array, few: DistributionEmbedding) -> SphericalRandomProjection:
    width = few.n_components + 1
    wanted = (width, few.n_features_in_)
    if components.shape != wanted or not np.isfinite(components).all():
        raise ValueError(f"the projection has the shape {components.shape}, not {wanted}")
    found = SphericalRandomProjection(width, method="gaussian")
    found.components_, found.n_features_in_ = components, few.n_features_in_
    found.n_components_ = found._n_features_out = width
    return found


def _distributions(arrays: dict[str, Array], few: DistributionEmbedding) -> Any:
    """Return the roots of the distributions of a map, dense or sparse: points of a sphere."""
    wanted = (len(few.embedding_), few.n_features_in_)
    if "points" in arrays:
        rows = arrays["points"]
        values = rows
    else:
        values, *rest = (arrays[f"points.{name}"] for name in SPARSE)
        rows = csr_array((values, *rest), shape=wanted)
        rows.check_format(full_check=True)
    numbers = values.dtype in (np.float32, np.float64) and np.isfinite(values).all()
    if rows.shape != wanted or not numbers or np.abs(row_lengths(rows) - 1.0).max() > SAME:
        raise ValueError(f"the distributions are not {wanted[0]} rows of {wanted[1]} probabilities")
    return rows


def _estimator(header: dict[str, Any]) -> MDS | LandmarkMDS:
    """Return the estimator that the header describes, with its parameters validated."""
    kind = {"MDS": MDS, "LandmarkMDS": LandmarkMDS}[header["estimator"]]
    loss, space = _part(header["loss"], Loss), _part(header["space"], Space)
    if loss != loss.resolved(1.0) or space.is_auto:
        raise ValueError(f"{loss} and {space} do not say every size that the fit has found")
    asked = _as_asked(header, loss, space)
    mds: MDS | LandmarkMDS = kind(**_plain(header["params"], NOT_KEPT), **asked)
    mds._validate_params()
    mds.loss_, mds.space_ = loss, space
    return mds


def _check_same(mds: MDS | LandmarkMDS, result: Result) -> None:
    """Raise if the map and the points that new ones are placed against are not the same points."""
    large = isinstance(mds, LandmarkMDS)
    here = mds.embedding_[mds.references_] if large else mds.embedding_
    there = mds._points if large else result.embedding
    off = np.abs(here.astype(np.float64) - there).max(initial=0.0)
    if off > SAME * max(1e-300, float(np.abs(there).max(initial=0.0))):
        raise ValueError("the map and the points to place new ones against are not the same")


def _as_asked(header: dict[str, Any], loss: Loss, space: Space) -> dict[str, Any]:
    """Return the parameters loss, space and level; loss and space may be "auto".

    0.3 is the first release to write loss and space; earlier models have no level but "ratio".
    """
    told = header.get("asked")
    if told is None:
        return {"loss": loss, "space": space}
    asked = {"loss": _part(told["loss"], Loss), "space": _part(told["space"], Space)}
    if "level" in told:
        level = _part(told["level"], Level)
        asked["level"] = "ratio" if level.is_given else level
    for name, found in (("loss", loss), ("space", space)):
        if type(asked[name]) is not type(found):
            raise ValueError(f"the fit of {asked[name]} cannot have found {found}")
    return asked


def _keep(mds: MDS | LandmarkMDS, result: Result, features: Array | None) -> None:
    mds.n_iter_, mds.transformation_ = result.n_iter, result.transformation
    if isinstance(mds, LandmarkMDS):
        mds.landmark_result_, mds._features = result, features
        return
    mds.result_, mds.history_, mds.dissimilarity_matrix_ = result, result.history, None
    mds.degeneracy_ = result.degeneracy
    if features is not None:
        mds._fit_X = features


def _part(told: dict[str, Any], kind: type[Any]) -> Any:
    part = PARTS.get(told["name"])
    if part is None or not issubclass(part, kind):
        raise ValueError(f"{told['name']!r} is not a {kind.__name__.lower()} of this release")
    return part(**_plain(told, ("name",)))


def _plain(told: dict[str, Any], without: Sequence[str]) -> dict[str, Any]:
    """Return the values of a part of the header, which must be plain."""
    found = {name: value for name, value in told.items() if name not in without}
    odd = next((name for name, value in found.items() if not isinstance(value, PLAIN)), None)
    if odd is not None:
        raise ValueError(f"{odd} is not a number, a word or nothing")
    return found


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


def _result(header: dict[str, Any], arrays: dict[str, Array], mds: Model, count: int) -> Result:
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
        embedding=_points(arrays["embedding"], mds, "embedding", count),
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


def _tried(
    mds: MDS | LandmarkMDS,
    told: dict[str, Any],
    arrays: dict[str, Array],
    features: Array | None,
) -> Metric:
    """Return the metric, after it has measured one row: its arguments must suit the features."""
    start = "metric."
    given = _plain(told, ()) | {
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


def _points(array: Array, mds: Model, what: str, count: int | None = None) -> Array:
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


def _features(found: Array, mds: MDS | LandmarkMDS, count: int) -> Array:
    wanted = (count, mds.n_features_in_)
    if found.shape != wanted or found.dtype not in (np.float32, np.float64):
        raise ValueError(f"the features have the shape {found.shape}; {wanted} was expected")
    if np.isinf(found).any() or (mds.metric != "nan_euclidean" and np.isnan(found).any()):
        raise ValueError("the features are not finite")
    return found


def _names(told: list[Any] | None, count: int, what: str) -> Array | None:
    if told is None:
        return None
    if not isinstance(told, list) or not all(isinstance(name, str | int) for name in told):
        raise ValueError(f"the {what} are not a list of names")
    if len(told) != count:
        raise ValueError(f"there are {len(told)} {what} instead of {count}")
    names = np.empty(count, dtype=object)
    names[:] = told
    return names
