"""``unimds warmup``: compile ahead, so that no run has to wait for it.

One after the other: numba compiles in one thread at a time, and two processes that write to the
same cache can take each other's code for their own.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unimds.cli import options as o
from unimds.cli.messages import failures_told, print_json, say
from unimds.cli.progress import bar

if TYPE_CHECKING:
    from unimds.losses import Loss
    from unimds.spaces import Space

COMMON_LOSSES, COMMON_SPACES = ("squared", "absolute"), ("euclidean", "sphere")
ALL_LOSSES = ("squared", "absolute", "huber", "squared_distance", "power")
ALL_SPACES = ("euclidean", "sphere", "chordal_sphere", "hyperbolic", "simplex")
PRECISIONS = ("float64", "float32")
POINTS = 160  # more than the race takes as a sample, so that it places the rest


def warmup(
    loss: Annotated[
        list[str] | None, typer.Option("--loss", help="Only this loss; may be repeated.")
    ] = None,
    space: Annotated[
        list[str] | None, typer.Option("--space", help="Only this space; may be repeated.")
    ] = None,
    dim: Annotated[
        list[int] | None, typer.Option("--dim", "-k", min=1, help="Dimension; may be repeated.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All losses and all spaces: some nine minutes.")
    ] = False,
    as_json: o.AsJson = False,
    quiet: o.Quiet = False,
    debug: o.Debug = False,
) -> None:
    """Compile the usual losses and spaces ahead, in both precisions.

    Compiled code is kept on disk (`unimds info` says where), so this is needed once; each kind of
    map takes about ten seconds.
    """
    losses = loss or (ALL_LOSSES if everything else COMMON_LOSSES)
    spaces = space or (ALL_SPACES if everything else COMMON_SPACES)
    with failures_told("Interrupted: what was compiled is kept.", debug, quiet):
        pairs = [o.parts(None, *names, None) for names in product(losses, spaces)]
        jobs = list(product(pairs, PRECISIONS, dim or [2]))
        with bar(len(jobs), quiet, lines=True) as step:
            for (one, where), dtype, k in jobs:
                step(f"{type(one).__name__}, {type(where).__name__}, {dtype}")
                _compile(one, where, dtype, k)
        if as_json:
            print_json({"compiled": len(jobs)})
        if not quiet:
            say(f"{len(jobs)} kinds of map are compiled.")


def _compile(loss: Loss, space: Space, dtype: str, k: int) -> None:
    """Fit a small map and place a point on it: that compiles all that a fit needs."""
    import warnings

    import numpy as np

    from unimds.estimators.place_center import place_center
    from unimds.placecenter.new_points import place_points

    points: Any = np.random.default_rng(0).normal(size=(POINTS, k + 1))
    D = np.linalg.norm(points[:, None] - points, axis=2)
    D *= 0.9 / D.max()  # short enough for any space
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = place_center(
            D.astype(dtype), k, loss=loss, space=space, max_iter=3, random_state=0
        )
        place_points(D[:2], result.embedding, loss=result.loss, space=result.space)
