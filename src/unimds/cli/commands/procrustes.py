"""``unimds procrustes``: compare two maps of the same points."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from unimds.cli.maps import read_map
from unimds.cli.messages import print_json
from unimds.cli.options import sets
from unimds.cli.options import single as o


@sets.takes_sets
def procrustes(
    map: o.MapFile,
    other: Annotated[
        str,
        typer.Argument(
            metavar="OTHER",
            help="Another map of these points, or of some of them; they are matched by label.",
            show_default=False,
        ),
    ],
    *,
    format: o.Format = "auto",
    encoding: o.Encoding = "auto",
    space: o.SpaceName = None,
    no_scale: Annotated[
        bool,
        typer.Option(
            "--no-scale",
            help="Do not stretch OTHER: maps of different sizes differ.",
            rich_help_panel=o.RUN,
        ),
    ] = False,
    permutations: o.Permutations = 999,
    seed: o.Seed = 0,
    files: sets.TableAndPicture,
    telling: sets.Telling,
) -> None:
    """Compare two maps of the same points: turn one onto the other, and test the agreement.

    OUT has both places of each point, and the distance between them. The p-value is by
    permutations, as vegan's protest.
    """
    files.check(telling.as_json)
    with telling.errors() as warned:
        files.check_files(map)
        one, two = (read_map(file, space, format, encoding) for file in (map, other))
        if type(one.space) is not type(two.space):
            raise ValueError(
                f"{map} lies in {one.space} and {other} in {two.space}; make both maps in one space"
            )
        from unimds.interpret import procrustes_test
        from unimds.plots import plot_procrustes

        test = procrustes_test(
            one.frame,
            two.frame,
            n_permutations=permutations,
            scale=False if no_scale else None,
            random_state=seed,
            space=one.space,
        )
        drawn: dict[str, Any] = {"names": (map, other), "title": files.title}
        written = files.write(
            list(test.rows()), lambda: plot_procrustes(test, files.looks.labels(), **drawn)
        )
        if telling.as_json:
            print_json(
                {
                    "maps": [map, other],
                    "points": len(test.residuals),
                    "correlation": test.correlation,
                    "m2": test.m2,
                    "p_value": test.p_value,
                    "permutations": permutations,
                    "scale": test.scale,
                    "rmse": test.rmse,
                    "files": written,
                    "warnings": warned,
                }
            )
        else:
            print(test, flush=True)
        telling.written(written)
