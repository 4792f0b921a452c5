"""NumPy's files: an array, or a zip file of named ones. Nothing in them is ever executed."""

from __future__ import annotations

import io
import zipfile
from math import prod
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from unimds.files.matrices import assemble, condensed
from unimds.files.source import Source, capped, size
from unimds.files.table import Table

Array = NDArray[Any]

DISTANCES = ("D", "distances", "dissimilarities")
POINTS = ("X", "points", "features", "embedding")
LABELS = ("labels", "names")
WEIGHTS = ("weights", "W")
HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def from_npy(source: Source, kind: str) -> Table:
    """Make a table of one array: a condensed vector, a square of distances, or points."""
    return _table(source, _numbers(source, _array(source, source.data)), kind, "npy")


def from_npz(source: Source, kind: str) -> Table:
    """Make a table of named arrays, or of the only one there is."""
    arrays = members(source)
    distances, points, labels, weights = (
        next((arrays.pop(name) for name in names if name in arrays), None)
        for names in (DISTANCES, POINTS, LABELS, WEIGHTS)
    )
    values = distances if distances is not None else points
    if values is not None:
        kind = kind if kind != "auto" else "points" if distances is None else "distances"
    elif len(arrays) == 1:
        values = next(iter(arrays.values()))
    else:
        raise source.error(
            f"holds the arrays {', '.join(map(repr, arrays)) or '(none)'}; one of them must be "
            "called 'distances' or 'points', or be the only one"
        )
    W = None if weights is None else _numbers(source, weights)
    named = None if labels is None else _texts(labels)
    return _table(source, _numbers(source, values), kind, "npz", named, W)


def members(source: Source) -> dict[str, Array]:
    """Return the arrays of an NPZ file by their names."""
    with source.guarded("the NPZ file"), zipfile.ZipFile(io.BytesIO(source.data)) as archive:
        return _members(source, archive)


def _members(source: Source, archive: zipfile.ZipFile) -> dict[str, Array]:
    """Read the arrays of an archive, unless they say that they are too large, or are."""
    infos = archive.infolist()
    if any(info.filename == "[Content_Types].xml" for info in infos):
        raise source.error("this is an office document; save the sheet as CSV, and read that")
    infos = [info for info in infos if info.filename.endswith(".npy")]
    total = sum(info.file_size for info in infos)
    if total > source.limit:
        raise source.error(
            f"unpacked, it takes {size(total)}, and at most {size(source.limit)} are allowed; "
            "raise max_bytes if you trust the file"
        )
    arrays, room = {}, source.limit
    for info in infos:
        with archive.open(info) as member:
            data = capped(member, Source(source.name, "", b"", room))
        room -= len(data)  # what an archive says about its sizes need not be true
        arrays[info.filename.removesuffix(".npy")] = _array(source, data)
    return arrays


def _array(source: Source, data: bytes) -> Array:
    """Return the array of an NPY file, whose size is checked before anything is allocated."""
    file = io.BytesIO(data)
    with source.guarded("the NPY file"):
        header = HEADERS.get(npy.read_magic(file))
        if header is None:
            raise source.error("arrays with named fields are not read; save a plain array")
        shape, fortran, dtype = header(file)
    if dtype.hasobject:
        raise source.error(
            "holds Python objects, which can run any code when they are read; save numbers, such "
            "as np.save(file, array.astype(float))"
        )
    if any(length < 0 for length in shape) or dtype.itemsize == 0:
        raise source.error(f"an array of shape {shape} and type {dtype} cannot be")
    wanted, there = prod(shape) * dtype.itemsize, len(data) - file.tell()
    if wanted != there:
        raise source.error(
            f"is cut off or broken: an array of shape {shape} takes {wanted} bytes, but there "
            f"are {there}"
        )
    flat = np.frombuffer(data, dtype, count=prod(shape), offset=file.tell())
    return flat.reshape(shape, order="F" if fortran else "C").copy()


def _numbers(source: Source, array: Array) -> Array:
    if array.dtype.kind not in "fiub":
        raise source.error(f"holds values of type {array.dtype}, and numbers were expected")
    if array.dtype.kind == "f" and array.dtype.itemsize == 4:
        return array.astype(np.float32, copy=False)
    return array.astype(np.float64, copy=False)


def _texts(array: Array) -> list[str]:
    labels = array.ravel().tolist()
    return [x.decode("utf-8", "replace") if isinstance(x, bytes) else str(x) for x in labels]


def _table(
    source: Source,
    values: Array,
    kind: str,
    format: str,
    labels: list[str] | None = None,
    weights: Array | None = None,
) -> Table:
    if kind in ("pairs", "graph"):
        raise source.error(f"an array is no list of {kind}: save that as a text or as Parquet")
    if values.ndim == 1 and kind != "points":
        table = condensed(source, values, format)
        values, layout = table.values, table.layout
        kind = "distances"
    else:
        values = values[:, None] if values.ndim == 1 else values
        layout = "square"
    if values.ndim != 2:
        raise source.error(f"holds an array of shape {values.shape}; a table has two dimensions")
    if labels is not None and len(labels) != len(values):
        raise source.error(f"holds {len(labels)} labels for {len(values)} rows")
    if weights is not None and weights.shape != (len(values), len(values)):
        raise source.error(f"holds weights of shape {weights.shape} for {len(values)} points")
    return assemble(
        source,
        values,
        format=format,
        kind=kind,
        layout=layout,
        labels=labels,
        weights=weights,
    )
