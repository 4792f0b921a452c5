"""``unimds warmup``: compile in advance, so that no run has to wait.

One job at a time: Numba compiles in one thread, and two processes that write to the same cache can
load each other's code by mistake.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unimds.cli.messages import print_json, say
from unimds.cli.options import meaning, sets
from unimds.cli.progress import counting

if TYPE_CHECKING:
    from unimds.losses import Loss
    from unimds.spaces import Space

COMMON_LOSSES, COMMON_SPACES = ("squared", "absolute"), ("euclidean", "sphere")
PRECISIONS = ("float64", "float32")
# more than the sample of a race, so that the race also places the rest; and more than those with
# which arithmetic in single precision begins
POINTS = (160, 220)


@sets.takes_sets
def warmup(
    *,
    loss: Annotated[
        list[str] | None,
        typer.Option("--loss", metavar="LOSS", help="Compile this loss; can be repeated."),
    ] = None,
    space: Annotated[
        list[str] | None,
        typer.Option("--space", metavar="SPACE", help="Compile this space; can be repeated."),
    ] = None,
    dim: Annotated[
        list[int] | None,
        typer.Option(
            "--dim", "-k", metavar="K", min=1, help="Dimension of the map; can be repeated."
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Compile all losses and spaces, in about two minutes.")
    ] = False,
    telling: sets.Telling,
) -> None:
    """Compile the common losses and spaces in advance, in both precisions.

    Compiled code stays on disk (`unimds info` says where), so once is enough. Each kind of map
    takes about ten seconds.
    """
    with telling.errors("Interrupted: the code compiled so far is kept."):
        from unimds.losses import LOSSES
        from unimds.spaces import SPACES

        losses = loss or (LOSSES if everything else COMMON_LOSSES)
        spaces = space or (SPACES if everything else COMMON_SPACES)
        pairs = [meaning.parts(None, *names, None) for names in product(losses, spaces)]
        jobs = list(product(pairs, PRECISIONS, dim or [2]))
        with counting(len(jobs), telling.quiet, lines=True) as begin:
            for (one, where), dtype, k in jobs:
                begin(f"{type(one).__name__}, {type(where).__name__}, {dtype}")
                for n in POINTS:
                    _compile(one, where, dtype, k, n)
        if telling.as_json:
            print_json({"compiled": len(jobs)})
        if not telling.quiet:
            say(f"{len(jobs)} kinds of map are compiled.")


def _compile(loss: Loss, space: Space, dtype: str, k: int, n: int) -> None:
    """Fit a small map and place a point on it, which compiles everything that a fit needs."""
    import warnings

    import numpy as np

    from unimds.estimators.place_center import place_center
    from unimds.placecenter.new_points import place_points

    points: Any = np.random.default_rng(0).normal(size=(n, k + 1))
    D = np.linalg.norm(points[:, None] - points, axis=2)
    D *= 0.9 / D.max()  # short enough for any space
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = place_center(
            D.astype(dtype), k, loss=loss, space=space, max_iter=3, random_state=0
        )
        place_points(D[:2], result.embedding, loss=result.loss, space=result.space)
