"""GraphML: a graph in XML, whose attributes are declared as keys."""

from __future__ import annotations

from typing import NamedTuple
from xml.etree.ElementTree import Element

from unimds.files.formats.content import Content
from unimds.files.formats.graphs.graph import Attributes, Graph, typed
from unimds.files.formats.graphs.xml import below, inside, root_of


class _Key(NamedTuple):
    name: str
    kind: str
    default: str | None


def read_graphml(content: Content) -> Graph:
    """Return the graph of a GraphML file."""
    root = root_of(content, "graphml")
    nodes, edges = _keys(root, "node"), _keys(root, "edge")
    declared = [one.get("edgedefault") == "directed" for one in below(root, "graph")]
    graph = Graph(directed=any(declared))
    for node in below(root, "node"):
        graph.nodes[_named(content, node, "id")] = _attributes(node, nodes)
    for edge in below(root, "edge"):
        a, b = (_named(content, edge, end) for end in ("source", "target"))
        graph.join(a, b, _attributes(edge, edges))
    if next(below(root, "hyperedge"), None) is not None:
        raise content.error("has hyperedges, which join more than two nodes; use edges instead")
    return graph


def _keys(root: Element, about: str) -> dict[str, _Key]:
    """Return the declared attributes of nodes or of edges, by their ids."""
    keys = {}
    for key in below(root, "key"):
        if key.get("for", "all") in (about, "all"):
            default = next(inside(key, "default"), None)
            name, kind = key.get("attr.name", key.get("id", "")), key.get("attr.type", "string")
            keys[key.get("id", "")] = _Key(name, kind, None if default is None else default.text)
    return keys


def _attributes(element: Element, keys: dict[str, _Key]) -> Attributes:
    found = {key.name: typed(key.default, key.kind) for key in keys.values() if key.default}
    for data in inside(element, "data"):
        key = keys.get(data.get("key", ""))
        if key is not None and data.text and data.text.strip():
            found[key.name] = typed(data.text.strip(), key.kind)
        for label in below(data, "NodeLabel"):  # as yEd draws it
            found.setdefault("label", "".join(label.itertext()).strip())
    return found


def _named(content: Content, element: Element, attribute: str) -> str:
    value = element.get(attribute)
    if value is None:
        what = "a node" if attribute == "id" else "an edge"
        raise content.error(f"{what} has no {attribute!r}; is the file complete?")
    return value
