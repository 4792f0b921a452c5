"""Indices and regions, against other ways to compute them."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import f

from unimds import Hyperbolic, Sphere
from unimds.quality import align
from unimds.spaces import Euclidean
from unimds.trust import Stability
from unimds.trust.stability import aligned, hotelling

RNG = np.random.default_rng(0)


def example(space=None, k=2, n=8, m=30, labels=None):
    space = Euclidean() if space is None else space
    X = space.random(n, k, 1.0, RNG)
    if isinstance(space, Euclidean):
        maps = X + 0.1 * RNG.normal(size=(m, *X.shape))
    else:
        maps = np.stack([space.project_points(X + 0.05 * RNG.normal(size=X.shape))] * m)
    C = np.stack([np.cov(RNG.normal(size=(k, 20))).reshape(k, k) * 0.01 for _ in range(n)])
    return Stability("Test", X, space, maps, C, np.full(n, 20.0), labels)


def test_indices_are_those_of_de_leeuw_and_meulman():
    found = example()
    Y = found.maps
    mean, size = Y.mean(axis=0), sum(np.sum((y - y.mean(axis=0)) ** 2) for y in Y)
    stab = 1.0 - np.sum((Y - mean) ** 2) / size
    cross = 1.0 - len(Y) * np.sum((found.points - mean) ** 2) / size
    assert found.stability == pytest.approx(stab, rel=1e-12)
    assert found.cross_validity == pytest.approx(cross, rel=1e-12)
    assert found.dispersion == pytest.approx(2.0 - stab - cross, rel=1e-9)


@pytest.mark.parametrize("space", [Sphere(2.0), Hyperbolic(0.5)], ids=str)
def test_dispersion_is_what_the_others_leave_in_any_space(space):
    found = example(space)
    assert found.dispersion == pytest.approx(2.0 - found.stability - found.cross_validity)


def test_points_that_were_left_out_do_not_count():
    found = example()
    maps = found.maps.copy()
    maps[3, 2] = np.nan
    less = Stability("Test", found.points, found.space, maps, found.covariances, found.freedom)
    known = ~np.isnan(maps)
    mean = np.broadcast_to(np.nanmean(maps, axis=0), maps.shape)
    size = sum(np.nansum((y - np.nanmean(y, axis=0)) ** 2) for y in maps)
    assert less.stability == pytest.approx(1.0 - np.sum((maps - mean)[known] ** 2) / size)


def test_maps_that_are_all_the_same_are_perfectly_stable():
    X = RNG.normal(size=(5, 2))
    zero = np.zeros((5, 2, 2))
    found = Stability("Test", X, Euclidean(), np.stack([X] * 4), zero, np.full(5, 9.0))
    assert (found.stability, found.cross_validity, found.dispersion) == (1.0, 1.0, 0.0)
    regions = found.regions()
    np.testing.assert_array_equal(regions.radii, 0.0)
    assert regions.contains(X).all()
    assert not regions.contains(X + 1e-3).any()


def test_bounds_are_those_of_hotelling():
    assert hotelling(0.9, 3, 17.0) == pytest.approx(3 * 17 / 15 * f.ppf(0.9, 3, 15))
    assert hotelling(0.9, 2, 1e9) == pytest.approx(hotelling(0.9, 2, np.inf), rel=1e-6)
    assert hotelling(0.9, 2, 2.5) > hotelling(0.9, 2, 5.0) > hotelling(0.9, 2, 50.0)
    rng = np.random.default_rng(1)
    inside = []
    for _ in range(2000):
        S = np.cov(rng.normal(size=(2, 13)))
        v = rng.normal(size=2)
        inside.append(v @ np.linalg.solve(S, v) <= hotelling(0.9, 2, 12.0))
    assert np.mean(inside) == pytest.approx(0.9, abs=0.025)


@pytest.mark.parametrize("space", [Euclidean(), Sphere(2.0), Hyperbolic(0.5)], ids=str)
def test_outlines_are_the_edge_of_regions(space):
    found = example(space)
    regions = found.regions(0.8)
    for share, inside in ((0.99, True), (1.01, False)):
        places = []
        for i in range(len(found.points)):
            edge = regions.tangents.vectors(i, regions.outline(i)[5:6])
            places.append(regions.tangents.places(i, share * edge)[0])
        assert (regions.contains(places) == inside).all()
    first = regions.outline(0)
    np.testing.assert_allclose(first[0], first[-1], atol=1e-12)
    far = np.linalg.norm(regions.tangents.vectors(0, first), axis=1)
    assert far.max() == pytest.approx(regions.radii[0], rel=1e-2)


def test_regions_grow_with_confidence():
    found = example()
    assert (found.regions(0.95).radii > found.regions(0.5).radii).all()
    for wrong in (0.0, 1.0, 90, "a", None):
        with pytest.raises(ValueError, match="must lie between 0 and 1"):
            found.regions(wrong)


def test_a_line_has_intervals_and_space_has_no_outlines():
    found = example(k=1)
    regions = found.regions()
    ends = regions.outline(2)
    np.testing.assert_allclose(np.ptp(ends), 2.0 * regions.radii[2])
    with pytest.raises(ValueError, match="a region of 3 dimensions has no outline"):
        example(k=3).regions().outline(0)
    with pytest.raises(ValueError, match="there are 8 regions; give as many places"):
        regions.contains(np.zeros((3, 1)))


def test_tables_and_words():
    found = example(labels=list("abcdefgh"))
    frame = found.to_frame(0.95)
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == ["x", "y", "error", "radius"]
    np.testing.assert_allclose(frame["radius"], found.regions(0.95).radii)
    np.testing.assert_allclose(frame["error"], np.sqrt([np.trace(c) for c in found.covariances]))
    worst = frame["error"].idxmax()
    lines = repr(found).splitlines()
    assert lines[0] == "Test: 30 maps of 8 points."
    assert lines[4].split()[0] == worst
    assert example().to_frame().index.tolist() == list(range(8))


def test_maps_whose_unit_is_free_are_stretched_onto_each_other():
    X = RNG.normal(size=(7, 2))
    turned = 3.0 * X @ np.array([[0.0, 1.0], [-1.0, 0.0]]) + 5.0
    np.testing.assert_allclose(aligned(turned, X, Euclidean(), scales=True), X, atol=1e-12)
    np.testing.assert_allclose(
        aligned(turned, X, Euclidean(), scales=False), align(turned, X), atol=1e-12
    )
