"""``unimds stability``: where else the points of a map could be."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unimds._runtime.words import counted
from unimds.cli.inputs import rows_of, weights_of
from unimds.cli.messages import INTERRUPTED, print_json, say
from unimds.cli.options import meaning, sets
from unimds.cli.options import single as o
from unimds.cli.outputs import (
    check_endings,
    check_extras,
    check_outputs,
    check_table,
    draw,
    write_rows,
)
from unimds.cli.progress import watched
from unimds.cli.studied import named_points, table_and_maps

if TYPE_CHECKING:
    from unimds.estimators.mds import MDS
    from unimds.files import Table
    from unimds.trust import DecidingPair, PermutationTest, Stability

METHODS = ("jackknife", "bootstrap", "noise")
OVER = ("auto", "subjects", "features", "residuals")


@sets.takes_sets
def stability(
    ctx: typer.Context,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="Distances, points, pairs or a graph; or several tables of distances between the "
            "same points, one for each subject.",
            show_default=False,
        ),
    ],
    *,
    reading: sets.Reading,
    weights: o.Weights = None,
    variant: o.Variant = None,
    parts: sets.Parts,
    conditional: o.Conditional = "table",
    dim: o.Dimension = 2,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="NAME",
            help="jackknife leaves each point out in turn, bootstrap draws data again, noise "
            "multiplies distances by random factors. By default jackknife; for several tables "
            "bootstrap.",
            rich_help_panel=o.RUN,
        ),
    ] = None,
    over: Annotated[
        str,
        typer.Option(
            "--over",
            metavar="WHAT",
            help="What bootstrap draws: subjects, features or residuals; auto takes the first of "
            "these that there are.",
            rich_help_panel=o.RUN,
        ),
    ] = "auto",
    maps: Annotated[
        int,
        typer.Option(
            "--maps",
            metavar="N",
            min=3,
            help="Number of maps of bootstrap and noise.",
            rich_help_panel=o.RUN,
        ),
    ] = 100,
    noise: Annotated[
        float,
        typer.Option(
            "--noise",
            metavar="SHARE",
            min=0.0,
            help="With --method noise, the standard deviation of the factors.",
            rich_help_panel=o.RUN,
        ),
    ] = 0.05,
    pairs: Annotated[
        int,
        typer.Option(
            "--pairs",
            metavar="N",
            min=0,
            help="Show so many pairs without which the map would move most.",
            rich_help_panel=o.RUN,
        ),
    ] = 5,
    permutations: Annotated[
        int,
        typer.Option(
            "--permutations",
            metavar="N",
            min=0,
            help="Test for structure too, with so many permuted tables, as unimds test does.",
            rich_help_panel=o.RUN,
        ),
    ] = 0,
    seed: o.Seed = 0,
    jobs: o.Jobs = None,
    confidence: Annotated[
        float,
        typer.Option(
            "--confidence",
            metavar="SHARE",
            min=0.01,
            max=0.999,
            help="How often a region should contain the true place.",
            rich_help_panel=o.OUTPUT,
        ),
    ] = 0.9,
    output: o.TableOut = None,
    plot: o.Plot = None,
    report: o.Report = None,
    looks: sets.Looks,
    force: o.Force = False,
    telling: sets.Telling,
) -> None:
    """Show how certain the points of a map are: where else they could be.

    The table has the place of each point, its standard error, and the radius of its confidence
    region. ^C counts the maps that are done (exit code 130).
    """
    check_endings(plot=plot, report=report)
    if output is not None:
        check_table(output, "auto", telling.as_json, "--plot", "--report")
    meaning.check_jobs(jobs)
    chosen = _method(method, len(files))
    meaning.check_name("--over", over, OVER)
    looks.check(plot, report)
    told = "Interrupted before there were maps to compare: nothing was written."
    with telling.errors(told) as warned:
        written = {"--output": output, "--plot": plot, "--report": report}
        for file in files:
            check_outputs(written, file, force)
        check_extras(plot, report)
        wanted = parts.made(variant) | {"n_components": dim, "random_state": seed}
        table, mds = table_and_maps(ctx, files[0], reading, wanted, conditional, telling.quiet)
        pair_weights = weights_of(weights, table)
        began = time.perf_counter()
        run: dict[str, Any] = {"n_jobs": jobs, "verbose": int(watched(telling.quiet))}
        drawn = {"n_maps": maps, "random_state": seed, "weights": pair_weights, **run}
        with named_points(table):
            stack = _stack(table, files, reading, telling.quiet)
            mds.fit(_mean(stack), weights=pair_weights)
            if mds.result_.outcome.name == "INTERRUPTED":  # its map is not the one to judge
                raise KeyboardInterrupt
            found = _study(mds, stack, chosen, over, noise, drawn)
            run |= {"weights": pair_weights}
            decide, test = _further(mds, pairs, permutations, seed, run, found.interrupted)
        found = _labelled(found, table)
        seconds = time.perf_counter() - began
        rows = list(found.rows(confidence))
        done = write_rows(output, rows, force)
        if plot is not None:
            from unimds.plots import plot_stability

            how: dict[str, Any] = {"confidence": confidence, "title": looks.title}
            draw(plot, plot_stability(found, looks.labels(), **how).figure, force, looks.dpi)
            done.append(plot)
        if report is not None:
            from unimds.report import write_report

            about: dict[str, Any] = {"labels": table.labels, "weights": pair_weights}
            about |= {
                "stability": found,
                "deciding": decide,
                "title": looks.title,
                "structure": test,
            }
            write_report(mds, report, **about, force=force)
            done.append(report)
        if telling.as_json:
            names_of: list[Any] = list(table.labels or range(table.n))
            told_pairs = [_pair(pair, names_of) for pair in decide]
            head = {"files": files, "points": table.n, "method": found.method}
            rest = {"seconds": seconds, "written": done, "warnings": warned}
            indices = _indices(found, confidence)
            indices |= {} if test is None else {"p_value": test.p_value}
            print_json({**head, **indices, "places": rows, "pairs": told_pairs, **rest})
        elif output is None:
            print(found, flush=True)
            _show_pairs(decide, table)
        if test is not None and not telling.as_json:
            print(f"\n{test.sentence}", flush=True)
        if not telling.quiet:
            say(f"{counted(table.n, 'point')}, {len(found.maps)} maps, {seconds:.1f} s.")
        telling.written(done)
        if found.interrupted:
            raise typer.Exit(INTERRUPTED)


def _method(method: str | None, count: int) -> str:
    """Return what to do: what is asked for, or what suits the number of tables."""
    if method is None:
        return "jackknife" if count == 1 else "bootstrap"
    meaning.check_name("--method", method, METHODS)
    if count > 1 and method != "bootstrap":
        raise typer.BadParameter(
            f"{method} is for one table, and there are {count}; leave it out", param_hint="--method"
        )
    return method


def _stack(table: Table, files: list[str], reading: sets.Reading, quiet: bool) -> Any:
    """Return the values of the table, or those of the tables of all subjects."""
    import numpy as np

    from unimds.trust.resampling import checked_table

    if len(files) == 1:
        return table.values
    labels = None if table.labels is None else np.array(table.labels, dtype=object)
    found = []
    for file in files:
        other = reading.table(file, quiet)
        if not other.precomputed:
            raise ValueError(f"{file} holds no distances, and tables of subjects do; give one file")
        rows = rows_of(table.labels, other, file, "row")
        found.append(other.values[rows][:, rows])
        if found[-1].shape != found[0].shape:
            raise ValueError(
                f"{file} has {len(found[-1])} points, and {files[0]} {len(found[0])}; give tables "
                "of the same points"
            )
        try:
            checked_table(found[-1], labels)
        except ValueError as error:
            raise ValueError(f"{file}: {error}") from error
    return np.stack(found)


def _mean(stack: Any) -> Any:
    """Return the table that the map is made of: of several subjects, their mean."""
    from unimds.trust.resampling import mean_table

    return mean_table(stack) if stack.ndim == 3 else stack


def _study(
    mds: MDS, stack: Any, method: str, over: str, noise: float, drawn: dict[str, Any]
) -> Stability:
    """Study the stability of a map that was fitted."""
    from unimds import trust

    if method == "jackknife":
        run = {name: drawn[name] for name in ("weights", "n_jobs", "verbose")}
        return trust.jackknife(mds, **run)
    if method == "noise":
        return trust.perturbation(mds, noise=noise, **drawn)
    subjects = stack if stack.ndim == 3 else None
    return trust.bootstrap(mds, subjects, over=over, **drawn)


def _further(
    mds: MDS, pairs: int, permutations: int, seed: int, run: dict[str, Any], cut: bool
) -> tuple[list[DecidingPair], PermutationTest | None]:
    """Return the pairs that decide, and a permutation test, if asked for and not cut short."""
    from unimds.trust import deciding_pairs, permutation_test

    decide = deciding_pairs(mds, top=pairs, **run) if pairs and not cut else []
    if not permutations or cut:
        return decide, None
    return decide, permutation_test(mds, n_permutations=permutations, random_state=seed, **run)


def _labelled(found: Stability, table: Table) -> Stability:
    """Return the outcome with the labels of a file."""
    from dataclasses import replace

    return replace(found, labels=table.labels)


def _indices(found: Stability, confidence: float) -> dict[str, Any]:
    return {
        "maps": len(found.maps),
        "stability": found.stability,
        "cross_validity": found.cross_validity,
        "dispersion": found.dispersion,
        "confidence": confidence,
        "skipped": found.skipped,
        "interrupted": found.interrupted,
    }


def _pair(pair: DecidingPair, names: list[Any]) -> dict[str, Any]:
    return {
        "pair": [names[pair.i], names[pair.j]],
        "given": pair.given,
        "mapped": pair.mapped,
        "slope": pair.slope,
        "move": pair.move,
        "farthest": names[pair.farthest],
    }


def _show_pairs(pairs: list[DecidingPair], table: Table) -> None:
    if not pairs:
        return
    from unimds.interpret.maps import in_columns

    names = table.labels or [str(i) for i in range(table.n)]
    rows = [
        [
            f"{names[pair.i]} – {names[pair.j]}",
            f"{pair.given:.4g}",
            f"{pair.mapped:.4g}",
            f"{pair.move:.4g}",
            names[pair.farthest],
        ]
        for pair in pairs
    ]
    head = ["without the pair", "given", "mapped", "the map moves by", "farthest"]
    print("\n" + in_columns([head, *rows], left=(0, 4)), flush=True)
