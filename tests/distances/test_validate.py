"""Bad tables and weights get an error that names the object, the need and the remedy."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from tests.support.parts import slow
from tests.support.tables import FRAME, LABELS, D, N, changed
from unimds import (
    MDS,
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
    with pytest.raises(ValueError, match=r"D must be a square table .* \(4, 6\).*choose a metric"):
        place_center(D[:4])
    with pytest.raises(ValueError, match=r"D must be a square table .* \(4, 6\).*choose a metric"):
        MDS(metric="precomputed").fit(D[:4])
    for table in (D[None], 3.0, None, []):
        for embed in (place_center, MDS(metric="precomputed").fit):
            with pytest.raises(ValueError, match="D must be a square table of distances; its sha"):
                embed(table)
    for embed in (place_center, MDS(metric="precomputed").fit):
        with pytest.raises(ValueError, match=r"has one dimension and 5 numbers; .* n\(n−1\)/2"):
            embed(D[0, 1:])


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
    ("table", "message"),
    [
        (FRAME.assign(name=LABELS), "has a column of text, 'name'.*make it the index"),
        (FRAME.astype(object).mask(D[0, 1] == D, "far"), "has the text 'far' in the column '[ab]'"),
    ],
    ids=["a column", "a cell"],
)
def test_columns_of_text(embed, table, message):
    with pytest.raises(ValueError, match=message):
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
    with pytest.raises(ValueError, match=rf"a map of {n} dimensions needs.*use {n - 1} or fewer"):
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


# --- labelled tables ------------------------------------------------------------------------------


def frame(table):
    return pd.DataFrame(table, index=LABELS, columns=LABELS)


@pytest.mark.parametrize("fit", [place_center, MDS(metric="precomputed").fit])
def test_errors_name_the_points_of_a_frame(fit):
    one, other = LABELS[1], LABELS[2]
    with pytest.raises(ValueError, match=rf"^D\['{one}', '{other}'\] = -1 is negative"):
        fit(frame(changed(1, 2, -1.0)))
    with pytest.raises(ValueError, match=rf"^D\['{other}', '{other}'\] = 1, but"):
        fit(frame(changed(2, 2, 1.0)))
    lost = D.copy()
    lost[4] = lost[:, 4] = np.nan
    with pytest.raises(ValueError, match=rf"2 groups .*\('{LABELS[4]}' has no known distance\)"):
        fit(frame(lost))
    with pytest.raises(ValueError, match=r"2 groups .*\(point 4 has no known distance\)"):
        fit(lost)


@pytest.mark.filterwarnings("ignore:Downcasting behavior:FutureWarning")  # of pandas before 3
def test_a_word_among_numbers_is_named():
    table = frame(D).astype(object)
    table.iloc[0, 3] = table.iloc[3, 0] = "."
    with pytest.raises(ValueError, match=rf"the text '\.' in the column '{LABELS[0]}'.*NaN"):
        MDS(metric="precomputed").fit(table)
    filled = table.replace(".", np.nan).astype(float)  # as the message says
    assert MDS(metric="precomputed", random_state=0).fit(filled).embedding_.shape == (N, 2)
    names = frame(D).assign(name=LABELS)
    with pytest.raises(ValueError, match="has a column of text, 'name'"):
        MDS(metric="precomputed").fit(names)


def test_pairs_listed_once_get_all_labels_by_the_remedy():
    i, j = np.triu_indices(N, 1)
    pairs = pd.DataFrame({"a": np.array(LABELS)[i], "b": np.array(LABELS)[j], "d": D[i, j]})
    once = pairs.pivot_table(index="a", columns="b", values="d")
    with pytest.raises(ValueError, match=r"different labels.*D\.reindex\(index=labels"):
        MDS(metric="precomputed").fit(once)
    labels = once.index.union(once.columns)
    square = once.reindex(index=labels, columns=labels)
    assert MDS(metric="precomputed", random_state=0).fit(square).embedding_.shape == (N, 2)


def test_one_row_of_a_frame_is_no_table():
    mds = MDS(metric="precomputed", random_state=0).fit(frame(D))
    row = frame(D).loc[LABELS[3]]
    with pytest.raises(ValueError, match=r"a pandas Series .*series\.to_frame\(\)\.T"):
        mds.transform(row)
    assert_allclose(mds.transform(row.to_frame().T), mds.transform(frame(D).iloc[3:4]))


def test_a_condensed_row_gets_a_hint():
    with pytest.raises(ValueError, match=r"\(1, 15\).*squareform\(numpy\.ravel\(D\)\)"):
        MDS(metric="precomputed").fit(D[np.triu_indices(N, 1)][None])
