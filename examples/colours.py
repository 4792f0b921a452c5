"""The colour circle, computed from people's ratings of how alike colours are.

Thirty-one people rated the similarity of 14 pure colours, pair by pair; nobody mentioned a circle.
The data are mean similarities between 0 and 1, from G. Ekman, "Dimensions of color vision", Journal
of Psychology 38 (1954), 467–474. Run the script with
``python examples/colours.py [--out FOLDER]``; pictures need ``pip install '.[plot]'``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from scipy.spatial.distance import squareform

from unimds import MDS

# Wavelengths in nanometres, each with an approximate screen colour.
COLOURS = {
    434: "#4B00D1", 445: "#2A10FF", 465: "#0060FF", 472: "#0080FF", 490: "#00BFD0",
    504: "#00C070", 537: "#30C000", 555: "#80C800", 584: "#F0D000", 600: "#FFA000",
    610: "#FF7000", 628: "#FF3000", 651: "#E00010", 674: "#B00018",
}  # fmt: skip
# Per cent; each row compares a colour with all later ones.
SIMILAR = """
    86 42 42 18  6  7  4  2  7  9 12 13 16
       50 44 22  9  7  7  2  4  7 11 13 14
          81 47 17 10  8  2  1  2  1  5  3
             54 25 10  9  2  1  0  1  2  4
                61 31 26  7  2  2  1  2  0
                   62 45 14  8  2  2  2  1
                      73 22 14  5  2  2  0
                         33 19  4  3  2  2
                            58 37 27 20 23
                               74 50 41 28
                                  76 62 55
                                     85 68
                                        76
"""


def round_the_circle(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the angle and the distance of each point, seen from the centre of the circle."""
    # least squares: |p|² = 2 c·p + (r² − |c|²) is linear in the unknowns
    A = np.column_stack([2.0 * points, np.ones(len(points))])
    middle = np.linalg.lstsq(A, (points**2).sum(axis=1), rcond=None)[0][:2]
    x, y = (points - middle).T
    return np.arctan2(y, x), np.hypot(x, y)


def in_order(angles: np.ndarray) -> bool:
    """Whether the angles, in the given order, go once round the circle in either direction."""
    turned = (angles - angles[0]) % (2.0 * np.pi)
    return bool((np.diff(turned) > 0.0).all() or (np.diff(turned[1:]) < 0.0).all())


def draw(folder: Path, points: np.ndarray) -> None:
    from unimds.plots import plot_embedding

    names = [f"{wavelength} nm" for wavelength in COLOURS]
    ax = plot_embedding(points, names, title="Fourteen colours, arranged by similarity", size=0.0)
    ax.plot(*points.T, color="#BFC5CC", linewidth=1.0, zorder=1)
    ax.scatter(*points.T, s=130, c=list(COLOURS.values()), edgecolors="white", zorder=3)
    picture = folder / "colours.png"
    ax.figure.savefig(picture, dpi=150)
    print(f"drawn: {picture}")


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="folder for the picture")
    folder = parser.parse_args(argv).out
    D = squareform(1.0 - np.array(SIMILAR.split(), dtype=float) / 100.0)
    mds = MDS(metric="precomputed", random_state=0).fit(D)
    points = mds.embedding_
    angles, radii = round_the_circle(points)
    print(f"{len(D)} colours in the plane: Stress-1 {mds.stress_:.3f}")
    print(f"distance from the centre: {radii.mean():.2f} ± {radii.std():.2f}")
    print(f"round the circle in the order of the spectrum: {'yes' if in_order(angles) else 'no'}")
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        draw(folder, points)


if __name__ == "__main__":
    main()
