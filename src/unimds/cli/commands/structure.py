"""``unimds test``: is there structure at all."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unimds._runtime.words import counted
from unimds.cli.inputs import weights_of
from unimds.cli.messages import INTERRUPTED, print_json, say
from unimds.cli.options import meaning, sets
from unimds.cli.options import single as o
from unimds.cli.outputs import check_endings, check_extras, check_looks, check_outputs, draw
from unimds.cli.progress import watched
from unimds.cli.studied import named_points, table_and_maps

if TYPE_CHECKING:
    from unimds.trust import PermutationTest, StressNorms

WAYS = ("auto", "pairs", "columns")


@sets.takes_sets
def structure(
    ctx: typer.Context,
    file: o.File,
    *,
    reading: sets.Reading,
    weights: o.Weights = None,
    variant: o.Variant = None,
    parts: sets.Parts,
    conditional: o.Conditional = "table",
    dim: o.Dimension = 2,
    permutations: Annotated[
        int,
        typer.Option(
            "--permutations",
            metavar="N",
            min=1,
            help="Number of permuted tables.",
            rich_help_panel=o.RUN,
        ),
    ] = 99,
    permute: Annotated[
        str,
        typer.Option(
            "--permute",
            metavar="WHAT",
            help="What is permuted: pairs (the distances among all pairs), columns (each feature "
            "among the points), or auto: columns of points, else pairs.",
            rich_help_panel=o.RUN,
        ),
    ] = "auto",
    norms: Annotated[
        int,
        typer.Option(
            "--norms",
            metavar="N",
            min=0,
            help="Compare with the stress of so many tables of random numbers too, which are "
            "simulated once and kept.",
            rich_help_panel=o.RUN,
        ),
    ] = 0,
    seed: o.Seed = 0,
    jobs: o.Jobs = None,
    plot: Annotated[
        str | None,
        typer.Option(
            "--plot",
            metavar="P.png",
            help="Draw the stress of the permuted tables and of the data: PNG, SVG or PDF.",
            rich_help_panel=o.OUTPUT,
        ),
    ] = None,
    title: o.Title = None,
    dpi: o.Dpi = None,
    force: o.Force = False,
    telling: sets.Telling,
) -> None:
    """Test whether a table has structure that a map can show, by permutations.

    The stress of its map is compared with that of maps of the same numbers in another order; all
    are fitted in the same way. A small p-value says that there is structure. ^C counts the
    permutations that are done (exit code 130).
    """
    check_endings(plot=plot)
    meaning.check_jobs(jobs)
    meaning.check_name("--permute", permute, WAYS)
    check_looks(plot, None, title=title, dpi=dpi)
    with telling.errors("Interrupted before any table was permuted.") as warned:
        check_outputs({"--plot": plot}, file, force)
        check_extras(plot, None)
        wanted = parts.made(variant) | {"n_components": dim, "random_state": seed}
        table, mds = table_and_maps(ctx, file, reading, wanted, conditional, telling.quiet)
        pair_weights = weights_of(weights, table)
        from unimds.trust import permutation_test, random_stress_norms

        began = time.perf_counter()
        run: dict[str, Any] = {"n_jobs": jobs, "verbose": int(watched(telling.quiet))}
        with named_points(table):
            found = permutation_test(
                mds,
                table.values,
                weights=pair_weights,
                n_permutations=permutations,
                permute=permute,
                random_state=seed,
                **run,
            )
            beside = None
            if norms and not found.interrupted:
                beside = random_stress_norms(table.n, mds, n_tables=norms, **run)
        seconds = time.perf_counter() - began
        if plot is not None:
            from unimds.plots import plot_permutation_test

            draw(plot, plot_permutation_test(found, beside, title=title).figure, force, dpi)
        if telling.as_json:
            files = {} if plot is None else {"plot": plot}
            rest = {"files": files, "seconds": seconds, "warnings": warned}
            print_json({"file": file, "points": table.n, **_found(found, beside), **rest})
        else:
            print(found.sentence, flush=True)
            if beside is not None:
                print(beside, flush=True)
        if not telling.quiet:
            say(f"{counted(table.n, 'point')}, {seconds:.1f} s.")
        telling.written([] if plot is None else [plot])
        if found.interrupted or (beside is not None and beside.interrupted):
            raise typer.Exit(INTERRUPTED)


def _found(test: PermutationTest, norms: StressNorms | None) -> dict[str, Any]:
    """Return the outcome for JSON."""
    found: dict[str, Any] = {
        "statistic": test.statistic,
        "observed": test.observed,
        "permuted": test.permuted.tolist(),
        "p_value": test.p_value,
        "z": test.z,
        "permute": test.permute,
        "sentence": test.sentence,
        "interrupted": test.interrupted,
    }
    if norms is not None:
        found["norms"] = {
            "mean": norms.mean,
            "deviation": norms.deviation,
            "share_below": norms.share_below(test.observed),
            "tables": len(norms.stress),
        }
    return found
