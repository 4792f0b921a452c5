"""Tables in stores that the workers of a cluster read themselves."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from unimds._runtime.extras import require
from unimds.files.errors import FileError


def read_rows(path: str | os.PathLike[str]) -> Any:
    """Open a table that workers read themselves: a Zarr store, Parquet files, or .npy row blocks.

    Parameters
    ----------
    path : str or PathLike
        A Zarr array (a folder that ends in .zarr), one or a folder of Parquet files, or a folder
        of .npy files, each with some of the rows, in the order of their names: ``rows-2.npy``
        comes before ``rows-10.npy``. Of Parquet files columns of text are left out.

    Returns
    -------
    dask.array.Array
        The table; nothing of it is read yet.

    Raises
    ------
    FileError
        Where there is no such table, or it is broken.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     for i in range(2):
    ...         np.save(Path(folder, f"rows-{i}.npy"), np.zeros((3, 6)))
    ...     print(read_rows(folder).shape)
    (6, 6)
    """
    place = Path(path)
    if not place.exists():
        raise FileNotFoundError(f"{place} is not there")
    if place.suffix == ".zarr" or any((place / name).exists() for name in (".zarray", "zarr.json")):
        require("zarr", "dask")
        with _opened(place, "a Zarr array"):
            return require("dask.array", "dask").from_zarr(str(place))
    if place.suffix == ".parquet" or any(place.glob("*.parquet")):
        with _opened(place, "Parquet files"):
            frame = require("dask.dataframe", "dask").read_parquet(str(place))
            return frame.select_dtypes("number").to_dask_array(lengths=True)
    blocks = sorted(place.glob("*.npy"), key=_by_number) if place.is_dir() else []
    if not blocks:
        raise FileError(
            str(place),
            "no table for a cluster: it needs a Zarr array, Parquet files, or a folder of .npy "
            "files with some rows each",
        )
    return _npy_blocks(blocks)


@contextmanager
def _opened(place: Path, what: str) -> Iterator[None]:
    """Say which file it is that cannot be read."""
    try:
        yield
    except ImportError:
        raise
    except Exception as error:  # each library has its own
        reason = " ".join(str(error.__cause__ or error).split())
        raise FileError(str(place), f"cannot be read as {what}: {reason}") from error


def _by_number(path: Path) -> list[tuple[int, str]]:
    """Return a key that sorts numbers in names by their value."""
    parts = re.split(r"(\d+)", path.name)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def _npy_blocks(paths: list[Path]) -> Any:
    dask, array = require("dask", "dask"), require("dask.array", "dask")
    heads = []
    for path in paths:
        with _opened(path, "an array of numbers"):
            heads.append(np.load(path, mmap_mode="r"))
    first = heads[0]
    for path, head in zip(paths, heads, strict=True):
        if head.ndim != 2 or head.shape[1:] != first.shape[1:]:
            raise FileError(
                str(path),
                f"its shape is {head.shape}, but all blocks need some rows, and as many columns as "
                f"{paths[0].name}, {first.shape}",
            )
        if head.dtype != first.dtype:
            raise FileError(
                str(path),
                f"it holds {head.dtype}, but {paths[0].name} {first.dtype}: save all blocks in the "
                "same type",
            )
    load = dask.delayed(np.load, pure=True)
    return array.concatenate(
        [
            array.from_delayed(load(str(path)), shape=head.shape, dtype=head.dtype)
            for path, head in zip(paths, heads, strict=True)
        ]
    )
