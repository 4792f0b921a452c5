"""Handwritten digits as distributions of ink, on a sphere and as mixtures.

The 1,797 digits of 8 × 8 pixels come with scikit-learn (UCI, CC BY 4.0). The ink of a digit is a
distribution over the pixels. Run it with ``python examples/digits.py [PICTURE]``.
"""

from __future__ import annotations

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from unimds import DistributionEmbedding

COLOURS = plt.get_cmap("tab10").colors


def main(picture: str = "digits.png") -> None:
    ink, digit = load_digits(return_X_y=True)
    ink, digit = ink[:1000], digit[:1000]

    def right(X: np.ndarray) -> str:
        return f"{cross_val_score(KNeighborsClassifier(10), X, digit, cv=5).mean():.0%}"

    print(f"nearest neighbours name the digit right: all 64 pixels {right(np.sqrt(ink))}", end="")
    maps = {}
    for k in (2, 5, 9):
        for space in ("sphere", "simplex"):
            embedding = DistributionEmbedding(k, space=space, random_state=0)
            maps[k, space] = embedding.fit_transform(ink)
            compared = maps[k, space] if space == "sphere" else np.sqrt(maps[k, space])
            print(f", {k}-dimensional {space} {right(compared)}", end="")
    print()

    sphere, mixtures = maps[2, "sphere"], maps[9, "simplex"]
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
    longitude = np.arctan2(sphere[:, 1], sphere[:, 0])
    for value in range(10):
        rows = digit == value
        axes[0].scatter(
            longitude[rows],
            sphere[rows, 2],
            s=36,
            color=COLOURS[value],
            marker=f"${value}$",
            linewidths=0.3,
        )
    axes[0].set_title("on S²: longitude and height (equal areas)", fontsize=10)
    axes[0].set_axis_off()
    means = np.array([mixtures[digit == value].mean(axis=0) for value in range(10)])
    image = axes[1].imshow(means, cmap="cividis", vmin=0.0)
    axes[1].set(xlabel="outcome", ylabel="digit", xticks=range(10), yticks=range(10))
    axes[1].set_title("as distributions of ten outcomes: mean of each digit", fontsize=10)
    figure.colorbar(image, ax=axes[1], shrink=0.8, label="probability")
    figure.suptitle("1,000 handwritten digits as distributions of ink")
    figure.savefig(picture, dpi=150)
    print(f"drawn: {picture}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
