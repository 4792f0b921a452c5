"""Maps of distributions, to a file and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from unimds.distributions.embedding import TARGETS, DistributionEmbedding
from unimds.distributions.projection import SphericalRandomProjection
from unimds.distributions.unit_rows import row_lengths
from unimds.losses import Loss, as_loss
from unimds.models.checked import SAME, sound_names, sound_points, sound_result
from unimds.models.parts import NOT_KEPT, part_of, plain_values, told_part

Array = NDArray[Any]

SPARSE = ("data", "indices", "indptr")
"""The arrays of a sparse table in SciPy's CSR format."""


def of_distributions(few: DistributionEmbedding) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return what a file says of a map of distributions; counts that are sparse stay so."""
    asked = {"asked": {"loss": told_part(as_loss(few.loss), "loss")}, "space": few.space}
    if few.result_ is None:
        return asked, {"map": few.embedding_, "components": few._projection.components_}
    result, rows = few.result_, few._points
    header = {
        **asked,
        "loss": told_part(few.loss_, "loss"),
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


def restored_distributions(
    header: dict[str, Any], arrays: dict[str, Array]
) -> DistributionEmbedding:
    """Return a map of distributions as it was saved."""
    few = DistributionEmbedding(
        **plain_values(header["params"], NOT_KEPT),
        loss=part_of(header["asked"]["loss"], Loss),
        space=header["space"],
    )
    few._validate_params()
    few.n_features_in_, few.embedding_ = int(header["n_features_in"]), arrays["map"]
    few.space_, few._n_features_out = TARGETS[few.space], few.n_components + 1
    few.labels_ = sound_names(header["labels"], len(few.embedding_), "labels")
    names = sound_names(header["features"], few.n_features_in_, "features")
    if names is not None:
        few.feature_names_in_ = names
    few.result_ = None
    if few.method == "jl":
        sound_points(few.embedding_, few, "map")
        few._projection = _projection(arrays["components"], few)
        return few
    few.loss_ = part_of(header["loss"], Loss)
    few.stress_, few.dissimilarity_matrix_ = float(header["cost"][2]), None
    result = sound_result(header, arrays, few, len(few.embedding_))
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
