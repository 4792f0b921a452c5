"""Layers draw what they say: hulls hold their points, ellipses their share, trees are shortest."""

from __future__ import annotations

import io
from typing import Any

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from matplotlib.figure import Figure
from scipy.spatial import Delaunay
from scipy.stats import chi2, f

from tests.support.maps import a_map
from unimds import MDS, Hyperbolic, Simplex, Sphere
from unimds.interpret import fit_properties, procrustes_test, weighted_scores
from unimds.plots import (
    Bubbles,
    CentroidEllipses,
    Clusters,
    Ellipses,
    Hulls,
    PropertyVectors,
    SpanningTree,
    SpeciesScores,
    Spiders,
    plot_embedding,
    plot_maps,
    plot_procrustes,
    plot_ternary,
)
from unimds.plots.columns import as_categories
from unimds.plots.embedding import scene_of
from unimds.plots.layers.base import Dots, Drawing, Layer, Line, Name
from unimds.plots.layers.grounds import Curved, hull_of
from unimds.plots.layers.trees import spanning_tree
from unimds.plots.painting import Hemispheres, trodden
from unimds.plots.views import ROOM, angle_of
from unimds.spaces import distances

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2)) * [2.0, 1.0]
KIND = ["a", "b", "c"] * 10


@pytest.fixture(autouse=True)
def _close() -> Any:
    yield
    plt.close("all")


def new() -> Any:
    return Figure(figsize=(6, 5)).add_axes((0.1, 0.1, 0.7, 0.8))


def paths(layer: Any, points: Any = X, space: Any = None) -> list[np.ndarray]:
    """Return the lines of a layer, as it draws them on a map."""
    marks = layer.draw(scene_of(points, space)).marks
    return [mark.path for mark in marks if isinstance(mark, Line)]


def in_space(space: Any, spread: float = 0.8) -> np.ndarray:
    return space.random(30, 2, spread * space.unit, np.random.default_rng(1))


SPACES = [Sphere(2.0), Hyperbolic(), Simplex()]


# --- hulls ----------------------------------------------------------------------------------------


@given(arrays(float, st.tuples(st.integers(1, 12), st.just(2)), elements=st.integers(-3, 3)))
@settings(max_examples=60, deadline=None)
def test_a_hull_holds_its_points_and_has_points_as_corners(points: np.ndarray) -> None:
    corners = points[hull_of(points)]
    assert len(corners) == len(np.unique(corners, axis=0))
    if len(corners) > 2:
        assert (Delaunay(corners).find_simplex(points, tol=1e-9) >= 0).all()
    else:  # all points are on the line between the ends
        a, b = corners[0], corners[-1]
        along = (points - a) @ (b - a)
        cross = (points - a)[:, 0] * (b - a)[1] - (points - a)[:, 1] * (b - a)[0]
        np.testing.assert_allclose(cross, 0.0, atol=1e-9)
        assert ((along >= -1e-9) & (along <= (b - a) @ (b - a) + 1e-9)).all()


def test_hulls_are_closed_and_have_the_colours_of_their_groups() -> None:
    ax = plot_embedding(X, color=KIND, layers=[Hulls(KIND)], ax=new())
    hues = [line.get_color() for line in ax.lines]
    points = {part.get_label(): part.get_facecolor()[0] for part in ax.collections}
    from matplotlib.colors import to_rgba

    assert [to_rgba(hue) for hue in hues] == [tuple(points[name]) for name in "abc"]
    for path in paths(Hulls(KIND)):
        np.testing.assert_array_equal(path[0], path[-1])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b", "c"]


def test_a_group_that_is_flat_in_space_has_a_flat_hull() -> None:
    square = np.array([[0.0, 0, 1], [2, 0, 1], [1, 1, 1], [2, 2, 1], [0, 2, 1], [5, 5, 5]])
    kind = ["a"] * 5 + ["b"]
    (path,) = paths(Hulls(kind), square)
    np.testing.assert_array_equal(path[0], path[-1])
    assert {tuple(corner) for corner in path} == {tuple(square[i]) for i in (0, 1, 3, 4)}
    (triangle,) = paths(Hulls(["a"] * 3 + [None] * 3), square[[0, 1, 4, 2, 3, 5]])
    assert len(triangle) == 4


@pytest.mark.parametrize("space", SPACES)
def test_the_sides_of_a_curved_hull_are_geodesics_that_hold_the_points(space: Any) -> None:
    points = in_space(space)
    ground = Curved(scene_of(points, space))
    flat = ground._straightened(points)
    assert (Delaunay(flat[hull_of(flat)]).find_simplex(flat, tol=1e-9) >= 0).all()
    a, b = points[:1], points[1:2]
    middle = ground.between(a[0], b[0], 0.5)[None]
    along = Sphere() if isinstance(space, Simplex) else space  # Hellinger's distance is a chord
    halves = [distances(end, middle, space=along)[0, 0] for end in (a, b)]
    whole = distances(a, b, space=along)[0, 0]
    np.testing.assert_allclose(halves, 0.5 * whole, rtol=1e-6)


def test_a_group_around_the_sphere_has_no_hull() -> None:
    around = np.vstack([np.eye(3), -np.eye(3)])
    with pytest.raises(ValueError, match="half of the sphere"):
        paths(Hulls(["a"] * 6), around, "sphere")


# --- ellipses -------------------------------------------------------------------------------------


@given(st.floats(0.05, 0.99), st.integers(3, 40), st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_ellipses_have_the_bounds_of_chi_squared_and_of_f(p: float, m: int, seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(m, 2)) @ [[2.0, 0.5], [0.0, 1.0]]
    inverse = np.linalg.inv(np.cov(points.T))

    def bound(layer: Any) -> np.ndarray:
        (path,) = paths(layer, points)
        v = path - points.mean(axis=0)
        return np.einsum("ia,ab,ib->i", v, inverse, v)

    group = ["a"] * m
    np.testing.assert_allclose(bound(Ellipses(group, confidence=p)), chi2.ppf(p, 2), rtol=1e-6)
    of_mean = bound(CentroidEllipses(group, confidence=p))
    np.testing.assert_allclose(of_mean, chi2.ppf(p, 2) / m, rtol=1e-6)
    np.testing.assert_allclose(bound(Ellipses(group, confidence=None)), 1.0, rtol=1e-6)
    exact = 2.0 * (m - 1.0) / (m - 2.0) * f.ppf(p, 2, m - 2) / m
    few = bound(CentroidEllipses(group, confidence=p, few=True))
    np.testing.assert_allclose(few, exact, rtol=1e-6)


def test_ellipses_of_curved_spaces_are_as_wide_as_flat_ones_where_little_is_curved() -> None:
    flat = 1e-3 * RNG.normal(size=(20, 2))
    on_sphere = np.column_stack([np.ones(20), flat])
    on_sphere /= np.linalg.norm(on_sphere, axis=1, keepdims=True)
    scene = scene_of(on_sphere, "sphere")
    (path,) = Curved(scene).ellipse(np.arange(20), 1.0)
    size = np.sqrt(np.linalg.eigvalsh(np.cov(flat.T)))
    angle = np.radians(ROOM * angle_of(on_sphere))  # this part of the sphere fills the picture
    radii = np.linalg.norm(path - path[:-1].mean(axis=0), axis=1) * angle
    np.testing.assert_allclose([radii.min(), radii.max()], size, rtol=2e-2)


def test_the_mean_of_a_group_has_the_least_squares() -> None:
    for space in SPACES:
        points = in_space(space, 0.4)
        ground = Curved(scene_of(points, space))
        mean = ground.mean(np.arange(30))[None]
        least = np.sum(distances(mean, points, space=space) ** 2)
        for other in points[:5]:
            nearby = ground.between(mean[0], other, 0.02)[None]
            assert np.sum(distances(nearby, points, space=space) ** 2) > least


def test_an_ellipsoid_holds_its_share_of_three_dimensions() -> None:
    points = np.random.default_rng(3).normal(size=(4000, 3)) @ np.diag([3.0, 2.0, 1.0])
    group = ["a"] * len(points)
    lines = np.vstack(paths(Ellipses(group, confidence=0.8), points))
    inverse = np.linalg.inv(np.cov(points.T))
    offset = lines - points.mean(axis=0)
    bound = np.einsum("ij,jk,ik->i", offset, inverse, offset)
    np.testing.assert_allclose(bound, chi2.ppf(0.8, 3))
    within = points - points.mean(axis=0)
    share = np.mean(np.einsum("ij,jk,ik->i", within, inverse, within) < bound[0])
    assert abs(share - 0.8) < 0.03
    few = np.vstack(paths(CentroidEllipses(group[:20], few=True), points[:20]))
    offset = few - points[:20].mean(axis=0)
    inverse = np.linalg.inv(np.cov(points[:20].T)) * 20
    bound = np.einsum("ij,jk,ik->i", offset, inverse, offset)
    np.testing.assert_allclose(bound, 3.0 * 19.0 / 17.0 * f.ppf(0.95, 3, 17))


def test_wrong_confidence_is_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        paths(Ellipses(KIND, confidence=95.0))


# --- spiders, trees, clusters ---------------------------------------------------------------------


def test_a_spider_sits_at_the_mean_and_reaches_all_points() -> None:
    found = paths(Spiders(KIND))
    assert len(found) == 30
    for rows in (np.arange(k, 30, 3) for k in range(3)):
        mine = [path for path in found if any(np.allclose(path[-1], X[i]) for i in rows)]
        assert len(mine) == 10
        np.testing.assert_allclose([path[0] for path in mine], [X[rows].mean(axis=0)] * 10)


@given(st.integers(1, 14), st.integers(0, 999), st.booleans())
@settings(max_examples=40, deadline=None)
def test_the_spanning_tree_is_as_short_as_that_of_networkx(n: int, seed: int, gaps: bool) -> None:
    rng = np.random.default_rng(seed)
    D = np.triu(rng.integers(0, 6, size=(n, n)).astype(float), 1)
    D += D.T
    if gaps:
        holes = np.triu(rng.uniform(size=(n, n)) < 0.6, 1)
        D[holes | holes.T] = np.nan
    edges = spanning_tree(D)
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    i, j = np.nonzero(np.triu(~np.isnan(D), 1))
    graph.add_weighted_edges_from(zip(i.tolist(), j.tolist(), D[i, j].tolist(), strict=True))
    best = nx.minimum_spanning_tree(graph)
    assert len(edges) == best.number_of_edges()
    assert D[tuple(edges.T)].sum() == pytest.approx(best.size(weight="weight"))
    tree = nx.Graph(edges.tolist())
    assert len(edges) == 0 or nx.is_forest(tree)


def test_a_tree_is_that_of_the_table_not_of_the_picture() -> None:
    line = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
    D = np.array([[0.0, 5.0, 1.0], [5.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    ends = {tuple(sorted(path[:, 0])) for path in paths(SpanningTree(D), line)}
    assert ends == {(0.0, 2.0), (1.0, 2.0)}
    assert len(paths(SpanningTree(), line)) == 2
    with pytest.raises(ValueError, match="3 points, but D has 2"):
        paths(SpanningTree(D[:2, :2]), line)


def test_clusters_leave_out_the_last_merges() -> None:
    far = np.vstack([X[:10], X[10:20] + 100.0, X[20:] - 100.0])
    for k in (1, 2, 3):
        found = paths(Clusters(k), far)
        assert len(found) == 30 - k
        longest = max(np.linalg.norm(path[0] - path[-1]) for path in found)
        assert (longest > 50.0) == (k < 3)
    drawing = Clusters(3).draw(scene_of(far))
    assert [entry.text for entry in drawing.entries] == ["cluster 1", "cluster 2", "cluster 3"]
    hues = {mark.hue for mark in drawing.marks}
    assert len(hues) == 3
    last = paths(Clusters(1), far)[-1]  # the weighted mean, as ordicluster has it
    groups = [far[:10], far[10:20], far[20:]]
    means = [g.mean(axis=0) for g in groups]
    assert any(np.allclose(end, mean) for end in last[[0, -1]] for mean in means)
    with pytest.raises(ValueError, match="k=31"):
        paths(Clusters(31), far)


# --- species, bubbles -----------------------------------------------------------------------------


def test_clusters_have_colours_beside_those_of_many_groups() -> None:
    groups = [f"g{i % 12:02}" for i in range(len(X))]
    ax = plot_embedding(X, color=groups, layers=[Clusters(3)])
    assert ax.lines or ax.collections


def test_species_stand_at_their_weighted_means() -> None:
    counts = pd.DataFrame(RNG.integers(0, 4, size=(30, 3)), columns=["moss", "fern", "none"])
    counts["none"] = 0
    scores = weighted_scores(X, counts)
    drawing = SpeciesScores(scores).draw(scene_of(X))
    dots = next(mark for mark in drawing.marks if isinstance(mark, Dots))
    w = counts[["moss", "fern"]].to_numpy().T
    np.testing.assert_allclose(dots.places, w @ X / w.sum(axis=1, keepdims=True))
    assert [mark.text for mark in drawing.marks if isinstance(mark, Name)] == ["moss", "fern"]
    with pytest.raises(ValueError, match="2 coordinates"):
        SpeciesScores(np.zeros((4, 3))).draw(scene_of(X))


def test_the_area_of_a_bubble_is_its_number() -> None:
    values = np.r_[0.0, np.nan, RNG.uniform(size=28)]
    ax = plot_embedding(X, layers=[Bubbles(values, "error")], ax=new())
    rings = ax.collections[0]
    sizes = rings.get_sizes()
    np.testing.assert_allclose(sizes / sizes.max(), np.delete(values, 1) / np.nanmax(values))
    assert len(rings.get_offsets()) == 29
    with pytest.raises(ValueError, match="not negative"):
        Bubbles(-values).draw(scene_of(X))


# --- on maps of every kind ------------------------------------------------------------------------


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", ["plane", "space", "globe", "disk", "triangle", "many"])
def test_layers_are_drawn_on_maps_of_every_kind(kind: str) -> None:
    result, D = a_map(kind)
    groups = ["a", "b"] * 20
    layers = [Ellipses(groups, confidence=None), Spiders(groups, names=True), SpanningTree(D)]
    ax = plot_embedding(result, color=groups, layers=[*layers, Clusters(3), Bubbles([1.0] * 40)])
    assert {"a", "b"} <= {text.get_text() for text in ax.texts}
    file = io.BytesIO()
    ax.figure.savefig(file, dpi=40)
    assert len(file.getvalue()) > 5000


def test_what_makes_no_sense_on_a_map_is_an_error() -> None:
    line, high = np.arange(5.0)[:, None], Sphere().random(9, 3, 1.0, RNG)
    with pytest.raises(ValueError, match="one dimension has no room for hulls"):
        plot_embedding(line, layers=[Hulls(list("aabbb"))])
    with pytest.raises(ValueError, match="spiders need a map of two dimensions in Sphere"):
        plot_embedding(high, space="sphere", layers=[Spiders(["a"] * 9)])
    assert len(paths(SpanningTree(), high, "sphere")) == 8
    with pytest.raises(ValueError, match="means of points need straight lines"):
        plot_embedding(high[:, :3], space="sphere", layers=[SpeciesScores(np.zeros((2, 3)))])
    with pytest.raises(ValueError, match="30 points, but there are 3 groups"):
        plot_embedding(X, layers=[Hulls(["a", "b", "c"])])


def test_groups_are_matched_by_label_and_other_groups_have_colours_of_their_own() -> None:
    names = [f"p{i}" for i in range(30)]
    frame = pd.DataFrame(X, names)
    groups = pd.Series(KIND, names, name="kind").iloc[::-1]
    marks = Hulls(groups).draw(scene_of(frame)).marks
    for mark, path in zip(marks, paths(Hulls(KIND)), strict=True):
        np.testing.assert_allclose(mark.path, path)
    ax = plot_embedding(frame, False, ["x", "y"] * 15, layers=[Hulls(groups)], ax=new())
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["x", "y", "kind", "a", "b", "c"]
    hues = {line.get_color() for line in ax.lines}
    assert len(hues) == 3


# --- shapes, several maps -------------------------------------------------------------------------


def test_an_area_that_the_rim_of_a_globe_cuts_is_drawn_whatever_is_left() -> None:
    corners = np.array([[0.1, 0.9, 0.0], [-0.5, 0.5, 0.5], [-0.5, 0.5, -0.5], [0.1, 0.9, 0.0]])
    path = corners / np.linalg.norm(corners, axis=1, keepdims=True)
    globe = Hemispheres(*np.eye(3))
    places = trodden(globe, [Drawing([Line(path, 0, filled=True)])])
    assert np.isfinite(places).all()
    assert len(places) > 20
    few = np.array([[0.0, 1.0, 0.0], [np.nan] * 3, [0.0, 0.0, 1.0]])
    assert len(trodden(globe, [Drawing([Line(few, 0)])])) > 0


def test_a_date_that_is_missing_is_no_category() -> None:
    dates = pd.Series(pd.to_datetime(["2024-05-01", None, "2024-06-01", "2024-05-01"]))
    names, codes, _ = as_categories(dates, 5)
    assert len(names) == 2
    assert codes.tolist() == [0, -1, 1, 0]


def test_colour_and_shape_tell_two_columns() -> None:
    shape = pd.Series(["wet", "dry"] * 15, name="soil")
    color = pd.Series(KIND, name="kind")
    ax = plot_embedding(X, color=color, shape=shape, ax=new())
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["kind", "a", "b", "c", "soil", "dry", "wet"]
    looks = {
        (tuple(part.get_facecolor()[0]), len(part.get_paths()[0].vertices))
        for part in ax.collections
    }
    assert len(looks) == 6
    numbers = plot_embedding(X, color=X[:, 0], shape=shape, ax=new())
    assert len(numbers.collections) == 2
    norms = {(part.norm.vmin, part.norm.vmax) for part in numbers.collections}
    assert norms == {(X[:, 0].min(), X[:, 0].max())}


def test_the_trees_of_several_maps_are_those_of_their_tables() -> None:
    mds = MDS(metric="precomputed", n_init=1, random_state=0).fit(distances(X))
    seen: list[Any] = []

    class Asked(Layer):
        name = "asked"

        def draw(self, scene: Any) -> Drawing:
            seen.append(scene.given)
            return Drawing([])

    plot_maps([mds, mds.embedding_], layers=[Asked()])
    assert seen[0] is mds.dissimilarity_matrix_
    assert seen[1] is None


def test_several_maps_are_turned_onto_the_first_and_share_their_scale() -> None:
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    maps = {"one": X, "other": 3.0 * X @ turn + 5.0, "noise": X + 0.1 * RNG.normal(size=X.shape)}
    axes = plot_maps(maps, color=KIND, layers=[Hulls(KIND)])
    dots = [np.vstack([part.get_offsets() for part in ax.collections]) for ax in axes]
    np.testing.assert_allclose(dots[1], dots[0], atol=1e-8)
    assert [ax.get_title() for ax in axes] == list(maps)
    assert len({(*ax.get_xlim(), *ax.get_ylim()) for ax in axes}) == 1
    assert [ax.get_legend() is None for ax in axes] == [True, True, False]
    with pytest.raises(ValueError, match="29 points"):
        plot_maps([X, X[1:]])


def test_what_is_no_layer_is_told_what_to_write() -> None:
    for wrong in (Hulls(["a"] * 30), ["hulls"], [SpanningTree], None):
        with pytest.raises(TypeError, match=r"a list of layers, such as \[Hulls\(groups\)\], not"):
            plot_embedding(X, layers=wrong)  # type: ignore[arg-type]
    for layer in (Hulls, Spiders):
        with pytest.raises(TypeError, match="groups must be a sequence"):
            plot_embedding(X, layers=[layer(None)])  # type: ignore[arg-type]
        with pytest.raises(ValueError, match=r"groups must be one column.* \(30, 2\); give one"):
            plot_embedding(X, layers=[layer(np.zeros((30, 2)))])  # type: ignore[arg-type]


def test_variables_are_drawn_on_the_map_that_they_were_fitted_to() -> None:
    found = fit_properties(X, {"height": X[:, 0]}, n_permutations=0)
    with pytest.raises(ValueError, match=r"the map has 3 dimensions, .* fitted to one of 2"):
        plot_embedding(np.c_[X, X[:, 0]], layers=[PropertyVectors(found)])
    with pytest.raises(TypeError, match=r"what fit_properties\(mds, variables\) returns, not Da"):
        PropertyVectors(pd.DataFrame())  # type: ignore[arg-type]


def test_wrong_clusters_are_refused_and_one_point_has_none() -> None:
    for k in (0, 31, 2.5, "3"):
        with pytest.raises(ValueError, match="k must be 1 to 30"):
            plot_embedding(X, layers=[Clusters(k)])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="method='upgma' is not known: use one of 'average'"):
        plot_embedding(X, layers=[Clusters(2, method="upgma")])
    plot_embedding(X[:1], layers=[Clusters(1), SpanningTree()])


def test_the_name_of_a_layer_is_that_of_its_column() -> None:
    assert Hulls(pd.Series(["a"] * 30, name="US$ of 2020")).name == "hulls of US$ of 2020"


def test_wrong_numbers_of_names_and_scores_of_words_are_refused() -> None:
    with pytest.raises(ValueError, match="scores must hold numbers only"):
        plot_embedding(X, layers=[SpeciesScores([["a", "b"]])])
    with pytest.raises(ValueError, match="give two, one for each map"):
        plot_procrustes(procrustes_test(X, X + 0.1, n_permutations=0), names=("one",))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="give three, one for each corner"):
        plot_ternary(np.sqrt([[0.2, 0.3, 0.5]]), outcomes=["A", "B"])
