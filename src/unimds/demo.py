"""A demonstration: find the map of the world from distances alone, one in ten of them wrong.

Run it with ``unimds demo``, ``make demo`` or ``python -m unimds.demo``. It works offline.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.extras import require
from unimds.datasets import EARTH_RADIUS, Cities, corrupt, great_circle, load_cities
from unimds.estimators.mds import MDS
from unimds.files import endings
from unimds.files.atomic import atomic, check_writable
from unimds.files.errors import FileError, as_option
from unimds.plots import plot_globe
from unimds.plots.axes import new_figure
from unimds.quality import align, residuals
from unimds.report import write_report
from unimds.spaces import Sphere, distances

Array = NDArray[np.floating[Any]]

PICTURE = Path("unimds-demo.png")
REPORT = ".html"
SHARE = 0.1
FARTHEST = np.pi * EARTH_RADIUS
SHOWN = (
    "Anchorage",
    "Cape Town",
    "Dakar",
    "Honolulu",
    "Lima",
    "Los Angeles",
    "Mogadishu",
    "Moscow",
    "Papeete",
    "Perth",
    "Reykjavík",
    "Santiago",
    "Singapore",
    "Tokyo",
    "Yakutsk",
)
"""Cities named in the picture: well known, or with room around them."""


@dataclass(frozen=True)
class Globe:
    """A map of the cities, aligned with the true map, and its quality."""

    mds: MDS
    points: Array
    radius: float  # in km, as found
    errors: Array  # distance of each city from its true place, in km
    identified: float  # share of the wrong distances found among the largest residuals
    sweeps: int
    seconds: float


def find_globe(loss: str, D: Array, wrong: NDArray[np.bool_], truth: Array) -> Globe:
    """Embed distances on a sphere of unknown radius, and compare the map with the truth."""
    began = time.perf_counter()
    mds = MDS(2, loss=loss, space=Sphere(radius="auto"), metric="precomputed", random_state=0).fit(
        D
    )
    seconds = time.perf_counter() - began
    points = align(mds.embedding_, truth, space="sphere")
    miss = np.abs(residuals(D, mds.embedding_, space=mds.space_))
    return Globe(
        mds=mds,
        points=points,
        radius=mds.space_.unit,
        errors=np.diagonal(distances(points, truth, space=Sphere(EARTH_RADIUS))),
        identified=share_identified(miss, wrong),
        sweeps=mds.n_iter_,
        seconds=seconds,
    )


def share_identified(miss: Array, wrong: NDArray[np.bool_]) -> float:
    """Return the share of the m wrong pairs among the m pairs with the largest error."""
    pairs = np.triu_indices(len(miss), 1)
    suspects = np.argsort(miss[pairs], kind="stable")[::-1][: np.count_nonzero(wrong[pairs])]
    return float(np.mean(wrong[pairs][suspects]))


# --- in words -------------------------------------------------------------------------------------


def introduction(cities: Cities, wrong: NDArray[np.bool_]) -> str:
    """Describe the task."""
    n, bad = len(cities.names), int(wrong.sum()) // 2
    return f"""\
Where are {n} cities, if all you know is how far apart they are?

You are given the {n * (n - 1) // 2} distances between them, in kilometres along the surface:
no coordinates, not even the size of the Earth. {bad} of the distances, one in ten,
are wrong: replaced by random ones up to {FARTHEST:.0f} km. You do not know which.

Computing the map with two losses ... (the first run compiles the code, which takes a while)
"""


def report(robust: Globe, squared: Globe, n_wrong: int) -> str:
    """Compare both losses."""
    table = [("", "robust", "ordinary"), ("loss", "absolute", "squared")]
    table += zip(QUESTIONS, answers(robust), answers(squared), strict=True)
    lines = "\n".join(f"  {what:<40}{a:>12}{b:>12}" for what, a, b in table)
    return f"""\
{lines}

  (*) share of the wrong distances among the {n_wrong} that disagree most with the map

With the squared loss, every wrong distance pulls with its full length and drags cities
out of place. The absolute loss ignores the {n_wrong} wrong distances and fits the rest.
"""


QUESTIONS = (
    f"radius of the Earth (true: {EARTH_RADIUS:.1f} km)",
    "median error of a city's position",
    "largest error of a city's position",
    "wrong distances identified (*)",
    "sweeps, after the choice of a start",
    "seconds",
)


def answers(globe: Globe) -> list[str]:
    """Return the answer of a map to each question."""
    return [
        f"{globe.radius:.1f} km",
        length(float(np.median(globe.errors))),
        length(float(globe.errors.max())),
        f"{globe.identified:.0%}",
        str(globe.sweeps),
        f"{globe.seconds:.1f}",
    ]


def length(km: float) -> str:
    """Return a length in a suitable unit.

    Examples
    --------
    >>> length(419.2), length(0.0312), length(0.00005)
    ('419 km', '31 m', '5 cm')
    """
    for unit, size in (("km", 1.0), ("m", 1e-3), ("cm", 1e-5)):
        if km >= size:
            return f"{km / size:.0f} {unit}"
    return "under 1 cm"


# --- in a picture ---------------------------------------------------------------------------------


def draw(path: Path, cities: Cities, robust: Globe, squared: Globe) -> None:
    """Draw both maps side by side into a file."""
    figure = new_figure(10.0, 3.4)
    message = "One distance in ten is wrong: the absolute loss still finds the map of the world"
    figure.suptitle(message, fontsize=13, fontweight="bold", y=0.97)
    names = [name if name in SHOWN else None for name in cities.names]
    for left, loss, globe in ((0.01, "Absolute", robust), (0.51, "Squared", squared)):
        ax = figure.add_axes((left, 0.09, 0.48, 0.71), projection="mollweide")
        # the edge of the map, 169° west, meets no city
        plot_globe(globe.points, cities.points, names, ax, center=11.0, legend=False)
        title = f"{loss} loss: cities misplaced by up to {length(globe.errors.max())}"
        ax.set_title(title, fontsize=11)
    signs, meanings = ax.get_legend_handles_labels()
    figure.legend(signs, meanings, loc="lower center", ncols=3, frameon=False)
    with atomic(path, force=True) as partial:
        figure.savefig(partial, dpi=150)


# --- on a globe -----------------------------------------------------------------------------------


def write_globe(path: Path, cities: Cities, D: Array, robust: Globe) -> None:
    """Write a report on the map into a file: a globe that can be rotated."""
    # north up, which distances alone do not tell
    upright = replace(robust.mds.result_, embedding=robust.points)
    columns = {"latitude": cities.latlon[:, 0], "misplaced by, in km": robust.errors}
    title = f"{len(cities.names)} cities, found from distances, one in ten of them wrong"
    write_report(upright, path, D, labels=cities.names, columns=columns, title=title, force=True)


# --- the command ----------------------------------------------------------------------------------


def main(argv: Sequence[str] | None = None) -> int:
    """Run the demonstration; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m unimds.demo",
        description="Find the map of the world from distances between cities, some of them wrong.",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=PICTURE,
        help="file of the picture (default: %(default)s)",
    )
    parser.add_argument("--force", action="store_true", help="replace existing files")
    options = parser.parse_args(argv)
    path: Path = options.output
    try:
        check_output(path, options.force)
    except FileError as error:
        parser.error(error.told(as_option))
    try:
        require("matplotlib", "plot")
        require("plotly", "report")
    except ImportError as error:
        print(error, file=sys.stderr)
        return 1
    cities = load_cities()
    D, wrong = corrupt(great_circle(cities.latlon), SHARE, rng=0, low=0.0, high=FARTHEST)
    print(introduction(cities, wrong), flush=True)
    robust, squared = (
        find_globe(loss, D, wrong, cities.points) for loss in ("absolute", "squared")
    )
    print(report(robust, squared, int(wrong.sum()) // 2))
    draw(path, cities, robust, squared)
    print(f"The picture of both maps is in {path}")
    globe = path.with_suffix(REPORT)
    write_globe(globe, cities, D, robust)
    print(f"Open this globe in a browser and rotate it: {globe}")
    return 0


def check_output(path: Path, force: bool) -> None:
    """Raise a FileError if a picture cannot be written: before the work, not after it."""
    endings.PICTURE.check(path)
    for file in (path, path.with_suffix(REPORT)):
        check_writable(file, force=force or path == PICTURE)


if __name__ == "__main__":
    sys.exit(main())
