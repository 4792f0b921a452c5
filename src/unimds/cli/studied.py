"""What the studies of a map have in common: the table that they read, and the maps they make."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from unimds.cli.messages import rows_named
from unimds.cli.options.meaning import check_conditional

if TYPE_CHECKING:
    from unimds.cli.options.sets import Reading
    from unimds.estimators.mds import MDS
    from unimds.files import Table


def table_and_maps(
    ctx: typer.Context,
    file: str,
    reading: Reading,
    wanted: dict[str, Any],
    conditional: str,
    quiet: bool,
) -> tuple[Table, MDS]:
    """Return the table of a file, and the estimator of its maps with the parameters `wanted`."""
    from unimds.estimators.mds import MDS

    check_conditional(conditional)
    table, metric = reading.checked(ctx, reading.table(file, quiet), file)
    return table, MDS(**metric, **wanted, conditional=conditional)


@contextmanager
def named_points(table: Table) -> Iterator[None]:
    """Name points by their labels in errors and warnings; of a degenerate map say it once."""
    from unimds.distances.validate import points_named
    from unimds.placecenter.degeneracy import DegenerateWarning

    named = points_named(table.labels if table.precomputed else None)
    with named, rows_named(table.labels), warnings.catch_warnings():
        warnings.simplefilter("once", DegenerateWarning)
        yield
