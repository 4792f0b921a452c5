"""Lists of edges as networkx writes them: two nodes and a dictionary of attributes per line."""

from __future__ import annotations

import ast
import re

from unimds.files.errors import shown
from unimds.files.formats.graphs.graph import Attributes, Graph
from unimds.files.formats.text import Text

NODE = r"[^\s,;{}]+"
LINE = re.compile(rf"\s*({NODE})[\s,;]+({NODE})[\s,;]+(\{{[^{{}}]*\}})\s*")
NUMPY = re.compile(r"\bnp\.\w+\(([^()]*)\)")
"""A number as NumPy 2 writes it, such as np.float64(3.0)."""
GROWTH = 16


def is_edgelist(text: Text) -> bool:
    """Whether the first line of a text is an edge with a dictionary of attributes."""
    first = next((line for _, line in text.kept_lines()), "")
    return LINE.fullmatch(first) is not None


def read_edgelist(text: Text) -> Graph:
    """Return the graph of a list of edges."""
    text.content.check_growth(len(text.content.data), GROWTH, "a list of edges")
    graph = Graph()
    for number, line in text.kept_lines():
        found = LINE.fullmatch(line)
        if found is None:
            raise text.content.error(
                "a line of this list holds two nodes without blanks, and attributes in braces, as "
                f"networkx.write_edgelist writes them; this line is {shown(line.strip())}",
                number,
            )
        a, b, attributes = found.groups()
        graph.join(a, b, _attributes(text, attributes, number))
    return graph


def _attributes(text: Text, written: str, line: int) -> Attributes:
    try:
        found = ast.literal_eval(NUMPY.sub(r"\1", written))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise text.content.error(f"{shown(written)} holds no attributes of an edge", line)
    return {str(name): x for name, x in found.items() if isinstance(x, str | int | float)}
