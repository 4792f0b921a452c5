"""Quality of a map: stress, cost, Shepard data and recovery against independent computations."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import orthogonal_procrustes
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist
from sklearn.manifold import smacof

from tests.support.parts import pair
from unimds import (
    MDS,
    Absolute,
    ChordalSphere,
    Euclidean,
    Huber,
    Hyperbolic,
    Power,
    Simplex,
    Sphere,
    Squared,
    SquaredDistance,
    place_center,
)
from unimds.quality import (
    align,
    normalized_stress,
    point_stress,
    recovery_error,
    residuals,
    shepard,
    stress_1,
    total_cost,
)
from unimds.spaces import distances

SPACES = [Euclidean(), Sphere(2.0), ChordalSphere(2.0), Hyperbolic(0.5), Simplex(3.0)]
LOSSES = [
    Squared(),
    Absolute(),
    Absolute(smoothing=0.1),
    Power(1.5),
    Huber("auto"),
    Huber(0.2),
    SquaredDistance(),
]
MEASURES = [residuals, stress_1, normalized_stress, point_stress, shepard, total_cost]

# three points on a line at 0, 3, 7, whose distances should be 4, 5 and 4
LINE = np.array([[0.0], [3.0], [7.0]])
GIVEN = np.array([[0.0, 4.0, 5.0], [4.0, 0.0, 4.0], [5.0, 4.0, 0.0]])


def data(n=9, seed=0, space=SPACES[0]):
    """Return a map and symmetric distances that it does not quite fit."""
    rng = np.random.default_rng(seed)
    X = space.random(n, 2, 0.5 * space.unit, rng)
    D = distances(X, space=space) * rng.uniform(0.7, 1.3, size=(n, n))
    return np.tril(D, -1) + np.tril(D, -1).T, X


# --- by hand -------------------------------------------------------------------------------------


def test_values_by_hand():
    # mapped distances 3, 7, 4; errors −1, 2, 0
    assert_array_equal(residuals(GIVEN, LINE), [[0, -1, 2], [-1, 0, 0], [2, 0, 0]])
    assert_allclose(stress_1(GIVEN, LINE), np.sqrt(5 / (9 + 49 + 16)), rtol=1e-15)
    assert_allclose(normalized_stress(GIVEN, LINE), np.sqrt(5 / (16 + 25 + 16)), rtol=1e-15)
    assert_allclose(point_stress(GIVEN, LINE), [5 / 10, 1 / 10, 4 / 10], rtol=1e-15)


@pytest.mark.parametrize(
    ("loss", "cost"),
    [
        ("squared", 1 + 4),
        ("absolute", 1 + 2),
        (Absolute(smoothing=2.0), np.sqrt(5) + np.sqrt(8) + 2),
        (Power(1.5), 1 + 2**1.5),
        (Huber(1.0), 1 + 3),
        ("huber", 0.4 * (2 - 0.4) + 0.4 * (4 - 0.4)),  # delta is a tenth of the median, 4
        ("squared_distance", 7 + 24),
    ],
)
def test_costs_by_hand(loss, cost):
    assert_allclose(total_cost(GIVEN, LINE, loss=loss), cost, rtol=1e-14)


def test_weights_by_hand():
    W = np.array([[9.0, 3.0, 0.5], [3.0, 9.0, 2.0], [0.5, 2.0, 9.0]])
    assert_allclose(total_cost(GIVEN, LINE, weights=W), 3 * 1 + 0.5 * 4)
    assert_allclose(stress_1(GIVEN, LINE, weights=W), np.sqrt(5 / (3 * 9 + 0.5 * 49 + 2 * 16)))
    assert_allclose(
        normalized_stress(GIVEN, LINE, weights=W), np.sqrt(5 / (3 * 16 + 0.5 * 25 + 2 * 16))
    )
    assert_allclose(point_stress(GIVEN, LINE, weights=W), [5 / 10, 3 / 10, 2 / 10])


def test_missing_pairs_by_hand():
    D = GIVEN.copy()
    D[0, 2] = D[2, 0] = np.nan
    assert_array_equal(residuals(D, LINE), [[0, -1, np.nan], [-1, 0, 0], [np.nan, 0, 0]])
    assert_allclose(stress_1(D, LINE), np.sqrt(1 / (9 + 16)))
    assert_allclose(normalized_stress(D, LINE), np.sqrt(1 / (16 + 16)))
    assert_allclose(point_stress(D, LINE), [0.5, 0.5, 0.0])
    assert total_cost(D, LINE) == 1.0


def test_asymmetric_values_by_hand():
    D = GIVEN.copy()
    D[0, 1], D[1, 0] = 2.0, 5.0  # errors 1 and −2; the mapped distance is 3
    assert total_cost(D, LINE) == 0.5 * (1 + 4) + 4
    assert_allclose(stress_1(D, LINE), np.sqrt((1 + 4 + 8) / (2 * (9 + 49 + 16))))
    assert_allclose(normalized_stress(D, LINE), np.sqrt(13 / (4 + 25 + 2 * (25 + 16))))
    assert_allclose(point_stress(D, LINE), np.array([13, 5, 8]) / 26)
    assert_array_equal(residuals(D, LINE)[:2, :2], [[0, 1], [-2, 0]])


def test_kruskals_words():
    D, X = data(30)
    assert stress_1(distances(X), X) == 0.0
    assert normalized_stress(distances(X), X) == 0.0
    assert_array_equal(point_stress(distances(X), X), 0.0)
    assert total_cost(distances(X), X) < 1e-28  # squares of rounding: it is another loop
    assert 0.1 < stress_1(D, X) < 0.3


# --- against other software and plain loops ------------------------------------------------------


def test_stress_1_is_that_of_scikit_learn():
    D, X = data(20)
    try:
        found, want = smacof(
            D, init=X, n_init=1, max_iter=50, normalized_stress=True, random_state=0
        )
    except ValueError:
        pytest.skip("this scikit-learn normalises the stress of nonmetric maps only")
    assert_allclose(stress_1(D, found), want, rtol=1e-9)


def test_squared_cost_is_that_of_scikit_learn():
    D, X = data(20)
    found, want = smacof(D, init=X, n_init=1, max_iter=50, normalized_stress=False, random_state=0)
    assert_allclose(total_cost(D, found), want, rtol=1e-9)


@given(seed=st.integers(0, 10**6), n=st.integers(2, 8), missing=st.floats(0, 0.5))
def test_measures_are_plain_loops(seed, n, missing):
    D, X = data(n, seed)
    rng = np.random.default_rng(seed)
    W = rng.uniform(0.1, 2.0, size=(n, n))
    D[rng.random((n, n)) < missing] = np.nan
    np.fill_diagonal(D, 0.0)
    above = below = given_too = 0.0
    share = np.zeros(n)
    for i in range(n):
        for j in range(n):
            if i != j and not np.isnan(D[i, j]):
                u = np.linalg.norm(X[i] - X[j])
                error = W[i, j] * (u - D[i, j]) ** 2
                above += error
                below += W[i, j] * u**2
                given_too += W[i, j] * D[i, j] ** 2
                share[[i, j]] += error
    if above > 0.0:
        assert_allclose(stress_1(D, X, weights=W), np.sqrt(above / below), rtol=1e-10)
        assert_allclose(normalized_stress(D, X, weights=W), np.sqrt(above / given_too), rtol=1e-10)
        assert_allclose(point_stress(D, X, weights=W), share / share.sum(), rtol=1e-10)


@pytest.mark.parametrize("space", SPACES, ids=repr)
def test_every_space_is_measured_by_its_own_distance(space):
    D, X = data(8, space=space)
    U = distances(X, space=space)
    upper = np.triu_indices(8, 1)
    assert_allclose(residuals(D, X, space=space), U - D)
    square = ((U - D)[upper] ** 2).sum()
    assert_allclose(stress_1(D, X, space=space), np.sqrt(square / (U[upper] ** 2).sum()))
    assert_allclose(normalized_stress(D, X, space=space), np.sqrt(square / (D[upper] ** 2).sum()))
    assert_allclose(total_cost(D, X, space=space), square)
    assert_allclose(
        point_stress(D, X, space=space), ((U - D) ** 2).sum(axis=1) / (2 * square), rtol=1e-12
    )
    assert_allclose(shepard(D, X, space=space).mapped, U[upper][np.argsort(D[upper])])


def test_names_of_spaces_are_understood():
    D, X = data(6, space=Sphere())
    assert stress_1(D, X, space="sphere") == stress_1(D, X, space=Sphere())


@pytest.mark.parametrize("scale", [1e150, 1e-150, 1e7, 1e-7])
def test_stress_does_not_depend_on_the_unit(scale):
    D, X = data()
    for measure in (stress_1, normalized_stress, point_stress):
        assert_allclose(measure(D * scale, X * scale), measure(D, X), rtol=1e-12)
    assert_allclose(
        total_cost(D * scale, X * scale, loss="absolute"), scale * total_cost(D, X, loss="absolute")
    )
    assert_allclose(total_cost(D * scale, X * scale), scale**2 * total_cost(D, X))
    Y = X + 0.1 * np.random.default_rng(1).normal(size=X.shape)
    assert_allclose(recovery_error(X * scale, Y * scale), recovery_error(X, Y), rtol=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
def test_measures_leave_their_input_alone(measure):
    D, X = data()
    D[0, 1] = np.nan
    before, points = D.copy(), X.copy()
    measure(D, X)
    assert_array_equal(D, before)
    assert_array_equal(X, points)


@pytest.mark.parametrize("measure", MEASURES)
def test_measures_take_lists_and_float32(measure):
    want = measure(GIVEN, LINE)
    assert_allclose(measure(GIVEN.tolist(), LINE.tolist()), want)
    assert_allclose(measure(GIVEN.astype(np.float32), LINE.astype(np.float32)), want)


# --- the cost is the one that is minimised --------------------------------------------------------


def tables():
    """Name tables of all kinds: symmetric, asymmetric, incomplete."""
    rng = np.random.default_rng(3)
    S, X = data(8)
    A = distances(X) * rng.uniform(0.8, 1.2, size=(8, 8))
    sparse, one_sided = A.copy(), A.copy()
    sparse[[2, 5], [5, 2]] = np.nan
    one_sided[[2, 7], [5, 1]] = np.nan
    return {
        "symmetric": S,
        "asymmetric": A,
        "lower triangle": np.where(np.tri(8, dtype=bool), S, np.nan),
        "missing pairs": np.where(np.isnan(sparse), np.nan, S),
        "asymmetric, missing pairs": sparse,
        "asymmetric, some known one way": one_sided,
    }


def weights():
    rng = np.random.default_rng(4)
    W = rng.uniform(0.1, 2.0, size=(8, 8))
    zeros = W.copy()
    zeros[[1, 3], [3, 1]] = 0.0
    return {"none": None, "symmetric": W + W.T, "asymmetric": W, "with zeros": zeros}


def plain_cost(D, U, loss, W=None):
    """Return the cost by definition: known pairs once, their known directions in equal parts."""
    n = len(D)
    W = np.ones((n, n)) if W is None else W
    total = 0.0
    for i in range(n):
        for j in range(i):
            known = [at for at in ((i, j), (j, i)) if not np.isnan(D[at])]
            values = [W[at] * loss.value(U[i, j], D[at]) for at in known]
            total += np.mean(values) if known else 0.0
    return total


def kinds():
    """Return losses, weights and tables; weights and asymmetric tables are compiled anew."""
    for loss, weighting, table in product(LOSSES, weights(), tables()):
        plain = weighting == "none" and "asymmetric" not in table
        quick = loss == Squared() or plain
        marks = () if quick else pytest.mark.slow
        yield pytest.param(loss, weighting, table, marks=marks, id=f"{loss}-{weighting}-{table}")


@pytest.mark.parametrize(("loss", "weighting", "table"), list(kinds()))
def test_the_cost_is_the_one_that_is_minimised(loss, weighting, table):
    D, W = tables()[table], weights()[weighting]
    result = place_center(D, loss=loss, weights=W, n_init=1, eps=1e-3)
    X = result.embedding
    want = plain_cost(D, cdist(X, X), result.loss, W)
    assert want > 0.0
    assert_allclose(result.cost, want, rtol=1e-9)
    assert_allclose(total_cost(D, X, loss=loss, weights=W), want, rtol=1e-9)


@pytest.mark.parametrize(
    ("loss", "space"), [pair(*case) for case in product(LOSSES, SPACES[1:])], ids=repr
)
def test_the_cost_is_the_one_that_is_minimised_on_every_space(loss, space):
    D, _ = data(8, space=space)
    result = place_center(D, loss=loss, space=space, n_init=1, eps=1e-3)
    X = result.embedding
    want = plain_cost(D, distances(X, space=space), result.loss)
    assert want > 0.0
    assert_allclose(result.cost, want, rtol=1e-9)
    assert_allclose(total_cost(D, X, loss=loss, space=space), want, rtol=1e-9)


def test_weights_may_be_known_one_way_where_distances_are():
    # the lower triangles of both say all there is to say
    D, W = tables()["symmetric"], weights()["symmetric"]
    lower = np.tri(8, dtype=bool)
    low_D, low_W = np.where(lower, D, np.nan), np.where(lower, W, 0.0)
    want = place_center(D, weights=W, n_init=1).cost
    assert_allclose(place_center(low_D, weights=low_W, n_init=1).cost, want)
    X = data(8)[1]
    assert_allclose(total_cost(low_D, X, weights=low_W), total_cost(D, X, weights=W))


# --- Shepard's diagram ---------------------------------------------------------------------------


def test_shepard_lists_every_known_pair_once_by_rising_distance():
    D, X = data(7)
    D[1, 4] = D[4, 1] = np.nan
    got = shepard(D, X)
    assert (np.diff(got.given) >= 0).all()
    assert {*zip(got.i.tolist(), got.j.tolist(), strict=True)} == {
        (i, j) for i in range(7) for j in range(i + 1, 7) if (i, j) != (1, 4)
    }
    assert_array_equal(got.given, D[got.i, got.j])
    assert_allclose(got.mapped, cdist(X, X)[got.i, got.j])


def test_shepard_lists_both_directions_of_an_asymmetric_table():
    D, X = data(5)
    D[0, 1] += 1.0
    got = shepard(D, X)
    assert got.given.size == 5 * 4
    assert_array_equal(got.given, D[got.i, got.j])


def test_shepard_of_a_lower_triangle_is_that_of_the_table():
    D, X = data(6)
    low = shepard(np.where(np.tri(6, dtype=bool), D, np.nan), X)
    assert_array_equal(low.given, shepard(D, X).given)
    assert_allclose(low.mapped, shepard(D, X).mapped)


def test_shepard_of_a_table_that_is_symmetric_up_to_rounding_lists_pairs_once():
    D, X = data(6)
    D[np.triu_indices(6, 1)] *= 1.0 + 1e-15 * np.arange(15)
    assert shepard(D, X).given.size == 15


# --- alignment and recovery ----------------------------------------------------------------------


def test_align_is_scipys_procrustes():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(2, 15, 3))
    a, b = A - A.mean(axis=0), B - B.mean(axis=0)
    Q, _ = orthogonal_procrustes(a, b)
    assert_allclose(align(A, B), a @ Q + B.mean(axis=0), rtol=1e-10)
    # scipy's own procrustes stretches too: for clouds of unit size its disparity is 1 − (Σσ)²
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    singular = 1.0 - 0.5 * ((align(a, b) - b) ** 2).sum()
    assert_allclose(1.0 - singular**2, procrustes(a, b)[2], rtol=1e-10)


@pytest.mark.parametrize("space", [Sphere(), ChordalSphere()], ids=repr)
def test_align_on_spheres_is_the_orthogonal_procrustes_problem(space):
    rng = np.random.default_rng(0)
    A, B = space.random(12, 2, 9.0, rng), space.random(12, 2, 9.0, rng)
    Q, _ = orthogonal_procrustes(A, B)
    assert_allclose(align(A, B, space=space), A @ Q, atol=1e-12)


def test_align_does_not_stretch():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10, 2))
    assert_allclose(cdist(align(3.0 * X, X), align(3.0 * X, X)), 3.0 * cdist(X, X), rtol=1e-10)


def moved(space, X, rng):
    """Return the points after a random isometry: found as the one towards other points."""
    if isinstance(space, Simplex):
        return X[:, rng.permutation(X.shape[1])]
    return space.isometry(X, space.random(len(X), 2, space.unit, rng))(X)


@pytest.mark.parametrize("space", SPACES, ids=repr)
def test_a_moved_copy_is_recovered(space):
    rng = np.random.default_rng(0)
    X = space.random(15, 2, space.unit, rng)
    Y = moved(space, X, rng)
    assert np.abs(X - Y).max() > 0.1
    assert_allclose(align(X, Y, space=space), Y, atol=1e-6)
    assert recovery_error(X, Y, space=space) < 1e-6


@pytest.mark.parametrize("space", SPACES, ids=repr)
def test_recovery_error_sees_one_point_that_is_off(space):
    rng = np.random.default_rng(0)
    X = space.random(15, 2, space.unit, rng)
    Y = X.copy()
    Y[3] = Y[4]
    assert 0.01 < recovery_error(Y, X, space=space) < 1.0


def test_recovery_error_by_hand():
    truth = np.array([[-1.0, 0.0], [1.0, 0.0]])
    # twice as far apart: each point is off by 1, true points are 2 apart
    assert_allclose(recovery_error(2.0 * truth + 7.0, truth), 0.5)
    # all in one place: the same
    assert_allclose(recovery_error(0.0 * truth, truth), 0.5)


def test_recovery_error_is_the_root_mean_square_after_procrustes():
    rng = np.random.default_rng(1)
    A, B = rng.normal(size=(2, 15, 3))
    a, b = A - A.mean(axis=0), B - B.mean(axis=0)
    miss = np.sqrt((((a @ orthogonal_procrustes(a, b)[0]) - b) ** 2).sum() / 15)
    spread = np.sqrt((cdist(B, B)[np.triu_indices(15, 1)] ** 2).mean())
    assert_allclose(recovery_error(A, B), miss / spread, rtol=1e-10)


def test_recovery_error_on_a_sphere_is_measured_along_it():
    rng = np.random.default_rng(1)
    space = Sphere(radius=3.0)
    A, B = space.random(12, 2, 30.0, rng), space.random(12, 2, 30.0, rng)
    turned = A @ orthogonal_procrustes(A, B)[0]
    angles = np.arccos(np.clip((turned * B).sum(axis=1), -1, 1))
    between = np.arccos(np.clip(B @ B.T, -1, 1))[np.triu_indices(12, 1)]
    want = np.sqrt((angles**2).mean() / (between**2).mean())
    assert_allclose(recovery_error(A, B, space=space), want, rtol=1e-8)


def test_alignment_of_odd_clouds():
    assert_allclose(align([[1.0, 2.0]], [[3.0, 4.0]]), [[3.0, 4.0]])
    assert recovery_error([[1.0, 2.0]], [[3.0, 4.0]]) == 0.0
    assert recovery_error(np.ones((3, 2)), np.zeros((3, 2))) == 0.0  # one place is one place
    line = np.column_stack([np.arange(5.0), np.zeros(5)])
    assert recovery_error(line[:, ::-1], line) < 1e-12


# --- what must not pass for a good map ------------------------------------------------------------


def test_a_collapsed_map_is_not_perfect():
    collapsed = np.zeros((3, 1))
    assert normalized_stress(GIVEN, collapsed) == 1.0
    assert stress_1(GIVEN, collapsed) > 1.0


@pytest.mark.parametrize("measure", [stress_1, normalized_stress, total_cost])
def test_a_map_with_nan_is_not_perfect(measure):
    broken = np.array([[0.0], [np.nan], [7.0]])
    with pytest.raises(ValueError, match=r"X.*(finite|NaN)"):
        measure(GIVEN, broken)


# --- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(
    ("D", "X", "message"),
    [
        (GIVEN[:2], LINE[:2], r"D must be a square table .*shape is \(2, 3\)"),
        (GIVEN[0, :2], LINE, "D must be a square table .*one dimension and 2 numbers"),
        (GIVEN, LINE[:2], r"X must have one row for each of the 3 points; its shape is \(2, 1\)"),
        (GIVEN, LINE[:, 0], r"X must have one row for each of the 3 points; its shape is \(3,\)"),
        (GIVEN, 1.0, r"X must have one row for each of the 3 points; its shape is \(\)"),
    ],
    ids=["D not square", "D flat", "X short", "X flat", "X a number"],
)
def test_shapes_must_belong_together(measure, D, X, message):
    with pytest.raises(ValueError, match=message):
        measure(D, X)


@pytest.mark.parametrize("measure", MEASURES)
def test_text_is_refused(measure):
    with pytest.raises(ValueError, match="D must hold numbers only"):
        measure([["a", "b"], ["c", "d"]], LINE[:2])


@pytest.mark.parametrize("measure", [stress_1, normalized_stress, point_stress, total_cost])
@pytest.mark.parametrize(
    "wrong",
    [np.ones(3), np.ones((2, 2)), np.ones((3, 1)), -np.ones((3, 3)), np.full((3, 3), np.nan)],
    ids=["one a point", "shape", "column", "negative", "NaN"],
)
def test_weights_must_belong_to_the_pairs(measure, wrong):
    with pytest.raises(ValueError, match="weights"):
        measure(GIVEN, LINE, weights=wrong)


@pytest.mark.parametrize("function", [align, recovery_error])
def test_alignment_needs_one_shape(function):
    with pytest.raises(ValueError, match=r"differ in shape: \(3, 1\) and \(2, 1\)"):
        function(LINE, LINE[:2])
    with pytest.raises(ValueError, match="differ in shape"):
        function(LINE[:, 0], LINE[:, 0])


@pytest.mark.parametrize("measure", MEASURES)
def test_unknown_spaces_are_named(measure):
    with pytest.raises(ValueError, match="space='torus' is not known"):
        measure(GIVEN, LINE, space="torus")


def test_unknown_losses_are_named():
    with pytest.raises(ValueError, match="loss='cubic' is not known"):
        total_cost(GIVEN, LINE, loss="cubic")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("D", "X", "space"),
    [
        (np.ones((4, 4)) - np.eye(4), np.eye(4, 5), "euclidean"),
        (np.zeros((3, 3)), np.eye(3, 2), "euclidean"),
        (9.0 * (np.ones((3, 3)) - np.eye(3)), np.eye(3), "sphere"),
    ],
    ids=["more coordinates than a fit takes", "no distance", "beyond the diameter"],
)
def test_maps_that_no_fit_makes_have_a_cost_too(D, X, space):
    i, j = np.triu_indices(len(D), 1)
    want = np.sum((distances(X, space=space) - D)[i, j] ** 2)
    assert_allclose(total_cost(D, X, space=space), want, rtol=1e-12)


def test_an_estimator_knows_its_own_distances():
    X = np.random.default_rng(0).normal(size=(9, 3))
    mds = MDS(random_state=0, n_init=1).fit(X)
    D = mds.dissimilarity_matrix_
    for measure in (point_stress, residuals, stress_1, normalized_stress, total_cost):
        assert_array_equal(measure(mds), measure(D, mds))
    assert_array_equal(shepard(mds).mapped, shepard(D, mds).mapped)
    assert stress_1(mds) == pytest.approx(mds.stress_)
    for run in (mds.result_, D):
        with pytest.raises(TypeError, match=r"give the distances, then the map, such as \(D, m"):
            point_stress(run)
