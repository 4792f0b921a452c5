"""Pictures show what they are given, and say what they leave out."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.image import imread

from tests.support.maps import KINDS, a_map
from unimds.datasets import load_cities
from unimds.plots import (
    plot_convergence,
    plot_embedding,
    plot_globe,
    plot_poincare,
    plot_point_stress,
    plot_shepard,
    plot_sphere,
    plot_ternary,
)
from unimds.plots.axes import HUES, QUIET
from unimds.plots.shapes import geodesic_grid, graticule, triangle_grid
from unimds.plots.views import view_of
from unimds.quality import point_stress, shepard
from unimds.spaces import Hyperbolic, distances, from_latlon, from_poincare


def new() -> Any:
    return Figure(figsize=(6, 5)).add_axes((0.1, 0.1, 0.7, 0.8))


def share_drawn(ax: Any) -> float:
    """Return the share of the picture that is not white."""
    file = io.BytesIO()
    ax.figure.savefig(file, dpi=60)
    file.seek(0)
    return float(np.mean(imread(file)[:, :, :3].min(axis=2) < 0.9))


def dots(ax: Any) -> np.ndarray:
    """Return where all points are drawn, in no particular order."""
    return np.vstack([part.get_offsets() for part in ax.collections])


@pytest.mark.parametrize("kind", KINDS)
def test_each_space_has_its_picture(kind: str) -> None:
    result, _ = a_map(kind)
    ax = plot_embedding(result, [f"p{i}" for i in range(40)], ax=new(), title=kind)
    assert len(dots(ax)) == 40
    assert 0.01 < share_drawn(ax) < 0.6
    assert ax.get_title() == kind
    note = ax.get_xlabel()
    assert ("principal coordinates" in note) == (kind in ("space", "many"))


def test_an_array_is_drawn_as_the_space_says() -> None:
    X = from_latlon([[0.0, 10.0], [50.0, 30.0], [-20.0, -170.0]])
    assert np.allclose(
        dots(plot_embedding(X, ax=new(), space="sphere")), dots(plot_sphere(X, ax=new()))
    )


def test_categories_differ_in_colour_and_shape() -> None:
    result, _ = a_map("plane")
    kinds = (["a"] * 3 + ["b"] * 2 + [None] * 3) * 5
    ax = plot_embedding(result, color=kinds, ax=new())
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["a", "b", "no value"]
    assert [len(part.get_offsets()) for part in ax.collections] == [15, 10, 15]
    assert to_hex(ax.collections[-1].get_facecolor()[0]) == QUIET.lower()
    assert len({tuple(part.get_facecolor()[0]) for part in ax.collections}) == 3
    assert len({len(part.get_paths()[0].vertices) for part in ax.collections}) > 1


def test_rare_categories_share_a_sign() -> None:
    result, _ = a_map("plane")
    ax = plot_embedding(result, color=[str(i) for i in range(40)], ax=new())
    assert ax.get_legend().get_texts()[-1].get_text() == "27 others"
    assert len(dots(ax)) == 40


def test_numbers_have_a_colour_bar() -> None:
    result, _ = a_map("plane")
    values = np.arange(40.0)
    ax = plot_embedding(result, color=[None, *values[1:]], ax=new())
    drawn = ax.collections[0].get_array()
    assert np.ma.is_masked(drawn) or np.isnan(drawn[0])
    assert np.array_equal(drawn[1:], values[1:])
    assert len(ax.figure.axes) == 2


def test_names_never_overlap() -> None:
    result, _ = a_map("disk", n=80)
    ax = plot_embedding(result, [f"name {i}" for i in range(80)], ax=new())
    ax.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert len(boxes) > 10
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


@pytest.mark.parametrize("kind", ["plane", "disk", "globe", "circle"])
def test_a_name_is_nearest_to_its_own_point_and_covers_no_other(kind: str) -> None:
    if kind == "circle":
        angle = np.random.default_rng(3).uniform(0.0, 2.0 * np.pi, 40)
        X: Any = np.column_stack([np.cos(angle), np.sin(angle)])
    else:
        X = a_map(kind)[0]
    space = "sphere" if kind == "circle" else None
    ax = plot_embedding(X, [f"name {i}" for i in range(40)], ax=new(), space=space)
    ax.figure.draw_without_rendering()
    dots = ax.transData.transform(np.vstack([part.get_offsets() for part in ax.collections]))
    dots = dots[-40:]
    assert len(ax.texts) > 5
    for text in ax.texts:
        box = text.get_window_extent()
        low, high = np.array([box.x0, box.y0]), np.array([box.x1, box.y1])
        away = np.linalg.norm(np.maximum(np.maximum(low - dots, dots - high), 0.0), axis=1)
        i = int(text.get_text().split()[1])
        assert away.argmin() == i, text.get_text()
        others = np.delete(away, i)
        assert others.min() > 3.0 * ax.figure.dpi / 72.0  # the radius of a point
        if kind == "circle":  # the name stands outside
            middle = ax.transData.inverted().transform(0.5 * (low + high))
            assert np.linalg.norm(middle) > 1.0


def test_names_of_near_points_on_a_line_are_moved_aside() -> None:
    x = np.r_[0.0, 0.001, 0.002, np.linspace(1.0, 9.0, 12)]
    names = [f"q{i}" for i in range(15)]
    ax = plot_embedding(x[:, None], names)
    ax.figure.draw_without_rendering()
    assert sorted(text.get_text() for text in ax.texts) == sorted(names)
    feet = sorted(text.get_transform().transform(text.xyann)[0] for text in ax.texts)
    assert np.diff(feet).min() > 10.0 * ax.figure.dpi / 72.0
    assert all(text.arrow_patch is not None for text in ax.texts)
    apart = plot_embedding(np.arange(5.0)[:, None], names[:5])
    assert all(text.arrow_patch is None for text in apart.texts)


KIND_NAMES = ["wet", "dry", "heath"]


def hues(ax: Any) -> dict[str, str]:
    return {part.get_label(): to_hex(part.get_facecolor()[0]) for part in ax.collections}


def test_colours_do_not_depend_on_how_often_a_category_occurs() -> None:
    one = plot_embedding(np.eye(6, 2), color=["wet", "wet", "wet", "dry", "dry", "heath"], ax=new())
    other = plot_embedding(
        np.eye(6, 2), color=["heath", "heath", "heath", "dry", "wet", "wet"], ax=new()
    )
    assert hues(one) == hues(other)
    assert list(hues(one)) == ["dry", "heath", "wet"]
    kinds = pd.Categorical(["wet", "heath", "wet", "wet", "heath", "heath"], KIND_NAMES)
    own = plot_embedding(np.eye(6, 2), color=kinds, ax=new())
    assert hues(own) == {"wet": HUES[0].lower(), "heath": HUES[2].lower()}  # "dry" has the second


def test_new_points_are_outlined_and_named_first() -> None:
    X = np.r_[np.zeros((5, 2)), [[0.0, 0.0]], [[1.0, 1.0]]]
    fresh = np.array([False] * 5 + [True] * 2)
    names = [f"old {i}" for i in range(5)] + ["first", "second"]
    ax = plot_embedding(X, names, ["a", "b"] * 3 + ["a"], ax=new(), new=fresh)
    assert [text.get_text() for text in ax.texts][:2] == ["first", "second"]
    told = [text.get_text() for text in ax.get_legend().get_texts()]
    assert told == ["a", "b", "new (outlined)"]
    assert len(ax.collections[-1].get_offsets()) == 2
    plain = plot_embedding(X, names, ax=new(), new=fresh)
    assert [text.get_text() for text in plain.get_legend().get_texts()] == ["map", "new"]
    with pytest.raises(ValueError, match="new must say True or False for each of the 7 points"):
        plot_embedding(X, new=[5, 6], ax=new())


def test_of_many_names_only_those_that_are_shown_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    ax, made = new(), []
    annotate = ax.annotate
    monkeypatch.setattr(ax, "annotate", lambda *a, **k: made.append(a) or annotate(*a, **k))
    X = np.random.default_rng(0).normal(size=(300, 2))
    plot_embedding(X, [f"name {i}" for i in range(300)], ax=ax)
    assert 30 < len(ax.texts) < 300
    assert len(made) == len(ax.texts) + 1  # a text is slow to make; one more measures them all


def test_points_without_a_number_are_drawn_in_grey() -> None:
    ax = plot_embedding(np.eye(3, 2), color=[1.0, np.nan, None], ax=new())
    ax.figure.draw_without_rendering()
    colours = ax.collections[0].get_facecolors()
    assert to_hex(colours[1]) == to_hex(colours[2]) == QUIET.lower()
    assert colours[1][3] == 1.0


def test_what_does_not_fit_together_is_refused() -> None:
    result, D = a_map("plane")
    with pytest.raises(ValueError, match="40 points, but there are 2 labels"):
        plot_embedding(result, ["a", "b"])
    with pytest.raises(ValueError, match="40 points, but there are 1 colours"):
        plot_embedding(result, color=[1], ax=new())
    with pytest.raises(ValueError, match="40 points, but there are 1 labels"):
        plot_point_stress(D, result, ["a"])
    for plot in (plot_sphere, plot_poincare, plot_ternary):
        with pytest.raises(ValueError, match="3 coordinates"):
            plot(np.ones((4, 2)))
    with pytest.raises(TypeError, match="no history"):
        plot_convergence(D, ax=new())


# --- spaces ---------------------------------------------------------------------------------------


def test_both_hemispheres_are_seen_from_outside() -> None:
    ax = plot_sphere(from_latlon([[0.0, 0.0], [0.0, 40.0], [0.0, -40.0], [0.0, 170.0]]), ax=new())
    places = dots(ax)
    assert np.allclose(np.hypot(places[:3, 0] + 1.05, places[:3, 1]) < 1.0, True)
    assert np.hypot(places[3, 0] - 1.05, places[3, 1]) < 1.0
    assert places[1, 0] > places[0, 0] > places[2, 0]  # east is right
    assert places[3, 0] < 1.05  # and west is left, seen from behind as well


def test_the_disk_keeps_distances_and_has_the_mean_in_the_middle() -> None:
    X = from_poincare([[0.9, 0.0], [0.8, 0.3], [0.7, -0.2]])
    drawn = dots(plot_poincare(X, ax=new()))
    again = distances(from_poincare(drawn), space=Hyperbolic())
    assert np.allclose(again, distances(X, space=Hyperbolic()))
    assert np.abs(drawn.mean(axis=0)).max() < 0.1


def test_lines_of_the_disk_are_geodesics() -> None:
    for line in geodesic_grid():
        ends = distances(from_poincare(line[[10, 60, 110]]), space=Hyperbolic())
        assert ends[0, 2] == pytest.approx(ends[0, 1] + ends[1, 2])


def test_meridians_lie_on_the_sphere() -> None:
    for line in graticule():
        assert np.allclose(np.linalg.norm(line, axis=1), 1.0)


def test_the_corners_of_the_triangle_have_names() -> None:
    ax = plot_ternary(np.sqrt([[0.2, 0.3, 0.5]]), outcomes=["A", "B", "C"], ax=new())
    assert [text.get_text() for text in ax.texts] == ["A", "B", "C"]
    assert np.allclose(dots(ax), [[0.55, 0.5 * np.sqrt(0.75)]])
    assert all((line >= -1e-12).all() for line in triangle_grid())


def test_a_line_is_drawn_in_the_plane() -> None:
    view = view_of([[1.0], [3.0]])
    assert np.allclose(view.points, [[1.0, 0.0], [3.0, 0.0]])


def test_pictures_in_the_plane_line_up() -> None:
    X = np.random.default_rng(0).normal(size=(6, 2)) + 5.0
    ax = plot_embedding(X, ax=new())
    plot_embedding(X[:2], ax=ax)  # as new points on an old map
    assert np.array_equal(dots(ax), np.vstack([X, X[:2]]))


# --- fits -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [20, 90])
def test_a_shepard_diagram_has_every_pair(n: int) -> None:
    result, D = a_map("globe", n=n)
    ax = plot_shepard(D, result, ax=new())
    pairs = n * (n - 1) // 2
    if n == 20:
        given, mapped, _, _ = shepard(D, result.embedding, space=result.space)
        assert np.allclose(dots(ax), np.column_stack([given, mapped]))
    else:  # a density
        assert ax.collections[0].get_array().sum() == pairs
    strip = ax.child_axes[0]
    assert sum(bar.get_width() for bar in strip.patches) == pairs
    assert share_drawn(ax) > 0.01


def test_the_worst_points_come_first() -> None:
    result, D = a_map("plane")
    ax = plot_point_stress(D, result, [f"p{i}" for i in range(40)], ax=new(), top=5)
    share = 100.0 * point_stress(D, result.embedding)
    assert np.allclose([bar.get_width() for bar in ax.patches], np.sort(share)[::-1][:5])
    assert ax.get_yticklabels()[0].get_text() == f"p{np.argmax(share)}"


def test_runs_are_drawn_against_time() -> None:
    result, _ = a_map("plane")
    ax = plot_convergence({"one": result, "two": result}, ax=new())
    assert np.allclose(np.array(ax.lines[0].get_data()).T, result.history)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["one", "two"]
    assert ax.lines[0].get_linestyle() != ax.lines[2].get_linestyle()
    assert ax.get_yscale() == "log"
    assert plot_convergence(result, ax=new()).get_legend() is None


def test_a_name_is_no_formula_and_none_is_left_out() -> None:
    names = ["$x^{$", "_a", "US$ and A$", "b"]
    ax = plot_embedding(np.eye(4, 2) * [[1.0], [2.0], [3.0], [4.0]], names, color=names, ax=new())
    ax.figure.draw_without_rendering()
    assert len(ax.get_legend().get_texts()) == 4
    ax = plot_point_stress(1.0 - np.eye(4), np.eye(4, 2), names, ax=new())
    ax.figure.draw_without_rendering()


# --- room -----------------------------------------------------------------------------------------


def boxes_on(figure: Any) -> list[np.ndarray]:
    """Return the boxes of all axes with what belongs to them; assert that they are on the page."""
    figure.draw_without_rendering()
    children = [child for ax in figure.axes for child in ax.child_axes]
    boxes = [ax.get_tightbbox() for ax in figure.axes if ax not in children]
    page = figure.bbox
    for box in boxes:
        assert page.x0 <= box.x0 < box.x1 <= page.x1, box
        assert page.y0 <= box.y0 < box.y1 <= page.y1, box
    return boxes


def assert_apart(figure: Any) -> None:
    boxes = boxes_on(figure)
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


KINDS_OF_POINTS = ["a rather long class", "b", "c"] * 13 + ["d"]


def test_a_legend_stays_on_the_page_of_a_plain_figure() -> None:
    figure = Figure()
    ax = plot_embedding(a_map("plane")[0], color=KINDS_OF_POINTS, ax=figure.subplots())
    assert_apart(figure)
    assert ax.get_position().width > 0.4


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", KINDS)
def test_legends_stay_on_their_part_of_a_plain_figure(kind: str) -> None:
    figure = Figure()
    for ax in figure.subplots(2, 2).ravel():
        plot_embedding(a_map(kind)[0], color=KINDS_OF_POINTS, ax=ax)
        assert len(ax.get_legend().get_texts()) == 4
    assert_apart(figure)


@pytest.mark.sample(3)
@pytest.mark.parametrize("n", [20, 90])
@pytest.mark.parametrize("layout", [None, "tight", "constrained"])
def test_shepard_diagrams_stay_side_by_side(n: int, layout: str | None) -> None:
    figure = Figure(figsize=(10, 4), layout=layout)
    result, D = a_map("globe", n=n)
    for ax in figure.subplots(1, 2):
        plot_shepard(D, result, ax=ax, title="A Shepard diagram")
    assert_apart(figure)


def test_colour_bars_and_long_names_stay_on_the_page() -> None:
    figure = Figure()
    left, right = figure.subplots(1, 2)
    result, D = a_map("plane")
    plot_embedding(result, color=np.linspace(-1e5, 1e5, 40), ax=left)
    plot_point_stress(D, result, [f"a long name, {i}" for i in range(40)], ax=right)
    assert_apart(figure)


def test_parts_of_a_figure_keep_to_themselves() -> None:
    figure = Figure()
    result, D = a_map("plane")
    names = [f"name {i}" for i in range(40)]
    for half, plot in zip(figure.subfigures(1, 2), ("map", "fit"), strict=True):
        ax = half.subplots()
        if plot == "map":
            plot_embedding(result, names, KINDS_OF_POINTS, ax)
        else:
            plot_shepard(D, result, ax=ax)
        assert ax.get_position().width > 0.3
    assert_apart(figure)


def test_axes_with_room_enough_stay_where_they_are() -> None:
    ax = new()
    before = ax.get_position().bounds
    assert plot_embedding(a_map("plane")[0], ax=ax).get_position().bounds == before


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", KINDS)
def test_names_stay_on_the_page_and_off_the_legend(kind: str) -> None:
    ax = plot_embedding(
        a_map(kind)[0],
        [f"a rather long name, {i}" for i in range(40)],
        KINDS_OF_POINTS,
        Figure(figsize=(5, 3)).subplots(),
        title="A map",
    )
    figure = ax.figure
    figure.draw_without_rendering()
    page = figure.bbox
    boxes = [text.get_window_extent() for text in ax.texts]
    assert len(boxes) > 1
    for box in boxes:
        assert page.x0 <= box.x0 < box.x1 <= page.x1
        assert page.y0 <= box.y0 < box.y1 <= page.y1
        assert not box.overlaps(ax.get_legend().get_window_extent())
        assert not box.overlaps(ax.title.get_window_extent())


def test_a_small_part_of_a_sphere_is_said_to_be_nearly_flat() -> None:
    near = np.random.default_rng(0).normal([1.0, 0.0, 0.0], 0.01, size=(20, 3))
    near /= np.linalg.norm(near, axis=1, keepdims=True)
    said = [text.get_text() for text in plot_embedding(near, space="sphere", ax=new()).texts]
    assert len(said) == 1
    assert "is nearly flat: a map in the plane would show the same" in " ".join(said[0].split())
    assert "in the plane would show the same" in view_of(near, "sphere").note  # as reports say it
    assert not plot_embedding(a_map("globe")[0], ax=new()).texts


@pytest.mark.sample(3)
@pytest.mark.parametrize("middle", [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [-0.6, -0.5, -0.4]])
@pytest.mark.parametrize("spread", [0.1, 1e-2, 1e-5])
def test_a_small_part_of_a_sphere_fills_the_picture(middle: list[float], spread: float) -> None:
    near = np.random.default_rng(0).normal(middle, spread, size=(20, 3))
    near /= np.linalg.norm(near, axis=1, keepdims=True)
    view = view_of(near, "sphere")
    assert view.kind == "cap"
    out = np.linalg.norm(view.points, axis=1)
    assert out.max() == pytest.approx(1.0 / 1.15)  # of the radius of the picture
    lines = np.vstack(view.grid)
    assert 4 <= len(view.grid) <= 20  # where on the sphere this is
    assert np.nanmax(np.linalg.norm(lines, axis=1)) <= 1.0
    drawn = np.linalg.norm(view.points[:, None] - view.points, axis=2)
    given = distances(near, space="sphere")
    scale = drawn.max() / given.max()
    assert drawn == pytest.approx(scale * given, rel=0.05, abs=1e-9)
    for draw in (plot_embedding, plot_sphere):
        ax = draw(near, ax=new(), **({"space": "sphere"} if draw is plot_embedding else {}))
        shown = np.ptp(np.asarray(ax.collections[-1].get_offsets()), axis=0).max()
        assert shown > 0.5 * np.ptp(ax.get_ylim())


def test_a_large_part_of_a_sphere_and_points_in_one_place_stay_on_the_globe() -> None:
    angle = np.radians([-25.0, 25.0])
    wide = np.column_stack([np.cos(angle), np.sin(angle), [0.0, 0.0]])
    for X in (wide, np.tile([[0.0, 1.0, 0.0]], (5, 1)), [[0.0, 0.0, 1.0]]):
        assert view_of(X, "sphere").kind == "globe"


def test_names_of_a_sphere_are_not_cut() -> None:
    cities = load_cities()
    ax = plot_sphere(cities.points, [f"the city of {name}" for name in cities.names])
    ax.figure.draw_without_rendering()
    page = ax.figure.bbox
    assert all(
        page.contains(box.x0, box.y0) and page.contains(box.x1, box.y1)
        for box in (text.get_window_extent() for text in ax.texts)
    )
    assert len(ax.texts) > 40


# --- colours --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [3, 5])
def test_one_colour_may_be_named(n: int) -> None:
    ax = plot_embedding(np.eye(n, 2), color="red", ax=new())
    assert {to_hex(colour) for colour in ax.collections[0].get_facecolors()} == {"#ff0000"}
    assert ax.get_legend() is None
    with pytest.raises(ValueError, match=f"'blue-ish' is no colour.* each of the {n} points"):
        plot_embedding(np.eye(n, 2), color="blue-ish", ax=new())


def test_what_is_no_sequence_is_refused() -> None:
    with pytest.raises(TypeError, match=r"colours must be a sequence.* 3 points, not int"):
        plot_embedding(np.eye(3, 2), color=7, ax=new())
    with pytest.raises(TypeError, match=r"labels must be a sequence.* 3 points, not str"):
        plot_embedding(np.eye(3, 2), "abc", ax=new())


@pytest.mark.parametrize("many", [np.array, list, pd.Series, pd.Categorical])
def test_a_few_integers_are_classes_in_their_order(many: Any) -> None:
    ax = plot_embedding(a_map("plane")[0], color=many([10, 9, 9, 9] * 10), ax=new())
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["9", "10"]
    assert len(ax.figure.axes) == 1


@pytest.mark.parametrize("values", [np.arange(40), np.arange(40.0) // 10, [5] + [None] * 39])
def test_other_integers_and_floats_are_numbers(values: Any) -> None:
    ax = plot_embedding(a_map("plane")[0], color=values, ax=new())
    assert ax.get_legend() is None
    assert len(ax.figure.axes) == 2


# --- files ----------------------------------------------------------------------------------------


def saved(figure: Any, format: str) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, format=format)
    return file.getvalue()


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", KINDS)
def test_an_svg_holds_text_and_no_outlines(kind: str) -> None:
    names = [f"name {i}" for i in range(40)]
    ax = plot_embedding(a_map(kind)[0], names, KINDS_OF_POINTS, title="A map & more")
    svg = saved(ax.figure, "svg").decode()
    for text in ("A map &amp; more", "a rather long class", "name 0"):
        assert f">{text}</text>" in svg
    assert "DejaVuSans-" not in svg  # the shapes of letters are named after their font


@pytest.mark.slow
def test_all_other_pictures_hold_text_too() -> None:
    result, D = a_map("plane")
    for ax, text in (
        (plot_shepard(D, result), "given distance"),
        (plot_point_stress(D, result), "equal shares"),
        (plot_convergence({"one": result}), "seconds"),
        (plot_globe(load_cities().points, labels=load_cities().names), "Lima"),
    ):
        svg = saved(ax.figure, "svg").decode()
        assert f">{text}</text>" in svg
        assert "DejaVuSans-" not in svg
        pdf = saved(ax.figure, "pdf")
        assert b"/FontFile2" in pdf  # a font, not shapes
        assert b"/Type3" not in pdf


def test_saving_leaves_the_settings_of_matplotlib_alone() -> None:
    saved(plot_embedding(np.eye(3, 2)).figure, "svg")
    assert matplotlib.rcParams["svg.fonttype"] == "path"


def test_a_line_has_slanted_names_and_no_second_axis() -> None:
    names = [f"Name of point {i}" for i in range(20)]
    ax = plot_embedding(np.linspace(0.0, 9.0, 20)[:, None], names)
    assert [text.get_text() for text in ax.texts] == names
    assert {text.get_rotation() for text in ax.texts} == {55.0}
    assert not ax.yaxis.get_visible()
    near = plot_embedding(np.linspace(0.0, 9.0, 500)[:, None], [f"p{i}" for i in range(500)])
    assert 60 < len(near.texts) < 120  # as many as there is room for above and below


def test_a_flat_course_of_the_cost_is_drawn_flat() -> None:
    history = np.column_stack([[0.25, 0.26, 0.27], 1e9 + np.array([0.003, 0.002, 0.001])])
    result = replace(a_map("plane")[0], history=history)
    ax = plot_convergence(result, ax=new())
    low, high = ax.get_ylim()
    assert high - low > 0.01e9
    assert ax.get_xlim()[0] == 0.0
    ax.figure.canvas.draw()
    assert ax.yaxis.get_offset_text().get_text() in ("", "1e9")
