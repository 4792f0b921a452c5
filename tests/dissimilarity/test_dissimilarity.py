"""Dissimilarities agree with scipy, with models of known distances, and with R's formulas."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import pdist, squareform
from scipy.stats import rankdata

from tests.support.meadows import COUNTS
from unimds import MDS, hellinger_distances
from unimds.dissimilarity import (
    from_confusions,
    from_cooccurrences,
    from_correlations,
    from_counts,
    from_flows,
    from_similarities,
    wisconsin,
)
from unimds.dissimilarity.counts import COUNTS as BY_COUNTS
from unimds.dissimilarity.frequencies import CONFUSIONS, COOCCURRENCES, FLOWS
from unimds.dissimilarity.similarities import CORRELATIONS, SIMILARITIES

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 6)) @ RNG.normal(size=(6, 6))
R = np.corrcoef(X.T)
PRESENT = (RNG.random((50, 5)) < [0.2, 0.4, 0.5, 0.6, 0.7]).astype(float)
TOGETHER = PRESENT.T @ PRESENT
APART = squareform(pdist(RNG.normal(size=(6, 2))))
FLOW = np.array([[5.0, 9.0, 1.0], [3.0, 7.0, 4.0], [2.0, 6.0, 8.0]])
OFF = ~np.eye(3, dtype=bool)


def test_chords_of_correlations_are_distances_of_standardised_variables():
    Z = X - X.mean(axis=0)
    Z /= np.linalg.norm(Z, axis=0)
    assert np.allclose(from_correlations(R), squareform(pdist(Z.T)))
    angle = from_correlations(R, "angle")
    assert np.allclose(2 * np.sin(angle / 2), from_correlations(R))
    assert np.allclose(from_correlations(R, "linear"), squareform(pdist(X.T, "correlation")))


def test_the_sign_of_a_correlation_may_not_count():
    flip = np.diag([1.0, -1.0, 1.0, 1.0, -1.0, 1.0])
    for method in ("absolute", "sine"):
        D = from_correlations(R, method)
        assert np.allclose(D, from_correlations(flip @ R @ flip, method))
    off = ~np.eye(6, dtype=bool)
    assert np.allclose(D[off] ** 2 + R[off] ** 2, 1.0)


def test_similarities_by_the_formulas_of_sim2diss():
    S = np.exp(-APART)
    top = S.max()
    expected = {
        "reverse": top - S,
        "reciprocal": 1 / S,
        "exponential": -np.log(S / top),
        "gaussian": np.sqrt(-np.log(S / top)),
    }
    for method, D in expected.items():
        np.fill_diagonal(D, 0.0)
        assert np.allclose(from_similarities(S, method), D)
    assert np.allclose(from_similarities(S, "exponential"), APART)  # Shepard's law
    assert np.allclose(from_similarities(np.exp(-(APART**2)), "gaussian"), APART)
    ranks = squareform(from_similarities(S, "ranks"))
    assert np.array_equal(ranks, rankdata(squareform(APART)))
    assert np.allclose(from_similarities(FLOW, "ranks")[OFF], rankdata(-FLOW[OFF]))


def test_the_end_of_a_scale_is_the_similarity_of_a_point_to_itself():
    S = np.array([[np.nan, 5.0], [5.0, np.nan]])
    assert from_similarities(S)[0, 1] == 0.0
    assert from_similarities(S, largest=7)[0, 1] == 2.0


def test_luces_model_has_its_distances_and_no_bias():
    bias = np.array([1.0, 2.0, 0.5, 3.0, 1.0, 1.5])
    p = bias * np.exp(-APART)
    p /= p.sum(axis=1, keepdims=True)
    assert np.allclose(from_confusions(p), APART)
    assert np.allclose(from_confusions(200 * p), APART)  # counts, or shares


def test_shepards_confusions_by_hand():
    p = FLOW / FLOW.sum(axis=1, keepdims=True)
    C = FLOW + 20 * np.eye(3)
    q = C / C.sum(axis=1, keepdims=True)
    s = (q[0, 1] + q[1, 0]) / (q[0, 0] + q[1, 1])
    assert from_confusions(C, "shepard")[0, 1] == pytest.approx(-np.log(s))
    assert np.allclose(from_confusions(FLOW, "complement")[OFF], (1 - (p + p.T) / 2)[OFF])


@pytest.mark.parametrize("metric", ["jaccard", "dice", "cosine"])
def test_cooccurrences_have_the_distances_of_what_occurs(metric):
    given = PRESENT.T.astype(bool) if metric != "cosine" else PRESENT.T
    assert np.allclose(from_cooccurrences(TOGETHER, metric), squareform(pdist(given, metric)))


def test_association_strength_by_the_formula_of_sim2diss():
    C = (FLOW + FLOW.T) * OFF
    rows = C.sum(axis=1)
    expected = 1 / (1 + C.sum() * C / np.outer(rows, rows))
    assert np.allclose(from_cooccurrences(C)[OFF], expected[OFF])


def test_pointwise_mutual_information_at_its_ends():
    always = np.array([[4.0, 4.0], [4.0, 4.0]])
    assert from_cooccurrences(always, "pmi", total=100)[0, 1] == pytest.approx(0.0)
    never = np.array([[4.0, 0.0], [0.0, 4.0]])
    assert from_cooccurrences(never, "pmi", total=100)[0, 1] == 2.0
    chance = np.array([[20.0, 10.0], [10.0, 50.0]])
    assert from_cooccurrences(chance, "pmi", total=100)[0, 1] == pytest.approx(1.0)


def test_flows_by_the_formulas_of_sim2diss():
    masses = np.outer(FLOW.sum(axis=1), FLOW.sum(axis=0))
    D = from_flows(FLOW)
    assert np.allclose(D[OFF], np.sqrt(masses / (FLOW.sum() * FLOW))[OFF])
    assert D[0, 1] != D[1, 0]  # the directions stay
    assert np.allclose(from_flows(FLOW, "transition")[OFF], FLOW[OFF] ** -0.5)


def test_counts_by_scipy_and_by_what_vegan_prints():
    assert np.allclose(from_counts(COUNTS), squareform(pdist(COUNTS, "braycurtis")))
    assert squareform(from_counts(COUNTS)).mean() == pytest.approx(0.64565, abs=5e-6)  # vegan
    cosine = squareform(pdist(COUNTS, "cosine"))
    assert np.allclose(from_counts(COUNTS, "chord"), np.sqrt(2 * cosine))
    assert np.allclose(from_counts(COUNTS, "hellinger"), hellinger_distances(COUNTS))
    least = np.array(
        [[np.minimum(a, b).sum() / np.maximum(a, b).sum() for a in COUNTS] for b in COUNTS]
    )
    assert np.allclose(from_counts(COUNTS, "jaccard"), 1 - least)


def test_chi_squared_distances_are_those_of_correspondence_analysis():
    P = COUNTS / COUNTS.sum()
    r, c = P.sum(axis=1), P.sum(axis=0)
    U, size, _ = np.linalg.svd((P - np.outer(r, c)) / np.sqrt(np.outer(r, c)))
    rows = U[:, : size.size] * size / np.sqrt(r)[:, None]
    assert np.allclose(from_counts(COUNTS, "chisquared"), squareform(pdist(rows)))


def test_wisconsin_is_shares_of_maxima_then_of_totals():
    frame = pd.DataFrame(COUNTS).assign(none=0.0)
    found = wisconsin(frame)
    shares = frame.iloc[:, :30] / frame.iloc[:, :30].max()
    shares = shares.div(shares.sum(axis=1), axis=0)
    assert np.allclose(found.iloc[:, :30], shares)
    assert (found["none"] == 0.0).all()
    assert found.index.equals(frame.index)


# --- what holds for all ---------------------------------------------------------------------------

SQUARES = [
    *((from_correlations, method, R) for method in CORRELATIONS),
    *((from_similarities, method, np.exp(-APART)) for method in SIMILARITIES),
    *((from_confusions, method, np.round(100 * np.exp(-APART)) + 1) for method in CONFUSIONS),
    *((from_cooccurrences, method, TOGETHER) for method in COOCCURRENCES),
    *((from_flows, method, TOGETHER) for method in FLOWS),
]


@pytest.mark.parametrize(("function", "method", "table"), SQUARES)
def test_labels_stay_and_missing_numbers_stay_missing(function, method, table):
    D = function(table, method)
    assert np.allclose(D, D.T)
    assert not np.diag(D).any()
    assert (D >= 0.0).all()
    names = list("abcdef")[: len(table)]
    holed = pd.DataFrame(table.copy(), names, names)
    holed.loc["a", "c"] = holed.loc["c", "a"] = np.nan
    found = function(holed, method)
    assert list(found.index) == list(found.columns) == list(holed.index)
    assert np.array_equal(np.isnan(found), np.isnan(holed.to_numpy()))
    assert MDS(1, metric="precomputed", n_init=1).fit(found).labels_.tolist() == list(found.index)


@pytest.mark.parametrize(("function", "method", "table"), SQUARES)
def test_the_order_of_the_points_does_not_matter(function, method, table):
    turn = np.random.default_rng(1).permutation(len(table))
    whole = function(table, method)
    assert np.allclose(function(table[np.ix_(turn, turn)], method), whole[np.ix_(turn, turn)])


@pytest.mark.parametrize("method", BY_COUNTS)
def test_sites_keep_their_labels(method):
    names = [f"meadow {i}" for i in range(20)]
    D = from_counts(pd.DataFrame(COUNTS, names), method)
    assert list(D.index) == list(D.columns) == names
    assert np.allclose(D, D.T)
    assert (D.to_numpy() >= 0.0).all()


@given(arrays(float, (4, 4), elements=st.floats(-1.0, 1.0)), st.sampled_from(list(CORRELATIONS)))
def test_every_correlation_has_a_dissimilarity(values, method):
    S = np.clip(values + values.T, -1.0, 1.0)
    D = from_correlations(S, method)
    assert np.isfinite(D).all()
    assert (D >= 0.0).all()


@given(arrays(float, (4, 4), elements=st.floats(0.01, 9.0)))
def test_more_alike_is_nearer(values):
    S = values + values.T
    at = np.triu_indices(4, 1)
    for method in SIMILARITIES:
        D = from_similarities(S, method)
        order = np.argsort(S[at], kind="stable")
        assert (np.diff(D[at][order]) <= 1e-9 * (1.0 + D[at].max())).all()


# --- what cannot be -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: from_correlations([[1, 1.3], [1.3, 1]]), r"R\[0, 1\] = 1.3 is no correlation"),
        (
            lambda: from_correlations(pd.DataFrame([[1, 1.3], [1.3, 1]], list("ab"), list("ab"))),
            r"R\['a', 'b'\] = 1.3.*by 100",
        ),
        (lambda: from_correlations([[1, 0, 0], [0, 1, 0]]), r"\(2, 3\).*df.corr"),
        (lambda: from_correlations(R, "cord"), "method='cord' is not known: use one of 'chord'"),
        (
            lambda: from_similarities([[9, -1], [-1, 9]], "reciprocal"),
            "negative.*from_correlations",
        ),
        (lambda: from_similarities([[9, 8], [8, 9]], largest=7), "above largest=7"),
        (lambda: from_similarities([[0, 0], [0, 0]], "exponential"), "similarity above zero"),
        (lambda: from_similarities([[9, np.inf], [8, 9]]), "infinite: use NaN"),
        (lambda: from_confusions([[9, -2], [1, 9]]), r"C\[0, 1\] = -2 is negative"),
        (lambda: from_confusions([[0, 0], [1, 9]]), "point 0 has no answers.*drop it"),
        (lambda: from_confusions([[0, 5], [1, 9]]), "point 0 was never recognised.*complement"),
        (lambda: from_confusions([[2, 9], [9, 2]]), "more often than they were recognised"),
        (lambda: from_cooccurrences([[0, 5], [5, 0]], "jaccard"), "give occurrences"),
        (lambda: from_cooccurrences([[3, 5], [5, 9]], "cosine"), "more than one of the two"),
        (lambda: from_cooccurrences([[3, 0], [0, 0]]), "point 1 never occurs"),
        (lambda: from_cooccurrences([[3, 1], [1, 3]], occurrences=[3]), "each of the 2 points"),
        (lambda: from_cooccurrences([[9, 5], [5, 9]], total=4), "total=4 is less"),
        (lambda: from_flows([[0, 0, 0], [0, 0, 2], [0, 2, 0]]), "point 0 has no flow"),
        (lambda: from_counts([[1, 2], [0, 0]]), "row 1 is empty.*drop it"),
        (lambda: from_counts([[1, np.nan]]), r"X\[0, 1\] = nan is missing; write 0"),
        (
            lambda: wisconsin(pd.DataFrame([[1, -2]], ["site"], ["a", "b"])),
            r"counts\['site', 'b'\] = -2 is negative",
        ),
        (lambda: from_counts([1, 2]), "a row for each site"),
    ],
)
def test_what_cannot_be_is_an_error_that_says_what_to_do(call, told):
    with pytest.raises(ValueError, match=told):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: from_similarities([[9, 0, 1], [0, 9, 2], [1, 2, 9]], "reciprocal"),
        lambda: from_confusions([[9, 0, 1], [0, 9, 2], [1, 2, 9]]),
        lambda: from_flows([[9, 0, 1], [0, 9, 2], [1, 2, 9]]),
    ],
)
def test_pairs_that_are_infinitely_far_are_missing_and_told(call):
    with pytest.warns(UserWarning, match="1 pair is infinitely far.*add a small number"):
        D = call()
    assert np.argwhere(np.isnan(D)).tolist() == [[0, 1], [1, 0]]
