"""Sample data: cities of the world, and a way to corrupt distances."""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unimds.distances.inputs import as_square
from unimds.spaces import Sphere, distances, from_latlon

Array = NDArray[np.floating[Any]]

EARTH_RADIUS = 6371.0088
"""Mean radius of the Earth in kilometres (IUGG)."""


class Cities(NamedTuple):
    """Cities and their positions; entry i of each field belongs to city i."""

    names: tuple[str, ...]
    countries: tuple[str, ...]
    latlon: Array
    points: Array


def load_cities() -> Cities:
    """Return a hundred cities, spread over the globe.

    The data come from GeoNames (https://www.geonames.org, CC BY 4.0), rounded to 0.01 degree.

    Returns
    -------
    Cities
        ``names`` and ``countries``; ``latlon``, latitude and longitude in degrees, of shape
        (100, 2); and ``points``, the same places as unit vectors, of shape (100, 3).

    Examples
    --------
    >>> cities = load_cities()
    >>> i = cities.names.index("Tokyo")
    >>> cities.countries[i], cities.latlon[i].tolist(), cities.points.shape
    ('Japan', [35.69, 139.69], (100, 3))
    """
    with files("unimds").joinpath("data/cities.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    latlon = np.array([[float(row["latitude"]), float(row["longitude"])] for row in rows])
    return Cities(
        names=tuple(row["name"] for row in rows),
        countries=tuple(row["country"] for row in rows),
        latlon=latlon,
        points=from_latlon(latlon),
    )


def great_circle(latlon: ArrayLike, radius: float = EARTH_RADIUS) -> Array:
    """Return the distances along the surface of a globe, in the unit of its radius.

    Parameters
    ----------
    latlon : array-like of shape (n, 2)
        Latitude and longitude in degrees.
    radius : float, default=6371.0088
        Radius of the globe; the default is the Earth's in kilometres.

    Returns
    -------
    ndarray of shape (n, n)

    Examples
    --------
    A quarter of the way around the Earth:

    >>> great_circle([[0.0, 0.0], [90.0, 0.0]])[0, 1].round(1)
    np.float64(10007.6)
    """
    return distances(from_latlon(latlon), space=Sphere(radius))


def corrupt(
    D: ArrayLike,
    share: float,
    rng: np.random.Generator | int,
    low: float = 0.0,
    high: float | None = None,
) -> tuple[Array, NDArray[np.bool_]]:
    """Return a copy of a table of distances with some of them wrong, and which ones.

    Parameters
    ----------
    D : array-like of shape (n, n)
        Distances, NaN where missing. Both directions of a pair get the same wrong distance.
    share : float
        Share of the known pairs to replace, from 0 to 1.
    rng : Generator or int
        Random number generator, or its seed.
    low, high : float, default=0 and None
        Wrong distances are uniform between these bounds; None means the largest distance in `D`.

    Returns
    -------
    table : ndarray of shape (n, n)
        The distances, some of them wrong.
    wrong : ndarray of bool of shape (n, n)
        True for the pairs that were replaced; symmetric.

    Examples
    --------
    >>> D = 5.0 - 5.0 * np.eye(4)
    >>> table, wrong = corrupt(D, 0.5, rng=0, low=7.0, high=9.0)
    >>> int(wrong.sum()) // 2, bool((table[wrong] >= 7.0).all())
    (3, True)
    """
    table = np.array(as_square(D, "D"), dtype=np.float64)
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"share={share:g} must lie between 0 and 1")
    high = float(np.nanmax(table, initial=0.0)) if high is None else high
    if not 0.0 <= low <= high < np.inf:
        raise ValueError(f"low={low:g} and high={high:g} must be distances, the lower first")
    rng = np.random.default_rng(rng)
    i, j = np.nonzero(np.triu(~np.isnan(table) | ~np.isnan(table.T), 1))
    chosen = rng.choice(i.size, size=round(share * i.size), replace=False)
    i, j = i[chosen], j[chosen]
    table[i, j] = table[j, i] = rng.uniform(low, high, size=i.size)
    wrong = np.zeros(table.shape, dtype=np.bool_)
    wrong[i, j] = wrong[j, i] = True
    return table, wrong
