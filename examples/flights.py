"""A map of the world, computed from flight distances one fifth of which are wrong.

The data are the great-circle distances between a hundred cities (GeoNames, CC BY 4.0), a fifth of
them replaced by random numbers. The fit knows neither coordinates nor the size of the Earth. Run
the script with ``python examples/flights.py [--out FOLDER]``; pictures need
``pip install '.[plot]'``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from unimds import MDS, Sphere
from unimds.datasets import EARTH_RADIUS, Cities, corrupt, great_circle, load_cities
from unimds.quality import align, residuals
from unimds.spaces import distances

SHARE = 0.2
SHOWN = ("Anchorage", "Cape Town", "Honolulu", "Lima", "Moscow", "Perth", "Singapore", "Tokyo")


def errors_in_km(points: np.ndarray, truth: np.ndarray) -> np.ndarray:
    return np.diagonal(distances(points, truth, space=Sphere(EARTH_RADIUS)))


def tell_suspects(cities: Cities, D: np.ndarray, mds: MDS, count: int = 3) -> None:
    """Print the distances that disagree most with the map."""
    miss = np.triu(np.abs(residuals(D, mds.embedding_, space=mds.space_)), 1)
    found = distances(mds.embedding_, space=mds.space_)
    for flat in np.argsort(miss, axis=None)[::-1][:count]:
        i, j = np.unravel_index(flat, D.shape)
        pair = f"{cities.names[i]}–{cities.names[j]}"
        print(f"  {pair}: given {D[i, j]:,.0f} km, on the map {found[i, j]:,.0f} km")


def draw(folder: Path, cities: Cities, points: np.ndarray, largest: float) -> None:
    from unimds.plots import plot_globe

    names = [name if name in SHOWN else None for name in cities.names]
    title = f"One distance in five is wrong; no city is off by more than {1000 * largest:.2g} m"
    # no city lies on the edge of the map, 169° west
    ax = plot_globe(points, cities.points, names, center=11.0, title=title)
    picture = folder / "flights.png"
    ax.figure.savefig(picture, dpi=150)
    print(f"drawn: {picture}")


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="folder for the picture")
    folder = parser.parse_args(argv).out
    cities = load_cities()
    farthest = np.pi * EARTH_RADIUS
    D, wrong = corrupt(great_circle(cities.latlon), SHARE, rng=0, high=farthest)
    print(f"{len(D)} cities, {wrong.sum() // 2} of {len(D) * (len(D) - 1) // 2} distances wrong")
    for loss in ("squared", "absolute"):
        mds = MDS(loss=loss, space=Sphere(radius="auto"), metric="precomputed", random_state=0)
        points = align(mds.fit_transform(D), cities.points, space="sphere")
        errors = errors_in_km(points, cities.points)
        print(
            f"{loss} loss: radius of the Earth {mds.space_.radius:.1f} km (true "
            f"value {EARTH_RADIUS:.1f}); cities are off by {np.median(errors):,.4f} km in the "
            f"median, {errors.max():,.4f} km at most"
        )
    print("The most suspicious distances:")
    tell_suspects(cities, D, mds)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        draw(folder, cities, points, errors.max())


if __name__ == "__main__":
    main()
