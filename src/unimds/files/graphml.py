"""GraphML: a graph in XML, whose shortest paths are the distances."""

from __future__ import annotations

import io
from typing import Any
from xml.parsers import expat

import numpy as np

from unimds._runtime.extras import require
from unimds.files.errors import FileError
from unimds.files.lists import Links, from_edges
from unimds.files.source import Source
from unimds.files.table import Table

LENGTHS = ("length", "distance", "weight")
NAMES = ("label", "name")
DEEPEST = 100  # GraphML nests a handful of levels


def from_graphml(source: Source) -> Table:
    """Make a table of the shortest paths of a graph.

    The length of an edge is its attribute "length", "distance" or "weight", or 1. The label of a
    node is its attribute "label" or "name" where these are unique, else its id.
    """
    networkx = require("networkx", "files")
    source.check_growth(len(source.data), 32, "a GraphML file")
    _check_xml(source)
    with source.guarded("the GraphML file"):
        graph = networkx.read_graphml(io.BytesIO(source.data))
        nodes = _labels(graph)
        ends = list(graph.edges(data=True))
        lengths = [_length(source, nodes, *edge) for edge in ends]
    if not nodes:
        raise source.error("the graph has no nodes")
    links = Links(
        source,
        ([nodes[a] for a, _, _ in ends], [nodes[b] for _, b, _ in ends]),
        np.array(lengths, dtype=np.float64),
    )
    return from_edges(links, "graphml", list(nodes.values()))


def _labels(graph: Any) -> dict[Any, str]:
    for name in NAMES:
        labels = {node: str(data[name]) for node, data in graph.nodes(data=True) if name in data}
        if len(labels) == len(set(labels.values())) == graph.number_of_nodes():
            return labels
    return {node: str(node) for node in graph.nodes}


def _length(source: Source, labels: dict[Any, str], a: Any, b: Any, data: dict[str, Any]) -> float:
    value = next((data[name] for name in LENGTHS if name in data), 1.0)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise source.error(
            f"the edge between {labels[a]!r} and {labels[b]!r} has the length {value!r}, which is "
            "not a number"
        ) from None


def _check_xml(source: Source) -> None:
    """Refuse what is not well-formed, entities that unfold without end, and a bottomless nest."""
    parser, depth, nodes = expat.ParserCreate(), 0, 0

    def doctype(*_: Any) -> None:
        raise source.error(
            "declares a document type; entities in it could unfold without end, and GraphML needs "
            "none: remove the DOCTYPE",
            parser.CurrentLineNumber,
        )

    def start(name: str, _: Any) -> None:
        nonlocal depth, nodes
        if depth == 0 and name.rpartition(":")[2] != "graphml":
            raise source.error(f"is XML, but of <{name}> and not of <graphml>")
        depth += 1
        nodes += name.endswith("node")
        if depth > DEEPEST:
            raise source.error("its elements are nested too deeply", parser.CurrentLineNumber)

    def end(_: str) -> None:
        nonlocal depth
        depth -= 1

    parser.StartDoctypeDeclHandler = doctype
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    try:
        parser.Parse(source.data, True)
    except expat.ExpatError as error:
        raise source.error(
            f"is no well-formed XML, or is cut off: {expat.ErrorString(error.code)}",
            error.lineno,
            error.offset + 1,
        ) from None
    except FileError:
        raise
    except (LookupError, ValueError) as error:
        raise source.error(f"is in an encoding that is not known: {error}") from None
    source.check_room(nodes, "nodes")
