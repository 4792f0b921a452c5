"""A map of documents: the docstrings of scipy's functions.

The text ships with scipy (BSD 3-Clause). Each docstring of a public function in some of its modules
is a document, and its colour shows the module. The script counts the words; the counts of a
document form a distribution, which is a point on a sphere. Run the script with
``python examples/documents.py [PICTURE]``; it needs ``pip install '.[plot]'`` and takes half a
minute.
"""

from __future__ import annotations

import importlib
import inspect
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patheffects import withStroke
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

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
# headings, code in the examples, and the notes on other libraries in every docstring
STOP = "parameters returns return examples example notes references import plt numpy scipy ndarray"
STOP += " array arrays like axis input output true false none default optional api cupy dask jax"
STOP += " pytorch cpu gpu jit backend backends standard experimental support compatible library"
LIGHT, INK = "#D5DAE0", "#30363D"
HALO = [withStroke(linewidth=2.5, foreground="white")]


def load_documents() -> tuple[list[str], list[str], list[str]]:
    """Return the docstrings, names and modules of scipy's functions."""
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


def azimuthal(X: np.ndarray, pole: np.ndarray) -> np.ndarray:
    """Project S² by Lambert's equal-area map, centred on a pole."""
    frame = np.linalg.svd(pole[None])[2][1:]
    return (X @ frame.T) * np.sqrt(2.0 / (1.0 + X @ pole))[:, None]


def ternary(P: np.ndarray) -> np.ndarray:
    """Place distributions over three outcomes in a triangle."""
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
    return P @ corners


def draw_points(ax, points: np.ndarray, modules: list[str], title: str) -> None:
    for module, (colour, marker) in MODULES.items():
        rows = np.array(modules) == module
        style = {"linewidths": 0.9} if marker == "x" else {"edgecolors": "white", "linewidths": 0.3}
        ax.scatter(*points[rows].T, s=16, c=colour, marker=marker, alpha=0.6, label=module, **style)
    ax.set_title(title, fontsize=11)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_axis_off()


def draw_graticule(ax, degrees: float) -> None:
    """Draw circles and radii around the pole, every 30°, as far as the outline of the map."""
    turn = np.linspace(0.0, 2.0 * np.pi, 181)
    for away in (*np.arange(30.0, degrees, 30.0), degrees):
        radius = 2.0 * np.sin(np.radians(away) / 2.0)
        line = {"linewidth": 1.2 if away == degrees else 0.7, "color": LIGHT, "zorder": 0}
        ax.plot(radius * np.cos(turn), radius * np.sin(turn), **line)
    for way in np.radians(np.arange(0.0, 360.0, 30.0)):
        ends = 2.0 * np.sin(np.radians([30.0, degrees]) / 2.0)
        ax.plot(ends * np.cos(way), ends * np.sin(way), color=LIGHT, linewidth=0.7, zorder=0)


def central(X: np.ndarray, modules: list[str], count: int = 3) -> list[int]:
    """Return a few documents of each module: those nearest to all other documents in it."""
    chosen: list[int] = []
    angle = np.arccos(np.clip(X @ X.T, -1.0, 1.0))
    for module in MODULES:
        rows = np.flatnonzero(np.array(modules) == module)
        nearest = np.full(len(rows), np.pi)  # from each document to the nearest chosen one
        for _ in range(count):
            best = np.minimum(angle[np.ix_(rows, rows)], nearest).sum(axis=1).argmin()
            nearest = np.minimum(nearest, angle[rows[best], rows])
            chosen.append(int(rows[best]))
    return chosen


def draw_names(ax, points: np.ndarray, names: list[str], modules: list[str], rows: list[int]):
    """Write names beside their points, where they overlap neither each other nor the outline."""
    renderer = ax.figure.canvas.get_renderer()
    outline = np.linalg.norm(points, axis=1).max()
    taken: list = []
    for i in rows:
        colour = MODULES[modules[i]][0]
        for x, y, ha, va in (
            (4, 0, "left", "center"),
            (-4, 0, "right", "center"),
            (0, 4, "center", "bottom"),
            (0, -4, "center", "top"),
        ):
            text = ax.annotate(
                names[i],
                points[i],
                xytext=(x, y),
                textcoords="offset points",
                ha=ha,
                va=va,
                fontsize=7.5,
                color=INK,
                path_effects=HALO,
                zorder=4,
            )
            box = text.get_window_extent(renderer).padded(1.0)
            ends = ax.transData.inverted().transform(box.corners())
            inside = np.linalg.norm(ends, axis=1).max() < outline
            if inside and not any(box.overlaps(other) for other in taken):
                taken.append(box)
                ax.scatter(*points[i], s=26, c=colour, edgecolors=INK, linewidths=0.8, zorder=3)
                break
            text.remove()


def weighty_words(counts, mixtures: np.ndarray, words: np.ndarray, count: int = 3) -> list[str]:
    """Return the words whose share in each outcome most exceeds their share in all documents.

    The word distribution of an outcome is the mean over the documents, weighted by the outcome.
    """
    documents = HellingerMap().fit_transform(counts).power(2)
    profile = (documents.T @ (mixtures / mixtures.sum(axis=0))).T
    gain = profile - np.asarray(documents.mean(axis=0)).ravel()
    return [", ".join(words[np.argsort(-row)[:count]]) for row in gain]


def main(picture: str = "documents.png") -> None:
    texts, names, modules = load_documents()
    vectorizer = CountVectorizer(
        stop_words=sorted({*CountVectorizer(stop_words="english").get_stop_words(), *STOP.split()}),
        token_pattern=r"[A-Za-z]{3,}",
        min_df=3,
    )
    counts = vectorizer.fit_transform(texts)
    print(f"{counts.shape[0]} documents, {counts.shape[1]} words, {counts.nnz} nonzero counts")

    roots = HellingerMap().fit_transform(counts)
    jl = SphericalRandomProjection(eps=0.25, random_state=0).fit(roots)
    change = angular_distortion(roots, jl.transform(roots))
    print(
        f"projected to {jl.n_components_} coordinates: angles change by {change.largest:.1%} at "
        f"most, {change.mean:.1%} on average"
    )

    on_sphere = DistributionEmbedding(2, random_state=0).fit(counts)
    on_simplex = DistributionEmbedding(2, space="simplex", random_state=0).fit(counts)
    sphere, mixtures = on_sphere.embedding_, on_simplex.embedding_
    for name, model, X in (
        ("S²", on_sphere, sphere),
        ("three outcomes", on_simplex, np.sqrt(mixtures)),  # square roots, for Hellinger's distance
    ):
        guess = cross_val_score(KNeighborsClassifier(10), X, modules, cv=5).mean()
        print(
            f"{name}: Stress-1 {model.stress_:.3f}; the ten nearest documents give the right "
            f"module in {guess:.0%} of cases"
        )
    new = vectorizer.transform(["fit a normal distribution to a sample"])
    print("a new document:", on_sphere.transform(new).round(2))

    figure, axes = plt.subplots(1, 2, figsize=(11, 5.6), dpi=150, layout="constrained")
    pole = sphere.mean(axis=0) / np.linalg.norm(sphere.mean(axis=0))
    flat = azimuthal(sphere, pole)
    draw_graticule(axes[0], np.degrees(np.arccos((sphere @ pole).min())) + 3.0)
    draw_points(axes[0], flat, modules, "on the sphere S² (equal-area map, circles every 30°)")
    draw_points(axes[1], ternary(mixtures), modules, "as distributions of three outcomes")
    axes[1].plot(*ternary(np.eye(3)[[0, 1, 2, 0]]).T, color=LIGHT, linewidth=1.2, zorder=0)
    words = weighty_words(counts, mixtures, vectorizer.get_feature_names_out())
    places = (("left", -12), ("right", -12), ("center", 12))
    for corner, said, (ha, up) in zip(ternary(np.eye(3)), words, places, strict=True):
        style = {"fontsize": 8.5, "color": INK, "ha": ha, "va": "center"}
        axes[1].annotate(said, corner, (0, up), textcoords="offset points", **style)
    axes[1].margins(0.12)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=6, frameon=False)
    figure.suptitle(f"{len(names)} functions of scipy, by the words of their documentation")
    figure.draw_without_rendering()  # fix the layout first: it decides how much room names have
    figure.set_layout_engine("none")
    draw_names(axes[0], flat, names, modules, central(sphere, modules))
    figure.savefig(picture)
    print(f"drawn: {picture}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
