"""Files of R: .rds holds one object, .rda and .RData hold several by name."""

from __future__ import annotations

import bz2
import io
import lzma
import warnings
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.extras import require
from unimds.files.formats.content import Content, capped

ENDINGS = (".rds", ".rda", ".rdata")
TEXTS = (b"A\n2\n", b"A\n3\n")
"""How an object begins that R has written as text, which other texts may begin with."""
PACKED = {b"BZh": bz2.BZ2File, b"\xfd7zXZ": lzma.LZMAFile}
"""How files are packed in R beside gzip, which all files may be."""


class Dist(NamedTuple):
    """R's ``dist``: the lower triangle of a table of distances, column by column."""

    values: NDArray[Any]
    size: int
    labels: list[str] | None


def is_r(content: Content) -> bool:
    """Return whether a file is of R, where its first bytes leave it open."""
    return content.ending in ENDINGS and content.data.startswith((*TEXTS, *PACKED))


def read_r(content: Content) -> dict[str, Any]:
    """Return the objects of a file by their names; that of an .rds file has none."""
    rdata = require("rdata", "r")
    unpack = next((how for start, how in PACKED.items() if content.data.startswith(start)), None)
    with content.guarded("the file of R"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of classes that rdata does not know
        if unpack is not None:
            with unpack(io.BytesIO(content.data)) as file:
                content = replace(content, data=capped(file, content))
        own = {"dist": _dist, "Date": _days, "POSIXct": _seconds}
        classes = {**rdata.conversion.DEFAULT_CLASS_MAP, **own}
        sequences = _sequences(rdata.parser.DEFAULT_ALTREP_MAP, content)
        parsed = rdata.parser.parse_data(content.data, altrep_constructor_dict=sequences)
        _forget_names_of_dimensions(parsed.object)
        found = rdata.conversion.convert(parsed, classes, default_encoding="utf-8")
    several = content.data.startswith((b"RDX", b"RDA", b"RDB"))
    return {str(name): one for name, one in found.items()} if several else {"": found}


def _sequences(known: Any, content: Content) -> dict[bytes, Any]:
    """Return how rdata unpacks vectors, with a limit for those of which only the ends are kept."""

    def limited(unpack: Any) -> Any:
        def within(state: Any) -> Any:
            content.check_unpacked(8 * int(state.value[0]))
            return unpack(state)

        return within

    compact = (b"compact_intseq", b"compact_realseq")
    return {name: limited(how) if name in compact else how for name, how in known.items()}


def _dist(values: Any, attributes: Any) -> Dist:
    labels = attributes.get("Labels")
    size = int(np.ravel(attributes["Size"])[0])
    return Dist(as_numbers(values), size, None if labels is None else [str(x) for x in labels])


def _days(values: Any, attributes: Any) -> NDArray[Any]:
    return _dates(values, "D")


def _seconds(values: Any, attributes: Any) -> NDArray[Any]:
    return _dates(values, "s")


def _dates(values: Any, unit: str) -> NDArray[Any]:
    """Return dates, which R counts from 1970: they are no coordinates."""
    numbers = as_numbers(values).astype(np.float64)
    return np.asarray(require("pandas", "files").to_datetime(numbers, unit=unit))


def _forget_names_of_dimensions(whole: Any) -> None:
    """Forget what dimensions are called, as in R's ``table``: rdata fails where names are equal."""
    left, seen = [whole], set()
    while left:
        one = left.pop()
        if one is None or id(one) in seen or not hasattr(one, "attributes"):
            continue
        seen.add(id(one))
        left.append(one.attributes)
        if isinstance(one.value, list | tuple):
            left.extend(one.value)
        if _tag(one) == b"dimnames":
            names = one.value[0]
            names.attributes = None
            names.info.attributes = False


def _tag(one: Any) -> bytes | None:
    """Return the name of a part of a list of R."""
    symbol = getattr(one.tag, "referenced_object", None) or one.tag
    value = getattr(getattr(symbol, "value", None), "value", None)
    return value if isinstance(value, bytes) else None


def as_numbers(values: Any) -> NDArray[Any]:
    """Return an array of R as numbers; NA, which rdata masks in whole numbers, as NaN."""
    if isinstance(values, np.ma.MaskedArray):
        return np.ma.filled(values.astype(np.float64), np.nan)
    return np.asarray(values)
