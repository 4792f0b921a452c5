"""Files: read and write tables of distances, points and pairs, and graphs.

`read` detects the format from the content, `read_metadata` reads columns to join by label, `write`
writes a map completely or not at all, and a `FileError` says where a file is wrong. docs/files.md
describes the formats. Parquet and Stata need the extra ``files``: ``pip install 'unimds[files]'``;
R needs ``r``, and SPSS ``spss``.
"""

from unimds.files.atomic import atomic, check_writable
from unimds.files.endings import WRITABLE
from unimds.files.errors import FileError, FileWarning
from unimds.files.meaning.similarities import SimilarityWarning
from unimds.files.meaning.squares import AdjacencyWarning
from unimds.files.reading import FORMATS, read, read_metadata
from unimds.files.table import KINDS, Table
from unimds.files.writing import write

__all__ = [
    "FORMATS",
    "KINDS",
    "WRITABLE",
    "AdjacencyWarning",
    "FileError",
    "FileWarning",
    "SimilarityWarning",
    "Table",
    "atomic",
    "check_writable",
    "read",
    "read_metadata",
    "write",
]
