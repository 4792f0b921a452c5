"""Files of ours: a zip of plain arrays and a header in JSON. Nothing in them is ever executed."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unimds.files.arrays import members
from unimds.files.atomic import atomic
from unimds.files.source import load, magic

Array = NDArray[Any]

HEADER = "header"
VERSION = 1
ORIGINS = {
    "model": "a model comes from `unimds embed --model FILE`, or from unimds.models.save",
    "checkpoint": "name another file for the checkpoint, or one that `unimds embed` has written",
}


def write_archive(
    path: str | os.PathLike[str],
    kind: str,
    header: Mapping[str, Any],
    arrays: Mapping[str, Array],
    *,
    force: bool = False,
) -> None:
    """Write a header and arrays; whole or not at all.

    Parameters
    ----------
    path : str or PathLike
        The file.
    kind : str
        What it is, such as "model".
    header : mapping
        What JSON can hold.
    arrays : mapping of str to ndarray
        Numbers.
    force : bool, default=False
        Whether a file that is there already is replaced.
    """
    text = json.dumps({"unimds": kind, "version": VERSION, **header}, ensure_ascii=False)
    content = io.BytesIO()
    np.savez(
        content, allow_pickle=False, **{HEADER: np.frombuffer(text.encode(), np.uint8)}, **arrays
    )
    with atomic(path, force=force) as partial:
        partial.write_bytes(content.getbuffer())


def read_archive(
    path: str | os.PathLike[str], kind: str
) -> tuple[dict[str, Any], dict[str, Array]]:
    """Read a file that `write_archive` has written as the same kind; else say what it is.

    Returns
    -------
    tuple of dict
        The header, and the arrays.
    """
    source = load(path, None)
    if magic(source.data) != "npz":
        pickle = source.data[:1] == b"\x80"
        what = "a pickle, which can run any code when it is read" if pickle else "another file"
        raise source.error(f"this is {what}, and no {kind} of unimds; {ORIGINS[kind]}")
    arrays = members(source)
    try:
        header = json.loads(bytes(arrays.pop(HEADER).tobytes()))
        found, version = header["unimds"], header["version"]
    except (KeyError, TypeError, ValueError):
        raise source.error(
            f"this is no {kind} of unimds: its header is missing or broken; {ORIGINS[kind]}"
        ) from None
    if found != kind:
        raise source.error(
            f"this is a {found} of unimds, and a {kind} was expected; {ORIGINS[kind]}"
        )
    if version != VERSION:
        raise source.error(
            f"its version is {version!r}, and this release of unimds reads version {VERSION}; "
            "install the release that wrote it, or make it anew"
        )
    return header, arrays
