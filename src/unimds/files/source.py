"""The bytes of a file, read with a limit, and what they look like."""

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
from typing import Any, Protocol

from unimds.files.errors import FileError

CHUNK = 1 << 20
MOST = 8 << 30
MAGIC = {
    b"\x93NUMPY": "npy",
    b"PK\x03\x04": "npz",
    b"PK\x05\x06": "npz",
    b"PAR1": "parquet",
}
GZIP = b"\x1f\x8b"


class Readable(Protocol):
    """A stream of bytes."""

    def read(self, size: int, /) -> bytes:
        """Return some bytes, none at the end."""


@dataclass(frozen=True)
class Source:
    """The content of a file.

    Attributes
    ----------
    name : str
        The file, as the user named it.
    ending : str
        The end of its name in lower case, such as ".csv"; that of a .gz file without the .gz.
    data : bytes
        All of it, unpacked.
    limit : int
        How many bytes it, or a table made of it, may take.
    """

    name: str
    ending: str
    data: bytes
    limit: int

    def error(self, problem: str, line: int | None = None, column: int | None = None) -> FileError:
        """Return the error that names this file."""
        return FileError(self.name, problem, line, column)

    def check_room(self, n: int, what: str = "labels") -> None:
        """Refuse a table of n × n that would not fit."""
        if 8 * n * n > self.limit:
            raise self.error(
                f"{n} {what} need a table of {size(8 * n * n)}, and at most {size(self.limit)} "
                "are allowed; take a sample of them, or raise max_bytes"
            )

    def check_growth(self, count: int, factor: int, what: str) -> None:
        """Refuse bytes that take `factor` times the room once they are parsed."""
        if count * factor > self.limit:
            raise self.error(
                f"{what} of {size(count)} takes about {size(count * factor)} to read, and at most "
                f"{size(self.limit)} are allowed; use NPZ or Parquet, or raise max_bytes"
            )

    @contextmanager
    def guarded(self, what: str) -> Iterator[None]:
        """Turn whatever a library raises on broken content into a FileError.

        Libraries promise no closed list of exceptions for bytes that are not theirs.
        """
        try:
            yield
        except (FileError, ImportError):
            raise
        except Exception as error:
            told = " ".join(str(error).split()) or type(error).__name__
            raise self.error(f"{what} cannot be read, it is broken or cut off: {told}") from error


def load(path: str | os.PathLike[str], max_bytes: int | None) -> Source:
    """Read a file, or standard input for "-"."""
    limit = default_limit() if max_bytes is None else max_bytes
    name = os.fspath(path)
    source = Source("standard input" if name == "-" else name, "", b"", limit)
    try:
        if name == "-":
            data = _standard_input(source)
        else:
            with open(name, "rb") as file:
                data = capped(file, source)
    except FileNotFoundError:
        raise source.error("there is no such file") from None
    except IsADirectoryError:
        raise source.error("this is a folder; name a file in it") from None
    except PermissionError:
        raise source.error("no permission to read it") from None
    except FileError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a name no file can have
        raise source.error(f"cannot be read: {error}") from None
    ending = PurePath(name).suffix.lower()
    if data.startswith(GZIP):
        data = _unpacked(data, source)
        ending = PurePath(name).with_suffix("").suffix.lower() if ending == ".gz" else ending
    if not data:
        raise source.error("the file is empty")
    return replace(source, ending=ending, data=data)


def capped(file: Readable, source: Source) -> bytes:
    """Read all of a stream, but no more than the limit."""
    buffer = io.BytesIO()
    while chunk := file.read(CHUNK):
        buffer.write(chunk)
        if buffer.tell() > source.limit:
            raise source.error(
                f"holds more than {size(source.limit)}, unpacked; raise max_bytes to read it"
            )
    return buffer.getvalue()


def magic(data: bytes) -> str | None:
    """Return the format that the first bytes name, if it is binary or XML, which has encodings."""
    if data[:CHUNK].lstrip().startswith(b"<"):
        return "graphml"
    return next((name for start, name in MAGIC.items() if data.startswith(start)), None)


def default_limit() -> int:
    """Return a quarter of the memory, but at most 8 GB."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not every system tells
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


def _standard_input(source: Source) -> bytes:
    stream: Any = sys.stdin
    if hasattr(stream, "buffer"):
        return capped(stream.buffer, source)
    return str(stream.read()).encode()


def _unpacked(data: bytes, source: Source) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            return capped(file, source)
    except (EOFError, OSError, zlib.error) as error:
        raise source.error(f"the gzip file is broken or cut off: {error}") from None
