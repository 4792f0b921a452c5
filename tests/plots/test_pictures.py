"""Pictures show what they are given, and say what they leave out."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.image import imread

from tests.support.maps import KINDS, a_map
from unimds.plots import (
    plot_convergence,
    plot_embedding,
    plot_poincare,
    plot_point_stress,
    plot_shepard,
    plot_sphere,
    plot_ternary,
)
from unimds.plots.axes import QUIET
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
    assert sorted(texts) == ["(none)", "a", "b"]
    assert [len(part.get_offsets()) for part in ax.collections] == [15, 15, 10]
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


def test_of_many_names_only_those_that_are_shown_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    ax, made = new(), []
    annotate = ax.annotate
    monkeypatch.setattr(ax, "annotate", lambda *a, **k: made.append(a) or annotate(*a, **k))
    X = np.random.default_rng(0).normal(size=(300, 2))
    plot_embedding(X, [f"name {i}" for i in range(300)], ax=ax)
    assert 50 < len(ax.texts) < 300
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
