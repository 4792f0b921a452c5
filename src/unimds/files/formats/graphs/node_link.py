"""Node-link JSON: a graph as networkx and D3 write it."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from unimds.files.formats.content import Content
from unimds.files.formats.graphs.graph import Attributes, Graph

SCALARS = str | int | float | bool
LINKS = ("links", "edges")
IDS = ("id", "source", "target")


def graph_of_json(content: Content, found: dict[str, Any]) -> Graph:
    """Return the graph of a JSON object that holds nodes, and links or edges between them."""
    nodes = found.get("nodes")
    links = next((found[name] for name in LINKS if name in found), None)
    if not isinstance(nodes, list) or not isinstance(links, list):
        raise content.error(
            "a list of rows was expected, or an object with 'nodes' and 'links', as "
            "networkx.node_link_data returns a graph; from pandas, use to_json(orient='records')"
        )
    graph = Graph(directed=found.get("directed") is True)
    for at, node in enumerate(nodes):
        attributes = _attributes(content, node, f"node {at + 1}")
        # without ids, D3 numbers the nodes
        graph.nodes[attributes.pop("id", at)] = attributes
    for at, link in enumerate(links):
        what = f"link {at + 1}"
        attributes = _attributes(content, link, what)
        a, b = (_end(content, graph, attributes, end, what) for end in ("source", "target"))
        graph.join(a, b, attributes)
    return graph


def _attributes(content: Content, found: Any, what: str) -> Attributes:
    if not isinstance(found, dict):
        raise content.error(f"{what} is not an object")
    # networkx writes an id that is a tuple as a list
    ids = {key: tuple(found[key]) for key in IDS if isinstance(found.get(key), list)}
    with content.guarded(what):
        hash(tuple(ids.values()))
    return {**ids, **{key: value for key, value in found.items() if isinstance(value, SCALARS)}}


def _end(content: Content, graph: Graph, link: Attributes, name: str, what: str) -> Hashable:
    if name not in link:
        raise content.error(f"{what} has no {name!r}")
    end: Hashable = link.pop(name)
    if end not in graph.nodes:
        raise content.error(f"{what}: its {name}, {end!r}, is not among the ids of the nodes")
    return end
