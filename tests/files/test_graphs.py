"""Graphs: lists of edges, GraphML, GEXF, GML, node-link JSON; lengths, strengths and attributes."""

import json

import networkx as nx
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from unimds import MDS
from unimds.files import AdjacencyWarning, FileError, FileWarning, read
from unimds.spaces import distances

ABC = ["a", "b", "c"]
NAN = float("nan")
FORMATS = {
    "graphml": nx.write_graphml,
    "gexf": nx.write_gexf,
    "gml": nx.write_gml,
    "json": lambda graph, path: path.write_text(
        json.dumps(nx.node_link_data(graph, edges="links"))
    ),
}


@pytest.fixture
def put(tmp_path):
    """Write a file by hand, and read it."""

    def read_back(content, name="graph", **options):
        path = tmp_path / name
        path.write_text(content)
        return read(path, **options)

    return read_back


def towns(**edge):
    graph = nx.Graph()
    graph.add_node("n0", label="Ulm", country="DE", people=0.13, coast=False)
    graph.add_node("n1", label="Bonn", country="DE", people=0.33, coast=False)
    graph.add_node("n2", label="Kiel", country="DE", coast=True)
    graph.add_node("n3", label="Linz & Wels", country="AT", people=0.21, coast=False)
    graph.add_edge("n0", "n1", **edge)
    graph.add_edge("n1", "n2", **{name: 2 * value for name, value in edge.items()})
    return graph


@pytest.mark.parametrize(
    ("content", "values"),
    [
        ("a b\nb c\n", [[0, 1, 2], [1, 0, 1], [2, 1, 0]]),
        ("source,target,cost\na,b,1\nb,c,0\na,b,4\n", [[0, 1, 1], [1, 0, 0], [1, 0, 0]]),
        ("from\tto\tlength\na\tb\t1.5\nc\tc\t9\n", [[0, 1.5, NAN], [1.5, 0, NAN], [NAN, NAN, 0]]),
    ],
)
def test_lists_of_edges(put, content, values):
    table = put(content)
    assert (table.kind, table.labels) == ("graph", ABC)
    assert_array_equal(table.values, values)
    pairs = {tuple(pair) for pair in table.edges.tolist()}
    assert pairs == ({(0, 1)} if "length" in content else {(0, 1), (1, 2)})


def test_an_unconnected_graph_is_told_downstream(put):
    table = put("a b\nb c\nx y\n")
    with pytest.raises(ValueError, match="2 groups"):
        MDS(metric="precomputed").fit(table.values)


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_with_the_attributes_of_its_nodes(tmp_path, form):
    graph = towns(length=2.5)
    if form == "gml":
        graph = nx.relabel_nodes(graph, nx.get_node_attributes(graph, "label"))
        for _, attributes in graph.nodes(data=True):
            attributes.pop("label", None)
            attributes["coast"] = str(attributes["coast"]).lower()
    FORMATS[form](graph, tmp_path / "graph")
    table = read(tmp_path / "graph")
    assert (table.kind, table.format) == ("graph", form)
    assert table.labels == ["Ulm", "Bonn", "Kiel", "Linz & Wels"]
    assert_array_equal(table.values[0], [0.0, 2.5, 7.5, NAN])
    assert_array_equal(table.edges, [[0, 1], [1, 2]])
    assert table.columns["country"] == ["DE", "DE", "DE", "AT"]
    assert_array_equal(table.columns["people"], [0.13, 0.33, NAN, 0.21])
    assert table.columns["coast"] == ["false", "false", "true", "false"]
    assert set(table.columns) == {"country", "people", "coast"}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", ["karate_club_graph", "les_miserables_graph"])
def test_graphs_of_networkx(tmp_path, form, name):
    graph = getattr(nx, name)()
    path = tmp_path / "graph"
    FORMATS[form](graph, path)
    table = read(path, weight="none")
    at = {str(node): i for i, node in enumerate(graph)}
    order = [at[label] for label in table.labels]
    assert_array_equal(table.values, nx.floyd_warshall_numpy(graph, weight=None)[order][:, order])
    assert len(table.edges) == graph.number_of_edges()
    for _, _, data in graph.edges(data=True):
        data["far"] = 1.0 / data["weight"]
    expected = nx.floyd_warshall_numpy(graph, weight="far")[order][:, order]
    assert_allclose(read(path, weight="strength").values, expected)


def test_what_a_weight_was_taken_for_is_said(put):
    content = "source,target,weight\na,b,4\nb,c,0\n"
    with pytest.warns(FileWarning) as told:
        table = put(content)
    assert_array_equal(table.values, [[0, 4, 4], [4, 0, 0], [4, 0, 0]])
    message = str(told[0].message)
    assert "the 'weight' of an edge was taken as its length" in message
    assert all(f"weight='{choice}'" in message for choice in ("strength", "length", "none"))
    assert told[0].filename == __file__
    assert_array_equal(put(content, weight="length").values, table.values)
    assert_array_equal(put(content, weight="none").values, [[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    strong = put(content, weight="strength")  # without strength there is no edge
    assert_array_equal(strong.values, [[0, 0.25, NAN], [0.25, 0, NAN], [NAN, NAN, 0]])
    assert_array_equal(strong.edges, [[0, 1]])
    with pytest.warns(FileWarning, match="the third column was taken as the length"):
        put("a b 3\n", "x.edges")
    assert put("a b 4\n", "x.edges", weight="strength").values[0, 1] == 0.25


@pytest.mark.parametrize("form", FORMATS)
def test_the_weight_of_every_format(tmp_path, form):
    path = tmp_path / "graph"
    FORMATS[form](towns(weight=4.0), path)
    with pytest.warns(FileWarning, match="taken as its length"):
        assert read(path).values[0, 1] == 4.0
    assert read(path, weight="strength").values[0, 1] == 0.25
    FORMATS[form](towns(weight=4.0, distance=3.0), path)
    assert read(path).values[0, 1] == 3.0
    assert read(path, weight="strength").values[0, 1] == 0.25


@pytest.mark.parametrize(
    ("content", "weight", "problem"),
    [
        ("source,target\na,b\n", "strength", "the edges have no strength; .*weight='none'"),
        ("source,target,weight\na,b,-1\n", "strength", "line 2: -1 .* not the strength of an edge"),
        ("from,to,value\na,b,1\nb,c,2\n", "strength", "file holds pairs; .*kind='graph'"),
        ("x,y\n1,2\n2,4\n3,9\n", "none", "file holds points"),
        ("a b\n", "thick", "weight='thick' must be one of auto, length, strength, none"),
    ],
)
def test_weights_that_are_not_there(put, content, weight, problem):
    with pytest.raises(ValueError, match=problem):
        put(content, weight=weight)


def test_labels_and_columns_by_hand(put):
    gml = """
    # of a program
    Creator "by hand"
    graph [
      directed 0
      node [ id 1 label "a [1] #" graphics [ x 1.0 y 2.0 ] ]
      node [ id 2 label "b &amp; &#228;" size 3 ]
      edge [ source 1 target 2 value 2 ]
    ]
    """
    with pytest.warns(FileWarning, match="'value'"):
        table = put(gml)
    assert (table.format, table.labels) == ("gml", ["a [1] #", "b & ä"])
    assert_array_equal(table.columns["size"], [NAN, 3.0])
    nodes, links = '[{"name": "a", "group": 1}, {"name": "b"}]', '[{"source": 0, "target": 1}]'
    table = put(f'{{"nodes": {nodes}, "links": {links}}}')  # as D3 has it
    assert (table.format, table.labels) == ("json", ["a", "b"])
    assert_array_equal(table.columns["group"], [1.0, NAN])
    same = put('{"nodes": [{"id": 1, "name": "a"}, {"id": 2, "name": "a"}], "edges": []}')
    assert (same.labels, same.columns["name"]) == (["1", "2"], ["a", "a"])
    grid = json.dumps(nx.node_link_data(nx.grid_2d_graph(2, 2), edges="links"))
    assert put(grid).labels == ["(0, 0)", "(0, 1)", "(1, 0)", "(1, 1)"]
    yed = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://y.org/">
      <key id="d0" for="node" yfiles.type="nodegraphics"/>
      <graph edgedefault="undirected">
        <node id="n0"><data key="d0"><y:Node><y:NodeLabel>Ulm</y:NodeLabel></y:Node></data></node>
        <node id="n1"><data key="d0"><y:Node><y:NodeLabel>Bonn</y:NodeLabel></y:Node></data></node>
        <edge source="n0" target="n1"/>
      </graph></graphml>"""
    assert put(yed).labels == ["Ulm", "Bonn"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("graph [\n node [ id 1 ]\n", "line 2: is cut off"),
        ("Version 1\ngraph\n[\n node [ id 1 ]\n", "line 4: is cut off"),
        ("digraph towns {\n Ulm -> Bonn;\n}", "a graph in DOT, .* save it as GraphML or GML"),
        ("graph {\n Ulm -- Bonn;\n}", "a graph in DOT"),
        ("*Vertices 2\n1 a\n2 b\n*Edges\n1 2\n", "a graph in Pajek's format"),
        ("graph [\n node [ name 'a' ]\n]", "line 2: \"'a'\" is neither a number nor a text"),
        ('graph [\n node [ label "a ]\n]', "line 2: the quotes do not match"),
        ('graph [\n node [ label "a" ]\n]', "line 2: a node has no 'id'"),
        ("graph [\n edge [ source 1 ]\n]", "line 2: an edge has no 'source' or no 'target'"),
        ("graph [\n ] ]", "line 2: a ']' closes nothing"),
        ("graph [ ]", "the graph has no nodes"),
        ("graph [ node 3 ]", "is a list in brackets"),
        ("graph [ [ ] ]", "a key was expected"),
        ('{"nodes": [3], "links": []}', "node 1 is not an object"),
        ('{"nodes": [{"id": 1}], "links": [{"source": 1}]}', "link 1 has no 'target'"),
        ('{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 7}]}', "its target, 7, is not"),
        ('{"nodes": [{"id": 1}, {"id": "1"}], "links": []}', "two nodes have the same id"),
        ('{"nodes": [{"id": [[]]}], "links": []}', "node 1 cannot be read"),
        ('{"x": {"0": 1}}', r"'nodes' and 'links'.* to_json\(orient='records'\)"),
        ("<gexf><graph><nodes><node/></nodes></graph></gexf>", "a node has no 'id'"),
        ("<gexf><graph><edges><edge/></edges></graph></gexf>", "an edge has no 'source'"),
        ("<graphml><graph><node/></graph></graphml>", "a node has no 'id'"),
        ("<graphml><graph><node id='a'/><hyperedge/></graph></graphml>", "hyperedges"),
        ('<!DOCTYPE gexf [<!ENTITY a "b">]><gexf/>', "GEXF needs none: remove the DOCTYPE"),
    ],
)
def test_broken_graphs(put, content, problem):
    with pytest.raises(FileError, match=problem):
        put(content)


def test_kinds_and_formats_that_do_not_fit(put):
    with pytest.raises(FileError, match="GML is always of the kind 'graph', not 'points'"):
        put("graph [ node [ id 1 ] ]", kind="points")
    with pytest.raises(
        FileError, match="its root is <gexf>; graphs begin with <graphml> or <gexf>"
    ):
        put("<gexf/>", format="graphml")
    assert put("graph [ node [ id 1 ] ]", format="gml").labels == ["1"]
    length = (
        '<graphml><key id="w" for="edge" attr.name="length"/><graph><node id="a"/><node id="b"/>'
    )
    edge = '<edge source="a" target="b"><data key="w">far</data></edge></graph></graphml>'
    with pytest.raises(FileError, match="between 'a' and 'b' has the length 'far', which is not"):
        put(length + edge)


def test_a_column_called_graph_is_none(put):
    table = put("graph\n1\n2\n3\n", kind="points")
    assert (table.kind, table.features) == ("points", ["graph"])


def test_a_graph_becomes_a_map(tmp_path):
    graph = nx.karate_club_graph()
    nx.write_gml(graph, tmp_path / "club.gml")
    table = read(tmp_path / "club.gml", weight="none")
    mds = MDS(metric="precomputed", random_state=0).fit(table.values)
    assert mds.embedding_.shape == (34, 2)
    assert set(table.columns["club"]) == {"Mr. Hi", "Officer"}
    assert np.isfinite(mds.stress_)


# --- directions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS)
def test_a_directed_graph_is_said_to_lose_its_directions(tmp_path, form):
    graph = nx.DiGraph([("a", "b"), ("b", "c"), ("c", "b")])
    path = tmp_path / f"graph.{form}"
    FORMATS[form](graph, path)
    with pytest.warns(FileWarning, match="directed, and its edges were taken both ways") as told:
        table = read(path)
    assert len(told) == 1
    assert_array_equal(table.values, [[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    graph.add_edge("b", "a")  # now every edge goes both ways
    FORMATS[form](graph, path)
    assert_array_equal(read(path).values, table.values)


def test_of_two_directions_the_shorter_counts_and_a_warning_says_so(put):
    with pytest.warns(FileWarning, match=r"between 'b' and 'c', of length 2 and 5, the shorter"):
        table = put("source,target,length\na,b,1\nb,c,2\nc,b,5\n")
    assert table.values[1, 2] == 2.0
    put("source,target,length\na,b,1\nb,c,2\nc,b,2\n")  # no warning: they would be errors


def test_a_matrix_with_edges_that_go_one_way_is_directed(put):
    with pytest.warns(FileWarning, match="directed, and its edges were taken both ways"):
        put("0 1 0\n0 0 1\n0 1 0\n", kind="graph")
    assert put("0 1 0\n0 0 1\n0 0 0\n", kind="graph").values[0, 2] == 2.0  # a triangle


def test_the_column_type_of_gephi_says_which_edges_are_directed(put):
    edges = "Source,Target,Type,Id,Label,Weight\na,b,{0},0,,1\nb,c,{0},1,,2\n"
    with pytest.warns(FileWarning, match="directed, and its edges were taken both ways"):
        put(edges.format("Directed"), weight="length")
    put(edges.format("Undirected"), weight="length")  # no warning: they would be errors
    put(edges.format("road"), weight="length")
    put("source,target,type\na,b,Directed\nb,a,Directed\n")  # both ways


def test_in_json_too_the_column_type_says_which_edges_are_directed(put):
    edges = [{"source": "a", "target": "b", "type": "Directed"}]
    with pytest.warns(FileWarning, match="directed, and its edges were taken both ways"):
        put(json.dumps(edges), "edges.json")


@pytest.mark.parametrize("weight", ["length", "strength", "none"])
def test_a_table_says_what_the_weights_of_edges_were_taken_for(put, tmp_path, weight):
    assert put("source,target,weight\na,b,2\n", weight=weight).edge_weights == weight
    nx.write_gml(nx.Graph([("a", "b", {"weight": 2})]), tmp_path / "g.gml")
    assert read(tmp_path / "g.gml", weight=weight).edge_weights == weight
    assert put("0 2 3\n2 0 2\n3 2 0\n", kind="graph", weight=weight).edge_weights == weight
    assert put("source,target\na,b\n").edge_weights == "none"
    assert put("source,target,distance\na,b,1\n").edge_weights is None


# --- parts ----------------------------------------------------------------------------------------


def test_the_largest_part_is_kept_and_the_rest_is_named(tmp_path):
    graph = nx.Graph([("p", "q"), ("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    nx.set_node_attributes(graph, {name: name.upper() for name in graph}, "big")
    nx.set_node_attributes(graph, {name: float(ord(name)) for name in graph}, "code")
    nx.write_graphml(graph, tmp_path / "g.graphml")
    with pytest.warns(FileWarning, match=r"4 of 6 points, and left out 2: 'p', 'q'"):
        table = read(tmp_path / "g.graphml", part="largest")
    assert table.labels == ["a", "b", "c", "d"]
    assert table.columns["big"] == ["A", "B", "C", "D"]
    assert list(table.columns["code"]) == [97, 98, 99, 100]
    assert_array_equal(table.values[0], [0, 1, 2, 1])
    pairs = {frozenset(pair) for pair in table.edges.tolist()}
    assert pairs == {frozenset(pair) for pair in [(0, 1), (1, 2), (2, 3), (3, 0)]}


def test_the_largest_part_of_pairs_keeps_its_weights(put):
    pairs = "source,target,distance,weight\np,q,1,1\na,b,2,3\nb,c,4,5\n"
    with pytest.warns(FileWarning, match="kept the largest part"):
        table = put(pairs, part="largest", kind="pairs")
    assert table.weights[0, 1] == 3.0
    assert table.values[1, 2] == 4.0
    assert put("a b\nb c\n", part="largest").n == 3  # nothing is left out, nothing is said
    with pytest.raises(ValueError, match="part='small' must be one of all, largest"):
        put(pairs, part="small")


def test_a_graph_that_is_too_large_says_what_landmarks_need(put):
    path = "".join(f"{i} {i + 1}\n" for i in range(200))
    with pytest.raises(FileError, match=r"Landmarks do not help: shortest paths .* whole table"):
        put(path, "path.edges", max_bytes=200_000)


# --- which number of an edge is its length --------------------------------------------------------

ROADS = """\
graph [
  node [ id 1 label "Ulm" ] node [ id 2 label "Bonn" ] node [ id 3 label "Kiel" ]
  edge [ source 1 target 2 id 7 minutes 30 toll 1.5 kind "road" ]
  edge [ source 2 target 3 id 8 minutes 40 toll 2.5 kind "rail" ]
]
"""


@pytest.fixture(params=["gml", "csv", "json"])
def roads(request, tmp_path):
    """Edges whose numbers have names of their own, in several formats."""
    path = tmp_path / f"roads.{request.param}"
    ends = [("Ulm", "Bonn", 30, 1.5), ("Bonn", "Kiel", 40, 2.5)]
    if request.param == "gml":
        path.write_text(ROADS)
    elif request.param == "csv":
        rows = "".join(f"{a},{b},{m},{t}\n" for a, b, m, t in ends)
        path.write_text(f"source,target,minutes,toll\n{rows}")
    else:
        names = ("source", "target", "minutes", "toll")
        path.write_text(json.dumps([dict(zip(names, row, strict=True)) for row in ends]))
    return path


def test_numbers_of_edges_that_are_not_used_are_told(roads):
    told = (
        r"every edge has the length 1, and 'minutes' and 'toll' are not used; .*columns='minutes'"
    )
    with pytest.warns(FileWarning, match=told):
        assert read(roads).values[0, 2] == 2.0


def test_the_number_that_is_the_length_is_chosen(roads):
    assert read(roads, columns="minutes", weight="length").values[0, 2] == 70.0
    found = read(roads, columns="toll", weight="strength")
    assert found.values[0, 2] == pytest.approx(1 / 1.5 + 1 / 2.5)
    with pytest.warns(FileWarning, match="the 'minutes' of an edge was taken as its length"):
        assert read(roads, columns="minutes").values[0, 2] == 70.0
    with pytest.raises(FileError, match=r"edges have no 'km'; what they have is .*'minutes'"):
        read(roads, columns="km")
    with pytest.raises(FileError, match="'minutes' and 'toll' are chosen; name one"):
        read(roads, columns=["minutes", "toll"])


def test_an_attribute_that_is_dropped_is_no_length(tmp_path):
    path = tmp_path / "e.csv"
    path.write_text("source,target,length,weight\na,b,3,9\nb,c,4,9\n")
    assert read(path, drop="length", weight="length").values[0, 2] == 18.0


@pytest.mark.parametrize(
    "columns", ["modularity_class,Degree", "timeset", "timeset,weighted degree", "PageRanks"]
)
def test_gephis_table_of_nodes_is_no_table_of_points(tmp_path, columns):
    path = tmp_path / "nodes.csv"
    rows = "".join(f"{i},n{i}" + f",{i % 3}" * (columns.count(",") + 1) + "\n" for i in range(5))
    path.write_text(f"Id,Label,{columns}\n{rows}")
    with pytest.raises(FileError, match=r"the nodes of a graph, as Gephi saves it.*of its edges"):
        read(path)
    assert read(path, kind="points").n == 5


def test_a_table_of_nodes_with_columns_of_its_own_is_doubtful(tmp_path):
    path = tmp_path / "nodes.csv"
    path.write_text("Id,Label,height\n1,a,3\n2,b,5\n3,c,4\n")
    with pytest.warns(FileWarning, match="if they are the nodes of a graph, as Gephi saves them"):
        read(path)
    path.write_text("id,label,height\n1,a,3\n2,b,5\n3,c,4\n")
    assert read(path).kind == "points"


def test_an_adjacency_matrix_in_python_is_doubtful():
    rng = np.random.default_rng(0)
    A = np.triu(rng.random((20, 20)) < 0.3, 1).astype(float)
    A += A.T
    with pytest.warns(AdjacencyWarning, match=r"if this is the adjacency matrix .*from_graph\(A"):
        MDS(metric="precomputed", n_init=1, eps=1e-3).fit(A)
    twice = np.repeat(np.repeat(distances(rng.normal(size=(5, 2))), 2, 0), 2, 1)
    MDS(metric="precomputed", n_init=1).fit(twice)  # points in one place have the same distances
