"""New points on an existing map: in Python, from a saved model, and from the command line.

The script maps 140 wines by 13 measurements, and then places 38 more wines on this map one by one,
as if they came a year later. The map itself does not change. The data come with scikit-learn (UCI,
CC BY 4.0). Run the script with ``python examples/new_points.py [--out FOLDER]``; it needs
``pip install '.[cli]'``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_wine
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from unimds import MDS, models
from unimds.files import read, write

OLD = 140


def load_wines() -> tuple[np.ndarray, np.ndarray]:
    """Return the measurements, standardised on the old wines, and the grape of each wine."""
    X, grape = load_wine(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))
    X, grape = X[order], grape[order]
    return StandardScaler().fit(X[:OLD]).transform(X), grape


def placed_by_command(mds: MDS, new: np.ndarray, folder: Path) -> np.ndarray:
    """Save the model and the new points, and let ``unimds place`` do the work."""
    model, points, out = folder / "wines.unimds", folder / "new.npy", folder / "placed.npy"
    models.save(mds, model, force=True)
    assert np.array_equal(models.load(model).transform(new), mds.transform(new))
    write(points, new, force=True)
    place = [sys.executable, "-m", "unimds", "place", str(model), str(points)]
    subprocess.run([*place, "--output", str(out), "--force", "--quiet"], check=True)
    return read(out, kind="points").values


def draw(folder: Path, points: np.ndarray, grape: np.ndarray) -> None:
    from unimds.plots import plot_embedding

    kinds = [f"grape {kind + 1}" for kind in grape]
    title = f"{OLD} wines, and {len(points) - OLD} new ones in rings"
    ax = plot_embedding(points, color=kinds, title=title, size=34)
    new = (points - points.mean(axis=0))[OLD:]  # plot_embedding centres the map on its mean
    ax.scatter(*new.T, s=110, facecolors="none", edgecolors="black", linewidths=0.9, label="new")
    ax.legend(frameon=False)
    picture = folder / "new_points.png"
    ax.figure.savefig(picture, dpi=150)
    print(f"drawn: {picture}")


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="folder for the model and the picture")
    folder = parser.parse_args(argv).out
    X, grape = load_wines()
    mds = MDS(random_state=0).fit(X[:OLD])
    new = mds.transform(X[OLD:])
    guess = KNeighborsClassifier(5).fit(mds.embedding_, grape[:OLD])
    print(f"map of {OLD} wines: Stress-1 {mds.stress_:.3f}")
    right = guess.score(new, grape[OLD:])
    print(f"{len(new)} new wines: the five nearest give the right grape in {right:.0%} of cases")
    with tempfile.TemporaryDirectory() as scratch:
        where = Path(scratch) if folder is None else folder
        where.mkdir(parents=True, exist_ok=True)
        told = placed_by_command(mds, X[OLD:], where)
    print(f"the result of unimds place differs by {np.abs(told - new).max():.1g}")
    if folder is not None:
        draw(folder, np.vstack([mds.embedding_, new]), grape)


if __name__ == "__main__":
    main()
