"""Graphs of networkx and igraph, and matrices of edges: lengths of shortest paths, with names."""

import sys
from types import SimpleNamespace

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from unimds import MDS, LandmarkMDS, MDSSearchCV, models, place_center
from unimds.dissimilarity import from_graph
from unimds.quality import stress_1
from unimds.report import report
from unimds.trust import bootstrap, jackknife

QUICK = {"n_init": 1, "random_state": 0}
ROADS = [("Ulm", "Bonn", 3.0), ("Bonn", "Kiel", 5.0), ("Ulm", "Kiel", 9.0), ("Kiel", "Oslo", 2.0)]
CYCLE = nx.cycle_graph(list("abcdefgh"))


def roads(kind=nx.Graph):
    graph = kind()
    graph.add_weighted_edges_from(ROADS)
    return graph


def in_igraph(graph, **attributes):
    return igraph.Graph.TupleList([edge[:2] for edge in graph.edges], **attributes)


@pytest.mark.parametrize("kind", [MDS, LandmarkMDS])
@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_a_graph_is_mapped_by_its_shortest_paths(kind, metric):
    mds = kind(metric=metric, **QUICK).fit(CYCLE)
    paths = nx.floyd_warshall_numpy(CYCLE)
    plain = kind(metric="precomputed", **QUICK).fit(paths)
    np.testing.assert_array_equal(mds.embedding_, plain.embedding_)
    assert mds.labels_.tolist() == list("abcdefgh")
    assert (mds.metric, mds.metric_) == (metric, "precomputed")
    np.testing.assert_array_equal(mds.transform(paths[:2]), plain.transform(paths[:2]))
    new = pd.DataFrame(paths[:2], columns=list("abcdefgh"))[list("hgfedcba")]
    np.testing.assert_array_equal(mds.transform(new), plain.transform(paths[:2]))


def test_a_graph_of_igraph_is_the_same_graph():
    given = in_igraph(CYCLE)
    mds = MDS(**QUICK).fit(given)
    assert mds.labels_.tolist() == given.vs["name"]
    np.testing.assert_array_equal(mds.dissimilarity_matrix_, np.array(given.distances()))
    nameless = igraph.Graph.Ring(8)
    assert MDS(**QUICK).fit(nameless).labels_ is None
    assert isinstance(from_graph(nameless), np.ndarray)


def test_a_graph_goes_into_all_that_takes_distances(tmp_path):
    paths = nx.floyd_warshall_numpy(CYCLE)
    result = place_center(CYCLE, **QUICK)
    np.testing.assert_array_equal(result.embedding, place_center(paths, **QUICK).embedding)
    assert stress_1(CYCLE, result.embedding) == stress_1(paths, result.embedding)
    mds = MDS(**QUICK).fit(CYCLE)
    assert jackknife(mds).labels == list("abcdefgh")
    assert jackknife(MDS(**QUICK), CYCLE).labels == list("abcdefgh")
    drawn = bootstrap(MDS(**QUICK), [CYCLE] * 5, n_maps=20, random_state=0)
    assert drawn.labels == list("abcdefgh")
    assert "precomputed" in report(mds)
    search = MDSSearchCV(MDS(**QUICK), {"n_components": [1, 2]}, cv=3, random_state=0).fit(CYCLE)
    assert search.labels_.tolist() == list("abcdefgh")
    models.save(mds, tmp_path / "ring.unimds")
    again = models.load(tmp_path / "ring.unimds")
    assert (again.metric_, again.labels_.tolist()) == ("precomputed", list("abcdefgh"))
    np.testing.assert_array_equal(again.transform(paths[:2]), mds.transform(paths[:2]))


def test_a_report_matches_a_graph_with_the_map_by_name():
    turned = nx.Graph()
    turned.add_nodes_from("hgfedcba")
    turned.add_edges_from(CYCLE.edges)
    result = MDS(**QUICK).fit(CYCLE)
    assert report(result, turned) == report(result, CYCLE)


def test_features_of_an_earlier_fit_are_forgotten():
    mds = MDS(**QUICK).fit(np.eye(5))
    mds.fit(CYCLE)
    assert jackknife(mds).labels == list("abcdefgh")
    assert mds.transform(nx.floyd_warshall_numpy(CYCLE)[:1]).shape == (1, 2)


@pytest.mark.parametrize("metric", ["cosine", "nan_euclidean", lambda a, b: 1.0])
def test_a_graph_contradicts_a_metric_of_features(metric):
    for estimator in (MDS(metric=metric), LandmarkMDS(metric=metric)):
        with pytest.raises(ValueError, match=r"a networkx graph, which holds distances, .* leave"):
            estimator.fit(CYCLE)


@pytest.mark.parametrize("name", ["weight", "length", "similarity", "distance"])
def test_numbers_of_edges_are_lengths_or_strengths_and_the_user_says_which(name):
    graph = roads()
    for *_, data in graph.edges(data=True):
        data[name] = data.pop("weight")
    ours = igraph.Graph.from_networkx(graph)
    for given_ in (graph, ours):
        with pytest.raises(ValueError, match=rf"'{name}', .*weight='{name}'\) if .*strength=True"):
            MDS().fit(given_)
        with pytest.raises(ValueError, match="a length or a strength"):
            place_center(given_)


def test_numbers_that_are_all_one_are_no_numbers():
    graph = nx.cycle_graph(5)
    nx.set_edge_attributes(graph, 1, "weight")
    nx.set_edge_attributes(graph, "red", "color")
    assert MDS(**QUICK).fit(graph).labels_.tolist() == [0, 1, 2, 3, 4]


def test_lengths_strengths_and_edges():
    order = ["Ulm", "Bonn", "Kiel", "Oslo"]
    lengths = from_graph(roads(), weight="weight")
    assert lengths.index.tolist() == lengths.columns.tolist() == order
    assert lengths.loc["Ulm"].tolist() == [0.0, 3.0, 8.0, 10.0]
    assert from_graph(roads()).loc["Ulm"].tolist() == [0.0, 1.0, 1.0, 2.0]
    strong = from_graph(roads(), weight="weight", strength=True)
    np.testing.assert_allclose(strong.loc["Ulm"], [0.0, 1 / 9 + 1 / 5, 1 / 9, 1 / 9 + 1 / 2])
    ours = igraph.Graph.from_networkx(roads())
    ours.vs["name"] = ours.vs["_nx_name"]
    pd.testing.assert_frame_equal(from_graph(ours, weight="weight"), lengths)
    mds = MDS(metric="precomputed", **QUICK).fit(lengths)
    assert mds.labels_.tolist() == order


def test_parallel_edges_loops_and_edges_of_no_length():
    graph = nx.MultiGraph()
    graph.add_weighted_edges_from([(1, 2, 7.0), (1, 2, 4.0), (2, 2, 1.0), (2, 3, 0.0)])
    assert from_graph(graph, "weight").loc[1].tolist() == [0.0, 4.0, 4.0]
    none = nx.Graph([("a", "b", {"w": 0.0}), ("b", "c", {"w": 2.0}), ("a", "c", {"w": 1.0})])
    assert from_graph(none, "w", strength=True).loc["a"].tolist() == [0.0, 1.5, 1.0]


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (-1.0, r"the edge \('Ulm', 'Bonn'\) has a negative weight"),
        (np.inf, "infinite weight: remove"),
        (np.nan, "has no weight: set it for all edges"),
        (None, "has no weight"),
        ("far", "'far', which is not a number"),
        (10**400, "which is not a number"),
        (np.array([1.0, 2.0]), "which is not a number"),
    ],
)
def test_wrong_lengths_name_the_edge(value, says):
    graph = roads()
    graph["Ulm"]["Bonn"]["weight"] = value
    with pytest.raises(ValueError, match=says):
        from_graph(graph, weight="weight")


def test_wrong_calls_of_from_graph():
    with pytest.raises(ValueError, match="no edge has the attribute 'lenght'"):
        from_graph(roads(), weight="lenght")
    with pytest.raises(ValueError, match="strength=True needs the name"):
        from_graph(roads(), strength=True)
    for wrong in ({"a": 1}, "graph", np.zeros((2, 3))):
        with pytest.raises(TypeError, match="a graph of networkx or igraph is needed"):
            from_graph(wrong)
    for empty in (nx.Graph(), igraph.Graph(), np.zeros((0, 0))):
        with pytest.raises(ValueError, match="no nodes"):
            from_graph(empty)
    with pytest.raises(ValueError, match="no nodes"):
        MDS().fit(nx.Graph())
    arrays = nx.Graph([("a", "b", {"weight": np.array([1.0, 2.0])})])
    with pytest.raises(ValueError, match="edges have a 'weight'"):
        MDS().fit(arrays)


def test_a_matrix_of_edges_may_have_gaps_and_masks():
    edges = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 2.0], [0.0, 2.0, 0.0]])
    paths = from_graph(edges, weight="weight")
    masked = np.ma.masked_array(np.where(edges == 0.0, 0.1, edges), mask=edges == 0.0)
    np.testing.assert_array_equal(from_graph(masked, weight="weight"), paths)
    gaps = pd.DataFrame(edges, dtype="Float64").replace(0.0, pd.NA)
    np.testing.assert_array_equal(from_graph(gaps, weight="weight"), paths)
    with pytest.raises(ValueError, match="G has a column of text, 'from'"):
        from_graph(pd.DataFrame({"from": ["a", "b"], "to": ["b", "c"]}))
    with pytest.raises(ValueError, match="its rows differ in length"):
        from_graph([[0, 1], [1]])
    with pytest.raises(ValueError, match="G must hold real numbers"):
        from_graph(edges * 1j)


def test_a_directed_graph_says_what_to_write():
    one_way = nx.DiGraph([("a", "b"), ("b", "c"), ("c", "a")])
    for graph in (one_way, igraph.Graph.from_networkx(one_way)):
        with pytest.raises(ValueError, match=r"directed=False\) to ignore .*directed=True to keep"):
            MDS().fit(graph)
    assert from_graph(one_way, directed=False).loc["a"].tolist() == [0.0, 1.0, 1.0]
    assert from_graph(one_way, directed=True).loc["a"].tolist() == [0.0, 1.0, 2.0]


def test_a_graph_in_parts_names_them():
    graph = nx.Graph([("a", "b"), ("b", "c"), ("x", "y")])
    graph.add_node("alone")
    assert np.isnan(from_graph(graph).loc["a", "x"])
    says = r"3 groups .* 3, 2, 1 points \(the largest with 'a', the next with 'x'\) \('alone'"
    for fit in (MDS().fit, place_center):
        with pytest.raises(ValueError, match=says):
            fit(graph)
    with pytest.raises(ValueError, match="no known pair"):
        MDS().fit(nx.empty_graph(3))


def test_a_matrix_of_edges():
    A = nx.to_scipy_sparse_array(roads(), format="csr")
    order = list(roads())
    dense, frame = A.toarray(), pd.DataFrame(A.toarray(), index=order, columns=order)
    expected = from_graph(roads(), "weight").to_numpy()
    for matrix in (A, A.tocoo(), dense, dense.tolist(), np.where(dense == 0, np.nan, dense)):
        np.testing.assert_array_equal(from_graph(matrix, "weight"), expected)
    pd.testing.assert_frame_equal(from_graph(frame, "weight"), from_graph(roads(), "weight"))
    np.testing.assert_array_equal(from_graph(sp.triu(A)), from_graph(roads()).to_numpy())


def test_names_need_pandas_and_fits_do_not(monkeypatch):
    for name in ("pandas", "networkx", "igraph", "skbio", "anndata", "xarray", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"needs pandas: pip install 'unimds\[files\]'"):
        from_graph(CYCLE)
    assert MDS(**QUICK).fit(CYCLE).labels_.tolist() == list("abcdefgh")


def test_only_the_shape_of_an_object_counts():
    class Graph:
        """A class of this name in a package that nobody knows."""

        nodes = edges = ()

        def is_directed(self):
            return False

    with pytest.raises(TypeError):
        MDS().fit(Graph())
    with pytest.raises((TypeError, ValueError)):
        MDS().fit(SimpleNamespace(vs=(), es=()))


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 9), st.integers(0, 2**31), st.booleans())
def test_paths_are_those_of_networkx(n, seed, directed):
    graph = nx.gnp_random_graph(n, 0.4, seed=seed, directed=directed)
    rng = np.random.default_rng(seed)
    for *_, data in graph.edges(data=True):
        data["km"] = float(rng.integers(0, 5))
    expected = nx.floyd_warshall_numpy(graph, weight="km")
    expected[np.isinf(expected)] = np.nan
    found = from_graph(graph, "km", directed=directed or None)
    np.testing.assert_array_equal(found.to_numpy(), expected)
