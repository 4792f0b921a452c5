"""Input: bad ones give an error that says what to do, odd ones a finite result."""

import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from unimds import (
    MDS,
    ChordalSphere,
    Euclidean,
    Huber,
    Hyperbolic,
    Power,
    Simplex,
    Sphere,
    place_center,
    place_points,
)
from unimds.quality import total_cost
from unimds.spaces import distances

N = 6
POINTS = np.random.default_rng(0).uniform(0.0, 0.6, size=(N, 2))
D = distances(POINTS)  # at most 0.85: fits every space
LABELS = list("abcdef")
FRAME = pd.DataFrame(D, index=LABELS, columns=LABELS)


def by_function(table, **options):
    return place_center(table, **{"random_state": 0, **options})


def by_estimator(table, **options):
    data = {name: options.pop(name) for name in ("weights", "fixed") if name in options}
    return MDS(metric="precomputed", **{"random_state": 0, **options}).fit(table, **data).result_


@pytest.fixture(params=[by_function, by_estimator], ids=["place_center", "MDS"])
def embed(request):
    return request.param


def changed(i, j, value, table=D):
    table = table.copy()
    table[i, j] = value
    return table


# --- tables that are no tables of distances ------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (changed(1, 2, -1.0), r"D\[1, 2\] = -1 is negative: distances must be zero or more"),
        (changed(2, 2, 1.0), r"D\[2, 2\] = 1, but .* itself is 0; is D a table of similarities\?"),
        (np.full((N, N), np.nan), r"D has no known pair: all are missing \(NaN\) or have weight 0"),
        (
            np.where(np.eye(N, dtype=bool), 0.0, np.nan),
            r"D has no known pair: all are missing \(NaN\) or have weight 0",
        ),
    ],
    ids=["negative", "diagonal", "all NaN", "all missing"],
)
def test_bad_tables(embed, table, message):
    with pytest.raises(ValueError, match=message):
        embed(table)


@pytest.mark.parametrize("space", ["sphere", "hyperbolic", "simplex", "chordal_sphere"])
def test_bad_tables_for_other_spaces(embed, space):
    with pytest.raises(ValueError, match=r"D\[1, 2\] = -1 is negative"):
        embed(changed(1, 2, -1.0), space=space)


def test_tables_that_are_not_square():
    with pytest.raises(ValueError, match=r"D must be a square table .* \(4, 6\).*use MDS with"):
        place_center(D[:4])
    with pytest.raises(ValueError, match=r"needs a square table .* \(4, 6\).*choose a metric"):
        MDS(metric="precomputed").fit(D[:4])
    for table in (D[0], D[None], 3.0, None, []):
        with pytest.raises(ValueError, match="D must be a square table of distances; its shape"):
            place_center(table)
        with pytest.raises(ValueError, match=r"Expected 2D|with dim 3|squareform"):
            MDS(metric="precomputed").fit(table)


def test_infinite_distances():
    with pytest.raises(ValueError, match=r"D\[1, 2\] = inf is infinite: use NaN for a pair whose"):
        place_center(changed(1, 2, np.inf))
    with pytest.raises(ValueError, match=r"D\[1, 2\] = inf is infinite: use NaN for a pair whose"):
        MDS(metric="precomputed").fit(changed(1, 2, np.inf))


def test_empty_tables():
    with pytest.raises(ValueError, match="D is empty: at least one point is needed"):
        place_center(np.zeros((0, 0)))
    with pytest.raises(ValueError, match=r"0 sample\(s\).* minimum of 1 is required by MDS"):
        MDS(metric="precomputed").fit(np.zeros((0, 0)))


@pytest.mark.parametrize(
    "table",
    [FRAME.assign(name=LABELS), FRAME.astype(object).replace(D[0, 1], "far")],
    ids=["a column", "a cell"],
)
def test_columns_of_text(embed, table):
    with pytest.raises(ValueError, match=r"has a column of text, '(name|[ab])'.*make it the index"):
        embed(table)


@pytest.mark.parametrize("table", [[["a", "b"], ["c", "d"]], [[0, "far"], ["far", 0]]])
def test_text(embed, table):
    with pytest.raises(ValueError, match="must hold numbers only"):
        embed(table)


def test_complex_numbers(embed):
    with pytest.raises(ValueError, match=r"(?i)complex"):
        embed(D + 1j)


def test_rows_of_different_lengths(embed):
    with pytest.raises(ValueError, match=r"(D|distances) must|square table"):
        embed([[0.0, 1.0], [1.0]])


def test_known_pairs_that_do_not_hang_together(embed):
    table = D.copy()
    table[:2, 2:] = table[2:, :2] = np.nan
    with pytest.raises(ValueError, match=r"fall into 2 groups .*, of 4, 2 points;.*embed each one"):
        embed(table)
    weights = np.where(np.isnan(table), 0.0, 1.0)
    with pytest.raises(ValueError, match=r"fall into 2 groups .*, of 4, 2 points"):
        embed(D, weights=weights)


def test_many_groups_are_not_all_listed(embed):
    table = np.where(np.kron(np.eye(20), np.ones((2, 2))) > 0, 1.0, np.nan)
    np.fill_diagonal(table, 0.0)
    with pytest.raises(ValueError, match=r"fall into 20 groups .*, of (2, ){10}… points"):
        embed(table)


@pytest.mark.parametrize("n", [4, N])
def test_more_dimensions_than_points(embed, n):
    with pytest.raises(ValueError, match=rf"n_components={n} needs more.*use n_components={n - 1}"):
        embed(D[:n, :n], n_components=n)


# --- weights -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.zeros((N, N)), r"no known pair: all are missing \(NaN\) or have weight 0"),
        (np.ones((5, 5)), r"weights must have the shape of the distances, \(6, 6\); got \(5, 5\)"),
        (np.ones(N), r"weights must have the shape of the distances, \(6, 6\); got \(6,\)"),
        (1.0, r"weights must have the shape of the distances, \(6, 6\); got \(\)"),
        (changed(3, 1, -2.0), r"weights\[3, 1\] = -2, but .*not negative; use 0 for a pair that"),
        (changed(3, 1, np.nan), r"weights\[3, 1\] = nan, but weights must be finite"),
        (changed(3, 1, np.inf), r"weights\[3, 1\] = inf, but weights must be finite"),
        (np.full((N, N), "heavy"), "weights must hold numbers only"),
    ],
    ids=["all zero", "shape", "one a point", "scalar", "negative", "NaN", "infinite", "text"],
)
def test_bad_weights(embed, weights, message):
    with pytest.raises(ValueError, match=message):
        embed(D, weights=weights)


# --- seeds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("init", "message"),
    [
        (np.where(np.arange(N)[:, None] == 4, np.nan, POINTS), "init: row 4 is not finite"),
        (np.where(np.arange(N)[:, None] == 4, np.inf, POINTS), "init: row 4 is not finite"),
        (np.ones((N, 3)), r"init must have the shape \(6, 2\), one point a row; got \(6, 3\)"),
        (np.ones((5, 2)), r"init must have the shape \(6, 2\), one point a row; got \(5, 2\)"),
        (np.ones(2), r"init must have the shape \(6, 2\), one point a row; got \(2,\)"),
        ([["a", "b"]] * N, "init must hold numbers only"),
        ("pca", r"'init' parameter .* among .*'random'.* Got 'pca' instead"),
        ("spherical", r"""init='spherical' is not a seed for Euclidean; use "auto" for its own"""),
        (3, "'init' parameter .* array-like. Got 3 instead"),
    ],
    ids=["NaN", "inf", "width", "height", "flat", "text", "unknown", "of another space", "number"],
)
def test_bad_seeds(embed, init, message):
    with pytest.raises(ValueError, match=message):
        embed(D, init=init)


@pytest.mark.parametrize(
    ("space", "message"),
    [
        ("sphere", "init: row 0 has length 3.46.*divide each row by its length"),
        ("chordal_sphere", "init: row 0 has length 3.46.*divide each row by its length"),
        ("simplex", "init: row 0 has length 3.46.*divide each row by its length"),
        ("hyperbolic", "init: row 0 has t² − ‖x‖² = -4.*use from_poincare"),
    ],
    ids=["sphere", "chordal_sphere", "simplex", "hyperbolic"],
)
def test_seeds_off_the_space(embed, space, message):
    with pytest.raises(ValueError, match=message):
        embed(D, space=space, init=np.full((N, 3), 2.0))


def test_seeds_with_a_negative_probability(embed):
    seed = np.tile([[0.6, 0.8, 0.0], [0.6, 0.0, -0.8]], (3, 1))
    with pytest.raises(ValueError, match="init: row 1 has a negative entry"):
        embed(D, space="simplex", init=seed)


# --- distances that do not fit the space ---------------------------------------------------------


def test_geodesic_distances_longer_than_half_way_around(embed):
    with pytest.raises(ValueError, match=r'largest distance is .*Sphere\(radius="auto"\)'):
        embed(9.0 * D, space="sphere")
    with pytest.raises(ValueError, match=r"radius 2 no two points .* π·radius = 6\.28"):
        embed(9.0 * D, space=Sphere(radius=2.0))


def test_hyperbolic_distances_that_coordinates_cannot_hold(embed):
    with pytest.raises(ValueError, match=r'more than 40; use Hyperbolic\(curvature="auto"\)'):
        embed(100.0 * D, space="hyperbolic")


@pytest.mark.parametrize("space", ["chordal_sphere", "simplex"])
def test_chords_longer_than_the_diameter_are_drawn_with_a_warning(embed, space):
    with pytest.warns(UserWarning, match='longer than the largest one .* a size of "auto" fits'):
        result = embed(3.0 * D, space=space)
    assert np.isfinite(result.embedding).all()


@pytest.mark.parametrize("space", ["sphere", "hyperbolic", "simplex", "chordal_sphere"])
def test_a_distance_of_weight_0_may_be_of_any_length(embed, space):
    weights = np.ones((N, N))
    weights[0, 1] = weights[1, 0] = 0.0
    table = np.where(weights > 0.0, D, 1e6)
    result = embed(table, space=space, weights=weights)
    same = embed(np.where(weights > 0.0, D, np.nan), space=space)
    assert_allclose(result.cost, same.cost, rtol=1e-3, atol=1e-12)


# --- anchors -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fixed", "message"),
    [
        ({0: [1.0, 2.0, 3.0]}, r"fixed\[0\] must have 2 coordinates; its shape is \(3,\)"),
        ({0: 1.0}, r"fixed\[0\] must have 2 coordinates; its shape is \(\)"),
        ({2: [1.0, np.nan]}, "fixed: row 2 is known in part; give all coordinates or none"),
        ({2: [1.0, np.inf]}, "fixed: row 2 is infinite"),
        ({6: [0.0, 0.0]}, r"fixed: 6 is not the number of a point \(0 to 5\)"),
        ({"zz": [0.0, 0.0]}, r"fixed: 'zz' is not the number of a point \(0 to 5\)"),
        ({0: ["a", "b"]}, r"fixed\[0\] must hold numbers only"),
        (
            np.ones((5, 2)),
            r"one row of 2 coordinates for each of the 6 points, with NaN .* \(5, 2\)",
        ),
        (
            np.ones((N, 3)),
            r"one row of 2 coordinates for each of the 6 points, with NaN .* \(6, 3\)",
        ),
        ([0, 1], r"one row of 2 coordinates for each of the 6 points"),
        ("abc", "fixed must hold numbers only"),
        (
            np.where(np.eye(N, 2), 1.0, np.nan),
            "fixed: row 0 is known in part; give all coordinates or none",
        ),
    ],
    ids=[
        "width",
        "number",
        "partly NaN",
        "infinite",
        "index",
        "label",
        "words",
        "height of an array",
        "width of an array",
        "list of points",
        "text",
        "array partly NaN",
    ],
)
def test_bad_anchors(embed, fixed, message):
    with pytest.raises(ValueError, match=message):
        embed(D, fixed=fixed)


@pytest.mark.parametrize(
    ("space", "point", "message"),
    [
        ("sphere", [1.0, 1.0, 1.0], "fixed: row 3 has length 1.73.*unit length"),
        ("simplex", [0.6, -0.8, 0.0], "fixed: row 3 has a negative entry"),
        ("hyperbolic", [0.0, 0.3, 0.3], "fixed: row 3 has t² − ‖x‖²"),
    ],
    ids=["sphere", "simplex", "hyperbolic"],
)
def test_anchors_off_the_space(embed, space, point, message):
    with pytest.raises(ValueError, match=message):
        embed(D, space=space, fixed={3: point})


def test_anchors_by_label():
    with pytest.raises(ValueError, match="fixed: 'zz' is not among the labels of the table"):
        MDS(metric="precomputed").fit(FRAME, fixed={"zz": [0.0, 0.0]})
    found = MDS(metric="precomputed", random_state=0).fit(FRAME, fixed={"c": [5.0, 7.0]})
    assert_array_equal(found.embedding_[2], [5.0, 7.0])


# --- names and numbers ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("loss", "cubic"),
        ("loss", 2),
        ("loss", Huber),
        ("space", "torus"),
        ("space", None),
        ("space", Sphere),
        ("n_components", 0),
        ("n_components", -1),
        ("n_components", 1.5),
        ("n_components", "2"),
        ("eps", -1e-3),
        ("eps", np.nan),
        ("eps", "small"),
        ("max_iter", 0),
        ("max_iter", 2.5),
        ("n_init", 0),
        ("n_init", "many"),
        ("smoothing", -1.0),
        ("smoothing", np.nan),
        ("smoothing", "none"),
        ("inner_iter", 0),
        ("inner_iter", 1.5),
        ("accelerate", "yes"),
        ("n_jobs", 1.5),
        ("random_state", "seed"),
        ("random_state", -1),
        ("callback", 3),
        ("verbose", -1),
    ],
)
@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_bad_parameters(embed, loss, name, value):
    message = rf"The '{name}' parameter of \w+ must be .* Got {re.escape(repr(value))} instead"
    with pytest.raises(ValueError, match=message):
        embed(D, **{"loss": loss, name: value})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variant": "xMDS"}, "variant='xMDS' is not known: use one of 'fMDS', 'rMDS', 'r2MDS'"),
        ({"variant": 3}, "'variant' parameter .* Got 3 instead"),
        (
            {"variant": "rMDS", "space": "sphere"},
            r"variant='rMDS' means space=Euclidean\(\), but space=Sphere.* leave one out",
        ),
        (
            {"variant": "fMDS", "loss": "absolute"},
            r"variant='fMDS' means loss=Squared\(\), but loss=Absolute.* leave one out",
        ),
        (
            {"variant": "g-1-sMDS", "space": ChordalSphere()},
            r"variant='g-1-sMDS' means space=Sphere.*, but space=ChordalSphere.* leave one out",
        ),
        ({"metric": 3}, "'metric' parameter .* Got 3 instead"),
        ({"metric": "euclidian"}, "(?i)metric.*euclidian"),
        ({"metric_params": 3}, "'metric_params' parameter .* Got 3 instead"),
    ],
    ids=lambda options: str(options) if isinstance(options, dict) else "",
)
def test_bad_parameters_of_the_estimator(options, message):
    with pytest.raises(ValueError, match=message):
        MDS(**{"metric": "precomputed", **options}).fit(POINTS if "metric" in options else D)


# --- new points ----------------------------------------------------------------------------------


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


# --- a failed fit changes nothing ----------------------------------------------------------------


def fitted_state(estimator):
    return {name: value for name, value in vars(estimator).items() if name.endswith("_")}


def differences(before, after):
    """Name the attributes that are not what they were."""
    return [name for name in {**before, **after} if before.get(name) is not after.get(name)]


@pytest.mark.parametrize(
    ("table", "options"),
    [
        (changed(1, 2, -1.0), {}),
        (D[:4], {}),
        (D[:5, :5], {"weights": np.ones((3, 3))}),
        (FRAME.iloc[:5, :5], {"fixed": {"zz": [0.0, 0.0]}}),
        (changed(1, 2, np.inf), {}),
        (D[:5, :5], {"init": np.ones((2, 2))}),
    ],
    ids=["negative", "not square", "weights", "labels", "infinite", "seed"],
)
def test_a_failed_fit_leaves_the_last_one_usable(table, options):
    estimator = MDS(metric="precomputed", random_state=0).fit(D)
    before, placed = fitted_state(estimator), estimator.transform(D[:2])
    with pytest.raises(ValueError, match=r".+"):
        estimator.fit(table, **options)
    assert differences(before, fitted_state(estimator)) == []
    assert_array_equal(estimator.transform(D[:2]), placed)


def test_a_failed_fit_of_features_leaves_the_last_one_usable():
    estimator = MDS(random_state=0).fit(POINTS)
    placed = estimator.transform(POINTS[:2])
    with pytest.raises(ValueError, match="weights must have the shape"):
        estimator.fit(np.ones((4, 3)), weights=np.ones((2, 2)))
    assert_array_equal(estimator.transform(POINTS[:2]), placed)


def test_a_fit_with_a_bad_parameter_leaves_the_last_one_usable():
    estimator = MDS(metric="precomputed", random_state=0).fit(D)
    before = fitted_state(estimator)
    with pytest.raises(ValueError, match="n_components=5 needs more than 5 points"):
        estimator.set_params(n_components=5).fit(FRAME.iloc[:5, :5])
    estimator.set_params(n_components=2)
    assert differences(before, fitted_state(estimator)) == []


# --- odd input: every loss in every space --------------------------------------------------------

LOSSES = ["squared", "absolute", Power(1.5), "huber", "squared_distance"]
SPACES = [Euclidean(), Sphere(), ChordalSphere(), Hyperbolic(), Simplex()]
EVERY = [(loss, space) for loss in LOSSES for space in SPACES]
# each loss once and each space once: for what neither has a say in
SOME = list(zip(LOSSES, SPACES, strict=True))
LINE = np.linspace(0.0, 0.9, 6)[:, None]
ONE_WAY = np.random.default_rng(1).uniform(0.2, 0.9, size=(5, 5)) * (1 - np.eye(5))
ODD = {
    "one point": np.zeros((1, 1)),
    "two points": D[:2, :2],
    "three points": D[:3, :3],
    "three points that break the triangle inequality": 0.1
    * np.array([[0, 1, 9], [1, 0, 1], [9, 1, 0]]),
    "duplicates": distances(np.repeat(POINTS[:3], 2, axis=0)),
    "collinear": distances(LINE),
    "all equally far apart": 0.5 * (1.0 - np.eye(6)),
    "asymmetric": ONE_WAY,
}


def check_sound(result, table, loss, space):
    assert np.isfinite(result.embedding).all()
    assert result.embedding.shape == (len(table), space.n_coordinates(2))
    space.check_points(result.embedding, "embedding")
    want = total_cost(table, result.embedding, loss=loss, space=space)
    assert_allclose(result.cost, want, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("table", ODD.values(), ids=ODD)
@pytest.mark.parametrize(("loss", "space"), EVERY, ids=str)
def test_odd_tables_give_a_finite_map(loss, space, table):
    check_sound(by_function(table, loss=loss, space=space), table, loss, space)


@pytest.mark.parametrize("table", ODD.values(), ids=ODD)
@pytest.mark.parametrize(("loss", "space"), SOME, ids=str)
def test_the_estimator_gives_the_same_map(loss, space, table):
    got, want = (f(table, loss=loss, space=space) for f in (by_estimator, by_function))
    assert_array_equal(got.embedding, want.embedding)


@pytest.mark.parametrize("n", [2, 4])
@pytest.mark.parametrize(("loss", "space"), EVERY, ids=str)
def test_points_without_distance_are_put_in_one_place_with_a_warning(loss, space, n):
    table = np.zeros((n, n))
    with pytest.warns(UserWarning, match="all distances are zero: all points are put in one place"):
        result = by_function(table, loss=loss, space=space)
    check_sound(result, table, loss, space)
    assert distances(result.embedding, space=space).max() < 1e-7


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize(("loss", "space"), EVERY, ids=str)
def test_up_to_three_points_are_exact(loss, space, n):
    result = by_function(D[:n, :n], loss=loss, space=space)
    assert_allclose(distances(result.embedding, space=space), D[:n, :n], atol=1e-3)


@pytest.mark.parametrize("table", [D, ODD["duplicates"]], ids=["all apart", "duplicates"])
@pytest.mark.parametrize(("loss", "space"), EVERY, ids=str)
def test_a_seed_may_have_all_points_in_one_place(loss, space, table):
    # there is no direction to part in, and no division by their distance
    seed = space.random(1, 2, 0.5, np.random.default_rng(0)).repeat(N, axis=0)
    result = by_function(table, loss=loss, space=space, init=seed)
    check_sound(result, table, loss, space)
    # u² is flat at 0: that loss alone sees no gain in parting
    share = 1.0 if loss == "squared_distance" else 0.1
    assert result.cost <= share * result.history[0, 1]


def imperfect():
    """Return distances that no plane has: the answer depends on all of them."""
    table = D * np.random.default_rng(2).uniform(0.8, 1.1, size=D.shape)
    return (table + table.T) / 2


SAME = {
    "list": imperfect().tolist(),
    "tuple": tuple(map(tuple, imperfect().tolist())),
    "Fortran order": np.asfortranarray(imperfect()),
    "strided": np.repeat(imperfect(), 2, axis=1)[:, ::2],
    "long double": imperfect().astype(np.longdouble),
    "big-endian": imperfect().astype(">f8"),
    "objects": imperfect().astype(object),
    "data frame": pd.DataFrame(imperfect(), index=LABELS, columns=LABELS),
    "lower triangle": np.where(np.tri(N, dtype=bool), imperfect(), np.nan),
    "upper triangle": np.where(np.tri(N, dtype=bool).T, imperfect(), np.nan),
    "diagonal unknown": np.where(np.eye(N, dtype=bool), np.nan, imperfect()),
}


@pytest.mark.parametrize("table", SAME.values(), ids=SAME)
@pytest.mark.parametrize(("loss", "space"), SOME, ids=str)
def test_other_ways_to_write_a_table_give_the_same_map(loss, space, table):
    got = by_function(table, loss=loss, space=space)
    want = by_function(imperfect(), loss=loss, space=space)
    assert_array_equal(got.embedding, want.embedding)
    assert got.cost == want.cost


@pytest.mark.parametrize(("loss", "space"), SOME, ids=str)
def test_rounding_does_not_make_a_table_asymmetric(loss, space):
    rounded = imperfect()
    rounded[np.triu_indices(N, 1)] *= 1.0 + 1e-15 * np.arange(15)
    got = by_function(rounded, loss=loss, space=space)
    want = by_function((rounded + rounded.T) / 2, loss=loss, space=space)
    assert_array_equal(got.embedding, want.embedding)


def test_a_read_only_table_gives_the_same_map(embed):
    table = imperfect()
    table.flags.writeable = False
    assert_array_equal(embed(table).embedding, by_function(imperfect()).embedding)


@pytest.mark.parametrize(("loss", "space"), SOME, ids=str)
def test_float32_gives_nearly_the_same_map(loss, space):
    single = by_function(imperfect().astype(np.float32), loss=loss, space=space)
    double = by_function(imperfect(), loss=loss, space=space)
    check_sound(single, imperfect().astype(np.float32), loss, space)
    assert_allclose(single.cost, double.cost, rtol=1e-3)


def test_float32_stays_float32_in_the_estimator():
    found = MDS(metric="precomputed", random_state=0).fit(imperfect().astype(np.float32))
    assert found.embedding_.dtype == np.float32


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8, bool])
def test_whole_numbers(embed, dtype):
    table = np.array([[0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]])
    got, want = embed(table.astype(dtype)), embed(table.astype(float))
    assert_array_equal(got.embedding, want.embedding)


def test_columns_of_a_data_frame_may_come_in_any_order():
    frame = pd.DataFrame(imperfect(), index=LABELS, columns=LABELS)
    got = MDS(metric="precomputed", random_state=0).fit(frame[LABELS[::-1]])
    assert_array_equal(got.embedding_, by_function(imperfect()).embedding)
    assert_array_equal(got.labels_, LABELS)


def test_labelled_weights_may_come_in_any_order():
    frame = pd.DataFrame(imperfect(), index=LABELS, columns=LABELS)
    W = np.random.default_rng(3).uniform(0.1, 2.0, size=(N, N))
    weights = pd.DataFrame(W + W.T, index=LABELS, columns=LABELS)
    want = by_estimator(frame, weights=weights).embedding
    turned = weights.loc[LABELS[::-1]]
    assert_array_equal(by_estimator(frame, weights=turned).embedding, want)
    assert_array_equal(by_estimator(frame, weights=turned[LABELS[::-1]]).embedding, want)
    assert_array_equal(by_estimator(frame[LABELS[::-1]], weights=weights).embedding, want)


@pytest.mark.parametrize("make", [imperfect, lambda: ONE_WAY.copy()], ids=["symmetric", "one way"])
@pytest.mark.parametrize("space", ["euclidean", "sphere"])
def test_the_input_is_never_modified(embed, make, space):
    table = make()
    table[0, 3] = np.nan
    width = 2 if space == "euclidean" else 3
    init = np.random.default_rng(0).normal(size=(len(table), width))
    init /= np.linalg.norm(init, axis=1, keepdims=True)
    fixed = np.full(init.shape, np.nan)
    fixed[1] = init[0]
    data = {"weights": np.ones(table.shape), "fixed": fixed, "init": init}
    before = {name: array.copy() for name, array in data.items()}
    copy = table.copy()
    embed(table, space=space, **data)
    assert_array_equal(table, copy)
    for name, array in data.items():
        assert_array_equal(array, before[name])


def test_transform_does_not_modify_its_input(fitted):
    rows = D[:2].copy()
    rows[0, 1] = np.nan
    before = rows.copy()
    fitted.transform(rows)
    assert_array_equal(rows, before)


@pytest.mark.parametrize("space", SPACES, ids=repr)
def test_the_seed_is_not_returned_as_the_map(space):
    # the map is an array of its own: writing to one leaves the other alone
    seed = space.random(N, 2, 0.5, np.random.default_rng(0))
    result = by_function(D, space=space, init=seed)
    assert not np.shares_memory(result.embedding, seed)


def test_a_triangle_of_zeros_is_refused(embed):
    for half in (np.triu(D), np.tril(D)):
        with pytest.raises(ValueError, match=r"D is triangular.*fill the other half \(D \+ D\.T\)"):
            embed(half)


def test_condensed_distances_are_told():
    with pytest.raises(ValueError, match="squareform"):
        MDS(metric="precomputed").fit(D[np.triu_indices(N, 1)])


def test_masked_distances_are_missing():
    masked = np.ma.masked_array(changed(1, 2, 99.0), mask=np.zeros(D.shape, dtype=bool))
    masked.mask[1, 2] = masked.mask[2, 1] = True
    holes = D.copy()
    holes[1, 2] = holes[2, 1] = np.nan
    one = MDS(metric="precomputed", random_state=0).fit(masked)
    other = MDS(metric="precomputed", random_state=0).fit(holes)
    np.testing.assert_array_equal(one.embedding_, other.embedding_)


def test_labels_that_disagree_are_told():
    frame = pd.DataFrame(D, index=list("abcdef"), columns=list("abcdeF"))
    with pytest.raises(ValueError, match="'f' is a row, but not a column"):
        MDS(metric="precomputed").fit(frame)
    double = pd.DataFrame(D, index=list("aabcde"), columns=list("aabcde"))
    with pytest.raises(ValueError, match="not unique"):
        MDS(metric="precomputed").fit(double)


def test_new_distances_are_matched_by_label():
    names = list("abcdef")
    frame = pd.DataFrame(D, index=names, columns=names)
    mds = MDS(metric="precomputed", random_state=0).fit(frame)
    np.testing.assert_array_equal(mds.transform(frame[names[::-1]]), mds.transform(frame))


def test_nullable_columns_are_numbers():
    frame = pd.DataFrame(D).astype("Float64")
    frame.iloc[1, 2] = frame.iloc[2, 1] = pd.NA
    assert np.isfinite(MDS(metric="precomputed", random_state=0).fit_transform(frame)).all()
