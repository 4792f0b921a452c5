"""``unimds place``: place new points on the map of a saved model."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unimds._runtime.extras import require
from unimds._runtime.watch import warn
from unimds._runtime.words import counted
from unimds.cli.inputs import (
    check_complete,
    column_of,
    metadata_in,
    named_by,
    read_table,
    with_metadata,
)
from unimds.cli.interrupts import interrupts
from unimds.cli.messages import print_json, rows_named, say, usage
from unimds.cli.options import meaning, sets
from unimds.cli.options import single as o
from unimds.cli.outputs import (
    check_endings,
    check_extras,
    check_outputs,
    check_table,
    draw,
    write_points,
)
from unimds.cli.progress import waiting

if TYPE_CHECKING:
    from unimds.files import Table

CROWD = 60  # points above which names would hide each other
WORSE, POOR = 2.0, 0.2
"""New points fit badly if their stress is so many times that of the map, and more than this."""
FEW = 5  # columns that a message names


@sets.takes_sets
def place(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A model that `unimds embed --model` has saved.")
    ],
    new: Annotated[
        str,
        typer.Argument(
            metavar="NEW",
            help="New points, one per row: features, or distances to the points of the map.",
        ),
    ],
    *,
    format: o.Format = "auto",
    encoding: o.Encoding = "auto",
    names: o.Names = None,
    metadata: o.Metadata = None,
    output: o.Output = "-",
    out_format: o.OutFormat = "auto",
    coordinates: o.CoordinatesName = "auto",
    report: o.Report = None,
    plot: o.Plot = None,
    color: o.Color = None,
    looks: sets.Looks,
    force: o.Force = False,
    telling: sets.Telling,
) -> None:
    """Place new points on the map of a saved model.

    Columns are matched by their names, in any order: the features, or the points of the map.
    """
    check_table(output, out_format, telling.as_json, "--plot", "--report")
    check_endings(plot=plot, report=report)
    looks.check(plot, report, color)
    targets = PlacedFiles(output, report, plot, force, looks)
    with telling.errors(targets.cut_short) as warned:
        check_outputs(targets.named(), new, force)
        check_extras(plot, report)
        from unimds.models import load

        mds: Any = load(model)
        if not hasattr(mds, "metric"):
            raise ValueError(
                f"{model} is a map of distributions, made in Python; place new ones there, with "
                f"unimds.models.load({model!r}).transform(counts)"
            )
        if getattr(mds, "conditional", "table") == "row":
            raise ValueError(
                f"{model} was made with --conditional row: every row has a transformation of its "
                "own, and new points have none; make it without --conditional"
            )
        meaning.check_coordinates(coordinates, mds.space_, mds.n_components)
        _check_not_links(new, format, encoding)
        table = read_table(new, format, "points", "euclidean", encoding, quiet=telling.quiet)
        table = _with_numbers(mds, table, new, format, encoding)
        given, table = _matched(mds, table, new)
        if mds.metric != "precomputed":
            check_complete(table, new, mds.metric, "the model needs it: write numbers")
        from unimds.distances.doubts.tables import warn_of_empty

        warn_of_empty(table, new, mds.metric, chosen=False)
        more = None if metadata is None else metadata_in(metadata, encoding)
        if more is not None:
            table = with_metadata(table, more, str(metadata))
        table = named_by(table, names, new)
        of_map = _of_map(mds, more)
        if color is not None:
            column_of(table, color, new)
            _hint_at_metadata(of_map, color, telling.quiet)
        with waiting("placing points", telling.quiet), _warned_here(table):
            points = mds.transform(given)
        with interrupts.held():
            where = mds.space_, coordinates, mds.embedding_
            write_points(output, points, table, out_format, force, None, *where)
            targets.done.append(output)
        both = Both(mds, points, table, given)
        _write(both, targets, of_map, color)
        written = {o[2:]: name for o, name in targets.named().items() if name not in (None, "-")}
        fit = both.fit()
        if telling.as_json:
            found = {"model": model, "points": len(points), **fit, "known": both.known()}
            print_json({**found, "files": written, "warnings": warned})
        if not telling.quiet:
            _tell(both, fit, new, list(map(str, written.values())))


@contextmanager
def _warned_here(table: Table) -> Iterator[None]:
    """Name new points by their labels, and hide the warning that `warn_of_empty` has given."""
    from unimds.distances.metric import EmptyRowsWarning

    with warnings.catch_warnings(), rows_named(table.labels or _numbered(table.n)):
        warnings.simplefilter("ignore", EmptyRowsWarning)
        yield


def _numbered(count: int) -> list[str]:
    return [f"new {i + 1}" for i in range(count)]


@dataclass(frozen=True)
class PlacedFiles:
    """The files to write."""

    output: str
    report: str | None
    plot: str | None
    force: bool
    looks: sets.Looks
    done: list[str] = field(default_factory=list)  # those that have been written

    def named(self) -> dict[str, str | None]:
        """Return the files by their options, in the order in which they are written."""
        return {"--output": self.output, "--report": self.report, "--plot": self.plot}

    def cut_short(self) -> str:
        """Return what there is after ^C."""
        if not self.done:
            return "Interrupted: nothing was written."
        left = [name for name in self.named().values() if name and name not in self.done]
        missing = f" Not written: {', '.join(left)}." if left else ""
        where = "on standard output" if self.output == "-" else f"in {self.output}"
        return f"Interrupted: the new points are {where}.{missing}"


@dataclass(frozen=True)
class Both:
    """The points of a map and new points, with what is known of their distances.

    Attributes
    ----------
    mds : MDS or LandmarkMDS
        The map.
    new : ndarray
        The places of the new points.
    table : Table
        The file of the new points.
    given : array or DataFrame
        Their features, or their distances to the map.
    """

    mds: Any
    new: Any
    table: Table
    given: Any

    @property
    def origin(self) -> list[str]:
        """For each point whether it is a point of the map or new."""
        return ["new" if fresh else "map" for fresh in self.fresh]

    @property
    def fresh(self) -> list[bool]:
        """For each point whether it is new."""
        return [False] * len(self.mds.embedding_) + [True] * len(self.new)

    @property
    def labels(self) -> list[str]:
        """The names of all points; without names, numbers from 1."""
        old, new = self.mds.labels_, self.table.labels
        first = range(1, 1 + len(self.mds.embedding_)) if old is None else old
        return [*map(str, first), *(new or _numbered(len(self.new)))]

    def shown(self) -> list[str | None]:
        """Return the names to draw: on a crowded map those of the new points only."""
        n, names = len(self.mds.embedding_), self.labels
        return [*(names[:n] if len(names) <= CROWD else [None] * n), *names[n:]]

    def points(self) -> Any:
        """Return the places of all points, those of the map first."""
        import numpy as np

        return np.vstack([self.mds.embedding_, self.new])

    def distances(self) -> tuple[Any, Any]:
        """Return the distances that decided where the new points are, and to which points."""
        from unimds.report.placed import distances_to_map

        return distances_to_map(self.mds, self.given)

    def fit(self) -> dict[str, float | None]:
        """Return the Stress-1 of the new points, and that of the map."""
        own = getattr(self.mds, "stress_", None)
        stress = self.mds._stress_of(self.given, self.new) if len(self.new) else None
        return {"stress": stress, "map_stress": None if own is None else float(own)}

    def known(self) -> list[str]:
        """Return the labels of new points that points of the map have too."""
        old = () if self.mds.labels_ is None else map(str, self.mds.labels_)
        here = set(old)
        return [label for label in self.table.labels or [] if label in here]

    def column(self, name: str, of_map: Table | None) -> list[Any]:
        """Return a column for all points; None for points of the map without a value.

        The categories of the map come first, so that they have the colours of its own picture.
        """
        from unimds.plots.columns import NamedColumn, as_categories

        values = list(column_of(self.table, name, "NEW"))
        n = len(self.mds.embedding_)
        if of_map is None or name not in of_map.columns:
            return NamedColumn(name, [None] * n + values)
        old = of_map.columns[name]
        return NamedColumn(name, [*old, *values], as_categories(list(old), n)[0])


def _tell(both: Both, fit: dict[str, float | None], new: str, written: list[str]) -> None:
    """Say how well the new points fit, what is odd about them, and what was written."""
    stress, own = fit["stress"], fit["map_stress"]
    told = f"{counted(len(both.new), 'point')} placed"
    if stress is not None:
        beside = "" if own is None else f" (the map itself has {own:.4g})"
        told += f", stress {stress:.4g}{beside}"
    known = both.known()
    if known:
        few = ", ".join(map(repr, known[:3]))
        more = f" and {len(known) - 3} more" if len(known) > 3 else ""
        are = "is a point" if len(known) == 1 else "are points"
        say(
            f"warning: {new}: {few}{more} {are} of the map already; the new places say where the "
            "given distances put them, and the map stays as it is"
        )
    if stress is not None and own is not None and stress > max(WORSE * own, POOR):
        say(
            f"warning: {new}: the new points fit much worse than the map: are their distances of "
            "the same kind, and in the same unit? Similarities are no distances"
        )
    files = f" Written: {', '.join(written)}" if written else ""
    say(f"{told}.{files}")


def _write(both: Both, targets: PlacedFiles, of_map: Table | None, color: str | None) -> None:
    """Draw the map with the new points, and write a report on both."""
    names = [*([] if color is None else [color]), *(n for n in both.table.columns if n != color)]
    columns = {name: both.column(name, of_map) for name in names}
    if targets.report is not None:
        from unimds.report.placed import write_placed_report

        rows, to = both.distances()
        kept: dict[str, Any] = {
            "labels": both.labels,
            "title": targets.looks.title,
            "force": targets.force,
        }
        shown = {**columns, "origin": both.origin} if color else {"origin": both.origin, **columns}
        write_placed_report(both.mds, targets.report, both.new, rows, to=to, columns=shown, **kept)
        targets.done.append(targets.report)
    if targets.plot is not None:
        from unimds.plots import plot_embedding

        colours = None if color is None else columns[color]
        how: dict[str, Any] = {
            "space": both.mds.space_,
            "title": targets.looks.title,
            "new": both.fresh,
        }
        labels = targets.looks.labels(both.shown())
        axes = plot_embedding(both.points(), labels, colours, **how)
        draw(targets.plot, axes.figure, targets.force, targets.looks.dpi)
        targets.done.append(targets.plot)


def _hint_at_metadata(of_map: Table | None, color: str, quiet: bool) -> None:
    """Say how to colour the points of the map, which a model has no columns of."""
    if not quiet and (of_map is None or color not in of_map.columns):
        say(
            f"Only the new points have a value of {color!r}; the points of the map are grey. To "
            "colour them too, give --metadata a file with a row for each of them and each new point"
        )


def _of_map(mds: Any, more: Table | None) -> Table | None:
    """Return the metadata of the points of the map, if the file has a row for any of them."""
    import numpy as np

    from unimds.files import Table

    if more is None or mds.labels_ is None:
        return None
    labels = list(map(str, mds.labels_))
    empty = Table(np.zeros((len(labels), 1)), "points", "csv", "rows", labels)
    try:
        with warnings.catch_warnings():  # the file may be about the new points only
            warnings.simplefilter("ignore")
            return empty.joined(more)
    except ValueError:
        return None


def _check_not_links(new: str, format: str, encoding: str) -> None:
    """Raise if a file holds edges or pairs, which say too little about new points."""
    from unimds.files.reading import read_unjudged

    if new == "-":
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = read_unjudged(new, format=format, encoding=encoding)
    except (ValueError, OSError, ImportError):
        return  # what is wrong is told when it is read for good
    if table.kind not in LINKS or table.layout != "list":
        return
    what, remedy = LINKS[table.kind]
    raise ValueError(
        f"{new} holds {what}, and new points are placed by their distances to the points of the "
        f"map: give a table with a row for each new point and a column for each point of the map"
        f"{remedy}"
    )


LINKS = {
    "graph": (
        "the edges of a graph",
        ", the lengths of shortest paths; or embed the whole graph again, with its new nodes",
    ),
    "pairs": ("a list of pairs", ", empty where a distance is not known"),
}
"""What files of links hold, and what to give instead."""


def _with_numbers(mds: Any, table: Table, new: str, format: str, encoding: str) -> Table:
    """Return the table with a feature of the model that was read as labels, since it is whole."""
    import numpy as np

    from unimds.files import read_metadata

    names = list(getattr(mds, "feature_names_in_", ()))
    lacking = [name for name in names if name not in (table.features or names)]
    if mds.metric == "precomputed" or not lacking or new == "-" or table.format in ("npy", "npz"):
        return table
    every = read_metadata(new, format=format, encoding=encoding)
    known = every.features or []
    found = [name for name in lacking if name in known]
    values = np.column_stack([table.values, every.values[:, [known.index(n) for n in found]]])
    return replace(table, values=values, features=[*(table.features or []), *found])


def _check_width(mds: Any, table: Table, new: str) -> None:
    """Raise if features that go by their place are too few or too many."""
    given, needed = table.values.shape[1], mds.n_features_in_
    if mds.metric != "precomputed" and given != needed:
        raise ValueError(
            f"{new} has {given} features, and the model needs {needed}: give each new point the "
            "features that the points of the map have, in the same order"
        )


def _matched(mds: Any, table: Table, new: str) -> tuple[Any, Table]:
    """Return a frame with the columns in the order of the model, and the table without others.

    A column that the model does not know does not count: it is kept beside the new points.
    """
    names = getattr(mds, "feature_names_in_", None)
    if names is None or table.features is None:
        _check_width(mds, table, new)
    if names is None:
        return table.values, table
    frame = require("pandas", "files").DataFrame
    if table.features is None:
        fits = table.values.shape[1] == len(names)
        return (frame(table.values, columns=list(names)) if fits else table.values), table
    known = set(table.features)
    wanted = list(names)
    marks = getattr(mds, "landmarks_", None)
    if mds.metric == "precomputed" and marks is not None and not known.issuperset(wanted):
        wanted = [names[i] for i in marks]  # distances to the landmarks suffice
    missing = [name for name in wanted if name not in known]
    if missing:
        raise ValueError(_lacking(new, missing, table.features, mds.metric == "precomputed"))
    with usage():
        chosen = table.chosen(wanted)
    unseen = [name for name in table.features if name not in set(names)]
    if unseen:
        few = ", ".join(map(repr, unseen[:3])) + (", …" if len(unseen) > 3 else "")
        warn(
            f"{new}: columns that the model does not know do not count, and are copied to the "
            f"output: {few}",
            UserWarning,
        )
    kept = {name: chosen.columns[name] for name in [*table.columns, *unseen]}
    return frame(chosen.values, columns=wanted), replace(chosen, columns=kept)


def _lacking(new: str, missing: list[str], names: list[str], distances: bool) -> str:
    """Return what to do about columns that the model needs and a file does not have."""
    what = "distances to" if distances else "feature" if len(missing) == 1 else "features"
    few = ", ".join(map(repr, missing[:FEW])) + (", …" if len(missing) > FEW else "")
    if len(missing) == 1:
        told = f"{new} lacks the {what} {few}, which the model needs"
        remedy = "add a column of that name"
    else:
        many = f"the distances to {len(missing)} points" if distances else f"{len(missing)} {what}"
        told = f"{new} lacks {many} that the model needs, {few}"
        remedy = "add columns of these names"
    plain = {_letters(name): name for name in names}
    alike = [name for name in missing if _letters(name) in plain]
    if alike:
        rename = "rename it" if len(alike) == 1 else "rename such columns"
        return f"{told}; {plain[_letters(alike[0])]!r} may be {alike[0]!r}: {rename}"
    return f"{told}; {remedy}{'' if distances else ', of zeros if what is absent counts 0'}"


def _letters(name: str) -> str:
    """Return the letters and digits of a name: R puts points in place of all other characters."""
    return "".join(filter(str.isalnum, name.lower()))
