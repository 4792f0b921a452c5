r"""Trees: a start for maps in hyperbolic space, which holds trees well.

In strong negative curvature a branch turns as a whole or not at all: its points would have to move
together, each by its distance from the joint. So descents that move points end where they began,
tangled or not. Here the variables are those of a tree instead. *Neighbour joining* finds the tree
of a table (Saitou & Nei 1987). It is laid out from its middle: every branch gets the room that its
points need, and where there is enough, the branches of a node are spread around it (Sarkar 2011).
Then the angles at the nodes and the lengths of the edges *settle*: they descend to where the
squared error no longer falls. A table that no tree fits has no such start.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import pi
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order
from threadpoolctl import threadpool_limits

from unimds.placecenter.problem import MOST_ACROSS, MOST_UNITS
from unimds.spaces.hyperbolic import Hyperbolic
from unimds.starts.seeds.initial import completed, configuration, untied

if TYPE_CHECKING:
    from unimds.placecenter.problem import Problem

Array = NDArray[Any]

JOINED = 500  # points that are joined: the time grows with their cube
TREELIKE = 0.15  # error of the tree's own distances, of the given ones, up to which it is a start
QUARTETS, CROOKED = 500, 0.35  # fours of points, and how far the four-point rule may fail for them
MERGED = 1e-9  # of a typical distance: shorter edges are none
FADING = 0.5  # room that a branch needs, by the units of length to its points: exp(-FADING r)
FARTHEST = 500.0  # units of length, beyond which an edge is as good as any longer one
REACH = 20.0  # units of length from the middle, beyond which coordinates lose all digits
STEPS, MEMORY = 100, 20  # most trees settle in fewer, and sweeps do the rest
ASIDE = 0.1  # units of length, out of the plane of the layout

SIGNS = np.array([-1.0, 1.0, 1.0])


@final
@dataclass(frozen=True)
class Tree:
    """A tree whose nodes are numbered from its middle outwards: node 0 is the root.

    Attributes
    ----------
    parent : ndarray of shape (m,)
        The parent of each node, which has a lower number; that of the root is 0.
    length : ndarray of shape (m,)
        Length of the edge to the parent; that of the root is 0.
    node : ndarray of shape (n,)
        Where each point is: some nodes hold no point, and some several.
    """

    parent: Array
    length: Array
    node: Array

    @cached_property
    def levels(self) -> list[Array]:
        """The nodes at each number of edges from the root, from 1 on."""
        depth = np.zeros(self.parent.size, dtype=np.intp)
        for v in range(1, depth.size):
            depth[v] = depth[self.parent[v]] + 1
        return [np.flatnonzero(depth == level) for level in range(1, depth.max() + 1)]

    @cached_property
    def points_beyond(self) -> Array:
        """The number of points at each node and beyond it."""
        count = np.bincount(self.node, minlength=self.parent.size)
        for v in range(count.size - 1, 0, -1):
            count[self.parent[v]] += count[v]
        return count

    @property
    def radius(self) -> float:
        """The longest way from the root."""
        way = np.zeros(self.parent.size)
        for v in range(1, way.size):
            way[v] = way[self.parent[v]] + self.length[v]
        return float(way.max())

    def paths(self) -> Array:
        """Return the distances of all points along the tree."""
        D = np.zeros(2 * (self.parent.size,))
        for v in range(1, len(D)):
            D[v, :v] = D[:v, v] = D[self.parent[v], :v] + self.length[v]
        return np.asarray(D[np.ix_(self.node, self.node)])


# --- the tree of a table ------------------------------------------------------------------------


def joined(D: Array) -> Tree:
    """Return the tree of a symmetric table without gaps, by neighbour joining.

    Examples
    --------
    Three points around a fourth:

    >>> D = np.array([[0.0, 1.0, 2.0, 3.0], [1, 0, 3, 4], [2, 3, 0, 5], [3, 4, 5, 0]])
    >>> tree = joined(D)
    >>> tree.parent, tree.length, tree.node
    (array([0, 0, 0, 0]), array([0., 1., 2., 3.]), array([0, 1, 2, 3]))
    """
    parent, length = _joined_pairwise(D)
    m, n = parent.size, len(D)
    merged = length <= MERGED * _typical(D)
    group = np.arange(m)
    for v in range(m - 2, -1, -1):
        if merged[v]:
            group[v] = group[parent[v]]
    kept, at = np.unique(group, return_inverse=True)
    below = kept[:-1]  # all but the last node, which is the root of the joining
    ends = at[below], at[parent[below]]
    size = np.bincount(at[:n], minlength=kept.size)
    branch = np.zeros(kept.size, dtype=size.dtype)  # points of the largest branch of a node
    for v, up in zip(*ends, strict=True):
        size[up] += size[v]
        branch[up] = max(branch[up], size[v])
    middle = int(np.argmin(np.maximum(branch, n - size)))
    edges = csr_array((length[below], ends), shape=(kept.size, kept.size))
    order, up = breadth_first_order(edges, middle, directed=False)
    number = np.argsort(order)
    both = edges + edges.T
    parents = np.append(0, number[up[order[1:]]])
    lengths = np.append(0.0, both[order[1:], up[order[1:]]])
    return Tree(parents, lengths, number[at[:n]])


def _joined_pairwise(D: Array) -> tuple[Array, Array]:
    """Join the two nearest neighbours until one is left; return parents, later nodes, and lengths.

    Neighbours are near each other and far from all others: neighbour joining finds any tree from
    its exact distances.
    """
    n, D = len(D), np.array(D, dtype=np.float64)
    parent = np.zeros(max(2 * n - 2, n), dtype=np.intp)
    length, nodes = np.zeros(parent.size), np.arange(n)
    for new in range(n, 2 * n - 2):
        m, sums = len(D), D.sum(axis=1)
        nearness = (m - 2) * D - sums
        nearness -= sums[:, None]
        np.fill_diagonal(nearness, np.inf)
        i, j = sorted(divmod(int(nearness.argmin()), m))
        apart = D[i, j]
        share = float(np.clip(0.5 * apart + (sums[i] - sums[j]) / (2 * (m - 2)), 0.0, apart))
        parent[nodes[[i, j]]], length[nodes[[i, j]]] = new, (share, apart - share)
        D[i] = D[:, i] = np.maximum(0.5 * (D[i] + D[j] - apart), 0.0)
        nodes[i], nodes[j] = new, nodes[-1]
        D[j] = D[-1]
        D[:, j] = D[:, -1]
        D, nodes = D[:-1, :-1], nodes[:-1]
        np.fill_diagonal(D, 0.0)
    if n > 1:
        low, high = sorted(nodes)
        parent[low], length[low] = high, D[0, 1]
    return parent, length


def _typical(D: Array) -> float:
    """Return the median of all distances that are not zero; 0 if there is none."""
    apart = D[D > 0.0]
    return float(np.median(apart)) if apart.size else 0.0


# --- its layout in the hyperbolic plane ---------------------------------------------------------


def laid_out(tree: Tree, unit: float) -> Array:
    r"""Return the direction of each edge, as an angle from the direction of the edge before it.

    A point at r units of length needs room in proportion to exp(-r/2): where curvature is weak,
    branches get room by the number of their points; where it is strong, by that of the edges at a
    node. The half-angle β of a branch as seen from a node, seen from the next node at a length w,
    is α with tan(α/2) = exp(w) tan(β/2). It keeps branches apart, but is cut where the way back
    needs room.

    Examples
    --------
    >>> star = Tree(np.zeros(5, dtype=int), np.array([0.0, 1.0, 1.0, 1.0, 1.0]), np.arange(5))
    >>> np.degrees(laid_out(star, 1.0)).round()
    array([   0., -135.,  -45.,   45.,  135.])
    """
    parent, w = tree.parent, np.minimum(tree.length / unit, FARTHEST)
    m, fading = w.size, np.exp(-FADING * w)
    beyond, room = np.zeros(m), np.zeros(m)  # room of the branches at a node; of its own branch
    for v in range(m - 1, 0, -1):
        room[v] = fading[v] * max(beyond[v], 1.0)  # a node counts where nothing beyond it does
        beyond[parent[v]] += room[v]
    back, half, begun, angle = np.zeros(m), np.full(m, pi), np.zeros(m), np.zeros(m)
    begun[0] = -pi
    for v in range(1, m):
        up = parent[v]
        seen = half[up] * room[v] / beyond[up]
        angle[v] = begun[up] + seen
        begun[up] += 2.0 * seen
        back[v] = fading[v] * max(back[up] + beyond[up] - room[v], 1.0)
        free = 2.0 * np.arctan2(np.exp(w[v]) * np.sin(0.5 * seen), np.cos(0.5 * seen))
        half[v] = min(free, pi * beyond[v] / (back[v] + beyond[v]))
        begun[v] = -half[v]
    return angle


class Settled(NamedTuple):
    """A tree that has settled: rows of points on the hyperboloid, and its unit of length."""

    points: Array
    unit: float


@final
class Limbs:
    """A tree in the hyperbolic plane, moved by its angles and its lengths.

    The variables are scaled: one of them alone would bend the cost about as much as any other.

    Parameters
    ----------
    tree : Tree
        The tree as joined.
    D : ndarray of shape (n, n)
        The distances to meet.
    unit : float
        Unit of length of the hyperbolic plane.
    """

    def __init__(self, tree: Tree, D: Array, unit: float):
        self.tree, self.D, self.unit = tree, D, unit
        self.typical = _typical(D)
        beyond, n = tree.points_beyond[1:], len(D)
        stiff = np.sqrt(2.0 * np.maximum(beyond * (n - beyond), n))
        self.scale = np.concatenate([unit * stiff, stiff, [n * self.typical]])
        shrink = min(1.0, REACH * unit / tree.radius)  # coordinates must have digits
        self.length = tree.length[1:] * shrink
        self.first = np.concatenate([laid_out(tree, unit)[1:], self.length, [0.0]])

    def settled(self, least: float | None = None) -> Settled:
        """Descend in angles and lengths; and in the unit too, down to the `least` one if given."""
        last = np.zeros(1) if least is None else np.array([np.log(least / self.unit), 3.0])
        edges, wide = self.length.size, np.inf
        low = np.concatenate([np.full(edges, -wide), -self.length, last[:1]])
        high = np.concatenate([np.full(edges, wide), self.length + self.typical, last[-1:]])
        with threadpool_limits(1):  # on more threads BLAS would round in another way
            found = minimize(
                self.cost,
                np.zeros(low.size),
                jac=True,
                method="L-BFGS-B",
                bounds=np.column_stack([low * self.scale, high * self.scale]),
                options={"maxiter": STEPS, "maxfun": 2 * STEPS, "maxcor": MEMORY, "ftol": 1e-9},
            )
        at = found.x if np.isfinite(found.fun) else np.zeros(low.size)
        frames, _, unit = self._frames(at)
        return Settled(self._points(frames), unit)

    def _frames(self, variables: Array) -> tuple[Array, Array, float]:
        """Return the frame of each node, how it follows from that of its parent, and the unit.

        The columns of a frame are the point, the direction of its edge, and that to the left.
        """
        now, m = self.first + variables / self.scale, self.tree.parent.size
        unit = self.unit * float(np.exp(now[-1]))
        moves = _moves(np.append(0.0, now[: m - 1]), np.append(0.0, now[m - 1 : -1]) / unit)
        frames = np.empty_like(moves)
        frames[0] = np.eye(3)
        for level in self.tree.levels:
            frames[level] = frames[self.tree.parent[level]] @ moves[level]
        return frames, moves, unit

    def _points(self, frames: Array) -> Array:
        X = frames[self.tree.node, :, 0]
        X[:, 0] = np.sqrt(1.0 + X[:, 1] ** 2 + X[:, 2] ** 2)
        return X

    def cost(self, variables: Array) -> tuple[float, Array]:
        """Return the squared error of all pairs, and its slope."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            frames, moves, unit = self._frames(variables)
            X = self._points(frames)
            u, sinh = _distances(X)
            u *= unit
            error = u - self.D
            cost = 0.5 * float(np.vdot(error, error))
            if not np.isfinite(cost):  # a trial may lead too far
                return np.finfo(float).max, np.zeros(variables.size)
            sinh[sinh == 0.0] = np.inf  # points in one place do not pull at each other
            pulls = (error / sinh) @ X * (-2.0 * unit * SIGNS)
        turning, stretching = self._slopes(frames, moves, pulls)
        lengths = self.first[turning.size : -1] + (variables / self.scale)[turning.size : -1]
        # angles and lengths stay when the unit changes
        sizing = np.vdot(error, u) - stretching @ lengths / unit
        slope = np.concatenate([turning, stretching / unit, [sizing]])
        return cost, slope / self.scale

    def _slopes(self, frames: Array, moves: Array, pulls: Array) -> tuple[Array, Array]:
        """Return the slopes of the angles and of the lengths in units, from those of the points.

        To turn or stretch an edge moves all points beyond it by one isometry: the sum of their
        moments tells the slope. It is taken in the frame of each node, where numbers are small.
        """
        tree = self.tree
        turning, stretching = np.zeros((2, tree.parent.size))
        moments = np.zeros_like(frames)
        here = np.einsum("nij,ni->nj", frames[tree.node], pulls)
        np.add.at(moments[:, :, 0], tree.node, here)
        for level in reversed(tree.levels):
            own, move = moments[level], moves[level]
            stretching[level] = own[:, 0, 1] + own[:, 1, 0]
            # the inverse of a Lorentz transformation is its transpose, but for signs
            carried = SIGNS[:, None] * move * SIGNS @ own @ np.swapaxes(move, 1, 2)
            turning[level] = carried[:, 2, 1] - carried[:, 1, 2]
            np.add.at(moments, tree.parent[level], carried)
        return turning[1:], stretching[1:]


def _moves(angle: Array, length: Array) -> Array:
    """Return the Lorentz transformations that turn by an angle, then go ahead by a length."""
    c, s, t, h = np.cos(angle), np.sin(angle), np.cosh(length), np.sinh(length)
    zero = np.zeros_like(c)
    rows = [[t, h, zero], [c * h, c * t, -s], [s * h, s * t, c]]
    return np.moveaxis(np.array(rows), 2, 0)


def _distances(X: Array) -> tuple[Array, Array]:
    """Return the distances of all pairs in units of length, and their hyperbolic sines.

    As in `Hyperbolic.pair`, near points are measured by differences and far ones by a product.
    """
    times, halves = np.outer(2.0 * X[:, 0], X[:, 0]), 0.5 * np.sum(X * X, axis=1)
    i, j = np.nonzero(times >= halves[:, None] + halves)  # few pairs, mostly
    chord2 = times - X @ X.T  # minus Minkowski's product
    chord2 -= 1.0
    chord2 *= 2.0
    chord2[i, j] = (X[i] - X[j]) ** 2 @ SIGNS
    np.maximum(chord2, 0.0, out=chord2)
    sinh = 0.25 * chord2
    sinh += 1.0
    sinh *= chord2
    np.sqrt(sinh, out=sinh)
    chord2 *= 0.5
    chord2 += sinh
    return np.log1p(chord2, out=chord2), sinh


# --- starts of a problem ------------------------------------------------------------------------


class Sized(NamedTuple):
    """A start from a tree, its unit of length, and whether that may still change."""

    X: Array
    unit: float
    free: bool


def tree_start(problem: Problem, known: list[Array]) -> Array | None:
    """Return a start from the tree of a table; None where another space is, or no tree fits.

    The tree must fit better than the `known` maps: else it would not lead to a better one.
    """
    limbs = _limbs(problem, known)
    return None if limbs is None else _configuration(limbs.settled().points, problem)


def tree_size(problem: Problem, known: list[Array]) -> Sized | None:
    """Return a start at the size that fits the tree of a table best, if there is a tree.

    That is its size in a plane: in more dimensions another one may be better.
    """
    limbs = _limbs(problem, known) if problem.n_components == 2 else None
    if limbs is None:
        return None
    least = min(limbs.typical / MOST_UNITS, float(limbs.D.max()) / MOST_ACROSS)
    points, unit = limbs.settled(least)
    return Sized(_configuration(points, problem), unit, unit > least * (1.0 + 1e-6))


def _configuration(plane: Array, problem: Problem) -> Array:
    """Return points of a plane as a configuration of any dimension.

    Points in a plane would never leave it: in more dimensions they step aside a little.
    """
    aside = (len(plane), problem.n_components - 2)
    noise = np.random.default_rng(0).normal(scale=ASIDE, size=aside)
    points = problem.frame.space.project_points(np.hstack([plane, noise]))
    return configuration(untied(points, problem), problem)


def _limbs(problem: Problem, known: list[Array]) -> Limbs | None:
    space, n = problem.frame.space, problem.pairs.n
    # not a subclass, which may measure in another way
    if type(space) is not Hyperbolic or problem.n_components < 2 or n < 4:
        return None
    D = completed(problem.pairs) * problem.frame.unit
    if not D.any() or _crookedness(D) > CROOKED:
        return None
    tree = joined(D)
    maps = (np.ascontiguousarray(X, dtype=np.float64) for X in known)
    errors = [TREELIKE * _norm(D), *(_norm(space.between(X, X) - D) for X in maps)]
    return Limbs(tree, D, space.unit) if _norm(tree.paths() - D) <= min(errors) else None


def _norm(A: Array) -> float:
    return float(np.linalg.norm(A))


def _crookedness(D: Array) -> float:
    """Return how far the four-point rule fails for some fours of points; 0 for any tree.

    Of the three sums of two distances that join four points of a tree by twos, the two larger ones
    are equal. To look at some fours takes no time, unlike joining.
    """
    a, b, c, d = np.random.default_rng(0).integers(len(D), size=(4, QUARTETS))
    sums = np.sort([D[a, b] + D[c, d], D[a, c] + D[b, d], D[a, d] + D[b, c]], axis=0)
    largest = _norm(sums[2])
    return 2.0 * _norm(sums[2] - sums[1]) / largest if largest > 0.0 else 0.0
