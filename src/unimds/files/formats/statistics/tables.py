"""Files of SPSS and Stata: a table, whose numbers may stand for words."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unimds._runtime.extras import require
from unimds._runtime.watch import warn
from unimds.files.errors import FileWarning, shown
from unimds.files.formats.columns import Columns
from unimds.files.formats.content import Content
from unimds.files.formats.statistics.frames import columns_of_frame

ZSAV = b"$FL3"
"""How a compressed file of SPSS begins."""
OLD_STATA = tuple(bytes([version]) for version in (0x6E, 0x6F, 0x71, 0x72, 0x73))
"""How files of Stata before version 13 begin."""


def is_stata(content: Content) -> bool:
    """Return whether a file is of an old Stata, which only its name tells."""
    return content.ending == ".dta" and content.data.startswith(OLD_STATA)


def read_spss(content: Content) -> Columns:
    """Return the columns of a file of SPSS.

    Nominal variables are words, by their value labels; a value without a label stays as it is. All
    others are numbers, as rating scales are, whatever labels their values have.
    """
    require("pandas", "spss")
    pyreadstat = require("pyreadstat", "spss")
    with content.guarded("the file of SPSS"), tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.zsav" if content.data.startswith(ZSAV) else "table.sav")
        path.write_bytes(content.data)  # pyreadstat reads from files only
        frame, about = pyreadstat.read_sav(str(path))
    for name, words in about.variable_value_labels.items():
        if about.variable_measure.get(name) == "nominal":
            frame[name] = [_word(value, words) for value in frame[name]]
    return columns_of_frame(frame)


def _word(value: Any, words: Mapping[Any, str]) -> Any:
    """Return the label of a value, or the value as a text; one that is missing stays missing."""
    if value in words or value != value or value is None:
        return words.get(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def read_stata(content: Content) -> Columns:
    """Return the columns of a file of Stata. Values with labels are numbers, and a warning says so.

    A file of Stata does not tell a rating scale from the numbers of groups.
    """
    pandas = require("pandas", "files")
    with content.guarded("the file of Stata"):
        frame = pandas.read_stata(io.BytesIO(content.data), convert_categoricals=False)
        labelled = _labelled(pandas, content)
    if labelled:
        few = ", ".join(map(shown, labelled[:3])) + (", …" if len(labelled) > 3 else "")
        told = f"the values of {few} have labels, and were taken as numbers"
        choice = ("if they only number groups", ("drop", labelled))
        warn(FileWarning(content.name, told, [choice]), FileWarning)
    return columns_of_frame(frame)


def _labelled(pandas: Any, content: Content) -> list[str]:
    """Return the columns whose values have labels, which pandas tells by their type alone."""
    with pandas.read_stata(io.BytesIO(content.data), iterator=True) as file:
        try:
            first = file.read(1)
        except ValueError:  # two values have the same label
            return []
    return [str(name) for name, dtype in first.dtypes.items() if str(dtype) == "category"]
