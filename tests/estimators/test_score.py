"""Scores of held-out points, and searches over parameters."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.support.tables import table
from unimds import MDS, LandmarkMDS, Sphere
from unimds.spaces import distances

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
NEW = RNG.normal(size=(15, 3))


def stress(given, mapped):
    """Return Stress-1 over the given distances that are known."""
    known = ~np.isnan(given)
    return np.sqrt(np.sum((mapped - given)[known] ** 2) / np.sum(mapped[known] ** 2))


@pytest.mark.parametrize("options", [{}, {"loss": "absolute"}], ids=str)
def test_the_score_is_minus_the_stress_of_the_placed_points(options):
    mds = MDS(random_state=0, n_init=1, **options).fit(X)
    want = stress(pairwise_distances(NEW, X), distances(mds.transform(NEW), mds.embedding_))
    assert mds.score(NEW) == pytest.approx(-want)
    assert isinstance(mds.score(NEW), float)


def test_the_score_of_distances_leaves_missing_ones_out():
    D = pairwise_distances(X)
    mds = MDS(metric="precomputed", random_state=0, n_init=1).fit(D)
    rows = pairwise_distances(NEW, X)
    rows[2, 5:40] = np.nan
    want = stress(rows, distances(mds.transform(rows), mds.embedding_))
    assert mds.score(rows) == pytest.approx(-want)


def test_the_score_in_a_curved_space():
    D, _ = table(np.random.default_rng(1), 40, Sphere(2.0), noise=0.1)
    mds = MDS(metric="precomputed", space=Sphere(2.0), n_init=1, random_state=0)
    mds.fit(D[:30, :30])
    rows = D[30:, :30]
    want = stress(rows, distances(mds.transform(rows), mds.embedding_, space=Sphere(2.0)))
    assert mds.score(rows) == pytest.approx(-want)


def test_a_perfect_fit_has_the_score_zero():
    mds = MDS(3, random_state=0).fit(X)
    assert mds.score(NEW) == pytest.approx(0.0, abs=1e-4)
    point = MDS(metric="precomputed", random_state=0).fit(np.zeros((1, 1)))
    assert point.score([[0.0]]) == 0.0


@pytest.mark.parametrize("unit", [1e-120, 1e120])
def test_the_score_has_no_unit(unit):
    D, rows = pairwise_distances(X), pairwise_distances(NEW, X)
    want = MDS(metric="precomputed", random_state=0, n_init=1).fit(D).score(rows)
    found = MDS(metric="precomputed", random_state=0, n_init=1).fit(unit * D).score(unit * rows)
    assert found == pytest.approx(want)


def test_the_score_of_landmarks_is_against_the_references():
    mds = LandmarkMDS(n_landmarks=20, n_init=1, random_state=0).fit(X)
    want = stress(
        pairwise_distances(NEW, X[mds.references_]), distances(mds.transform(NEW), mds._points)
    )
    assert mds.score(NEW) == pytest.approx(-want)


def test_chunks_do_not_matter(monkeypatch):
    mds = MDS(random_state=0, n_init=1).fit(X)
    want = mds.score(NEW)
    monkeypatch.setattr("unimds.estimators.solver.ENTRIES", 150)
    # BLAS rounds by the shape of its arrays: distances of features agree to 1e-8
    assert mds.score(NEW) == pytest.approx(want, rel=1e-8)


@pytest.mark.parametrize("kind", [MDS, LandmarkMDS])
def test_a_search_finds_the_dimension(kind):
    search = GridSearchCV(kind(n_init=1, random_state=0), {"n_components": [1, 2, 3]}, cv=3)
    assert search.fit(X).best_params_ == {"n_components": 3}
    means = search.cv_results_["mean_test_score"]
    assert np.isfinite(means).all()
    assert (np.diff(means) > 0).all()


def test_a_search_over_losses_and_spaces_compares_stress():
    choices = {"loss": ["squared", "absolute"], "space": ["euclidean", Sphere("auto")]}
    search = GridSearchCV(MDS(n_init=1, random_state=0), choices, cv=2).fit(X[:30])
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_a_search_on_a_table_of_distances():
    mds = MDS(metric="precomputed", n_init=1, random_state=0)
    search = GridSearchCV(mds, {"n_components": [1, 3]}, cv=3).fit(pairwise_distances(X))
    assert search.best_params_ == {"n_components": 3}
    by_features = cross_val_score(MDS(n_init=1, random_state=0), X, cv=3)
    by_distances = cross_val_score(mds, pairwise_distances(X), cv=3)
    np.testing.assert_allclose(by_distances, by_features, rtol=1e-3)


def test_a_search_on_a_frame_of_features():
    frame = pd.DataFrame(X, columns=list("abc"))
    search = GridSearchCV(MDS(n_init=1, random_state=0), {"n_components": [1, 2]}, cv=2)
    assert search.fit(frame).best_params_ == {"n_components": 2}


def test_in_a_pipeline():
    pipe = make_pipeline(StandardScaler(), MDS(n_init=1, random_state=0))
    search = GridSearchCV(pipe, {"mds__n_components": [1, 2]}, cv=2)
    assert search.fit(X).best_params_ == {"mds__n_components": 2}


def test_a_score_needs_a_map():
    with pytest.raises(NotFittedError):
        MDS().score(X)
