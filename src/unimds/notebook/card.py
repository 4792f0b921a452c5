"""The card of a map: a title, a small live map, its stress in words, and how the fit ended."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

from unimds.distances.joining import counts_rows
from unimds.notebook.sketch import sketch_of
from unimds.placecenter.result import Result, names_of
from unimds.plots.tables import joint_names
from unimds.report.choice import chosen_map, is_search
from unimds.report.subject import Subject, subject_of
from unimds.report.tables import told, told_subject
from unimds.report.verdict import in_short


class Content(NamedTuple):
    """What a card tells: its title, paragraphs, and the names and kinds of the points."""

    title: str
    said: list[str]
    subject: Subject
    names: Sequence[str | None] | None
    kinds: list[str] | None = None


def card(mds: Any) -> str:
    """Return a map as HTML for a notebook; empty if there is no map yet.

    Parameters
    ----------
    mds : estimator or Result
        The map.

    Examples
    --------
    >>> from unimds import MDS, place_center
    >>> shown = card(place_center([[0, 3, 4], [3, 0, 5], [4, 5, 0]]))
    >>> "Stress-1 is 0: the map has all given distances." in shown
    True
    >>> card(MDS())
    ''
    """
    content = _content(mds)
    if content is None:
        return ""
    sketch = sketch_of(content.subject, content.names, content.kinds)
    said = "".join(_paragraph(text) for text in content.said)
    notes = "".join(_paragraph(text, "font-size: .92em; opacity: .75") for text in sketch.notes)
    return (
        '<div style="max-width: 44em; margin: .3em 0 .8em">'
        f'<p style="margin: .2em 0 .4em"><strong>{escape(content.title)}</strong></p>'
        f"{sketch.framed(content.title)}{said}{notes}</div>"
    )


def _paragraph(said: str, style: str = "") -> str:
    return f'<p style="margin: .4em 0; {style}">{escape(said)}</p>'


def _content(mds: Any) -> Content | None:
    """Return what a card tells of a map, or None if there is none."""
    chosen = [mds.sentence_] if is_search(mds) else []
    mds = chosen_map(mds)
    if not isinstance(mds, Result) and not (hasattr(mds, "embedding_") and hasattr(mds, "space_")):
        return None
    several = told(mds)
    if several is None:
        subject = subject_of(mds, None, None, pairs=False)
        title = f"A map of {subject.n:,} points"
    else:
        subject, title = told_subject(several), several.title
    said = [*chosen, *in_short(subject)]
    if hasattr(mds, "column_embedding_"):
        kinds = ["row"] * len(mds.row_embedding_) + ["column"] * len(mds.column_embedding_)
        return Content(title, said, subject, joint_names(mds), kinds)
    own = names_of(mds)
    named = own is not None and not counts_rows(list(own))
    return Content(title, said, subject, subject.labels if named else None)
