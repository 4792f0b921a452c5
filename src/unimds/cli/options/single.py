"""Options that several commands share, one by one."""

from __future__ import annotations

from typing import Annotated

import typer

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
Encoding = Annotated[
    str,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="Encoding of a text input, such as latin-1 or cp1252.",
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
Starts = Annotated[
    str,
    typer.Option("--n-init", metavar="N", help="Number of starts, or auto.", rich_help_panel=RUN),
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
