"""Files: tables of distances, of points, of pairs, and graphs, read and written.

`read` recognises the format by the content, `write` writes a map whole or not at all; what is
wrong with a file is a `FileError` that says where. The formats are in docs/files.md. Parquet and
GraphML need the extra ``files``, ``pip install 'unimds[files]'``.
"""

from unimds.files.atomic import atomic, check_writable
from unimds.files.errors import FileError
from unimds.files.reading import FORMATS, read
from unimds.files.table import KINDS, Table
from unimds.files.writing import WRITABLE, write

__all__ = [
    "FORMATS",
    "KINDS",
    "WRITABLE",
    "FileError",
    "Table",
    "atomic",
    "check_writable",
    "read",
    "write",
]
