"""GML: a graph as nested lists of keys and values."""

from __future__ import annotations

import html
import re
from collections.abc import Hashable, Iterator
from itertools import dropwhile, islice
from typing import Any

from unimds.files.errors import FileError, shown
from unimds.files.formats.graphs.graph import Attributes, Graph
from unimds.files.formats.text import Text

TOKEN = re.compile(r'\s+|#[^\n]*|"(?P<text>[^"]*)"|(?P<mark>[\[\]])|(?P<word>[^\s"\[\]]+)')
PREFACE = re.compile(r"(creator|version|comment|label|directed)\b", re.IGNORECASE)
OPENING = re.compile(r"graph\s*\[", re.IGNORECASE)
SAMPLE = 20  # lines
GROWTH = 16

Pairs = list[tuple[str, Any, int]]
"""Keys with their values, which may be such lists again, and their lines."""


def is_gml(text: Text) -> bool:
    """Whether a text begins as a GML file: ``graph [``, perhaps after a preface."""
    lines = [line.strip() for _, line in islice(text.kept_lines(), SAMPLE)]
    body = dropwhile(PREFACE.match, lines)
    return OPENING.match(" ".join(islice(body, 2))) is not None


def read_gml(text: Text) -> Graph:
    """Return the graph of a GML file."""
    text.content.check_growth(len(text.content.data), GROWTH, "a GML file")
    top = _parsed(text)
    found = next((value for key, value, _ in top if key == "graph"), None)
    if not isinstance(found, list):
        raise text.content.error("has no list that begins with 'graph ['; is the file complete?")
    graph = Graph(directed=any(key == "directed" and value == 1 for key, value, _ in top + found))
    for key, value, line in found:
        if key == "node":
            id, attributes = _node(text, value, line)
            graph.nodes[id] = attributes
    for key, value, line in found:
        if key == "edge":
            graph.join(*_edge(text, value, line))
    return graph


def _node(text: Text, value: Any, line: int) -> tuple[Hashable, Attributes]:
    attributes = _scalars(text, value, line)
    if "id" not in attributes:
        raise text.content.error("a node has no 'id'", line)
    return attributes.pop("id"), attributes


def _edge(text: Text, value: Any, line: int) -> tuple[Hashable, Hashable, Attributes]:
    attributes = _scalars(text, value, line)
    if "source" not in attributes or "target" not in attributes:
        raise text.content.error("an edge has no 'source' or no 'target'", line)
    return attributes.pop("source"), attributes.pop("target"), attributes


def _scalars(text: Text, value: Any, line: int) -> Attributes:
    """Return the attributes of a node or an edge, without lists such as its graphics."""
    if not isinstance(value, list):
        raise text.content.error("a node or an edge is a list in brackets", line)
    return {key: one for key, one, _ in value if not isinstance(one, list)}


def _parsed(text: Text) -> Pairs:
    """Return the whole file as nested lists; the nesting is a stack, however deep it is."""
    top: Pairs = []
    stack, key = [top], None
    line = 1
    for token, kind, line in _tokens(text):
        if kind == "mark" and token == "]":
            if key is not None or len(stack) == 1:
                raise text.content.error("a ']' closes nothing, or a value is missing", line)
            stack.pop()
        elif key is None:
            if kind != "word":
                raise text.content.error(f"a key was expected, not {shown(token)}", line)
            key = token
        elif kind == "mark":
            inner: Pairs = []
            stack[-1].append((key, inner, line))
            stack.append(inner)
            key = None
        else:
            value = html.unescape(token) if kind == "text" else _number(text, token, line)
            stack[-1].append((key, value, line))
            key = None
    if len(stack) > 1 or key is not None:
        raise text.content.error("is cut off: a list is not closed, or a value is missing", line)
    return top


def _tokens(text: Text) -> Iterator[tuple[str, str, int]]:
    data = text.content.data.decode("utf-8-sig")
    at, line = 0, 1
    while at < len(data):
        found = TOKEN.match(data, at)
        if found is None:  # only a quote can open without being closed
            raise _open_quote(text, line)
        if found.lastgroup is not None:
            yield found[found.lastgroup], found.lastgroup, line
        line += found[0].count("\n")
        at = found.end()


def _open_quote(text: Text, line: int) -> FileError:
    return text.content.error("the quotes do not match: one that opens here is not closed", line)


def _number(text: Text, token: str, line: int) -> float | int:
    try:
        return int(token)
    except ValueError:
        pass
    try:
        return float(token)
    except ValueError:
        raise text.content.error(
            f"{shown(token)} is neither a number nor a text in quotes", line
        ) from None
