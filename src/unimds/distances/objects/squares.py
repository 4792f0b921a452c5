"""Tables of scikit-bio and unimds, sparse matrices, and objects that hold several tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.extras import require
from unimds.distances.objects.kinds import Kind, Paths, has, is_of

Array = NDArray[Any]


@final
class DistanceMatrix(Paths):
    """The distances of scikit-bio, with the ids of the points."""

    what = "a DistanceMatrix of scikit-bio"

    def matches(self, X: Any) -> bool:
        """Return whether this has ids, and can be written as a square."""
        return is_of(X, "skbio") and has(X, "ids", "redundant_form")

    def labels(self, X: Any, square: bool) -> list[Any]:
        """Return the ids."""
        return list(X.ids)

    def distances(self, X: Any, name: str) -> Array:
        """Return the square."""
        return np.asarray(X.redundant_form())


@final
class Tree(Kind):
    """A tree of scikit-bio."""

    what = "a tree of scikit-bio"

    def matches(self, X: Any) -> bool:
        """Return whether this has tips."""
        return is_of(X, "skbio") and has(X, "tips", "children")

    def distances(self, X: Any, name: str) -> Any:
        """Refuse: the distances between tips are a step of their own."""
        raise TypeError(
            f"{name} is {self.what}, and distances are needed: give those between its tips, "
            "tree.cophenet()"
        )

    numbers = distances


@final
class FileTable(Kind):
    """What `unimds.files.read` returns: it says itself whether it holds distances."""

    what = "a Table of unimds"

    def matches(self, X: Any) -> bool:
        """Return whether this is a Table."""
        return is_of(X, "unimds") and has(X, "precomputed", "to_frame", "values")

    def holds_distances(self, X: Any) -> bool:
        """Return what the table says."""
        return bool(X.precomputed)

    def labels(self, X: Any, square: bool) -> list[Any] | None:
        """Return its labels."""
        return None if X.labels is None else list(X.labels)

    def distances(self, X: Any, name: str) -> Array:
        """Return its distances, unless weights would be lost."""
        if X.weights is not None:
            raise ValueError(
                f"{name} is a Table with weights, which a fit takes apart from the distances: give "
                "table.values and weights=table.weights, with metric='precomputed'"
            )
        return np.asarray(X.values)

    def numbers(self, X: Any, name: str) -> Any:
        """Return its numbers."""
        if X.precomputed:
            raise ValueError(f"{name} is a Table of distances: use metric='precomputed'")
        return np.asarray(X.values)


@final
class Sparse(Kind):
    """A sparse matrix of SciPy: of distances, what is not stored is missing; of features, 0."""

    what = "a sparse matrix"

    def matches(self, X: Any) -> bool:
        """Return whether this stores some entries of a matrix."""
        return is_of(X, "scipy") and has(X, "tocoo", "nnz")

    def distances(self, X: Any, name: str) -> Array:
        """Return a square with NaN for what is not stored; one direction holds in both."""
        listed = _listed(X)
        other = listed.row != listed.col
        if other.any() and (listed.data[other] == 1).all():
            raise ValueError(
                f"{name} is {self.what} of ones, which look like edges: give the lengths of "
                f"shortest paths, unimds.dissimilarity.from_graph({name}); if they are distances, "
                "give an array with NaN where a pair is missing"
            )
        D = spread(X, np.nan)
        if D.shape[0] == D.shape[1]:
            D = np.where(np.isnan(D), D.T, D)
            own = np.arange(len(D))
            D[own, own] = np.nan_to_num(D[own, own])
        return D

    def numbers(self, X: Any, name: str) -> Array:
        """Return all numbers, those that are not stored as 0."""
        return np.asarray(X.toarray())


def spread(X: Any, absent: float) -> Array:
    """Return a sparse matrix as an array, with a number for what is not stored."""
    listed = _listed(X)
    dtype = np.float32 if listed.dtype == np.float32 else np.float64
    found = np.full(listed.shape, absent, dtype=dtype)
    found[listed.row, listed.col] = listed.data
    return found


def _listed(X: Any) -> Any:
    """Return the entries of a sparse matrix; those that are listed twice are added up, as in SciPy.

    NumPy would drop the imaginary parts of complex numbers.
    """
    if X.ndim != 2 or X.dtype.kind == "c":
        raise ValueError(
            "a sparse matrix must have two dimensions and real numbers; this one has the shape "
            f"{X.shape} and the type {X.dtype}"
        )
    return X.tocsr().tocoo()


@final
class Cells(Kind):
    """An AnnData object. It may hold several tables; if it has only X, X is meant."""

    what = "an AnnData object"

    def matches(self, X: Any) -> bool:
        """Return whether this has observations and tables of them."""
        return is_of(X, "anndata") and has(X, "obs_names", "obsm")

    def labels(self, X: Any, square: bool) -> list[Any]:
        """Return the names of the observations."""
        return list(X.obs_names)

    def columns(self, X: Any) -> list[Any]:
        """Return the names of the variables."""
        return list(X.var_names)

    def numbers(self, X: Any, name: str) -> Any:
        """Return X as a frame, if there is nothing else."""
        others = _tables(X)
        if X.X is None or others:
            known = ", ".join(([] if X.X is None else ["X"]) + others) or "none"
            raise TypeError(
                f"{name} is {self.what}, and several of its tables could be meant (it has {known}):"
                " name one, as in unimds.anndata.mds(adata, use_rep='X_pca'); or give "
                "adata.to_df(), adata.obsm['X_pca'], or adata.obsp['distances'] with "
                "metric='precomputed'"
            )
        return X.to_df()

    def distances(self, X: Any, name: str) -> Any:
        """Refuse: nothing says which table holds distances."""
        known = ", ".join(table for table in _tables(X) if table.startswith("obsp")) or "none"
        raise TypeError(
            f"{name} is {self.what}, and a table of distances is needed (in obsp it has {known}): "
            "name one, as in unimds.anndata.mds(adata, obsp='distances'), or give "
            "adata.obsp['distances']"
        )


def _tables(X: Any) -> list[str]:
    """Return the tables that an AnnData object has beside X."""
    return [f"{place}[{key!r}]" for place in ("obsm", "obsp") for key in getattr(X, place, {})]


@final
class Listed(Kind):
    """A dict, such as lengths of paths by their ends."""

    what = "a dict"

    def matches(self, X: Any) -> bool:
        """Return whether this is a mapping, and no frame."""
        return isinstance(X, Mapping)

    def distances(self, X: Any, name: str) -> Any:
        """Refuse: a dict may list anything."""
        raise TypeError(
            f"{name} is a {type(X).__name__}, and a table is needed: of the lengths of paths, such "
            "as networkx.all_pairs_shortest_path_length lists them, make D = "
            "pandas.DataFrame(dict(paths)), and give D.loc[D.columns] with metric='precomputed'; "
            "or give the graph itself"
        )

    numbers = distances

    def in_pandas(self, X: Any) -> Any:
        """Return the values by their keys, which are labels."""
        return require("pandas", "files").Series(X)
