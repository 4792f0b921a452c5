"""What a graph means: labels and columns of its nodes, lengths of its edges."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from unimds._runtime.watch import warn
from unimds.files.errors import FileWarning, shown
from unimds.files.formats.content import Content
from unimds.files.formats.graphs.graph import Attributes, Graph
from unimds.files.meaning.lists import (
    ALL,
    CHOICES,
    Choice,
    Links,
    Measure,
    chosen_from,
    from_edges,
    warn_of_unused,
)
from unimds.files.table import Column, Table, as_column

NAMES = ("label", "name")
NUMBERED = ("id", "key", "index")
"""Attributes that only number the edges."""


def from_graph(
    content: Content, graph: Graph, format: str, weight: str, choice: Choice = ALL
) -> Table:
    """Make a table of the lengths of shortest paths, with the attributes of nodes as columns.

    The label of a node is its attribute "label" or "name" if these are unique, else its id.
    `weight` says what the numbers of edges are, `choice` which attribute holds them.
    """
    if not graph.nodes:
        raise content.error("the graph has no nodes")
    content.check_room(len(graph.nodes), "nodes")
    called = next((name for name in NAMES if _unique(graph, name)), None)
    labels = {
        node: _text(node if called is None else attributes[called])
        for node, attributes in graph.nodes.items()
    }
    if len(set(labels.values())) < len(labels):  # such as 1 and "1"
        raise content.error("two nodes have the same id; give each node an id of its own")
    ends = [labels[a] for a, _, _ in graph.edges], [labels[b] for _, b, _ in graph.edges]
    there = dict.fromkeys(name for _, _, attributes in graph.edges for name in attributes)
    with chosen_from(content):
        measure = Measure.by_name({name: name for name in there}, weight, choice)
    numbers = [name for name in there if _is_number(graph, name) and name not in choice.drop]
    warn_of_unused(content, measure, numbers)
    lengths = [_length(content, labels, edge, measure.at) for edge in graph.edges]
    _warn_of_gaps(content, labels, graph, measure.at)
    links = Links(content, ends, np.array(lengths, dtype=np.float64))
    table = from_edges(links, format, measure, list(labels.values()), graph.directed)
    columns = _columns(graph, called)
    return replace(table, columns=columns)


def _is_number(graph: Graph, name: str) -> bool:
    """Whether an attribute of edges is a number that may say how long they are."""
    known = [attributes[name] for _, _, attributes in graph.edges if name in attributes]
    numbers = all(isinstance(x, int | float) and not isinstance(x, bool) for x in known)
    return numbers and name.lower() not in NUMBERED


def _unique(graph: Graph, name: str) -> bool:
    """Whether every node has an attribute of its own, by which it can go."""
    values = [_text(data[name]) for data in graph.nodes.values() if name in data]
    return len(values) == len(set(values)) == len(graph.nodes)


def _columns(graph: Graph, called: str | None) -> dict[str, Column]:
    """Return the attributes of the nodes, except the attribute that is their label."""
    nodes = list(graph.nodes.values())
    names = dict.fromkeys(name for attributes in nodes for name in attributes if name != called)
    return {name: _column([attributes.get(name) for attributes in nodes]) for name in names}


def _column(values: list[Any]) -> Column:
    known = [value for value in values if value is not None]
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in known):
        return as_column(np.array([np.nan if value is None else float(value) for value in values]))
    return ["" if value is None else _text(value) for value in values]


def _text(value: Hashable) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value)


def _warn_of_gaps(
    content: Content, labels: Mapping[Hashable, str], graph: Graph, name: str | None
) -> None:
    """Warn if only some of the edges have a number."""
    bare = [edge for edge in graph.edges if name is not None and name not in edge[2]]
    if not bare:
        return
    a, b, _ = bare[0]
    told = (
        f"{len(bare)} of {len(graph.edges)} edges have no {name!r}, such as the edge between "
        f"{shown(labels[a])} and {shown(labels[b])}, and 1 was taken in its place"
    )
    warn(FileWarning(content.name, told, [CHOICES[-1]]), FileWarning)


def _length(
    content: Content,
    labels: Mapping[Hashable, str],
    edge: tuple[Hashable, Hashable, Attributes],
    name: str | None,
) -> float:
    a, b, attributes = edge
    value = 1.0 if name is None else attributes.get(name, 1.0)
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise content.error(
            f"the edge between {shown(labels[a])} and {shown(labels[b])} has the {name} "
            f"{shown(str(value))}, which is not a number"
        ) from None
