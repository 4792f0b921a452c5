"""The content of a file: its bytes, read up to a limit."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import IO, Any

from unimds.files.errors import Advice, FileError, Place

CHUNK = 1 << 20
MOST = 8 << 30
MAGIC = {
    b"\x93NUMPY": "npy",
    b"PK\x03\x04": "npz",
    b"PK\x05\x06": "npz",
    b"PAR1": "parquet",
    **dict.fromkeys((b"RDX2\n", b"RDX3\n", b"RDA2\n", b"RDA3\n"), "r"),
    **dict.fromkeys((b"X\n\0\0\0\2", b"X\n\0\0\0\3"), "r"),
    **dict.fromkeys((b"B\n\2\0\0\0", b"B\n\3\0\0\0"), "r"),
    **dict.fromkeys((b"$FL2", b"$FL3"), "spss"),
    b"<stata_dta>": "stata",
}
"""The formats that the first bytes name."""
GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Content:
    """The content of a file.

    Attributes
    ----------
    name : str
        The file, as the user named it.
    ending : str
        The ending of its name in lower case, such as ".csv"; for a .gz file, the one before .gz.
    data : bytes
        All bytes, unpacked.
    limit : int
        How many bytes the content, or a table made from it, may take.
    """

    name: str
    ending: str
    data: bytes
    limit: int

    def error(
        self, problem: str, line: Place = None, column: Place = None, advice: Advice = None
    ) -> FileError:
        """Return the error that names this file."""
        return FileError(self.name, problem, line, column, advice)

    def check_room(self, n: int, what: str = "labels") -> None:
        """Raise if a table of n × n would not fit."""
        if 8 * n * n > self.limit:
            raise self.error(
                f"{n} {what} need a table of {size(8 * n * n)}, and the limit is "
                f"{size(self.limit)}; take a sample, or raise max_bytes in Python. Landmarks do "
                "not help: shortest paths and pairs need the whole table, and only points with "
                "features do without it"
            )

    def check_growth(self, count: int, factor: int, what: str) -> None:
        """Raise if bytes that take `factor` times the memory to parse would not fit."""
        if count * factor > self.limit:
            raise self.error(
                f"{what} of {size(count)} takes about {size(count * factor)} to read, and the "
                f"limit is {size(self.limit)}; use NPZ or Parquet, or raise max_bytes in Python"
            )

    def check_unpacked(self, count: int) -> None:
        """Raise if the unpacked content would not fit."""
        if count > self.limit:
            raise self.error(
                f"takes at least {size(count)} unpacked, and the limit is {size(self.limit)}; if "
                "you trust the file, raise max_bytes in Python"
            )

    @contextmanager
    def guarded(self, what: str) -> Iterator[None]:
        """Turn whatever a library raises on broken content into a FileError.

        No library lists all the exceptions that broken bytes may cause.
        """
        try:
            yield
        except (FileError, ImportError):
            raise
        except Exception as error:
            told = " ".join(str(error).split()) or type(error).__name__
            raise self.error(f"{what} cannot be read (is it broken or cut off?): {told}") from error


def read_content(path: str | os.PathLike[str], max_bytes: int | None = None) -> Content:
    """Read a file, or standard input for "-"."""
    limit = default_limit() if max_bytes is None else max_bytes
    name = os.fspath(path)
    content = Content("standard input" if name == "-" else name, "", b"", limit)
    try:
        if name == "-":
            data = _standard_input(content)
        else:
            with open(name, "rb") as file:
                data = capped(file, content)
    except FileNotFoundError:
        raise content.error("there is no such file") from None
    except IsADirectoryError:
        raise content.error("this is a folder; name a file in it") from None
    except PermissionError:
        raise content.error("no permission to read it") from None
    except FileError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a name no file can have
        raise content.error(f"cannot be read: {error}") from None
    ending = PurePath(name).suffix.lower()
    if data.startswith(GZIP):
        data = _unpacked(data, content)
        ending = PurePath(name).with_suffix("").suffix.lower() if ending == ".gz" else ending
    if not data:
        raise content.error("the file is empty")
    return replace(content, ending=ending, data=data)


def capped(file: IO[bytes] | gzip.GzipFile, content: Content) -> bytes:
    """Read all of a stream, up to the limit."""
    buffer = io.BytesIO()
    while chunk := file.read(CHUNK):
        buffer.write(chunk)
        content.check_unpacked(buffer.tell())
    return buffer.getvalue()


def magic(data: bytes) -> str | None:
    """Return the format that the first bytes name, if it is binary or XML."""
    found = next((name for start, name in MAGIC.items() if data.startswith(start)), None)
    return "xml" if found is None and data[:CHUNK].lstrip().startswith(b"<") else found


def default_limit() -> int:
    """Return a quarter of the memory, but at most 8 GB."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # some systems do not tell
        return MOST // 4
    return min(MOST, memory // 4)


def size(count: int) -> str:
    """Return a number of bytes for people.

    Examples
    --------
    >>> size(8_000_000_000_000)
    '8.0 TB'
    """
    amount = float(count)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000.0:
            return f"{amount:.3g} {unit}"
        amount /= 1000.0
    return f"{amount:.1f} TB"


def _standard_input(content: Content) -> bytes:
    stream: Any = sys.stdin
    if hasattr(stream, "buffer"):
        return capped(stream.buffer, content)
    return str(stream.read()).encode()


def _unpacked(data: bytes, content: Content) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            return capped(file, content)
    except (EOFError, OSError, zlib.error) as error:
        raise content.error(f"the gzip file is broken or cut off: {error}") from None
