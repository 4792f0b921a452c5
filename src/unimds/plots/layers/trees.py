"""Trees on a map: the minimum spanning tree, and the clusters of a dendrogram."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from unimds.distances.inputs import as_square
from unimds.distances.joining import joined_table
from unimds.plots.layers.base import Drawing, Entry, Layer, Line, Scene
from unimds.plots.layers.grounds import Ground, ground_of
from unimds.spaces import distances

Array = NDArray[Any]

METHODS = ("average", "single", "complete", "weighted", "centroid", "median", "ward")
"""The linkages of SciPy."""


def _table(scene: Scene, D: Any) -> Array:
    """Return what a tree is made of: what was given, what the map was fitted to, or the map's."""
    if D is None:
        own = scene.given
        return distances(scene.points, space=scene.space) if own is None else own
    table = np.asarray(as_square(joined_table(D, scene.labels), "D"), dtype=float)
    if len(table) != scene.n:
        raise ValueError(f"the map has {scene.n} points, but D has {len(table)}")
    return table


@final
@dataclass(frozen=True, eq=False)
class SpanningTree(Layer):
    """The minimum spanning tree, as vegan's ``spantree``: where it is long, the map is wrong.

    Points that are near on the map but far apart in the tree are far apart in the data.

    Parameters
    ----------
    D : array-like of shape (n, n), default=None
        Dissimilarities, NaN where missing; by default those that the map was fitted to, or the
        distances on the map if it does not know them.

    Examples
    --------
    >>> from unimds.plots import SpanningTree, plot_embedding
    >>> plot_embedding(mds, layers=[SpanningTree()])  # doctest: +SKIP
    """

    D: ArrayLike | None = None

    @property
    def name(self) -> str:
        """What the report calls the layer."""
        return "spanning tree"

    def draw(self, scene: Scene) -> Drawing:
        """Return the edges of the tree."""
        ground = ground_of(scene, "a spanning tree")
        edges = spanning_tree(_table(scene, self.D))
        paths = ground.paths(ground.places[edges[:, 0]], ground.places[edges[:, 1]])
        return Drawing([Line(path, "note", width=1.0) for path in paths])


def spanning_tree(D: Array) -> NDArray[np.intp]:
    """Return the edges of the minimum spanning tree (Prim's algorithm), from the nearest on.

    Pairs without a dissimilarity are not joined; a table that falls apart has a tree for each part.

    Examples
    --------
    >>> spanning_tree(np.array([[0.0, 1.0, 3.0], [1.0, 0.0, 2.0], [3.0, 2.0, 0.0]])).tolist()
    [[0, 1], [1, 2]]
    """
    table = np.where(np.isnan(D), np.inf, D)
    table = np.minimum(table, table.T)
    n = len(table)
    outside = np.ones(n, dtype=bool)
    nearest, parent = np.full(n, np.inf), np.full(n, -1)
    edges = []
    for _ in range(n):
        i = int(np.where(outside, nearest, np.inf).argmin())
        if not outside[i]:  # all others are out of reach: another part begins
            i = int(outside.argmax())
        if np.isfinite(nearest[i]):
            edges.append((parent[i], i))
        outside[i] = False
        nearer = outside & (table[i] < nearest)
        nearest[nearer], parent[nearer] = table[i][nearer], i
    return np.array(edges, dtype=np.intp).reshape(-1, 2)


@final
@dataclass(frozen=True, eq=False)
class Clusters(Layer):
    """The clusters of a dendrogram, drawn as trees on the map, as vegan's ``ordicluster``.

    Each line joins the means of two clusters that were merged. The last merges are left out, so
    that there is a tree for each cluster.

    Parameters
    ----------
    k : int, default=1
        Number of clusters; 1 draws the whole dendrogram.
    D : array-like of shape (n, n), default=None
        Dissimilarities; by default those that the map was fitted to, or the distances on the map
        if it does not know them.
    method : str, default="average"
        The linkage, as in `scipy.cluster.hierarchy.linkage`: "average", "single", "complete".

    Examples
    --------
    >>> from unimds.plots import Clusters, plot_embedding
    >>> plot_embedding(mds, layers=[Clusters(3)])  # doctest: +SKIP
    """

    k: int = 1
    D: ArrayLike | None = None
    method: str = "average"

    @property
    def name(self) -> str:
        """What the report calls the layer."""
        return "dendrogram" if self.k == 1 else f"{self.k} clusters"

    def draw(self, scene: Scene) -> Drawing:
        """Return the lines between merged clusters, a colour for each cluster that is left."""
        if not isinstance(self.k, int | np.integer) or not 1 <= self.k <= scene.n:
            raise ValueError(f"k={self.k!r} clusters of {scene.n} points; k must be 1 to {scene.n}")
        ground = ground_of(scene, "a dendrogram")
        merges = self._merges(_table(scene, self.D))
        starts, ends, last = _joints(ground, merges)
        used = [int(k) for k in np.unique(last)]
        hues = dict(zip(used, scene.free_hues(), strict=False))
        lines = [
            Line(path, "note" if self.k == 1 else hues[own])
            for path, own in zip(ground.paths(starts, ends), last, strict=True)
        ]
        entries = []
        if self.k > 1:
            entries = [
                Entry(f"cluster {i + 1}", lines[last.index(own)]) for i, own in enumerate(used)
            ]
        return Drawing(lines, entries)

    def _merges(self, table: Array) -> Array:
        """Return the merges that are drawn: both clusters, and the sizes of the new ones."""
        if np.isnan(table).any():
            raise ValueError("clusters need all dissimilarities; give D without missing pairs")
        if self.method not in METHODS:
            known = ", ".join(map(repr, METHODS))
            raise ValueError(f"method={self.method!r} is not known: use one of {known}")
        if len(table) < 2:
            return np.empty((0, 4))
        tree = linkage(squareform(0.5 * (table + table.T), checks=False), self.method)
        return np.asarray(tree[: len(table) - self.k])


def _joints(ground: Ground, merges: Array) -> tuple[Array, Array, list[int]]:
    """Return both ends of each line, and the last cluster that each belongs to."""
    n = len(ground.places)
    places, sizes = list(ground.places), [1.0] * n
    parent = np.arange(n + len(merges))
    starts, ends = [], []
    for k, (a, b) in enumerate(merges[:, :2].astype(int)):
        starts.append(places[a])
        ends.append(places[b])
        sizes.append(sizes[a] + sizes[b])
        places.append(ground.between(places[a], places[b], sizes[b] / sizes[-1]))
        parent[a] = parent[b] = n + k
    last = []
    for k in range(len(merges)):
        own = n + k
        while parent[own] != own:
            own = int(parent[own])
        last.append(own)
    wide = ground.places.shape[1]
    return np.array(starts).reshape(-1, wide), np.array(ends).reshape(-1, wide), last
