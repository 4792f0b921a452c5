"""Edges of a graph are drawn along the shortest lines, lightly, below the points."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.figure import Figure

from tests.support.maps import KINDS, a_map
from unimds.plots import plot_embedding, plot_poincare, plot_sphere, plot_ternary
from unimds.plots.edges import in_disk, on_sphere
from unimds.plots.views import view_of
from unimds.spaces import Hyperbolic, distances, from_poincare

EDGES = [(0, 1), (1, 2), (0, 5)]


def new() -> Any:
    return Figure(figsize=(6, 5)).add_axes((0.1, 0.1, 0.7, 0.8))


def lines_of(ax: Any) -> list[Any]:
    return [part for part in ax.collections if isinstance(part, LineCollection)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_space_draws_its_edges_below_the_points(kind: str) -> None:
    result, _ = a_map(kind)
    assert lines_of(plot_embedding(result, ax=new())) == []
    ax = plot_embedding(result, ax=new(), edges=EDGES)
    lines = lines_of(ax)
    assert sum(len(part.get_segments()) for part in lines) >= len(EDGES)
    points = [part for part in ax.collections if isinstance(part, PathCollection)]
    assert max(line.get_zorder() for line in lines) < min(dot.get_zorder() for dot in points)
    ax.figure.savefig("/dev/null", format="png")


def test_lines_of_the_plane_join_the_points() -> None:
    points = np.random.default_rng(0).normal(size=(6, 2))
    (lines,) = lines_of(plot_embedding(points, ax=new(), edges=np.array(EDGES)))
    np.testing.assert_allclose(np.array(lines.get_segments()), points[np.array(EDGES)])


def test_lines_of_the_disk_and_of_the_sphere_are_the_shortest() -> None:
    rng = np.random.default_rng(1)
    disk = rng.uniform(-0.6, 0.6, size=(6, 2))
    for line, (a, b) in zip(in_disk(disk, np.array(EDGES)), EDGES, strict=True):
        np.testing.assert_allclose(line[[0, -1]], disk[[a, b]], atol=1e-12)
        D = distances(from_poincare(line), space="hyperbolic")
        assert np.isclose(np.diag(D, 1).sum(), D[0, -1])
    ball = rng.normal(size=(6, 3))
    ball /= np.linalg.norm(ball, axis=1, keepdims=True)
    for line, (a, b) in zip(on_sphere(ball, np.array(EDGES)), EDGES, strict=True):
        np.testing.assert_allclose(line[[0, -1]], ball[[a, b]], atol=1e-12)
        D = distances(line, space="sphere")
        assert np.isclose(np.diag(D, 1).sum(), D[0, -1])


def test_ends_that_coincide_or_lie_opposite() -> None:
    points = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])
    assert np.isfinite(on_sphere(points, np.array([[0, 1], [0, 2]]))).all()
    far = np.array([[0.0, 0.0], [0.0, 0.0], [1.0 - 1e-17, 0.0]])
    assert np.isfinite(in_disk(far, np.array([[0, 1], [0, 2]]))).all()


def test_each_picture_takes_edges() -> None:
    corners = np.eye(3)
    plot_ternary(corners, ax=new(), edges=[(0, 1)])
    plot_sphere(corners, ax=new(), edges=[(0, 1)])
    plot_poincare(from_poincare([[0.0, 0.1], [0.5, 0.5]]), ax=new(), edges=[(0, 1)])
    graph = nx.path_graph(3)
    assert len(lines_of(plot_embedding(corners, ax=new(), edges=list(graph.edges)))) == 1
    assert lines_of(plot_embedding(corners, ax=new(), edges=[])) == []


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([(0, 3)], r"\(0, 3\) joins a point that is not there; the 3 points go by the numbers 0…2"),
        ([("a", "b")], "edges must be pairs of numbers of points"),
        ([0, 1], "edges must be pairs of numbers of points"),
        ([(0.5, 1.0)], "edges must be pairs of numbers of points"),
    ],
)
def test_edges_that_are_none(edges: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plot_embedding(np.eye(3), ax=new(), edges=edges)


def test_the_edges_of_a_hairball_do_not_cover_the_points() -> None:
    """What many edges cover together stays about the same; too many are left out."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    pairs = rng.integers(0, 400, size=(31_000, 2))
    inks = []
    for count in (2_000, 15_000):
        (drawn,) = lines_of(plot_embedding(X, edges=pairs[:count], ax=new()))
        inks.append(count * drawn.get_alpha() * drawn.get_linewidth()[0])
    assert inks[1] <= inks[0]
    with pytest.warns(UserWarning, match="31,000 edges would hide the points, and are not drawn"):
        assert lines_of(plot_embedding(X, edges=pairs, ax=new())) == []


def test_a_disk_whose_points_lie_at_the_rim_says_so() -> None:
    angle = np.linspace(0.0, 6.0, 40)
    far = np.column_stack([np.cos(angle), np.sin(angle)])
    crowded = view_of(from_poincare(0.9999 * far), Hyperbolic(2.0))
    assert "Most points lie at the rim" in crowded.note
    curvature = float(crowded.caution.rstrip(".").split()[-1])
    # the same map, as wide as the curvature that is told would make it
    weaker = np.arctanh(0.9999) * np.sqrt(curvature / 2.0)
    assert view_of(from_poincare(np.tanh(weaker) * far), Hyperbolic(curvature)).caution == ""
    ax = plot_embedding(from_poincare(0.9999 * far), space=Hyperbolic(2.0), ax=new())
    assert any("weaker curvature" in text.get_text().replace("\n", " ") for text in ax.texts)
