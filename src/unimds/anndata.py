"""Maps of AnnData objects: a table in, coordinates in ``obsm`` out, as scanpy's tools do it.

anndata itself is not imported; the object that you give brings it along.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from unimds._runtime.extras import require
from unimds.distances.objects.squares import Cells, Sparse
from unimds.distances.objects.taking import kind_of, native
from unimds.estimators.mds import MDS
from unimds.files.table import Table
from unimds.landmarks.estimator import LandmarkMDS

__all__ = ["mds"]


def mds(
    adata: Any,
    estimator: MDS | LandmarkMDS | None = None,
    *,
    use_rep: str | None = None,
    obsp: str | None = None,
    key_added: str | None = None,
    copy: bool = False,
    **parameters: Any,
) -> Any:
    """Map the observations of an AnnData object, and write the map into it.

    Parameters
    ----------
    adata : AnnData
        The object.
    estimator : MDS or LandmarkMDS, default=None
        What makes the map; it is not changed. By default ``MDS(**parameters)``. For more than some
        ten thousand observations give ``LandmarkMDS()``.
    use_rep : str, default=None
        Where the features are: "X", or a key of ``adata.obsm`` such as "X_pca". By default X, if
        there is nothing else.
    obsp : str, default=None
        Where distances are, in place of features: a key of ``adata.obsp``, such as "distances". A
        pair that a sparse table does not store is missing.
    key_added : str, default=None
        Where the map goes: ``adata.obsm[key_added]`` and ``adata.uns[key_added]``; by default
        "X_mds" and "mds".
    copy : bool, default=False
        Whether to write into a copy, and return it.
    **parameters
        Parameters of `MDS`, where no estimator is given.

    Returns
    -------
    AnnData or None
        The copy, if `copy` is true. The map is in ``obsm``, and ``uns`` holds what it was made of:
        the parameters, the cost and the Stress-1.

    Examples
    --------
    >>> import anndata, numpy as np, unimds.anndata
    >>> adata = anndata.AnnData(np.eye(5, 3))
    >>> unimds.anndata.mds(adata, n_init=1, random_state=0)
    >>> adata.obsm["X_mds"].shape, adata.uns["mds"]["params"]["n_init"]
    ((5, 2), 1)
    """
    if not isinstance(kind_of(adata), Cells):
        raise TypeError(f"adata must be an AnnData object, not {type(adata).__name__}")
    if estimator is not None and parameters:
        raise TypeError(
            f"{', '.join(parameters)}: give parameters to the estimator, or leave the estimator out"
        )
    if isinstance(estimator, type):
        raise TypeError(f"estimator must be an object, such as {estimator.__name__}(), not a class")
    table = _table(adata, use_rep, obsp)
    found = MDS(**parameters) if estimator is None else clone(estimator)
    found.fit(table)
    if copy:  # the copy of an object whose X is in a file is in memory
        adata = adata.to_memory() if adata.isbacked else adata.copy()
    adata.obsm["X_mds" if key_added is None else key_added] = found.embedding_
    adata.uns["mds" if key_added is None else key_added] = _told(found, use_rep, obsp)
    return adata if copy else None


def _table(adata: Any, use_rep: str | None, obsp: str | None) -> Any:
    """Return features or distances as a frame with the names of the observations."""
    if use_rep is not None and obsp is not None:
        raise ValueError("give use_rep for features, or obsp for distances, not both")
    if obsp is not None:
        return _distances(adata, obsp)
    if use_rep == "X":
        if adata.X is None:
            raise ValueError("adata has no X; name a key of adata.obsm or adata.obsp")
        return adata.to_df()
    if use_rep is None:
        return adata
    if use_rep not in adata.obsm:
        raise ValueError(_unknown("use_rep", use_rep, ["X", *adata.obsm]))
    features = adata.obsm[use_rep]
    if isinstance(kind_of(features), Sparse):
        features = features.toarray()
    return require("pandas", "files").DataFrame(
        np.asarray(features), index=adata.obs_names, columns=getattr(features, "columns", None)
    )


def _distances(adata: Any, key: str) -> Any:
    if key not in adata.obsp:
        raise ValueError(_unknown("obsp", key, list(adata.obsp)))
    if key.endswith("connectivities"):
        raise ValueError(
            f"obsp[{key!r}] holds strengths of ties, not distances: put the lengths of shortest "
            f"paths in their place, D = unimds.dissimilarity.from_graph(adata.obsp[{key!r}], "
            "weight='weight', strength=True), adata.obsp['paths'] = D"
        )
    D = np.asarray(native(adata.obsp[key], f"obsp[{key!r}]"))
    return Table(D, "distances", "AnnData", "square", list(adata.obs_names))


def _unknown(parameter: str, key: str, known: list[str]) -> str:
    told = ", ".join(map(repr, known)) or "nothing"
    return f"{parameter}={key!r} is not there; adata has {told}"


def _told(found: MDS | LandmarkMDS, use_rep: str | None, obsp: str | None) -> dict[str, Any]:
    """Return what a map was made of, in words and numbers that an .h5ad file can hold."""
    params = found.get_params(deep=False) | {"use_rep": use_rep, "obsp": obsp}
    plain = {
        name: value if isinstance(value, bool | int | float | str) else repr(value)
        for name, value in params.items()
        if value is not None
    }
    measured = {"cost": found.cost_, "stress": found.stress_}
    known = {name: float(value) for name, value in measured.items() if value is not None}
    return {"params": plain, **known}
