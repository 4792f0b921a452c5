"""A map of documents: what the functions of scipy say about themselves.

The text ships with scipy (BSD 3-Clause): the docstring of every public function of some of its
modules is a document, its module the colour. Words are counted, counts are distributions, and
distributions are points of a sphere. Run it with ``python examples/documents.py [PICTURE]``.
"""

from __future__ import annotations

import importlib
import inspect
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from unimds import (
    DistributionEmbedding,
    HellingerMap,
    SphericalRandomProjection,
    angular_distortion,
)

MODULES = {
    "fft": ("#0072B2", "o"),
    "linalg": ("#D55E00", "s"),
    "ndimage": ("#009E73", "^"),
    "signal": ("#E69F00", "D"),
    "special": ("#CC79A7", "v"),
    "stats": ("#000000", "x"),
}
STOP = ["parameters", "returns", "return", "examples", "example", "notes", "references", "array"]


def load_documents() -> tuple[list[str], list[str], list[str]]:
    """Return texts, names and modules of scipy's functions."""
    texts, names, modules = [], [], []
    for module in MODULES:
        home = importlib.import_module(f"scipy.{module}")
        for name in sorted(home.__all__):
            thing = getattr(home, name)
            text = inspect.getdoc(thing) if callable(thing) else None
            if text and len(text) > 1500:
                texts.append(text)
                names.append(name)
                modules.append(module)
    return texts, names, modules


def azimuthal(X: np.ndarray) -> np.ndarray:
    """Return Lambert's equal-area map of S², around the mean of the points."""
    pole = X.mean(axis=0) / np.linalg.norm(X.mean(axis=0))
    frame = np.linalg.svd(pole[None])[2][1:]
    return (X @ frame.T) * np.sqrt(2.0 / (1.0 + X @ pole))[:, None]


def ternary(P: np.ndarray) -> np.ndarray:
    """Return the triangle of distributions of three outcomes."""
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
    return P @ corners


def draw(ax, points: np.ndarray, modules: list[str], title: str) -> None:
    for module, (colour, marker) in MODULES.items():
        rows = np.array(modules) == module
        style = {} if marker == "x" else {"edgecolors": "white", "linewidths": 0.4}
        ax.scatter(*points[rows].T, s=22, c=colour, marker=marker, label=module, **style)
    ax.set_title(title, fontsize=10)
    ax.set_aspect("equal")
    ax.set_axis_off()


def main(picture: str = "documents.png") -> None:
    texts, names, modules = load_documents()
    vectorizer = CountVectorizer(
        stop_words=sorted({*CountVectorizer(stop_words="english").get_stop_words(), *STOP}),
        token_pattern=r"[A-Za-z]{3,}",
        min_df=3,
    )
    counts = vectorizer.fit_transform(texts)
    print(f"{counts.shape[0]} documents, {counts.shape[1]} words, {counts.nnz} of them counted")

    roots = HellingerMap().fit_transform(counts)
    jl = SphericalRandomProjection(eps=0.25, random_state=0).fit(roots)
    change = angular_distortion(roots, jl.transform(roots))
    print(
        f"projected to {jl.n_components_} coordinates: angles change by {change.largest:.1%} at "
        f"most, {change.mean:.1%} on average"
    )

    sphere = DistributionEmbedding(2, random_state=0).fit_transform(counts)
    simplex = DistributionEmbedding(2, space="simplex", random_state=0)
    mixtures = simplex.fit_transform(counts)
    for name, X in (("S²", sphere), ("three outcomes", mixtures)):
        guess = cross_val_score(KNeighborsClassifier(10), X, modules, cv=5).mean()
        print(f"{name}: the ten nearest documents name the module right in {guess:.0%} of cases")

    pipeline = make_pipeline(vectorizer, DistributionEmbedding(2, random_state=0)).fit(texts)
    print("a new document:", pipeline.transform(["fit a normal distribution to a sample"]).round(2))

    figure, axes = plt.subplots(1, 2, figsize=(10, 4.8), layout="constrained")
    draw(axes[0], azimuthal(sphere), modules, "on the sphere S² (equal-area map)")
    draw(axes[1], ternary(mixtures), modules, "as distributions of three outcomes")
    axes[1].plot(*ternary(np.eye(3)[[0, 1, 2, 0]]).T, color="#BFC5CC", linewidth=1, zorder=0)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=6, frameon=False)
    figure.suptitle(f"{len(names)} functions of scipy, by the words of their documentation")
    figure.savefig(picture, dpi=150)
    print(f"drawn: {picture}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
