"""New points on an old map."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from tests.support.parts import every_pair
from tests.support.tables import POINTS, D, N, table
from unimds import (
    MDS,
    Euclidean,
    Hyperbolic,
    Interval,
    LandmarkMDS,
    Ordinal,
    Sphere,
    place_points,
)
from unimds.levels import Transformation
from unimds.placecenter.new_points import fair_targets
from unimds.spaces import distances


def gaps(A, B, space):
    return np.array(
        [distances(a[None], b[None], space=space)[0, 0] for a, b in zip(A, B, strict=True)]
    )


@pytest.mark.sample(2)
@every_pair
def test_training_rows_land_on_training_points(loss, space):
    D, _ = table(np.random.default_rng(0), 25, space, noise=0.05)
    mds = MDS(2, loss=loss, space=space, metric="precomputed", eps=1e-9, max_iter=20_000)
    mds.set_params(random_state=0).fit(D)
    assert gaps(mds.transform(D), mds.embedding_, space).max() <= 2e-3 * D.max()


@every_pair
def test_new_rows_are_placed_one_by_one(loss, space):
    """Each row for itself, to the bit; and in the right place for exact data."""
    D, _points = table(np.random.default_rng(1), 30, space)
    old, new = D[:22, :22], D[22:, :22]
    mds = MDS(2, loss=loss, space=space, metric="precomputed", random_state=0).fit(old)
    together = mds.transform(new)
    for i in range(len(new)):
        np.testing.assert_array_equal(mds.transform(new[i : i + 1])[0], together[i])
    np.testing.assert_array_equal(mds.transform(new[::-1])[::-1], together)
    u = distances(together, mds.embedding_, space=space)
    assert np.abs(u - new).max() <= 1e-4 * D.max()


def test_features():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 3))
    mds = MDS(3, random_state=0).fit(X[:30])
    placed = mds.transform(X[30:])
    u = distances(placed, mds.embedding_)
    np.testing.assert_allclose(u, distances(X[30:], X[:30]), atol=1e-4)


def test_missing_distances_of_a_new_point():
    D, _points = table(np.random.default_rng(3), 20, Euclidean())
    mds = MDS(2, metric="precomputed", random_state=0).fit(D[:19, :19])
    row = D[19:, :19].copy()
    row[0, [0, 3, 5, 8]] = np.nan
    u = distances(mds.transform(row), mds.embedding_)
    np.testing.assert_allclose(u, D[19:, :19], atol=1e-5)


def test_corrupted_distances_of_a_new_point():
    D, points = table(np.random.default_rng(4), 30, Euclidean())
    row = D[29:, :29].copy()
    row[0, :6] += 3.0
    robust = place_points(row, points[:29], loss="absolute")
    plain = place_points(row, points[:29], loss="squared")
    assert np.linalg.norm(robust - points[29]) <= 1e-4
    assert np.linalg.norm(plain - points[29]) > 0.1


def test_weights_of_a_new_point():
    D, points = table(np.random.default_rng(5), 20, Euclidean())
    row = D[19:, :19].copy()
    row[0, :4] += 3.0
    weights = np.ones_like(row)
    weights[0, :4] = 0.0
    placed = place_points(row, points[:19], weights=weights)
    assert np.linalg.norm(placed - points[19]) <= 1e-5


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_extreme_scales(scale):
    D, points = table(np.random.default_rng(6), 15, Euclidean())
    one = place_points(D[14:, :14], points[:14])
    other = place_points(D[14:, :14] * scale, points[:14] * scale)
    np.testing.assert_allclose(other / scale, one, rtol=1e-9)


def test_map_of_one_point():
    placed = place_points([[2.0]], [[0.0, 0.0]])
    assert np.linalg.norm(placed) == pytest.approx(2.0)


@pytest.mark.parametrize("scale", [1.0, 1e-5])
def test_one_wrong_zero_does_not_trap_a_robust_point(scale):
    """A distance of zero to the wrong point is one outlier among many good distances."""
    rng = np.random.default_rng(7)
    points = scale * rng.normal(size=(40, 2))
    D = distances(points)
    for i in range(30, 40):
        row = D[i : i + 1, :30].copy()
        row[0, np.argmax(row)] = 0.0
        placed = place_points(row, points[:30], loss="absolute")
        assert np.linalg.norm(placed - points[i]) <= 1e-4 * scale


def test_far_points_settle_in_hyperbolic_space():
    space = Hyperbolic()
    far = space.random(60, 2, 3.0, np.random.default_rng(9))
    placed = place_points(distances(far[50:], far[:50], space=space), far[:50], space=space)
    assert gaps(placed, far[50:], space).max() <= 1e-3


# --- input ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fitted():
    return MDS(metric="precomputed", random_state=0).fit(D)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (D[:2, :4], "X has 4 features, but MDS is expecting 6 features"),
        (np.full((1, N), np.nan), "row 0 of the new distances has no known pair: all are missing"),
        (np.vstack([D[0], np.full(N, np.nan)]), "row 1 of the new distances has no known pair"),
        (-D[:2], r"the distance \[0, 1\] = -0.* is negative"),
        (np.full((1, N), np.inf), r"the distance \[0, 0\] = inf is infinite"),
        (D[0], "Expected 2D array"),
        ([["far"] * N], "could not convert string to float"),
    ],
    ids=["columns", "missing", "one missing", "negative", "infinite", "one row", "text"],
)
def test_bad_new_points(fitted, rows, message):
    with pytest.raises(ValueError, match=message):
        fitted.transform(rows)


@pytest.mark.parametrize(
    ("rows", "X", "options", "message"),
    [
        (D[:2, :4], POINTS, {}, r"one column for each point of the map X.*\(2, 4\) and \(6, 2\)"),
        (D[0], POINTS, {}, "one column for each point of the map X"),
        (np.full((1, N), np.nan), POINTS, {}, "row 0 of the new distances has no known pair"),
        (-D[:1], POINTS, {}, "is negative"),
        (np.full((1, N), np.inf), POINTS, {}, r"\[0, 0\] = inf is infinite"),
        (
            1e200 * D[:1],
            POINTS,
            {},
            r"cost is not finite: its distances \(up to .*e\+199\) are far",
        ),
        (D[:1], POINTS, {"weights": np.ones((1, 2))}, "weights must be .* of the shape"),
        (D[:1], POINTS, {"weights": -np.ones((1, N))}, "weights must be finite, not negative"),
        (D[:1], POINTS, {"weights": np.zeros((1, N))}, "row 0 .* has no known pair"),
        (D[:1], np.full((N, 2), np.nan), {}, "X.*finite"),
        (D[:1], np.full((N, 3), 2.0), {"space": "sphere"}, "X: row 0 has length 3.46"),
        (D[:1], np.eye(N, 3), {"space": Sphere("auto")}, '"auto"'),
        (D[:1], POINTS, {"loss": "cubic"}, "loss='cubic' is not known"),
        (D[:1], POINTS, {"space": "torus"}, "space='torus' is not known"),
    ],
    ids=[
        "columns",
        "one row",
        "missing",
        "negative",
        "infinite",
        "far too long",
        "shape of weights",
        "negative weights",
        "no weight",
        "map not finite",
        "map off the sphere",
        "no radius yet",
        "loss",
        "space",
    ],
)
def test_bad_maps_and_rows_for_place_points(rows, X, options, message):
    with pytest.raises(ValueError, match=message):
        place_points(rows, X, **options)


def test_transform_does_not_modify_its_input(fitted):
    rows = D[:2].copy()
    rows[0, 1] = np.nan
    before = rows.copy()
    fitted.transform(rows)
    assert_array_equal(rows, before)


def test_new_distances_are_matched_by_label():
    names = list("abcdef")
    frame = pd.DataFrame(D, index=names, columns=names)
    mds = MDS(metric="precomputed", n_init=1, random_state=0).fit(frame)
    np.testing.assert_array_equal(mds.transform(frame[names[::-1]]), mds.transform(frame))


@pytest.mark.parametrize(
    "make", [lambda D: D.assign(z=1.0), lambda D: D.rename(columns={"c": "z"})]
)
@pytest.mark.parametrize("labels", [list("abcdef"), [11, 12, 13, 14, 15, 16]], ids=str)
@pytest.mark.parametrize(
    "kind",
    [MDS(n_init=1, random_state=0), LandmarkMDS(n_landmarks=4, n_init=1, random_state=0)],
    ids=["all", "some"],
)
def test_a_column_that_is_no_point_of_the_map_is_named(kind, labels, make):
    names = dict(zip("abcdef", labels, strict=True))
    frame = pd.DataFrame(D, index=labels, columns=labels)
    mds = kind.set_params(metric="precomputed").fit(frame)
    new = make(frame.rename(columns={label: name for name, label in names.items()}))
    new = new.rename(columns=names)
    with pytest.raises(ValueError, match="the column 'z' is not a point of the map; drop it"):
        mds.transform(new)


def test_a_point_of_the_map_that_has_no_column_is_named():
    frame = pd.DataFrame(D, index=list("abcdef"), columns=list("abcdef"))
    mds = MDS(metric="precomputed", n_init=1, random_state=0).fit(frame)
    with pytest.raises(ValueError, match="no column for 'c', a point of the map; add it"):
        mds.transform(frame.drop(columns="c"))


@pytest.mark.parametrize("change", [{"e": 1.0}, {"a": None, "e": 1.0}], ids=["more", "another"])
@pytest.mark.parametrize(
    "kind", [MDS(n_init=1), LandmarkMDS(n_landmarks=10, n_init=1)], ids=["all", "some"]
)
def test_a_feature_that_the_model_has_never_seen_is_named(kind, change):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 4)), columns=list("abcd"))
    mds = kind.set_params(random_state=0).fit(frame)
    new = frame.assign(**change).drop(columns=[k for k, value in change.items() if value is None])
    with pytest.raises(ValueError, match=r"Feature names unseen at fit time:\n- e"):
        mds.transform(new)
    assert_array_equal(mds.transform(frame[list("badc")]), mds.transform(frame))


@pytest.mark.parametrize("labels", [list("abcdef"), [5, 4, 3, 2, 1, 0]], ids=str)
def test_new_distances_to_labelled_points_may_come_in_any_order(labels):
    frame = pd.DataFrame(D, index=labels, columns=labels)
    turned = frame[labels[::-1]]
    mds = MDS(metric="precomputed", n_init=1, random_state=0).fit(frame)
    assert_array_equal(mds.transform(turned), mds.transform(frame))
    some = LandmarkMDS(n_landmarks=4, metric="precomputed", n_init=1, random_state=0).fit(frame)
    assert_array_equal(some.transform(turned), some.transform(frame))
    marks = [labels[i] for i in some.landmarks_]
    assert_array_equal(some.transform(frame[marks[::-1]]), some.transform(frame[marks]))
    X = pd.DataFrame(mds.embedding_, index=labels)
    assert_array_equal(place_points(turned, X), place_points(frame, X))


def test_weights_of_new_distances_follow_their_columns():
    labels, names = list("abcdef"), ["new", "other"]
    X = pd.DataFrame(POINTS, index=labels)
    frame = pd.DataFrame(D[:2].copy(), index=names, columns=labels)
    frame.loc["new", "a"] = frame.loc["other", "b"] = 50.0  # wrong, and left out
    W = np.ones((2, N))
    W[0, 0] = W[1, 1] = 0.0
    labelled = pd.DataFrame(W, index=names, columns=labels)
    want = place_points(frame, X, weights=W)
    turned = frame[labels[::-1]]
    assert_array_equal(place_points(turned, X, weights=W[:, ::-1]), want)
    assert_array_equal(place_points(turned, X, weights=labelled), want)
    assert_array_equal(place_points(frame, X, weights=labelled.iloc[::-1, ::-1]), want)
    assert_array_equal(place_points(frame.to_numpy(), X, weights=labelled[labels[::-1]]), want)
    numbered = pd.DataFrame(W[:, ::-1])  # it only counts, and so has no labels
    assert_array_equal(place_points(turned, X, weights=numbered), want)
    unnamed = frame.reset_index(drop=True)  # and so have these distances
    assert_array_equal(place_points(unnamed, X, weights=labelled), want)
    again, twice = frame.loc[["new", "other", "new"]], labelled.loc[["new", "other", "new"]]
    assert_array_equal(place_points(again, X, weights=twice), want[[0, 1, 0]])


def test_weights_of_other_new_points_are_refused():
    frame = pd.DataFrame(D[:2].copy(), index=["new", "other"], columns=list("abcdef"))
    for names in (["other", "third"], ["new", "new"]):
        weights = pd.DataFrame(np.ones((2, N)), index=names, columns=frame.columns)
        with pytest.raises(ValueError, match="weights: the labels are not those of the distances"):
            place_points(frame, POINTS, weights=weights)
        place_points(frame, POINTS, weights=weights.to_numpy())


def test_weights_of_rows_with_one_name_must_be_in_the_same_order():
    names = ["new", "new", "other"]
    frame = pd.DataFrame(D[:3].copy(), index=names, columns=list("abcdef"))
    weights = pd.DataFrame(np.ones((3, N)), index=names, columns=frame.columns)
    place_points(frame, POINTS, weights=weights)
    for others in (["new", "other", "other"], ["other", "new", "new"]):
        with pytest.raises(ValueError, match="weights: the labels are not those of the distances"):
            place_points(frame, POINTS, weights=weights.set_axis(others))


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e154, 1e160, 1e200, 1e308])
def test_a_map_whose_distances_have_no_squares_is_told(size):
    X = size * np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
    with pytest.raises(ValueError, match=r"the map is about .* wide: .*in another unit of length"):
        place_points([[size, size, size]], X)


@pytest.mark.parametrize("size", [1e154, 1e200])
def test_a_single_point_too_far_away_is_told(size):
    outlier = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, size]])
    with pytest.raises(ValueError, match="the map is about"):
        place_points([[1.0, 2.0, 3.0]], outlier)


def ratings(n=30):
    """Ratings from 1 to 7, most of them tied."""
    rng = np.random.default_rng(0)
    D = np.clip(np.round(1.5 * distances(rng.normal(size=(n, 2)))), 1, 7)
    D = np.triu(np.clip(D + rng.integers(-1, 2, size=D.shape), 1, 7), 1)
    return D + D.T


@pytest.mark.parametrize("ties", ["primary", "secondary"])
def test_copies_of_a_maps_points_fit_as_the_map_does(ties):
    """The disparities of primary ties may differ, on the map and for new points."""
    R = ratings()
    level = Ordinal(ties)
    mds = MDS(2, level=level, metric="precomputed", n_init=3, random_state=0).fit(R)
    assert 0.9 * mds.stress_ <= -mds.score(R) <= 1.15 * mds.stress_


def test_a_rank_between_known_ones_may_have_any_disparity_between_theirs():
    known = Transformation(Ordinal("secondary"), np.array([2.0, 4.0]), np.array([1.0, 3.0]))
    D = np.array([1.0, 2.0, 3.0, 3.0, 4.0, 9.0, 0.0, np.nan])
    u = np.array([0.5, 5.0, 2.5, 9.0, 9.0, 9.0, 9.0, 9.0])
    assert_array_equal(fair_targets(known, D, u), [0.5, 1.0, 2.5, 3.0, 3.0, 3.0, 0.0, np.nan])
    line = Transformation(Interval(), known.given, known.disparities)
    assert_array_equal(fair_targets(line, D, u), line(D))
