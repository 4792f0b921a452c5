"""Data of other packages: recognised by their shape, never by an import.

What holds a table of distances and nothing else is taken as it is; whatever could mean several
things is an error that says what to write instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from unimds.files.errors import stack_told


@final
@dataclass(frozen=True)
class Foreign:
    """A kind of object that is no table, and how to make one of it.

    Attributes
    ----------
    package : str
        The package whose classes are meant.
    attributes : tuple of str
        What an object of this kind has.
    what, remedy : str
        What to call it, and what to write instead.
    """

    package: str
    attributes: tuple[str, ...]
    what: str
    remedy: str

    def matches(self, X: Any) -> bool:
        """Return whether an object, or a class it is derived from, is of this kind."""
        return is_of(X, self.package) and all(hasattr(X, name) for name in self.attributes)


NO_TABLES = (
    Foreign(
        "unimds",
        ("precomputed", "to_frame"),
        "a Table, as unimds.files.read returns it",
        "give its frame, table.to_frame(), with metric='precomputed' if table.precomputed is true",
    ),
    Foreign(
        "networkx",
        ("nodes", "edges"),
        "a networkx graph",
        "for the lengths of its shortest paths write D = networkx.floyd_warshall_numpy(G), whose "
        "rows are in the order of list(G), and give D with metric='precomputed'. It takes an "
        "edge's weight as its length: where it is a strength, set lengths of 1 / weight first",
    ),
    Foreign(
        "igraph",
        ("vs", "es"),
        "an igraph graph",
        "for the lengths of its shortest paths write D = numpy.array(g.distances(weights=...)), "
        "and give D with metric='precomputed'",
    ),
    Foreign(
        "anndata",
        ("obs_names", "obsm"),
        "an AnnData object, which holds several tables",
        "name one: adata.obsm['X_pca'] or adata.to_df() as features, or a full table of distances "
        "from adata.obsp with metric='precomputed'",
    ),
    Foreign(
        "scipy",
        ("toarray", "nnz"),
        "a sparse matrix",
        "for the lengths of shortest paths of an adjacency matrix A write D = "
        "scipy.sparse.csgraph.shortest_path(A, directed=False), and give D with "
        "metric='precomputed'; for features write X.toarray()",
    ),
)


def is_of(X: Any, package: str) -> bool:
    """Return whether the class of an object, or one of its bases, comes from a package."""
    return any(kind.__module__.partition(".")[0] == package for kind in type(X).__mro__)


def is_labelled_square(X: Any) -> bool:
    """Return whether this is scikit-bio's DistanceMatrix: distances, and the ids of the points."""
    return is_of(X, "skbio") and hasattr(X, "ids") and hasattr(X, "redundant_form")


def native(X: Any, name: str) -> Any:
    """Return a table of distances that NumPy or pandas knows; raise where it is none."""
    if isinstance(X, np.ndarray) and X.ndim <= 2:
        return X
    if is_labelled_square(X):
        return np.asarray(X.redundant_form())
    _check_known(X, name)
    shape = _shape(X)
    check_one_table(shape, name)
    return X


def check_one_table(shape: tuple[int, ...], name: str) -> None:
    """Refuse a stack of tables, and say how to make one table of it."""
    if len(shape) == 3 and min(shape) > 1:
        raise ValueError(f"{name} {stack_told(shape, name)}")


def native_features(X: Any) -> Any:
    """Return features that scikit-learn can read; raise where they are none."""
    if isinstance(X, np.ndarray) and X.ndim <= 2:
        return X
    if is_labelled_square(X):
        raise ValueError(
            "X is a DistanceMatrix of scikit-bio, which holds distances: use metric='precomputed'"
        )
    _check_known(X, "X")
    shape = _shape(X)
    if len(shape) == 3 and shape[0] > 1:
        count = shape[0]
        raise ValueError(
            f"X has three dimensions, {' × '.join(map(str, shape))}, and a table of features has "
            f"two, one row a point: for {count} points write numpy.reshape(X, ({count}, -1)); of "
            f"{count} tables of distances give the mean, numpy.nanmean(X, axis=0), with "
            "metric='precomputed', or map each table by itself"
        )
    return X


def _check_known(X: Any, name: str) -> None:
    for kind in NO_TABLES:
        if kind.matches(X):
            raise TypeError(f"{name} is {kind.what}, and a table is needed: {kind.remedy}")
    if isinstance(X, Mapping):
        raise TypeError(
            f"{name} is a {type(X).__name__}, and a table is needed: of the lengths of paths, such "
            "as networkx.all_pairs_shortest_path_length lists them, make D = "
            "pandas.DataFrame(dict(paths)), and give D.loc[D.columns] with metric='precomputed'"
        )


def _shape(X: Any) -> tuple[int, ...]:
    """Return the shape of an array, or of nested lists as their first entries have it."""
    if isinstance(X, list | tuple):
        return (len(X), *(_shape(X[0]) if X else ()))
    shape = getattr(X, "shape", ())
    return shape if isinstance(shape, tuple) else ()
