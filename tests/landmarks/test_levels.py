"""Maps of very many points at a level of measurement: the landmarks find the transformation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from tests.support.tables import distances
from unimds import MDS, LandmarkMDS, Ordinal
from unimds.distances.table import HeldTable
from unimds.files import FileError
from unimds.landmarks.disparities import Through, through
from unimds.levels import Transformation
from unimds.quality import recovery_error, stress_1

POINTS = np.random.default_rng(0).normal(size=(2000, 2))
APART = distances(POINTS)
GROWN = np.exp(APART) - np.eye(len(POINTS))  # not distances at all, but in their order


def ordinal(**options):
    how = {"n_landmarks": 80, "metric": "precomputed", "n_init": 1, "random_state": 0, **options}
    return LandmarkMDS(2, level="ordinal", **how)


@pytest.fixture(scope="module")
def fitted():
    return ordinal().fit(GROWN)


def off(mds, points):
    """The recovery error of a map whose unit is free."""
    X = mds if isinstance(mds, np.ndarray) else mds.embedding_
    size, own = (np.linalg.norm(Y - Y.mean(axis=0)) for Y in (points, X))
    return recovery_error(X * size / own, points)


@pytest.mark.sample(1)
def test_the_order_of_distances_gives_the_map_back(fitted):
    assert off(fitted, POINTS) < 0.02
    plain = LandmarkMDS(2, n_landmarks=80, metric="precomputed", n_init=1, random_state=0)
    assert off(plain.fit(GROWN), POINTS) > 0.1


def test_cost_and_stress_are_those_of_the_disparities(fitted):
    D = fitted.transformation_(GROWN)
    exact = stress_1(D, fitted.embedding_)
    assert exact < 0.1
    assert abs(fitted.stress_ - exact) <= 5.0 * fitted.stress_error_ + 1e-12
    error = distances(fitted.embedding_) - D
    cost = 0.5 * (error * error).sum()
    assert abs(fitted.cost_ - cost) <= 5.0 * fitted.cost_error_


def test_new_points_go_through_the_transformation(fitted):
    there = fitted.transform(GROWN[:5])
    size = fitted.embedding_.std()
    assert np.abs(there - fitted.embedding_[:5]).max() < 0.02 * size
    assert fitted.score(GROWN[:50]) > -0.05
    marks = fitted.transform(GROWN[:5][:, fitted.landmarks_])
    assert np.abs(marks - fitted.embedding_[:5]).max() < 0.1 * size


def test_features_and_single_precision():
    mds = ordinal(metric="sqeuclidean", refine=5).fit(POINTS[:600].astype(np.float32))
    assert mds.embedding_.dtype == np.float32
    assert off(mds.embedding_.astype(float), POINTS[:600]) < 0.05


def test_few_points_are_fitted_as_a_whole():
    D = GROWN[:40, :40]
    mds = ordinal(n_landmarks=50).fit(D)
    whole = MDS(2, level="ordinal", metric="precomputed", n_init=1, random_state=0).fit(D)
    assert mds.stress_ == whole.stress_
    assert mds.cost_ == whole.cost_
    assert np.array_equal(mds.transformation_.disparities, whole.transformation_.disparities)


def test_at_the_level_ratio_nothing_is_transformed():
    mds = LandmarkMDS(2, n_landmarks=30, refine=1, n_init=1, random_state=0).fit(POINTS[:100])
    assert mds.transformation_ is None
    assert clone(mds).level == "ratio"


def test_the_level_is_checked():
    with pytest.raises(ValueError, match="level='nominal' is not known"):
        LandmarkMDS(level="nominal").fit(POINTS)


def test_a_checkpoint_belongs_to_its_level(tmp_path):
    D, path = GROWN[:200, :200], tmp_path / "c"

    def stop(_, cost, __):
        raise KeyboardInterrupt

    with pytest.warns(RuntimeWarning, match="Interrupted"):
        ordinal(n_landmarks=40, refine=1, callback=stop, checkpoint=path).fit(D)
    assert path.exists()
    with pytest.raises(FileError, match="belongs to other data or other settings"):
        clone(ordinal(n_landmarks=40, refine=1, checkpoint=path)).set_params(level="ratio").fit(D)
    again = ordinal(n_landmarks=40, refine=1, checkpoint=path).fit(D)
    once = ordinal(n_landmarks=40, refine=1).fit(D)
    assert np.allclose(again.embedding_, once.embedding_)


numbers = st.lists(st.integers(0, 40), min_size=1, max_size=30, unique=True).map(sorted)


@settings(max_examples=60, deadline=None)
@given(numbers, st.lists(st.integers(0, 5), min_size=30, max_size=30), st.integers(0, 9))
def test_what_is_read_is_what_the_transformation_says(known, steps, seed):
    """On a grid, between its points and beyond; NaN, zero and steps included."""
    level = np.cumsum(steps)[: len(known)] * 0.25
    line = Transformation(Ordinal(), np.array(known) * 0.5, level)
    rng = np.random.default_rng(seed)
    D = rng.integers(0, 50, size=(6, 6)) * 0.5 + rng.choice([0.0, 0.2], size=(6, 6))
    D[rng.random((6, 6)) < 0.2] = np.nan
    D = np.where(np.tri(6, k=-1, dtype=bool), D, D.T)
    everyone = np.arange(6)
    source = HeldTable(D[:, None])
    found = through(source, line).between(everyone, everyone)
    assert np.allclose(found, line(source.between(everyone, everyone)), equal_nan=True)
    some = np.array([4, 1])
    part = Through(source, line).on(some)
    own = part.between(slice(0, 2), np.arange(2))
    assert np.allclose(own, found[np.ix_(some, some)], equal_nan=True)
    assert (part.n, part.number(0), part.dtype) == (2, 4, D.dtype)
