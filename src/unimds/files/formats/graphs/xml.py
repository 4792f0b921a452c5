"""XML that is safe to read: no entities, no deep nesting, and a known root."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from xml.parsers import expat

from unimds.files.errors import FileError
from unimds.files.formats.content import Content

ROOTS = {"graphml": "GraphML", "gexf": "GEXF"}
"""The format of a file by the name of its root."""

DEEPEST = 100  # GraphML and GEXF nest a handful of levels


def xml_format(content: Content) -> str:
    """Return the format of an XML file, "graphml" or "gexf", by its root; else "graphml"."""
    parser = expat.ParserCreate()

    def start(name: str, *_: Any) -> None:
        raise _Found(local(name))

    # not one entity is unfolded: they come after the name of the document type
    parser.StartDoctypeDeclHandler = parser.StartElementHandler = start
    try:
        parser.Parse(content.data, True)
    except _Found as found:
        return "gexf" if found.args == ("gexf",) else "graphml"
    except (expat.ExpatError, LookupError, ValueError):
        pass  # the reader says what is wrong
    return "graphml"


class _Found(Exception):
    """The name of the root, at which parsing ends."""


def root_of(content: Content, format: str) -> Element:
    """Return the root of an XML file, once the file is known to be safe."""
    what = f"a {ROOTS[format]} file"
    content.check_growth(len(content.data), 32, what)
    _check(content, format)
    with content.guarded(f"the {ROOTS[format]} file"):
        return ElementTree.fromstring(content.data)


def local(name: str) -> str:
    """Return the name of an element without its namespace.

    Examples
    --------
    >>> local("{http://graphml.graphdrawing.org/xmlns}node"), local("viz:color")
    ('node', 'color')
    """
    return name.rpartition("}")[2].rpartition(":")[2]


def below(element: Element, name: str) -> Iterator[Element]:
    """Yield all elements of a name, however deep."""
    return (found for found in element.iter() if local(found.tag) == name)


def inside(element: Element, name: str) -> Iterator[Element]:
    """Yield the children of a name."""
    return (found for found in element if local(found.tag) == name)


def _check(content: Content, format: str) -> None:
    """Raise on malformed XML, on entities that may unfold without end, and on deep nesting."""
    parser, depth, nodes = expat.ParserCreate(), 0, 0

    def doctype(*_: Any) -> None:
        raise content.error(
            "declares a document type, whose entities could unfold without end; "
            f"{ROOTS[format]} needs none: remove the DOCTYPE",
            parser.CurrentLineNumber,
        )

    def start(name: str, _: Any) -> None:
        nonlocal depth, nodes
        if depth == 0 and local(name) != format:
            known = " or ".join(f"<{root}>" for root in ROOTS)
            raise content.error(f"is XML, but its root is <{name}>; graphs begin with {known}")
        depth += 1
        nodes += local(name) == "node"
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
