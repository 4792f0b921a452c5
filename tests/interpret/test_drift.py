"""Drift vectors: by hand, in a wind, and where directions are missing."""

import numpy as np
import pandas as pd
import pytest

from unimds import MDS, Sphere
from unimds.interpret import drift_vectors
from unimds.spaces import distances

RNG = np.random.default_rng(0)
X = RNG.normal(size=(9, 2))
D = distances(X) + RNG.uniform(0.0, 1.0, size=(9, 9)) * ~np.eye(9, dtype=bool)


def by_hand(D, X):
    """As Borg and Groenen describe it, and smacof computes its mean vectors."""
    found = np.zeros_like(X)
    for i in range(len(X)):
        arrows = [
            0.5 * (D[j, i] - D[i, j]) * (X[j] - X[i]) / np.linalg.norm(X[j] - X[i])
            for j in range(len(X))
            if j != i and not np.isnan(D[i, j] + D[j, i])
        ]
        found[i] = np.mean(arrows, axis=0)
    return found


def test_arrows_by_hand():
    found = drift_vectors(D, X)
    assert np.allclose(found.vectors, by_hand(D, X))
    assert np.allclose(found.lengths, np.linalg.norm(found.vectors, axis=1))
    assert np.allclose(found.skew, -found.skew.T)
    assert found.share == pytest.approx(np.sum(found.skew**2) / np.sum(D**2))


def test_a_wind_carries_all_points_along():
    """It is shorter with the wind than against it."""
    places = np.array([[x, y] for x in range(5) for y in range(5)], dtype=float)
    wind = np.array([0.3, 0.1])
    apart = places[None] - places[:, None]
    found = drift_vectors(distances(places) - apart @ wind, places)
    assert (found.vectors @ wind > 0.0).all()
    middle = found.vectors[12]
    assert middle @ wind == pytest.approx(np.linalg.norm(middle) * np.linalg.norm(wind), rel=1e-6)


def test_a_symmetric_table_has_no_drift():
    found = drift_vectors(distances(X), X)
    assert not found.vectors.any()
    assert found.share == 0.0


def test_the_other_direction_turns_the_arrows_round():
    assert np.allclose(drift_vectors(D.T, X).vectors, -drift_vectors(D, X).vectors)


def test_a_pair_known_one_way_does_not_count():
    holed = D.copy()
    holed[0, 3] = np.nan
    found = drift_vectors(holed, X)
    assert np.allclose(found.vectors, by_hand(holed, X))
    assert np.isnan(found.skew[[0, 3], [3, 0]]).all()


def test_points_in_one_place_draw_each_other_nowhere():
    same = X.copy()
    same[1] = same[0]
    assert np.isfinite(drift_vectors(D, same).vectors).all()


def test_an_estimator_has_its_table_and_labels():
    names = list("abcdefghi")
    mds = MDS(metric="precomputed", n_init=1, random_state=0).fit(pd.DataFrame(D, names, names))
    found = drift_vectors(mds)
    assert np.allclose(found.vectors, drift_vectors(D, mds.embedding_).vectors)
    order = names[::-1]
    turned = pd.DataFrame(D, names, names).loc[order, order]
    assert np.allclose(drift_vectors(turned, mds).vectors, found.vectors)
    frame = found.to_frame()
    assert list(frame.index) == names
    assert list(frame.columns) == ["x", "y", "x_drift", "y_drift", "length"]
    assert "of the sum of squares is asymmetric" in repr(found)


def test_what_cannot_be_is_an_error_that_says_what_to_do():
    with pytest.raises(ValueError, match="map has 3 points, and the table 9"):
        drift_vectors(D, X[:3])
    with pytest.raises(ValueError, match=r"Sphere.*Euclidean space"):
        drift_vectors(D[:3, :3], np.eye(3), space=Sphere())
