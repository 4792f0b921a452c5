"""GEXF: a graph in XML, as Gephi writes it."""

from __future__ import annotations

from typing import NamedTuple
from xml.etree.ElementTree import Element

from unimds.files.formats.content import Content
from unimds.files.formats.graphs.graph import Attributes, Graph, typed
from unimds.files.formats.graphs.xml import below, inside, root_of


class _Attribute(NamedTuple):
    title: str
    kind: str
    default: str | None


def read_gexf(content: Content) -> Graph:
    """Return the graph of a GEXF file."""
    root = root_of(content, "gexf")
    nodes, edges = _declared(root, "node"), _declared(root, "edge")
    declared = [one.get("defaultedgetype") == "directed" for one in below(root, "graph")]
    graph = Graph(directed=any(declared))
    for node in below(root, "node"):
        if "id" not in node.attrib:
            raise content.error("a node has no 'id'; is the file complete?")
        label = {"label": node.attrib["label"]} if node.get("label") else {}
        graph.nodes[node.attrib["id"]] = {**label, **_values(node, nodes)}
    for edge in below(root, "edge"):
        if not {"source", "target"} <= edge.attrib.keys():
            raise content.error("an edge has no 'source' or no 'target'; is the file complete?")
        weight = edge.get("weight")
        own = {} if weight is None else {"weight": typed(weight, "float")}
        graph.join(edge.attrib["source"], edge.attrib["target"], {**own, **_values(edge, edges)})
    return graph


def _declared(root: Element, about: str) -> dict[str, _Attribute]:
    """Return the declared attributes of nodes or of edges, by their ids."""
    found = {}
    for group in below(root, "attributes"):
        if group.get("class") == about:
            for one in inside(group, "attribute"):
                default = next(inside(one, "default"), None)
                found[one.get("id", "")] = _Attribute(
                    one.get("title", one.get("id", "")),
                    one.get("type", "string"),
                    None if default is None else default.text,
                )
    return found


def _values(element: Element, declared: dict[str, _Attribute]) -> Attributes:
    found = {one.title: typed(one.default, one.kind) for one in declared.values() if one.default}
    for group in inside(element, "attvalues"):
        for value in inside(group, "attvalue"):
            one = declared.get(value.get("for", value.get("id", "")))
            if one is not None and value.get("value"):
                found[one.title] = typed(value.attrib["value"], one.kind)
    return found
