"""GraphML: a graph in XML."""

from __future__ import annotations

import io
from typing import Any
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.extras import require
from unimds.files.errors import FileError
from unimds.files.formats.content import Content

Graph = tuple[list[str], tuple[list[str], list[str]], NDArray[np.float64]]

LENGTHS = ("length", "distance", "weight")
NAMES = ("label", "name")
DEEPEST = 100  # GraphML nests a handful of levels


def read_graphml(content: Content) -> Graph:
    """Return a graph: the labels of its nodes, and the two ends and the length of every edge.

    The length of an edge is its attribute "length", "distance" or "weight", or 1. The label of a
    node is its attribute "label" or "name" if these are unique, else its id.
    """
    networkx = require("networkx", "files")
    content.check_growth(len(content.data), 32, "a GraphML file")
    _check_xml(content)
    with content.guarded("the GraphML file"):
        graph = networkx.read_graphml(io.BytesIO(content.data))
        labels = _labels(graph)
        edges = list(graph.edges(data=True))
        lengths = [_length(content, labels, *edge) for edge in edges]
    if not labels:
        raise content.error("the graph has no nodes")
    ends = [labels[a] for a, _, _ in edges], [labels[b] for _, b, _ in edges]
    return list(labels.values()), ends, np.array(lengths, dtype=np.float64)


def _labels(graph: Any) -> dict[Any, str]:
    for name in NAMES:
        labels = {node: str(data[name]) for node, data in graph.nodes(data=True) if name in data}
        if len(labels) == len(set(labels.values())) == graph.number_of_nodes():
            return labels
    return {node: str(node) for node in graph.nodes}


def _length(
    content: Content, labels: dict[Any, str], a: Any, b: Any, data: dict[str, Any]
) -> float:
    value = next((data[name] for name in LENGTHS if name in data), 1.0)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise content.error(
            f"the edge between {labels[a]!r} and {labels[b]!r} has the length {value!r}, which is "
            "not a number"
        ) from None


def _check_xml(content: Content) -> None:
    """Raise on malformed XML, on entities that may unfold without end, and on deep nesting."""
    parser, depth, nodes = expat.ParserCreate(), 0, 0

    def doctype(*_: Any) -> None:
        raise content.error(
            "declares a document type, whose entities could unfold without end; GraphML needs "
            "none: remove the DOCTYPE",
            parser.CurrentLineNumber,
        )

    def start(name: str, _: Any) -> None:
        nonlocal depth, nodes
        if depth == 0 and name.rpartition(":")[2] != "graphml":
            raise content.error(f"is XML, but its root is <{name}>, not <graphml>")
        depth += 1
        nodes += name.endswith("node")
        if depth > DEEPEST:
            raise content.error("its elements are nested too deeply", parser.CurrentLineNumber)

    def end(_: str) -> None:
        nonlocal depth
        depth -= 1

    parser.StartDoctypeDeclHandler = doctype
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    try:
        parser.Parse(content.data, True)
    except expat.ExpatError as error:
        raise content.error(
            f"is malformed XML, or is cut off: {expat.ErrorString(error.code)}",
            error.lineno,
            error.offset + 1,
        ) from None
    except FileError:
        raise
    except (LookupError, ValueError) as error:
        raise content.error(f"has an unknown encoding: {error}") from None
    content.check_room(nodes, "nodes")
