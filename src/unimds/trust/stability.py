"""The outcome of a study of stability: where else a point could be, and how much the map moves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import chi2, f

from unimds._runtime.extras import require
from unimds.interpret.maps import axes_of, in_columns
from unimds.quality import align
from unimds.spaces import Space, distances
from unimds.trust.tangent import Tangents, tangents_at

Array = NDArray[Any]

SHOWN = 5
"""Points that the words show."""
LINE = 73
"""Points of the outline of a region."""


class DecidingPair(NamedTuple):
    """A pair, and how far the map moves without it.

    Attributes
    ----------
    i, j : int
        The points.
    given, mapped : float
        What the map was to match (the disparity at a level other than "ratio"), and its distance.
    slope : float
        The pull of the pair: its weight times the slope of the loss.
    move : float
        How far the points move if the pair is left out, as the root of the mean square.
    farthest : int
        The point that moves most.
    """

    i: int
    j: int
    given: float
    mapped: float
    slope: float
    move: float
    farthest: int


@final
@dataclass(frozen=True, eq=False)
class ConfidenceRegions:
    """A confidence region of each point: an ellipse, bent along with the space.

    A place belongs to the region of point i if the vector v that leads there has
    vᵀ C⁻¹ v ≤ `bounds[i]`, where C is the covariance of the point.

    Attributes
    ----------
    confidence : float
        How often the region should contain the true place.
    covariances : ndarray of shape (n, k, k)
        The covariance of each point, in the basis of its tangent space.
    bounds : ndarray of shape (n,)
        How large vᵀ C⁻¹ v may be.
    tangents : Tangents
        The points, and what directions mean.
    """

    confidence: float
    covariances: Array
    bounds: Array
    tangents: Tangents

    @property
    def radii(self) -> Array:
        """The longest half axis of each region: a point may be so far from its place."""
        largest = np.linalg.eigvalsh(self.covariances)[:, -1]
        return np.asarray(np.sqrt(np.maximum(largest, 0.0) * self.bounds))

    def contains(self, places: ArrayLike) -> Array:
        """Return whether each region contains the place in the same row.

        Places are in the coordinates of the space. To ask of true points, align them with the map
        first, by `unimds.quality.align`.
        """
        other = np.asarray(places, dtype=np.float64)
        if other.shape != self.tangents.points.shape:
            raise ValueError(
                f"there are {len(self.tangents.points)} regions; give as many places, not "
                f"{other.shape}"
            )
        vectors = self.tangents.all_vectors(other[None])[0]
        inverse = np.linalg.pinv(self.covariances, hermitian=True)
        far = np.einsum("ia,iab,ib->i", vectors, inverse, vectors)
        within = np.linalg.norm(vectors, axis=1) <= self.radii * (1.0 + 1e-9)
        return np.asarray((far <= self.bounds) & within)

    def outline(self, i: int, steps: int = LINE) -> Array:
        """Return the outline of the region of point i, in the coordinates of the space.

        It is a closed line in two dimensions, and both ends in one.
        """
        k = self.tangents.k
        if k > 2:
            raise ValueError(
                f"a region of {k} dimensions has no outline; regions.covariances has it"
            )
        values, axes = np.linalg.eigh(self.covariances[i])
        half = np.sqrt(np.maximum(values, 0.0) * self.bounds[i])
        if k == 1:
            return self.tangents.places(i, np.array([[-half[0]], [half[0]]]))
        angle = np.linspace(0.0, 2.0 * np.pi, steps)
        circle = np.column_stack([np.cos(angle), np.sin(angle)])
        return self.tangents.places(i, (circle * half) @ axes.T)


@final
@dataclass(frozen=True, eq=False)
class Stability:
    """How stable a map is: what `jackknife`, `bootstrap` and `perturbation` return.

    Attributes
    ----------
    method : str
        What was done, in words.
    points : ndarray of shape (n, n_coordinates)
        The map.
    space : Space
        Where it lies.
    maps : ndarray of shape (m, n, n_coordinates)
        The maps of the changed tables, aligned with the map; NaN for a point that was left out.
    covariances : ndarray of shape (n, k, k)
        The covariance of each point: of its errors, or of its places if noise was added on purpose.
    freedom : ndarray of shape (n,)
        The degrees of freedom of each covariance.
    labels : list or None
        The labels of the points.
    skipped : int
        Changed tables without a map, as they fell apart.
    interrupted : bool
        Whether ^C ended the study; the maps that were done count.
    """

    method: str
    points: Array
    space: Space
    maps: Array
    covariances: Array
    freedom: Array
    labels: list[Any] | None = None
    skipped: int = 0
    interrupted: bool = False

    @cached_property
    def tangents(self) -> Tangents:
        """The directions at each point that covariances are told in."""
        return tangents_at(self.points, self.space)

    @cached_property
    def vectors(self) -> Array:
        """The vector from each point to its place on every map, of shape (m, n, k)."""
        return self.tangents.all_vectors(self.maps)

    @property
    def stability(self) -> float:
        """De Leeuw and Meulman's index: 1 − Σ‖Y − Ȳ‖² / Σ‖Y‖²; 1 if all maps are the same."""
        return 1.0 - _squares(self.vectors - self._mean) / self._size

    @property
    def cross_validity(self) -> float:
        """1 − Σ‖X − Ȳ‖² / Σ‖Y‖²: 1 if the mean of the maps is the map."""
        known = ~np.isnan(self.vectors)
        mean = np.broadcast_to(self._mean, self.vectors.shape)[known]
        return 1.0 - float(np.sum(mean**2)) / self._size

    @property
    def dispersion(self) -> float:
        """Σ‖Y − X‖² / Σ‖Y‖², which is 2 − stability − cross-validity."""
        return _squares(self.vectors) / self._size

    @property
    def errors(self) -> Array:
        """The standard error of each point: the root of the trace of its covariance."""
        variance = np.trace(self.covariances, axis1=1, axis2=2)
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)))

    @cached_property
    def _mean(self) -> Array:
        return np.asarray(np.nanmean(self.vectors, axis=0))

    @cached_property
    def _size(self) -> float:
        """Σ‖Y‖² around the mean of each map: n/2 times the mean of all squared distances."""
        total = 0.0
        for one in self.maps:
            known = one[~np.isnan(one).any(axis=1)]
            total += float(np.sum(distances(known, space=self.space) ** 2)) / (2.0 * len(known))
        return total if total > 0.0 else 1.0

    def regions(self, confidence: float = 0.9) -> ConfidenceRegions:
        """Return a confidence region of each point.

        The bound is that of Hotelling's T², as the covariance is estimated: k ν / (ν − k + 1) times
        a quantile of F with k and ν − k + 1 degrees of freedom.

        Parameters
        ----------
        confidence : float, default=0.9
            How often the region should contain the true place.

        Returns
        -------
        ConfidenceRegions
        """
        if not isinstance(confidence, Real) or not 0.0 < confidence < 1.0:
            raise ValueError(f"confidence={confidence!r} must lie between 0 and 1")
        bounds = np.array([hotelling(confidence, self.tangents.k, v) for v in self.freedom])
        return ConfidenceRegions(float(confidence), self.covariances, bounds, self.tangents)

    def __repr__(self) -> str:
        """Return the indices, and the least certain points."""
        worst = np.argsort(-self.errors, kind="stable")[:SHOWN]
        radii = self.regions().radii
        names = range(len(self.points)) if self.labels is None else self.labels
        rows = [[str(names[i]), f"{self.errors[i]:.4g}", f"{radii[i]:.4g}"] for i in worst]
        table = in_columns([["least certain", "error", "90 % within"], *rows])
        return (
            f"{self.method}: {len(self.maps)} maps of {len(self.points)} points.\n"
            f"stability {self.stability:.4f}, cross-validity {self.cross_validity:.4f}, "
            f"dispersion {self.dispersion:.4f}\n\n{table}"
        )

    def rows(self, confidence: float = 0.9) -> Iterator[dict[str, Any]]:
        """Yield what `to_frame` shows, row by row."""
        axes, radii = axes_of(self.points.shape[1]), self.regions(confidence).radii
        for i, error in enumerate(self.errors):
            label = {} if self.labels is None else {"label": str(self.labels[i])}
            place = dict(zip(axes, map(float, self.points[i]), strict=True))
            yield {**label, **place, "error": float(error), "radius": float(radii[i])}

    def to_frame(self, confidence: float = 0.9) -> Any:
        """Return a data frame with the place, the standard error and the radius of each region."""
        frame = require("pandas", "files").DataFrame(list(self.rows(confidence)))
        return frame if self.labels is None else frame.set_index("label")


def _squares(vectors: Array) -> float:
    return float(np.nansum(vectors**2))


def hotelling(confidence: float, k: int, freedom: float) -> float:
    """Return the bound of vᵀ C⁻¹ v where C was estimated with some degrees of freedom.

    Examples
    --------
    >>> round(hotelling(0.9, 2, np.inf), 3), round(hotelling(0.9, 2, 20.0), 3)
    (4.605, 5.485)
    """
    rest = freedom - k + 1.0
    if not np.isfinite(freedom):
        return float(chi2.ppf(confidence, k))
    rest = max(rest, 1.0)  # fewer degrees of freedom say nothing: the widest bound there is
    return float(k * (rest + k - 1.0) / rest * f.ppf(confidence, k, rest))


def aligned(Y: Array, X: Array, space: Space, scales: bool) -> Array:
    """Return a map moved onto another; stretched too, if its unit is free and its space flat."""
    moved = np.asarray(align(Y, X, space=space), dtype=np.float64)
    if not scales or not space.scales_coordinates:
        return moved
    middle = X.mean(axis=0)
    gap = moved - moved.mean(axis=0)
    square = float(np.sum(gap**2))
    factor = float(np.sum(gap * (X - middle))) / square if square > 0.0 else 1.0
    return np.asarray(middle + factor * gap)
