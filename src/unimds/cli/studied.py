"""What the studies of a map have in common: the table that they read, and the maps they make."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from unimds.cli import options as o
from unimds.cli.doubts import warn_of_doubts
from unimds.cli.inputs import (
    as_measured,
    check_complete,
    check_joined,
    named_by,
    read_table,
    weights_of,
)
from unimds.cli.messages import rows_named

if TYPE_CHECKING:
    from unimds.estimators.mds import MDS
    from unimds.files import Table


class Input(NamedTuple):
    """How a table is to be read: options of a command, by the names that they have there."""

    format: str
    kind: str
    encoding: str
    weight: str
    metric: str
    standardise: str | None
    columns: list[str] | None
    drop: list[str] | None
    names: str | None
    part: str
    weights: str | None


class Asked(NamedTuple):
    """What maps are to be made: options of a command."""

    variant: str | None
    loss: str | None
    space: str | None
    size: str | None
    level: str
    ties: str | None
    strictness: float | None
    conditional: str
    dim: int
    seed: int

    def parts(self) -> dict[str, Any]:
        """Return the parameters of the estimator, checked."""
        o.check_conditional(self.conditional)
        loss, space = o.parts(self.variant, self.loss, self.space, self.size)
        return {
            "n_components": self.dim,
            "loss": loss,
            "space": space,
            "level": o.level_of(self.level, self.ties, self.strictness),
            "conditional": self.conditional,
            "random_state": self.seed,
        }


def table_and_maps(
    ctx: typer.Context, file: str, how: Input, asked: Asked, quiet: bool
) -> tuple[Table, MDS, Any]:
    """Return the table of a file, the estimator of its maps, and weights or None."""
    from unimds.estimators.mds import MDS

    wanted = asked.parts()
    given_as = (how.format, how.kind, how.metric, how.encoding, how.weight, quiet)
    table = read_table(file, *given_as, how.columns, how.drop, how.part)
    table = named_by(table, how.names, file)
    check_complete(table, file, how.metric)
    check_joined(table, file)
    params = o.metric_params(how.standardise, table, file)
    judged = as_measured(table, params)
    warn_of_doubts(judged, file, how.metric, by_default=o.is_default(ctx, "metric"), drop=how.drop)
    metric = "precomputed" if table.precomputed else how.metric
    mds = MDS(metric=metric, metric_params=params, **wanted)
    return table, mds, weights_of(how.weights, table)


@contextmanager
def named_points(table: Table) -> Iterator[None]:
    """Name points by their labels in errors and warnings; of a degenerate map say it once."""
    from unimds.distances.validate import points_named
    from unimds.placecenter.degeneracy import DegenerateWarning

    named = points_named(table.labels if table.precomputed else None)
    with named, rows_named(table.labels), warnings.catch_warnings():
        warnings.simplefilter("once", DegenerateWarning)
        yield
