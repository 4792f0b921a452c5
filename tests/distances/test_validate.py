"""Bad input gets an error that names the object, the need and the remedy."""

import re

import numpy as np
import pytest
from common import slow
from numpy.testing import assert_allclose, assert_array_equal
from tables import FRAME, LABELS, POINTS, D, N, changed

from unimds import (
    MDS,
    ChordalSphere,
    Huber,
    Sphere,
    place_center,
)

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


@pytest.mark.parametrize(
    "space", ["sphere", *map(slow, ["hyperbolic", "simplex", "chordal_sphere"])]
)
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
