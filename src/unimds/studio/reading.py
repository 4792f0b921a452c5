"""How a file may be read: the choices of the page beside a file, and their words."""

from __future__ import annotations

from typing import Any, NamedTuple, final

USUAL = "auto"


@final
class Reading(NamedTuple):
    """A choice beside a file: an argument of `unimds.files.read`, its title and its values.

    `done` is what choosing a value is called in a sentence; the title of the value follows.
    """

    name: str
    title: str
    done: str
    values: dict[str, str]


READINGS = (
    Reading(
        "kind",
        "Read it as",
        "read it as",
        {
            USUAL: "what it seems to be",
            "distances": "distances",
            "points": "points, one per row",
            "pairs": "a list of pairs",
            "graph": "a graph",
        },
    ),
    Reading(
        "weight",
        "Weights of edges are",
        "choose that weights of edges are",
        {
            USUAL: "what they seem to be",
            "length": "lengths",
            "strength": "strengths: a larger one is closer",
            "none": "nothing: each edge has the length 1",
        },
    ),
    Reading(
        "encoding",
        "Encoding of the text",
        "choose the encoding",
        {
            USUAL: "UTF-8, or what the file says",
            "latin-1": "Western European (Latin-1)",
            "utf-16-le": "UTF-16",
        },
    ),
)


def done(name: str, value: Any) -> str | None:
    """Return what a user of the page does in place of giving an argument; None if nothing does.

    Examples
    --------
    >>> done("kind", "pairs"), done("columns", "a")
    ('read it as “a list of pairs”', None)
    """
    for reading in READINGS:
        if reading.name == name and value in reading.values:
            return f"{reading.done} “{reading.values[value]}”"
    return None


def arguments(chosen: Any) -> dict[str, str] | None:
    """Return the arguments of `read` for what a page has chosen; None if it is no choice of ours.

    Examples
    --------
    >>> arguments({"kind": "graph", "encoding": "auto"}), arguments({"kind": "/etc/passwd"})
    ({'kind': 'graph'}, None)
    """
    known = {reading.name: reading.values for reading in READINGS}
    if not isinstance(chosen, dict) or not chosen.keys() <= known.keys():
        return None
    if not all(isinstance(value, str) and value in known[name] for name, value in chosen.items()):
        return None
    return {name: value for name, value in chosen.items() if value != USUAL}
