"""Options that several commands share, and what their values mean."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unimds.cli.messages import in_words, say

if TYPE_CHECKING:
    from unimds.files import Table
    from unimds.losses import Loss
    from unimds.spaces import Space

MANY = 2000  # points, above which a second look at the table would take too much memory
VARIANTS = "fMDS, rMDS, r2MDS, c-1-sMDS, c-2-sMDS, g-1-sMDS, g-2-sMDS"
LOSSES = "squared, absolute, huber, squared_distance, power; or huber:0.5, power:1.2"
SPACES = "euclidean, sphere, chordal_sphere, hyperbolic, simplex"

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="Distances, points, pairs or a graph, in any known format; - is standard input.",
        show_default=False,
    ),
]
Output = Annotated[
    str, typer.Option("--output", "-o", metavar="OUT", help="Where it goes; - is standard output.")
]
Format = Annotated[
    str, typer.Option("--format", help="Format of FILE, where its content does not tell.")
]
Kind = Annotated[
    str,
    typer.Option("--kind", help="What FILE holds, if not told: distances, points, pairs, graph."),
]
Encoding = Annotated[
    str,
    typer.Option("--encoding", help="How the text of FILE is written, such as latin-1 or cp1252."),
]
OutFormat = Annotated[
    str, typer.Option("--out-format", help="Format of OUT, where its name does not tell.")
]
Variant = Annotated[
    str | None, typer.Option("--variant", help=f"Loss and space by name: {VARIANTS}.")
]
LossName = Annotated[
    str | None, typer.Option("--loss", help=f"What a wrong distance costs: {LOSSES}.")
]
SpaceName = Annotated[str | None, typer.Option("--space", help=f"Where the map lies: {SPACES}.")]
Size = Annotated[
    str | None,
    typer.Option(
        "--radius",
        "--curvature",
        "--size",
        help="Radius of the sphere, curvature of hyperbolic space or size of the simplex: a "
        "number, or auto to find it.",
    ),
]
Dimension = Annotated[int, typer.Option("--dim", "-k", min=1, help="Dimension of the map.")]
MetricName = Annotated[
    str, typer.Option("--metric", help="Distance between rows of points, as in scikit-learn.")
]
Seed = Annotated[
    int, typer.Option("--seed", min=0, max=2**32 - 1, help="Seed of all that is random.")
]
MaxIter = Annotated[int, typer.Option("--max-iter", min=1, help="Sweeps at most.")]
Eps = Annotated[
    float, typer.Option("--eps", min=0.0, help="Fall of the cost a sweep that counts as none.")
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print the result as one JSON object, for machines.")
]
Force = Annotated[bool, typer.Option("--force", "-f", help="Write over files that exist.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, messages or warnings.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]


def parts(
    variant: str | None, loss: str | None, space: str | None, size: str | None
) -> tuple[Loss, Space]:
    """Return the loss and the space that the options name, or say that the usage is wrong."""
    from unimds.estimators.parameters import resolve_variant

    try:
        given = "squared" if loss is None else _loss(loss)
        found, target = resolve_variant(variant, given, "euclidean" if space is None else space)
        return found, target if size is None else _sized(target, size)
    except ValueError as error:
        raise typer.BadParameter(in_words(error)) from None


def _loss(text: str) -> Loss:
    from unimds.losses import Huber, Power, as_loss

    name, colon, number = text.partition(":")
    kinds: dict[str, Any] = {"huber": Huber, "power": Power}
    if colon and name not in kinds:
        raise ValueError(f"--loss {text}: only huber and power take a number")
    if name not in kinds:
        return as_loss(name)
    found: Loss = kinds[name](_number(number, f"--loss {name}")) if colon else kinds[name]()
    return found


def _sized(space: Space, size: str) -> Space:
    from dataclasses import fields, replace

    names = [field.name for field in fields(space)]
    if not names:
        raise ValueError(f"--radius {size}: {space} has no size; choose another --space")
    value = size if size == "auto" else _number(size, "--radius")
    return replace(space, **{names[0]: value})


def _number(text: str, option: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{option} needs a number, not {text!r}") from None


def read_table(file: str, format: str, kind: str, metric: str, encoding: str = "auto") -> Table:
    """Read the input of a command, and check that what is said about it can be."""
    from unimds.files import FORMATS, KINDS, read

    for option, value, known in (("--format", format, FORMATS), ("--kind", kind, KINDS)):
        if value not in ("auto", *known):
            names = ", ".join(("auto", *known))
            raise typer.BadParameter(f"{option} {value}: it must be one of {names}")
    table = read(file, format=format, kind=kind, encoding=encoding)
    if table.precomputed and metric not in ("euclidean", "precomputed"):
        raise ValueError(
            f"{file} holds distances, to which --metric {metric} does not apply; leave it out, or "
            "give --kind points if it holds points"
        )
    return table


def check_complete(table: Table, file: str, metric: str = "euclidean") -> None:
    """Raise where a feature of a point is no number; only distances may be missing."""
    import numpy as np

    if table.precomputed or metric == "nan_euclidean":
        return
    wrong = np.argwhere(~np.isfinite(table.values))
    if len(wrong):
        i, j = wrong[0]
        point = repr(table.labels[i]) if table.labels else f"row {i + 1}"
        feature = repr(table.features[j]) if table.features else f"number {j + 1}"
        missing = np.isnan(table.values[i, j])
        raise ValueError(
            f"{file}: feature {feature} of {point} is {'missing' if missing else 'infinite'}; give "
            "a number, or leave the point or the feature out"
        )


def tell_doubts(table: Table, file: str, quiet: bool, apart: bool = False) -> None:
    """Tell what can be mapped, but is seldom meant; `apart`, on a cluster, where less can."""
    if quiet:
        return
    if table.n == 1:
        say(
            f"warning: {file} holds one point, read as {table.kind}, and its map says nothing; if "
            "more is in it, see --kind and --format"
        )
    label, count = Counter(table.labels or [""]).most_common(1)[0]
    if count > 1:
        say(f"warning: {file}: {count} points have the same label, {label!r}")
    if table.precomputed and not apart:
        _tell_asymmetry(table, file)


def _tell_asymmetry(table: Table, file: str) -> None:
    import numpy as np

    if table.n > MANY:
        return
    with np.errstate(invalid="ignore"):  # infinite distances get an error of their own
        apart = np.nan_to_num(np.abs(table.values - table.values.T), posinf=0.0)
    i, j = np.unravel_index(apart.argmax(), apart.shape)
    there, back = table.values[i, j], table.values[j, i]
    if apart[i, j] > 1e-6 * max(abs(there), abs(back)):
        names = table.labels or [str(k + 1) for k in range(table.n)]
        say(
            f"warning: {file} is not symmetric: {there:g} from {names[i]} to {names[j]}, but "
            f"{back:g} back; both directions count half"
        )


def check_stdout(output: str, as_json: bool) -> None:
    """Refuse to print both a table and JSON."""
    if as_json and output == "-":
        raise typer.BadParameter("--json takes standard output: name a file with -o")


def shows_progress(quiet: bool) -> int:
    """Return 1 where somebody is watching: on a terminal, unless told to be quiet."""
    return int(sys.stderr.isatty() and not quiet)
