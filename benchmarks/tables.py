"""Small tables of dissimilarities, published and made, to ask whether the lowest map is found.

``tables()`` returns them all; ``python benchmarks/tables.py`` prints the list. The published
numbers are in the folder benchmarks/tables, one file for each table. A file has three lines of
head (its source, the form of its numbers, and the rule that makes them dissimilarities), an empty
line, and the numbers. The tables of kind "made" come from formulas with fixed seeds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import pdist, squareform

FOLDER = Path(__file__).with_suffix("")
PUBLISHED, MADE = "published", "made"
HEAD = ("source", "form", "rule")


@dataclass(frozen=True, eq=False)
class Table:
    """A symmetric table of dissimilarities with a zero diagonal, and where it comes from."""

    name: str
    kind: str
    source: str
    D: np.ndarray

    def __post_init__(self) -> None:
        self.D.flags.writeable = False


def tables() -> list[Table]:
    """Return all tables, the published ones first."""
    return [*published(), *made()]


# Published tables


def published() -> list[Table]:
    """Return the tables of the folder, by name."""
    return [read(path) for path in sorted(FOLDER.glob("*.txt"))]


def read(path: Path) -> Table:
    """Return the table of one file."""
    head, numbers = parsed(path)
    rule = chosen(RULES, head["rule"], "rule", path)
    source = f"{head['source']}; d: {head['rule']}"
    return Table(path.stem, PUBLISHED, source, closed(rule(numbers)))


def parsed(path: Path) -> tuple[dict[str, str], np.ndarray]:
    """Return the head of a file, and its numbers as the file has them."""
    top, _, body = path.read_text(encoding="utf-8").partition("\n\n")
    head = dict(line.split(": ", 1) for line in top.splitlines() if ": " in line)
    for key in HEAD:
        if not head.get(key):
            raise ValueError(f"{path.name} needs a line '{key}: …' in its head.")
    form = chosen(FORMS, head["form"], "form", path)
    try:
        return head, form(body)
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None


def chosen(known: dict[str, Callable], name: str, what: str, path: Path) -> Callable:
    """Return the function of that name."""
    if name not in known:
        names = ", ".join(known)
        raise ValueError(f"{path.name} has the {what} '{name}'; the {what}s are {names}.")
    return known[name]


def lower_triangle(body: str) -> np.ndarray:
    """Return a symmetric table from its part below the diagonal, row by row."""
    values = np.array(body.split(), dtype=float)
    n = round((1 + np.sqrt(1 + 8 * values.size)) / 2)
    if n * (n - 1) // 2 != values.size:
        raise ValueError(f"{values.size} numbers do not fill the lower triangle of a table.")
    D = np.zeros((n, n))
    D[np.tril_indices(n, -1)] = values
    return D + D.T


def rows(body: str) -> np.ndarray:
    """Return the rows of numbers as they stand."""
    found = [line.split() for line in body.splitlines()]
    if len({len(row) for row in found}) != 1:
        raise ValueError("a table needs rows of one length.")
    return np.array(found, dtype=float)


def edges(body: str) -> np.ndarray:
    """Return the adjacency of a graph from its pairs, such as 0-1."""
    pairs = np.array([pair.split("-") for pair in body.split()], dtype=int)
    A = np.zeros((pairs.max() + 1,) * 2)
    A[pairs[:, 0], pairs[:, 1]] = 1.0
    return np.maximum(A, A.T)


def from_correlations(R: np.ndarray) -> np.ndarray:
    """Return the distances of standardised variables, sqrt(2 - 2r)."""
    return np.sqrt(np.maximum(2.0 - 2.0 * R, 0.0))


def from_covariances(C: np.ndarray) -> np.ndarray:
    """Return the same for covariances."""
    scale = np.sqrt(C.diagonal())
    return from_correlations(C / np.outer(scale, scale))


def from_counts(C: np.ndarray) -> np.ndarray:
    """Return -log(p), with p the mean share of both directions in their rows.

    Half a count is added to each, so that a pair without counts stays finite.
    """
    P = (C + 0.5) / (C + 0.5).sum(axis=1, keepdims=True)
    return -np.log((P + P.T) / 2.0)


def standardised(X: np.ndarray) -> np.ndarray:
    """Return Euclidean distances of rows, after each column gets variance 1."""
    return euclidean(X / X.std(axis=0))


def euclidean(X: np.ndarray) -> np.ndarray:
    """Return Euclidean distances of rows."""
    return squareform(pdist(X))


def bray_curtis(X: np.ndarray) -> np.ndarray:
    """Return Bray–Curtis dissimilarities of rows of counts."""
    return squareform(pdist(X, "braycurtis"))


def path_lengths(A: np.ndarray) -> np.ndarray:
    """Return the lengths of shortest paths in a graph."""
    return shortest_path(A, directed=False, unweighted=True)


def closed(D: np.ndarray) -> np.ndarray:
    """Return the table, symmetric and with a zero diagonal in spite of rounding."""
    D = (D + D.T) / 2.0
    np.fill_diagonal(D, 0.0)
    return D


FORMS: dict[str, Callable[[str], np.ndarray]] = {
    "lower triangle": lower_triangle,
    "rows": rows,
    "edges": edges,
}
RULES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "as given": np.array,
    "sqrt(2 - 2r)": from_correlations,
    "sqrt(2 - 2r), r from covariances": from_covariances,
    "-log(p)": from_counts,
    "Euclidean, standardised columns": standardised,
    "Euclidean": euclidean,
    "Bray-Curtis": bray_curtis,
    "path lengths": path_lengths,
}


# Tables made by a formula


def made() -> list[Table]:
    """Return the tables that formulas make."""
    recipes = [*simulated(), *uniform(), *noisy(), *regular(), *clustered()]
    return [Table(name, MADE, source, closed(D)) for name, source, D in recipes]


Recipe = tuple[str, str, np.ndarray]


def simulated() -> list[Recipe]:
    """Return what the instruments of the field would measure."""
    counts = "Bray–Curtis dissimilarities of Poisson counts of {} species on a gradient, seed {}"
    rated = "Ratings 1 to 9 of points in space, mean of {} subjects, one digit, seed {}"
    confused = "-log(p) of {} answers to each stimulus by a choice model in space, seed {}"
    factors = "sqrt(2 - 2r), r with two digits, {} people, {} factors, seed {}"
    return [
        ("gradient-18", counts.format(25, 1), gradient(18, 25, seed=1)),
        ("gradient-32", counts.format(40, 2), gradient(32, 40, seed=2)),
        ("gradient-55", counts.format(60, 3), gradient(55, 60, seed=3)),
        ("ratings-12", rated.format(5, 4), ratings(12, 5, seed=4)),
        ("ratings-28", rated.format(10, 5), ratings(28, 10, seed=5)),
        ("confusions-16", confused.format(200, 6), confusions(16, 200, seed=6)),
        ("confusions-26", confused.format(80, 7), confusions(26, 80, seed=7)),
        ("factors-20", factors.format(150, 4, 8), factor_structure(20, 4, 150, seed=8)),
        ("factors-45", factors.format(100, 6, 9), factor_structure(45, 6, 100, seed=9)),
    ]


def gradient(sites: int, species: int, seed: int) -> np.ndarray:
    """Count species that each live about their own place of a gradient."""
    rng = np.random.default_rng(seed)
    place, best = np.sort(rng.random(sites)), rng.uniform(-0.1, 1.1, species)
    mean = rng.gamma(2.0, 5.0, species) * np.exp(-(((place[:, None] - best) / 0.2) ** 2) / 2.0)
    return bray_curtis(rng.poisson(mean))


def ratings(n: int, subjects: int, seed: int) -> np.ndarray:
    """Ask subjects, who weight three dimensions differently, to rate dissimilarity."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    total = np.zeros((n, n))
    for weights in rng.dirichlet(np.ones(3), subjects):
        D = euclidean(X * np.sqrt(3.0 * weights)) + symmetric(rng.normal(size=(n, n)), 0.6)
        total += np.clip(np.rint(1.0 + 1.8 * D), 1.0, 9.0)
    return np.round(total / subjects, 1)


def confusions(n: int, answers: int, seed: int) -> np.ndarray:
    """Count the answers of a choice model with similarities exp(-d) and biases."""
    rng = np.random.default_rng(seed)
    S = np.exp(-1.5 * euclidean(rng.normal(size=(n, 3)))) * rng.uniform(0.5, 1.5, n)
    return from_counts(rng.multinomial(answers, S / S.sum(axis=1, keepdims=True)))


def factor_structure(n: int, factors: int, people: int, seed: int) -> np.ndarray:
    """Correlate variables that load on one factor each, and a little on the rest."""
    rng = np.random.default_rng(seed)
    loads = 0.15 * rng.normal(size=(n, factors))
    loads[np.arange(n), np.arange(n) % factors] += rng.uniform(0.4, 0.9, n)
    scores = rng.normal(size=(people, factors)) @ loads.T + 0.6 * rng.normal(size=(people, n))
    return from_correlations(np.round(np.corrcoef(scores.T), 2))


def uniform() -> list[Recipe]:
    """Return random numbers, which fit no space: the hardest tables."""
    return [
        (
            f"random-{n}",
            f"Uniform random numbers, seed {n}",
            symmetric(np.random.default_rng(n).random((n, n))),
        )
        for n in (8, 15, 25, 40)
    ]


def noisy() -> list[Recipe]:
    """Return distances of points, times exp(noise z) with normal z."""
    said = "Distances of normal points in {}, noise {} %, seed {}"
    great = "Great-circle distances of points on a sphere, noise {} %, seed {}"
    return [
        ("plane-12", said.format("the plane", 0, 51), perturbed(in_space(12, 2, 51), 0.0, 51)),
        ("plane-20", said.format("the plane", 10, 52), perturbed(in_space(20, 2, 52), 0.1, 52)),
        ("plane-60", said.format("the plane", 40, 53), perturbed(in_space(60, 2, 53), 0.4, 53)),
        ("space-30", said.format("space", 5, 54), perturbed(in_space(30, 3, 54), 0.05, 54)),
        (
            "five-d-22",
            said.format("five dimensions", 20, 55),
            perturbed(in_space(22, 5, 55), 0.2, 55),
        ),
        ("sphere-14", great.format(5, 56), perturbed(on_sphere(14, 56), 0.05, 56)),
        ("sphere-35", great.format(20, 57), perturbed(on_sphere(35, 57), 0.2, 57)),
    ]


def in_space(n: int, dimensions: int, seed: int) -> np.ndarray:
    """Return distances of normal points."""
    return euclidean(np.random.default_rng(seed).normal(size=(n, dimensions)))


def on_sphere(n: int, seed: int) -> np.ndarray:
    """Return great-circle distances of random points on the unit sphere."""
    X = np.random.default_rng(seed).normal(size=(n, 3))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return np.arccos(np.clip(X @ X.T, -1.0, 1.0))


def perturbed(D: np.ndarray, noise: float, seed: int) -> np.ndarray:
    """Multiply distances by exp(noise z), with normal z."""
    z = np.random.default_rng([seed, 1]).normal(size=D.shape)
    return D * np.exp(symmetric(z, noise))


def regular() -> list[Recipe]:
    """Return structures with many ties and symmetries."""
    equal = "Equal distances times exp(0.02 z), seed {}"
    return [
        ("cycle-5", "Path lengths on a cycle", cycle(5)),
        ("cycle-13", "Path lengths on a cycle", cycle(13)),
        ("cube-16", "Hamming distances of the corners of a cube in four dimensions", cube(4)),
        ("cube-32", "Hamming distances of the corners of a cube in five dimensions", cube(5)),
        ("tree-31", "Path lengths in a binary tree with five levels", tree(5)),
        ("grid-35", "City-block distances on a grid of 7 × 5", grid(7, 5)),
        ("equal-6", equal.format(61), perturbed(1.0 - np.eye(6), 0.02, 61)),
        ("equal-11", equal.format(62), perturbed(1.0 - np.eye(11), 0.02, 62)),
    ]


def cycle(n: int) -> np.ndarray:
    """Return path lengths on a cycle."""
    apart = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    return np.minimum(apart, n - apart).astype(float)


def cube(dimensions: int) -> np.ndarray:
    """Return Hamming distances of all words of bits."""
    corners = np.indices((2,) * dimensions).reshape(dimensions, -1).T
    return squareform(pdist(corners, "cityblock"))


def tree(levels: int) -> np.ndarray:
    """Return path lengths between all nodes of a full binary tree."""
    nodes = np.arange(1, 2**levels - 1)
    A = np.zeros((nodes.size + 1,) * 2)
    A[nodes, (nodes - 1) // 2] = 1.0
    return path_lengths(A)


def grid(wide: int, high: int) -> np.ndarray:
    """Return city-block distances on a grid."""
    return squareform(pdist(np.indices((wide, high)).reshape(2, -1).T, "cityblock"))


def clustered() -> list[Recipe]:
    """Return points in clusters, in more dimensions than a map has."""
    said = "Distances of {} clusters in {} dimensions, seed {}"
    return [
        ("clusters-24", said.format(6, 5, 71), clusters(24, 6, 5, seed=71)),
        ("clusters-48", said.format(8, 10, 72), clusters(48, 8, 10, seed=72)),
    ]


def clusters(n: int, centers: int, dimensions: int, seed: int) -> np.ndarray:
    """Return distances of points about random centers."""
    rng = np.random.default_rng(seed)
    middle = 3.0 * rng.normal(size=(centers, dimensions))
    return euclidean(middle[np.arange(n) % centers] + rng.normal(size=(n, dimensions)))


def symmetric(values: np.ndarray, scale: float = 1.0) -> np.ndarray:
    """Return a symmetric table of the values above the diagonal."""
    upper = np.triu(scale * values, 1)
    return upper + upper.T


def main() -> None:
    """Print the name, size, kind and source of every table."""
    found = tables()
    for table in found:
        print(f"{table.name:28}{len(table.D):4}  {table.kind:11}{table.source}")
    print(f"{len(found)} tables, {sum(table.kind == PUBLISHED for table in found)} published")


if __name__ == "__main__":
    main()
