"""Options that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from unimds.cli.guide import check_level
from unimds.cli.messages import usage

if TYPE_CHECKING:
    from unimds.files import Table
    from unimds.levels import Level
    from unimds.losses import Loss
    from unimds.spaces import Space

INPUT, MAP, RUN, OUTPUT, GENERAL = "Input", "Map", "Run", "Output", "General"
"""The groups of options that the help shows."""

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="Distances, points, pairs or a graph, in any known format; - is standard input.",
        show_default=False,
    ),
]
PointsFile = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="Points, one per row, in any known format; - is standard input.",
        show_default=False,
    ),
]
MapFile = Annotated[
    str,
    typer.Argument(
        metavar="MAP",
        help="A map that `unimds embed` has written, or a model.",
        show_default=False,
    ),
]
Permutations = Annotated[
    int,
    typer.Option(
        "--permutations",
        metavar="N",
        min=0,
        help="Number of permutations; 0 for no p-values.",
        rich_help_panel=RUN,
    ),
]
TableOut = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="OUT.csv",
        help="Write the table; by default it is printed.",
        rich_help_panel=OUTPUT,
    ),
]
Format = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="Format of the input, such as csv, if it is not detected.",
        rich_help_panel=INPUT,
    ),
]
Kind = Annotated[
    str,
    typer.Option(
        "--kind",
        metavar="KIND",
        help="What FILE holds, if it is not detected: distances, points, pairs or graph.",
        rich_help_panel=INPUT,
    ),
]
Encoding = Annotated[
    str,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="Encoding of a text input, such as latin-1 or cp1252.",
        rich_help_panel=INPUT,
    ),
]
EdgeWeight = Annotated[
    str,
    typer.Option(
        "--weight",
        metavar="MEANING",
        help="What the weight of an edge of a graph is: length, strength or none; auto takes it as "
        "a length, and says so.",
        rich_help_panel=INPUT,
    ),
]
MetricName = Annotated[
    str,
    typer.Option(
        "--metric",
        metavar="NAME",
        help="Distance between points, as in scikit-learn: euclidean, cityblock, cosine, "
        "braycurtis, hellinger and others.",
        rich_help_panel=INPUT,
    ),
]
Standardise = Annotated[
    str | None,
    typer.Option(
        "--standardise",
        "--standardize",
        metavar="STEPS",
        help="Standardise counts before distances are measured: wisconsin (species by their "
        "maxima, then sites by their totals), sqrt, or sqrt,wisconsin. A model keeps the maxima, "
        "and new points are standardised by them.",
        rich_help_panel=INPUT,
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--columns",
        metavar="NAME,NAME",
        help="Columns of the points that count for the distances; by default all with numbers. "
        "Of pairs, the column with the distance; of a graph, the attribute with the length or "
        "strength of an edge.",
        rich_help_panel=INPUT,
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        "--drop",
        metavar="NAME,NAME",
        help="Columns of the points that do not count; they stay beside the map.",
        rich_help_panel=INPUT,
    ),
]
Names = Annotated[
    str | None,
    typer.Option(
        "--names",
        metavar="COLUMN",
        help="Column that names the points, if it is not detected; it does not count for the "
        "distances.",
        rich_help_panel=INPUT,
    ),
]
Part = Annotated[
    str,
    typer.Option(
        "--part",
        metavar="PART",
        help="Which points to keep of a graph, or of pairs, that fall into parts: all or largest.",
        rich_help_panel=INPUT,
    ),
]
Metadata = Annotated[
    str | None,
    typer.Option(
        "--metadata",
        metavar="FILE",
        help="More columns for the points, matched by label; they do not count for the distances.",
        rich_help_panel=INPUT,
    ),
]
Variant = Annotated[
    str | None,
    typer.Option(
        "--variant",
        metavar="NAME",
        help="Loss and space by the paper's name: fMDS, rMDS, r2MDS, c-1-sMDS, c-2-sMDS, g-1-sMDS "
        "or g-2-sMDS.",
        rich_help_panel=MAP,
    ),
]
LossName = Annotated[
    str | None,
    typer.Option(
        "--loss",
        metavar="LOSS",
        help="What an error in a distance costs: squared, absolute, huber, squared_distance or "
        "power; huber and power can take a number, as in power:1.2.",
        rich_help_panel=MAP,
    ),
]
SpaceName = Annotated[
    str | None,
    typer.Option(
        "--space",
        metavar="SPACE",
        help="Space of the map: euclidean, sphere, chordal_sphere, hyperbolic or simplex.",
        rich_help_panel=MAP,
    ),
]
Size = Annotated[
    str | None,
    typer.Option(
        "--radius",
        "--curvature",
        "--size",
        metavar="NUMBER",
        help="Radius of the sphere, curvature of hyperbolic space or size of the simplex: a "
        "number, or auto to estimate it.",
        rich_help_panel=MAP,
    ),
]
LevelName = Annotated[
    str,
    typer.Option(
        "--level",
        metavar="LEVEL",
        help="What is known of the dissimilarities: ratio (they are distances), interval (a "
        "straight line of them is), ordinal (only their order counts: nonmetric scaling), spline "
        "or power.",
        rich_help_panel=MAP,
    ),
]
Ties = Annotated[
    str | None,
    typer.Option(
        "--ties",
        metavar="TIES",
        help="With --level ordinal, what equal dissimilarities mean: primary (their disparities "
        "may differ), secondary (they are equal) or tertiary (their means keep the order).",
        rich_help_panel=MAP,
    ),
]
Strictness = Annotated[
    float | None,
    typer.Option(
        "--strictness",
        metavar="SHARE",
        help="With --level ordinal, from 0 to 1: how much of an even rise the disparities must "
        "have, such as 0.1; it parts the points of a degenerate map.",
        rich_help_panel=MAP,
    ),
]
Conditional = Annotated[
    str,
    typer.Option(
        "--conditional",
        metavar="WHAT",
        help="One transformation for the whole table, or one for each row: table or row.",
        rich_help_panel=MAP,
    ),
]
Dimension = Annotated[
    int,
    typer.Option(
        "--dim", "-k", metavar="K", min=1, help="Dimension of the map.", rich_help_panel=MAP
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed", metavar="N", min=0, max=2**32 - 1, help="Random seed.", rich_help_panel=RUN
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N",
        help="Number of threads; -1 uses all cores.",
        rich_help_panel=RUN,
    ),
]
Weights = Annotated[
    str | None,
    typer.Option("--weights", metavar="FILE", help="Weights of the pairs.", rich_help_panel=INPUT),
]
MaxIter = Annotated[
    int,
    typer.Option(
        "--max-iter",
        metavar="N",
        min=1,
        help="Maximum number of sweeps.",
        rich_help_panel=RUN,
    ),
]
Eps = Annotated[
    float,
    typer.Option(
        "--eps",
        metavar="FRACTION",
        min=0.0,
        help="Stop when a sweep lowers the cost by less than this fraction.",
        rich_help_panel=RUN,
    ),
]
Output = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        metavar="OUT",
        help="Output file; - is standard output.",
        rich_help_panel=OUTPUT,
    ),
]
OutFormat = Annotated[
    str,
    typer.Option(
        "--out-format",
        metavar="FORMAT",
        help="Format of OUT, if its name has no known ending.",
        rich_help_panel=OUTPUT,
    ),
]
CoordinatesName = Annotated[
    str,
    typer.Option(
        "--coordinates",
        metavar="NAME",
        help="Coordinates of the points in OUT: poincare in hyperbolic space, latlon on a sphere "
        "of two dimensions; auto has those of the space, cartesian or hyperboloid.",
        rich_help_panel=OUTPUT,
    ),
]
Report = Annotated[
    str | None,
    typer.Option(
        "--report",
        metavar="R.html",
        help="Write an HTML report on the map.",
        rich_help_panel=OUTPUT,
    ),
]
Plot = Annotated[
    str | None,
    typer.Option(
        "--plot",
        metavar="P.png",
        help="Draw the map: PNG, SVG or PDF.",
        rich_help_panel=OUTPUT,
    ),
]
Shepard = Annotated[
    str | None,
    typer.Option(
        "--shepard",
        metavar="S.png",
        help="Draw the Shepard diagram, distances on the map against the given ones: PNG, SVG or "
        "PDF.",
        rich_help_panel=OUTPUT,
    ),
]
Color = Annotated[
    str | None,
    typer.Option(
        "--color",
        metavar="COLUMN",
        help="Column that colours the picture and the report: words or numbers.",
        rich_help_panel=OUTPUT,
    ),
]
Title = Annotated[
    str | None,
    typer.Option(
        "--title", metavar="TEXT", help="Title of picture and report.", rich_help_panel=OUTPUT
    ),
]
Dpi = Annotated[
    int | None,
    typer.Option(
        "--dpi",
        metavar="N",
        min=10,
        max=2400,
        help="Resolution of a PNG picture in dots per inch; 150 by default.",
        rich_help_panel=OUTPUT,
    ),
]
NoNames = Annotated[
    bool,
    typer.Option(
        "--no-names",
        help="Draw the picture without the names of the points.",
        rich_help_panel=OUTPUT,
    ),
]
Force = Annotated[
    bool,
    typer.Option("--force", "-f", help="Replace existing files.", rich_help_panel=OUTPUT),
]
AsJson = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print the result, or the error, as one JSON object.",
        rich_help_panel=GENERAL,
    ),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", help="Hide progress, messages and warnings.", rich_help_panel=GENERAL
    ),
]
Debug = Annotated[
    bool,
    typer.Option("--debug", help="Show the traceback of an error.", rich_help_panel=GENERAL),
]


def parts(
    variant: str | None, loss: str | None, space: str | None, size: str | None
) -> tuple[Loss, Space]:
    """Return the loss and the space that the options name."""
    from unimds.estimators.parameters import resolve_variant
    from unimds.losses import as_loss
    from unimds.spaces import as_space

    with usage("--loss"):
        own_loss = as_loss("squared" if loss is None else loss)
    with usage("--space"):
        own_space = as_space("euclidean" if space is None else space)
    with usage("--variant"):
        named, target = resolve_variant(variant, own_loss, own_space)
    with usage("--curvature" if hasattr(target, "curvature") else "--radius"):
        return named, target if size is None else _sized(target, size)


def level_of(name: str, ties: str | None, strictness: float | None) -> Level:
    """Return the level of measurement that the options name."""
    from unimds.levels import Ordinal, as_level

    check_level(name)
    if name == "ordinal":
        with usage("--ties"):
            level = Ordinal() if ties is None else Ordinal(ties)
        with usage("--strictness"):
            return level if strictness is None else Ordinal(level.ties, strictness)
    for option, value in (("--ties", ties), ("--strictness", strictness)):
        if value is not None:
            raise typer.BadParameter(
                f"{option} is for --level ordinal, and the level is {name}; give --level ordinal, "
                f"or leave {option} out"
            )
    return as_level(name)


def metric_params(standardise: str | None, table: Table, file: str) -> dict[str, Any] | None:
    """Return the arguments of the metric that the options name."""
    from unimds.distances.standard import STANDARDISE, steps_of

    if standardise is None:
        return None
    with usage("--standardise"):
        steps_of(standardise)
    if table.precomputed:
        raise ValueError(
            f"{file} holds distances, and --standardise is for counts, one point per row; leave it "
            "out, or give the counts"
        )
    return {STANDARDISE: standardise}


def check_jobs(jobs: int | None) -> None:
    """Raise if a number of threads is none."""
    if jobs == 0:
        raise typer.BadParameter("--jobs 0: give a number of threads, or -1 for all cores")


def check_name(option: str, name: str, known: tuple[str, ...]) -> None:
    """Raise if an option does not know a name."""
    if name not in known:
        raise typer.BadParameter(f"use one of {', '.join(known)}, not {name!r}", param_hint=option)


def check_conditional(name: str) -> None:
    """Raise if this is not what a transformation can be for."""
    if name not in ("table", "row"):
        raise typer.BadParameter(f"use table or row, not {name!r}", param_hint="--conditional")


def check_coordinates(name: str, space: Space, n_components: int) -> None:
    """Raise, before a long run, if a map cannot be written in these coordinates."""
    from unimds.spaces.coordinates import as_coordinates

    with usage("--coordinates"):
        as_coordinates(name, space, n_components)


def _sized(space: Space, size: str) -> Space:
    from dataclasses import fields, replace

    names = [field.name for field in fields(space)]
    if not names:
        raise ValueError(f"{space} has no size; choose another --space")
    return replace(space, **{names[0]: size if size == "auto" else _number(size)})


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"a number is needed, not {text!r}") from None


def check_alone(option: str, **others: Any) -> None:
    """Raise if another option is given that does not work with `option`."""
    for name, value in others.items():
        if value:
            other = f"--{name.replace('_', '-')}"
            raise typer.BadParameter(f"{other} does not work with {option}; leave one of them out")


def is_default(ctx: typer.Context, name: str) -> bool:
    """Whether an option was left out."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "DEFAULT"
