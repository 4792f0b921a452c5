"""A data frame of pandas as named columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from unimds.files.formats.columns import INDEX, Columns
from unimds.files.table import Column


def columns_of_frame(frame: Any) -> Columns:
    """Return the columns of a frame; row names that do not only count are a column of labels."""
    names = [str(name) for name in frame.columns]
    columns = [_column(frame.iloc[:, j]) for j in range(len(names))]
    rows = frame.index.tolist()
    if all(isinstance(row, int) for row in rows) and rows in (
        list(range(len(rows))),
        list(range(1, len(rows) + 1)),
    ):
        return Columns(names, columns, [])
    return Columns([INDEX, *names], [[str(row) for row in rows], *columns], [INDEX])


def _column(series: Any) -> Column:
    if getattr(series.dtype, "kind", "O") in "fiub":
        return np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan))
    return ["" if missing else str(x) for x, missing in zip(series, series.isna(), strict=True)]
