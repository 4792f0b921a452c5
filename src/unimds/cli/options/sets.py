"""Sets of options that several commands share, each with what the commands do with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from unimds.cli.inputs import (
    as_measured,
    check_complete,
    check_joined,
    chosen_names,
    named_by,
    read_table,
)
from unimds.cli.messages import caution, errors_told, say
from unimds.cli.options import meaning
from unimds.cli.options import single as o
from unimds.cli.outputs import (
    check_endings,
    check_extras,
    check_looks,
    check_outputs,
    check_table,
    draw,
    write_rows,
)

if TYPE_CHECKING:
    from unimds.files import Table


def takes_sets(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take sets of options: Typer sees each option, the command sees the sets.

    Parameters
    ----------
    command : callable
        A parameter whose annotation is a set, that is a dataclass, stands for the options in it.
    """
    hints = get_type_hints(command, include_extras=True)
    sets: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    shown: list[Parameter] = []
    for name, own in signature(command).parameters.items():
        alone = own.replace(annotation=hints[name], kind=Parameter.KEYWORD_ONLY)
        shown += _options(sets[name]) if name in sets else [alone]

    @wraps(command)
    def run(**given: Any) -> None:
        made = {
            name: kind(**{field.name: given.pop(field.name) for field in fields(kind)})
            for name, kind in sets.items()
        }
        command(**given, **made)

    told: Any = run  # the type of a function does not name the signature that Typer reads
    told.__signature__ = signature(command).replace(parameters=shown)
    run.__annotations__ = {option.name: option.annotation for option in shown}
    return run


def _options(kind: Any) -> list[Parameter]:
    """Return the options of a set as parameters of a function."""
    hints = get_type_hints(kind, include_extras=True)
    return [
        Parameter(
            field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
        )
        for field in fields(kind)
    ]


@dataclass(frozen=True)
class Reading:
    """How a table is read, and how distances between its points are measured."""

    format: o.Format = "auto"
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="What FILE holds, if it is not detected: distances, points, pairs or graph.",
            rich_help_panel=o.INPUT,
        ),
    ] = "auto"
    encoding: o.Encoding = "auto"
    weight: Annotated[
        str,
        typer.Option(
            "--weight",
            metavar="MEANING",
            help="What the weight of an edge of a graph is: length, strength or none; auto takes "
            "it as a length, and says so.",
            rich_help_panel=o.INPUT,
        ),
    ] = "auto"
    metric: Annotated[
        str,
        typer.Option(
            "--metric",
            metavar="NAME",
            help="Distance between points, as in scikit-learn: euclidean, cityblock, cosine, "
            "braycurtis, hellinger and others.",
            rich_help_panel=o.INPUT,
        ),
    ] = "euclidean"
    standardise: Annotated[
        str | None,
        typer.Option(
            "--standardise",
            "--standardize",
            metavar="STEPS",
            help="Standardise counts before distances are measured: wisconsin (species by their "
            "maxima, then sites by their totals), sqrt, or sqrt,wisconsin. A model keeps the "
            "maxima, and new points are standardised by them.",
            rich_help_panel=o.INPUT,
        ),
    ] = None
    columns: o.Columns = None
    drop: o.Drop = None
    names: o.Names = None
    part: Annotated[
        str,
        typer.Option(
            "--part",
            metavar="PART",
            help="Which points to keep of a graph, or of pairs, that fall into parts: all or "
            "largest.",
            rich_help_panel=o.INPUT,
        ),
    ] = "all"

    def table(self, file: str, quiet: bool) -> Table:
        """Read a table."""
        how = (self.format, self.kind, self.metric, self.encoding, self.weight, quiet)
        return read_table(file, *how, self.columns, self.drop, self.part)

    def checked(
        self, ctx: typer.Context, table: Table, file: str, on_cluster: bool = False
    ) -> tuple[Table, dict[str, Any]]:
        """Return the table with the names of its points, and the metric as `MDS` takes it.

        What makes a map of it impossible is an error, and what looks wrong is a warning.
        """
        from unimds.distances.doubts.tables import warn_of_doubts

        table = named_by(table, self.names, file)
        check_complete(table, file, self.metric)
        check_joined(table, file)
        params = meaning.metric_params(self.standardise, table, file)
        judged, unasked = as_measured(table, params), meaning.is_default(ctx, "metric")
        if table.n == 1:
            caution(
                f"{file} holds a single point, read as {table.kind}; if it holds more, see "
                "--kind and --format"
            )
        dropped = chosen_names(self.drop, table) or ()
        warn_of_doubts(judged, file, self.metric, on_cluster, unasked, dropped)
        metric = "precomputed" if table.precomputed else self.metric
        return table, {"metric": metric, "metric_params": params}


@dataclass(frozen=True)
class Parts:
    """The loss, the space and the level of a map."""

    loss: o.LossName = None
    space: o.SpaceName = None
    size: o.Size = None
    level: Annotated[
        str,
        typer.Option(
            "--level",
            metavar="LEVEL",
            help="What is known of the dissimilarities: ratio (they are distances), interval (a "
            "straight line of them is), ordinal (only their order counts: nonmetric scaling), "
            "spline or power.",
            rich_help_panel=o.MAP,
        ),
    ] = "ratio"
    ties: Annotated[
        str | None,
        typer.Option(
            "--ties",
            metavar="TIES",
            help="With --level ordinal, what equal dissimilarities mean: primary (their "
            "disparities may differ), secondary (they are equal) or tertiary (their means keep "
            "the order).",
            rich_help_panel=o.MAP,
        ),
    ] = None
    strictness: Annotated[
        float | None,
        typer.Option(
            "--strictness",
            metavar="SHARE",
            help="With --level ordinal, from 0 to 1: how much of an even rise the disparities must "
            "have, such as 0.1; it parts the points of a degenerate map.",
            rich_help_panel=o.MAP,
        ),
    ] = None

    def made(self, variant: str | None = None) -> dict[str, Any]:
        """Return them as estimators take them."""
        loss, space = meaning.parts(variant, self.loss, self.space, self.size)
        level = meaning.level_of(self.level, self.ties, self.strictness)
        return {"loss": loss, "space": space, "level": level}


@dataclass(frozen=True)
class Looks:
    """How pictures look."""

    title: o.Title = None
    dpi: o.Dpi = None
    no_names: o.NoNames = False

    def check(
        self,
        plot: str | None,
        report: str | None = None,
        color: str | None = None,
        shepard: str | None = None,
    ) -> None:
        """Raise if there is no picture or report that an option is for."""
        check_looks(plot, report, color, self.title, self.dpi, self.no_names, shepard)

    def labels(self, names: Any = None) -> Any:
        """Return the names to draw: these, those that the picture knows (None), or none."""
        return False if self.no_names else names


@dataclass(frozen=True)
class Telling:
    """What a command says, and how."""

    as_json: o.AsJson = False
    quiet: o.Quiet = False
    debug: o.Debug = False

    def errors(
        self, interrupted: str | Callable[[], str] = "Interrupted: nothing was written."
    ) -> AbstractContextManager[list[str]]:
        """Report an error in one line, and exit with its code; yield the warnings."""
        return errors_told(interrupted, self.debug, self.quiet, self.as_json)

    def written(self, files: Sequence[str]) -> None:
        """Say which files were written."""
        if files and not self.quiet:
            say(f"Written: {', '.join(files)}")


@dataclass(frozen=True)
class TableAndPicture:
    """The files of what is read from a map: a table, which is else printed, and a picture."""

    output: o.TableOut = None
    plot: o.Plot = None
    title: o.Title = None
    dpi: o.Dpi = None
    no_names: o.NoNames = False
    force: o.Force = False

    @property
    def looks(self) -> Looks:
        """How the picture looks."""
        return Looks(self.title, self.dpi, self.no_names)

    def check(self, as_json: bool) -> None:
        """Raise for options that do not suit each other."""
        check_endings(plot=self.plot)
        if self.output is not None:
            check_table(self.output, "auto", as_json, "--plot")
        self.looks.check(self.plot)

    def check_files(self, source: str) -> None:
        """Raise if a file cannot be written, before anything is computed."""
        check_outputs({"--output": self.output, "--plot": self.plot}, source, self.force)
        check_extras(self.plot, None)

    def write(self, rows: Sequence[Mapping[str, Any]], drawn: Callable[[], Any]) -> list[str]:
        """Write rows, and what `drawn` draws if a picture is wanted; return the files."""
        done = write_rows(self.output, rows, self.force)
        if self.plot is not None:
            draw(self.plot, drawn().figure, self.force, self.dpi)
            done.append(self.plot)
        return done
