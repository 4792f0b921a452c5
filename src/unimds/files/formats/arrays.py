"""NumPy files: one array, or a zip file of named arrays. Reading never executes anything."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from unimds.files.formats.content import Content, capped

Array = NDArray[Any]

HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}

OFFICE = "this is an office document; save the sheet as CSV, and read that"


def read_npz(content: Content) -> dict[str, Array]:
    """Return the arrays of an NPZ file by their names."""
    with content.guarded("the NPZ file"), zipfile.ZipFile(io.BytesIO(content.data)) as archive:
        infos = archive.infolist()
        if any(info.filename == "[Content_Types].xml" for info in infos):
            raise content.error(OFFICE)
        infos = [info for info in infos if info.filename.endswith(".npy")]
        content.check_unpacked(sum(info.file_size for info in infos))
        arrays, room = {}, content.limit
        for info in infos:
            with archive.open(info) as member:
                data = capped(member, replace(content, limit=room))
            room -= len(data)  # the sizes that an archive declares may be false
            arrays[info.filename.removesuffix(".npy")] = read_npy(replace(content, data=data))
        return arrays


def read_npy(content: Content) -> Array:
    """Return the array of an NPY file, its size checked before anything is allocated."""
    file = io.BytesIO(content.data)
    with content.guarded("the NPY file"):
        header = HEADERS.get(npy.read_magic(file))
        if header is None:
            raise content.error("arrays with named fields cannot be read; save a plain array")
        shape, fortran, dtype = header(file)
    if dtype.hasobject:
        raise content.error(
            "holds Python objects, which can execute any code when read; save numbers instead, for "
            "example with np.save(file, array.astype(float))"
        )
    if any(length < 0 for length in shape) or dtype.itemsize == 0:
        raise content.error(f"an array of shape {shape} and type {dtype} is impossible")
    wanted, there = prod(shape) * dtype.itemsize, len(content.data) - file.tell()
    if wanted != there:
        raise content.error(
            f"is cut off or broken: an array of shape {shape} takes {wanted} bytes, but there "
            f"are {there}"
        )
    flat = np.frombuffer(content.data, dtype, count=prod(shape), offset=file.tell())
    return flat.reshape(shape, order="F" if fortran else "C").copy()
