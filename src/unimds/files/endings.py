"""What the ending of a name says: the one place that knows which file may be called what."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import PurePath
from typing import final

from unimds.files.errors import FileError

WRITABLE = ("csv", "tsv", "json", "npy", "npz", "parquet")
"""The formats that can be written, which are also the endings of their files."""


@final
@dataclass(frozen=True)
class FileKind:
    """A kind of file that unimds writes, and how its names may end.

    Parameters
    ----------
    name : str
        What the file is, such as "a report".
    endings : tuple of str
        The endings of its names, with the dot and in lower case.
    strict : bool, default=True
        Whether there is no other ending. Otherwise a name may also end in anything that is not the
        ending of another kind of file or of another program, or in nothing.

    Examples
    --------
    >>> REPORT.check("map.html")
    >>> REPORT.check("map.pdf")
    Traceback (most recent call last):
    unimds.files.errors.FileError: map.pdf: the name of a report ends in .html or .htm, and .pdf is
    the ending of a picture; choose another name
    """

    name: str
    endings: tuple[str, ...]
    strict: bool = True

    def check(self, path: str | os.PathLike[str]) -> None:
        """Raise a FileError if a name does not suit this kind of file."""
        name = os.fspath(path)
        found = ending_of(name)
        if found in self.endings:
            return
        other = next((kind for kind in KINDS_OF_FILES if found in kind.endings), None)
        foreign = None if other is None else other.name
        if not self.strict and foreign is None:
            foreign = FOREIGN.get(found)
            if foreign is None:
                return
        *most, last = self.endings
        known = f"{', '.join(most)} or {last}" if most else last
        if foreign is not None:
            why = f", and {found} is the ending of {foreign}; choose another name"
        else:
            why = f", not in {found}" if found else "; add one of these endings"
        raise FileError(name, f"the name of {self.name} ends in {known}{why}")


TABLE = FileKind("a table", tuple(f".{format}" for format in WRITABLE))
PICTURE = FileKind("a picture", (".png", ".svg", ".pdf"))
REPORT = FileKind("a report", (".html", ".htm"))
FILM = FileKind("a film", (".gif", ".mp4", ".html"))
# Both are archives of arrays, so .npz is true of them too.
MODEL = FileKind("a model", (".unimds", ".npz"), strict=False)
CHECKPOINT = FileKind("a checkpoint", (".ckpt", ".npz"), strict=False)

FOREIGN = {
    **dict.fromkeys((".pkl", ".pickle"), "a pickle of Python"),
    ".joblib": "a file of joblib",
    **dict.fromkeys((".rds", ".rdata", ".rda"), "a file of R"),
    **dict.fromkeys((".h5", ".hdf5", ".h5ad"), "an HDF5 file"),
    **dict.fromkeys((".xlsx", ".xls", ".ods"), "a spreadsheet"),
    ".mat": "a file of Matlab",
    **dict.fromkeys((".sav", ".zsav"), "a file of SPSS"),
    ".dta": "a file of Stata",
    ".onnx": "a model of ONNX",
    **dict.fromkeys((".txt", ".md"), "a text"),
    **dict.fromkeys((".jpg", ".jpeg", ".gif"), "a picture"),
}
"""Endings of files that unimds does not write: other programs would misread ours."""

KINDS_OF_FILES = (TABLE, PICTURE, REPORT, MODEL, CHECKPOINT, FILM)


def ending_of(name: str) -> str:
    """Return the ending of a name in lower case; that of a packed file is the one before .gz.

    Examples
    --------
    >>> ending_of("Map.CSV"), ending_of("map.tsv.gz"), ending_of("map")
    ('.csv', '.tsv', '')
    """
    path = PurePath(name)
    path = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return path.suffix.lower()
