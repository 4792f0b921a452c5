"""The paper's figures: their settings, and the names of their methods."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from unimds.experiments.data import Setting, near_euclidean, near_sphere, non_euclidean
from unimds.losses import Absolute, Loss, Squared, SquaredDistance
from unimds.spaces import ChordalSphere, Euclidean, Space, Sphere

DIMENSION = 10
DIMENSIONS = (2, 20, 50, 150)
SHARES = (0.02, 0.10, 0.30, 0.90)

Settings = Callable[[int, int], Iterator[Setting]]
"""Makes the settings of a figure from the number of points and the seed of the data."""


@dataclass(frozen=True)
class Figure:
    """A figure: one panel for each setting, one curve for each method."""

    name: str
    title: str
    settings: Settings
    methods: tuple[str, ...]


def _one(loss: Loss) -> Settings:
    def settings(n: int, seed: int) -> Iterator[Setting]:
        yield Setting(f"k={DIMENSION}", near_euclidean(n, seed), DIMENSION, loss, Euclidean())

    return settings


def _by_dimension(loss: Loss) -> Settings:
    def settings(n: int, seed: int) -> Iterator[Setting]:
        D = near_euclidean(n, seed)
        for k in (min(k, n - 2) for k in DIMENSIONS):  # few points do not fill many dimensions
            yield Setting(f"k={k}", D, k, loss, Euclidean())

    return settings


def _by_noise(loss: Loss) -> Settings:
    def settings(n: int, seed: int) -> Iterator[Setting]:
        for share in SHARES:
            D = non_euclidean(n, share, seed)
            yield Setting(f"noise={share:.0%}", D, DIMENSION, loss, Euclidean())

    return settings


def _on_sphere(loss: Loss, space: Space) -> Settings:
    def settings(n: int, seed: int) -> Iterator[Setting]:
        D = near_sphere(n, space, seed)
        yield Setting(f"k={DIMENSION}", D, DIMENSION, loss, space)

    return settings


EUCLIDEAN = ("pc-unimds", "pc-paper", "lbfgs", "smacof", "cd-svd", "sgd", "svd")
SPHERICAL = (
    "pc-unimds",
    "pc-paper",
    *(f"smacof-q-{kappa}" for kappa in (1, 10, 100, 1000, 10_000)),
    "sgd",
    "renormalised",
)

FIGURES = {
    figure.name: figure
    for figure in (
        Figure("rmds-convergence", "rMDS: convergence", _one(Absolute()), EUCLIDEAN),
        Figure("rmds-k", "rMDS: dimension of the map", _by_dimension(Absolute()), EUCLIDEAN),
        Figure(
            "rmds-noise",
            "rMDS: share of distances perturbed",
            _by_noise(Absolute()),
            (*EUCLIDEAN, "cd-rand"),
        ),
        Figure("fmds-k", "fMDS: dimension of the map", _by_dimension(Squared()), EUCLIDEAN),
        Figure("fmds-noise", "fMDS: share of distances perturbed", _by_noise(Squared()), EUCLIDEAN),
        Figure(
            "r2mds-k", "r²MDS: dimension of the map", _by_dimension(SquaredDistance()), EUCLIDEAN
        ),
        Figure(
            "g1smds",
            "g-1-sMDS: geodesic distance, absolute error",
            _on_sphere(Absolute(), Sphere()),
            (*SPHERICAL, "elad"),
        ),
        Figure(
            "c2smds",
            "c-2-sMDS: chordal distance, squared error",
            _on_sphere(Squared(), ChordalSphere()),
            SPHERICAL,
        ),
    )
}
"""All figures, in the order of the paper, by the name that ``unimds reproduce`` takes."""
