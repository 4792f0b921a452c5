"""Pictures of regions and of permuted stress show what was found."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from unimds import Hyperbolic, Simplex, Sphere
from unimds.plots import UncertaintyRegions, plot_permutation_test, plot_stability
from unimds.plots.embedding import scene_of
from unimds.plots.themes import LIGHT
from unimds.spaces import Euclidean, to_poincare
from unimds.spaces.hyperbolic import recentred
from unimds.trust import PermutationTest, Stability, StressNorms

RNG = np.random.default_rng(0)
TEST = PermutationTest(0.1, RNG.normal(0.3, 0.02, 99), 0.01, "stress_1", "pairs", 12, 2)


def found(space=None, k=2, n=9, spread=1.0, labels=None):
    space = Euclidean() if space is None else space
    X = space.random(n, k, spread * space.unit, RNG)
    C = np.stack([0.002 * np.eye(k)] * n) * space.unit**2
    return Stability("Jackknife", X, space, np.stack([X] * 4), C, np.full(n, 9.0), labels)


def region_lines(here, confidence=0.9):
    """Return the outlines of regions as a report has them."""
    drawing = UncertaintyRegions(here, confidence).draw(scene_of(here.points, here.space))
    return [mark.path for mark in drawing.marks]


def outlines(ax):
    """Return the lines of regions by their colour."""
    return [line.get_xydata() for line in ax.lines if line.get_color() == LIGHT.region]


def test_ellipses_in_the_plane_surround_the_points():
    here = found(labels=list("abcdefghi"))
    ax = plot_stability(here)
    lines = outlines(ax)
    assert len(lines) == 9
    for i, line in enumerate(lines):
        np.testing.assert_allclose(line, here.regions().outline(i))
    assert ax.get_title() == "Jackknife: regions of 90 %"
    assert {text.get_text() for text in ax.texts} == set("abcdefghi")


def test_looks_are_those_of_any_map():
    ax = Figure().add_subplot()
    back = plot_stability(found(), ["p"] * 9, ["x", "y", "z"] * 3, ax, confidence=0.5, title="T")
    assert back is ax
    assert ax.get_title() == "T"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["x", "y", "z"]
    wide, narrow = (np.ptp(region_lines(found(), share)[0]) for share in (0.9, 0.5))
    assert wide > narrow


def test_regions_of_a_disk_are_drawn_where_its_points_are():
    here = found(Hyperbolic(2.0))
    lines = outlines(plot_stability(here))
    places = to_poincare(recentred(here.points, here.points))
    for line, place in zip(lines, places, strict=True):
        assert (np.linalg.norm(line, axis=1) < 1.0).all()
        assert line[:, 0].min() < place[0] < line[:, 0].max()
        assert line[:, 1].min() < place[1] < line[:, 1].max()


def test_regions_of_a_sphere_are_drawn_on_both_hemispheres():
    ax = plot_stability(found(Sphere(3.0), n=30))
    lines = outlines(ax)
    left = sum(line[:, 0].max() < 0.01 for line in lines)
    assert 0 < left < len(lines)
    assert len(lines) >= 30  # one at the rim is drawn on both sides


def test_small_parts_of_spheres_triangles_lines_and_circles():
    for here in (found(Sphere(10.0), spread=0.05), found(Simplex())):
        lines = outlines(plot_stability(here))
        assert len(lines) == 9
        assert all(len(line) > 50 for line in lines)
    line = found(k=1)
    for drawn, point, radius in zip(
        outlines(plot_stability(line)), line.points, line.regions().radii, strict=True
    ):
        assert drawn[[0, -1], 0] == pytest.approx([point[0] - radius, point[0] + radius])
    circle = found(Sphere(), k=1, spread=2.0)
    for drawn in outlines(plot_stability(circle)):
        np.testing.assert_allclose(np.linalg.norm(drawn, axis=1), 1.0)


def test_flat_maps_of_more_dimensions_show_the_shadows_of_regions():
    for k in (3, 4):
        here = found(k=k)
        lines = outlines(plot_stability(here))
        assert len(lines) == 9
        assert np.ptp(lines[0][:, 0]) == pytest.approx(2.0 * here.regions().radii[0], rel=1e-2)
    assert len(region_lines(found(k=3))) == 27  # three ellipses each, for a report
    with pytest.raises(ValueError, match=r"regions of 3 dimensions in Sphere.* cannot be drawn"):
        plot_stability(found(Sphere(), k=3))


def test_the_histogram_shows_all_permutations_and_the_data():
    ax = plot_permutation_test(TEST)
    assert sum(patch.get_height() for patch in ax.patches) == 99
    (line,) = ax.lines
    assert line.get_xdata()[0] == 0.1
    told = [text.get_text() for text in ax.get_legend().get_texts()]
    assert told == ["99 permuted tables", "the data, p = 0.01"]
    assert ax.get_xlabel() == "Stress-1"


def test_norms_are_drawn_beside_stress_but_not_beside_another_cost():
    norms = StressNorms(RNG.normal(0.4, 0.01, 50), 12, 2, "2 dimensions")
    legend = plot_permutation_test(TEST, norms).get_legend()
    assert "random numbers, mean ± sd" in [text.get_text() for text in legend.get_texts()]
    other = PermutationTest(0.1, TEST.permuted, 0.01, "relative_cost", "pairs", 12, 2)
    ax = plot_permutation_test(other, norms, title="T")
    assert ax.get_xlabel() == "relative cost"
    assert ax.get_title() == "T"
    assert len(ax.get_legend().get_texts()) == 2
