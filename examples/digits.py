"""Handwritten digits as distributions of ink, on a sphere and as mixtures.

The 1,797 digits of 8 × 8 pixels come with scikit-learn (UCI, CC BY 4.0). The ink of a digit is a
distribution over the pixels. Run the script with ``python examples/digits.py [PICTURE]``; it needs
``pip install '.[plot]'`` and takes half a minute.
"""

from __future__ import annotations

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from unimds import DistributionEmbedding

COLOURS = plt.get_cmap("tab10").colors


def azimuthal(X: np.ndarray) -> np.ndarray:
    """Project S² by Lambert's equal-area map, centred on the mean of the points."""
    pole = X.mean(axis=0) / np.linalg.norm(X.mean(axis=0))
    frame = np.linalg.svd(pole[None])[2][1:]
    return (X @ frame.T) * np.sqrt(2.0 / (1.0 + X @ pole))[:, None]


def draw_sphere(ax, points: np.ndarray, digit: np.ndarray) -> None:
    for value in range(10):
        rows = digit == value
        ax.scatter(*points[rows].T, s=30, color=COLOURS[value], marker=f"${value}$", linewidths=0.3)
    ax.set_title("on the sphere S² (equal-area map)", fontsize=11)
    ax.set_aspect("equal")
    ax.set_axis_off()


def draw_outcomes(ax, mixtures: np.ndarray, ink: np.ndarray, digit: np.ndarray) -> None:
    """Draw the probability of each outcome for each digit, and above it an image of the outcome.

    The image is the mean ink of all digits, weighted by the outcome, minus the unweighted mean.
    """
    means = np.array([mixtures[digit == value].mean(axis=0) for value in range(10)])
    _, order = linear_sum_assignment(-means)  # outcomes in the order of their best-matching digits
    shown = ax.imshow(means[:, order], cmap="Greys", vmin=0.0)
    ax.set(xticks=[], yticks=range(10), ylabel="digit", xlim=(-0.5, 9.5), ylim=(9.5, -1.6))
    ax.set_xlabel("outcome, with more ink than the mean (orange) or less (purple)")
    ax.spines[:].set_visible(False)
    ax.set_title("as distributions of ten outcomes: mean of each digit", fontsize=11)
    ax.figure.colorbar(shown, ax=ax, shrink=0.7, label="probability")
    share = ink / ink.sum(axis=1, keepdims=True)
    images = (mixtures / mixtures.sum(axis=0)).T @ share - share.mean(axis=0)
    largest = np.abs(images).max()
    for column, outcome in enumerate(order):
        small = ax.inset_axes((column - 0.46, -1.52, 0.92, 0.92), transform=ax.transData)
        small.imshow(images[outcome].reshape(8, 8), cmap="PuOr_r", vmin=-largest, vmax=largest)
        small.set(xticks=[], yticks=[])
        small.spines[:].set_color("#9AA2AB")


def main(picture: str = "digits.png") -> None:
    ink, digit = load_digits(return_X_y=True)
    ink, digit = ink[:800], digit[:800]

    def right(X: np.ndarray) -> str:
        guess = cross_val_score(KNeighborsClassifier(10), X, digit, cv=5).mean()
        return f"the ten nearest images give the right digit in {guess:.0%} of cases"

    print(f"all 64 pixels: {right(np.sqrt(ink / ink.sum(axis=1, keepdims=True)))}")
    maps = {}
    for k in (2, 9):
        for space in ("sphere", "simplex"):
            model = DistributionEmbedding(k, space=space, random_state=0)
            maps[k, space] = model.fit_transform(ink)
            # between square roots, Euclidean distance is proportional to Hellinger's
            compared = maps[k, space] if space == "sphere" else np.sqrt(maps[k, space])
            print(f"{k}-dimensional {space}: Stress-1 {model.stress_:.3f}; {right(compared)}")

    figure, axes = plt.subplots(1, 2, figsize=(11, 5.4), dpi=150, layout="constrained")
    draw_sphere(axes[0], azimuthal(maps[2, "sphere"]), digit)
    draw_outcomes(axes[1], maps[9, "simplex"], ink, digit)
    figure.suptitle(f"{len(digit):,} handwritten digits as distributions of ink")
    figure.savefig(picture)
    print(f"drawn: {picture}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
