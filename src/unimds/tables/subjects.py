r"""Weights of subjects: how each subject stretches the common map, found together with it.

For a pair of objects with the difference :math:`z` on the common map, subject :math:`s` sees

- `Sizes`: the distance :math:`c_s \, dist(x_i, x_j)`, in any space,
- `Indscal`: :math:`\lVert c_s \circ z \rVert`, a weight for each dimension,
- `Idioscal`: :math:`\lVert C_s z \rVert`, a matrix.

The loss of every pair has a parabola :math:`w (u - \rho)^2` above it, and
:math:`(u - \rho)^2 \le \lVert C_s z - (\rho / u_0) C_s z_0 \rVert^2`. So for fixed weights the
map is the solution of linear equations, and for a fixed map the weights are a regression. Neither
raises the cost.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.losses import Loss, Squared
from unimds.placecenter.frame import Frame
from unimds.placecenter.majorization.apart import Apart
from unimds.placecenter.majorization.parabolas import parabolas, values
from unimds.placecenter.problem import Problem
from unimds.placecenter.targets import Disparities
from unimds.spaces.base import Space
from unimds.spaces.euclidean import Euclidean
from unimds.tables.stack import Stack, described

Array = NDArray[Any]

SQUARED = Squared()


@final
@dataclass(frozen=True, eq=False)
class Data:
    """The tables of all subjects as lists of pairs.

    Attributes
    ----------
    i, j : ndarray of int of shape (pairs,)
        The objects of each pair.
    D : ndarray of shape (subjects, pairs), or None
        Given distances in the frame's unit, NaN where missing; None where they are transformed.
    W : ndarray of shape (subjects, pairs)
        Weights; half of them where both directions of a pair count.
    targets : list of Disparities
        What each subject's disparities adapt by; empty where nothing is transformed.
    codes : list of ndarray of int
        The code of each pair of each subject.
    frame : Frame
        Loss, space and unit.
    n : int
        Number of objects.
    """

    i: Array
    j: Array
    D: Array | None
    W: Array
    targets: list[Disparities]
    codes: list[Array]
    frame: Frame
    n: int

    @classmethod
    def of(cls, stack: Stack, frame: Frame, targets: list[Disparities]) -> Data:
        """Return the pairs of a stack of tables."""
        tables = [table.table.whole() for table in stack.tables]
        both = any(D.shape[1] == 2 for D, _ in tables) or any(t.codes.layers == 2 for t in targets)
        n = stack.n
        i, j = np.nonzero(~np.eye(n, dtype=bool)) if both else np.triu_indices(n, 1)
        W = np.stack([np.ones(i.size) if W is None else W[i, 0, j] for _, W in tables])
        W = W.astype(np.float64) * (0.5 if both else 1.0)
        if targets:
            codes = [target.codes.of_pairs[i, j] for target in targets]  # type: ignore[attr-defined]
            return cls(i, j, None, W, targets, codes, frame, n)
        D = np.stack([D[i, 0, j] for D, _ in tables]).astype(np.float64) * frame.unit
        return cls(i, j, D, W, [], [], frame, n)

    def aims(self, r: tuple[Array, ...]) -> Array:
        """Return what distances are compared with, in the frame's unit."""
        if self.D is not None:
            return self.D
        every = zip(self.targets, self.codes, r, strict=True)
        return np.stack([t.codes.numbers(own)[code] for t, code, own in every]) * self.frame.unit

    def laplacian(self, weights: Array) -> Array:
        """Return Σ w (e_i − e_j)(e_i − e_j)ᵀ over the pairs."""
        table = np.zeros((self.n, self.n))
        table[self.i, self.j] = weights
        table += table.T
        found: Array = np.diag(table.sum(axis=1)) - table
        return found


class Model(ABC):
    """How subjects see the common map; `C` are the weights of all subjects."""

    @abstractmethod
    def apart(self, data: Data, X: Array, C: Array) -> Array:
        """Return the distances of all pairs as each subject sees them."""

    @abstractmethod
    def seen(self, data: Data, X: Array, C: Array, s: int) -> tuple[Space, Array]:
        """Return the space and the configuration that a subject sees."""

    @abstractmethod
    def moved(self, view: View, loss: Loss) -> Array:
        """Return the common map after a step, for fixed weights."""

    @abstractmethod
    def weighed(self, view: View, loss: Loss) -> Array:
        """Return the weights of the subjects after a step, for a fixed map."""

    def onward(self, C: Array, previous: Array, beta: float) -> Array:
        """Return weights carried on; a weight that would change its sign stays."""
        found = C + beta * (C - previous)
        return np.where(found * C >= 0.0, found, C)


@final
@dataclass(frozen=True, eq=False)
class View:
    """A common map, the weights of the subjects and their disparities: what is lowered."""

    data: Data
    model: Model
    X: Array
    C: Array
    r: tuple[Array, ...] = ()

    @cached_property
    def u(self) -> Array:
        """The distances that each subject sees, of shape (subjects, pairs)."""
        return self.model.apart(self.data, self.X, self.C)

    @cached_property
    def aims(self) -> Array:
        """What they are compared with."""
        return self.data.aims(self.r)

    def parabolas(self, loss: Loss) -> tuple[Array, Array]:
        """Return weights and centres of all pairs."""
        w, rho = parabolas(loss, self.u, self.aims)
        w *= self.data.W
        return w, rho

    def pulls(self, loss: Loss) -> tuple[Array, Array]:
        """Return the weights w of all pairs, and w ρ / u, zero for pairs in one place."""
        w, rho = self.parabolas(loss)
        away = self.u > 0.0
        return w, np.where(away, w * rho / np.where(away, self.u, 1.0), 0.0)

    def costs(self, loss: Loss) -> Array:
        """Return the cost of each subject, in the frame's unit."""
        return np.asarray((self.data.W * values(loss, self.u, self.aims)).sum(axis=1))

    def cost(self, loss: Loss) -> float:
        """Return the cost of all."""
        return float(self.costs(loss).sum())

    def residual(self) -> float:
        """Return the median error, in the unit of the loss's smoothing.

        It hardly depends on subjects who answer at random, and the mean does.
        """
        known = ~np.isnan(self.aims) & (self.data.W > 0.0)
        if not known.any():
            return 0.0
        loss, scale = self.data.frame.loss, self.data.frame.scale
        errors = np.abs(self.u[known] - self.aims[known])
        error = float(np.median(errors))
        return abs(float(loss.residual(scale + error, scale)))

    def points(self) -> Array:
        """Return the common map in the user's unit."""
        return self.data.frame.outer(self.X)

    def stepped(self, loss: Loss) -> View:
        """Return the map, then the weights, then the disparities after a step."""
        moved = replace(self, X=self.model.moved(self, loss))
        weighed = replace(moved, C=self.model.weighed(moved, loss))
        return weighed.adapted(loss) if self.data.targets else weighed

    def beyond(self, previous: View, beta: float) -> View:
        """Return map and weights carried on; disparities stay."""
        data, C = self.data, self.model.onward(self.C, previous.C, beta)
        free = np.ones(data.n, dtype=bool)
        return replace(self, X=data.frame.extrapolate(self.X, previous.X, beta, free), C=C)

    def adapted(self, loss: Loss) -> View:
        """Return the disparities that fit better, at the size that they had.

        Where they grow, weights and disparities of the subject are divided by one factor.
        """
        unit, found, C = self.data.frame.unit, [], self.C.copy()
        for s, (target, own) in enumerate(zip(self.data.targets, self.r, strict=True)):
            apart = Apart(*self.model.seen(self.data, self.X, self.C, s))
            new = target.adapted(apart, loss, unit, own)
            growth = target.growth(new)
            found.append(new * growth)
            C[s] *= growth
        return replace(self, C=C, r=tuple(found))

    def fitted(self, loss: Loss) -> View:
        """Return the disparities in the unit in which they fit what each subject sees."""
        if not self.data.targets:
            return self
        soft, unit, found = loss.smoothed(1e-9 * self.data.frame.scale), self.data.frame.unit, []
        for s, (target, own) in enumerate(zip(self.data.targets, self.r, strict=True)):
            apart = Apart(*self.model.seen(self.data, self.X, self.C, s))
            found.append(target.fitted(apart, soft, unit, own))
        return replace(self, r=tuple(found))


def solved(V: Array, B: Array) -> Array:
    """Return V⁺ B for a sum of Laplacians, whose null space are shifts of all points."""
    n = len(V)
    heavy = float(np.trace(V)) / n or 1.0
    try:
        found: Array = np.linalg.solve(V + heavy / n, B)
    except np.linalg.LinAlgError:  # some objects are not connected
        found = np.linalg.lstsq(V, B, rcond=None)[0]
    return found


@final
class Sizes(Model):
    """Every subject has one size c_s: for the same map in another unit."""

    def apart(self, data: Data, X: Array, C: Array) -> Array:
        return C[:, None] * self._plain(data, X)

    @staticmethod
    def _plain(data: Data, X: Array) -> Array:
        if type(data.frame.space) is Euclidean:
            return np.asarray(np.sqrt(np.square(X[:, data.i] - X[:, data.j]).sum(axis=0)))
        points = np.ascontiguousarray(X)
        return np.asarray(data.frame.space.between(points, points)[data.i, data.j])

    def seen(self, data: Data, X: Array, C: Array, s: int) -> tuple[Space, Array]:
        space = data.frame.space
        if space.scales_coordinates:
            return space, C[s] * X
        scaled = space.scaled(float(C[s]))
        assert scaled is not None  # it came to the frame's unit
        return scaled, X

    def moved(self, view: View, loss: Loss) -> Array:
        data, X, C = view.data, view.X, view.C
        w, rho = view.parabolas(loss)
        # Σ_s w (c u − ρ)² is one parabola in the common distance u
        heavy = np.square(C) @ w
        centre = np.where(heavy > 0.0, C @ (w * rho), 0.0) / np.where(heavy > 0.0, heavy, 1.0)
        if type(data.frame.space) is Euclidean:
            u = self._plain(data, X)
            pull = np.where(u > 0.0, heavy * centre / np.where(u > 0.0, u, 1.0), 0.0)
            found = solved(data.laplacian(heavy), data.laplacian(pull) @ X.T)
            return np.ascontiguousarray(found.T)
        return self._swept(data, X, heavy, centre)

    @staticmethod
    def _swept(data: Data, X: Array, heavy: Array, centre: Array) -> Array:
        """Place every point once by the ordinary engine, against one weighted table."""
        D, W = np.zeros((data.n, data.n)), np.zeros((data.n, data.n))
        np.add.at(W, (data.i, data.j), heavy)
        np.add.at(D, (data.i, data.j), heavy * centre)
        D, W = D + D.T, W + W.T
        D = np.where(W > 0.0, D / np.where(W > 0.0, W, 1.0), np.nan)
        np.fill_diagonal(D, 0.0)
        frame = replace(data.frame, loss=SQUARED, unit=1.0)
        problem = Problem(described(D[:, None, :], W[:, None, :]), frame, 1)
        X = X.copy()
        problem.sweep(X, SQUARED, frame.space, 1, 0.0)
        return X

    def weighed(self, view: View, loss: Loss) -> Array:
        u = self._plain(view.data, view.X)
        w, rho = view.parabolas(loss)
        below, above = w @ np.square(u), (w * rho) @ u
        return np.where(below > 0.0, above / np.where(below > 0.0, below, 1.0), view.C)


@final
class Indscal(Model):
    """Every subject has a weight for each dimension, of shape (subjects, dimensions)."""

    def apart(self, data: Data, X: Array, C: Array) -> Array:
        return np.asarray(np.sqrt(np.square(C) @ np.square(X[:, data.i] - X[:, data.j])))

    def seen(self, data: Data, X: Array, C: Array, s: int) -> tuple[Space, Array]:
        return data.frame.space, np.ascontiguousarray(C[s][:, None] * X)

    def moved(self, view: View, loss: Loss) -> Array:
        data, squares = view.data, np.square(view.C)
        w, pull = view.pulls(loss)
        heavy, pulled, found = squares.T @ w, squares.T @ pull, np.empty_like(view.X)
        for a, x in enumerate(view.X):
            found[a] = solved(data.laplacian(heavy[a]), data.laplacian(pulled[a]) @ x)
        return found

    def weighed(self, view: View, loss: Loss) -> Array:
        w, pull = view.pulls(loss)
        squares = np.square(view.X[:, view.data.i] - view.X[:, view.data.j])
        below, above = w @ squares.T, pull @ squares.T
        return view.C * np.where(below > 0.0, above / np.where(below > 0.0, below, 1.0), 1.0)


@final
class Idioscal(Model):
    """Every subject has a matrix, of shape (subjects, dimensions, dimensions)."""

    def apart(self, data: Data, X: Array, C: Array) -> Array:
        Z = X[:, data.i] - X[:, data.j]
        return np.asarray(np.sqrt(np.square(C @ Z).sum(axis=1)))

    def seen(self, data: Data, X: Array, C: Array, s: int) -> tuple[Space, Array]:
        return data.frame.space, np.ascontiguousarray(C[s] @ X)

    def onward(self, C: Array, previous: Array, beta: float) -> Array:
        """Return matrices carried on."""
        found: Array = C + beta * (C - previous)
        return found

    def moved(self, view: View, loss: Loss) -> Array:
        data, (k, n) = view.data, view.X.shape
        w, pull = view.pulls(loss)
        G = np.einsum("sba,sbc->sac", view.C, view.C)
        blocks = np.empty((2, k, n, k, n))
        for a in range(k):
            for b in range(k):
                blocks[0, a, :, b] = data.laplacian(G[:, a, b] @ w)
                blocks[1, a, :, b] = data.laplacian(G[:, a, b] @ pull)
        V, B = blocks.reshape(2, k * n, k * n)
        heavy = float(np.trace(V)) / (k * n) or 1.0
        still = np.kron(np.eye(k), np.full((n, n), heavy / n))  # shifts of all points
        right = B @ view.X.reshape(-1)
        try:
            found = np.linalg.solve(V + still, right)
        except np.linalg.LinAlgError:
            found = np.linalg.lstsq(V, right, rcond=None)[0]
        return np.asarray(found).reshape(k, n)

    def weighed(self, view: View, loss: Loss) -> Array:
        w, pull = view.pulls(loss)
        Z = view.X[:, view.data.i] - view.X[:, view.data.j]
        products = (Z[:, None] * Z[None]).reshape(len(Z) ** 2, -1)
        shape = (len(w), len(Z), len(Z))
        below, above = (w @ products.T).reshape(shape), (pull @ products.T).reshape(shape)
        found = view.C.copy()
        for s in range(len(w)):
            if np.linalg.cond(below[s]) < 1e12:
                found[s] = np.linalg.solve(below[s], (view.C[s] @ above[s]).T).T
            elif below[s].any():
                found[s] = view.C[s] @ above[s] @ np.linalg.pinv(below[s])
        return found
