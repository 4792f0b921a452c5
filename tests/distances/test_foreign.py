"""Data of other packages: taken where they are distances, and told what to do where not."""

import networkx
import numpy as np
import pandas as pd
import pytest

from tests.support.tables import D, N
from unimds import MDS, LandmarkMDS, place_center
from unimds.quality import stress_1

PRECOMPUTED = MDS(metric="precomputed", random_state=0)


class DistanceMatrix:
    """What unimds asks of scikit-bio's class: it is not among the packages of the tests."""

    __module__ = "skbio.stats.distance._base"

    def __init__(self, data, ids):
        self.data, self.ids = np.asarray(data), tuple(ids)

    def redundant_form(self):
        return self.data


class AnnData:
    """What unimds asks of AnnData."""

    __module__ = "anndata._core.anndata"
    shape, obs_names, obsm = (5, 3), list("abcde"), {}


class Graph:
    """What unimds asks of igraph's Graph."""

    __module__ = "igraph"
    vs = es = ()


@pytest.mark.parametrize("kind", [MDS, LandmarkMDS])
def test_distances_of_scikit_bio_are_taken_with_their_ids(kind):
    labels = list("abcdef")
    given = DistanceMatrix(D, labels)
    mds = kind(metric="precomputed", random_state=0).fit(given)
    plain = kind(metric="precomputed", random_state=0).fit(D)
    np.testing.assert_array_equal(mds.embedding_, plain.embedding_)
    assert mds.labels_.tolist() == labels
    new = pd.DataFrame(D[:2], columns=labels)[labels[::-1]]
    np.testing.assert_array_equal(mds.transform(new), plain.transform(D[:2]))


def test_distances_of_scikit_bio_in_functions():
    given = DistanceMatrix(D, "abcdef")
    result = place_center(given, random_state=0)
    np.testing.assert_array_equal(result.embedding, place_center(D, random_state=0).embedding)
    assert stress_1(given, result.embedding) == stress_1(D, result.embedding)
    held = place_center(given, random_state=0, fixed={0: [1.0, 2.0]}).embedding
    np.testing.assert_allclose(held[0], [1.0, 2.0])


def test_distances_of_scikit_bio_are_no_features():
    with pytest.raises(ValueError, match="which holds distances: use metric='precomputed'"):
        MDS().fit(DistanceMatrix(D, "abcdef"))


@pytest.mark.parametrize("kind", [networkx.Graph, networkx.DiGraph])
@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_a_networkx_graph_is_told_how_to_become_distances(kind, metric):
    graph = networkx.cycle_graph(6, create_using=kind)
    with pytest.raises(TypeError, match=r"a networkx graph, .*networkx.floyd_warshall_numpy"):
        MDS(metric=metric).fit(graph)
    with pytest.raises(TypeError, match="a networkx graph"):
        place_center(graph)


def test_the_advice_for_graphs_works():
    graph = networkx.cycle_graph(6)
    paths = networkx.floyd_warshall_numpy(graph)
    assert PRECOMPUTED.fit_transform(paths).shape == (6, 2)


@pytest.mark.parametrize(
    ("given", "says"),
    [(AnnData(), r"an AnnData object, .*adata.obsm\['X_pca'\]"), (Graph(), r"g\.distances\(")],
    ids=["AnnData", "igraph"],
)
@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_other_objects_are_told_what_to_write(given, says, metric):
    with pytest.raises(TypeError, match=says):
        MDS(metric=metric).fit(given)


STACKS = {
    "array": np.stack([D] * 12),
    "list of arrays": [D] * 12,
    "list of lists": [D.tolist()] * 12,
    "list of frames": [pd.DataFrame(D)] * 12,
}


@pytest.mark.parametrize("stack", STACKS.values(), ids=list(STACKS))
def test_a_stack_of_tables_is_told_what_to_do(stack):
    with pytest.raises(ValueError, match=r"D is a stack of 12 tables of 6 × 6, .*nanmean"):
        PRECOMPUTED.fit(stack)
    with pytest.raises(ValueError, match=r"D is a stack of 12 tables of 6 × 6, .*nanmean"):
        place_center(stack)
    with pytest.raises(ValueError, match=r"X has three dimensions, 12 × 6 × 6, .*\(12, -1\)"):
        MDS().fit(stack)


def test_the_advice_for_stacks_works():
    stack = np.stack([D] * 12)
    assert PRECOMPUTED.fit_transform(np.nanmean(stack, axis=0)).shape == (N, 2)
    X = np.random.default_rng(0).normal(size=(12, 6, 6))
    assert MDS(random_state=0).fit_transform(np.reshape(X, (12, -1))).shape == (12, 2)


def test_a_dict_of_path_lengths_and_a_sparse_matrix_say_what_to_write():
    graph = networkx.karate_club_graph()
    paths = dict(networkx.all_pairs_shortest_path_length(graph))
    sparse = networkx.to_scipy_sparse_array(graph)
    for estimator in (MDS(metric="precomputed"), MDS(), LandmarkMDS()):
        with pytest.raises(TypeError, match=r"is a dict, .*pandas.DataFrame\(dict\(paths\)\)"):
            estimator.fit(paths)
        with pytest.raises(TypeError, match=r"a sparse matrix, .*csgraph.shortest_path\(A"):
            estimator.fit(sparse)
    with pytest.raises(TypeError, match="is a dict"):
        place_center(paths)
    D = pd.DataFrame(dict(paths))
    mds = MDS(metric="precomputed", n_init=1, random_state=0).fit(D.loc[D.columns])
    assert list(mds.labels_) == list(graph)
