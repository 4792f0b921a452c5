"""Distances of scikit-bio, sparse matrices, and tables as files have them."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import skbio
from sklearn.neighbors import kneighbors_graph

from tests.support.tables import FRAME, LABELS, POINTS, D, N
from unimds import MDS, LandmarkMDS, Unfolding, files, place_center
from unimds.dissimilarity import from_counts, from_graph, from_similarities
from unimds.quality import stress_1
from unimds.spaces import distances
from unimds.tables.individual import IndividualDifferences
from unimds.trust import bootstrap

QUICK = {"n_init": 1, "random_state": 0}
GIVEN = skbio.DistanceMatrix(D, LABELS)
SPARSE = {"array": sp.csr_array, "matrix": sp.csr_matrix, "coo": sp.coo_array}
sparse = pytest.mark.parametrize("made", SPARSE.values(), ids=list(SPARSE))


@pytest.mark.parametrize("kind", [MDS, LandmarkMDS])
@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_distances_of_scikit_bio_are_taken_with_their_ids(kind, metric):
    mds = kind(metric=metric, **QUICK).fit(GIVEN)
    plain = kind(metric="precomputed", **QUICK).fit(D)
    np.testing.assert_array_equal(mds.embedding_, plain.embedding_)
    assert mds.labels_.tolist() == mds.feature_names_in_.tolist() == LABELS
    new = pd.DataFrame(D[:2], columns=LABELS)[LABELS[::-1]]
    np.testing.assert_array_equal(mds.transform(new), plain.transform(D[:2]))


def test_distances_of_scikit_bio_in_functions():
    result = place_center(GIVEN, **QUICK)
    np.testing.assert_array_equal(result.embedding, place_center(D, **QUICK).embedding)
    assert stress_1(GIVEN, result.embedding) == stress_1(D, result.embedding)
    held = place_center(GIVEN, **QUICK, fixed={0: [1.0, 2.0]}).embedding
    np.testing.assert_allclose(held[0], [1.0, 2.0])
    by_name = MDS(**QUICK).fit(GIVEN, fixed={"c": [1.0, 2.0]})
    np.testing.assert_allclose(by_name.embedding_[2], [1.0, 2.0])


def test_several_matrices_of_scikit_bio_are_matched_by_id():
    turned = GIVEN.filter(LABELS[::-1])
    both = IndividualDifferences(**QUICK).fit([GIVEN, turned])
    same = IndividualDifferences(**QUICK).fit([FRAME, FRAME])
    assert both.labels_.tolist() == LABELS
    np.testing.assert_allclose(both.embedding_, same.embedding_, atol=1e-6)
    drawn = bootstrap(MDS(**QUICK), [GIVEN, turned] * 3, n_maps=20, random_state=0)
    assert drawn.labels == LABELS
    np.testing.assert_allclose(drawn.points, MDS(**QUICK).fit_transform(GIVEN), atol=1e-6)


def test_a_map_of_scikit_bio_comes_out_with_its_ids():
    frame = MDS(**QUICK).set_output(transform="pandas").fit_transform(GIVEN)
    assert frame.index.tolist() == LABELS
    assert frame.columns.tolist() == ["mds0", "mds1"]
    many = LandmarkMDS(**QUICK).set_output(transform="pandas").fit_transform(GIVEN)
    assert many.index.tolist() == LABELS


def test_distances_are_no_features_and_no_similarities():
    with pytest.raises(ValueError, match=r"a DistanceMatrix of scikit-bio, .*metric='cosine'"):
        MDS(metric="cosine").fit(GIVEN)
    for make in (from_similarities, from_counts):
        with pytest.raises(ValueError, match="DistanceMatrix of scikit-bio, which holds distances"):
            make(GIVEN)


def test_a_tree_is_told_how_to_become_distances():
    tree = skbio.TreeNode.read(["((a:1,b:2):3,c:4);"])
    with pytest.raises(TypeError, match=r"a tree of scikit-bio, .*tree\.cophenet\(\)"):
        MDS().fit(tree)
    assert set(MDS(**QUICK).fit(tree.cophenet()).labels_) == {"a", "b", "c"}


# --- sparse matrices ----------------------------------------------------------------------------


@sparse
def test_sparse_features_are_zero_where_nothing_is_stored(made):
    X = np.where(POINTS > 0.3, POINTS, 0.0)
    for kind in (MDS, LandmarkMDS):
        mds = kind(**QUICK).fit(made(X))
        np.testing.assert_array_equal(mds.embedding_, kind(**QUICK).fit_transform(X))
        np.testing.assert_array_equal(mds.transform(made(X[:2])), mds.transform(X[:2]))
    assert np.allclose(from_counts(made(X + 1.0)), from_counts(X + 1.0))
    S = np.array([[0.0, 2.0, 0.0], [2.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    np.testing.assert_array_equal(from_similarities(made(S)), from_similarities(S))


@sparse
def test_sparse_distances_are_missing_where_nothing_is_stored(made):
    X = np.random.default_rng(0).normal(size=(12, 2))
    near = kneighbors_graph(X, 6, mode="distance")
    holes = np.where(near.toarray() == 0.0, np.nan, near.toarray())
    holes = np.where(np.isnan(holes), holes.T, holes)  # one direction holds in both
    np.fill_diagonal(holes, 0.0)
    mds = MDS(metric="precomputed", **QUICK).fit(made(near))
    np.testing.assert_array_equal(mds.dissimilarity_matrix_, holes)
    np.testing.assert_array_equal(place_center(made(near), **QUICK).embedding, mds.embedding_)
    assert np.isnan(holes).any()


def test_a_stored_zero_is_a_distance():
    i, j = [0, 1, 2, 3, 0], [1, 2, 3, 0, 2]
    D = sp.coo_array(([0.0, 3.0, 3.0, 3.0, 3.0], (i, j)), shape=(4, 4))
    mds = MDS(metric="precomputed", **QUICK).fit(D)
    assert mds.dissimilarity_matrix_[0, 1] == mds.dissimilarity_matrix_[1, 0] == 0.0
    assert np.isnan(mds.dissimilarity_matrix_[1, 3])


def test_sparse_ones_look_like_edges():
    A = kneighbors_graph(POINTS, 2)
    with pytest.raises(ValueError, match=r"look like edges: .*from_graph\(D\)"):
        MDS(metric="precomputed").fit(A)
    assert from_graph(A).shape == (N, N)


def test_wrong_sparse_tables():
    with pytest.raises(ValueError, match=r"D\[0, 1\] = -1 is negative"):
        MDS(metric="precomputed").fit(sp.csr_array(np.array([[0.0, -1.0], [2.0, 0.0]])))
    with pytest.raises(ValueError, match="must be a square table"):
        MDS(metric="precomputed").fit(sp.csr_array(D[:4]))
    with pytest.raises(ValueError, match="2 groups"):
        MDS(metric="precomputed").fit(sp.csr_array(sp.block_diag([2.0 * D[:3, :3], D[:3, :3]])))


def test_complex_numbers_and_vectors_are_no_sparse_tables():
    for wrong in (sp.csr_array(D * 1j), sp.coo_array(np.ones(6))):
        for metric in ("precomputed", "euclidean"):
            with pytest.raises(ValueError, match="must have two dimensions and real numbers"):
                MDS(metric=metric).fit(wrong)
    with pytest.raises(ValueError, match="G must hold real numbers"):
        from_graph(sp.csr_array(D * 1j), weight="weight")


def test_sparse_weights_and_ratings():
    W = np.triu(np.ones((N, N)), 1) + np.tril(np.ones((N, N)), -1)
    W[0, 5] = W[5, 0] = 0.0
    options = {"metric": "precomputed", **QUICK}
    plain = MDS(**options).fit(D, weights=W)
    given = MDS(**options).fit(D, weights=sp.csr_array(W))
    np.testing.assert_array_equal(given.embedding_, plain.embedding_)
    ratings = distances(POINTS, POINTS[:5] + 0.1)
    ratings[2, 3] = np.nan
    stored = sp.csr_array(np.nan_to_num(ratings))
    np.testing.assert_array_equal(
        Unfolding(**QUICK).fit_transform(stored), Unfolding(**QUICK).fit_transform(ratings)
    )


# --- tables of files ----------------------------------------------------------------------------


def test_a_table_says_itself_what_it_holds(tmp_path):
    FRAME.to_csv(tmp_path / "D.csv")
    mds = MDS(**QUICK).fit(files.read(tmp_path / "D.csv"))
    assert (mds.labels_.tolist(), mds.metric_) == (LABELS, "precomputed")
    pd.DataFrame(POINTS, LABELS, ["height", "width"]).to_csv(tmp_path / "X.csv")
    points = MDS(**QUICK).fit(files.read(tmp_path / "X.csv"))
    assert (points.labels_.tolist(), points.metric_) == (LABELS, "euclidean")
    with pytest.raises(ValueError, match=r"a Table of unimds, which holds distances"):
        MDS(metric="cosine").fit(files.read(tmp_path / "D.csv"))


def test_weights_of_a_table_are_not_lost(tmp_path):
    (tmp_path / "pairs.csv").write_text(
        "source,target,distance,weight\na,b,1,2\nb,c,2,1\na,c,2,1\n"
    )
    table = files.read(tmp_path / "pairs.csv")
    with pytest.raises(ValueError, match=r"weights=table\.weights"):
        MDS().fit(table)


def test_asymmetric_and_missing_numbers_are_told_by_label():
    wrong = FRAME.copy()
    wrong.loc["b", "c"] = -1.0
    table = files.Table(wrong.to_numpy(), "distances", "csv", "square", LABELS)
    with pytest.raises(ValueError, match=r"D\['b', 'c'\] = -1 is negative"):
        MDS().fit(table)
