"""The archive of models and checkpoints: a zip file of plain arrays and a header in JSON."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.files.atomic import write_atomic
from unimds.files.formats.arrays import read_npz
from unimds.files.formats.content import magic, read_content

Array = NDArray[Any]

HEADER = "header"
VERSION = 1
ORIGINS = {
    "model": "create a model with `unimds embed --model FILE` or with unimds.models.save",
    "checkpoint": "name a new file for the checkpoint, or one that an earlier run has written",
}


def write_archive(
    path: str | os.PathLike[str],
    kind: str,
    header: Mapping[str, Any],
    arrays: Mapping[str, Array],
    *,
    force: bool = False,
) -> None:
    """Write a header and arrays, completely or not at all.

    Parameters
    ----------
    path : str or PathLike
        The file.
    kind : str
        What the file holds, such as "model".
    header : mapping
        Values that JSON can hold.
    arrays : mapping of str to ndarray
        The arrays.
    force : bool, default=False
        Whether to replace a file that exists.
    """
    text = json.dumps({"unimds": kind, "version": VERSION, **header}, ensure_ascii=False)
    content = io.BytesIO()
    np.savez(
        content, allow_pickle=False, **{HEADER: np.frombuffer(text.encode(), np.uint8)}, **arrays
    )
    write_atomic(path, content.getbuffer(), force=force)


def read_archive(
    path: str | os.PathLike[str], kind: str
) -> tuple[dict[str, Any], dict[str, Array]]:
    """Read a file that `write_archive` has written as the same kind.

    Nothing in the file is ever executed.

    Returns
    -------
    tuple of dict
        The header, and the arrays.
    """
    content = read_content(path)
    if magic(content.data) != "npz":
        pickle = content.data[:1] == b"\x80"
        what = "a pickle, which can execute any code when read" if pickle else "another file"
        raise content.error(f"this is {what}, not a {kind} of unimds; {ORIGINS[kind]}")
    arrays = read_npz(content)
    try:
        header = json.loads(bytes(arrays.pop(HEADER).tobytes()))
        found, version = header["unimds"], header["version"]
    except (KeyError, TypeError, ValueError, RecursionError):
        raise content.error(
            f"this is not a {kind} of unimds: its header is missing or broken; {ORIGINS[kind]}"
        ) from None
    if found != kind:
        raise content.error(f"this is a {found} of unimds, not a {kind}; {ORIGINS[kind]}")
    if version != VERSION:
        raise content.error(
            f"its version is {version!r}, and this release of unimds reads version {VERSION}; "
            "install the release that wrote it, or create it again"
        )
    return header, arrays
